"""Tells very many sets apart without keeping their members."""

import numpy as np

from kspan.data.arrays import Int64s


class Sets:
    """Sets that grow member by member; two are the same if the random marks of their members have the same sums.

    A mark has 126 random bits, so that two different sets look the same less often than hardware fails.

    >>> sets = Sets(owners=3, members=2)
    >>> sets.add(np.array([0, 1, 2, 2]), np.array([0, 0, 0, 1]))
    >>> sets.numbered()[0].tolist() in ([0, 0, 1], [1, 1, 0])
    True
    """

    def __init__(self, *, owners: int, members: int) -> None:
        self.marks = np.random.default_rng(0).integers(0, 1 << 63, (members, 2), np.uint64)
        self.sums = np.zeros((owners, 2), np.uint64)

    def add(self, owner: Int64s, member: Int64s | int) -> None:
        """Put members into the sets of owners; no pair may be added twice."""
        # An owner may occur several times, of which `+=` would add one only. Sums may wrap around, equal ones alike.
        np.add.at(self.sums, owner, self.marks[member])

    def numbered(self, kind: Int64s | None = None) -> tuple[Int64s, Int64s]:
        """Return the number of each owner's set, and one owner of each set; owners of different `kind` share none."""
        parts = self.sums if kind is None else np.column_stack([self.sums, kind.astype(np.uint64)])
        _, owner, number = np.unique(parts, axis=0, return_index=True, return_inverse=True)
        return number.reshape(-1).astype(np.int64), owner
