"""Wide tables: the judge counts as the definition does, and what is made holds by definition."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from laws.examples import share_of_examples
from laws.naive_wide import People, Visit, exposed, failing, share_ever, turned

HIERARCHIES = {
    "sex": ks.Hierarchy.of([("F",), ("M",)]),
    "age": ks.Intervals(widths=(2, 4)),
    "town": ks.Hierarchy.of([("ay", "north"), ("by", "north"), ("cy", "south"), ("dy", "south")]),
}


@st.composite
def people_of(draw: st.DrawFn, *, most: int = 9) -> list[list[Visit]]:
    """People with one to three rows, of few kinds, so that many are alike."""
    kinds = st.lists(st.sampled_from([("F", 20), ("F", 30), ("M", 20)]), min_size=1, max_size=3)
    known = draw(st.lists(kinds, min_size=1, max_size=3))
    return [
        [Visit(cells, draw(st.sampled_from(["cold", "flu", "hiv"]))) for cells in draw(st.sampled_from(known))]
        for _ in range(draw(st.integers(2, most)))
    ]


def wide(people: People) -> pl.DataFrame:
    """The wide table of people, written down cell by cell."""
    width = max(map(len, people))
    rows = []
    for visits in turned(people):
        row: dict[str, object] = {"rows": len(visits)}
        for place in range(width):
            sex, age = visits[place].known if place < len(visits) else (None, None)
            value = visits[place].value if place < len(visits) else None
            row |= {f"sex_{place + 1}": sex, f"age_{place + 1}": age, f"illness_{place + 1}": value}
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def policy(require: str, **said: object) -> ks.Policy:
    return ks.Policy(person="id", public=["sex", "age"], private=["illness"], require=require, **said)  # type: ignore[arg-type]


@share_of_examples(0.15)
@given(people=people_of(), k=st.integers(1, 3), limit=st.sampled_from([0.3, 0.5, 0.67, 1.0]), l=st.integers(1, 3))
def test_wide_tables_are_judged_by_all_rows_of_people(
    people: list[list[Visit]],
    k: int,
    limit: float,
    l: int,  # noqa: E741
) -> None:
    def good(values: list[str]) -> bool:
        return max(Counter(values).values()) <= limit * len(values) + 1e-12 and len(set(values)) >= l

    require = f'k={k}, confidence={limit}, distinct_l={l}, confidence["illness=hiv"]=0.5'
    told = turned(people)
    expected = failing(told, k, good, lambda crowd: share_ever(crowd, "hiv") <= 0.5)
    found = ks.audit(wide(people), policy(require, domains={"illness": ["cold", "flu", "hiv"]}))
    assert found.failing_people == expected
    assert found.holds == (expected == 0)
    assert found.exposed["illness"] == exposed(told)
    # With the long table behind it, the verdict is the same.
    rows = [(str(person), *row.known, row.value) for person, visits in enumerate(people) for row in reversed(visits)]
    long = pl.DataFrame(rows, schema=["id", "sex", "age", "illness"], orient="row")
    for counting in ("rows", "people"):
        asked = policy(require, domains={"illness": ["cold", "flu", "hiv"]}, counting=counting)
        again = ks.audit(wide(people), long, asked)
        assert again.failing_people == expected
        assert again.linked is not None
        assert again.linked.unmatched == 0


@st.composite
def histories(draw: st.DrawFn) -> pl.DataFrame:
    """People whose sex stays, while their age and town may change from row to row."""
    rows = []
    for person in range(draw(st.integers(4, 16))):
        sex, age = draw(st.sampled_from("FM")), draw(st.integers(0, 6))
        for _ in range(draw(st.sampled_from([1, 1, 2, 3]))):
            town, illness = draw(st.sampled_from(["ay", "by", "cy", "dy"])), draw(st.sampled_from("abc"))
            rows.append((f"p{person}", sex, min(age + draw(st.integers(0, 1)), 7), town, illness))
    return pl.DataFrame(draw(st.permutations(rows)), schema=["id", "sex", "age", "town", "illness"], orient="row")


def asked_of(require: str, **said: object) -> ks.Policy:
    return ks.Policy(
        person="id", public=["sex", "age", "town"], private=["illness"], target="illness", require=require,
        hierarchies=HIERARCHIES, domains={"age": [0, 7], "illness": ["a", "b", "c"]}, **said,
    )  # type: ignore[arg-type]  # fmt: skip


def read(frame: pl.DataFrame) -> list[list[Visit]]:
    """The people of a released wide table, as somebody sees them."""

    def cell(row: dict[str, object], name: str, place: int) -> object:
        return row[name] if name in row else row[f"{name}_{place + 1}"]

    return [
        [
            Visit(tuple(cell(row, name, place) for name in ("sex", "age", "town")), str(cell(row, "illness", place)))
            for place in range(row.get("rows", 1))
        ]
        for row in frame.to_dicts()
    ]


REQUIRED = ["k=2", "k=2, confidence=0.7", "k=2, distinct_l=2", 'k=2, confidence["illness=a"]=0.6']


@pytest.mark.slow
@pytest.mark.parametrize("require", REQUIRED)
@pytest.mark.parametrize("method", ["kactus", "mondrian", "one-dim", "datafly"])
@share_of_examples(0.03)
@given(frame=histories(), seed=st.integers(0, 3), at_most=st.sampled_from([None, 1, 2]))
def test_wide_releases_hold_by_definition(
    method: str, require: str, frame: pl.DataFrame, seed: int, at_most: int | None
) -> None:
    try:
        release = ks.anonymize(frame, asked_of(require), method, secret=f"{seed:032x}", form="wide", at_most=at_most)
    except ks.Unreachable:
        return
    people = read(release.frame)
    assert release.withheld + len(people) == frame["id"].n_unique()

    def good(values: list[str]) -> bool:
        commonest = max(Counter(values).values()) / len(values)
        return ("confidence=" not in require or commonest <= 0.7 + 1e-9) and (
            "distinct_l" not in require or len(set(values)) >= 2
        )

    assert failing(people, 2, good, lambda crowd: "=a" not in require or share_ever(crowd, "a") <= 0.6 + 1e-9) == 0
    assert ks.audit(release.frame, release.policy).holds


@pytest.mark.parametrize("method", ["mondrian", "tds"])
@share_of_examples(0.05)
@given(frame=histories(), seed=st.integers(0, 3))
def test_the_wide_form_of_one_row_each_is_the_table_itself(method: str, frame: pl.DataFrame, seed: int) -> None:
    one_each = frame.unique("id", maintain_order=True)
    made = []
    for form in ("long", "wide"):
        try:
            made.append(ks.anonymize(one_each, asked_of("k=2"), method, secret=f"{seed:032x}", form=form).frame)
        except ks.Unreachable:
            made.append(None)
    assert (made[0] is None) == (made[1] is None)
    assert made[0] is None or made[0].equals(made[1])
