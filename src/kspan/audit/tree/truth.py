"""Is what a tree tells true of these people? Everybody is sent down the tree, and every node is counted again."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kspan.audit.tree.numbers import (
    FEWEST,
    Cells,
    NumbersAtLeaves,
    few_people,
    quantiles,
    sums_hold,
    untrue_sums,
)
from kspan.audit.tree.reached import OneTree, reaches
from kspan.data.alike import look
from kspan.data.arrays import Floats, Int64s
from kspan.data.groups import NO_WEIGHTS, tally
from kspan.data.table import Table
from kspan.errors import DataError, listed
from kspan.model.outcome import SHARE_UNITS, HitMiss, Numbers, Outcome, Shares
from kspan.model.partition import Partition
from kspan.model.tree.model import Node, Tree
from kspan.privacy.numbers import OnNumbers
from kspan.privacy.requirement import Requirement

NOWHERE, SEVERAL = -1, -2
ROUNDING = 1e-4
"""How far the parts of one person may be from a whole one."""
SLACK, SLACK_OF_EACH = 1e-3, 1e-6
"""How far counts with fractions of people may be off, and how much more for each person: files have 6 decimals."""


@dataclass(frozen=True, repr=False)
class Ends:
    """Where the people of a table end in a tree."""

    leaf: Int64s
    """The leaf of every row, from left to right; `SEVERAL` where a missing value leads to more than one."""
    counts: Floats
    """How many people of each label are at each leaf, by the labels of the tree; of a tree of numbers, how many."""
    several: dict[int, tuple[int, ...]]
    """The leaves of each row that ends in several."""
    numbers: NumbersAtLeaves | None = None
    """Which numbers the people at each leaf have; None if the tree tells of labels."""


def ends_of(tree: Tree, table: Table, spans: OneTree | None = None) -> Ends:
    """Send everybody down the tree; refuse people whom no branch admits, since they cannot be its people.

    If the tree asks nothing private, its `spans` say already who ends where.
    """
    asked = sorted({node.attribute for node in tree.nodes() if node.attribute is not None})
    is_public = all(tree.attributes[number].role == "public" for number in asked)
    if spans is not None and is_public and not _shares_missing(tree):
        kind, parts = spans.kind, [(there, np.ones(len(there))) for there in spans.reaches]
    else:
        kinds = Partition.by_equality(table, [tree.attributes[number].name for number in asked])
        row = np.empty(kinds.number, np.int64)
        row[kinds.group] = np.arange(table.rows)
        kind, parts = kinds.group, _followed(tree, table, row)
    leaf, share = np.full(int(kind.max()) + 1, NOWHERE), np.zeros(int(kind.max()) + 1)
    for place, (there, part) in enumerate(parts):
        leaf[there] = np.where(leaf[there] == NOWHERE, place, SEVERAL)
        share[there] += part
    if len(lost := np.flatnonzero(np.abs(share - 1) > ROUNDING)):
        raise _lost(int(np.isin(kind, lost).sum()), table)
    several = _several(kind, leaf, parts)
    if tree.is_of_numbers:
        numbers = NumbersAtLeaves.of(table, tree.target, *_places(kind, leaf, parts, several))
        return Ends(leaf[kind], numbers.sums(len(parts))[:, :1], several, numbers)
    return Ends(leaf[kind], _counts(tree, table, kind, leaf, parts), several)


def _places(
    kind: Int64s, leaf: Int64s, parts: list[tuple[Int64s, Floats]], several: Mapping[int, tuple[int, ...]]
) -> tuple[Int64s, Int64s, Floats]:
    """Return where people are: a row, a leaf, and which part of the row is there."""
    alone = np.flatnonzero(leaf[kind] != SEVERAL)
    pairs = [(row, place) for row, places in several.items() for place in places]
    shares = {place: dict(zip(*(one.tolist() for one in parts[place]), strict=True)) for _, place in pairs}
    rows, leaves = (np.array(side, np.int64) for side in (zip(*pairs, strict=True) if pairs else ((), ())))
    divided = np.array([shares[place][int(kind[row])] for row, place in pairs])
    return np.append(alone, rows), np.append(leaf[kind[alone]], leaves), np.append(np.ones(len(alone)), divided)


def _several(kind: Int64s, leaf: Int64s, parts: list[tuple[Int64s, Floats]]) -> dict[int, tuple[int, ...]]:
    """Return the leaves of each row that ends in several."""
    of_kind: dict[int, list[int]] = {int(one): [] for one in np.flatnonzero(leaf == SEVERAL)}
    for place, (there, _) in enumerate(parts):
        for one in there[leaf[there] == SEVERAL].tolist():
            of_kind[one].append(place)
    rows = np.flatnonzero(leaf[kind] == SEVERAL).tolist()
    return {row: tuple(of_kind[int(kind[row])]) for row in rows}


def _lost(rows: int, table: Table) -> DataError:
    stars = [column.name for column in table.columns.values() if column.has_suppressed]
    more = f", or leave people out who show * in {listed(stars)}" if stars else ""
    return DataError(
        f"{rows} rows of people have a value that the tree has no branch for: give the table that it was made "
        f"from{more}"
    )


def _counts(tree: Tree, table: Table, kind: Int64s, leaf: Int64s, parts: list[tuple[Int64s, Floats]]) -> Floats:
    """Count the people of each label at each leaf."""
    label, labels = labels_of(tree, table)[table[tree.target].codes], len(tree.labels)
    if (leaf == SEVERAL).any():
        by_kind = np.zeros((len(leaf), labels))
        np.add.at(by_kind, (kind, label), 1 if table.weights is None else table.weights)
        return np.array([part @ by_kind[there] for there, part in parts])
    weights = NO_WEIGHTS if table.weights is None else table.weights
    found, people, _ = tally(leaf[kind] * labels + label, len(parts) * labels, weights)
    counts = np.zeros(len(parts) * labels)
    counts[found] = people
    return counts.reshape(-1, labels)


def untrue_nodes(tree: Tree, ends: Ends) -> tuple[str, ...]:
    """Return the nodes that tell something else than is true of the people, by their numbers."""
    order = list(tree.nodes())
    counts = node_counts(order, ends)
    if ends.numbers is not None:
        sums = node_sums(order, ends.numbers.sums(len(ends.counts)))
        wrong = np.flatnonzero(untrue_sums([node.outcome for node in order], sums, _slack(counts))).tolist()
    elif tree.disclosure == "counts":
        told = np.array([node.outcome.counts for node in order], np.float64)  # type: ignore[union-attr]
        slack = _slack(counts)
        wrong = np.flatnonzero((np.abs(told - counts) > slack[:, None]).any(axis=1)).tolist()
    else:
        wrong = [place for place, node in enumerate(order) if not _is_true(node.outcome, counts[place])]
    return _named(order, wrong)


def few_at_leaves(tree: Tree, table: Table, ends: Ends, require: Requirement | None) -> tuple[str, ...]:
    """Return the leaves of a tree of private numbers that tell a mean of too few people, or of one who dominates it.

    Below private questions there may be fewer people than a span has: who they are is not known, but their numbers are.
    Where leaves have crowds, all nodes do.
    """
    if ends.numbers is None or tree.target_role != "private":
        return ()
    crowd = max(1 if require is None else require.crowd, FEWEST)
    order = list(tree.nodes())
    leaves = [place for place, node in enumerate(order) if not node.edges]
    few = few_people(table, ends.leaf, ends.several, len(leaves)) < crowd
    for part in () if require is None else require.parts:
        if isinstance(part, OnNumbers) and part.is_of_sums and tree.target in part.looks_at((tree.target,)):
            # Of people who went several ways at once no sum is known.
            few |= ~sums_hold(part, table, tree.target, ends.leaf, len(leaves)) | bool(ends.several)
    empty = ends.counts.sum(axis=1) < SLACK_OF_EACH
    return _named(order, [place for place, is_few in zip(leaves, (few & ~empty).tolist(), strict=True) if is_few])


def quantile_faults(tree: Tree, table: Table, ends: Ends, crowd: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the nodes of a tree of numbers whose median or interval is not so, and those that are not round enough."""
    if ends.numbers is None or tree.disclosure == "mean":
        return (), ()
    order = list(tree.nodes())
    first, last = _leaves_below(order)
    there = np.flatnonzero(node_counts(order, ends)[:, 0] > SLACK_OF_EACH)
    told = [order[place].outcome for place in there.tolist()]
    spreads = ends.numbers.between(first[there], last[there])
    found = quantiles(
        [one for one in told if isinstance(one, Numbers)], spreads, Cells(table[tree.target], table, crowd)
    )
    return _named(order, there[found.untrue].tolist()), _named(order, there[found.exact].tolist())


