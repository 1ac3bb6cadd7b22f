"""Reads and checks the nodes of a document: counts add up, and edges divide exactly what can reach their node.

Nothing here recurses over nodes. The limit on the depth of a tree is what the JSON library can read on every Python.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kspan.data.garbage import uncollected
from kspan.errors import did_you_mean
from kspan.model.checks import Place, check_keys, flag, number, pair, text, texts
from kspan.model.outcome import (
    HitMiss,
    LabelCounts,
    Numbers,
    Outcome,
)
from kspan.model.tree.admitted import Admitted, check_cover, check_disjoint
from kspan.model.tree.model import Attribute, Edge, Node, Region
from kspan.model.tree.release import Marginal
from kspan.model.tree.sums import adds_up, read_people
from kspan.model.tree.told import OutcomeReader
from kspan.model.tree.told_numbers import check_means

MOST_DEPTH = 250
"""The most edges from the root to a leaf."""
MOST_NODES = 1_000_000

BRANCHING = ("attribute", "edges")
"""The further keys of a node that is no leaf."""
OTHERS = "others"
"""The key of what a node tells of the other targets of a tree."""


@dataclass(slots=True)
class _Draft:
    """A node that was checked; it becomes a `Node` when the nodes below it are made."""

    told: tuple[Outcome, ...]
    attribute: int | None
    regions: list[Region]
    sons: list["_Draft"]


@dataclass(slots=True)
class _Task:
    """A node whose edges are still to be read, what can reach it, and the draft of the node above it."""

    place: Place
    found: Any
    told: tuple[Outcome, ...]
    admitted: dict[int, Admitted]
    above: _Draft | None = None


class NodeReader:
    """Reads and checks the nodes of one document."""

    def __init__(self, attributes: Sequence[Attribute], *outcomes: OutcomeReader) -> None:
        """Read nodes that tell of one target, or of several."""
        self.attributes, self.outcomes = attributes, outcomes
        self.keys = (*outcomes[0].keys, *([OTHERS] if len(outcomes) > 1 else []))
        self.number = {attribute.name: place for place, attribute in enumerate(attributes)}
        self.whole = [Admitted.all_of(attribute) for attribute in attributes]

    @uncollected()
    def read(self, place: Place, found: Any) -> Node:
        """Read the root and everything below it; a node is checked with its edges before the nodes below it."""
        waiting, drafts, seen = [_Task(place, found, self.told(place, found), {})], list[_Draft](), 1
        while waiting:
            task = waiting.pop()
            draft, below = self.draft(task)
            seen += len(below)
            if seen > MOST_NODES:
                task.place.refuse(f"a tree has at most {MOST_NODES:,} nodes")
            drafts.append(draft)
            # A stack: reversed, so that sons are read, and join their parent's draft, from left to right.
            waiting.extend(reversed(below))
        return _made(drafts)

    def draft(self, task: _Task) -> tuple[_Draft, list[_Task]]:
        """Check one node; return its draft and the tasks for the nodes below it."""
        place, found = task.place, task.found
        if place.depth > MOST_DEPTH:
            place.refuse(f"a tree is at most {MOST_DEPTH:,} edges deep")
        draft = _Draft(task.told, None, [], [])
        if task.above is not None:
            task.above.sons.append(draft)
        if not any(key in found for key in BRANCHING):
            return draft, []
        check_keys(place, found, (*self.keys, *BRANCHING))
        draft.attribute = self.attribute(place, found["attribute"])
        return draft, self.edges(task, draft, draft.attribute)

    def edges(self, task: _Task, draft: _Draft, asked: int) -> list[_Task]:
        """Check all edges of a node: whatever can reach it goes down one of them, a missing value perhaps down all."""
        place, edges = task.place, task.found["edges"]
        if not isinstance(edges, list) or not edges:
            place.refuse("'edges' must be a list of at least one edge")
        places = [place.below(f"edge {count}") for count in range(1, len(edges) + 1)]
        draft.regions = [self.region(at, edge, asked) for at, edge in zip(places, edges, strict=True)]
        below = [self.told(at, edge["node"]) for at, edge in zip(places, edges, strict=True)]
        for own, those in zip(draft.told, zip(*below, strict=True), strict=True):
            _check_sum(place, own, those)
        admitted = task.admitted.get(asked, self.whole[asked])
        check_disjoint(place, draft.regions)
        check_cover(place, admitted, draft.regions)
        tasks = []
        for at, edge, region, told in zip(places, edges, draft.regions, below, strict=True):
            left = admitted.through(region)
            if not left or (region.missing and not left.missing):
                at.refuse("the edge admits what cannot come here any more")
            tasks.append(_Task(at, edge["node"], told, {**task.admitted, asked: left}, draft))
        return tasks

    def marginals(self, top: Place, found: Any, people: float | None) -> tuple[Marginal, ...]:
        """Read how attributes spread: each attribute at most once, over as many people as the root has."""
        if not isinstance(found, list):
            top.refuse("'marginals' must be a list")
        marginals: dict[int, Marginal] = {}
        for count, each in enumerate(found, 1):
            place = Place(top.source, f"marginal {count}")
            marginal = self.marginal(place, each)
            if marginal.attribute in marginals:
                place.refuse("an earlier marginal is about the same attribute")
            if people is not None and not adds_up(people, [inside for _, inside in marginal.bins]):
                place.refuse("the 'people' of its bins do not add up to those of the root")
            marginals[marginal.attribute] = marginal
        return tuple(marginals.values())

    def marginal(self, place: Place, found: Any) -> Marginal:
        """Read how the people spread over one attribute: bins that divide its whole domain."""
        check_keys(place, found, ("attribute", "bins"))
        asked, bins = self.attribute(place, found["attribute"]), found["bins"]
        if not isinstance(bins, list) or not bins:
            place.refuse("'bins' must be a list of at least one bin")
        regions, counts = [], []
        for count, each in enumerate(bins, 1):
            at = place.below(f"bin {count}")
            regions.append(self.region(at, each, asked, ("people",)))
            counts.append(_whole_people(at, each["people"]))
        check_disjoint(place, regions)
        check_cover(place, self.whole[asked], regions)
        return Marginal(asked, tuple(zip(regions, counts, strict=True)))

    def told(self, place: Place, found: Any) -> tuple[Outcome, ...]:
        """Read what a node tells of its people: of the first target, and of all others."""
        check_keys(place, found, self.keys, BRANCHING)
        first = self.outcomes[0].read(place, found)
        if len(self.outcomes) == 1:
            return (first,)
        given = found[OTHERS]
        if not isinstance(given, list) or len(given) != len(self.outcomes) - 1:
            place.refuse(f"{OTHERS!r} must be a list with an outcome for each of the other targets")
        others = []
        for count, (reader, each) in enumerate(zip(self.outcomes[1:], given, strict=True), 1):
            at = place.below(f"other {count}")
            check_keys(at, each, reader.keys)
            others.append(reader.read(at, each))
        people = {one.people for one in (first, *others) if one.people is not None}
        if people and not adds_up(min(people), [max(people)]):
            place.refuse("its targets tell of different numbers of people")
        return (first, *others)

    def attribute(self, place: Place, found: Any) -> int:
        """Return the place of the attribute with this name."""
        name = text(place, "'attribute'", found)
        if name not in self.number:
            place.refuse(f"the attribute {name[:40]!r} is not listed{did_you_mean(name[:40], self.number)}")
        return self.number[name]

    def region(self, place: Place, found: Any, asked: int, others: Sequence[str] = ("node",)) -> Region:
        """Read what an edge or a bin admits of an attribute; `others` are the keys that it has besides."""
        attribute = self.attributes[asked]
        key = "intervals" if attribute.is_measured else "values"
        check_keys(place, found, others, (key, "missing"))
        missing = flag(place, found)
        if key not in found:
            return Region(missing=True) if missing else place.refuse(f"it admits nothing: it needs {key!r}")
        if found[key] == []:
            place.refuse(f"{key!r} must not be empty")
        if key == "intervals":
            return Region(intervals=_intervals(place, found[key]), missing=missing)
        values = frozenset(texts(place, "'values'", found[key]))
        if not values <= self.whole[asked].values:
            place.refuse(f"'values' has one that is not in the domain of {attribute.name[:40]!r}")
        return Region(values, missing=missing)


def _made(drafts: list[_Draft]) -> Node:
    """Make the nodes of all drafts and return the first, the root; a draft stands before those below it."""
    made: dict[int, Node] = {}
    for draft in reversed(drafts):
        sons = [made.pop(id(son)) for son in draft.sons]
        edges = tuple(Edge(region, son) for region, son in zip(draft.regions, sons, strict=True))
        made[id(draft)] = Node(draft.told[0], draft.attribute, edges, draft.told[1:])
    return made[id(drafts[0])]


def _check_sum(place: Place, own: Outcome, below: Sequence[Outcome]) -> None:
    """Refuse edges that do not lead to all the people of a node, as far as that is disclosed."""
    if isinstance(own, LabelCounts):
        counts = (one.counts for one in below if isinstance(one, LabelCounts))
        if not all(map(adds_up, own.counts, zip(*counts, strict=True))):
            place.refuse("the 'counts' below its edges do not add up to its own, label by label")
    elif isinstance(own, Numbers):
        check_means(place, own, [one for one in below if isinstance(one, Numbers)])
    # Nodes may differ in their commonest label, so only hit and miss together add up.
    elif isinstance(own, HitMiss) and not adds_up(own.people, [one.people or 0 for one in below]):
        place.refuse("'hit' and 'miss' below its edges do not add up to its own")


def _whole_people(place: Place, found: Any) -> int:
    if type(found) is not int:
        place.refuse("'people' must be a whole number of people")
    return int(read_people(place, "'people'", found))


def _intervals(place: Place, found: Any) -> tuple[tuple[float | None, float | None], ...]:
    if not isinstance(found, list):
        place.refuse("'intervals' must be a list")
    return tuple(_interval(place, each) for each in found)


def _interval(place: Place, found: Any) -> tuple[float | None, float | None]:
    low, high = (
        None if bound is None else number(place, "a bound of an interval, unless it is null,", bound)
        for bound in pair(place, "an interval", found)
    )
    if low is not None and high is not None and low >= high:
        place.refuse("the low bound of an interval must be below the high one")
    return low, high
