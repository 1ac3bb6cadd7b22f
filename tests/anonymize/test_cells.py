"""What groups show of one attribute, where methods could disagree."""

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.anonymize.cells import as_nodes
from kspan.data.encode import encode

TOWNS = ks.Hierarchy.of([("ay", "north", "Any"), ("by", "north", "Any"), ("cy", "south", "Any")])
WAYS = {
    "tds": {},
    "tdr": {},
    "datafly": {},
    "incognito": {},
    "mondrian": {"show": "hierarchy"},
    "one-dim": {"show": "hierarchy"},
}


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize(("missing", "shown"), [(False, "Any"), (True, "*")])
def test_the_name_of_the_root_is_shown_of_values_only(method: str, missing: bool, shown: str) -> None:
    people = pl.DataFrame({"town": ["ay", "by", None if missing else "ay", "cy"], "label": ["u", "v", "u", "v"]})
    rules = ks.Policy(public=["town"], target="label", require="k=4", hierarchies={"town": TOWNS})
    release = ks.anonymize(people, rules, method, secret="0" * 32, **WAYS[method])
    assert release.frame["town"].to_list() == [shown] * 4
    assert release.audit.utility.ncp == 1.0


def test_every_group_by_itself() -> None:
    people = pl.DataFrame({"town": ["ay", "cy", "ay", None, None, "by", "*", None, "*", "*"]})
    rules = ks.Policy(public=["town"], require="k=1", hierarchies={"town": TOWNS})
    group = np.array([0, 0, 1, 1, 2, 3, 3, 4, 4, 5])
    shown = as_nodes(encode(people, rules)["town"], group, 6)
    assert [shown.label(number) for number in range(6)] == ["Any", "*", "(missing)", "*", "*", "*"]


def test_a_hierarchy_of_one_name() -> None:
    people = pl.DataFrame({"town": ["ay", None, "ay"]})
    rules = ks.Policy(public=["town"], require="k=1", hierarchies={"town": ks.Hierarchy.of([("ay",)])})
    shown = as_nodes(encode(people, rules)["town"], np.array([0, 0, 1]), 2)
    assert [shown.label(number) for number in range(2)] == ["*", "ay"]
