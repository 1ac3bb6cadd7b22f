"""How attributes spread, as published with a tree: is that true of its people, and is every bin a crowd?"""

import numpy as np
import polars as pl

from kspan.data.groups import count_groups
from kspan.data.table import Table
from kspan.model.tree.people import coded_people
from kspan.model.tree.release import Marginal, TreeRelease
from kspan.policy import Policy


def broken_marginals(release: TreeRelease, people: pl.DataFrame, policy: Policy) -> list[str]:
    """Return the attributes whose published spread breaks the policy's requirement, or is not that of these people.

    The people of a bin are judged as a group with their labels, although labels are not published there.
    """
    if not release.marginals:
        return []
    tree = release.tree
    names = {marginal.attribute: tree.attributes[marginal.attribute].name for marginal in release.marginals}
    table = coded_people(tree, people, policy, list(names.values()))
    private = () if tree.target_role == "public" else (tree.target,)
    return [
        names[marginal.attribute]
        for marginal in release.marginals
        if not _holds(marginal, names[marginal.attribute], table, policy, private)
    ]


def _holds(marginal: Marginal, name: str, table: Table, policy: Policy, private: tuple[str, ...]) -> bool:
    column = table[name]
    place = np.full(column.size, -1, np.int64)
    for number, (region, _) in enumerate(marginal.bins):
        place[region.covers(column)] = number
    of_rows = place[column.codes]
    # Somebody is in no bin, so this is not the spread of these people.
    if (of_rows < 0).any():
        return False
    # Groups must not be empty, so bins without people are left out here; their counts are compared below.
    there, group = np.unique(of_rows, return_inverse=True)
    groups = count_groups(table, group.astype(np.int64), len(there), private)
    found = np.zeros(len(marginal.bins), np.int64)
    found[there] = groups.sizes
    is_true = found.tolist() == [people for _, people in marginal.bins]
    return is_true and bool(policy.require.holds(groups).all())
