"""Models about people with several rows: the judge counts people as the definition does, and what is learned holds."""

import random
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from laws import naive_spans
from laws.examples import share_of_examples
from laws.naive_persons import Crowd, Row, crowds, failing, fitting, known_of, one_value_each
from laws.naive_spans import World
from laws.test_persons import KNOWN
from laws.test_spans import TARGET, framed, policy_of


def crowds_of(rows: list[Row], known: int | str) -> list[Crowd]:
    """All crowds of all people."""
    return [crowd for person in {row.person for row in rows} for crowd in crowds(person, rows, known)]


# Trees, whose spans are found by definition, too


def of_persons(world: World, person: list[int], require: str, known: int | str) -> tuple[pl.DataFrame, ks.Policy]:
    """The rows of a world, each of a person, and a policy that says so."""
    frame = framed(world).with_columns(pl.Series("id", person))
    return frame, replace(policy_of(world, require), person="id", known_rows=known)


def telling(world: World, person: list[int]) -> list[Row]:
    """The rows in spans of several bins, with their labels; nothing is told of the others."""
    found = naive_spans.spans(world.tree, world.people, world.domains)
    return [
        Row(person[row], span, world.people[row][TARGET])
        for span, rows in found.items()
        if len(span) != 1
        for row in rows
    ]


def persons(data: st.DataObject, world: World) -> list[int]:
    """The person of every row: few with many rows, or many with few."""
    most = data.draw(st.sampled_from([2, 4, 25]))
    return data.draw(st.lists(st.integers(0, most), min_size=len(world.people), max_size=len(world.people)))


@pytest.mark.parametrize("known", KNOWN)
@share_of_examples(0.5)
@given(data=st.data(), k=st.integers(1, 4), limit=st.sampled_from([0.4, 0.5, 0.75, 1.0]))
def test_the_judge_of_trees_counts_people(known: int | str, data: st.DataObject, k: int, limit: float) -> None:
    world = data.draw(naive_spans.worlds())
    person = persons(data, world)
    is_private = world.tree.target_role == "private"
    frame, policy = of_persons(world, person, f"k={k}" + f", confidence[{TARGET}]={limit}" * is_private, known)
    found = audit_tree(world.tree, frame, policy)
    rows = telling(world, person)
    assert found.people == len(set(person))
    assert found.k.people == min((crowd.size for crowd in crowds_of(rows, known)), default=len(set(person)))

    def good(crowd: Crowd) -> bool:
        commonest = max(map(crowd.values.count, crowd.values))
        return crowd.size >= k and (not is_private or commonest <= limit * len(crowd.values) + 1e-12)

    failed = failing(rows, known, good)
    assert found.failing_people == failed
    assert found.holds == (failed == 0)


@pytest.mark.parametrize("known", KNOWN)
@share_of_examples(0.5)
@given(data=st.data(), most=st.sampled_from([0.4, 0.5, 0.75, 1.0]))
def test_what_a_tree_asks_is_told_of_people(known: int | str, data: st.DataObject, most: float) -> None:
    world = data.draw(naive_spans.worlds(contradictions=True))
    private = [item.name for item in world.tree.attributes if item.role == "private"]
    if not private:
        return
    name, person = data.draw(st.sampled_from(private)), persons(data, world)
    frame, policy = of_persons(world, person, f"confidence[{name}]={most}", known)
    found = audit_tree(world.tree, frame, policy)
    told = told_of_rows(world, name)
    rows = [
        Row(person[row], span, str(sorted(map(str, told[row]))) if row in told else None)
        for span, members in naive_spans.spans(world.tree, world.people, world.domains).items()
        if len(span) != 1 or any(row in told for row in members)
        for row in members
    ]
    every = [values for one in {row.person for row in rows} for values in told_of(one, rows, known)]
    assert found.holds == all(max(map(values.count, values)) <= most * len(values) for values in every)


