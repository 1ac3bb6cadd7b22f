"""Sets of private cells are told apart by sums."""

from itertools import combinations

import numpy as np

from kspan.audit.function.reached import marked


def test_sets_that_differ_in_one_or_two_cells_have_different_sums() -> None:
    """Also in the highest bits, where a product loses most of its digits."""
    single = np.eye(192, dtype=bool)
    pairs = np.array([single[one] | single[other] for one, other in combinations(range(192), 2)])
    bits = np.concatenate([np.zeros((1, 192), bool), single, pairs, ~single])
    words = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    assert len(np.unique(marked(words), axis=0)) == len(bits)
