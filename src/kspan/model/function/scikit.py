"""Ensembles of trees of scikit-learn, taken apart: forests, extra trees, gradient boosting, bagging, boosting."""

from dataclasses import replace
from typing import Any

import numpy as np

from kspan.data.arrays import Int64s
from kspan.model.function.grown import Grown, Numbers, Trees
from kspan.model.tree.imported import label_text


def trees_of(model: Any, labels: tuple[str, ...] = ()) -> Trees | None:
    """Return the trees of a fitted model of scikit-learn; None if it is not made of trees alone.

    `labels` are those of the model that it is a part of, which may have numbered them.
    """
    found = _trees_of(model)
    return replace(found, labels=labels or found.labels) if found is not None and found.labels else found


def _trees_of(model: Any) -> Trees | None:
    if is_tree(model):
        return _fitted([model], model)
    if hasattr(model, "_predictors") and hasattr(model, "_bin_mapper"):
        return _histogram(model)
    members = getattr(model, "estimators_", None)
    if members is None or hasattr(model, "final_estimator_") or hasattr(model, "named_estimators_"):
        return None
    members = list(members.ravel()) if isinstance(members, np.ndarray) else list(members)
    if not members or not all(map(is_tree, members)):
        return None
    # Wrappers make targets of their own for their members, so that what these tell cannot be counted again.
    # So do boosters of numbers by weights, which draw rows and do not say which.
    draws = hasattr(model, "estimator_weights_") and not hasattr(model, "classes_")
    return _fitted(members, model) if _is_ensemble(model) and not draws else uncounted(_fitted(members, model))


def _is_ensemble(model: Any) -> bool:
    return type(model).__module__.startswith("sklearn.ensemble.")


def uncounted(trees: Trees) -> Trees:
    """Return trees of which nothing is compared with people."""
    grown = tuple(replace(tree, rows=None, shares=None, means=None) for tree in trees.grown)
    return replace(trees, grown=grown, drawn=None, knows_rows=False, prior=None, labels=())


def is_tree(model: Any) -> bool:
    """Is it a fitted tree of scikit-learn, for labels or for numbers?"""
    return hasattr(getattr(model, "tree_", None), "children_left")


def label_texts(model: Any) -> tuple[str, ...]:
    """Return the labels of a classifier as people show them."""
    known = getattr(model, "classes_", None)
    return tuple(map(label_text, known)) if isinstance(known, np.ndarray) else ()


def _fitted(members: list[Any], model: Any) -> Trees:
    # Bagging gives each tree some of the features.
    some = getattr(model, "estimators_features_", None)
    grown = []
    for place, member in enumerate(members):
        features = np.arange(member.n_features_in_) if some is None else np.asarray(some[place])
        grown.append(_grown(member, features, model))
    drawn, knows_rows = _drawn(model)

    def leaves(numbers: Numbers) -> Int64s:
        small = numbers.astype(np.float32)
        each = [
            member.tree_.apply(small if some is None else np.ascontiguousarray(small[:, some[place]]))
            for place, member in enumerate(members)
        ]
        return np.stack(each, axis=1).astype(np.int64)

    people = getattr(model, "_n_samples", None)
    prior = getattr(getattr(model, "init_", None), "class_prior_", None)
    return Trees(tuple(grown), np.float32, leaves, drawn, knows_rows, people, prior, labels=label_texts(model))


def _grown(member: Any, features: Int64s, model: Any) -> Grown:
    tree = member.tree_
    values = tree.value[:, 0, :]
    shares = means = None
    # Boosting gives people weights, by which shares are counted, and does not keep these; the first tree has none.
    is_weighted = hasattr(model, "estimator_weights_") and member is not model.estimators_[0]
    is_plain = tree.n_outputs == 1 and (member is model or _is_ensemble(model))
    if hasattr(member, "classes_") and is_plain and not is_weighted:
        shares = np.zeros((tree.node_count, len(model.classes_)))
        shares[:, _places(member, model)] = values / values.sum(axis=1, keepdims=True)
    elif is_plain and _tells_means(member, model):
        means = values[:, 0]
    return Grown(
        tree.children_left.astype(np.int64),
        tree.children_right.astype(np.int64),
        # Leaves have a negative feature.
        features[np.maximum(tree.feature, 0)].astype(np.int64),
        tree.threshold.astype(np.float64),
        np.asarray(tree.missing_go_to_left, bool),
        np.arange(tree.node_count),
        tree.n_node_samples.astype(np.int64),
        shares,
        means,
    )


def _places(member: Any, model: Any) -> Int64s:
    """Return the places of a member's labels among those of the whole, of which it may have drawn some only."""
    if member is model or hasattr(model, "estimator_weights_"):
        return np.asarray(np.searchsorted(model.classes_, member.classes_), np.int64)
    return np.asarray(member.classes_, np.int64)  # members of forests and bags have numbered labels


def _tells_means(member: Any, model: Any) -> bool:
    """Does a tree for numbers tell the mean of the target, and not a step of gradient boosting or a random split?"""
    means = member.criterion in ("squared_error", "friedman_mse", "poisson")
    return means and not hasattr(model, "train_score_") and hasattr(model, "predict") and not hasattr(model, "offset_")


def _drawn(model: Any) -> tuple[list[Int64s] | None, bool]:
    """Return the rows that each tree was fitted on, and whether that is known."""
    if getattr(model, "subsample", 1.0) != 1.0 or getattr(model, "n_iter_no_change", None) is not None:
        return None, False
    if hasattr(model, "estimator_weights_"):
        # Boosting of labels by weights: each tree has all rows, unless some weigh nothing.
        return None, True
    if is_tree(model) or not (getattr(model, "bootstrap", False) or hasattr(model, "estimators_features_")):
        return None, True
    if getattr(model, "class_weight", None) is not None and getattr(model, "_sample_weight", None) is None:
        # Labels had a say in what was drawn, and what tells of it was taken out.
        return None, False
    # Drawn by chance, from seeds that the model keeps.
    return [np.asarray(rows) for rows in model.estimators_samples_], True


def _histogram(model: Any) -> Trees | None:
    """Return the trees of histogram gradient boosting; None if it asks about categories."""
    predictors = [one for round_ in model._predictors for one in round_]
    if any(one.nodes["is_categorical"].any() for one in predictors) or model._preprocessor is not None:
        return None
    grown = []
    for one in predictors:
        nodes, is_leaf = one.nodes, one.nodes["is_leaf"].astype(bool)
        grown.append(
            Grown(
                np.where(is_leaf, -1, nodes["left"].astype(np.int64)),
                np.where(is_leaf, -1, nodes["right"].astype(np.int64)),
                nodes["feature_idx"].astype(np.int64),
                nodes["num_threshold"].astype(np.float64),
                nodes["missing_go_to_left"].astype(bool),
                np.arange(len(nodes)),
                nodes["count"].astype(np.int64),
            )
        )

    def leaves(numbers: Numbers) -> Int64s:
        known, places = model._bin_mapper.make_known_categories_bitsets()
        each = []
        for one in predictors:
            # A predictor whose leaves answer with their own numbers.
            numbered = type(one)(one.nodes.copy(), one.binned_left_cat_bitsets, one.raw_left_cat_bitsets)
            numbered.nodes["value"] = np.arange(len(one.nodes))
            each.append(numbered.predict(np.ascontiguousarray(numbers, np.float64), known, places, 1))
        return np.stack(each, axis=1).astype(np.int64)

    return Trees(tuple(grown), np.float64, leaves, knows_rows=not model.do_early_stopping_)
