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
from kspan.data.table import Table
from kspan.errors import DataError
from kspan.induce.tree.allowed import Allowed
from kspan.induce.tree.features import Feature
from kspan.induce.tree.goals import Also, Goals, Predict, check_also, further
from kspan.induce.tree.grow import Candidate, GrowingLeaf, Growth, MinRows
from kspan.induce.tree.kadet import grow_in_crowds
from kspan.induce.tree.people import People, Split
from kspan.induce.tree.prune import ConfidenceFactor, prune
from kspan.induce.tree.questions import Found, Questions
from kspan.induce.tree.rare import without_rare
from kspan.induce.tree.release import released
from kspan.induce.tree.simplify import simplify, usual_complexity
from kspan.induce.tree.spans import Span
from kspan.induce.tree.targets import NO_WORTH, Targets, label_worth
from kspan.induce.tree.under_requirement import check_begins, pruning_keeps, taking_part
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

Pruning = Literal["complexity", "errors", "none"]


@takes_options
def grouped(
    table: Table,
    policy: Policy,
    *,
    min_rows: MinRows = 2,
    lookahead: Annotated[int, Within(0, 8)] = 4,
    pruning: Pruning = "complexity",
    complexity: Annotated[float, Within(0)] | None = None,
    confidence_factor: ConfidenceFactor = 0.25,
    class_weight: Mapping[str, float] | Literal["balanced"] | None = None,
    importance: Floats = NO_WORTH,
    predict: Predict = "auto",
    tells: Annotated[NumberDisclosure, NOT_TYPED] = "mean",
    also: Also = (),
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
        predict: Labels or numbers; "auto" takes dates for numbers, more than 20 different numbers, and rare ones.
        tells: What nodes tell of numbers: the mean, the median as well, or also an interval.
        also: Further columns that the same tree predicts; each counts as much as the target.

    One of six people has a car that nobody else has, and yet cars can be asked about. Its name is not told:

    >>> import polars as pl
    >>> from kspan.data.encode import encode
    >>> people = pl.DataFrame({"car": ["old", "old", "new", "new", "new", "rare"], "pays": ["no"] * 2 + ["yes"] * 4})
    >>> policy = Policy(public=["car"], target="pays", require="k=2")
    >>> print(grouped(encode(people, policy), policy, complexity=0))
    car = old: no (no: 2)
    car in {new|(missing or rare)}: yes (yes: 4)
    """
    also = further(also)
    check_also(table, policy, also)
    people, offered = taking_part(table, policy, known, also)
    features = without_rare(offered, table, policy)
    goals = Goals.of(table, policy, people, also, predict, tells)
    _check(goals, class_weight is not None, pruning)
    weighs = label_worth(goals.columns[0], class_weight, people.weights)
    told = Targets.of(goals.columns, goals.measured, people.weights, _worth(people, weighs, importance))
    growth = GroupedGrowth(goals, features, told, min_rows=min_rows, lookahead=lookahead)
    check_begins(growth, table, policy)
    grow_in_crowds(growth)
    if pruning == "errors" and pruning_keeps(growth, table, policy):
        prune(growth, confidence_factor)
    if pruning == "complexity" and pruning_keeps(growth, table, policy):
        simplify(growth.root, growth.left_open(), usual_complexity(table.people) if complexity is None else complexity)
    tree = released(growth, table, policy, goals.numbers[0], goals.others)
    return replace(tree, label_weights=tuple(weighs.tolist()))


def _check(goals: Goals, weighs_labels: bool, pruning: Pruning) -> None:
    """Refuse options that are about labels where there are none."""
    if weighs_labels:
        goals.check_labels("class_weight")
    if pruning == "errors":
        goals.check_labels("pruning by errors", alone=True)


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
        goals: Goals,
        features: Sequence[Feature],
        told: Targets,
        *,
        min_rows: int,
        lookahead: int,
        price: float = PRICE,
    ) -> None:
        require, people = goals.policy.require, goals.people
        crowd = min(require.crowd, MOST_PEOPLE)
        self.told, self.goals, averages = told, goals, goals.averages
        if averages is not None:
            # Then most questions that are found may be asked: rows are people, or more than these.
            min_rows = max(min_rows, averages.crowd)
        self.questions = Questions(
            features, people.weights, told, crowd=crowd, min_rows=min_rows, lookahead=lookahead, price=price
        )
        self.tries: dict[tuple[int, int], Iterator[Candidate]] = {}
        """By leaf and attribute, the questions that may still be tried after one was refused."""
        super().__init__(goals.counted, features, requirement=require, target=goals.target, min_rows=min_rows)
        assert self.guard is not None
        self.beside = [self.guard.beside(name, others) for name, others in goals.beside()]
        """What asks the requirement of further private targets."""

    def hidden(self) -> People:
        """The people with the labels or numbers that the requirement is about."""
        return self.goals.hidden

    def are_mixed(self, counts: Floats) -> Bools:
        """Which parts have people of several labels; whether several targets or numbers differ, questions tell."""
        if len(self.goals.columns) == 1 and self.goals.numbers[0] is None:
            return super().are_mixed(counts)
        several: Bools = counts.sum(axis=1) > 1
        return several

    def holds_now(self) -> bool:
        """Does the tree as it is satisfy the requirement?"""
        averages = self.goals.averages
        told = averages is None or all(averages.may_be_told_of(leaf.rows) for leaf in self.leaves())
        return (
            told
            and super().holds_now()
            and all(
                other.allows(other.parts(other.spans.of(leaf)))
                for other in self.beside
                for leaf in other.spans.reaching
            )
        )

    def holds_after(self, candidate: Candidate) -> bool:
        """Would the tree satisfy the requirement after a split?"""
        averages, split = self.goals.averages, self.split_of(candidate)
        told = averages is None or averages.allow(candidate.leaf.rows, self.features[split.feature], split)
        return told and super().holds_after(candidate)

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
            spans, bins = self.guard.spans.of(leaf.number), self.questions.bins(number)
            for other in self.beside:
                useful = useful[other.allows_each(spans, bins, sides[useful], len(useful))]
            useful = useful[self.guard.allows_each(spans, bins, sides[useful], MOST_TRIES)]
        # What can follow is taken to be what could follow the first question.
        after = -refused.rank[1] - float(gains.max(initial=0.0))
        for place in useful[:MOST_TRIES].tolist():
            found = Found(number, gains[place], gains[place] + max(after, 0.0), sides[place])
            yield Grouping.of(leaf, found, between=False)

    def _parts_hold(self, candidate: Candidate, spans: list[Span]) -> bool:
        """Would every part of the spans of a leaf still satisfy what is required of people and labels?"""
        split = self.split_of(candidate)
        assert self.guard is not None
        if self.is_its_own_span(candidate.leaf):
            held = super()._parts_hold(candidate, spans)
        else:
            held = self.guard.allows(self.guard.divided(spans, split))
        return held and all(other.allows(other.divided(spans, split)) for other in self.beside)

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
