"""The naive twin of the spans of a tree: each notion straight from its definition, slow and plain.

The laws test the package's fast code against this module, so of the package it uses only the types of a tree.

A. Friedman, R. Wolff, A. Schuster, "Providing k-anonymity in data mining", VLDB Journal 17(4), 2008, section 3. A tree
is a function from people to bins, a bin being a leaf and a label. The span of a person is the set of bins that one with
the same public values may be in (Definition 5), so it is found by trying every combination of private values. People
with the same span cannot be told apart (Definition 6). Private data are linked to all of them at once, unless the span
is one bin only: then they are not linked at all (Claims 2 and 3).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from hypothesis import strategies as st

from kspan.model.outcome import HitMiss, LabelCounts, Outcome, Shares
from kspan.model.tree.model import Attribute, Edge, Node, Region, Role, Tree

Value = str | float | None  # None is missing
Person = Mapping[str, Value]  # by name of the attribute, and the label by name of the target
Domains = Mapping[str, Sequence[Value]]  # every value there is, None being one where a value may be missing
Bin = tuple[int, str]
Span = frozenset[Bin]


# Where people end


def admits(region: Region, attribute: Attribute, value: Value) -> bool:
    """Is the value of the attribute one of the region's?"""
    if value is None:
        return region.missing
    if not attribute.is_measured:
        return value in region.values
    assert not isinstance(value, str)
    return any((low is None or low < value) and (high is None or value <= high) for low, high in region.intervals)


def leaf_of(tree: Tree, person: Person) -> int | None:
    """The number of the leaf where the person ends, from left to right; None if some node has no edge for them."""
    node, to_the_left = tree.root, 0
    while node.attribute is not None:
        attribute = tree.attributes[node.attribute]
        value = person[attribute.name]
        ways = [way for way, edge in enumerate(node.edges) if admits(edge.region, attribute, value)]
        if not ways:
            return None
        assert len(ways) == 1, f"{len(ways)} edges admit {value!r} of {attribute.name}"
        to_the_left += sum(_leaves(edge.node) for edge in node.edges[: ways[0]])
        node = node.edges[ways[0]].node
    return to_the_left


def bins(tree: Tree, person: Person) -> Bin:
    """The leaf where the person ends, and their label; every node has to have an edge for them."""
    leaf = leaf_of(tree, person)
    assert leaf is not None, "the person ends in no leaf"
    return leaf, _label(tree, person)


def _leaves(node: Node) -> int:
    return sum(_leaves(edge.node) for edge in node.edges) if node.edges else 1


def _label(tree: Tree, person: Person) -> str:
    label = person[tree.target]
    assert isinstance(label, str)
    return label


# What an attacker sees


def reachable(tree: Tree, person: Person, domains: Domains) -> Span:
    """The person's span: every bin of one who has the same public values, and any private values whatever."""
    asked = {node.attribute for node in tree.nodes()} - {None}
    private = [a.name for i, a in enumerate(tree.attributes) if a.role == "private" and i in asked]
    labels = tree.labels if tree.target_role == "private" else (_label(tree, person),)
    span = set()
    for values in product(*(domains[name] for name in private)):
        leaf = leaf_of(tree, {**person, **dict(zip(private, values, strict=True))})
        if leaf is not None:
            span |= {(leaf, label) for label in labels}
    return frozenset(span)


def spans(tree: Tree, people: Sequence[Person], domains: Domains) -> dict[Span, list[int]]:
    """The people, by index, who have the same span."""
    found: dict[Span, list[int]] = {}
    for index, person in enumerate(people):
        found.setdefault(reachable(tree, person, domains), []).append(index)
    return found


def holds(tree: Tree, people: Sequence[Person], domains: Domains, satisfied: Callable[[list[str]], bool]) -> bool:
    """Do the labels of the people of each span satisfy the requirement? A span of one bin need not."""
    return all(satisfied(labels) for labels in _linked(tree, people, domains))


def is_k_anonymous(tree: Tree, people: Sequence[Person], domains: Domains, k: int) -> bool:
    """Does every span have at least k people, or one bin only?"""
    return holds(tree, people, domains, lambda labels: len(labels) >= k)