def _named(order: list[Node], places: list[int]) -> tuple[str, ...]:
    names = _names(order) if places else []
    return tuple(names[place] for place in places)


def node_counts(order: list[Node], ends: Ends) -> Floats:
    """Return how many people of each label come to each node, in the order of `Tree.nodes`."""
    first, last = _leaves_below(order)
    sums = np.vstack([np.zeros((1, ends.counts.shape[1])), np.cumsum(ends.counts, axis=0)])
    found: Floats = sums[last] - sums[first]
    return found


def node_sums(order: list[Node], at_leaves: Floats) -> Floats:
    """Return sums over the leaves below each node, without differences of large sums: numbers may differ in size."""
    first, last = _leaves_below(order)
    padded = np.vstack([at_leaves, np.zeros((1, at_leaves.shape[1]))])
    found: Floats = np.add.reduceat(padded, np.column_stack([first, last]).ravel(), axis=0)[::2]
    return found


def _leaves_below(order: list[Node]) -> tuple[Int64s, Int64s]:
    """Return the first leaf below each node, and the one after the last."""
    leaves: dict[int, int] = {}
    for node in reversed(order):
        leaves[id(node)] = sum(leaves[id(edge.node)] for edge in node.edges) or 1
    # Whatever leaves come before a node in this order are to the left of those below it.
    is_leaf = np.array([node.is_leaf for node in order])
    first = np.cumsum(is_leaf) - is_leaf
    return first, first + np.array([leaves[id(node)] for node in order])


