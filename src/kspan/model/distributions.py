"""How the public attributes of released people are distributed, as an owner may tell beside a table."""

import os
from dataclasses import dataclass
from typing import Any

from kspan.data.kinds.kind import CATEGORICAL, FAMILIES, NUMERIC
from kspan.errors import DataError
from kspan.frames.files import read_text
from kspan.model.checks import Place, check_keys, flag, number, one_of, text, texts
from kspan.model.documents import check_format, lines, parsed

FORMAT, VERSION = "kspan/distributions", 1


@dataclass(frozen=True)
class WordShare:
    """How many people have one of these words, or perhaps none."""

    people: int
    values: tuple[str, ...]
    missing: bool = False
    """Are those who have no value counted here?"""


@dataclass(frozen=True)
class NumberShare:
    """How many people have a number from `low` up to, but not at, `high`; a share that is a single number comes first.

    None is no end. A share that is about nobody with a number has no range.
    """

    people: int
    low: float | None
    high: float | None
    missing: bool = False
    has_range: bool = True

    @property
    def is_single(self) -> bool:
        """Is it about one number alone?"""
        return self.low is not None and self.low == self.high

    def has(self, number: float) -> bool:
        """Is a number in its range? One that has a share of its own is not looked for elsewhere."""
        if not self.has_range or self.is_single:
            return self.is_single and number == self.low
        return (self.low is None or self.low <= number) and (self.high is None or number < self.high)


@dataclass(frozen=True)
class Distribution:
    """The shares of one attribute: everybody is in one of them."""

    name: str
    kind: str
    shares: tuple[WordShare | NumberShare, ...]
    step: float | None = None
    """Ends of numbers that few people have are multiples of this."""


@dataclass(frozen=True)
class Distributions:
    """The distribution of each attribute among the same people."""

    requirement: str
    """What every share satisfies."""
    people: int
    attributes: tuple[Distribution, ...]

    def __repr__(self) -> str:
        return f"Distributions({len(self.attributes)} attributes, {self.people} people, {self.requirement})"

    def of(self, name: str) -> Distribution | None:
        """Return the distribution of an attribute, if it is told."""
        return next((each for each in self.attributes if each.name == name), None)


def write_distributions(told: Distributions) -> str:
    """Write distributions as JSON text."""
    return lines(
        {
            "format": FORMAT,
            "version": VERSION,
            "requirement": told.requirement,
            "people": told.people,
            "attributes": [_written(each) for each in told.attributes],
        }
    )


def load_distributions(path: str | os.PathLike[str]) -> Distributions:
    """Read the distributions in a file."""
    return read_distributions(parsed(read_text(path, "the distributions"), str(path)), str(path))


def distributions_of(given: Any) -> Distributions | None:
    """Return distributions, given themselves or the path of their file; None for None."""
    if given is None or isinstance(given, Distributions):
        return given
    if isinstance(given, str | os.PathLike):
        return load_distributions(given)
    raise DataError(f"a {type(given).__name__} tells no distributions: give the released file, or what it holds")


def read_distributions(document: Any, source: str = "the file") -> Distributions:
    """Read distributions in a JSON document; an error names the source and the place."""
    top = Place(source, "the top")
    check_format(top, document, FORMAT, VERSION, "file of distributions")
    check_keys(top, document, ("format", "version", "requirement", "people", "attributes"))
    people = _people(top, document["people"])
    if not isinstance(document["attributes"], list):
        top.refuse("'attributes' must be a list")
    attributes = tuple(
        _read(Place(source, f"attribute {count}"), found, people)
        for count, found in enumerate(document["attributes"], 1)
    )
    if len({each.name for each in attributes}) != len(attributes):
        top.refuse("two attributes have the same name")
    return Distributions(text(top, "'requirement'", document["requirement"]), people, attributes)


def _written(told: Distribution) -> dict[str, Any]:
    step = {} if told.step is None else {"step": told.step}
    return {"name": told.name, "kind": told.kind, **step, "shares": [_share(each) for each in told.shares]}


def _share(share: WordShare | NumberShare) -> dict[str, Any]:
    missing = {"missing": True} if share.missing else {}
    if isinstance(share, WordShare):
        return {"values": list(share.values), **missing, "people": share.people}
    return {"range": [share.low, share.high] if share.has_range else None, **missing, "people": share.people}


def _read(place: Place, found: Any, people: int) -> Distribution:
    check_keys(place, found, ("name", "kind", "shares"), ("step",))
    kind = one_of(place, "'kind'", found["kind"], FAMILIES)
    if not isinstance(found["shares"], list):
        place.refuse("'shares' must be a list")
    step = None
    if "step" in found:
        step = number(place, "'step'", found["step"])
        if kind != NUMERIC or step <= 0:
            place.refuse("'step' is for numbers, and more than 0")
    below = [place.below(f"share {count}") for count in range(1, len(found["shares"]) + 1)]
    read = _words if kind == CATEGORICAL else _numbers
    shares = [read(where, share) for where, share in zip(below, found["shares"], strict=True)]
    if sum(share.people for share in shares) != people:
        place.refuse("the shares must have as many people together as 'people' says")
    words = [word for share in shares if isinstance(share, WordShare) for word in share.values]
    if len(set(words)) != len(words) or sum(share.missing for share in shares) > 1:
        place.refuse("two shares have the same value")
    return Distribution(text(place, "'name'", found["name"]), kind, tuple(shares), step)


def _words(place: Place, found: Any) -> WordShare:
    check_keys(place, found, ("values", "people"), ("missing",))
    share = WordShare(_people(place, found["people"]), texts(place, "'values'", found["values"]), flag(place, found))
    return share if share.values or share.missing else place.refuse("'values' must not be empty")


def _numbers(place: Place, found: Any) -> NumberShare:
    check_keys(place, found, ("range", "people"), ("missing",))
    missing, people = flag(place, found), _people(place, found["people"])
    ends = found["range"]
    if ends is None and missing:
        return NumberShare(people, None, None, missing, has_range=False)
    if not isinstance(ends, list) or len(ends) != 2:
        place.refuse("'range' must be a list of two, [low, high]")
    low, high = (None if end is None else number(place, "an end of 'range'", end) for end in ends)
    if low is not None and high is not None and low > high:
        place.refuse("'range' must run from the lowest number to the highest")
    return NumberShare(people, low, high, missing)


def _people(place: Place, found: Any) -> int:
    if type(found) is not int or not 0 < found <= 10**15:
        place.refuse("'people' must be a whole number from 1 on")
    return int(found)
