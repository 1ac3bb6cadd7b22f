"""Options that commands share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from kspan.frames.csv import Dialect

PolicyFile = Annotated[
    Path, typer.Option("--policy", "-p", help="The policy: who may know each column, and what must hold.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object to stdout and nothing else there.")]
Delimiter = Annotated[str | None, typer.Option(help="Between the cells of a text file; found out if not given.")]
Encoding = Annotated[str | None, typer.Option(help="Of a text file, if it is not UTF-8: latin-1, cp1252, ...")]
Columns = Annotated[
    str | None, typer.Option(help="Names of the columns, with commas, for a text file without a header line.")
]


def dialect(delimiter: str | None, encoding: str | None, columns: str | None) -> "Dialect":
    """How to read text files, from the options."""
    from kspan.frames.csv import Dialect

    given = {"\\t": "\t", "tab": "\t"}.get(delimiter or "", delimiter)
    return Dialect(delimiter=given, encoding=encoding, columns=columns.split(",") if columns else None)
