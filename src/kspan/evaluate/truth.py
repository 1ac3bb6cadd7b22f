"""The labels that people really have, to hold predictions against."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_

import polars as pl

from kspan.data.domain import Domain
from kspan.data.encode import encode_column
from kspan.data.table import Column
from kspan.errors import DataError, PolicyError, did_you_mean
from kspan.policy import Policy
from kspan.privacy import KAnonymity, Requirement


def known_labels(frame: pl.DataFrame, policy: Policy, name: str) -> pl.Series:
    """Return the label of each row of a table, as models write labels; `name` is what errors call the table."""
    column = target_column(frame, policy, name)
    return pl.Series([column.label(code) for code in range(column.size)], dtype=pl.String)[column.codes]


def target_column(frame: pl.DataFrame, policy: Policy, name: str, *, measured: bool = False) -> Column:
    """Return the coded target of a table; everybody must have a label. `name` is what errors call the table.

    If it is to be `measured`, dates are numbers; otherwise they are labels, as all that a policy's target holds.
    """
    target = target_of(policy)
    if target not in frame.columns:
        hint = did_you_mean(target, frame.columns)
        raise DataError(f"{name} has no column {target!r}, the target{hint}: add it, or correct target in the policy")
    column = encode_column(frame[target], replace(policy, target=None) if measured else policy)
    if column.missing is not None:
        gone = int((column.codes == column.missing).sum())
        raise DataError(f"{gone} people in {name} have no label in {target!r}: leave them out first")
    return column


def target_of(policy: Policy) -> str:
    """The column to predict."""
    if policy.target is None:
        raise PolicyError("comparing needs a target: name the column to predict as target in the policy")
    return policy.target


def labels_like(policy: Policy, original: Column) -> Policy:
    """Return the policy that reads labels as they are read in the original: as numbers or as words."""
    if original.name in policy.domains:
        return policy
    return replace(policy, domains={**policy.domains, original.name: Domain(original.kind)})


def narrowed(policy: Policy, columns: Iterable[str]) -> Policy:
    """Return the policy for a table that has only these columns."""
    kept = set(columns)
    # Identifiers are left out on purpose: nobody learns from them.
    private = [name for name in policy.private if name in kept]
    return Policy(
        public=[name for name in policy.public if name in kept],
        private=private,
        target=policy.target,
        weight=policy.weight if policy.weight in kept else None,
        hierarchies={name: given for name, given in policy.hierarchies.items() if name in kept},
        domains={name: given for name, given in policy.domains.items() if name in kept},
        missing=policy.missing,
        suppressed_text=policy.suppressed_text,
        suppressed=policy.suppressed,
        range_pattern=policy.range_pattern,
        counting=policy.counting,
        # There must be some requirement, and k=1 always holds.
        require=reduce(and_, [part for part in policy.require.parts if _applies(part, private)] or [KAnonymity(1)]),
    )


def _applies(requirement: Requirement, private: Sequence[str]) -> bool:
    """Are the private columns that a requirement is about still there?"""
    try:
        requirement.check(private)
    except PolicyError:
        return False
    return True
