"""The tree of Tian, Zhang, Xu and Sharkey, Figs. 3, 5 and 7, as far as their text determines it."""

from kspan.model.outcome import HitMiss
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree

LABELS = ("S1", "S2", "S3", "S4", "S5")
ATTRIBUTES = (
    Attribute("A", "public", "categorical", ("a1", "a2")),
    Attribute("B", "public", "categorical", ("b1", "b2", "b3", "b4", "b5")),
    Attribute("C", "public", "categorical", ("c1", "c2", "c3")),
    Attribute("D", "public", "numeric", low=1, high=10),
)


def leaf(label: str, hit: int, miss: int) -> Node:
    """A leaf that tells so many hits and misses."""
    return Node(HitMiss(LABELS.index(label), hit, miss))


def asks(attribute: str, told: Node, edges: dict[Region, Node]) -> Node:
    """A node that tells what a leaf would, and asks an attribute."""
    number = [each.name for each in ATTRIBUTES].index(attribute)
    return Node(told.outcome, number, tuple(Edge(region, node) for region, node in edges.items()))


def values(*names: str) -> Region:
    """Some values."""
    return Region(frozenset(names))


D, E, G = leaf("S1", 3, 0), leaf("S2", 5, 4), leaf("S4", 6, 8)
K, L, M, N = leaf("S5", 2, 2), leaf("S3", 4, 6), leaf("S1", 2, 5), leaf("S1", 1, 2)
F = asks("C", leaf("S3", 5, 9), {values("c1"): K, values("c2", "c3"): L})
H = asks("D", leaf("S1", 3, 7), {Region(intervals=((None, 5),)): M, Region(intervals=((5, None),)): N})
B = asks("B", leaf("S1", 12, 38), {values("b1"): D, values("b2"): E, values("b3"): F, values("b4"): G, values("b5"): H})
OTHER = leaf("S2", 5, 10)
"""What the text says of the branch A = a2 is not enough to rebuild it: a leaf that satisfies (3, 3)-diversity."""
TREE = Tree(
    ATTRIBUTES, "class", "private", LABELS, asks("A", leaf("S1", 15, 50), {values("a1"): B, values("a2"): OTHER})
)
