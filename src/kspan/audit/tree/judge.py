"""The audit of a tree: people who can reach the same bins by public values alone are a span, and must be a crowd."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.judge import judge
from kspan.audit.of_persons import by_people
from kspan.audit.request import AuditRequest, Judge
from kspan.audit.tree.checks import check_asked
from kspan.audit.tree.foreign import as_fitted
from kspan.audit.tree.marginals import small_bins, with_spreads
from kspan.audit.tree.published import audit_paths
from kspan.audit.tree.spans import joint_spans, people_of
from kspan.errors import PolicyError
from kspan.model.kinds import Given
from kspan.model.tree.model import Tree
from kspan.model.tree.people import check_roles
from kspan.policy import Policy
from kspan.policy.values import check_occurs


def audit_tree(
    tree: Tree, people: pl.DataFrame, policy: Policy, *, beside: Sequence[Tree] = (), show: int = 5
) -> Audit:
    """Judge a tree by the people it was made from: every span must satisfy the policy's requirement.

    A span of one bin tells nothing new, and is safe at any size. `beside` are other trees about the same people that an
    attacker holds as well. People then have the same span if they have the same one in every tree.
    """
    trees = (tree, *beside)
    for one in trees:
        check_roles(one, policy)
    check_asked(trees, policy.require, policy.private)
    table = people_of(trees, people, policy)
    check_occurs(policy.require, table, policy)
    return judge(by_people(joint_spans(trees, table, policy.require), policy), policy.require, show=show)


def _tree_alone(given: Given, asked: AuditRequest) -> Audit:
    if not given.is_ours:
        raise PolicyError("a tree of another library is judged by the people it was made from: give their table")
    if asked.policy is not None:
        check_roles(given.model, asked.policy)
    required = asked.required(given, "the tree")
    found = audit_paths(given.model, required, asked.policy, show=asked.show)
    return with_spreads(found, small_bins(given.model, given.marginals, required))


def _as_fitted(foreign: Any, tree: Tree, people: pl.DataFrame, policy: Policy) -> Tree:
    check_roles(tree, policy)
    return as_fitted(foreign, tree, people_of([tree], people, policy))


JUDGE = Judge(audit_tree, _tree_alone, "a tree", _as_fitted)
