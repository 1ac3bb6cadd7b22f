"""Pseudo-people of single paths: the example of the paper, numbers, missing values, published spreads, refusals."""

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2_contingency

from kspan.errors import ModelError, PolicyError
from kspan.model.outcome import HitMiss
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from kspan.model.tree.release import Marginal, TreeRelease
from kspan.share import pgen as module
from kspan.share.basegen import basegen
from kspan.share.pgen import frame_of, pgen
from kspan.share.pool import pool
from kspan.share.source import Source


def word(name: str, *values: str, missing: bool = False) -> Attribute:
    return Attribute(name, "public", "categorical", values, has_missing=missing)


def number(low: float | None = None, high: float | None = None, missing: bool = False) -> Attribute:
    return Attribute("n", "public", "numeric", (), low, high, missing)


def among(*values: str, missing: bool = False) -> Region:
    return Region(frozenset(values), missing=missing)


def between(*intervals: tuple[float | None, float | None], missing: bool = False) -> Region:
    return Region(intervals=intervals, missing=missing)


def split(at: int, *edges: tuple[Region, Node]) -> Node:
    counts = np.sum([node.counts for _, node in edges], axis=0).tolist()
    return Node.of_counts(counts, at, tuple(Edge(region, node) for region, node in edges))


def tree(attributes: Any, root: Node, labels: tuple[str, ...] = ("no", "yes")) -> Tree:
    return Tree(tuple(attributes), "t", "private", labels, root)


def made(*trees: Tree | TreeRelease, **options: Any) -> pl.DataFrame:
    releases = [one if isinstance(one, TreeRelease) else TreeRelease(one) for one in trees]
    return frame_of(pgen(pool([Source(f"tree {at}", one) for at, one in enumerate(releases)]), **options))


def times(frame: pl.DataFrame, name: str) -> dict[Any, int]:
    return dict(Counter(frame[name].to_list()))


OF = Node.of_counts

FIGURE_8 = Tree(
    (
        word("A", "a1", "a2"),
        word("B", "b1", "b2", "b3", "b4", "b5"),
        word("C", "c1", "c2", "c3"),
        word("D", *(f"d{count}" for count in range(1, 11))),
    ),
    "Class",
    "private",
    ("S1", "S2", "S3", "S4", "S5"),
    Node(
        HitMiss(3, 8, 16),
        0,
        (
            Edge(
                among("a1"),
                Node(
                    HitMiss(3, 8, 16),
                    1,
                    (
                        Edge(among("b1", "b2", "b3"), Node(HitMiss(None, 0, 0))),
                        Edge(among("b4", "b5"), Node(HitMiss(3, 8, 16))),
                    ),
                ),
            ),
            Edge(among("a2"), Node(HitMiss(None, 0, 0))),
        ),
    ),
)


@pytest.mark.parametrize("rng", range(5))
def test_example_20(rng: int) -> None:
    found = made(FIGURE_8, rng=rng)
    assert times(found, "A") == {"a1": 24}
    assert times(found, "B") == {"b4": 12, "b5": 12}
    assert times(found, "C") == {"c1": 8, "c2": 8, "c3": 8}
    assert set(times(found, "D").values()) == {2, 3}
    assert times(found, "Class") == {"S4": 8, "S1": 4, "S2": 4, "S3": 4, "S5": 4}


def test_example_20_by_chance_and_larger() -> None:
    found = made(FIGURE_8, rows=24_000, values="random", labels="random")
    assert found.height == 24_000
    assert times(found, "B")["b4"] == pytest.approx(12_000, rel=0.03)
    assert times(found, "Class") == pytest.approx(
        {"S4": 8000, "S1": 4000, "S2": 4000, "S3": 4000, "S5": 4000}, rel=0.06
    )
    exact = made(FIGURE_8, rows=48)
    assert times(exact, "Class") == {"S4": 16, "S1": 8, "S2": 8, "S3": 8, "S5": 8}


def test_columns_and_labels_are_independent() -> None:
    found = made(FIGURE_8, rows=24_000)
    for first, second in (("B", "C"), ("B", "Class"), ("C", "D"), ("D", "Class")):
        ones, others = (found[name].to_physical().to_numpy().astype(np.int64) for name in (first, second))
        table = np.bincount(ones * 10 + others, minlength=100).reshape(-1, 10)
        test = chi2_contingency(table[table.any(axis=1)][:, table.any(axis=0)])
        assert test.pvalue > 1e-4


