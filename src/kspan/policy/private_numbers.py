"""How released tables show the numbers of a private column: what a policy may say, and how it says it."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from kspan.data.cells import number_text
from kspan.data.coarse import (
    Limits,
    cells_of,
    limited,
    numbers_again,
    numbers_of,
    plain_values,
    ranges,
    ranges_at,
    rounded,
    what_others_show,
)
from kspan.data.schema import Schema
from kspan.errors import DataError, PolicyError, check_number, did_you_mean, listed
from kspan.limits import LARGEST_NUMBER, MOST_VALUES

if TYPE_CHECKING:
    from kspan.policy.policy import Policy

SHARE = re.compile(r"\s*(\d{1,4}(?:\.\d{1,6})?)\s*%\s*")
MOST_COUNTED = 10**9
FEWEST = 2
"""Means and limits by share are of so many people at least, if the policy requires no larger crowd."""


@dataclass(frozen=True)
class PrivateNumbers:
    """How the numbers of one private column are shown.

    They are done in this order: `bottom` and `top`, `microaggregate`, `noise`, then `round` or `bins`.

    >>> declared_numbers("income", {"top": 200000, "round": 1000}).words(10)
    'numbers above 200000 as 200000; rounded to multiples of 1000'
    """

    bottom: float | str | None = None
    """Whoever has less shows this number; a share such as "1%" is that of the people who show one number."""
    top: float | str | None = None
    """Whoever has more shows this number."""
    microaggregate: int | None = None
    """The mean of so many people at least, and of as many as a crowd has; `True` asks for a crowd."""
    noise: float | str | None = None
    """The standard deviation of what is added, in units of the column, or as a share of that of the column."""
    round: float | None = None
    """To the nearest multiple of it."""
    bins: float | tuple[float, ...] | None = None
    """Ranges from one multiple of it to the next, or between the numbers listed."""

    @property
    def says(self) -> dict[str, Any]:
        """How a policy writes it."""
        said = {one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) is not None}
        return {key: list(value) if isinstance(value, tuple) else value for key, value in said.items()}

    @property
    def is_by_value(self) -> bool:
        """Does a number alone decide what is shown of it, whatever others have?"""
        by_share = isinstance(self.top, str) or isinstance(self.bottom, str)
        return not by_share and self.microaggregate is None and self.noise is None

    @property
    def depends_on_release(self) -> str | None:
        """The way, if any, by which two releases of the same people tell more of one than each of them."""
        return "microaggregate" if self.microaggregate is not None else "noise" if self.noise is not None else None

    def with_crowd(self, crowd: int) -> "PrivateNumbers":
        """The same with the number of people that means are of."""
        if self.microaggregate is None:
            return self
        return replace(self, microaggregate=max(crowd, FEWEST, int(self.microaggregate)))

    def words(self, crowd: int, *, earlier: bool = False) -> str:
        """What is done, for people to read; `crowd` is what the policy requires of groups.

        If shares are those of an `earlier` table, nobody is counted here.
        """
        return "; ".join(self._words(max(crowd, FEWEST), " in an earlier table" if earlier else ""))

    def _words(self, crowd: int, earlier: str) -> Iterator[str]:
        cell = "range" if self.bins is not None else "number"
        for which, where, limit in (("lowest", "below", self.bottom), ("highest", "above", self.top)):
            if isinstance(limit, str) and earlier:
                yield f"the {which} numbers, by the {which} {limit} of people{earlier}, as one {cell}"
            elif isinstance(limit, str):
                yield f"the {which} {limit} of people, and at least {crowd}, as one {cell}"
            elif limit is not None and cell == "range":
                yield f"numbers {'below' if where == 'below' else 'from'} {number_text(limit)} as one range"
            elif limit is not None:
                yield f"numbers {where} {number_text(limit)} as {number_text(limit)}"
        if self.microaggregate is not None:
            yield f"means of at least {self.with_crowd(crowd).microaggregate} people with neighboring numbers"
        if self.noise is not None:
            of = (
                f"{self.noise} of that of the column{earlier}"
                if isinstance(self.noise, str)
                else number_text(self.noise)
            )
            yield f"with Gaussian noise, whose standard deviation is {of}"
        if self.round is not None:
            yield f"rounded to multiples of {number_text(self.round)}"
        if isinstance(self.bins, tuple):
            yield f"as ranges that are cut at {', '.join(map(number_text, self.bins))}"
        elif self.bins is not None:
            yield f"as ranges between multiples of {number_text(self.bins)}"

    @property
    def limits(self) -> Limits:
        """The lowest and the highest number that is shown, where they are numbers."""
        low, high = (None if isinstance(one, str) else one for one in (self.bottom, self.top))
        return low, high

    def shown(self, values: Any) -> Any:
        """Numbers as they are shown by `round`, `bins`, `top` and `bottom`: an array, or a list of ranges."""
        if isinstance(self.bins, tuple):
            return ranges_at(values, self.bins)
        if self.bins is not None:
            return ranges(values, self.bins, self.limits)
        # Again, since what is rounded may be beyond a limit.
        values = limited(values, self.limits)
        return values if self.round is None else limited(rounded(values, self.round), self.limits)


def within_domain(ways: PrivateNumbers, name: str, schema: Schema, values: Any) -> Any:
    """Return shown numbers within the declared domain, if there is one: rounding and noise may go beyond."""
    domain = schema.domains.get(name)
    if domain is None or ways.bins is not None:
        return values
    return limited(values, (domain.low, domain.high))


def declared_numbers(name: str, says: Any) -> PrivateNumbers:
    """Return how a policy shows the numbers of a column; refuse what makes no sense."""
    if isinstance(says, PrivateNumbers):
        says = says.says
    if not isinstance(says, Mapping):
        raise PolicyError(
            f"how {name!r} is shown must be a table: {name} = {{ round = 1000 }}, or {name} = {{}} if it is shown as "
            "it is"
        )
    unknown = [str(key) for key in says if key not in READ]
    if unknown:
        raise PolicyError(
            f"{name!r} cannot be shown by {listed(unknown)}{did_you_mean(unknown[0], READ)}: use {', '.join(READ)}"
        )
    told: dict[str, Any] = {key: READ[key](f"{key} of {name!r}", value) for key, value in says.items()}
    ways = PrivateNumbers(**told)
    _check_together(name, ways)
    return ways


def people_as_shown(people: pl.DataFrame, schema: Schema, ways: Mapping[str, PrivateNumbers]) -> pl.DataFrame:
    """Return people with private numbers as a release shows them, where a number alone decides that.

    Columns without numbers stay as they are: they may be shown so already.
    """
    made = {}
    for name, each in ways.items():
        column = numbers_of(people[name], schema) if name in people.columns and each.is_by_value else None
        if column is None:
            continue
        has, others = column.codes < len(column.values), what_others_show(column, schema.suppressed_text)
        codes, shown = column.codes.astype(np.int64), each.shown(plain_values(column))
        if each.bins is not None:
            made[name] = cells_of(shown, codes, has, others)
        else:
            made[name] = numbers_again(within_domain(each, name, schema, shown)[codes[has]], has, others)
    return people.with_columns(**made) if made else people


def share_of(text: str) -> float:
    """The share that a text such as "1%" is."""
    found = SHARE.fullmatch(text)
    assert found is not None
    return float(found[1]) / 100


def _check_together(name: str, ways: PrivateNumbers) -> None:
    """Refuse ways that do not go together."""
    for one, other in (("bins", "round"), ("bins", "microaggregate")):
        if getattr(ways, one) is not None and getattr(ways, other) is not None:
            raise PolicyError(f"{name!r} is to be shown by {one} and by {other}: keep one of them")
    if isinstance(ways.bins, tuple) and (ways.top is not None or ways.bottom is not None):
        raise PolicyError(
            f"the outer bins of {name!r} have no end, so that top and bottom do nothing: leave them out, or give one "
            "width of bins"
        )
    low, high = ways.limits
    if low is not None and high is not None and low >= high:
        raise PolicyError(f"the bottom of {name!r} is not below its top: swap them")


def _number(what: str, says: Any, low: float) -> float:
    check_number(f"the {what}", says, low=low, high=LARGEST_NUMBER)
    return int(says) if float(says).is_integer() else float(says)


def _positive(what: str, says: Any, example: str) -> float:
    number = _number(what, says, 0)
    if not number:
        raise PolicyError(f"the {what} is 0: give a number such as {example}")
    return number


def _step(what: str, says: Any) -> float:
    return _positive(what, says, "1000")


def _limit(what: str, says: Any) -> float | str:
    return _share(what, says, 50) if isinstance(says, str) else _number(what, says, -LARGEST_NUMBER)


def _noise(what: str, says: Any) -> float | str:
    return _share(what, says, 1000) if isinstance(says, str) else _positive(what, says, '500, or a share, as "10%"')


def _share(what: str, says: str, most: int) -> str:
    found = SHARE.fullmatch(says)
    if found is None or not 0 < float(found[1]) <= most:
        raise PolicyError(f'the {what} must be a number, or a share of up to {most}% as in "1%", not {says!r:.40}')
    return f"{number_text(float(found[1]))}%"


def _people(what: str, says: Any) -> int:
    if says is True:
        return True  # of a crowd, whatever that is
    check_number(f"the {what}", says, low=FEWEST, high=MOST_COUNTED, whole=True)
    return int(says)


def _bins(what: str, says: Any) -> float | tuple[float, ...]:
    if not isinstance(says, list | tuple):
        return _positive(what, says, "1000, or a list of the numbers between bins")
    if not 0 < len(says) <= MOST_VALUES:
        raise PolicyError(f"the {what} must list the numbers between them, for example [0, 10000, 50000]")
    cuts = tuple(_number(what, one, -LARGEST_NUMBER) for one in says)
    if any(one >= other for one, other in pairwise(cuts)):
        raise PolicyError(f"the {what} must be in ascending order, each number once")
    return cuts


READ: dict[str, Callable[[str, Any], Any]] = {
    "bottom": _limit,
    "top": _limit,
    "microaggregate": _people,
    "noise": _noise,
    "round": _step,
    "bins": _bins,
}
"""How each way is read from a policy."""


def check_alone(policy: "Policy | None") -> None:
    """Refuse ways that tell more of a person in several releases, if there are several."""
    for name, ways in () if policy is None else policy.private_numbers.items():
        if ways.depends_on_release is not None:
            raise _beside_others(name, ways)


def _beside_others(name: str, ways: PrivateNumbers) -> PolicyError:
    """Return the error that says why a column cannot be shown beside other releases of the same people."""
    if ways.depends_on_release == "noise":
        why = "noise is drawn anew for each release, and the numbers of several average it out"
    else:
        why = "the means of two releases may together tell the number of one person"
    return PolicyError(
        f"{name!r} is shown by {ways.depends_on_release}, and a ledger keeps, or others hold, more than one release of "
        f"its people: {why}; use round, bins, top or bottom"
    )


def unknown_of_others(name: str) -> DataError:
    """Return the error that says why people cannot be counted by what a release shows of them."""
    return DataError(
        f"what a release shows of {name!r} depends on everybody in it, and people are counted by that: judge what "
        "kspan.anonymize made together with the table that it was made from, with all its rows in their order"
    )
