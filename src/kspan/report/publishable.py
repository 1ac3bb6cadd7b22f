"""What a page may tell of the spans of a model: what the model itself tells, never what happens to be true of people.

The judge's findings say which public values the people of a span have. That is more than the model tells (all three
people of a leaf may be young, though it does not ask for their age), and is for the owner alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from kspan.audit.findings import Audit, Finding
from kspan.model.clusters.model import Clusters
from kspan.model.items.model import OfItems
from kspan.model.tree.model import Node, Tree
from kspan.report.pictures.labels import way
from kspan.report.verdict import OF_ITEMS

MOST_CONDITIONS = 12
"""How many conditions of a span are named at most."""


def publishable_spans(
    audit: Audit, findings: Sequence[Finding], model: Tree | Clusters | OfItems | None = None
) -> tuple[Finding, ...]:
    """Return the findings with only what the release itself tells.

    Of a tree, if `model` is given, that includes the public conditions on the paths to the leaves of a span.
    """
    if audit.kind in OF_ITEMS:
        # How many classes a span has is for those who know the theory.
        return tuple(replace(finding, shown=_without(finding.shown, "classes")) for finding in findings)
    if audit.kind in ("function", "releases"):
        numbered = enumerate(findings, 1)
        return tuple(replace(finding, shown={"span": str(number)}) for number, finding in numbered)
    if audit.kind not in ("tree", "clusters") or audit.counting != "people":
        return tuple(findings)  # what a table, published counts or figures show is released
    # What the findings of models tell first is where a span is in each release.
    where = [_singular(dict(list(finding.shown.items())[: audit.releases]), finding) for finding in findings]
    if isinstance(model, Tree) and audit.releases == 1:
        wanted = {leaf for finding in findings for leaf in finding.bins}
        paths = dict(_public_paths(tree=model, wanted=wanted))
        where = [
            {**place, "where": _conditions([paths[leaf] for leaf in finding.bins])}
            for place, finding in zip(where, findings, strict=True)
        ]
    return tuple(replace(finding, shown=shown) for finding, shown in zip(findings, where, strict=True))


def _singular(shown: dict[str, str], finding: Finding) -> dict[str, str]:
    """Name a single leaf or cluster in the singular."""
    one = {"leaves": "leaf", "clusters": "cluster"} if len(finding.bins) == 1 else {}
    return {one.get(name, name): text for name, text in shown.items()}


def _without(shown: Mapping[str, str], name: str) -> dict[str, str]:
    return {key: text for key, text in shown.items() if key != name}


def _public_paths(tree: Tree, wanted: set[int]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each wanted leaf, counted from 1, with the public conditions on its path, one for each attribute.

    If a path asks an attribute several times, only the last condition is kept.
    """
    number = 0
    waiting: list[tuple[Node, dict[str, str]]] = [(tree.root, {})]
    while waiting:
        node, asked = waiting.pop()
        if node.attribute is None:
            number += 1
            if number in wanted:
                yield number, asked
            continue
        attribute = tree.attributes[node.attribute]
        # The last one in comes out first: reversed edges give leaves from left to right, as bins count them.
        for edge in reversed(node.edges):
            further = {**asked, attribute.name: way(attribute, edge.region)} if attribute.role == "public" else asked
            waiting.append((edge.node, further))


def _conditions(paths: Sequence[dict[str, str]]) -> str:
    """Write the conditions that are true of somebody who can reach all leaves at the ends of some paths."""
    ways = list(dict.fromkeys(way for path in paths for way in path.values()))
    more = [f"{len(ways) - MOST_CONDITIONS} more"] if len(ways) > MOST_CONDITIONS else []
    return ", ".join([*ways[:MOST_CONDITIONS], *more]) or "anything"
