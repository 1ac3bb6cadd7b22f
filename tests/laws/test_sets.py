"""Sets of codes: what the audit reaches is k^m-anonymity of the sets as they were, and releases keep it."""

from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from laws.examples import share_of_examples

SETS = st.lists(st.sets(st.sampled_from("abcd")), min_size=2, max_size=8).filter(any)


def smallest_crowd(people: list[set[str]], most: int) -> int:
    """The fewest people who have all of any codes of somebody, up to so many; no code at all is known as such."""
    crowds = [sum(not codes for codes in people)] if not all(people) else []
    for codes in people:
        for size in range(1, most + 1):
            crowds += [sum(set(told) <= other for other in people) for told in combinations(sorted(codes), size)]
    return min(crowds)


@pytest.mark.parametrize("known", [1, 2, 3])
@pytest.mark.parametrize("form", ["text", "lists", "person"])
@share_of_examples(0.1)
@given(people=SETS)
def test_sets_reach_km_anonymity(form: str, known: int, people: list[set[str]]) -> None:
    cells: list[object] = [sorted(codes) for codes in people]
    if form != "lists":
        cells = ["; ".join(sorted(codes)) for codes in people]
    frame = pl.DataFrame({"codes": pl.Series(cells, dtype=pl.List(pl.String) if form == "lists" else pl.String)})
    said = {"sets": {"codes": True if form == "lists" else ";"}, "known_rows": known, "require": "k=1"}
    if form == "person":
        frame, said["person"] = frame.with_row_index("id"), "id"
    policy = ks.Policy(public=["codes"], **said)  # type: ignore[arg-type]
    found = ks.audit(frame.drop("id", strict=False), frame, policy)
    assert (found.people, found.k.people) == (len(people), smallest_crowd(people, known))


@pytest.mark.parametrize("known", [1, 2, "all"])
@share_of_examples(0.1)
@given(people=st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=4, max_size=10), seed=st.integers(0, 3))
def test_releases_of_sets_keep_it(known: int | str, people: list[set[str]], seed: int) -> None:
    frame = pl.DataFrame({"codes": [";".join(sorted(codes)) for codes in people], "illness": ["x"] * len(people)})
    policy = ks.Policy(public=["codes"], private=["illness"], sets={"codes": ";"}, known_rows=known, require="k=2")  # type: ignore[arg-type]
    try:
        release = ks.anonymize(frame, policy, "mondrian", secret=f"{seed:032x}")
    except ks.Unreachable:
        return
    group = release.partition.group
    owner = [person for person, codes in enumerate(people) for _ in codes]
    seen = [
        {str(one) for one, whose in zip(group.tolist(), owner, strict=True) if whose == person and one >= 0}
        for person in range(len(people))
    ]
    there = [groups for groups in seen if groups]
    if known == "all":
        assert min(there.count(groups) for groups in there) >= 2
    else:
        assert smallest_crowd(there, int(known)) >= 2
    assert ks.audit(release, frame).holds
