"""Trees whose branches are groups of values: what kADET promises, with questions that a rare value cannot veto.

kADET (Friedman, Wolff, Schuster 2008) divides a leaf into all values of an attribute, so that one value that too few
people have, or one missing cell, forbids the question. Here a question has two answers, each a group of values, and a
rare value joins a group (see `kspan.induce.tree.questions`). Spans are followed, and the requirement is asked, exactly
as there.

A question also spends people: where both answers must leave a crowd, what is asked first decides what can still be
asked. So the best questions of a leaf are compared by what they gain together with those that can follow.
"""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, Self

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.encode import MOST_PEOPLE
from kspan.data.table import Column, Table
from kspan.errors import DataError, PolicyError
from kspan.induce.tree.allowed import Allowed
from kspan.induce.tree.features import Feature
from kspan.induce.tree.grow import Candidate, GrowingLeaf, Growth, MinRows
from kspan.induce.tree.kadet import grow_in_crowds
from kspan.induce.tree.people import People, Split
from kspan.induce.tree.prune import ConfidenceFactor, prune
from kspan.induce.tree.questions import Found, Questions
from kspan.induce.tree.release import ToldNumbers, released
from kspan.induce.tree.simplify import simplify, usual_complexity
from kspan.induce.tree.spans import Parts, Span
from kspan.induce.tree.targets import NO_WORTH, Targets, label_worth
from kspan.induce.tree.under_requirement import check_begins, private_target, pruning_keeps, taking_part
from kspan.induce.tree.worth import DIGITS, LEAST_GAIN
from kspan.model.outcome import NumberDisclosure
from kspan.model.tree.model import Tree
from kspan.options import NOT_TYPED, Within, takes_options
from kspan.policy import Policy

PRICE = 1.5
"""What a bit of a question costs. Questions look better on the people they were chosen from than they are; on the data
sets of the papers, prices from 1 to 2 serve alike."""

MOST_TRIES = 8
"""So many questions about an attribute are tried at a leaf where the best one is not allowed."""

MOST_LABELS = 20
"""A numeric target with so many different numbers at most is taken for labels."""

Pruning = Literal["complexity", "errors", "none"]
Predict = Literal["auto", "labels", "numbers"]


@takes_options
def grouped(
    table: Table,
    policy: Policy,
    *,
    min_rows: MinRows = 2,
    lookahead: Annotated[int, Within(0, 4)] = 2,
    pruning: Pruning = "complexity",
    complexity: Annotated[float, Within(0)] | None = None,
    confidence_factor: ConfidenceFactor = 0.25,
    class_weight: Mapping[str, float] | Literal["balanced"] | None = None,
    importance: Floats = NO_WORTH,
    predict: Predict = "auto",
    tells: Annotated[NumberDisclosure, NOT_TYPED] = "mean",
    known: Int64s | None = None,
) -> Tree:
    """Grow a tree that keeps the policy's requirement, by questions with two answers that are groups of values.

    `importance` is what each row counts when questions are chosen, beside the people that it stands for: the sampling
    weight of the policy, if it has one. `known` are the classes of rows that earlier releases tell apart.

    Options:
        min_rows: People that both branches of a split must have.
        lookahead: How many questions ahead the best splits are compared; 0 takes what gains most now.
        pruning: What prunes the tree: what leaves cost (complexity), the errors that C4.5 expects, or nothing.
        complexity: The bits that a leaf must save; half the logarithm of the people unless said.
        confidence_factor: How hard to prune by errors: less is harder.
        class_weight: How much labels count; "balanced" lets rare ones count as much as common ones.
        predict: Labels or numbers; "auto" takes a numeric target with more than 20 different numbers for numbers.
        tells: What nodes tell of numbers: the mean, the median as well, or also an interval.

    One of six people has a car that nobody else has, and yet it can be asked about:

    >>> import polars as pl
    >>> from kspan.data.encode import encode
    >>> people = pl.DataFrame({"car": ["old", "old", "new", "new", "new", "rare"], "pays": ["no"] * 2 + ["yes"] * 4})
    >>> policy = Policy(public=["car"], target="pays", require="k=2")
    >>> print(grouped(encode(people, policy), policy, complexity=0))
    car = old: no (no: 2)
    car in {new|rare}: yes (yes: 4)
    """
    people, features = taking_part(table, policy, known)
    target = table[str(policy.target)]
    numbers = _numbers(target, people, policy, predict, tells)
    if numbers is not None and class_weight is not None:
        raise PolicyError(f"class_weight is about labels, and {policy.target!r} is a number: leave it out")
    weighs = label_worth(target, class_weight, people.weights)
    worth = _worth(people, weighs, importance)
    told = Targets.of([target], [numbers is not None], people.weights, worth)
    growth = GroupedGrowth(people, features, told, policy, min_rows=min_rows, lookahead=lookahead)
    check_begins(growth, table, policy)
    grow_in_crowds(growth)
    if pruning_keeps(growth, table, policy):
        if pruning == "complexity":
            least = usual_complexity(table.people) if complexity is None else complexity
            simplify(growth.root, growth.left_open(), least)
        elif pruning == "errors":
            prune(growth, confidence_factor)
    return replace(released(growth, table, policy, numbers), label_weights=tuple(weighs.tolist()))


