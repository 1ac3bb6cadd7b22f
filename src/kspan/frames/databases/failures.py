"""What databases refuse, in our own words: theirs quote cells, and may quote passwords."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import polars as pl

from kspan.errors import FileError, KspanError
from kspan.frames.source import Source

PASSWORD = "the server knows no such user and password: see PGUSER, PGPASSWORD or ~/.pgpass"
LOST = "the connection to the server was lost: see whether it runs, and try again"
NO_DATABASE = "there is no such database on the server: check the name"
BY_STATE = {
    "28P01": PASSWORD,
    "28000": PASSWORD,
    "3D000": NO_DATABASE,
    "3F000": "there is no such schema: check the name before the dot",
    "42P01": "there is no such table, or the query names one that is not there: check the name",
    "42703": "the query names a column that is not there: check the names",
    "42601": "the query is no SQL that the server understands: check it",
    "42501": "the user may not do that: ask for the right to read the table, or to create and drop it",
    "25006": "the user or the server may only read, or the query changes something: use one that may write",
    "55P03": "another transaction has locked the table: wait until it is done",
    "57014": "the server gave up, since it took too long: ask for less, or raise its statement_timeout",
    "2BP01": "views or other tables depend on the table that is there: drop these first, or name another table",
    "42P07": "another command has just made a table of that name: try again",
    "23505": "another command has just made a table of that name: try again",
    "53100": "the disk of the server is full: make room",
    "53300": "the server has too many connections: try again later",
    "42702": "the query gives two columns the same name: name one of them with AS",
    "42622": "a name is too long for the server: shorten it",
}
"""By SQLSTATE."""
BY_CLASS = {"08": LOST, "57": LOST, "22": "a cell does not fit the type that the query asks for: change the query"}
"""By its first two characters."""
BY_WORDS = {
    "password authentication failed": PASSWORD,
    "no password supplied": PASSWORD,
    "no pg_hba.conf entry": "the server lets this user not in from here: ask its administrator",
    "role": PASSWORD,
    "database": NO_DATABASE,
    "refused": "no server answers there: check host and port, and see whether it runs",
    "translate host name": "no such host is known: check its name",
    "timeout": "no server answers there: check host and port, and see whether it runs",
    "No such file": "no server answers there: check host and port, and see whether it runs",
    "certificate": "the certificate of the server is not trusted: see sslmode and sslrootcert",
    "SSL": "the server and sslmode do not agree about encryption: see sslmode",
    "definition of service": "there is no such service: see ~/.pg_service.conf",
    "invalid URI": "that is no address that the driver understands: check it, with % before special characters",
    "invalid integer value": "that is no address that the driver understands: check its port",
    "unexpected spaces": "that is no address that the driver understands: write a blank as %20",
    "invalid connection option": "that is no address that the driver understands: check it",
    "closed the connection": LOST,
    "terminating connection": LOST,
    "no connection": LOST,
}
"""By what libpq says where it tells no SQLSTATE; these words are looked for in this order."""
STATE = re.compile(r"SQLSTATE:? (\w{5})")
UNKNOWN = "the database refused what was asked of it: its own log says why"


@contextmanager
def told(source: Source, doing: str) -> Iterator[None]:
    """Turn whatever a driver says into one sentence; `doing` is "read" or "write"."""
    try:
        yield
    except (KspanError, MemoryError):
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        raise FileError(f"cannot {doing} {source}: {sentence(error)}") from None


def sentence(error: Any) -> str:
    """Why a database refused, as far as its state or its words tell."""
    words = str(error)
    # Rows that arrive tell the state of a failure in words alone.
    written = STATE.search(words)
    state = getattr(error, "sqlstate", None) or (written[1] if written else "")
    if said := BY_STATE.get(state) or BY_CLASS.get(state[:2]):
        return said
    return next((said for word, said in BY_WORDS.items() if word in words), UNKNOWN) if not state else UNKNOWN
