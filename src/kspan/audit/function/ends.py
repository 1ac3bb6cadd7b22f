"""Where people are in the trees of an ensemble: as these arrays say, and as their library does."""

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.errors import ModelError
from kspan.kernels import forests
from kspan.model.function.grown import Trees


def ends_in(trees: Trees, numbers: Floats) -> Int64s:
    """Return the leaf of each row, a column a tree."""
    found = np.empty((len(trees.grown), len(numbers)), np.int64)
    for place, tree in enumerate(trees.grown):
        forests.followed(numbers, tree.left, tree.right, tree.feature, tree.threshold, tree.missing_left, found[place])
    return found.T


def check_ends(trees: Trees, numbers: Floats, ends: Int64s) -> None:
    """Make sure that people are where the library says."""
    if trees.leaves is None:
        return
    named = np.stack([tree.name[ends[:, place]] for place, tree in enumerate(trees.grown)], axis=1)
    if not np.array_equal(named, trees.leaves(numbers)):
        raise ModelError(
            "kspan sends people to other leaves of the trees than their library does: please report this; nothing was "
            "judged"
        )
