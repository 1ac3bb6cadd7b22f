"""The naive twin of C4.5: each rule straight from its definition, recursive, slow and plain.

The laws test the package's fast code against this module, so it uses nothing of the package.

J. R. Quinlan, "C4.5: Programs for Machine Learning", Morgan Kaufmann, 1993, chapters 2 to 4, and "Improved use of
continuous attributes in C4.5", JAIR 4, 1996 (release 8). A node asks the attribute of the highest gain ratio among
those whose gain is not below the average; a row whose value is missing goes down every branch in part. The tree is then
collapsed and pruned by the upper limit of the errors to be expected.

Every node keeps its rows, with the weight that each has there, so all that is said of it can be counted anew.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf, log2, sqrt
from statistics import NormalDist
from typing import Literal, NamedTuple

Cell = str | float | None  # None is missing
Cells = Mapping[str, Cell]  # by name of the attribute

SAME = 1e-6  # weights and estimates of errors that differ by less are the same: parts of rows do not add up exactly
GAIN = 1e-9  # a gain of no more is none


class Attribute(NamedTuple):
    """What may be asked of a row: a category of the domain, or a number."""

    name: str
    kind: Literal["categorical", "numeric"]
    domain: tuple[str, ...] = ()


class Row(NamedTuple):
    """Cells, a label and a weight, which is a part of the row's own where its way was not known."""

    cells: Cells
    label: str
    weight: float = 1.0


class Question(NamedTuple):
    """Which category of the attribute, or is the number at most the cut?"""

    attribute: Attribute
    cut: float | None = None

    def answer(self, cells: Cells) -> int | None:
        """The branch of these cells; None if the cell is missing."""
        cell = cells[self.attribute.name]
        if cell is None:
            return None
        if self.cut is None:
            assert isinstance(cell, str)
            return self.attribute.domain.index(cell)
        assert not isinstance(cell, str)
        return 0 if cell <= self.cut else 1

    def parts(self, rows: Sequence[Row]) -> list[list[Row]]:
        """The known rows of each branch."""
        branches = 2 if self.cut is not None else len(self.attribute.domain)
        return [[row for row in rows if self.answer(row.cells) == branch] for branch in range(branches)]

    def divide(self, rows: Sequence[Row]) -> list[list[Row]]:
        """The rows of each branch, those with a missing cell in each in part, as the known ones divide."""
        parts = self.parts(rows)
        known = total([row for part in parts for row in part])
        divided = []
        for part in parts:
            share = total(part) / known if known > 0 else 1 / len(parts)
            unknown = [row for row in rows if self.answer(row.cells) is None] if share > 0 else []
            divided.append(part + [row._replace(weight=row.weight * share) for row in unknown])
        return divided


class Node(NamedTuple):
    """Rows, and how they divide; a leaf asks nothing."""

    rows: Sequence[Row]
    question: Question | None = None
    sons: tuple["Node", ...] = ()


class Shape(NamedTuple):
    """What can be compared of a node and of all below it: the weights of labels are rounded to 6 decimals."""

    asked: str | None
    cut: float | None
    weights: tuple[tuple[str, float], ...]
    branches: tuple["Shape", ...]


# Weights


def total(rows: Sequence[Row]) -> float:
    """The weight of the rows."""
    return sum(row.weight for row in rows)


def weights(rows: Sequence[Row]) -> dict[str, float]:
    """The weight of each label that there is."""
    found: dict[str, float] = {}
    for row in rows:
        if row.weight > 0:
            found[row.label] = found.get(row.label, 0) + row.weight
    return found


def errors(rows: Sequence[Row]) -> float:
    """The weight that has not the commonest label."""
    return total(rows) - max(weights(rows).values(), default=0)


def entropy(parts: Sequence[float]) -> float:
    """The bits that tell in which part something is."""
    whole = sum(parts)
    return -sum(part / whole * log2(part / whole) for part in parts if part > 0)


# Growth


