"""The kinds of models: a model is recognized and read once, and carries its kind from then on.

A new kind is one entry in `KINDS`. Whoever must know what a model is (judge, report, notebook, sharing, prediction)
takes a `Given` and looks at its kind.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import polars as pl

from kspan.data.baskets import people_in
from kspan.data.encode import encode
from kspan.errors import ModelError, listed
from kspan.frames.files import read_text
from kspan.model.bayes import json as bayes_json
from kspan.model.bayes.model import NaiveBayes
from kspan.model.claim import Claim
from kspan.model.clusters import json as clusters_json
from kspan.model.clusters.imported import imported_clusters, is_fitted_clustering
from kspan.model.clusters.model import Clusters
from kspan.model.committee import json as committee_json
from kspan.model.committee.model import Committee
from kspan.model.documents import parsed
from kspan.model.kind import is_model
from kspan.model.linear import json as linear_json
from kspan.model.linear.model import Linear
from kspan.model.lists import json as lists_json
from kspan.model.lists.model import DecisionList
from kspan.model.predictor import Predictor
from kspan.model.rules import json as rules_json
from kspan.model.rules.imported import imported_rules, is_rules_frame
from kspan.model.rules.model import Rules
from kspan.model.tree import writing
from kspan.model.tree.imported import imported, is_fitted_tree
from kspan.model.tree.json import read_tree
from kspan.model.tree.model import Tree
from kspan.model.tree.release import TreeRelease
from kspan.policy import Policy

Model = Tree | Predictor
"""Any model that predicts labels."""
Released = Model | Clusters | Rules
"""Anything that is written as a model."""


@dataclass(frozen=True)
class Kind:
    """A kind of model: its name, how its files are read and written, and which foreign objects are such models."""

    name: str
    called: str
    """Its name in messages."""
    format: str
    type: type
    read: Callable[[Any, str], Any]
    write: Callable[[Any], dict[str, Any]]
    is_foreign: Callable[[Any], bool] = lambda given: False
    """Is an object a model of this kind from another library?"""
    taken_over: Callable[[Any, pl.DataFrame, Policy], Any] | None = None
    """Converts such an object to one of ours, given its people and the policy; None for kinds without any."""


def _centers(given: Any, people: pl.DataFrame, policy: Policy) -> Clusters:
    # An array names no columns: they are the people's columns that have a role, in the people's order.
    known = {*policy.public, *policy.private}
    names = [name for name in people.columns if name in known] if isinstance(given, np.ndarray) else None
    return imported_clusters(given, encode(people, policy), policy, names)


TREE = Kind(
    "tree", "decision tree", writing.FORMAT, Tree, read_tree, lambda tree: writing.write_tree(TreeRelease(tree)),
    is_fitted_tree, lambda given, people, policy: imported(given, encode(people, policy), policy),
)  # fmt: skip
CLUSTERS = Kind(
    "clusters", "clustering", clusters_json.FORMAT, Clusters, clusters_json.read_clusters, clusters_json.write_clusters,
    is_fitted_clustering, _centers,
)  # fmt: skip
RULES = Kind(
    "rules", "set of rules", rules_json.FORMAT, Rules, rules_json.read_rules, rules_json.write_rules,
    is_rules_frame, lambda given, people, policy: imported_rules(given, people_in(people, policy), policy),
)  # fmt: skip
KINDS = (
    TREE,
    Kind("bayes", "naive Bayes model", bayes_json.FORMAT, NaiveBayes, bayes_json.read_bayes, bayes_json.write_bayes),
    Kind(
        "linear", "logistic regression", linear_json.FORMAT, Linear, linear_json.read_linear, linear_json.write_linear,
    ),
    Kind(
        "list", "decision list", lists_json.FORMAT, DecisionList, lists_json.read_decision_list,
        lists_json.write_decision_list,
    ),
    Kind(
        "committee", "committee of trees", committee_json.FORMAT, Committee, committee_json.read_committee,
        committee_json.write_committee,
    ),
    CLUSTERS,
    RULES,
)  # fmt: skip
BY_FORMAT = {kind.format: kind for kind in KINDS}


@runtime_checkable
class HoldsModel(Protocol):
    """A result that holds a model, such as `share_tree` and `mine_rules` return."""

    @property
    def model_released(self) -> Any:
        """The model, with its claim if it has one."""


@dataclass(frozen=True, repr=False)
class Given:
    """A model as it was given, with its kind."""

    kind: Kind
    model: Any
    """One of ours, or one of another library, which `ours` converts with the help of its people."""
    claim: Claim | None
    source: str
    """What messages call it."""
    is_ours: bool = True

    def ours(self, people: pl.DataFrame, policy: Policy) -> Any:
        """Return the model, converted to one of ours if it is from another library."""
        if self.is_ours:
            return self.model
        assert self.kind.taken_over is not None
        return self.kind.taken_over(self.model, people, policy)


def given_model(given: Any, *, with_people: bool = False) -> Given | None:
    """Recognize a model, and read it if `given` is the path of one; None if it is no model.

    With `with_people`, an array counts as the centers of clusters.
    """
    if isinstance(given, Given):
        return given
    if isinstance(given, str | os.PathLike):
        return opened(given) if is_model(given) else None
    if isinstance(given, HoldsModel):
        given = given.model_released
    if isinstance(given, np.ndarray):
        return Given(CLUSTERS, given, None, "the array", is_ours=False) if with_people else None
    if isinstance(given, TreeRelease):
        # The type of the kind is Tree, which has no claim; a release brings one.
        return Given(TREE, given.tree, given.claim, "this")
    for kind in KINDS:
        if isinstance(given, kind.type):
            return Given(kind, given, getattr(given, "claim", None), "this")
        if kind.is_foreign(given):
            return Given(kind, given, None, "this", is_ours=False)
    return None


def model_of(given: Any, *wanted: Kind) -> Any:
    """Return a model of ours, given itself, its path or its holder; refuse kinds other than those wanted, if any.

    >>> model_of("a word")
    Traceback (most recent call last):
      ...
    kspan.errors.FileError: cannot read the model a word: no such file or directory
    """
    # Unlike `given_model`, `opened` says what is wrong with a path.
    found = opened(given) if isinstance(given, str | os.PathLike) else given_model(given)
    if found is None or not found.is_ours:
        raise ModelError(f"a {type(given).__name__} is no model of kspan: give one, or the path of one")
    if wanted and found.kind not in wanted:
        raise ModelError(f"{found.source} is a {found.kind.called}: give a {wanted[0].called}")
    return found.model


def opened(path: str | os.PathLike[str]) -> Given:
    """Read the model in a file, of whichever kind."""
    return read(parsed(read_text(path, "the model"), str(path)), str(path))


def read(document: Any, source: str = "the model") -> Given:
    """Read the model in a JSON document, of whichever kind."""
    said = document.get("format") if isinstance(document, dict) else None
    kind = BY_FORMAT.get(said) if isinstance(said, str) else None
    if kind is None:
        raise ModelError(f"{source} is no model that kspan wrote: its 'format' is none of {listed(BY_FORMAT)}")
    found = kind.read(document, source)
    if isinstance(found, TreeRelease):
        return Given(kind, found.tree, found.claim, source)
    return Given(kind, found, getattr(found, "claim", None), source)


def kind_of(model: Released) -> Kind:
    """The kind of a model of ours."""
    found = next((kind for kind in KINDS if isinstance(model, kind.type)), None)
    if found is None:
        raise ModelError(f"a {type(model).__name__} cannot be written: give a model that kspan learned")
    return found
