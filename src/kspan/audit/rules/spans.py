"""The judge's spans of association rules: which joint states of the rules each person can be in.

A transaction is in one of three states of a rule: it does not have all of the left side (state 0), it has the left side
but not all of the right side (state 1), or it has both (state 2). The joint states of all rules are the equivalence
classes (Friedman et al. 2008, Sect. 4.3). The attacker sees the public items of a person; the private ones may be any.
So the attacker knows the *code* of every rule: 0 if the public part of its left side was not bought, else 1 if that of
its right side was not, else 2.

**Two people have the same span if and only if they have the same codes.** With codes given, the state of a rule depends
on private items alone: with code 0 it is 0; with code 1 it is 1 if all private items of the left side were bought, and
else 0; with code 2 it is 0, 1 or 2 by the private items of both sides. So equal codes give equal spans. And whoever
buys every private item has, in every rule, the state that is its code, while no private items lead to a higher one:
the codes are the highest state of each rule in the span, and equal spans give equal codes.

**A span is one class if and only if no rule can vary there**: each has code 0; or code 1 and no private item on the
left; or code 2 and none at all. In every other case, the state of somebody who buys all private items differs from the
state of somebody who buys none.

**A span has as many classes as there are different unions** of the private sets that its rules ask for (the left side
with code 1; with code 2 also both sides together). What a person bought of all these sets is such a union, and
different unions contain different sets.

All this holds for an empty left side as well. So the published support of a right side counts as one more rule, from
nothing to that side: it tells something even of people of whom no left side speaks.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.audit.rules.figures import untrue_rules
from kspan.audit.spans import Spans
from kspan.data.arrays import Bools, Int64s
from kspan.data.baskets import BOUGHT, Baskets
from kspan.data.groups import Counts, Groups
from kspan.model.rules.model import Rules

Codes = NDArray[np.uint8]
AT_ONCE = 64
"""Sets of items that are told apart at once, a bit each."""
MOST_CLASSES, MOST_SPOKEN = 1000, 10
"""Classes of a span that are counted, and rules that are named."""


@dataclass(frozen=True, repr=False)
class Sides:
    """What rules ask for, with the public items of each side apart from the private ones."""

    rules: Rules

    @cached_property
    def questions(self) -> list[tuple[int, frozenset[str], frozenset[str]]]:
        """Each is the place of a rule and two sides: its own, or nothing and its right side if that support is told."""
        asked = {(rule.left, rule.right): place for place, rule in enumerate(self.rules.rules)}
        for place, rule in enumerate(self.rules.rules):
            if rule.right_support is not None:
                asked.setdefault((frozenset(), rule.right), place)
        return [(place, left, right) for (left, right), place in asked.items()]

    @cached_property
    def left(self) -> list[frozenset[str]]:
        """The public items of each left side."""
        return [left & self.rules.public for _, left, _ in self.questions]

    @cached_property
    def both(self) -> list[frozenset[str]]:
        """The public items of both sides of each rule."""
        return [(left | right) & self.rules.public for _, left, right in self.questions]

    @cached_property
    def private_left(self) -> list[frozenset[str]]:
        """The private items of each left side."""
        return [left - self.rules.public for _, left, _ in self.questions]

    @cached_property
    def private_right(self) -> list[frozenset[str]]:
        """The private items of each right side."""
        return [right - self.rules.public for _, _, right in self.questions]

    @cached_property
    def sets(self) -> list[frozenset[str]]:
        """All sets of public items that some rule asks for; which of them a person bought determines the codes."""
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
        """Tell in which spans the state of some rule may depend on a private item."""
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
        """Describe a span by the public items that its people bought, the rules that speak of them, and its classes."""
        varying = np.flatnonzero(self.varies(codes[None, :])[0]).tolist()
        speaking = [str(place + 1) for place in sorted({self.questions[question][0] for question in varying})]
        more = [] if len(speaking) <= MOST_SPOKEN else ["..."]
        classes = self.classes(codes.tolist())
        return {
            "basket": self.basket(contained.tolist()),
            "rules": ", ".join([*speaking[:MOST_SPOKEN], *more]) or "none",
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


@dataclass(frozen=True, repr=False)
class RuleSpans(Spans):
    """The spans of rules among some people."""

    kind = "rules"
    asked: Sides
    baskets: Baskets
    span: Int64s
    groups: Groups
    contained: Bools
    """For each span, which of the sets that the rules ask for its people bought."""
    codes: Codes
    """The code of every question, one row per span."""

    @property
    def rows(self) -> int:
        """How many rows the people have."""
        return self.baskets.rows

    @property
    def people(self) -> int:
        """How many people there are."""
        return self.baskets.people

    @cached_property
    def where(self) -> Mapping[str, Bools]:
        """For each private item, the spans in which some rule tells of it; items that no rule tells of are left out."""
        each = {item: self.asked.depends_on(item, self.codes) for item in self.asked.rules.private}
        return {item: where for item, where in each.items() if where.any()}

    @cached_property
    def disclosed(self) -> Mapping[str, Counts]:
        """For each private item, how many people of each span did not buy it, and how many did."""
        bought = {item: bought_in_spans(item, self, self.baskets) for item in self.where}
        return {
            item: Counts.of(np.column_stack([self.sizes - each, each]), having=BOUGHT) for item, each in bought.items()
        }

    def telling(self, name: str) -> Bools:
        """Tell in which spans some rule tells of an item."""
        return self.where[name]

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Describe some spans: what their people bought, and which rules speak of them."""
        return [self.asked.shown(self.contained[span], self.codes[span]) for span in some]

    def facts(self) -> dict[str, Any]:
        """The rules whose figures are not those of the people."""
        rules = self.asked.rules
        return {"untrue": tuple(rules.rules[place].sides for place in untrue_rules(rules, self.baskets))}


