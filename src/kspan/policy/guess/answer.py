"""The answer to what a column is."""

from dataclasses import dataclass

from kspan.policy.guess.columns import Facts
from kspan.policy.guess.numbers import widths_for

CATEGORY, NUMBER, DAY, TEXT, IDENTIFIER = "category", "number", "date", "free text", "identifier"


@dataclass(frozen=True)
class Guess:
    """What one column is, as far as its name and its cells tell."""

    column: str
    role: str
    kind: str
    distinct: int
    missing: int
    reason: str
    widths: tuple[float, ...] = ()
    """The widths of intervals that would suit its numbers."""
    categorical: bool = False
    """Does it hold codes in digits, which must be declared so that nobody takes them for numbers?"""
    prefixes: bool = False
    """Do its codes tell less and less when they lose characters from the end?"""
    key: str | None = None
    """The key of a policy that it would suit besides its role: person, household or sampling_weight."""
    sets: str | bool | None = None
    """Of cells that are sets of codes: what stands between two codes, or True if cells are lists."""
    birth: bool = False
    """Are these full dates of birth, from which an age can be computed?"""
    outcome: int = 0
    """How much it looks like something to predict; 0 if it does not."""

    @property
    def comment(self) -> str:
        """The guess and its reason, as a comment in the draft."""
        gone = f", {self.missing:,} missing" if self.missing else ""
        return f"{self.kind}, {self.distinct:,} different{gone}: {self.reason}"


def answer(
    facts: Facts, role: str, kind: str, reason: str, *, categorical: bool = False, prefixes: bool = False,
    key: str | None = None, outcome: int = 0,
) -> Guess:  # fmt: skip
    """The guess about a column, with what follows from its role and its kind."""
    is_number = facts.column.kind.is_measured and facts.distinct > 0
    return Guess(
        facts.name, role, kind, facts.distinct, facts.missing, reason,
        widths=widths_for(facts) if kind == NUMBER and role == "public" else (),
        categorical=categorical and is_number and role != "identifier",
        prefixes=prefixes, key=key, outcome=outcome,
    )  # fmt: skip
