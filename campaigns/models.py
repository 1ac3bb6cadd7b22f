"""The spans of trees, clusters, rules and itemsets, by trying out everything that is not known of a person."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from campaigns import counting
from campaigns.worlds import World

Node = Mapping[str, Any]
Person = Mapping[str, str | None]
CLOSE = 1e-9
"""Distances that differ by less are equal up to rounding."""


def false_of_tree(tree: Node, world: World) -> Iterator[str]:
    """What a tree claims that is not so of its people."""
    target, labels = tree["target"]["name"], tree["target"]["labels"]
    public = [name for name in world.public if name in world.columns]
    people = [dict(zip(world.columns, row, strict=True)) for row in world.rows]
    hidden = {name: sorted(_tellable(tree["root"], name), key=str) for name in world.private if name != target}
    hidden = {name: values for name, values in hidden.items() if values}
    counts: dict[int, Counter[str | None]] = {}
    for person in people:
        _counted(tree["root"], person, counts)
    yield from _miscounted(tree["root"], labels, counts)
    spans: dict[frozenset[int], list[Person]] = {}
    for person in people:
        leaves = frozenset(id(_leaf(tree["root"], guess)) for guess in _guesses(person, public, hidden))
        spans.setdefault(leaves, []).append(person)
    everybody = [person[target] for person in people]
    if len(set(everybody)) == 1 and not all(
        counting.holds(key, bound, everybody, everybody) for key, bound in world.policy["require"].items()
    ):
        yield "everybody has one label, and a requirement is claimed that this breaks"
        return
    for span in spans.values():
        for key, bound in world.policy["require"].items():
            if not counting.holds(key, bound, [person[target] for person in span], everybody):
                yield f"a span breaks {key}"
    for name in hidden:
        told = {id(person): _told(tree["root"], person, name, people) for person in people}
        for span in spans.values():
            could = {_told(tree["root"], guess, name, people) for guess in _guesses(span[0], public, hidden)}
            here = [told[id(person)] for person in span]
            if len(could) > 1 and any(here):
                for key, bound in world.policy["require"].items():
                    if not counting.holds(key, bound, here, list(told.values())):
                        yield f"what is told of a private attribute of a span breaks {key}"


def _guesses(
    person: Person, public: Sequence[str], hidden: Mapping[str, Sequence[str | None]]
) -> Iterator[dict[str, str | None]]:
    """Everything that a person could be, as far as public values tell."""
    known = {name: person[name] for name in public}
    for values in itertools.product(*hidden.values()):
        yield {**known, **dict(zip(hidden, values, strict=True))}


def _told(node: Node, person: Person, name: str, people: Sequence[Person]) -> str:
    """Which of the values that people have the way to a person's leaf admits; empty if it does not ask for them."""
    left: set[str | None] | None = None
    while "edges" in node:
        chosen = _next(node, person)
        if node["attribute"] == name:
            before = {one[name] for one in people} if left is None else left
            left = {value for value in before if _admitted(node, value) is chosen}
        node = chosen
    return "" if left is None else f"one of {sorted(map(str, left))}"


def _admitted(node: Node, value: str | None) -> Node | None:
    try:
        return _next(node, {node["attribute"]: value})
    except LookupError:
        return None


def _tellable(node: Node, name: str) -> set[str | None]:
    """Values of an attribute that lead down every branch that asks for it."""
    found: set[str | None] = set()
    for edge in node.get("edges", ()):
        if node["attribute"] == name:
            found |= set(edge.get("values", ())) | ({None} if edge.get("missing") else set())
            bounds = [end for ends in edge.get("intervals", ()) for end in ends if end is not None]
            found |= {str(bound + step) for bound in bounds for step in (0, 1e-6)}
        found |= _tellable(edge["node"], name)
    return found


def _counted(node: Node, person: Mapping[str, str | None], counts: dict[int, Counter[str | None]]) -> None:
    counts.setdefault(id(node), Counter())[person["ill"]] += 1
    if "edges" in node:
        _counted(_next(node, person), person, counts)


def _miscounted(node: Node, labels: Sequence[str], counts: Mapping[int, Counter[str | None]]) -> Iterator[str]:
    told = node.get("counts")
    if told is not None and [counts.get(id(node), Counter())[label] for label in labels] != told:
        yield "a node tells of other people than came there"
    for edge in node.get("edges", ()):
        yield from _miscounted(edge["node"], labels, counts)


def _leaf(node: Node, person: Mapping[str, str | None]) -> Node:
    while "edges" in node:
        node = _next(node, person)
    return node


def _next(node: Node, person: Mapping[str, str | None]) -> Node:
    value = person[node["attribute"]]
    for edge in node["edges"]:
        if value is None:
            if edge.get("missing"):
                return _below(edge)
        elif value in edge.get("values", ()) or any(_inside(float(value), *ends) for ends in edge.get("intervals", ())):
            return _below(edge)
    raise LookupError(f"no edge of {node['attribute']} admits a value")


