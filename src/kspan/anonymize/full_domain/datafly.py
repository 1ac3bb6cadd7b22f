"""Datafly, the classic greedy full-domain generalization (Sweeney 1997, 2002)."""

import numpy as np

from kspan.anonymize.crowds import Crowds, Recoding
from kspan.anonymize.full_domain.lattice import FrequencySet, Lattice
from kspan.data.table import Table
from kspan.policy import Policy


def datafly(table: Table, policy: Policy, *, rng: np.random.Generator) -> Recoding:
    """Show the public attribute with most distinct values a level coarser until at most k people must be withheld.

    Those in groups that break the requirement are withheld. Nothing is random; of equals the policy's first is taken.
    """
    crowds = Crowds(table, policy)
    crowds.check_reachable()
    lattice = Lattice(crowds)
    vector = list(lattice.bottom)
    steps = []
    # At the top there is one group, which holds as was checked: so the loop ends.
    while True:
        groups = lattice.frequency_set(tuple(vector))
        kept = lattice.holding(groups)
        withheld = int(groups.people[~kept].sum())
        if withheld <= crowds.k and kept.any():
            break
        attribute = _most_distinct(lattice, groups)
        vector[attribute] += 1
        steps.append(lattice.columns[attribute].name)
    facts = {"levels": lattice.levels(groups.vector), "steps": steps}
    return Recoding(lattice.partition(groups, kept), facts)


def _most_distinct(lattice: Lattice, groups: FrequencySet) -> int:
    """The attribute that shows most distinct cells, among those that can be shown coarser."""
    distinct = [
        lattice.distinct(attribute, groups) if level < lattice.top[attribute] else 0
        for attribute, level in enumerate(groups.vector)
    ]
    return int(np.argmax(distinct))
