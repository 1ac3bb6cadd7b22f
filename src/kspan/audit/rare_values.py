"""The values that a model names: which of them came from the people, and which of these too few people have."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.encode import encode_people
from kspan.data.hierarchy import Hierarchy
from kspan.data.levels import Ordered
from kspan.data.schema import Schema
from kspan.data.table import Column, Table
from kspan.errors import DoesNotHold
from kspan.model.tree.model import Attribute, Edge, Node, Tree
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
    """Return those names whose published values, bounds or centers came from the people, not from the policy."""
    return tuple(name for name in names if not is_declared(name, schema))


def fewest_of(require: Requirement) -> int:
    """The fewest people who must have a value that is named: k, or two if no k is required."""
    return max((part.k for part in require.parts if isinstance(part, KAnonymity)), default=2)


def without_rare(tree: Tree, people: pl.DataFrame, policy: Policy, told: Iterable[int] = ()) -> Tree:
    """Return the tree without rare values: those that too few people have and the policy does not declare.

    Branches for rare values to which nobody came are removed. A rare value stays where it shares a branch with others,
    which is judged to be a crowd, as in a cell `{a|b}` of a table. All values stay if the spread of their attribute is
    published (`told` has the places of such attributes). A question that is left with one branch is not asked.
    """
    fewest, uncertain, spread = fewest_of(policy.require), set(_uncertain(tree.attributes, policy)), set(told)
    asked = [one.name for place, one in enumerate(tree.attributes) if one.name in uncertain and place not in spread]
    often = frequent(asked, people, policy, fewest)
    common = {place: often[one.name] for place, one in enumerate(tree.attributes) if one.name in often}
    kept = dict(common)
    for node in tree.nodes():
        if node.attribute is not None and node.attribute in kept:
            # Where people are not disclosed (None), every branch counts as one that has people.
            full = [edge for edge in node.edges if edge.node.people != 0]
            kept[node.attribute] = kept[node.attribute].union(*(edge.region.values for edge in full))
    attributes = (_with(one, kept[place]) if place in kept else one for place, one in enumerate(tree.attributes))
    return replace(tree, attributes=tuple(attributes), root=_pruned(tree, kept, common))


def _pruned(tree: Tree, kept: Mapping[int, frozenset[str]], common: Mapping[int, frozenset[str]]) -> Node:
    """Make the nodes of a tree again, with branches for the kept values only (see `_edges`)."""
    made = dict[int, Node]()
    # Children before their parents.
    for node in reversed(list(tree.nodes())):
        edges = [Edge(edge.region, made[id(edge.node)]) for edge in node.edges]
        if node.attribute is not None and node.attribute in kept:
            edges = _edges(edges, kept[node.attribute], common[node.attribute])
            if len(edges) < 2:
                # Whoever comes here goes on to the one branch that is left; without any, nobody comes here.
                made[id(node)] = edges[0].node if edges else replace(node, attribute=None, edges=())
                continue
        made[id(node)] = replace(node, edges=tuple(edges))
    return made[id(tree.root)]


def _edges(edges: Sequence[Edge], kept: frozenset[str], common: frozenset[str]) -> list[Edge]:
    """Limit branches to the kept values; a rare one to whose branch nobody came moves to that with most people."""
    full = [edge for edge in edges if edge.node.people != 0]
    alone = frozenset[str]().union(*(edge.region.values for edge in edges if edge.node.people == 0)) & kept - common
    most = max(full, key=lambda edge: edge.node.people or 0, default=None)
    left = [
        replace(
            edge,
            region=replace(
                edge.region, values=(edge.region.values & kept - alone) | (alone if edge is most else frozenset())
            ),
        )
        for edge in edges
    ]
    asked = [edge for edge in left if edge.region.values or edge.region.intervals]
    # A branch for missing values alone stays if no other branch takes them.
    return asked if any(edge.region.missing for edge in asked) else [*asked, *(e for e in left if e.region.missing)]


def check_common(attributes: Iterable[Attribute], people: pl.DataFrame, policy: Policy, what: str) -> None:
    """Refuse a model that tells how frequent each value is, if too few people have one that is not declared."""
    fewest = fewest_of(policy.require)
    every = {one.name: one for one in attributes}
    for name, common in frequent(_uncertain(every.values(), policy), people, policy, fewest).items():
        if rare := len(every[name].values) - len(_with(every[name], common).values):
            raise DoesNotHold(
                f"{what} would tell how many people have {rare} values of {name!r}, and fewer than {fewest} people "
                "have each: nothing was written; declare all values of this column under [domains] or in the file of "
                "a hierarchy, or leave the column out"
            )


def frequent(names: Sequence[str], people: pl.DataFrame, policy: Policy, fewest: int) -> dict[str, frozenset[str]]:
    """Return for each column the values that at least `fewest` people have; none for a column that they lack."""
    table = encode_people(people, policy, [name for name in names if name in people.columns])
    found = dict.fromkeys(names, frozenset[str]())
    for name, column in table.columns.items():
        # Codes beyond the values, of suppressed and missing cells, are no values and left out below.
        counts = people_by_value(column, table)
        often = np.flatnonzero(counts[: len(column.values)] >= fewest).tolist()
        found[name] = frozenset(column.label(code) for code in often)
    return found


def people_by_value(column: Column, table: Table) -> Int64s:
    """Count the people who have each value of a column, in any of their rows."""
    if table.persons is None:
        counts: Int64s = np.bincount(column.codes, table.weights, column.size).astype(np.int64)
        return counts
    pairs = np.unique(table.persons * column.size + column.codes)
    return np.bincount(pairs % column.size, minlength=column.size)


def _uncertain(attributes: Iterable[Attribute], schema: Schema) -> list[str]:
    return list(inferred((one.name for one in attributes if not one.is_measured), schema))


def _with(attribute: Attribute, common: frozenset[str]) -> Attribute:
    return replace(attribute, values=tuple(value for value in attribute.values if value in common))
