"""What an audit found, for the owner's eyes; `Audit.leaving` is the part that may leave the house."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property, partial
from typing import Any

import numpy as np

from kspan.audit.risk import Risk
from kspan.audit.seen import Seen
from kspan.data.arrays import Int64s
from kspan.data.table import Table
from kspan.errors import KspanError
from kspan.notebooks import ShownInNotebooks

FORMAT, VERSION = "kspan/audit", 1
EXACT, ANSWERS, NOT_PROVED = "exact", "answers", "not proved"
"""How sure a verdict is."""


@dataclass(frozen=True)
class K:
    """The k that a release reaches, in both meanings of k."""

    rows: int
    """Every person matches at least so many released rows (Sweeney)."""
    people: int
    """What each person matches is shared by at least so many people (Friedman)."""


@dataclass(frozen=True)
class SuppressedCells:
    """How suppressed cells were read, and the k under both readings."""

    cells: int
    reading: str
    k_as_value: K
    k_as_anything: K


@dataclass(frozen=True)
class LinkedPeople:
    """The people who were given with a table, and linked to its rows."""

    people: int
    unmatched: int
    """People whom no row admits: they were withheld, or the cells are not true of them (such as means)."""


@dataclass(frozen=True)
class Persons:
    """People with several rows, whom the audit counted once each."""

    column: str
    """The column that says whose row it is."""
    people: int
    with_several: int
    """How many of them have more than one row."""
    most_rows: int
    """How many rows one person has at most."""
    known_rows: int | str
    """Of how many rows of one person the attacker knows the public values."""
    form: str = "long"
    """Is each row of the table one of a person's ("long"), or a person with all rows side by side ("wide")?"""

    @classmethod
    def of(cls, person: Int64s, column: str, known_rows: int | str) -> "Persons":
        """The people who have rows, given the person of each row."""
        rows = np.bincount(person)
        return cls(column, int((rows > 0).sum()), int((rows > 1).sum()), int(rows.max()), known_rows)


@dataclass(frozen=True)
class Alone:
    """Some of the releases that were judged together, by themselves."""

    releases: tuple[str, ...]
    people: int
    """How many people are in them."""
    failing_people: int


@dataclass(frozen=True)
class Finding:
    """One group or span, by what it shows."""

    shown: Mapping[str, str]
    people: int
    crowd: int
    """How many rows or people it counts as for the requirement."""
    breaks: tuple[str, ...] = ()
    """The requirements that it does not satisfy."""
    bins: tuple[int, ...] = ()
    """For a span, the leaves of the tree (from left to right) or clusters that it reaches, counted from 1."""
    safe: bool = False
    """Is it safe at any size, because it tells nothing new? A span of one bin is."""


@dataclass(frozen=True)
class Utility:
    """How much information the release keeps: see `kspan.utility.loss`."""

    cm: int | None
    """None without a target."""
    dm: int | None
    average_group_size: float
    ncp: float | None
    """Like DM, for tables only; None for other releases."""


