"""Writes a released tree as a JSON document."""

from collections.abc import Mapping, Sequence
from typing import Any

from kspan.data.kinds.kind import Kind
from kspan.errors import ModelError
from kspan.model.claim import Claim
from kspan.model.outcome import HitMiss, LabelCounts, Numbers, Outcome, Shares, plain
from kspan.model.tree.model import Attribute, Edge, Node, Region, Target, Tree
from kspan.model.tree.nodes import MOST_DEPTH, OTHERS
from kspan.model.tree.release import Marginal, TreeRelease

FORMAT, VERSION, OF_NUMBERS = "kspan/tree", 1, 2
"""The second version is for trees of numbers or of several targets, with weights of labels, or with values that are not
named, so that older readers refuse them."""
WEIGHTS, UNNAMED = "weights", "others"
"""The keys of what people of each label count in predictions, and of values that go where missing ones go."""


def write_tree(release: TreeRelease) -> dict[str, Any]:
    """Write a released tree as a JSON document.

    >>> tree = Tree((), "risk", "private", ("bad", "good"), Node.of_counts((4, 2)))
    >>> write_tree(TreeRelease(tree))["root"]
    {'counts': [4, 2]}
    >>> write_tree(TreeRelease(tree.disclosing("hit-miss")))["root"]
    {'label': 'bad', 'hit': 4, 'miss': 2}
    >>> from kspan.data.kinds.numbers import NUMBERS
    >>> tree = Tree((), "income", "private", (), Node(Numbers(3, 2.5)), target_kind=NUMBERS)
    >>> write_tree(TreeRelease(tree))["root"]
    {'people': 3, 'mean': 2.5}
    """
    tree, claim = release.tree, release.claim
    document = {
        "format": FORMAT,
        "version": OF_NUMBERS if _is_more(tree) else VERSION,
        "attributes": [write_attribute(attribute) for attribute in tree.attributes],
        "target": _target(tree.targets[0]) | ({WEIGHTS: list(tree.label_weights)} if tree.label_weights else {}),
    }
    if tree.others:
        document[OTHERS] = [_target(other) for other in tree.others]
    if tree.counts_rows:
        document["counts"] = "rows"
    if claim is not None:
        if claim.disclosure != tree.disclosure:
            raise ModelError(
                f"the claim says that the tree discloses {claim.disclosure!r}, but it discloses {tree.disclosure!r}: "
                "they must agree"
            )
        document["claim"] = write_claim(claim)
    if release.marginals:
        document["marginals"] = [_marginal(marginal, tree) for marginal in release.marginals]
    return {**document, "root": _nodes(tree)}


def _is_more(tree: Tree) -> bool:
    """Does a tree say what the first version of the format cannot?"""
    unnamed = any(attribute.others for attribute in tree.attributes)
    return tree.is_of_numbers or bool(tree.others) or bool(tree.label_weights) or unnamed


def write_attribute(attribute: Attribute) -> dict[str, Any]:
    """Write an attribute of a model."""
    domain: list[Any] | None = list(attribute.values)
    if attribute.is_measured:
        empty = attribute.low is None or attribute.high is None
        domain = None if empty else [_bound(attribute.low), _bound(attribute.high)]
    written = {"name": attribute.name, "role": attribute.role, "kind": attribute.kind.family, "domain": domain}
    written |= _calendar(attribute.kind)
    flags = {"missing": attribute.has_missing, UNNAMED: attribute.others}
    return {**written, **{key: True for key, is_set in flags.items() if is_set}}


def _calendar(kind: Kind) -> dict[str, str]:
    """Say how numbers are written, if they are not written as numbers."""
    return {} if kind.unit is None else {"calendar": kind.unit}


def _target(target: Target) -> dict[str, Any]:
    """Write a target, and what it may be."""
    kind = target.kind
    what = {"labels": list(target.labels)} if kind is None else {"kind": kind.family, **_calendar(kind)}
    return {"name": target.name, "role": target.role, **what}


def write_claim(claim: Claim) -> dict[str, Any]:
    """Write what a model promises."""
    written = {
        "requirement": claim.requirement,
        "counting": claim.counting,
        "disclosure": claim.disclosure,
        "inferred_domains": list(claim.inferred_domains),
    }
    more = {"missing": claim.missing, "known_rows": claim.known_rows}
    return {**written, **{key: value for key, value in more.items() if value is not None}}


