"""What was promised, whether it holds, what it cost and what it does not cover, for somebody who knows no theory."""

from collections.abc import Iterator, Sequence
from typing import Any

from kspan.audit.findings import Audit, Finding
from kspan.model.tree import Tree
from kspan.policy import Policy
from kspan.privacy import KAnonymity, Requirement
from kspan.report.crowd import Line, in_words
from kspan.report.words import conjoined, visible

MOST_NAMED = 12
"""Attributes that a sentence names one by one."""
MOST_GUESSED = 4
"""Private attributes whose guess the attack tells."""


def headline(audit: Audit, public: Sequence[str] | None) -> str:
    """The verdict in one sentence."""
    knower = f"someone who knows {known(audit, public)}"
    if audit.holds:
        others = _crowd(audit) - 1
        if others < 1 or audit.safe_people == audit.people:
            return f"All that was required holds for each of the {audit.people:,} people, against {knower}."
        return (
            f"Every person in this release is indistinguishable from at least {others:,} "
            f"other{'s' if others > 1 else ''} to {knower}."
        )
    reasons = []
    if audit.failing_people:
        reasons.append(
            f"{_people(audit.failing_people)} of {audit.people:,} {_do(audit.failing_people)} not have the crowd that "
            f"was promised, to {knower}"
        )
    if audit.identifiers:
        names = conjoined([visible(name) for name in audit.identifiers])
        reasons.append(f"the table still shows what identifies people by itself ({names})")
    if audit.untrue:
        reasons.append(f"{len(audit.untrue):,} rules tell figures that are not those of these people")
    said = "; and ".join(reasons) or "what was required does not hold"
    return f"Do not release this: {said}."


def known(audit: Audit, public: Sequence[str] | None) -> str:
    """What the attacker knows of everybody."""
    if audit.counting == "paths":
        return "every attribute that the tree asks"
    if public is None or (audit.kind == "rules" and len(public) > MOST_NAMED):
        return "all public items" if audit.kind == "rules" else "all public attributes"
    if not public:
        return "nothing of them"
    if len(public) > MOST_NAMED:
        first = ", ".join(visible(name) for name in public[: MOST_NAMED - 1])
        return f"{first} and {len(public) - MOST_NAMED + 1:,} more attributes"
    return conjoined([visible(name) for name in public])


def promise(part: Requirement, private: Sequence[str]) -> str:
    """What one part of a requirement means for people."""
    names = [visible(name) for name in part.looks_at(private)]
    named = conjoined(names) if 0 < len(names) <= MOST_NAMED else "any private attribute"
    return part.promise(f"each of {named}" if 1 < len(names) <= MOST_NAMED else named)


def proof(audit: Audit) -> Iterator[str]:
    """Why a release holds, or why it does not."""
    smallest, unit = _crowd(audit), audit.units[:-1]
    counted = "rows" if audit.counting == "rows" and audit.k.rows != audit.k.people else "people"
    if audit.holds:
        yield f"Yes: the smallest {unit} that tells anything has {_counted(smallest, counted)}."
    elif audit.failing_groups:
        yield (
            f"No: {audit.failing_groups:,} of {audit.groups:,} {audit.units} break what was promised; the smallest has "
            f"{_counted(smallest, counted)}."
        )
    else:
        yield "No."
    alone = audit.risk.prosecutor.unique
    if alone:
        yield f"{_people(alone)} ({alone / audit.people:.1%}) {_are(alone)} the only one of their kind."
    told = {name: count for name, count in audit.exposed.items() if count}
    if told:
        most = sorted(told, key=lambda name: -told[name])[:MOST_NAMED]
        counts = [f"{visible(name)} of {_people(told[name])} ({told[name] / audit.people:.1%})" for name in most]
        yield f"The attacker would learn {conjoined(counts)} for sure, since all in their {unit} have the same."
    if audit.exposed and not told:
        names = conjoined([visible(name) for name in audit.exposed]) if len(audit.exposed) < 4 else "anything private"
        yield f"Of nobody the attacker would learn {names} for sure."
    if audit.safe_people:
        yield f"{_people(audit.safe_people)} cannot be told anything new about at all."
    yield from (visible(sentence) for sentence in audit.assumptions)


