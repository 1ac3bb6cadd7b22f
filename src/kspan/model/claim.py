"""What a release promises."""

from dataclasses import dataclass

from kspan.model.outcome import Disclosure


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
