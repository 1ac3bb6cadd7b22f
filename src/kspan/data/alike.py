"""Values that look alike: a difference in spelling that nobody can see does not make two values.

Two spellings look alike if they show the same characters: compatible forms of a letter, format and control characters
and the number of blanks make no difference. Case does, and so do letters of other scripts that only resemble ours.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.cells import NOT_A_NUMBER, number

PLAIN = r"^[!-~]+( [!-~]+)*$"
"""Spellings that look like no other: printable ASCII with single blanks inside."""

_PLAIN = re.compile(PLAIN)
_UNSEEN = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
            *(*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)),
        ),
    )
)
"""Letters and marks that show nothing, though their category does not say so: fillers and variation selectors."""
_UNSEEN_KINDS = ("Cf", "Cc")


def look(text: str) -> str:
    r"""The visible form of a value: the same for all spellings that look alike, and empty if nothing is visible.

    >>> look(" hiv\u200b\u00a0 positive "), look("ＨＩＶ"), look("Hiv") == look("hiv"), look("\u200b ")
    ('hiv positive', 'HIV', False, '')
    """
    if _PLAIN.fullmatch(text):
        return text
    seen = _seen(text)
    while (again := _seen(seen)) != seen:  # letters that an unseen character kept apart may now be composed
        seen = again
    return seen


def _seen(text: str) -> str:
    shown = (
        char if char.isspace() else "" if unicodedata.category(char) in _UNSEEN_KINDS or char in _UNSEEN else char
        for char in unicodedata.normalize("NFKC", text)
    )
    return unicodedata.normalize("NFKC", " ".join("".join(shown).split()))


def spellings(labels: pl.Series, known: Iterable[str]) -> tuple[pl.Series, Int64s] | None:
    """Choose one spelling for each value among sorted labels, or return None if nothing has to change.

    Returns the spellings in order, and the place among them of each label and, last, of a null cell. Of the labels that
    look alike, the spelling is the `known` one; else the plain one, if it is among the labels, a number or a sign of a
    missing one; else that of the first label. A label that shows nothing gets the place of a null cell, after all
    spellings, unless it is known.
    """
    if labels.str.contains(PLAIN).all():
        return None
    values, ours = labels.to_list(), by_look(known)
    looks = [look(value) for value in values]
    there, chosen = set(values), dict[str, str]()
    for value, seen in zip(values, looks, strict=True):
        plainly = seen in there or seen in NOT_A_NUMBER or number(seen) is not None
        chosen.setdefault(seen, ours.get(seen, seen if plainly else value))
    order = sorted(spelled for seen, spelled in chosen.items() if seen or seen in ours)
    if order == values:
        return None
    place = {spelled: at for at, spelled in enumerate(order)}
    places = [place[chosen[seen]] if seen or seen in ours else len(order) for seen in looks]
    return pl.Series(labels.name, order, dtype=pl.String), np.array([*places, len(order)], np.int64)


def by_look(known: Iterable[str]) -> dict[str, str]:
    """Map the visible form of each value to the value; of those that look alike, the first one counts."""
    found: dict[str, str] = {}
    for value in known:
        found.setdefault(look(value), value)
    return found


def respelled(series: pl.Series, known: Sequence[str]) -> pl.Series:
    """Replace each text cell of a column that looks like a known value by that value."""
    if series.dtype != pl.String:
        return series
    labels, ours = series.unique().drop_nulls(), by_look(known)
    changed: Mapping[str, str] = {
        label: ours[seen] for label in labels.to_list() if (seen := look(label)) in ours and label != ours[seen]
    }
    return series.replace(list(changed), list(changed.values())) if changed else series
