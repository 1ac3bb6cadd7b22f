"""Mondrian makes the groups of its description, and what it shows keeps what is required."""

from collections import Counter
from itertools import combinations
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.anonymize.cells import as_sets
from kspan.anonymize.crowds import Recoding
from kspan.anonymize.mondrian import Show, mondrian
from kspan.data.cells import SUPPRESSED, number, range_of, read_cell, values_in
from kspan.data.encode import encode
from kspan.data.hierarchy import Hierarchy
from kspan.datasets.papers import patients, patients_anonymous
from kspan.errors import PolicyError, Unreachable
from laws import naive, naive_mondrian

# The example that the paper prints

PATIENTS = ks.Policy(public=["Age", "Gender", "Postcode"], private=["Disease"], require="k=3")


def test_the_printed_groups_show_the_printed_sets() -> None:
    table, printed = encode(patients(), PATIENTS), np.array([0, 0, 0, 1, 1, 1])
    shown = {name: as_sets(table[name], printed, 2) for name in PATIENTS.public}
    rows = [tuple(cells.label(group) for cells in shown.values()) for group in printed]
    assert rows == patients_anonymous().select(PATIENTS.public).rows()


def test_no_cut_gives_the_printed_groups() -> None:
    """The groups of the printed table overlap in every attribute: they illustrate sets, no cut can make them."""
    first, second = patients()[:3], patients()[3:]
    for name in PATIENTS.public:
        assert first[name].min() <= second[name].max()
        assert second[name].min() <= first[name].max()


@pytest.mark.parametrize("relaxed", [False, True])
def test_the_patients_of_the_example(relaxed: bool) -> None:
    """All three attributes are as wide as their domains: the first, age, is cut at its median, 25."""
    made = made_of(patients(), PATIENTS, relaxed=relaxed, show="set")
    assert released(patients(), PATIENTS, made).rows() == [
        ("{20|23|25}", "{F|M}", "{1023|1032|2113}", "HIV"),
        ("{20|23|25}", "{F|M}", "{1023|1032|2113}", "Flu"),
        ("{27|29}", "{F|M}", "{1132|3232|5632}", "HIV"),
        ("{20|23|25}", "{F|M}", "{1023|1032|2113}", "Obesity"),
        ("{27|29}", "{F|M}", "{1132|3232|5632}", "Cancer"),
        ("{27|29}", "{F|M}", "{1132|3232|5632}", "Heart Attack"),
    ]


# Random tables

NUMERIC = {"age": pl.Int64, "height": pl.Float64}
WORDS = {"job": ("clerk", "cook", "nurse", "pilot"), "sex": ("F", "M")}
JOBS = Hierarchy.of([("cook", "hands"), ("pilot", "head"), ("nurse", "hands"), ("clerk", "head")])
ATTRIBUTES = ("age", "job", "height", "sex")
REQUIREMENTS = ("k=1", "k=2", "k=3", "k=5", "k=2, entropy_l=1.5", "k=3, confidence=0.7", "t=0.3", "distinct_l=2")
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "age": st.integers(20, 26),
    "job": st.sampled_from(WORDS["job"]),
    "height": st.sampled_from([0.5, 1.0, 1.5, 40.0]),
    "sex": st.sampled_from(WORDS["sex"]),
}


@st.composite
def people(draw: st.DrawFn) -> pl.DataFrame:
    """A small table, with many ties; cells may be missing, rows may stand for several people."""
    gaps = draw(st.booleans())
    cells = {name: st.none() | cell if gaps else cell for name, cell in CELLS.items()}
    rest = {"illness": st.sampled_from(["flu", "ulcer", None]), "n": st.integers(1, draw(st.sampled_from([1, 3])))}
    rows = draw(st.lists(st.fixed_dictionaries({**cells, **rest}), min_size=1, max_size=24))
    kinds = {**dict.fromkeys([*WORDS, "illness"], pl.String), **NUMERIC, "n": pl.Int64}
    return pl.DataFrame(rows, schema={name: kinds[name] for name in (*ATTRIBUTES, "illness", "n")})


def policy_for(require: str) -> ks.Policy:
    return ks.Policy(
        public=ATTRIBUTES, private=["illness"], weight="n", require=require, hierarchies={"job": JOBS, "sex": SEXES}
    )


SEXES = Hierarchy.of([("F", "*"), ("M", "*")])


def made_of(frame: pl.DataFrame, policy: ks.Policy, seed: int = 0, **options: Any) -> Recoding:
    return mondrian(encode(frame, policy), policy, rng=np.random.default_rng(seed), **options)


def made_or_none(frame: pl.DataFrame, policy: ks.Policy, seed: int = 0, **options: Any) -> Recoding | None:
    """Nothing, where everybody together breaks the requirement."""
    try:
        return made_of(frame, policy, seed, **options)
    except Unreachable:
        whole = [[frame_people(frame, range(frame.height))]]
        assert not all(holds(policy, groups)[0] for groups in whole)
        return None


