"""Which parts may be cut whatever private values their sides would have: decisions that tell nothing.

Whoever knows a method learns from what it did not do. Mondrian leaves a part whole if each cut of it would break the
requirement; so those in the part have just the values that break it (R. C.-W. Wong, A. W.-C. Fu, K. Wang, J. Pei,
Minimality attack in privacy preserving data publishing, VLDB 2007). Here a part is cut only if both sides would keep
the requirement however the private values of the part were dealt out to its people. That depends on the public values
and on how often each private value occurs in the whole part, which the groups that it ends in tell anyway. So
exchanging private values inside a group changes no decision: every such exchange gives the same table, and somebody who
knows the method is as uncertain as somebody who does not.

The worst side of some size has the commonest values of its part, each as often as it occurs there: whatever else a side
has, its commonest values are at most as common. So one look at each side is enough for requirements that only count
(see `BLIND`). Where one value is limited, the worst side has all people with that value.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from kspan.anonymize.crowds import is_blind
from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import Counts, Groups
from kspan.errors import PolicyError
from kspan.policy import Policy
from kspan.privacy import KAnonymity, OnPrivate, Requirement


def check_decidable(policy: Policy) -> None:
    """Refuse a requirement of which the worst side is not known."""
    for part in policy.require.parts:
        if not is_blind(part) and not _limits_one_value(part):
            raise PolicyError(
                f"{part} compares groups with everybody, so no cut is safe whatever its sides have: to resist those "
                "who know the method, ask for confidence, simple_l, distinct_l, entropy_l or recursive_cl"
            )


def any_sides_hold(require: Requirement, private: Mapping[str, Counts], left: Int64s, right: Int64s) -> Bools:
    """Would both sides of each part keep the requirement, whoever of the part they had?

    `private` are the counts of whole parts; `left` and `right` say how many people each side would have.

    >>> from kspan.privacy import Confidence
    >>> part = {"illness": Counts.of([[1, 3, 4], [1, 7, 0]])}
    >>> any_sides_hold(Confidence(0.8), part, np.array([5, 4]), np.array([5, 4])).tolist()
    [True, False]
    """
    good = np.ones(len(left), bool)
    for part in require.parts:
        if isinstance(part, KAnonymity):
            good &= (left >= part.k) & (right >= part.k)
            continue
        assert isinstance(part, OnPrivate)
        about = {name: counts for name, counts in private.items() if not part.on or name in part.on}
        for sizes in (left, right):
            worst = {name: _worst(part, counts, sizes) for name, counts in about.items()}
            good &= part.holds(Groups(sizes, worst))
    return good


def _worst(part: OnPrivate, counts: Counts, sizes: Int64s) -> Counts:
    """Return the counts of the worst side of each part: first who has the value that is limited, or a common one."""
    first = -counts.people
    if part.only_value is not None and counts.having is not None:
        first = np.where(counts.having.codes(part.only_value)[counts.value], -1, 0)
    order = np.lexsort((first, counts.group))
    people, group = counts.people[order], counts.group[order]
    so_far = np.cumsum(people)
    before = so_far - people - np.append(0, so_far)[counts.start[:-1]][group]
    taken = np.empty(len(order), np.int64)
    taken[order] = np.clip(sizes[group] - before, 0, people)
    some = taken > 0
    start = np.append(0, np.cumsum(np.bincount(counts.group[some], minlength=len(sizes))))
    return replace(counts, start=start, value=counts.value[some], people=taken[some])


def _limits_one_value(part: Requirement) -> bool:
    return isinstance(part, OnPrivate) and part.only_value is not None
