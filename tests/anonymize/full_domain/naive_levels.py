"""Full-domain generalization straight from its definition: every vector of levels, every row, no pruning."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from laws import naive

Row = Mapping[str, Any]
Levels = tuple[int, ...]

PATHS: dict[str, dict[Any, tuple[str, ...]]] = {
    "job": {
        "nurse": ("nurse", "health", "*"),
        "doctor": ("doctor", "health", "*"),
        "clerk": ("clerk", "office", "*"),
        "boss": ("boss", "office", "*"),
    },
    "age": {
        20: ("20", "[20, 29]", "[20, 39]", "*"),
        25: ("25", "[20, 29]", "[20, 39]", "*"),
        30: ("30", "[30, 39]", "[20, 39]", "*"),
        45: ("45", "[40, 49]", "[40, 49]", "*"),
    },
}
ENDS = {"[20, 29]": (20, 29), "[30, 39]": (30, 39), "[20, 39]": (20, 39), "[40, 49]": (40, 49)}
OPEN = {"health": 0.5, "office": 0.5}
LOSSES = ("ncp", "levels", "dm", "average-size", "cm")


@dataclass(frozen=True)
class Outcome:
    """What one vector makes of the people."""

    kept: dict[tuple[str | None, ...], list[Row]]
    withheld: int
    loss: dict[str, float]


@dataclass(frozen=True)
class People:
    """All people, one row each, and what is asked."""

    rows: Sequence[Row]
    public: tuple[str, ...]
    require: Mapping[str, Any]

    @property
    def heights(self) -> Levels:
        return tuple(len(next(iter(PATHS[name].values()))) - 1 if name in PATHS else 1 for name in self.public)

    def vectors(self) -> Iterator[Levels]:
        return itertools.product(*(range(height + 1) for height in self.heights))

    def shown(self, row: Row, levels: Levels) -> tuple[str | None, ...]:
        return tuple(self.cell(name, row[name], level) for name, level in zip(self.public, levels, strict=True))

    def cell(self, name: str, value: Any, level: int) -> str | None:
        if level == self.heights[self.public.index(name)]:
            return "*"
        if value is None:
            return None
        return PATHS[name][value][level] if name in PATHS else str(value)

    def outcome(self, levels: Levels) -> Outcome:
        groups: dict[tuple[str | None, ...], list[Row]] = {}
        for row in self.rows:
            groups.setdefault(self.shown(row, levels), []).append(row)
        kept = {cells: rows for cells, rows in groups.items() if len(rows) >= self.require.get("k", 1)}
        while kept:
            good = self.good(list(kept.values()))
            if all(good):
                break
            kept = {cells: rows for (cells, rows), fine in zip(kept.items(), good, strict=True) if fine}
        withheld = len(self.rows) - sum(map(len, kept.values()))
        return Outcome(kept, withheld, {loss: self.loss(loss, levels, kept, withheld) for loss in LOSSES})

    def good(self, groups: list[list[Row]]) -> list[bool]:
        values = [[row["ill"] for row in group] for group in groups]
        distance = naive.equal_distance()
        every = [naive.holds(key, value, values, distance=distance) for key, value in self.require.items()]
        return [all(fine) for fine in zip(*every, strict=True)]

    def loss(self, name: str, levels: Levels, kept: Mapping[Any, list[Row]], withheld: int) -> float:
        everybody, sizes = len(self.rows), [len(rows) for rows in kept.values()]
        if name == "dm":
            return sum(size**2 for size in sizes) + withheld * everybody
        if name == "average-size":
            return everybody / len(sizes) if sizes else math.inf
        if name == "cm":
            majorities = (Counter(row["ill"] for row in rows).most_common(1)[0][1] for rows in kept.values())
            return sum(sizes) - sum(majorities) + withheld
        cells = [
            self.open(attribute, row[attribute], level) if name == "ncp" else level / height
            for rows in kept.values()
            for row in rows
            for attribute, level, height in zip(self.public, levels, self.heights, strict=True)
        ]
        return (math.fsum(cells) + withheld * len(self.public)) / (everybody * len(self.public))

    def open(self, name: str, value: Any, level: int) -> float:
        cell = self.cell(name, value, level)
        if cell == "*":
            return 1.0
        if cell in ENDS:
            return (ENDS[cell][1] - ENDS[cell][0]) / (max(PATHS[name]) - min(PATHS[name]))
        return OPEN.get(str(cell), 0.0)

    def working(self, allowance: int) -> dict[Levels, Outcome]:
        """The vectors that withhold few enough and not everybody."""
        outcomes = {levels: self.outcome(levels) for levels in self.vectors()}
        return {
            levels: outcome for levels, outcome in outcomes.items() if outcome.kept and outcome.withheld <= allowance
        }


def minimal(vectors: Sequence[Levels]) -> list[Levels]:
    """Those of which no finer one is there."""

    def is_finer(other: Levels, levels: Levels) -> bool:
        return other != levels and all(a <= b for a, b in zip(other, levels, strict=True))

    return sorted(levels for levels in vectors if not any(is_finer(other, levels) for other in vectors))
