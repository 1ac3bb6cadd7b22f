"""Writes several values of a column as one cell."""

from kspan.data.arrays import Int64s
from kspan.data.cells import SUPPRESSED, write_interval, write_set
from kspan.data.table import Column


def shown_cell(column: Column, codes: Int64s) -> str:
    """Write some codes of a column, in ascending order, as one cell of a released table."""
    # All values that occur tell nothing, unless there is only one.
    if len(codes) == column.size:
        return SUPPRESSED if len(codes) > 1 else column.spelled(int(codes[0]))
    if len(codes) == 1:
        return column.spelled(int(codes[0]))
    if column.is_measured and column.missing not in codes:
        return column.kind.show(write_interval(float(column.values[codes[0]]), float(column.values[codes[-1]])))
    return write_set(column.spelled(int(code)) for code in codes)
