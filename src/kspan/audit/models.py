"""The audit of a model: by its people, perhaps together with other releases, or by what it publishes."""

import os
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.request import AuditRequest, Judge
from kspan.audit.tree.marginals import broken_marginals, with_spreads
from kspan.data.prepared import computed
from kspan.errors import PolicyError
from kspan.frames.files import load
from kspan.model.function.kept import kept_rows
from kspan.model.kind import Kind, is_model
from kspan.model.kinds import Given, given_model, opened
from kspan.model.tree.kind import TREE
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
    beside: Sequence[Any] = (),
    show: int = 5,
) -> Audit:
    """Judge a model by its people and the policy, or without people by what it publishes.

    Without people the policy may be missing, too. What is required is then `require`, or else what the release claims.
    """
    judge = judge_of(given.kind)
    if judge is None:
        raise PolicyError(f"{given.source} is a {given.kind.called}, which cannot be audited")
    if beside and given.kind is not TREE:
        raise PolicyError(f"{judge.called} cannot be judged together with other releases: only trees can")
    others = [_tree(one) for one in beside]
    if people is None:
        if policy is not None and policy.person:
            raise PolicyError(
                f"people may have several rows (person = {policy.person!r}), and published figures do not say how many "
                "people these are: give the people (--data)"
            )
        if beside:
            raise PolicyError("several releases are judged together by their people alone: give them, too (--data)")
        return judge.alone(given, AuditRequest(policy, require, show))
    if policy is None:
        raise PolicyError(f"the policy says what is known of the people of {judge.called}: give it, too (--policy)")
    if require is not None:
        policy = replace(policy, require=require)  # type: ignore[arg-type]  # a text is read by the policy
    frame: pl.DataFrame = computed(load(people), policy)
    more = {"beside": [_ours(one, judge, frame, policy) for one in others]} if others else {}
    model = _ours(given, judge, frame, policy)
    found = judge.of_people(model, frame, policy, show=show, **more)
    # Each tree may tell how its attributes spread.
    told = zip((model, *more.get("beside", ())), (given, *others), strict=True)
    releases = (TreeRelease(tree, None, one.marginals) for tree, one in told if one.marginals)
    broken = [name for release in releases for name in broken_marginals(release, frame, policy)]
    return with_spreads(found, broken)


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
