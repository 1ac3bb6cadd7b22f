"""Cells of clusterings: the judge's and the maker's against the definition, and what is mined against the judge."""

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.clusters.cells import cells_reached
from kspan.audit.clusters.judge import audit_clusters, clustered_people
from kspan.audit.clusters.spans import cluster_spans
from kspan.data.encode import encode
from kspan.data.groups import count_groups
from kspan.induce.clusters.learner import clusters as mined
from kspan.induce.clusters.reach import cells_of
from kspan.induce.clusters.spanning_tree import Forest, spanning_tree
from kspan.model.clusters.model import Axis, Clusters
from kspan.model.tree.model import Attribute
from kspan.privacy import OnPrivate
from laws.asked import KEYS, asked, of_crowds
from laws.examples import share_of_examples

COORDINATES = st.integers(-6, 6)


def numeric(name: str, role: Any, low: int | None = None, high: int | None = None) -> Axis:
    return Axis.of(Attribute(name, role, "numeric", low=low, high=high))


@st.composite
def clusterings(draw: st.DrawFn, private: int, *, bounded: bool = True, words: bool = False) -> Clusters:
    """A few centers at whole numbers, one number public and some private ones, perhaps a private category."""
    axes = [numeric("known", "public")]
    for number in range(private):
        low = draw(st.integers(-6, 5)) if bounded else None
        axes.append(numeric(f"hidden{number}", "private", low, None if low is None else draw(st.integers(low, 6))))
    if words:
        axes.append(Axis.of(Attribute("word", "private", "categorical", ("x", "y"), has_missing=draw(st.booleans()))))
    number = draw(st.integers(1, 5))
    centers = []
    for _ in range(number):
        center: list[tuple[float, ...]] = [(draw(COORDINATES),) for _ in range(private + 1)]
        if words:
            shares = draw(st.lists(st.sampled_from([0, 1, 2]), min_size=len(axes[-1].values), max_size=3).filter(any))
            padded = [*shares, *[0] * (len(axes[-1].values) - len(shares))][: len(axes[-1].values)]
            total = sum(padded) or 1
            center.append(tuple(share / total for share in (padded if any(padded) else [1, *padded[1:]])))
        centers.append(tuple(center))
    return Clusters(tuple(axes), tuple(centers), (0,) * number)


def square(clusters: Clusters, cluster: int, values: dict[str, Any]) -> Fraction:
    """The squared distance of somebody from a center, by the definition."""
    total = Fraction(0)
    for axis, center in zip(clusters.axes, clusters.centers[cluster], strict=True):
        value = values[axis.attribute.name]
        if axis.attribute.is_measured:
            total += (Fraction(value) - Fraction(center[0])) ** 2
        else:
            total += sum(
                (Fraction(value == name) - Fraction(share)) ** 2
                for name, share in zip(axis.values, center, strict=True)
            ) / Fraction(2)
    return total


def nearest(clusters: Clusters, values: dict[str, Any]) -> int:
    return min(range(len(clusters)), key=lambda cluster: (square(clusters, cluster, values), cluster))


def tried(clusters: Clusters, known: int, words: dict[str, str]) -> list[Fraction]:
    """All numbers at which the nearest of the centers can change, and numbers between and beyond them."""
    zero, one = ({"known": known, "hidden0": number, **words} for number in (0, 1))
    heights = [square(clusters, cluster, zero) for cluster in range(len(clusters))]
    slopes = [square(clusters, cluster, one) - heights[cluster] for cluster in range(len(clusters))]
    crossings = {
        (heights[j] - heights[i]) / (slopes[i] - slopes[j])
        for i, j in product(range(len(clusters)), repeat=2)
        if slopes[i] != slopes[j]
    }
    low, high = clusters.attributes[1].low, clusters.attributes[1].high
    if low is None or high is None:
        ends = [min(crossings, default=Fraction(0)) - 1, max(crossings, default=Fraction(0)) + 1]
    else:
        ends = [Fraction(low), Fraction(high)]
    points = sorted({*(one for one in crossings if ends[0] <= one <= ends[1]), *ends})
    return [*points, *((a + b) / 2 for a, b in pairwise(points))]


def both(clusters: Clusters, known: list[int]) -> list[list[list[int]]]:
    """Which cells people reach, as the judge and as the maker find it."""
    squares = np.array([[(one - center[0][0]) ** 2.0 for center in clusters.centers] for one in known])
    return [[np.flatnonzero(row).tolist() for row in find(clusters, squares)] for find in (cells_reached, cells_of)]


@pytest.mark.parametrize("bounded", [True, False])
@given(data=st.data())
def test_one_unknown_number_reaches_the_cells_of_the_definition(bounded: bool, data: st.DataObject) -> None:
    clusters = data.draw(clusterings(1, bounded=bounded))
    known = data.draw(st.lists(COORDINATES, min_size=1, max_size=4))
    wanted = [
        sorted({nearest(clusters, {"known": one, "hidden0": number}) for number in tried(clusters, one, {})})
        for one in known
    ]
    for found in both(clusters, known):
        assert found == wanted


@given(data=st.data())
def test_unknown_categories_are_all_tried(data: st.DataObject) -> None:
    clusters = data.draw(clusterings(data.draw(st.integers(0, 1)), words=True))
    known = data.draw(st.lists(COORDINATES, min_size=1, max_size=3))
    for one, *found in zip(known, *both(clusters, known), strict=True):
        wanted = set()
        for word in clusters.axes[-1].values:
            if len(clusters.axes) == 2:
                wanted.add(nearest(clusters, {"known": one, "word": word}))
                continue
            for number in tried(clusters, one, {"word": word}):
                wanted.add(nearest(clusters, {"known": one, "hidden0": number, "word": word}))
        # Shares such as 1/3 are rounded, so that what ties on paper need not tie here.
        assert set(found[0]) == set(found[1])
        assert len(set(found[0]) ^ wanted) <= 1


