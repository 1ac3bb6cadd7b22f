"""Compiled loops and nothing else: plain serial functions over contiguous arrays."""

from kspan.kernels.sons import divide, divide_parts, divide_portions, divide_shares, son_counts
from kspan.kernels.splits import best_cut, best_threshold, histograms, level_worths
from kspan.kernels.tally import rank_keys, tally_dense, tally_hashed

__all__ = [
    "best_cut",
    "best_threshold",
    "divide",
    "divide_parts",
    "divide_portions",
    "divide_shares",
    "histograms",
    "level_worths",
    "rank_keys",
    "son_counts",
    "tally_dense",
    "tally_hashed",
]
