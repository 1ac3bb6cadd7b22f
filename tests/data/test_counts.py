"""What counts of a column know of its values."""

import numpy as np
import polars as pl
import pytest

from kspan.data.encode import encode
from kspan.data.groups import count_groups
from kspan.data.schema import Schema

RANGES = ["[10, 19]", "[100, 199]", "[20, 29]", "[30, 39]"]


@pytest.mark.parametrize("domains", [{}, {"pay": "numeric"}, {"pay": [0, 200]}])
@pytest.mark.parametrize(("cells", "ordered"), [(RANGES, False), ([10, 100, 20, 30], True)])
def test_only_exact_numbers_have_ranks(domains: dict[str, object], cells: list[object], ordered: bool) -> None:
    """By their texts, `[100, 199]` would lie between `[10, 19]` and `[20, 29]`."""
    table = encode(pl.DataFrame({"pay": cells}), Schema(private=["pay"], domains=domains))
    assert count_groups(table, np.array([0, 0, 1, 1]), 2, ["pay"]).private["pay"].ordered == ordered
