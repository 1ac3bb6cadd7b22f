"""Trees for people to read: the paths to all leaves as a table, or the whole tree as indented text."""

from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

import polars as pl

from kspan.data.cells import write_set
from kspan.data.kinds.calendar import Calendar
from kspan.data.kinds.kind import Kind
from kspan.model.outcome import HitMiss, LabelCounts, Numbers, Outcome, Shares, plain
from kspan.model.tree.model import Attribute, Node, Region, Target, Tree
from kspan.model.tree.release import TreeRelease

EVERYONE = "everyone"
"""The path to the root."""


def paths(tree: Tree | TreeRelease) -> pl.DataFrame:
    """Return one row per leaf, left to right: its path, its people, and their majority (null if there is nobody).

    Of a tree of numbers it is their mean instead, the median, and the ends of the interval. What the tree does not
    disclose has no column, and neither have other targets than the first: give a view of the tree for these.
    """
    tree = tree.tree if isinstance(tree, TreeRelease) else tree
    found = list(_leaf_paths(tree))
    if tree.target_kind is not None:
        return _paths_of_numbers(found, tree.target_kind)
    outcomes = [leaf.outcome for _, leaf in found]
    majority = [None if one.label is None else tree.labels[one.label] for one in outcomes]
    columns = [
        pl.Series("leaf", range(1, len(found) + 1), pl.Int64),
        pl.Series("path", [path for path, _ in found], pl.String),
        pl.Series("majority", majority, pl.String),
    ]
    if tree.disclosure in ("counts", "hit-miss"):
        columns.insert(2, _numbers("people", [one.people or 0 for one in outcomes]))
    shares = [one.shares(len(tree.labels)) for one in outcomes]
    if tree.disclosure != "label":
        columns.append(pl.Series("share", [None if one is None else one.max() for one in shares], pl.Float64))
    for place, label in enumerate(tree.labels):
        if tree.disclosure == "counts":
            columns.append(_numbers(f"people: {label}", [leaf.counts[place] for _, leaf in found]))
        elif tree.disclosure == "shares":
            each = [None if one is None else one[place] for one in shares]
            columns.append(pl.Series(f"share: {label}", each, pl.Float64))
    return pl.DataFrame(columns)


def _paths_of_numbers(found: Sequence[tuple[str, Node]], kind: Kind) -> pl.DataFrame:
    told = [leaf.outcome for _, leaf in found if isinstance(leaf.outcome, Numbers)]
    columns = [
        pl.Series("leaf", range(1, len(found) + 1), pl.Int64),
        pl.Series("path", [path for path, _ in found], pl.String),
        _numbers("people", [one.people for one in told]),
        shown_numbers("mean", [one.mean for one in told], kind),
    ]
    if told[0].kind != "mean":
        columns.append(shown_numbers("median", [one.median for one in told], kind))
    if told[0].kind == "interval":
        columns += [shown_numbers(end, [getattr(one, end) for one in told], kind) for end in ("low", "high")]
    return pl.DataFrame(columns)


def shown_numbers(name: str, values: Sequence[float | None], kind: Kind) -> pl.Series:
    """Return a column of numbers of a kind as people read them: dates as such."""
    if not isinstance(kind, Calendar):
        return pl.Series(name, values, pl.Float64)
    return pl.Series(name, [None if value is None else kind.bound(value) for value in values], kind.polars)


def text(tree: Tree, *, depth: int | None = None) -> str:
    """Return a tree as indented text: one line per edge; leaves show the majority and what else is disclosed.

    What is more than `depth` edges below the root is only counted.

    >>> from kspan.model.tree.model import Edge
    >>> of = Node.of_counts
    >>> car = Attribute("Sports car", "private", "categorical", ("No", "Yes"))
    >>> edges = (Edge(Region(frozenset({"Yes"})), of((1, 2))), Edge(Region(frozenset({"No"})), of((3, 0))))
    >>> tree = Tree((car,), "Loan risk", "private", ("bad", "good"), of((4, 2), 0, edges))
    >>> print(text(tree))
    Sports car = Yes: good (bad: 1, good: 2)
    Sports car = No: bad (bad: 3)
    >>> text(tree, depth=0)
    '... 2 leaves'
    """
    return "\n".join(_lines(tree, depth))


