"""The error family: every refusal is one sentence that names the thing and the remedy, and quotes no person's cell."""

import math
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from numbers import Real
from typing import Any

MOST_COMPARED, LONGEST_WORD = 1_000, 100
"""At most so many words of at most so many characters are compared with a misspelled one: all would take too long."""


class KspanError(ValueError):
    """Anything that kspan refuses; its text is one sentence for the person who asked, and may appear in any log.

    >>> KspanError("three values are not covered", details=("a", "b", "c")).details
    ('a', 'b', 'c')
    """

    details: tuple[str, ...]
    """The cells or values that the error is about: for the owner's eyes only."""

    def __init__(self, *args: object, details: Iterable[str] = ()) -> None:
        super().__init__(*args)
        self.details = tuple(details)


class FileError(KspanError):
    """A file cannot be read or written."""


class MaybeWritten(FileError):  # noqa: N818
    """Nobody can say whether something was written, since the connection was lost at that very moment."""


class LedgerError(FileError):
    """A ledger of releases cannot be used."""


class DataError(KspanError):
    """A table does not fit what was said of it."""


class PolicyError(KspanError):
    """A policy is incomplete or contradicts itself or the data."""


class DoesNotHold(KspanError):  # noqa: N818
    """A release breaks its own claim, and was not written."""


class Unreachable(KspanError):  # noqa: N818
    """What is required cannot be reached with this data and method."""


class HierarchyError(KspanError):
    """A generalization hierarchy is malformed or does not cover its column."""


class ModelError(KspanError):
    """A model file is malformed."""


def check_number(what: str, value: Any, *, low: float, high: float = math.inf, whole: bool = False) -> None:
    """Refuse a value in a policy that is no number from `low` to `high`."""
    kind = "a whole number" if whole else "a number"
    bounds = "" if low == -math.inf else f" of at least {low:g}" if high == math.inf else f" from {low:g} to {high:g}"
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.nan
    # What is no number is nan by now, and nan is within no bounds.
    if not low <= number <= high or (whole and not number.is_integer()):
        raise PolicyError(f"{what} must be {kind}{bounds}, not {value!r:.40}")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint at the word that a misspelled one may mean, or an empty text.

    >>> did_you_mean("publik", ["public", "private"])
    " (did you mean 'public'?)"
    >>> did_you_mean("shoe size", ["public", "private"])
    ''
    """
    words = [other for other in islice(known, MOST_COMPARED) if len(other) <= LONGEST_WORD >= len(word)]
    close = [other for other in words if other.casefold() == word.casefold()] or get_close_matches(word, words, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def listed(names: Iterable[str], most: int = 5) -> str:
    """Write names for a sentence, of many only the first few.

    >>> listed(["age", "sex"])
    "'age', 'sex'"
    >>> listed("abcdefgh", most=2)
    "'a', 'b' and 6 more"
    """
    every = list(names)
    shown = ", ".join(repr(name) for name in every[:most])
    return shown if len(every) <= most else f"{shown} and {len(every) - most} more"


def hinted(values: Sequence[str], most: int = 5) -> str:
    """Describe values of people in a sentence without quoting them: how many there are, and some first letters.

    >>> hinted(["nurse", "doctor"]), hinted(["x"])
    ("2 values (beginning with 'd', 'n')", '1 value')
    """
    letters = sorted({value[0] for value in values if len(value) > 2})[:most]  # of a short one, a letter tells too much
    beginning = f" (beginning with {', '.join(map(repr, letters))})" if letters else ""
    return f"{len(values)} value{'s' * (len(values) != 1)}{beginning}"


def check_choice(name: str, word: object, known: Iterable[str]) -> None:
    """Refuse a word that is not among the known choices of an option.

    >>> check_choice("--show", "meen", ["mean", "median"])
    Traceback (most recent call last):
    kspan.errors.PolicyError: --show cannot be 'meen' (did you mean 'mean'?): use mean, median
    """
    words = list(known)
    if word not in words:
        said = str(word)[:40]
        raise PolicyError(f"{name} cannot be {said!r}{did_you_mean(said, words)}: use {', '.join(words)}")
