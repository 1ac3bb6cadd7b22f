"""Models of every kind as JSON files, told apart by their format."""

import os
from collections.abc import Callable
from typing import Any

from kspan.errors import ModelError, listed
from kspan.frames.files import read_text, write_text
from kspan.model import (
    association_json,
    bayes_json,
    clusters_json,
    committee_json,
    decision_list_json,
    linear_json,
    writing,
)
from kspan.model.association import Rules
from kspan.model.bayes import NaiveBayes
from kspan.model.clusters import Clusters
from kspan.model.committee import Committee
from kspan.model.decision_list import DecisionList
from kspan.model.documents import lines, parsed
from kspan.model.linear import Linear
from kspan.model.predictor import Predictor
from kspan.model.release import TreeRelease
from kspan.model.store import read_tree, save_tree
from kspan.model.tree import Tree

Model = Tree | Predictor
"""Whatever learns labels, and predicts them."""
Released = Model | Clusters | Rules
"""Whatever is written as a model."""


def _tree(document: Any, source: str) -> Tree:
    return read_tree(document, source).tree


READERS: dict[str, Callable[[Any, str], Released]] = {
    writing.FORMAT: _tree,
    bayes_json.FORMAT: bayes_json.read_bayes,
    linear_json.FORMAT: linear_json.read_linear,
    decision_list_json.FORMAT: decision_list_json.read_decision_list,
    committee_json.FORMAT: committee_json.read_committee,
    clusters_json.FORMAT: clusters_json.read_clusters,
    association_json.FORMAT: association_json.read_rules,
}


def load_model(path: str | os.PathLike[str]) -> Released:
    """The model in a file, whichever kind it is; `load_tree` gives a tree with its claim."""
    source = str(path)
    return read_model(parsed(read_text(path, "the model"), source), source)


def read_model(document: Any, source: str = "the model") -> Released:
    """The model in a JSON document."""
    said = document.get("format") if isinstance(document, dict) else None
    reader = READERS.get(said) if isinstance(said, str) else None
    if reader is None:
        raise ModelError(f"{source} is no model that kspan wrote: its 'format' is none of {listed(READERS)}")
    return reader(document, source)


def save_model(model: Released, path: str | os.PathLike[str]) -> None:
    """Write a model that promises nothing to a file, whole or not at all, and only if it can be read back."""
    if isinstance(model, Tree):
        save_tree(TreeRelease(model), path)
        return
    written = lines(write_model(model))
    read_model(parsed(written, "the model to be written"), "the model to be written")
    write_text(written, path)


def write_model(model: Released) -> dict[str, Any]:
    """A model as a JSON document."""
    if isinstance(model, Tree):
        return writing.write_tree(TreeRelease(model))
    if isinstance(model, NaiveBayes):
        return bayes_json.write_bayes(model)
    if isinstance(model, Linear):
        return linear_json.write_linear(model)
    if isinstance(model, DecisionList):
        return decision_list_json.write_decision_list(model)
    if isinstance(model, Committee):
        return committee_json.write_committee(model)
    if isinstance(model, Clusters):
        return clusters_json.write_clusters(model)
    if isinstance(model, Rules):
        return association_json.write_rules(model)
    raise ModelError(f"a {type(model).__name__} cannot be written: give a model that kspan learnt")


def name_of(model: Released) -> str:
    """What kind of model it is, for people to read."""
    names: dict[type, str] = {
        Tree: "decision tree",
        NaiveBayes: "naive Bayes model",
        Linear: "logistic regression",
        DecisionList: "decision list",
        Clusters: "clustering",
        Rules: "set of rules",
        Committee: "committee of trees",
    }
    return names.get(type(model), type(model).__name__)