class Split(NamedTuple):
    """A question that a node may ask, with its merits."""

    question: Question
    gain: float
    ratio: float


class Whole(NamedTuple):
    """What every node has to know of the whole table."""

    attributes: Sequence[Attribute]
    labels: int
    weight: float
    min_rows: float


def grow(
    rows: Sequence[Row], attributes: Sequence[Attribute], min_rows: float = 2, labels: Sequence[str] | None = None
) -> Node:
    """The tree of the rows before it is pruned; the labels are those of the rows unless there are more."""
    number = len({row.label for row in rows} if labels is None else labels)
    return _grown(rows, Whole(attributes, number, total(rows), min_rows))


def _grown(rows: Sequence[Row], whole: Whole) -> Node:
    if total(rows) < 2 * whole.min_rows - SAME or errors(rows) < SAME:
        return Node(rows)
    best = choose([split for attribute in whole.attributes if (split := usable(rows, attribute, whole))], whole)
    if best is None:
        return Node(rows)
    return Node(rows, best.question, tuple(_grown(part, whole) for part in best.question.divide(rows)))


def choose(splits: Sequence[Split], whole: Whole) -> Split | None:
    """The first of the highest ratio among those whose gain is not below the average, if there is one."""
    many = {a.name for a in whole.attributes if a.kind == "categorical" and len(a.domain) >= 0.3 * whole.weight}
    if len(many) == len(whole.attributes):
        many = set()
    count = [split.gain for split in splits if split.question.attribute.name not in many]
    if not count:
        return None
    average = sum(count) / len(count)
    good = [split for split in splits if split.gain > GAIN and split.gain >= average - 1e-3]
    return max(good, key=lambda split: round(split.ratio, 9), default=None)


def usable(rows: Sequence[Row], attribute: Attribute, whole: Whole) -> Split | None:
    """How the rows may be divided by the attribute, if they may."""
    known = [row for row in rows if row.cells[attribute.name] is not None and row.weight > 0]
    if not known:
        return None
    if attribute.kind == "categorical":
        question = Question(attribute)
        if sum(total(part) >= whole.min_rows - SAME for part in question.parts(known)) < 2:
            return None
        reached = gain(rows, question)
    else:
        tried = [Question(attribute, cut) for cut in cuts(known, attribute, whole)]
        if not tried:
            return None
        question = max(tried, key=lambda question: round(gain(rows, question), 9))
        reached = gain(rows, question) - log2(len(tried)) / total(rows)
        if reached <= GAIN:
            return None
    parts = [total(part) for part in question.parts(rows)]
    bits = entropy([*parts, total(rows) - total(known)])
    return Split(question, reached, reached / bits if bits > 0 else 0)


def cuts(known: Sequence[Row], attribute: Attribute, whole: Whole) -> list[float]:
    """The cuts that leave enough weight on both sides, from low to high."""
    least = 0.1 * total(known) / whole.labels
    least = whole.min_rows if least <= whole.min_rows else min(least, 25)
    numbers = sorted({cell for row in known if isinstance(cell := row.cells[attribute.name], int | float)})
    halfway = [(low + high) / 2 for low, high in pairwise(numbers)]
    return [
        cut for cut in halfway if all(total(part) >= least - SAME for part in Question(attribute, cut).parts(known))
    ]


def gain(rows: Sequence[Row], question: Question) -> float:
    """How many bits fewer tell the label of a row once the question is answered, if it is."""
    parts = question.parts(rows)
    known = [row for part in parts for row in part]
    after = sum(total(part) / total(known) * entropy([*weights(part).values()]) for part in parts if part)
    return total(known) / total(rows) * (entropy([*weights(known).values()]) - after)


# Pruning


def leaves(node: Node) -> list[Node]:
    """The leaves below the node, from left to right; itself if it is one."""
    return [leaf for son in node.sons for leaf in leaves(son)] if node.sons else [node]


def size(node: Node) -> int:
    """How many nodes there are, leaves and all."""
    return 1 + sum(size(son) for son in node.sons)


