"""Hierarchies from what their names stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.data.names import hierarchy_of


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=8), st.data())
def test_names_of_any_hierarchy_mean_the_same(kinds: list[tuple[int, int]], data: st.DataObject) -> None:
    rows = [(f"v{at}", f"b{a}{b}", f"a{a}", "*") for at, (a, b) in enumerate(kinds)]
    whole = ks.Hierarchy.of(rows)
    every = sorted({name for row in rows for name in row[1:3]})
    chosen = data.draw(st.lists(st.sampled_from(every), unique=True))
    meant = {name: {whole.values[at] for at in whole.members[name]} for name in chosen}
    made = hierarchy_of({name: sorted(values) for name, values in meant.items()}, whole.values, source="it")
    assert sorted(made.values) == sorted(whole.values)
    for name, values in meant.items():
        assert {made.values[at] for at in made.members[name]} == values


def test_names_that_overlap_are_refused() -> None:
    with pytest.raises(ks.HierarchyError, match="two names whose values overlap"):
        hierarchy_of({"x": ["a", "b"], "y": ["b", "c"]}, source="it")
