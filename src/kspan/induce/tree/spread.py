"""How people spread over values where their cells admit several.

After J. Shao, J. Beckford, Learning decision trees from anonymized data. Counting: a person with the cell `{M|F}`
counts half for each (equal likelihood); or, which is ours, as values occur among people of the same label, estimated
from the data itself by expectation and maximization (Dempster, Laird, Rubin 1977). Dividing: a person goes to one
branch, by chance, by chance with the frequencies that the owner published, or to that of the most frequent value; or,
which is ours, to every branch with a share of the weight.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.general import EVERYTHING, General
from kspan.data.table import Column
from kspan.errors import PolicyError, listed
from kspan.options import Typed, Within

Entropy = Literal["equal", "em", "random", "own-value"]
Counted = Annotated[Entropy, Typed(without=("random",))]
"""The entropy of a learner that draws nothing."""
Division = Literal["fractional", "random", "frequent", "distribution"]
Seed: TypeAlias = Annotated[int, Within(0)] | np.random.Generator
"""What decides what is left to chance."""

ROUNDS = 100
"""Of estimation, at most."""

STEADY = 1e-4
"""Shares of people that change by no more are found."""

Marginals = Mapping[str, Mapping[str, float]]
"""For attributes the share of people with each value, as their owner published it."""


@dataclass(frozen=True)
class Reading:
    """How cells that admit several values are understood."""

    entropy: Entropy = "equal"
    division: Division = "fractional"
    marginals: Marginals | None = None
    rng: np.random.Generator | None = None
    range_pattern: str | None = None

    def __post_init__(self) -> None:
        if self.entropy == "random" and self.rng is None:
            raise PolicyError("entropy 'random' is for id3, which draws values by a seed: use 'equal' or 'em'")
        if self.division == "distribution" and not self.marginals:
            raise PolicyError("division 'distribution' needs the published marginals: give them, or use 'fractional'")

    def spread(self, general: General, counts: Floats, *, stars_unknown: bool) -> "Spread":
        """How the people of an attribute spread, of whom so many show each cell and have each label."""
        column = general.column
        unknown = np.zeros(column.size, bool)
        unknown[[code for code in (column.missing,) if code is not None]] = True
        if stars_unknown and column.suppressed is not None:
            unknown[column.suppressed] = True
        known = np.where(unknown[:, None], 0.0, counts)
        evenly = np.repeat(general.evenly[:, None], counts.shape[1], axis=1)
        likely = evenly
        if self.entropy == "em":
            people = known.sum(axis=1, keepdims=True)
            likely = np.repeat(estimated(general, people, evenly[:, :1]), counts.shape[1], axis=1)
        if self.division == "distribution":
            chosen = np.repeat(self._published(general)[:, None], counts.shape[1], axis=1)
        elif self.division == "frequent":
            people = general.expected(known, likely).sum(axis=1, keepdims=True)
            chosen = np.repeat(people, counts.shape[1], axis=1)
        else:
            chosen = likely
        return Spread(general, likely, chosen, unknown, self.division == "frequent")

    def _published(self, general: General) -> Floats:
        name = general.column.name
        assert self.marginals is not None
        if name not in self.marginals:
            raise PolicyError(f"the published marginals lack {name!r}: add the share of people with each of its values")
        shares = self.marginals[name]
        absent = [str(value) for value in general.values.tolist() if str(value) not in shares]
        if absent:
            raise PolicyError(f"the published marginals of {name!r} lack {listed(absent)}: add its share of people")
        return np.array([float(shares[str(value)]) for value in general.values.tolist()])


AS_SHOWN = Reading("own-value")
"""A cell is a value, whatever it shows."""


def estimated(general: General, counts: Floats, start: Floats) -> Floats:
    """How likely values are for each label, so that the cells that people show are likeliest."""
    likely = start
    people = np.maximum(counts.sum(axis=0), 1.0)
    for _ in range(ROUNDS):
        spread = general.expected(counts, likely)
        # A label whose people all show nothing keeps what it had.
        better = np.where(spread.sum(axis=0) > 0, spread, likely)
        steady = np.abs(better - likely).max(initial=0.0) <= STEADY * people.max()
        likely = better
        if steady:
            break
    # Nothing is impossible: a cell may admit values only that nobody seemed to have.
    found: Floats = likely + start / start.sum(axis=0) * STEADY
    return found


@dataclass(frozen=True, repr=False)
class Spread:
    """How the people of one attribute spread over its values."""

    general: General
    likely: Floats
    """The weight of each value (row) for people of each label (column) when they are counted."""
    chosen: Floats
    """The same when they are divided."""
    unknown: Bools
    """Cells that say nothing: missing ones, and `*` where that is as good as missing."""
    only_top: bool = False
    """Does everybody go where the value of highest weight goes?"""

    def counts(self, cells: Floats, inside: Bools | None, size: int) -> Floats:
        """People by value and label from people by cell and label; a code beyond the values is unknown.

        Only values `inside` are possible where they are counted.
        """
        values = self.general.size
        if size == values:
            return self.general.expected(cells, self.likely, inside)
        found = np.empty((size, cells.shape[1]))
        found[values:] = cells[self.unknown].sum(axis=0)
        found[:values] = self.general.expected(np.where(self.unknown[:, None], 0.0, cells), self.likely, inside)
        return found

    def portions(self, son: Int64s, sons: int, inside: Bools | None) -> Floats:
        """For each cell and label the part of a person that goes to each son; `son` has that of each value.

        A cell that says nothing goes to the son of the code beyond the values, if that has one, else nowhere.
        """
        values = self.general.size
        if self.only_top:
            parts = self._top_only(_within(self.chosen, inside), son, sons)
        elif self.general.kind == "categorical":
            from kspan.kernels.spread import portions_of_words  # loading compiled code takes a moment

            parts = np.zeros((self.general.cells, self.chosen.shape[1], sons))
            possible = EVERYTHING if inside is None else inside
            portions_of_words(*self.general.listed, self.chosen, possible, son, parts)
        else:
            parts = self._by_mass(_within(self.chosen, inside), son[:values], sons)
        parts[self.unknown] = 0.0
        if len(son) > values and 0 <= son[values] < sons:
            parts[self.unknown, :, son[values]] = 1.0
        return parts

    def _by_mass(self, weights: Floats, son: Int64s, sons: int) -> Floats:
        """The part of what each cell admits that has each son."""
        parts = np.stack([self.general.mass(weights * (son == place)[:, None]) for place in range(sons)], axis=2)
        total = parts.sum(axis=2, keepdims=True)
        return np.asarray(np.divide(parts, total, out=np.zeros_like(parts), where=total > 0))

    def narrowed(self, codes: Int64s, inside: Bools) -> tuple["Spread", Int64s]:
        """Codes of cells that admit only those of their values that are inside, and the spread that knows them."""
        distinct, place = np.unique(codes, return_inverse=True)
        known = np.flatnonzero(~self.unknown[distinct])
        general, new = self.general.narrowed(distinct[known], inside[: self.general.size])
        distinct[known] = new
        unknown = np.concatenate([self.unknown, np.zeros(general.cells - self.general.cells, bool)])
        return replace(self, general=general, unknown=unknown), distinct[place]

    def _top_only(self, weights: Floats, son: Int64s, sons: int) -> Floats:
        """The son of the value of highest weight that each cell admits."""
        parts = np.zeros((self.general.cells, weights.shape[1], sons))
        for code in range(len(parts)):
            admitted = self.general.places(code)
            if len(admitted) and weights[admitted].any():
                top = admitted[weights[admitted].argmax(axis=0)]
                parts[code, np.arange(weights.shape[1]), son[top]] = 1.0
        return parts


def drawn(general: General, column: Column, rng: np.random.Generator) -> Int64s:
    """For each row one of the values that its cell admits, by chance; the number of values where it admits none."""
    value = np.full(len(column.codes), general.size, np.int64)
    for code in range(column.size):
        rows, admitted = np.flatnonzero(column.codes == code), general.places(code)
        if len(admitted) and len(rows):
            chance = general.evenly[admitted]
            value[rows] = (
                admitted[0] if len(admitted) == 1 else rng.choice(admitted, len(rows), p=chance / chance.sum())
            )
    return value


def _within(weights: Floats, inside: Bools | None) -> Floats:
    return weights if inside is None else weights * inside[: len(weights), None]
