"""kACTUS without blanks: cells are true of their people and tight, nobody is lost, and no target is needed."""

from collections import defaultdict
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from anonymize.kactus.test_kactus import ATTRIBUTES as ASKED
from anonymize.kactus.test_kactus import (
    CELLS,
    LEAF,
    WORDS,
    cells_of,
    labels_of,
    naive_holds,
    question,
    recoded,
    seed,
)
from kspan.anonymize.kactus.kactus import kactus
from kspan.data.cells import Between, Exact, OneOf, number, read_cell
from kspan.data.encode import encode
from kspan.errors import PolicyError
from kspan.model.tree.model import Tree


def tightest(values: list[Any]) -> Any:
    """What can be said of some values, from the definition: nothing, a value, a range, or a set."""
    if None in values:
        return "empty" if set(values) == {None} else "anything"
    if isinstance(values[0], str):
        return frozenset(values)
    return float(min(values)), float(max(values))


def meaning(cell: str | None, *, is_number: bool) -> Any:
    """What a released cell says, in the same terms."""
    if cell is None:
        return "empty"
    match read_cell(cell):
        case Between(low, high):
            return float(low), float(high)
        case OneOf(values):
            return frozenset(values)
        case Exact(text):
            return (number(text), number(text)) if is_number else frozenset([text])
    return "anything"


@given(data=st.data())
def test_cells_are_the_tightest_that_are_true(data: st.DataObject) -> None:
    made = recoded(data, counting="rows", blank=False, show="interval")
    if made is None:
        return
    frame, policy, _, options, recoding = made
    cells, people = cells_of(recoding.partition), defaultdict(list)
    for row, group in zip(frame.rows(named=True), recoding.partition.group.tolist(), strict=True):
        people[group].append(row)
    if options["rest"] != "withhold":
        assert -1 not in people
    for group, rows in people.items():
        for name in CELLS if group >= 0 else ():
            said = meaning(cells[group][name], is_number=not isinstance(rows[0][name], str))
            assert said == tightest([row[name] for row in rows])
    assert naive_holds(policy, [labels_of(rows) for group, rows in people.items() if group >= 0])


def test_a_group_shows_names_of_a_hierarchy_if_asked() -> None:
    towns = ks.Hierarchy.of([("ay", "north"), ("by", "north"), ("cy", "south"), ("dy", "south")])
    people = pl.DataFrame({"town": ["ay", "by"] * 3 + ["cy", "cy"] * 3, "label": ["u"] * 6 + ["v"] * 6})
    rules = ks.Policy(public=["town"], target="label", require="k=6", hierarchies={"town": towns})
    names = ks.anonymize(people, rules, "kactus", show="hierarchy").frame["town"]
    assert sorted(names.unique()) == ["cy", "north"]
    assert sorted(ks.anonymize(people, rules, "kactus").frame["town"].unique()) == ["cy", "{ay|by}"]


def left_over(require: str, rows: list[tuple[str, str, int, str]], **options: Any) -> tuple[list[Any], Any]:
    """A tree that asks q alone: what every row shows of q and s, and the recoding."""
    schema = ["q", "r", "s", "label"]
    frame = pl.DataFrame(rows, schema=schema, orient="row").with_columns(p=pl.lit(0), weight=pl.lit(1))
    policy = ks.Policy(public=list(CELLS), target="label", weight="weight", require=require)
    tree = Tree(ASKED, "label", "private", ("u", "v", "w"), question(1, dict.fromkeys(WORDS, LEAF)))
    made = kactus(encode(frame, policy), policy, tree, rng=seed(), transfer="none", **options)
    cells = cells_of(made.partition)
    return [cells[group]["q"] if group >= 0 else None for group in made.partition.group.tolist()], made


NEAR_D = [("a", "a", 1, "u"), ("a", "a", 2, "v")] * 2 + [("d", "d", 8, "u"), ("d", "d", 9, "v")] * 2