def _marginal(marginal: Marginal, tree: Tree) -> dict[str, Any]:
    attribute = tree.attributes[marginal.attribute]
    rank = ranks(attribute)
    bins = [{**write_region(region, rank), "people": people} for region, people in marginal.bins]
    return {"attribute": attribute.name, "bins": bins}


def _nodes(tree: Tree) -> dict[str, Any]:
    """Write the root and everything below it."""
    writer = _Writer(tree)
    root = writer.node(tree.root)
    waiting = [(tree.root, root, 0)]
    while waiting:
        node, written, depth = waiting.pop()
        if node.edges:
            if depth == MOST_DEPTH:
                raise ModelError(
                    f"the tree cannot be written: it is more than {MOST_DEPTH:,} edges deep; ask for more people in "
                    "each branch (min_rows, on the command line --min-rows)"
                )
            sons = [writer.node(edge.node) for edge in node.edges]
            pairs = list(zip(node.edges, sons, strict=True))
            # The sons are in the document before their own edges are: these are added when their turn comes.
            written["edges"] = [{**writer.edge(node, edge), "node": son} for edge, son in pairs]
            waiting.extend((edge.node, son, depth + 1) for edge, son in pairs)
    return root


class _Writer:
    """Writes the nodes and edges of one tree, each without what is below it."""

    def __init__(self, tree: Tree) -> None:
        self.attributes, self.labels = tree.attributes, (tree.labels, *(other.labels for other in tree.others))
        self.rank = [ranks(attribute) for attribute in tree.attributes]

    def node(self, node: Node) -> dict[str, Any]:
        written = _outcome(node.outcome, self.labels[0])
        if node.others:
            told = zip(node.others, self.labels[1:], strict=True)
            written[OTHERS] = [_outcome(other, labels) for other, labels in told]
        if node.attribute is not None:
            written["attribute"] = self.attributes[node.attribute].name
        return written

    def edge(self, node: Node, edge: Edge) -> dict[str, Any]:
        return {} if node.attribute is None else write_region(edge.region, self.rank[node.attribute])


def _outcome(outcome: Outcome, labels: Sequence[str]) -> dict[str, Any]:
    """Write what a node tells of one target."""
    if isinstance(outcome, LabelCounts):
        return {"counts": [plain(count) for count in outcome.counts]}
    if isinstance(outcome, Numbers):
        return _numbers(outcome)
    if isinstance(outcome, Shares):
        return {"shares": None if outcome.each is None else list(outcome.each)}
    label = None if outcome.label is None else labels[outcome.label]
    if not isinstance(outcome, HitMiss):
        return {"label": label}
    if not plain(outcome.hit):  # a crumb of a person is nobody
        return {"label": None, "hit": 0, "miss": 0}
    return {"label": label, "hit": plain(outcome.hit), "miss": plain(outcome.miss)}


def _numbers(outcome: Numbers) -> dict[str, Any]:
    """Write what a node tells of numbers; a crumb of a person is nobody."""
    people = plain(outcome.people)
    there = outcome if people else Numbers(0, None, kind=outcome.kind)
    written: dict[str, Any] = {"people": people, "mean": _bound(there.mean)}
    if outcome.kind != "mean":
        written["median"] = _bound(there.median)
    if outcome.kind == "interval":
        written["interval"] = None if there.low is None else [_bound(there.low), _bound(there.high)]
    return written


def write_region(region: Region, rank: Mapping[str, int]) -> dict[str, Any]:
    """Write a region of an attribute; `rank` says in which order its values are listed."""
    written = dict[str, Any]()
    if region.values:
        written["values"] = sorted(region.values, key=rank.__getitem__)
    if region.intervals:
        written["intervals"] = [[_bound(low), _bound(high)] for low, high in region.intervals]
    if region.missing:
        written["missing"] = True
    return written


def ranks(attribute: Attribute) -> dict[str, int]:
    """The place of each value in the domain of an attribute."""
    return {value: place for place, value in enumerate(attribute.values)}


def _bound(number: float | None) -> float | None:
    """Return a bound the way a person writes it: whole numbers without a fraction.

    >>> _bound(39.0), _bound(0.5), _bound(None)
    (39, 0.5, None)
    """
    if number is None:
        return None
    number = float(number)
    # Above 2^53 a float does not hold every whole number, so it is not shown as one.
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
