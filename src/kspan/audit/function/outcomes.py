"""What was found of a model: which outcomes each kind of people can have, and what these tell of private cells."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.data.kinds.words import WORDS
from kspan.data.table import Column

ANYTHING = 0
"""The code of a person whose outcome admits every cell of an attribute."""


@dataclass(frozen=True, repr=False)
class ToldCells:
    """What outcomes tell of one private attribute."""

    column: Column
    """What each row is told to have, as a code; 0 is anything."""
    admitted: Bools
    """For each code, which of the values that people have it admits."""
    varies: Bools
    """For each kind of people, whether outcomes that it can have tell different things."""


@dataclass(frozen=True, repr=False)
class Outcomes:
    """The outcomes that each kind of people can have."""

    span: Int64s
    """The span of each kind: kinds that can have the same outcomes share one."""
    several: Bools
    """Which kinds can have more than one outcome."""
    own: Int64s
    """The outcome of each row."""
    told: Mapping[str, ToldCells]
    tried: int = 0
    """How many combinations of private cells were tried for each kind, if that was needed."""
    proved: bool = True
    """Are these all outcomes?"""
    endless: tuple[str, ...] = ()
    """Private numbers of which not all can be tried."""
    untrue: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = field(default=())


def told_cells(name: str, masks: Bools, row: Int64s, has_people: Bools, varies: Bools) -> ToldCells:
    """Say what rows are told to have: `masks` are the cells that some outcomes admit, `row` has that of each row.

    Outcomes that admit the same of the cells that people have tell the same.
    """
    code, admitted = coded_masks(masks, has_people)
    values = np.empty(len(admitted), object)
    column = Column(name, WORDS, code[row].astype(np.uint32), values)
    return ToldCells(column, admitted, varies)


def coded_masks(masks: Bools, has_people: Bools) -> tuple[Int64s, Bools]:
    """Number different masks from 1 on, and those that admit everything as 0; and return the mask of each number.

    Only cells that people have count, unless all cells are admitted.
    """
    everything = np.asarray(masks.all(axis=1))
    masks = masks[:, has_people]
    whole = np.ones((1, masks.shape[1]), bool)
    packed = np.packbits(masks, axis=1)
    _, first, code = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    found: Int64s = np.where(everything, ANYTHING, code.reshape(-1) + 1)
    return found, np.concatenate([whole, masks[first]])
