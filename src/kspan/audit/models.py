"""The audit of a model: by its people, perhaps together with other releases, or by what it publishes."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from kspan.audit.clusters.judge import audit_clusters
from kspan.audit.findings import Audit
from kspan.audit.rules.judge import audit_rules
from kspan.audit.tree.judge import audit_tree
from kspan.audit.tree.published import audit_paths
from kspan.errors import ModelError, PolicyError
from kspan.frames.files import load
from kspan.model.kind import is_model
from kspan.model.kinds import CLUSTERS, RULES, TREE, Given, given_model, opened
from kspan.model.tree.people import check_roles
from kspan.policy import Policy
from kspan.privacy.requirement import Requirement
from kspan.privacy.spec import parse


@dataclass(frozen=True)
class AuditRequest:
    """What an audit without the people asks: the policy, the requirement, and how many groups to list."""

    policy: Policy | None
    require: Requirement | str | None
    show: int

    def required(self, given: Given, what: str) -> Requirement:
        """Return what a release must satisfy: what was asked for, else what the policy requires, else its own claim."""
        if self.require is not None:
            return parse(self.require) if isinstance(self.require, str) else self.require
        if self.policy is not None:
            return self.policy.require
        if given.claim is None:
            raise PolicyError(f"{what} claims nothing: say what it must satisfy (--require 'k=10'), or give a policy")
        try:
            return parse(given.claim.requirement)
        except PolicyError:
            raise ModelError(
                f"the claim of {what} is no requirement that can be read: give another (--require)"
            ) from None


def _rules_alone(given: Given, asked: AuditRequest) -> Audit:
    if not given.is_ours:
        raise PolicyError(
            "a dataframe of rules tells neither roles nor transactions: give the people and a policy, or judge "
            "kspan.imported_rules(frame, transactions, policy)"
        )
    policy = asked.policy
    if policy is not None and asked.require is not None:
        policy = replace(policy, require=asked.require)  # type: ignore[arg-type]  # a text is read by the policy
    return audit_rules(given.model, None, policy or asked.required(given, "the set of rules"), show=asked.show)


def _clusters_alone(given: Given, asked: AuditRequest) -> Audit:
    raise PolicyError("clusters are judged by the people they were made from: give their table, too (--data)")


def _tree_alone(given: Given, asked: AuditRequest) -> Audit:
    if not given.is_ours:
        raise PolicyError("a tree of another library is judged by the people it was made from: give their table")
    if asked.policy is not None:
        check_roles(given.model, asked.policy)
    return audit_paths(given.model, asked.required(given, "the tree"), asked.policy, show=asked.show)


@dataclass(frozen=True)
class Judge:
    """How models of a kind are judged."""

    of_people: Callable[..., Audit]
    """Judges a model by its people and the policy; a tree perhaps together with others `beside` it."""
    alone: Callable[[Given, AuditRequest], Audit]
    """Judges a model by what it publishes."""
    called: str


JUDGES = {
    TREE.name: Judge(audit_tree, _tree_alone, "a tree"),
    CLUSTERS.name: Judge(audit_clusters, _clusters_alone, "clusters"),
    RULES.name: Judge(audit_rules, _rules_alone, "rules"),
}


def audit_model(
    given: Given,
    people: Any,
    policy: Policy | None,
    *,
    require: Requirement | str | None = None,
    beside: Sequence[Any] = (),
    show: int = 5,
) -> Audit:
    """Judge a model by its people and the policy, or without people by what it publishes.

    Without people the policy may be missing, too. What is required is then `require`, or else what the release claims.
    """
    judge = JUDGES.get(given.kind.name)
    if judge is None:
        raise PolicyError(f"{given.source} is a {given.kind.called}: only trees can be audited")
    if beside and given.kind is not TREE:
        raise PolicyError(f"{judge.called} cannot be judged together with other releases: only trees can")
    others = [_tree(one) for one in beside]
    if people is None:
        if beside:
            raise PolicyError("several releases are judged together by their people alone: give them, too (--data)")
        return judge.alone(given, AuditRequest(policy, require, show))
    if policy is None:
        raise PolicyError(f"the policy says what is known of the people of {judge.called}: give it, too (--policy)")
    if require is not None:
        policy = replace(policy, require=require)  # type: ignore[arg-type]  # a text is read by the policy
    frame: pl.DataFrame = load(people)
    more = {"beside": [one.ours(frame, policy) for one in others]} if others else {}
    return judge.of_people(given.ours(frame, policy), frame, policy, show=show, **more)


def _tree(release: Any) -> Given:
    """Read a tree that is to be judged together with another one; refuse anything else."""
    if isinstance(release, str | os.PathLike):
        # A table is refused here; `opened` says what is wrong with any other path.
        if Path(release).is_file() and not is_model(release):
            raise PolicyError(f"{release} is no model: only trees can be judged together with a tree")
        found: Given | None = opened(release)
    else:
        found = given_model(release)
    if found is not None and found.kind is TREE:
        return found
    what = f"a {type(release).__name__} is no model" if found is None else f"{found.source} is a {found.kind.called}"
    raise PolicyError(f"{what}: only trees can be judged together with a tree")