def exposed(tree: Tree, people: Sequence[Person], domains: Domains) -> int:
    """How many people have a span whose people all have the same label? None if everybody sees the label anyway."""
    if tree.target_role == "public":
        return 0
    return sum(len(labels) for labels in _linked(tree, people, domains) if len(set(labels)) == 1)


def _linked(tree: Tree, people: Sequence[Person], domains: Domains) -> Iterator[list[str]]:
    """For each span of more than one bin the labels of its people."""
    for span, members in spans(tree, people, domains).items():
        if len(span) != 1:
            yield [_label(tree, people[index]) for index in members]


# What a tree tells of labels


def counted(tree: Tree, people: Sequence[Person]) -> list[list[int]]:
    """How many people of each label come to each node, in the order of `Tree.nodes`."""
    found = []
    waiting = [(tree.root, list(people))]
    while waiting:
        node, here = waiting.pop()
        found.append([sum(_label(tree, person) == label for person in here) for label in tree.labels])
        for edge in reversed(node.edges):
            assert node.attribute is not None
            asked = tree.attributes[node.attribute]
            waiting.append((edge.node, [one for one in here if admits(edge.region, asked, one[asked.name])]))
    return found


def is_true(outcome: Outcome, counts: Sequence[int]) -> bool:
    """Is what a node tells so, if so many people of each label came to it?"""
    people, most = sum(counts), max(counts)
    if isinstance(outcome, LabelCounts):
        return list(outcome.counts) == list(counts)
    if people == 0 or outcome.label is None:
        return people == 0 and outcome.label is None
    if counts[outcome.label] != most:
        return False
    if isinstance(outcome, HitMiss):
        return (outcome.hit, outcome.miss) == (most, people - most)
    if isinstance(outcome, Shares):
        assert outcome.each is not None
        return all(abs(share - count / people) < 0.0001 for share, count in zip(outcome.each, counts, strict=True))
    return True


# What a tree tells of the private attributes that it asks


def told(tree: Tree, person: Person, name: str, people: Sequence[Person]) -> frozenset[Value] | None:
    """Of the values that people have, those that the path to the person's leaf admits; None if it does not ask."""
    node, left = tree.root, None
    while node.attribute is not None:
        attribute = tree.attributes[node.attribute]
        edge = next(edge for edge in node.edges if admits(edge.region, attribute, person[attribute.name]))
        if attribute.name == name:
            before = {other[name] for other in people} if left is None else left
            left = frozenset(value for value in before if admits(edge.region, attribute, value))
        node = edge.node
    return left


def told_in_spans(
    tree: Tree, people: Sequence[Person], domains: Domains, name: str
) -> Iterator[list[frozenset[Value] | None]]:
    """For each span what is told of its people, if it depends on the attribute where they can be and tells anything."""
    for members in members_told(tree, people, domains, name):
        yield [told(tree, people[index], name, people) for index in members]


def members_told(tree: Tree, people: Sequence[Person], domains: Domains, name: str) -> Iterator[list[int]]:
    """The people, by index, of each span of which something is told of the attribute."""
    for members in spans(tree, people, domains).values():
        here = [told(tree, people[index], name, people) for index in members]
        if varies(tree, people[members[0]], people, domains, name) and any(one is not None for one in here):
            yield members


def varies(tree: Tree, person: Person, people: Sequence[Person], domains: Domains, name: str) -> bool:
    """May different things be told of the attribute to one who has the person's public values?"""
    asked = {tree.attributes[node.attribute].name for node in tree.nodes() if node.attribute is not None}
    private = [item.name for item in tree.attributes if item.role == "private" and item.name in asked]
    could = set()
    for values in product(*(domains[one] for one in private)):
        other = {**person, **dict(zip(private, values, strict=True))}
        if leaf_of(tree, other) is not None:
            could.add(told(tree, other, name, people))
    return name in private and len(could) > 1


def exposed_by_questions(tree: Tree, people: Sequence[Person], domains: Domains, name: str) -> int:
    """How many people have a span of which all are told to have the same of a private attribute?"""
    return sum(len(here) for here in told_in_spans(tree, people, domains, name) if len(set(here)) == 1)


# Small worlds


