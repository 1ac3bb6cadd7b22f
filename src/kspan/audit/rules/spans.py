"""The judge's spans of association rules: which joint states of the rules each person can be in.

Of a rule a transaction has, in turn, not all of the left side (state 0), the left side but not all of the right one
(state 1), or both (state 2). The joint states of all rules are the equivalence classes (Friedman et al. 2008, Sect.
4.3). The attacker sees the public items of a person; the private ones may be any. So the attacker knows the *code* of
every rule: 0 if the public part of its left side was not bought, else 1 if that of its right side was not, else 2.

**Two people have the same span if and only if they have the same codes.** With codes given, the state of a rule depends
on private items alone: with code 0 it is 0; with code 1 it is 1 if all private items of the left side were bought, and
else 0; with code 2 it is 0, 1 or 2 by the private items of both sides. So equal codes give equal spans. And whoever
buys every private item has, in every rule, the state that is its code, while no private items lead to a higher one:
the codes are the highest state of each rule in the span, and equal spans give equal codes.

**A span is one class if and only if no rule can vary there**: each has code 0; or code 1 and no private item on the
left; or code 2 and none at all. For all private items and none of them are two choices of which the states differ in
every other case.

**Its classes are as many as the different unions** of the private sets that its rules ask for (the left side with code
1, also both sides together with code 2): what was bought of them all is such a union, and different ones contain
different sets.

All this holds for an empty left side as well. So the published support of a right side is one more rule, from nothing
to that side: it tells how many people bought it whom no left side speaks of.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.audit.infer import certain, confidence
from kspan.audit.measured import measured
from kspan.audit.rules.figures import untrue_rules
from kspan.audit.spans import Spans
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.baskets import Baskets
from kspan.data.groups import Counts, Groups
from kspan.model.rules.model import Rules
from kspan.privacy import OnPrivate
from kspan.privacy.requirement import Requirement

Codes = NDArray[np.uint8]
AT_ONCE = 64
"""Sets of items that are told apart at once, a bit each."""
MOST_CLASSES, MOST_SPOKEN = 1000, 10
"""Classes of a span that are counted, and rules that are named."""


@dataclass(frozen=True, repr=False)
class Sides:
    """What rules ask, the public items of each side apart from the private ones."""

    rules: Rules

    @cached_property
    def questions(self) -> list[tuple[int, frozenset[str], frozenset[str]]]:
        """The place of a rule and two sides: its own; or nothing and its right side, if the support of that is told."""
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
        """All sets of public items that some rule asks for: which of them were bought gives the codes."""
        return list(dict.fromkeys(found for found in (*self.left, *self.both) if found))

    def codes(self, contained: Bools) -> Codes:
        """The code of every question, a row for each kind of people, from which of the `sets` they bought."""
        place = {found: number for number, found in enumerate(self.sets)}
        whole = np.column_stack([contained, np.ones(len(contained), bool)])
        left, both = (whole[:, [place.get(one, -1) for one in sides]] for sides in (self.left, self.both))
        codes: Codes = left.astype(np.uint8) + both
        return codes

    def varies(self, codes: Codes) -> Bools:
        """Which questions can be in more than one state, a row for each span."""
        on_left = np.array([bool(found) for found in self.private_left], bool)
        anywhere = on_left | np.array([bool(found) for found in self.private_right], bool)
        varies: Bools = ((codes == 1) & on_left) | ((codes == 2) & anywhere)
        return varies

    def exposes(self, codes: Codes) -> Bools:
        """Which spans have more than one class, so that they tell something."""
        exposes: Bools = np.asarray(self.varies(codes).any(axis=1))
        return exposes

    def depends_on(self, item: str, codes: Codes) -> Bools:
        """In which spans the state of some rule may depend on a private item."""
        left = [number for number, found in enumerate(self.private_left) if item in found]
        right = [number for number, found in enumerate(self.private_right) if item in found]
        depends: Bools = (codes[:, left] >= 1).any(axis=1) | (codes[:, right] == 2).any(axis=1)
        return depends

    def classes(self, codes: Iterable[int]) -> int:
        """How many equivalence classes a span has; more than `MOST_CLASSES` are not counted on."""
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
        """What the people of a span bought where everybody sees it, which rules speak of them, and how many classes."""
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
        """What people bought and did not buy who bought just some of the `sets`, as far as the rules ask."""
        bought = frozenset[str]().union(*(found for found, has in zip(self.sets, contained, strict=True) if has))
        lacking = [found - bought for found, has in zip(self.sets, contained, strict=True) if not has]
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
    """Which of the sets that are asked for the people of each span bought."""
    codes: Codes
    """The code of every question, a row for each span."""

    @property
    def rows(self) -> int:
        """The rows of the people."""
        return self.baskets.rows

    @property
    def people(self) -> int:
        """How many people there are."""
        return self.baskets.people

    @cached_property
    def where(self) -> Mapping[str, Bools]:
        """Of private items the spans in which some rule tells of them; of others nothing is told."""
        each = {item: self.asked.depends_on(item, self.codes) for item in self.asked.rules.private}
        return {item: where for item, where in each.items() if where.any()}

    @cached_property
    def disclosed(self) -> Mapping[str, Counts]:
        """How many people of each span did not buy a private item, and how many did."""
        bought = {item: bought_in_spans(item, self, self.baskets) for item in self.where}
        return {item: Counts.of(np.column_stack([self.sizes - each, each])) for item, each in bought.items()}

    def holds(self, part: Requirement) -> Bools:
        """Which spans satisfy a part of the requirement: its private items are asked where they are told of."""
        if not isinstance(part, OnPrivate):
            return part.holds(self.groups)
        good = np.ones(len(self.sizes), bool)
        for item in part.looks_at(tuple(self.disclosed)):
            if item in self.disclosed:
                good &= part.holds(Groups(self.sizes, {item: self.disclosed[item]}, self.where[item]))
        return good

    def exposed(self, name: str) -> int:
        """The people of whom it is certain whether they bought an item, where something is told of it."""
        return int(self.sizes[certain(self.disclosed[name]) & self.where[name]].sum())

    def reached(self, name: str) -> dict[str, float | list[float]]:
        """What an item reaches in those spans in which it is told of, beside everybody's."""
        there, counts = np.flatnonzero(self.where[name]), self.disclosed[name]
        part = counts.united(there, np.arange(len(there)), len(there))
        return measured(Counts(part.start, part.value, part.people, counts.whole))

    def guess(self, name: str) -> tuple[Floats, Bools]:
        """The best guess where an item is told of."""
        where, counts = self.where[name], self.disclosed[name]
        return np.where(where, confidence(counts), np.nan), certain(counts) & where

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """What the people of some spans bought, and which rules speak of them."""
        return [self.asked.shown(self.contained[span], self.codes[span]) for span in some]

    def facts(self) -> dict[str, Any]:
        """Which rules tell figures that are not those of the people."""
        rules = self.asked.rules
        return {"untrue": tuple(rules.rules[place].sides for place in untrue_rules(rules, self.baskets))}


def rule_spans(rules: Rules, baskets: Baskets) -> RuleSpans:
    """The spans of some people, exactly."""
    asked = Sides(rules)
    bits = [baskets.packed_all(found) for found in asked.sets]
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
        contained[:, place] = (one[example >> 3] >> (7 - (example & 7)).astype(np.uint8)) & 1
    codes = asked.codes(contained)
    groups = Groups(_people(span, len(example), baskets), exposing=asked.exposes(codes))
    return RuleSpans(asked, baskets, span, groups, contained, codes)


def bought_in_spans(item: str, spans: RuleSpans, baskets: Baskets) -> Int64s:
    """How many people of each span bought an item."""
    rows = np.flatnonzero(baskets.bought[item])
    return _people(spans.span[rows], len(spans.sizes), baskets, rows)


def _people(span: Int64s, number: int, baskets: Baskets, rows: Int64s | None = None) -> Int64s:
    if baskets.weights is None:
        return np.bincount(span, minlength=number)
    sizes = np.zeros(number, np.int64)
    np.add.at(sizes, span, baskets.weights if rows is None else baskets.weights[rows])
    return sizes
