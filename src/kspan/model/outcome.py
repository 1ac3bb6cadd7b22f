"""What a node discloses of the people who came to it: how many have each label, or less; or what a number is there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from kspan.data.arrays import Floats
from kspan.errors import ModelError, PolicyError, did_you_mean

LabelDisclosure = Literal["counts", "hit-miss", "shares", "label"]
NumberDisclosure = Literal["mean", "median", "interval"]
Disclosure = LabelDisclosure | NumberDisclosure
DISCLOSURES: tuple[LabelDisclosure, ...] = get_args(LabelDisclosure)
"""What may be told of labels."""
NUMBER_DISCLOSURES: tuple[NumberDisclosure, ...] = get_args(NumberDisclosure)
"""What may be told of numbers: each tells what those before it tell, and more."""
SHARE_UNITS = 10_000
"""Shares are rounded to 4 decimals, since all their digits would give the counts away."""
MEANS_AGREE = 1e-6
"""Means that differ by less than this part of the numbers are equal: sums of floating-point numbers are not exact."""
WHOLE = frozenset({int})
"""`WHOLE.issuperset(map(type, numbers))` is a fast way to ask whether all of them are ints."""


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
        """How many people came."""
        return whole(sum(self.counts))

    @property
    def label(self) -> int | None:
        """The place of the commonest label, the first one in a tie; None if nobody came."""
        return self.counts.index(max(self.counts)) if any(self.counts) else None

    def shares(self, labels: int) -> Floats | None:
        """The share of each label; None if nobody came."""
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
        """How many people came."""
        return whole(self.hit + self.miss)

    def shares(self, labels: int) -> Floats | None:
        """The share of each label; all but the commonest divide the misses evenly, since nothing else is known.

        >>> HitMiss(0, 6, 2).shares(3)
        array([0.75 , 0.125, 0.125])
        """
        if self.label is None:
            return None
        # With a single label nobody misses it, so any divisor but 0 will do.
        shares = np.full(labels, self.miss / max(labels - 1, 1) / self.people)
        shares[self.label] = self.hit / self.people
        return shares


@dataclass(frozen=True, slots=True)
class Shares:
    """The share of each label, but not the number of people."""

    each: tuple[float, ...] | None
    kind: ClassVar[Disclosure] = "shares"
    people: ClassVar[None] = None

    @property
    def label(self) -> int | None:
        """The place of the commonest label, the first one in a tie; None if nobody came."""
        return None if self.each is None else self.each.index(max(self.each))

    def shares(self, labels: int) -> Floats | None:
        """The share of each label; None if nobody came."""
        return None if self.each is None else np.array(self.each)


@dataclass(frozen=True, slots=True)
class Label:
    """The commonest label and nothing else."""

    label: int | None
    kind: ClassVar[Disclosure] = "label"
    people: ClassVar[None] = None

    def shares(self, labels: int) -> Floats | None:
        """All of the share for the label; None if nobody came."""
        return None if self.label is None else np.eye(labels)[self.label]


@dataclass(frozen=True, slots=True)
class Numbers:
    """How many people came and the mean of their numbers; perhaps the median, and where most of the numbers lie.

    Where nobody came, all but `people` is None. The median and the ends of the interval are round numbers (see
    `model.quantiles`), since unlike a mean they would be somebody's number.
    """

    people: float
    mean: float | None
    median: float | None = None
    low: float | None = None
    high: float | None = None
    """At least four in five people have numbers from `low` to `high`."""
    kind: NumberDisclosure = "mean"
    label: ClassVar[None] = None
    """There are no labels to tell of."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "people", whole(self.people))

    def shares(self, labels: int) -> None:
        """There are no labels to tell of."""


Outcome: TypeAlias = LabelCounts | HitMiss | Shares | Label | Numbers
"""What a node discloses. Where nobody came, its `label` and its `shares` are None."""


def reduced(outcome: Outcome, kind: Disclosure) -> Outcome:
    """Reduce an outcome to a kind that discloses less; refuse a kind that needs more than the outcome discloses.

    >>> reduced(LabelCounts((2, 1)), "shares"), reduced(LabelCounts((1, 3)), "hit-miss")
    (Shares(each=(0.6667, 0.3333)), HitMiss(label=1, hit=3, miss=1))
    >>> reduced(HitMiss(1, 3, 1), "label")
    Label(label=1)
    >>> reduced(Numbers(4, 2.5, 2.0, 0.0, 5.0, "interval"), "median")
    Numbers(people=4, mean=2.5, median=2.0, low=None, high=None, kind='median')
    """
    if outcome.kind == kind:
        return outcome
    if isinstance(outcome, Numbers):
        return _reduced_numbers(outcome, kind)
    if kind == "label":
        # Every outcome knows its label; all other reductions need the counts.
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


def _reduced_numbers(outcome: Numbers, kind: Disclosure) -> Numbers:
    known = NUMBER_DISCLOSURES[: NUMBER_DISCLOSURES.index(outcome.kind)]
    for less in known:
        if kind == less:
            return Numbers(outcome.people, outcome.mean, outcome.median if less == "median" else None, kind=less)
    raise ModelError(
        f"the tree predicts numbers and discloses only {outcome.kind!r}, not {kind!r}: begin with the tree that "
        "discloses more"
    )


def disclosure_named(word: str, known: Sequence[Disclosure] = DISCLOSURES) -> Disclosure:
    """Return the disclosure of that name, among those known of labels or of numbers; refuse a word that names none."""
    for each in known:
        if word == each:
            return each
    said = str(word)[:40]
    raise PolicyError(f"there is no disclosure {said!r}{did_you_mean(said, known)}: use {', '.join(known)}")


def whole(number: float) -> float:
    """Return a number as an int if it is whole, else as a float.

    >>> whole(3.0), whole(2.5)
    (3, 2.5)
    """
    if isinstance(number, int):
        return number
    return int(number) if float(number).is_integer() else float(number)


def plain(number: float) -> float:
    """Round a number of people to 6 decimals; a whole number becomes an int.

    >>> plain(0.1 + 0.2), plain(2.9999999999)
    (0.3, 3)
    """
    return whole(round(number, 6))


def _rounded(shares: Floats) -> tuple[float, ...]:
    """Round shares to 4 decimals so that they still add up to 1: the largest remainders go up, the first in a tie.

    >>> _rounded(np.full(3, 1 / 3))
    (0.3334, 0.3333, 0.3333)
    """
    units = np.floor(shares * SHARE_UNITS)
    left = SHARE_UNITS - int(units.sum())
    # The keys are the remainders, negated: the largest come first, and a stable sort keeps ties in order.
    units[np.argsort(units - shares * SHARE_UNITS, kind="stable")[:left]] += 1
    return tuple((units / SHARE_UNITS).tolist())
