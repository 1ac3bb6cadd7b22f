"""How people spread over values where their cells admit several.

After J. Shao, J. Beckford, Learning decision trees from anonymized data.

- Counting: a person with the cell `{M|F}` counts half for each value (equal likelihood). Our own alternative is to
  count by how frequent the values are, estimated from the table itself by expectation and maximization (Dempster,
  Laird, Rubin 1977).
- Dividing: a person goes to one branch. It is drawn by chance, or by chance with the frequencies that the owner
  published, or it is the branch of the most frequent value. Our own alternative is to send the person to every branch,
  with a share of the weight.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.general import EVERYTHING, General, GeneralWords
from kspan.data.table import Column
from kspan.errors import PolicyError, listed
from kspan.options import Typed, Within

Entropy = Literal["equal", "em", "random", "own-value"]
Counted = Annotated[Entropy, Typed(without=("random",))]
"""The ways of counting for learners that draw nothing by chance."""
Division = Literal["fractional", "random", "frequent", "distribution"]
Seed: TypeAlias = Annotated[int, Within(0)] | np.random.Generator
"""A seed or a generator, for all that is left to chance."""

ROUNDS = 100
"""The most rounds of estimation."""

STEADY = 1e-4
"""The estimate is found once no share of people changes by more than this."""

Marginals = Mapping[str, Mapping[str, float]]
"""For each attribute, the share of people with each value, as the owner of the data published it."""


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
        """How people spread over the values of an attribute; `counts` has how many there are by cell shown and label.

        If `stars_unknown`, a `*` says nothing, as a missing cell does.
        """
        column = general.column
        unknown = np.zeros(column.size, bool)
        unknown[[code for code in (column.missing,) if code is not None]] = True
        if stars_unknown and column.suppressed is not None:
            unknown[column.suppressed] = True
        # Cells that say nothing must not shape the estimates.
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
"""Every cell is one value, whatever it shows."""


def estimated(general: General, counts: Floats, start: Floats) -> Floats:
    """Estimate by expectation and maximization how likely each value is, so that the cells shown are likeliest.

    `counts` has people by cell, and `start` the first guess by value; each column of both is estimated by itself.
    """
    likely = start
    people = np.maximum(counts.sum(axis=0), 1.0)
    for _ in range(ROUNDS):
        spread = general.expected(counts, likely)
        # A column whose people all show nothing keeps what it had.
        better = np.where(spread.sum(axis=0) > 0, spread, likely)
        steady = np.abs(better - likely).max(initial=0.0) <= STEADY * people.max()
        likely = better
        if steady:
            break
    # No value becomes impossible, because a cell may admit only values that nobody seems to have.
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
    """Does a person go whole to the son of the value with the highest weight that the cell admits?"""

    def counts(self, cells: Floats, inside: Bools | None, size: int) -> Floats:
        """The number of people by value and label, from `cells`, the number by cell and label.

        Only values `inside` can occur. If `size` has room for a code beyond the values, that gets the people whose
        cells say nothing.
        """
        values = self.general.size
        if size == values:
            return self.general.expected(cells, self.likely, inside)
        found = np.empty((size, cells.shape[1]))
        found[values:] = cells[self.unknown].sum(axis=0)
        found[:values] = self.general.expected(np.where(self.unknown[:, None], 0.0, cells), self.likely, inside)
        return found

    def portions(self, son: Int64s, sons: int, inside: Bools | None) -> Floats:
        """For each cell and label, the part of a person that goes to each son; `son` has the son of each value.

        A cell that says nothing goes to the son of the code beyond the values; if that has none, it goes nowhere.
        """
        values = self.general.size
        if self.only_top:
            parts = self._top_only(_within(self.chosen, inside), son, sons)
        elif isinstance(self.general, GeneralWords):
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
        """The share of each cell's weight that belongs to each son."""
        parts = np.stack([self.general.mass(weights * (son == place)[:, None]) for place in range(sons)], axis=2)
        total = parts.sum(axis=2, keepdims=True)
        return np.asarray(np.divide(parts, total, out=np.zeros_like(parts), where=total > 0))

    def narrowed(self, codes: Int64s, inside: Bools) -> tuple["Spread", Int64s]:
        """Narrow cells to the values inside; returns a spread that knows the new cells, and their codes."""
        distinct, place = np.unique(codes, return_inverse=True)
        known = np.flatnonzero(~self.unknown[distinct])
        general, new = self.general.narrowed(distinct[known], inside[: self.general.size])
        distinct[known] = new
        unknown = np.concatenate([self.unknown, np.zeros(general.cells - self.general.cells, bool)])
        return replace(self, general=general, unknown=unknown), distinct[place]

    def _top_only(self, weights: Floats, son: Int64s, sons: int) -> Floats:
        """Send everybody whole to the son of the value with the highest weight that the cell admits."""
        parts = np.zeros((self.general.cells, weights.shape[1], sons))
        for code in range(len(parts)):
            admitted = self.general.places(code)
            if len(admitted) and weights[admitted].any():
                top = admitted[weights[admitted].argmax(axis=0)]
                parts[code, np.arange(weights.shape[1]), son[top]] = 1.0
        return parts


def drawn(general: General, column: Column, rng: np.random.Generator) -> Int64s:
    """For each row, one of the values that its cell admits, drawn by chance; `general.size` if it admits none."""
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
