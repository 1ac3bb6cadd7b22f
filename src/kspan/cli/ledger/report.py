"""kspan ledger report: one page on what has left, and what all of it tells together."""

from pathlib import Path
from typing import Annotated

import typer

from kspan.cli.ledger.book import LedgerPath
from kspan.cli.log import notice
from kspan.cli.options import Json, JudgeBy
from kspan.cli.output import page, progress, tell_json


def report(
    path: LedgerPath,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write it: .html, .md or .json; LEDGER.report.html if not said."),
    ] = None,
    require: JudgeBy = None,
    json: Json = False,
) -> int:
    """Write one page: what has left about how many people, and what somebody who has all of it can tell."""
    from kspan.ledger.checking import holdings
    from kspan.ledger.ledger import Ledger
    from kspan.report.ledger import ledger_report
    from kspan.report.page import check_report
    from kspan.report.text import print_story

    written = output or Path(f"{path}.report.html")
    check_report(written)
    with progress() as step:
        step("judging what everybody has")
        made = ledger_report(path.name, holdings(Ledger(path), require))
        step(f"writing {written.name}")
        made.save(written, owner_only=True)
    notice(f"Wrote {written}: for you alone, since it tells what you know of all releases.")
    if json:
        tell_json({"output": str(written), **made.as_dict()})
    else:
        with page() as console:
            print_story(made.story, console)
    return 0 if made.story.holds else 1
