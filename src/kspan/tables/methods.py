"""The methods that make tables anonymous, by name."""

from collections.abc import Callable, Mapping

from kspan.anonymize.crowds import Recoding
from kspan.options import Option, declared

Method = Callable[..., Recoding]


def methods() -> dict[str, Method]:
    """Return the methods by name; their modules are loaded only when this is called."""
    from kspan.anonymize.full_domain.datafly import datafly
    from kspan.anonymize.full_domain.incognito import incognito
    from kspan.anonymize.k_optimize.k_optimize import k_optimize
    from kspan.anonymize.mondrian import mondrian
    from kspan.anonymize.one_dim.one_dim import one_dim
    from kspan.anonymize.tds.tds import tdr, tds
    from kspan.tables.inner_tree import grown_and_pruned

    return {
        "kactus": grown_and_pruned,
        "mondrian": mondrian,
        "tds": tds,
        "tdr": tdr,
        "incognito": incognito,
        "one-dim": one_dim,
        "k-optimize": k_optimize,
        "datafly": datafly,
    }


AUTO = ("kactus", "tdr", "mondrian", "one-dim", "incognito")
"""What `auto` tries, those that keep a target in mind first."""

APART = ("kactus", "mondrian", "tds", "tdr", "incognito", "k-optimize", "datafly")
"""Methods whose groups do not overlap, or only so that k people share every span if the policy counts people."""

APART_BY_ROWS = ("mondrian", "tds", "tdr", "incognito", "k-optimize", "datafly")
"""Methods whose cells never overlap, whatever the options, unless cuts are relaxed."""


def options_of(name: str) -> Mapping[str, Option]:
    """Return the options of a method.

    >>> {option.name: option.words for option in options_of("mondrian").values()}
    {'relaxed': (), 'show': ('interval', 'set', 'hierarchy'), 'width': ('range', 'distinct')}
    """
    return declared(methods()[name])
