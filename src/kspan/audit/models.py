"""The audit of a model: by its people, alone or beside other releases; or by what it publishes."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kspan.audit.association import audit_rules
from kspan.audit.clusters import audit_clusters
from kspan.audit.findings import Audit
from kspan.audit.paths import audit_paths
from kspan.audit.tree import audit_tree
from kspan.data.baskets import people_in
from kspan.data.encode import encode
from kspan.errors import ModelError, PolicyError
from kspan.frames.files import load, read_text
from kspan.model.association import Rules, imported_rules, is_rules_frame
from kspan.model.association_json import FORMAT as RULES_FORMAT
from kspan.model.association_json import read_rules
from kspan.model.clusters import Clusters
from kspan.model.clusters_json import FORMAT as CLUSTERS_FORMAT
from kspan.model.clusters_json import read_clusters
from kspan.model.documents import parsed
from kspan.model.imported import imported, is_fitted_tree
from kspan.model.imported_clusters import imported_clusters, is_fitted_clustering
from kspan.model.kind import is_model
from kspan.model.models import name_of, read_model
from kspan.model.people import check_roles
from kspan.model.predictor import Predictor
from kspan.model.release import Claim, TreeRelease
from kspan.model.store import read_tree
from kspan.model.tree import Tree
from kspan.model.writing import FORMAT
from kspan.policy import Policy
from kspan.privacy.requirement import Requirement
from kspan.privacy.spec import parse


def is_for_models(release: Any, people: Any = None) -> bool:
    """Is it a model, or the path of one, whichever kind? With people also an array, which is one of centers."""
    if isinstance(release, str | os.PathLike):
        return is_model(release)
    if isinstance(release, np.ndarray):
        return people is not None
    if isinstance(release, Rules | Clusters) or is_rules_frame(release) or is_fitted_clustering(release):
        return True
    return isinstance(release, Tree | TreeRelease | Predictor) or is_fitted_tree(release)


def audit_model(
    release: Any,
    people: Any,
    policy: Policy | None,
    *,
    require: Requirement | str | None = None,
    beside: Sequence[Any] = (),
    show: int = 5,
) -> Audit:
    """Judge a tree or rules by their people and the policy, or without people by what they publish.

    Without people a policy may be missing, too: what is required is then `require`, or else what the release claims.
    """
    if (rules := _rules_of(release, people, policy)) is not None:
        if beside:
            raise PolicyError("rules cannot be judged together with other releases: only trees can")
        if people is not None and policy is None:
            raise PolicyError("the policy says what is known of the people of rules: give it, too (--policy)")
        if policy is not None and require is not None:
            policy = replace(policy, require=require)  # type: ignore[arg-type]  # a text is read by the policy
        return audit_rules(
            rules, people, policy or _required(rules.claim, None, require, "the set of rules"), show=show
        )
    if (clusters := _clusters_of(release)) is not None:
        return _audited_clusters(clusters, people, policy, require, beside, show)
    given = [_tree_of(one) for one in (release, *beside)]
    if people is None:
        if beside:
            raise PolicyError("several releases are judged together by their people alone: give them, too (--data)")
        if not isinstance(alone := given[0], TreeRelease):
            raise PolicyError("a tree of another library is judged by the people it was made from: give their table")
        if policy is not None:
            check_roles(alone.tree, policy)
        return audit_paths(alone.tree, _required(alone.claim, policy, require), policy, show=show)
    if policy is None:
        raise PolicyError("the policy says what is known of the people of a tree: give it, too (--policy)")
    if require is not None:
        policy = replace(policy, require=require)  # type: ignore[arg-type]  # a text is read by the policy
    frame = load(people)
    if not all(isinstance(one, TreeRelease) for one in given):
        table = encode(frame, policy)
        given = [one if isinstance(one, TreeRelease) else TreeRelease(imported(one, table, policy)) for one in given]
    first, *others = (one.tree for one in given)
    return audit_tree(first, frame, policy, beside=others, show=show)


def _clusters_of(release: Any) -> Any:
    """Clusters, ours or fitted ones or centers as they are, or None if the release is something else."""
    if isinstance(release, Clusters | np.ndarray) or is_fitted_clustering(release):
        return release
    if not (isinstance(release, str | os.PathLike) and is_model(release)):
        return None
    document = parsed(read_text(release, "the model"), str(release))
    is_clusters = isinstance(document, dict) and document.get("format") == CLUSTERS_FORMAT
    return read_clusters(document, str(release)) if is_clusters else None


def _audited_clusters(
    clusters: Any,
    people: Any,
    policy: Policy | None,
    require: Requirement | str | None,
    beside: Sequence[Any],
    show: int,
) -> Audit:
    """Judge clusters by their people: who can be where depends on them."""
    if beside:
        raise PolicyError("clusters cannot be judged together with other releases: only trees can")
    if people is None:
        raise PolicyError("clusters are judged by the people they were made from: give their table, too (--data)")
    if policy is None:
        raise PolicyError("the policy says what is known of the people of clusters: give it, too (--policy)")
    if require is not None:
        policy = replace(policy, require=require)  # type: ignore[arg-type]  # a text is read by the policy
    frame = load(people)
    if not isinstance(clusters, Clusters):
        # The columns of an array are those that have a role, as the people have them.
        known = {*policy.public, *policy.private}
        names = [name for name in frame.columns if name in known] if isinstance(clusters, np.ndarray) else None
        clusters = imported_clusters(clusters, encode(frame, policy), policy, names)
    return audit_clusters(clusters, frame, policy, show=show)


def _rules_of(release: Any, people: Any, policy: Policy | None) -> Rules | None:
    """Association rules, ours or mlxtend's, or None if the release is something else."""
    if isinstance(release, Rules):
        return release
    if is_rules_frame(release):
        if people is None or policy is None:
            raise PolicyError(
                "a dataframe of rules tells neither roles nor transactions: give the people and a policy, or judge "
                "kspan.imported_rules(frame, transactions, policy)"
            )
        return imported_rules(release, people_in(load(people), policy), policy)
    if not (isinstance(release, str | os.PathLike) and is_model(release)):
        return None
    document = parsed(read_text(release, "the model"), str(release))
    is_rules = isinstance(document, dict) and document.get("format") == RULES_FORMAT
    return read_rules(document, str(release)) if is_rules else None


