"""Names of tables and columns in SQL: always in quotes, so that no name can be anything but a name."""

import re
import secrets

from kspan.errors import FileError

PIECE = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')


def quoted(name: str) -> str:
    """One name in quotes.

    >>> print(quoted('a"b'))
    "a""b"
    """
    if "\0" in name:
        raise FileError("a name of a table or column has a NUL character: leave it out")
    return '"' + name.replace('"', '""') + '"'


def table_name(text: str) -> tuple[str | None, str]:
    """The schema, if one is named, and the table; a name with a dot in it stands in quotes.

    >>> table_name("visits"), table_name("study.visits"), table_name('"a.b"')
    ((None, 'visits'), ('study', 'visits'), (None, 'a.b'))
    """
    pieces, at = list[str](), 0
    while found := PIECE.match(text, at):
        pieces.append(found[2] if found[1] is None else found[1].replace('""', '"'))
        at = found.end() + 1
        if text[found.end() : at] not in ("", "."):
            break
    if at != len(text) + 1 or len(pieces) not in (1, 2):
        raise FileError(f"{text!r} is no name of a table: use table=NAME or table=SCHEMA.NAME, and quotes around a dot")
    return (None, pieces[0]) if len(pieces) == 1 else (pieces[0], pieces[1])


def in_sql(schema: str | None, table: str) -> str:
    """A table in SQL."""
    return quoted(table) if schema is None else f"{quoted(schema)}.{quoted(table)}"


def literal(text: str) -> str:
    """A text in SQL, for commands that take no parameters."""
    return "'" + text.replace("'", "''") + "'"


def draft_name() -> str:
    """A name for a table that is being written, which nobody else uses."""
    return f"kspan_draft_{secrets.token_hex(8)}"


def inner(sql: str) -> str:
    """A query that can stand in another one, whatever comment it ends in."""
    return f"(\n{sql.strip().rstrip(';')}\n)"