def rule_spans(rules: Rules, baskets: Baskets) -> RuleSpans:
    """Find the spans of some people: they share one if they bought the same of the sets that the rules ask for."""
    asked = Sides(rules)
    bits = [baskets.packed_all(found) for found in asked.sets]
    # One span at first; each round divides the spans by 64 more sets.
    span, example = np.zeros(baskets.rows, np.int64), np.zeros(1, np.int64)
    for begin in range(0, len(bits), AT_ONCE):
        some = np.zeros((AT_ONCE, baskets.rows), np.uint8)
        for place, one in enumerate(bits[begin : begin + AT_ONCE]):
            some[place] = np.unpackbits(one, count=baskets.rows)
        words = np.ascontiguousarray(np.packbits(some, axis=0).T).view(np.uint64)[:, 0]
        different, word = np.unique(words, return_inverse=True)
        _, example, span = np.unique(span * len(different) + word, return_index=True, return_inverse=True)
    contained = np.zeros((len(example), len(bits)), bool)
    for place, one in enumerate(bits):
        # Of eight rows in a byte, the first has the highest bit.
        contained[:, place] = (one[example >> 3] >> (7 - (example & 7)).astype(np.uint8)) & 1
    codes = asked.codes(contained)
    groups = Groups(_people(span, len(example), baskets), exposing=asked.exposes(codes))
    return RuleSpans(asked, baskets, span, groups, contained, codes)


def bought_in_spans(item: str, spans: RuleSpans, baskets: Baskets) -> Int64s:
    """Return how many people of each span bought an item."""
    rows = np.flatnonzero(baskets.bought[item])
    return _people(spans.span[rows], len(spans.sizes), baskets, rows)


def _people(span: Int64s, number: int, baskets: Baskets, rows: Int64s | None = None) -> Int64s:
    if baskets.weights is None:
        return np.bincount(span, minlength=number)
    sizes = np.zeros(number, np.int64)
    np.add.at(sizes, span, baskets.weights if rows is None else baskets.weights[rows])
    return sizes
