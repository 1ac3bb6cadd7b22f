"""Tables of any columns as tables of items: a column that says more than yes or no is an item for each of its cells."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from kspan.data.items import item_name, items_of
from kspan.errors import PolicyError
from kspan.policy.policy import Policy
from kspan.privacy import OnPrivate, Requirement
from kspan.privacy.spec import combined


def itemized(frame: pl.DataFrame, policy: Policy, columns: Collection[str]) -> tuple[pl.DataFrame, Policy]:
    """Return the table and the policy in which some public and private columns are items, of the same role.

    What was required of such a private column is required of each of its items.

    >>> frame, policy = itemized(pl.DataFrame({"sex": ["F", "M"], "ill": [True, False]}),
    ...                          Policy(public=["sex"], private=["ill"], require="k=1"), ["sex"])
    >>> frame.columns, policy.public
    (['ill', 'sex=F', 'sex=M'], ('sex=F', 'sex=M'))
    """
    made = {name: items_of(frame[name], policy) for name in columns}
    series = [pl.Series(item, rows) for items in made.values() for item, rows in items.items()]

    def named(names: Collection[str]) -> tuple[str, ...]:
        return tuple(item for name in names for item in made.get(name, (name,)))

    said = {name: getattr(policy, name) for name in ("hierarchies", "domains", "grid", "keep", "private_numbers")}
    kept: dict[str, Any] = {
        key: {name: each for name, each in given.items() if name not in made} if isinstance(given, Mapping) else given
        for key, given in said.items()
    }
    if policy.target in made:
        kept["target"] = None  # its cells are items like others
    parts = [_about_items(part, {name: tuple(items) for name, items in made.items()}) for part in policy.require.parts]
    asked = replace(policy, public=named(policy.public), private=named(policy.private), require=combined(parts), **kept)
    return frame.drop(columns).with_columns(series), asked


def columns_of(items: Collection[str], columns: Collection[str]) -> list[str]:
    """The columns of a table whose cells are items of a model.

    >>> columns_of(["sex=F", "ill"], ["sex", "ill"])
    ['sex']
    """
    known = set(columns)
    return [
        name for name in columns if any(item not in known and item.startswith(item_name(name, "")) for item in items)
    ]


def _about_items(part: Requirement, items: dict[str, tuple[str, ...]]) -> Requirement:
    if not isinstance(part, OnPrivate) or not any(name in items for name in part.on):
        return part
    if part.only_value is not None:
        raise PolicyError(
            f"{part} is about one value of a column whose cells are items: ask it of the item, with the value yes"
        )
    return replace(part, on=tuple(item for name in part.on for item in items.get(name, (name,))))
