"""Releases that are made beside a ledger, about people who come and go: no world that people need is ruled out."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.ledger.checking import holdings
from laws import naive_together as naive
from laws.examples import share_of_examples

PUBLIC = {"zip": ("x", "y", "z"), "sex": ("f", "m")}
PEOPLE = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in {**PUBLIC, **naive.PRIVATE}.items()})
KEEP_K, KEEP_BOTH = "k=2", "k=2, distinct_l[ill]=2"


@st.composite
def months(draw: st.DrawFn, most: int = 6) -> tuple[list[dict[str, str]], list[tuple[str, set[int]]]]:
    """People, and who is there in three months, with the way in which each month is released."""
    people = draw(st.lists(PEOPLE, min_size=4, max_size=most))
    there: list[tuple[str, set[int]]] = []
    now = draw(st.sets(st.sampled_from(range(len(people))), min_size=2))
    for _ in range(3):
        there.append((draw(st.sampled_from(["mondrian", "tds", "kadet"])), set(now)))
        now = now ^ draw(st.sets(st.sampled_from(range(len(people))), max_size=2)) or now
    return people, there


def policy(require: str) -> ks.Policy:
    return ks.Policy(
        identifier=["id"], public=list(PUBLIC), private=list(naive.PRIVATE), target="ill", require=require,
        domains={**PUBLIC, **naive.PRIVATE},
    )  # fmt: skip


def released(method: str, frame: pl.DataFrame, asked: ks.Policy, place: Path) -> naive.Published | None:
    """Release some people beside the ledger; None if nothing of them can be shown."""
    try:
        if method == "kadet":
            stands = ks.standing(frame, asked, whole=True)
            tree = ks.learn(stands.people, asked, "kadet", known=stands.classes)
            ks.publish_tree(tree, stands.people, asked, place / "tree.json")
            return naive.Published(_numbers(stands.people), tree=ks.load_tree(place / "tree.json").tree)
        made = ks.anonymize(frame, asked, method, secret="0" * 32)
    except ks.Unreachable:
        return None
    made.save(place / "table.csv")
    shown = zip(_numbers(made.people), made.partition.group.tolist(), strict=True)
    cells = {number: tuple(made.partition.cells(group).values()) for number, group in shown if group >= 0}
    return naive.Published(tuple(cells), cells=cells)


def _numbers(frame: pl.DataFrame) -> tuple[int, ...]:
    return tuple(int(name[1:]) for name in frame["id"])


def history(people: Sequence[dict[str, str]], there: Any, require: str, *, keeping: bool) -> list[naive.Published]:
    """Release month after month beside one ledger."""
    asked, found = policy(require), []
    frame = pl.DataFrame([{"id": f"p{number}", **person} for number, person in enumerate(people)])
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        ks.Ledger.create(place / "r.ledger")
        for method, members in there:
            now = frame.filter(pl.col("id").is_in([f"p{number}" for number in members]))
            with ks.Ledger(place / "r.ledger", left=frame if keeping else None):
                found.append(released(method, now, asked, place))
        assert all(one.audit.holds for one in holdings(ks.Ledger(place / "r.ledger")))
    return [one for one in found if one is not None]


@pytest.mark.slow
@share_of_examples(0.25)
@given(told=months(), require=st.sampled_from([KEEP_K, KEEP_BOTH]), keeping=st.booleans())
def test_what_is_made_beside_a_ledger_gives_nobody_away(told: Any, require: str, keeping: bool) -> None:
    people, there = told
    releases = history(people, there, require, keeping=keeping)
    if not releases:
        return
    for span, members in naive.crowds(people, releases).items():
        assert not naive.exposes(span) or len(members) >= 2
    if require == KEEP_BOTH:
        beliefs = naive.beliefs(people, list(naive.worlds(people, releases, told=False)), "ill")
        assert all(len(beliefs[one]) == 2 for release in releases for one in release.members)


def test_something_is_released_month_after_month() -> None:
    """The law is not kept by showing nobody."""
    people = [{"zip": zip_, "sex": sex, "ill": ill, "job": "a"}
              for zip_ in "xy" for sex in "fm" for ill in ("flu", "hiv", "flu", "hiv")]  # fmt: skip
    everybody = set(range(len(people)))
    there = [("mondrian", everybody - {15}), ("kadet", everybody), ("mondrian", everybody - {0})]
    releases = history(people, there, KEEP_BOTH, keeping=True)
    assert [len(release.members) for release in releases] == [15, 15, 15]
