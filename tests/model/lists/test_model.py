"""Decision lists: what they say of people, what is written of them, and which documents are refused."""

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.data.encode import encode
from kspan.data.schema import Schema
from kspan.induce.lists.part import part
from kspan.model.lists.json import (
    read_decision_list,
    write_decision_list,
)
from kspan.model.lists.model import Condition, DecisionList, ListRule
from kspan.model.models import load_model, save_model
from kspan.model.outcome import LabelCounts
from kspan.model.tree.model import Attribute, Region

AGE = Attribute("age", "public", "numeric", low=17, high=90, has_missing=True)
SEX = Attribute("sex", "public", "categorical", ("F", "M"), has_missing=True)
FEMALE, OLD = Region(frozenset({"F"})), Region(intervals=((40, None),))
FOUND = DecisionList(
    (AGE, SEX),
    "pays",
    "private",
    ("no", "yes"),
    (
        ListRule((Condition(0, OLD, 0.4), Condition(1, FEMALE, 0.5)), LabelCounts((2, 30))),
        ListRule((Condition(0, Region(intervals=((20, 60),)), 0.75),), LabelCounts((6, 2))),
    ),
    LabelCounts((5, 5)),
)


def test_it_is_read_by_people() -> None:
    assert str(FOUND).splitlines() == [
        "if age > 40 and sex = F: yes (no: 2, yes: 30)",
        "else if 20 < age <= 60: no (no: 6, yes: 2)",
        "else: no (no: 5, yes: 5)",
    ]
    assert repr(FOUND) == "DecisionList(2 rules, 50 people, target 'pays')"


FIRST, SECOND, LAST = 30 / 32, 2 / 8, 5 / 10


@pytest.mark.parametrize(
    ("age", "sex", "yes"),
    [
        ("50", "F", FIRST),
        ("50", "M", SECOND),
        ("18", "F", LAST),
        ("70", "M", LAST),
        ("50", "unheard of", SECOND),
        # Half of it is above 40, the other half between 20 and 40.
        ("[20, 60]", "F", 0.5 * FIRST + 0.5 * SECOND),
        # Above 60 only 20 of 60 years are left to nobody but the default, all of them men's.
        ("[30, 90]", "M", 0.5 * SECOND + 0.5 * LAST),
        # What a woman's half leaves is a man's, and both are between 20 and 60.
        ("50", "{F|M}", 0.5 * FIRST + 0.5 * SECOND),
        # A quarter is an old woman, and of the rest a half below 40 and a quarter above it, all below 60.
        ("[20, 60]", "{F|M}", 0.25 * FIRST + 0.75 * SECOND),
        # Unknown: each rule takes what it took of people.
        ("50", None, 0.5 * FIRST + 0.5 * SECOND),
        (None, "F", 0.4 * FIRST + 0.6 * (0.75 * SECOND + 0.25 * LAST)),
        ("*", "F", 0.4 * FIRST + 0.6 * (0.75 * SECOND + 0.25 * LAST)),
        (None, None, 0.2 * FIRST + 0.8 * (0.75 * SECOND + 0.25 * LAST)),
        ("[20, 60]", None, 0.25 * FIRST + 0.75 * SECOND),
    ],
)
def test_a_rule_takes_what_it_admits_and_leaves_the_rest(age: str | None, sex: str | None, yes: float) -> None:
    rows = pl.DataFrame({"age": [age], "sex": [sex]}, schema={"age": pl.String, "sex": pl.String})
    assert FOUND.of_people(rows)[0] == pytest.approx([1 - yes, yes])


def test_rows_are_answered_each_by_itself() -> None:
    ages, sexes = ["50", "[20, 60]", "*", None, "18", "[30, 90]"], ["F", "{F|M}", None, "M", "*", "M"]
    rows = pl.DataFrame({"age": ages, "sex": sexes})
    alone = [FOUND.of_people(rows[place])[0].tolist() for place in range(rows.height)]
    assert FOUND.of_people(rows) == pytest.approx(np.array(alone))


def test_ranges_may_be_written_in_a_way_of_their_own() -> None:
    rows = pl.DataFrame({"age": ["20 to 60"], "sex": ["F"]})
    told = FOUND.of_people(rows, r"(?P<low>\d+) to (?P<high>\d+)")
    assert told[0, 1] == pytest.approx(0.5 * FIRST + 0.5 * SECOND)


def test_a_list_without_rules_answers_everybody_alike() -> None:
    found = DecisionList((AGE,), "pays", "private", ("no", "yes"), (), LabelCounts((3, 1)))
    assert str(found) == "everyone: no (no: 3, yes: 1)"
    assert found.of_people(pl.DataFrame({"x": [1, 2]})).tolist() == [[0.75, 0.25]] * 2


