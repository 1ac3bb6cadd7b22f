"""Cuts by label, beside the definition of Fayyad and Irani."""

from itertools import pairwise
from math import log2

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.induce.released.label_cuts import label_cuts


def entropy(counts: list[float]) -> float:
    shares = [count / sum(counts) for count in counts if count]
    return -sum(share * log2(share) for share in shares)


def naive_cuts(rows: list[list[int]], first: int = 0) -> list[int]:
    """The recursion as it is printed: Ent, Gain and the criterion of the minimum description length."""
    totals = [sum(column) for column in zip(*rows, strict=True)] if rows else []
    number = sum(totals)
    found = []
    for place in range(len(rows) - 1):
        left = [sum(column) for column in zip(*rows[: place + 1], strict=True)]
        right = [whole - part for whole, part in zip(totals, left, strict=True)]
        sides = [side for side in (left, right) if sum(side)]
        found.append((sum(sum(side) / number * entropy(side) for side in sides) if number else 0.0, place, left, right))
    if not found or number <= 1:
        return []
    least, place, left, right = min(found, key=lambda each: (round(each[0], 12), each[1]))
    classes = [sum(count > 0 for count in side) for side in (totals, left, right)]
    entropies = [entropy(side) if sum(side) else 0.0 for side in (totals, left, right)]
    delta = log2(3 ** classes[0] - 2) - (
        classes[0] * entropies[0] - classes[1] * entropies[1] - classes[2] * entropies[2]
    )
    if entropies[0] - least <= (log2(number - 1) + delta) / number + 1e-12:
        return []
    return sorted(
        [first + place, *naive_cuts(rows[: place + 1], first), *naive_cuts(rows[place + 1 :], first + place + 1)]
    )


@given(st.integers(1, 3).flatmap(lambda labels: st.lists(
    st.lists(st.integers(0, 12), min_size=labels, max_size=labels), min_size=1, max_size=12)))  # fmt: skip
def test_cuts_are_those_of_the_definition(rows: list[list[int]]) -> None:
    # Of equal cuts rounding may take another one; what both cut must then be equally good, so sums are compared.
    found = label_cuts(np.array(rows, np.float64)).tolist()
    wanted = naive_cuts(rows)
    assert len(found) == len(wanted)
    assert abs(left_over(rows, found) - left_over(rows, wanted)) < 1e-6 or found == wanted


def left_over(rows: list[list[int]], cuts: list[int]) -> float:
    """The bits that labels take inside of the parts."""
    ends = [0, *(cut + 1 for cut in cuts), len(rows)]
    parts = [[sum(column) for column in zip(*rows[begin:end], strict=True)] for begin, end in pairwise(ends)]
    return sum(sum(part) * entropy(part) for part in parts if sum(part))


def test_a_number_with_one_telling_place_is_cut_there() -> None:
    gains = [0] * 60 + [100] * 5 + [9000] * 15
    labels = ["low"] * 55 + ["high"] * 5 + ["low"] * 5 + ["high"] * 15
    people = pl.DataFrame({"gain": gains, "pay": labels})
    policy = ks.Policy(public=["gain"], target="pay", require="k=1")
    model = ks.learn(people, policy, "naive-bayes", numbers="by-label")
    assert model.attributes[0].cuts == (4550.0,)  # type: ignore[attr-defined]
    found = ks.predict(model, pl.DataFrame({"gain": [0, 100, 5000]}))["predicted: pay"]
    assert found.to_list() == ["low", "low", "high"]


def test_what_tells_nothing_is_not_cut() -> None:
    people = pl.DataFrame({"noise": [1, 2, 3, 4] * 20, "pay": ["low", "high", "high", "low"] * 20})
    policy = ks.Policy(public=["noise"], target="pay", require="k=1")
    mixed = people.with_columns(pay=pl.Series(["low", "high"] * 40))
    assert ks.learn(mixed.with_columns(noise=1), policy, "naive-bayes", numbers="by-label").attributes[0].cuts == ()
    assert ks.learn(people, policy, "naive-bayes", numbers="by-label").attributes[0].cuts == (1.5, 3.5)
