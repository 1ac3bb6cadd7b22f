"""Trees about the same people, judged together: people who have the same span in every tree are not told apart."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from kspan.audit.findings import Utility
from kspan.audit.infer import certain
from kspan.audit.shown import shown_cell
from kspan.audit.spans import SpansOfPeople
from kspan.audit.tree.derived import Ways, certain_spans, ways_of
from kspan.audit.tree.reached import OneTree, spans_of
from kspan.audit.tree.told import Told, joined, told_of
from kspan.audit.tree.truth import Ends, ends_of, few_at_leaves, labels_of, quantile_faults, untrue_nodes
from kspan.data.arrays import Bools, Int64s
from kspan.data.cells import SUPPRESSED
from kspan.data.groups import NO_WEIGHTS, Counts, Groups, count_groups, count_values, tally
from kspan.data.table import Column, Table
from kspan.errors import PolicyError
from kspan.model.tree.model import Tree
from kspan.model.tree.people import coded_people
from kspan.policy import Policy
from kspan.privacy.requirement import Requirement
from kspan.utility.loss import classification_metric


@dataclass(frozen=True, repr=False)
class TreeSpans(SpansOfPeople):
    """The spans of one tree among some people, or the joint spans of several trees."""

    kind = "tree"
    trees: tuple[Tree, ...]
    """Trees of one target each; one of several targets is as many, which are judged together."""
    release: tuple[int, ...]
    """The release that each is of, counted from 1."""
    table: Table
    span: Int64s
    groups: Groups
    """The people of each span, with the labels of every private target."""
    each: tuple[OneTree, ...]
    """The spans of each tree by itself."""
    example: Int64s
    """One row of each span."""
    told: Mapping[str, Told]
    """What the trees tell of each private attribute that they ask."""
    untrue: tuple[str, ...]
    """What the trees tell that is not so."""
    exact: tuple[str, ...]
    """What trees of numbers tell too exactly."""
    is_divided: bool
    """Does anybody go several ways at once?"""

    def telling(self, name: str) -> Bools:
        """Tell in which spans something is told of a private attribute: of one that is asked, only where it varies."""
        return self._where.get(name, self.exposing)

    def told_of_rows(self, name: str) -> Column:
        """What is told of every row: its label, or a region of a private attribute."""
        return self.told[name].column if name in self.told else self.table[name]

    def held_by_rows(self, name: str) -> Column:
        """The values that rows truly have, since a region that is told may hold several."""
        return self.table[name]

    def with_value(self, name: str, value: str) -> Counts:
        """The people of each span by the values that they truly have, since a region that is told may hold several."""
        if name not in self.told:
            return super().with_value(name, value)
        weights = NO_WEIGHTS if self.table.weights is None else self.table.weights
        return count_values(self.table[name], self.span, len(self.sizes), weights)

    @cached_property
    def _where(self) -> dict[str, Bools]:
        """For each private attribute that is asked, the spans in which something is told of it."""
        found = {}
        for name, told in self.told.items():
            is_told = np.zeros(len(self.sizes), bool)
            is_told[self.span[told.column.codes != 0]] = True
            found[name] = is_told & told.varies[self.example]
        return found

    @property
    def utility(self) -> Utility:
        """How much information the first tree keeps."""
        first = self.trees[0]
        labels = None if first.is_of_numbers else self.groups.private.get(first.target)
        return replace(super().utility, cm=None if labels is None else classification_metric(labels))

    def leaves(self, span: int) -> list[list[int]]:
        """Return, for each release, the leaves that a span reaches, from left to right."""
        row = self.example[span]
        # All targets of a release have the same leaves.
        first = [self.release.index(at) for at in dict.fromkeys(self.release)]
        return [self.each[place].leaves(int(self.each[place].span[row])) for place in first]

    def bins(self, span: int) -> tuple[int, ...]:
        """The leaves of the first tree that a span reaches."""
        return tuple(leaf + 1 for leaf in self.leaves(span)[0])

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Describe some spans by the leaves that they reach and the public values that lead there."""
        return [self._shown(span) for span in some]

    def _shown(self, span: int) -> dict[str, str]:
        rows, releases = np.flatnonzero(self.span == span), self.release[-1]
        names = [f"leaves of release {at}" if releases > 1 else "leaves" for at in range(1, releases + 1)]
        reached = (", ".join(str(leaf + 1) for leaf in leaves) for leaves in self.leaves(span))
        shown = dict(zip(names, reached, strict=True))
        for tree in self.trees:
            asked = {node.attribute for node in tree.nodes()}
            for number, attribute in enumerate(tree.attributes):
                if attribute.role == "public" and number in asked and attribute.name not in shown:
                    shown[attribute.name] = self._shown_of(attribute.name, rows)
        # Public labels tell people apart, too.
        shown |= {tree.target: self._shown_of(tree.target, rows) for tree in self.trees if tree.target_role == "public"}
        return shown

    def _shown_of(self, name: str, rows: Int64s) -> str:
        """Describe what some rows have of a column."""
        column = self.table[name]
        return shown_cell(column, np.unique(column.codes[rows]))

    def facts(self) -> dict[str, Any]:
        """How many releases were judged together, and what they tell that is not so."""
        return {
            "releases": self.release[-1],
            "untrue": self.untrue,
            "exact": self.exact,
            "inferred": tuple(self._inferred()),
            "make_derived": self._derived,
        }

    def _derived(self) -> dict[str, int] | None:
        """Of how many exposed people a private attribute follows from what the tree discloses; None if not found."""
        spans = self._derived_spans()
        return None if spans is None else {name: int(self.sizes[some].sum()) for name, some in spans.items()}

    def _derived_spans(self) -> dict[str, Int64s] | None:
        exposed = {name: self._exposed(name) for name in self.disclosed}
        if not any(map(len, exposed.values())):
            return exposed
        if len(self.trees) > 1 or self.is_divided or self.untrue:
            return None
        tree, (alone,) = self.trees[0], self.each
        if tree.is_of_numbers:
            return None
        labels = labels_of(tree, self.table)
        is_public = tree.target_role == "public"
        ways = ways_of(tree, alone, labels[self.table[tree.target].codes[self.example]] if is_public else None)
        if ways is None:
            return None
        wanted = [
            (span, self._elsewhere(name, span, ways, labels)) for name, spans in exposed.items() for span in spans
        ]
        sure = certain_spans(ways, wanted)
        if sure is None:
            return None
        ends = np.cumsum([len(spans) for spans in exposed.values()])[:-1]
        parts = np.split(np.array(sure), ends)
        return {name: spans[part] for (name, spans), part in zip(exposed.items(), parts, strict=True)}

    def _exposed(self, name: str) -> Int64s:
        """Return the spans in which everybody is told to have the same of a private attribute."""
        return np.flatnonzero(certain(self.disclosed[name]) & self.telling(name))

    def _elsewhere(self, name: str, span: int, ways: Ways, labels: Int64s) -> Bools:
        """Tell which bins are those of people who have something else than everybody in a span is told to have."""
        counts, told = self.disclosed[name], self.told.get(name)
        code = int(counts.value[counts.start[span]])
        elsewhere: Bools = (
            ways.label != labels[code] if told is None or told.by_leaf is None else told.by_leaf[ways.leaf] != code
        )
        return elsewhere

    def _inferred(self) -> Iterator[str]:
        """Yield, for each private attribute, what is told of everybody in the largest span that it exposes."""
        for name, counts in self.disclosed.items():
            exposed = self._exposed(name)
            if not len(exposed):
                continue
            span = int(exposed[self.sizes[exposed].argmax()])
            code = int(counts.value[counts.start[span]])
            told = self.told.get(name)
            what = f"{name} = {self.table[name].label(code)}" if told is None else told.column.label(code)
            # After the leaves in each tree come the public values.
            public = list(self._shown(span).items())[self.release[-1] :]
            known = ", ".join(f"{key} {cell}" for key, cell in public if cell != SUPPRESSED) or "any public values"
            size = int(self.sizes[span])
            yield f"all {size:,} people with {known} have {what}" if size > 1 else f"the one with {known} has {what}"


