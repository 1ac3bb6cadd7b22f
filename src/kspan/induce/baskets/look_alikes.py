"""Which people a growing release tells apart: the miners' own account of spans, kept as rules or itemsets are taken."""

from collections.abc import Sequence

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.data.baskets import BOUGHT, Baskets
from kspan.data.groups import Counts, Groups
from kspan.induce.persons import NOTHING_TOLD, Persons
from kspan.policy import Policy
from kspan.privacy import OnPrivate

Question = tuple[frozenset[str], frozenset[str]]


class LookAlikes:
    """Kinds of people who look the same to anyone who sees only public items, and how the questions so far divide them.

    The people of one kind have the same public items. Each kind has an answer to each question: 0 if it lacks a public
    item of the left side, else 1 if it lacks one of the right side, else 2. The left side of an itemset is empty. Kinds
    are in one crowd if they have the same answers to all questions. Those whom earlier releases tell apart
    are different kinds, and never in one crowd.
    """

    def __init__(self, baskets: Baskets, policy: Policy, known: Int64s) -> None:
        """Begin with a crowd for each class that is `known`, one entry for each row."""
        kind, example = _kinds(baskets, policy.public, known)
        self.baskets, self.kind = baskets, kind
        self.persons = None if baskets.persons is None else Persons(baskets.persons, policy.known_rows)
        self.require = policy.require
        self.public = {name: baskets.bought[name][example] for name in policy.public}
        self.people = _counted(kind, len(example), baskets.weights)
        self.bought = {
            name: _counted(kind[rows], len(example), None if baskets.weights is None else baskets.weights[rows])
            for name, rows in baskets.bought.items()
            if name not in self.public
        }
        self.crowd = known[example]
        self.exposing = np.zeros(int(known.max(initial=0)) + 1, bool)
        self.told: dict[str, Bools] = {}

    def take(self, questions: Sequence[Question]) -> tuple[int, int] | tuple[None, None] | None:
        """Take some questions if every crowd satisfies the requirement with them.

        Returns None then. Otherwise they are not taken, and the result is how many people would be in the smallest
        crowd that fails, and how many in all that fail; None for both if only crowds of people, not of rows, do.
        """
        crowd, exposing, told = self.crowd, self.exposing, dict(self.told)
        for left, right in questions:
            answer = self._answers(left, right)
            crowd, there = _renumbered(crowd * 3 + answer)
            # Which crowd each new crowd was a part of, and its answer.
            before, answers = there // 3, there % 3
            exposing = exposing[before]
            told = {item: spoken[before] for item, spoken in told.items()}
            for item in (left | right) - set(self.public):
                # A question tells a crowd of a private item only if the crowd has all public items on the way there.
                speaks = answers >= 1 if item in left else answers == 2
                told[item] = told[item] | speaks if item in told else speaks
                exposing = exposing | speaks
        good, sizes = self._judged(crowd, exposing, told)
        if not good.all():
            return int(sizes[~good].min()), int(sizes[~good].sum())
        if not self._persons_hold(crowd[self.kind], exposing, told):
            return None, None
        self.crowd, self.exposing, self.told = crowd, exposing, told
        return None

    def _answers(self, left: frozenset[str], right: frozenset[str]) -> Int64s:
        has_left = self._all(left)
        return has_left.astype(np.int64) + (has_left & self._all(right))

    def _all(self, items: frozenset[str]) -> Bools:
        rows = np.ones(len(self.crowd), bool)
        for item in items:
            if item in self.public:
                rows &= self.public[item]
        return rows

    def _judged(self, crowd: Int64s, exposing: Bools, told: dict[str, Bools]) -> tuple[Bools, Int64s]:
        """Which crowds satisfy the requirement, and their people."""
        sizes = _counted(crowd, len(exposing), self.people)
        good = np.ones(len(sizes), bool)
        for part in self.require.parts:
            if not isinstance(part, OnPrivate):
                good &= part.holds(Groups(sizes, exposing=exposing))
                continue
            for item in part.looks_at(tuple(told)):
                if item in told and told[item].any():
                    bought = _counted(crowd, len(sizes), self.bought[item])
                    counts = Counts.of(np.column_stack([sizes - bought, bought]), having=BOUGHT)
                    good &= part.holds(Groups(sizes, {item: counts}, told[item]))
        return good, sizes

    def _persons_hold(self, crowd: Int64s, exposing: Bools, told: dict[str, Bools]) -> bool:
        """Where people have several rows: would these keep the requirement by people? `crowd` is that of each row."""
        if self.persons is None:
            return True
        for part in self.require.parts:
            if not isinstance(part, OnPrivate):
                if not self.persons.hold(part, np.where(exposing[crowd], crowd, NOTHING_TOLD), {}):
                    return False
                continue
            for item in part.looks_at(tuple(told)):
                if item not in told or not told[item].any():
                    continue
                known = np.where((exposing | told[item])[crowd], crowd, NOTHING_TOLD)
                bought = {item: self.baskets.column(item)}
                if not self.persons.hold(part, known, bought, silent=~told[item][crowd]):
                    return False
        return True


def _kinds(baskets: Baskets, public: Sequence[str], known: Int64s) -> tuple[Int64s, Int64s]:
    """The kind of each row, and an example row of each kind."""
    # The class, then eight items to a byte, and all bytes of a row as one value, which can be compared.
    packed = known[:, None].view(np.uint8)
    if public:
        items = np.packbits(np.array([baskets.bought[name] for name in public]), axis=0)
        packed = np.column_stack([packed, items.T])
    rows = np.ascontiguousarray(packed).view(f"V{packed.shape[1]}")[:, 0]
    _, example, kind = np.unique(rows, return_index=True, return_inverse=True)
    return kind.astype(np.int64), example.astype(np.int64)


def _renumbered(keys: Int64s) -> tuple[Int64s, Int64s]:
    """Number keys without gaps; returns the number of each key, and the key of each number."""
    there = np.flatnonzero(np.bincount(keys))
    place = np.zeros(int(there[-1]) + 1, np.int64)
    place[there] = np.arange(len(there))
    return place[keys], there


def _counted(place: Int64s, number: int, people: Int64s | None) -> Int64s:
    """The people at each place."""
    if people is None:
        return np.bincount(place, minlength=number)
    counted = np.zeros(number, np.int64)
    np.add.at(counted, place, people)
    return counted
