"""The people a tree was made from: do a policy and a table of people fit the tree?"""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from kspan.data.alike import look
from kspan.data.encode import encode, encode_people
from kspan.data.kinds.kind import Kind
from kspan.data.table import Column, Table
from kspan.errors import DataError, PolicyError, listed
from kspan.model.lists.model import DecisionList
from kspan.model.tree.model import Tree
from kspan.policy import Policy


def check_roles(tree: Tree | DecisionList, policy: Policy, called: str = "tree") -> None:
    """Refuse a policy that gives an attribute or the target of a tree another role than the tree does."""
    roles = dict.fromkeys(policy.public, "public") | dict.fromkeys(policy.private, "private")
    targets = tree.targets if isinstance(tree, Tree) else ()
    told = [(target.name, target.role) for target in targets] or [(tree.target, tree.target_role)]
    for name, role in [(item.name, item.role) for item in tree.attributes] + told:
        if roles.get(name) != role:
            said = roles.get(name, "nothing")
            raise PolicyError(f"the {called} takes {name!r} as {role}, the policy says {said}: they must agree")


def coded_people(
    tree: Tree, people: pl.DataFrame, policy: Policy, asked: Sequence[str], *, by_person: bool = False
) -> Table:
    """Code the `asked` columns and the target of a tree's people; refuse people with labels that the tree lacks.

    Of a tree of numbers everybody must have a number.

    Whoever counts people, not rows, asks for the table `by_person`.
    """
    names = [*asked, tree.target]
    needed = names if policy.weight is None else [*names, policy.weight]
    absent = [name for name in needed if name not in people.columns]
    if absent:
        raise DataError(f"the people lack the column {listed(absent)}: give the table that the tree was made from")
    coded = encode_people if by_person else encode
    if tree.target_kind is not None:
        # The target of a policy has labels, which are words where they are dates.
        table = coded(people, replace(policy, target=None), names)
        _check_numbers(table[tree.target], tree.target_kind)
        return table
    table = coded(people, policy, names)
    labels = {table[tree.target].label(code) for code in range(table[tree.target].size)}
    known = set(tree.labels)
    if tree.target_role == "private":
        # Private labels that look alike are one label, however they are spelled.
        labels, known = set(map(look, labels)), set(map(look, known))
    if not labels <= known:
        raise DataError(
            f"the people have labels in {tree.target!r} that the tree does not know: give the table it was made from"
        )
    return table


def _check_numbers(column: Column, kind: Kind) -> None:
    """Refuse a target in which somebody has no number, or one of another kind."""
    column.check_measured_for_all()
    if column.kind.unit != kind.unit:
        raise DataError(
            f"column {column.name!r} holds {column.kind}, and the tree predicts {kind}: give the table that it was "
            "made from"
        )
