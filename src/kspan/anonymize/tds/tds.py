"""Top-down specialization, TDS (Fung, Wang, Yu, ICDE 2005), and top-down refinement, TDR (TKDE 19:5, 2007).

All rows share one cut through the hierarchy of each public attribute. It begins at the top; step by step the node whose
children tell most of the target, for each person that the smallest group loses, is replaced by its children. What a
node's children tell (InfoGain) does not depend on the other attributes, so it is counted once. How small groups would
become (AnonyLoss) does, but a step changes that only for the groups that it divides: these are counted again.

What the papers leave open is decided as follows:

- Of equal scores the one of lower AnonyLoss is taken, then the earlier attribute of the policy, then the lower value.
- A step that gains nothing is still taken if it is valid and the people concerned have different labels.
- A missing value is a branch below the top, shown as an empty cell. Where that cannot be, it stays in `*` with the
  largest other branch, and may leave it later. TDR discloses it as it does any value.
- An interval shows the lowest and the highest number that occur between its cuts; the outermost end is that of the
  declared domain, or else a round number, since the extremes of the data are somebody's.
- Requirements other than k are asked of the groups that a step makes; they do not enter the score.
"""

import numpy as np

from kspan.anonymize.crowds import Crowds, Recoding
from kspan.anonymize.tds.cut import Cut
from kspan.data.table import Table
from kspan.errors import PolicyError
from kspan.policy import Policy


def tds(table: Table, policy: Policy, *, rng: np.random.Generator) -> Recoding:
    """Specialize for the private target; an attribute without a hierarchy shows all its values or none."""
    return _specialized(table, policy, disclose=False)


def tdr(table: Table, policy: Policy, *, rng: np.random.Generator) -> Recoding:
    """Specialize for the private target; values of an attribute without a hierarchy are disclosed one by one."""
    return _specialized(table, policy, disclose=True)


def _specialized(table: Table, policy: Policy, *, disclose: bool) -> Recoding:
    if policy.target is None or policy.target in policy.public:
        given = "names none" if policy.target is None else f"makes {policy.target!r} public"
        raise PolicyError(
            f"top-down specialization needs a private target, and the policy {given}: "
            "give the column to predict as target and do not list it as public"
        )
    crowds = Crowds(table, policy)
    crowds.check_reachable()
    cut = Cut(crowds, policy.target, disclose=disclose)
    steps = 0
    while (best := cut.best()) is not None:
        if cut.holds_after(best):
            cut.specialize(best)
            steps += 1
        else:
            cut.refuse(best)
    partition = cut.partition()
    cells = {name: len(np.unique(each.code)) for name, each in partition.shown.items()}
    return Recoding(partition, {"specializations": steps, "cells": cells})
