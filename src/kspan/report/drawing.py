"""Find the model in a release, and draw it."""

from typing import Any

from kspan.audit.findings import Audit
from kspan.errors import PolicyError
from kspan.frames.files import load
from kspan.model.clusters.kind import CLUSTERS
from kspan.model.clusters.model import Clusters
from kspan.model.itemsets.kind import ITEMSETS
from kspan.model.itemsets.model import Itemsets
from kspan.model.kinds import given_model
from kspan.model.rules.kind import RULES
from kspan.model.rules.model import Rules
from kspan.model.tree.kind import TREE
from kspan.model.tree.model import Tree
from kspan.policy import Policy
from kspan.report.pictures.clusters import clusters_picture
from kspan.report.pictures.itemsets import itemsets_picture
from kspan.report.pictures.rules import rules_picture
from kspan.report.pictures.tree import tree_picture
from kspan.report.publishable import publishable_spans
from kspan.report.summary import Picture

Drawable = Tree | Clusters | Rules | Itemsets
"""The models that a page can draw."""
MOST_SPANS = 400
"""How many spans a page lists at most, the smallest first."""


def drawable(release: Any, people: Any, policy: Policy | None) -> Drawable | None:
    """Return the model in a release, be it a file or of another library; None if it is not drawn."""
    given = given_model(release, with_people=True)
    if given is None or given.kind not in (TREE, CLUSTERS, RULES, ITEMSETS):
        return None
    if given.is_ours:
        found: Drawable = given.model
    elif people is None or policy is None:
        raise PolicyError("a model of another library is drawn by its people and the policy: give both")
    else:
        found = given.ours(load(people), policy)
    return found


def pictured(model: Drawable, audit: Audit) -> Picture:
    """Return what a page draws of a model, given its audit."""
    spans = publishable_spans(audit, audit.crowds(MOST_SPANS), model)
    if isinstance(model, Tree):
        return tree_picture(model, spans, failing=audit.failing_groups)
    if isinstance(model, Clusters):
        return clusters_picture(model, spans, failing=audit.failing_groups)
    if isinstance(model, Rules):
        return rules_picture(model, spans, failing=audit.failing_groups)
    return itemsets_picture(model, spans, failing=audit.failing_groups)
