"""How a policy says what is shown of private numbers: read, written, and refused where it makes no sense."""

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.policy.document import policy_document, policy_in

TOML = """public = ["age"]

[private]
income = { top = "1%", round = 1000 }
illness = {}
"two words" = { bins = [0, 10.5, 50000] }

[require]
k = 10
"""
LIMITS = st.integers(-1000, 1000) | st.floats(-1e6, 1e6) | st.sampled_from(["1%", "0.5 %", " 49%"])
STEPS = st.integers(1, 10**6) | st.floats(1e-3, 1e6)
WAYS = st.one_of(
    st.fixed_dictionaries({}, optional={"top": LIMITS, "round": STEPS, "noise": STEPS | st.sampled_from(["150%"])}),
    st.fixed_dictionaries({"microaggregate": st.integers(2, 99) | st.just(True)}, optional={"bottom": LIMITS}),
    st.fixed_dictionaries({"bins": STEPS}, optional={"top": LIMITS, "noise": STEPS}),
    st.fixed_dictionaries({"bins": st.lists(st.integers(-99, 99), min_size=1, unique=True).map(sorted)}),
)


def policy(income: Any, **says: Any) -> ks.Policy:
    return ks.Policy(public=["age"], private={"income": income, "illness": {}}, require="k=10", **says)


def test_a_policy_comes_back_from_its_file_letter_by_letter(tmp_path: Path) -> None:
    read = ks.Policy.from_toml(TOML)
    assert read.private == ("income", "illness", "two words")
    assert set(read.private_numbers) == {"income", "two words"}
    assert read.to_toml() == TOML
    read.save(tmp_path / "policy.toml")
    assert ks.Policy.load(tmp_path / "policy.toml") == read
    headings = 'public = ["age"]\n[private]\nillness = {}\n[private.income]\nround = 1000\n[require]\nk = 10\n'
    assert ks.Policy.from_toml(headings) == ks.Policy(
        public=["age"], private={"illness": {}, "income": {"round": 1000}}, require="k=10"
    )


@given(WAYS)
def test_whatever_is_said_comes_back(ways: dict[str, Any]) -> None:
    made = policy(ways)
    assert ks.Policy.from_toml(made.to_toml()) == made
    assert policy_in(json.loads(json.dumps(policy_document(made))), "a file") == made
    assert ks.Policy.of({"public": ["age"], "private": made.private_says, "require": {"k": 10}}) == made


def test_what_is_shown_as_it_is_needs_no_table() -> None:
    plain, table = ks.Policy(public=["age"], private=["income", "illness"], require="k=10"), policy({})
    assert table == plain
    assert (
        table.to_toml() == plain.to_toml() == 'public = ["age"]\nprivate = ["income", "illness"]\n\n[require]\nk = 10\n'
    )
    assert policy_document(table)["private"] == ["income", "illness"]


def test_a_policy_with_numbers_can_be_copied_and_is_frozen() -> None:
    made = policy({"round": 5})
    assert copy.deepcopy(made) == made
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301 (joblib does so)
    with pytest.raises(TypeError):
        made.private_numbers["income"] = None  # type: ignore[index]


def test_the_target_is_private_as_well() -> None:
    made = ks.Policy(public=["age"], private={"income": {"round": 5}}, target="risk", require="k=2")
    assert made.private == ("income", "risk")
    assert ks.Policy.from_toml(made.to_toml()) == made


@pytest.mark.parametrize(
    ("ways", "says"),
    [
        (1000, "must be a table"),
        ("round", "must be a table"),
        ({"rounded": 5}, r"cannot be shown by 'rounded' \(did you mean 'round'\?\)"),
        ({"round": 0}, "the round of 'income' is 0"),
        ({"round": -5}, "must be a number from 0"),
        ({"round": "5"}, "must be a number"),
        ({"round": True}, "must be a number"),
        ({"round": float("nan")}, "must be a number"),
        ({"top": "1"}, 'a share of up to 50% as in "1%"'),
        ({"top": "60%"}, 'a share of up to 50% as in "1%"'),
        ({"top": "0%"}, 'a share of up to 50% as in "1%"'),
        ({"top": 1e200}, "must be a number"),
        ({"noise": 0}, "the noise of 'income' is 0"),
        ({"noise": "2000%"}, "a share of up to 1000%"),
        ({"microaggregate": 1}, "must be a whole number"),
        ({"microaggregate": 2.5}, "must be a whole number"),
        ({"microaggregate": False}, "must be a whole number"),
        ({"bins": []}, "must list the numbers between them"),
        ({"bins": [5, 5]}, "must be in ascending order"),
        ({"bins": [5, "6"]}, "must be a number"),
        ({"bins": 5, "round": 5}, "by bins and by round: keep one"),
        ({"bins": 5, "microaggregate": 5}, "by bins and by microaggregate: keep one"),
        ({"bins": [5], "top": 5}, "the outer bins of 'income' have no end"),
        ({"bottom": 5, "top": 5}, "the bottom of 'income' is not below its top"),
    ],
)
def test_what_makes_no_sense_is_refused(ways: Any, says: str) -> None:
    with pytest.raises(ks.PolicyError, match=says):
        policy(ways)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"domains": {"income": "categorical"}}, "its domain is none of numbers"),
        ({"domains": {"income": "date"}}, "its domain is none of numbers"),
        ({"domains": {"income": ["low", "high"]}}, "its domain is none of numbers"),
        ({"hierarchies": {"income": ks.Intervals((10.0,))}}, "declares a hierarchy for it"),
        ({"sets": {"income": ";"}}, "declares sets of codes for it"),
    ],
)
def test_only_plain_numbers_can_be_shown_otherwise(more: dict[str, Any], says: str) -> None:
    with pytest.raises(ks.PolicyError, match=says):
        policy({"round": 5}, **more)


def test_only_private_columns_can_be_shown_otherwise() -> None:
    with pytest.raises(ks.PolicyError, match="which is not private"):
        ks.Policy(public=["age"], private=["income"], private_numbers={"age": {"round": 5}}, require="k=2")
    with pytest.raises(ks.PolicyError, match="public must be a list of names"):
        ks.Policy(public={"age": {"round": 5}}, require="k=2")
    with pytest.raises(ks.PolicyError, match="private_numbers must map"):
        ks.Policy(private=["income"], private_numbers=["income"], require="k=2")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ways", "words"),
    [
        ({"round": 1000}, "rounded to multiples of 1000"),
        ({"bottom": 0, "top": 9.5}, "numbers below 0 as 0; numbers above 9.5 as 9.5"),
        ({"top": "1%"}, "the highest 1% of people, and at least 10, as one number"),
        ({"bottom": "2.5%", "bins": 5}, "the lowest 2.5% of people, and at least 10, as one range"),
        ({"bottom": 0, "top": 90, "bins": 5}, "numbers below 0 as one range; numbers from 90 as one range"),
        ({"bins": [0, 7]}, "as ranges that are cut at 0, 7"),
        ({"microaggregate": 3}, "means of at least 10 people with neighboring numbers"),
        ({"microaggregate": 12}, "means of at least 12 people with neighboring numbers"),
        ({"noise": "10%"}, "with Gaussian noise, whose standard deviation is 10% of that of the column"),
        ({"noise": 5, "round": 2}, "whose standard deviation is 5; rounded to multiples of 2"),
    ],
)
def test_what_is_done_can_be_said(ways: Any, words: str) -> None:
    assert words in policy(ways).private_numbers["income"].words(10)
