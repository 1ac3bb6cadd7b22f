"""Trees as JSON files; what is read is never trusted: a file that contradicts itself is refused, with the place.

Nothing here recurses over nodes; how deep a tree may be is what the JSON library can read on every Python.
"""

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NoReturn, get_args

from kspan.data.domain import KINDS, Kind
from kspan.errors import ModelError, did_you_mean, listed
from kspan.frames.files import read_text, write_text
from kspan.model.release import Claim, Disclosure, TreeRelease
from kspan.model.tree import Attribute, Edge, Node, Region, Role, Tree
from kspan.policy.policy import Counting

FORMAT, VERSION = "kspan/tree", 1
MOST_DEPTH = 250
"""Edges from the root to a leaf."""
MOST_NODES = 1_000_000
MOST_PEOPLE = 2**53
"""Every whole number up to here survives as a float, whoever reads it."""

_HALF = re.compile("[\ud800-\udfff]")
Span = tuple[float, float]
"""Numbers low < x <= high."""


def write_tree(release: TreeRelease) -> dict[str, Any]:
    """A released tree as a JSON document.

    >>> tree = Tree((), "risk", "private", ("bad", "good"), Node((4, 2)))
    >>> write_tree(TreeRelease(tree))["root"]
    {'counts': [4, 2]}
    """
    writer = _Writer(release.tree)
    root = writer.node(release.tree.root)
    waiting = [(release.tree.root, root, 0)]
    while waiting:
        node, written, depth = waiting.pop()
        if node.edges:
            if depth == MOST_DEPTH:
                raise ModelError(f"the tree cannot be written: it is more than {MOST_DEPTH:,} edges deep")
            sons = [writer.node(edge.node) for edge in node.edges]
            pairs = list(zip(node.edges, sons, strict=True))
            written["edges"] = [{**writer.edge(node, edge), "node": son} for edge, son in pairs]
            waiting.extend((edge.node, son, depth + 1) for edge, son in pairs)
    return {**_head(release), "root": root}


def tree_json(release: TreeRelease) -> str:
    """A released tree as JSON text, a line for each part of its head and one for its nodes."""
    lines = [f"{_dumps(key)}: {_dumps(value)}" for key, value in write_tree(release).items()]
    return "{" + ",\n ".join(lines) + "}\n"


def save_tree(release: TreeRelease, path: str | os.PathLike[str]) -> None:
    """Write a released tree to a file, whole or not at all."""
    write_text(tree_json(release), path)


def load_tree(path: str | os.PathLike[str]) -> TreeRelease:
    """The released tree in a file."""
    return read_tree(_parsed(read_text(path, "the model"), str(path)), str(path))


def read_tree(document: Any, source: str = "the model") -> TreeRelease:
    """The released tree in a JSON document, or an error that names the source and the place.

    >>> read_tree({"format": "kspan/tree", "version": 2})
    Traceback (most recent call last):
    kspan.errors.ModelError: the model is malformed at the top: this version reads version 1 of the format and no other
    """
    top = _Place(source, "the top")
    _check_format(top, document)
    needed = ("format", "version", "attributes", "target", "root")
    _check_keys(top, document, needed, ("claim",))
    attributes = _attributes(top, document["attributes"])
    target, role, labels = _target(_Place(source, "the target"), document["target"], attributes)
    claim = None
    if "claim" in document:
        claim = _claim(_Place(source, "the claim"), document["claim"], [*(one.name for one in attributes), target])
    root = _NodeReader(attributes, labels).read(_Place(source, "root"), document["root"])
    return TreeRelease(Tree(attributes, target, role, labels, root), claim)


# Writing


class _Writer:
    """Writes the nodes and edges of one tree, each without what is below it."""

    def __init__(self, tree: Tree) -> None:
        self.attributes = tree.attributes
        self.rank = [{value: place for place, value in enumerate(one.values)} for one in tree.attributes]

    def node(self, node: Node) -> dict[str, Any]:
        written: dict[str, Any] = {"counts": [int(count) for count in node.counts]}
        if node.attribute is not None:
            written["attribute"] = self.attributes[node.attribute].name
        return written

    def edge(self, node: Node, edge: Edge) -> dict[str, Any]:
        region, written = edge.region, dict[str, Any]()
        if region.values and node.attribute is not None:
            written["values"] = sorted(region.values, key=self.rank[node.attribute].__getitem__)
        if region.intervals:
            written["intervals"] = [[_plain(low), _plain(high)] for low, high in region.intervals]
        if region.missing:
            written["missing"] = True
        return written


