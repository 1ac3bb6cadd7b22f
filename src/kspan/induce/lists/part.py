"""PART: a list of rules, each the best leaf of a partial C4.5 tree (E. Frank, I. H. Witten, ICML 1998)."""

from dataclasses import dataclass

import numpy as np

from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.induce.lists.leftover import with_equal_rows_together, without
from kspan.induce.lists.rules import DIGITS, entropies, label_counts, rule_of
from kspan.induce.tree.grow import GrowingLeaf, Growth, MinRows
from kspan.induce.tree.id3 import offered
from kspan.induce.tree.prune import ROUNDING, SLACK, ConfidenceFactor, cut, errors_as_leaf
from kspan.induce.tree.release import head
from kspan.induce.tree.spread import Counted, Reading
from kspan.induce.tree.worth import C45
from kspan.model.lists.model import DecisionList, ListRule
from kspan.options import takes_options


@takes_options
def part(
    table: Table,
    schema: Schema,
    *,
    min_rows: MinRows = 2,
    confidence_factor: ConfidenceFactor = 0.25,
    entropy: Counted = "equal",
) -> DecisionList:
    """The decision list of PART, without a requirement.

    A row whose value is missing, or shown as `*`, or whose cell admits several values, follows a rule with a share of
    its weight, in training and in prediction; what is left of it goes on to the next rule.

    Options:
        min_rows: People that at least two branches of a split must have.
        confidence_factor: How hard to prune: less is harder.
        entropy: How cells that admit several values are counted.

    Weather:

    >>> import polars as pl
    >>> from kspan.data.encode import encode
    >>> schema = Schema(public=["outlook", "humidity"], private=["play"], target="play")
    >>> outlook = ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5
    >>> humidity = [85, 90, 95, 70, 70, 78, 65, 90, 75, 96, 80, 70, 80, 80]
    >>> play = ["no", "no", "no", "yes", "yes", "yes", "yes", "yes", "yes", "no", "no", "yes", "yes", "yes"]
    >>> print(part(encode(pl.DataFrame({"outlook": outlook, "humidity": humidity, "play": play}), schema), schema))
    if outlook = rain: yes (no: 2, yes: 3)
    else if outlook = overcast: yes (yes: 4)
    else if humidity > 77.5: no (no: 3)
    else: yes (yes: 2)
    """
    people, features = offered(table, schema, Reading(entropy, range_pattern=schema.range_pattern), stars_unknown=True)
    growth = Growth(people, features, score=C45, min_rows=min_rows, shares_missing=True)
    growth = with_equal_rows_together(growth)
    rules = list[ListRule]()
    while True:
        best = largest(growth, expand(growth, confidence_factor))
        if best is growth.root:
            return DecisionList(*head(growth, table, schema), tuple(rules), label_counts(best.counts))
        rules.append(rule_of(growth, best))
        growth = without(growth, best)


@dataclass
class Subsets:
    """A node of the partial tree, and its subsets that have not been expanded; the last one is expanded next."""

    node: GrowingLeaf
    waiting: list[GrowingLeaf]


def expand(growth: Growth, confidence_factor: float) -> list[GrowingLeaf]:
    """Grow a partial tree from the root, and return the subsets that were left unexplored.

    The paper: choose a test and split the set into subsets; expand these by ascending entropy as long as those expanded
    so far are leaves; if all of them are, and the estimated error of the subtree is not below that of the node, undo
    the expansion. So the first node that is not undone ends all growth, since no node above it has only leaves.
    """
    way: list[Subsets] = []  # from the root down to the node whose subsets are being expanded
    subset = growth.root
    while True:
        candidate = growth.choice(subset)
        if candidate is not None:
            growth.open(subset, growth.split_of(candidate))
            way.append(Subsets(subset, by_descending_entropy(subset.sons, growth.worth.min_rows)))
        # A node without a waiting subset has only leaves below it.
        while way and not way[-1].waiting:
            if not is_replaced(way[-1].node, confidence_factor):
                return [one for above in way for one in above.waiting]
            cut(way.pop().node)
        if not way:
            return []
        subset = way[-1].waiting.pop()


def by_descending_entropy(subsets: list[GrowingLeaf], min_rows: int) -> list[GrowingLeaf]:
    """Subsets from the highest entropy to the lowest; before all others those with too few people.

    In a tie the later subset comes first.
    """
    counts = np.array([one.counts for one in subsets])
    few = counts.sum(axis=1) < min_rows - ROUNDING
    order = np.lexsort([np.round(entropies(counts), DIGITS), few])  # which keeps ties in their order
    return [subsets[place] for place in order[::-1]]


def is_replaced(node: GrowingLeaf, confidence_factor: float) -> bool:
    """Does a node promise no more errors as a leaf than its sons do, so that C4.5 would prune them?"""
    as_tree = sum(errors_as_leaf(son, confidence_factor) for son in node.sons)
    return errors_as_leaf(node, confidence_factor) <= as_tree + SLACK + ROUNDING


def largest(growth: Growth, unexplored: list[GrowingLeaf]) -> GrowingLeaf:
    """The leaf that covers most people, in a tie the first; subsets that were left unexplored are no leaves."""
    skipped = {leaf.number for leaf in unexplored}
    return max(
        (leaf for leaf in growth.leaves() if leaf.number not in skipped), key=lambda one: round(one.people, DIGITS)
    )
