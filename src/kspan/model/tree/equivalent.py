"""The equivalent table of a tree: what the tree tells of its people, as a table that can be audited like any other."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.cells import SUPPRESSED, number_text, write_interval, write_set
from kspan.data.groups import NO_WEIGHTS, tally
from kspan.data.table import Column, Table
from kspan.errors import DataError, ModelError, listed
from kspan.frames.files import load
from kspan.frames.native import of_its_kind
from kspan.model.kinds import model_of
from kspan.model.outcome import Numbers
from kspan.model.tree.kind import TREE
from kspan.model.tree.model import Attribute, Node, Region, Tree
from kspan.model.tree.people import check_roles, coded_people
from kspan.policy import Policy, PolicyLike

FAR = 1e300
"""Written for an interval without an end: the lowest and the highest number of the data are somebody's."""


def equivalent_table(tree: Any, people: Any, policy: PolicyLike) -> Any:
    """What a tree tells of the people it was made from, as a table (Friedman et al. 2008, Sect. 3, Table 2).

    There is one row per person, without names and sorted by its cells, and one column per attribute of the tree, then
    the label or, of a tree of numbers, the mean of the leaf where the person is; all cells are text. Public cells show
    the person's answers to all questions that the person may be asked, whatever the private answers are. Private cells
    show the path to the leaf where the person is. What is not asked is `*`, or the policy's `suppressed_text`. So
    people who show the same public cells are a span.

    Cells admit the true value, and may admit more: `*` may stand for some values or a missing one, `[lo, hi]` stands
    for `lo < x <= hi` (in a column of whole numbers, for the numbers from `lo` to `hi`), and several intervals are
    shown as the one that spans them. If that makes the cells of two spans equal, they become one group, which is only
    safer.

    With a weight in the policy, rows that show the same become one, and their weights are added up. A span of one bin
    (the target must be public for that) is safe in a tree at any size. Here its private cells are `*`, but an audit of
    the table counts its people all the same.

    >>> from kspan.datasets import small_mortgage
    >>> from kspan.model.tree.model import Edge
    >>> car = Attribute("Sports car", "private", "categorical", ("No", "Yes"))
    >>> answers = (("Yes", Node.of_counts((1, 2))), ("No", Node.of_counts((3, 0))))
    >>> edges = tuple(Edge(Region(frozenset({answer})), node) for answer, node in answers)
    >>> tree = Tree((car,), "Loan risk", "private", ("Bad", "Good"), Node.of_counts((4, 2), 0, edges))
    >>> policy = Policy(private=["Sports car", "Loan risk"], target="Loan risk", require="k=6")
    >>> equivalent_table(tree, small_mortgage(), policy).rows()[:4]
    [('No', 'Bad'), ('No', 'Bad'), ('No', 'Bad'), ('Yes', 'Bad')]
    """
    return of_its_kind(people, equivalent_frame(model_of(tree, TREE), load(people), Policy.of(policy)))