def _head(release: TreeRelease) -> dict[str, Any]:
    tree, claim = release.tree, release.claim
    head = {
        "format": FORMAT,
        "version": VERSION,
        "attributes": [_attribute_written(attribute) for attribute in tree.attributes],
        "target": {"name": tree.target, "role": tree.target_role, "labels": list(tree.labels)},
    }
    if claim is None:
        return head
    if claim.disclosure != "counts":
        raise ModelError(
            f"a tree that discloses {claim.disclosure!r} is not supported by this version: disclose 'counts'"
        )
    written = {"requirement": claim.requirement, "counting": claim.counting, "disclosure": claim.disclosure}
    return {**head, "claim": {**written, "inferred_domains": list(claim.inferred_domains)}}


def _attribute_written(attribute: Attribute) -> dict[str, Any]:
    domain: list[Any] | None = list(attribute.values)
    if attribute.kind == "numeric":
        empty = attribute.low is None or attribute.high is None
        domain = None if empty else [_plain(attribute.low), _plain(attribute.high)]
    written = {"name": attribute.name, "role": attribute.role, "kind": attribute.kind, "domain": domain}
    return {**written, "missing": True} if attribute.has_missing else written


def _plain(number: float | None) -> float | None:
    """A bound the way a person writes it: whole numbers without a fraction.

    >>> _plain(39.0), _plain(0.5), _plain(None)
    (39, 0.5, None)
    """
    if number is None:
        return None
    number = float(number)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