def frame_people(frame: pl.DataFrame, rows: Any) -> list[Any]:
    """The illness of each person."""
    return [frame["illness"][row] for row in rows for _ in range(frame["n"][row])]


def holds(policy: ks.Policy, groups: list[list[Any]]) -> list[bool]:
    says = [(part.key, part.k if part.key == "k" else part.parameter) for part in policy.require.parts]  # type: ignore[attr-defined]
    each = [naive.holds(key, value, groups, distance=naive.equal_distance()) for key, value in says]
    return [all(one) for one in zip(*each, strict=True)]


def released(frame: pl.DataFrame, policy: ks.Policy, made: Recoding) -> pl.DataFrame:
    """The table with what the groups show; a missing cell is null."""
    group = made.partition.group
    assert (group >= 0).all()
    columns = []
    for name, shown in made.partition.shown.items():
        cells = [None if code == shown.column.missing else shown.column.label(code) for code in shown.code.tolist()]
        columns.append(pl.Series(name, [cells[place] for place in group], pl.String))
    return frame.drop(*policy.public).with_columns(columns).select(frame.columns)


def admits(cell: str | None, value: Any, hierarchy: Hierarchy | None) -> bool:
    if cell is None or value is None:
        return cell is value or cell == SUPPRESSED
    text = value if isinstance(value, str) else f"{value:g}"
    if cell == SUPPRESSED or text in values_in(read_cell(cell)):
        return True
    if hierarchy is not None and (places := hierarchy.members.get(cell)):
        return text in {hierarchy.values[place] for place in places}
    ends = range_of(read_cell(cell))
    return ends is not None and cell.startswith("[") and ends[0] <= (number(text) or 0.0) <= ends[1]


@pytest.mark.slow
@given(
    frame=people(), require=st.sampled_from(REQUIREMENTS), relaxed=st.booleans(), show=st.sampled_from(get_args(Show))
)
def test_every_group_holds_and_every_cell_is_true(frame: pl.DataFrame, require: str, relaxed: bool, show: Show) -> None:
    policy = policy_for(require)
    made = made_or_none(frame, policy, relaxed=relaxed, show=show)
    if made is None:
        return
    out = released(frame, policy, made)
    crowds: dict[Any, list[int]] = {}
    for row, cells in enumerate(out.select(ATTRIBUTES).rows()):
        crowds.setdefault(cells, []).append(row)
    assert all(holds(policy, [frame_people(frame, rows) for rows in crowds.values()]))
    assert sorted(map(sorted, crowds.values())) == rows_of_groups(made)  # what shows the same is one group
    assert out.select("illness", "n").equals(frame.select("illness", "n"))
    for name in ATTRIBUTES:
        hierarchy = {"job": JOBS, "sex": SEXES}.get(name) if show == "hierarchy" else None
        assert all(admits(cell, value, hierarchy) for cell, value in zip(out[name], frame[name], strict=True))


def rows_of_groups(made: Recoding) -> list[list[int]]:
    group = made.partition.group
    return sorted(np.flatnonzero(group == place).tolist() for place in range(made.partition.number))


@pytest.mark.slow
@given(frame=people(), require=st.sampled_from(REQUIREMENTS), show=st.sampled_from(["set", "interval"]))
def test_strict_groups_are_those_of_the_description(frame: pl.DataFrame, require: str, show: Show) -> None:
    policy = policy_for(require)
    made = made_or_none(frame, policy, show=show)
    if made is None:
        return
    everybody = set(range(frame.height))

    def both_hold(left: list[int], right: list[int]) -> bool:
        parts = [left, right, sorted(everybody.difference(left, right))]
        return all(holds(policy, [frame_people(frame, part) for part in parts if part])[:2])

    expected = naive_mondrian.partition(frame.rows(named=True), frame["n"].to_list(), ATTRIBUTES, both_hold)
    assert rows_of_groups(made) == sorted(map(sorted, expected))
    assert made.facts["cuts"] == len(expected) - 1


@pytest.mark.slow
@given(frame=people(), require=st.sampled_from(REQUIREMENTS), show=st.sampled_from(get_args(Show)), order=st.randoms())
def test_strict_cuts_know_neither_the_order_of_rows_nor_chance(
    frame: pl.DataFrame, require: str, show: Show, order: Any
) -> None:
    policy, places = policy_for(require), list(range(frame.height))
    order.shuffle(places)
    made, other = made_or_none(frame, policy, show=show), made_or_none(frame[places], policy, 1, show=show)
    if made is None or other is None:
        assert made is other
        return
    assert made.partition.group[places].tolist() == other.partition.group.tolist()
    assert cells_of(made) == cells_of(other)


