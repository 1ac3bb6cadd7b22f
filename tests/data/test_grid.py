"""The roundest number between two others: below the one, not below the other, and no number there is rounder."""

import math
from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st

from kspan.data.grid import roundest
from kspan.data.kinds.days import DAYS
from kspan.data.kinds.numbers import NUMBERS

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SHORT = st.decimals(-(10**6), 10**6, places=3).map(float)


@given(one=FINITE | SHORT, other=FINITE | SHORT)
def test_it_lies_between(one: float, other: float) -> None:
    assume(one != other)
    low, high = min(one, other), max(one, other)
    assert low <= roundest(NUMBERS, low, high) < high


@given(one=st.integers(-3000, 3000), apart=st.integers(1, 500))
def test_no_multiple_of_a_larger_round_step_lies_there(one: int, apart: int) -> None:
    found = roundest(NUMBERS, one, one + apart)
    steps = [factor * Fraction(10) ** power for power in range(-1, 5) for factor in (1, 2, 5)]
    of = max((step for step in steps if Fraction(found) % step == 0), default=Fraction(0))
    for step in steps:
        if step > of and found != 0:
            # The last multiple below the upper number.
            last = math.ceil(Fraction(one + apart) / step) * step - step
            assert last < one


@given(first=st.integers(-20000, 40000), apart=st.integers(1, 4000))
def test_a_threshold_of_dates_is_the_end_of_a_part_where_one_lies_between(first: int, apart: int) -> None:
    found = roundest(DAYS, first, first + apart)
    assert first <= found < first + apart
    if apart > 366:
        assert DAYS.text(found).endswith("-12-31")
