"""The means of a tree of numbers in a picture: as text, and in steps that have a color each."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kspan.model.outcome import Numbers, Outcome
from kspan.model.tree.model import Target

MOST_STEPS = 6
"""How many steps have a color at most."""


@dataclass(frozen=True)
class Steps:
    """Steps of one width from the lowest mean that is told to the highest."""

    ends: tuple[float, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, target: Target, outcomes: Sequence[Outcome]) -> "Steps":
        """Make the steps of the means that are told."""
        means = {one.mean for one in outcomes if isinstance(one, Numbers) and one.mean is not None}
        if not means:
            return cls((), ())
        if len(means) == 1:
            return cls((), (target.number(means.pop()),))
        ends = np.linspace(min(means), max(means), min(MOST_STEPS, len(means)) + 1).tolist()
        names = tuple(f"{target.number(low)} to {target.number(high)}" for low, high in pairwise(ends))
        return cls(tuple(ends[1:-1]), names)

    @property
    def different(self) -> tuple[str, ...]:
        """The names of all steps; where numbers hardly differ, several may look the same."""
        return tuple(dict.fromkeys(self.names))

    def of_outcome(self, outcome: Outcome) -> str | None:
        """Return the step of a mean; None where nobody came."""
        if not isinstance(outcome, Numbers) or outcome.mean is None:
            return None
        return self.names[int(np.searchsorted(self.ends, outcome.mean))]


def said(target: Target, outcome: Outcome) -> str | None:
    """Return the mean as text; None where nobody came."""
    return target.number(outcome.mean) if isinstance(outcome, Numbers) and outcome.mean is not None else None


def further(target: Target, outcome: Outcome) -> str | None:
    """Return the median and the interval as text, if they are told."""
    if not isinstance(outcome, Numbers) or outcome.median is None:
        return None
    median = f"median {target.number(outcome.median)}"
    if outcome.low is None or outcome.high is None:
        return median
    return f"{median}, most {target.number(outcome.low)} to {target.number(outcome.high)}"
