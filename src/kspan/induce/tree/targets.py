"""What is to be told of people, as responses: numbers that people who answer alike should share."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Codes, Floats, Int64s
from kspan.data.table import Column
from kspan.errors import PolicyError, did_you_mean
from kspan.induce.tree.people import Rows

NO_WORTH: Floats = np.empty(0)
DIGITS = 3
"""Weights that make labels count alike have so many digits."""
LEAST_NOISE = 1e-9
"""Numbers that a tree tells exactly are taken to be this far off, as a share of their variance."""


@dataclass(frozen=True, repr=False)
class Targets:
    """The responses of each row (see `kspan.kernels.grouped`), and what it weighs if that is not its people."""

    labels: NDArray[np.int32]
    numbers: Floats
    scale: Floats
    worth: Floats
    labelled: tuple[tuple[Codes, int], ...]
    """The codes of each labelled target, and how many labels it has."""

    @classmethod
    def of(cls, columns: Sequence[Column], measured: Sequence[bool], people: Int64s, worth: Floats) -> "Targets":
        """Return the responses of some columns: labels, or numbers where they are `measured`.

        Two labels are one response, since who does not have the one has the other. Several targets count alike: each
        has a variance of one over everybody.
        """
        weigh = worth if len(worth) else people.astype(np.float64)
        words = [column for column, is_number in zip(columns, measured, strict=True) if not is_number]
        others = [column for column, is_number in zip(columns, measured, strict=True) if is_number]
        # The square of one response of two labels is half of what both would tell.
        responses = [(1, 2.0) if column.size == 2 else (column.size, 1.0) for column in words]
        begins = np.cumsum([0, *(size for size, _ in responses)])
        worths = [_worth_of_labels(column, weigh) if len(columns) > 1 else 1.0 for column in words]
        scales = [[square * each] * size for (size, square), each in zip(responses, worths, strict=True)]
        rows = len(columns[0].codes)
        labels = [_response(column, begin) for column, begin in zip(words, begins.tolist(), strict=False)]
        numbers = [standard(column.values.astype(np.float64)[column.codes], weigh) for column in others]
        return cls(
            np.column_stack(labels) if labels else np.empty((rows, 0), np.int32),
            np.column_stack(numbers) if numbers else np.empty((rows, 0)),
            np.array([*(each for some in scales for each in some), *[1.0] * len(numbers)]),
            worth,
            tuple((column.codes, column.size) for column in words),
        )

    @property
    def number(self) -> int:
        """How many targets there are."""
        return len(self.labelled) + int(self.numbers.shape[1])

    def noise(self, leaves: Iterable[Rows], people: Int64s) -> Floats:
        """How far numbers are from the means of their leaves: the mean square of each target."""
        squares, everybody = np.zeros(self.numbers.shape[1]), 0.0
        for rows in leaves:
            weights = self._weights(rows, people)
            squares += self._squares(rows, weights)
            everybody += float(weights.sum())
        found: Floats = np.maximum(squares / max(everybody, 1.0), LEAST_NOISE)
        return found

    def left_open(self, rows: Rows, people: Int64s, noise: Floats) -> float:
        """How many bits it takes to tell the targets of some rows to whoever knows their shares and means alone."""
        weights, bits = self._weights(rows, people), 0.0
        for codes, size in self.labelled:
            share = np.bincount(codes[rows], weights, size)
            share = share[share > 0]
            bits += float(share.sum() * np.log2(share.sum()) - (share * np.log2(share)).sum())
        return bits + float((self._squares(rows, weights) / (2 * math.log(2) * noise)).sum())

    def _weights(self, rows: Rows, people: Int64s) -> Floats:
        weigh = self.worth if len(self.worth) else people
        return weigh[rows].astype(np.float64) if len(weigh) else np.ones(len(rows))

    def _squares(self, rows: Rows, weights: Floats) -> Floats:
        numbers = self.numbers[rows]
        if not numbers.size:
            return np.zeros(numbers.shape[1])
        found: Floats = (weights[:, None] * (numbers - np.average(numbers, axis=0, weights=weights)) ** 2).sum(axis=0)
        return found


def _response(column: Column, begin: int) -> NDArray[np.int32]:
    """The number of the response that each row has; -1 for the first of two labels, which have only one."""
    of_label = np.array([-1, begin]) if column.size == 2 else begin + np.arange(column.size)
    found: NDArray[np.int32] = of_label.astype(np.int32)[column.codes]
    return found


def _worth_of_labels(column: Column, weigh: Floats) -> float:
    share = np.bincount(column.codes, weigh if len(weigh) else None, column.size)
    impurity = 1.0 - float(((share / share.sum()) ** 2).sum())
    return 1.0 / impurity if impurity > 0 else 0.0


def standard(numbers: Floats, weigh: Floats) -> Floats:
    """Return numbers with a mean of 0 and a variance of 1; all 0 if they are all the same."""
    weights = weigh if len(weigh) else None
    centered = numbers - np.average(numbers, weights=weights)
    spread = float(np.sqrt(np.average(centered**2, weights=weights)))
    found: Floats = centered / spread if spread > 0 else centered * 0
    return found


def label_worth(column: Column, says: Mapping[str, float] | str | None, people: Int64s) -> Floats:
    """Return what each label of a target counts: as said, all labels the same in sum if "balanced"; empty if alike.

    >>> from kspan.data.kinds.words import WORDS
    >>> risk = Column("risk", WORDS, np.array([0, 0, 0, 1], np.uint8), np.array(["bad", "good"], object))
    >>> label_worth(risk, "balanced", np.empty(0, np.int64))
    array([0.667, 2.   ])
    """
    if says is None:
        return NO_WORTH
    names = [column.label(code) for code in range(column.size)]
    if isinstance(says, str):
        if says != "balanced":
            raise PolicyError('class_weight must be "balanced", or a number for each label')
        often = np.bincount(column.codes, people if len(people) else None, column.size)
        each = often.sum() / (max(np.count_nonzero(often), 1) * np.maximum(often, 1.0))
        # They are published, and all their digits would tell how many people there are.
        return np.array([float(f"{one:.{DIGITS}g}") for one in each])
    for name in says:
        if str(name) not in names:
            raise PolicyError(
                f"class_weight names a label that {column.name!r} does not have{did_you_mean(str(name), names)}"
            )
    told = {str(name): _number(each) for name, each in says.items()}
    if not all(np.isfinite(each) and each > 0 for each in told.values()):
        raise PolicyError("every number of class_weight must be above 0")
    return np.array([told.get(name, 1.0) for name in names])


def _number(given: float) -> float:
    try:
        return float(given)
    except (TypeError, ValueError):
        raise PolicyError("class_weight must have a number for each label") from None
