"""kspan anonymize: a table in which everybody stands in a crowd."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from kspan.cli.beside_ledger import LedgerFile, Left, MatchPeople, Recipient, beside_ledger, tell_entered
from kspan.cli.log import notice
from kspan.cli.methods import MethodCommand, Methods, check_given, flag_of
from kspan.cli.options import (
    KINDS,
    Again,
    Columns,
    Curve,
    Delimiter,
    Encoding,
    Json,
    KeepFormulas,
    Order,
    PolicyFile,
    ReportFile,
    Sql,
    SuppressedText,
    check_apart,
    check_report_file,
    dialect,
    save_report,
    tell_report,
)
from kspan.cli.output import progress
from kspan.cli.released import tell_release
from kspan.errors import PolicyError
from kspan.frames.commit import together
from kspan.frames.source import Source

KEPT = 5.0
"""How often a column counts that is to be kept."""


@dataclass(frozen=True)
class AnonymizeRequest:
    """The arguments and options of kspan anonymize."""

    data: Annotated[Source, typer.Argument(parser=Source.of, help=f"The table: {KINDS}; - for stdin.")]
    policy: PolicyFile
    output: Annotated[
        Source,
        typer.Option(
            "--output", "-o", parser=Source.of, help="Where to write the released table: a file, or a database."
        ),
    ]
    options: dict[str, Any]
    method: Annotated[str, typer.Option("--method", "-m")] = "auto"
    again: Again = None
    counting: Annotated[
        str | None,
        typer.Option(help="Promise k 'rows' that everybody matches, or k 'people' who share all that they match."),
    ] = None
    suppressed_text: SuppressedText = None
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Do not shuffle rows; the claim says so, for it may tell who is who.")
    ] = False
    exact_ends: Annotated[
        bool,
        typer.Option("--exact-ends", help="Let ranges end at the numbers of the people in them; the claim says so."),
    ] = False
    keep: Annotated[
        str | None,
        typer.Option(help="Columns to keep above all, with commas; age=10 counts ten times, age alone five times."),
    ] = None
    form: Annotated[
        str,
        typer.Option(help="Where people have several rows: 'long', or 'wide' with one row a person, all side by side."),
    ] = "long"
    at_most: Annotated[
        int | None, typer.Option(min=1, help="How many rows of a person a wide table keeps; the others are withheld.")
    ] = None
    order: Order = None
    keep_formulas: KeepFormulas = False
    explain: Annotated[
        Path | None, typer.Option(help="Also write what each public value became, as CSV: for the owner only.")
    ] = None
    recoding: Annotated[
        Path | None,
        typer.Option(help="Also write the recoding, for kspan apply to show later rows alike: for the owner only."),
    ] = None
    marginals: Annotated[
        Path | None,
        typer.Option(help="Also write how public columns are distributed, each figure about a crowd: may go out, too."),
    ] = None
    ledger: LedgerFile = None
    to: Recipient = None
    left: Left = None
    match: MatchPeople = None
    report: ReportFile = None
    curve: Curve = False
    sql: Sql = None
    delimiter: Delimiter = None
    encoding: Encoding = None
    columns: Columns = None
    json: Json = False


class AnonymizeCommand(MethodCommand):
    """The command kspan anonymize, with the options of all its methods."""

    def methods(self) -> Methods:
        """Return the methods with the options of each."""
        return _methods()

    def about_methods(self) -> str:
        """Return the help text of -m."""
        return f"{', '.join(name for name in _methods() if name != 'auto')}; auto takes the one that keeps most."


def _methods() -> Methods:
    from kspan.tables.methods import methods, options_of

    return {"auto": {}, **{name: options_of(name) for name in methods()}}


def anonymize(asked: AnonymizeRequest) -> int:
    """Make the public cells of DATA coarser until the policy holds, and write the table if it does."""
    from kspan.frames.files import read_table, write_table
    from kspan.policy import Policy
    from kspan.tables.making import anonymize as make
    from kspan.tables.release import beside, secret_in

    _check_options(asked)
    policy = Policy.load(asked.policy)
    changes: dict[str, Any] = {
        "counting": asked.counting,
        "suppressed_text": asked.suppressed_text,
        "order": asked.order,
        "grid": "exact" if asked.exact_ends else None,
        "keep": None if asked.keep is None else {**policy.keep, **_kept(asked.keep)},
    }
    policy = replace(policy, **{name: value for name, value in changes.items() if value is not None})
    _check_places(asked)
    secret = None if asked.again is None else secret_in(asked.again)
    data, output, report = asked.data.asking(asked.sql), asked.output, asked.report
    # All files of a command are written at the end of `together`, all or none.
    with (
        beside_ledger(policy, asked.ledger, asked.to, asked.match, asked.left) as ledger,
        together(),
        progress() as step,
    ):
        step(f"reading {data.name}")
        people = read_table(data, dialect(asked.delimiter, asked.encoding, asked.columns))
        how: dict[str, Any] = {"secret": secret, "keep_order": asked.keep_order, "progress": step}
        how |= {"form": asked.form, "at_most": asked.at_most}
        release = make(people, policy, asked.method, **how, **asked.options)
        step("writing it")
        where = {"source": None if str(data) == "-" else data, "marginals": asked.marginals}
        release.save(output, **where, keep_formulas=asked.keep_formulas)
        if asked.explain is not None:
            write_table(release.mapping(), asked.explain, owner_only=True)
        if asked.recoding is not None:
            release.save_recoding(asked.recoding)
        if report is not None:
            from kspan.report.making import table_summary

            save_report(table_summary(release, path=output, curve=asked.curve, progress=step), report)
    *going, staying = beside(output)
    going += [] if asked.marginals is None else [asked.marginals]
    notice(
        f"Wrote {' and '.join(map(str, (output, *going)))}, which may go out, and {staying}, which stays with you.",
        rows=release.audit.rows,
        withheld=release.withheld,
    )
    tell_entered(ledger, release.stands)
    tell_report(report)
    return tell_release(release, asked.output, json=asked.json)


def _kept(text: str) -> dict[str, float]:
    """Read which columns are to be kept above all, and how much they count.

    >>> _kept("age, capital-gain=10")
    {'age': 5.0, 'capital-gain': 10.0}
    """
    found = {}
    for one in text.split(","):
        name, equals, weight = one.strip().rpartition("=")
        try:
            found[name if equals else weight] = float(weight) if equals else KEPT
        except ValueError:
            raise PolicyError(f"--keep {one.strip()!r:.40} must end in a number: write it as age=10") from None
    return found


def _check_options(asked: AnonymizeRequest) -> None:
    """Refuse what a method does not take, before the data is read."""
    methods = _methods()
    if asked.method == "auto" and asked.options:
        flag = flag_of(*next(iter(asked.options.items())), methods)
        raise PolicyError(f"-m auto takes no options such as {flag}: name their method with -m")
    check_given(asked.method, asked.options, methods, kinds={})


def _check_places(asked: AnonymizeRequest) -> None:
    """Refuse files that cannot be written, or must not be, before long work begins."""
    from kspan.frames.databases.door import check_target, is_target
    from kspan.frames.files import check_writable
    from kspan.frames.places import check_place
    from kspan.tables.release import beside

    if is_target(asked.output):
        check_target(asked.output, asked.data.asking(asked.sql))
    else:
        check_writable(asked.output)
    if asked.explain is not None:
        check_writable(asked.explain)
    for path in (*beside(asked.output), *(path for path in (asked.recoding, asked.marginals) if path is not None)):
        check_place(path)
    check_report_file(asked.report, asked.curve)
    written = {
        "-o": asked.output,
        "--explain": asked.explain,
        "--recoding": asked.recoding,
        "--marginals": asked.marginals,
        "--report": asked.report,
    }
    check_apart(written, asked.data, asked.policy, asked.left, asked.ledger, *beside(asked.output))
