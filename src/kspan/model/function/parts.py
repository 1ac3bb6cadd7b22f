"""What a model is made of: trees, whose leaves can be told, and functions, whose answers can."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kspan.data.arrays import Int64s
from kspan.errors import ModelError
from kspan.model.function.boosters import booster_of, leaves_of, names_of
from kspan.model.function.boosters import trees_of as booster_trees
from kspan.model.function.grown import Trees
from kspan.model.function.owners import rising
from kspan.model.function.scikit import label_texts, uncounted
from kspan.model.function.scikit import trees_of as scikit_trees

LINEAR = ("sklearn.linear_model.", "sklearn.svm._classes", "sklearn.discriminant_analysis")
"""Where scikit-learn has models that add up their numbers, each by a factor, if they have `coef_`."""
SEVERAL_TARGETS = ("MultiOutputClassifier", "MultiOutputRegressor", "ClassifierChain", "RegressorChain")


@dataclass(frozen=True, repr=False)
class Forest:
    """Trees, and the steps that make numbers of cells before them."""

    trees: Trees
    steps: tuple[Any, ...]
    """Fitted transformers of scikit-learn, in their order; none if the trees ask columns as they are."""
    columns: tuple[str, ...]
    """The columns that the first step gets, or the trees themselves."""
    leaves: Callable[[Any], Int64s] | None = None
    """The leaves of people as the model itself tells them, given their table; None if it does not."""


@dataclass(frozen=True, repr=False)
class Function:
    """A function from a dataframe of people to what it answers, an entry or a row each."""

    answer: Callable[[Any], Any]
    rising: frozenset[str] = frozenset()
    """Columns of numbers such that a larger number only ever moves the answer towards the same one of two labels."""
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Columns of numbers that count by the cuts between which they are; a number on a cut is below it."""


Part = Forest | Function


@dataclass(frozen=True, repr=False)
class Parts:
    """A model as a list of parts: whoever has it can tell which leaf of each tree, and which answer, people get."""

    called: str
    parts: tuple[Part, ...]
    columns: tuple[str, ...] | None
    """The columns that it reads; None if nobody says."""
    answer: Callable[[Any], Any] | None = None
    """What the whole model answers."""
    is_regressor: bool = False
    """Does it predict numbers?"""
    labels: tuple[str, ...] = ()
    """The labels that it knows."""

    @property
    def forests(self) -> tuple[Forest, ...]:
        """The parts that are trees."""
        return tuple(part for part in self.parts if isinstance(part, Forest))

    @property
    def is_forest(self) -> bool:
        """Are all parts trees?"""
        return len(self.forests) == len(self.parts)


def is_function(given: Any) -> bool:
    """Is it something that can answer for people: a fitted model with `predict`, or anything that can be called?"""
    return not isinstance(given, type) and (callable(getattr(given, "predict", None)) or callable(given))


def parts_of(model: Any) -> Parts:
    """Take a model apart."""
    if not callable(getattr(model, "predict", None)):
        return Parts(getattr(model, "__name__", type(model).__name__), (Function(model),), None)
    columns = _columns(model)
    if getattr(model, "n_outputs_", 1) != 1 or type(model).__name__ in SEVERAL_TARGETS:
        raise ModelError(
            f"the {type(model).__name__} predicts several targets at once: fit one model for each, and judge each with "
            "its target"
        )
    forests, is_whole = _forests(model, (), columns)
    # Trees that are all of a model decide what it answers.
    answers = () if is_whole else (Function(model.predict, _rising(model, columns)),)
    labels = label_texts(model)
    return Parts(type(model).__name__, (*forests, *answers), columns, model.predict, _is_regressor(model), labels)


def _is_regressor(model: Any) -> bool:
    from sklearn.base import is_regressor  # which takes a while to load

    return hasattr(model, "__sklearn_tags__") and bool(is_regressor(model))


def _columns(model: Any) -> tuple[str, ...]:
    booster = booster_of(model)
    names = getattr(model, "feature_names_in_", None) if booster is None else names_of(booster)
    if names is None and getattr(model, "steps", None):
        names = getattr(model.steps[0][1], "feature_names_in_", None)
    if names is None:
        if not hasattr(model, "n_features_in_") and not hasattr(model, "classes_"):
            raise ModelError(f"the {type(model).__name__} is not fitted, or does not tell its columns: fit it first")
        raise ModelError(
            f"the {type(model).__name__} was fitted on an array, so its columns have no names: fit it on a dataframe"
        )
    return tuple(str(name) for name in names)


def _rising(model: Any, columns: tuple[str, ...]) -> frozenset[str]:
    """Return the columns that a linear model of two labels adds up, each as one number that rises with it."""
    steps = [step for _, step in model.steps[:-1]] if type(model).__name__ == "Pipeline" else []
    last = model.steps[-1][1] if type(model).__name__ == "Pipeline" else model
    is_linear = type(last).__module__.startswith(LINEAR) and hasattr(last, "coef_")
    if not is_linear or len(getattr(last, "classes_", ())) != 2:
        return frozenset()
    return frozenset(rising(steps, columns) or ())


def _encodes_targets(step: Any) -> bool:
    """Does a step, or one inside it, learn from targets in turns?"""
    inside = [inner for _, inner, *_ in (*getattr(step, "steps", ()), *getattr(step, "transformers_", ()))]
    return type(step).__name__ == "TargetEncoder" or any(map(_encodes_targets, inside))


def _forests(
    model: Any, steps: tuple[Any, ...], columns: tuple[str, ...], labels: tuple[str, ...] = ()
) -> tuple[list[Forest], bool]:
    """Return the trees in a model, and whether they are all that people go through.

    `labels` are those of a model around it, if that has numbered them.
    """
    if (inner := getattr(model, "best_estimator_", None)) is not None:
        return _forests(inner, steps, columns, labels)
    if type(model).__name__ == "Pipeline" and getattr(model, "steps", None):
        *before, (_, last) = model.steps
        return _forests(last, (*steps, *(step for _, step in before)), columns, labels)
    booster = booster_of(model)
    trees = scikit_trees(model, labels) if booster is None else booster_trees(model, booster)
    if trees is not None and any(map(_encodes_targets, steps)):
        trees = uncounted(trees)  # which were fitted on other numbers than the same people get afterwards
    if trees is not None:
        # Boosting may begin with the answers of another model.
        is_whole = getattr(model, "init", None) in (None, "zero")
        return [Forest(trees, steps, columns, None if steps else leaves_of(model))], is_whole
    if hasattr(model, "named_estimators_"):  # members that vote, or whose answers are learned from
        found, is_whole = list[Forest](), not getattr(model, "passthrough", False)
        for member in model.estimators_:
            inside, alone = _forests(member, steps, columns, labels or label_texts(model))
            found += inside
            is_whole = is_whole and alone
        return found, is_whole
    return [], False