def equivalent_frame(tree: Tree, people: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Make the equivalent table of a tree for the people of a frame."""
    labelled = [target.name for target in tree.targets if target.kind is None]
    if len(labelled) > 1:
        raise ModelError(
            f"the tree tells the labels of {listed(labelled)} apart, and rows of a table would tell which go together: "
            "give one of its views"
        )
    table = _asked(tree, people, policy)
    known = {
        number: KnownRegions(attribute, table[attribute.name])
        for number, attribute in enumerate(tree.attributes)
        if attribute.name in table.columns
    }
    leaf = _follow(tree, known, np.arange(table.rows))
    everything = pl.Series([SUPPRESSED]).new_from_index(0, table.rows)
    cells = [
        (known[number].shown() if number in known else everything).alias(attribute.name)
        for number, attribute in enumerate(tree.attributes)
    ]
    targets = [_means(one, leaf) if one.is_of_numbers else _labels(table[one.target]) for one in tree.views()]
    shown = pl.DataFrame([*cells, *targets])
    shown = shown.with_columns(pl.all().replace(SUPPRESSED, policy.suppressed_text))
    order = shown.columns
    if policy.weight is not None and table.weights is not None:
        weight = pl.Series(policy.weight, table.weights)
        shown = shown.with_columns(weight).group_by(order).agg(pl.col(weight.name).sum())
    # Sorted, so that the order of rows tells nothing of who they are.
    return shown.sort(order, nulls_last=True)


class KnownRegions:
    """What is known of one attribute of each person, as a number into `regions`; 0 is nothing known (None)."""

    def __init__(self, attribute: Attribute, column: Column) -> None:
        self.attribute, self.column = attribute, column
        self.regions: list[Region | None] = [None]
        self.numbers: dict[Region, int] = {}
        self.of_row = np.zeros(len(column.codes), np.int64)
        _check_range(attribute, column)

    def answers(self, node: Node, rows: Int64s) -> Int64s:
        """Return the place of the edge that each of some rows takes at a node that asks about this attribute."""
        answer, ways = np.full(self.column.size, -1, np.int64), np.zeros(self.column.size, np.int64)
        for place, edge in enumerate(node.edges):
            covered = self.attribute.covers(edge.region, self.column)
            answer[covered] = place
            ways += covered
        codes = self.column.codes[rows]
        if (everywhere := int((ways[codes] > 1).sum())) > 0:
            raise DataError(
                f"{everywhere} rows have no value in {self.attribute.name!r}: the tree sends them down all branches, "
                "which no row of a table can say: learn one in which a missing value has a branch of its own"
            )
        given = answer[codes]
        if (unknown := int((given < 0).sum())) > 0:
            raise DataError(
                f"{unknown} rows have something in {self.attribute.name!r} that the tree has no branch for: "
                "give the table it was made from"
            )
        return given

    def refine(self, rows: Int64s, answers: Int64s, regions: Sequence[Region]) -> None:
        """Narrow what is known of some rows by one more answer; answer i means `regions[i]`."""
        # Rows of which the same was known and which answered the same are narrowed once.
        keys = self.of_row[rows] * len(regions) + answers
        pairs, _, place = tally(keys, len(self.regions) * len(regions), NO_WEIGHTS, locate=True)
        before, answer = np.divmod(pairs, len(regions))
        after = [self.number(_both(self.regions[b], regions[a])) for b, a in zip(before, answer, strict=True)]
        self.of_row[rows] = np.array(after, np.int64)[place]

    def number(self, region: Region) -> int:
        """Return the number of a region, a new one if nobody had it before."""
        if region not in self.numbers:
            self.numbers[region] = len(self.regions)
            self.regions.append(region)
        return self.numbers[region]

    def shown(self) -> pl.Series:
        """The cell of each row."""
        whole = self.column.is_measured and bool((self.column.values % 1 == 0).all())
        used, _, place = tally(self.of_row, len(self.regions), NO_WEIGHTS, locate=True)
        return pl.Series([_cell(self.attribute, self.regions[number], whole) for number in used], dtype=pl.String)[
            place
        ]


def _follow(tree: Tree, known: dict[int, KnownRegions], everybody: Int64s) -> Int64s:
    """Send people down the tree: by public values to every leaf they may be in, and by all values to their own.

    Returns the place of the own leaf of each, from left to right.

    A public question tells apart everybody who may be asked it, a private one nobody. But a branch that the private
    answers above it rule out is not followed. At their own leaf, people show the private answers on the way there.
    """
    place_of = {id(leaf): place for place, leaf in enumerate(tree.leaves)}
    own_leaf = np.zeros(len(everybody), np.int64)
    waiting: list[tuple[Node, Int64s, Int64s, dict[int, Region]]] = [(tree.root, everybody, everybody, {})]
    while waiting:
        node, may_come, come, private = waiting.pop()
        if node.attribute is None:
            own_leaf[come] = place_of[id(node)]
            for number, region in private.items() if len(come) else ():
                known[number].of_row[come] = known[number].number(region)
            continue
        asked, regions = known[node.attribute], _regions(node)
        if asked.attribute.role == "public":
            possible = asked.answers(node, may_come)
            asked.refine(may_come, possible, regions)
            ways = [(may_come[possible == place], private) for place in range(len(regions))]
        else:
            narrowed = [_both(private.get(node.attribute), region) for region in regions]
            ways = [(may_come, {**private, node.attribute: region}) for region in narrowed]
        answers = asked.answers(node, come)
        for place, (edge, (rows, conditions)) in enumerate(zip(node.edges, ways, strict=True)):
            own = conditions.get(node.attribute)
            if len(rows) and (own is None or _is_possible(asked.attribute, own)):
                waiting.append((edge.node, rows, come[answers == place], conditions))
    return own_leaf


def _regions(node: Node) -> list[Region]:
    """Return what the edges of a node admit, without a missing value that all of them admit.

    Such a value tells nobody apart, and `answers` refuses people who have it.
    """
    regions = [edge.region for edge in node.edges]
    shared = len(regions) > 1 and all(region.missing for region in regions)
    return [replace(region, missing=False) for region in regions] if shared else regions


def _both(one: Region | None, other: Region) -> Region:
    """Return what both regions admit; None admits anything."""
    if one is None:
        return other
    meets = (
        (max(-math.inf if end is None else end for end in lows), min(math.inf if end is None else end for end in highs))
        for lows, highs in (
            ((low, other_low), (high, other_high))
            for low, high in one.intervals
            for other_low, other_high in other.intervals
        )
    )
    intervals = tuple(
        (None if low == -math.inf else low, None if high == math.inf else high) for low, high in meets if low < high
    )
    return Region(one.values & other.values, intervals, one.missing and other.missing)


def _is_possible(attribute: Attribute, region: Region) -> bool:
    """Is there a value in the domain that the region admits?"""
    return (
        (region.missing and attribute.has_missing)
        or bool(attribute.among(region.values))
        or bool(_closed(attribute, region, whole=False))
    )


def _cell(attribute: Attribute, region: Region | None, whole: bool) -> str | None:
    """Write a region as a cell of a released table; None is an empty cell."""
    if region is None:
        return SUPPRESSED
    values = attribute.among(region.values)
    intervals = _closed(attribute, region, whole)
    if region.missing:
        # There is no sign for `a, or missing`, nor for values without a name, and `a` alone would not be true.
        return SUPPRESSED if values or intervals or attribute.others else None
    if not attribute.has_missing and (
        len(values) == len(attribute.values) > 0 or intervals == [_ends(attribute, whole)]
    ):
        return SUPPRESSED
    if values:
        return values[0] if len(values) == 1 else write_set(values)
    low, high = min(low for low, _ in intervals), max(high for _, high in intervals)
    cell = number_text(low) if low == high else write_interval(low, high)
    return attribute.kind.show(cell)


def _closed(attribute: Attribute, region: Region, whole: bool) -> list[tuple[float, float]]:
    """Return the intervals of a region, limited to the domain, by their ends; those without any number are left out."""
    lowest, highest = _ends(attribute, whole)
    found = []
    for low, high in region.intervals:
        # The low end is excluded: of whole numbers, the next one is the first.
        bottom = lowest if low is None or low < lowest else float(math.floor(low) + 1) if whole else low
        top = highest if high is None or high > highest else float(math.floor(high)) if whole else high
        # A single number is left, unless it is the low end itself, which the interval excludes.
        if bottom < top or (bottom == top and (whole or bottom != low)):
            found.append((bottom, top))
    return found


def _ends(attribute: Attribute, whole: bool) -> tuple[float, float]:
    """The lowest and the highest number of the domain, or `FAR` where none was declared."""
    low = -FAR if attribute.low is None else float(math.ceil(attribute.low)) if whole else attribute.low
    high = FAR if attribute.high is None else float(math.floor(attribute.high)) if whole else attribute.high
    return low, high


def _asked(tree: Tree, people: pl.DataFrame, policy: Policy) -> Table:
    """Code the label and the columns that the tree asks about."""
    check_roles(tree, policy)
    numbers = {node.attribute for node in tree.nodes() if node.attribute is not None}
    names = [tree.attributes[number].name for number in sorted(numbers)]
    first, *others = (coded_people(view, people, policy, names) for view in tree.views())
    targets = {name: column for one in others for name, column in one.columns.items() if name not in names}
    return replace(first, columns={**first.columns, **targets})


def _check_range(attribute: Attribute, column: Column) -> None:
    if not (attribute.is_measured and column.is_measured):
        return
    low, high = _ends(attribute, whole=False)
    if ((column.values < low) | (column.values > high)).any():
        remedy = "declare its domain in the policy" if attribute.low is None else "give the table it was made from"
        raise DataError(f"the people have numbers in {attribute.name!r} beyond the domain of the tree: {remedy}")


def _labels(column: Column) -> pl.Series:
    labels = [None if code == column.missing else column.label(code) for code in range(column.size)]
    return pl.Series(column.name, labels, dtype=pl.String)[column.codes.astype(np.int64)]


def _means(tree: Tree, leaf: Int64s) -> pl.Series:
    """The mean of the leaf of each row; a number of a person is not shown."""
    means = [one.outcome.mean if isinstance(one.outcome, Numbers) else None for one in tree.leaves]
    cells = [None if mean is None else tree.targets[0].cell(mean) for mean in means]
    return pl.Series(tree.target, cells, dtype=pl.String)[leaf]
