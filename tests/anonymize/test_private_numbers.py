"""Private numbers as they are shown: every way beside its definition, and what each of them refuses."""

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from anonymize.naive_numbers import least_spread, naive_bin, naive_round
from kspan.anonymize.limits_by_share import bottom_of, top_of
from kspan.anonymize.microaggregation import means_of_neighbors
from kspan.anonymize.private_numbers import with_shown_numbers
from kspan.data.coarse import rounded
from kspan.secret import Secret

SECRET = Secret("5" * 32)
WHOLE = st.lists(st.integers(-5000, 5000), min_size=1, max_size=40)


def shown(numbers: Any, ways: dict[str, Any], *, k: int = 2, secret: Secret = SECRET, **says: Any) -> pl.Series:
    """A private column as it is shown."""
    people = pl.DataFrame({"x": numbers} if not isinstance(numbers, pl.DataFrame) else numbers.to_dict())
    policy = ks.Policy(public=[], private={"x": ways}, require=f"k={k}", **says)
    return with_shown_numbers(people, policy, secret).people["x"]


# Rounding


@given(WHOLE, st.sampled_from([2, 5, 7, 100, 1000]))
def test_whole_numbers_are_rounded_as_defined(numbers: list[int], step: int) -> None:
    made = shown(numbers, {"round": step})
    assert made.to_list() == [naive_round(one, step) for one in numbers]
    assert made.dtype == pl.Int64
    assert shown(made, {"round": step}).equals(made)


@given(st.lists(st.decimals(-100, 100, places=2), min_size=1, max_size=20), st.sampled_from([0.1, 0.25, 0.5, 3]))
def test_decimals_are_rounded_as_defined(numbers: list[Any], step: float) -> None:
    given_ = [float(one) for one in numbers]
    made = shown(given_, {"round": step})
    assert made.to_list() == pytest.approx([float(naive_round(one, step)) for one in given_], abs=1e-12)
    assert shown(made, {"round": step}).equals(made)


def test_a_number_in_the_middle_goes_up() -> None:
    assert shown([-1500, -500, 500, 1500, 2500], {"round": 1000}).to_list() == [-1000, 0, 1000, 2000, 3000]


