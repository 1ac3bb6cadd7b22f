"""Laws of PART and of the conjunctive rule, on exact and on general cells, and what they refuse."""

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.data.encode import encode
from kspan.data.schema import Schema
from kspan.induce.lists.conjunctive import conjunctive
from kspan.induce.lists.part import part
from kspan.induce.tree.c45 import c45
from kspan.model.lists.model import DecisionList
from kspan.model.predict import predicted
from laws.examples import share_of_examples

LEARNERS: list[tuple[Any, dict[str, Any]]] = [
    (part, {}),
    (part, {"min_rows": 1, "confidence_factor": 0.5}),
    (part, {"entropy": "em"}),
    (conjunctive, {}),
    (conjunctive, {"min_rows": 1, "rng": 3, "entropy": "em"}),
]
NAMES = [f"{learner.__name__} {options}" for learner, options in LEARNERS]
every_learner = pytest.mark.parametrize(("learner", "options"), LEARNERS, ids=NAMES)

SCHEMA = Schema(public=["n", "w", "v"], target="y")


def table_of(draw: st.DrawFn, cells: dict[str, list[Any]], most: int) -> pl.DataFrame:
    rows = draw(st.integers(3, most))
    found = {}
    for name, values in {**cells, "y": ["u", "v", "z"]}.items():
        found[name] = draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))
    return pl.DataFrame(found, strict=False)


@st.composite
def exact(draw: st.DrawFn) -> pl.DataFrame:
    return table_of(draw, {"n": [1, 2, 3, 5, 8], "w": ["a", "b", "c"], "v": ["p", "q"]}, 40)


@st.composite
def general(draw: st.DrawFn) -> pl.DataFrame:
    numbers = ["1", "2", "5", "[1, 5]", "[2, 9]", "[1, 9]", "*", None]
    return table_of(draw, {"n": numbers, "w": ["a", "b", "{a|b}", "{b|c}", "*", None], "v": ["p", "q", "{p|q}"]}, 25)


def totals(found: DecisionList) -> np.ndarray[Any, Any]:
    return np.sum([*(rule.outcome.counts for rule in found.rules), found.default.counts], axis=0)


@pytest.mark.slow
@every_learner
@share_of_examples(0.4)
@given(frame=exact() | general())
def test_nobody_is_lost_or_invented(learner: Any, options: dict[str, Any], frame: pl.DataFrame) -> None:
    table = encode(frame, SCHEMA)
    found = learner(table, SCHEMA, **options)
    people = [(frame["y"] == label).sum() for label in found.labels]
    assert totals(found) == pytest.approx(people, abs=1e-4)  # six digits are told
    assert learner(table, SCHEMA, **options) == found
    unseen = pl.DataFrame({"n": ["4", None, "[0, 6]"], "w": ["c", "elsewhere", "{a|d}"], "v": ["p", None, "*"]})
    for rows in (frame, unseen):
        shares = found.of_people(rows)
        assert shares.min() >= -1e-9
        assert shares.sum(axis=1) == pytest.approx(np.ones(rows.height))


@pytest.mark.slow
@every_learner
@share_of_examples(0.4)
@given(frame=exact(), seed=st.integers(0, 5))
def test_the_order_of_rows_does_not_matter(
    learner: Any, options: dict[str, Any], frame: pl.DataFrame, seed: int
) -> None:
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=seed)
    assert learner(encode(shuffled, SCHEMA), SCHEMA, **options) == learner(encode(frame, SCHEMA), SCHEMA, **options)


@pytest.mark.slow
@every_learner
@share_of_examples(0.4)
@given(frame=exact() | general())
def test_weights_are_repeated_rows(learner: Any, options: dict[str, Any], frame: pl.DataFrame) -> None:
    weighted = Schema(public=["n", "w", "v"], target="y", weight="people")
    counted = frame.group_by("n", "w", "v", "y", maintain_order=True).len("people")
    told = learner(encode(counted, weighted), weighted, **options)
    plain = learner(encode(frame, SCHEMA), SCHEMA, **options)
    if learner is conjunctive or frame["n"].dtype != pl.String:
        assert str(told) == str(plain)
    assert totals(told) == pytest.approx(totals(plain), abs=1e-4)


@pytest.mark.slow
@every_learner
@share_of_examples(0.5)
@given(frame=exact())
def test_the_first_rule_that_admits_a_row_has_counted_it(
    learner: Any, options: dict[str, Any], frame: pl.DataFrame
) -> None:
    """By definition, a row at a time."""
    found = learner(encode(frame, SCHEMA), SCHEMA, **options)
    counts = np.zeros((len(found.rules) + 1, len(found.labels)))
    for row in frame.iter_rows(named=True):
        first = len(found.rules)
        for number, rule in enumerate(found.rules):
            if all(admits(row[found.attributes[one.attribute].name], one.region) for one in rule.conditions):
                first = number
                break
        counts[first, found.labels.index(row["y"])] += 1
    assert [tuple(each) for each in counts] == [*(rule.outcome.counts for rule in found.rules), found.default.counts]


def admits(value: Any, region: Any) -> bool:
    if isinstance(value, str):
        return value in region.values
    return any((low is None or value > low) and (high is None or value <= high) for low, high in region.intervals)


