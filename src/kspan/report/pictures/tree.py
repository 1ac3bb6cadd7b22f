"""A tree as a page may draw it: facts alone, few enough to draw, and nothing of leaves that break the requirement."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from kspan.audit.findings import Finding
from kspan.model.outcome import HitMiss, LabelCounts, Outcome, Shares, plain
from kspan.model.tree.model import Edge, Node, Role, Tree
from kspan.model.tree.paths import EVERYONE
from kspan.report.crowd import Crowd, crowds
from kspan.report.pictures.labels import short, way
from kspan.report.pictures.means import Steps, further, said

MOST_NODES = 3_000
"""How many nodes are drawn at most; deeper levels are folded."""
HELD_BACK = "…"
"""Written in place of a question or a branch that is held back."""
MOST_SHARES = 12
"""For how many labels of a leaf shares are kept at most, the commonest first."""


@dataclass(frozen=True)
class TreeNode:
    """A node as it is drawn."""

    number: int
    parent: int | None
    depth: int
    way: str
    """What the edge to it admits."""
    asks: str | None
    role: Role | None
    """The attribute that it asks (`HELD_BACK` if that is not told), and its role if told; None at a leaf."""
    first: int
    last: int
    """The leaves below it, or the leaf that it is: counted from 1, left to right."""
    is_folded: bool = False
    """Is nothing below it drawn, though it asks something?"""
    is_held_back: bool = False
    """Is it a leaf of a span that breaks the requirement, so that nothing is told of its people?"""
    people: float | None = None
    label: str | None = None
    shares: tuple[tuple[str, float], ...] = ()
    """Its people, their commonest label and the shares of labels, if disclosed and not held back.

    Of numbers the label is the step that the mean is in."""
    said: str | None = None
    """The mean of numbers as text."""
    further: str | None = None
    """What else is told of numbers, as text."""

    @property
    def leaf(self) -> int | None:
        """Its number, counted from 1, if it is a leaf."""
        return self.first if self.asks is None else None

    @property
    def leaves(self) -> int:
        """How many leaves are below it, or are itself."""
        return self.last - self.first + 1


@dataclass(frozen=True)
class TreePicture:
    """What is drawn of a tree."""

    target: str
    labels: tuple[str, ...]
    nodes: tuple[TreeNode, ...]
    """Parents before children, left to right; a node has its place here as its number."""
    spans: tuple[Crowd, ...]
    held_back: int
    """Leaves whose outcome is not told."""
    tells_people: bool
    """Does the tree disclose how many people came to a node?"""
    has_steps: bool = False
    """Are labels the steps of means, in order?"""

    @property
    def leaves(self) -> int:
        """How many leaves the tree has, drawn or not."""
        return self.nodes[0].leaves


def tree_picture(tree: Tree, findings: Sequence[Finding], *, failing: int = 0) -> TreePicture:
    """Return what a page that may leave the house draws of a tree.

    Nothing is told of the people in the leaves of a span that breaks the requirement. If there is one, nothing is told
    of the people in any inner node either, since subtraction would give these leaves away. `failing` is how many spans
    break the requirement in all; if the findings hold fewer, every leaf is held back. Questions and branches on the way
    to such leaves are left out, too: they may show the cell of a person, or give it away by what is missing. Only whole
    levels are drawn, as many as have few enough nodes together.
    """
    walk = _walked(tree)
    broken = [finding for finding in findings if finding.breaks]
    number = walk.last[0]
    held = {leaf for finding in broken for leaf in finding.bins}
    if failing > len(broken):
        held = set(range(1, number + 1))
    # Sums up to each leaf tell at once whether any leaf below a node is held back.
    held_before = list(accumulate((leaf in held for leaf in range(1, number + 1)), initial=0))

    def is_clean(place: int) -> bool:
        return held_before[walk.last[place]] == held_before[walk.first[place] - 1]

    clear = [one.outcome for place, one in enumerate(walk.nodes) if one.is_leaf and walk.first[place] not in held]
    steps, depth = Steps.of(tree.targets[0], clear), _deepest_drawn(walk.depth)
    drawn = dict[int, int]()
    nodes = list[TreeNode]()
    for place, node in enumerate(walk.nodes):
        if walk.depth[place] > depth:
            continue
        above = walk.parent[place]
        is_held = node.is_leaf and walk.first[place] in held
        question = None if node.attribute is None or not is_clean(place) else tree.attributes[node.attribute]
        tells = not is_held and (node.is_leaf or not held)
        nodes.append(
            TreeNode(
                number=len(nodes),
                parent=drawn.get(above),
                depth=walk.depth[place],
                # A branch gives its siblings away, so it is told only if no leaf below its parent is held back.
                way=_way(tree, walk, place) if above < 0 or is_clean(above) else HELD_BACK,
                # A held-back question must not be None, which stands for a leaf.
                asks=None if node.attribute is None else HELD_BACK if question is None else short(question.name),
                role=None if question is None else question.role,
                first=walk.first[place],
                last=walk.last[place],
                is_folded=not node.is_leaf and walk.depth[place] == depth,
                is_held_back=is_held,
                **(_told(tree, node, steps) if tells else {}),
            )
        )
        drawn[place] = nodes[-1].number
    labels = steps.different if tree.is_of_numbers else tuple(map(short, tree.labels))
    if held:
        # A label that only held-back leaves have would tell of their people.
        told = {label for node in nodes for label in (node.label, *(label for label, _ in node.shares))}
        labels = tuple(label for label in labels if label in told)
    tells_people, target = tree.root.people is not None, short(tree.target)
    return TreePicture(target, labels, tuple(nodes), crowds(findings), len(held), tells_people, tree.is_of_numbers)


@dataclass(frozen=True)
class _Walk:
    """The nodes of a tree, parents before children and left to right, and where each of them is."""

    nodes: list[Node]
    parent: list[int]
    edge: list[Edge | None]
    depth: list[int]
    first: list[int]
    last: list[int]


def _walked(tree: Tree) -> _Walk:
    """Walk a tree without recursion, since it may be of any depth."""
    walk, leaves = _Walk([], [], [], [], [], []), 0
    waiting: list[tuple[Node, int, Edge | None]] = [(tree.root, -1, None)]
    while waiting:
        node, above, edge = waiting.pop()
        place = len(walk.nodes)
        walk.nodes.append(node)
        walk.parent.append(above)
        walk.edge.append(edge)
        walk.depth.append(0 if above < 0 else walk.depth[above] + 1)
        walk.first.append(leaves + 1)
        leaves += node.is_leaf
        # For an inner node this is too small until its children are known.
        walk.last.append(leaves)
        # Reversed, since the last one in comes out first: nodes are taken from left to right.
        waiting.extend((branch.node, place, branch) for branch in reversed(node.edges))
    # Children stand after their parent: backwards, each is complete before its parent takes it over.
    for place in range(len(walk.nodes) - 1, 0, -1):
        above = walk.parent[place]
        walk.last[above] = max(walk.last[above], walk.last[place])
    return walk


def _deepest_drawn(depths: Sequence[int]) -> int:
    """The last level that is drawn, so that all levels up to it have at most `MOST_NODES` nodes together."""
    levels = [0] * (max(depths) + 1)
    for depth in depths:
        levels[depth] += 1
    total = 0
    for depth, wide in enumerate(levels):
        total += wide
        if total > MOST_NODES:
            return depth - 1
    return len(levels) - 1


def _way(tree: Tree, walk: _Walk, place: int) -> str:
    """What leads to a node, in a few words."""
    edge, above = walk.edge[place], walk.parent[place]
    asked = None if above < 0 else walk.nodes[above].attribute
    return EVERYONE if edge is None or asked is None else way(tree.attributes[asked], edge.region)


def _told(tree: Tree, node: Node, steps: Steps) -> dict[str, Any]:
    """What a node tells of its people."""
    found: dict[str, Any] = {"people": None if node.people is None else plain(node.people)}
    if not tree.is_of_numbers:
        return {**found, "label": _label(tree, node.outcome), "shares": _shares(tree, node.outcome)}
    if not node.is_leaf:
        return found
    target, outcome = tree.targets[0], node.outcome
    return {
        **found, "label": steps.of_outcome(outcome), "said": said(target, outcome), "further": further(target, outcome),
    }  # fmt: skip


def _label(tree: Tree, outcome: Outcome) -> str | None:
    """The commonest label, if there is one."""
    label = tree.label_of(outcome)
    return None if label is None else short(tree.labels[label])


def _shares(tree: Tree, outcome: Outcome) -> tuple[tuple[str, float], ...]:
    """The shares of labels that are disclosed, the commonest first."""
    if isinstance(outcome, HitMiss) and outcome.label is not None:
        return ((short(tree.labels[outcome.label]), round(outcome.hit / outcome.people, 4)),)
    shares = outcome.shares(len(tree.labels)) if isinstance(outcome, LabelCounts | Shares) else None
    if shares is None:
        return ()
    told = sorted(((-share, place) for place, share in enumerate(shares.tolist()) if share))
    return tuple((short(tree.labels[place]), round(-share, 4)) for share, place in told[:MOST_SHARES])
