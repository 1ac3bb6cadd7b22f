"""Generalization level by level: from each value of a column up to `*`."""

import csv
import io
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kspan.data.arrays import Int64s
from kspan.data.cells import SUPPRESSED, number, number_text
from kspan.errors import HierarchyError, hinted
from kspan.frames.files import read_text, write_text
from kspan.limits import MOST_LEVELS, MOST_NAMES

DELIMITERS = ";,\t|"


@dataclass(frozen=True, repr=False)
class Hierarchy:
    """A generalization hierarchy: the name of every value at each level, up to one name that all values share.

    `levels[0]` lists the values themselves; `levels[i][v]` is the name of value v at level i. An uneven branch repeats
    a name at several levels.

    >>> jobs = Hierarchy.of([("nurse", "health"), ("doctor", "health"), ("clerk", "clerk")])
    >>> jobs
    Hierarchy(3 values, 3 levels)
    >>> jobs.parents(0).tolist(), jobs.names[1], jobs.names[2]
    ([0, 0, 1], ('health', 'clerk'), ('*',))
    """

    levels: tuple[tuple[str, ...], ...]
    mask: str | None = None
    """The character that stands for each lost one, if names are prefixes of codes; None for other names."""
    inferred: bool = False
    """Was it built from the values of a table? Then it does not say which values there are."""

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]], *, source: str = "the hierarchy") -> "Hierarchy":
        """Build a hierarchy from one row per value, each from the value up; without a common root, `*` is added."""
        if not rows:
            raise HierarchyError(f"{source} is empty: it needs one line a value")
        # A header gives itself away by its last cell, if all other lines end in `*`.
        if (
            len(rows) > 3
            and rows[0][-1:] != rows[1][-1:] == [SUPPRESSED]
            and len({row[-1] for row in rows[1:] if row}) == 1
        ):
            raise HierarchyError(f"the first line of {source} looks like a header: drop it")
        height = len(rows[0])
        check_size(len(rows), height, source)
        for at, row in enumerate(rows, start=1):
            if len(row) != height:
                raise HierarchyError(
                    f"line {at} of {source} has {len(row)} levels where the first has {height}: "
                    "repeat names so that every line has the same number"
                )
            if "" in row:
                raise HierarchyError(f"line {at} of {source} has an empty name: name every level")
        levels = list(zip(*rows, strict=True))
        if len(set(levels[-1])) > 1:
            levels.append((SUPPRESSED,) * len(rows))
        _check_values_once(levels[0], source)
        for level in range(len(levels) - 1):
            _check_nested(levels[level], levels[level + 1], level, source)
        made = cls(tuple(levels))
        made._check_names(source)
        return made

    def __repr__(self) -> str:
        return f"Hierarchy({len(self.values)} values, {len(self.levels)} levels)"

    @property
    def values(self) -> tuple[str, ...]:
        """The values it generalizes, in its own order."""
        return self.levels[0]

    @cached_property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The distinct names of each level, in order of first appearance; the place of a name is its code."""
        return tuple(tuple(dict.fromkeys(level)) for level in self.levels)

    def codes(self, level: int) -> Int64s:
        """The code of the name that each value has at a level."""
        place = {name: code for code, name in enumerate(self.names[level])}
        return np.fromiter((place[name] for name in self.levels[level]), np.int64, len(self.values))

    def parents(self, level: int) -> Int64s:
        """For each name of a level, the code of its parent at the next level."""
        below, above = self.codes(level), self.codes(level + 1)
        parents = np.empty(len(self.names[level]), np.int64)
        parents[below] = above
        return parents

    @cached_property
    def members(self) -> dict[str, frozenset[int]]:
        """For every name, the places of the values that it stands for."""
        sets: dict[str, set[int]] = {}
        for level in self.levels:
            for place, name in enumerate(level):
                sets.setdefault(name, set()).add(place)
        return {name: frozenset(places) for name, places in sets.items()}

    @cached_property
    def _by_number(self) -> dict[str, str]:
        """Maps the plain spelling of each number to its spelling here, so that `17` in the data finds `17.0`."""
        numbers = ((number(value), value) for value in self.values)
        return {number_text(value): name for value, name in numbers if value is not None}

    def find(self, label: str) -> str | None:
        """The name in this hierarchy that a label in the data refers to, or None."""
        if label in self.members:
            return label
        # Names lose the blanks around them when a file is read, so the label is tried without them as well.
        return self._by_number.get(label) or (bare if (bare := label.strip()) in self.members else None)

    def prefix(self, label: str) -> str | None:
        """What a masked name such as `123**` keeps of a code; None if it is no such name.

        >>> codes = Hierarchy((("1305", "1312"), ("13**", "13**"), ("*", "*")), mask="*")
        >>> codes.prefix("97**"), codes.prefix("1305")
        ('97', None)
        """
        if self.mask is None or self.mask.isalnum() or not label.endswith(self.mask):
            return None
        return label.rstrip(self.mask) or None

    def masked_share(self, label: str) -> float:
        """The share of the characters of a code that are masked, by the spelling alone; 0 if names are no prefixes.

        >>> Hierarchy((("1305",), ("13**",), ("*",)), mask="*").masked_share("13**")
        0.5
        """
        if self.mask is None or not label:
            return 0.0
        return (len(label) - len(label.rstrip(self.mask))) / len(label)

    def path(self, label: str) -> tuple[str, ...]:
        """The name that a value, or a name that is already general, has at every level.

        >>> Hierarchy.of([("nurse", "health"), ("clerk", "office")]).path("health")
        ('health', 'health', '*')
        """
        name = self.find(label)
        if name is None:
            raise KeyError(label)
        one = next(iter(self.members[name]))  # any member will do: from this name upwards all have the same names
        column = [level[one] for level in self.levels]
        first = column.index(name)
        return (name,) * first + tuple(column[first:])

    def _check_names(self, source: str) -> None:
        """Refuse a name that stands for different sets of values at different levels."""
        members: dict[str, tuple[int, list[int]]] = {}
        for level, names in enumerate(self.levels):
            here: dict[str, list[int]] = {}
            for place, name in enumerate(names):
                here.setdefault(name, []).append(place)
            for name, places in here.items():
                before, others = members.setdefault(name, (level, places))
                if others != places:
                    raise HierarchyError(
                        f"{source} uses {hinted([name])} as a name for different sets of values at levels {before} "
                        f"and {level}: rename one of them",
                        details=(name,),
                    )


def check_size(values: int, levels: int, source: str) -> None:
    """Refuse a hierarchy that is too large to be kept, before it is built."""
    if levels > MOST_LEVELS + 2:  # the values themselves and the root come on top
        raise HierarchyError(
            f"{source} would have {levels - 1:,} levels: at most {MOST_LEVELS} are useful, build fewer"
        )
    if values * levels > MOST_NAMES:
        raise HierarchyError(
            f"{source} would have {values * levels:,} names: at most {MOST_NAMES:,} can be kept, use fewer levels"
        )


def level_codes(hierarchy: Hierarchy, labels: Sequence[str | None], *, join_at_root: bool) -> tuple[Int64s, ...]:
    """For each level above the values, the code of the name that each label has there.

    A label that the hierarchy does not know (or None, for a missing cell) is a branch of its own. It joins the others
    at the root only if `join_at_root` is set.

    >>> jobs = Hierarchy.of([("nurse", "health"), ("doctor", "health"), ("clerk", "office")])
    >>> [codes.tolist() for codes in level_codes(jobs, ["clerk", "nurse", "doctor", None], join_at_root=True)]
    [[0, 1, 1, 2], [0, 0, 0, 0]]
    """
    known = [label is not None and hierarchy.find(label) is not None for label in labels]
    paths = [hierarchy.path(str(label)) if is_known else () for label, is_known in zip(labels, known, strict=True)]
    root = len(hierarchy.levels) - 1

    def name(place: int, level: int) -> object:
        if paths[place]:
            return paths[place][level]
        # An integer as a name is equal to no name of the hierarchy and to no other unknown label.
        return hierarchy.names[root][0] if join_at_root and level == root else place

    maps = []
    for level in range(1, root + 1):
        codes: dict[object, int] = {}
        maps.append(
            np.array([codes.setdefault(name(place, level), len(codes)) for place in range(len(labels))], np.int64)
        )
    return tuple(maps)


def read_hierarchy(path: str | os.PathLike[str]) -> Hierarchy:
    """Read a hierarchy from an ARX-style CSV, with one line per value: `value;level 1;...;*`.

    The delimiter may also be a comma, a tab or `|`.
    """
    text, source = read_text(path, "the hierarchy"), f"the hierarchy {path}"
    try:
        rows = _rows(text, source)
    except csv.Error as error:
        raise HierarchyError(f"{source} is no CSV: {error}") from None
    return Hierarchy.of([[cell.strip() for cell in row] for row in rows], source=source)


def _rows(text: str, source: str) -> list[list[str]]:
    """Split the lines by the first delimiter that gives all the same number of cells: names may contain the others."""
    for mark in DELIMITERS:
        rows, width = list[list[str]](), 0
        for row in filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=mark)):
            width = width or len(row)
            if len(row) != width or width == 1:
                break
            check_size(len(rows), width, source)
            rows.append(row)
        else:
            return rows
    # Either the file lists values alone, or its lines are uneven: then `Hierarchy.of` says which one.
    return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=DELIMITERS[0]) if row]


def write_hierarchy(hierarchy: Hierarchy, path: str | os.PathLike[str]) -> None:
    """Write a hierarchy the way ARX reads it, with `;` between levels."""
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=";", lineterminator="\n").writerows(zip(*hierarchy.levels, strict=True))
    write_text(out.getvalue(), path)


def _check_values_once(values: tuple[str, ...], source: str) -> None:
    if len(set(values)) == len(values):
        return
    twice = [value for value, times in Counter(values).items() if times > 1]
    raise HierarchyError(f"{source} lists {hinted(twice)} more than once: keep one line a value", details=twice)


def _check_nested(names: tuple[str, ...], above: tuple[str, ...], level: int, source: str) -> None:
    parent: dict[str, str] = {}
    for name, general in zip(names, above, strict=True):
        if parent.setdefault(name, general) != general:
            raise HierarchyError(
                f"{source} puts {hinted([name])} of level {level} under two names of the next: give it one parent",
                details=(name, parent[name], general),
            )
