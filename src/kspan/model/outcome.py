"""What a node discloses of the people who came to it: their labels by count, or less than that."""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from kspan.data.arrays import Floats
from kspan.errors import ModelError, PolicyError, did_you_mean

Disclosure = Literal["counts", "hit-miss", "shares", "label"]
DISCLOSURES: tuple[Disclosure, ...] = get_args(Disclosure)
SHARE_UNITS = 10_000
"""Shares have 4 decimals: with all their digits they give the counts away."""
WHOLE = frozenset({int})


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """How many people have each label; fractions where a person went several ways at once."""

    counts: tuple[float, ...]
    kind: ClassVar[Disclosure] = "counts"

    def __post_init__(self) -> None:
        if not WHOLE.issuperset(map(type, self.counts)):
            object.__setattr__(self, "counts", tuple(map(whole, self.counts)))

    @property
    def people(self) -> float:
        """How many came."""
        return whole(sum(self.counts))

    @property
    def label(self) -> int | None:
        """The commonest label, the first of them in a tie."""
        return self.counts.index(max(self.counts)) if any(self.counts) else None

    def shares(self, labels: int) -> Floats | None:
        """The share of each label."""
        return np.array(self.counts) / self.people if any(self.counts) else None


@dataclass(frozen=True, slots=True)
class HitMiss:
    """The commonest label, how many people have it and how many do not."""

    label: int | None
    hit: float
    miss: float
    kind: ClassVar[Disclosure] = "hit-miss"

    @property
    def people(self) -> float:
        """How many came."""
        return whole(self.hit + self.miss)

    def shares(self, labels: int) -> Floats | None:
        """The share of the label; the others divide the rest evenly, for nothing else is known of them.

        >>> HitMiss(0, 6, 2).shares(3)
        array([0.75 , 0.125, 0.125])
        """
        if self.label is None:
            return None
        shares = np.full(labels, self.miss / max(labels - 1, 1) / self.people)
        shares[self.label] = self.hit / self.people
        return shares


@dataclass(frozen=True, slots=True)
class Shares:
    """The share of each label, but not of how many people."""

    each: tuple[float, ...] | None
    kind: ClassVar[Disclosure] = "shares"
    people: ClassVar[None] = None

    @property
    def label(self) -> int | None:
        """The commonest label, the first of them in a tie."""
        return None if self.each is None else self.each.index(max(self.each))

    def shares(self, labels: int) -> Floats | None:
        """The share of each label."""
        return None if self.each is None else np.array(self.each)


@dataclass(frozen=True, slots=True)
class Label:
    """The commonest label and nothing else."""

    label: int | None
    kind: ClassVar[Disclosure] = "label"
    people: ClassVar[None] = None

    def shares(self, labels: int) -> Floats | None:
        """All for the label."""
        return None if self.label is None else np.eye(labels)[self.label]


Outcome: TypeAlias = LabelCounts | HitMiss | Shares | Label
"""What a node discloses; its `label`, its `shares` and what HitMiss and Label hold are None where nobody came."""


def reduced(outcome: Outcome, kind: Disclosure) -> Outcome:
    """An outcome that discloses only so much, and never more than it did.

    >>> reduced(LabelCounts((2, 1)), "shares"), reduced(LabelCounts((1, 3)), "hit-miss")
    (Shares(each=(0.6667, 0.3333)), HitMiss(label=1, hit=3, miss=1))
    >>> reduced(HitMiss(1, 3, 1), "label")
    Label(label=1)
    """
    if outcome.kind == kind:
        return outcome
    if kind == "label":
        return Label(outcome.label)
    if not isinstance(outcome, LabelCounts) or kind == "counts":
        raise ModelError(
            f"the tree discloses only {outcome.kind!r}, not {kind!r}: begin with the tree that discloses counts"
        )
    if kind == "shares":
        shares = outcome.shares(len(outcome.counts))
        return Shares(None if shares is None else _rounded(shares))
    most = outcome.label
    if most is None:
        return HitMiss(None, 0, 0)
    return HitMiss(most, outcome.counts[most], whole(sum(outcome.counts[:most] + outcome.counts[most + 1 :])))


def disclosure_named(word: str) -> Disclosure:
    """The disclosure of that name."""
    for known in DISCLOSURES:
        if word == known:
            return known
    raise PolicyError(
        f"there is no disclosure {word[:40]!r}{did_you_mean(word[:40], DISCLOSURES)}: use {', '.join(DISCLOSURES)}"
    )


def whole(number: float) -> float:
    """A number, as an int where it is whole.

    >>> whole(3.0), whole(2.5)
    (3, 2.5)
    """
    if isinstance(number, int):
        return number
    return int(number) if float(number).is_integer() else float(number)


def plain(number: float) -> float:
    """A number of people for somebody to read: 6 decimals, none where it is whole.

    >>> plain(0.1 + 0.2), plain(2.9999999999)
    (0.3, 3)
    """
    return whole(round(number, 6))


def _rounded(shares: Floats) -> tuple[float, ...]:
    """Shares of 4 decimals that still add up to 1: the largest remainders go up, the first of them in a tie.

    >>> _rounded(np.full(3, 1 / 3))
    (0.3334, 0.3333, 0.3333)
    """
    units = np.floor(shares * SHARE_UNITS)
    left = SHARE_UNITS - int(units.sum())
    units[np.argsort(units - shares * SHARE_UNITS, kind="stable")[:left]] += 1
    return tuple((units / SHARE_UNITS).tolist())
