"""Tables beside earlier releases where people are counted, have several rows, or sets of codes."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kspan as ks
from kspan.anonymize.apart import _places
from kspan.ledger.checking import holdings


def visits(first: int, last: int) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    who = np.repeat(np.arange(300), 1 + rng.poisson(1.2, 300))
    sex, age = rng.choice(["f", "m"], 300)[who], rng.integers(20, 60, 300)[who]
    ill = rng.choice(["a", "b", "c", "d"], len(who))
    frame = pl.DataFrame({"id": who, "sex": sex, "age": age, "ill": ill})
    return frame.filter((pl.col("id") >= first) & (pl.col("id") < last))


def one_visit(first: int, last: int) -> pl.DataFrame:
    return visits(first, last).unique("id", keep="first", maintain_order=True)


def baskets(first: int, last: int) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    codes = [";".join(sorted(rng.choice(["E1", "E2", "F3"], rng.integers(1, 3), replace=False))) for _ in range(300)]
    frame = pl.DataFrame({"id": range(300), "age": rng.integers(20, 40, 300), "codes": codes, "ill": ["a", "b"] * 150})
    return frame[first:last]


PERSONS: dict[str, Any] = {"person": "id", "public": ["sex", "age"], "target": "ill"}
COUNTED: dict[str, Any] = {"identifier": ["id"], "public": ["sex", "age"], "target": "ill", "counting": "people"}
CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "several rows": (visits, {**PERSONS, "require": "k=4, distinct_l=2"}),
    "several rows, one is known": (visits, {**PERSONS, "require": "k=4", "known_rows": 1}),
    "people are counted": (one_visit, {**COUNTED, "require": "k=5"}),
    "people are counted, with labels": (one_visit, {**COUNTED, "require": "k=4, confidence=0.8, t=0.7"}),
    "sets": (baskets, {"identifier": ["id"], "public": ["age", "codes"], "private": ["ill"], "require": "k=3",
                       "sets": {"codes": ";"}}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_month_after_month(name: str, tmp_path: Path) -> None:
    people, says = CASES[name]
    policy = ks.Policy(**says)
    ks.Ledger.create(tmp_path / "r.ledger")
    shown = []
    for number, (first, last) in enumerate([(0, 220), (5, 260), (5, 300)]):
        with ks.Ledger(tmp_path / "r.ledger", left=people(0, 220) if number else None):
            made = ks.anonymize(people(first, last), policy, "mondrian", secret="1" * 32)
            made.save(tmp_path / f"{number}.csv")
            shown.append(made)
    assert all(one.audit.holds for one in holdings(ks.Ledger(tmp_path / "r.ledger")))
    assert all(made.audit.rows > 0.6 * made.people.height for made in shown)
    # Judged from outside, by the files and the people in them.
    (first, *others) = [(tmp_path / f"{number}.csv", made.rows_released) for number, made in enumerate(shown)]
    found = ks.audit(*first, policy, beside=others)
    assert (found.holds, found.releases) == (True, 3)


def test_others_than_mondrian_are_refused_where_groups_must_not_overlap(tmp_path: Path) -> None:
    policy = ks.Policy(**CASES["people are counted"][1])
    ks.Ledger.create(tmp_path / "r.ledger")
    with ks.Ledger(tmp_path / "r.ledger"):
        ks.anonymize(one_visit(0, 200), policy, "tds", secret="1" * 32).save(tmp_path / "0.csv")
        with pytest.raises(ks.Unreachable, match="use -m mondrian"):
            ks.anonymize(one_visit(0, 250), policy, "tds", secret="1" * 32)
        assert ks.anonymize(one_visit(0, 250), policy, "auto", secret="1" * 32).method == "mondrian"


def test_models_of_people_with_several_rows_are_refused_beside_earlier_ones(tmp_path: Path) -> None:
    policy = ks.Policy(**CASES["several rows"][1])
    ks.Ledger.create(tmp_path / "r.ledger")
    with ks.Ledger(tmp_path / "r.ledger"):
        ks.anonymize(visits(0, 200), policy, "mondrian", secret="1" * 32).save(tmp_path / "0.csv")
        stands = ks.standing(visits(0, 250), policy, whole=True)
        with pytest.raises(ks.PolicyError, match="people have several rows"):
            ks.learn(stands.people, policy, known=stands.classes)


def test_a_table_that_was_changed_is_not_entered(tmp_path: Path) -> None:
    from dataclasses import replace

    policy = ks.Policy(identifier=["id"], public=["sex", "age"], target="ill", require="k=5")
    ks.Ledger.create(tmp_path / "r.ledger")
    made = ks.anonymize(one_visit(0, 200), policy, "mondrian", secret="1" * 32)
    other = replace(made, table=made.frame.with_columns(ill=pl.lit("a")))
    with ks.Ledger(tmp_path / "r.ledger"), pytest.raises(ks.DoesNotHold, match="was changed after it was made"):
        other.save(tmp_path / "0.csv")
    assert not (tmp_path / "0.csv").exists()


def test_nothing_can_be_matched_without_people(tmp_path: Path) -> None:
    policy = ks.Policy(identifier=["id"], public=["sex", "age"], target="ill", require="k=2")
    table = ks.anonymize(one_visit(0, 200), policy, "mondrian", secret="1" * 32).frame
    ks.Ledger.create(tmp_path / "r.ledger")
    with ks.Ledger(tmp_path / "r.ledger"):
        with pytest.raises(ks.LedgerError, match=r"who is in 0\.csv is not known"):
            ks.publish_table(table, policy, tmp_path / "0.csv")
        ks.publish_table(table, policy, tmp_path / "0.csv", people=one_visit(0, 200))
    assert [entry.people for entry in ks.Ledger(tmp_path / "r.ledger").entries()] == [200]


@given(
    rows=st.lists(st.tuples(st.integers(3, 8), st.integers(0, 2), st.integers(1, 3)), min_size=1, max_size=14),
    k=st.integers(1, 5),
)
def test_cuts_leave_no_class_too_small(rows: list[tuple[int, int, int]], k: int) -> None:
    codes, class_, weights = (np.array(each) for each in zip(*rows, strict=True))
    large = np.bincount(class_, weights, 3)[class_] >= k  # smaller ones were withheld
    assume(large.any())
    codes, class_, weights = codes[large], class_[large], weights[large]
    expected = set()
    for place in range(int(codes.min()), int(codes.max())):
        sides = [[int(weights[(class_ == one) & side].sum()) for one in range(3)]
                 for side in (codes <= place, codes > place)]  # fmt: skip
        if all(people == 0 or people >= k for side in sides for people in side):
            expected.add(tuple(np.flatnonzero(codes > place).tolist()))
    found = [tuple(np.flatnonzero(codes > place).tolist()) for place in _places(codes, class_, weights, k)]
    assert len(found) == len(set(found))
    assert set(found) == expected
