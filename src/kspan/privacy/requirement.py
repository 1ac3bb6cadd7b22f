"""A requirement as an object: `holds` says which groups satisfy it, `&` combines several."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np

from kspan.data.arrays import Bools, Floats
from kspan.data.groups import Counts, Groups
from kspan.errors import PolicyError, did_you_mean, listed

REQUIREMENTS: dict[str, type["Requirement"]] = {}
"""All requirements by the key that policies and texts use; every class with a `key` registers itself."""

NO_PARAMETERS = ("on", "value")
"""Fields of a requirement that say what it is about, not how much it asks."""

SLACK = 1e-9
"""Allowed error of levels from logarithms or long sums: a group that is exact on paper must not fail by rounding."""


class Requirement(ABC):
    """Something that every group must satisfy."""

    key: ClassVar[str]
    monotone: ClassVar[bool] = True
    """If two groups satisfy it, does their union satisfy it, too?"""

    def __init_subclass__(cls) -> None:
        """Register the class under its key."""
        # Only a key of its own: a subclass without one does not take the place of its parent.
        if "key" in cls.__dict__:
            REQUIREMENTS[cls.key] = cls

    def holds(self, groups: Groups) -> Bools:
        """Which groups satisfy it; one that exposes nothing of its people always does."""
        return self.satisfied(groups) | ~groups.exposing

    @abstractmethod
    def satisfied(self, groups: Groups) -> Bools:
        """Which groups satisfy it by their counts, whether they expose anything or not."""

    @abstractmethod
    def check(self, private: Iterable[str]) -> None:
        """Refuse a list of private attributes to which it cannot apply."""

    def about(self, private: Sequence[str]) -> tuple[str, ...]:
        """The private attributes that it looks at, in the order given."""
        looked_at = {name for part in self.parts for name in part.looks_at(private)}
        return tuple(name for name in private if name in looked_at)

    def looks_at(self, private: Sequence[str]) -> Sequence[str]:
        """The private attributes that a single requirement (no combination) looks at: all, unless it says otherwise."""
        return private

    @abstractmethod
    def promise(self, what: str) -> str:
        """What it means for people, in one sentence that needs no theory; `what` names what is private."""

    @property
    def parts(self) -> tuple["Requirement", ...]:
        """The requirements that it combines, or itself."""
        return (self,)

    @property
    def crowd(self) -> int:
        """The fewest people that every group must have: the k that is asked for, 1 if none is."""
        return 1

    def __and__(self, other: "Requirement") -> "Requirement":
        return AllOf((*self.parts, *other.parts))

    @abstractmethod
    def __str__(self) -> str: ...


@dataclass(frozen=True)
class AllOf(Requirement):
    """Several requirements at once."""

    requirements: tuple[Requirement, ...]

    def satisfied(self, groups: Groups) -> Bools:
        """Which groups satisfy all of them."""
        every: Bools = np.logical_and.reduce([part.satisfied(groups) for part in self.requirements])
        return every

    def check(self, private: Iterable[str]) -> None:
        """Refuse a list of private attributes to which one of them cannot apply."""
        names = tuple(private)
        for part in self.requirements:
            part.check(names)

    def promise(self, what: str) -> str:
        """The promises of all of them, one after the other."""
        return " ".join(part.promise(what) for part in self.requirements)

    @property
    def crowd(self) -> int:
        """The largest k that is asked for."""
        return max((part.crowd for part in self.parts), default=1)

    @property
    def parts(self) -> tuple[Requirement, ...]:
        """The requirements."""
        return self.requirements

    @property
    def monotone(self) -> bool:  # type: ignore[override]
        """Are all of them monotone?"""
        return all(part.monotone for part in self.requirements)

    def __str__(self) -> str:
        return ", ".join(map(str, self.requirements))


def all_of(requirements: Iterable[Requirement]) -> Requirement:
    """Return all parts of some requirements, each once."""
    parts = tuple({str(part): part for one in requirements for part in one.parts}.values())
    return parts[0] if len(parts) == 1 else AllOf(parts)


@dataclass(frozen=True)
class OnPrivate(Requirement):
    """A requirement on the spread of private values in a group, for every private attribute or for those named in `on`.

    A subclass says which `level` each group reaches, and which levels it `admits`.
    """

    safer_up: ClassVar[bool] = False
    """Is a higher level the safer one?"""
    beside_everybody: ClassVar[bool] = False
    """Does it compare the values of a group with those of everybody?"""
    needs: ClassVar[str | None] = None
    """What values must be, if it looks at these themselves and not only at how often each occurs."""

    on: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "on", (self.on,) if isinstance(self.on, str) else tuple(self.on))
        self.check_parameters()

    def looks_at(self, private: Sequence[str]) -> Sequence[str]:
        """The attributes named in `on`, or all."""
        return self.on or private

    @property
    def only_value(self) -> str | None:
        """The one value that it is about; None if it is about all values of its attributes."""
        return None

    @property
    def is_of_any_values(self) -> bool:
        """Can it be asked of whatever a release tells, such as clusters, and not only of the values of an attribute?"""
        return self.only_value is None and self.needs is None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters."""
        return tuple(entry.name for entry in fields(self) if entry.name not in NO_PARAMETERS)

    @property
    def subject(self) -> str:
        """What is required of what, without how much: its text up to the parameter."""
        return f"{self.key}[{', '.join(map(quoted, self.on))}]" if self.on else self.key

    @property
    def assumed_distinct(self) -> int:
        """How many values each group is assumed to have if only its commonest is told (see `privacy.worst`)."""
        return 1

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense."""

    @abstractmethod
    def level(self, counts: Counts) -> Floats:
        """The level that each group reaches, on the scale of the parameter."""

    @abstractmethod
    def admits(self, level: Floats) -> Bools:
        """Which levels are good enough."""

    @classmethod
    def fits(cls, counts: Counts) -> bool:
        """Are the values what it needs?"""
        return True

    @classmethod
    @abstractmethod
    def loosest(cls, counts: Counts) -> Self:
        """The requirement with the parameter that asks least of these groups."""

    def reached(self, counts: Counts) -> float:
        """The level that a table as a whole reaches: that of its worst group."""
        level = self.level(counts)
        return float(level.min() if self.safer_up else level.max())

    def holds_for(self, counts: Counts) -> Bools:
        """Which groups satisfy it for one attribute."""
        return self.admits(self.level(counts))

    def satisfied(self, groups: Groups) -> Bools:
        """Which groups satisfy it for all attributes that it is about."""
        about = {name: counts for name, counts in groups.private.items() if not self.on or name in self.on}
        if self.on and not about:  # it would hold of nothing at all
            raise PolicyError(f"{self} cannot be asked here: nothing is known of {listed(self.on)}")
        if unfit := [name for name, counts in about.items() if not self.fits(counts)]:
            raise PolicyError(
                f"{self} needs {self.needs}, and what is told here of {listed(unfit)} is no such thing: words, ranges "
                f"or less, say. Name a column of numbers that it is about ({self.key}[income]), or leave it out"
            )
        every: Bools = np.logical_and.reduce([self.holds_for(counts) for counts in about.values()])
        return every

    def check(self, private: Iterable[str]) -> None:
        """Refuse a table without private attributes, or a name that is not one of them."""
        names = tuple(private)
        if not names:
            raise PolicyError(f"{self} needs a private attribute: list one under private")
        for name in self.on:
            if name not in names:
                raise PolicyError(
                    f"{self} is about {name!r}, which is not private{did_you_mean(name, names)}: list it there"
                )

    @property
    def parameter(self) -> Any:
        """Its parameter, or a list of all if there are several."""
        given = (getattr(self, name) for name in self.parameters)
        values = [value.item() if isinstance(value, np.generic) else value for value in given]
        return values if len(values) > 1 else values[0]

    def __str__(self) -> str:
        return f"{self.subject}={_written(self.parameter)}"


def quoted(name: str) -> str:
    """Write a name, in quotes if it needs them."""
    return name if re.fullmatch(r"[\w.-]+", name) else json.dumps(name, ensure_ascii=False)


def _written(parameter: Any) -> str:
    return f"[{', '.join(map(_written, parameter))}]" if isinstance(parameter, list) else f"{parameter:.15g}"
