"""Trees for people to read: the way to each leaf as a table, the whole as indented text."""

from collections.abc import Iterator, Sequence

import polars as pl

from kspan.data.cells import number_text, write_set
from kspan.model.tree import Attribute, Node, Region, Tree

EVERYONE = "everyone"
"""The path to the root."""


def paths(tree: Tree) -> pl.DataFrame:
    """One row a leaf, left to right: the way to it, its people, and their majority (none where there is nobody)."""
    found = list(_leaf_paths(tree))
    majority = [_majority(leaf) for _, leaf in found]
    share = [max(leaf.counts) / leaf.people if leaf.people else None for _, leaf in found]
    return pl.DataFrame(
        [
            pl.Series("leaf", range(1, len(found) + 1), pl.Int64),
            pl.Series("path", [path for path, _ in found], pl.String),
            pl.Series("people", [leaf.people for _, leaf in found], pl.Int64),
            pl.Series("majority", [None if most is None else tree.labels[most] for most in majority], pl.String),
            pl.Series("share", share, pl.Float64),
            *(
                pl.Series(f"people: {label}", [leaf.counts[place] for _, leaf in found], pl.Int64)
                for place, label in enumerate(tree.labels)
            ),
        ]
    )


def text(tree: Tree, *, depth: int | None = None) -> str:
    """A tree as indented text: a line an edge, at leaves the majority and the people by label.

    >>> from kspan.model.tree import Edge
    >>> car = Attribute("Sports car", "private", "categorical", ("No", "Yes"))
    >>> edges = (Edge(Region(frozenset({"Yes"})), Node((1, 2))), Edge(Region(frozenset({"No"})), Node((3, 0))))
    >>> tree = Tree((car,), "Loan risk", "private", ("bad", "good"), Node((4, 2), 0, edges))
    >>> print(text(tree))
    Sports car = Yes: good (bad: 1, good: 2)
    Sports car = No: bad (bad: 3)
    >>> text(tree, depth=0)
    '... 2 leaves'
    """
    return "\n".join(_lines(tree, depth))


def condition(attribute: Attribute, region: Region) -> str:
    """What an edge asks, as text.

    >>> age = Attribute("age", "public", "numeric", low=17, high=90)
    >>> condition(age, Region(intervals=((None, 37),))), condition(age, Region(intervals=((37, 50.5),)))
    ('age <= 37', '37 < age <= 50.5')
    >>> condition(age, Region(intervals=((37, None),), missing=True))
    '(age > 37 or age is missing)'
    """
    name = _visible(attribute.name)
    ways = [_between(name, low, high) for low, high in region.intervals]
    if region.values:
        ways.insert(0, _among(name, [value for value in attribute.values if value in region.values]))
    if region.missing:
        ways.append(f"{name} is missing")
    return ways[0] if len(ways) == 1 else "(" + " or ".join(ways) + ")"


def _leaf_paths(tree: Tree) -> Iterator[tuple[str, Node]]:
    waiting = [("", tree.root)]
    while waiting:
        path, node = waiting.pop()
        if node.attribute is None:
            yield path or EVERYONE, node
            continue
        attribute, before = tree.attributes[node.attribute], f"{path} and " if path else ""
        waiting.extend((before + condition(attribute, edge.region), edge.node) for edge in reversed(node.edges))


def _lines(tree: Tree, depth: int | None) -> Iterator[str]:
    waiting = [("", 0, tree.root)]
    while waiting:
        line, level, node = waiting.pop()
        before = "|  " * (level - 1) + (f"{line}: " if line else "")
        if node.attribute is None:
            yield before + _leaf(tree.labels, node)
        elif depth is not None and level >= depth:
            yield before + _hidden(node)
        else:
            if line:
                yield before[:-2]
            attribute = tree.attributes[node.attribute]
            waiting.extend((condition(attribute, edge.region), level + 1, edge.node) for edge in reversed(node.edges))


def _leaf(labels: Sequence[str], leaf: Node) -> str:
    most = _majority(leaf)
    if most is None:
        return "nobody"
    people = (f"{_visible(label)}: {count}" for label, count in zip(labels, leaf.counts, strict=True) if count)
    return f"{_visible(labels[most])} ({', '.join(people)})"


def _hidden(node: Node) -> str:
    leaves, waiting = 0, [node]
    while waiting:
        here = waiting.pop()
        leaves += here.is_leaf
        waiting.extend(edge.node for edge in here.edges)
    return f"... {leaves:,} {'leaf' if leaves == 1 else 'leaves'}"


def _majority(leaf: Node) -> int | None:
    """The label that most people have, the first of them in a tie; None if there is nobody."""
    return leaf.counts.index(max(leaf.counts)) if leaf.people else None


def _among(name: str, values: Sequence[str]) -> str:
    return f"{name} = {_visible(values[0])}" if len(values) == 1 else f"{name} in {_visible(write_set(values))}"


def _between(name: str, low: float | None, high: float | None) -> str:
    if low is None:
        return f"{name} is a number" if high is None else f"{name} <= {number_text(high)}"
    return f"{name} > {number_text(low)}" if high is None else f"{number_text(low)} < {name} <= {number_text(high)}"


def _visible(text: str) -> str:
    r"""Text without characters that would move the cursor or color the terminal.

    >>> _visible("a\x1b[31m\nb")
    'a\\x1b[31m\\nb'
    """
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
