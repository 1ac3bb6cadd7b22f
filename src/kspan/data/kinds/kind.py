"""What a kind of column is, and what everybody else may ask of it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import polars as pl

from kspan.data.cells import NOT_A_NUMBER, SUPPRESSED, number_text

NUMERIC, CATEGORICAL = "numeric", "categorical"
FAMILIES = (NUMERIC, CATEGORICAL)
"""The words by which files of models tell kinds that are measured from those that branch."""


class Given:
    """A column as it is given; its different texts are looked up once, however many kinds ask for them."""

    def __init__(self, series: pl.Series) -> None:
        self.series, self.type = series, series.dtype

    @cached_property
    def texts(self) -> pl.Series:
        """The different cells of a column of text, but for those that say nothing; empty for any other column."""
        if self.type != pl.String:
            return pl.Series([], dtype=pl.String)
        labels = self.series.unique().drop_nulls().str.strip_chars()
        return labels.filter(~labels.is_in([SUPPRESSED, "", *NOT_A_NUMBER]))


@dataclass(frozen=True)
class Kind(ABC):
    """What the values of a column are; all objects of one kind are equal."""

    plural: ClassVar[str]
    """What messages call the values."""
    is_measured: ClassVar[bool]
    """Are values some way apart, so that there are ranges, means and cuts? Otherwise each is a branch of its own."""
    family: ClassVar[str]
    """The word for it in files of models."""
    says: ClassVar[str]
    """The word for it in policies."""
    unit: ClassVar[str | None] = None
    """The word by which files say how its numbers are written, if they are not written as numbers."""
    apart: ClassVar[str | None] = None
    """What it counts how far values are apart in, such as days; None if that is a plain number."""
    recipe: ClassVar[str | None] = None
    """The hierarchy that a draft of a policy builds for it, as it is written there."""

    def __str__(self) -> str:
        return self.plural

    @property
    def has_own_spelling(self) -> bool:
        """Are its values written otherwise than they are kept? Then whoever reads single cells must be told."""
        return self.unit is not None

    @property
    @abstractmethod
    def measure(self) -> "Kind":
        """The kind of the numbers in its cells, if these turn out to be numbers and ranges."""

    @abstractmethod
    def recognizes(self, given: Given) -> bool:
        """Tell from the type or the cells of a column whether it is of this kind."""

    @abstractmethod
    def plain(self, series: pl.Series) -> pl.Series:
        """The cells of a column as text, whole numbers or other numbers; as text, if some are ranges or sets."""

    @abstractmethod
    def example(self, places: Sequence[int | None]) -> pl.Series:
        """A column of this kind with a value for each whole number, for the laws that every kind obeys."""

    def order(self, series: pl.Series) -> tuple[str, ...]:
        """The values of a column in an order of their own; empty if they have none besides the usual one."""
        return ()

    def text(self, value: float) -> str:
        """Write one number of a column for people to read."""
        return number_text(value)

    def read(self, text: str) -> str | None:
        """The text of a cell as it is kept; None if it is no cell of this kind."""
        return text

    def show(self, text: str) -> str:
        """The text of a cell that is kept, as people write it; the opposite of `read`."""
        return text

    def bounds(self, name: str, says: Sequence[Any]) -> tuple[float, float] | None:
        """The two ends that a policy gives for a column, as numbers; None if they are not of this kind."""
        return None

    def bound(self, value: float) -> Any:
        """An end of a range as a policy gives it."""
        return value
