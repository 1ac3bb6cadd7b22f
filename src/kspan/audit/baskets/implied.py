"""Spans without the people: the populations that published figures imply (Friedman et al. 2008, Sect. 4.3).

If the sets of items that are asked for have few enough unions, the unknowns are the people of each of them, so that all
figures are used: whoever knows that 100 people bought tea, and 90 tea and pills, knows that 10 bought tea without
pills. Otherwise only public items are looked at. If a set is wholly public, its figure tells how many people bought
it; otherwise, how many bought its public part at least. Both ways the truth is among the populations that are possible,
so that what holds for all of them holds for the people.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from kspan.audit.baskets.figures import Between
from kspan.audit.baskets.programs import Programs, unions
from kspan.audit.baskets.sides import MOST_SPOKEN, Codes, Published, Sides
from kspan.audit.findings import Utility
from kspan.audit.spans import Spans
from kspan.data.arrays import Bools, Int64s
from kspan.data.baskets import BOUGHT
from kspan.data.groups import Counts, Groups
from kspan.errors import KspanError, ModelError, PolicyError
from kspan.privacy import OnPrivate, Requirement

WORST_CASE = (
    "Judged by the published figures: where they leave a range (they are rounded, and private items hide some of what "
    "they tell), a span is taken to have the worst number of people that is possible."
)
MOST_SHARES = 200
"""Private items in spans of which the worst shares are found."""


@dataclass(frozen=True, repr=False)
class ImpliedSpans(Spans):
    """The spans that people may have by the figures, with the fewest people of each."""

    counting = "figures"
    rows = 0
    asked: Sides
    contained: Bools
    """For each span, which of the sets that are asked for its people bought."""
    codes: Codes
    low: Int64s
    """The fewest people of each span."""
    programs: Programs
    members: list[Int64s]
    """The patterns of each span."""
    knows_private: bool
    """Do the patterns tell private items, too?"""

    @property
    def kind(self) -> str:  # type: ignore[override]
        """What was judged."""
        return self.asked.published.kind

    @property
    def people(self) -> int:
        """How many people there are."""
        return self.asked.published.model.transactions

    @cached_property
    def groups(self) -> Groups:  # type: ignore[override]
        """The worst case: an empty span breaks nothing, so a span that may be empty is taken to have one person."""
        return Groups(np.maximum(self.low, 1), exposing=self.asked.exposes(self.codes))

    @property
    def utility(self) -> Utility:
        """How much information the release keeps."""
        return replace(super().utility, average_group_size=self.people / len(self.low))

    @property
    def safe_people(self) -> int:
        """The fewest people who are in spans that tell nothing."""
        return int(self.low[~self.exposing].sum())

    def holds(self, part: Requirement) -> Bools:
        """Tell which spans satisfy one part of the requirement, whichever of the possible people they have."""
        if not isinstance(part, OnPrivate):
            return part.holds(self.groups)
        told = {name: self.asked.depends_on(name, self.codes) for name in self.asked.published.model.private}
        told = {name: there for name, there in told.items() if name in part.looks_at((name,)) and there.any()}
        if told:
            self._check_tellable(part, told)
        good = np.ones(len(self.low), bool)
        for name, there in told.items():
            for counts in self._worst(name, there):
                # With two values, what is required is hardest where one of them is as rare as it can be.
                good &= part.holds(Groups(counts.sizes, {name: counts}, there))
        return good

    def _check_tellable(self, part: OnPrivate, told: Mapping[str, Bools]) -> None:
        """Refuse a requirement on private items that figures cannot answer."""
        if part.beside_everybody:
            raise PolicyError(
                f"{part} compares people with everybody, of whom figures tell only in part: {by_the_people(self.kind)}"
            )
        if not self.knows_private or sum(int(there.sum()) for there in told.values()) > MOST_SHARES:
            raise PolicyError(
                f"{part} is about private items, which the {self.kind} ask for in too many combinations to tell from "
                f"figures alone: {by_the_people(self.kind)}"
            )

    def failing_people(self, good: Bools) -> int:
        """Everybody who is not certain to be in a good span."""
        return 0 if good.all() else self.people - int(self.low[good].sum())

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Describe some spans: what their people bought, what speaks of them, and what the figures imply."""
        return [
            {**self.asked.shown(self.contained[span], self.codes[span]), "implied": self._implied(span)}
            for span in some
        ]

    def facts(self) -> dict[str, Any]:
        """The assumptions of the verdict: none if the fewest people of all spans add up to everybody."""
        return {"assumptions": () if int(self.low.sum()) == self.people else (WORST_CASE,)}

    def per_row(self, good: Bools) -> NoReturn:
        """There are no rows."""
        raise KspanError(f"{self.kind} that are judged by their figures have no rows: {by_the_people(self.kind)}")

    def most(self, span: int) -> int:
        """The most people of a span."""
        if span not in self._highest:
            self._highest[span] = self.programs.most(self.programs.indicator(self.members[span]))
        return self._highest[span]

    @cached_property
    def _highest(self) -> dict[int, int]:
        """The most people of the spans that were asked for."""
        return {}

    def _implied(self, span: int) -> str:
        """Write how many people a span has, and how many of them bought what is told of, by the figures."""
        low, high = int(self.low[span]), self.most(span)
        told = [f"{_range(low, high)} people"]
        speaking = np.flatnonzero(self.asked.varies(self.codes[span][None, :])[0]).tolist()
        for question in speaking[:MOST_SPOKEN]:
            between = self.bought(span, question)
            if between is None:
                continue
            _, left, right = self.asked.questions[question]
            # The public items of these people are known, so only private ones are news.
            names = ", ".join(sorted((left | right) - self.asked.public))
            determined = low == high and between[0] == between[1]
            rest = f", {low - between[0]:,} without" if determined else ""
            told.append(f"{_range(*between)} with {names}{rest}")
        # A rule and its reverse tell the same.
        return "; ".join(dict.fromkeys(told))

    def bought(self, span: int, question: int) -> Between | None:
        """The fewest and the most people of a span with both sides of a question; None if these cannot be told."""
        if self.codes[span, question] < 2 or not self.knows_private:
            return None
        _, left, right = self.asked.questions[question]
        both = [one for one in self.members[span].tolist() if left | right <= self.programs.patterns[one]]
        wanted = self.programs.indicator(np.array(both, np.int64))
        return self.programs.fewest(wanted), self.programs.most(wanted)

    def _worst(self, item: str, there: Bools) -> Iterator[Counts]:
        """Yield the people of each span without and with a private item: with as many as possible, and as few."""
        extremes = np.ones((2, len(self.low), 2), np.int64)
        for span in np.flatnonzero(there).tolist():
            high = self.most(span)
            # A part of a person may fit where nobody does.
            if not high:
                continue
            having, lacking = self._certain(span, item)
            if self.low[span] == high:
                least = (self.programs.fewest(self.programs.indicator(some)) for some in (having, lacking))
                few, rare = (min(one, high) for one in least)
                extremes[:, span] = [rare, high - rare], [high - few, few]
                continue
            everybody = self.programs.indicator(self.members[span])
            for number, some in enumerate((lacking, having)):
                share = self.programs.largest_share(everybody - self.programs.indicator(some), everybody)
                # No share of so many people lies between this one and what the program found.
                found = Fraction(share).limit_denominator(high)
                counts = [found.denominator - found.numerator, found.numerator]
                extremes[number, span] = counts if number == 0 else counts[::-1]
        yield from (Counts.of(each, having=BOUGHT) for each in extremes)

    def _certain(self, span: int, item: str) -> tuple[Int64s, Int64s]:
        """The patterns of a span whose people all bought a private item, and those of which nobody did.

        Whoever has a pattern did not buy an item that would complete another set that is asked for.
        """
        patterns = self.programs.patterns
        completing = [one - {item} for one in all_sets(self.asked) if item in one]
        some = [(one, patterns[one]) for one in self.members[span].tolist()]
        having = [one for one, pattern in some if item in pattern]
        lacking = [one for one, pattern in some if item not in pattern and any(rest <= pattern for rest in completing)]
        return np.array(having, np.int64), np.array(lacking, np.int64)


