"""A decision tree as it is released: what branches admit and what nodes tell of the target; it holds no row."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from kspan.data.arrays import Bools, Floats
from kspan.data.cells import SUPPRESSED, number_text
from kspan.data.domain import declared
from kspan.data.kinds.kind import Kind
from kspan.data.table import Column, Table
from kspan.errors import ModelError
from kspan.model.outcome import (
    DISCLOSURES,
    NUMBER_DISCLOSURES,
    Disclosure,
    LabelCounts,
    Numbers,
    Outcome,
    disclosure_named,
    plain,
    reduced,
)
from kspan.model.tree.ways import Ways
from kspan.notebooks import ShownInNotebooks

Role = Literal["public", "private"]
DIGITS = 5
"""Means are shown with so many digits, or those before the point."""
WEIGHABLE: tuple[Disclosure, ...] = ("counts", "shares")
"""What tells the share of every label, so that labels can be weighed."""


@dataclass(frozen=True)
class Attribute:
    """An attribute that a tree may ask about: categories of a domain, or numbers in a range."""

    name: str
    role: Role
    kind: Kind
    """Whoever writes a tree by hand may give the word of a policy for it, such as "categorical"."""
    values: tuple[str, ...] = ()
    """The domain of a categorical attribute."""
    low: float | None = None
    high: float | None = None
    """The range of a numeric attribute, if it is declared; otherwise any number is possible."""
    has_missing: bool = False
    """May the value be missing? Missing is a value of its own, which an attacker sees if the attribute is public."""
    others: bool = False
    """Do values that are not in the domain go where missing ones go? So rare ones need not be named."""

    def __post_init__(self) -> None:
        if self.others and not self.has_missing:
            raise ModelError(f"other values of {self.name!r} go where missing ones go, so that these must be admitted")
        if isinstance(self.kind, str):
            object.__setattr__(self, "kind", declared(self.name, self.kind).kind)

    @property
    def is_measured(self) -> bool:
        """Is it asked by ranges, not by single values?"""
        return self.kind.is_measured

    def number(self, value: float) -> str:
        """Write a number of the attribute for people to read: dates and times as such."""
        return self.kind.text(value)

    @cached_property
    def _place(self) -> dict[str, int]:
        # Kept, since a tree may have as many branches as a domain has values.
        return {value: place for place, value in enumerate(self.values)}

    def covers(self, region: "Region", column: Column) -> Bools:
        """Tell for each code of a column whether a region of the attribute admits it.

        >>> town = Attribute("town", "public", "categorical", ("Bonn", "Ulm"), has_missing=True, others=True)
        >>> seen = Column("town", town.kind, np.array([0, 1], np.uint8), np.array(["Hull", "Ulm"], object))
        >>> town.covers(Region(frozenset({"Bonn"}), missing=True), seen).tolist()
        [True, False]
        """
        covered = region.covers(column)
        return covered | self.beyond(column) if self.others and region.missing else covered

    def beyond(self, column: Column) -> Bools:
        """Tell which codes of a column stand for values that are not in the domain."""
        beyond = [code != column.missing and column.label(code) not in self._place for code in range(column.size)]
        return np.array(beyond, bool)

    def among(self, values: frozenset[str]) -> list[str]:
        """Return those of the values that are in the domain, in the order of the domain.

        >>> Attribute("town", "public", "categorical", ("c", "a", "b")).among(frozenset({"a", "c", "x"}))
        ['c', 'a']
        """
        return sorted((value for value in values if value in self._place), key=self._place.__getitem__)


@dataclass(frozen=True, slots=True)
class Region:
    """The values of one attribute that a branch admits.

    Categories are listed by name, numbers by intervals `low < x <= high`, where None is no bound. `missing` says
    whether a missing value is admitted.
    """

    values: frozenset[str] = frozenset()
    intervals: tuple[tuple[float | None, float | None], ...] = ()
    missing: bool = False

    def covers(self, column: Column) -> Bools:
        """Tell for each code of a column whether the region admits it."""
        if not column.is_measured:
            plain = np.fromiter((label in self.values for label in column.values), bool, len(column.values))
        # Categories that were coded as numbers, such as codes of districts.
        elif self.values:
            plain = np.array([column.label(code) in self.values for code in range(len(column.values))], bool)
        else:
            numbers = column.values.astype(np.float64)
            plain = np.zeros(len(numbers), bool)
            for low, high in self.intervals:
                above = True if low is None else numbers > low
                plain |= above & (True if high is None else numbers <= high)
        # In the order of codes: values, suppressed, missing. Only a branch for suppressed cells admits one.
        rest = [SUPPRESSED in self.values] * column.has_suppressed + [self.missing] * column.has_missing
        return np.concatenate([plain, np.array(rest, bool)])


@dataclass(frozen=True, slots=True)
class Edge:
    """A branch: what it admits of its node's attribute, and the node it leads to."""

    region: Region
    node: "Node"


