"""Ranges as tables of others write them: a pattern from the policy, matched in time linear in the text.

Python's own patterns try one way after another, and can take years for a cell of forty characters; those of polars
do not.
"""

import re
from collections.abc import Sequence
from typing import Any

from kspan.errors import PolicyError

LONGEST_PATTERN = 1_000
Ends = tuple[str | None, str | None]


def check_range_pattern(pattern: Any) -> str | None:
    r"""Return a pattern of ranges as it was given; refuse one that cannot be used.

    >>> check_range_pattern(r"(?P<low>\d+) to (?P<high>\d+)")
    '(?P<low>\\d+) to (?P<high>\\d+)'
    """
    if pattern is None:
        return None
    try:
        short = isinstance(pattern, str) and len(pattern) <= LONGEST_PATTERN
        groups = re.compile(pattern).groupindex if short else None
    except (re.error, RecursionError, OverflowError):
        groups = None
    if groups is None or not {"low", "high"} <= set(groups):
        raise PolicyError(
            f"the range_pattern {pattern!r:.60} is no regular expression with the groups low and high: "
            r"write for example '(?P<low>\d+) to (?P<high>\d+)'"
        )
    ends_of(str(pattern), ["0"])  # polars refuses some patterns that Python accepts
    return str(pattern)


def ends_of(pattern: str, labels: Sequence[str]) -> list[Ends | None]:
    r"""For each label that the pattern matches as a whole, the texts of its two ends; None for the others.

    >>> ends_of(r"(?P<low>\d+) to (?P<high>\d+)", ["20 to 39", "20-39"])
    [('20', '39'), None]
    """
    import polars as pl  # loading it takes a moment, and hardly any policy has a pattern

    texts, whole = pl.Series(labels, dtype=pl.String), rf"\A(?:{pattern})\z"
    try:
        fits, groups = texts.str.contains(whole), texts.str.extract_groups(whole).struct
        ends = zip(groups.field("low"), groups.field("high"), strict=True)
        return [found if fit else None for fit, found in zip(fits, ends, strict=True)]
    except pl.exceptions.PolarsError:
        raise PolicyError(
            f"the range_pattern {pattern!r:.60} looks ahead or back, or is too large: use groups, classes and "
            r"repetitions alone, as in '(?P<low>\d+) to (?P<high>\d+)'"
        ) from None
