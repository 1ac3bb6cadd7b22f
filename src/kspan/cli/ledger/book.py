"""kspan ledger init, list, show and forget: the book itself."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kspan.cli.log import notice
from kspan.cli.options import Json
from kspan.cli.output import page, tell, tell_json
from kspan.errors import LedgerError, PolicyError

if TYPE_CHECKING:
    from kspan.ledger.entry import Entry

LedgerPath = Annotated[Path, typer.Argument(metavar="LEDGER", help="The ledger.")]
Number = Annotated[int, typer.Argument(min=1, help="The number of a release, as kspan ledger list tells it.")]


def init(path: Annotated[Path, typer.Argument(metavar="LEDGER", help="The file to make: releases.ledger.")]) -> int:
    """Make a ledger, and beside it the key without which nobody can find a person in it: keep both, and apart."""
    from kspan.ledger.ledger import Ledger

    Ledger.create(path)
    notice(
        f"Made {path} and {path}.key, for your eyes only. Enter what you release with --ledger {path}, or name it in "
        "the policy; without the key, no person in it is found again."
    )
    return 0


def list_(path: LedgerPath, json: Json = False) -> int:
    """List what has left: when, what, to whom, and what it promised."""
    from rich.table import Table

    from kspan.ledger.ledger import Ledger
    from kspan.report.formatting import visible

    entries = Ledger(path).entries()
    if json:
        tell_json({"ledger": str(path), "releases": [_facts(entry) for entry in entries]})
        return 0
    if not entries:
        tell(f"Nothing was entered in {path} yet.\n")
        return 0
    table = Table(box=None, pad_edge=False)
    for name in ("number", "when", "what", "release", "to", "people", "promises"):
        table.add_column(name, justify="right" if name in ("number", "people") else "left", overflow="fold")
    for entry in entries:
        cells = (entry.at[:10], entry.kind, visible(entry.name), visible(entry.recipient or "everybody"))
        promise = "forgotten" if entry.forgotten else visible(entry.requirement)
        table.add_row(str(entry.number), *cells, f"{entry.people:,}", promise)
    with page() as console:
        console.print(table)
    return 0


def show(path: LedgerPath, number: Number, json: Json = False) -> int:
    """Tell all that is known of one release, but nothing of any person."""
    from kspan.ledger.ledger import Ledger, policy_of
    from kspan.report.formatting import visible

    entry = _entry(Ledger(path).entries(), number, path)
    if json:
        tell_json(_facts(entry))
        return 0
    told = {**_facts(entry), "recipient": entry.recipient or "everybody"}
    del told["policy"]
    policy = policy_of(entry).to_toml()
    for name, value in told.items():
        if value not in (None, False, ""):
            tell(f"{name:<12} {visible(str(value))}\n")
    tell(f"policy\n{''.join(f'  {visible(line)}{chr(10)}' for line in str(policy).splitlines())}")
    return 0


def forget(
    path: LedgerPath,
    number: Annotated[int | None, typer.Argument(min=1, help="The number of a release that never left.")] = None,
    person: Annotated[
        str | None, typer.Option(metavar="ID", help="Forget who this person is; crowds stay as large as they were.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it: what is forgotten cannot be brought back.")] = False,
) -> int:
    """Forget a release that never left, or who a person is; other releases are then judged as if it had not been."""
    from kspan.ledger.ledger import Ledger

    if (number is None) == (person is None):
        raise PolicyError("say what to forget: the number of a release, or a person with --person ID")
    if not yes:
        raise PolicyError(
            "what is forgotten cannot be brought back, and a release that did leave must not be forgotten: add --yes "
            "if you are sure"
        )
    with Ledger(path).opened() as store:
        if number is not None:
            entry = _entry(store.entries(), number, path)
            store.forget_release(number)
            notice(f"Release {number} ({entry.name}) is forgotten: nothing is judged together with it any more.")
        elif person is not None and store.forget_person(person):
            notice("The person is forgotten, and will not be shown again; their crowds stay as they were.")
        else:
            notice("The ledger has never seen this person.")
    return 0


def _entry(entries: "list[Entry]", number: int, path: Path) -> "Entry":
    for entry in entries:
        if entry.number == number:
            return entry
    raise LedgerError(f"the ledger {path} has no release {number}: see kspan ledger list {path}")


def _facts(entry: "Entry") -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(entry)