def cells_of(made: Recoding) -> list[dict[str, str]]:
    return [made.partition.cells(group) for group in range(made.partition.number)]


@pytest.mark.slow
@given(frame=people(), require=st.sampled_from(REQUIREMENTS), show=st.sampled_from(get_args(Show)))
def test_weights_equal_repeated_rows(frame: pl.DataFrame, require: str, show: Show) -> None:
    policy = policy_for(require)
    repeated = (
        frame.select(pl.exclude("n").repeat_by("n")).explode(pl.all(), empty_as_null=True).with_columns(n=pl.lit(1))
    )
    weighted, plain = made_or_none(frame, policy, show=show), made_or_none(repeated, policy, show=show)
    if weighted is None or plain is None:
        assert weighted is plain
        return
    assert cells_of(weighted) == cells_of(plain)
    assert np.repeat(weighted.partition.group, frame["n"]).tolist() == plain.partition.group.tolist()


@pytest.mark.slow
@given(frame=people(), require=st.sampled_from(REQUIREMENTS), seed=st.integers(0, 9), relaxed=st.booleans())
def test_the_same_seed_gives_the_same_groups(frame: pl.DataFrame, require: str, seed: int, relaxed: bool) -> None:
    policy = policy_for(require)
    first, second = (made_or_none(frame, policy, seed, relaxed=relaxed) for _ in range(2))
    if first is None or second is None:
        assert first is second
        return
    assert first.partition.group.tolist() == second.partition.group.tolist()
    assert cells_of(first) == cells_of(second)


@given(frame=people(), k=st.integers(1, 6))
def test_relaxed_groups_are_small_unless_their_rows_are_alike(frame: pl.DataFrame, k: int) -> None:
    """A balanced cut of 2k people or more, one a row, leaves k on both sides."""
    single = frame.with_columns(n=pl.lit(1))
    made = made_or_none(single, policy_for(f"k={k}"), relaxed=True, show="set")
    if made is None:
        return
    for rows in rows_of_groups(made):
        alike = single[rows].select(ATTRIBUTES).unique().height == 1
        assert len(rows) < 2 * k or alike or same_cells_twice(made, single, rows, k)


def same_cells_twice(made: Recoding, frame: pl.DataFrame, rows: list[int], k: int) -> bool:
    """Two relaxed groups may show the same sets, and are one then: fewer cuts are left than groups were made."""
    return int(made.facts["cuts"]) >= made.partition.number


def test_relaxed_cuts_share_the_median_between_both_sides() -> None:
    frame = pl.DataFrame({"age": [20, 30, 30, 30, 30, 30], "illness": list("abcdef")})
    policy = ks.Policy(public=["age"], private=["illness"], require="k=3")
    assert cells_of(made_of(frame, policy)) == [{"age": "[20, 30]"}]
    relaxed = [made_of(frame, policy, seed, relaxed=True) for seed in range(20)]
    assert all(cells_of(made) == [{"age": "30"}, {"age": "[20, 30]"}] for made in relaxed)
    assert all(np.bincount(made.partition.group).tolist() == [3, 3] for made in relaxed)
    companions = Counter(row for made in relaxed for row in np.flatnonzero(made.partition.group == 1).tolist())
    assert companions[0] == 20
    assert len(companions) == 6  # chance chooses who is shown with the first


# Single decisions


def test_the_cut_before_the_median_is_tried_too() -> None:
    """Of six people five are up to the median, so that the right side would be too small; two are below it."""
    frame = pl.DataFrame({"age": [20, 20, 30, 30, 30, 40], "illness": list("abcdef")})
    policy = ks.Policy(public=["age"], private=["illness"], require="k=2")
    assert cells_of(made_of(frame, policy)) == [{"age": "20"}, {"age": "[30, 40]"}]


def test_a_declared_domain_makes_an_attribute_narrow() -> None:
    frame = pl.DataFrame({"age": [20, 21, 22, 23], "size": [1, 2, 1, 2], "illness": list("abcd")})
    policy = ks.Policy(public=["age", "size"], private=["illness"], require="k=2")
    assert cells_of(made_of(frame, policy)) == [
        {"age": "[20, 21]", "size": "[1, 2]"},
        {"age": "[22, 23]", "size": "[1, 2]"},
    ]
    wide = ks.Policy(public=["age", "size"], private=["illness"], require="k=2", domains={"age": [0, 120]})
    assert cells_of(made_of(frame, wide)) == [{"age": "[20, 22]", "size": "1"}, {"age": "[21, 23]", "size": "2"}]


def test_values_mixed_with_missing_ones_are_cut_first() -> None:
    frame = pl.DataFrame({"age": [20, 21, 90, 91], "job": ["a", "a", None, None], "illness": list("abcd")})
    policy = ks.Policy(public=["job", "age"], private=["illness"], require="k=2")
    made = made_of(frame, policy)
    assert [made.partition.cells(group)["age"] for group in range(2)] == ["[20, 21]", "[90, 91]"]
    job = made.partition.shown["job"]
    assert (job.label(0), job.code[1]) == ("a", job.column.missing)