def _tree_of(release: Any) -> Any:
    """A tree with its claim, or a fitted tree of another library as it is; refused if it is neither."""
    what = "this"
    if isinstance(release, str | os.PathLike):
        what = str(release)
        if Path(release).is_file() and not is_model(release):
            raise PolicyError(f"{what} is no model: only trees can be judged together with a tree")
        document = parsed(read_text(release, "the model"), what)
        is_tree = isinstance(document, dict) and document.get("format") == FORMAT
        release = read_tree(document, what) if is_tree else read_model(document, what)
    if isinstance(release, Predictor):
        raise PolicyError(f"{what} is a {name_of(release)}: only trees can be audited")
    if isinstance(release, Tree):
        return TreeRelease(release)
    if isinstance(release, TreeRelease) or is_fitted_tree(release):
        return release
    raise PolicyError(f"a {type(release).__name__} is no model: only trees can be judged together with a tree")


def _required(
    claim: Claim | None, policy: Policy | None, require: Requirement | str | None, what: str = "the tree"
) -> Requirement:
    """What a release must satisfy: as asked, else by the policy, else by its own claim."""
    if require is not None:
        return parse(require) if isinstance(require, str) else require
    if policy is not None:
        return policy.require
    if claim is None:
        raise PolicyError(f"{what} claims nothing: say what it must satisfy (--require 'k=10'), or give a policy")
    try:
        return parse(claim.requirement)
    except PolicyError:
        raise ModelError(f"the claim of {what} is no requirement that can be read: give another (--require)") from None
