"""Trees of questions with two answers: what they may tell, that nothing more could be asked, and that the best is."""

import math
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from kspan.data.encode import encode
from kspan.data.table import Table
from kspan.errors import DataError
from kspan.induce.tree.goals import Goals
from kspan.induce.tree.grouped import GroupedGrowth
from kspan.induce.tree.grow import GrowingLeaf
from kspan.induce.tree.kadet import grow_in_crowds
from kspan.induce.tree.people import NO_SHARE, Split
from kspan.induce.tree.release import released, released_node
from kspan.induce.tree.simplify import simplify
from kspan.induce.tree.targets import NO_WORTH, Targets
from kspan.induce.tree.under_requirement import taking_part
from kspan.model.tree.model import Node, Tree
from laws import naive_spans
from laws.examples import share_of_examples
from laws.naive_spans import World
from laws.test_spans import TARGET, framed, judged, policy_of, sizes

Growing = tuple[GroupedGrowth, Table]


def growth_of(frame: pl.DataFrame, policy: ks.Policy, *, min_rows: int = 1, price: float = 0.0) -> Growing:
    table = encode(frame, policy)
    people, features = taking_part(table, policy, None)
    goals = Goals.of(table, policy, people, (), "labels", "mean")
    told = Targets.of(goals.columns, goals.measured, people.weights, NO_WORTH)
    return GroupedGrowth(goals, features, told, min_rows=min_rows, lookahead=1, price=price), table


def domains_of(tree: Tree, world: World) -> dict[str, Any]:
    """The values that may be in each attribute; a missing one only where the tree knows of any."""
    may_miss = {item.name for item in tree.attributes if item.has_missing}
    return {
        name: values if name in may_miss else [value for value in values if value is not None]
        for name, values in world.domains.items()
    }


@pytest.mark.slow
@given(data=st.data(), k=st.integers(1, 6))
def test_what_grows_is_private_and_nothing_more_could_grow(data: st.DataObject, k: int) -> None:
    world = data.draw(naive_spans.worlds())
    policy = policy_of(world, f"k={k}")
    growth, table = growth_of(framed(world), policy)
    if not growth.holds_now():
        return
    grow_in_crowds(growth)
    tree = released(growth, table, policy)
    domains = domains_of(tree, world)
    expected = sizes(naive_spans.spans(tree, world.people, domains))
    assert growth.guard is not None
    assert sorted(sorted(span.rows.tolist()) for span in growth.guard.spans.every()) == expected
    assert judged(tree, world) == expected
    assert naive_spans.is_k_anonymous(tree, world.people, domains, k)
    for leaf in growth.leaves():
        for split in cuts_in_order(growth, leaf):
            if gain_of(growth, leaf, split) > 1e-6:
                root = tried(growth, leaf, split)
                wider = Tree(tree.attributes, tree.target, tree.target_role, tree.labels, root)
                assert not naive_spans.is_k_anonymous(wider, world.people, domains, k)


def cuts_in_order(growth: GroupedGrowth, leaf: GrowingLeaf) -> Iterator[Split]:
    """Every threshold between two people of a leaf, and every cut of words by their share of the first label."""
    for number, feature in enumerate(growth.features):
        here, inside = feature.codes[leaf.rows].astype(int), growth._possible(leaf, number)
        seen = sorted(set(here.tolist()))
        if feature.numeric:
            yield from thresholds(growth, leaf, number, [code for code in seen if code < feature.plain])
        elif growth.people.labels == 2:
            label = growth.people.label[leaf.rows]
            seen.sort(key=lambda code: (round(float((label[here == code] == 1).mean()), 9), code))
            for cut in range(1, len(seen)):
                first = set(seen[:cut])
                # Values that nobody in the leaf has go with most people.
                before = int(np.isin(here, list(first)).sum())
                rest = 0 if before > len(here) - before else 1
                son = np.array([0 if code in first else 1 if code in seen else rest for code in range(feature.size)])
                yield Split(number, 2, np.where(inside, son, -1))


def thresholds(growth: GroupedGrowth, leaf: GrowingLeaf, number: int, codes: list[int]) -> Iterator[Split]:
    feature, none = growth.features[number], np.empty(0, np.int64)
    missing = feature.can_be_missing and growth._possible(leaf, number)[-1]
    is_here = bool((feature.codes[leaf.rows] >= feature.plain).any())
    for below in codes[:-1]:
        for cut in range(below, next(code for code in codes if code > below)):
            at = (feature.floats[cut] + feature.floats[cut + 1]) / 2
            sides = (0, 1) if is_here else (int((feature.codes[leaf.rows] <= cut).sum() * 2 <= len(leaf.rows)),)
            for side in sides if missing else (2,):
                yield Split(number, 2, none, cut, float(at), side)
    if is_here and codes:
        yield Split(number, 2, none, feature.plain - 1, math.inf, 1)


def gain_of(growth: GroupedGrowth, leaf: GrowingLeaf, split: Split) -> float:
    """What a split takes off the impurity of a leaf."""
    feature = growth.features[split.feature]
    sons = split.by_code(feature)[feature.codes[leaf.rows]]
    label = growth.people.label[leaf.rows]
    return impurity(label) - sum(impurity(label[sons == son]) for son in (0, 1))