@pytest.mark.slow
@every_learner
@share_of_examples(0.5)
@given(frame=general(), cells=st.tuples(*(st.sampled_from(one) for one in (["{a|b}", "{b|c}", "c"], ["{p|q}", "q"]))))
def test_a_general_row_is_answered_by_all_that_it_may_be(
    learner: Any, options: dict[str, Any], frame: pl.DataFrame, cells: tuple[str, str]
) -> None:
    names = Schema(public=["w", "v"], target="y", domains={"w": ["a", "b", "c"], "v": ["p", "q"]})
    found = learner(encode(frame.drop("n"), names), names, **options)
    answer = found.of_people(pl.DataFrame({"w": [cells[0]], "v": [cells[1]]}))
    words, others = ([*cell.strip("{}").split("|")] for cell in cells)
    raw = pl.DataFrame([*product(words, others)], schema=["w", "v"], orient="row")
    assert answer[0] == pytest.approx(found.of_people(raw).mean(axis=0))


@pytest.mark.slow
@every_learner
@share_of_examples(0.5)
@given(frame=exact())
def test_cells_of_one_value_are_that_value(learner: Any, options: dict[str, Any], frame: pl.DataFrame) -> None:
    """A set of one value, and a column in which somebody else shows more, tell the same."""
    table = encode(frame, SCHEMA)
    plain = {name: value for name, value in options.items() if name != "entropy"}
    assert learner(table, SCHEMA, **options) == learner(table, SCHEMA, **plain, entropy="own-value")


def test_what_a_rule_leaves_of_a_person_is_not_asked_again() -> None:
    """Whoever may be a or b, and was taken as a by the first rule, is b from then on."""
    frame = pl.DataFrame(
        {"w": ["a"] * 20 + ["b"] * 12 + ["c"] * 8 + ["{a|b}"] * 8, "y": [*"u" * 20, *"v" * 12, *"uv" * 8]}
    )
    schema = Schema(public=["w"], target="y")
    found = part(encode(frame, schema), schema)
    asked = [one.region.values for rule in found.rules for one in rule.conditions]
    assert len(set(asked)) == len(asked)
    tree = c45(encode(frame, schema), schema)
    rows = pl.DataFrame({"w": ["a", "b", "{a|b}"]})
    told = predicted(tree, rows).select("^probability.*$").to_numpy()
    assert (found.of_people(rows).argmax(axis=1)[:2] == told.argmax(axis=1)[:2]).all()


def test_a_missing_value_takes_part_in_each_rule_as_people_did() -> None:
    """Frank and Witten: its weight for a rule is that of the branch, and the rest goes on to the next rule."""
    frame = pl.DataFrame({"w": [*"a" * 6, *"b" * 2, None], "y": [*"u" * 6, *"v" * 2, "v"]})
    schema = Schema(public=["w"], target="y")
    found = part(encode(frame, schema), schema)
    (rule,) = found.rules
    assert rule.conditions[0].unknown == pytest.approx(0.75)
    assert rule.outcome.counts == pytest.approx((6, 0.75))
    assert found.default.counts == pytest.approx((0, 2.25))
    answer = found.of_people(pl.DataFrame({"w": [None]}, schema={"w": pl.String}))
    assert answer[0] == pytest.approx([0.75 * 6 / 6.75, 0.75 * 0.75 / 6.75 + 0.25])


def test_the_conjunctive_rule_needs_both_conditions() -> None:
    rows = [(w, v, "u" if (w, v) == ("a", "p") else "v") for w, v in product("ab", "pq")] * 30
    frame = pl.DataFrame(rows, schema=["w", "v", "y"], orient="row")
    schema = Schema(public=["w", "v"], target="y")
    found = conjunctive(encode(frame, schema), schema)
    assert str(found) == "if w = a and v = p: u (u: 30)\nelse: v (v: 90)"


@pytest.mark.parametrize("learner", [part, conjunctive])
def test_what_cannot_be_learned_is_refused(learner: Any) -> None:
    frame = pl.DataFrame({"w": ["a", "b", "a"], "y": ["u", None, "v"]})
    for schema, error, says in (
        (Schema(public=["w", "y"]), ks.PolicyError, "needs a target"),
        (Schema(public=["w"], target="y"), ks.DataError, "have no label"),
        (Schema(identifier=["w"], person=False, target="y"), ks.PolicyError, "no attribute to learn from"),
    ):
        with pytest.raises(error, match=says):
            learner(encode(frame if "label" in says else frame.drop_nulls(), schema), schema)
    schema = Schema(public=["w"], target="y")
    table = encode(frame.drop_nulls(), schema)
    with pytest.raises(ks.KspanError, match="min_rows"):
        learner(table, schema, min_rows=0)
    with pytest.raises(ks.PolicyError, match="entropy"):
        learner(table, schema, entropy="random")
    if learner is part:
        with pytest.raises(ks.KspanError, match="confidence_factor"):
            learner(table, schema, confidence_factor=0.9)


def test_a_feature_with_levels_and_missing_values_is_asked_twice() -> None:
    """The second question about a feature must look among those whom the first one let pass."""
    jobs = ks.Hierarchy.of([("nurse", "health"), ("doctor", "health"), ("clerk", "office"), ("boss", "office")])
    job = ["nurse", "doctor", "clerk", "boss", None] * 12
    label = ["yes" if one == "nurse" else "maybe" if one == "doctor" else "no" for one in job]
    frame = pl.DataFrame({"job": job, "label": label})
    policy = ks.Policy(public=["job"], target="label", require="k=1", hierarchies={"job": jobs})
    found = ks.learn(frame, policy, "conjunctive")
    (rule,) = found.rules
    (asked,) = rule.conditions
    assert asked.region.values <= set(jobs.values)
    known = frame.filter(pl.col("job").is_in(list(asked.region.values)))
    assert known.height, "somebody has what the rule asks for"
    assert set(ks.predict(found, known)["predicted: label"]) <= set(known["label"])