def test_who_is_left_over_joins_the_group_whose_cells_widen_least() -> None:
    rows = [*NEAR_D, ("e", "d", 8, "u")]
    shown, made = left_over("k=4", rows)
    assert shown == ["a"] * 4 + ["{d|e}"] * 5
    assert made.partition.withheld == 0
    assert left_over("k=4", rows, rest="withhold")[0] == ["a"] * 4 + ["d"] * 4 + [None]
    # Blank, a leaf would have to show nothing: that must be asked for.
    assert left_over("k=4", rows, blank=True)[0] == ["a"] * 4 + ["d"] * 4 + [None]
    assert left_over("k=4", rows, blank=True, rest="join")[0] in (["*"] * 4 + ["d"] * 4 + ["*"], ["a"] * 4 + ["*"] * 5)


def test_who_is_left_over_joins_no_group_that_then_breaks_the_requirement() -> None:
    """One more u would be three of five near d; with the six in a it is four of seven."""
    rows = [*NEAR_D, ("a", "a", 1, "u"), ("a", "a", 1, "v"), ("e", "d", 8, "u")]
    assert left_over("k=4, confidence=0.58", rows)[0] == ["{a|e}"] * 4 + ["d"] * 4 + ["{a|e}"] * 3


def test_groups_are_united_where_none_can_take_who_is_left_over() -> None:
    """With one more u, each group of four alone would have three u in five; all nine have five."""
    rows = [*NEAR_D, ("e", "d", 8, "u")]
    shown, made = left_over("k=4, confidence=0.56", rows)
    assert shown == ["{a|d|e}"] * 9
    assert made.partition.withheld == 0


def test_leaves_with_room_are_divided_by_any_attribute() -> None:
    rows = [("a", r, s, "u") for r in ("a", "d") for s in (1, 1, 2, 2)]
    _, made = left_over("k=4", rows)
    assert made.partition.number == 2
    assert left_over("k=4", rows, refine=False)[1].partition.number == 1
    assert left_over("k=4", rows, blank=True)[1].partition.number == 1


# Without a target


PEOPLE = ks.datasets.load_adult("train").head(2000).select("age", "sex", "education", "hours-per-week", "income")


@pytest.mark.parametrize("counting", ["rows", "people"])
def test_no_target_is_needed(counting: Any) -> None:
    rules = ks.Policy(public=PEOPLE.columns[:-1], private=["income"], require="k=10", counting=counting)
    release = ks.anonymize(PEOPLE, rules, "kactus")
    assert ks.audit(release, PEOPLE).holds
    assert release.partition.number > 20
    if counting == "rows":
        assert release.withheld == 0
        everything = ks.anonymize(PEOPLE, rules, "kactus", inducer="together", transfer="none", refine=False)
        one = ks.anonymize(PEOPLE, rules, "datafly")
        assert everything.audit.utility.ncp < one.audit.utility.ncp


def test_a_public_target_is_an_attribute_like_others() -> None:
    rules = ks.Policy(public=PEOPLE.columns, target="income", require="k=10")
    assert ks.audit(ks.anonymize(PEOPLE, rules, "kactus"), PEOPLE).holds


def test_a_number_may_be_the_target() -> None:
    """Hours follow from the age below and above 40 alone, so nothing else is asked first."""
    random = np.random.default_rng(0)
    age, dice = random.integers(20, 60, 400), random.integers(0, 6, 400)
    hours = np.where(age < 40, 20, 40) + random.integers(0, 3, 400)
    people = pl.DataFrame({"dice": dice, "age": age, "hours": hours})
    rules = ks.Policy(public=["dice", "age"], target="hours", require="k=150", grid="exact")
    release = ks.anonymize(people, rules, "kactus")
    spread = release.frame.group_by("age").agg(pl.col("hours").max() - pl.col("hours").min())["hours"].to_list()
    assert spread == [2, 2]


def test_trees_of_a_target_need_one() -> None:
    rules = ks.Policy(public=PEOPLE.columns[:-1], private=["income"], require="k=10")
    with pytest.raises(PolicyError, match="the tree of id3 predicts a target: name a private one"):
        ks.anonymize(PEOPLE, rules, "kactus", inducer="id3")
    with pytest.raises(PolicyError, match="transfer='greedy' looks at the labels of a target"):
        ks.anonymize(PEOPLE, rules, "kactus", transfer="greedy")
