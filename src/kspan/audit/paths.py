"""A tree judged without its people, by what it publishes: whoever goes down the same path is one group."""

from collections.abc import Iterator
from typing import NoReturn

import numpy as np

from kspan.audit.findings import Audit, Finding, K, Utility
from kspan.audit.infer import exposed
from kspan.audit.measured import measured
from kspan.audit.published import PublishedPaths
from kspan.audit.risk import risk_of
from kspan.audit.tree import check_asked
from kspan.data.arrays import Bools, Int64s
from kspan.errors import KspanError, PolicyError, listed
from kspan.model.tree import Tree
from kspan.policy import Policy
from kspan.privacy import OnPrivate, Requirement
from kspan.utility.loss import average_group_size

BY_THE_PEOPLE = "give the people it was made from (--data)"


def audit_paths(tree: Tree, require: Requirement, policy: Policy | None = None, *, show: int = 5) -> Audit:
    """Judge a tree by its published counts: every path must satisfy the requirement (Tian et al., Definitions 9 to 13).

    A path is a leaf with somebody, and the attacker is taken to know every attribute that leads there. Where the tree
    tells only hit and miss, each part of the requirement is asked of the most uneven labels behind them. A policy says
    how labels are ordered. With private attributes a path is no span: `Audit.assumptions` says so.
    """
    check_asked([tree], require)
    _check_told(tree, require)
    told = PublishedPaths(tree, policy)
    holds = {str(part): part.holds(told.asked_by(part)) for part in require.parts}
    good: Bools = np.logical_and.reduce(list(holds.values()))
    smallest = int(told.sizes[told.exposing].min()) if told.exposing.any() else told.people
    spread = {} if tree.target_role == "public" else {tree.target: told.labels()}

    def findings(among: Int64s, most: int) -> tuple[Finding, ...]:
        chosen = among[np.argsort(told.sizes[among], kind="stable")[:most]]
        return tuple(
            Finding(
                shown={"leaf": str(told.leaf[path] + 1), "path": way},
                people=int(told.sizes[path]),
                crowd=int(told.sizes[path]),
                breaks=tuple(part for part, held in holds.items() if not held[path]),
                bins=(int(told.leaf[path]) + 1,),
                safe=not told.exposing[path],
            )
            for path, way in zip(chosen.tolist(), told.ways(chosen), strict=True)
        )

    return Audit(
        holds=bool(good.all()),
        requirement=str(require),
        counting="paths",
        rows=0,
        people=told.people,
        groups=len(told.sizes),
        k=K(rows=smallest, people=smallest),
        identifiers=(),
        failing_groups=int((~good).sum()),
        failing_people=int(told.sizes[~good].sum()),
        failing=findings(np.flatnonzero(~good), show),
        smallest=findings(np.arange(len(good)), show),
        exposed={name: exposed(counts, told.sizes) for name, counts in spread.items()},
        reached={name: measured(counts, everybody=told.knows_everybody) for name, counts in spread.items()},
        risk=risk_of(told.sizes, told.sizes),
        utility=Utility(
            cm=told.outside_majority if spread else None,
            dm=None,
            average_group_size=average_group_size(told.sizes),
            ncp=None,
        ),
        suppressed=None,
        kind="tree",
        safe_people=int(told.sizes[~told.exposing].sum()),
        assumptions=tuple(_assumptions(tree, require, told)),
        make_per_row=_no_rows,
        make_crowds=lambda most: findings(np.arange(len(good)), most),
    )


def _check_told(tree: Tree, require: Requirement) -> None:
    """Refuse what the published counts of a tree cannot answer."""
    if tree.disclosure not in ("counts", "hit-miss"):
        raise PolicyError(f"the tree discloses only {tree.disclosure!r}, which tells of no crowd: {BY_THE_PEOPLE}")
    if tree.target_role == "public" and (private := _private(tree)):
        raise PolicyError(
            f"the target is public and {listed(private)} private: paths do not tell who can be in them; {BY_THE_PEOPLE}"
        )
    for part in require.parts:
        if not (isinstance(part, OnPrivate) and part.beside_everybody):
            continue
        if tree.disclosure == "hit-miss":
            raise PolicyError(f"{part} needs the labels of everybody, which hit and miss do not tell: {BY_THE_PEOPLE}")
        if any(not float(count).is_integer() for leaf in tree.leaves for count in leaf.counts):
            raise PolicyError(f"{part} cannot be asked of counts with fractions of people: {BY_THE_PEOPLE}")


def _private(tree: Tree) -> list[str]:
    """The private attributes that a tree asks."""
    asked = sorted({node.attribute for node in tree.nodes() if node.attribute is not None})
    return [tree.attributes[number].name for number in asked if tree.attributes[number].role == "private"]


def _assumptions(tree: Tree, require: Requirement, told: PublishedPaths) -> Iterator[str]:
    """What a verdict on published counts takes for granted, a sentence each."""
    if private := _private(tree):
        yield (
            f"The attacker is taken to know {listed(private)}, though private: what people look like to one who does "
            "not, --data tells, and it may be more people than a path has, or fewer."
        )
    if not told.is_whole:
        yield (
            "Some people were counted into several paths, in fractions: sizes are rounded down, "
            "and the fractions of other labels are given to the commonest."
        )
    if told.by_label:
        return
    parts = [part for part in require.parts if isinstance(part, OnPrivate)]
    if parts:
        yield "Hit and miss do not tell how the other labels spread: the most uneven spread is judged."
    for part in parts:
        if part.assumed_distinct > 1:
            yield (
                f"{part} takes every path to have at least {part.assumed_distinct} labels if enough people miss its "
                "commonest (Tian et al., Eq. 1), which hit and miss do not tell."
            )


def _no_rows() -> NoReturn:
    raise KspanError(f"a tree that is judged by its published counts has no rows: {BY_THE_PEOPLE}")
