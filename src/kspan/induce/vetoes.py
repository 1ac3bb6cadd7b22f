"""Which attributes a requirement keeps a tree from asking, by whom, and what would free them.

A tree that divides people into all values of a public attribute (kADET) must leave a crowd at every value: one value
that too few people have, or one cell that is missing, vetoes the attribute. Questions that group values are vetoed only
if no group leaves crowds on both sides. What holds of everybody holds of every smaller part, so a veto is for the whole
tree, unless a hierarchy has coarser names.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kspan.data.encode import encode_people
from kspan.data.groups import count_groups
from kspan.data.prepared import computed
from kspan.data.table import Column, Table
from kspan.frames.files import load
from kspan.induce.tree.allowed import of_labels
from kspan.induce.tree.goals import further
from kspan.induce.tree.under_requirement import private_target
from kspan.policy import Policy, PolicyLike

MOST_TOLD = 5
"""So many attributes are told of by name."""


@dataclass(frozen=True)
class Veto:
    """Why a public attribute cannot be asked, or not by its values as they are."""

    attribute: str
    values: int
    """How many of its values too few people have, a missing one not counted."""
    people: int
    """How many people have one of these values."""
    missing: int
    """How many people have no value, if these are too few."""
    never: bool
    """Would no two groups of values leave crowds either?"""
    names: tuple[str, ...]
    """The rare values: for the owner's eyes."""

    def facts(self) -> dict[str, Any]:
        """Return what is told of it to programs: no value by its name."""
        return {
            "attribute": self.attribute,
            "rare_values": self.values,
            "people": self.people,
            "missing": self.missing,
            "never_asked": self.never,
        }

    def sentence(self, *, groups: bool) -> str:
        """Say what vetoes the attribute, and what would free it; `groups`: does the learner group values?"""
        some = []
        if self.values:
            have = _some(self.people, "person has", "people have")
            some.append(f"{_some(self.values, 'value', 'values')} that only {have}")
        if self.missing:
            some.append(_some(self.missing, "person without a value", "people without a value"))
        by = " and ".join(some)
        if self.never:
            return (
                f"{self.attribute} cannot be asked: nearly everybody has one value, and the others are too few for a "
                "crowd. A lower requirement would free it."
            )
        if groups:
            share = "shares" if self.values + self.missing == 1 else "share"
            return f"In questions about {self.attribute}, {by} {share} a branch with others."
        return (
            f"{self.attribute} cannot be asked by its values, because of {by}. Grouped questions (-m grouped), a "
            "hierarchy with coarser names, or leaving these people out would free it."
        )


def vetoes(data: Any, policy: PolicyLike, *, also: Sequence[str] | str | None = ()) -> tuple[Veto, ...]:
    """Return the public attributes of a dataframe or file that have values which too few people have.

    `also` are further targets, and so no attributes.

    >>> import polars as pl
    >>> people = pl.DataFrame({"car": ["old"] * 3 + ["new"] * 3 + ["rare"], "pays": ["no"] * 3 + ["yes"] * 4})
    >>> (found,) = vetoes(people, Policy(public=["car"], target="pays", require="k=3"))
    >>> found.attribute, found.values, found.people, found.never
    ('car', 1, 1, False)
    >>> print(found.sentence(groups=True))
    In questions about car, 1 value that only 1 person has shares a branch with others.
    """
    policy = Policy.of(policy)
    table = encode_people(computed(load(data), policy), policy)
    names = [name for name in policy.public if name != policy.target and name not in further(also)]
    found = (_veto(table, table[name], policy) for name in names)
    return tuple(veto for veto in found if veto is not None)


def sentences(found: Sequence[Veto], *, groups: bool) -> tuple[str, ...]:
    """Say what vetoes some attributes, the gravest first, in a few sentences; `groups`: does the learner group values?

    Where a learner groups values, only attributes that cannot be asked at all are worth a sentence each.
    """
    never, others = [veto for veto in found if veto.never], [veto for veto in found if not veto.never]
    order = sorted(never, key=lambda veto: -veto.people - veto.missing)
    if not groups:
        order += sorted(others, key=lambda veto: -veto.people - veto.missing)
    told = [veto.sentence(groups=groups) for veto in order[:MOST_TOLD]]
    if len(order) > MOST_TOLD:
        told.append(f"{len(order) - MOST_TOLD:,} more attributes cannot be asked for the like.")
    if groups and len(others) == 1:
        told.append(others[0].sentence(groups=True))
    elif groups and others:
        people = sum(veto.people + veto.missing for veto in others)
        told.append(
            f"In questions about {len(others):,} attributes, values that too few people have ({people:,} cells in all) "
            "share a branch with others."
        )
    return tuple(told)


def _veto(table: Table, column: Column, policy: Policy) -> Veto | None:
    seen, part = np.unique(column.codes, return_inverse=True)
    target = private_target(policy)
    groups = count_groups(table, part.astype(np.int64), len(seen), [] if target is None else [target])
    rare = ~of_labels(policy.require, target).holds(groups)
    is_missing = seen == (-1 if column.missing is None else column.missing)
    if column.is_measured:
        # Numbers are cut anywhere, so only missing ones are a part by themselves.
        rare &= is_missing
    if not rare.any():
        return None
    values = rare & ~is_missing
    others = int(groups.sizes.sum() - groups.sizes.max())
    return Veto(
        column.name,
        int(values.sum()),
        int(groups.sizes[values].sum()),
        int(groups.sizes[rare & is_missing].sum()),
        others < policy.require.crowd and not column.is_measured,
        tuple(column.label(code) for code in seen[values].tolist()),
    )


def _some(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
