"""Top-down specialization spelled out: every step looks at every row again, and nothing is kept from the step before.

Read the definitions in `kspan.anonymize.tds.tds`; this file shares no code with it.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Value = Any
Cells = tuple[str | None, ...]


@dataclass(frozen=True)
class Attribute:
    """A public attribute: numbers, words with what each is called level by level up to the root, or just words."""

    numeric: bool = False
    paths: dict[str, tuple[str, ...]] | None = None
    domain: tuple[int, int] | None = None


@dataclass(frozen=True)
class Node:
    """Values that are shown alike (None is a missing one), in order, and how far above single values they are."""

    values: tuple[Value, ...]
    level: int


@dataclass
class Step:
    """Something that may be done: node number `node` of an attribute becomes these."""

    attribute: int
    node: Node
    children: list[Node]
    way: int


def order(value: Value) -> tuple[bool, Value]:
    return (value is None, 0 if value is None else value)


def entropy(labels: Sequence[Hashable]) -> float:
    return -sum(n / len(labels) * math.log2(n / len(labels)) for n in Counter(labels).values())


def gain(parts: Sequence[Sequence[Hashable]]) -> float:
    everybody = [label for part in parts for label in part]
    return entropy(everybody) - sum(len(part) / len(everybody) * entropy(part) for part in parts)


class Specializing:
    """One run."""

    def __init__(
        self,
        rows: Sequence[tuple[Value, ...]],
        labels: Sequence[Hashable],
        attributes: Sequence[Attribute],
        k: int,
        holds: Callable[[list[list[Hashable]]], bool],
        *,
        disclose: bool,
    ) -> None:
        self.rows, self.labels, self.attributes = rows, labels, attributes
        self.k, self.holds, self.disclose = k, holds, disclose
        self.cut = [[self.top(place)] for place in range(len(attributes))]
        self.refused: set[tuple[int, tuple[Value, ...], int]] = set()
        self.withheld_values: set[tuple[int, Value]] = set()
        self.steps = 0
        while (step := self.best()) is not None:
            if holds(self.groups(self.after(step))):
                self.cut = self.after(step)
                self.steps += 1
            else:
                self.refuse(step)

    def top(self, place: int) -> Node:
        attribute = self.attributes[place]
        values = sorted({row[place] for row in self.rows}, key=order)
        height = len(next(iter(attribute.paths.values()))) - 1 if attribute.paths else 1
        return Node(tuple(values), height)

    def one_by_one(self, place: int) -> bool:
        return self.disclose and not self.attributes[place].numeric and self.attributes[place].paths is None

    def members(self, place: int, values: Sequence[Value]) -> list[Hashable]:
        return [label for row, label in zip(self.rows, self.labels, strict=True) if row[place] in values]

    def below(self, place: int, node: Node) -> list[Node]:
        """The children of a node without missing values."""
        attribute = self.attributes[place]
        if attribute.numeric:
            if len(node.values) < 2:
                return []
            cuts = range(1, len(node.values))
            worths = [
                round(gain([self.members(place, node.values[:cut]), self.members(place, node.values[cut:])]), 9)
                for cut in cuts
            ]
            cut = cuts[worths.index(max(worths))]
            return [Node(node.values[:cut], 0), Node(node.values[cut:], 0)]
        for level in range(node.level - 1, -1, -1):
            by_name: dict[str, list[Value]] = {}
            for value in node.values:
                by_name.setdefault(self.name(place, value, level), []).append(value)
            if len(by_name) > 1 or set(by_name) != {self.name(place, node.values[0], node.level)}:
                return [Node(tuple(values), level) for values in by_name.values()]
        return []

    def name(self, place: int, value: Value, level: int) -> str:
        paths = self.attributes[place].paths
        if paths is not None:
            return paths[value][level]
        return str(value) if level == 0 else "*"

    def ways(self, place: int, node: Node) -> list[list[Node]]:
        known = tuple(value for value in node.values if value is not None)
        children = self.below(place, Node(known, node.level)) if known else []
        if None not in node.values:
            return [children] if children else []
        if not known:
            return []
        ways = [[*(children or [Node(known, node.level)]), Node((None,), 0)]]
        while len(children) == 1:
            children = self.below(place, children[0])
        if children:
            sizes = [len(self.members(place, child.values)) for child in children]
            largest = children[sizes.index(max(sizes))]
            ways.append([Node((*child.values, None), child.level) if child is largest else child for child in children])
        return ways

    def considered(self) -> list[Step]:
        """The beneficial steps that were not refused."""
        steps = []
        for place, nodes in enumerate(self.cut):
            for node in nodes:
                if len(set(self.members(place, node.values))) < 2:
                    continue
                if self.one_by_one(place):
                    if node.level == 0:
                        continue
                    for value in node.values:
                        others = tuple(other for other in node.values if other != value)
                        rest = [Node(others, node.level)] if others else []
                        if (place, value) not in self.withheld_values:
                            steps.append(Step(place, node, [Node((value,), 0), *rest], 0))
                    continue
                for way, children in enumerate(self.ways(place, node)):
                    if (place, node.values, way) not in self.refused:
                        steps.append(Step(place, node, children, way))
                        break
        return steps

    def refuse(self, step: Step) -> None:
        if self.one_by_one(step.attribute):
            self.withheld_values.add((step.attribute, step.children[0].values[0]))
        else:
            self.refused.add((step.attribute, step.node.values, step.way))

    def best(self) -> Step | None:
        """The valid one of the best score; what leaves fewer than k is refused."""
        while True:
            now = min(map(len, self.groups(self.cut)))
            steps, small = [], False
            for step in self.considered():
                least = min(map(len, self.groups(self.after(step))))
                if least < self.k:
                    self.refuse(step)
                    small = True
                steps.append((step, now - least))
            if not small:
                break
        if not steps:
            return None
        scores = []
        for step, loss in steps:
            parts = [self.members(step.attribute, child.values) for child in step.children]
            scores.append(max(0.0, round(gain(parts), 12)) / (loss + 1))
        equal = [
            (loss, step.attribute, order(step.children[0].values[0]), place)
            for place, (step, loss) in enumerate(steps)
            if scores[place] >= max(scores) * (1 - 1e-9)
        ]
        return steps[min(equal)[-1]][0]

    def after(self, step: Step) -> list[list[Node]]:
        cut = [list(nodes) for nodes in self.cut]
        cut[step.attribute].remove(step.node)
        cut[step.attribute].extend(step.children)
        return cut

    def groups(self, cut: list[list[Node]]) -> list[list[Hashable]]:
        found: dict[tuple[int, ...], list[Hashable]] = {}
        for row, label in zip(self.rows, self.labels, strict=True):
            key = tuple(
                next(number for number, node in enumerate(nodes) if value in node.values)
                for nodes, value in zip(cut, row, strict=True)
            )
            found.setdefault(key, []).append(label)
        return list(found.values())

    def cell(self, place: int, node: Node) -> str | None:
        if None in node.values:
            return None if node.values == (None,) and node.level == 0 else "*"
        attribute = self.attributes[place]
        if not attribute.numeric:
            return self.name(place, node.values[0], node.level)
        everything = sorted({row[place] for row in self.rows} - {None})
        low, high = node.values[0], node.values[-1]
        if (low, high) == (everything[0], everything[-1]):
            return "*"
        unit = 10 ** int(math.log10(everything[-1] - everything[0]))
        least, most = attribute.domain or (
            unit * math.floor(Fraction(everything[0], unit)),
            unit * math.ceil(Fraction(everything[-1], unit)),
        )
        low, high = least if low == everything[0] else low, most if high == everything[-1] else high
        return str(low) if low == high else f"[{low}, {high}]"

    def shown(self) -> list[Cells]:
        """What each row shows."""
        return [
            tuple(
                next(self.cell(place, node) for node in self.cut[place] if value in node.values)
                for place, value in enumerate(row)
            )
            for row in self.rows
        ]
