"""What a tree says of people, beside a naive walk of one person at a time; some of them go several ways at once."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from kspan.model.outcome import DISCLOSURES
from kspan.model.predict import asked
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree

COLOR = Attribute("color", "public", "categorical", ("red", "green", "blue"), has_missing=True)
AGE = Attribute("age", "public", "numeric", low=0.0, high=9.0, has_missing=True)
LABELS = ("a", "b", "c")
Draw = Callable[[st.SearchStrategy[Any]], Any]
Person = Mapping[str, Any]


def told(node: Node) -> list[float] | None:
    shares = node.outcome.shares(len(LABELS))
    return None if shares is None else shares.tolist()


def admits(region: Region, value: Any) -> bool:
    if value is None:
        return region.missing
    if isinstance(value, str):
        return value in region.values
    return any((low is None or value > low) and (high is None or value <= high) for low, high in region.intervals)


def naive(tree: Tree, node: Node, person: Person, above: list[float]) -> list[float]:
    """The definition, a person at a time."""
    answer = told(node) or above
    if node.attribute is None:
        return answer
    value = person[tree.attributes[node.attribute].name]
    sons = [edge.node for edge in node.edges if admits(edge.region, value)]
    if not sons:
        return answer
    weights = [son.people or 0 for son in sons]
    if not any(weights):
        weights = [1] * len(sons)
    said = [naive(tree, son, person, answer) for son in sons]
    return [
        sum(weight * one[place] for weight, one in zip(weights, said, strict=True)) / sum(weights)
        for place in range(len(LABELS))
    ]


@st.composite
def trees(draw: Draw, several: bool) -> Tree:
    number = st.sampled_from([0, 0, 1, 2, 0.5, 1.25]) if several else st.sampled_from([0, 0, 1, 5])

    def grown(depth: int) -> Node:
        if depth == 0 or draw(st.integers(0, 3)) == 0:
            return Node.of_counts(draw(st.tuples(number, number, number)))
        place = draw(st.integers(0, 1))
        if place == 0:
            heaps = draw(st.sampled_from([["red", "green", "blue"], ["red", "green"], ["red", "green|blue"]]))
            regions = [Region(frozenset(heap.split("|"))) for heap in heaps]
        else:
            cut = draw(st.sampled_from([2, 4.5, 7]))
            regions = [Region(intervals=((None, cut),)), Region(intervals=((cut, None),))]
        ways = draw(st.sampled_from(["none", "one", "own", *(["all"] * 3 if several else [])]))
        if ways == "own":
            regions.append(Region(missing=True))
        elif ways != "none":
            lucky = draw(st.integers(0, len(regions) - 1))
            regions = [
                Region(one.values, one.intervals, ways == "all" or at == lucky) for at, one in enumerate(regions)
            ]
        edges = tuple(Edge(region, grown(depth - 1)) for region in regions)
        counts = map(sum, zip(*(edge.node.counts for edge in edges), strict=True))
        return Node.of_counts(counts, place, edges)

    return Tree((COLOR, AGE), "t", "private", LABELS, grown(draw(st.integers(0, 4))))


COLORS, AGES = ("red", "green", "blue", "pink", None), (0.0, 2.0, 4.75, 9.0, None)
PEOPLE = [{"color": color, "age": age} for color in COLORS for age in AGES]


def shares(tree: Tree) -> Any:
    return tree.shares(asked(tree, pl.DataFrame(PEOPLE)))


@given(trees(several=True), st.sampled_from(DISCLOSURES))
def test_as_the_definition_says(tree: Tree, kind: str) -> None:
    disclosing = tree.disclosing(kind)
    expected = [naive(disclosing, disclosing.root, person, [1 / 3] * 3) for person in PEOPLE]
    found = shares(disclosing)
    assert np.allclose(found, expected, rtol=0, atol=1e-12)
    assert np.allclose(found.sum(axis=1), 1)


@given(trees(several=False))
def test_who_goes_one_way_gets_the_last_answer_to_the_digit(tree: Tree) -> None:
    table = asked(tree, pl.DataFrame(PEOPLE))
    expected = np.full((len(PEOPLE), 3), 1 / 3)
    waiting = [(tree.root, np.arange(len(PEOPLE)))]
    while waiting:
        node, rows = waiting.pop()
        if node.people:
            expected[rows] = np.array(node.counts) / node.people
        if node.attribute is not None:
            column = table[tree.attributes[node.attribute].name]
            codes = column.codes[rows]
            waiting.extend((edge.node, rows[edge.region.covers(column)[codes]]) for edge in node.edges)
    assert (tree.shares(table) == expected).all()


def test_the_missing_go_where_the_people_are() -> None:
    edges = (
        Edge(Region(frozenset({"red"}), missing=True), Node.of_counts((3, 0, 0))),
        Edge(Region(frozenset({"green", "blue"}), missing=True), Node.of_counts((0, 1, 0))),
    )
    tree = Tree((COLOR,), "t", "private", LABELS, Node.of_counts((3, 1, 0), 0, edges))
    people = pl.DataFrame({"color": [None, "red", "pink"]})
    assert tree.shares(asked(tree, people)).tolist() == [[0.75, 0.25, 0], [1, 0, 0], [0.75, 0.25, 0]]
    only = tree.disclosing("label")
    assert only.shares(asked(only, people)).tolist() == [[0.5, 0.5, 0], [1, 0, 0], [1, 0, 0]]
