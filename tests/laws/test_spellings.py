"""Every spelling of a cell gets the verdict of its canonical one, in every question that a table is asked."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.data.encode import encode_column
from kspan.data.general import general
from kspan.data.meaning import canonical_column
from kspan.data.schema import Schema

PATTERN = r"(?P<low>\d+) to (?P<high>\d+)"
RANGES: dict[str, tuple[str, ...]] = {
    "[20, 39]": ("[20, 39]", "[20,39]", "[20; 39]", "20-39", "20 - 39", "[20.0, 39.00]", "20 to 39"),
    "[40, 60[": ("[40, 60[", "[40,60)", "[40; 60[", "[ 40 , 60 )"),
    "]60, 80]": ("]60, 80]", "(60,80]", "(60; 80.0]"),
    "<20": ("<20", "< 20", "<20.0", "[-1e300, 20["),
    ">=81": (">=81", ">= 81", "[81, 1e300]", "[81, 1e200]"),
    "45": ("45", "45.0", "[45, 45]", "{45}", "45-45", "{45|45.0}"),
    "{20|30}": ("{20|30}", "{30|20}", "{20.0|30|30}"),
    "*": ("*",),
}
WORDS: dict[str, tuple[str, ...]] = {
    "a": ("a", "{a}", "{a|a}"),
    "{a|b}": ("{a|b}", "{b|a}"),
    r"{a|b\|c}": (r"{a|b\|c}", r"{b\|c|a}"),
    "1.10": ("1.10",),
    "1.1": ("1.1",),
}
AGES = [19, 20, 30, 39, 40, 45, 59, 60, 80, 81, 90]


def any_of(cells: dict[str, tuple[str, ...]]) -> st.SearchStrategy[tuple[str, str]]:
    return st.sampled_from(list(cells)).flatmap(lambda cell: st.tuples(st.just(cell), st.sampled_from(cells[cell])))


def rows(*columns: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.tuples(*columns), min_size=2, max_size=14)


def policy(**more: Any) -> ks.Policy:
    return ks.Policy(
        public=["age", "word"], private=["ill"], require="k=2, distinct_l=2", range_pattern=PATTERN, **more
    )


def ages(cells: list[str]) -> ks.Audit:
    frame = pl.DataFrame({"age": cells, "ill": ["x", "y"] * 2})
    return ks.audit(frame, ks.Policy(public=["age"], private=["ill"], require="k=2"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "says", [{}, {"suppressed": "anything"}, {"counting": "people"}, {"domains": {"age": (0, 120)}}], ids=str
)
@given(data=rows(any_of(RANGES), any_of(WORDS), st.sampled_from(["x", "y", "z"])))
def test_the_verdict_is_that_of_the_canonical_cells(says: dict[str, Any], data: list[Any]) -> None:
    rules = policy(**says)
    canonical, spelled = (
        pl.DataFrame([(age[at], word[at], ill) for age, word, ill in data], ["age", "word", "ill"], orient="row")
        for at in (0, 1)
    )
    assert ks.audit(spelled, rules).as_dict() == ks.audit(canonical, rules).as_dict()


@pytest.mark.slow
@given(
    data=rows(any_of(RANGES), st.sampled_from(["x", "y"])),
    people=st.lists(st.sampled_from([*AGES, 59.5]), min_size=1, max_size=8),
)
def test_people_are_linked_alike(data: list[Any], people: list[float]) -> None:
    rules = ks.Policy(public=["age"], private=["ill"], require="k=1", range_pattern=PATTERN)
    behind = pl.DataFrame({"age": people, "ill": ["x"] * len(people)}, strict=False)
    answers = []
    for at in (0, 1):
        table = pl.DataFrame({"age": [age[at] for age, _ in data], "ill": [ill for _, ill in data]})
        try:
            answers.append(ks.audit(table, behind, rules).as_dict())
        except ks.DataError as error:
            answers.append({"refused": str(error)})
    assert answers[0] == answers[1]


@given(st.lists(any_of(RANGES) | any_of(WORDS), min_size=1, max_size=10))
def test_canonical_cells_stay_as_they_are(cells: list[tuple[str, str]]) -> None:
    column = encode_column(pl.Series("c", [spelled for _, spelled in cells]), Schema(public=["c"]))
    once = canonical_column(column, PATTERN)
    assert canonical_column(once) is once


def test_ranges_of_others_cost_what_ours_do() -> None:
    ours = ages(["[20, 39]", "[20, 39]", "[40, 60]", "[40, 60]"]).utility
    assert ours.ncp == pytest.approx((19 + 20) / 2 / 40)
    assert ages(["20-39", "20-39", "40-60", "40-60"]).utility == ours


@pytest.mark.parametrize(
    "cells", [["20-39", "40-60"], ["20 to 39", "40 to 60"], ["[20,40)", "[40,60]"], ["<40", ">=40"]]
)
def test_people_match_the_ranges_of_others(cells: list[str]) -> None:
    people = pl.DataFrame({"age": [20, 39, 40, 60], "ill": ["x", "y", "x", "y"]})
    table = pl.DataFrame({"age": [cell for cell in cells for _ in range(2)], "ill": ["x", "y", "x", "y"]})
    found = ks.audit(table, people, ks.Policy(public=["age"], private=["ill"], require="k=2", range_pattern=PATTERN))
    assert found.holds
    assert found.linked is not None
    assert found.linked.unmatched == 0


def test_codes_are_no_ranges() -> None:
    codes = encode_column(pl.Series("c", ["01-09", "1-9", "1.10", "1.1"]), Schema(public=["c"]))
    assert canonical_column(codes) is codes


def test_a_code_is_not_linked_to_another_that_is_the_same_number() -> None:
    people = pl.DataFrame({"code": ["1.1", "1.10", "x"], "ill": ["a", "b", "a"]})
    table = pl.DataFrame({"code": ["{1.10|x}", "{1.10|x}"], "ill": ["b", "a"]})
    found = ks.audit(table, people, ks.Policy(public=["code"], private=["ill"], require="k=2"))
    assert found.linked is not None
    assert found.linked.unmatched == 1


ONE_CELL = {
    "sets in another order": ["{M|F}", "{F|M}"],
    "sets with blanks": ["{M|F}", "{ M | F }", " {F|M}", "{F|M} ", "{F| M}"],
    "lists of words": ["{M|F}", "(M, F)", "(F,M)", "{F, M}", "(F; M)"],
    "ranges": ["[20, 30]", "[20,30]", "[20;30]", " [20, 30]", "20-30", "20 - 30", "20–30", "[20.0, 3e1]"],
    "bounds": ["<=20", "≤20", "≤ 20.0"],
    "one value": ["20", "20.0", "{20}", "[20, 20]"],
}
SEVERAL_CELLS = {
    "a word that is known with blanks": (["{M| F}", "{M|F}", " F", "F"], 4),
    "a list of words that nobody has": (["(self-employed, inc)", "(inc, self-employed)"], 2),
    "numbers in parentheses": (["(20, 30)", "(30, 20)", "20", "30"], 4),
    "a word that has a comma": (["{a,b|c}", "{a|b|c}", "{b,a|c}"], 3),
    "codes": (["20.0", "20", "x"], 3),
    "ranges among words": (["20-30", "20 - 30", "x"], 3),
    "a range and its whole numbers": (["{20|21}", "[20, 21]"], 2),
    "an end that is left out": (["[20, 30]", "[20, 30[", "]20, 30]"], 3),
}


@pytest.mark.parametrize("cells", ONE_CELL.values(), ids=ONE_CELL)
def test_one_cell_has_many_spellings(cells: list[str]) -> None:
    frame = pl.DataFrame({"c": cells, "ill": ["x"] * len(cells)})
    assert ks.audit(frame, ks.Policy(public=["c"], private=["ill"], require="k=1")).groups == 1
    column = encode_column(frame["c"], Schema(public=["c"]))
    assert len(column.values) == 1
    assert column.label(0) in cells or column.is_measured
    assert ks.k_anonymity(frame, "c") == len(cells)


@pytest.mark.parametrize(("cells", "groups"), SEVERAL_CELLS.values(), ids=SEVERAL_CELLS)
def test_what_is_not_the_same_stays_apart(cells: list[str], groups: int) -> None:
    frame = pl.DataFrame({"c": cells, "ill": ["x"] * len(cells)})
    assert ks.audit(frame, ks.Policy(public=["c"], private=["ill"], require="k=1")).groups == groups
    assert len(encode_column(frame["c"], Schema(public=["c"])).values) == groups


def test_a_table_as_it_was_printed_has_one_general_value() -> None:
    # Table III of Shao and Beckford: own-value counting knows three values, (M, F) with two of three up to 50.
    sex = ["(M, F)", "F", "F", "F", "M", "(F, M)", "F", "(M, F)"]
    salary = ["<=50", "<=50", ">50", "<=50", ">50", "<=50", "<=50", ">50"]
    frame = pl.DataFrame({"sex": sex, "salary": salary})
    for domains in ({}, {"sex": ["M", "F"]}):
        policy = ks.Policy(public=["sex"], target="salary", require="k=1", domains=domains)
        assert ks.audit(frame, policy).groups == 3
        assert ks.classification_metric(frame, "sex", "salary") == 2
        column = encode_column(frame["sex"], policy)
        assert sorted(pl.Series(column.codes).value_counts()["count"]) == [1, 3, 4]
        assert general(column).values.tolist() == ["F", "M"]


def test_words_of_the_people_tell_what_a_list_is() -> None:
    people = pl.DataFrame({"sex": ["M", "F", "M", "F"], "ill": ["x", "y", "x", "y"]})
    release = people.with_columns(sex=pl.Series(["(M, F)", "(F, M)", "{M|F}", "{ F | M }"]))
    found = ks.audit(release, people, ks.Policy(public=["sex"], private=["ill"], require="k=4", counting="people"))
    assert found.holds
    assert found.linked is not None
    assert found.linked.unmatched == 0
    odd = pl.DataFrame({"job": ["(inc, self)", "inc", "self", "(self, inc)"], "ill": ["x", "y", "x", "y"]})
    alone = ks.audit(odd, odd, ks.Policy(public=["job"], private=["ill"], require="k=1"))
    assert alone.groups == 3  # these people are general already, and so are their two lists
