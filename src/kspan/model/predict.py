"""Predictions of a model for people it has not seen."""

import os
from dataclasses import dataclass
from typing import Any

import polars as pl

from kspan.data.arrays import Floats
from kspan.data.kinds.kind import Kind
from kspan.data.ranges import check_range_pattern
from kspan.data.table import Table
from kspan.errors import ModelError
from kspan.frames.files import load
from kspan.frames.native import like
from kspan.model.clusters.assigned import assigned
from kspan.model.clusters.model import Clusters
from kspan.model.kinds import Released, kind_of, model_of
from kspan.model.predictor import Predictor
from kspan.model.questions import answers
from kspan.model.tree.model import Tree
from kspan.model.tree.paths import shown_numbers

LIKELY = "probability: "
"""How the columns begin that tell how likely labels are."""


def predict(model: Any, people: Any, *, range_pattern: str | None = None) -> Any:
    """Predict the likeliest label and all probabilities, or the number, for each row of a dataframe or file.

    The result is the same kind of dataframe, for a file that of polars. Rows may be raw or released; `range_pattern`
    says how they write ranges, if in a way of their own. For clusters the result is the number of the nearest one,
    counted from 1.
    """
    made = predicted(model_of(model), load(people), range_pattern)
    return made if isinstance(people, str | os.PathLike) else like(people, made)


def predicted(
    given: "Released | NumberPredictor", people: pl.DataFrame, range_pattern: str | None = None
) -> pl.DataFrame:
    """Predict the likeliest label of each row, and the probability of each label if the model tells shares."""
    if isinstance(given, Clusters):
        return pl.DataFrame({"cluster": assigned(given, people) + 1})
    if isinstance(given, Tree) and given.others:
        return _of_targets(given, people, range_pattern)
    model = given if isinstance(given, NumberPredictor) else predicting(given)
    if isinstance(model, NumberPredictor):
        return pl.DataFrame([model.of_people(people, check_range_pattern(range_pattern))])
    shares = model.of_people(people, check_range_pattern(range_pattern))
    labels = [model.labels[place] for place in shares.argmax(axis=1)]
    likely = model.labels if model.tells_shares else ()
    return pl.DataFrame(
        {
            f"predicted: {model.target}": pl.Series(labels, dtype=pl.String),
            **{f"{LIKELY}{label}": shares[:, place] for place, label in enumerate(likely)},
        }
    )


def _of_targets(tree: Tree, people: pl.DataFrame, range_pattern: str | None) -> pl.DataFrame:
    """Predict every target of a tree; labels of several targets may be alike, so they are named with theirs."""
    found = []
    for view in tree.views():
        made = predicted(view, people, range_pattern)
        mine = {name: name.replace(LIKELY, f"probability of {view.target}: ", 1) for name in made.columns[1:]}
        found.append(made.rename(mine))
    return pl.concat(found, how="horizontal")


def predicting(model: Released) -> "Predictor | NumberPredictor":
    """Return a model as what predicts labels or numbers: the first target; refuse a model that predicts neither."""
    model = model.views()[0] if isinstance(model, Tree) else model
    if isinstance(model, Tree) and model.target_kind is not None:
        return NumberPredictor(model, model.target_kind)
    return predictor(model)


def predictors(model: Released) -> "tuple[Predictor | NumberPredictor, ...]":
    """Return a model as what predicts each of its targets."""
    views = model.views() if isinstance(model, Tree) else (model,)
    return tuple(predicting(view) for view in views)


def predictor(model: Released) -> Predictor:
    """Return a model of labels as a `Predictor`; refuse a model that predicts no labels."""
    if isinstance(model, Tree) and model.others:
        raise ModelError("a tree of several targets predicts no labels of one alone: give one of its views")
    if isinstance(model, Tree) and model.is_of_numbers:
        raise ModelError("a tree of numbers predicts no labels: give one whose target has labels")
    if isinstance(model, Tree):
        return TreePredictor(model)
    if not isinstance(model, Predictor):
        raise ModelError(f"a {kind_of(model).called} predicts no labels: give a model that was learned for a target")
    return model


@dataclass(frozen=True)
class TreePredictor:
    """A tree as a `Predictor`."""

    tree: Tree

    @property
    def target(self) -> str:
        """The column that it predicts."""
        return self.tree.target

    @property
    def labels(self) -> tuple[str, ...]:
        """What it may predict."""
        return self.tree.labels

    @property
    def tells_shares(self) -> bool:
        """Does it disclose more than the likeliest label?"""
        return self.tree.disclosure != "label"

    def of_people(self, people: pl.DataFrame, range_pattern: str | None = None) -> Floats:
        """For each row, the share of each label at the node where the row ends."""
        return self.tree.shares(asked(self.tree, people, range_pattern), range_pattern)


@dataclass(frozen=True)
class NumberPredictor:
    """A tree of numbers as what predicts them."""

    tree: Tree
    kind: Kind
    """What kind of numbers they are."""

    @property
    def target(self) -> str:
        """The column that it predicts."""
        return self.tree.target

    def of_people(self, people: pl.DataFrame, range_pattern: str | None = None) -> pl.Series:
        """For each row, the mean at the node where the row ends, as a number or a date; null if there is none."""
        means = pl.Series(self.means(people, range_pattern)).fill_nan(None)
        return shown_numbers(f"predicted: {self.target}", means.to_list(), self.kind)

    def means(self, people: pl.DataFrame, range_pattern: str | None = None) -> Floats:
        """The same as plain numbers, such as days; not a number if there is none."""
        return self.tree.numbers(asked(self.tree, people, range_pattern), range_pattern)


def asked(tree: Tree, people: pl.DataFrame, range_pattern: str | None = None) -> Table:
    """Code the columns of a frame that a tree asks about; numeric ones must hold numbers or ranges."""
    numbers = {node.attribute for node in tree.nodes() if node.attribute is not None}
    return answers([tree.attributes[number] for number in sorted(numbers)], people, range_pattern)