# Reading: the parts


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a document something is; edges below it share it, so that a place costs nothing until it is named."""

    source: str
    step: str
    above: "_Place | None" = None
    depth: int = 0

    def below(self, step: str) -> "_Place":
        """A place one step down."""
        return _Place(self.source, step, self, self.depth + 1)

    def __str__(self) -> str:
        steps = [self.step]
        place = self.above
        while place is not None:
            steps.append(place.step)
            place = place.above
        steps.reverse()
        return " > ".join(steps if len(steps) <= 12 else [*steps[:6], "...", *steps[-5:]])

    def refuse(self, problem: str) -> NoReturn:
        """Raise the error that says what is wrong here."""
        raise ModelError(f"{self.source} is malformed at {self}: {problem}")


def _check_format(top: _Place, document: Any) -> None:
    if not isinstance(document, dict):
        top.refuse("a JSON object is expected")
    if document.get("format") != FORMAT:
        top.refuse(f"its 'format' is not {FORMAT!r}, so this is no tree that kspan wrote")
    if type(document.get("version")) is not int or document["version"] != VERSION:
        top.refuse(f"this version reads version {VERSION} of the format and no other")


def _check_keys(place: _Place, found: Any, needed: Sequence[str], allowed: Sequence[str] = ()) -> None:
    """Refuse what is no object with exactly these keys, and perhaps some of the allowed ones."""
    if not isinstance(found, dict):
        place.refuse("a JSON object is expected")
    for key in needed:
        if key not in found:
            place.refuse(f"the key {key!r} is missing")
    for key in found:
        if key not in needed and key not in allowed:
            shown = str(key)[:40]
            place.refuse(f"the key {shown!r} is not known{did_you_mean(shown, [*needed, *allowed])}")


def _text(place: _Place, what: str, found: Any) -> str:
    if not isinstance(found, str):
        place.refuse(f"{what} must be text")
    if _HALF.search(found):
        place.refuse(f"{what} holds half a character, which no file can hold")
    return found


def _one_of(place: _Place, what: str, found: Any, known: Sequence[str]) -> str:
    for word in known:
        if found == word:
            return word
    return place.refuse(f"{what} must be one of {listed(known)}")


def _flag(place: _Place, found: Mapping[str, Any]) -> bool:
    flag = found.get("missing", False)
    return flag if isinstance(flag, bool) else place.refuse("'missing' must be true or false")


def _texts(place: _Place, what: str, found: Any) -> tuple[str, ...]:
    """Texts in a list, none of them twice."""
    if not isinstance(found, list):
        place.refuse(f"{what} must be a list")
    texts = tuple(_text(place, f"each of {what}", text) for text in found)
    if len(set(texts)) != len(texts):
        place.refuse(f"{what} must not list the same twice")
    return texts


def _number(place: _Place, what: str, found: Any) -> float:
    if isinstance(found, int | float) and not isinstance(found, bool):
        try:
            number = float(found)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    return place.refuse(f"{what} must be a finite number")


def _pair(place: _Place, what: str, found: Any) -> tuple[Any, Any]:
    if not isinstance(found, list) or len(found) != 2:
        place.refuse(f"{what} must be a list of two, [low, high]")
    return found[0], found[1]


def _attributes(top: _Place, found: Any) -> tuple[Attribute, ...]:
    if not isinstance(found, list):
        top.refuse("'attributes' must be a list")
    attributes = []
    names = set[str]()
    for number, each in enumerate(found, 1):
        place = _Place(top.source, f"attribute {number}")
        attribute = _attribute(place, each)
        if attribute.name in names:
            place.refuse("an earlier attribute has the same name")
        names.add(attribute.name)
        attributes.append(attribute)
    return tuple(attributes)


def _attribute(place: _Place, found: Any) -> Attribute:
    _check_keys(place, found, ("name", "role", "kind", "domain"), ("missing",))
    name, role = _text(place, "'name'", found["name"]), _role(place, found["role"])
    kind, missing = _kind(place, found["kind"]), _flag(place, found)
    if kind == "categorical":
        return Attribute(name, role, kind, _texts(place, "'domain'", found["domain"]), has_missing=missing)
    if found["domain"] is None:
        return Attribute(name, role, kind, has_missing=missing)
    low, high = (_number(place, "a bound of 'domain'", bound) for bound in _pair(place, "'domain'", found["domain"]))
    if low > high:
        place.refuse("'domain' must run from the lowest number to the highest")
    return Attribute(name, role, kind, low=low, high=high, has_missing=missing)


def _role(place: _Place, found: Any) -> Role:
    return "public" if _one_of(place, "'role'", found, get_args(Role)) == "public" else "private"


def _kind(place: _Place, found: Any) -> Kind:
    return "numeric" if _one_of(place, "'kind'", found, KINDS) == "numeric" else "categorical"


def _target(place: _Place, found: Any, attributes: Sequence[Attribute]) -> tuple[str, Role, tuple[str, ...]]:
    _check_keys(place, found, ("name", "role", "labels"))
    name, role = _text(place, "'name'", found["name"]), _role(place, found["role"])
    if any(attribute.name == name for attribute in attributes):
        place.refuse("an attribute has the same name")
    labels = _texts(place, "'labels'", found["labels"])
    if not labels:
        place.refuse("'labels' must not be empty")
    return name, role, labels


def _claim(place: _Place, found: Any, names: Sequence[str]) -> Claim:
    _check_keys(place, found, ("requirement", "counting", "disclosure", "inferred_domains"))
    requirement = _text(place, "'requirement'", found["requirement"])
    if not requirement:
        place.refuse("'requirement' must not be empty")
    counting = _one_of(place, "'counting'", found["counting"], get_args(Counting))
    disclosure = _one_of(place, "'disclosure'", found["disclosure"], get_args(Disclosure))
    if disclosure != "counts":
        place.refuse(f"the disclosure {disclosure!r} is not supported by this version, only 'counts'")
    inferred = _texts(place, "'inferred_domains'", found["inferred_domains"])
    if not set(inferred) <= set(names):
        place.refuse("'inferred_domains' names what is neither an attribute nor the target")
    return Claim(requirement, counting, "counts", inferred)


# Reading: the nodes


@dataclass(frozen=True, slots=True)
class _Admitted:
    """What of an attribute can still reach a node: values, or numbers in disjoint spans in order; and a missing one."""

    values: frozenset[str] = frozenset()
    spans: tuple[Span, ...] = ()
    missing: bool = False

    @classmethod
    def all_of(cls, attribute: Attribute) -> "_Admitted":
        if attribute.kind == "categorical":
            return cls(frozenset(attribute.values), (), attribute.has_missing)
        if attribute.low is None or attribute.high is None:
            return cls(frozenset(), ((-math.inf, math.inf),), attribute.has_missing)
        # The lowest number of the domain belongs to it, so the span begins just below.
        return cls(frozenset(), ((math.nextafter(attribute.low, -math.inf), attribute.high),), attribute.has_missing)

    def through(self, region: Region) -> "_Admitted":
        spans = _overlap(self.spans, sorted(map(_span, region.intervals)))
        return _Admitted(self.values & region.values, spans, self.missing and region.missing)

    def __bool__(self) -> bool:
        return bool(self.values or self.spans or self.missing)


@dataclass(slots=True)
class _Draft:
    """A node that was checked, before the nodes below it are made."""

    counts: tuple[int, ...]
    attribute: int | None
    regions: list[Region]
    sons: list["_Draft"]


@dataclass(slots=True)
class _Task:
    """A node that is to be read, what can reach it, and the node above that waits for it."""

    place: _Place
    found: Any
    admitted: dict[int, _Admitted]
    above: _Draft | None = None


class _NodeReader:
    """Reads the nodes of one document."""

    def __init__(self, attributes: Sequence[Attribute], labels: Sequence[str]) -> None:
        self.attributes, self.labels = attributes, labels
        self.number = {attribute.name: number for number, attribute in enumerate(attributes)}
        self.whole = [_Admitted.all_of(attribute) for attribute in attributes]

    def read(self, place: _Place, found: Any) -> Node:
        """The root with all that is below it, every node checked with its edges before those below it."""
        waiting, drafts, seen = [_Task(place, found, {})], list[_Draft](), 1
        while waiting:
            task = waiting.pop()
            draft, below = self.draft(task)
            seen += len(below)
            if seen > MOST_NODES:
                task.place.refuse(f"a tree has at most {MOST_NODES:,} nodes")
            drafts.append(draft)
            waiting.extend(reversed(below))
        return _made(drafts)

    def draft(self, task: _Task) -> tuple[_Draft, list[_Task]]:
        """A node by itself, and the nodes of its edges that are to be read."""
        place, found = task.place, task.found
        if place.depth > MOST_DEPTH:
            place.refuse(f"a tree is at most {MOST_DEPTH:,} edges deep")
        _check_keys(place, found, ("counts",), ("attribute", "edges"))
        draft = _Draft(self.counts(place, found["counts"]), None, [], [])
        if task.above is not None:
            task.above.sons.append(draft)
        if "attribute" not in found and "edges" not in found:
            return draft, []
        _check_keys(place, found, ("counts", "attribute", "edges"))
        draft.attribute = self.attribute(place, found["attribute"])
        return draft, self.edges(task, draft, draft.attribute)

    def edges(self, task: _Task, draft: _Draft, number: int) -> list[_Task]:
        """The edges of a node, checked together: nothing that can come here is left out or goes two ways."""
        place, edges = task.place, task.found["edges"]
        if not isinstance(edges, list) or not edges:
            place.refuse("'edges' must be a list of at least one edge")
        places = [place.below(f"edge {count}") for count in range(1, len(edges) + 1)]
        draft.regions = [self.region(at, edge, number) for at, edge in zip(places, edges, strict=True)]
        self.check_sum(task, draft, edges, places)
        admitted = task.admitted.get(number, self.whole[number])
        _check_disjoint(place, draft.regions)
        _check_cover(place, admitted, draft.regions)
        tasks = []
        for at, edge, region in zip(places, edges, draft.regions, strict=True):
            left = admitted.through(region)
            if not left or (region.missing and not left.missing):
                at.refuse("the edge admits what cannot come here any more")
            tasks.append(_Task(at, edge["node"], {**task.admitted, number: left}, draft))
        return tasks

    def counts(self, place: _Place, found: Any) -> tuple[int, ...]:
        if not isinstance(found, list) or len(found) != len(self.labels):
            place.refuse(f"'counts' must be a list of {len(self.labels)} numbers, one a label")
        if not all(type(count) is int and 0 <= count <= MOST_PEOPLE for count in found):
            place.refuse("each of 'counts' must be a whole number of people, from 0 to 2^53")
        return tuple(found)

    def attribute(self, place: _Place, found: Any) -> int:
        name = _text(place, "'attribute'", found)
        if name not in self.number:
            place.refuse(f"the attribute {name[:40]!r} is not listed{did_you_mean(name[:40], self.number)}")
        return self.number[name]

    def region(self, place: _Place, found: Any, number: int) -> Region:
        """What an edge admits."""
        attribute = self.attributes[number]
        key = "intervals" if attribute.kind == "numeric" else "values"
        _check_keys(place, found, ("node",), (key, "missing"))
        missing = _flag(place, found)
        if key not in found:
            return Region(missing=True) if missing else place.refuse(f"the edge admits nothing: it needs {key!r}")
        if found[key] == []:
            place.refuse(f"{key!r} must not be empty")
        if key == "intervals":
            return Region(intervals=_intervals(place, found[key]), missing=missing)
        values = frozenset(_texts(place, "'values'", found[key]))
        if not values <= self.whole[number].values:
            place.refuse(f"'values' has one that is not in the domain of {attribute.name[:40]!r}")
        return Region(values, missing=missing)

    def check_sum(self, task: _Task, draft: _Draft, edges: list[Any], places: list[_Place]) -> None:
        """Refuse edges that do not lead to all the people of a node, label by label."""
        total = [0] * len(self.labels)
        for place, edge in zip(places, edges, strict=True):
            _check_keys(place, edge["node"], ("counts",), ("attribute", "edges"))
            total = [sum(pair) for pair in zip(total, self.counts(place, edge["node"]["counts"]), strict=True)]
        if tuple(total) != draft.counts:
            task.place.refuse("the 'counts' below its edges do not add up to its own, label by label")


def _made(drafts: list[_Draft]) -> Node:
    """The first of some nodes, which stand before the nodes below them."""
    made: dict[int, Node] = {}
    for draft in reversed(drafts):
        sons = [made.pop(id(son)) for son in draft.sons]
        edges = tuple(Edge(region, son) for region, son in zip(draft.regions, sons, strict=True))
        made[id(draft)] = Node(draft.counts, draft.attribute, edges)
    return made[id(drafts[0])]


def _intervals(place: _Place, found: Any) -> tuple[tuple[float | None, float | None], ...]:
    if not isinstance(found, list):
        place.refuse("'intervals' must be a list")
    return tuple(_interval(place, each) for each in found)


def _interval(place: _Place, found: Any) -> tuple[float | None, float | None]:
    low, high = (
        None if bound is None else _number(place, "a bound of an interval, unless it is null,", bound)
        for bound in _pair(place, "an interval", found)
    )
    if low is not None and high is not None and low >= high:
        place.refuse("the low bound of an interval must be below the high one")
    return low, high


def _check_disjoint(place: _Place, regions: Sequence[Region]) -> None:
    spans = sorted(_span(interval) for region in regions for interval in region.intervals)
    overlapping = any(high > low for (_, high), (low, _) in pairwise(spans))
    several = sum(len(region.values) for region in regions) > len(frozenset().union(*(one.values for one in regions)))
    if overlapping or several or sum(region.missing for region in regions) > 1:
        place.refuse("two of its edges or intervals admit the same value")


def _check_cover(place: _Place, admitted: _Admitted, regions: Sequence[Region]) -> None:
    """Refuse edges (of which no two admit the same) that leave out something that can come to their node."""
    if admitted.missing and not any(region.missing for region in regions):
        place.refuse("the value can be missing here, but no edge admits that")
    spans = _merged(sorted(_span(interval) for region in regions for interval in region.intervals))
    values = frozenset[str]().union(*(region.values for region in regions))
    if not admitted.values <= values or _overlap(admitted.spans, spans) != admitted.spans:
        place.refuse("its edges do not cover every value that can come here")


def _span(interval: tuple[float | None, float | None]) -> Span:
    low, high = interval
    return -math.inf if low is None else low, math.inf if high is None else high


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Disjoint spans in order, those that touch as one.

    >>> _merged([(0, 1), (1, 2), (3, 4)])
    [(0, 2), (3, 4)]
    """
    merged: list[Span] = []
    for low, high in spans:
        if merged and merged[-1][1] == low:
            merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    return merged


def _overlap(some: Sequence[Span], others: Sequence[Span]) -> tuple[Span, ...]:
    """What two rows of disjoint spans in order have in common.

    >>> _overlap([(0, 10)], [(-5, 2), (3, 4), (8, 20)])
    ((0, 2), (3, 4), (8, 10))
    """
    common, first, second = list[Span](), 0, 0
    while first < len(some) and second < len(others):
        low, high = max(some[first][0], others[second][0]), min(some[first][1], others[second][1])
        if low < high:
            common.append((low, high))
        if some[first][1] < others[second][1]:
            first += 1
        else:
            second += 1
    return tuple(common)


# Reading: the text


def _parsed(text: str, source: str) -> Any:
    """The document that a strict JSON text writes: no NaN, no key twice in an object."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ModelError(f"{source} is not JSON ({place}): write or fetch it again") from None
    except RecursionError:
        raise ModelError(f"{source} is nested too deeply: a tree is at most {MOST_DEPTH:,} edges deep") from None
    except ValueError as error:
        raise ModelError(f"{source} is not strict JSON: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
