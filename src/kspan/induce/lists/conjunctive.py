"""The conjunctive rule: one rule grown by information gain on some of the people, and pruned on the others.

A condition is judged by the mean entropy of labels on both sides: among the people whom the rule then covers, and among
all others. So a rule is good if the two sides differ, not only if the people whom it covers are all alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.groups import group_rows
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.induce.lists.rules import entropies, label_counts, rule_of
from kspan.induce.tree.grow import GrowingLeaf, Growth, MinRows
from kspan.induce.tree.id3 import offered
from kspan.induce.tree.people import People, Rows, Split
from kspan.induce.tree.release import head
from kspan.induce.tree.spread import Counted, Reading, Seed
from kspan.induce.tree.worth import DIGITS, LEAST_GAIN, ROUNDING
from kspan.model.lists.model import DecisionList
from kspan.options import takes_options

Start = tuple[Rows, Floats]
"""Rows, and how many people each stands for."""


@takes_options
def conjunctive(
    table: Table,
    schema: Schema,
    *,
    min_rows: MinRows = 2,
    entropy: Counted = "equal",
    rng: Seed = 0,
) -> DecisionList:
    """Learn one rule, with the labels of the people whom it covers and of all others.

    It grows on two thirds of the people of each label, drawn by `rng`, and loses its last conditions as long as that
    makes no more errors on the last third. If no condition is worth it, only the default is left.

    Options:
        min_rows: People that the rule must cover.
        entropy: How cells that admit several values are counted.
        rng: The seed of what is left to chance.

    >>> import polars as pl
    >>> from kspan.data.encode import encode
    >>> schema = Schema(public=["age"], target="pays")
    >>> frame = pl.DataFrame({"age": list(range(20, 80)), "pays": ["no"] * 25 + ["yes"] * 35})
    >>> print(conjunctive(encode(frame, schema), schema))
    if age <= 45: no (no: 25, yes: 1)
    else: yes (yes: 34)
    """
    people, features = offered(table, schema, Reading(entropy, range_pattern=schema.range_pattern), stars_unknown=True)
    growth = Growth(people, features, min_rows=min_rows, shares_missing=True)
    growing, rest = divided(table, people, schema, np.random.default_rng(rng))
    way = grown(growth, growing)
    length = fewest_errors(way, followed(growth, rest, way))
    everybody, *way = followed(growth, people.everybody(), way[: length + 1])
    if not way:
        return DecisionList(*head(growth, table, schema), (), label_counts(everybody.counts))
    uncovered = np.maximum(everybody.counts - way[-1].counts, 0.0)
    return DecisionList(*head(growth, table, schema), (rule_of(growth, way[-1]),), label_counts(uncovered))


def divided(table: Table, people: People, schema: Schema, rng: np.random.Generator) -> tuple[Start, Start]:
    """Two thirds of the people of each label, drawn by chance, and the others; the order of rows does not matter."""
    names = [name for name in (*schema.public, *schema.private) if name != schema.target]
    kind, kinds = group_rows([table[name] for name in (*names, str(schema.target))], table.rows)
    # Equal rows are one row with a weight, in the order of their values.
    first = np.full(kinds, table.rows, np.int64)
    np.minimum.at(first, kind, np.arange(table.rows))
    weights = np.bincount(kind, people.weights if len(people.weights) else None, kinds).astype(np.int64)
    order = rng.permutation(kinds)
    order = order[np.argsort(people.label[first[order]], kind="stable")]
    # Two thirds of a running sum, so that rounding is carried on and not lost at each kind.
    drawn = np.zeros(kinds, np.int64)
    drawn[order] = np.diff(np.cumsum(weights[order]) * 2 // 3, prepend=0)
    return _start(first, drawn), _start(first, weights - drawn)


def grown(growth: Growth, growing: Start) -> list[GrowingLeaf]:
    """Grow the rule by one condition at a time as long as it tells more about labels; returns the nodes on its way."""
    way = [growth.begin(*growing)]
    whole = way[0].counts
    information = float(entropies(whole[None])[0])
    while (step := best_step(growth, way[-1], whole)) and step.information < information - LEAST_GAIN:
        growth.open(way[-1], step.split)
        way.append(way[-1].sons[step.place])
        information = step.information
    return way


@dataclass(frozen=True)
class Step:
    """A condition that the rule may get: a question to those it covers, and the answer of those it then covers."""

    split: Split
    place: int
    information: float
    """The mean entropy of those covered and of those not covered by the whole rule."""
    entropy: float
    """The entropy of those covered, for ties: both answers to a first question have the same information."""


def best_step(growth: Growth, leaf: GrowingLeaf, whole: Floats) -> Step | None:
    """The condition that leaves the least entropy of labels; None if none covers enough people."""
    # In a tie the side with more entropy is covered, since there is more left to ask.
    steps = (
        step
        for number in range(len(growth.features))
        for answers in offered_answers(growth, leaf, number)
        if (step := best_answer(answers, whole, growth.worth.min_rows)) is not None
    )
    return min(steps, key=lambda step: (step.information, -step.entropy), default=None)


@dataclass(frozen=True)
class Answers:
    """The answers to some questions about one feature: the question, which answer it is, and its people by label."""

    splits: list[Split]
    place: Int64s
    counts: Floats


def best_answer(answers: Answers, whole: Floats, min_rows: int) -> Step | None:
    """The best of the answers that cover at least `min_rows` people; None if there is none."""
    covered = answers.counts
    if not len(covered) or not whole.sum():
        return None
    uncovered = np.maximum(whole - covered, 0.0)
    mixed = np.round(entropies(covered), DIGITS)
    people = covered.sum(axis=1)
    information = (people * mixed + uncovered.sum(axis=1) * entropies(uncovered)) / whole.sum()
    information = np.where(people < min_rows - ROUNDING, np.inf, np.round(information, DIGITS))
    best = int(np.lexsort([-mixed, information])[0])
    if not np.isfinite(information[best]):
        return None
    return Step(answers.splits[best], int(answers.place[best]), float(information[best]), float(mixed[best]))


def offered_answers(growth: Growth, leaf: GrowingLeaf, number: int) -> Iterator[Answers]:
    """What may be asked about a feature: both sides of every threshold, or every name of every level."""
    feature = growth.features[number]
    inside = None if feature.spread is None else growth.inside(leaf, number)
    counts = growth.worth.by_value(number, leaf.rows, leaf.share, {} if inside is None else {number: inside})
    known = counts[: feature.plain]
    # People whose value is missing are shared by all answers, in proportion to the others.
    shared = counts[feature.plain :].sum(axis=0) / max(float(known.sum()), ROUNDING)
    known = known + known.sum(axis=1, keepdims=True) * shared
    if feature.numeric:
        seen = np.flatnonzero(known.sum(axis=1) > 0)
        below, above = feature.floats[seen[:-1]], feature.floats[seen[1:]]
        middle = (below + above) / 2
        at = np.where(middle < above, middle, below)  # floats may have nothing between them
        cuts = np.searchsorted(feature.floats, at, side="right") - 1
        splits = [
            growth.threshold(leaf, number, cut, place) for cut, place in zip(cuts.tolist(), at.tolist(), strict=True)
        ]
        up_to = np.cumsum(known[seen], axis=0)
        sides = np.concatenate([up_to[:-1], up_to[-1:] - up_to[:-1]])
        yield Answers(splits * 2, np.repeat([0, 1], len(splits)), sides)
        return
    for level in range(len(growth.worth.levels_of[number])):
        split = growth.by_level(leaf, number, level)
        names = np.array([known[codes[codes < feature.plain]].sum(axis=0) for codes in split.codes]).reshape(
            -1, len(shared)
        )
        yield Answers([split] * split.sons, np.arange(split.sons), names)


def followed(growth: Growth, start: Start, way: list[GrowingLeaf]) -> list[GrowingLeaf]:
    """The nodes on the same way for other people, who are asked the same questions and give the same answers."""
    found = [growth.begin(*start)]
    for above, node in pairwise(way):
        assert above.split is not None
        growth.open(found[-1], above.split)
        found.append(found[-1].sons[node.place])
    return found


def fewest_errors(way: list[GrowingLeaf], others: list[GrowingLeaf]) -> int:
    """The number of conditions that makes the fewest errors among people whom the rule was not grown from.

    In a tie it is the lowest.
    """
    return min(range(len(way)), key=lambda length: round(_errors(way, others, length), DIGITS))


def _errors(way: list[GrowingLeaf], others: list[GrowingLeaf], length: int) -> float:
    """How many of the others do not have the commonest label of their side, if the rule has so many conditions."""
    covered, new = way[length].counts, others[length].counts
    uncovered, rest = way[0].counts - covered, others[0].counts - new
    return float(new.sum() - new[covered.argmax()] + rest.sum() - rest[uncovered.argmax()])


def _start(first: Int64s, people: Int64s) -> Start:
    rows = np.flatnonzero(people)
    return first[rows].astype(np.int32), people[rows].astype(np.float64)
