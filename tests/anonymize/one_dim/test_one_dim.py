"""Groups of neighbors on Hilbert's curve: the best cuts, what must hold, and that no order of rows matters."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from anonymize import line_world as world
from kspan.anonymize.crowds import Crowds
from kspan.anonymize.one_dim.hilbert import along_the_curve, points_in_order
from kspan.anonymize.one_dim.one_dim import _Line, _most_of_one, one_dim
from kspan.data.encode import encode
from kspan.kernels.hilbert import hilbert_keys
from kspan.kernels.one_dim import best_cuts, from_buckets
from kspan.privacy import RecursiveCL, SimpleL
from kspan.utility.loss import certainty_penalty

SHOW = st.sampled_from(["interval", "set", "hierarchy"])


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def curve(axes: int, bits: int) -> np.ndarray[Any, Any]:
    steps = 2**bits
    points = np.array(list(product(range(steps), repeat=axes)), np.uint16)
    keys = hilbert_keys(points, np.full(axes, steps), bits)
    as_numbers = [int("".join(f"{int(word):064b}" for word in key), 2) for key in keys]
    assert sorted(as_numbers) == list(range(steps**axes))
    return points[np.argsort(as_numbers)].astype(int)


@pytest.mark.parametrize(("axes", "bits"), [(1, 5), (2, 1), (2, 4), (3, 3), (4, 2), (5, 2), (7, 1)])
def test_the_curve_visits_every_point_once_and_goes_from_neighbor_to_neighbor(axes: int, bits: int) -> None:
    line = curve(axes, bits)
    assert all(np.abs(one - other).sum() == 1 for one, other in pairwise(line))


def test_more_than_64_bits_of_curve_are_sorted_as_one_number() -> None:
    points = rng().integers(0, 2**20, (200, 9)).astype(np.uint32)
    keys = hilbert_keys(points, np.full(9, 2**20), 20)
    assert keys.shape == (200, 3)
    as_numbers = [int("".join(f"{int(word):064b}" for word in key), 2) for key in keys]
    rows = along_the_curve(points, [2**20] * 9, None, rng=rng(1))
    assert rows.tolist() == np.argsort(as_numbers).tolist()
    assert points_in_order(points[rows]).tolist() == list(range(200))


def lightest(people: list[dict[str, Any]], rules: ks.Policy, show: Any, k: int) -> tuple[float, float]:
    """The loss of the best cuts as found, and by trying every way to cut the same line."""
    line = _Line(Crowds(world.coded(people, rules), rules), show, rng())
    rows = len(people)
    weight = line.people if len(line.people) else np.ones(rows, np.int64)

    def loss(starts: list[int]) -> float:
        group = np.zeros(rows, np.int64)
        group[starts[1:]] = 1
        return line.loss(np.cumsum(group))

    tries = []
    for inner in product([False, True], repeat=rows - 1):
        starts = [0, *(at for at, cut in enumerate(inner, start=1) if cut)]
        if all(weight[start:end].sum() >= k for start, end in pairwise([*starts, rows])):
            tries.append(loss(starts))
    return loss(best_cuts(line.points, line.people, k, line.prices).tolist()), min(tries)


@given(people=world.PEOPLE.filter(lambda rows: len(rows) <= 9), k=st.integers(1, 4), show=SHOW, weighted=st.booleans())
def test_no_cuts_of_the_line_lose_less(people: list[dict[str, Any]], k: int, show: Any, weighted: bool) -> None:
    rules = world.policy({"k": k}, weighted=weighted)
    if sum(world.counted(row, rules) for row in people) >= k:
        found, best = lightest(people, rules, show, k)
        assert found == pytest.approx(best, abs=1e-12)


@given(people=world.PEOPLE, require=world.REQUIRES, show=SHOW, weighted=st.booleans())
def test_what_is_made_holds_and_is_true(people: Any, require: dict[str, Any], show: Any, weighted: bool) -> None:
    rules = world.policy(require, weighted=weighted)
    table = world.coded(people, rules)
    everybody = world.groups_of(people, [()] * len(people), rules)
    if not world.all_hold(everybody, require):
        with pytest.raises(ks.Unreachable):
            one_dim(table, rules, rng=rng(), show=show)
        return
    made = one_dim(table, rules, rng=rng(), show=show)
    world.check_release(people, rules, require, made)
    assert made.partition.withheld == 0
    again = one_dim(table, rules, rng=rng(), show=show)
    assert again.facts == made.facts
    assert again.partition.group.tolist() == made.partition.group.tolist()


@given(
    people=world.PEOPLE, k=st.integers(1, 4), show=SHOW, order=st.randoms(use_true_random=False), weighted=st.booleans()
)
def test_the_order_of_rows_does_not_matter(people: Any, k: int, show: Any, order: Any, weighted: bool) -> None:
    rules = world.policy({"k": k}, weighted=weighted)
    if sum(world.counted(row, rules) for row in people) < k:
        return
    shuffled = people.copy()
    order.shuffle(shuffled)
    first, second = (one_dim(world.coded(rows, rules), rules, rng=rng(), show=show) for rows in (people, shuffled))
    assert world.same_for_any_order(first, second)
    assert first.facts == pytest.approx(second.facts)


@given(people=world.PEOPLE, k=st.integers(1, 5))
def test_groups_of_single_people_have_k_to_2k_minus_1(people: Any, k: int) -> None:
    rules = world.policy({"k": k})
    if len(people) < k:
        return
    line = _Line(Crowds(world.coded(people, rules), rules), "interval", rng())
    starts = best_cuts(line.points, line.people, k, line.prices)
    assert all(k <= end - start <= 2 * k - 1 for start, end in pairwise([*starts.tolist(), len(people)]))


@pytest.mark.slow
@given(
    counts=st.lists(st.integers(1, 12), min_size=2, max_size=6),
    size=st.integers(2, 6),
    most=st.integers(1, 3),
    seed=st.integers(0, 9),
)
def test_buckets_give_groups_of_few_of_each_while_the_rest_stays_eligible(
    counts: list[int], size: int, most: int, seed: int
) -> None:
    rows = sum(counts)
    if max(counts) * size > most * rows or rows < size:
        return
    value = rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    by_count = np.argsort(-np.array(counts), kind="stable")
    group = from_buckets(value, np.arange(rows), np.array(counts), by_count, size, most)
    number = group.max() + 1
    left = np.array(counts)
    for at in range(number):
        inside = np.bincount(value[group == at], minlength=len(counts))
        left = left - inside
        assert inside.sum() >= size
        assert at == number - 1 or inside.max() <= most
        assert left.max() * size <= most * left.sum()
    assert not left.any()


def test_a_group_takes_the_nearest_rows_of_different_buckets() -> None:
    # Values a b a b c along the line; three of each group must differ: the second a waits.
    place, value = np.arange(9), np.array([0, 1, 0, 1, 2, 2, 0, 1, 2])
    group = from_buckets(value, place, np.array([3, 3, 3]), np.arange(3), 3, 1)
    assert group.tolist() == [0, 0, 1, 1, 0, 1, 2, 2, 2]


def test_how_many_of_one_value_a_group_may_have() -> None:
    # <2, 2, 1>: 2 < 3 * 1, but <3, 2> has no third value.
    assert _most_of_one([RecursiveCL(3, 3)], 5) == 2
    assert _most_of_one([SimpleL(3)], 2) == 0


def test_buckets_serve_where_runs_of_one_value_would_be_united() -> None:
    # Along the line the value changes only once: consecutive groups must all be united, pairs across need not.
    frame = pl.DataFrame({"age": range(40), "illness": ["flu"] * 20 + ["ulcer"] * 20})
    rules = ks.Policy(public=["age"], private=["illness"], require="k=2, simple_l=2")
    made = one_dim(encode(frame, rules), rules, rng=rng())
    assert made.facts["way"] == "buckets of private values"
    assert made.partition.number > 10


def test_the_loss_told_is_the_penalty_of_what_is_shown() -> None:
    adult = ks.datasets.load_adult("train", missing=False)[:4000]
    for show in ("interval", "hierarchy"):
        rules = ks.Policy(
            public=["age", "education", "sex"], private=["income"], require="k=7",
            hierarchies={"education": ks.datasets.adult_policy().hierarchies["education"]},
        )  # fmt: skip
        table = encode(adult.select(*rules.public, "income"), rules)
        made = one_dim(table, rules, rng=rng(), show=show)
        sizes = np.bincount(made.partition.group)
        if show == "interval":
            assert made.facts["loss"] == pytest.approx(certainty_penalty(made.partition, sizes))
        # What shows `{Female|Male}` is not worth a name of a hierarchy: sex has none.
        assert {made.partition.shown["sex"].label(g) for g in range(made.partition.number)} <= {
            "Female", "Male", "{Female|Male}"
        }  # fmt: skip


def test_an_unknown_way_to_show_is_refused() -> None:
    rules = world.policy("k=1")
    with pytest.raises(ks.PolicyError, match="interval"):
        one_dim(world.coded([{"age": 1, "people": 1}], rules), rules, rng=rng(), show="box")  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("show", ["interval", "set", "hierarchy"])
@pytest.mark.parametrize(
    "require",
    [
        "k=10",
        "k=5, entropy_l[income]=1.5",
        "k=3, t[income]=0.3",
        "k=50, distinct_l[occupation]=3, confidence[income]=0.9",
    ],
)
def test_adult_passes_the_judge(require: str, show: Any) -> None:
    says = vars(ks.datasets.adult_policy())
    public = [name for name in says["public"] if name != "occupation"]
    rules = ks.Policy(**{**says, "public": public, "private": ["occupation", *says["private"]], "require": require})
    adult = ks.datasets.load_adult("train").gather_every(3)
    made = one_dim(encode(adult, rules), rules, rng=rng(), show=show)
    audit = ks.audit(world.released_frame(adult, made, rules), rules)
    assert audit.holds
    assert audit.people == adult.height
