"""The audit of a tree: whoever reaches the same bins by public values alone is one span, and must be a crowd."""

import numpy as np
import polars as pl

from kspan.audit.findings import Audit, Finding, K, Utility
from kspan.audit.infer import certain, confidence, exposed
from kspan.audit.measured import measured
from kspan.audit.risk import risk_of
from kspan.audit.spans import TreeSpans, spans_of
from kspan.data.arrays import Bools, Int64s
from kspan.data.cells import SUPPRESSED, write_interval, write_set
from kspan.data.groups import Groups
from kspan.data.table import Column, Table
from kspan.errors import PolicyError
from kspan.model.people import check_roles, coded_people
from kspan.model.tree import Tree
from kspan.policy import Policy
from kspan.privacy import OnPrivate
from kspan.utility.loss import average_group_size, classification_metric


def audit_tree(tree: Tree, people: pl.DataFrame, policy: Policy, *, show: int = 5) -> Audit:
    """Judge a tree by the people it was made from: every span must satisfy the policy's requirement.

    A span of one bin tells nothing that was not known, and is safe at any size.
    """
    table = _asked(tree, people, policy)
    spans = spans_of(tree, table)
    groups = spans.groups
    good = policy.require.holds(groups)
    counts = groups.private.get(tree.target)
    smallest = int(groups.sizes[groups.exposing].min()) if groups.exposing.any() else table.people
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
        failing=_findings(tree, table, spans, policy, np.flatnonzero(~good), show),
        smallest=_findings(tree, table, spans, policy, np.arange(len(groups)), show),
        exposed={} if counts is None else {tree.target: exposed(counts, groups.sizes)},
        reached={} if counts is None else {tree.target: measured(counts)},
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
        make_per_row=lambda: _per_row(tree, spans, good),
    )


def _asked(tree: Tree, people: pl.DataFrame, policy: Policy) -> Table:
    """The columns of the people that the judge must see: public ones and the target; roles are the policy's."""
    check_roles(tree, policy)
    for part in policy.require.parts:
        if isinstance(part, OnPrivate) and (tree.target_role == "public" or (part.on and part.on != (tree.target,))):
            raise PolicyError(
                f"{part} cannot be asked of a tree: it tells of its target alone, and that must be private"
            )
    return coded_people(tree, people, policy, [item.name for item in tree.attributes if item.role == "public"])


def _findings(
    tree: Tree, table: Table, spans: TreeSpans, policy: Policy, among: Int64s, show: int
) -> tuple[Finding, ...]:
    groups: Groups = spans.groups
    chosen = among[np.argsort(groups.sizes[among], kind="stable")[:show]]
    holds = {str(part): part.holds(groups) for part in policy.require.parts}
    return tuple(
        Finding(
            shown=_shown(tree, table, spans, span),
            people=int(groups.sizes[span]),
            crowd=int(groups.sizes[span]),
            breaks=tuple(part for part, good in holds.items() if not good[span]),
        )
        for span in chosen.tolist()
    )


def _shown(tree: Tree, table: Table, spans: TreeSpans, span: int) -> dict[str, str]:
    """Which leaves a span reaches, and which public values lead there."""
    asked = {node.attribute for node in tree.nodes()}
    rows = np.flatnonzero(spans.span == span)
    shown = {"leaves": ", ".join(str(leaf + 1) for leaf in spans.leaves(span))}
    for number, attribute in enumerate(tree.attributes):
        if attribute.role == "public" and number in asked:
            column = table[attribute.name]
            shown[attribute.name] = _cell(column, np.unique(column.codes[rows]))
    return shown


def _cell(column: Column, codes: Int64s) -> str:
    """Some codes of a column as one cell of a released table."""
    if len(codes) == column.size:
        return SUPPRESSED if len(codes) > 1 else column.label(int(codes[0]))
    if len(codes) == 1:
        return column.label(int(codes[0]))
    if column.values.dtype != object and column.missing not in codes:
        return write_interval(float(column.values[codes[0]]), float(column.values[codes[-1]]))
    return write_set(column.label(int(code)) for code in codes)


def _per_row(tree: Tree, spans: TreeSpans, good: Bools) -> pl.DataFrame:
    groups = spans.groups
    per_span = {"span_size": groups.sizes, "prosecutor_risk": 1 / groups.sizes, "holds": good, "safe": ~groups.exposing}
    for name, counts in groups.private.items():
        per_span |= {f"confidence: {name}": confidence(counts), f"certain: {name}": certain(counts)}
    rows = {name: values[spans.span] for name, values in per_span.items()}
    return pl.DataFrame({"row": np.arange(1, len(spans.span) + 1), "span": spans.span + 1, **rows})
