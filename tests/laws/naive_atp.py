"""The naive twin of ATP: the paper's section 4 one node at a time, slow and plain.

H. Tian, W. Zhang, S. Xu, P. Sharkey, "A knowledge model sharing based approach to privacy-preserving data mining". Of
the package it uses only the types of a tree.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

from kspan.model.outcome import HitMiss
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree

Row = tuple[Fraction, ...]
"""How many people of each label there are, or are taken to be."""


@dataclass
class Branch:
    """A node under pruning; what its edge admits as a set of values or of intervals between whole numbers."""

    row: Row
    attribute: int | None = None
    sons: list["Branch"] = field(default_factory=list)
    admits: frozenset[str] = frozenset()
    fails: bool = False

    @property
    def people(self) -> Fraction:
        return sum(self.row, Fraction(0))

    @property
    def hit(self) -> Fraction:
        return max(self.row)


# Measures of (hit, miss): Definitions 9, 11 and 13, and entropy


def tail(hit: int, miss: int, l: int) -> int:  # noqa: E741
    """Equation (1), case by case."""
    if hit == 1:
        return miss - (l - 2)
    q = Fraction(miss - (l - 1), hit - 1)
    return 1 if 0 <= q <= l - 2 else miss - (l - 2) * hit


def path_holds(key: str, value: float | Sequence[float], hit: int, miss: int) -> bool:
    """Does a path of so many hits and misses satisfy a requirement?"""
    if key == "recursive_cl":
        c, l = value  # type: ignore[misc]  # noqa: E741
        return miss >= l - 1 and hit < c * tail(hit, miss, int(l))
    assert isinstance(value, int | float)
    if key == "k":
        return hit + miss >= value
    if key == "simple_l":
        return miss >= value - 1 and hit * value <= hit + miss
    assert key == "entropy_l"
    full, rest = divmod(miss, hit)
    shares = [hit / (hit + miss)] * (1 + full) + [rest / (hit + miss)] * (rest > 0)
    return -sum(share * math.log(share) for share in shares) >= math.log(value) - 1e-9


# Pruning


def pruned(tree: Tree, holds: Callable[[Row], bool], *, estimated: bool) -> Node:
    """The root of the tree pruned by ATP with its rules; one leaf if nothing else is left."""
    root = branch(tree, tree.root, frozenset(), estimated)
    depths = depth(root)
    for level in range(depths - 1, -1, -1):
        for node in at_level(root, level):
            if node.sons:
                settle(node, holds, estimated)
    return written(tree, root, estimated)


def branch(tree: Tree, node: Node, admits: frozenset[str], estimated: bool) -> Branch:
    sons = [branch(tree, edge.node, edge.region.values, estimated) for edge in node.edges]
    if not sons:
        return Branch(row_of(node, len(tree.labels), estimated), admits=admits)
    rows = [son.row for son in sons]
    return Branch(added(rows, estimated), node.attribute, sons, admits)


def row_of(node: Node, labels: int, estimated: bool) -> Row:
    if not estimated:
        return tuple(map(Fraction, node.counts))
    told = node.outcome
    assert isinstance(told, HitMiss)
    row = [Fraction(told.miss) / (labels - 1)] * labels
    if told.label is not None:
        row[told.label] = Fraction(told.hit)
    return tuple(row)


def added(rows: Sequence[Row], estimated: bool) -> Row:
    """Equations (2) and (3), or the labels themselves."""
    each = tuple(sum(parts, Fraction(0)) for parts in zip(*rows, strict=True))
    if not estimated:
        return each
    people, most = sum(each, Fraction(0)), each.index(max(each))
    hit = Fraction(math.ceil(each[most]))
    return tuple(hit if place == most else (people - hit) / (len(each) - 1) for place in range(len(each)))


def settle(node: Branch, holds: Callable[[Row], bool], estimated: bool) -> None:
    """Merge children of a node until none fails."""
    for son in node.sons:
        son.fails = not son.sons and bool(son.people) and not holds(son.row)
    while any(son.fails for son in node.sons):
        failed = max((son for son in node.sons if son.fails), key=lambda son: son.hit / son.people)
        while failed.fails and len(node.sons) > 1:
            siblings = [son for son in node.sons if son is not failed]
            merged = {id(son): added([failed.row, son.row], estimated) for son in siblings}
            rule_1 = [son for son in siblings if holds(merged[id(son)])]
            among = rule_1 or siblings
            among = [son for son in among if son.fails] or among  # rule 2
            chosen = min(among, key=lambda son: son.people)  # rule 3
            failed.row, failed.sons, failed.attribute = merged[id(chosen)], [], None
            failed.admits |= chosen.admits
            failed.fails = not holds(failed.row)
            node.sons = [son for son in node.sons if son is not chosen]
        if len(node.sons) == 1:
            node.row, node.sons, node.attribute = failed.row, [], None
            return


def depth(node: Branch) -> int:
    return 1 + max(map(depth, node.sons)) if node.sons else 0


def at_level(root: Branch, level: int) -> list[Branch]:
    found = [root]
    for _ in range(level):
        found = [son for node in found for son in node.sons]
    return found


def written(tree: Tree, node: Branch, estimated: bool) -> Node:
    edges = tuple(Edge(Region(son.admits), written(tree, son, estimated)) for son in node.sons)
    if not estimated:
        return Node.of_counts(map(int, node.row), node.attribute, edges)
    if not node.people:
        return Node(HitMiss(None, 0, 0), node.attribute, edges)
    hit, miss = int(node.hit), int(node.people - node.hit)
    return Node(HitMiss(node.row.index(node.hit), hit, miss), node.attribute, edges)


# Random trees


@st.composite
def trees(draw: st.DrawFn, *, told: str) -> Tree:
    """Up to four attributes of up to six values and up to five labels, every leaf with a random number of people."""
    sizes = draw(st.lists(st.integers(2, 6), min_size=1, max_size=4))
    attributes = tuple(
        Attribute(f"a{place}", "public", "categorical", tuple(f"v{value}" for value in range(size)))
        for place, size in enumerate(sizes)
    )
    labels = tuple(f"S{place}" for place in range(draw(st.integers(2, 5))))
    counts = st.lists(st.integers(0, 7), min_size=len(labels), max_size=len(labels))

    def node(free: Sequence[int]) -> Node:
        if not free or not draw(st.integers(0, 2)):
            return Node.of_counts(draw(counts))
        asked = draw(st.sampled_from(free))
        values = attributes[asked].values
        ends = sorted(draw(st.sets(st.integers(1, len(values) - 1), min_size=1)))
        parts = [values[start:end] for start, end in pairwise([0, *ends, len(values)])]
        edges = tuple(Edge(Region(frozenset(part)), node([one for one in free if one != asked])) for part in parts)
        rows = [edge.node.counts for edge in edges]
        return Node.of_counts(map(sum, zip(*rows, strict=True)), asked, edges)

    return Tree(attributes, "class", "private", labels, node(range(len(attributes)))).disclosing(told)
