"""Where people are in the trees of an ensemble: as these arrays say, and as their library does."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.errors import ModelError
from kspan.kernels import forests
from kspan.model.function.grown import Trees
from kspan.model.function.parts import Forest

ROUNDING = 1e-6
"""How far sums of the same numbers may be apart, beside the largest of them."""
MOST_COMPARED = 5_000


def ends_in(trees: Trees, numbers: Floats) -> Int64s:
    """Return the leaf of each row, a column a tree."""
    found = np.empty((len(trees.grown), len(numbers)), np.int64)
    for place, tree in enumerate(trees.grown):
        forests.followed(numbers, tree.left, tree.right, tree.feature, tree.threshold, tree.missing_left, found[place])
    return found.T


def check_ends(forest: Forest, frame: Any, numbers: Floats, ends: Int64s) -> None:
    """Make sure that people are where the library says: of their table, if the model tells that, or of their numbers.

    Without a `frame` the model cannot be asked.
    """
    trees = forest.trees
    named = np.stack([tree.name[ends[:, place]] for place, tree in enumerate(trees.grown)], axis=1)
    if forest.leaves is not None and frame is not None:
        theirs = asked_of(forest.leaves, frame)
    elif trees.leaves is not None:
        theirs = trees.leaves(numbers)
    else:
        return
    if not np.array_equal(named, theirs):
        raise ModelError(
            "kspan sends people to other leaves of the trees than their library does: please report this; nothing was "
            "judged"
        )


def asked_of(function: Callable[[Any], Any], frame: Any) -> Any:
    """Ask a model about people; its own words, which may quote cells, are not passed on."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(frame)
    except Exception as error:
        raise ModelError(
            f"the model cannot answer for the people ({type(error).__name__}): give the table that it was fitted on"
        ) from None


def shared_rows(outcome: Int64s) -> Int64s:
    """Return some rows that share their outcome with others, and the first row if none does."""
    rows = np.flatnonzero(np.bincount(outcome)[outcome] > 1)
    # Rows with the same outcome are neighbors, so that a part of them still has pairs.
    return rows[np.argsort(outcome[rows], kind="stable")][:MOST_COMPARED] if len(rows) else np.zeros(1, np.int64)


def check_answers(answers: Any, outcome: Int64s) -> None:
    """Make sure that the leaves of people, as one number each, decide what a model answers, up to rounding."""
    found = np.asarray(answers.to_numpy() if hasattr(answers, "to_numpy") else answers)
    found = found.reshape(len(outcome), -1)
    if found.dtype.kind not in "fiub":
        found = np.unique(found, return_inverse=True)[1].reshape(found.shape)
    numbers = found.astype(np.float64)
    one = np.empty(int(outcome.max()) + 1, np.int64)
    one[outcome] = np.arange(len(outcome))
    if (np.abs(numbers - numbers[one[outcome]]) > ROUNDING * max(1.0, float(np.abs(numbers).max()))).any():
        raise ModelError(
            "people in the same leaves of all trees get different answers, so that leaves are not all that the model "
            "tells: judge what it answers (give its predict)"
        )
