"""Times of day that differ by less than a second were one cell where they count as words."""

import polars as pl
import pytest

import kspan as ks


@pytest.mark.parametrize(("nanoseconds", "said"), [(1, {}), (1000, {"at": "categorical"}), (10**6, {})])
def test_times_that_differ_are_told_apart(nanoseconds: int, said: dict[str, str]) -> None:
    at = pl.Series([10**9, 10**9 + nanoseconds]).cast(pl.Time)
    table = pl.DataFrame({"at": at, "ill": ["a", "b"]})
    audit = ks.audit(table, ks.Policy(public=["at"], private=["ill"], require="k=2", domains=said))
    assert (audit.groups, audit.holds) == (2, False)
