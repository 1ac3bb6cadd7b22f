"""What is asked of a model, and how models of a kind answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from kspan.audit.findings import Audit
from kspan.errors import ModelError, PolicyError
from kspan.model.kinds import Given
from kspan.policy import Policy
from kspan.privacy.requirement import Requirement
from kspan.privacy.spec import parse


@dataclass(frozen=True)
class AuditRequest:
    """What an audit without the people asks: the policy, the requirement, and how many groups to list."""

    policy: Policy | None
    require: Requirement | str | None
    show: int

    @staticmethod
    def check_counts_people(given: Given, what: str) -> None:
        """Refuse a release whose figures count rows of people who have several: by these alone nobody is counted."""
        if given.claim is not None and given.claim.known_rows is not None:
            raise PolicyError(
                f"people have several rows, and the figures of {what} count rows: give the people that it was made "
                "from (--data)"
            )

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


@dataclass(frozen=True)
class Judge:
    """How models of a kind are judged."""

    of_people: Callable[..., Audit]
    """Judges a model by its people and the policy; a tree perhaps together with others `beside` it."""
    alone: Callable[[Given, AuditRequest], Audit]
    """Judges a model by what it publishes."""
    called: str
    as_fitted: Callable[[Any, Any, pl.DataFrame, Policy], Any] = lambda foreign, model, people, policy: model
    """Makes sure that a model which was taken over from another library decides as it does there."""


def not_alone(what: str) -> Callable[[Given, AuditRequest], Audit]:
    """Return a judge that refuses a model without its people."""

    def refuse(given: Given, asked: AuditRequest) -> Audit:
        raise PolicyError(
            f"{what} is judged by the people it was made from: give them, and a policy (--data, --policy)"
        )

    return refuse
