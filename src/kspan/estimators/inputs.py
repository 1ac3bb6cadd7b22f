"""What scikit-learn hands over: arrays, or dataframes with words and missing values as they are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d, validate_data

from kspan.data.arrays import Floats, Int64s
from kspan.data.cells import Exact, read_cell
from kspan.errors import DataError, PolicyError, listed
from kspan.frames.native import to_polars, unused
from kspan.privacy import KAnonymity
from kspan.privacy.spec import parse


def is_dataframe(given: Any) -> bool:
    """Does it have columns with names?"""
    names = getattr(given, "column_names", None) or getattr(given, "columns", None)
    return names is not None and all(isinstance(name, str) for name in names)


def rows_of(estimator: Any, given: Any, *, reset: bool) -> pl.DataFrame:
    """Return the rows as a polars frame; arrays must hold numbers, and get the column names x0, x1, ..."""
    if is_dataframe(given):
        # Cells may be words, which the check of arrays would refuse.
        validate_data(estimator, given, reset=reset, skip_check_array=True)
        if len(given) == 0:
            raise DataError("there are 0 samples: give at least one row")
        return to_polars(given)
    checks: dict[str, Any] = {"reset": reset, "dtype": np.float64, "ensure_all_finite": "allow-nan"}
    numbers = validate_data(estimator, given, **checks)
    if np.isinf(numbers).any():
        raise DataError("an array must not hold infinity: use a number, or nan for a missing one")
    return pl.DataFrame({f"x{place}": numbers[:, place] for place in range(numbers.shape[1])})


@dataclass(frozen=True, repr=False)
class ClassLabels:
    """The label of each row, and the names of the classes as text."""

    of_rows: NDArray[Any]
    classes: NDArray[Any]
    place: Int64s
    """The place of each row's label among the classes."""
    names: list[str]
    column: str
    """A name that no column of the rows has."""

    def beside(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the rows with a column of their labels."""
        return rows.with_columns(pl.Series(self.column, self.names, dtype=pl.String)[self.place].alias(self.column))


def labels_of(given: Any, rows: pl.DataFrame) -> ClassLabels:
    """Return the labels that were given for some rows."""
    labels = column_or_1d(given.to_numpy() if hasattr(given, "to_numpy") else given, warn=True)
    if len(labels) != rows.height:
        raise DataError(f"there are {rows.height} rows but {len(labels)} labels: give one label a row")
    if any(label is None for label in labels):
        raise DataError("some rows have no label: leave them out first")
    classes, place = np.unique(labels, return_inverse=True)
    return ClassLabels(labels, classes, place, _names(classes), unused("label", rows.columns))


def numbers_of(given: Any, rows: pl.DataFrame) -> pl.Series:
    """Return the numbers that were given for some rows."""
    found = column_or_1d(given.to_numpy() if hasattr(given, "to_numpy") else given, warn=True)
    numbers = _floats(found, "numbers to learn")
    if len(numbers) != rows.height:
        raise DataError(f"there are {rows.height} rows but {len(numbers)} numbers: give one number a row")
    return pl.Series(numbers)


def weights_of(given: Any, rows: pl.DataFrame) -> Floats:
    """Return the weights that were given for some rows."""
    weights = _floats(np.asarray(given), "weights")
    if weights.shape != (rows.height,):
        raise DataError(f"there are {rows.height} rows but {weights.shape} weights: give one weight a row")
    if (weights < 0).any():
        raise DataError("weights must not be below 0")
    return weights


def named_weights(given: Any, labels: ClassLabels) -> Any:
    """Return class weights by the names that classes have as text."""
    if not isinstance(given, Mapping):
        return given
    names = dict(zip(labels.classes.tolist(), labels.names, strict=True))
    strange = [label for label in given if label not in names]
    if strange:
        raise PolicyError("class_weight names a label that y does not have: name labels of y")
    return {names[label]: weight for label, weight in given.items()}


def _floats(given: NDArray[Any], what: str) -> Floats:
    try:
        numbers = given.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(f"the {what} must be numbers") from None
    if not np.isfinite(numbers).all():
        raise DataError(f"the {what} must be finite: there is infinity or NaN among them")
    return numbers


def roles(
    columns: Iterable[str], public: Iterable[str] | None, private: Iterable[str]
) -> tuple[list[str], list[str], list[str]]:
    """Return public, private and identifier columns; if `public` is None, all that are not private are public."""
    if isinstance(private, Mapping):
        raise PolicyError(
            "estimators show private columns as they are: list their names, or say how numbers are shown in the policy "
            "of kspan.anonymize"
        )
    present, hidden = list(columns), list(private)
    known = [name for name in present if name not in hidden] if public is None else list(public)
    strange = [name for name in (*known, *hidden) if name not in present]
    if strange:
        raise PolicyError(f"{listed(strange)} is no column of the data: correct public and private")
    return known, hidden, [name for name in present if name not in {*known, *hidden}]


def _names(classes: NDArray[Any]) -> list[str]:
    """Name classes as they are written, or by number if their texts are not plain or not all different."""
    names = [str(label) for label in classes.tolist()]
    # A class such as {a|b} would be read as a set of two labels.
    plain = all(read_cell(name) == Exact(name) for name in names) and len(set(names)) == len(names)
    return names if plain else [str(number) for number in range(len(names))]


def required(k: int, require: str | None) -> str:
    """What an estimator keeps: k, and what else is required; a `require` that names its own k has the say.

    >>> required(10, None), required(10, "distinct_l=2"), required(10, "k=5, distinct_l=2")
    ('k=10', 'k=10, distinct_l=2', 'k=5, distinct_l=2')
    """
    if require is None:
        return f"k={k}"
    names_k = any(isinstance(part, KAnonymity) for part in parse(require).parts)
    return require if names_k else f"k={k}, {require}"