@dataclass(order=True, slots=True)
class Grouping(Candidate):
    """A question with two answers that waits in the queue; `between`: does its threshold lie between two people?"""

    found: Found = field(kw_only=True, compare=False)
    between: bool = field(kw_only=True, compare=False)

    @classmethod
    def of(cls, leaf: GrowingLeaf, found: Found, *, between: bool = True) -> Self:
        """A question of a leaf; the queue takes what is worth most first."""
        rank = (False, -round(found.worth, DIGITS), leaf.number, found.feature, 0)
        return cls(rank, leaf, found.feature, found=found, between=between)


class GroupedGrowth(Growth):
    """A tree of questions with two answers while it grows."""

    def __init__(
        self,
        people: People,
        features: Sequence[Feature],
        told: Targets,
        policy: Policy,
        *,
        min_rows: int,
        lookahead: int,
        price: float = PRICE,
    ) -> None:
        crowd = min(policy.require.crowd, MOST_PEOPLE)
        self.told, self.everybody = told, people
        self.questions = Questions(
            features, people.weights, told, crowd=crowd, min_rows=min_rows, lookahead=lookahead, price=price
        )
        self.tries: dict[tuple[int, int], Iterator[Candidate]] = {}
        """By leaf and attribute, the questions that may still be tried after one was refused."""
        super().__init__(
            # Of numbers nothing is counted but people: there may be as many of them.
            people if told.labelled else people.without_labels(),
            features,
            requirement=policy.require,
            target=private_target(policy),
            min_rows=min_rows,
        )

    def hidden(self) -> People:
        """The people with their labels or numbers."""
        return self.everybody

    def are_mixed(self, counts: Floats) -> Bools:
        """Which parts have people of several labels; whether numbers differ is seen when questions are found."""
        mixed: Bools = counts.sum(axis=1) > 1
        return super().are_mixed(counts) if self.told.labelled else mixed

    def propose(self, leaf: GrowingLeaf, allowed: Allowed) -> None:
        """Put the best question about each attribute into the queue."""
        for found in self.questions.of(leaf.rows, alone=self.is_its_own_span(leaf)):
            heapq.heappush(self.queue, Grouping.of(leaf, found))

    def generalize(self, candidate: Candidate) -> None:
        """Give an attribute whose question is not allowed another chance, by the question that gains most after it."""
        key = candidate.leaf.number, candidate.feature
        if key not in self.tries:
            self.tries[key] = self._others(candidate)
        if (other := next(self.tries[key], None)) is not None:
            heapq.heappush(self.queue, other)

    def left_open(self) -> Callable[[GrowingLeaf], float]:
        """Return what tells how many bits a node leaves open as a leaf, beside what the whole tree leaves open."""
        people = self.people.weights
        noise = self.told.noise((leaf.rows for leaf in self.leaves()), people)
        return lambda node: self.told.left_open(node.rows, people, noise)

    def split_of(self, candidate: Candidate) -> Split:
        """The split that a candidate stands for."""
        assert isinstance(candidate, Grouping)
        if candidate.made is None:
            leaf, found = candidate.leaf, candidate.found
            inside = self._possible(leaf, found.feature)
            candidate.made = self.questions.split(found, leaf.rows, inside, between=candidate.between)
        return candidate.made

    def _others(self, refused: Candidate) -> Iterator[Candidate]:
        """The questions about an attribute that the spans of a leaf allow, the best first."""
        leaf, number = refused.leaf, refused.feature
        gains, sides = self.questions.others(leaf.rows, number)
        useful = np.flatnonzero(gains > LEAST_GAIN)
        useful = useful[np.argsort(-np.round(gains[useful], DIGITS), kind="stable")]
        if self.features[number].public and self.guard is not None:
            spans = self.guard.spans.of(leaf.number)
            useful = useful[self.guard.allows_each(spans, self.questions.bins(number), sides[useful], MOST_TRIES)]
        # What can follow is taken to be what could follow the first question.
        after = -refused.rank[1] - float(gains.max(initial=0.0))
        for place in useful[:MOST_TRIES].tolist():
            found = Found(number, gains[place], gains[place] + max(after, 0.0), sides[place])
            yield Grouping.of(leaf, found, between=False)

    def _parts_hold(self, candidate: Candidate, spans: list[Span]) -> bool:
        """Would every part of the spans of a leaf still satisfy what is required of people and labels?"""
        if self.is_its_own_span(candidate.leaf):
            return super()._parts_hold(candidate, spans)
        guard, split = self.guard, self.split_of(candidate)
        assert guard is not None
        counts = guard.people.by_part_and_son([span.rows for span in spans], self.features[split.feature], split)
        exposing = np.repeat(guard.spans.exposing(spans), split.sons)
        return guard.allows(Parts(counts.reshape(-1, guard.people.labels), exposing))

    def _possible(self, leaf: GrowingLeaf, number: int) -> Bools:
        """Which codes of an attribute can still occur in a leaf, after the questions above it."""
        feature, before = self.features[number], leaf.asked(number)
        if before is None:
            return np.ones(feature.size, bool)
        split, place = before
        if not feature.numeric:
            reached: Bools = split.son == place
            return reached
        inside = np.ones(feature.size, bool)
        # Bounds of numbers are set when the tree is released.
        inside[feature.plain :] = split.missing == place
        return inside


def _numbers(
    target: Column, people: People, policy: Policy, predict: Predict, tells: NumberDisclosure
) -> ToldNumbers | None:
    """What nodes tell if the target is a number; None if it has labels."""
    if predict == "labels" or (predict == "auto" and (not target.is_measured or len(target.values) <= MOST_LABELS)):
        return None
    target.check_measured_for_all()
    return ToldNumbers.of(target, people.weights, policy.require.crowd, tells)


def _worth(people: People, of_label: Floats, importance: Floats) -> Floats:
    """What each row weighs in gains, one on average; empty if it is its people."""
    if not len(of_label) and not len(importance):
        return NO_WORTH
    worth = people.weights.astype(np.float64) if len(people.weights) else np.ones(len(people.label))
    everybody = worth.sum()
    if len(of_label):
        worth = worth * of_label[people.label]
    if len(importance):
        worth = worth * importance
    if worth.sum() <= 0:
        raise DataError("the weights of all people are 0, so that nothing can be learned: give some of them more")
    found: Floats = worth * (everybody / worth.sum())
    return found
