"""The values or the range of an attribute, as its owner declares it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, Literal

from kspan.data.calendars import DAY, MOMENT, TIME, Calendar
from kspan.data.cells import number_text
from kspan.errors import PolicyError, check_number, did_you_mean, listed
from kspan.limits import LARGEST_NUMBER, MOST_VALUES

Kind = Literal["numeric", "categorical"]
KINDS: tuple[Kind, ...] = ("numeric", "categorical")


@dataclass(frozen=True)
class Domain:
    """What an attribute may hold: numbers in a range, listed values, or any numbers or any values."""

    kind: Kind
    low: float | None = None
    high: float | None = None
    values: tuple[str, ...] | None = None
    calendar: Calendar | None = None
    """Of dates and times, which are numbers here: how they are written."""

    @property
    def says(self) -> str | list[Any]:
        """How a policy writes it."""
        if self.values is not None:
            return list(self.values)
        if self.calendar is not None:
            word = next(word for word, each in CALENDARS.items() if each == self.calendar)
            return (
                word if self.low is None or self.high is None else [*map(self.calendar.moment, (self.low, self.high))]
            )
        return self.kind if self.low is None or self.high is None else [self.low, self.high]

    def outside(self, labels: Iterable[str]) -> list[str]:
        """The labels that are not values of this domain."""
        if self.values is None:
            return []
        known = set(self.values)
        return [label for label in labels if label not in known]


def declared(name: str, says: Any) -> Domain:
    """The domain that a policy declares for a column: `[lo, hi]`, a list of values, `"numeric"` or `"categorical"`.

    >>> declared("age", [17, 90])
    Domain(kind='numeric', low=17.0, high=90.0, values=None, calendar=None)
    >>> declared("sex", ["F", "M"]).values
    ('F', 'M')
    """
    if isinstance(says, Domain):
        return says
    if isinstance(says, str):
        for kind in KINDS:
            if says == kind:
                return Domain(kind)
        if says in CALENDARS:
            return Domain("numeric", calendar=CALENDARS[says])
        raise PolicyError(f"the domain of {name!r} cannot be {says!r}{did_you_mean(says, KINDS)}: give {_FORMS}")
    if not isinstance(says, list | tuple) or not says:
        raise PolicyError(f"the domain of {name!r} must be {_FORMS}")
    if len(says) == 2 and (calendar := _calendar(says)) is not None:
        low, high = (calendar.number(bound.isoformat()) for bound in says)
        if low is None or high is None or low > high:
            raise PolicyError(f"the domain of {name!r} must run from one date up to another: swap them")
        return Domain("numeric", low, high, calendar=calendar)
    if all(isinstance(bound, int | float) and not isinstance(bound, bool) for bound in says) and len(says) == 2:
        for bound in says:
            check_number(f"a bound of the domain of {name!r}", bound, low=-LARGEST_NUMBER, high=LARGEST_NUMBER)
        low, high = map(float, says)
        if not low <= high:
            raise PolicyError(
                f"the domain of {name!r} runs from {number_text(low)} down to {number_text(high)}: swap them"
            )
        return Domain("numeric", low, high)
    values = tuple(says)
    if not all(isinstance(value, str) for value in values):
        raise PolicyError(f"the domain of {name!r} mixes text and numbers: give {_FORMS}")
    if len(values) > MOST_VALUES:
        raise PolicyError(f"the domain of {name!r} can list at most {MOST_VALUES:,} values: use a hierarchy")
    twice = [value for value, times in Counter(values).items() if times > 1]
    if twice:
        raise PolicyError(f"the domain of {name!r} lists {listed(twice)} twice: list each value once")
    return Domain("categorical", values=values)


def _calendar(bounds: Sequence[Any]) -> Calendar | None:
    """The calendar of two dates, moments or times; None for anything else."""
    kinds = {type(bound) for bound in bounds}
    return next((calendar for kind, calendar in _TYPES.items() if kinds == {kind}), None)


CALENDARS = {"date": DAY, "datetime": MOMENT, "time": TIME}
_TYPES: dict[type, Calendar] = {date: DAY, datetime: MOMENT, time: TIME}
_FORMS = (
    'two numbers or two dates [low, high], a list of values as text, "numeric", "categorical", "date", "datetime" or '
    '"time"'
)