def test_misses_that_do_not_divide_fall_on_every_label_by_chance() -> None:
    leaf = tree([], Node(HitMiss(1, 5, 2)), ("a", "b", "c", "d"))
    seen = Counter[str]()
    for rng in range(300):
        found = times(made(leaf, rng=rng), "t")
        assert found.pop("b") == 5
        assert set(found.values()) == {1}
        seen.update(found)
    assert seen == pytest.approx({"a": 200, "c": 200, "d": 200}, rel=0.2)


def test_misses_fall_on_labels_that_the_owner_knows() -> None:
    found = made(tree([], Node(HitMiss(0, 5, 3)), ("a", "b")), tree([], OF((1, 1)), ("a", "c")), labels="random")
    assert set(found[:8]["t"]) <= {"a", "b"}


def test_label_counts_are_mapped_to_the_united_labels() -> None:
    found = made(tree([], OF((3, 2)), ("x", "y")), tree([], OF((4, 5)), ("z", "x")))
    assert times(found, "t") == {"x": 8, "y": 2, "z": 4}
    assert found["t"].dtype == pl.Enum(["x", "y", "z"])


def test_parts_of_people_are_rounded_to_the_sum_of_all() -> None:
    word_ = word("w", "a", "b", "c")
    found = made(
        tree([word_], split(0, (among("a"), OF((1.4, 0))), (among("b"), OF((0, 2.4))), (among("c"), OF((0.2, 0)))))
    )
    assert times(found, "w") in ({"a": 2, "b": 2}, {"a": 1, "b": 3})


# Numbers

AGE = number(17, 90)
OLD = tree([AGE], split(0, (between((None, 37.0)), OF((6, 0))), (between((37.0, None)), OF((0, 4)))))
ONLY_OLD = tree([AGE], split(0, (between((None, 37.0)), OF((0, 0))), (between((37.0, None)), OF((0, 40)))))


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [("cells", {27: 6, 64: 4}), ("midpoint", {27: 6, 64: 4}), ("endpoint", {37: 6, 90: 4})],
)
def test_numbers_of_an_interval(numbers: str, expected: dict[int, int]) -> None:
    found = made(OLD, numbers=numbers)
    assert times(found, "n") == expected
    assert found["n"].dtype == pl.Int64


def test_uniform_numbers_fill_the_interval() -> None:
    found = made(ONLY_OLD, numbers="uniform", rows=5000)["n"]
    assert (found.min(), found.max(), found.n_unique()) == (38, 90, 53)
    halves = tree([number(0, 1.25)], OF((0, 5000)))
    drawn = made(halves, numbers="uniform")["n"]
    assert drawn.dtype == pl.Float64
    assert 0 <= float(drawn.min()) < 0.01  # type: ignore[arg-type]
    assert 1.24 < float(drawn.max()) <= 1.25  # type: ignore[arg-type]


def test_bounds_of_all_trees_cut_the_range_into_cells() -> None:
    other = tree([number(0, 80)], split(0, (between((None, 20.0)), OF((1, 0))), (between((20.0, None)), OF((9, 0)))))
    found = made(OLD, other)
    # The range is [0, 90]; 20 and 37 cut it.
    assert set(found[:6]["n"]) == {10, 28}
    assert set(found[6:10]["n"]) == {64}
    assert set(found[11:]["n"]) == {28, 64}


def test_an_absent_number_is_anything_in_its_range() -> None:
    other = tree([], OF((9, 0)))
    assert set(made(OLD, other)[10:]["n"]) == {27, 64}
    assert made(OLD, tree([], OF((900, 0))), numbers="midpoint")[10:]["n"].n_unique() == 74


def test_only_a_path_without_whole_numbers_gets_fractions() -> None:
    root = split(0, (between((None, 5.0)), OF((2, 0))), (between((5.0, 5.5), (7.0, None)), OF((9, 0))))
    assert set(made(tree([number(0, 10)], root))["n"]) == {2, 8}
    empty = split(0, (between((None, 5.0), (5.5, None)), OF((2, 0))), (between((5.0, 5.5)), OF((9, 0))))
    found = made(tree([number(0, 10)], empty))
    assert set(found[2:]["n"]) == {5.25}
    assert found["n"].dtype == pl.Float64


@pytest.mark.parametrize("numbers", ["cells", "uniform", "midpoint", "endpoint"])
@pytest.mark.parametrize("bound", [0.0, 0.1, -3.0, 1e17, -1e99, 5e-324])
def test_an_open_range_reaches_beyond_its_bounds(bound: float, numbers: str) -> None:
    root = split(0, (between((None, bound)), OF((5, 0))), (between((bound, None)), OF((0, 5))))
    found = made(tree([number()], root), numbers=numbers)
    assert (found["n"][:5] <= bound).all()
    assert (found["n"][5:] > bound).all()
    assert found["n"].cast(pl.Float64).is_finite().all()