def attack(audit: Audit, public: Sequence[str] | None, smallest: Finding | None) -> Iterator[str]:
    """The linking attack on the smallest crowd, step by step; it is named only if it satisfies the requirement."""
    if smallest is None:
        return
    yield f"Someone knows {known(audit, public)} of a person, and that the person is in the data."
    people = _people(smallest.people)
    where = {"tree": "leaves", "clusters": "clusters"}.get(audit.kind)
    if smallest.breaks:
        yield f"In the worst case all that fits is one {audit.units[:-1]} with {people}; it is not named here."
    elif where and smallest.bins and audit.counting == "people":
        reached = f"{where} {conjoined([str(one) for one in smallest.bins[:12]])}"
        reached += f" and {len(smallest.bins) - 12} more" if len(smallest.bins) > 12 else ""
        reached = (
            reached.replace("leaves", "leaf").replace("clusters", "cluster") if len(smallest.bins) == 1 else reached
        )
        yield f"In the worst case these lead to {reached}, as they do for {people}."
    elif audit.kind == "rules":
        basket = visible(smallest.shown.get("basket", "anything"))
        yield f"In the worst case {people} look the same ({basket}), and the same rules speak of all of them."
    else:
        shown = in_words(Line(name, cell) for name, cell in smallest.shown.items())
        yield f"In the worst case they find {people} who all show the same ({shown})."
    if smallest.safe:
        yield "All of them can be in one place only, so that nothing is learnt that was not known."
        return
    chance = f"{smallest.crowd:,} times ({1 / smallest.crowd:.2g})" if smallest.crowd > 1 else "every time"
    yield (
        f"Who of them it is nothing tells: a guess is right once in {chance}."
        if smallest.crowd > 1
        else ("There is nobody else: the person is found.")
    )
    guesses = {
        name: sure for name, reached in audit.reached.items() if isinstance(sure := reached.get("confidence"), float)
    }
    if guesses:
        worst = sorted(guesses, key=lambda name: -guesses[name])[:MOST_GUESSED]
        told = conjoined([f"{visible(name)} for {guesses[name]:.0%}" for name in worst])
        yield f"And what is private? In the worst {audit.units[:-1]} a good guess is right about {told} of its people."


def table_costs(audit: Audit, withheld: int, suppressed: float) -> tuple[str, ...]:
    """What a table does not show any more."""
    rows = audit.rows + withheld
    out = f"{withheld:,} of {rows:,} rows ({withheld / rows:.2%}) are withheld" if withheld else "No row is withheld"
    stars = f"{suppressed:.0%} of the public cells show nothing" if suppressed else "no public cell is suppressed"
    told = [f"{out}; {stars}."]
    if audit.utility.ncp is not None:
        told.append(f"Public cells tell {1 - audit.utility.ncp:.0%} of what exact values would.")
    return tuple(told)


def model_costs(model: Any) -> tuple[str, ...]:
    """How often a tree is right about its own people, as far as it tells."""
    if not isinstance(model, Tree) or model.disclosure not in ("counts", "hit-miss") or not model.root.people:
        return ()

    def hits(outcome: Any) -> float:
        return float(max(outcome.counts) if model.disclosure == "counts" else outcome.hit)

    everybody = float(model.root.people)
    right = sum(hits(leaf.outcome) for leaf in model.leaves) / everybody
    return (
        f"The tree is right for {right:.1%} of the people that it was made from; always guessing the commonest "
        f"{visible(model.target)} would be right for {hits(model.root.outcome) / everybody:.1%}.",
    )


def caveats(audit: Audit, policy: Policy | None, require: Requirement | None) -> Iterator[str]:
    """What a promise does not cover."""
    private = () if policy is None else policy.private
    hidden = f" ({conjoined([visible(name) for name in private])})" if 0 < len(private) <= MOST_NAMED else ""
    if audit.counting == "paths":
        yield "It was judged by what the tree publishes, not by its people: with their table it can be judged exactly."
    else:
        yield f"Someone who knows more of a person than what is public: the rest{hidden} is taken to be unknown."
    if audit.releases > 1:
        yield f"Other releases about the same people than the {audit.releases:,} that were judged together."
    else:
        yield "Other releases about the same people: what this one and another tell together was not judged."
    only_k = require is not None and all(isinstance(part, KAnonymity) for part in require.parts)
    if only_k and any(audit.exposed.values()):
        yield (
            "What a whole crowd has in common: its members are not told apart, but what all of them share is learnt of "
            "each. A requirement such as distinct_l = 2 forbids that."
        )
    if audit.kind == "table" and audit.counting == "rows":
        yield (
            "It counts rows: everybody matches so many rows of the table. Where rows overlap, fewer people may match "
            'just the same ones (counting = "people" promises that, too).'
        )
    yield "It is not differential privacy: it counts who shares what is shown, not what one person's presence changes."


def _crowd(audit: Audit) -> int:
    return audit.k.rows if audit.counting == "rows" else audit.k.people


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"


def _counted(number: int, what: str) -> str:
    return _people(number) if what == "people" else f"{number:,} {'row' if number == 1 else 'rows'}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _do(number: int) -> str:
    return "does" if number == 1 else "do"
