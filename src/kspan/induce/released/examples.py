"""A table to learn from whose cells may be general: the labels of its people, and what their cells may stand for."""

from dataclasses import dataclass

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.cells import Exact, read_cell
from kspan.data.expected import Signs
from kspan.data.general import General, general
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import DataError, PolicyError


@dataclass(frozen=True, repr=False)
class Examples:
    """The label of each row, how many people it stands for, and the other columns."""

    target: str
    labels: tuple[str, ...]
    label: Int64s
    weights: Floats
    columns: tuple[General, ...]
    signs: Signs

    def counts(self, column: General) -> Floats:
        """How many people of each label show each code of a column."""
        labels = len(self.labels)
        keys = column.column.codes.astype(np.int64) * labels + self.label
        return np.bincount(keys, self.weights, column.column.size * labels).reshape(-1, labels).astype(np.float64)


def examples(table: Table, schema: Schema) -> Examples:
    """What there is to learn from a table; everybody must have one label."""
    if schema.target is None:
        raise PolicyError("learning needs a target: name the column to predict")
    target = table[schema.target]
    labels = tuple(target.label(code) for code in range(len(target.values)))
    # Codes beyond the values are suppressed and missing cells, which are no label either.
    vague = np.array([read_cell(label) != Exact(label) for label in labels] + [True] * (target.size - len(labels)))
    if gone := int(vague[target.codes].sum()):
        raise DataError(f"{gone} people have no label, or no single one, in {schema.target!r}: leave them out first")
    seen, label = np.unique(target.codes, return_inverse=True)
    names = [name for name in (*schema.public, *schema.private) if name != schema.target]
    if not names:
        raise PolicyError("there is no attribute to learn from: list some as public or private")
    weights = np.ones(table.rows) if table.weights is None else table.weights.astype(np.float64)
    columns = tuple(general(table[name], schema.range_pattern) for name in names)
    return Examples(
        schema.target, tuple(labels[code] for code in seen.tolist()), label, weights, columns, Signs.of(schema)
    )
