"""What a release lets anybody see of each person: all that a later release must be judged beside.

A verdict is about one release. What it rests on outlives it: which rows have the same span, which spans tell something,
and what is told of private attributes there. Several releases are judged together by nothing but this, whatever kinds
they are of.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.data.table import Column

ABSENT = -1
"""The span of a row that is not in a release."""

Describe = Callable[[Sequence[int]], list[dict[str, str]]]


@dataclass(frozen=True, repr=False)
class Tells:
    """What a release tells of one thing: a private attribute as a rule, or the cluster, or the answer of a model."""

    column: Column
    """What is told of every row."""
    held: Column
    """What rows truly have, also where less is told of them."""
    where: Bools
    """In which spans something is told."""
    is_private: bool = True
    """Is it a private attribute, which a requirement may name?"""

    @classmethod
    def of_all(cls, column: Column, spans: int) -> "Tells":
        """Say that the values themselves are told, in all spans."""
        return cls(column, column, np.ones(spans, bool))


def _in_numbers(spans: Sequence[int]) -> list[dict[str, str]]:
    return [{"span": str(span + 1)} for span in spans]


@dataclass(frozen=True, repr=False)
class Seen:
    """What a release lets anybody see of the rows of its people."""

    span: Int64s
    """The span of every row, or `ABSENT`."""
    exposing: Bools
    """Which spans tell something of their people."""
    tells: Mapping[str, Tells]
    weights: Int64s | None = None
    """How many people each row stands for; None if one each."""
    describe: Describe = field(default=_in_numbers, compare=False)
    """Says what the people of some spans show; for the owner."""