def test_very_large_numbers_are_rounded_and_stay_numbers() -> None:
    assert rounded(np.array([2**62 + 1]), 1000).tolist() == [float((2**62 + 1) // 1000 * 1000 + 1000)]
    assert shown([2**62 + 1, 5], {"top": 1e30}).to_list() == [2**62 + 1, 5]


# Top and bottom


@given(WHOLE, st.integers(-4000, 0), st.integers(1, 4000))
def test_nobody_shows_more_than_the_top_or_less_than_the_bottom(numbers: list[int], low: int, high: int) -> None:
    assert shown(numbers, {"bottom": low, "top": high}).to_list() == [min(max(one, low), high) for one in numbers]


@given(WHOLE, st.integers(1, 4000), st.sampled_from([300, 7]))
def test_what_is_rounded_stays_within_the_limits(numbers: list[int], high: int, step: int) -> None:
    made = shown(numbers, {"top": high, "round": step}).to_list()
    assert made == [min(int(naive_round(min(one, high), step)), high) for one in numbers]


@given(
    st.lists(st.tuples(st.integers(-500, 500), st.integers(1, 3)), min_size=3, max_size=60),
    st.sampled_from([0.01, 0.1, 0.4]),
    st.integers(2, 5),
)
def test_a_limit_by_share_is_round_or_the_number_of_a_crowd(
    numbers: list[tuple[int, int]], share: float, crowd: int
) -> None:
    times: Counter[int] = Counter()
    for number, people in numbers:
        times[number] += people
    everybody = sum(times.values())
    if everybody < crowd:
        return
    values = np.array(sorted(times))
    people = np.array([times[one] for one in values.tolist()])
    top, bottom = top_of(values, people, share, crowd), bottom_of(values, people, share, crowd)
    enough = max(crowd, share * everybody)
    assert sum(count for one, count in times.items() if one >= top) >= enough
    assert sum(count for one, count in times.items() if one <= bottom) >= enough
    for limit in (top, bottom):
        assert times[int(limit)] >= crowd or any(limit % step == 0 for step in (2, 5))


def test_a_limit_by_share_does_not_move_with_the_number_of_one_person() -> None:
    # The third highest has 812,345 or 834,999: nobody can tell by the table.
    for number in (812_345, 834_999):
        made = shown([*range(0, 100_000, 1000), number, 900_000, 4_000_000], {"top": "1%"}, k=3)
        assert made.max() == 800_000
        assert made.to_list().count(800_000) == 3


def test_people_with_several_rows_count_once_for_a_limit() -> None:
    # Of 12 rows at the top, 10 are one person's.
    rows = pl.DataFrame({"id": [1] * 10 + list(range(2, 12)), "x": [990] * 10 + [980, *range(9)]})
    policy = ks.Policy(person="id", private={"x": {"top": "10%"}}, require="k=3")
    made = with_shown_numbers(rows, policy, SECRET)
    top = made.ways["x"].top
    assert isinstance(top, int)
    assert rows.filter(pl.col("x") >= top)["id"].n_unique() >= 3
    assert top < 100  # the third highest person has 8


def test_rows_that_stand_for_many_people_count_as_many() -> None:
    rows = pl.DataFrame({"n": [1, 1, 6, 1, 1], "x": [10, 20, 730, 800, 900]})
    policy = ks.Policy(weight="n", private={"x": {"top": "20%"}}, require="k=5")
    assert with_shown_numbers(rows, policy, SECRET).people["x"].to_list() == [10, 20, 730, 730, 730]


# Bins


@given(WHOLE, st.sampled_from([7, 100, 2500]), st.integers(-900, 0), st.integers(1, 900))
def test_bins_hold_what_people_have(numbers: list[int], step: int, low: int, high: int) -> None:
    assert shown(numbers, {"bins": step}).to_list() == [naive_bin(one, step) for one in numbers]
    made = shown(numbers, {"bins": step, "bottom": low, "top": high}).to_list()
    assert made == [naive_bin(one, step, low, high) for one in numbers]


def test_bins_may_be_listed() -> None:
    made = shown([-1.0, 0, 9, 10, 49.5, 50], {"bins": [0, 10, 50]})
    assert made.to_list() == ["<0", "[0, 10[", "[0, 10[", "[10, 50[", "[10, 50[", ">=50"]


# Microaggregation


@given(st.lists(st.integers(-30, 30), min_size=2, max_size=11), st.integers(2, 4))
def test_means_are_of_the_best_groups(numbers: list[int], least: int) -> None:
    if len(numbers) < least:
        return
    each = np.ones(len(numbers), np.int64)
    means = means_of_neighbors(np.array(numbers, np.float64), each, least, np.arange(len(numbers))[::-1])
    lost = sum((one - mean) ** 2 for one, mean in zip(numbers, means.tolist(), strict=True))
    assert lost == pytest.approx(float(least_spread(numbers, least)), abs=1e-9)


@given(st.lists(st.tuples(st.integers(-(10**6), 10**6), st.integers(1, 4)), min_size=1, max_size=60), st.integers(2, 9))
def test_every_mean_is_one_of_enough_people(rows: list[tuple[int, int]], least: int) -> None:
    numbers, people = (np.array(each) for each in zip(*rows, strict=True))
    if people.sum() < least:
        return
    means = means_of_neighbors(numbers.astype(np.float64), people, least, np.arange(len(rows)))
    theirs: dict[float, list[int]] = defaultdict(list)
    for at, mean in enumerate(means.tolist()):
        theirs[mean].append(at)
    for mean, some in theirs.items():
        assert people[some].sum() >= least
        assert mean == pytest.approx(np.average(numbers[some], weights=people[some]), abs=1e-6)


def test_a_weight_is_as_many_people() -> None:
    numbers, people = np.array([1.0, 2, 8, 9, 30]), np.array([3, 1, 1, 2, 3])
    repeated = np.repeat(numbers, people)
    means = means_of_neighbors(numbers, people, 3, np.arange(5))
    assert means.tolist() == pytest.approx([1.25, 1.25, 26 / 3, 26 / 3, 30])
    alone = means_of_neighbors(repeated, np.ones(10, np.int64), 3, np.arange(10))
    assert ((repeated - alone) ** 2).sum() <= (people * (numbers - means) ** 2).sum() + 1e-9


def test_means_are_of_a_crowd_however_few_are_asked_for() -> None:
    for asked in (True, 2, 6):
        made = shown(list(range(40)), {"microaggregate": asked}, k=6)
        assert min(Counter(made.to_list()).values()) >= 6
    assert min(Counter(shown(list(range(40)), {"microaggregate": 9}, k=6).to_list()).values()) >= 9


def test_means_have_few_digits() -> None:
    made = shown([0.123456789, 0.2345678901, 0.345678, 10.987654321, 11.1, 12.25], {"microaggregate": 3}, k=3)
    assert made.to_list() == [0.235] * 3 + [11.446] * 3


def test_rounding_cannot_ask_for_more_digits() -> None:
    numbers = [12, 25, 37, 4052, 5011, 6040]
    means = shown(numbers, {"microaggregate": 3, "round": 0.001}, k=3)
    assert means.to_list() == shown(numbers, {"microaggregate": 3}, k=3).to_list() == [25] * 3 + [5034] * 3
    assert all(one % 1 == 0 for one in shown(numbers, {"noise": 50, "round": 0.001}))


def test_who_of_equals_goes_where_is_left_to_the_secret() -> None:
    made = [shown([0] * 5 + [10] * 2, {"microaggregate": 3}, k=3, secret=Secret(f"{at:032x}")) for at in range(9)]
    assert {tuple(sorted(one)) for one in made} == {(0, 0, 0, 0, 7, 7, 7)}
    assert len({tuple(one) for one in made}) > 1


# Noise


def test_noise_is_as_large_as_asked() -> None:
    numbers = np.random.default_rng(1).normal(50_000, 10_000, 20_000).round().astype(int)
    for ways, size in (({"noise": 500}, 500.0), ({"noise": "10%"}, numbers.std() / 10)):
        away = shown(numbers, ways).to_numpy() - numbers
        assert away.std() == pytest.approx(size, rel=0.05)
        assert abs(away.mean()) < size / 20
        assert (np.abs(away) < size).mean() == pytest.approx(0.6827, abs=0.02)


def test_noise_cannot_be_found_beside_other_noise() -> None:
    # Equal columns, other amounts, other numbers of others: none of them has the draws of another.
    numbers = list(range(1000, 3000))
    first = shown(numbers, {"noise": 100}).to_numpy() - np.array(numbers)
    assert shown(numbers, {"noise": 100}).to_list() == (first + np.array(numbers)).tolist()
    half = shown(numbers, {"noise": 200}).to_numpy() - np.array(numbers)
    changed = shown([*numbers[:-1], 5000], {"noise": 100}).to_numpy()[:-1] - np.array(numbers[:-1])
    other = shown(numbers, {"noise": 100}, secret=Secret("6" * 32)).to_numpy() - np.array(numbers)
    both = pl.DataFrame({"x": numbers, "y": numbers})
    policy = ks.Policy(private={"x": {"noise": 100}, "y": {"noise": 100}}, require="k=2")
    twins = with_shown_numbers(both, policy, SECRET).people
    for one in (half, other, twins["y"].to_numpy() - np.array(numbers)):
        assert abs(np.corrcoef(first, one)[0, 1]) < 0.1
    assert abs(np.corrcoef(first[:-1], changed)[0, 1]) < 0.1


def test_noisy_numbers_are_round_so_that_their_last_digits_tell_nothing() -> None:
    numbers = np.random.default_rng(2).random(500)
    made = shown(numbers, {"noise": 0.1}).to_numpy()
    assert np.allclose(made, made.round(2), atol=1e-12)


def test_noise_stays_within_limits_and_the_declared_domain() -> None:
    numbers = list(range(100))
    assert min(shown(numbers, {"noise": 30}, domains={"x": [0, 120]})) >= 0
    made = shown(numbers, {"noise": 30, "bottom": 10, "top": 80}).to_list()
    assert (min(made), max(made)) == (10, 80)


def test_noise_and_bins_go_together() -> None:
    made = shown(list(range(100)), {"noise": 5, "bins": 10, "top": 90}, k=5)
    assert made.dtype == pl.String
    assert ">=90" in made.to_list()
    assert made.to_list() != shown(list(range(100)), {"bins": 10, "top": 90}, k=5).to_list()


# What stays as it is


@pytest.mark.parametrize("ways", [{"round": 10}, {"bins": 10}, {"microaggregate": 2}, {"noise": 3}, {"top": "10%"}])
def test_missing_and_suppressed_cells_stay_what_they_are(ways: dict[str, Any]) -> None:
    numbers = shown([11, None, 13, 25, None, 26], ways)
    assert numbers.is_null().to_list() == [False, True, False, False, True, False]
    texts = shown(["11", "?", "*", "13", None, "25"], ways)
    assert [one if one in (None, "*") else "" for one in texts] == ["", None, "*", "", None, ""]
    floats = shown([1.5, float("nan"), 2.5], ways)
    assert floats.is_null().to_list() == [False, True, False]


@pytest.mark.parametrize("ways", [{"round": 10}, {"bins": 10}, {"bins": [5]}, {"bottom": 0}, {"noise": 3}])
@pytest.mark.parametrize("kind", [pl.Int64, pl.String, pl.Float32])
def test_a_column_without_numbers_stays_empty(ways: dict[str, Any], kind: Any) -> None:
    assert shown(pl.Series([None, None], dtype=kind), ways).null_count() == 2


def test_rounded_numbers_stay_in_the_declared_domain() -> None:
    assert shown([17, 88, 90], {"round": 20}, domains={"x": [17, 90]}).to_list() == [20, 80, 90]
    assert shown([18, 88, 90], {"bins": 20}, domains={"x": [17, 90]}).to_list() == ["[0, 20[", "[80, 100[", "[80, 100["]


# What is refused


@pytest.mark.parametrize(
    ("numbers", "ways", "says"),
    [
        (["a", "b"], {"round": 5}, "does not hold numbers alone"),
        (pl.Series(["2020-01-01", "2021-01-01"]).str.to_date(), {"round": 5}, "does not hold numbers alone"),
        (pl.Series([1, 2]).cast(pl.Duration("ms")), {"round": 5}, "does not hold numbers alone"),
        ([True, False], {"round": 5}, "does not hold numbers alone"),
        ([1, 2, 3], {"microaggregate": 4}, "3 people have a number in 'x', and 4 are needed"),
        ([1, None, None], {"top": "5%"}, "1 people have a number in 'x', and 2 are needed"),
        ([7, 7, 7], {"noise": "10%"}, "all numbers of 'x' are equal"),
        ([1, 2, 3, 4], {"bottom": "50%", "top": "50%"}, "the bottom of 'x' is not below its top"),
    ],
)
def test_what_cannot_be_shown_so_is_refused(numbers: Any, ways: dict[str, Any], says: str) -> None:
    with pytest.raises(ks.DataError, match=says):
        shown(numbers, ways)


@pytest.mark.parametrize("ways", [{"microaggregate": True}, {"noise": 5}])
def test_means_and_noise_of_people_with_several_rows_are_refused(ways: dict[str, Any]) -> None:
    rows = pl.DataFrame({"id": [1, 1, 2, 3], "x": [1, 2, 3, 4]})
    policy = ks.Policy(person="id", private={"x": ways}, require="k=2")
    with pytest.raises(ks.PolicyError, match="people have several rows"):
        with_shown_numbers(rows, policy, SECRET)
    assert with_shown_numbers(rows[1:], policy, SECRET).people.height == 3  # where everybody has one, it is done
