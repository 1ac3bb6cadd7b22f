"""What leaves the house: a model with what it promises."""

from dataclasses import dataclass

from kspan.model.outcome import Disclosure
from kspan.model.tree import Region, Tree
from kspan.notebooks import ShownInNotebooks


@dataclass(frozen=True)
class Claim:
    """What a release promises, in terms that an auditor can test."""

    requirement: str
    counting: str = "people"
    disclosure: Disclosure = "counts"
    inferred_domains: tuple[str, ...] = ()
    """Attributes, target and items of which told values, bounds or names came from the people, not from the policy."""
    missing: str | None = None
    """What the promise takes a missing public value for, if there may be any."""


@dataclass(frozen=True)
class Marginal:
    """How the people of a tree spread over the values of one of its attributes, whatever their labels."""

    attribute: int
    bins: tuple[tuple[Region, int], ...]
    """Regions that divide the domain, with the people in each."""


@dataclass(frozen=True)
class TreeRelease(ShownInNotebooks):
    """A tree with its claim, or without one if it promises nothing; and perhaps how its attributes spread."""

    tree: Tree
    claim: Claim | None = None
    marginals: tuple[Marginal, ...] = ()