def _names(order: list[Node]) -> list[str]:
    """Number leaves from left to right, as audits do, and other nodes from the root on."""
    number = {True: 0, False: 0}
    found = []
    for node in order:
        number[node.is_leaf] += 1
        found.append(f"{'leaf' if node.is_leaf else 'node'} {number[node.is_leaf]}")
    return found


def _slack(counts: Floats) -> Floats:
    """Return how far the counts of each node may be off: not at all, unless there are fractions of people."""
    whole = (np.abs(counts - np.rint(counts)) < 1e-9).all(axis=-1)
    return np.where(whole, 1e-6, SLACK + SLACK_OF_EACH * counts.sum(axis=-1))


def _followed(tree: Tree, table: Table, row: Int64s) -> list[tuple[Int64s, Floats]]:
    """Return, for each leaf, the kinds of people who come there, and which part of each kind does."""
    if not _shares_missing(tree):
        known = frozenset({"public", "private"})
        return [(there, np.ones(len(there))) for there in reaches(tree, table, row, known=known)]
    found: list[tuple[Int64s, Floats]] = []
    waiting = [(tree.root, np.arange(len(row)), np.ones(len(row)))]
    while waiting:
        node, kinds, weights = waiting.pop()
        if node.attribute is None:
            found.append((kinds, weights))
            continue
        attribute = tree.attributes[node.attribute]
        column = table[attribute.name]
        admitted = np.array([attribute.covers(edge.region, column) for edge in node.edges])
        people = np.array([edge.node.people or 0 for edge in node.edges], np.float64)
        # A value that several branches admit is divided like their people, or evenly if none of them has any.
        parts = admitted * people[:, None]
        parts = np.where(parts.any(axis=0), parts, admitted)
        parts = np.where(admitted.sum(axis=0) == 1, admitted, parts)
        total = parts.sum(axis=0)
        parts = np.divide(parts, total, out=np.zeros_like(parts), where=total > 0)
        codes = column.codes[row[kinds]]
        for edge, part in reversed(list(zip(node.edges, parts, strict=True))):
            here = np.flatnonzero(part[codes])
            waiting.append((edge.node, kinds[here], weights[here] * part[codes[here]]))
    return found


def _shares_missing(tree: Tree) -> bool:
    """Does a missing value go down several branches anywhere?"""
    return any(sum(edge.region.missing for edge in node.edges) > 1 for node in tree.nodes())


def labels_of(tree: Tree, table: Table) -> Int64s:
    """Return the label of every code of the target, as its place among the labels of the tree."""
    column = table[tree.target]
    # Private labels that look alike are one label; public ones are told apart by their spelling.
    seen = look if tree.target_role == "private" else str
    place = {seen(label): number for number, label in reversed(list(enumerate(tree.labels)))}
    return np.array([place[seen(column.label(code))] for code in range(column.size)], np.int64)


def _is_true(outcome: Outcome, counts: Floats) -> bool:
    """Is what a node tells, less than counts, so if these people came to it?"""
    people, slack = float(counts.sum()), float(_slack(counts))
    if outcome.label is None or people < slack:
        return outcome.label is None and people < slack
    is_commonest = counts[outcome.label] >= float(counts.max()) - slack
    if isinstance(outcome, HitMiss):
        right = abs(outcome.hit - counts[outcome.label]) <= slack and abs(outcome.people - people) <= slack
        return bool(is_commonest and right)
    if isinstance(outcome, Shares):
        # Each is rounded up or down to the next unit.
        apart = np.abs(np.array(outcome.each) - counts / people)
        return bool((apart < 1 / SHARE_UNITS + slack).all())
    return bool(is_commonest)
