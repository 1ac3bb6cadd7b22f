"""What a release asks of every basket, and what an attacker who sees the public items can tell of the answers.

A release about baskets is a list of questions, each with two sides of items. A basket is in one of three states of a
question: it does not have all of the left side (state 0), it has the left side but not all of the right side (state 1),
or it has both (state 2). A rule is such a question. An itemset is one with an empty left side: it has state 2 if the
basket contains the itemset, and else state 1. The joint states of all questions are the equivalence classes (Friedman
et al. 2008, Sect. 4.3). The attacker sees the public items of a person; the private ones may be any. So the attacker
knows the *code* of every question: 0 if the public part of its left side was not bought, else 1 if that of its right
side was not, else 2.

**Two people have the same span if and only if they have the same codes.** With codes given, the state of a question
depends on private items alone: with code 0 it is 0; with code 1 it is 1 if all private items of the left side were
bought, and else 0; with code 2 it is 0, 1 or 2 by the private items of both sides. So equal codes give equal spans. And
whoever buys every private item has, in every question, the state that is its code, while no private items lead to a
higher one: the codes are the highest state of each question in the span, and equal spans give equal codes.

**A span is one class if and only if no question can vary there**: each has code 0; or code 1 and no private item on the
left; or code 2 and none at all. In every other case, the state of somebody who buys all private items differs from the
state of somebody who buys none.

**A span has as many classes as there are different unions** of the private sets that its questions ask for (the left
side with code 1; with code 2 also both sides together). What a person bought of all these sets is such a union, and
different unions contain different sets.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kspan.audit.baskets.figures import Between
from kspan.data.arrays import Bools
from kspan.data.baskets import Baskets
from kspan.model.items.model import OfItems

Codes = NDArray[np.uint8]
MOST_CLASSES, MOST_SPOKEN = 1000, 10
"""Classes of a span that are counted, and rules or itemsets that are named."""


class Question(NamedTuple):
    """What is asked of every basket: does it have the left side, and if so the right side?"""

    place: int
    """Where in the release it is asked."""
    left: frozenset[str]
    right: frozenset[str]


class Published(ABC):
    """What a release about baskets publishes: questions, and how many people answer them."""

    kind: ClassVar[str]
    """The name of the kind of release, which also says what it consists of, such as rules."""
    model: OfItems

    @property
    @abstractmethod
    def questions(self) -> Sequence[Question]:
        """The questions, each once."""

    @abstractmethod
    def told(self) -> Iterator[tuple[frozenset[str], Between]]:
        """Yield sets of items, each a left side or both sides of a question, with the fewest and the most buyers."""

    @abstractmethod
    def untrue(self, baskets: Baskets) -> tuple[str, ...]:
        """Name what has figures that are not those of these people."""


@dataclass(frozen=True, repr=False)
class Sides:
    """What is asked for, with the public items of each side apart from the private ones."""

    published: Published

    @cached_property
    def questions(self) -> Sequence[Question]:
        """The questions that are asked."""
        return self.published.questions

    @property
    def public(self) -> frozenset[str]:
        """The items that the attacker sees."""
        return self.published.model.public

    @cached_property
    def left(self) -> list[frozenset[str]]:
        """The public items of each left side."""
        return [left & self.public for _, left, _ in self.questions]

    @cached_property
    def both(self) -> list[frozenset[str]]:
        """The public items of both sides of each question."""
        return [(left | right) & self.public for _, left, right in self.questions]

    @cached_property
    def private_left(self) -> list[frozenset[str]]:
        """The private items of each left side."""
        return [left - self.public for _, left, _ in self.questions]

    @cached_property
    def private_right(self) -> list[frozenset[str]]:
        """The private items of each right side."""
        return [right - self.public for _, _, right in self.questions]

    @cached_property
    def sets(self) -> list[frozenset[str]]:
        """All sets of public items that some question asks for; which of them a person bought determines the codes."""
        return list(dict.fromkeys(found for found in (*self.left, *self.both) if found))

    def codes(self, contained: Bools) -> Codes:
        """Return the code of every question, one row per kind of people; `contained` says which `sets` they bought."""
        place = {found: number for number, found in enumerate(self.sets)}
        # The last column is for the empty set, which is not listed: everybody bought all of it.
        whole = np.column_stack([contained, np.ones(len(contained), bool)])
        left, both = (whole[:, [place.get(one, -1) for one in sides]] for sides in (self.left, self.both))
        codes: Codes = left.astype(np.uint8) + both
        return codes

    def varies(self, codes: Codes) -> Bools:
        """Tell which questions can be in more than one state, one row per span."""
        on_left = np.array([bool(found) for found in self.private_left], bool)
        anywhere = on_left | np.array([bool(found) for found in self.private_right], bool)
        varies: Bools = ((codes == 1) & on_left) | ((codes == 2) & anywhere)
        return varies

    def exposes(self, codes: Codes) -> Bools:
        """Tell which spans have more than one class, so that they tell something."""
        exposes: Bools = np.asarray(self.varies(codes).any(axis=1))
        return exposes

    def depends_on(self, item: str, codes: Codes) -> Bools:
        """Tell in which spans the state of some question may depend on a private item."""
        left = [number for number, found in enumerate(self.private_left) if item in found]
        right = [number for number, found in enumerate(self.private_right) if item in found]
        depends: Bools = (codes[:, left] >= 1).any(axis=1) | (codes[:, right] == 2).any(axis=1)
        return depends

    def classes(self, codes: Iterable[int]) -> int:
        """Count the equivalence classes of a span; above `MOST_CLASSES` the count stops."""
        wanted = dict[frozenset[str], None]()
        for code, left, right in zip(codes, self.private_left, self.private_right, strict=True):
            if code >= 1:
                wanted[left] = None
            if code == 2:
                wanted[left | right] = None
        unions = {frozenset[str]()}
        for one in wanted:
            unions |= {one | union for union in unions}
            if len(unions) > MOST_CLASSES:
                break
        return len(unions)

    def shown(self, contained: Bools, codes: Codes) -> dict[str, str]:
        """Describe a span by the public items that its people bought, what speaks of them, and its classes."""
        varying = np.flatnonzero(self.varies(codes[None, :])[0]).tolist()
        speaking = [str(place + 1) for place in sorted({self.questions[question][0] for question in varying})]
        more = [] if len(speaking) <= MOST_SPOKEN else ["..."]
        classes = self.classes(codes.tolist())
        return {
            "basket": self.basket(contained.tolist()),
            self.published.kind: ", ".join([*speaking[:MOST_SPOKEN], *more]) or "none",
            "classes": str(classes) if classes <= MOST_CLASSES else f"more than {MOST_CLASSES:,}",
        }

    def basket(self, contained: Sequence[bool]) -> str:
        """Write what people bought and did not buy, as far as `contained` tells: which of the `sets` they bought."""
        bought = frozenset[str]().union(*(found for found, has in zip(self.sets, contained, strict=True) if has))
        lacking = [found - bought for found, has in zip(self.sets, contained, strict=True) if not has]
        # `no tea` makes `not both milk and tea` superfluous.
        least = [one for one in dict.fromkeys(lacking) if not any(other < one for other in lacking)]
        no = [f"no {next(iter(one))}" for one in least if len(one) == 1]
        not_all = [f"not both {' and '.join(sorted(one))}" for one in least if len(one) == 2]
        not_all += [f"not all of {', '.join(sorted(one))}" for one in least if len(one) > 2]
        return ", ".join([*sorted(bought), *no, *not_all]) or "anything"
