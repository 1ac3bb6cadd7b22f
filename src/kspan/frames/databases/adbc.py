"""Tables of any other database for which an ADBC driver is installed: they are read only."""

import importlib
from contextlib import closing
from typing import Any

import polars as pl

from kspan.errors import FileError
from kspan.frames.databases.failures import told
from kspan.frames.databases.names import in_sql, table_name
from kspan.frames.databases.stored import Stored
from kspan.frames.extras import library
from kspan.frames.source import Source


def read(source: Source) -> Stored:
    """Read a table or a query through the driver that is called like the address."""
    if source.sql is None and source.part is None:
        raise FileError(f"{source} is a database: name a table, for example '{source}?table=visits', or ask --sql")
    query = source.sql or f"select * from {in_sql(*table_name(str(source.part)))}"
    connection = _connection(source)
    with told(source, "read"), closing(connection), closing(connection.cursor()) as cursor:
        cursor.execute(query)
        return Stored(pl.DataFrame(cursor.fetch_arrow()))


def _connection(source: Source) -> Any:
    manager = library("adbc_driver_manager.dbapi", source, "a table of a database")
    kind = str(source.kind)
    try:
        path = importlib.import_module(f"adbc_driver_{kind.replace('-', '_')}")._driver_path()
    except (ImportError, AttributeError):
        path = kind  # one that was installed for all programs
    try:
        return manager.connect(driver=path, db_kwargs={"uri": source.address})
    except Exception:
        raise FileError(
            f"cannot read {source}: no ADBC driver {kind!r} is installed that connects there, install one "
            f"(adbc-driver-{kind}), or export the table"
        ) from None
