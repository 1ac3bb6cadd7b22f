"""C4.5 on arrays is C4.5 by definition, and what is pruned under a requirement keeps it."""

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from kspan.audit.tree.reached import spans_of
from kspan.data.encode import encode
from kspan.induce.tree.c45 import c45
from kspan.induce.tree.kadet import kadet_c45
from kspan.model.tree.model import Node, Tree
from laws import naive_c45, naive_spans
from laws.naive_c45 import Attribute, Row, Shape
from laws.test_spans import framed, policy_of

LABELS = ("u", "v", "w")
WORDS = ("a", "b", "c", "d")
KINDS = {"p": "numeric", "q": "categorical", "r": "categorical", "s": "numeric"}
ATTRIBUTES = [
    Attribute(name, "numeric") if kind == "numeric" else Attribute(name, "categorical", WORDS)
    for name, kind in KINDS.items()
]
CELLS = {name: st.integers(0, 6) if kind == "numeric" else st.sampled_from(WORDS) for name, kind in KINDS.items()}


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    """Rows whose label depends on them a little; a cell may be missing."""
    gaps = draw(st.booleans())
    cells = st.fixed_dictionaries({name: st.none() | cell if gaps else cell for name, cell in CELLS.items()})
    rows = []
    for each in draw(st.lists(cells, min_size=4, max_size=40)):
        high = isinstance(each["p"], int) and each["p"] > 3
        likely = "u" if high != (each["q"] == "a") else "v"
        rows.append(Row(each, draw(st.sampled_from([likely, likely, *LABELS]))))
    return rows


def frame_of(rows: Sequence[Row]) -> pl.DataFrame:
    types: dict[str, Any] = {name: pl.Int64 if kind == "numeric" else pl.String for name, kind in KINDS.items()}
    return pl.DataFrame([{**row.cells, "label": row.label} for row in rows], schema={**types, "label": pl.String})


def policy(**more: Any) -> ks.Policy:
    domains = {name: list(WORDS) for name, kind in KINDS.items() if kind == "categorical"}
    return ks.Policy(public=list(KINDS), target="label", require="k=1", domains=domains, **more)


def shape_of(tree: Tree, node: Node) -> Shape:
    weights = zip(tree.labels, node.counts, strict=True)
    found = tuple(sorted((label, round(float(weight), 6)) for label, weight in weights if round(weight, 6) > 0))
    if node.attribute is None:
        return Shape(None, None, found, ())
    attribute = tree.attributes[node.attribute]
    cut = node.edges[0].region.intervals[0][1] if attribute.is_measured else None
    edges = sorted(node.edges, key=lambda edge: min(edge.region.values, default=""))
    return Shape(attribute.name, cut, found, tuple(shape_of(tree, edge.node) for edge in edges))


@pytest.mark.slow
@pytest.mark.parametrize("min_rows", [1, 2, 5])
@given(rows=tables())
def test_what_grows_is_the_tree_of_the_definition(min_rows: int, rows: list[Row]) -> None:
    tree = c45(encode(frame_of(rows), policy()), policy(), min_rows=min_rows, prune=False)
    labels = sorted({row.label for row in rows})
    assert shape_of(tree, tree.root) == naive_c45.shape(naive_c45.grow(rows, ATTRIBUTES, min_rows, labels))


@pytest.mark.slow
@pytest.mark.parametrize("raising", [False, True])
@pytest.mark.parametrize("confidence", [0.1, 0.25, 0.5])
@given(rows=tables())
def test_what_is_pruned_is_the_tree_of_the_definition(raising: bool, confidence: float, rows: list[Row]) -> None:
    tree = c45(encode(frame_of(rows), policy()), policy(), confidence_factor=confidence, subtree_raising=raising)
    naive = naive_c45.prune(naive_c45.collapse(naive_c45.grow(rows, ATTRIBUTES)), confidence, raising)
    assert shape_of(tree, tree.root) == naive_c45.shape(naive)


@given(rows=tables(), others=tables())
def test_what_is_predicted_is_what_the_definition_says(rows: list[Row], others: list[Row]) -> None:
    tree = c45(encode(frame_of(rows), policy()), policy(), prune=False)
    naive = naive_c45.grow(rows, ATTRIBUTES)
    found = ks.predict(tree, frame_of(others).drop("label"))
    for place, row in enumerate(others):
        expected = naive_c45.predict(naive, row.cells)
        for label in tree.labels:
            assert found[f"probability: {label}"][place] == pytest.approx(expected.get(label, 0.0), abs=1e-6)


@given(rows=tables(), times=st.integers(2, 4))
def test_a_weight_is_as_good_as_repeated_rows(rows: list[Row], times: int) -> None:
    frame = frame_of(rows)
    repeated = c45(encode(pl.concat([frame] * times), policy()), policy())
    weighted_policy = policy(weight="n")
    weighted = c45(encode(frame.with_columns(n=pl.lit(times)), weighted_policy), weighted_policy)
    assert shape_of(repeated, repeated.root) == shape_of(weighted, weighted.root)


@pytest.mark.slow
@given(data=st.data(), k=st.integers(1, 6))
def test_pruned_trees_are_private_and_their_spans_are_merged_ones(data: st.DataObject, k: int) -> None:
    world = data.draw(naive_spans.worlds())
    rules = policy_of(world, f"k={k}")
    people = framed(world)
    table = encode(people, rules)
    try:
        pruned, whole = kadet_c45(table, rules, min_rows=1), kadet_c45(table, rules, min_rows=1, prune=False)
    except ks.KspanError:
        return
    assert audit_tree(pruned, people, rules).holds
    assert audit_tree(whole, people, rules).holds
    coarse, fine = spans_of(pruned, table).span.tolist(), spans_of(whole, table).span.tolist()
    assert len(set(zip(fine, coarse, strict=True))) == len(set(fine))
