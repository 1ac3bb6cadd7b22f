"""Incognito: all minimal full-domain generalizations, and the best one (LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005).

What may be concluded from one vector of levels about others decides which are looked at:

- Nobody may be withheld, and the requirement is monotone (all of kspan's are): if a vector holds, all coarser ones do,
  and so do its parts on fewer attributes. Every loss only rises towards coarser vectors: the best one is minimal.
- Rows may be withheld, and k is all that is required: a coarser vector withholds nobody else, so the same is true of
  "withholds few enough". But the loss may fall where rows come back, so the best vector need not be minimal: it is
  sought among all that hold.
- Rows may be withheld, and more than k is required: a coarser group may break what some of its parts satisfy, if the
  others were withheld. Two things remain: whoever is in a group of fewer than k is so in every finer vector, and the
  bounds of losses (see `price`). Minimal vectors say nothing then, and `search="incognito"` refuses.
"""

import math
from itertools import combinations
from typing import Annotated, Any, Literal

import numpy as np

from kspan.anonymize.crowds import Crowds, Recoding
from kspan.anonymize.full_domain.lattice import Lattice, Vector
from kspan.anonymize.full_domain.optimum import MOST_TAGGED, BestVector, Checker, Progress, Tags, optimum, search_open
from kspan.anonymize.full_domain.price import Loss, pricing
from kspan.data.arrays import Bools
from kspan.data.table import Table
from kspan.errors import PolicyError, Unreachable
from kspan.options import Within, takes_options
from kspan.policy import Policy

SLACK = 1e-9
"""0.29 of 100 people are 29, whatever floats make of it."""

Search = Literal["auto", "incognito"]


@takes_options
def incognito(
    table: Table,
    policy: Policy,
    *,
    rng: np.random.Generator,
    loss: Loss = "ncp",
    withhold: Annotated[float, Within(0, 1)] = 0.0,
    search: Search = "auto",
    progress: Progress | None = None,
) -> Recoding:
    """Show every public attribute at the one level of its hierarchy, for the whole table, that loses least.

    Those in groups that break the requirement may be left out. Both searches find the same loss. Nothing is random.

    Options:
        loss: What is kept small; who is withheld counts as lost whole.
        withhold: The share of people that may be left out.
        search: How vectors of levels are found: by looking at few of them, or by way of all minimal ones.
    """
    crowds = Crowds(table, policy)
    crowds.check_reachable()
    lattice = Lattice(crowds)
    checker = Checker(lattice, pricing(loss, lattice), math.floor(withhold * lattice.people + SLACK))
    facts: dict[str, Any] = {}
    if search == "incognito":
        found = BestVector(progress)
        holds = holding_vectors(checker, found)
        facts["minimal vectors"] = [lattice.levels(vector) for vector in minimal(holds)]
        # The best vector need not be minimal if rows are withheld, so all that hold are left open.
        tags = Tags(checker, lattice.bottom)
        tags.close(~holds)
        search_open(checker, tags, found)
    else:
        found = optimum(checker, progress)
    best = found.best
    assert best is not None, "the vector that suppresses everything works, as was checked"
    facts = {
        "optimum proved": found.proved,
        "vectors checked": found.checked,
        "lattice": lattice.size,
        "levels": lattice.levels(best.groups.vector),
        "loss": {loss: checker.prices.as_published(best.price.loss)},
        **facts,
    }
    return Recoding(lattice.partition(best.groups, best.kept), facts)


def minimal_vectors(table: Table, policy: Policy) -> list[dict[str, int]]:
    """All vectors of levels that satisfy a policy with nobody withheld, and of which no finer one does."""
    crowds = Crowds(table, policy)
    crowds.check_reachable()
    lattice = Lattice(crowds)
    holds = holding_vectors(Checker(lattice, pricing("levels", lattice), 0), BestVector())
    return [lattice.levels(vector) for vector in minimal(holds)]


def holding_vectors(checker: Checker, found: BestVector) -> Bools:
    """Which vectors hold, in an array with an axis for each attribute: found by Incognito, subset by subset.

    The vectors of a subset of the attributes are those of the lattice with all other attributes at `*`.
    """
    _check_prunable(checker)
    top = checker.lattice.top
    everything = tuple(range(len(top)))
    smaller: dict[tuple[int, ...], Bools] = {(): np.array(True)}
    for size in range(1, len(top) + 1):
        larger = {}
        for subset in combinations(everything, size):
            holds = _candidates(subset, smaller, top)
            _keep_holding(holds, subset, checker, found)
            larger[subset] = holds
        smaller = larger
    return smaller[everything]


def minimal(holds: Bools) -> list[Vector]:
    """The vectors that hold and of which no finer one does."""
    # If a finer vector holds, so does some neighbor in between: it is enough to look at neighbors.
    least = holds.copy()
    for axis in range(holds.ndim):
        finer = np.moveaxis(holds, axis, 0)
        np.moveaxis(least, axis, 0)[1:] &= ~finer[:-1]
    return [tuple(map(int, vector)) for vector in np.argwhere(least)]


def _candidates(subset: tuple[int, ...], smaller: dict[tuple[int, ...], Bools], top: Vector) -> Bools:
    """The vectors of a subset of attributes that held on every smaller subset, with one attribute less."""
    candidates = np.ones([top[attribute] + 1 for attribute in subset], bool)
    for axis in range(len(subset)):
        candidates &= np.expand_dims(smaller[(*subset[:axis], *subset[axis + 1 :])], axis)
    return candidates


def _keep_holding(candidates: Bools, subset: tuple[int, ...], checker: Checker, found: BestVector) -> None:
    """Strike out the candidates that fail, breadth-first from the finest; one that holds marks all coarser ones."""
    top = checker.lattice.top
    marked = np.zeros_like(candidates)
    vectors = np.argwhere(candidates)
    for levels in vectors[np.argsort(vectors.sum(axis=1), kind="stable")]:
        index = tuple(levels)
        if marked[index]:
            continue
        # Attributes outside of the subset are suppressed.
        vector = list(top)
        for attribute, level in zip(subset, levels, strict=True):
            vector[attribute] = int(level)
        if checker.works(tuple(vector)):
            marked[tuple(slice(level, None) for level in index)] = True
        else:
            candidates[index] = False
        found.count()


def _check_prunable(checker: Checker) -> None:
    """Refuse a requirement that coarser vectors need not keep, and a lattice that is too large."""
    crowds, size = checker.lattice.crowds, checker.lattice.size
    if not crowds.policy.require.monotone:
        raise PolicyError(
            f"{crowds.policy.require} may hold for two groups and not for both together: use the search 'auto'"
        )
    if checker.allowance and not crowds.only_k:
        raise PolicyError(
            "with rows withheld a coarser table need not keep more than k, so that there are no minimal vectors of "
            f"{crowds.policy.require}: use the search 'auto', or withhold nothing"
        )
    if size > MOST_TAGGED:
        raise Unreachable(
            f"there are {size:,} vectors of levels, too many to find all minimal ones: use the search 'auto', or "
            "fewer public attributes or levels"
        )
