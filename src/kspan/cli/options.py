"""Options that commands share."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kspan.cli.log import notice
from kspan.errors import FileError, PolicyError, check_choice
from kspan.frames.source import Source

if TYPE_CHECKING:
    from kspan.frames.csv import Dialect
    from kspan.report.summary import Summary

PolicyFile = Annotated[
    Path, typer.Option("--policy", "-p", help="The policy: who may know each column, and what must hold.")
]
PolicyOrManifest = Annotated[
    Path | None,
    typer.Option("--policy", "-p", help="The policy; a released table needs none if its manifest is at hand."),
]
RangePattern = Annotated[
    str | None,
    typer.Option(
        metavar="REGEX",
        help=r"How the table writes ranges, if in a way of its own: '(?P<low>\d+) to (?P<high>\d+)'.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object to stdout and nothing else there.")]
Population = Annotated[
    Source | None,
    typer.Option(parser=Source.of, help="A table of everybody with the public columns, for the journalist risk."),
]
JudgeBy = Annotated[
    str | None, typer.Option("--require", help="Judge by this instead, for example 'k=10, distinct_l=2'.")
]
Counting = Annotated[str | None, typer.Option(help="Let the verdict count 'rows' or 'people'.")]
Order = Annotated[
    str | None, typer.Option(help="The column that orders the rows of a person in a wide table, such as a date.")
]
ReportFile = Annotated[
    Path | None,
    typer.Option("--report", help="Also write one page about it that may go out with it: .html, .md or .json."),
]
Curve = Annotated[
    bool, typer.Option("--curve", help="With --report: measure what k = 2 ... 1000 would cost, which takes a while.")
]
Delimiter = Annotated[str | None, typer.Option(help="Between the cells of a text file; found out if not given.")]
Encoding = Annotated[str | None, typer.Option(help="Of a text file, if it is not UTF-8: latin-1, cp1252, ...")]
KINDS = "a file (CSV, Parquet, Excel, SPSS, Stata, ...), or an address such as postgresql:///clinic?table=visits"
"""What tables are read from, for help texts; docs/sources.md tells all."""
Sql = Annotated[
    str | None, typer.Option("--sql", metavar="QUERY", help="What to ask the database for, instead of a whole table.")
]
EngineName = Annotated[
    str,
    typer.Option("--engine", help="What counts rows: memory, duckdb (also Parquet files), postgres, or auto."),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option("--memory", metavar="AMOUNT", help="How much memory an engine may use, such as 4GB; half of it all."),
]
Columns = Annotated[
    str | None, typer.Option(help="Names of the columns, with commas, for a text file without a header line.")
]

Again = Annotated[
    Path | None,
    typer.Option(metavar="OWNER", help="Make the same table again: OUT.owner.json of the earlier one, for its secret."),
]
KeepFormulas = Annotated[
    bool,
    typer.Option(
        "--keep-formulas",
        help="In a CSV, write text that begins with = + - @ as it is; else an apostrophe keeps spreadsheets from "
        "running it.",
    ),
]
SuppressedText = Annotated[
    str | None,
    typer.Option("--suppressed", metavar="TEXT", help="What a suppressed cell of the table shows, if not *."),
]


def dialect(delimiter: str | None, encoding: str | None, columns: str | None) -> "Dialect":
    """Return how to read text files, according to the options."""
    from kspan.frames.csv import Dialect

    # A tab is hard to type in a shell.
    given = {"\\t": "\t", "tab": "\t"}.get(delimiter or "", delimiter)
    return Dialect(delimiter=given, encoding=encoding, columns=columns.split(",") if columns else None)


def check_report_file(path: Path | None, curve: bool = False) -> None:
    """Refuse a report that cannot be written, or a curve without one, before long work begins."""
    if path is not None:
        from kspan.report.page import check_report

        check_report(path)
    elif curve:
        raise PolicyError("--curve is part of a report: name the page with --report")


def save_report(summary: "Summary", path: Path) -> None:
    """Write a page about one release."""
    from kspan.report.gather import story
    from kspan.report.page import Report

    Report(story(f"Privacy report: {summary.title}", [summary])).save(path)


def tell_report(path: Path | None, *, holds: bool = True) -> None:
    """Say that there is a page about a release, and who may read it."""
    if path is not None:
        whose = "that may go with it" if holds else "for you alone, since the promise does not hold"
        notice(f"Wrote {path}: a report {whose}.")


check_word = check_choice
"""Refuses a word that an option does not take."""


def check_apart(outputs: Mapping[str, Path | Source | None], *inputs: Path | Source | None) -> None:
    """Refuse options that would write over a file that is read, or two that would write the same file."""
    taken = {_resolved(path) for path in inputs if path is not None}
    for option, path in outputs.items():
        if path is None:
            continue
        if _resolved(path) in taken:
            raise FileError(f"{option} {path} is a file that this very command reads or writes: name another one")
        # The next option must not write the same file.
        taken.add(_resolved(path))


def _resolved(path: Path | Source) -> tuple[Path, str | None]:
    """What a name stands for: a file, or a part of one."""
    part = path.part if isinstance(path, Source) else None
    try:
        return Path(path).resolve(), part
    except (RuntimeError, ValueError):  # a circle of links, or no name, as whoever reads or writes there will say
        return Path(path).absolute(), part
