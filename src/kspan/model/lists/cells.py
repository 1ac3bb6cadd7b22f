"""Cells that admit several values, split into what rules tell apart, and what is left of them as rules take parts."""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.model.tree.model import Attribute, Region
from kspan.model.tree.ways import Ways

DIGITS = 12
"""Shares that differ only beyond so many digits count as the same."""


class RemainingCells:
    """The cells of a column; a cell of which only a part is left gets a new code when it is first asked for."""

    def __init__(self, way: Ways, attribute: Attribute, regions: Iterable[Region]) -> None:
        column = way.column
        self.atoms = _atoms(attribute, regions)
        parts = way.parts(self.atoms, [None] * len(self.atoms))
        self.unknown = {code for code in (column.missing, column.suppressed) if code is not None}
        self.shares = list(parts.T)
        self.known = {_key(each): code for code, each in enumerate(parts.T) if code not in self.unknown}
        self.masks: dict[Region, Bools] = {}
        self.found: dict[tuple[int, bytes], int] = {}

    def is_general(self) -> Bools:
        """Tell which codes have parts in several atoms, so that a rule may take only a part of them."""
        several = np.array([(each > 0).sum() > 1 for each in self.shares])
        several[list(self.unknown)] = False
        return several

    def mask(self, region: Region) -> Bools:
        """Tell which atoms a region admits."""
        if region not in self.masks:
            self.masks[region] = np.array([_is_inside(atom, region) for atom in self.atoms], bool)
        return self.masks[region]

    def part(self, region: Region, unknown: float) -> Floats:
        """Return for each code, narrowed ones included, the part that is in a region; for unknown cells, `unknown`."""
        # Rounded, so that shares of the whole add up to exactly 1.
        found: Floats = np.round(np.array(self.shares) @ self.mask(region), DIGITS)
        found[list(self.unknown)] = unknown
        return found

    def within(self, codes: Int64s, mask: Bools) -> Int64s:
        """Return the codes of what is left of some cells within the atoms of a mask."""
        distinct, place = np.unique(codes, return_inverse=True)
        return np.array([self._one(code, mask) for code in distinct.tolist()], np.int64)[place]

    def _one(self, code: int, mask: Bools) -> int:
        if code in self.unknown:
            return code
        asked = code, mask.tobytes()
        if asked not in self.found:
            left = self.shares[code] * mask
            # Nothing is narrowed to nothing: a cell that has no such atom stays as it is.
            self.found[asked] = self._code(left / left.sum()) if left.any() else code
        return self.found[asked]

    def _code(self, shares: Floats) -> int:
        code = self.known.setdefault(_key(shares), len(self.shares))
        if code == len(self.shares):
            self.shares.append(shares)
        return code


def _atoms(attribute: Attribute, regions: Iterable[Region]) -> list[Region]:
    """Return disjoint regions that all given ones are made of: single values, or stretches between bounds."""
    if not attribute.is_measured:
        return [Region(frozenset({value})) for value in attribute.values]
    bounds = {bound for region in regions for interval in region.intervals for bound in interval if bound is not None}
    return [Region(intervals=(stretch,)) for stretch in pairwise([None, *sorted(bounds), None])]


def _is_inside(atom: Region, region: Region) -> bool:
    if not atom.intervals:
        return atom.values <= region.values
    low, high = _ends(atom.intervals[0])
    return any(_ends(each)[0] <= low and high <= _ends(each)[1] for each in region.intervals)


def _ends(interval: tuple[float | None, float | None]) -> tuple[float, float]:
    low, high = interval
    return -np.inf if low is None else low, np.inf if high is None else high


def _key(shares: Floats) -> bytes:
    return np.round(shares, DIGITS).tobytes()
