"""What a model tells of values: which came from the people, and which of them too few people have."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import polars as pl

from kspan.data.encode import encode
from kspan.data.hierarchy import Hierarchy
from kspan.data.levels import Ordered
from kspan.data.schema import Schema
from kspan.errors import DoesNotHold
from kspan.model.tree import Attribute, Tree
from kspan.policy import Policy
from kspan.privacy import KAnonymity, Requirement


def is_declared(name: str, schema: Schema) -> bool:
    """Does the policy itself say which values a column may hold? A recipe or the word "categorical" does not.

    >>> said = Schema(public=["sex", "zip"], domains={"sex": ["F", "M"], "zip": "categorical"})
    >>> is_declared("sex", said), is_declared("zip", said)
    (True, False)
    """
    domain, hierarchy = schema.domains.get(name), schema.hierarchies.get(name)
    in_domain = domain is not None and (domain.values is not None or domain.low is not None)
    return in_domain or isinstance(hierarchy, Hierarchy) or (isinstance(hierarchy, Ordered) and bool(hierarchy.order))


def inferred(names: Iterable[str], schema: Schema) -> tuple[str, ...]:
    """The attributes of which a model tells values, bounds or centers that came from its people."""
    return tuple(name for name in names if not is_declared(name, schema))


def fewest_of(require: Requirement) -> int:
    """How many people must have a value that is told: k, or two where no k is required."""
    return max((part.k for part in require.parts if isinstance(part, KAnonymity)), default=2)


def without_rare(tree: Tree, people: pl.DataFrame, policy: Policy, told: Iterable[int] = ()) -> Tree:
    """The tree without the values that too few people have, of attributes that it neither asks nor tells more of.

    Where it asks an attribute, or its spread is `told`, a value stands beside others of a branch or bin that was judged
    to be a crowd, as in a cell `{a|b}` of a table. What the policy declares came from nobody.
    """
    fewest = fewest_of(policy.require)
    needed = {*told, *(node.attribute for node in tree.nodes() if node.attribute is not None)}
    idle = {one.name for place, one in enumerate(tree.attributes) if place not in needed}
    rare = idle.intersection(_uncertain(tree.attributes, policy))
    return replace(
        tree,
        attributes=tuple(
            _with(one, frequent(one.name, people, policy, fewest)) if one.name in rare else one
            for one in tree.attributes
        ),
    )


def check_common(attributes: Iterable[Attribute], people: pl.DataFrame, policy: Policy, what: str) -> None:
    """Refuse a model that tells a share of every value, if too few people have one that the policy does not declare."""
    fewest = fewest_of(policy.require)
    every = {one.name: one for one in attributes}
    for name in _uncertain(every.values(), policy):
        if rare := len(every[name].values) - len(_with(every[name], frequent(name, people, policy, fewest)).values):
            raise DoesNotHold(
                f"{what} would tell how many people have {rare} values of {name!r}, and fewer than {fewest} people "
                "have each: nothing was written; declare all values of this column under [domains] or in the file of "
                "a hierarchy, or leave the column out"
            )


def frequent(name: str, people: pl.DataFrame, policy: Policy, fewest: int) -> frozenset[str]:
    """The values of a column that enough people have."""
    if name not in people.columns:
        return frozenset()
    table = encode(people, policy, [name])
    column = table[name]
    counts = np.bincount(column.codes, table.weights, column.size)
    return frozenset(column.label(code) for code in np.flatnonzero(counts[: len(column.values)] >= fewest).tolist())


def _uncertain(attributes: Iterable[Attribute], schema: Schema) -> list[str]:
    return list(inferred((one.name for one in attributes if one.kind == "categorical"), schema))


def _with(attribute: Attribute, common: frozenset[str]) -> Attribute:
    return replace(attribute, values=tuple(value for value in attribute.values if value in common))