def test_a_lone_number_of_a_domain() -> None:
    root = split(0, (between((None, 3.0)), OF((5, 0))), (between((3.0, None)), OF((0, 5))))
    assert made(tree([number(3, 8)], root))["n"].to_list() == [3] * 5 + [6] * 5
    assert set(made(tree([number(4.5, 4.5)], OF((5, 0))))["n"]) == {4.5}


def test_what_nobody_knows_is_constant() -> None:
    found = made(tree([number(), word("w")], OF((5, 0))))
    assert set(found["n"]) == {0}
    assert found["w"].null_count() == 5


def test_no_number_lies_beyond_the_last() -> None:
    last = 1.7976931348623157e308
    root = split(0, (between((None, last)), OF((5, 0))), (between((last, None)), OF((0, 5))))
    with pytest.raises(ModelError, match="tree 0 has people on a path that admits no value of 'n'"):
        made(tree([number()], root))


# Missing values


@pytest.mark.parametrize("numbers", ["cells", "uniform", "midpoint", "endpoint"])
def test_a_missing_value_is_drawn_where_it_is_a_condition(numbers: str) -> None:
    asked = number(0, 10, missing=True)
    alone = tree([asked], split(0, (between((None, None)), OF((4, 0))), (Region(missing=True), OF((0, 4)))))
    found = made(alone, numbers=numbers)["n"]
    assert found.null_count() == 4
    assert found[4:].null_count() == 4
    one = tree([asked], split(0, (between((None, 4.0), missing=True), OF((6, 0))), (between((4.0, None)), OF((0, 6)))))
    found = made(one, numbers=numbers)["n"]
    assert found[:6].null_count() == 3
    assert found[6:].null_count() == 0


def test_a_missing_value_that_goes_everywhere_is_never_drawn() -> None:
    both = [(among("a", missing=True), OF((5, 0))), (among("b", missing=True), OF((0, 5)))]
    found = made(tree([word("w", "a", "b", missing=True), word("v", "c", missing=True)], split(0, *both)))
    assert found.null_count().row(0) == (0, 0, 0)


def test_a_missing_value_that_several_paths_share_is_not_drawn_below_a_condition() -> None:
    again = split(0, (among("a", missing=True), OF((4, 0))), (among("b", missing=True), OF((0, 4))))
    found = made(
        tree(
            [word("w", "a", "b", "c", missing=True)],
            split(0, (among("a", "b", missing=True), again), (among("c"), OF((2, 0)))),
        )
    )
    assert times(found, "w") == {"a": 4, "b": 4, "c": 2}


# Published spreads


def released(one: Tree, *bins: tuple[Region, int]) -> TreeRelease:
    return TreeRelease(one, marginals=(Marginal(0, bins),))


def test_published_spreads_of_words() -> None:
    one = tree([word("w", "a", "b", "c", "d", missing=True)], OF((20, 0)))
    bins = (among("a"), 10), (among("b", "c"), 6), (among("d", missing=True), 8)
    assert times(made(released(one, *bins)), "w") == {"a": 10, "b": 3, "c": 3, "d": 4}
    assert set(times(made(released(one, *bins), marginals=False), "w").values()) == {5}
    drawn = times(made(released(one, *bins), values="random", rows=20_000), "w")
    assert drawn == pytest.approx({"a": 10_000, "b": 3000, "c": 3000, "d": 4000}, rel=0.08)


def test_published_spreads_are_restricted_to_the_path() -> None:
    root = split(0, (among("a", "b"), OF((9, 0))), (among("c", "d"), OF((0, 8))))
    bins = (among("a"), 10), (among("b"), 5), (among("c", "d"), 0)
    found = made(released(tree([word("w", "a", "b", "c", "d")], root), *bins))
    assert times(found, "w") == {"a": 6, "b": 3, "c": 4, "d": 4}


@pytest.mark.parametrize("numbers", ["cells", "uniform", "midpoint", "endpoint"])
def test_published_spreads_of_numbers(numbers: str) -> None:
    root = split(0, (between((None, 50.0)), OF((40, 0))), (between((50.0, None)), OF((0, 0))))
    bins = (between((None, 20.0)), 10), (between((20.0, 50.0)), 30), (between((50.0, None)), 5)
    one = released(tree([number(0, 100)], root), *bins)
    other = tree([], OF((1, 0)))
    found = made(one, other, numbers=numbers)[:40]["n"]
    if numbers in ("cells", "uniform"):
        assert (found <= 20).sum() == 10
    assert (found <= 50).all()


