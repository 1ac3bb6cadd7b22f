"""Tables of PostgreSQL, through ADBC: rows arrive and leave as Arrow, in the order of columns that the server has."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from kspan.errors import FileError, MaybeWritten, listed
from kspan.frames.databases.failures import LOST, sentence, told
from kspan.frames.databases.names import draft_name, in_sql, inner, literal, quoted, table_name
from kspan.frames.databases.stored import Stored, holdable, numbers
from kspan.frames.extras import library
from kspan.frames.source import Source

PATIENCE = 60
"""Seconds to wait for a transaction that has locked the table."""
ANSWER = 15
"""Seconds to wait for a server that does not answer, unless the address or PGCONNECT_TIMEOUT says."""
AS_THEY_ARE = {
    "bool", "int2", "int4", "int8", "float4", "float8", "date", "time", "timestamp", "timestamptz",
}  # fmt: skip
"""Types that arrive as they are; all others are asked for as text."""
GRANTS = """
select privilege_type || ' on table {draft} to ' || case grantee when 0 then 'public' else quote_ident(rolname) end
    || case when is_grantable then ' with grant option' else '' end as granted
from pg_class, aclexplode(relacl) left join pg_roles on pg_roles.oid = grantee
where pg_class.oid = to_regclass({target}) and grantee <> relowner
"""
Touched = frozenset[tuple[str, str, int]]
"""Tables that a query reads: the start of the server, the database and the number of each."""


def read(source: Source) -> Stored:
    """Read a table, view or query in one transaction, with the manifest that is the comment of the table."""
    with _connected(source, "read") as connection, told(source, "read"), closing(connection.cursor()) as cursor:
        cursor.execute("set transaction read only")
        _be_patient(cursor)
        frame = _rows(cursor, _asked(cursor, source), source)  # locks the table before its rows are asked for
        # The table cannot be replaced before the end of the transaction, so the comment is the one of these rows.
        return Stored(frame, None if source.part is None else _comment(cursor, source.part))


@dataclass(frozen=True)
class InServer:
    """A table, view or query of a server, whose rows are still there; all answers are of one moment."""

    source: Source
    connection: Any = field(repr=False)
    query: str = field(repr=False)
    kinds: Mapping[str, str]
    """The type of each column."""

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return list(self.kinds)

    @cached_property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self._asked(f"select count(*)::int8 from {self._whole}").item())

    def counted(self, names: Sequence[str], times: str, arrived: Callable[[Any, Any], pl.DataFrame]) -> pl.DataFrame:
        """Return the different rows by some columns, and in another column how many rows are alike."""
        places = ", ".join(str(place + 1) for place in range(len(names)))
        columns = ", ".join((*(self._plain(name) for name in names), f"count(*)::int8 as {quoted(times)}"))
        with told(self.source, "read"), closing(self.connection.cursor()) as cursor:
            cursor.execute(f"select {columns} from {self._whole}" + (f" group by {places}" if names else ""))
            reader = cursor.fetch_record_batch()
            return self._with_numbers(arrived(reader, reader.schema.empty_table()))

    def whole(self) -> pl.DataFrame:
        """Bring all rows into memory."""
        return self._with_numbers(self._asked(f"select {', '.join(map(self._plain, self.kinds))} from {self._whole}"))

    def close(self) -> None:
        """End the transaction."""
        with suppress(Exception):  # a connection that is lost cannot be closed either
            self.connection.close()

    @property
    def _whole(self) -> str:
        return f"{inner(self.query)} as whole"

    def _asked(self, query: str) -> pl.DataFrame:
        with told(self.source, "read"), closing(self.connection.cursor()) as cursor:
            cursor.execute(query)
            return _fetched(cursor)

    def _plain(self, name: str) -> str:
        """A column as it is asked for: texts by their bytes, since by a collation two may be one."""
        if self.kinds[name] in AS_THEY_ARE:
            return quoted(name)
        return f'{quoted(name)}::text collate "C" as {quoted(name)}'

    def _with_numbers(self, frame: pl.DataFrame) -> pl.DataFrame:
        decimals = (name for name in frame.columns if self.kinds.get(name) == "numeric")
        return frame.with_columns(numbers(frame[name]) for name in decimals)


def table_in(source: Source) -> InServer:
    """Open a table, view or query, without reading its rows."""
    connection = _connection(source, "read")
    try:
        with told(source, "read"), closing(connection.cursor()) as cursor:
            cursor.execute("set transaction isolation level repeatable read read only")
            _be_patient(cursor)
            query = _asked(cursor, source)
            return InServer(source, connection, query, _kinds(cursor, query, source))
    except BaseException:
        with suppress(Exception):
            connection.close()
        raise


def manifest_of(source: Source) -> str | None:
    """The comment of a table, without its rows."""
    if source.part is None:
        return None
    with _connected(source, "read") as connection, told(source, "read"), closing(connection.cursor()) as cursor:
        return _comment(cursor, source.part)


def check_target(target: Source, sources: tuple[Source, ...]) -> None:
    """Refuse a table that cannot be replaced, or that is read by the same command, before long work begins."""
    with _connected(target, "write") as connection, told(target, "write"), closing(connection.cursor()) as cursor:
        place = _place(cursor, target)
        cursor.execute(
            f"select pg_postmaster_start_time()::text, current_database()::text, c.oid::int8, c.relkind::text, "
            f"has_schema_privilege({place.schema}, 'create') and coalesce(pg_has_role(c.relowner, 'usage'), true), "
            "pg_is_in_recovery() "
            f"from (select 1) as one left join pg_class as c on c.oid = to_regclass({place.literal})"
        )
        start, database, number, kind, may_create, only_reads = _fetched(cursor).row(0)
        if not may_create or only_reads:
            raise FileError(
                f"cannot write {target}: the user may not create tables there or replace this one, ask for the right"
            )
        if kind not in (None, "r"):
            raise FileError(f"cannot write {target}: it is a view or another thing that is no table, name another one")
    for source in sources:
        if number is not None and source.kind == target.kind and (start, database, number) in _touched(source):
            raise FileError(f"cannot write {target}: this very command reads that table, name another one")


def _touched(source: Source) -> Touched:
    """All tables that a source is read from, also behind views and queries: the server locks them for us."""
    with _connected(source, "read") as connection, told(source, "read"), closing(connection.cursor()) as cursor:
        _be_patient(cursor)
        cursor.adbc_execute_schema(_asked(cursor, source))
        cursor.execute(
            "select pg_postmaster_start_time()::text, current_database()::text, relation::int8 from pg_locks "
            "where pid = pg_backend_pid() and locktype = 'relation'"
        )
        return frozenset(_fetched(cursor).rows())


class PostgresDraft:
    """A table that is written under a name of its own, in a transaction that is open until it is committed."""

    def __init__(self, target: Source, frame: pl.DataFrame) -> None:
        self.target = target
        self._columns, self._height = frame.columns, frame.height
        self._draft = draft_name()
        self._connection = _connection(target, "write")
        try:
            with told(target, "write"), closing(self._connection.cursor()) as cursor:
                _be_patient(cursor)
                self._place = _place(cursor, target)
                # By a parameter of its own, not in SQL: the driver puts names into quotes.
                cursor.adbc_ingest(self._draft, holdable(frame), mode="create", db_schema_name=self._place.plain_schema)
        except BaseException:
            self.abandon()
            raise

    @property
    def _in_sql(self) -> str:
        return in_sql(self._place.plain_schema, self._draft)

    def written(self) -> pl.DataFrame:
        """Return the rows as a reader will get them."""
        with told(self.target, "write"), closing(self._connection.cursor()) as cursor:
            found = _rows(cursor, f"select * from {self._in_sql}", self.target)
        if found.columns != self._columns or found.height != self._height:
            raise FileError(f"cannot write {self.target}: the server changed names of columns, shorten them")
        return found

    def commit(self, manifest: str) -> None:
        """Put the table in the place of the old one, whose rights it takes over."""
        with told(self.target, "write"), closing(self._connection.cursor()) as cursor:
            cursor.execute(f"comment on table {self._in_sql} is {literal(manifest)}")
            cursor.execute(GRANTS.format(draft=self._in_sql.replace("'", "''"), target=self._place.literal))
            for grant in _fetched(cursor)["granted"]:
                cursor.execute(f"grant {grant}")
            cursor.execute(f"drop table if exists {self._place.in_sql}")
            cursor.execute(f"alter table {self._in_sql} rename to {quoted(self._place.table)}")
        try:
            self._connection.commit()
        except Exception as error:
            why = sentence(error)
            if why != LOST:
                raise FileError(f"cannot write {self.target}: {why}") from None
            raise MaybeWritten(
                f"cannot write {self.target}: {why}, so the table may be the old one or the new one, whole: "
                "kspan verify tells"
            ) from None
        self.abandon()

    def abandon(self) -> None:
        """Leave everything as it was: the server forgets what is not committed."""
        with suppress(Exception):
            self._connection.close()


class _Place:
    """The schema and table that a name means, in the forms that SQL takes."""

    def __init__(self, schema: str, table: str) -> None:
        self.plain_schema, self.table = schema, table
        self.schema, self.in_sql = literal(schema), in_sql(schema, table)
        self.literal = literal(self.in_sql)


def _place(cursor: Any, target: Source) -> _Place:
    if target.part is None:
        raise FileError(f"cannot write {target}: name the table, for example '{target}?table=released'")
    schema, table = table_name(target.part)
    if schema is None:
        cursor.execute("select current_schema()::text")
        schema = _fetched(cursor).item()
        if schema is None:
            raise FileError(f"cannot write {target}: the user has no schema, name one with table=SCHEMA.NAME")
    return _Place(schema, table)


@contextmanager
def _connected(source: Source, doing: str) -> Iterator[Any]:
    connection = _connection(source, doing)
    try:
        yield connection
    finally:
        with suppress(Exception):  # a connection that is lost cannot be closed either
            connection.close()


def _connection(source: Source, doing: str) -> Any:
    driver = library("adbc_driver_postgresql.dbapi", source, "a table of PostgreSQL")
    address = source.address
    if "connect_timeout=" not in address and "PGCONNECT_TIMEOUT" not in os.environ:
        address += f"{'&' if '?' in address else '?'}connect_timeout={ANSWER}"
    with told(source, doing):
        return driver.connect(address)


def _be_patient(cursor: Any) -> None:
    cursor.execute(f"set local lock_timeout = '{PATIENCE}s'")


def _asked(cursor: Any, source: Source) -> str:
    """The query that a source stands for."""
    if source.sql is not None:
        return f"select * from {inner(source.sql)} as asked"
    if source.part is not None:
        return f"select * from {in_sql(*table_name(source.part))}"
    cursor.execute(
        "select c.oid::regclass::text as name from pg_class as c join pg_namespace as n on n.oid = relnamespace "
        "where relkind in ('r', 'p', 'v', 'm', 'f') and nspname !~ '^pg_' and nspname <> 'information_schema' "
        "and has_table_privilege(c.oid, 'select') order by 1"
    )
    names = _fetched(cursor)["name"].to_list()
    there = f", it has {listed(names)}" if names else ", you may read none in it"
    raise FileError(f"{source} is a database{there}: name a table, for example '{source}?table=visits', or ask --sql")


def _rows(cursor: Any, query: str, source: Source) -> pl.DataFrame:
    """All rows of a query; columns of types that Arrow does not have arrive as text, and decimals as numbers."""
    kinds = _kinds(cursor, query, source)
    columns = ", ".join(
        quoted(name) if kind in AS_THEY_ARE else f"{quoted(name)}::text as {quoted(name)}"
        for name, kind in kinds.items()
    )
    cursor.execute(f"select {columns} from {inner(query)} as whole")
    frame = _fetched(cursor)
    return frame.with_columns(numbers(frame[name]) for name, kind in kinds.items() if kind == "numeric")


def _kinds(cursor: Any, query: str, source: Source) -> dict[str, str]:
    """The types of the columns of a query."""
    schema = cursor.adbc_execute_schema(query)
    kinds = {one.name: (one.metadata or {}).get(b"POSTGRESQL:type", b"").decode() for one in schema}
    if len(kinds) < len(schema):
        raise FileError(f"{source} gives two columns the same name: name one of them with AS")
    if not kinds:
        raise FileError(f"{source} has no columns: there is nothing in it")
    return kinds


def _comment(cursor: Any, part: str) -> str | None:
    name = literal(in_sql(*table_name(part)))
    cursor.execute(f"select obj_description(to_regclass({name}), 'pg_class')::text as said")
    said = _fetched(cursor).item()
    return said if isinstance(said, str) else None


def _fetched(cursor: Any) -> pl.DataFrame:
    """The rows that a query gave, batch by batch as they arrive."""
    return pl.DataFrame(cursor.fetch_arrow())