@dataclass(frozen=True, repr=False, slots=True)
class Node:
    """What is told of the people who came here, and how they divide further; a leaf has no edges.

    Where several edges admit a missing value, a person without the value goes down all of them, in proportion to the
    people of each.
    """

    outcome: Outcome
    attribute: int | None = None
    edges: tuple[Edge, ...] = ()
    others: tuple[Outcome, ...] = ()
    """What is told of the other targets of the tree, in their order."""

    @classmethod
    def of_counts(cls, counts: Iterable[float], attribute: int | None = None, edges: tuple[Edge, ...] = ()) -> "Node":
        """A node that discloses how many people have each label."""
        return cls(LabelCounts(tuple(counts)), attribute, edges)

    @property
    def is_leaf(self) -> bool:
        """Does the node ask no question?"""
        return not self.edges

    @property
    def counts(self) -> tuple[float, ...]:
        """How many people have each label, if that is disclosed."""
        if not isinstance(self.outcome, LabelCounts):
            raise ModelError(f"the tree discloses only {self.outcome.kind!r}, not counts: learn or load one that does")
        return self.outcome.counts

    @property
    def people(self) -> float | None:
        """How many people came, or None if that is not disclosed."""
        return self.outcome.people

    def __repr__(self) -> str:
        return f"Node({_people(self)}{len(self.edges)} edges)"


@dataclass(frozen=True)
class Target:
    """What a tree predicts: it has labels, or is a number of some kind."""

    name: str
    role: Role
    labels: tuple[str, ...] = ()
    kind: Kind | None = None

    def number(self, value: float) -> str:
        """Write a number for people to read: with few digits, dates and times as such.

        >>> from kspan.data.kinds.numbers import NUMBERS
        >>> pay = Target("pay", "private", kind=NUMBERS)
        >>> pay.number(51234.567), pay.number(33.3333333), pay.number(0.000123456)
        ('51235', '33.333', '0.00012346')
        """
        if self.kind is not None and self.kind.has_own_spelling:
            return self.cell(value)
        size = math.floor(math.log10(abs(value))) if value else 0
        return number_text(round(float(value), max(0, DIGITS - 1 - size)))

    def cell(self, value: float) -> str:
        """Write a number as a table shows it."""
        return number_text(value) if self.kind is None else self.kind.text(value)


