"""kspan apply: new rows, shown as an earlier release shows such people, as a release of their own."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from kspan.cli.beside_ledger import LedgerFile, MatchPeople, Recipient, beside_ledger, tell_entered
from kspan.cli.log import notice
from kspan.cli.options import (
    KINDS,
    Again,
    Columns,
    Delimiter,
    Encoding,
    Json,
    KeepFormulas,
    Sql,
    check_apart,
    dialect,
)
from kspan.cli.output import progress
from kspan.cli.released import tell_release
from kspan.frames.commit import together
from kspan.frames.source import Source


@dataclass(frozen=True)
class ApplyRequest:
    """The arguments and options of kspan apply."""

    recoding: Annotated[Path, typer.Argument(help="What kspan anonymize --recoding wrote.")]
    data: Annotated[Source, typer.Argument(parser=Source.of, help=f"The new rows: {KINDS}; - for stdin.")]
    output: Annotated[
        Source,
        typer.Option("--output", "-o", parser=Source.of, help="Where to write the new rows: a file, or a database."),
    ]
    beside: Annotated[
        list[Source] | None,
        typer.Option(
            "--with",
            parser=Source.of,
            help="A table that was released before, judged as one table with the new rows; repeatable.",
        ),
    ] = None
    withhold: Annotated[
        bool, typer.Option("--withhold", help="Leave out rows that break the requirement, instead of refusing all.")
    ] = False
    policy: Annotated[
        Path | None,
        typer.Option("--policy", "-p", help="The policy as it is now: refused if it is not that of the recoding."),
    ] = None
    again: Again = None
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Do not shuffle rows; the claim says so, for it may tell who is who.")
    ] = False
    keep_formulas: KeepFormulas = False
    ledger: LedgerFile = None
    to: Recipient = None
    match: MatchPeople = None
    sql: Sql = None
    delimiter: Delimiter = None
    encoding: Encoding = None
    columns: Columns = None
    json: Json = False


def apply(asked: ApplyRequest) -> int:
    """Show the rows of DATA as the release of RECODING shows such people, and write them if the policy holds."""
    from kspan.frames.files import read_table
    from kspan.policy import Policy
    from kspan.tables.recoding import load_recoding
    from kspan.tables.release import beside, secret_in

    _check_places(asked)
    secret = None if asked.again is None else secret_in(asked.again)
    data, output = asked.data.asking(asked.sql), asked.output
    recoding = load_recoding(asked.recoding)
    named = Policy.load(asked.policy) if asked.policy is not None else recoding.policy
    with beside_ledger(named, asked.ledger, asked.to, asked.match) as ledger, together(), progress() as step:
        if asked.policy is not None:
            recoding.check_policy(asked.policy)
        step(f"reading {data.name}")
        people = read_table(data, dialect(asked.delimiter, asked.encoding, asked.columns))
        earlier = [read_table(each) for each in asked.beside or ()]
        release = recoding.apply(
            people,
            beside=earlier,
            withhold=asked.withhold,
            secret=secret,
            keep_order=asked.keep_order,
            progress=step,
        )
        step("writing it")
        release.save(output, source=None if str(data) == "-" else data, keep_formulas=asked.keep_formulas)
    *going, staying = beside(output)
    notice(
        f"Wrote {' and '.join(map(str, (output, *going)))}, which may go out, and {staying}, which stays with you; "
        f"{release.withheld} of {people.height} rows are withheld.",
        rows=release.audit.rows,
        withheld=release.withheld,
    )
    tell_entered(ledger)
    return tell_release(release, asked.output, json=asked.json)


def _check_places(asked: ApplyRequest) -> None:
    """Refuse places that cannot be written, or must not be, before long work begins."""
    from kspan.frames.databases.door import check_target, is_target
    from kspan.frames.files import check_writable
    from kspan.frames.places import check_place
    from kspan.tables.release import beside

    if is_target(asked.output):
        check_target(asked.output, asked.data.asking(asked.sql), *(asked.beside or ()))
    else:
        check_writable(asked.output)
    for path in beside(asked.output):
        check_place(path)
    read = (asked.recoding, asked.data, asked.policy, *(asked.beside or ()))
    check_apart({"-o": asked.output}, *read, *beside(asked.output))