def condition(attribute: Attribute, region: Region) -> str:
    """Write what an edge admits of its attribute as text.

    >>> age = Attribute("age", "public", "numeric", low=17, high=90)
    >>> condition(age, Region(intervals=((None, 37),))), condition(age, Region(intervals=((37, 50.5),)))
    ('age <= 37', '37 < age <= 50.5')
    >>> condition(age, Region(intervals=((37, None),), missing=True))
    '(age > 37 or age is missing)'
    >>> car = Attribute("car", "public", "categorical", ("old", "new"), has_missing=True, others=True)
    >>> condition(car, Region(frozenset({"old"}), missing=True)), condition(car, Region(missing=True))
    ('car in {old|(missing or rare)}', 'car is missing or rare')
    """
    name = _visible(attribute.name)
    if region.values and not region.intervals:
        return _of_words(attribute, region)
    ways = [_between(attribute, name, low, high) for low, high in region.intervals]
    if region.values:
        ways.insert(0, _among(name, attribute.among(region.values), attribute.values))
    if region.missing:
        ways.append(f"{name} is {_no_value(attribute)}")
    return ways[0] if len(ways) == 1 else "(" + " or ".join(ways) + ")"


def ways_to(tree: Tree, wanted: Container[int]) -> dict[int, str]:
    """Return the paths to the wanted leaves as text; leaves are numbered from 0, left to right.

    >>> from kspan.model.tree.model import Edge
    >>> car = Attribute("Sports car", "private", "categorical", ("No", "Yes"))
    >>> edges = tuple(Edge(Region(frozenset({value})), Node.of_counts((1,))) for value in ("Yes", "No"))
    >>> ways_to(Tree((car,), "Loan risk", "private", ("bad",), Node.of_counts((2,), 0, edges)), {1})
    {1: 'Sports car = No'}
    """
    found = dict[int, str]()
    leaf, waiting = 0, list[tuple[Node, _Step | None]]([(tree.root, None)])
    while waiting:
        node, last = waiting.pop()
        if node.attribute is not None:
            waiting.extend((edge.node, _Step(node.attribute, edge.region, last)) for edge in reversed(node.edges))
            continue
        if leaf in wanted:
            found[leaf] = _told(tree, last)
        leaf += 1
    return found


class _Step(NamedTuple):
    """An edge on the way to a node, and the step before it; paths share their common steps."""

    attribute: int
    region: Region
    above: "_Step | None"


def _told(tree: Tree, last: _Step | None) -> str:
    steps = list[str]()
    while last is not None:
        steps.append(condition(tree.attributes[last.attribute], last.region))
        last = last.above
    return " and ".join(reversed(steps)) or EVERYONE


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
            yield before + _leaf_text(tree, node)
        elif depth is not None and level >= depth:
            yield before + _hidden(node)
        else:
            if line:
                yield before[:-2]
            attribute = tree.attributes[node.attribute]
            waiting.extend((condition(attribute, edge.region), level + 1, edge.node) for edge in reversed(node.edges))


def outcome_text(labels: Sequence[str], outcome: Outcome, predicted: int | None = None) -> str:
    """Write the commonest label, or the one that is predicted in its place, and what else is disclosed."""
    if outcome.label is None:
        return "nobody"
    most, told = _visible(labels[outcome.label if predicted is None else predicted]), list[str]()
    if isinstance(outcome, HitMiss):
        told = [f"hit: {_count(outcome.hit)}", f"miss: {_count(outcome.miss)}"]
    elif isinstance(outcome, LabelCounts):
        told = [
            f"{_visible(label)}: {_count(count)}" for label, count in zip(labels, outcome.counts, strict=True) if count
        ]
    elif isinstance(outcome, Shares) and outcome.each is not None:
        told = [f"{_visible(label)}: {share:g}" for label, share in zip(labels, outcome.each, strict=True) if share]
    return f"{most} ({', '.join(told)})" if told else most


