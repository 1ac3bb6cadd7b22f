"""All facts of a report as values: no dataframe, no cell of a person. Pages, Markdown and terminal show this alone."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from kspan.audit.risk import Sizes
from kspan.evaluate.cost import CostCurve
from kspan.evaluate.held_out import HeldOut
from kspan.report.crowd import Crowd, Fact
from kspan.report.pictures.clusters import ClustersPicture
from kspan.report.pictures.itemsets import ItemsetsPicture
from kspan.report.pictures.rules import RulesPicture
from kspan.report.pictures.tree import TreePicture

FORMAT, VERSION = "kspan/report", 1

Picture = TreePicture | ClustersPicture | RulesPicture | ItemsetsPicture


@dataclass(frozen=True)
class Promise:
    """One part of what is required, and what it means for people."""

    requirement: str
    words: str


@dataclass(frozen=True)
class RiskSummary:
    """How likely it is that people are found."""

    highest: float
    """The risk of whoever has the smallest crowd, if the attacker knows that they are in the release (prosecutor)."""
    median: float
    alone: int
    """People who have no crowd at all."""
    marketer: float
    """The share of all people whom linking everybody would get right."""
    journalist: float | None
    """The highest risk if the attacker does not know who is in the release; None without a population."""


@dataclass(frozen=True)
class State:
    """The crowds of people in a table or model, before or as it is released."""

    people: int
    crowds: int
    smallest: int
    """People or rows of the smallest crowd that tells anything."""
    sizes: tuple[Sizes, ...]
    risk: RiskSummary


@dataclass(frozen=True)
class Bar:
    """Some values of a column, with the share of people who have them before and, as far as cells tell, after."""

    name: str
    before: float
    after: float


@dataclass(frozen=True)
class Part:
    """One way in which cells of a column are shown, and the share of people with such cells."""

    name: str
    share: float


@dataclass(frozen=True)
class ColumnChange:
    """What happened to a public column."""

    name: str
    distinct_before: int | None
    distinct_after: int
    parts: tuple[Part, ...]
    """How its cells are shown: as they were, coarser, not at all."""
    bars: tuple[Bar, ...]
    """Empty without the table as it was."""


@dataclass(frozen=True)
class Exposure:
    """What can be learned of a private attribute."""

    name: str
    exposed: int
    """People whose value can be told with certainty."""
    share: float
    confidence: float | None
    """How sure the best guess is in the worst crowd."""
    measures: tuple[Fact, ...]


@dataclass(frozen=True)
class Summary:
    """The facts about one release."""

    title: str
    kind: str
    holds: bool | None
    """None if there is nothing to judge, because it is made of releases that were judged."""
    headline: str
    """The verdict in words."""
    warning: str | None = field(default=None, kw_only=True)
    """Something that was not promised and may surprise, if there is anything."""
    k: int = field(default=1, kw_only=True)
    """How many people every crowd must have."""
    promises: tuple[Promise, ...]
    proof: tuple[str, ...]
    """Why it holds, or does not, in a few sentences."""
    costs: tuple[str, ...]
    """What it cost, in a few sentences."""
    attack: tuple[str, ...]
    """The linking attack, step by step."""
    caveats: tuple[str, ...]
    """What the promise does not cover."""
    facts: tuple[Fact, ...]
    """The claim, the policy, how it was made, the checksum."""
    after: State | None
    before: State | None = None
    smallest: tuple[Crowd, ...] = ()
    columns: tuple[ColumnChange, ...] = ()
    unchanged: tuple[str, ...] = ()
    """Private columns that are released as they were."""
    exposures: tuple[Exposure, ...] = ()
    utility: tuple[Fact, ...] = ()
    picture: Picture | None = None
    curve: CostCurve | None = None
    held_out: HeldOut | None = None
    """How well a model predicts people whom it was not learned from."""
    proved: bool = True
    """False if it may hold or not: not everything could be looked at."""

    @property
    def file(self) -> str | None:
        """The name of the file that is released, with the beginning of its checksum."""
        known = {line.name: line.text for line in self.facts}
        return f"{known['file']} ({known['SHA-256'][:12]}…)" if "SHA-256" in known else None

    @property
    def units(self) -> str:
        """What crowds are called: groups of a table, or spans of a model."""
        return "groups" if self.kind == "table" else "spans"


@dataclass(frozen=True)
class Story:
    """Several releases in one page: each is a chapter."""

    title: str
    lead: str
    chapters: tuple[Summary, ...]
    made: str
    """When, and with which version."""
    of_ledger: bool = False
    """Is it about all that has left, chapter by chapter for each recipient? Then it is for the owner alone."""

    @property
    def holds(self) -> bool:
        """Does every chapter that promises something hold?"""
        return all(chapter.holds is not False for chapter in self.chapters)

    @property
    def audience(self) -> str:
        """Who may read the page."""
        if self.of_ledger:
            return "It tells nothing of a single person, but all that you know of your releases: it is for you alone."
        if self.holds:
            return "It tells nothing of a single person, so that it may go with the release."
        return "It is for the owner alone: what breaks its promise must not be released, and neither should this page."

    def as_dict(self) -> dict[str, Any]:
        """All facts, ready for JSON."""
        return {"format": FORMAT, "version": VERSION, "holds": self.holds, **_plain(asdict(self))}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
