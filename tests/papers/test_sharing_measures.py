"""The path measures of Tian, Zhang, Xu and Sharkey (Sect. 3.3) on the part of their Fig. 5 that the text determines."""

import pytest

import kspan as ks
from kspan.model.outcome import HitMiss
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree

CLASSES = ("S1", "S2", "S3", "S4", "S5")
NAMES = ("d", "e", "k", "l", "g", "m", "n")  # the leaves, from left to right


def node(label: str, hit: int, miss: int, attribute: int | None = None, *below: tuple[Region, Node]) -> Node:
    return Node(HitMiss(CLASSES.index(label), hit, miss), attribute, tuple(Edge(*each) for each in below))


def value(name: str) -> Region:
    return Region(frozenset({name}))


B = Attribute("B", "public", "categorical", ("b1", "b2", "b3", "b4", "b5"))
C = Attribute("C", "public", "categorical", ("c1", "c2"))
D = Attribute("D", "public", "numeric")
F = node("S3", 5, 9, 1, (value("c1"), node("S5", 2, 2)), (value("c2"), node("S3", 4, 6)))
H = node(
    *("S1", 3, 7, 2),
    (Region(intervals=((None, 5),)), node("S1", 2, 5)),
    (Region(intervals=((5, None),)), node("S1", 1, 2)),
)
ROOT = node(
    *("S1", 12, 38, 0),
    (value("b1"), node("S1", 3, 0)),
    (value("b2"), node("S2", 5, 4)),
    (value("b3"), F),
    (value("b4"), node("S4", 6, 8)),
    (value("b5"), H),
)
TREE = Tree((B, C, D), "Class", "private", CLASSES, ROOT)


def breaking(require: str) -> set[str]:
    """The leaves that break a requirement."""
    found = ks.audit(TREE, require=require, show=10)
    assert found.holds == (not found.failing)
    return {NAMES[int(one.shown["leaf"]) - 1] for one in found.failing}


def test_example_12() -> None:
    """Of these paths d, e and g are not (3, 3)-diverse."""
    assert breaking("recursive_cl=[3, 3]") == {"d", "e", "g"}
    found = ks.audit(TREE, require="recursive_cl=[3, 3]")
    assert any("at least 3 labels" in sentence for sentence in found.assumptions)


def test_example_10() -> None:
    """The tree satisfies 3-anonymity (Definition 9); so do not d and n 4-anonymity."""
    assert breaking("k=3") == set()
    assert breaking("k=4") == {"d", "n"}
    found = ks.audit(TREE, require="k=3")
    assert (found.people, found.groups, found.k.people, found.units) == (50, 7, 3, "paths")


def test_example_14() -> None:
    """The path to g, (6, 8), satisfies simple 2-diversity (Definition 13)."""
    assert "g" not in breaking("simple_l=2")
    assert breaking("simple_l=2") == {"d", "e"}
    assert "g" in breaking("simple_l=3")


@pytest.mark.parametrize(("require", "of"), [("recursive_cl=[4, 3]", "g"), ("recursive_cl=[6, 3]", "e")])
def test_the_tails(require: str, of: str) -> None:
    """The tail of g is 2 and that of e is 1, so that a larger c is satisfied where hit < c * tail."""
    assert of not in breaking(require)
    c = int(require[14]) - 1
    assert of in breaking(f"recursive_cl=[{c}, 3]")
