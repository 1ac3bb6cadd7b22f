"""A draft can be used as it is: whatever a table holds, its own policy reads, audits and anonymizes it."""

import datetime
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import polars as pl
import pytest
from hypothesis import given

import kspan as ks
from kspan.cli.main import main
from kspan.policy.draft import draft
from kspan.policy.guess.guess import guesses

K = 2
TELLING = ["id", "patient_id", "hhid", "weight", "wt", "zip", "age", "sex", "income", "disease", "notes", "lat", "date"]
ODD = [
    "name",
    "person",
    "target",
    "ICD",
    "status",
    "phone_prefix",
    "🙂",
    "a b",
    'quo"te',
    "x.y",
    "[k]",
    "#",
    "=1",
    "Ünïcode",
]
NAMES = st.sampled_from([*TELLING, *ODD])
WORDS = st.text(min_size=1, max_size=12).filter(lambda text: text.isprintable() and text == text.strip())
CELLS: list[st.SearchStrategy[Any]] = [
    st.integers(-5, 12),
    st.integers(-(10**15), 10**15),
    st.integers(1_000, 99_999),
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(0, 1),
    st.sampled_from([1.0, 2.0]),
    st.booleans(),
    st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 1, 1)),
    WORDS,
    st.sampled_from(["yes", "no", "*", "?", "NA", "{a|b}", "[1, 2]", "12***", "1.0", "007", "J45.0", "a@b.org"]),
    st.integers(0, 99_999).map(lambda code: f"{code:05d}"),
    st.lists(st.sampled_from(["the", "patient", "came", "went", "home", "ill"]), min_size=4, max_size=9).map(" ".join),
    st.none(),
]


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    rows = draw(st.integers(K, 40))
    columns = {}
    for name in draw(st.lists(NAMES, min_size=1, max_size=5, unique=True)):
        cell = draw(st.sampled_from(CELLS))
        cell = cell if draw(st.booleans()) else st.one_of(cell, st.none())
        columns[name] = pl.Series(name, draw(st.lists(cell, min_size=rows, max_size=rows)), strict=False)
    return pl.DataFrame(columns)


@given(frames())
def test_a_draft_fits_its_own_table(frame: pl.DataFrame) -> None:
    policy = ks.Policy.from_toml(draft(frame, "it.csv", k=K))
    assert sorted(policy.columns) == sorted(frame.columns)
    ks.audit(frame, policy)
    if not policy.public:  # with nothing to make coarser, there is nothing to do
        return
    released = ks.anonymize(frame, policy, "mondrian", secret="1" * 32)
    assert released.audit.holds
    assert not set(policy.identifier) & set(released.table.columns)


@given(frames())
def test_widths_are_wider_than_the_steps_between_numbers(frame: pl.DataFrame) -> None:
    for one in guesses(frame):
        recipe = ks.Intervals(one.widths) if one.widths else None
        numbers = frame[one.column].unique().drop_nulls().sort()
        if recipe is not None and numbers.dtype.is_numeric():
            steps = numbers.filter(numbers.is_finite()).diff().drop_nulls()
            assert recipe.widths[0] >= steps.min()  # type: ignore[operator]


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"age": [30]}),
        pl.DataFrame({"mail": ["a@example.org"], "age": [30]}),
        pl.DataFrame({"x": [None] * 30}),
        pl.DataFrame({"x": [at / 7 for at in range(30)]}),
        pl.DataFrame({"id": [float(at) for at in range(30)], "ok": [True, False] * 15}),
        pl.DataFrame({"🙂": ["a", "b"] * 15, "🙃": list(range(30))}),
        pl.DataFrame({f"c{at}": [at, at + 1] * 10 for at in range(300)}),
    ],
    ids=["one row", "one person", "all missing", "unique floats", "float ids", "emoji", "many columns"],
)
def test_odd_tables_get_drafts_that_work(frame: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame.write_parquet("it.parquet")
    assert main(["init", "it.parquet", "-o", "it.toml", "--k", "1"]) == 0
    assert main(["audit", "it.parquet", "-p", "it.toml", "--without-identifiers"]) == 0
    assert main(["anonymize", "it.parquet", "-p", "it.toml", "-m", "mondrian", "-o", "out.parquet"]) == 0
