"""Trees of LightGBM and XGBoost, taken apart by what these libraries write of them."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from kspan.data.arrays import Int64s
from kspan.model.function.grown import Grown, Numbers, Trees

NO_MISSING, ZERO_IS_MISSING = "None", "Zero"


def booster_of(model: Any) -> Any:
    """Return the booster of a model of LightGBM or XGBoost, fitted by itself or behind scikit-learn's face; or None."""
    if type(model).__module__.startswith("xgboost") and callable(getattr(model, "get_booster", None)):
        return model.get_booster()
    found = getattr(model, "booster_", model)
    return found if type(found).__name__ == "Booster" else None


def names_of(booster: Any) -> list[str] | None:
    """Return the columns that a booster was fitted on, if they have names."""
    names = booster.feature_name() if callable(getattr(booster, "feature_name", None)) else booster.feature_names
    return None if names is None else [str(name) for name in names]


def trees_of(model: Any, booster: Any) -> Trees | None:
    """Return the trees of a model's booster; None if leaves do not decide, or are about categories or zero."""
    found = _trees_of(booster)
    missing = getattr(model, "missing", None)
    if found is None or not isinstance(missing, int | float) or np.isnan(missing):
        return found
    return replace(found, missing=float(missing))


def leaves_of(model: Any) -> Callable[[Any], Int64s] | None:
    """Return the function by which a model behind scikit-learn's face tells the leaves of people; None without one."""
    if hasattr(model, "booster_"):
        return lambda frame: np.asarray(model.predict(frame, pred_leaf=True), np.int64).reshape(len(frame), -1)
    if callable(getattr(model, "apply", None)):
        return lambda frame: np.asarray(model.apply(frame), np.int64).reshape(len(frame), -1)
    return None


def _trees_of(booster: Any) -> Trees | None:
    if callable(getattr(booster, "dump_model", None)) and hasattr(booster, "pandas_categorical"):
        return _lightgbm(booster)
    return _xgboost(booster)


def _lightgbm(booster: Any) -> Trees | None:
    found = booster.dump_model()
    grown = []
    for tree in found["tree_info"]:
        nodes = _Nodes()
        if not _add_lightgbm(tree["tree_structure"], nodes):
            return None
        grown.append(nodes.grown())

    def leaves(numbers: Numbers) -> Int64s:
        ends = np.asarray(booster.predict(numbers.astype(np.float64), pred_leaf=True), np.int64)
        return ends.reshape(len(numbers), -1)

    return Trees(tuple(grown), np.float64, leaves, knows_rows=_has_all_rows(booster))


def _has_all_rows(booster: Any) -> bool:
    """Does a booster of LightGBM say that no rows were drawn by chance? Some that were read from files say nothing."""
    said = dict(re.findall(r"^\[(\w+): (.*)\]$", booster.model_to_string(), re.MULTILINE))
    plain = said.get("boosting") in ("gbdt", "dart") and said.get("data_sample_strategy", "bagging") == "bagging"
    whole = said.get("bagging_fraction") == "1" or said.get("bagging_freq") == "0"
    by_label = said.get("pos_bagging_fraction", "1") == said.get("neg_bagging_fraction", "1") == "1"
    return plain and whole and by_label


class _Nodes:
    """Nodes that are added one by one, parents first."""

    def __init__(self) -> None:
        self.left: list[int] = []
        self.right: list[int] = []
        self.feature: list[int] = []
        self.threshold: list[float] = []
        self.missing_left: list[bool] = []
        self.name: list[int] = []
        self.rows: list[int] = []

    def add(self, name: int, rows: int, feature: int = 0, threshold: float = 0.0, missing_left: bool = False) -> int:
        self.left.append(-1)
        self.right.append(-1)
        self.feature.append(feature)
        self.threshold.append(threshold)
        self.missing_left.append(missing_left)
        self.name.append(name)
        self.rows.append(rows)
        return len(self.left) - 1

    def grown(self) -> Grown:
        left, right, feature, name, rows = (
            np.array(values, np.int64) for values in (self.left, self.right, self.feature, self.name, self.rows)
        )
        told = None if (rows < 0).any() else rows
        return Grown(left, right, feature, np.array(self.threshold), np.array(self.missing_left, bool), name, told)


def _add_lightgbm(root: dict[str, Any], nodes: _Nodes) -> bool:
    waiting: list[tuple[dict[str, Any], Callable[[int], None]]] = [(root, lambda place: None)]
    while waiting:
        node, tell = waiting.pop()
        if "leaf_coeff" in node:  # a line in the place of a number: then a leaf does not decide what is answered
            return False
        if "split_feature" not in node:
            # A tree of one leaf has neither number nor count.
            tell(nodes.add(int(node.get("leaf_index", 0)), int(node.get("leaf_count", -1))))
            continue
        if node["decision_type"] != "<=" or node["missing_type"] == ZERO_IS_MISSING:
            return False
        # Where nothing was missing, a missing number counts as 0.
        missing_left = node["threshold"] >= 0.0 if node["missing_type"] == NO_MISSING else node["default_left"]
        place = nodes.add(-1, int(node["internal_count"]), node["split_feature"], node["threshold"], missing_left)
        tell(place)
        waiting.append((node["right_child"], _setter(nodes.right, place)))
        waiting.append((node["left_child"], _setter(nodes.left, place)))
    return True


def _setter(values: list[int], place: int) -> Callable[[int], None]:
    def tell(child: int) -> None:
        values[place] = child

    return tell


def _xgboost(booster: Any) -> Trees | None:
    names = names_of(booster)
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]
    # Some boosters weigh their trees, and say so one level deeper; some have none.
    model = learner.get("gbtree", learner).get("model", {})
    if "trees" not in model or any(tree["categories_nodes"] for tree in model["trees"]):
        return None

    def leaves(numbers: Numbers) -> Int64s:
        from xgboost import DMatrix

        ends = booster.predict(DMatrix(numbers.astype(np.float32), feature_names=names), pred_leaf=True)
        return np.asarray(ends, np.int64).reshape(len(numbers), -1)

    counts = _tells_rows(booster)
    grown = tuple(_xgboost_tree(tree, counts=counts) for tree in model["trees"])
    return Trees(grown, np.float32, leaves, knows_rows=counts)


def _tells_rows(booster: Any) -> bool:
    """Does what a booster of XGBoost calls cover count rows? So it does for squares of errors, if none was drawn."""
    learner = json.loads(booster.save_config())["learner"]
    drawn = learner["gradient_booster"].get("tree_train_param", {}).get("subsample")
    return bool(learner["objective"]["name"] == "reg:squarederror" and drawn == "1")


def _xgboost_tree(tree: dict[str, Any], *, counts: bool) -> Grown:
    left = np.array(tree["left_children"], np.int64)
    # A number goes left if it is below the condition, both in 32 bits.
    conditions = np.array(tree["split_conditions"], np.float32)
    below = np.nextafter(conditions, np.float32(-np.inf)).astype(np.float64)
    # A sum of second derivatives, each of which is 1 for squares of errors.
    rows = np.rint(tree["sum_hessian"]).astype(np.int64) if counts else None
    return Grown(
        left,
        np.array(tree["right_children"], np.int64),
        np.array(tree["split_indices"], np.int64),
        below,
        np.array(tree["default_left"], bool),
        np.arange(len(left)),
        rows,
    )