def test_a_rule_of_nobody_answers_as_everybody() -> None:
    empty = ListRule((Condition(1, FEMALE, 0.0),), LabelCounts((0, 0)))
    found = DecisionList((AGE, SEX), "pays", "private", ("no", "yes"), (empty,), LabelCounts((3, 1)))
    assert found.of_people(pl.DataFrame({"sex": ["F"]})).tolist() == [[0.75, 0.25]]


def test_a_table_without_a_column_is_refused() -> None:
    with pytest.raises(ks.DataError, match="lacks 'sex', which the model asks for"):
        FOUND.of_people(pl.DataFrame({"age": [1]}))


# Files


def test_it_survives_a_file(tmp_path: Path) -> None:
    save_model(FOUND, tmp_path / "rules.json")
    assert load_model(tmp_path / "rules.json") == FOUND
    document = json.loads((tmp_path / "rules.json").read_text(encoding="utf-8"))
    assert document["format"], document["version"] == ("kspan/decision-list", 1)
    assert document["rules"][0] == {
        "conditions": [
            {"attribute": "age", "intervals": [[40, None]], "unknown": 0.4},
            {"attribute": "sex", "values": ["F"], "unknown": 0.5},
        ],
        "counts": [2, 30],
    }


def test_what_was_learned_survives_a_file(tmp_path: Path) -> None:
    people = ks.datasets.load_adult("train").head(1500)
    *names, target = people.columns
    schema = Schema(public=names, target=target)
    found = part(encode(people, schema), schema)
    save_model(found, tmp_path / "rules.json")
    again = load_model(tmp_path / "rules.json")
    assert str(again) == str(found)
    assert again.of_people(people) == pytest.approx(found.of_people(people), abs=1e-6)


DOCUMENT = write_decision_list(FOUND)
RULE = ("rules", 0)
CONDITION = (*RULE, "conditions", 0)


def changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    document: Any = copy.deepcopy(DOCUMENT)
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return document  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("format",), "kspan/tree", "no decision list that kspan wrote"),
        (("version",), 2, "reads version 1"),
        (("version",), True, "reads version 1"),
        (("claim",), {}, "'claim' is not known"),
        (("rules",), ..., "the key 'rules' is missing"),
        (("rules",), {}, "'rules' must be a list"),
        (("default",), [5, 5], "at the default: a JSON object is expected"),
        (("default", "counts"), [5], "list of 2 numbers"),
        (("target", "labels"), [], "'labels' must not be empty"),
        (("target", "name"), "age", "an attribute has the same name"),
        (("attributes", 1, "name"), "age", "earlier attribute has the same name"),
        ((*RULE, "counts"), [-1, 3], "at rule 1: each of 'counts' must be a number of people"),
        ((*RULE, "counts"), [1, float("nan")], "must be a number of people"),
        ((*RULE, "conditions"), [], "at least one condition"),
        ((*RULE, "conditions"), "age", "at least one condition"),
        ((*RULE, "label"), "yes", "'label' is not known"),
        ((*CONDITION, "attribute"), "agee", "at rule 1 > condition 1: the attribute 'agee' is not listed"),
        ((*CONDITION, "attribute"), "sex", "'intervals' is not known"),
        ((*RULE, "conditions", 1), DOCUMENT["rules"][0]["conditions"][0], "ask the same attribute"),
        ((*CONDITION, "intervals"), ..., "admits nothing"),
        ((*CONDITION, "intervals"), [], "must not be empty"),
        ((*CONDITION, "intervals"), [[5, 4]], "low bound of an interval must be below"),
        ((*CONDITION, "intervals"), [[1, 5], [4, 9]], "admit the same value"),
        ((*CONDITION, "intervals"), [["1", 5]], "must be a finite number"),
        ((*CONDITION, "missing"), True, "'missing' is not for conditions"),
        ((*CONDITION, "unknown"), ..., "the key 'unknown' is missing"),
        ((*CONDITION, "unknown"), 1.5, "from 0 to 1"),
        ((*CONDITION, "unknown"), "half", "must be a finite number"),
        ((*RULE, "conditions", 1, "values"), ["X"], "not in the domain of 'sex'"),
        ((*RULE, "conditions", 1, "values"), ["F", "F"], "must not list the same twice"),
    ],
)
def test_a_malformed_document_is_refused_with_the_place(path: tuple[Any, ...], value: Any, says: str) -> None:
    with pytest.raises(ks.ModelError, match=says):
        read_decision_list(changed(path, value), "rules.json")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not JSON"),
        ("[]", "is no model that kspan wrote"),
        ('{"a": NaN}', "NaN"),
        ('{"a": 1, "a": 2}', "key twice"),
    ],
)
def test_a_file_that_is_no_document_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "rules.json").write_text(text, encoding="utf-8")
    with pytest.raises(ks.ModelError, match=says):
        load_model(tmp_path / "rules.json")
