"""The conjunctive rule: one rule grown by information gain on some of the people, and pruned on the others."""

from itertools import accumulate

import numpy as np

from kspan.data.arrays import Floats
from kspan.data.groups import group_rows
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.induce.grow import Growth, Leaf
from kspan.induce.id3 import offered
from kspan.induce.people import People, Rows
from kspan.induce.release import head
from kspan.induce.rules import DIGITS, rule_of, told
from kspan.induce.rules import entropy as entropy_of
from kspan.induce.spread import Entropy, Reading
from kspan.induce.worth import INFORMATION_GAIN, ROUNDING
from kspan.model.decision_list import DecisionList

Start = tuple[Rows, Floats]
"""Rows, and how many people each stands for."""


def conjunctive(
    table: Table,
    schema: Schema,
    *,
    min_rows: int = 2,
    entropy: Entropy = "equal",
    rng: int | np.random.Generator = 0,
) -> DecisionList:
    """The one rule that is best on people whom it was not grown from, with the labels of those it covers and the rest.

    It grows on two thirds of the people of each label, drawn by `rng`, and loses its last conditions as long as that
    makes no more errors on the last third. If no condition is worth it, there is no rule but the default.
    """
    people, features = offered(table, schema, Reading(entropy), stars_unknown=True)
    growth = Growth(people, features, score=INFORMATION_GAIN, min_rows=min_rows, shares_missing=True)
    growing, rest = divided(table, people, schema, np.random.default_rng(rng))
    way = grown(growth, growing)
    length = fewest_errors(way, followed(growth, rest, way))
    covered = followed(growth, people.everybody(), way[: length + 1])[-1]
    rules = (rule_of(growth, covered),) if length else ()
    uncovered = growth.whole - covered.counts if length else growth.whole.astype(np.float64)
    return DecisionList(*head(growth, table, schema), rules, told(np.maximum(uncovered, 0.0)))


def divided(table: Table, people: People, schema: Schema, rng: np.random.Generator) -> tuple[Start, Start]:
    """Two thirds of the people of each label, and the others, by chance; in which order rows come does not matter."""
    names = [name for name in (*schema.public, *schema.private) if name != schema.target]
    kind, kinds = group_rows([table[name] for name in (*names, str(schema.target))], table.rows)
    # Equal rows are one row with a weight, in the order of their values.
    first = np.full(kinds, table.rows, np.int64)
    np.minimum.at(first, kind, np.arange(table.rows))
    weights = np.bincount(kind, people.weights if len(people.weights) else None, kinds).astype(np.int64)
    order = rng.permutation(kinds)
    order = order[np.argsort(people.label[first[order]], kind="stable")]
    drawn = np.zeros(kinds, np.int64)
    drawn[order] = np.diff(np.cumsum(weights[order]) * 2 // 3, prepend=0)
    return _start(first, drawn), _start(first, weights - drawn)


def grown(growth: Growth, growing: Start) -> list[Leaf]:
    """The way down from everybody: at each node the best question, and of its answers the one of lowest entropy."""
    way = [growth.begin(*growing)]
    while candidate := growth.choice(way[-1]):
        growth.open(way[-1], growth.split_of(candidate))
        large = [son for son in way[-1].sons if son.people >= growth.worth.min_rows - ROUNDING]
        way.append(min(large, key=lambda son: (entropy_of(son), -round(son.people, DIGITS))))
    return way


def followed(growth: Growth, start: Start, way: list[Leaf]) -> list[Leaf]:
    """The way that other people go if they are asked the same questions and give the same answers."""
    found = [growth.begin(*start)]
    for above, node in zip(way, way[1:], strict=False):
        assert above.split is not None
        growth.open(found[-1], above.split)
        found.append(found[-1].sons[node.place])
    return found


def fewest_errors(way: list[Leaf], others: list[Leaf]) -> int:
    """The least number of conditions that makes as few errors as any among people whom the rule was not grown from."""
    return min(range(len(way)), key=lambda length: round(_errors(way, others, length), DIGITS))


def _errors(way: list[Leaf], others: list[Leaf], length: int) -> float:
    """How many of the others have not the commonest label of those like them, covered by some conditions or not."""
    seen, new = way[length].counts, others[length].counts
    unseen, beyond = way[0].counts - seen, others[0].counts - new
    wrong = new.sum() - new[seen.argmax()] + beyond.sum() - beyond[unseen.argmax()]
    return float(wrong)


def _start(first: Rows, people: Rows) -> Start:
    rows = np.flatnonzero(people)
    return first[rows].astype(np.int32), people[rows].astype(np.float64)
