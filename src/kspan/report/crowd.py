"""How a page may show a group or span: by its cells if it satisfies the requirement, otherwise by its size alone."""

from collections.abc import Iterable
from dataclasses import dataclass

from kspan.audit.findings import Finding
from kspan.data.cells import SUPPRESSED
from kspan.report.formatting import visible


@dataclass(frozen=True)
class Fact:
    """A fact with its name."""

    name: str
    text: str


@dataclass(frozen=True)
class Crowd:
    """People who are not told apart."""

    people: int
    holds: bool
    safe: bool
    """Does it tell nothing about its people that was not already known?"""
    bins: tuple[int, ...] = ()
    """The leaves or clusters that a span reaches, counted from 1; empty if the span is held back."""
    shown: tuple[Fact, ...] | None = None
    """What it shows; None if it is held back."""


def in_words(shown: Iterable[Fact]) -> str:
    """Describe a crowd in one line: first what it shows, then which attributes it does not show.

    >>> in_words([Fact("age", "[20, 29]"), Fact("zip", "*"), Fact("sex", "*")])
    'age [20, 29]; nothing of zip, sex'
    """
    lines = list(shown)
    told = ", ".join(f"{visible(line.name)} {visible(line.text)}" for line in lines if line.text != SUPPRESSED)
    hidden = ", ".join(visible(line.name) for line in lines if line.text == SUPPRESSED)
    return "; ".join(filter(None, [told, f"nothing of {hidden}" if hidden else ""]))


def crowds(findings: Iterable[Finding]) -> tuple[Crowd, ...]:
    """Return crowds as a page that may leave the house shows them: those that break a requirement are held back.

    >>> crowds([Finding({"sex": "F"}, 2, 2, ("k=3",)), Finding({"sex": "M"}, 3, 3)])[0].shown is None
    True
    """
    return tuple(
        # Not even the bins are kept: they would say where these few people are.
        Crowd(finding.people, holds=False, safe=finding.safe)
        if finding.breaks
        else Crowd(
            finding.people,
            holds=True,
            safe=finding.safe,
            bins=finding.bins,
            shown=tuple(Fact(name, text) for name, text in finding.shown.items()),
        )
        for finding in findings
    )
