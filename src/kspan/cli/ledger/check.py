"""kspan ledger check: does what everybody has hold together, and would it with one more release?"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kspan.cli.beside_ledger import MatchPeople, Recipient
from kspan.cli.log import event
from kspan.cli.options import Columns, Delimiter, Encoding, Json, JudgeBy, dialect
from kspan.cli.output import progress, tell, tell_json
from kspan.errors import PolicyError
from kspan.frames.source import Source

if TYPE_CHECKING:
    from kspan.audit.findings import Audit
    from kspan.ledger.checking import Holding


@dataclass(frozen=True)
class CheckRequest:
    """The arguments and options of kspan ledger check."""

    ledger: Annotated[Path, typer.Argument(metavar="LEDGER", help="The ledger.")]
    release: Annotated[
        Source | None,
        typer.Argument(parser=Source.of, help="A release that has not left yet: would it hold together with the rest?"),
    ] = None
    policy: Annotated[Path | None, typer.Option("--policy", "-p", help="With RELEASE: its policy.")] = None
    data: Annotated[
        Source | None, typer.Option(parser=Source.of, help="With RELEASE: the people that it was made from.")
    ] = None
    to: Recipient = None
    match: MatchPeople = None
    require: JudgeBy = None
    delimiter: Delimiter = None
    encoding: Encoding = None
    columns: Columns = None
    json: Json = False


def check(asked: CheckRequest) -> int:
    """Judge all that each recipient has together; or a RELEASE together with what it would join."""
    return _check_all(asked) if asked.release is None else _check_one(asked, asked.release)


def _check_all(asked: CheckRequest) -> int:
    from kspan.ledger.checking import holdings
    from kspan.ledger.ledger import Ledger

    for option, given in (("--policy", asked.policy), ("--data", asked.data), ("--to", asked.to)):
        if given is not None:
            raise PolicyError(f"{option} is about a release that has not left yet: name it after the ledger")
    with progress() as step:
        step("judging what everybody has")
        found = holdings(Ledger(asked.ledger), asked.require, brief=True)
    holds = all(one.audit.holds for one in found)
    event("checked", holds=holds, recipients=len(found))
    if asked.json:
        tell_json({"holds": holds, "holdings": [_facts(one) for one in found]})
    else:
        tell("".join(f"{_sentence(one)}\n" for one in found) or f"Nothing was entered in {asked.ledger} yet.\n")
    return 0 if holds else 1


def _check_one(asked: CheckRequest, release: Source) -> int:
    from kspan.audit import audit
    from kspan.frames.files import read_table
    from kspan.ledger.ledger import Ledger
    from kspan.model.kind import is_model
    from kspan.model.kinds import opened
    from kspan.policy import Policy
    from kspan.tables.release import released_rows

    if asked.policy is None or asked.data is None:
        raise PolicyError("a release is judged by its people and its policy: give both (--data, --policy)")
    policy, how = Policy.load(asked.policy), dialect(asked.delimiter, asked.encoding, asked.columns)
    with progress() as step:
        step(f"reading {release.name}")
        people = read_table(asked.data, how)
        if is_model(release):
            found = audit(opened(release), people, policy, require=asked.require)
        else:
            table = read_table(release, how)
            people = released_rows(people, release, table.height, policy, always=True)
            found = audit(table, people, policy, require=asked.require)
        step("judging it together with what has left")
        against = Ledger(asked.ledger, to=asked.to, match=asked.match).judged(release.name, found, people, policy)
    holds = found.holds and all(one.holds for _, one in against)
    if asked.json:
        tell_json({"holds": holds, "alone": found.as_dict(), "together": [one.as_dict() for _, one in against]})
        return 0 if holds else 1
    tell(f"{'✔' if found.holds else '✘'} {release.name} {_verdict(found)} by itself.\n")
    for holder, one in against:
        tell(f"{'✔' if one.holds else '✘'} Together with all that {holder} has, it {_verdict(one)}.\n")
    return 0 if holds else 1


def _verdict(found: "Audit") -> str:
    if found.holds:
        return f"keeps {found.requirement}"
    return f"breaks {found.requirement} for {found.failing_people:,} of {found.people:,} people"


def _sentence(one: "Holding") -> str:
    """Say what a recipient has, and whether it holds together."""
    from kspan.report.formatting import visible

    who = "Everybody" if one.recipient is None else visible(one.recipient)
    releases = "1 release" if len(one.entries) == 1 else f"{len(one.entries):,} releases"
    told = f"{who} has {releases} about {one.audit.people:,} people"
    required = _required(one)
    verdict = (
        f"{required} holds, the smallest crowd has {one.audit.k.people:,}"
        if one.audit.holds
        else f"{required} does not hold for {one.audit.failing_people:,} of them"
    )
    return f"{'✔' if one.audit.holds else '✘'} {told}: {verdict}."


def _required(one: "Holding") -> str:
    """Name what was required: of releases that promised different things, each to its people, all of these."""
    promises = dict.fromkeys(entry.requirement for entry in one.entries)
    differ = len(promises) > 1 and one.asked is None
    return f"what each promised to its people ({'; '.join(promises)})" if differ else one.audit.requirement


def _facts(one: "Holding") -> dict[str, Any]:
    return {
        "recipient": one.recipient,
        "releases": [entry.number for entry in one.entries],
        "holds": one.audit.holds,
        "requirement": one.audit.requirement,
        "people": one.audit.people,
        "k": one.audit.k.people,
        "failing_people": one.audit.failing_people,
        "exposed": dict(one.audit.exposed),
    }
