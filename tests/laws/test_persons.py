"""People with several rows: the judge counts them as the definition does, and what is made for them holds."""

from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.tables.methods import methods
from laws.examples import share_of_examples
from laws.naive_persons import Row, crowds, exposed, failing

KNOWN = (1, 2, 3, "all")


@st.composite
def visits(draw: st.DrawFn, *, most: int = 5) -> pl.DataFrame:
    """Rows of people who have up to `most` rows each, in any order."""
    rows = [
        (f"p{person}", draw(st.sampled_from("FM")), draw(st.sampled_from([20, 30, 40])), draw(st.sampled_from("abc")))
        for person in range(draw(st.integers(2, 7)))
        for _ in range(draw(st.integers(1, most)))
    ]
    shuffled = draw(st.permutations(rows))
    return pl.DataFrame(shuffled, schema=["id", "sex", "age", "illness"], orient="row")


def policy(require: str, known: int | str = "all", **said: object) -> ks.Policy:
    return ks.Policy(person="id", public=["sex", "age"], private=["illness"], require=require, known_rows=known, **said)  # type: ignore[arg-type]


def naive(frame: pl.DataFrame) -> list[Row]:
    return [Row(row["id"], (row["sex"], row["age"]), row["illness"]) for row in frame.to_dicts()]


@pytest.mark.parametrize("known", KNOWN)
@share_of_examples(0.25)
@given(frame=visits(), k=st.integers(1, 3), limit=st.sampled_from([0.3, 0.5, 0.67, 1.0]), l=st.integers(1, 3))
def test_people_are_counted_as_the_definition_counts_them(
    known: int | str,
    frame: pl.DataFrame,
    k: int,
    limit: float,
    l: int,  # noqa: E741
) -> None:
    rows = naive(frame)
    people = {row.person for row in rows}
    found = ks.audit(frame, policy(f"k={k}, confidence={limit}, distinct_l={l}", known))
    every = [crowd for person in people for crowd in crowds(person, rows, known)]
    assert found.people == len(people)
    assert found.k.people == min(crowd.size for crowd in every)
    shown = [row.shown for row in rows]
    assert found.k.rows == min(map(shown.count, shown))
    assert found.exposed["illness"] == exposed(rows, known)

    def good(crowd: object) -> bool:
        size, values = crowd  # type: ignore[misc]
        commonest = max(map(values.count, values))
        return size >= k and commonest <= limit * len(values) + 1e-12 and len(set(values)) >= l

    assert found.failing_people == failing(rows, known, good)
    assert (found.failing_groups == 0) == (found.failing_people == 0)


TOWNS = ks.Hierarchy.of([("ay", "north"), ("by", "north"), ("cy", "south"), ("dy", "south")])


@st.composite
def histories(draw: st.DrawFn) -> pl.DataFrame:
    """People whose sex stays, while their age and town may change from row to row."""
    rows = []
    for person in range(draw(st.integers(4, 16))):
        sex, age = draw(st.sampled_from("FM")), draw(st.integers(0, 6))
        for _ in range(draw(st.sampled_from([1, 1, 2, 3, 6]))):
            town, illness = draw(st.sampled_from(["ay", "by", "cy", "dy"])), draw(st.sampled_from("abc"))
            rows.append((f"p{person}", sex, min(age + draw(st.integers(0, 1)), 7), town, illness))
    shuffled = draw(st.permutations(rows))
    return pl.DataFrame(shuffled, schema=["id", "sex", "age", "town", "illness"], orient="row")


@pytest.mark.slow
@pytest.mark.parametrize("require", ["k=2", "k=3", "k=2, confidence=0.7", "k=2, distinct_l=2", "k=2, t=0.4"])
@pytest.mark.parametrize("method", methods())
@share_of_examples(0.1)
@given(frame=histories(), known=st.sampled_from(KNOWN), seed=st.integers(0, 3))
def test_what_is_made_for_people_holds_by_definition(
    method: str, require: str, frame: pl.DataFrame, known: int | str, seed: int
) -> None:
    ages = ks.Intervals(widths=(2, 4))
    asked = ks.Policy(
        person="id", public=["sex", "age", "town"], private=["illness"], target="illness", require=require,
        known_rows=known, hierarchies={"town": TOWNS, "age": ages, "sex": ks.Hierarchy.of([("F",), ("M",)])},
        domains={"age": [0, 7]},
    )  # type: ignore[arg-type]  # fmt: skip
    try:
        release = ks.anonymize(frame, asked, method, secret=f"{seed:032x}")
    except ks.Unreachable:
        return
    assert "id" not in release.frame.columns
    shown = release.partition.group
    every = zip(frame["id"], shown.tolist(), frame["illness"], strict=True)
    rows = [Row(person, group, value) for person, group, value in every if group >= 0]
    assert len(rows) == release.frame.height
    wanted = ks.Policy(public=["sex"], private=["illness"], require=require).require
    for person in {row.person for row in rows}:
        for crowd in crowds(person, rows, known):
            assert crowd.size >= wanted.parts[0].k  # type: ignore[attr-defined]
            commonest = max(map(crowd.values.count, crowd.values))
            assert "confidence" not in require or commonest <= 0.7 * len(crowd.values) + 1e-9
            assert "distinct_l" not in require or len(set(crowd.values)) >= 2
    # Whoever has the release and the people in it comes to the same verdict.
    there = frame.filter(pl.Series(shown >= 0))
    assert ks.audit(release.frame, there, asked).holds


@pytest.mark.parametrize("method", methods())
@share_of_examples(0.05)
@given(frame=histories(), seed=st.integers(0, 3))
def test_people_with_one_row_each_are_rows(method: str, frame: pl.DataFrame, seed: int) -> None:
    one_each = frame.unique("id", maintain_order=True)
    said = {
        "public": ["sex", "age", "town"], "private": ["illness"], "target": "illness", "require": "k=2",
        "hierarchies": {"town": TOWNS, "age": ks.Intervals(widths=(2, 4)), "sex": ks.Hierarchy.of([("F",), ("M",)])},
    }  # fmt: skip
    made = [
        _made(one_each, ks.Policy(**said, **role), method, seed)  # type: ignore[arg-type]
        for role in ({"person": "id"}, {"identifier": ["id"]})
    ]
    assert (made[0] is None) == (made[1] is None)
    if made[0] is not None and made[1] is not None:
        assert made[0].frame.equals(made[1].frame)
        assert made[0].audit.as_dict() == made[1].audit.as_dict()


def _made(frame: pl.DataFrame, asked: ks.Policy, method: str, seed: int) -> ks.TableRelease | None:
    try:
        return ks.anonymize(frame, asked, method, secret=f"{seed:032x}")
    except ks.Unreachable:
        return None


@pytest.mark.parametrize("known", [1, 2, 3])
@share_of_examples(0.2)
@given(baskets=st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=2, max_size=8))
def test_one_row_a_code_is_km_anonymity(known: int, baskets: list[set[str]]) -> None:
    """Whatever m codes of somebody are known, at least k people have all of them (Terrovitis et al. 2008)."""
    rows = [(person, code) for person, codes in enumerate(baskets) for code in sorted(codes)]
    frame = pl.DataFrame(rows, schema=["id", "code"], orient="row")
    reached = min(
        sum(told <= other for other in baskets)
        for codes in baskets
        for size in range(1, known + 1)
        for told in map(set, combinations(sorted(codes), size))
    )
    policy = ks.Policy(person="id", public=["code"], known_rows=known, require="k=1")
    assert ks.audit(frame, policy).k.people == reached
