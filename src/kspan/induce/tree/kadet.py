"""kADET: decision trees in which every span is a crowd (Friedman, Schuster, Wolff 2006; 2008, Algorithm 1)."""

from kspan.data.arrays import Int64s
from kspan.data.table import Table
from kspan.induce.tree.goals import check_shared
from kspan.induce.tree.grow import Growth, MinRows
from kspan.induce.tree.prune import ConfidenceFactor
from kspan.induce.tree.prune import prune as prune_growth
from kspan.induce.tree.release import released
from kspan.induce.tree.under_requirement import check_begins, private_target, pruning_keeps, taking_part
from kspan.induce.tree.worth import C45, SCORES, Score
from kspan.model.tree.model import Tree
from kspan.options import takes_options
from kspan.policy import Policy


@takes_options
def kadet(
    table: Table,
    policy: Policy,
    *,
    score: Score = "information-gain",
    min_rows: MinRows = 1,
    known: Int64s | None = None,
) -> Tree:
    """Grow a tree that keeps the policy's requirement: the best split first, and none that leaves a span too small.

    A candidate that breaks the requirement comes back with its attribute generalized by one level, or with the best
    threshold that keeps it.

    `known` are the classes of rows that earlier releases tell apart (see `kspan.induce.known`).

    Options:
        score: How splits are compared.
        min_rows: People that at least two branches of a split must have.

    The small mortgage table of the paper, marital status public, k = 3:

    >>> from kspan.data.encode import encode
    >>> from kspan.datasets import small_mortgage
    >>> policy = Policy(public=["Marital status"], private=["Sports car"], target="Loan risk", require="k=3")
    >>> kadet(encode(small_mortgage().drop("Name"), policy), policy)
    Tree(3 leaves, 6 people, target 'Loan risk')
    """
    return released(_grown(table, policy, SCORES[score], min_rows, known), table, policy)


@takes_options
def kadet_c45(
    table: Table,
    policy: Policy,
    *,
    min_rows: MinRows = 2,
    confidence_factor: ConfidenceFactor = 0.25,
    prune: bool = True,
    known: Int64s | None = None,
) -> Tree:
    """Grow a tree as `kadet` does, with the scores and the pruning of C4.5 (Friedman et al. 2006, Sect. 3.3).

    Branches are never raised, because that may divide a span, and a missing value is a value, because an attacker sees
    that it is missing. A candidate that gains less than the average of its leaf waits behind all candidates that gain
    more.

    Options:
        min_rows: People that at least two branches of a split must have.
        confidence_factor: How hard to prune: less is harder.
        prune: Prune what has grown.
    """
    growth = _grown(table, policy, C45, min_rows, known)
    if prune and pruning_keeps(growth, table, policy):
        prune_growth(growth, confidence_factor)
    return released(growth, table, policy)


def _grown(table: Table, policy: Policy, score: int, min_rows: int, known: Int64s | None) -> Growth:
    check_shared(table[str(policy.target)], table.people)
    people, features = taking_part(table, policy, known)
    target = private_target(policy)
    growth = Growth(people, features, requirement=policy.require, target=target, score=score, min_rows=min_rows)
    check_begins(growth, table, policy)
    grow_in_crowds(growth)
    return growth


def grow_in_crowds(growth: Growth) -> None:
    """Algorithm 1: split while some split gains and keeps every span private; generalize one that does not."""
    # Lines 11 to 17 in the paper of 2006, whose procedure Breach, as printed, answers the wrong way round.
    while candidate := growth.best():
        if growth.holds_after(candidate):
            growth.divide(candidate)
        else:
            growth.generalize(candidate)
