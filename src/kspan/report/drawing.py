"""Which model a release is, and its picture."""

import os
from typing import Any

import numpy as np

from kspan.audit.findings import Audit
from kspan.data.baskets import people_in
from kspan.data.encode import encode
from kspan.errors import PolicyError
from kspan.frames.files import load
from kspan.model.association import Rules, imported_rules, is_rules_frame
from kspan.model.clusters import Clusters
from kspan.model.imported import imported, is_fitted_tree
from kspan.model.imported_clusters import imported_clusters, is_fitted_clustering
from kspan.model.models import load_model
from kspan.model.release import TreeRelease
from kspan.model.tree import Tree
from kspan.policy import Policy
from kspan.report.pictures.clusters import clusters_picture
from kspan.report.pictures.rules import rules_picture
from kspan.report.pictures.tree import tree_picture
from kspan.report.summary import Picture
from kspan.report.told import told

MOST_SPANS = 400
"""Spans that a page lists, the smallest first."""


def drawable(release: Any, people: Any, policy: Policy | None) -> Tree | Clusters | Rules:
    """The tree, clusters or rules that were judged, from a file or another library if they are not ours."""
    if isinstance(release, str | os.PathLike):
        release = load_model(release)
    if isinstance(release, TreeRelease):
        return release.tree
    if isinstance(release, Tree | Clusters | Rules):
        return release
    if people is None or policy is None:
        raise PolicyError("a model of another library is drawn by its people and the policy: give both")
    if is_rules_frame(release):
        return imported_rules(release, people_in(load(people), policy), policy)
    frame = load(people)
    table = encode(frame, policy)
    if is_fitted_tree(release):
        return imported(release, table, policy)
    if isinstance(release, np.ndarray) or is_fitted_clustering(release):
        known = {*policy.public, *policy.private}
        names = [name for name in frame.columns if name in known] if isinstance(release, np.ndarray) else None
        return imported_clusters(release, table, policy, names)
    raise PolicyError(f"a {type(release).__name__} has no report: give a tree, clusters, rules or a table")


def pictured(model: Tree | Clusters | Rules, audit: Audit) -> Picture:
    """What a page draws of a model."""
    spans = told(audit, audit.crowds(MOST_SPANS), model)
    if isinstance(model, Tree):
        return tree_picture(model, spans, failing=audit.failing_groups)
    return (
        clusters_picture(model, spans, failing=audit.failing_groups)
        if isinstance(model, Clusters)
        else rules_picture(model, spans, failing=audit.failing_groups)
    )
