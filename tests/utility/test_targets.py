"""What groups tell of a target, by the definition: everybody is guessed by the others of the own group."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kspan.data.groups import Counts
from kspan.utility.targets import guessed_wrong, left_unexplained

GROUPS = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=7), min_size=1, max_size=5)
NUMBERS = st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 5), st.integers(1, 3)), min_size=1, max_size=12)


@given(GROUPS)
def test_who_is_guessed_wrong(groups: list[list[str]]) -> None:
    wrong = 0.0
    for labels in groups:
        for place, own in enumerate(labels):
            others = Counter(labels[:place] + labels[place + 1 :])
            rival = max((often for label, often in others.items() if label != own), default=0)
            wrong += 1.0 if not others or others[own] < rival else 0.5 if others[own] == rival else 0.0
    counts = Counts.of([[labels.count(label) for label in "abc"] for labels in groups])
    assert guessed_wrong(counts) == wrong


@given(NUMBERS)
def test_what_is_left_of_the_variance(rows: list[tuple[int, int, int]]) -> None:
    group, number, weight = (np.array(each) for each in zip(*rows, strict=True))
    people = [(g, x) for g, x, w in rows for _ in range(w)]
    mean = float(np.mean([x for _, x in people]))
    whole = sum((x - mean) ** 2 for _, x in people)
    left = 0.0
    for place, (own, x) in enumerate(people):
        others = [y for at, (g, y) in enumerate(people) if g == own and at != place]
        left += (x - (np.mean(others) if others else mean)) ** 2
    expected = min(left / whole, 1.0) if whole else 0.0
    assert left_unexplained(number.astype(float), group, 4, weight) == pytest.approx(expected)


def test_whose_number_is_unknown_does_not_count() -> None:
    numbers, group = np.array([1.0, 1.0, np.nan, 5.0, 5.0]), np.array([0, 0, 0, 1, 1])
    assert left_unexplained(numbers, group, 2, np.ones(5, np.int64)) == 0.0
    assert left_unexplained(np.full(3, np.nan), np.zeros(3, np.int64), 1, np.ones(3, np.int64)) == 0.0
    assert left_unexplained(np.full(3, 2.0), np.zeros(3, np.int64), 1, np.ones(3, np.int64)) == 0.0
