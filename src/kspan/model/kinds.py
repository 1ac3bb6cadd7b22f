"""The kinds of models: a model is recognized and read once, and carries its kind from then on.

A new kind is a room with a `Kind` in it, and its name in `KINDS`. Whoever must know what a model is (judge, report,
notebook, sharing, prediction) takes a `Given` and looks at its kind.
"""

import os
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import polars as pl

from kspan.errors import ModelError, listed
from kspan.frames.files import read_text
from kspan.model.bayes.kind import BAYES
from kspan.model.boosted.kind import BOOSTED
from kspan.model.claim import Claim
from kspan.model.clusters.kind import CLUSTERS
from kspan.model.clusters.model import Clusters
from kspan.model.committee.kind import COMMITTEE
from kspan.model.documents import parsed
from kspan.model.itemsets.kind import ITEMSETS
from kspan.model.itemsets.model import Itemsets
from kspan.model.kind import Kind, is_model
from kspan.model.linear.kind import LINEAR
from kspan.model.lists.kind import LISTS
from kspan.model.predictor import Predictor
from kspan.model.rules.kind import RULES
from kspan.model.rules.model import Rules
from kspan.model.tree.kind import TREE
from kspan.model.tree.model import Tree
from kspan.model.tree.release import Marginal, TreeRelease
from kspan.policy import Policy

Model = Tree | Predictor
"""Any model that predicts labels."""
Released = Model | Clusters | Rules | Itemsets
"""Anything that is written as a model."""


KINDS = (TREE, BAYES, LINEAR, BOOSTED, LISTS, COMMITTEE, CLUSTERS, RULES, ITEMSETS)
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
    marginals: tuple[Marginal, ...] = ()
    """How the attributes of a tree spread, if that is told with it."""

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
        return Given(TREE, given.tree, given.claim, "this", marginals=given.marginals)
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
        return Given(kind, found.tree, found.claim, source, marginals=found.marginals)
    return Given(kind, found, getattr(found, "claim", None), source)


def kind_of(model: Released) -> Kind:
    """The kind of a model of ours."""
    found = next((kind for kind in KINDS if isinstance(model, kind.type)), None)
    if found is None:
        raise ModelError(f"a {type(model).__name__} cannot be written: give a model that kspan learned")
    return found
