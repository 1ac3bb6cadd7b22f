"""The audit of a decision list: people whom the same rules can take, by public values alone, must be a crowd."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from kspan.audit.findings import EXACT, NOT_PROVED, Audit
from kspan.audit.function.judge import spans_of_parts
from kspan.audit.function.spans import Reading
from kspan.audit.judge import judge
from kspan.audit.of_persons import by_people
from kspan.audit.request import Judge, not_alone
from kspan.audit.tree.truth import SLACK, SLACK_OF_EACH
from kspan.data.alike import look
from kspan.data.arrays import Floats, Int64s
from kspan.data.encode import encode_people
from kspan.data.table import Table
from kspan.errors import DataError
from kspan.frames.native import to_polars
from kspan.model.function.parts import Function, Parts
from kspan.model.lists.model import DecisionList
from kspan.model.questions import answers
from kspan.model.tree.people import check_roles
from kspan.policy import Policy


def audit_list(found: DecisionList, people: pl.DataFrame, policy: Policy, *, show: int = 5) -> Audit:
    """Judge a decision list: which rule takes a person is what it tells, with the labels that each rule counts."""
    check_roles(found, policy, "decision list")
    asked = [found.attributes[number] for number in found.numbers]

    def answer(frame: Any) -> Floats:
        return taken(found, answers(asked, to_polars(frame)))

    function = Function(answer, cuts={one.name: _cuts(found, number) for number, one in _numeric(found)})
    parts = Parts("decision list", (function,), tuple(one.name for one in asked))
    spans = spans_of_parts(parts, people, people, policy)
    untrue = _untrue_rules(found, people, policy)
    # Whoever knows which rule takes people knows all that the list tells.
    reading = Reading(EXACT if spans.outcomes.proved else NOT_PROVED, spans.reading.covered)
    outcomes = replace(spans.outcomes, untrue=untrue, assumptions=())
    return judge(by_people(replace(spans, outcomes=outcomes, reading=reading), policy), policy.require, show=show)


def taken(found: DecisionList, table: Table) -> Floats:
    """Return which part of each person every rule takes, and in the last column what is left for the default."""
    parts, rest = np.zeros((table.rows, len(found.rules) + 1)), np.ones(table.rows)
    for place, rule in enumerate(found.rules):
        part = rest.copy()
        for one in rule.conditions:
            column = table[found.attributes[one.attribute].name]
            admitted = one.region.covers(column).astype(np.float64)
            for unknown in (column.missing, column.suppressed):
                if unknown is not None:
                    admitted[unknown] = one.unknown
            part *= admitted[column.codes]
        parts[:, place] = part
        rest -= part
    parts[:, -1] = rest
    # Sums of parts differ by rounding; files have far fewer digits.
    return np.round(parts, 9)


def _numeric(found: DecisionList) -> list[tuple[int, Any]]:
    every = [(number, found.attributes[number]) for number in found.numbers]
    return [(number, one) for number, one in every if one.is_measured]


def _cuts(found: DecisionList, number: int) -> tuple[float, ...]:
    """Return the ends of all intervals that rules admit of a number: one belongs to what is below it."""
    regions = [one.region for rule in found.rules for one in rule.conditions if one.attribute == number]
    ends = {end for region in regions for interval in region.intervals for end in interval if end is not None}
    return tuple(sorted(float(end) for end in ends))


def untrue_rules(found: DecisionList, answered: Table, label: Int64s, weights: Int64s | None) -> tuple[str, ...]:
    """Return the rules whose labels are not those of the people whom they take; `label` is that of every person."""
    parts, people = taken(found, answered), np.ones(answered.rows) if weights is None else weights
    counts = np.stack([parts.T @ np.where(label == number, people, 0) for number in range(len(found.labels))], axis=1)
    told = np.array([*(rule.outcome.counts for rule in found.rules), found.default.counts], np.float64)
    wrong = (np.abs(told - counts) > SLACK + SLACK_OF_EACH * counts.sum(axis=1, keepdims=True)).any(axis=1)
    names = [*(f"rule {number}" for number in range(1, len(found.rules) + 1)), "the default"]
    return tuple(names[one] for one in np.flatnonzero(wrong).tolist())


def _untrue_rules(found: DecisionList, people: pl.DataFrame, policy: Policy) -> tuple[str, ...]:
    target = encode_people(people, policy, [found.target])
    column, seen = target[found.target], look if found.target_role == "private" else str
    place = {seen(label): number for number, label in reversed(list(enumerate(found.labels)))}
    if not {seen(column.label(code)) for code in range(column.size)} <= set(place):
        raise DataError(
            f"the people have labels in {found.target!r} that the list does not know: give the table it was made from"
        )
    label = np.array([place[seen(column.label(code))] for code in range(column.size)])[column.codes]
    return untrue_rules(found, answers(found.asked, people), label, target.weights)


JUDGE = Judge(audit_list, not_alone("a decision list"), "a decision list")