def _leaf_text(tree: Tree, node: Node) -> str:
    """Write what a leaf tells of every target; of several, by their names."""
    predicted = (tree.label_of(node.outcome), *[None] * len(node.others))
    told = [
        numbers_text(target, one) if isinstance(one, Numbers) else outcome_text(target.labels, one, label)
        for target, one, label in zip(tree.targets, (node.outcome, *node.others), predicted, strict=True)
    ]
    if not tree.others:
        return told[0]
    return "; ".join(f"{_visible(target.name)}: {text}" for target, text in zip(tree.targets, told, strict=True))


def numbers_text(target: Target, outcome: Numbers) -> str:
    """Write the mean, and what else is disclosed.

    >>> from kspan.data.kinds.numbers import NUMBERS
    >>> told = Numbers(6, 31.5, 30.0, 20.0, 50.0, "interval")
    >>> numbers_text(Target("income", "private", kind=NUMBERS), told)
    '31.5 (people: 6, median: 30, most: 20 to 50)'
    """
    if outcome.mean is None:
        return "nobody"
    told = [f"people: {_count(outcome.people)}"]
    if outcome.median is not None:
        told.append(f"median: {target.number(outcome.median)}")
    if outcome.low is not None and outcome.high is not None:
        told.append(f"most: {target.number(outcome.low)} to {target.number(outcome.high)}")
    return f"{target.number(outcome.mean)} ({', '.join(told)})"


def _count(people: float) -> str:
    """Write a number of people; a fraction gets one decimal.

    >>> _count(3), _count(12.4321)
    ('3', '12.4')
    """
    number = plain(people)
    return str(number) if isinstance(number, int) else f"{number:.1f}"


def _numbers(name: str, people: Sequence[float]) -> pl.Series:
    """Make a column of numbers of people: of whole numbers, unless some are fractions."""
    numbers = [plain(one) for one in people]
    return pl.Series(name, numbers, pl.Int64 if all(isinstance(one, int) for one in numbers) else pl.Float64)


def _hidden(node: Node) -> str:
    leaves, waiting = 0, [node]
    while waiting:
        here = waiting.pop()
        leaves += here.is_leaf
        waiting.extend(edge.node for edge in here.edges)
    return f"... {leaves:,} {'leaf' if leaves == 1 else 'leaves'}"


def _of_words(attribute: Attribute, region: Region) -> str:
    """Write what an edge admits of words: those that it names, and a word for the others if it takes them."""
    name, values = _visible(attribute.name), attribute.among(region.values)
    if attribute.has_missing and not region.missing and len(values) == len(attribute.values) > 1:
        return f"{name} is neither missing nor rare" if attribute.others else f"{name} is not missing"
    rest = f"({_no_value(attribute)})"
    return _among(name, [*values, *[rest] * region.missing], [*attribute.values, *[rest] * attribute.has_missing])


def _no_value(attribute: Attribute) -> str:
    """What people are whose value the tree does not name."""
    return "missing or rare" if attribute.others else "missing"


def _among(name: str, values: Sequence[str], domain: Sequence[str]) -> str:
    """Write the values of a branch, or those of the domain that are not among them if these are fewer.

    >>> _among("car", ["a", "c"], ["a", "b", "c"]), _among("car", ["a", "b", "d", "e"], ["a", "b", "c", "d", "e"])
    ('car in {a|c}', 'car is not c')
    >>> _among("car", ["a", "b", "(missing)"], ["a", "b", "c", "d", "(missing)"])
    'car in {a|b|(missing)}'
    """
    if len(values) == 1:
        return f"{name} = {_visible(values[0])}"
    among = frozenset(values)
    others = [value for value in domain if value not in among]
    if not others or len(others) * 2 >= len(values):
        return f"{name} in {_visible(write_set(values))}"
    if len(others) == 1:
        return f"{name} is not {_visible(others[0])}"
    return f"{name} not in {_visible(write_set(others))}"


def _between(attribute: Attribute, name: str, low: float | None, high: float | None) -> str:
    if low is None:
        return f"{name} is a number" if high is None else f"{name} <= {attribute.number(high)}"
    if high is None:
        return f"{name} > {attribute.number(low)}"
    return f"{attribute.number(low)} < {name} <= {attribute.number(high)}"


def _visible(text: str) -> str:
    r"""Escape characters that would move the cursor or color the terminal.

    >>> _visible("a\x1b[31m\nb")
    'a\\x1b[31m\\nb'
    """
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