def test_words_of_one_node_stand_together() -> None:
    """In alphabetical order a cut would put clerks and cooks, of different nodes, on one side."""
    frame = pl.DataFrame({"job": ["clerk", "cook", "nurse", "pilot"] * 2, "illness": list("abcdefgh")})
    policy = ks.Policy(public=["job"], private=["illness"], require="k=4", hierarchies={"job": JOBS})
    assert cells_of(made_of(frame, policy)) == [{"job": "{clerk|cook}"}, {"job": "{nurse|pilot}"}]
    assert cells_of(made_of(frame, policy, show="hierarchy")) == [{"job": "hands"}, {"job": "head"}]


@pytest.mark.parametrize(
    "numbers", [[-1.7e308, 0.0, 1.0, 1.7e308], [2**62, 2**62 + 1, 2**62 + 2, 2**62 + 3], [7, 7, 7, 7]]
)
def test_extreme_numbers(numbers: list[float]) -> None:
    frame = pl.DataFrame({"x": numbers, "illness": list("abcd")})
    policy = ks.Policy(public=["x"], private=["illness"], require="k=2")
    assert made_of(frame, policy).partition.number == min(2, len(set(numbers)))


def test_as_many_people_as_can_be_counted() -> None:
    frame = pl.DataFrame({"age": [20, 30, 40, 50], "illness": list("abcd"), "n": [2**60] * 4})
    policy = ks.Policy(public=["age"], private=["illness"], weight="n", require=f"k={2**61}")
    assert cells_of(made_of(frame, policy)) == [{"age": "[20, 30]"}, {"age": "[40, 50]"}]


@pytest.mark.slow
def test_many_values() -> None:
    """More than fit into one histogram or one mask: the median is narrowed down, sets are written as runs."""
    numbers = np.random.default_rng(3).permutation(70_000)
    frame = pl.DataFrame({"x": numbers, "w": [f"{value % 5000:04}" for value in numbers], "illness": ["a"] * 70_000})
    policy = ks.Policy(public=["x", "w"], private=["illness"], require="k=40000")
    assert cells_of(made_of(frame, policy)) == [{"x": "[0, 69999]", "w": written(range(5000))}]
    policy = ks.Policy(public=["x", "w"], private=["illness"], require="k=35000")
    halves = [{"x": "[0, 34999]", "w": written(range(5000))}, {"x": "[35000, 69999]", "w": written(range(5000))}]
    assert cells_of(made_of(frame, policy)) == halves


def written(values: range) -> str:
    return "{" + "|".join(f"{value:04}" for value in values) + "}"


# What is refused


def test_too_few_people() -> None:
    with pytest.raises(Unreachable, match="these 6 people reach k=6"):
        made_of(patients(), ks.Policy(**{**vars(PATIENTS), "require": "k=7"}))


def test_an_unknown_way_to_show() -> None:
    with pytest.raises(PolicyError, match="did you mean 'interval'"):
        made_of(patients(), PATIENTS, show="intervals")


# Real data

ADULT = ks.datasets.load_adult("train", missing=False)


@pytest.mark.slow
@pytest.mark.parametrize("show", get_args(Show))
@pytest.mark.parametrize(
    ("require", "relaxed"), [("k=10", False), ("k=100", True), ("k=5, entropy_l[income]=1.3", False)]
)
def test_the_judge_accepts_adult(show: Show, require: str, relaxed: bool) -> None:
    policy = ks.datasets.adult_policy(require)
    made = made_of(ADULT, policy, show=show, relaxed=relaxed)
    audit = ks.audit(released(ADULT, policy, made), policy)
    assert audit.holds
    assert audit.people == ADULT.height
    assert audit.groups == made.partition.number


def test_missing_cells_of_adult() -> None:
    everybody, policy = ks.datasets.load_adult("train"), ks.datasets.adult_policy("k=10")
    assert ks.audit(released(everybody, policy, made_of(everybody, policy)), policy).holds


def test_all_pairs_of_strict_groups_are_disjoint() -> None:
    """No person fits into two groups: in some attribute they show different values."""
    frame = ADULT.head(500).select("age", "sex", "workclass", "income")
    policy = ks.Policy(public=["age", "sex", "workclass"], private=["income"], require="k=20")
    made = made_of(frame, policy, show="set")
    sets = [{name: set(values_in(read_cell(cell))) for name, cell in cells.items()} for cells in cells_of(made)]
    assert len(sets) > 10
    assert all(any(one[name].isdisjoint(other[name]) for name in one) for one, other in combinations(sets, 2))
