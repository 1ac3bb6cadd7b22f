"""What nodes may tell of numbers: means as they are, other numbers only as round as a crowd makes them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kspan.data.kinds.days import DAYS
from kspan.model.outcome import NUMBER_DISCLOSURES, Numbers
from kspan.model.quantiles import Rounding, numbers_told

numbers = st.lists(st.integers(0, 10**6) | st.integers(0, 30), min_size=3, max_size=40)


@given(numbers, st.integers(2, 6), st.data())
def test_a_crowd_has_numbers_where_one_is_told(every, crowd, data):
    """Of any number, a crowd of the table has numbers between the round ones that are told of it."""
    rounding = Rounding(every, crowd)
    value = data.draw(st.sampled_from(every))
    low, high = rounding.cell(value)
    assert low <= value <= high
    if low == high:
        assert every.count(value) >= crowd
    elif high < 10 * max(every):  # else the coarsest cell there is
        assert sum(low <= one < high for one in every) >= crowd


@given(numbers, st.data())
def test_what_is_told_is_true(every, data):
    """The mean is that of the people; the told median is a number around the true one; four in five are inside."""
    here = np.array(data.draw(st.lists(st.sampled_from(every), min_size=1)))
    told = numbers_told(here, None, Rounding(every, 3), "interval")
    assert told.people == len(here)
    assert told.mean == pytest.approx(sum(here.tolist()) / len(here))
    inside = sum(told.low <= one <= told.high for one in here)
    assert inside >= 0.8 * len(here) - 1e-9
    assert told.low <= told.median <= told.high
    middle = sorted(here.tolist())[(len(here) - 1) // 2]
    low, high = Rounding(every, 3).cell(middle)
    assert low <= told.median <= high


@given(numbers, st.data())
def test_weights_are_repeated_people(every, data):
    """Numbers with weights tell what the same numbers tell that often."""
    times = data.draw(st.lists(st.integers(1, 4), min_size=len(every), max_size=len(every)))
    repeated = np.repeat(every, times)
    weighted = Rounding(every, 3, people=times)
    for disclosure in NUMBER_DISCLOSURES:
        one = numbers_told(np.array(every), np.array(times, float), weighted, disclosure)
        other = numbers_told(repeated, None, Rounding(repeated, 3), disclosure)
        assert one.mean == pytest.approx(other.mean)
        assert (one.people, one.median, one.low, one.high) == (other.people, other.median, other.low, other.high)


def test_nobody_has_no_numbers():
    """Where nobody came nothing is told but that."""
    assert numbers_told(np.array([]), None, Rounding([1, 2], 2), "interval") == Numbers(0, None, kind="interval")


def test_dates_are_rounded_to_parts_of_the_calendar():
    """The median of days is the beginning or the end of a month, a quarter, a year, or more years."""
    days = [DAYS.number(f"2020-0{month}-{day}") for month in (1, 2, 3) for day in (10, 12, 14, 17)]
    told = numbers_told(np.array(days), None, Rounding(days, 4, kind=DAYS), "interval")
    assert [DAYS.text(one) for one in (told.median, told.low, told.high)] == ["2020-02-01", "2020-01-01", "2020-03-31"]


def test_negative_numbers_that_few_have_are_told_by_their_magnitude():
    """Where no cell has a crowd, the coarsest one is told."""
    assert Rounding([-7.0, 50.5, 51.5, 52.5, 53.5], 3).cell(-7.0)[0] <= -50