def told_of(person: int, rows: list[Row], known: int | str) -> Iterator[list[Hashable]]:
    """What is told of an attribute in all crowds of a person; rows without a value only tell people apart."""
    for bins in known_of(person, rows, known):
        crowd = fitting(bins, rows, known)
        there = [row for row in rows if row.person in crowd and row.value is not None]
        there = [row for row in there if known == "all" or row.shown in bins]
        if there:
            yield one_value_each(sorted({row.person for row in there}), there)
    for cell in {row.shown for row in rows if row.person == person and row.value is not None}:
        there = [row for row in rows if row.shown == cell]
        yield [row.value for row in there]
        yield one_value_each(sorted({row.person for row in there}), there)


def told_of_rows(world: World, name: str) -> dict[int, frozenset[Any]]:
    """For each row of a span in which something is told of a private attribute, what is told."""
    told = {}
    every = {row: naive_spans.told(world.tree, one, name, world.people) for row, one in enumerate(world.people)}
    anything = frozenset({"anything"})
    for rows in naive_spans.spans(world.tree, world.people, world.domains).values():
        there = [every[row] for row in rows]
        expected = naive_spans.told_in_spans(world.tree, [world.people[row] for row in rows], world.domains, name)
        if expected and any(one is not None for one in there):
            told |= {row: anything if every[row] is None else every[row] for row in rows}
    return told


@share_of_examples(0.5)
@given(data=st.data(), k=st.integers(1, 4))
def test_people_with_one_row_each_are_rows(data: st.DataObject, k: int) -> None:
    world = data.draw(naive_spans.worlds())
    frame, policy = of_persons(world, list(range(len(world.people))), f"k={k}", "all")
    plain = audit_tree(world.tree, frame.drop("id"), policy_of(world, f"k={k}"))
    assert audit_tree(world.tree, frame, policy).as_dict() == plain.as_dict()


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("method", ["grouped", "kadet", "kadet-c45"])
@share_of_examples(0.5)
@given(data=st.data(), k=st.integers(1, 3), limit=st.sampled_from([0.5, 0.75, 1.0]))
def test_trees_that_are_learned_hold_by_definition(
    known: int | str, method: str, data: st.DataObject, k: int, limit: float
) -> None:
    world = data.draw(naive_spans.worlds())
    person = persons(data, world)
    is_private = world.tree.target_role == "private"
    frame, policy = of_persons(world, person, f"k={k}" + f", confidence[{TARGET}]={limit}" * is_private, known)
    try:
        tree = ks.learn(frame, policy, method)
    except ks.Unreachable:
        return
    rows = telling(World(tree, world.people, world.domains), person)
    for crowd in crowds_of(rows, known):
        assert crowd.size >= k
        assert not is_private or max(map(crowd.values.count, crowd.values)) <= limit * len(crowd.values) + 1e-12
    assert audit_tree(tree, frame, policy).holds


# Every kind of model, by the spans that rows have if each is taken for a person

PUBLIC, PRIVATE = ["age", "tea", "milk"], ["pills", "income"]


def purchases(seed: int) -> pl.DataFrame:
    """Rows of people who buy several times."""
    draw = random.Random(seed)
    rows = [
        (f"p{person}", draw.randint(1, 4), *(draw.randint(0, 1) for _ in range(3)), draw.choice([10, 20, 50]),
         draw.choice("uv"))
        for person in range(draw.randint(2, 9))
        for _ in range(draw.randint(1, 4))
    ]  # fmt: skip
    # Both labels occur, or scikit-learn would have nothing to learn.
    rows += [("p0", 1, 0, 0, 0, 10, label) for label in "uv"]
    return pl.DataFrame(rows, schema=["id", *PUBLIC, *PRIVATE, "label"], orient="row")


def fitted(model: Any, target: str | None) -> Callable[[pl.DataFrame], Any]:
    def fit(frame: pl.DataFrame) -> Any:
        asked = frame.select(*PUBLIC, *PRIVATE).to_pandas()
        return model.fit(asked) if target is None else model.fit(asked, frame[target].to_list())

    return fit


