"""What is named as a table: a file, a part of a file, several files, or a table of a database."""

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

from kspan.errors import FileError

ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
NO_DATABASES = {"http", "https", "ftp", "file", "s3", "gs", "az"}
"""Addresses of files: they are taken for paths, and no such file will be found."""
DATABASE_FILES = ("sqlite", "duckdb")
PARTS = ("table", "sheet")
SECRET = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+:/*[^\s:/@?#]*):(?:\S*|(?!\d+(?:[/?\s:,'\"]|$)).*)@")
"""A user and a password, which may have any characters, blanks too; what follows the colon may also be a port."""
SECRET_OPTION = re.compile(r"((?:^|[?&;\s'\"])[\w.]*(?:pass|pwd|secret|token|key)[\w.]*=)[^&;\s]*", re.IGNORECASE)
UNFIT = re.compile(r"[^\w.-]+")


@dataclass(frozen=True)
class Source(os.PathLike[str]):
    """Where a table is, by its name; printing it tells no password.

    >>> str(Source.of("postgresql://ann:secret@db.example/clinic?table=visits&sslmode=require"))
    'postgresql://ann@db.example/clinic?table=visits'
    >>> Source.of("clinic.sqlite?table=visits").part
    'visits'
    >>> Source.of("people.csv").name
    'people.csv'
    """

    shown: str
    """What messages, reports and manifests call it."""
    path: Path | None = None
    """Of a file, a folder or a pattern; None for a table of a server."""
    part: str | None = None
    """The table of a database, or the sheet of a workbook."""
    kind: str | None = None
    """The word before :// in an address."""
    address: str = field(default="", repr=False)
    """What the driver of a server connects to. It may hold a password, so nothing prints it."""
    sql: str | None = field(default=None, repr=False)
    """What is asked of a database instead of a whole table. It may name people, so nothing prints it."""

    @classmethod
    def of(cls, given: "str | os.PathLike[str]") -> "Source":
        """Say what a text or a path names; nothing is opened, and nothing is refused."""
        if isinstance(given, Source):
            return given
        text = os.fspath(given)
        found = ADDRESS.fullmatch(text)
        if found is None or found[1].lower() in NO_DATABASES:
            return _file(text)
        kind = {"postgres": "postgresql"}.get(found[1].lower(), found[1].lower())
        if kind in DATABASE_FILES:
            base, part = _divided(found[2])
            # As elsewhere: three slashes before a relative path, four before an absolute one.
            path = base.removeprefix("/")
            return cls(f"{kind}:///{path}{_told(part)}", Path(path), part, kind)
        base, part = _divided(text)
        return cls(f"{_without_options(base)}{_told(part)}", None, part, kind, base)

    def asking(self, sql: str | None) -> "Source":
        """Return the same database, asked by a query instead of for a whole table."""
        if sql is None:
            return self
        if self.part is not None:
            raise FileError(f"{self} names a table, and --sql asks for rows: leave out one of them")
        return replace(self, sql=sql)

    @property
    def is_server(self) -> bool:
        """Is it a table of a server?"""
        return self.path is None

    @property
    def is_database(self) -> bool:
        """Does its name say that it is a table of a database?"""
        return self.kind is not None

    @property
    def name(self) -> str:
        """Its last name, for titles."""
        return (self.part or self.shown) if self.path is None else f"{self.path.name}{_told(self.part)}"

    def beside(self, ending: str) -> Path:
        """Return the path of a file that belongs to it: beside a file, and in the current folder for a server.

        >>> Source.of("postgresql:///clinic?table=study.released").beside(".owner.json").name
        'study.released.owner.json'
        """
        if self.path is None:
            return Path(UNFIT.sub("_", self.part or "query") + ending)
        of_part = "" if self.part is None else "." + UNFIT.sub("_", self.part)
        return Path(f"{self.path}{of_part}{ending}")

    def __fspath__(self) -> str:
        return self.shown if self.path is None else str(self.path)

    def __str__(self) -> str:
        return self.shown


def without_passwords(text: str) -> str:
    """The text without the passwords of the addresses in it.

    >>> without_passwords("cannot write postgresql:/ann:se@cret@db/x.csv")
    'cannot write postgresql:/ann@db/x.csv'
    >>> without_passwords("cannot write postgresql:/ann:my s@ cret@db/x.csv, nor postgresql:/db:5432/x: use no @")
    'cannot write postgresql:/ann@'
    >>> without_passwords("cannot read postgresql://db:5432/x: use no @")
    'cannot read postgresql://db:5432/x: use no @'
    >>> without_passwords("mysql://db/x?password=secret&table=t")
    'mysql://db/x?password=...&table=t'
    """
    return SECRET_OPTION.sub(r"\1...", SECRET.sub(r"\1@", text))


def is_address(given: "str | os.PathLike[str]") -> bool:
    """Does a name say that it is a table of a database, or the address of one?"""
    return Source.of(given).is_database


def _file(text: str) -> Source:
    if "?" not in text or _is_file(text):
        return Source(text, Path(text))
    base, part = _divided(text)
    # `?` may also stand for any letter, in a pattern of names.
    return Source(text, Path(text)) if part is None else Source(text, Path(base), part)


def _is_file(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False


def _divided(text: str) -> tuple[str, str | None]:
    """Take the table or sheet out of the options of an address."""
    base, mark, query = text.partition("?")
    options = query.split("&") if mark else []
    named = {key: unquote(value) for key, _, value in (one.partition("=") for one in options) if key in PARTS}
    rest = "&".join(one for one in options if one.partition("=")[0] not in PARTS)
    return f"{base}?{rest}" if rest else base, next(iter(named.values()), None)


def _without_options(address: str) -> str:
    """An address without options and password, whatever characters a password has."""
    scheme, _, rest = address.partition("://")
    front, at, place = rest.rpartition("@")
    user = front.partition(":")[0] + at if at else ""
    return f"{scheme}://{user}{place.partition('?')[0]}"


def _told(part: str | None) -> str:
    return "" if part is None else f"?table={part}"
