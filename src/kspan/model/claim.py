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
    """Attributes, target and items whose published values, bounds or names came from the people, not the policy."""
    missing: str | None = None
    """How the promise treats a missing public value; None if there can be none."""
    known_rows: int | str | None = None
    """Where people have several rows, of how many of one the attacker may know the public values; figures count rows
    then. None if each row is a person."""
