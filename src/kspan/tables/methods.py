"""The methods that make tables anonymous, by name, with the options that each of them takes."""

from collections.abc import Callable
from inspect import Parameter, signature
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from kspan.anonymize.crowds import Crowds, Recoding
from kspan.data.table import Table
from kspan.policy import Policy
from kspan.tables.inner_tree import INDUCERS, inner_tree

Method = Callable[..., Recoding]


def methods() -> dict[str, Method]:
    """The methods by name; their modules are loaded when they are asked for."""
    from kspan.anonymize.datafly import datafly
    from kspan.anonymize.incognito import incognito
    from kspan.anonymize.k_optimize import k_optimize
    from kspan.anonymize.mondrian import mondrian
    from kspan.anonymize.one_dim import one_dim
    from kspan.anonymize.tds import tdr, tds

    return {
        "kactus": _kactus,
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
"""Whose groups keep apart, or overlap so that k people share a span where the policy counts people."""


def _kactus(
    table: Table, policy: Policy, *, rng: np.random.Generator, inducer: Any = "c45", **options: Any
) -> Recoding:
    from kspan.anonymize.kactus import kactus

    crowds = Crowds(table, policy)
    crowds.check_reachable()
    return kactus(table, policy, inner_tree(table, policy, inducer, crowds.k), rng=rng, **options)


def options_of(name: str) -> dict[str, tuple[str, ...]]:
    """The options of a method, each with the words that it takes, if it takes words.

    >>> options_of("mondrian")
    {'relaxed': (), 'show': ('set', 'interval', 'hierarchy'), 'width': ('range', 'distinct')}
    """
    kinds = get_type_hints(_function(name))
    words = {option: _words(kinds[option]) for option in keywords_of(name) if option not in ("rng", "progress")}
    return {"inducer": INDUCERS, **words} if name == "kactus" else words


def _function(name: str) -> Method:
    from kspan.anonymize.kactus import kactus

    return kactus if name == "kactus" else methods()[name]


def _words(kind: Any) -> tuple[str, ...]:
    """The words that are a type, or are one beside None."""
    members = [member for member in get_args(kind) if member is not NoneType]
    return get_args(kind) if get_origin(kind) is Literal else _words(members[0]) if len(members) == 1 else ()


def keywords_of(name: str) -> list[str]:
    """What the function of a method takes by name."""
    parameters = signature(_function(name)).parameters.values()
    return [one.name for one in parameters if one.kind is Parameter.KEYWORD_ONLY]