@dataclass(frozen=True)
class World:
    """People, all the values that they could have, and a tree with as many people in each node as reach it."""

    tree: Tree
    people: tuple[dict[str, Value], ...]
    domains: dict[str, list[Value]]


@st.composite
def worlds(draw: st.DrawFn, contradictions: bool = False, most: int = 25) -> World:
    """One to four attributes, two or three labels, some people, at most so many, and a random tree."""
    roles: st.SearchStrategy[Role] = st.sampled_from(["public", "private"])
    attributes, domains = [], {}
    for name in "abcd"[: draw(st.integers(1, 4), "attributes")]:
        role, has_missing = draw(roles), draw(st.booleans())
        plain: list[Value]
        if draw(st.booleans()):
            values = ("x", "y", "z")[: draw(st.integers(1, 3))]
            attributes.append(Attribute(name, role, "categorical", values, has_missing=has_missing))
            plain = [*values]
        else:
            high = draw(st.integers(1, 4))
            attributes.append(Attribute(name, role, "numeric", low=1, high=high, has_missing=has_missing))
            plain = [*range(1, high + 1)]
        domains[name] = [*plain, None] if has_missing else plain
    labels = ("u", "v", "w")[: draw(st.integers(2, 3), "labels")]
    cells: dict[str, st.SearchStrategy[Value]] = {name: st.sampled_from(domain) for name, domain in domains.items()}
    cells["label"] = st.sampled_from(labels)
    people = draw(st.lists(st.fixed_dictionaries(cells), min_size=1, max_size=most))
    tree = draw(random_trees(attributes, "label", draw(roles), labels, people, domains, contradictions))
    return World(tree, tuple(people), domains)


@st.composite
def random_trees(
    draw: st.DrawFn,
    attributes: Sequence[Attribute],
    target: str,
    target_role: Role,
    labels: Sequence[str],
    people: Sequence[Person],
    domains: Domains,
    contradictions: bool = False,
    deepest: int = 3,
) -> Tree:
    """A tree of at most that depth, and the counts of the people in it.

    The edges of a node divide what can still reach it of its attribute. With contradictions a private attribute that
    was asked above may instead be divided anew as if it had not been, so that there may be leaves nobody can reach.

    A number is always divided from the next one of its domain at the same threshold, which is drawn once for the tree:
    so no two thresholds enclose an interval in which there are reals, but no number of the domain.
    """
    around: dict[str, dict[Value, tuple[float | None, float | None]]] = {}  # the thresholds below and above a number
    for attribute in attributes:
        if attribute.is_measured:
            numbers = sorted(value for value in domains[attribute.name] if isinstance(value, int | float))
            cuts = [draw(st.sampled_from([low, (low + high) / 2])) for low, high in pairwise(numbers)]
            around[attribute.name] = dict(zip(numbers, pairwise([None, *cuts, None]), strict=True))

    def regions(attribute: Attribute, values: Sequence[Value]) -> list[Region]:
        """Divide values of an attribute at random into regions, two at least and each of some value."""
        plain = [value for value in values if value is not None]
        if not attribute.is_measured:
            plain = draw(st.permutations(plain))
        least = 0 if None in values else 1
        ends = st.sets(st.integers(1, len(plain) - 1), min_size=least, max_size=2) if len(plain) > 1 else st.just(set())
        at = [0, *sorted(draw(ends)), len(plain)]
        groups = [plain[start:end] for start, end in pairwise(at)]
        with_missing = None  # the group that missing values go with
        if None in values and len(groups) > 1:
            with_missing = draw(st.sampled_from([None, *range(len(groups))]))
        found = []
        for index, group in enumerate(groups):
            if not attribute.is_measured:
                names = frozenset(value for value in group if isinstance(value, str))
                found.append(Region(values=names, missing=index == with_missing))
            else:
                (low, _), (_, high) = around[attribute.name][group[0]], around[attribute.name][group[-1]]
                found.append(Region(intervals=((low, high),), missing=index == with_missing))
        if None in values and with_missing is None:
            found.append(Region(missing=True))
        return draw(st.permutations(found))

    def grown(depth: int, admitted: list[Sequence[Value]], here: Sequence[Person]) -> Node:
        """A node that only these values of each attribute can reach, and these people do."""
        counts = tuple(sum(person[target] == label for person in here) for label in labels)
        splits = [(index, values) for index, values in enumerate(admitted) if len(values) > 1]
        if contradictions:
            for index, attribute in enumerate(attributes):
                whole = domains[attribute.name]
                if attribute.role == "private" and len(admitted[index]) < len(whole):
                    splits.append((index, whole))
        may_stop = depth < deepest or not splits  # a root that asks nothing is dull
        split = draw(st.sampled_from([None, *splits] if may_stop else splits)) if depth else None
        if split is None:
            return Node.of_counts(counts)
        asked, values = split
        attribute, edges = attributes[asked], []
        for region in regions(attribute, values):
            below = [*admitted]
            below[asked] = [value for value in admitted[asked] if admits(region, attribute, value)]
            passed = [person for person in here if admits(region, attribute, person[attribute.name])]
            edges.append(Edge(region, grown(depth - 1, below, passed)))
        return Node.of_counts(counts, asked, tuple(edges))

    root = grown(deepest, [domains[attribute.name] for attribute in attributes], people)
    return Tree(tuple(attributes), target, target_role, tuple(labels), root)


