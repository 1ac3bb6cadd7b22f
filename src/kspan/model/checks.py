"""Checks for the parts of a JSON document; an error names the source and the place in it."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from kspan.errors import ModelError, did_you_mean, listed
from kspan.limits import LARGEST_NUMBER

Word = TypeVar("Word", bound=str)
# A lone surrogate: JSON can spell it, UTF-8 cannot.
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a document: a step, and the place above it. Its text is built only when an error needs it."""

    source: str
    step: str
    above: "Place | None" = None
    depth: int = 0

    def below(self, step: str) -> "Place":
        """A place one step down."""
        return Place(self.source, step, self, self.depth + 1)

    def __str__(self) -> str:
        steps = [self.step]
        place = self.above
        while place is not None:
            steps.append(place.step)
            place = place.above
        steps.reverse()
        return " > ".join(steps if len(steps) <= 12 else [*steps[:6], "...", *steps[-5:]])

    def refuse(self, problem: str) -> NoReturn:
        """Raise the error that says what is wrong here."""
        raise ModelError(f"{self.source} is malformed at {self}: {problem}")


def check_keys(place: Place, found: Any, needed: Sequence[str], allowed: Sequence[str] = ()) -> None:
    """Refuse anything but a JSON object that has all needed keys, and no others except allowed ones."""
    if not isinstance(found, dict):
        place.refuse("a JSON object is expected")
    for key in needed:
        if key not in found:
            place.refuse(f"the key {key!r} is missing")
    for key in found:
        if key not in needed and key not in allowed:
            shown = str(key)[:40]
            place.refuse(f"the key {shown!r} is not known{did_you_mean(shown, [*needed, *allowed])}")


def text(place: Place, what: str, found: Any) -> str:
    """Return `found` if it is text that a file can hold; `what` names it in an error."""
    if not isinstance(found, str):
        place.refuse(f"{what} must be text")
    if _HALF.search(found):
        place.refuse(f"{what} holds half a character, which no file can hold")
    return found


def one_of(place: Place, what: str, found: Any, known: Sequence[Word]) -> Word:
    """Return the known word that `found` equals; refuse anything else."""
    for word in known:
        if found == word:
            return word
    return place.refuse(f"{what} must be one of {listed(known)}")


def flag(place: Place, found: Mapping[str, Any], key: str = "missing") -> bool:
    """Return a flag of an object, that for missing values unless said; false if it has none."""
    said = found.get(key, False)
    return said if isinstance(said, bool) else place.refuse(f"{key!r} must be true or false")


def known_rows(place: Place, found: Mapping[str, Any]) -> int | str | None:
    """Return how many rows of a person may be known, as a claim says; None if it says nothing of that."""
    said = found.get("known_rows")
    if "known_rows" not in found or said == "all" or (type(said) is int and said >= 1):
        return said
    return place.refuse("'known_rows' must be a whole number from 1 on, or \"all\"")


def texts(place: Place, what: str, found: Any) -> tuple[str, ...]:
    """Return a list of distinct texts as a tuple; refuse anything else."""
    if not isinstance(found, list):
        place.refuse(f"{what} must be a list")
    every = tuple(text(place, f"each of {what}", one) for one in found)
    if len(set(every)) != len(every):
        place.refuse(f"{what} must not list the same twice")
    return every


def number(place: Place, what: str, found: Any) -> float:
    """Return a number as a float; refuse anything else, and numbers beyond `LARGEST_NUMBER`."""
    # A boolean is an int in Python. NaN fails the comparison below, so it is refused, too.
    if isinstance(found, int | float) and not isinstance(found, bool):
        try:
            # Whole numbers in JSON may have any number of digits.
            said = float(found)
        except OverflowError:
            said = math.inf
        if abs(said) <= LARGEST_NUMBER:
            return said
    return place.refuse(f"{what} must be a finite number, at most {LARGEST_NUMBER:g}")


def pair(place: Place, what: str, found: Any) -> tuple[Any, Any]:
    """Return the two items of a list, a low and a high end; refuse anything else."""
    if not isinstance(found, list) or len(found) != 2:
        place.refuse(f"{what} must be a list of two, [low, high]")
    return found[0], found[1]
