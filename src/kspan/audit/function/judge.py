"""The audit of any function from people to outcomes (Friedman et al. 2008, Definition 2)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from kspan.audit.findings import ANSWERS, EXACT, NOT_PROVED, Audit
from kspan.audit.function.asked import Asked
from kspan.audit.function.ends import asked_of, check_answers, check_ends, ends_in, shared_rows
from kspan.audit.function.numbers import NumbersOf, numbers_of, one_hots
from kspan.audit.function.outcomes import Outcomes
from kspan.audit.function.reached import private_of, reached_leaves
from kspan.audit.function.spans import FunctionSpans, Reading, function_spans
from kspan.audit.function.tried import Answers, tried_answers
from kspan.audit.function.truth import LABELS_NOT_COUNTED, NOT_COUNTED, is_counted, tells_labels, untrue_nodes
from kspan.audit.judge import judge
from kspan.audit.of_persons import by_people
from kspan.data.alike import look
from kspan.data.encode import encode_people
from kspan.data.persons import persons_of
from kspan.data.table import Column, Table
from kspan.errors import DataError, PolicyError, did_you_mean, listed
from kspan.frames.files import load
from kspan.model.function.kept import kept_rows
from kspan.model.function.parts import Forest, Function, Parts, parts_of
from kspan.policy import Policy
from kspan.policy.values import check_occurs
from kspan.privacy import OnPrivate

ANSWERS_ALONE = (
    "It is judged by what it answers. What its parameters or its probabilities tell is not: to judge these, give the "
    "function that returns them, such as its predict_proba."
)


def audit_function(model: Any, people: Any, policy: Policy, *, show: int = 5) -> Audit:
    """Judge any model by its people: those who can have the same outcomes, by public values alone, must be a crowd.

    An outcome is the leaf of every tree of an ensemble, and the answer of everything else. Public values are known, and
    private ones may be anything in their domain. If that is too much to look at, nothing is said to hold.
    """
    frame = load(people)
    # Whether it keeps something of each row, or of each person.
    persons = persons_of(frame, policy)
    numbers = {frame.height} if persons is None else {frame.height, int(persons.max()) + 1}
    if kept := next(filter(None, (kept_rows(model, number) for number in numbers)), None):
        raise PolicyError(
            f"this {type(model).__name__} keeps rows of people, or something of each (in {kept}): take that out before "
            "it leaves, or judge its answers alone (give its predict) and let nobody have more than these"
        )
    parts = parts_of(model)
    return judge(by_people(spans_of_parts(parts, people, frame, policy), policy), policy.require, show=show)


def spans_of_parts(parts: Parts, people: Any, frame: pl.DataFrame, policy: Policy) -> FunctionSpans:
    """Find the spans of a model that was taken apart."""
    table = _coded(parts, frame, policy)
    target = policy.target if policy.target in table.columns else None
    read = [name for name in table.columns if name != target]
    public = [name for name in read if name in policy.public]
    private = [name for name in read if name not in policy.public]
    _check_asked(policy, private, target)
    check_occurs(policy.require, table, policy)
    known = [*public, target] if target is not None and target in policy.public else public
    asked = Asked(people, table, known, private, parts.columns)
    if target is not None:
        _check_target(parts, table[target])
    outcomes, reading = _outcomes(parts, asked, target)
    return function_spans(table, outcomes, asked.kinds, public, target, reading)


def _check_target(parts: Parts, target: Column) -> None:
    """Refuse a model that predicts something else than the target of the policy."""
    if parts.is_regressor and not target.is_measured:
        raise PolicyError(
            f"the model predicts numbers, and the target {target.name!r} holds words: name what it predicts as target"
        )
    known = set(map(look, parts.labels))
    if known and not {look(target.label(code)) for code in range(target.size)} <= known:
        raise DataError(
            f"the people have labels in {target.name!r} that the model does not know: give the table it was made from"
        )


def _outcomes(parts: Parts, asked: Asked, target: str | None) -> tuple[Outcomes, Reading]:
    numbers = [numbers_of(forest, asked) for forest in parts.forests]
    ends = []
    everybody = np.arange(asked.table.rows)
    frame = asked.wanted_rows(everybody) if asked.wanted else None
    for made in numbers:
        of_people = made.of_rows(everybody)
        ends.append(ends_in(made.forest.trees, of_people))
        check_ends(made.forest, frame, of_people, ends[-1])
    private = private_of(numbers, asked) if parts.is_forest else None
    if private is not None:
        found = reached_leaves(numbers, ends, private, asked)
    else:
        functions = [part for part in parts.parts if isinstance(part, Function)]
        found = tried_answers(Answers(numbers, functions, asked), asked)
    if parts.is_forest and asked.wanted and parts.answer is not None:
        rows = shared_rows(found.own)
        check_answers(asked_of(parts.answer, asked.wanted_rows(rows)), found.own[rows])
    ensembles = [made.forest.trees for made in numbers]
    column = None if target is None else asked.table[target]
    counted = all(is_counted(trees, asked.table.rows) for trees in ensembles)
    silent = target is not None and any(not tells_labels(trees) for trees in ensembles)
    assumptions = (
        *(() if counted else (NOT_COUNTED,)),
        *((LABELS_NOT_COUNTED,) if silent else ()),
        *(() if parts.is_forest else (ANSWERS_ALONE,)),
    )
    found = replace(found, untrue=untrue_nodes(ensembles, ends, column), assumptions=assumptions)
    return found, _reading(parts, found, numbers)


def _reading(parts: Parts, found: Outcomes, numbers: Sequence[NumbersOf]) -> Reading:
    trees = sum(len(made.forest.trees.grown) for made in numbers)
    what = f"the leaves of {trees:,} trees" if trees != 1 else "the leaves of its tree"
    if not parts.is_forest:
        what = f"its answers and {what}" if trees else "its answers"
    if not found.proved:
        remedy = (
            f"; {listed(found.endless)} may be any number: if it is one of few, list them as text under [domains]"
            if found.endless
            else ""
        )
        return Reading(
            NOT_PROVED,
            f"{what} were looked at for {found.tried:,} combinations of private values, of many more{remedy}",
        )
    every = f", for all {found.tried:,} combinations of private values" if found.tried > 1 else ""
    return Reading(EXACT if parts.is_forest else ANSWERS, f"{what} were looked at{every}")


def _coded(parts: Parts, frame: pl.DataFrame, policy: Policy) -> Table:
    """Code the columns that a model reads, and the target; refuse what has no role that it could be judged by."""
    roles = (*policy.public, *policy.private)
    policy.check_columns(frame.columns)
    every = [name for name in roles if name in frame.columns and name != policy.target]
    target = [policy.target] if policy.target in frame.columns and policy.target is not None else []
    if policy.target is not None and not target:
        raise DataError(f"the people lack the target {policy.target!r}: give the table that the model was made from")
    if parts.columns is None:
        return encode_people(frame, policy, [*every, *target])
    table = encode_people(frame, policy, every)
    named = [name for part in parts.parts for name in _read(part, parts, table)]
    for name in dict.fromkeys(named):
        if name not in table.columns:
            what = "the target itself" if name == policy.target else "which is no column of the people with a role"
            raise PolicyError(
                f"the model reads {name!r}, {what}{did_you_mean(name, every)}: give the table that it was fitted on, "
                "and say in the policy who may know each column"
            )
    return encode_people(frame, policy, [*(name for name in every if name in named), *target])


def _read(part: Forest | Function, parts: Parts, table: Table) -> list[str]:
    if isinstance(part, Forest) and not part.steps:
        return [name for name, _ in one_hots(part, table)]
    return list(parts.columns or ())


def _check_asked(policy: Policy, private: Sequence[str], target: str | None) -> None:
    """Refuse a requirement on private values that the model does not tell of."""
    told = {*private, *(() if target is None or target in policy.public else (target,))}
    for part in policy.require.parts:
        if isinstance(part, OnPrivate) and (not set(part.on) <= told or (not told and target is not None)):
            what = f"it knows of {listed(sorted(told))} alone" if told else "nothing that it knows is private"
            raise PolicyError(f"{part} cannot be asked of this model: {what}")