def learned(method: str, **options: Any) -> Callable[[pl.DataFrame], Any]:
    def learn(frame: pl.DataFrame) -> Any:
        roles = {"public": PUBLIC, "private": [*PRIVATE, "label"], "target": "label"}
        if method in ("rules", "itemsets"):
            roles = {"public": ["tea", "milk"], "private": ["pills"]}
        asked = ks.Policy(require="k=1", **roles)  # type: ignore[arg-type]
        found = ks.learn(frame.select(*asked.public, *asked.private), asked, method, **options)
        return getattr(found, method, found)

    return learn


MODELS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "clusters": learned("clusters", most=3, min_people=1),
    "rules": learned("rules", min_support=0.1, min_confidence=0.1),
    "itemsets": learned("itemsets", min_support=0.1),
    "part": learned("part"),
    "naive-bayes": learned("naive-bayes"),
    "boosted": learned("boosted", rounds=3, min_rows=1),
    "scikit-learn's tree": fitted(DecisionTreeClassifier(max_depth=3, random_state=0), "label"),
    "scikit-learn's forest": fitted(RandomForestClassifier(2, max_depth=2, random_state=0), "label"),
    "scikit-learn's clusters": fitted(KMeans(2, random_state=0, n_init=1), None),
}


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model_is_judged_by_people(name: str, seed: int, known: int | str) -> None:
    frame, k = purchases(seed), 2
    model = MODELS[name](frame)
    roles: dict[str, Any] = {"public": PUBLIC, "private": [*PRIVATE, "label"], "target": "label"}
    if name in ("rules", "itemsets"):
        roles, frame = {"public": ["tea", "milk"], "private": ["pills"]}, frame.select("id", "tea", "milk", "pills")
    if "clusters" in name and name != "clusters":
        roles, frame = {"public": PUBLIC, "private": PRIVATE}, frame.drop("label")
    by_rows = ks.audit(model, frame, ks.Policy(identifier=["id"], person=False, require=f"k={k}", **roles))
    found = ks.audit(model, frame, ks.Policy(person="id", known_rows=known, require=f"k={k}", **roles))
    each = by_rows.per_row
    rows = [
        Row(person, span, None)
        for person, span, safe in zip(frame["id"], each["span"], each["safe"], strict=True)
        if not safe
    ]
    assert found.people == frame["id"].n_unique()
    assert found.k.rows == by_rows.k.rows
    assert found.k.people == min((crowd.size for crowd in crowds_of(rows, known)), default=found.people)
    failed = failing(rows, known, lambda crowd: crowd.size >= k)
    assert found.failing_people == failed
    assert found.holds == (failed == 0)
    assert found.persons is not None or frame["id"].n_unique() == frame.height


@pytest.mark.parametrize("method", ["clusters", "rules", "itemsets"])
@pytest.mark.parametrize("require", ["k=2", "k=3", "k=2, confidence=0.8"])
@pytest.mark.parametrize("known", KNOWN)
def test_other_models_that_are_learned_hold(method: str, require: str, known: int | str) -> None:
    for seed in range(8):
        check_learned(method, require, known, purchases(seed))


def check_learned(method: str, require: str, known: int | str, frame: pl.DataFrame) -> None:
    """What is learned of people with several rows is found to hold by the judge."""
    roles: dict[str, Any] = {"public": PUBLIC, "private": PRIVATE}
    options: dict[str, Any] = {"most": 4}
    if method != "clusters":
        roles, frame = {"public": ["tea", "milk"], "private": ["pills"]}, frame.select("id", "tea", "milk", "pills")
        options = {"min_support": 0.1, **({"min_confidence": 0.1} if method == "rules" else {})}
    else:
        frame = frame.drop("label")
    policy = ks.Policy(person="id", known_rows=known, require=require, **roles)
    try:
        found = ks.learn(frame, policy, method, **options)
    except ks.Unreachable:
        return
    model = getattr(found, method, found)
    assert ks.audit(model, frame, policy).holds
