"""Policies: what is written is what is read, words of other tools are understood, nothing is guessed."""

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks


def test_a_policy_comes_back_from_its_file(tmp_path: Path) -> None:
    policy = ks.Policy(
        public=["age", "a/b", "zip"],
        private=["income", "two words"],
        identifier=["name"],
        target="income",
        weight="n",
        counting="people",
        suppressed="anything",
        missing=["?"],
        require=ks.KAnonymity(5) & ks.RecursiveCL(3, 2) & ks.EntropyL(1.5, on="income"),
        hierarchies={
            "age": ks.Intervals((5, 10), origin=2),
            "a/b": ks.Hierarchy.of([("x", "X"), ("y", "Y")]),
            "zip": ks.Prefixes(),
        },
        domains={"age": [0, 120], "zip": "categorical", "income": ["low", "high"]},
    )
    policy.save(tmp_path / "policy.toml")
    again = ks.Policy.load(tmp_path / "policy.toml")
    assert again == policy
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hierarchies", "policy.toml"]


NAMES = st.lists(st.text(min_size=1).filter(lambda name: name == name.strip()), min_size=2, max_size=6, unique=True)


@given(names=NAMES, k=st.integers(1, 10**6))
def test_any_column_names_survive_toml(names: list[str], k: int) -> None:
    policy = ks.Policy(public=names[:-1], private=names[-1:], require=ks.KAnonymity(k) & ks.DistinctL(2, on=names[-1]))
    assert ks.Policy.from_toml(policy.to_toml()) == policy


@pytest.mark.parametrize(
    ("words", "role"),
    [
        ("quasi-identifying", "public"),
        ("quasi_identifying", "public"),
        ("quasi-identifiers", "public"),
        ("sensitive", "private"),
        ("identifying", "identifier"),
    ],
)
def test_role_words_of_other_tools_are_read_and_ours_are_written(words: str, role: str) -> None:
    policy = ks.Policy.from_toml(f'{words} = ["x"]\n[require]\nk = 2\n')
    assert getattr(policy, role) == ("x",)
    assert policy.to_toml().startswith(f'{role} = ["x"]')


def test_the_target_is_private_unless_it_is_public() -> None:
    assert ks.Policy(public=["a"], target="b", require="k=2").private == ("b",)
    assert ks.Policy(public=["a", "b"], target="b", require="k=2").private == ()


def test_a_policy_can_be_copied() -> None:
    policy = ks.Policy(
        public=["a"], target="b", require="k=2", domains={"a": [0, 1]}, hierarchies={"a": ks.Automatic()}
    )
    assert copy.deepcopy(policy) == policy
    assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301 (joblib does so)


def test_blanks_around_names_do_not_matter() -> None:
    assert ks.Policy(public=[" age "], target=" income", require="k=2").columns == ("age", "income")


def test_a_policy_is_frozen() -> None:
    policy = ks.Policy(public=["a"], require="k=2", domains={"a": [0, 1]})
    with pytest.raises(AttributeError):
        policy.public = ("b",)  # type: ignore[misc]
    with pytest.raises(TypeError):
        policy.domains["a"] = None  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("k", "cannot read"),
        ("k=", "cannot read"),
        ("k=3,", "cannot read"),
        ("k=3 t=0.1", "cannot read"),
        ("", "cannot read"),
        ("k=three", "whole number"),
        ("k=2.5", "whole number"),
        ("k[income]=3", "whole groups"),
        ("l=3", "no requirement 'l'"),
        ("distinkt_l=3", "did you mean 'distinct_l'"),
        ("recursive_cl=3", "two numbers"),
        ("recursive_cl=[3, 3, 3]", "two numbers"),
        ("t=1.5", "from 0 to 1"),
        ("entropy_l=nan", "entropy_l must be a number"),
        ("confidence=true", "confidence must be a number"),
        ("entropy_l[salary]=2", "'salary', which is not private"),
    ],
)
def test_requirements_that_make_no_sense_are_refused(text: str, says: str) -> None:
    with pytest.raises(ks.PolicyError, match=says.replace("[", r"\[")):
        ks.Policy(public=["age"], private=["income"], require=text)


@pytest.mark.parametrize(
    "change",
    [
        {"public": "age"},
        {"public": [1]},
        {"public": None},
        {"require": 3},
        {"target": ["a", "b"]},
        {"hierarchies": ["age"]},
        {"domains": {"age": []}},
        {"hierarchies": {"age": 7}},
    ],
    ids=str,
)
def test_wrong_kinds_of_arguments_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ks.PolicyError):
        ks.Policy(**{"public": ["age"], "private": ["income"], "require": "k=2", **change})
