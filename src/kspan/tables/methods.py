"""The methods that make tables anonymous, by name."""

from collections.abc import Callable, Mapping
from typing import Any

from kspan.anonymize.crowds import Recoding
from kspan.data.table import Table
from kspan.options import Option, declared
from kspan.policy import Policy

Method = Callable[..., Recoding]


def methods() -> dict[str, Method]:
    """Return the methods by name; their modules are loaded only when this is called."""
    from kspan.anonymize.crowd import crowd
    from kspan.anonymize.full_domain.datafly import datafly
    from kspan.anonymize.full_domain.incognito import incognito
    from kspan.anonymize.k_optimize.k_optimize import k_optimize
    from kspan.anonymize.mondrian import mondrian
    from kspan.anonymize.one_dim.one_dim import one_dim
    from kspan.anonymize.tds.tds import tdr, tds
    from kspan.tables.inner_tree import grown_and_pruned

    return {
        "kactus": grown_and_pruned,
        "crowd": crowd,
        "mondrian": mondrian,
        "tds": tds,
        "tdr": tdr,
        "incognito": incognito,
        "one-dim": one_dim,
        "k-optimize": k_optimize,
        "datafly": datafly,
    }


AUTO = ("crowd", "kactus", "tdr", "mondrian", "one-dim", "incognito")
"""What `auto` tries, those that keep a target in mind first."""

APART = ("kactus", "crowd", "mondrian", "tds", "tdr", "incognito", "k-optimize", "datafly")
"""Methods whose groups do not overlap, or only so that k people share every span if the policy counts people."""

APART_BY_ROWS = ("crowd", "mondrian", "tds", "tdr", "incognito", "k-optimize", "datafly")
"""Methods whose cells never overlap, whatever the options, unless cuts are relaxed."""

BY_NAME, BY_NAME_ALONE = ("tds", "tdr"), ("incognito", "datafly")
"""Methods that show the names of a hierarchy where there is one, and those that show nothing else but values."""


def options_of(name: str) -> Mapping[str, Option]:
    """Return the options of a method.

    >>> {option.name: option.words for option in options_of("mondrian").values()}
    {'relaxed': (), 'show': ('interval', 'set', 'hierarchy'), 'width': ('range', 'distinct'), 'resist': ()}
    """
    return declared(methods()[name])


def ranged(name: str, table: Table, policy: Policy, options: Mapping[str, Any]) -> list[str]:
    """Return the public columns of which a method shows ranges of numbers, by what it was told.

    Sets, means and medians are no ranges, and names of a hierarchy end where the hierarchy says.
    """
    known = options_of(name)
    show = options.get("show", known["show"].default if "show" in known else "interval")
    if name in BY_NAME_ALONE or show not in ("interval", "cells", "hierarchy"):
        return []
    by_name = name in BY_NAME or show == "hierarchy"
    return [one for one in policy.public if not (by_name and table[one].hierarchy is not None)]
