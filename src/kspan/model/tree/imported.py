"""Trees that others grew: converts a fitted decision tree of scikit-learn to one of ours."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kspan.data.cells import number_text
from kspan.data.kinds.numbers import NUMBERS
from kspan.data.kinds.words import WORDS
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import ModelError, did_you_mean, listed
from kspan.model.tree.model import Attribute, Edge, Node, Region, Role, Tree

NO_VALUE = ("nan", "None", "<NA>")
"""What encoders write for a missing value in the name of its column."""


def is_fitted_tree(model: Any) -> bool:
    """Is it a fitted decision tree classifier of scikit-learn, or something that works like one?"""
    return all(hasattr(model, name) for name in ("tree_", "classes_", "n_features_in_")) and hasattr(
        model.tree_, "children_left"
    )


def imported(model: Any, people: Table | None = None, schema: Schema | None = None) -> Tree:
    """Convert a fitted tree over columns of the people, or over their one-hot columns (`color_red`).

    A question about a one-hot column becomes a question about its attribute: is it this value, or another one? Roles
    come from the schema; without one, all columns are public and the target is "target". Without the people, every
    column is a number of any size.
    """
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise ModelError("the tree was fitted on an array, so its columns have no names: fit it on a dataframe")
    if getattr(model, "n_outputs_", 1) > 1:
        raise ModelError(
            f"the tree predicts {model.n_outputs_} targets at once: fit one tree for each, and judge them together"
        )
    columns = columns_of(model, people)
    used = list(dict.fromkeys(name for name, _ in columns.values()))
    attributes = tuple(_attribute(name, people, schema) for name in used)
    labels = tuple(map(label_text, model.classes_))
    target = "target" if schema is None or schema.target is None else schema.target
    role: Role = "public" if schema is not None and target in schema.public else "private"
    root = _nodes(model.tree_, columns, used, attributes, _rounded_columns(used, people))
    by_rows = people is not None and people.persons is not None
    return Tree(attributes, target, role, labels, root, counts_rows=by_rows)


def label_text(label: Any) -> str:
    """Write a label of a fitted model as people show it.

    >>> label_text(np.True_), label_text(np.float64(2)), label_text("no")
    ('true', '2', 'no')
    """
    if isinstance(label, bool | np.bool_):
        return str(label).lower()
    return number_text(label) if isinstance(label, int | float | np.number) else str(label)


def columns_of(model: Any, people: Table | None = None) -> dict[int, tuple[str, str | None]]:
    """Return, for each column that a fitted tree asks, the attribute behind it, and its value if it is one-hot."""
    names = model.feature_names_in_
    # Leaves have a negative feature.
    asked = sorted({int(number) for number in model.tree_.feature if number >= 0})
    return {
        number: (str(names[number]), None) if people is None else column_of(str(names[number]), people)
        for number in asked
    }


def column_of(name: str, people: Table) -> tuple[str, str | None]:
    """Return the attribute behind a column of the model, and its value if the column is a one-hot column."""
    if name in people.columns:
        return name, None
    fitting = []
    for attribute, column in people.columns.items():
        value = name.removeprefix(f"{attribute}_")
        if value != name:
            labels = {column.label(code) for code in range(len(column.values))}
            if value in labels or (value in NO_VALUE and column.has_missing):
                fitting.append((attribute, value))
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise ModelError(
            f"the model reads {name!r}, which may be a one-hot column of {listed(each for each, _ in fitting)}: rename "
            "one of them"
        )
    raise ModelError(
        f"the model reads {name!r}, which is neither a column of the people nor a one-hot column of one"
        f"{did_you_mean(name, people.columns)}: audit it with the columns that it was fitted on"
    )


def _attribute(name: str, people: Table | None, schema: Schema | None) -> Attribute:
    role: Role = "public" if schema is None or name in schema.public else "private"
    if people is None:
        return Attribute(name, role, NUMBERS)
    column = people[name]
    if column.is_measured:
        domain = column.domain
        low, high = (domain.low, domain.high) if domain is not None else (None, None)
        return Attribute(name, role, NUMBERS, (), low, high, column.has_missing)
    present = [column.label(code) for code in range(column.size) if code != column.missing]
    # Values that nobody has are possible all the same, if they are declared.
    declared = () if column.domain is None else column.domain.values or ()
    values = tuple(dict.fromkeys([*present, *declared]))
    return Attribute(name, role, WORDS, values, has_missing=column.has_missing)


def last_rounded_below(threshold: float) -> float:
    """Return the largest number that is at most a threshold once it is rounded to 32 bits, as scikit-learn does.

    >>> last_rounded_below(16777216.0), last_rounded_below(16777217.0)
    (16777217.0, 16777217.0)
    """
    low = np.float32(threshold)
    if float(low) > threshold:
        low = np.nextafter(low, np.float32(-np.inf))
    high = np.nextafter(low, np.float32(np.inf))
    if not np.isfinite(high):
        return threshold
    middle = (float(low) + float(high)) / 2
    # A number halfway between two is rounded to the one whose last bit is even.
    return middle if float(np.float32(middle)) == float(low) else float(np.nextafter(middle, -np.inf))


def _rounded_columns(names: Sequence[str], people: Table | None) -> frozenset[str]:
    """Return the columns in which some number of the people changes when it is rounded to 32 bits.

    In all others a threshold divides the people alike, rounded or not, and stays as it is written. So it does without
    people: then the tree is one of its own.
    """
    found = set[str]()
    if people is None:
        return frozenset()
    for name in names:
        if people[name].is_measured:
            numbers = people[name].values.astype(np.float64)
            with np.errstate(over="ignore"):
                changed = numbers.astype(np.float32).astype(np.float64) != numbers
            if changed.any():
                found.add(name)
    return frozenset(found)


def _nodes(
    grown: Any,
    columns: dict[int, tuple[str, str | None]],
    used: list[str],
    attributes: tuple[Attribute, ...],
    rounded: frozenset[str],
) -> Node:
    made: dict[int, Node] = {}
    missing_left = getattr(grown, "missing_go_to_left", np.zeros(grown.node_count, bool))
    # Depending on the version, `value` holds counts or shares; either gives people by the size of the node.
    counts = np.rint(
        grown.value[:, 0, :] / grown.value[:, 0, :].sum(axis=1, keepdims=True) * grown.n_node_samples[:, None]
    )
    for number in range(grown.node_count - 1, -1, -1):  # sons have higher numbers than their parents
        people = tuple(int(count) for count in counts[number])
        left, right = int(grown.children_left[number]), int(grown.children_right[number])
        if left < 0:
            made[number] = Node.of_counts(people)
            continue
        name, value = columns[int(grown.feature[number])]
        attribute = attributes[used.index(name)]
        threshold = float(grown.threshold[number])
        if value is None and name in rounded:
            threshold = last_rounded_below(threshold)
        regions = _regions(attribute, value, threshold, bool(missing_left[number]))
        edges = (Edge(regions[0], made[left]), Edge(regions[1], made[right]))
        made[number] = Node.of_counts(people, used.index(name), edges)
    return made[0]


def _regions(attribute: Attribute, value: str | None, threshold: float, missing_left: bool) -> tuple[Region, Region]:
    """Return what goes left (up to the threshold) and what goes right; a one-hot column has a `value`."""
    gone = attribute.has_missing
    if value is not None:
        if not 0 <= threshold < 1:
            raise ModelError(
                f"the tree cuts a one-hot column of {attribute.name!r} at {threshold:g}: it must be 0 or 1"
            )
        if value in NO_VALUE and value not in attribute.values:
            return Region(frozenset(attribute.values)), Region(missing=True)
        # 0 goes left, which is every other value and a missing one; 1 goes right.
        others = frozenset(attribute.values) - {value}
        return Region(others, missing=gone), Region(frozenset({value}))
    if not attribute.is_measured:
        raise ModelError(f"the tree cuts {attribute.name!r} as a number, but the people have words there")
    return (
        Region(intervals=((None, threshold),), missing=gone and missing_left),
        Region(intervals=((threshold, None),), missing=gone and not missing_left),
    )
