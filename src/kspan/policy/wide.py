"""The policy of a wide table: each numbered column has the role, the domain and the hierarchy of its column."""

from dataclasses import replace

import polars as pl

from kspan.data.domain import Domain
from kspan.data.kinds.numbers import NUMBERS
from kspan.data.wide import ROWS, Shape, shape_of
from kspan.policy.policy import Policy
from kspan.privacy.k_anonymity import KAnonymity
from kspan.privacy.requirement import OnPrivate, Requirement
from kspan.privacy.spec import combined


def wide_policy(policy: Policy, shape: Shape, rows: int | None = None) -> Policy:
    """Return the policy for a wide table, in which each row is a person, or for those who have so many `rows`.

    It requires crowds of people. What private values must satisfy is asked of all rows of a person by the judge of wide
    tables, and of single columns by `carried_over`. The target is that of the first row. Without a number of `rows`,
    their number is public, too.
    """

    def spread(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(each for name in names for each in shape.names(name, rows))

    public = spread(policy.public)
    grid = policy.grid
    if not isinstance(grid, str):
        grid = {each: says for name, says in grid.items() for each in shape.names(name, rows)}
    domains = {each: domain for name, domain in policy.domains.items() for each in shape.names(name, rows)}
    if rows is None:
        public, domains[ROWS] = (*public, ROWS), Domain(NUMBERS)
    return replace(
        policy.of_rows(),
        public=public,
        private=spread(policy.private),
        target=None if policy.target is None else shape.names(policy.target, rows)[0],
        known_rows="all",
        order=None,
        ages={},
        private_numbers={},
        domains=domains,
        grid=grid,
        keep={each: weight for name, weight in policy.keep.items() for each in shape.names(name, rows)},
        hierarchies={each: given for name, given in policy.hierarchies.items() for each in shape.names(name, rows)},
        require=KAnonymity(policy.require.crowd),
    )


def policy_for(frame: pl.DataFrame, policy: Policy) -> Policy:
    """Return the policy by the columns of a table: that of the wide table, if it is one."""
    shape = shape_of(frame, policy)
    return policy if shape is None else wide_policy(policy, shape)


def carried_over(policy: Policy, shape: Shape, rows: int) -> Requirement:
    """What a policy requires, asked of every numbered column of those who have so many rows."""
    parts: list[Requirement] = []
    for part in policy.require.parts:
        if not isinstance(part, OnPrivate) or not part.on:
            parts.append(part)
            continue
        names = tuple(each for name in part.on for each in shape.names(name, rows))
        parts += [replace(part, on=names)] if part.only_value is None else [replace(part, on=(each,)) for each in names]
    return combined(parts)
