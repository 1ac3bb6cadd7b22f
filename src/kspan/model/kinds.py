"""The kinds of models: each is recognized once, read once, and carries its kind from there on.

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
from kspan.model.claim import Claim
from kspan.model.clusters.kind import CLUSTERS
from kspan.model.clusters.model import Clusters
from kspan.model.committee.kind import COMMITTEE
from kspan.model.documents import parsed
from kspan.model.kind import Kind, is_model
from kspan.model.linear.kind import LINEAR
from kspan.model.lists.kind import LISTS
from kspan.model.predictor import Predictor
from kspan.model.rules.kind import RULES
from kspan.model.rules.model import Rules
from kspan.model.tree.kind import TREE
from kspan.model.tree.model import Tree
from kspan.model.tree.release import TreeRelease
from kspan.policy import Policy

Model = Tree | Predictor
"""Whatever learns labels, and predicts them."""
Released = Model | Clusters | Rules
"""Whatever is written as a model."""


KINDS = (TREE, BAYES, LINEAR, LISTS, COMMITTEE, CLUSTERS, RULES)
BY_FORMAT = {kind.format: kind for kind in KINDS}


@runtime_checkable
class HoldsModel(Protocol):
    """What somebody made that holds a model: `share_tree` and `mine_rules` give such."""

    @property
    def model_released(self) -> Any:
        """The model, with its claim if it has one."""


@dataclass(frozen=True, repr=False)
class Given:
    """A model as somebody gave it."""

    kind: Kind
    model: Any
    """Ours; or that of another library, which becomes ours with its people."""
    claim: Claim | None
    source: str
    """What to call it."""
    is_ours: bool = True

    def ours(self, people: pl.DataFrame, policy: Policy) -> Any:
        """The model as one of ours."""
        if self.is_ours:
            return self.model
        assert self.kind.taken_over is not None
        return self.kind.taken_over(self.model, people, policy)


def given_model(given: Any, *, with_people: bool = False) -> Given | None:
    """What kind of model something is, read if it is the path of one; None if it is none.

    With people an array is one, too: of the centers of clusters.
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
        return Given(TREE, given.tree, given.claim, "this")
    for kind in KINDS:
        if isinstance(given, kind.type):
            return Given(kind, given, getattr(given, "claim", None), "this")
        if kind.is_foreign(given):
            return Given(kind, given, None, "this", is_ours=False)
    return None


def model_of(given: Any, *wanted: Kind) -> Any:
    """A model of ours, in whichever form it is given: itself, its path, or what holds it; of any kind or those wanted.

    >>> model_of("a word")
    Traceback (most recent call last):
      ...
    kspan.errors.FileError: cannot read the model a word: no such file or directory
    """
    found = opened(given) if isinstance(given, str | os.PathLike) else given_model(given)
    if found is None or not found.is_ours:
        raise ModelError(f"a {type(given).__name__} is no model of kspan: give one, or the path of one")
    if wanted and found.kind not in wanted:
        raise ModelError(f"{found.source} is a {found.kind.called}: give a {wanted[0].called}")
    return found.model


def opened(path: str | os.PathLike[str]) -> Given:
    """The model in a file, whichever kind it is."""
    return read(parsed(read_text(path, "the model"), str(path)), str(path))


def read(document: Any, source: str = "the model") -> Given:
    """The model in a JSON document."""
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
