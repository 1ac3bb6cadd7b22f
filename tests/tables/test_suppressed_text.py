"""Another text than `*` in suppressed cells: what is written is read back as what it means."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import kspan as ks
from kspan.data.encode import encode
from kspan.tables.methods import methods

TEXT = "(hidden)"
TOWNS = [("ay", "north"), ("by", "north"), ("cy", "south"), ("dy", "south")]
PEOPLE = pl.DataFrame(
    {
        "age": [20, 20, 30, 30, None, 40, 50, 60, 20, None, 70, 80],
        "town": ["ay", "by", "ay", None, "cy", "dy", "dy", "*", "cy", "ay", "by", "dy"],
        "color": ["red", "red", "blue", "blue", "red", "green", "red", "blue", "green", "red", "blue", "red"],
        "label": ["u", "v", "u", "v", "u", "u", "v", "v", "u", "v", "u", "v"],
    }
)


def policy(**more: Any) -> ks.Policy:
    return ks.Policy(public=["age", "town", "color"], target="label", require="k=4", **more)


@pytest.mark.slow
@pytest.mark.parametrize("root", ["*", "Any", TEXT])
@pytest.mark.parametrize("method", methods())
def test_the_file_is_judged_as_if_it_had_stars(method: str, root: str, tmp_path: Path) -> None:
    plain = policy(hierarchies={"town": ks.Hierarchy.of([(*names, root) for names in TOWNS])})
    rules = replace(plain, suppressed_text=TEXT)
    starred, hidden = (ks.anonymize(PEOPLE, each, method, secret="1" * 32) for each in (plain, rules))
    starred.save(tmp_path / "stars.csv")
    hidden.save(tmp_path / "hidden.csv")
    assert "*" not in (tmp_path / "hidden.csv").read_text()
    found = ks.audit(tmp_path / "hidden.csv", rules)
    assert found.as_dict() == hidden.audit.as_dict()
    assert hidden.manifest()["claim"]["suppressed"] == TEXT
    if root != TEXT:  # a root of that name is a suppressed cell as well
        assert found.as_dict() == ks.audit(tmp_path / "stars.csv", plain).as_dict()
        stars = pl.col("age", "town", "color").replace("*", TEXT)
        assert hidden.frame.equals(starred.frame.with_columns(stars))
        assert "suppressed" not in starred.manifest()["claim"]
    assert "*" not in hidden.mapping()["shown"].to_list()
    stranger = pl.DataFrame({"age": [25, None], "town": ["ay", TEXT], "color": ["gray", "red"], "label": ["u", "v"]})
    shown = starred.recode(stranger.with_columns(pl.col("town").replace(TEXT, "*")))
    assert hidden.recode(stranger).equals(shown.with_columns(pl.col("age", "town", "color").replace("*", TEXT)))


def test_both_texts_are_read_as_suppressed() -> None:
    frame = pl.DataFrame({"age": ["20", TEXT, "*", "30"]})
    column = encode(frame, ks.Policy(public=["age"], require="k=1", suppressed_text=TEXT))["age"]
    assert (column.kind.family, column.values.tolist(), column.codes.tolist()) == ("numeric", [20, 30], [0, 2, 2, 1])


def test_a_star_may_mean_a_missing_value_then() -> None:
    frame = pl.DataFrame({"age": ["20", TEXT, "*", None]})
    column = encode(frame, ks.Policy(public=["age"], require="k=1", missing=["*"], suppressed_text=TEXT))["age"]
    assert column.codes.tolist() == [0, column.suppressed, column.missing, column.missing]


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("", "a word"),
        (" hidden", "a word"),
        ("a\nb", "a word"),
        (7, "a word"),
        ("{hidden}", "a set"),
        ("[1, 2]", "an interval"),
        ("-1", "a number"),
        ("NA", "a missing value"),
        ("none of them", "a missing value"),
        ("(missing)", "a missing value"),
        ("a;b", "the end of a cell"),
        ("red", "a value of 'color'"),
    ],
)
def test_texts_that_cannot_work_are_refused(text: Any, read_as: str) -> None:
    with pytest.raises(ks.PolicyError, match=read_as):
        policy(missing=["none of them"], domains={"color": ["red", "blue", "green"]}, suppressed_text=text)


def test_a_name_of_the_hierarchy_is_refused() -> None:
    rules = policy(hierarchies={"town": ks.Hierarchy.of(TOWNS)}, suppressed_text="north")
    with pytest.raises(ks.HierarchyError, match="'town' has the name 'north'"):
        ks.anonymize(PEOPLE, rules, "datafly")


def test_a_policy_keeps_it() -> None:
    text = policy(suppressed_text=TEXT).to_toml()
    assert f'suppressed_text = "{TEXT}"' in text
    assert ks.Policy.from_toml(text).suppressed_text == TEXT
    assert "suppressed_text" not in policy().to_toml()


def test_the_table_of_a_tree_shows_it() -> None:
    people = ks.datasets.mortgage().drop("Name")
    rules = ks.Policy(public=["Gender", "Married", "Age", "Sports car"], target="Loan risk", require="k=3")
    tree = ks.learn(people, rules)
    plain, hidden = (ks.equivalent_table(tree, people, each) for each in (rules, replace(rules, suppressed_text="zzz")))
    assert (plain == "*").select(pl.any_horizontal(pl.all().any())).item()
    assert hidden.equals(plain.with_columns(pl.all().replace("*", "zzz")).sort(plain.columns))
    assert ks.audit(hidden, replace(rules, suppressed_text="zzz")).as_dict() == ks.audit(plain, rules).as_dict()
