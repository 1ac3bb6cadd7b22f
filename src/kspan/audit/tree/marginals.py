"""How attributes spread, as published with a tree: is that true of its people, and is every bin a crowd?"""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.seen import Seen, Tells
from kspan.data.groups import count_groups
from kspan.data.kinds.words import WORDS
from kspan.data.table import Column, Table
from kspan.model.tree.model import Attribute, Tree
from kspan.model.tree.people import coded_people
from kspan.model.tree.release import Marginal, TreeRelease
from kspan.policy import Policy
from kspan.privacy import OnPrivate, Requirement


def broken_marginals(release: TreeRelease, people: pl.DataFrame, policy: Policy) -> list[str]:
    """Return the attributes whose published spread breaks the policy's requirement, or is not that of these people.

    The people of a bin are judged as a group with their labels, although labels are not published there.
    """
    if not release.marginals:
        return []
    found = [name for view in release.tree.views() for name in _broken(view, release.marginals, people, policy)]
    return list(dict.fromkeys(found))


def _broken(tree: Tree, marginals: Iterable[Marginal], people: pl.DataFrame, policy: Policy) -> list[str]:
    """Return the attributes whose spread breaks the requirement on one target."""
    names = {marginal.attribute: tree.attributes[marginal.attribute].name for marginal in marginals}
    table = coded_people(tree, people, policy, list(names.values()))
    private = () if tree.target_role == "public" else (tree.target,)
    return [
        names[marginal.attribute]
        for marginal in marginals
        if not _holds(marginal, tree.attributes[marginal.attribute], table, policy, private)
    ]


def _holds(marginal: Marginal, about: Attribute, table: Table, policy: Policy, private: tuple[str, ...]) -> bool:
    column = table[about.name]
    place = np.full(column.size, -1, np.int64)
    for number, (region, _) in enumerate(marginal.bins):
        place[about.covers(region, column)] = number
    of_rows = place[column.codes]
    # Somebody is in no bin, so this is not the spread of these people.
    if (of_rows < 0).any():
        return False
    # Groups must not be empty, so bins without people are left out here; their counts are compared below.
    there, group = np.unique(of_rows, return_inverse=True)
    groups = count_groups(table, group.astype(np.int64), len(there), private)
    found = np.zeros(len(marginal.bins), np.int64)
    found[there] = groups.sizes
    if found.tolist() != [people for _, people in marginal.bins]:
        return False
    # Bins tell of labels at most: what is required of other private attributes is not asked of them.
    parts = [
        part
        for part in policy.require.parts
        if not isinstance(part, OnPrivate) or set(part.looks_at(private)).intersection(private)
    ]
    return all(bool(part.holds(groups).all()) for part in parts)


def small_bins(tree: Tree, marginals: Iterable[Marginal], require: Requirement) -> list[str]:
    """Return the attributes of which a published bin has people, but fewer than k."""
    k = require.crowd
    return [
        tree.attributes[marginal.attribute].name
        for marginal in marginals
        if any(0 < people < k for _, people in marginal.bins)
    ]


def with_spreads(found: Audit, broken: Iterable[str]) -> Audit:
    """Return the audit of a tree that also tells how attributes spread, some of which must not be told so."""
    names = tuple(dict.fromkeys(broken))
    return replace(found, holds=found.holds and not names, spreads=names)


def seen_with_spreads(
    make_seen: Callable[[], Seen | None], release: TreeRelease, people: pl.DataFrame, policy: Policy
) -> Seen | None:
    """What a tree lets anybody see of people, if it also tells how private attributes spread over everybody."""
    seen, tree = make_seen(), release.tree
    if seen is None:
        return None
    spread = {tree.attributes[one.attribute].name: one for one in release.marginals}
    private = [name for name in spread if name in policy.private and name not in seen.tells]
    if not private:
        return seen
    table = coded_people(tree, people, policy, private, by_person=True)
    tells = {name: _tells(tree, spread[name], table[name], len(seen.exposing)) for name in private}
    return replace(seen, tells={**seen.tells, **tells})


def _tells(tree: Tree, marginal: Marginal, column: Column, spans: int) -> Tells:
    """Say that the bin of each row is told, in all spans: totals of people who come and go can be subtracted."""
    bins = np.zeros(column.size, np.int64)
    for number, (region, _) in enumerate(marginal.bins):
        bins[tree.attributes[marginal.attribute].covers(region, column)] = number
    codes = bins[column.codes].astype(np.uint32)
    named = np.array([f"bin {number}" for number in range(1, len(marginal.bins) + 1)], object)
    return Tells(Column(column.name, WORDS, codes, named), column, np.ones(spans, bool))
