"""The audit of a tree: people who can reach the same bins by public values alone are a span, and must be a crowd."""

from collections.abc import Sequence

import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.judge import judge
from kspan.audit.tree.spans import joint_spans, people_of
from kspan.errors import PolicyError
from kspan.model.tree.model import Tree
from kspan.model.tree.people import check_roles
from kspan.policy import Policy
from kspan.privacy import OnPrivate, Requirement


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
    check_asked(trees, policy.require)
    return judge(joint_spans(trees, people_of(trees, people, policy)), policy.require, show=show)


def check_asked(trees: Sequence[Tree], require: Requirement) -> None:
    """Refuse a requirement on private values that none of the trees tells of."""
    told = {tree.target for tree in trees if tree.target_role == "private"}
    for part in require.parts:
        if isinstance(part, OnPrivate) and not (told and told.issuperset(part.on)):
            raise PolicyError(
                f"{part} cannot be asked of a tree: it tells of its target alone, and that must be private"
            )
