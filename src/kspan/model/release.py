"""What leaves the house: a model with what it promises."""

from dataclasses import dataclass
from typing import Literal

from kspan.model.tree import Tree

Disclosure = Literal["counts", "hit-miss", "shares", "label"]


@dataclass(frozen=True)
class Claim:
    """What a release promises, in terms that an auditor can test."""

    requirement: str
    counting: str = "people"
    disclosure: Disclosure = "counts"
    inferred_domains: tuple[str, ...] = ()
    """Attributes whose domain was taken from the data: it may tell of a person by itself."""


@dataclass(frozen=True)
class TreeRelease:
    """A tree with its claim, or without one if it promises nothing."""

    tree: Tree
    claim: Claim | None = None
