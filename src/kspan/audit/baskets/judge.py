"""The audit of a release about baskets: people of whom all its questions can tell the same must be a crowd."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl

from kspan.audit.baskets.implied import implied_spans
from kspan.audit.baskets.sides import Published
from kspan.audit.baskets.spans import basket_spans
from kspan.audit.findings import Audit
from kspan.audit.judge import judge
from kspan.audit.of_persons import by_people
from kspan.audit.request import AuditRequest, Judge
from kspan.data.baskets import encode_baskets
from kspan.data.persons import check_says_whose, persons_of
from kspan.errors import PolicyError
from kspan.frames.files import load
from kspan.model.items.model import OfItems
from kspan.model.kinds import Given
from kspan.policy import Policy
from kspan.policy.items import columns_of, itemized
from kspan.policy.patterns import by_name, expanded, roles_of
from kspan.policy.values import check_items
from kspan.privacy import Requirement
from kspan.privacy.spec import resolved


def audit_baskets(published: Published, people: Any, policy: Policy | Requirement, *, show: int = 5) -> Audit:
    """Judge a release by the transactions it was found in, or without them (None) by its figures alone.

    People share a span if they can be in the same states of all questions, for all that the attacker knows. Every span
    must satisfy the requirement, unless it is one equivalence class. With a requirement instead of a policy, the
    release says which role each item has. A requirement on private values is about each private item where something
    is told of it.
    """
    frame = None if people is None else load(people)
    of_cells = [] if frame is None else columns_of(published.model.roles, frame.columns)
    if frame is not None and of_cells:
        frame, policy = _of_items(frame, policy, of_cells)
    require = policy.require if isinstance(policy, Policy) else policy
    if isinstance(policy, Policy):
        _check_roles(published, policy)
        require = by_name(require, published.model.private)
    elif published.model.private:
        require = resolved(require, published.model.private)
        require.check(published.model.private)
    check_items(require)
    if frame is None:
        return judge(implied_spans(published), require, show=show)
    if isinstance(policy, Policy):
        policy = expanded(policy, frame.columns)
        policy.check_columns(frame.columns)
        require = policy.require
        check_says_whose(frame, policy)
        baskets = encode_baskets(frame, list(published.model.roles), policy.weight, persons_of(frame, policy))
        return judge(by_people(basket_spans(published, baskets), policy), require, show=show)
    baskets = encode_baskets(frame, list(published.model.roles))
    return judge(basket_spans(published, baskets), require, show=show)


def _of_items(
    frame: pl.DataFrame, policy: Policy | Requirement, columns: list[str]
) -> tuple[pl.DataFrame, Policy | Requirement]:
    """The table in which cells of some columns are items; a policy that names the columns then names the items."""
    if isinstance(policy, Policy):
        named = expanded(policy, frame.columns)
        ours = {*named.public, *named.private}
        if ours.issuperset(columns):
            return itemized(frame, named, columns)
    return itemized(frame, Policy(public=columns, require="k=1"), columns)[0], policy


def judge_of_baskets(publishes: Callable[[Any], Published], kind: str, called: str) -> Judge:
    """Return the judge of a kind of release about baskets, given what a release publishes."""

    def of_people(model: OfItems, people: Any, policy: Policy | Requirement, *, show: int = 5) -> Audit:
        return audit_baskets(publishes(model), people, policy, show=show)

    def alone(given: Given, asked: AuditRequest) -> Audit:
        if not given.is_ours:
            raise PolicyError(
                f"a dataframe of {kind} tells neither roles nor transactions: give the people and a policy, or judge "
                f"kspan.imported_{kind}(frame, transactions, policy)"
            )
        asked.check_counts_people(given, f"the {called}")
        policy = asked.policy
        if policy is not None and asked.require is not None:
            policy = replace(policy, require=asked.require)  # type: ignore[arg-type]  # a text is read by the policy
        return of_people(given.model, None, policy or asked.required(given, f"the {called}"), show=asked.show)

    return Judge(of_people, alone, kind)


def _check_roles(published: Published, policy: Policy) -> None:
    roles = published.model.roles
    said = roles_of(policy, roles)
    for name, role in roles.items():
        if said[name] != role:
            raise PolicyError(
                f"the {published.kind} take {name!r} as {role}, the policy says {said[name]}: they must agree"
            )
