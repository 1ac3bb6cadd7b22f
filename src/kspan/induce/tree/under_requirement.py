"""What learners of trees that keep a requirement share: who takes part, the first leaf, and may it be pruned?"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kspan.data.arrays import Int64s
from kspan.data.table import Table
from kspan.errors import DataError, PolicyError, Unreachable
from kspan.induce.known import classes_of, exposed_before
from kspan.induce.tree.features import Feature
from kspan.induce.tree.grow import Growth
from kspan.induce.tree.id3 import offered
from kspan.induce.tree.people import People
from kspan.induce.tree.several import SeveralRows
from kspan.policy import Policy
from kspan.policy.values import check_occurs
from kspan.privacy import OnPrivate


def taking_part(
    table: Table, policy: Policy, known: Int64s | None, also: Sequence[str] = ()
) -> tuple[People, tuple[Feature, ...]]:
    """The people, and the attributes that a tree may ask under the policy's requirement: all but those it predicts."""
    _check_requirement(policy)
    check_occurs(policy.require, table, policy)
    people, features = offered(table, policy, also=also)
    _check_told_apart(features)
    if known is not None:
        people = replace(people, known=classes_of(known, table.rows, table.persons))
    if table.persons is not None:
        # What is told of people, and not of rows, is counted for labels alone.
        features = tuple(one for one in features if one.public or not _is_required(one, policy))
    return people, features


def _check_told_apart(features: Sequence[Feature]) -> None:
    """Refuse whole numbers of so many digits that two of them have one threshold."""
    for feature in features:
        if feature.numeric and len(np.unique(feature.floats)) < len(feature.floats):
            raise DataError(
                f"column {feature.attribute.name!r} has numbers of too many digits to be told apart by thresholds: if "
                "they are codes, declare them as words in the policy ([domains]), or leave the column out"
            )


def private_target(policy: Policy) -> str | None:
    """The attribute whose labels are private; None if everybody knows them."""
    return None if policy.target in policy.public else policy.target


def check_begins(growth: Growth, table: Table, policy: Policy) -> None:
    """Refuse people of whom even a tree of one leaf tells too much; where people have several rows, count people."""
    if table.persons is not None:
        growth.count_people(SeveralRows(table, policy, private_target(policy)))
    # Line 9 of kADET in the paper of 2006.
    if not growth.holds_now():
        if growth.people.known.any():
            raise exposed_before(growth.people_breaking(), table.people, policy.require)
        raise Unreachable(f"even a tree of one leaf breaks {policy.require} on these {table.people} people: lower it")


def pruning_keeps(growth: Growth, table: Table, policy: Policy) -> bool:
    """Is a tree that has been pruned sure to keep the requirement?

    Pruning merges spans, and only a monotone requirement is sure to survive that. It also merges answers to private
    questions: a span of which more than one was told may be left with one.
    """
    assert growth.guard is not None
    # Two groups in which half the people ever had a value, each others, are one in which all had it.
    survives = policy.require.monotone and (table.persons is None or not _is_about_values(policy))
    return survives and not growth.guard.answers.told


def _is_about_values(policy: Policy) -> bool:
    """Is anything required of private values?"""
    return any(isinstance(part, OnPrivate) for part in policy.require.parts)


def _is_required(feature: Feature, policy: Policy) -> bool:
    """Is anything required of a private attribute?"""
    name = feature.attribute.name
    return any(isinstance(part, OnPrivate) and name in part.looks_at((name,)) for part in policy.require.parts)


def _check_requirement(policy: Policy) -> None:
    """Refuse a requirement on private values where nothing that a tree could tell of is private."""
    for part in policy.require.parts:
        if isinstance(part, OnPrivate) and not policy.private:
            raise PolicyError(f"{part} cannot be asked of a tree without private attributes: list one under private")
