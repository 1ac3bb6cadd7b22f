"""Pseudo-people against the definition: which values a path admits, and what Proposition 18 of Tian et al. says."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kspan.kernels.pseudo import draw_codes
from kspan.model.tree.json import read_tree
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from kspan.model.tree.release import Marginal, TreeRelease
from kspan.model.tree.writing import write_tree
from kspan.share.pgen import apportioned, frame_of, pgen
from kspan.share.pool import pool
from kspan.share.source import Source

Draw = Callable[[st.SearchStrategy[Any]], Any]
Path = list[tuple[Attribute, Region, int, int]]
"""Of each edge what it admits, how many edges its node has, and how many of them take a missing value."""

BOUNDS = (None, 1.0, 2.5, 4.0, 7.0, None)
PIECES = tuple(pairwise(BOUNDS))
INSIDE = (0.5, 2.0, 3.0, 5.0, 7.5)
"""A number of each piece."""
LABELS = ("a", "b", "c")


@st.composite
def trees(draw: Draw) -> Tree:
    """Trees over a word, a number and a word that is never asked; any of them may be missing."""
    low, high = draw(st.sampled_from([(None, None), (0.0, 10.0), (0.25, 8.0)]))
    asked = (
        Attribute("word", "public", "categorical", ("x", "y", "z"), has_missing=draw(st.booleans())),
        Attribute("number", "private", "numeric", low=low, high=high, has_missing=draw(st.booleans())),
        Attribute("idle", "public", "categorical", ("p", "q"), has_missing=draw(st.booleans())),
    )
    atoms: list[tuple[Any, ...]] = [("x", "y", "z"), PIECES]
    left = {at: (atoms[at], asked[at].has_missing) for at in (0, 1)}
    return Tree(asked, "label", "private", LABELS, grown(draw, left, draw(st.integers(0, 3))))


def grown(draw: Draw, left: dict[int, tuple[tuple[Any, ...], bool]], depth: int) -> Node:
    able = [at for at, (atoms, missing) in left.items() if atoms or missing]
    if depth == 0 or not able:
        return Node.of_counts(tuple(draw(st.integers(0, 5)) for _ in LABELS))
    at = draw(st.sampled_from(able))
    heaps: list[list[Any]] = [[] for _ in range(draw(st.integers(1, 3)))]
    for atom in left[at][0]:
        draw(st.sampled_from(heaps)).append(atom)
    heaps = [heap for heap in heaps if heap]
    takers = set[int]()
    if left[at][1]:
        taker = draw(st.integers(-1 if heaps else 0, len(heaps)))
        if taker == len(heaps):
            heaps.append([])  # an edge for nothing but missing values
        takers = set(range(len(heaps))) if taker < 0 else {taker}
    edges = []
    for place, heap in enumerate(heaps):
        kept = {"values": frozenset(heap)} if at == 0 else {"intervals": tuple(heap)}
        region = Region(**kept, missing=place in takers)  # type: ignore[arg-type]
        edges.append(Edge(region, grown(draw, {**left, at: (tuple(heap), place in takers)}, depth - 1)))
    counts = np.sum([edge.node.counts for edge in edges], axis=0).tolist()
    return Node.of_counts(counts, at, tuple(edges))


def paths_of(tree: Tree, node: Node | None = None, path: Path | None = None) -> Iterator[tuple[Path, Node]]:
    node, path = node or tree.root, path or []
    if node.attribute is None:
        yield path, node
    takers = sum(edge.region.missing for edge in node.edges)
    for edge in node.edges:
        asked = tree.attributes[node.attribute or 0]
        yield from paths_of(tree, edge.node, [*path, (asked, edge.region, len(node.edges), takers)])


def admits(region: Region, value: Any) -> bool:
    if value is None:
        return region.missing
    if isinstance(value, str):
        return value in region.values
    return any((low is None or low < value) and (high is None or value <= high) for low, high in region.intervals)


def satisfies(row: dict[str, Any], path: Path) -> bool:
    return all(admits(region, row[asked.name]) for asked, region, _, _ in path)


def admitted_words(path: Path, attribute: Attribute) -> set[str | None]:
    """By the definition: the values that all edges of the path admit; a missing one if it is a condition."""
    mine = [(region, edges, takers) for asked, region, edges, takers in path if asked.name == attribute.name]
    values: set[str | None] = {value for value in attribute.values if all(admits(one, value) for one, _, _ in mine)}
    told = any(0 < takers < edges for _, edges, takers in mine)
    shared = any(takers > 1 for _, _, takers in mine)
    if mine and all(one.missing for one, _, _ in mine) and ((told and not shared) or not values):
        values.add(None)
    return values


def is_shared(path: Path) -> bool:
    """Is nothing left but a missing value that several paths share?"""
    for name, values in (("word", ("x", "y", "z")), ("number", INSIDE)):
        mine = [(region, takers) for asked, region, _, takers in path if asked.name == name]
        alone = not any(all(admits(one, value) for one, _ in mine) for value in values)
        if alone and any(takers > 1 for _, takers in mine):
            return True
    return False


def rows_of(tree: Tree, **options: Any) -> list[dict[str, Any]]:
    return frame_of(pgen(pool([Source("it", TreeRelease(tree))]), **options)).to_dicts()


WAYS = {
    "numbers": st.sampled_from(["cells", "uniform", "midpoint", "endpoint"]),
    "values": st.sampled_from(["even", "random"]),
    "labels": st.sampled_from(["exact", "random"]),
    "rng": st.integers(0, 3),
}


@given(trees(), st.fixed_dictionaries(WAYS))
def test_proposition_18_every_pseudo_person_is_on_one_path_and_each_path_has_its_people(
    tree: Tree, options: dict[str, Any]
) -> None:
    found = list(paths_of(tree))
    if not tree.root.people or any(is_shared(path) for path, leaf in found if leaf.people):
        return
    on: list[list[dict[str, Any]]] = [[] for _ in found]
    for row in rows_of(tree, **options):
        places = [place for place, (path, _) in enumerate(found) if satisfies(row, path)]
        assert len(places) == 1
        on[places[0]].append(row)
        assert row["idle"] is not None
    for rows, (_, leaf) in zip(on, found, strict=True):
        assert len(rows) == leaf.people
        if options["labels"] == "exact":
            assert tuple(Counter(row["label"] for row in rows)[label] for label in LABELS) == leaf.counts


@given(trees(), st.integers(0, 3))
def test_words_are_those_that_the_path_admits_each_as_often(tree: Tree, rng: int) -> None:
    if not tree.root.people:
        return
    rows = iter(rows_of(tree, rng=rng))
    for path, leaf in paths_of(tree):
        own = [next(rows) for _ in range(int(leaf.people or 0))]
        for attribute in (tree.attributes[0], tree.attributes[2]):
            expected = admitted_words(path, attribute)
            times = Counter(row[attribute.name] for row in own)
            assert set(times) <= expected
            if own:
                each = len(own) / len(expected)
                assert {times[value] for value in expected} <= {int(np.floor(each)), int(np.ceil(each))}


@given(trees(), st.fixed_dictionaries(WAYS))
def test_the_same_seed_gives_the_same_people_and_a_file_changes_nothing(tree: Tree, options: dict[str, Any]) -> None:
    if not tree.root.people:
        return
    again = read_tree(write_tree(TreeRelease(tree))).tree
    assert rows_of(tree, **options) == rows_of(again, **options)


@given(trees(), st.integers(1, 200), st.integers(0, 3))
def test_any_number_of_rows_is_divided_in_proportion(tree: Tree, rows: int, rng: int) -> None:
    people = tree.root.people
    if not people:
        return
    made = iter(rows_of(tree, rows=rows, rng=rng, labels="exact"))
    seen = 0
    for path, leaf in paths_of(tree):
        least = int(rows * (leaf.people or 0) / people + 1e-9)
        for _ in range(least):
            row = next(made)
            seen += 1
            while not satisfies(row, path):  # one more of a path before
                row = next(made)
                seen += 1
    assert seen + len(list(made)) == rows


@given(st.lists(st.floats(0, 50), min_size=1, max_size=8), st.integers(0, 500), st.integers(0, 5))
def test_apportioned_numbers_add_up_and_are_next_to_their_part(weights: list[float], total: int, rng: int) -> None:
    each = np.array(weights)
    if each.sum() == 0:
        return
    parts = apportioned(each, total, np.random.default_rng(rng))
    assert parts.sum() == total
    assert (np.abs(parts - total * each / each.sum()) < 1 + 1e-9).all()


# The loop itself


def drawn(sizes: Sequence[int], weights: Sequence[float], *, even: bool, seed: int) -> np.ndarray[Any, Any]:
    """Codes of blocks that may all hold codes 2, 3, ... of some weights, as one uneven stretch."""
    below = np.concatenate([[0.0] * 3, np.cumsum(weights)])
    one = np.ones(1, np.int64)
    out = np.zeros(sum(sizes), np.uint8)
    choice, begin = np.zeros(len(sizes), np.int64), np.array([0, 1])
    shape = begin, 2 * one, len(weights) * one, np.array([float(sum(weights))]), np.ones(1, bool), below
    draw_codes(np.array(sizes), choice, *shape, even, np.uint64(seed), out)
    return out


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=4),
    st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any),
    st.integers(0, 2**63),
    st.booleans(),
)
def test_codes_come_as_often_as_their_weight_says(sizes: list[int], weights: list[int], seed: int, even: bool) -> None:
    out, row = drawn(sizes, weights, even=even, seed=seed), 0
    for size in sizes:
        times = np.bincount(out[row : row + size], minlength=len(weights) + 2)[2:]
        assert times.sum() == size
        assert not times[np.array(weights) == 0].any()
        if even:
            assert (np.abs(times - size * np.array(weights) / sum(weights)) < 1).all()
        row += size


def test_codes_drawn_by_themselves_are_as_likely_as_their_weights() -> None:
    times = np.bincount(drawn([60_000], [1, 2, 0, 3], even=False, seed=5))[2:]
    assert times == pytest.approx([10_000, 20_000, 0, 30_000], rel=0.05)


def test_the_order_of_even_codes_is_by_chance() -> None:
    out = drawn([4] * 6000, [1, 1, 1, 1], even=True, seed=9).reshape(-1, 4)
    orders = Counter(map(tuple, out.tolist()))
    assert len(orders) == 24
    assert max(orders.values()) < 1.35 * min(orders.values())


@given(trees(), st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any))
def test_published_spreads_are_kept_within_paths(tree: Tree, people: list[int]) -> None:
    if not tree.root.people:
        return
    word = tree.attributes[0]
    bins = tuple((Region(frozenset({value})), each) for value, each in zip(word.values, people, strict=True))
    release = TreeRelease(tree, marginals=(Marginal(0, bins),))
    weight = dict(zip(word.values, people, strict=True))
    rows = iter(frame_of(pgen(pool([Source("it", release)]))).to_dicts())
    for path, leaf in paths_of(tree):
        own = [next(rows) for _ in range(int(leaf.people or 0))]
        admitted = admitted_words(path, word)
        mass = sum(weight.get(str(value), 0) for value in admitted)
        times = Counter(row["word"] for row in own)
        for value in admitted:
            part = weight.get(str(value), 0) / mass if mass else 1 / len(admitted)
            assert abs(times[value] - len(own) * part) < 1 + 1e-9
