"""Clusters in which every span is a crowd, by cutting a spanning tree (Friedman, Wolff, Schuster 2008, Sect. 5.2)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.encode import encode_people
from kspan.data.general import GeneralNumbers
from kspan.data.groups import NO_WEIGHTS, Counts, Groups, count_groups, group_rows, tally
from kspan.data.kinds.words import WORDS
from kspan.data.meaning import canonical
from kspan.data.schema import Schema
from kspan.data.table import Column, Table
from kspan.errors import DataError, Unreachable
from kspan.frames.files import load
from kspan.induce.clusters.reach import cells_of
from kspan.induce.clusters.spanning_tree import Forest, spanning_tree
from kspan.induce.known import classes_of, exposed_before
from kspan.induce.persons import NOTHING_TOLD, Persons
from kspan.model.clusters.axes import Axis, Center, NumberAxis, WordAxis, check_numbers, meant, numbers_of, short
from kspan.model.clusters.model import Clusters
from kspan.model.tree.model import Attribute, Role
from kspan.options import Within, takes_options
from kspan.policy import Policy, PolicyLike
from kspan.policy.free_text import check_no_free_text
from kspan.policy.values import check_occurs
from kspan.privacy import OnPrivate

Scaling = Literal["deviation", "range", "none"]


def learn_clusters(data: Any, policy: PolicyLike, **options: Any) -> Clusters:
    """Cluster the people in a dataframe or file under the policy's requirement; the options are those of `clusters`.

    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [20, 21, 22, 60, 61, 62], "pay": [1, 2, 3, 7, 8, 9]})
    >>> print(learn_clusters(people, Policy(public=["age"], private=["pay"], require="k=3")))
    3 people around age 21, pay 2
    3 people around age 61, pay 8
    """
    policy, people = Policy.of(policy), load(data)
    check_no_free_text(people, policy)
    return clusters(encode_people(people, policy), policy, **options)


@takes_options
def clusters(
    table: Table,
    policy: Policy,
    *,
    most: Annotated[int, Within(1)] = 10,
    min_people: Annotated[int, Within(1)] | None = None,
    scaling: Scaling = "deviation",
    known: Int64s | None = None,
) -> Clusters:
    """Make clusters by cutting the longest edges of the minimum spanning tree, as long as the release keeps the policy.

    At first all people are one cluster. The longest edge is cut if the clusters would then satisfy the requirement, as
    judged by their centers and the cells nearest to these; otherwise the next edge is tried. It ends with `most`
    clusters, or when no edge is left. The center of very few people would be a picture of them; the paper's own
    `min_people` is 1. Two categories are always one apart. Cells of a released table count as what they are expected to
    hold: ranges as their middle, sets as equal shares; whoever shows the same is one kind of people. `known` are the
    classes of rows that earlier releases tell apart (see `kspan.induce.known`).

    Options:
        most: The most clusters.
        min_people: The fewest people of a cluster, the policy's k unless said.
        scaling: What numbers are divided by to be comparable.
    """
    check_occurs(policy.require, table, policy)
    if policy.range_pattern is not None:
        table = canonical(table, policy.range_pattern)
    axes = tuple(_axis(table[name], policy, scaling) for name in (*policy.public, *policy.private))
    fewest = policy.require.crowd if min_people is None else min_people
    drafts = _Drafts(axes, table, policy, classes_of(known, table.rows, table.persons))
    points, people, point = _points(axes, table)
    edges, lengths = spanning_tree(points)
    forest = Forest.of(edges, people, points)
    # A part goes by the edge that was cut above it, that of the root by -1.
    parts = {-1: forest.of_part(-1)}
    if not drafts.holds(list(parts.values())):
        if drafts.classes > 1:
            raise exposed_before(drafts.people_breaking(), table.people, policy.require)
        raise Unreachable(f"even one cluster of everybody breaks {policy.require}, since its center tells: lower it")
    for edge in range(len(edges)):
        if len(parts) >= most or lengths[edge] == 0:
            break
        part, above, below = forest.sides(edge)
        if min(above[0], below[0]) < fewest:  # the first sum is the number of people
            continue
        after = {**parts, part: above, edge: below}
        # Where people have several rows, these are not as many people.
        if table.persons is not None and (
            _fewest_persons(table.persons, forest.members([*forest.cut, edge])[point]) < fewest
        ):
            continue
        if drafts.holds(list(after.values())):
            forest.cut.append(edge)
            parts = after
    return drafts.released(list(parts.values()))


class _Drafts:
    """Clusters as they would be released, and whether they keep the requirement."""

    def __init__(self, axes: tuple[Axis, ...], table: Table, policy: Policy, known: Int64s) -> None:
        self.axes, self.table, self.policy = axes, table, policy
        self.public = [axis.attribute.name for axis in axes if axis.attribute.role == "public"]
        self.private = [axis.attribute.name for axis in axes if axis.attribute.role == "private"]
        kind, number = group_rows([table[name] for name in self.public], table.rows)
        row = np.empty(number, np.int64)
        row[kind] = np.arange(table.rows)
        self.kinds = table.at(row)
        self.known, self.classes = known, int(known.max(initial=0)) + 1
        # People of one kind are in the same cells, but they are no crowd if earlier releases tell them apart.
        pairs, _, self.pair = tally(kind * self.classes + known, number * self.classes, NO_WEIGHTS, locate=True)
        self.kind_of, self.class_of = np.divmod(pairs, self.classes)
        self.people = tally(self.pair, len(pairs), NO_WEIGHTS if table.weights is None else table.weights)[1]
        self.persons = None if table.persons is None else Persons(table.persons, policy.known_rows)
        self.measured: dict[tuple[Center, ...], Floats] = {}
        """How far all kinds of people are, by public values, from the centers that were tried last."""

    def holds(self, parts: Sequence[Floats]) -> bool:
        """Would clusters of these parts keep the requirement? A part has its people and their sums of coordinates."""
        draft = self.draft(parts)
        span, exposing = self.spans(draft)
        sizes = np.bincount(span, self.people)
        # Sizes are cheap, and often refuse already.
        if (sizes[exposing] < self.policy.require.crowd).any():
            return False
        of_row = span[self.pair]
        counted = count_groups(self.table, of_row, len(exposing), self.private)
        crowds = Groups(counted.sizes, counted.private, exposing)
        # Centers tell what people have, also of those who can be in one cluster only.
        told = Groups(counted.sizes, counted.private)
        if not all(
            bool(part.holds(told if isinstance(part, OnPrivate) else crowds).all())
            for part in self.policy.require.parts
        ):
            return False
        return self.cells_hold(draft, of_row, exposing) and self.persons_hold(draft, of_row, exposing)

    def spans(self, draft: Clusters) -> tuple[Int64s, Bools]:
        """The span of each kind of people of a class, and which spans reach several cells."""
        reached = cells_of(draft, self.distances(draft))
        alike, example = _alike(reached)
        keys = alike[self.kind_of] * self.classes + self.class_of
        there, _, span = tally(keys, len(example) * self.classes, NO_WEIGHTS, locate=True)
        return span, reached[example[there // self.classes]].sum(axis=1) > 1

    def people_breaking(self) -> int:
        """How many people are in classes that break the requirement as soon as a center tells of everybody."""
        told = count_groups(self.table, self.known, self.classes, self.private)
        required = [part for part in self.policy.require.parts if isinstance(part, OnPrivate)]
        good: Bools = np.logical_and.reduce([part.holds(told) for part in required])
        return int(told.sizes[~good].sum())

    def persons_hold(self, draft: Clusters, span: Int64s, exposing: Bools) -> bool:
        """Where people have several rows: would what is told of these keep the requirement by people?"""
        if self.persons is None:
            return True
        telling = np.where(exposing[span], span, NOTHING_TOLD)
        nearest = draft.nearest(self.table).astype(np.uint32)
        cell = {"cluster": Column("cluster", WORDS, nearest, np.empty(len(draft), object))}
        for part in self.policy.require.parts:
            if not isinstance(part, OnPrivate):
                if not self.persons.hold(part, telling, {}):
                    return False
                continue
            told = [name for name in self.private if name in part.looks_at((name,))]
            if not all(self.persons.hold(part, span, {name: self.table[name]}) for name in told):
                return False
            if part.only_value is None and not self.persons.hold(replace(part, on=()), telling, cell):
                return False
        return True

    def cells_hold(self, draft: Clusters, span: Int64s, exposing: Bools) -> bool:
        """Would what the clusters of people tell of whole spans keep what is required of private values?"""
        required = (part for part in self.policy.require.parts if isinstance(part, OnPrivate))
        # A cell is no value, and whoever has a value was counted in the span.
        parts = [replace(part, on=()) for part in required if part.only_value is None]
        if not parts:
            return True
        keys = span * len(draft) + draft.nearest(self.table)
        cells = np.bincount(keys, self.table.weights, len(exposing) * len(draft)).astype(np.int64)
        counts = Counts.of(cells.reshape(-1, len(draft)))
        groups = Groups(counts.sizes, {"cluster": counts}, exposing)
        return all(bool(part.holds(groups).all()) for part in parts)

    def distances(self, draft: Clusters) -> Floats:
        """How far all kinds of people are from each center, by public values; most centers were known before."""
        before = self.measured
        self.measured = {
            center: before[center]
            if center in before
            else Clusters(self.axes, (center,), (0,)).squares(self.kinds, self.public)[:, 0]
            for center in draft.centers
        }
        return np.column_stack([self.measured[center] for center in draft.centers])

    def draft(self, parts: Sequence[Floats]) -> Clusters:
        """Clusters with the centers of some parts; how many people they have is left open."""
        centers = tuple(_centers(self.axes, part) for part in parts)
        return Clusters(self.axes, centers, tuple(0 for _ in parts))

    def released(self, parts: Sequence[Floats]) -> Clusters:
        """Clusters with the centers of some parts, and how many people are nearest to each center."""
        draft = self.draft(parts)
        # These need not be the people of the part: some may be nearer to another center.
        people = np.bincount(draft.nearest(self.table), self.table.weights, minlength=len(draft)).astype(np.int64)
        return Clusters(self.axes, draft.centers, tuple(people.tolist()))


def _alike(reached: Bools) -> tuple[Int64s, Int64s]:
    """Number the sets of cells that rows have; returns the number of each row, and an example row of each set.

    Sets are told apart by the sums of random marks of their cells.
    """
    marks = np.random.default_rng(0).integers(0, 1 << 63, reached.shape[1], np.uint64)
    sums = (reached * marks).sum(axis=1)
    _, example, number = np.unique(sums, return_index=True, return_inverse=True)
    return number, example


def _axis(column: Column, policy: Schema, scaling: Scaling) -> Axis:
    role: Role = "public" if column.name in policy.public else "private"
    shown = meant(column)
    if not column.is_measured and not isinstance(shown, GeneralNumbers):
        words = [column.label(code) for code in range(column.size) if code != column.missing]
        values = tuple(words if shown is None else map(str, shown.values))
        if not values and not column.has_missing:
            raise DataError(f"column {column.name!r} shows nothing of anybody: take it out of the policy")
        return WordAxis(Attribute(column.name, role, WORDS, values, has_missing=column.has_missing))
    check_numbers(column)
    domain = column.domain
    low, high = (None, None) if domain is None else (domain.low, domain.high)
    numbers = numbers_of(column)[column.codes]
    if scaling == "range" and low is not None and high is not None:
        width = high - low
    else:
        width = {"deviation": numbers.std(), "range": np.ptp(numbers), "none": 1.0}[scaling]
    kind = column.kind if shown is None else column.kind.measure
    return NumberAxis(Attribute(column.name, role, kind, (), low, high), short(float(width)) or 1.0)


def _fewest_persons(person: Int64s, part: Int64s) -> int:
    """The number of people who have rows in a part, of that with the fewest."""
    pairs = np.unique(np.column_stack([part, person]), axis=0)
    return int(np.unique(pairs[:, 0], return_counts=True)[1].min())


def _points(axes: Sequence[Axis], table: Table) -> tuple[Floats, Int64s, Int64s]:
    """The distinct people as points, as far apart as the clusters take them to be.

    Returns also how many are at each point, and the point of each row.
    """
    columns = [table[axis.attribute.name] for axis in axes]
    group, number = group_rows(columns, table.rows)
    row = np.empty(number, np.int64)
    row[group] = np.arange(table.rows)
    people = tally(group, number, NO_WEIGHTS if table.weights is None else table.weights)[1]
    points = np.column_stack(
        [axis.coordinates(column)[column.codes[row]] for axis, column in zip(axes, columns, strict=True)]
    )
    return points, people, group


def _centers(axes: Sequence[Axis], part: Floats) -> tuple[Center, ...]:
    """The center of a part, with few digits; `part` has its number of people, then their sums of coordinates."""
    ends = np.cumsum([1, *(axis.width for axis in axes)]).tolist()
    means = part / part[0]
    return tuple(axis.center(means[first:last]) for axis, (first, last) in zip(axes, pairwise(ends), strict=True))
