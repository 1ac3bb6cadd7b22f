"""Crowd: cuts by what they tell of the target and by what they leave open."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.anonymize.crowd import UNGRADED as STRENGTH
from kspan.anonymize.crowd import crowd
from kspan.data.cells import read_cell, values_in
from kspan.data.encode import encode
from kspan.datasets import load_adult

COLORS = ["red", "green", "blue", "pink"]
people = st.lists(
    st.tuples(
        st.none() | st.integers(0, 12),
        st.none() | st.sampled_from(COLORS),
        st.sampled_from(["u", "v", "w"]),
        st.integers(0, 30),
    ),
    min_size=4,
    max_size=30,
)


def framed(rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    kinds = {"age": pl.Int64, "color": pl.String, "label": pl.String, "income": pl.Int64}
    return pl.DataFrame(rows, kinds, orient="row")


def policy(k: int, target: str | None) -> ks.Policy:
    return ks.Policy(
        public=["age", "color"], private=["label", "income"], target=target, require=f"k={k}",
        domains={"age": (0, 12), "color": COLORS},
    )  # fmt: skip


def bits(values: list[Any], variance: float | None) -> float:
    """What it takes to write down some labels, or some numbers."""
    if variance is None:
        return -sum(math.log2(values.count(value) / len(values)) for value in values)
    return len(values) / 2 * math.log2(max(float(np.var(values)) / variance, 1.0))


def open_cell(values: list[Any], size: float) -> float:
    """How much of its domain the cell of some values leaves open."""
    known = [value for value in values if value is not None]
    if len(set(values)) == 1:
        return 0.0
    if len(known) < len(values):
        return 1.0
    return (max(known) - min(known)) / 12 if isinstance(known[0], int) else len(set(known)) / size


def naive_best(rows: list[tuple[Any, ...]], k: int, target: int | None, variance: float | None) -> float:
    """The worth of the best cut of all, by the definition."""
    found = -math.inf
    for at in (0, 1):
        values = [row[at] for row in rows]
        different = sorted(
            set(values), key=lambda value: (value is None, COLORS.index(value) if value in COLORS else value)
        )
        orders = [different]
        if at == 1:
            often = {value: values.count(value) for value in different}
            orders = [sorted(different, key=lambda value: -often[value])]
            if target is not None:
                told = {value: [row[target] for row in rows if row[at] == value] for value in different}
                labels = [row[target] for row in rows]
                common = max(sorted(set(labels)), key=labels.count)
                if variance is None:
                    orders.append(sorted(different, key=lambda value: told[value].count(common) / often[value]))
                else:
                    orders.append(sorted(different, key=lambda value: float(np.mean(told[value]))))
        for order in orders:
            cuts = [set(order[:place]) for place in range(1, len(order))]
            cuts = [cut for cut in cuts if k <= sum(value in cut for value in values) <= len(values) - k]
            for cut in cuts:
                sides = [[row for row in rows if (row[at] in cut) == left] for left in (True, False)]
                worth = len(rows) * open_cell(values, 4)
                worth -= sum(len(side) * open_cell([row[at] for row in side], 4) for side in sides)
                if target is not None:
                    gain = bits([row[target] for row in rows], variance)
                    gain -= sum(bits([row[target] for row in side], variance) for side in sides)
                    worth += STRENGTH * max(gain - math.log2(len(cuts)) - 1, 0.0)
                found = max(found, worth)
    return found


@given(people, st.integers(1, 4), st.sampled_from([None, "label", "income"]))
def test_the_first_cut_is_the_best_of_the_definition(rows: list[tuple[Any, ...]], k: int, target: str | None) -> None:
    from kspan.anonymize.crowd import _Canvas, _Targets
    from kspan.anonymize.crowds import Crowds
    from kspan.kernels.crowd import TARGET

    asked = policy(k, target)
    crowds = Crowds(encode(framed(rows), asked), asked)
    targets = _Targets.of(crowds, np.random.default_rng(0), graded=True, resist=False)
    canvas = _Canvas(crowds, targets, STRENGTH, resist=False)
    each = [one.best(canvas, canvas.everybody(), place, TARGET).worth[0] for place, one in enumerate(canvas.attributes)]
    place = {None: None, "label": 2, "income": 3}[target]
    variance = max(float(np.var([row[3] for row in rows])) * 1e-6, 1e-300) if target == "income" else None
    wanted = naive_best(rows, k, place, variance)
    assert max(each) == pytest.approx(wanted, rel=1e-6, abs=1e-6)


@given(people, st.integers(1, 4), st.sampled_from([None, "label", "income"]), st.sampled_from([0.0, STRENGTH]))
def test_groups_are_crowds_that_cannot_be_cut(
    rows: list[tuple[Any, ...]], k: int, target: str | None, strength: float
) -> None:
    frame, asked = framed(rows), policy(k, target)
    made = crowd(encode(frame, asked), asked, rng=np.random.default_rng(0), strength=strength).partition
    for group in range(made.number):
        members = [rows[row] for row in np.flatnonzero(made.group == group)]
        assert len(members) >= k
        assert naive_best(members, k, None, None) == -math.inf or len(members) < 2 * k
        known = {member[1] for member in members}
        cell = made.shown["color"].label(group)
        assert cell == "*" if None in known and len(known) > 1 else set(values_in(read_cell(cell))) >= known - {None}


def test_several_rows_of_a_kind_are_a_row_with_a_weight() -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {"age": rng.integers(0, 12, 60), "color": rng.choice(COLORS, 60), "label": rng.choice(["u", "v"], 60)}
    )
    plain = ks.Policy(public=["age", "color"], target="label", require="k=6")
    weighted = ks.Policy(public=["age", "color"], target="label", require="k=6", weight="n")
    counted = frame.group_by(frame.columns, maintain_order=True).len("n")
    one = ks.anonymize(frame, plain, "crowd").frame
    other = ks.anonymize(counted, weighted, "crowd").frame
    both = other.select(pl.exclude("n").repeat_by("n").explode())
    assert one.sort(one.columns).equals(both.select(one.columns).sort(one.columns))


@pytest.mark.parametrize("require", ["k=5", "k=5, distinct_l=2", "k=5, confidence=0.8", "k=5, t=0.3"])
@pytest.mark.parametrize("method", ["mondrian", "kactus"])
def test_it_keeps_more_than_others(require: str, method: str) -> None:
    frame = load_adult("train").select("age", "workclass", "education", "hours-per-week", "sex", "income").head(2000)
    asked = ks.Policy(public=frame.columns[:-1], target="income", require=require)
    made, other = (ks.anonymize(frame, asked, name).audit.utility for name in ("crowd", method))
    assert made.ncp is not None
    assert other.ncp is not None
    assert made.ncp <= other.ncp
    assert made.cm is not None
    assert other.cm is not None
    assert made.cm <= 1.05 * other.cm


def test_more_strength_tells_more_of_the_target_and_less_of_the_rest() -> None:
    frame = load_adult("train").select("age", "workclass", "education", "hours-per-week", "sex", "income").head(2000)
    asked = ks.Policy(public=frame.columns[:-1], target="income", require="k=20")
    found = [ks.anonymize(frame, asked, "crowd", strength=each).audit.utility for each in (0.0, 5.0, 500.0)]
    assert all(one.cm > other.cm for one, other in pairwise(found))  # type: ignore[operator]
    assert found[0].ncp < found[-1].ncp  # type: ignore[operator]