@dataclass(frozen=True, repr=False)
class Audit(ShownInNotebooks):
    """The verdict on a release and everything it rests on."""

    holds: bool
    requirement: str
    counting: str
    """What the verdict counts: rows, people, or, without the people, the paths of a tree or published figures."""
    rows: int
    people: int
    groups: int
    k: K
    identifiers: tuple[str, ...]
    """Identifier columns that the release still shows: each of them alone breaks it."""
    failing_groups: int
    failing_people: int
    failing: tuple[Finding, ...]
    """The smallest of the failing groups."""
    smallest: tuple[Finding, ...]
    """The smallest groups, failing or not."""
    exposed: Mapping[str, int]
    """For each private attribute, how many people have a value that can be told with certainty."""
    reached: Mapping[str, Mapping[str, float | list[float]]]
    """For each private attribute, the level that the release reaches in every measure."""
    risk: Risk
    utility: Utility
    suppressed: SuppressedCells | None
    """None for a release without cells."""
    make_per_row: Callable[[], Any] = field(repr=False, compare=False)
    make_crowds: Callable[[int], tuple[Finding, ...]] = field(repr=False, compare=False)
    make_coded: Callable[[], Table | None] = field(repr=False, compare=False)
    make_derived: Callable[[], Mapping[str, int] | None] = field(repr=False, compare=False, default=lambda: None)
    make_seen: Callable[[], Seen | None] = field(repr=False, compare=False, default=lambda: None)
    linked: LinkedPeople | None = None
    """None unless a table was judged with its people."""
    persons: Persons | None = None
    """None unless people have several rows in a table."""
    kind: str = "table"
    """What was judged: the groups of a table, or the spans (without the people the paths) of a model."""
    safe_people: int = 0
    """People in spans of one bin, which reveal nothing at any size."""
    releases: int = 1
    """How many releases about the same people were judged together."""
    alone: tuple[Alone, ...] = ()
    """Of several releases, each by itself, and those pairs that break the requirement though neither does alone."""
    assumptions: tuple[str, ...] = ()
    """What the verdict takes for granted."""
    reading: str = EXACT
    """How sure it is: "exact"; "answers" if a model was judged by what it answers alone; or "not proved"."""
    covered: str = ""
    """What of a model was looked at, in words."""
    inferred: tuple[str, ...] = ()
    """What is told of all people of the largest exposed span of each private attribute, in words; for the owner."""
    spreads: tuple[str, ...] = ()
    """Attributes whose spread is told with a tree, though that breaks the requirement or is not so."""
    untrue: tuple[str, ...] = ()
    """Parts of a model whose published figures are not those of the people: each of them alone breaks the release."""
    exact: tuple[str, ...] = ()
    """Parts of a model that tell a mean of too few people, or a median or end of an interval that too few are near."""

    def __repr__(self) -> str:
        verdict = "holds" if self.holds else "is not proved" if self.reading == NOT_PROVED else "does not hold"
        k = self.k.rows if self.persons is None else self.k.people
        return f"Audit({self.requirement} {verdict}: {self.people} people in {self.groups} {self.units}, k={k})"

    @property
    def units(self) -> str:
        """What people stand together in: groups, spans or paths."""
        if self.counting == "paths":
            return "paths"
        return "groups" if self.kind == "table" else "spans"

    @cached_property
    def per_row(self) -> Any:
        """The risk of each row, in the order of the release and as the kind of dataframe that was audited."""
        return self.make_per_row()

    @cached_property
    def derived(self) -> Mapping[str, int] | None:
        """For each private attribute, of how many exposed people that follows from what a tree discloses alone.

        What is true of all people of a span counts as exposed, whether it follows or leaves a doubt. None if it is not
        known: for other releases than one tree, for audits that were stored, and if it would take too long.
        """
        return self.make_derived()

    @property
    def coded(self) -> Table | None:
        """The coded table that was judged, for the owner's eyes; None for a model, and for an audit that was stored."""
        return self.make_coded()

    @cached_property
    def seen(self) -> Seen | None:
        """What the release lets anybody see of each person, for the owner's eyes; None if its people are not known."""
        return self.make_seen()

    def crowds(self, most: int) -> tuple[Finding, ...]:
        """Return the smallest groups or spans, at most `most`; for the owner's eyes, like all findings."""
        return self.make_crowds(most)

    def __getstate__(self) -> dict[str, Any]:
        """Keep the facts of an audit when it is stored, but not the rows that it was about."""
        kept = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return {
            **kept,
            "make_per_row": _not_kept,
            "make_crowds": partial(_kept, self.smallest),
            "make_coded": _no_table,
            "make_derived": _no_table,
            "make_seen": _no_table,
        }

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the rows, ready for JSON; for the owner's eyes."""
        facts = {entry.name: getattr(self, entry.name) for entry in fields(self) if not entry.name.startswith("make_")}
        plain = {"format": FORMAT, "version": VERSION, **_plain(facts)}
        # What readers look for first; the rest follows in the order of the fields.
        first = ("holds", "requirement", "people", "groups", "k", "failing", "exposed", "risk", "utility")
        return {**{name: plain[name] for name in first}, **plain}

    def leaving(self) -> dict[str, Any]:
        """Return what may leave with the release: crowds are sized, and named only by cells that a table shows."""
        facts = self.as_dict()
        facts["failing"] = [{"people": finding.people} for finding in self.failing]
        facts["inferred"] = []  # these name what people have
        # What the people of a span have in common is more than a model asks of them.
        named = self.kind == "table"
        facts["smallest"] = [
            entry if named and not finding.breaks else {"people": finding.people}
            for entry, finding in zip(facts["smallest"], self.smallest, strict=True)
        ]
        return facts

    def to_json(self) -> str:
        """Return everything but the rows as one JSON object; infinite numbers become null."""
        return json.dumps(self.as_dict(), ensure_ascii=False, allow_nan=False, indent=2)


def _kept(crowds: tuple[Finding, ...], most: int) -> tuple[Finding, ...]:
    return crowds[:most]


def _no_table() -> None:
    return None


def _not_kept() -> Any:
    raise KspanError("the rows of this audit were not stored with it: audit again")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return _plain(asdict(value)) if hasattr(value, "__dataclass_fields__") else value