def collapse(node: Node) -> Node:
    """The tree without the divisions that spare no error, from the top down."""
    if sum(errors(leaf.rows) for leaf in leaves(node)) >= errors(node.rows) - 1e-3:
        return Node(node.rows)
    return node._replace(sons=tuple(collapse(son) for son in node.sons))


def extra(weight: float, wrong: float, confidence: float) -> float:
    """The errors to be added to those that were seen, so that there are no more but with the chance of confidence."""
    if wrong < 1:
        base: float = weight * (1 - confidence ** (1 / weight))
        return base if wrong < SAME else base + wrong * (extra(weight, 1, confidence) - base)
    if wrong + 0.5 >= weight:
        return max(weight - wrong, 0)
    z = NormalDist().inv_cdf(1 - confidence)
    f = (wrong + 0.5) / weight
    root = sqrt(f / weight - f * f / weight + z * z / (4 * weight * weight))
    return (f + z * z / (2 * weight) + z * root) / (1 + z * z / weight) * weight - wrong


def estimate(node: Node, confidence: float) -> float:
    """The errors to be expected in the leaves below the node."""
    return sum(
        errors(leaf.rows) + extra(total(leaf.rows), errors(leaf.rows), confidence)
        for leaf in leaves(node)
        if total(leaf.rows) > SAME
    )


def send(node: Node, rows: Sequence[Row]) -> Node:
    """The same questions asked of other rows."""
    if node.question is None:
        return Node(rows)
    parts = node.question.divide(rows)
    return Node(rows, node.question, tuple(send(son, part) for son, part in zip(node.sons, parts, strict=True)))


def prune(node: Node, confidence: float = 0.25, raising: bool = True) -> Node:
    """The tree where a leaf, or with raising the largest branch, stands for each node that is expected to do no better.

    A tree is to be collapsed before. Of equally large branches it is the last, as in J48. The branch cannot ask a
    categorical attribute of the node again: below the node every known value of it is the same.
    """
    if node.question is None:
        return node
    node = node._replace(sons=tuple(prune(son, confidence, raising) for son in node.sons))
    largest = send(max(node.sons[::-1], key=lambda son: round(total(son.rows), 6)), node.rows)
    as_leaf = estimate(Node(node.rows), confidence)
    as_tree = estimate(node, confidence)
    as_branch = estimate(largest, confidence) if raising else inf
    if as_leaf <= as_tree + 0.1 + SAME and as_leaf <= as_branch + 0.1 + SAME:
        return Node(node.rows)
    if as_branch <= as_tree + 0.1 + SAME:
        return prune(largest, confidence, raising)
    return node


# Use


def shares_of(node: Node) -> dict[str, float]:
    """The share of each label that there is in the node."""
    return {label: weight / total(node.rows) for label, weight in weights(node.rows).items()}


def predict(node: Node, cells: Cells) -> dict[str, float]:
    """The share of each label that there is where the cells end, those of all the ways if a cell is missing."""
    if node.question is None:
        return shares_of(node)
    attribute, cell = node.question.attribute, cells[node.question.attribute.name]
    if attribute.kind == "categorical" and cell is not None and cell not in attribute.domain:
        return shares_of(node)
    way = node.question.answer(cells)
    if way is not None:
        return predict(node.sons[way], cells) if total(node.sons[way].rows) > 0 else shares_of(node)
    shares: dict[str, float] = {}
    whole = sum(total(son.rows) for son in node.sons)
    for son in node.sons:
        if total(son.rows) > 0:
            for label, share in predict(son, cells).items():
                shares[label] = shares.get(label, 0) + share * total(son.rows) / whole
    return shares


def shape(node: Node) -> Shape:
    """What can be compared of the tree."""
    found = tuple(sorted((label, round(weight, 6)) for label, weight in weights(node.rows).items()))
    name, cut = (node.question.attribute.name, node.question.cut) if node.question is not None else (None, None)
    return Shape(name, cut, found, tuple(shape(son) for son in node.sons))