# What follows from what is disclosed


def derivable(tree: Tree, people: Sequence[Person], domains: Domains, name: str) -> int:
    """Of how many people a label, or what a private question asks, is the same in every way that the tree admits.

    Everybody is put into every bin that they can reach, and what the tree tells is compared with all of these.
    """
    members = list(spans(tree, people, domains).values())
    reached = [sorted(reachable(tree, person, domains)) for person in people]
    regions = _regions_of_leaves(tree, people, name)

    def value(where: Bin) -> object:
        return where[1] if name == tree.target else regions[where[0]]

    seen: list[set[object]] = [set() for _ in people]
    for way in product(*reached):
        if _is_admitted(tree, way):
            for person, where in enumerate(way):
                seen[person].add(value(where))
    if name == tree.target:
        told = [some for some in members if len(reached[some[0]]) > 1]
    else:
        could = [{value(where) for where in reached[some[0]]} for some in members]
        told = [some for some, values in zip(members, could, strict=True) if len(values) > 1]
        told = [some for some in told if any(value(bins(tree, people[one])) is not None for one in some)]
    return sum(len(some) for some in told if len(set().union(*(seen[one] for one in some))) == 1)


def _regions_of_leaves(tree: Tree, people: Sequence[Person], name: str) -> list[frozenset[Value] | None]:
    """Of the values that people have, those that the path to each leaf admits; None if it does not ask."""
    everything = frozenset(person[name] for person in people)
    found: list[frozenset[Value] | None] = []

    def follow(node: Node, left: frozenset[Value] | None) -> None:
        if node.attribute is None:
            found.append(left)
        for edge in node.edges:
            assert node.attribute is not None
            attribute = tree.attributes[node.attribute]
            if attribute.name == name:
                before = everything if left is None else left
                follow(edge.node, frozenset(value for value in before if admits(edge.region, attribute, value)))
            else:
                follow(edge.node, left)

    follow(tree.root, None)
    return found


def _is_admitted(tree: Tree, way: Sequence[Bin]) -> bool:
    """Is everything that the tree tells so, if people were in these bins?"""
    leaf = 0

    def counts(node: Node) -> list[int] | None:
        nonlocal leaf
        if node.attribute is None:
            here = [sum(where == (leaf, label) for where in way) for label in tree.labels]
            leaf += 1
        else:
            below = [counts(edge.node) for edge in node.edges]
            if any(one is None for one in below):
                return None
            here = [sum(column) for column in zip(*(one for one in below if one is not None), strict=True)]
        return here if _is_told(node.outcome, here) else None

    return counts(tree.root) is not None


def _is_told(outcome: Outcome, counts: Sequence[int]) -> bool:
    """Would a node with these people tell this? Of labels in a tie the first one is told."""
    if not is_true(outcome, counts) or isinstance(outcome, LabelCounts | Shares):
        return is_true(outcome, counts)
    return outcome.label is None or list(counts).index(max(counts)) == outcome.label