def people_of(trees: Sequence[Tree], people: pl.DataFrame, policy: Policy) -> Table:
    """Code the labels of the people, the public columns that some trees may ask, and the private ones that they do."""
    columns: dict[str, Column] = {}
    for tree in (view for one in trees for view in one.views()):
        asked = {node.attribute for node in tree.nodes()}
        names = [
            item.name
            for number, item in enumerate(tree.attributes)
            if (item.role == "public" or number in asked) and item.name not in columns
        ]
        table = coded_people(tree, people, policy, names, by_person=True)
        for column in table.columns.values():
            if columns.setdefault(column.name, column).kind.unit != column.kind.unit:
                raise PolicyError(f"one tree takes {column.name!r} as dates and one as labels: judge each by itself")
    # All trees are about the same rows, so those of the last one are those of all.
    return Table(columns, table.rows, table.weights, table.persons)


def joint_spans(trees: Sequence[Tree], table: Table, require: Requirement | None = None) -> TreeSpans:
    """Find the joint spans of several trees: people share one if they have the same span in every tree.

    What is required says how many people must have a number, or share a mean, before it may be told.

    Which leaves of several trees a person may be in at the same time follows from the leaves that the person reaches in
    each tree. For a path asks for public values and for private ones, and whether two paths admit the same private
    values does not depend on the person. So nothing tells people apart who have the same span in every tree, while all
    others are told apart by one of the trees. A joint span is one bin only if it is one bin in every tree.
    """
    release = tuple(place for place, one in enumerate(trees, 1) for _ in one.targets)
    trees = [view for one in trees for view in one.views()]
    each = tuple(spans_of(tree, table) for tree in trees)
    span, number = each[0].span, len(each[0].groups)
    for more in each[1:]:
        keys = span * len(more.groups) + more.span
        distinct, _, span = tally(keys, number * len(more.groups), NO_WEIGHTS, locate=True)
        number = len(distinct)
    example = np.empty(number, np.int64)
    example[span] = np.arange(table.rows)
    exposing: Bools = np.logical_or.reduce([alone.groups.exposing[alone.span[example]] for alone in each])
    targets = dict.fromkeys(tree.target for tree in trees if tree.target_role == "private")
    # One tree has counted its labels already.
    counted = each[0].groups if len(each) == 1 else count_groups(table, span, number, targets)
    ends = [ends_of(tree, table, alone) for tree, alone in zip(trees, each, strict=True)]
    told = _told(trees, table, each, ends)
    weights = NO_WEIGHTS if table.weights is None else table.weights
    regions = {name: count_values(one.column, span, number, weights) for name, one in told.items()}
    groups = Groups(counted.sizes, {**counted.private, **regions}, exposing)
    is_divided = any(one.several for one in ends)
    crowd = 1 if require is None else require.crowd
    faults = [quantile_faults(tree, table, people, crowd) for tree, people in zip(trees, ends, strict=True)]
    few = [few_at_leaves(tree, table, people, require) for tree, people in zip(trees, ends, strict=True)]
    sums = [untrue_nodes(tree, people) for tree, people in zip(trees, ends, strict=True)]
    both = [tuple(dict.fromkeys((*one, *other))) for one, (other, _) in zip(sums, faults, strict=True)]
    close = [tuple(dict.fromkeys((*one, *names))) for one, (_, names) in zip(few, faults, strict=True)]
    untrue, exact = (_named(trees, release, found) for found in (both, close))
    return TreeSpans(tuple(trees), release, table, span, groups, each, example, told, untrue, exact, is_divided)


def _told(trees: Sequence[Tree], table: Table, each: Sequence[OneTree], ends: Sequence[Ends]) -> dict[str, Told]:
    """Return what trees tell of the private attributes that they ask, and whose labels they do not tell already."""
    every: dict[str, list[Told]] = {}
    for tree, spans, people in zip(trees, each, ends, strict=True):
        for name, told in told_of(tree, table, spans, people).items():
            every.setdefault(name, []).append(told)
    # A label of one tree that another tree asks is known better from its counts.
    targets = {tree.target for tree in trees if tree.target_role == "private"}
    return {name: joined(told) for name, told in every.items() if name not in targets}


def _named(trees: Sequence[Tree], release: Sequence[int], found: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Name nodes of several trees, and what they tell of; those of one need no more than their names."""
    said = []
    for tree, at, names in zip(trees, release, found, strict=True):
        target = f" ({tree.target})" if release.count(at) > 1 else ""
        of = f" of release {at}" if release[-1] > 1 else ""
        said += [f"{name}{of}{target}" for name in names]
    return tuple(said)
