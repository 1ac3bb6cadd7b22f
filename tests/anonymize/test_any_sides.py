"""Parts that may be cut whatever private values their sides would have."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.anonymize.any_sides import any_sides_hold
from kspan.data.groups import Counts, Groups
from kspan.data.having import Having
from kspan.privacy.spec import parse

NAMES = ("flu", "hiv", "gout")
ASKED = (
    "confidence=0.6", 'confidence[ill="hiv"]=0.34', "simple_l=1.5", "distinct_l=2", "entropy_l=1.7",
    "recursive_cl=[2, 2]", "alpha=0.5, distinct_l=2", "k=2, confidence=0.75",
)  # fmt: skip


def counted(people: list[int]) -> Counts:
    dense = [[people.count(value) for value in range(len(NAMES))]]
    return Counts.of(dense, whole=np.array([5, 5, 5]), having=Having.labels(*NAMES))


@given(st.lists(st.integers(0, 2), min_size=2, max_size=8), st.data(), st.sampled_from(ASKED))
def test_a_part_may_be_cut_if_every_division_of_its_people_holds(
    people: list[int], data: st.DataObject, text: str
) -> None:
    left, require = data.draw(st.integers(1, len(people) - 1)), parse(text)
    every = True
    for chosen in combinations(range(len(people)), left):
        sides = [[people[at] for at in chosen], [ill for at, ill in enumerate(people) if at not in chosen]]
        for side in sides:
            every &= bool(require.holds(Groups(np.array([len(side)]), {"ill": counted(side)})).all())
    sizes = np.array([left]), np.array([len(people) - left])
    assert bool(any_sides_hold(require, {"ill": counted(people)}, *sizes)[0]) == every


@pytest.mark.parametrize("require", ["k=2, t=0.3", "k=2, delta=1", "k=2, basic_beta=1"])
def test_requirements_that_look_at_everybody_are_refused(require: str) -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "ill": ["flu", "hiv", "hiv", "flu"]})
    with pytest.raises(ks.PolicyError, match="to resist those who know the method"):
        ks.anonymize(frame, ks.Policy(public=["age"], private=["ill"], require=require), "mondrian", resist=True)


def test_rows_that_are_withheld_by_private_values_are_refused() -> None:
    visits = pl.DataFrame({"id": [1, 1, 2, 2, 3, 4], "age": [3, 4, 3, 4, 5, 5], "ill": list("abcabc")})
    policy = ks.Policy(person="id", public=["age"], private=["ill"], require="k=2, distinct_l=2")
    with pytest.raises(ks.PolicyError, match="leave resist out"):
        ks.anonymize(visits, policy, "mondrian", resist=True)