def implied_spans(published: Published) -> ImpliedSpans:
    """Find the spans that published figures imply; spans that can have nobody are left out."""
    asked = Sides(published)
    patterns = unions(all_sets(asked))
    knows_private = patterns is not None
    if patterns is None and (patterns := unions(asked.sets)) is None:
        raise PolicyError(
            f"the {published.kind} ask for {len(asked.sets)} sets of public items in too many combinations to tell "
            f"from figures alone who stands together: {by_the_people(published.kind)}"
        )
    seen = frozenset(published.model.roles) if knows_private else published.model.public
    number = published.model.transactions
    programs = Programs(patterns, _bounds(published, seen), number, published.kind)
    contained = np.array([[found <= pattern for found in asked.sets] for pattern in patterns], bool)
    contained = contained.reshape(len(patterns), len(asked.sets))
    _, first, span = np.unique(asked.codes(contained), axis=0, return_index=True, return_inverse=True)
    members = [np.flatnonzero(span.ravel() == number) for number in range(len(first))]
    there = np.flatnonzero(programs.may_have_people(members))
    members, shown = [members[one] for one in there.tolist()], contained[first[there]]
    low = programs.fewest_of_each(members)
    return ImpliedSpans(asked, shown, asked.codes(shown), low, programs, members, knows_private)


def all_sets(asked: Sides) -> list[frozenset[str]]:
    """All sets of items that some question asks for, and their public parts."""
    sides = [side for _, left, right in asked.questions for side in (left, left | right) if side]
    return list(dict.fromkeys([*asked.sets, *sides]))


def by_the_people(kind: str) -> str:
    """The remedy where figures tell too little."""
    return f"give the transactions that the {kind} were found in (--data)"


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _bounds(published: Published, seen: frozenset[str]) -> dict[frozenset[str], Between]:
    """Return the sharpest bounds that figures give on how many people bought each set of items that are looked at."""
    number = published.model.transactions
    found = dict[frozenset[str], Between]()
    for side, (low, high) in published.told():
        if part := side & seen:
            least, most = found.get(part, (0, number))
            # Whoever bought a side bought a part of it, but not the other way round: then `high` bounds nothing.
            found[part] = max(low, least), min(high, most) if part == side else most
    if any(low > high for low, high in found.values()):
        raise ModelError(
            f"the figures of the {published.kind} contradict each other: no {number:,} transactions have them all"
        )
    return found
