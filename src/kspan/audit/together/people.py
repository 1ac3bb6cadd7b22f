"""Who is in which release: people are matched by a column that says who they are, never by the order of rows."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.persons import plain_names
from kspan.data.schema import Schema
from kspan.errors import DataError, PolicyError, did_you_mean, listed

POSITION = "position"
"""Says that row i of every table is the same person."""


def naming_column(schema: Schema, columns: Sequence[str], asked: str | None = None) -> str:
    """Return the column that says who people are: the one asked for, else `person`, else the only identifier."""
    if asked is not None:
        if asked not in columns:
            raise PolicyError(f"there is no column {asked!r:.40} to match people by{did_you_mean(asked, columns)}")
        return asked
    births = {age.born for age in schema.ages.values()}
    known = [schema.person] if schema.person else [name for name in schema.identifier if name not in births]
    there = [name for name in known if name in columns]
    if len(there) == 1:
        return there[0]
    if there:
        raise PolicyError(f"people can be matched by {listed(there)}: say by which (--match {there[0]})")
    raise PolicyError(
        "nothing says which people are the same in several releases: add a column that does, and list it as an "
        "identifier in the policy"
    )


def check_roles_agree(policies: Mapping[str, Schema]) -> None:
    """Refuse an attribute that is public for one release and private for another: the attacker knows it or does not."""
    known: dict[str, tuple[str, str]] = {}
    for release, policy in policies.items():
        for role, names in (("public", policy.public), ("private", policy.private)):
            for name in names:
                other, said = known.setdefault(name, (release, role))
                if said != role:
                    raise PolicyError(
                        f"{name!r} is {said} for {other} and {role} for {release}, but either anybody knows it or "
                        "nobody does: the policies must agree"
                    )


def names_of(people: pl.DataFrame, schema: Schema, column: str) -> pl.Series:
    """Return who each row is, as text; refuse rows that do not say, and people who repeat without being said to."""
    names = plain_names(people[column], schema).cast(pl.String)
    if names.null_count():
        raise DataError(
            f"{names.null_count()} rows do not say who they are ({column!r} is missing): fill that in, or leave these "
            "rows out"
        )
    # Sets of codes have become rows, one a code.
    if schema.person != column and not schema.sets and names.n_unique() < len(names):
        raise PolicyError(
            f"{column!r} repeats in {len(names) - names.n_unique():,} rows, so people cannot be matched by it: name "
            f'another column, or say person = "{column}" if people have several rows'
        )
    return names


def numbered(names: Sequence[pl.Series]) -> tuple[list[Int64s], int]:
    """Number the people of several tables together; returns the number of each row, and how many people there are."""
    every = pl.concat([each.rename("") for each in names])
    number = every.rank("dense").to_numpy().astype(np.int64) - 1
    ends = np.cumsum([len(each) for each in names])[:-1]
    return np.split(number, ends), int(number.max(initial=-1)) + 1
