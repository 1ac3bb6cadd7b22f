"""What a requirement asks about: which private attributes, and whether it matters which values they have."""

import numpy as np

from kspan.anonymize.crowds import Crowds, rows_of
from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import count_groups
from kspan.data.table import Table
from kspan.model.partition import WITHHELD
from kspan.policy import Policy
from kspan.privacy import Confidence, DistinctL, EntropyL, KAnonymity, OnPrivate, RecursiveCL, SimpleL

BLIND = (KAnonymity, DistinctL, EntropyL, RecursiveCL, SimpleL, Confidence)
"""Requirements that look at how often private values occur in a group, not at which they are nor at other groups."""


def is_blind(policy: Policy) -> bool:
    """Does it depend only on how often values occur in a group whether the group holds?"""
    return all(isinstance(part, BLIND) for part in policy.require.parts)


def asked_about(policy: Policy) -> tuple[str, ...]:
    """The private attributes that the requirement is about."""
    about: set[str] = set()
    for part in policy.require.parts:
        if isinstance(part, OnPrivate):
            about.update(part.on or policy.private)
        elif not isinstance(part, KAnonymity):
            about.update(policy.private)
    return tuple(name for name in policy.private if name in about)


def holds(crowds: Crowds, group: Int64s, number: int) -> Bools:
    """Which groups satisfy the requirement, as `Crowds.holds`, counting only what is asked about."""
    if crowds.only_k:
        return crowds.holds(group, number)
    names = asked_about(crowds.policy)
    table = Table({name: crowds.table[name] for name in names}, crowds.rows, crowds.table.weights)
    kept = group != WITHHELD
    if not kept.all():
        table, group = rows_of(table, np.flatnonzero(kept)), group[kept]
    return crowds.policy.require.holds(count_groups(table, group, number, names))