def _below(edge: Mapping[str, Any]) -> Node:
    node: Node = edge["node"]
    return node


def _inside(number: float, low: float | None, high: float | None) -> bool:
    return (low is None or low < number) and (high is None or number <= high)


def false_of_rules(said: Mapping[str, Any], world: World) -> Iterator[str]:
    """What a set of rules claims that is not so of its transactions."""
    people = _baskets(world)
    for rule in said["rules"]:
        left, right = set(rule["left"]), set(rule["right"])
        has_left = sum(left <= person for person in people)
        has_both = sum(left | right <= person for person in people)
        if abs(rule["support"] - has_both / len(people)) > 1e-4 or abs(rule["confidence"] - has_both / has_left) > 1e-4:
            yield "a rule tells a figure that is not so"
    if _breaks_k(lambda bought: _states(said["rules"], bought), world):
        yield "a span of rules breaks k"


def false_of_itemsets(said: Mapping[str, Any], world: World) -> Iterator[str]:
    """What itemsets claim that is not so of their transactions."""
    people = _baskets(world)
    sets = [set(each["items"]) for each in said["itemsets"]]
    for each, items in zip(said["itemsets"], sets, strict=True):
        if abs(each["support"] - sum(items <= person for person in people) / len(people)) > 1e-4:
            yield "an itemset tells a support that is not so"
    if _breaks_k(lambda bought: tuple(int(items <= bought) for items in sets), world):
        yield "a span of itemsets breaks k"


def _baskets(world: World) -> list[set[str]]:
    return [{name for name, cell in zip(world.columns, row, strict=True) if cell == "1"} for row in world.rows]


def _breaks_k(states: Callable[[set[str]], tuple[int, ...]], world: World) -> bool:
    """Is there a span of several classes with fewer than k people?"""
    public = set(world.public)
    items = sorted(set(world.columns) - public)
    spans: Counter[frozenset[tuple[int, ...]]] = Counter()
    for person in _baskets(world):
        known = person & public
        guesses = (known | set(more) for size in range(len(items) + 1) for more in itertools.combinations(items, size))
        spans[frozenset(states(guess) for guess in guesses)] += 1
    return any(len(span) > 1 and number < world.policy["require"]["k"] for span, number in spans.items())


def _states(rules: Sequence[Mapping[str, Any]], bought: set[str]) -> tuple[int, ...]:
    states = []
    for rule in rules:
        state = 0 if not set(rule["left"]) <= bought else 2 if set(rule["right"]) <= bought else 1
        states.append(state)
        if "right_support" in rule:
            states.append(int(set(rule["right"]) <= bought))
    return tuple(states)


def false_of_clusters(said: Mapping[str, Any], world: World) -> Iterator[str]:
    """What clusters claim that is not so of their people; private attributes must be categories."""
    people = [dict(zip(world.columns, row, strict=True)) for row in world.rows]
    hidden = {each["name"]: each["domain"] for each in said["attributes"] if each["role"] == "private"}
    sizes = Counter(nearest for person in people if (nearest := _nearest(said, person)) is not None)
    if sizes.total() == len(people) and [sizes[at] for at in range(len(said["clusters"]))] != [
        cluster["people"] for cluster in said["clusters"]
    ]:
        yield "a cluster tells of other people than are nearest to it"
    spans: Counter[frozenset[int | None]] = Counter()
    for person in people:
        guesses = (dict(zip(hidden, values, strict=True)) for values in itertools.product(*hidden.values()))
        spans[frozenset(_nearest(said, {**person, **guess}) for guess in guesses)] += 1
    if any(None in span for span in spans):
        return  # somebody is as near to two centers, and rounding decides
    for span, number in spans.items():
        if len(span) > 1 and number < world.policy["require"]["k"]:
            yield "a span of clusters breaks k"


def _nearest(said: Mapping[str, Any], person: Mapping[str, str | None]) -> int | None:
    """The nearest center, or None if that is a matter of rounding."""
    distances = [
        sum(_square(each, cluster["center"][each["name"]], person[each["name"]]) for each in said["attributes"])
        for cluster in said["clusters"]
    ]
    order = sorted(range(len(distances)), key=distances.__getitem__)
    if len(order) > 1 and distances[order[1]] - distances[order[0]] < CLOSE:
        return None
    return order[0]


def _square(attribute: Mapping[str, Any], center: Any, value: str | None) -> float:
    scale = float(attribute["scale"])
    if attribute["kind"] == "numeric":
        return float(((float(str(value)) - center) / scale) ** 2)
    corner = [float(one == value) for one in attribute["domain"]]
    apart = sum((one - float(share)) ** 2 for one, share in zip(corner, center, strict=True))
    return apart / (2 * scale**2)
