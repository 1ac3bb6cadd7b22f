"""Rules that others found: converts dataframes as mlxtend makes them."""

import math
from collections.abc import Iterable
from typing import Any

import narwhals as nw

from kspan.errors import DataError, listed
from kspan.model.items.frames import figure_in, has_columns, items_in
from kspan.model.rules.model import RIGHT_SUPPORT, Rule, Rules, rules_about
from kspan.policy import Policy, PolicyLike
from kspan.policy.patterns import roles_of

FRAME_COLUMNS = ("antecedents", "consequents", "support", "confidence")
LIFT = "lift"


def is_rules_frame(given: Any) -> bool:
    """Is it a dataframe of rules as mlxtend makes them?"""
    return has_columns(given, FRAME_COLUMNS)


def imported_rules(frame: Any, transactions: int, policy: PolicyLike) -> Rules:
    """Convert a dataframe of mlxtend's `association_rules` to rules; the policy says which items are public.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"antecedents": [["Cherries"]], "consequents": [["Viagra"]], "support": [0.084],
    ...                       "confidence": [0.75]})
    >>> imported_rules(frame, 1000, Policy(public=["Cherries"], private=["Viagra"], require="k=30"))
    Rules(1 rules about 2 items, 1000 transactions)
    """
    if not is_rules_frame(frame):
        raise DataError(f"a dataframe of rules needs the columns {listed(FRAME_COLUMNS)}: give one that mlxtend made")
    source = nw.from_native(frame, eager_only=True)
    left, right = (
        [items_in(cell, "the sides of rules") for cell in source[name].to_list()] for name in FRAME_COLUMNS[:2]
    )
    support, confidence = ([figure_in(cell) for cell in source[name].to_list()] for name in FRAME_COLUMNS[2:])
    beside: Iterable[float | None] = [None] * len(left)
    if RIGHT_SUPPORT in source.columns:
        beside = [_unless_untold(figure_in(cell)) for cell in source[RIGHT_SUPPORT].to_list()]
    elif LIFT in source.columns:
        # Whoever knows the lift knows the support of the right side, too.
        lifts = [figure_in(cell) for cell in source[LIFT].to_list()]
        beside = [_unless_untold(sure / lift if lift else 0) for sure, lift in zip(confidence, lifts, strict=True)]
    rules = tuple(map(Rule, left, right, support, confidence, beside))
    names = dict.fromkeys(name for rule in rules for side in (rule.left, rule.right) for name in sorted(side))
    return rules_about(rules, transactions, roles_of(Policy.of(policy), names))


def _unless_untold(figure: float) -> float | None:
    return None if math.isnan(figure) else figure
