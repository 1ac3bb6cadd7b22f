"""The audit of a tree: whoever reaches the same bins by public values alone is one span, and must be a crowd."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from kspan.audit.findings import Audit, Finding, K, Utility
from kspan.audit.infer import certain, confidence, exposed
from kspan.audit.measured import measured
from kspan.audit.risk import risk_of
from kspan.audit.several import JointSpans, joint_spans, people_of
from kspan.data.arrays import Bools, Int64s
from kspan.data.cells import SUPPRESSED, write_interval, write_set
from kspan.data.table import Column, Table
from kspan.errors import PolicyError
from kspan.model.people import check_roles
from kspan.model.tree import Tree
from kspan.policy import Policy
from kspan.privacy import OnPrivate, Requirement
from kspan.utility.loss import average_group_size, classification_metric


def audit_tree(
    tree: Tree, people: pl.DataFrame, policy: Policy, *, beside: Sequence[Tree] = (), show: int = 5
) -> Audit:
    """Judge a tree by the people it was made from: every span must satisfy the policy's requirement.

    A span of one bin tells nothing that was not known, and is safe at any size. `beside` are other trees about the same
    people that an attacker holds as well: then people have the same span if they have it in every tree.
    """
    trees = (tree, *beside)
    for one in trees:
        check_roles(one, policy)
    check_asked(trees, policy.require)
    table = people_of(trees, people, policy)
    spans = joint_spans(trees, table)
    groups = spans.groups
    good = policy.require.holds(groups)
    counts = groups.private.get(tree.target)
    smallest = int(groups.sizes[groups.exposing].min()) if groups.exposing.any() else table.people

    def crowds(most: int) -> tuple[Finding, ...]:
        return _findings(trees, table, spans, policy, np.arange(len(groups)), most)

    return Audit(
        holds=bool(good.all()),
        requirement=str(policy.require),
        counting="people",
        rows=table.rows,
        people=table.people,
        groups=len(groups),
        k=K(rows=smallest, people=smallest),
        identifiers=(),
        failing_groups=int((~good).sum()),
        failing_people=int(groups.sizes[~good].sum()),
        failing=_findings(trees, table, spans, policy, np.flatnonzero(~good), show),
        smallest=crowds(show),
        exposed={name: exposed(labels, groups.sizes) for name, labels in groups.private.items()},
        reached={name: measured(labels) for name, labels in groups.private.items()},
        risk=risk_of(groups.sizes, groups.sizes),
        utility=Utility(
            cm=None if counts is None else classification_metric(counts),
            dm=None,
            average_group_size=average_group_size(groups.sizes),
            ncp=None,
        ),
        suppressed=None,
        kind="tree",
        safe_people=int(groups.sizes[~groups.exposing].sum()),
        releases=len(trees),
        make_per_row=lambda: _per_row(spans, good),
        make_crowds=crowds,
    )


def check_asked(trees: Sequence[Tree], require: Requirement) -> None:
    """Refuse a requirement on private values of which none of some trees tells."""
    told = {tree.target for tree in trees if tree.target_role == "private"}
    for part in require.parts:
        if isinstance(part, OnPrivate) and not (told and told.issuperset(part.on)):
            raise PolicyError(
                f"{part} cannot be asked of a tree: it tells of its target alone, and that must be private"
            )


def _findings(
    trees: Sequence[Tree], table: Table, spans: JointSpans, policy: Policy, among: Int64s, show: int
) -> tuple[Finding, ...]:
    groups = spans.groups
    chosen = among[np.argsort(groups.sizes[among], kind="stable")[:show]]
    holds = {str(part): part.holds(groups) for part in policy.require.parts}
    return tuple(
        Finding(
            shown=_shown(trees, table, spans, span),
            people=int(groups.sizes[span]),
            crowd=int(groups.sizes[span]),
            breaks=tuple(part for part, good in holds.items() if not good[span]),
            bins=tuple(leaf + 1 for leaf in spans.leaves(span)[0]),
            safe=not groups.exposing[span],
        )
        for span in chosen.tolist()
    )


def _shown(trees: Sequence[Tree], table: Table, spans: JointSpans, span: int) -> dict[str, str]:
    """Which leaves a span reaches, and which public values lead there."""
    rows = np.flatnonzero(spans.span == span)
    names = ["leaves"] if len(trees) == 1 else [f"leaves of release {number}" for number in range(1, len(trees) + 1)]
    reached = (", ".join(str(leaf + 1) for leaf in leaves) for leaves in spans.leaves(span))
    shown = dict(zip(names, reached, strict=True))
    for tree in trees:
        asked = {node.attribute for node in tree.nodes()}
        for number, attribute in enumerate(tree.attributes):
            if attribute.role == "public" and number in asked and attribute.name not in shown:
                column = table[attribute.name]
                shown[attribute.name] = shown_cell(column, np.unique(column.codes[rows]))
    return shown


def shown_cell(column: Column, codes: Int64s) -> str:
    """Some codes of a column as one cell of a released table."""
    if len(codes) == column.size:
        return SUPPRESSED if len(codes) > 1 else column.label(int(codes[0]))
    if len(codes) == 1:
        return column.label(int(codes[0]))
    if column.values.dtype != object and column.missing not in codes:
        return write_interval(float(column.values[codes[0]]), float(column.values[codes[-1]]))
    return write_set(column.label(int(code)) for code in codes)


def _per_row(spans: JointSpans, good: Bools) -> pl.DataFrame:
    groups = spans.groups
    per_span = {"span_size": groups.sizes, "prosecutor_risk": 1 / groups.sizes, "holds": good, "safe": ~groups.exposing}
    for name, counts in groups.private.items():
        per_span |= {f"confidence: {name}": confidence(counts), f"certain: {name}": certain(counts)}
    rows = {name: values[spans.span] for name, values in per_span.items()}
    return pl.DataFrame({"row": np.arange(1, len(spans.span) + 1), "span": spans.span + 1, **rows})
