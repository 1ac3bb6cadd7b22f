"""Laws that every requirement obeys, whichever it is: listed once in the package, all of them run on it."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kspan.audit.measured import measured
from kspan.data.encode import encode
from kspan.data.groups import Counts, Groups, count_groups
from kspan.data.hierarchy import Hierarchy
from kspan.data.schema import Schema
from kspan.errors import PolicyError
from kspan.model.partition import Partition
from kspan.privacy import REQUIREMENTS, KAnonymity, OnPrivate
from kspan.privacy.spec import from_table, parse, to_table
from laws import naive
from laws.examples import share_of_examples

PARAMETERS: dict[str, st.SearchStrategy[Any]] = {
    "k": st.integers(1, 6),
    "distinct_l": st.integers(1, 4),
    "entropy_l": st.sampled_from([1.0, 1.5, 1.526, 2.0, 2.5, 3.0]),
    "recursive_cl": st.tuples(st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.0]), st.integers(1, 4)).map(list),
    "simple_l": st.sampled_from([1.0, 1.1, 1.25, 1.5, 2.0, 3.0]),
    "confidence": st.sampled_from([0.25, 0.5, 0.6, 0.75, 0.8, 1.0]),
    "alpha": st.sampled_from([0.25, 0.4, 0.5, 0.75, 1.0]),
    "t": st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.9]),
    "basic_beta": st.sampled_from([0.1, 0.25, 0.5, 1.0, 2.0, 4.0]),
    "enhanced_beta": st.sampled_from([0.1, 0.25, 0.5, 1.0, 2.0, 4.0]),
    "delta": st.sampled_from([0.05, 0.3, 0.65, 1.05, 2.0]),
    "range": st.sampled_from([0, 1, 2, 3, 4, 38]),
    "p_percent": st.sampled_from([0, 5, 12.5, 50, 100, 250]),
}

PATHS = {
    "flu": ("flu", "lung", "body", "*"),
    "cough": ("cough", "lung", "body", "*"),
    "ulcer": ("ulcer", "ulcer", "body", "*"),
    "fear": ("fear", "mind", "mind", "*"),
    None: ("?", "?", "?", "*"),
}


def test_every_requirement_has_a_naive_twin_and_parameters() -> None:
    assert set(REQUIREMENTS) == set(naive.KEYS) == set(PARAMETERS)


def groups_of(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[list[Any]]]:
    return st.lists(st.lists(values, min_size=1, max_size=7), min_size=1, max_size=4)


def coded(groups: list[list[Any]], schema: Schema, kind: Any) -> Groups:
    """The groups as the package counts them, through a frame, in the order given (the public column numbers them)."""
    frame = pl.DataFrame(
        {
            "group": [number for number, group in enumerate(groups) for _ in group],
            "value": pl.Series([value for group in groups for value in group], dtype=kind),
        }
    )
    table = encode(frame, schema)
    partition = Partition.by_equality(table, ["group"])
    return count_groups(table, partition.group, partition.number, ["value"])


PLAIN = Schema(public=["group"], private=["value"])
WORDS = groups_of(st.sampled_from(["flu", "cough", "ulcer", "fear", None]))
NUMBERS = groups_of(st.sampled_from([1, 2, 3, 5, 8, 40]))
TREE = Schema(
    public=["group"],
    private=["value"],
    hierarchies={"value": Hierarchy.of([path for value, path in PATHS.items() if value])},
)

GAPS = groups_of(st.sampled_from([0, 1, 2, 5, 40, None]))

WORLDS = {
    "missing": (GAPS, PLAIN, pl.Int64, lambda groups: naive.ordered_distance(in_order(groups))),
    "equal": (WORDS, PLAIN, pl.String, lambda groups: naive.equal_distance()),
    "ordered": (NUMBERS, PLAIN, pl.Int64, lambda groups: naive.ordered_distance(sorted(set(naive.whole(groups))))),
    "hierarchical": (WORDS, TREE, pl.String, lambda groups: naive.hierarchical_distance(PATHS)),
}


def in_order(groups: list[list[Any]]) -> list[Any]:
    """The numbers of all people, missing ones last."""
    return sorted(set(naive.whole(groups)), key=lambda number: (number is None, number or 0))


def needs(key: str) -> str | None:
    """What values must be for a requirement, if not anything."""
    kind = REQUIREMENTS[key]
    return kind.needs if issubclass(kind, OnPrivate) else None


def made(key: str, parameter: Any) -> Any:
    return from_table({key: parameter})


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("key", PARAMETERS)
@share_of_examples(0.4)
@given(data=st.data())
def test_holds_as_defined(key: str, world: str, data: st.DataObject) -> None:
    strategy, schema, kind, distance = WORLDS[world]
    groups, parameter = data.draw(strategy), data.draw(PARAMETERS[key])
    if needs(key) and kind == pl.String:
        with pytest.raises(PolicyError, match="needs numbers"):
            made(key, parameter).holds(coded(groups, schema, kind))
        return
    ours = made(key, parameter).holds(coded(groups, schema, kind))
    assert ours.tolist() == naive.holds(key, parameter, groups, distance=distance(groups))


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
@given(data=st.data())
def test_reaches_as_defined(world: str, data: st.DataObject) -> None:
    strategy, schema, kind, distance = WORLDS[world]
    groups = data.draw(strategy)
    ours = coded(groups, schema, kind)
    assert int(ours.sizes.min()) == naive.reach("k", groups, distance=distance(groups))
    found = measured(ours.private["value"])
    if any(value is not None for value in naive.whole(groups)):
        assert all((key in found) == (kind == pl.Int64) for key in PARAMETERS if needs(key))
    for key, level in found.items():
        value = level[0] if isinstance(level, list) else level
        assert value == pytest.approx(naive.reach(key, groups, distance=distance(groups)), abs=1e-9), key


DENSE = st.integers(2, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(0, 6), min_size=width, max_size=width).filter(any), min_size=2, max_size=6
    )
)


def numbered(rows: list[list[int]]) -> Counts:
    """Counts of values that are numbers."""
    return Counts.of(rows, numbers=np.arange(len(rows[0]), dtype=float))


@pytest.mark.slow
@pytest.mark.parametrize("key", PARAMETERS)
@given(data=st.data(), ordered=st.booleans())
def test_merging_keeps_what_is_monotone(key: str, data: st.DataObject, ordered: bool) -> None:
    requirement = made(key, data.draw(PARAMETERS[key]))
    if not requirement.monotone:
        return
    rows = data.draw(DENSE)
    numbers = np.array([0.0, 1.0, 4.0, 10.0, 1000.0][: len(rows[0])])
    before = Counts.of(rows, ordered=ordered, numbers=numbers)
    good = requirement.holds(Groups(before.sizes, {"value": before}))
    merged = [[a + b for a, b in zip(rows[0], rows[1], strict=True)], *rows[2:]]
    after = Counts.of(merged, ordered=ordered, numbers=numbers)
    if good[:2].all():
        assert requirement.holds(Groups(after.sizes, {"value": after}))[0]


@pytest.mark.slow
@pytest.mark.parametrize("key", PARAMETERS)
@share_of_examples(0.4)
@given(data=st.data())
def test_weights_equal_repeated_rows(key: str, data: st.DataObject) -> None:
    requirement = made(key, data.draw(PARAMETERS[key]))
    values = st.sampled_from([1, 2, 40]) if needs(key) else st.sampled_from("abc")
    rows = data.draw(st.lists(st.tuples(st.integers(0, 2), values, st.integers(1, 4)), min_size=1))
    frame = pl.DataFrame(rows, schema=["group", "value", "people"], orient="row")
    repeated = frame.select(pl.col("group", "value").repeat_by("people").explode())
    held = []
    for table in (
        encode(frame, Schema(public=["group"], private=["value"], weight="people")),
        encode(repeated, PLAIN),
    ):
        partition = Partition.by_equality(table, ["group"])
        held.append(requirement.holds(count_groups(table, partition.group, partition.number, ["value"])).tolist())
    assert held[0] == held[1]


@pytest.mark.slow
@pytest.mark.parametrize("key", PARAMETERS)
@given(data=st.data())
def test_a_group_that_exposes_nothing_is_safe_at_any_size(key: str, data: st.DataObject) -> None:
    requirement = made(key, data.draw(PARAMETERS[key]))
    counts = numbered(data.draw(DENSE))
    nothing = Groups(counts.sizes, {"value": counts}, np.zeros(len(counts.sizes), bool))
    assert requirement.holds(nothing).all()


@given(data=st.data())
def test_and_is_and(data: st.DataObject) -> None:
    keys = data.draw(st.lists(st.sampled_from(sorted(PARAMETERS)), min_size=2, max_size=4, unique=True))
    parts = [made(key, data.draw(PARAMETERS[key])) for key in keys]
    counts = numbered(data.draw(DENSE))
    groups = Groups(counts.sizes, {"value": counts})
    both = parts[0]
    for part in parts[1:]:
        both = both & part
    assert both.holds(groups).tolist() == np.all([part.holds(groups) for part in parts], axis=0).tolist()
    assert both.monotone == all(part.monotone for part in parts)


@given(data=st.data())
def test_text_and_table_give_back_the_requirement(data: st.DataObject) -> None:
    names = st.text(min_size=1).map(str.strip).filter(lambda name: name and name not in PARAMETERS)
    keys = data.draw(st.lists(st.sampled_from(sorted(PARAMETERS)), min_size=1, max_size=4, unique=True))
    parts = []
    for key in keys:
        part = made(key, data.draw(PARAMETERS[key]))
        if isinstance(part, OnPrivate) and data.draw(st.booleans()):
            part = from_table({data.draw(names): {key: part.parameter}})
        parts.append(part)
    whole = parts[0]
    for part in parts[1:]:
        whole = whole & part
    assert parse(str(whole)) == whole
    assert set(from_table(to_table(whole)).parts) == set(whole.parts)


@given(data=st.data())
def test_several_private_attributes_must_all_hold(data: st.DataObject) -> None:
    first, second = data.draw(DENSE), data.draw(DENSE)
    number = min(len(first), len(second))
    tables = {"a": numbered(first[:number]), "b": numbered(second[:number])}
    groups = Groups(np.ones(number, np.int64), tables)
    for key in set(PARAMETERS) - {"k"}:
        parameter = data.draw(PARAMETERS[key])
        alone = {name: from_table({name: {key: parameter}}).holds(groups) for name in tables}
        assert made(key, parameter).holds(groups).tolist() == (alone["a"] & alone["b"]).tolist()


def test_a_new_requirement_lists_itself() -> None:
    class Even(KAnonymity):
        key = "even"

    try:
        assert REQUIREMENTS["even"] is Even
    finally:
        del REQUIREMENTS["even"]
