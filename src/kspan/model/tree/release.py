"""A tree as it leaves the house: with what it promises."""

from dataclasses import dataclass

from kspan.model.claim import Claim
from kspan.model.tree.model import Region, Tree
from kspan.notebooks import ShownInNotebooks


@dataclass(frozen=True)
class Marginal:
    """How the people of a tree spread over the values of one of its attributes, whatever their labels."""

    attribute: int
    bins: tuple[tuple[Region, int], ...]
    """Regions that divide the domain, with the people in each."""


@dataclass(frozen=True)
class TreeRelease(ShownInNotebooks):
    """A tree with its claim (None if it promises nothing), and perhaps with how some of its attributes spread."""

    tree: Tree
    claim: Claim | None = None
    marginals: tuple[Marginal, ...] = ()