def test_published_spreads_of_missing_values() -> None:
    root = split(0, (among("a", missing=True), OF((8, 0))), (among("b"), OF((0, 8))))
    bins = (among("a"), 6), (among("b"), 6), (Region(missing=True), 2)
    found = made(released(tree([word("w", "a", "b", missing=True)], root), *bins))
    assert times(found, "w") == {"a": 6, None: 2, "b": 8}


def test_a_suppressed_value_stays_one() -> None:
    table = pgen(pool([Source("it", TreeRelease(tree([word("w", "a", "*", "b")], OF((9, 0)))))]))
    column = table["w"]
    assert (column.values.tolist(), column.has_suppressed) == (["a", "b"], True)
    assert times(frame_of(table), "w") == {"a": 3, "*": 3, "b": 3}


# Refusals


@pytest.mark.parametrize(("kind", "what"), [("shares", "shares"), ("label", "labels")])
def test_a_tree_without_counts_is_refused(kind: str, what: str) -> None:
    with pytest.raises(
        ModelError, match=f"tree 1 discloses only {what}, so how many people each path has is not known"
    ):
        made(OLD, OLD.disclosing(kind))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"numbers": "cell"}, "numbers cannot be 'cell' .did you mean 'cells'"),
        ({"values": "evenly"}, "values cannot be 'evenly'"),
        ({"labels": 3}, "labels cannot be '3'"),
        ({"rows": 0}, "number of rows must be a whole number"),
        ({"rows": 2.5}, "number of rows must be a whole number"),
        ({"rows": 10**12}, "number of rows must be a whole number"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(PolicyError, match=says):
        made(OLD, **options)


def test_too_many_people_and_nobody_are_refused() -> None:
    with pytest.raises(ModelError, match="more than 100,000,000 people: say how many rows"):
        made(tree([], OF((2**53 - 1, 1))))
    assert made(tree([], OF((2**53 - 1, 1))), rows=10).height == 10
    with pytest.raises(ModelError, match="tell of nobody"):
        made(tree([], OF((0, 0))))
    with pytest.raises(ModelError, match="tell of nobody"):
        made(tree([], OF((0, 0))), rows=5)


def test_labels_are_drawn_a_few_paths_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [word("w", "a", "b", "c")]
    root = split(0, (among("a"), OF((1, 2))), (among("b"), OF((3, 0))), (among("c"), OF((0, 4))))
    monkeypatch.setattr(module, "LABELS_AT_ONCE", 3)
    found = made(tree(words, root)).group_by("w", "t").len().rows()
    assert {row[:2]: row[2] for row in found} == {("a", "no"): 1, ("a", "yes"): 2, ("b", "no"): 3, ("c", "yes"): 4}


# BASEGEN


def test_basegen_labels_anybody_as_a_tree_does() -> None:
    pooled = pool([Source("one", TreeRelease(OLD)), Source("two", TreeRelease(tree([], OF((0, 30)))))])
    found = frame_of(basegen(pooled, rows=4000))
    assert found.height == 4000
    assert times(found, "n") == pytest.approx({27: 2000, 64: 2000}, rel=0.1)
    mine = found[:1000]
    assert ((mine["n"] > 37) == (mine["t"] == "yes")).all()
    assert set(found[1000:]["t"]) == {"yes"}
    assert frame_of(basegen(pooled)).height == 40
    assert frame_of(basegen(pooled, numbers="uniform", rows=4000))["n"].n_unique() == 74


def test_basegen_maps_labels_to_the_united_ones() -> None:
    first, second = tree([], OF((0, 5)), ("a", "b")), tree([], OF((0, 5)), ("c", "a"))
    found = frame_of(basegen(pool([Source("one", TreeRelease(first)), Source("two", TreeRelease(second))])))
    assert found["t"].to_list() == ["b"] * 5 + ["a"] * 5


def test_basegen_needs_no_counts_but_then_rows() -> None:
    pooled = pool([Source("one", TreeRelease(OLD.disclosing("label"))), Source("two", TreeRelease(OLD))])
    assert basegen(pooled, rows=10).rows == 10
    with pytest.raises(PolicyError, match="say how many rows to make"):
        basegen(pooled)
    with pytest.raises(PolicyError, match="numbers cannot be 'midpoint'"):
        basegen(pooled, rows=10, numbers="midpoint")