def impurity(label: np.ndarray[Any, Any]) -> float:
    """That of Gini, and how many people do not have the commonest label."""
    if not len(label):
        return 0.0
    people = np.bincount(label)
    share = people / len(label)
    return float(len(label) * (1 - (share**2).sum()) + len(label) - people.max())


def tried(growth: GroupedGrowth, leaf: GrowingLeaf, split: Split) -> Node:
    """The whole tree with one more split."""
    parts, _, counts = growth.people.divide(leaf.rows.copy(), NO_SHARE, growth.features[split.feature], split)
    leaf.split = split
    leaf.sons = [
        GrowingLeaf(-1, rows, NO_SHARE, people, leaf, place)
        for place, (rows, people) in enumerate(zip(parts, counts, strict=True))
    ]
    wider = released_node(growth)
    leaf.split, leaf.sons = None, []
    return wider


@pytest.mark.parametrize(
    "require", ["distinct_l=2", "k=2, entropy_l=1.5", "confidence=0.75", "recursive_cl=[2, 2]", "t=0.3", "k=3"]
)
@share_of_examples(0.5)
@given(data=st.data())
def test_every_tree_passes_the_judge(require: str, data: st.DataObject) -> None:
    world = data.draw(naive_spans.worlds())
    if world.tree.target_role == "public" and require != "k=3":
        return
    policy, people = policy_of(world, require), framed(world)
    options = data.draw(st.fixed_dictionaries({
        "min_rows": st.integers(1, 3),
        "lookahead": st.integers(0, 2),
        "pruning": st.sampled_from(["complexity", "errors", "none"]),
        "complexity": st.sampled_from([None, 0.0, 1.0]),
        "class_weight": st.sampled_from([None, "balanced"]),
    }))  # fmt: skip
    try:
        tree = ks.learn(people, policy, "grouped", **options)
    except ks.Unreachable:
        return
    assert audit_tree(tree, people, policy).holds
    if require == "k=3":
        assert naive_spans.is_k_anonymous(tree, world.people, domains_of(tree, world), 3)


def words(most_labels: int) -> st.SearchStrategy[list[tuple[str, str]]]:
    return st.lists(
        st.tuples(st.sampled_from("abcdef"), st.sampled_from("uvwxyz"[:most_labels])), min_size=2, max_size=40
    )


@given(rows=words(2))
def test_of_two_labels_no_two_groups_of_words_gain_more(rows: list[tuple[str, str]]) -> None:
    """Breiman et al. 1984, Theorem 4.5, against all pairs of groups."""
    best, gains = best_and_all(rows)
    assert best == pytest.approx(max([0.0, *gains]), abs=1e-6)


@given(rows=words(4))
def test_of_several_labels_hardly_any_two_groups_gain_more(rows: list[tuple[str, str]]) -> None:
    best, gains = best_and_all(rows)
    assert best <= max([0.0, *gains]) + 1e-6
    assert best >= 0.8 * max([0.0, *gains]) - 1e-6


def best_and_all(rows: list[tuple[str, str]]) -> tuple[float, list[float]]:
    """What the best question about a word gains, and what each pair of groups would."""
    frame = pl.DataFrame(rows, schema=["word", TARGET], orient="row")
    growth, _ = growth_of(frame, ks.Policy(public=["word"], target=TARGET, require="k=1"))
    label = np.unique([own for _, own in rows], return_inverse=True)[1]
    cells = np.array([word for word, _ in rows])
    seen = sorted(set(cells.tolist()))
    groups = [set(some) for size in range(1, len(seen)) for some in combinations(seen, size)]
    gains = []
    for group in groups:
        inside = np.array([cell in group for cell in cells])
        gains.append(impurity(label) - impurity(label[inside]) - impurity(label[~inside]))
    found = growth.questions.of(np.arange(len(rows), dtype=np.int32), alone=True)
    return max((one.gain for one in found), default=0.0), gains


@given(
    rows=st.lists(st.tuples(st.sampled_from([None, 1, 2, 3, 5, 8]), st.sampled_from("uv")), min_size=2, max_size=40),
    k=st.integers(1, 5),
)
def test_no_threshold_gains_more_whichever_side_missing_numbers_join(
    rows: list[tuple[int | None, str]], k: int
) -> None:
    frame = pl.DataFrame(rows, schema={"number": pl.Int64, TARGET: pl.String}, orient="row")
    if frame["number"].null_count() == len(rows):
        return
    growth, _ = growth_of(frame, ks.Policy(public=["number"], target=TARGET, require="k=1"))
    growth.questions.strict.crowd[:] = k
    label = np.unique(frame[TARGET].to_list(), return_inverse=True)[1]
    numbers = np.array([np.nan if number is None else number for number, _ in rows], float)
    missing = np.isnan(numbers)
    sides = [missing, *(side for cut in (1, 2, 3, 5) for side in (numbers <= cut, (numbers <= cut) | missing))]
    gains = [
        impurity(label) - impurity(label[side]) - impurity(label[~side])
        for side in sides
        if min(side.sum(), (~side).sum()) >= max(k, 1)
    ]
    found = growth.questions.of(np.arange(len(rows), dtype=np.int32), alone=True)
    assert max((one.gain for one in found), default=0.0) == pytest.approx(max([0.0, *gains]), abs=1e-6)