@share_of_examples(0.8)
@given(data=st.data())
def test_two_unknown_numbers_reach_every_cell_that_has_a_point(data: st.DataObject) -> None:
    clusters = data.draw(clusterings(2))
    known = data.draw(st.lists(COORDINATES, min_size=1, max_size=2))
    wanted = [[cell for cell in range(len(clusters)) if has_a_point(clusters, one, cell)] for one in known]
    for found in both(clusters, known):
        assert found == wanted


def has_a_point(clusters: Clusters, known: int, cell: int) -> bool:
    """Is there a place, in what numbers may be, nearer to its center than to all before it, and as near as to others?

    The places that are no nearer to any other center are convex. So if some are nearer than to each of those before it,
    a place in the middle of them is nearer than to all; and each lead is largest in a corner.
    """

    def height(cluster: int, x: int, y: int) -> Fraction:
        return square(clusters, cluster, {"known": known, "hidden0": x, "hidden1": y})

    bounds = []  # a x + b y <= c
    for other in range(len(clusters)):
        c = height(other, 0, 0) - height(cell, 0, 0)
        a = height(cell, 1, 0) - height(other, 1, 0) + c
        b = height(cell, 0, 1) - height(other, 0, 1) + c
        bounds.append((a, b, c))
    for place, attribute in enumerate(clusters.attributes[1:]):
        sign = (Fraction(place == 0), Fraction(place == 1))
        bounds += [(*sign, Fraction(attribute.high or 0)), (-sign[0], -sign[1], -Fraction(attribute.low or 0))]
    corners = []
    for (a, b, c), (d, e, f) in product(bounds, repeat=2):
        if a * e != b * d:
            x, y = (c * e - b * f) / (a * e - b * d), (a * f - c * d) / (a * e - b * d)
            if all(one * x + two * y <= three for one, two, three in bounds):
                corners.append((x, y))
    return bool(corners) and all(
        any(a * x + b * y < c for x, y in corners) for other, (a, b, c) in enumerate(bounds) if other < cell
    )


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    rows = draw(
        st.lists(st.tuples(COORDINATES, st.sampled_from(["x", "y", None]), st.integers(0, 9)), min_size=1, max_size=30)
    )
    return pl.DataFrame(rows, schema={"age": pl.Int64, "town": pl.String, "pay": pl.Int64}, orient="row")


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
@share_of_examples(0.3)
@given(
    people=tables(),
    k=st.integers(1, 6),
    least=st.sampled_from([None, 1]),
    data=st.data(),
    private=st.sampled_from([["pay"], ["town"], ["pay", "town"], ["age", "pay"]]),
)
def test_whatever_is_mined_passes_the_judge(
    key: str, people: pl.DataFrame, k: int, least: int | None, data: st.DataObject, private: list[str]
) -> None:
    public = [name for name in people.columns if name not in private]
    require = ks.KAnonymity(k) if key == "k" else of_crowds(k, data.draw(asked(key)))
    policy = ks.Policy(public=public, private=private, require=require, domains={"pay": [0, 9], "age": [-6, 6]})
    table = encode(people, policy)
    try:
        found = mined(table, policy, most=6, min_people=least)
    except ks.Unreachable:
        # One cluster of everybody tells how private values are spread among all.
        everybody = count_groups(table, np.zeros(table.rows, np.int64), 1, private)
        assert not all(part.holds(everybody).all() for part in require.parts if isinstance(part, OnPrivate))
        return
    assert audit_clusters(found, people, policy).holds
    assert sum(found.people) == people.height
    assert found.people == tuple(np.bincount(found.nearest(table), minlength=len(found)).tolist())
    spans = cluster_spans(found, clustered_people(found, people, policy))
    assert all(spans.reaches[spans.span[row], cell] for row, cell in enumerate(found.nearest(table)))


@given(data=st.data())
def test_sides_of_a_cut_are_those_of_the_tree(data: st.DataObject) -> None:
    number = data.draw(st.integers(2, 12))
    points = np.array(
        data.draw(st.lists(st.tuples(COORDINATES, COORDINATES), min_size=number, max_size=number, unique=True))
    )
    people = np.array(data.draw(st.lists(st.integers(1, 5), min_size=number, max_size=number)))
    edges, lengths = spanning_tree(points.astype(np.float64))
    assert len(edges) == number - 1
    assert (np.diff(lengths) <= 0).all()
    forest = Forest.of(edges, people, points.astype(np.float64))
    gone: list[int] = []
    for edge in data.draw(st.permutations(range(number - 1)))[: data.draw(st.integers(1, number - 1))]:
        _, above, below = forest.sides(edge)
        left = [one for one in range(number - 1) if one not in (*gone, edge)]
        wanted = sorted(sides(edges, left, people, points, edge))
        assert sorted([above.tolist(), below.tolist()]) == wanted
        forest.cut.append(edge)
        gone.append(edge)


def sides(edges: Any, left: list[int], people: Any, points: Any, edge: int) -> list[list[float]]:
    """People and sums of coordinates of what hangs on either end of an edge, by walking."""
    found = []
    for end in edges[edge]:
        reached, waiting = {int(end)}, [int(end)]
        while waiting:
            here = waiting.pop()
            for one in left:
                if here in edges[one]:
                    (other,) = [int(point) for point in edges[one] if point != here]
                    if other not in reached:
                        reached.add(other)
                        waiting.append(other)
        inside = sorted(reached)
        found.append([float(people[inside].sum()), *(people[inside, None] * points[inside]).sum(axis=0).astype(float)])
    return found