@dataclass(frozen=True, repr=False)
class Tree(ShownInNotebooks):
    """A decision tree with the domain of every attribute that it was offered; its target has labels, or is a number.

    It may have other targets, of which every node tells as well. Whoever is about one target is about the first.
    """

    attributes: tuple[Attribute, ...]
    target: str
    target_role: Role
    labels: tuple[str, ...]
    root: Node
    counts_rows: bool = False
    """Are counts those of rows, since people have several? Then they do not tell how many people there are."""
    target_kind: Kind | None = None
    """What kind of numbers the target has; None if it has labels."""
    others: tuple[Target, ...] = ()
    """What it predicts besides."""
    label_weights: tuple[float, ...] = ()
    """How much people of each label count in predictions; all alike if it is empty."""

    def __post_init__(self) -> None:
        if len(self.root.others) != len(self.others):
            raise ModelError("a tree with several targets tells of each at every node: give all nodes as many outcomes")
        for target, told in zip(self.targets, (self.root.outcome, *self.root.others), strict=True):
            if bool(target.labels) != (target.kind is None) or isinstance(told, Numbers) != (target.kind is not None):
                raise ModelError(
                    "a tree tells of labels or of numbers: give it labels, or the kind of its numbers, alone"
                )
        if self.label_weights and (len(self.label_weights) != len(self.labels) or self.disclosure not in WEIGHABLE):
            raise ModelError(
                "a tree that weighs labels has a weight for each, and discloses counts or shares: from less its "
                "predictions do not follow"
            )
        kinds = _disclosures(self.root)
        if any(_disclosures(node) != kinds for node in self.nodes()):
            raise ModelError("the nodes of the tree disclose different things: give each the same disclosure")

    def __repr__(self) -> str:
        unit = "rows" if self.counts_rows else "people"
        also = "".join(f" and {other.name!r}" for other in self.others)
        return f"Tree({len(self.leaves)} leaves, {_people(self.root, unit)}target {self.target!r}{also})"

    def __str__(self) -> str:
        from kspan.model.tree.paths import text  # which shows trees, and so must know them first

        return text(self)

    @property
    def is_of_numbers(self) -> bool:
        """Is the target a number?"""
        return self.target_kind is not None

    @property
    def targets(self) -> tuple[Target, ...]:
        """All that it predicts."""
        return (Target(self.target, self.target_role, self.labels, self.target_kind), *self.others)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all attributes and targets."""
        return (*(one.name for one in self.attributes), *(one.name for one in self.targets))

    def views(self) -> tuple["Tree", ...]:
        """The tree as several: for each target one that tells of it alone."""
        if not self.others:
            return (self,)
        return tuple(self._view(place, target) for place, target in enumerate(self.targets))

    def _view(self, place: int, target: Target) -> "Tree":
        root = self._made_of(lambda told: (told[place],))
        weights = () if place else self.label_weights
        named = target.name, target.role, target.labels
        return Tree(self.attributes, *named, root, self.counts_rows, target.kind, label_weights=weights)

    def _made_of(self, of: Callable[[tuple[Outcome, ...]], tuple[Outcome, ...]]) -> Node:
        """The root of the same tree with other outcomes, made of those of each node: of the first target and others."""
        order, made = list(self.nodes()), dict[int, Node]()
        # Children before their parents, and no recursion: trees may be deep.
        for node in reversed(order):
            edges = tuple(Edge(edge.region, made[id(edge.node)]) for edge in node.edges)
            first, *others = of((node.outcome, *node.others))
            made[id(node)] = Node(first, node.attribute, edges, tuple(others))
        return made[id(self.root)]

    def check_labels(self, what: str) -> None:
        """Refuse a tree of numbers, or of several targets, where labels are needed; `what` needs them."""
        if self.others:
            raise ModelError(
                f"the tree predicts {1 + len(self.others)} columns, and {what} needs one with labels: give one of its "
                "views, whose target has labels"
            )
        if self.is_of_numbers:
            raise ModelError(
                f"the tree predicts numbers of {self.target!r}, and {what} needs labels: give a tree whose target has "
                "labels"
            )

    @property
    def disclosure(self) -> Disclosure:
        """What every node tells of the people who came to it."""
        return self.root.outcome.kind

    def disclosing(self, kind: str) -> "Tree":
        """Return the same tree, disclosing only this kind of outcome: counts, hit-miss, shares or label.

        A tree of numbers discloses the interval, the median or the mean. Of several targets those that can be disclosed
        so are; the others stay as they are.

        >>> Tree((), "risk", "private", ("bad", "good"), Node.of_counts((3, 1))).disclosing("label").root.outcome
        Label(label=0)
        """
        told = (self.root.outcome, *self.root.others)
        known = [NUMBER_DISCLOSURES if isinstance(one, Numbers) else DISCLOSURES for one in told]
        wanted = disclosure_named(kind, tuple(dict.fromkeys(word for words in known for word in words)))
        if all(one.kind == wanted or wanted not in words for one, words in zip(told, known, strict=True)):
            return self
        return replace(
            self,
            root=self._made_of(
                lambda every: tuple(
                    reduced(one, wanted) if wanted in words else one for one, words in zip(every, known, strict=True)
                )
            ),
        )

    def nodes(self) -> Iterator[Node]:
        """Every node, parents before children, left to right."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(edge.node for edge in reversed(node.edges))

    @cached_property
    def leaves(self) -> tuple[Node, ...]:
        """The leaves, left to right."""
        return tuple(node for node in self.nodes() if node.is_leaf)

    def shares(self, table: Table, range_pattern: str | None = None) -> Floats:
        """Return, for each row of a table, the share of each label at the node where the row ends.

        If nobody came to that node, or no branch admits the row, the last node on the way that has people answers. A
        row whose cell admits several values (`{a|b}`, `[lo, hi]`, `*`) goes several ways. It gets the mean of the
        answers, weighted by how much of it went each way.
        """
        self.check_labels("whoever asks for shares")
        labels = len(self.labels)
        nothing = np.full(labels, 1 / labels)
        return self._answers(table, range_pattern, lambda told: self.weighed(told.shares(labels)), nothing)

    def weighed(self, shares: Floats | None) -> Floats | None:
        """Return shares of labels as predictions weigh them; None stays None."""
        if shares is None or not self.label_weights:
            return shares
        heavy: Floats = shares * np.array(self.label_weights)
        found: Floats = heavy / heavy.sum()
        return found

    def label_of(self, outcome: Outcome) -> int | None:
        """Return the place of the label that is predicted where this is disclosed, the first one in a tie."""
        if not self.label_weights or isinstance(outcome, Numbers):
            return outcome.label
        shares = self.weighed(outcome.shares(len(self.labels)))
        return None if shares is None else int(shares.argmax())

    def numbers(self, table: Table, range_pattern: str | None = None) -> Floats:
        """Return, for each row of a table, the mean at the node where the row ends, found as `shares` are.

        It is not a number where nobody came to the tree at all.
        """
        if not self.is_of_numbers:
            raise ModelError(f"the tree predicts labels of {self.target!r}, not numbers: ask for their shares")
        return self._answers(table, range_pattern, _mean, np.array([np.nan]))[:, 0]

    def _answers(
        self,
        table: Table,
        range_pattern: str | None,
        answer_of: Callable[[Outcome], Floats | None],
        nothing: Floats,
    ) -> Floats:
        """Return the answer for each row of a table; `nothing` is that of a tree to which nobody came."""
        answers = np.zeros((table.rows, len(nothing)))
        known = {one.name: one for one in self.attributes}
        ways = {name: Ways(column, range_pattern, known.get(name)) for name, column in table.columns.items()}
        waiting = [(self.root, np.arange(table.rows), np.ones(table.rows), nothing)]
        while waiting:
            node, rows, weights, answer = waiting.pop()
            told = answer_of(node.outcome)
            answer = answer if told is None else told
            if node.attribute is not None:
                way = ways[self.attributes[node.attribute].name]
                codes = way.column.codes[rows]
                parts = way.parts([edge.region for edge in node.edges], [edge.node.people for edge in node.edges])
                for edge, part in zip(node.edges, parts, strict=True):
                    here = np.flatnonzero(part[codes])
                    if len(here):
                        waiting.append((edge.node, rows[here], weights[here] * part[codes[here]], answer))
                # Rows that no branch admits end here.
                ends = np.flatnonzero(parts.sum(axis=0)[codes] == 0)
                rows, weights = rows[ends], weights[ends]
            answers[rows] += weights[:, None] * answer
        return answers


def _disclosures(node: Node) -> tuple[Disclosure, ...]:
    """What a node tells of each target."""
    # Kept short for the usual case: there may be a million nodes.
    return (node.outcome.kind, *[other.kind for other in node.others]) if node.others else (node.outcome.kind,)


def _mean(outcome: Outcome) -> Floats | None:
    """The mean that a node tells; None if nobody came."""
    return np.array([outcome.mean]) if isinstance(outcome, Numbers) and outcome.mean is not None else None


def _people(node: Node, unit: str = "people") -> str:
    """The number of people, or of rows, for the repr of a node or tree; empty if it is not disclosed."""
    return "" if node.people is None else f"{plain(node.people)} {unit}, "
