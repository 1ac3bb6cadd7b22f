"""The audit of a model: by its people, or by what it publishes."""

from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.request import AuditRequest, Judge
from kspan.audit.tree.marginals import broken_marginals, seen_with_spreads, with_spreads
from kspan.data.prepared import computed
from kspan.errors import PolicyError
from kspan.frames.files import load
from kspan.model.function.kept import kept_rows
from kspan.model.kind import Kind
from kspan.model.kinds import Given
from kspan.model.tree.release import TreeRelease
from kspan.policy import Policy
from kspan.privacy.requirement import Requirement


def judge_of(kind: Kind) -> Judge | None:
    """Return the judge of a kind, from `audit/NAME/judge.py` or `audit/NAME.py`; None if there is neither."""
    room = find_spec(f"kspan.audit.{kind.name}")
    if room is None:
        return None
    judge: Judge = import_module(f"{room.name}.judge" if room.submodule_search_locations else room.name).JUDGE
    return judge


def audit_model(
    given: Given,
    people: Any,
    policy: Policy | None,
    *,
    require: Requirement | str | None = None,
    show: int = 5,
) -> Audit:
    """Judge a model by its people and the policy, or without people by what it publishes.

    Without people the policy may be missing, too. What is required is then `require`, or else what the release claims.
    """
    judge = judge_of(given.kind)
    if judge is None:
        raise PolicyError(f"{given.source} is a {given.kind.called}, which cannot be audited")
    if people is None:
        if policy is not None and policy.person:
            raise PolicyError(
                f"people may have several rows (person = {policy.person!r}), and published figures do not say how many "
                "people these are: give the people (--data)"
            )
        return judge.alone(given, AuditRequest(policy, require, show))
    if policy is None:
        raise PolicyError(f"the policy says what is known of the people of {judge.called}: give it, too (--policy)")
    if require is not None:
        policy = replace(policy, require=require)  # type: ignore[arg-type]  # a text is read by the policy
    frame: pl.DataFrame = computed(load(people), policy)
    model = _ours(given, judge, frame, policy)
    found = judge.of_people(model, frame, policy, show=show)
    if not given.marginals:
        return found
    # A tree may also tell how its attributes spread.
    release = TreeRelease(model, None, given.marginals)
    found = with_spreads(found, broken_marginals(release, frame, policy))
    return replace(found, make_seen=partial(seen_with_spreads, found.make_seen, release, frame, policy))


def _ours(given: Given, judge: Judge, people: pl.DataFrame, policy: Policy) -> Any:
    """Return a model as one of ours that decides as it does where it comes from."""
    if given.is_ours:
        return given.model
    # Centers leave, and not the object, which says of everybody which cluster they are in.
    if (kept := kept_rows(given.model, people.height, known=("labels_",))) is not None:
        raise PolicyError(
            f"this {type(given.model).__name__} keeps rows of people, or something of each (in {kept}): take that out "
            "before it leaves"
        )
    return judge.as_fitted(given.model, given.ours(people, policy), people, policy)
