"""Crowds of at least k."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from kspan.data.arrays import Bools
from kspan.data.groups import Groups
from kspan.errors import check_number
from kspan.privacy.requirement import Requirement


@dataclass(frozen=True)
class KAnonymity(Requirement):
    """Every group holds at least k people (Samarati, Sweeney 1998; Friedman et al. 2008, Definition 6).

    >>> import numpy as np
    >>> KAnonymity(3).holds(Groups(np.array([3, 2]))).tolist()
    [True, False]
    """

    key: ClassVar[str] = "k"

    k: int

    def __post_init__(self) -> None:
        check_number(self.key, self.k, low=1, whole=True)
        object.__setattr__(self, "k", int(self.k))

    @property
    def crowd(self) -> int:
        """The fewest people of a group."""
        return self.k

    def satisfied(self, groups: Groups) -> Bools:
        """Which groups are large enough."""
        return groups.sizes >= self.k

    def looks_at(self, private: Sequence[str]) -> Sequence[str]:
        """It looks at no private attribute."""
        return ()

    def check(self, private: Iterable[str]) -> None:
        """Accept any private attributes, or none."""

    def promise(self, what: str) -> str:
        """What it means for people.

        >>> KAnonymity(10).promise("income")
        'Every person looks like at least 9 others.'
        """
        if self.k == 1:
            return "Nothing is promised about the size of crowds."
        return f"Every person looks like at least {self.k - 1:,} other{'s' if self.k > 2 else ''}."

    def __str__(self) -> str:
        return f"{self.key}={self.k}"
