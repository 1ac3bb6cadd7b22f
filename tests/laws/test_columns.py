"""Laws of every kind of column: it is recognized, coded, shown and read back, and all that is made of it is judged."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.data import table
from kspan.data.cells import write_set
from kspan.data.domain import Domain, declared
from kspan.data.encode import encode_column
from kspan.data.kinds.kind import FAMILIES, Kind
from kspan.data.kinds.registry import KINDS, SAID, UNITS, kind_in_file, kind_of
from kspan.data.levels import Automatic, Dates, Intervals, Ordered, Prefixes, Recipe
from kspan.data.schema import Schema
from kspan.data.table import Column
from kspan.errors import KspanError
from kspan.induce.methods import LEARNERS
from kspan.model.tree.json import read_tree, tree_json
from kspan.model.tree.release import TreeRelease
from kspan.policy.document import policy_document, policy_in
from kspan.policy.draft import draft
from kspan.tables.methods import methods
from laws.examples import share_of_examples

EVERY_KIND = pytest.mark.parametrize("kind", KINDS, ids=repr)
PLACES = st.lists(st.none() | st.integers(-5000, 20000), min_size=6, max_size=24)
RECIPES = (Automatic(), Ordered(), Prefixes(), Intervals((10, 100)), Dates(), Dates(("week",)))
FIXED = [None, 0, 0, 1, 1, 2, 2, 3, 40, 40, 500, 500, 6000, 6000, 6001, 6001]


def coded(series: pl.Series, **said: object) -> Column:
    return encode_column(series.alias("x"), Schema(public=["x"], **said))  # type: ignore[arg-type]


def cells(column: Column) -> list[str | None]:
    """What the rows of a column show to people."""
    return [None if code == column.missing else column.spelled(code) for code in column.codes.tolist()]


def people(kind: Kind, places: Sequence[int | None]) -> pl.DataFrame:
    rows = range(len(places))
    others = {"sex": ["FM"[row % 2] for row in rows], "ill": ["ab"[row // 2 % 2] for row in rows]}
    return pl.DataFrame({"x": kind.example(places), **others})


def policy_of(**more: object) -> ks.Policy:
    said = {"public": ["x", "sex"], "private": ["ill"], "target": "ill", "require": "k=2"}
    return ks.Policy(**{**said, **more})  # type: ignore[arg-type]


def test_kinds_are_told_apart() -> None:
    assert len(set(KINDS)) == len({kind.plural for kind in KINDS}) == len(KINDS)
    assert len(set(UNITS)) == len(UNITS)
    assert {kind.family for kind in KINDS} == set(FAMILIES)
    with pytest.raises(ks.DataError, match="turn them into text or numbers first"):
        kind_of(pl.Series("x", [[1], [2]]))


def test_only_columns_know_how_numbers_are_kept_and_nobody_asks_for_the_words_of_kinds() -> None:
    asked = re.compile(r"""\.kind (==|!=) "(numeric|categorical)"|values\.dtype (==|!=) object""")
    files = Path(table.__file__).parents[1].rglob("*.py")
    assert [path.name for path in files if asked.search(path.read_text())] == ["table.py"]


@EVERY_KIND
@share_of_examples(0.2)
@given(places=PLACES)
def test_a_column_is_recognized_and_read_back_as_it_is_shown(kind: Kind, places: list[int | None]) -> None:
    series = kind.example(places)
    assert kind_of(series) == kind
    column = coded(series)
    assert column.kind == kind
    assert column.is_measured == kind.is_measured
    shown = pl.Series(cells(column), dtype=pl.String)
    assert shown.is_null().to_list() == series.is_null().to_list()
    again = coded(shown, domains={"x": Domain(SAID[kind.says])})
    assert cells(again) == shown.to_list()
    assert again.kind.is_measured == kind.is_measured
    if kind.is_measured and series.null_count() < len(series):
        assert again.codes.tolist() == column.codes.tolist()
        assert coded(shown).kind == kind  # the cells alone tell it


@EVERY_KIND
@share_of_examples(0.2)
@given(places=PLACES)
def test_the_order_of_values_is_that_of_the_column(kind: Kind, places: list[int | None]) -> None:
    series = kind.example(places)
    column = coded(series)
    present = series.is_not_null().to_numpy()
    assert column.codes[present].tolist() == (series.drop_nulls().rank("dense") - 1).to_list()


@EVERY_KIND
@share_of_examples(0.2)
@given(ends=st.tuples(st.integers(-5000, 20000), st.integers(-5000, 20000)))
def test_cells_of_several_values_are_read_as_they_are_shown(kind: Kind, ends: tuple[int, int]) -> None:
    column = coded(kind.example(ends))
    labels = [column.label(code) for code in range(len(column.values))]
    inside = [*labels, write_set(labels)]
    if kind.is_measured and len(labels) > 1:
        inside.append(f"[{labels[0]}, {labels[-1]}]")
    for cell in (*inside, "*"):
        read = kind.read(kind.show(cell))
        assert read is not None
        assert kind.show(read) == kind.show(cell)


@EVERY_KIND
def test_policies_and_files_tell_the_kind(kind: Kind) -> None:
    told = kind_in_file(kind.family, kind.unit)
    assert (told.is_measured, told.has_own_spelling) == (kind.is_measured, kind.has_own_spelling)
    assert SAID[kind.says] == told
    domain = Domain(told)
    assert declared("x", domain.says) == domain
    if kind.is_measured:
        domain = Domain(kind, 60.0, 86340.0) if kind.unit != "day" else Domain(kind, 1.0, 2.0)
        assert declared("x", domain.says) == domain
        with pytest.raises(ks.PolicyError, match="swap them"):
            declared("x", [kind.bound(86340.0), kind.bound(60.0)])
    policy = policy_of(domains={"x": domain})
    assert ks.Policy.from_toml(policy.to_toml()) == policy
    assert policy_in(json.loads(json.dumps(policy_document(policy))), "it") == policy


@EVERY_KIND
@pytest.mark.parametrize("recipe", RECIPES, ids=repr)
@share_of_examples(0.1)
@given(places=PLACES)
def test_a_hierarchy_covers_the_column_or_is_refused(kind: Kind, recipe: Recipe, places: list[int | None]) -> None:
    try:
        column = coded(kind.example(places), hierarchies={"x": recipe})
    except KspanError:
        assert not isinstance(recipe, Automatic | Ordered)  # these fit every column
        return
    if len(column.values):
        assert column.hierarchy is not None
        assert all(column.hierarchy.find(column.label(code)) for code in range(len(column.values)))
        assert len(set(column.levels[-1][: len(column.values)])) == 1  # one root


@EVERY_KIND
def test_a_drafted_policy_is_one_for_the_column(kind: Kind) -> None:
    frame = people(kind, FIXED)
    policy = ks.Policy.from_toml(draft(frame, "people", k=2))
    assert ("x" in policy.hierarchies) == (kind.recipe is not None)
    assert ks.anonymize(frame, policy, "mondrian").audit.holds


@pytest.mark.slow
@EVERY_KIND
@share_of_examples(0.1)
@given(places=PLACES)
def test_a_table_is_made_anonymous_and_judged(kind: Kind, places: list[int | None]) -> None:
    frame, policy = people(kind, places), policy_of()
    release = ks.anonymize(frame, policy, "mondrian")
    assert release.audit.holds
    again = ks.audit(release.frame, frame, policy)
    assert again.holds
    assert again.linked is not None
    assert again.linked.unmatched <= release.withheld


@pytest.mark.slow
@EVERY_KIND
@share_of_examples(0.1)
@given(places=PLACES)
def test_a_tree_is_learned_written_read_and_judged(kind: Kind, places: list[int | None]) -> None:
    frame, policy = people(kind, places), policy_of()
    tree = ks.learn(frame, policy, "kadet")
    read = read_tree(json.loads(tree_json(TreeRelease(tree)))).tree
    assert read == tree
    assert read.attributes[0].is_measured == kind.is_measured
    assert ks.audit(read, frame, policy).as_dict() == ks.audit(tree, frame, policy).as_dict()
    shown = frame.with_columns(x=pl.Series(cells(coded(frame["x"])), dtype=pl.String))
    assert ks.predict(read, shown).equals(ks.predict(tree, frame))


@pytest.mark.slow
@EVERY_KIND
@pytest.mark.parametrize("method", methods())
def test_a_method_takes_a_kind_with_a_hierarchy_and_without_one_or_says_why_not(kind: Kind, method: str) -> None:
    frame, hierarchies = people(kind, FIXED), {"x": Automatic(), "sex": Automatic()}
    assert ks.anonymize(frame, policy_of(hierarchies=hierarchies), method, secret="0" * 32).audit.holds
    with suppress(KspanError):  # some must have one
        assert ks.anonymize(frame, policy_of(), method, secret="0" * 32).audit.holds


@pytest.mark.slow
@EVERY_KIND
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_learner_takes_a_kind_or_says_why_not(kind: Kind, learner: str) -> None:
    with suppress(KspanError):
        assert repr(ks.learn(people(kind, FIXED), policy_of(), learner))
