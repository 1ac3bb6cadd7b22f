"""Is what a tree tells true of these people? Everybody is sent down the tree, and every node is counted again."""

from dataclasses import dataclass

import numpy as np

from kspan.audit.tree.reached import reaches
from kspan.data.alike import look
from kspan.data.arrays import Floats, Int64s
from kspan.data.groups import NO_WEIGHTS, tally
from kspan.data.table import Table
from kspan.errors import DataError, listed
from kspan.model.outcome import SHARE_UNITS, HitMiss, Label, LabelCounts, Outcome, Shares
from kspan.model.partition import Partition
from kspan.model.tree.model import Node, Tree

NOWHERE, SEVERAL = -1, -2
ROUNDING = 1e-4
"""How far counts with fractions of people may be off, for each person: files have 6 decimals."""


@dataclass(frozen=True, repr=False)
class Ends:
    """Where the people of a table end in a tree."""

    leaf: Int64s
    """The leaf of every row, from left to right; `SEVERAL` where a missing value leads to more than one."""
    counts: Floats
    """How many people of each label are at each leaf, by the labels of the tree."""


def ends_of(tree: Tree, table: Table) -> Ends:
    """Send everybody down the tree; refuse people whom no branch admits, since they cannot be its people."""
    asked = sorted({node.attribute for node in tree.nodes() if node.attribute is not None})
    kinds = Partition.by_equality(table, [tree.attributes[number].name for number in asked])
    row = np.empty(kinds.number, np.int64)
    row[kinds.group] = np.arange(table.rows)
    leaf, share = np.full(kinds.number, NOWHERE), np.zeros(kinds.number)
    parts = []
    for place, (there, weights) in enumerate(_followed(tree, table, row)):
        leaf[there] = np.where(leaf[there] == NOWHERE, place, SEVERAL)
        share[there] += weights
        parts.append((there, weights))
    if len(lost := np.flatnonzero(np.abs(share - 1) > ROUNDING)):
        rows = int(np.isin(kinds.group, lost).sum())
        stars = [column.name for column in table.columns.values() if column.has_suppressed]
        more = f", or leave people out who show * in {listed(stars)}" if stars else ""
        raise DataError(
            f"{rows} rows of people have a value that the tree has no branch for: give the table that it was made "
            f"from{more}"
        )
    label, labels = _labels(tree, table), len(tree.labels)
    if not (leaf == SEVERAL).any():
        keys = leaf[kinds.group] * labels + label
        found, people_of, _ = tally(keys, len(parts) * labels, NO_WEIGHTS if table.weights is None else table.weights)
        counts = np.zeros(len(parts) * labels)
        counts[found] = people_of
        return Ends(leaf[kinds.group], counts.reshape(-1, labels))
    by_kind = np.zeros((kinds.number, labels))
    np.add.at(by_kind, (kinds.group, label), 1 if table.weights is None else table.weights)
    counts = np.array([weights @ by_kind[there] for there, weights in parts])
    return Ends(leaf[kinds.group], counts)


def untrue_nodes(tree: Tree, ends: Ends) -> tuple[str, ...]:
    """Return the nodes, by their number from the root on, that tell something else than is true of the people."""
    order = list(tree.nodes())
    counts: dict[int, Floats] = {}
    leaves = iter(reversed(ends.counts))
    # From the last node on, so that sons are counted before their parents and leaves come from right to left.
    for node in reversed(order):
        counts[id(node)] = next(leaves) if node.is_leaf else np.sum([counts[id(e.node)] for e in node.edges], axis=0)
    return tuple(
        f"{'leaf' if node.is_leaf else 'node'} {number}"
        for number, node in _numbered(order)
        if not _is_true(node.outcome, counts[id(node)])
    )


def _numbered(order: list[Node]) -> list[tuple[int, Node]]:
    """Number leaves from left to right, as audits do, and other nodes from the root on."""
    number = {True: 0, False: 0}
    found = []
    for node in order:
        number[node.is_leaf] += 1
        found.append((number[node.is_leaf], node))
    return found


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
        column = table[tree.attributes[node.attribute].name]
        admitted = np.array([edge.region.covers(column) for edge in node.edges])
        people = np.array([edge.node.people or 0 for edge in node.edges], np.float64)
        parts = admitted * np.where(people > 0, people, 1.0 if not people.any() else 0.0)[:, None]
        # A value that one branch admits goes there, whoever came before.
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


def _labels(tree: Tree, table: Table) -> Int64s:
    """Return the label of every row, as its place among the labels of the tree."""
    column = table[tree.target]
    # Private labels that look alike are one label; public ones are told apart by their spelling.
    seen = look if tree.target_role == "private" else str
    place = {seen(label): number for number, label in reversed(list(enumerate(tree.labels)))}
    return np.array([place[seen(column.label(code))] for code in range(column.size)], np.int64)[column.codes]


def _is_true(outcome: Outcome, counts: Floats) -> bool:
    people = float(counts.sum())
    slack = ROUNDING * max(people, 1) if not (counts == np.rint(counts)).all() else 0.0
    if isinstance(outcome, LabelCounts):
        told = np.array(outcome.counts, np.float64)
        return len(told) == len(counts) and bool((np.abs(told - counts) <= slack).all())
    most = float(counts.max(initial=0.0))
    if outcome.label is None or people == 0:
        return outcome.label is None and people == 0
    is_commonest = counts[outcome.label] >= most - slack
    if isinstance(outcome, HitMiss):
        right = abs(outcome.hit - counts[outcome.label]) <= slack and abs(outcome.people - people) <= slack
        return bool(is_commonest and right)
    if isinstance(outcome, Shares):
        # Each is rounded up or down to the next unit.
        apart = np.abs(np.array(outcome.each) - counts / people)
        return bool((apart < 1 / SHARE_UNITS + slack).all())
    assert isinstance(outcome, Label)
    return bool(is_commonest)