@share_of_examples(0.5)
@given(data=st.data(), times=st.integers(2, 4))
def test_a_weight_is_as_good_as_repeated_rows(data: st.DataObject, times: int) -> None:
    world = data.draw(naive_spans.worlds())
    frame, policy = framed(world), policy_of(world, f"k={times}")
    weighted = ks.Policy(**{**said(policy), "weight": "n"})
    try:
        repeated = ks.learn(pl.concat([frame] * times), policy, "grouped")
    except ks.Unreachable:
        return
    assert ks.learn(frame.with_columns(n=pl.lit(times)), weighted, "grouped") == repeated


def said(policy: ks.Policy) -> dict[str, Any]:
    return {name: getattr(policy, name) for name in ("public", "private", "target", "require", "domains")}


@share_of_examples(0.5)
@given(data=st.data(), seed=st.integers(0, 9))
def test_the_order_of_rows_does_not_matter(data: st.DataObject, seed: int) -> None:
    world = data.draw(naive_spans.worlds())
    frame, policy = framed(world), policy_of(world, "k=2")
    try:
        tree = ks.learn(frame, policy, "grouped")
    except ks.Unreachable:
        return
    assert ks.learn(frame.sample(fraction=1, shuffle=True, seed=seed), policy, "grouped") == tree


@share_of_examples(0.5)
@given(data=st.data(), complexity=st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_no_tree_that_pruning_could_leave_costs_less(data: st.DataObject, complexity: float) -> None:
    world = data.draw(naive_spans.worlds())
    growth, _ = growth_of(framed(world), policy_of(world, "k=1"))
    grow_in_crowds(growth)
    left_open = growth.left_open()
    costs = list(costs_below(growth.root, left_open, complexity))
    simplify(growth.root, left_open, complexity)
    assert sum(left_open(leaf) + complexity for leaf in growth.leaves()) == pytest.approx(min(costs), abs=1e-5)


def costs_below(node: GrowingLeaf, left_open: Any, complexity: float, most: int = 200) -> list[float]:
    """What every tree costs that some subtrees of a node, made leaves, leave."""
    whole = [left_open(node) + complexity]
    if node.sons:
        below = [costs_below(son, left_open, complexity) for son in node.sons]
        sums = [0.0]
        for some in below:
            sums = sorted({round(one + other, 9) for one in sums for other in some})[:most]
        whole += sums
    return whole


def test_a_target_of_dates_is_a_number_unless_labels_are_asked_for() -> None:
    days = [date(2026, 1, 1) + timedelta(days=day) for day in range(60)]
    people = pl.DataFrame({"town": ["a", "b", "c"] * 20, "left": days})
    policy = ks.Policy(public=["town"], target="left", require="k=5")
    tree = ks.learn(people, policy, complexity=0.0)
    assert tree.is_of_numbers
    assert ks.predict(tree, people)["predicted: left"].dtype == pl.Date
    assert audit_tree(tree, people, policy).holds
    with pytest.raises(DataError, match="60 different labels for 60 people"):
        ks.learn(people, policy, predict="labels")
    few = people.with_columns(left=pl.col("left").dt.month_start())
    assert ks.learn(few, policy).is_of_numbers
    assert ks.learn(few, policy, predict="labels").labels == ("2026-01-01", "2026-02-01", "2026-03-01")
    assert audit_tree(ks.learn(few, policy), few, policy).holds


def test_thresholds_of_dates_and_of_many_numbers_are_round() -> None:
    draws = np.random.default_rng(0)
    born = [date(1940, 1, 1) + timedelta(days=int(day)) for day in sorted(draws.integers(0, 25_000, 2000))]
    pay = draws.lognormal(10, 1, 2000).round(2)
    ill = np.where(draws.random(2000) < np.where(pay > 25_000, 0.8, 0.2) * np.linspace(1, 0.2, 2000), "yes", "no")
    people = pl.DataFrame({"born": born, "pay": pay, "ill": ill})
    tree = ks.learn(people, ks.Policy(public=["born", "pay"], target="ill", require="k=20"), complexity=0.0)
    ends: dict[str, set[float]] = {"born": set(), "pay": set()}
    for node in tree.nodes():
        for edge in node.edges:
            assert node.attribute is not None
            asked = tree.attributes[node.attribute].name
            ends[asked] |= {end for pair in edge.region.intervals for end in pair if end is not None}
    assert len(ends["born"]) > 2
    assert len(ends["pay"]) > 2
    born_ends = [date(1970, 1, 1) + timedelta(days=int(day)) for day in ends["born"]]
    assert all((day + timedelta(days=1)).day == 1 for day in born_ends)
    assert all(end == float(f"{end:.3g}") for end in ends["pay"])
    assert not ends["pay"] & set(pay.tolist())
