"""The linking attack: which groups may a person be in, for someone who knows the public values?"""

from collections.abc import Iterator

import numpy as np

from kspan.data.admitted import admitted
from kspan.data.arrays import Int64s
from kspan.data.groups import count_groups
from kspan.data.table import Table
from kspan.model.partition import Partition

AT_ONCE = 4096


class Links:
    """Finds which kinds of people match which groups; there may be very many pairs, so they come part by part."""

    def __init__(self, kinds: Partition, partition: Partition) -> None:
        from kspan.kernels.matches import set_bits  # loading compiled code takes a moment

        known, shown = ([part.shown[name] for name in partition.shown] for part in (kinds, partition))
        sizes = [each.column.size for each in known] or [1]  # where nothing is known, all groups admit that
        self.values = np.column_stack([each.code for each in known] or [np.zeros(len(kinds), np.int64)])
        self.begins = np.cumsum([0, *sizes[:-1]])
        self.bits = np.zeros((sum(sizes), -(-len(partition) // 64)), np.uint64)
        """For each value of each attribute, one bit per group that admits it."""
        if not known:
            set_bits(self.bits, np.zeros(len(partition), np.int64), np.array([0, 1]), np.array([0]))
        # Not strict: where nothing is known, there is a beginning without an attribute.
        for cell, value, begin in zip(shown, known, self.begins, strict=False):
            set_bits(self.bits[begin : begin + value.column.size], cell.code, *admitted(cell.column, value.column))

    def of(self, kinds: Int64s) -> Iterator[tuple[Int64s, Int64s]]:
        """Yield pairs of a place in `kinds` and a group that matches there; all groups of a kind are in one part."""
        from kspan.kernels.matches import matches

        for begin in range(0, len(kinds), AT_ONCE):
            place, group = matches(self.values[kinds[begin : begin + AT_ONCE]], self.bits, self.begins)
            yield place + begin, group


def people_matching(partition: Partition, known: Table) -> Int64s:
    """Count the people of a table of known public values who could be in each group of a release."""
    kinds = Partition.by_equality(known, partition.shown)
    sizes = count_groups(known, kinds.group, kinds.number, ()).sizes
    people = np.zeros(len(partition), np.int64)
    for kind, group in Links(kinds, partition).of(np.arange(len(kinds))):
        np.add.at(people, group, sizes[kind])
    return people
