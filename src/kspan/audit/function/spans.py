"""The spans of a function: people who can have the same outcomes by public values alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from kspan.audit.findings import Utility
from kspan.audit.function.outcomes import Outcomes
from kspan.audit.infer import certain
from kspan.audit.shown import shown_cell
from kspan.audit.spans import SpansOfPeople, beside
from kspan.data.arrays import Bools, Int64s
from kspan.data.cells import SUPPRESSED
from kspan.data.groups import NO_WEIGHTS, Counts, Groups, count_groups, count_values
from kspan.data.kinds.words import WORDS
from kspan.data.table import Column, Table
from kspan.model.partition import Partition
from kspan.privacy.requirement import OnPrivate
from kspan.utility.loss import classification_metric

ANSWER = "answer"
"""The name of what a function without a target tells of people besides their private attributes."""


@dataclass(frozen=True, repr=False)
class Reading:
    """How a model was judged."""

    name: str
    """"exact", "answers" or "not proved"."""
    covered: str = ""
    """How much was looked at, in a sentence."""


@dataclass(frozen=True, repr=False)
class FunctionSpans(SpansOfPeople):
    """The spans of a function among some people."""

    kind = "function"
    table: Table
    span: Int64s
    groups: Groups
    """The people of each span, with their labels, and what is told of private attributes."""
    outcomes: Outcomes
    of_kind: Int64s
    """The kind of each row."""
    public: tuple[str, ...]
    target: str | None
    reading: Reading

    @cached_property
    def example(self) -> Int64s:
        """One row of each span."""
        found = np.empty(len(self.sizes), np.int64)
        found[self.span] = np.arange(self.table.rows)
        return found

    @cached_property
    def _where(self) -> dict[str, Bools]:
        """For each private attribute that is read, the spans in which something is told of it."""
        found = {}
        for name, told in self.outcomes.told.items():
            is_told, varies = np.zeros((2, len(self.sizes)), bool)
            is_told[self.span[told.column.codes != 0]] = True
            # Kinds that share a span may get to the same outcomes by different cells.
            varies[self.span[told.varies[self.of_kind]]] = True
            found[name] = is_told & varies
        return found

    @cached_property
    def answers(self) -> Counts | None:
        """How many people of each span have each outcome, if there is no target that it could be judged by."""
        if self.target is not None:
            return None
        weights = NO_WEIGHTS if self.table.weights is None else self.table.weights
        return count_values(self._outcome, self.span, len(self.sizes), weights)

    @property
    def _answer(self) -> str:
        """What answers are called."""
        return beside(ANSWER, self.groups.private)

    @cached_property
    def _outcome(self) -> Column:
        """The outcome of every row; outcomes have no names."""
        size = int(self.outcomes.own.max()) + 1
        return Column(ANSWER, WORDS, self.outcomes.own.astype(np.uint32), np.empty(size, object))

    def told_of_rows(self, name: str) -> Column:
        """What is told of every row: its label, what is told of a private attribute, or its outcome."""
        if name not in self.groups.private:
            return self._outcome
        told = self.outcomes.told.get(name) if name != self.target else None
        return self.table[name] if told is None else told.column

    def held_by_rows(self, name: str) -> Column:
        """The values that rows have, also where less is told of them."""
        return self.table[name]

    @property
    def disclosed(self) -> Mapping[str, Counts]:
        """The labels of the people of each span, what is told of private attributes, and answers without a label."""
        return {**({} if self.answers is None else {self._answer: self.answers}), **self.groups.private}

    @property
    def judged(self) -> Mapping[str, Counts]:
        """The private attributes of people."""
        return self.groups.private

    def telling(self, name: str) -> Bools:
        """Tell in which spans something is told of a private attribute."""
        return self._where.get(name, self.exposing)

    def asks(self, part: OnPrivate) -> Iterator[tuple[str, OnPrivate]]:
        """Yield what a part of the requirement is asked of: private attributes and, without a target, answers."""
        yield from super().asks(part)
        if self.answers is not None and part.is_of_any_values:
            yield self._answer, replace(part, on=())

    def with_value(self, name: str, value: str) -> Counts:
        """The people of each span by the values that they have, also where less is told of them."""
        if name not in self.outcomes.told:
            return self.judged[name]
        weights = NO_WEIGHTS if self.table.weights is None else self.table.weights
        return count_values(self.table[name], self.span, len(self.sizes), weights)

    @property
    def utility(self) -> Utility:
        """How much information the labels keep."""
        labels = self.groups.private.get(self.target or "")
        return replace(super().utility, cm=None if labels is None else classification_metric(labels))

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Describe some spans by the public values of their people."""
        return [self._shown(span) for span in some]

    def _shown(self, span: int) -> dict[str, str]:
        rows = np.flatnonzero(self.span == span)
        columns = (self.table[name] for name in self.public)
        return {column.name: shown_cell(column, np.unique(column.codes[rows])) for column in columns}

    def facts(self) -> dict[str, Any]:
        """How it was judged, what it tells that is not so, and what follows for certain."""
        return {
            "reading": self.reading.name,
            "covered": self.reading.covered,
            "untrue": self.outcomes.untrue,
            "assumptions": self.outcomes.assumptions,
            "inferred": tuple(self._inferred()),
        }

    def _inferred(self) -> Iterator[str]:
        """Yield, for each private attribute, what is told of everybody in the largest span that it exposes."""
        for name, counts in self.groups.private.items():
            exposed = np.flatnonzero(certain(counts) & self.telling(name))
            if not len(exposed):
                continue
            span = int(exposed[self.sizes[exposed].argmax()])
            cells = self._shown(span).items()
            known = ", ".join(f"{key} {cell}" for key, cell in cells if cell != SUPPRESSED) or "any public values"
            what = self._what(name, int(counts.value[counts.start[span]]))
            size = int(self.sizes[span])
            yield f"all {size:,} people with {known} have {what}" if size > 1 else f"the one with {known} has {what}"

    def _what(self, name: str, code: int) -> str:
        told = self.outcomes.told.get(name)
        if told is None:
            return f"{name} = {self.table[name].label(code)}"
        column, admitted = self.table[name], np.flatnonzero(told.admitted[code])
        present = np.unique(column.codes)[admitted].astype(np.int64)
        return f"{name} {'=' if len(present) == 1 else 'in'} {shown_cell(column, present)}"


def function_spans(
    table: Table, outcomes: Outcomes, kinds: Partition, public: Sequence[str], target: str | None, reading: Reading
) -> FunctionSpans:
    """Make spans of the outcomes that each kind of people can have; a public label is known, and divides them."""
    is_public = target is not None and target in kinds.shown
    key = outcomes.span[kinds.group]
    if is_public:
        column = table[target or ""]
        key = key * column.size + column.codes
    _, span = np.unique(key, return_inverse=True)
    rows = span.reshape(-1).astype(np.int64)
    number = int(rows.max()) + 1
    private = () if target is None or is_public else (target,)
    counted = count_groups(table, rows, number, private)
    weights = NO_WEIGHTS if table.weights is None else table.weights
    told = {
        name: count_values(one.column, rows, number, weights)
        for name, one in outcomes.told.items()
        if name not in private
    }
    exposing = np.full(number, bool(private))
    exposing[rows[outcomes.several[kinds.group]]] = True
    groups = Groups(counted.sizes, {**counted.private, **told}, exposing)
    return FunctionSpans(table, rows, groups, outcomes, kinds.group, tuple(public), target, reading)
