"""Requirements that laws ask where any will do: of every kind that there is, so that a new one is asked of everything.

Parameters are derived: what some crowds reach is asked of others.
"""

from dataclasses import fields, replace
from typing import Any

from hypothesis import strategies as st

from kspan.data.groups import Counts
from kspan.privacy import REQUIREMENTS, KAnonymity, OnPrivate, Requirement

KEYS = tuple(key for key, kind in REQUIREMENTS.items() if not (issubclass(kind, OnPrivate) and kind.needs))
"""Those that can be asked of any values; what needs numbers has laws of its own."""
CROWDS = (Counts.of([[1, 1], [3, 2]]), Counts.of([[3, 1], [3, 5]]))
"""People with one of two values: much is asked by those who are alike, less by those who are not."""
DIGITS = 3
"""Of parameters, so that a definition in fractions and its twin in floats mean the same number."""


def compares_with_everybody(key: str) -> bool:
    """Must the private values of everybody be known to judge a group?"""
    kind = REQUIREMENTS[key]
    return issubclass(kind, OnPrivate) and kind.beside_everybody


def as_reached(key: str, crowds: Counts, *on: str) -> Requirement:
    """The requirement of a kind that asks as much as the worst of some crowds reaches.

    >>> [str(as_reached(key, CROWDS[1])) for key in ("k", "distinct_l", "recursive_cl", "confidence")]
    ['k=4', 'distinct_l=2', 'recursive_cl=[3, 2]', 'confidence=0.75']
    """
    kind: Any = REQUIREMENTS[key]
    if not issubclass(kind, OnPrivate):
        made: Requirement = kind(int(crowds.sizes.min()))
        return made
    loosest = kind.loosest(crowds)
    parameter = next(entry.name for entry in fields(loosest) if entry.name != "on")
    return replace(loosest, on=on, **{parameter: round(loosest.reached(crowds), DIGITS)})


def asked(key: str, *on: str) -> st.SearchStrategy[Requirement]:
    """Requirements of a kind, some stricter than others, on all private attributes or on those named."""
    return st.sampled_from([as_reached(key, crowds, *on) for crowds in CROWDS])


def of_crowds(k: int, requirement: Requirement) -> Requirement:
    """The same of crowds of k, unless it is itself about their size."""
    return requirement if isinstance(requirement, KAnonymity) else KAnonymity(k) & requirement
