"""The values or the range of an attribute, as its owner declares it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kspan.data.kinds.kind import Kind
from kspan.data.kinds.registry import KINDS, SAID
from kspan.data.kinds.words import WORDS
from kspan.errors import PolicyError, did_you_mean, listed
from kspan.limits import MOST_VALUES


@dataclass(frozen=True)
class Domain:
    """What an attribute may hold: numbers or dates in a range, listed values, or any values of a kind."""

    kind: Kind
    low: float | None = None
    high: float | None = None
    values: tuple[str, ...] | None = None

    @property
    def says(self) -> str | list[Any]:
        """How a policy writes it."""
        if self.values is not None:
            return list(self.values)
        if self.low is None or self.high is None:
            return self.kind.says
        return [self.kind.bound(self.low), self.kind.bound(self.high)]

    def outside(self, labels: Iterable[str]) -> list[str]:
        """The labels that are not values of this domain."""
        if self.values is None:
            return []
        known = set(self.values)
        return [label for label in labels if label not in known]


def told(kinds: Mapping[str, Kind]) -> dict[str, Domain]:
    """The domains of columns whose kind must be told to whoever reads single cells, such as dates and times."""
    return {name: Domain(kind) for name, kind in kinds.items() if kind.has_own_spelling}


def declared(name: str, says: Any) -> Domain:
    """The domain that a policy declares for a column: `[lo, hi]`, a list of values, `"numeric"` or `"categorical"`.

    >>> declared("age", [17, 90])
    Domain(kind=Numbers(), low=17.0, high=90.0, values=None)
    >>> declared("sex", ["F", "M"]).values
    ('F', 'M')
    """
    if isinstance(says, Domain):
        return says
    if isinstance(says, str):
        if says in SAID:
            return Domain(SAID[says])
        raise PolicyError(f"the domain of {name!r} cannot be {says!r}{did_you_mean(says, SAID)}: give {_FORMS}")
    if not isinstance(says, list | tuple) or not says:
        raise PolicyError(f"the domain of {name!r} must be {_FORMS}")
    if len(says) == 2:
        for kind in KINDS:
            if (ends := kind.bounds(name, says)) is not None:
                return Domain(kind, *ends)
    values = tuple(says)
    if not all(isinstance(value, str) for value in values):
        raise PolicyError(f"the domain of {name!r} mixes text and numbers: give {_FORMS}")
    if len(values) > MOST_VALUES:
        raise PolicyError(f"the domain of {name!r} can list at most {MOST_VALUES:,} values: use a hierarchy")
    twice = [value for value, times in Counter(values).items() if times > 1]
    if twice:
        raise PolicyError(f"the domain of {name!r} lists {listed(twice)} twice: list each value once")
    return Domain(WORDS, values=values)


*_FIRST, _LAST = (f'"{word}"' for word in SAID)
_FORMS = f"two numbers or two dates [low, high], a list of values as text, {', '.join(_FIRST)} or {_LAST}"
