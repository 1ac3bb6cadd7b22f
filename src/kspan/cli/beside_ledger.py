"""The options of commands that release something: the ledger that it is entered in, and whom it goes to."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kspan.cli.log import notice
from kspan.errors import PolicyError
from kspan.frames.source import Source

if TYPE_CHECKING:
    from kspan.ledger.ledger import Ledger
    from kspan.ledger.standing import Standing
    from kspan.policy import Policy

LedgerFile = Annotated[
    Path | None,
    typer.Option(
        "--ledger", help="The ledger to enter the release in, and all that has left before; a policy may name it."
    ),
]
Recipient = Annotated[
    str | None, typer.Option("--to", metavar="NAME", help="With a ledger: who gets the release, if not everybody.")
]
Left = Annotated[
    Source | None,
    typer.Option(
        parser=Source.of,
        help="With a ledger: rows of people who are not in DATA any more, such as last month's table. They stay in the "
        "release until enough have left to be a crowd.",
    ),
]
MatchPeople = Annotated[
    str | None,
    typer.Option(
        "--match",
        metavar="COLUMN",
        help="With a ledger: the column that says who people are, if not the policy's person or only identifier.",
    ),
]


@contextmanager
def beside_ledger(
    policy: "Policy | None", file: Path | None, to: str | None, match: str | None, left: Source | None = None
) -> "Iterator[Ledger | None]":
    """Use the ledger that the options or the policy name, if any, for all that is written inside."""
    from kspan.frames.files import read_table
    from kspan.ledger.ledger import Ledger

    named = None if policy is None or policy.ledger is None else Path(policy.ledger)
    path = file or named
    if file is not None and named is not None and file.resolve() != named.resolve():
        raise PolicyError(f"--ledger {file} is not the ledger that the policy names ({named}): leave it out")
    if path is None:
        for option, given in (("--to", to), ("--left", left), ("--match", match)):
            if given is not None:
                raise PolicyError(f"{option} is about what a ledger knows: name it with --ledger, or in the policy")
        yield None
        return
    gone = None if left is None else read_table(left)
    with Ledger(path, to=to, match=match, left=gone) as ledger:
        yield ledger


def tell_entered(ledger: "Ledger | None", stands: "Standing | None" = None) -> None:
    """Say that a release was entered, and who is not shown, or still shown, beside what has left before."""
    if ledger is None:
        return
    if stands is not None and stands.withheld:
        are = "1 person is" if stands.withheld == 1 else f"{stands.withheld:,} people are"
        notice(f"{are} not shown: earlier releases would give them away.")
    if stands is not None and stands.stayed:
        are = "1 person who left is" if stands.stayed == 1 else f"{stands.stayed:,} people who left are"
        notice(f"{are} still shown, since too few have left to be a crowd.")
    if ledger.known_people == 0:
        notice(
            "None of these people was in an earlier release. If that is not so, their names are spelled differently."
        )
    to = "everybody" if ledger.to is None else ledger.to
    notice(f"Entered in {ledger.path}, as released to {to}.")
