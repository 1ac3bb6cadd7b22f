"""Checks of what a document says, part by part; a refusal names the source and the place."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from kspan.errors import ModelError, did_you_mean, listed
from kspan.limits import LARGEST_NUMBER

Word = TypeVar("Word", bound=str)
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a document something is; edges below it share it, so that a place costs nothing until it is named."""

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
    """Refuse what is no object with exactly these keys, and perhaps some of the allowed ones."""
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
    """Text that a file can hold."""
    if not isinstance(found, str):
        place.refuse(f"{what} must be text")
    if _HALF.search(found):
        place.refuse(f"{what} holds half a character, which no file can hold")
    return found


def one_of(place: Place, what: str, found: Any, known: Sequence[Word]) -> Word:
    """One of the known words."""
    for word in known:
        if found == word:
            return word
    return place.refuse(f"{what} must be one of {listed(known)}")


def flag(place: Place, found: Mapping[str, Any]) -> bool:
    """Does an object say that a value may be missing?"""
    said = found.get("missing", False)
    return said if isinstance(said, bool) else place.refuse("'missing' must be true or false")


def texts(place: Place, what: str, found: Any) -> tuple[str, ...]:
    """Texts in a list, none of them twice."""
    if not isinstance(found, list):
        place.refuse(f"{what} must be a list")
    every = tuple(text(place, f"each of {what}", one) for one in found)
    if len(set(every)) != len(every):
        place.refuse(f"{what} must not list the same twice")
    return every


def number(place: Place, what: str, found: Any) -> float:
    """A finite number."""
    if isinstance(found, int | float) and not isinstance(found, bool):
        try:
            said = float(found)
        except OverflowError:
            said = math.inf
        if abs(said) <= LARGEST_NUMBER:
            return said
    return place.refuse(f"{what} must be a finite number, at most {LARGEST_NUMBER:g}")


def pair(place: Place, what: str, found: Any) -> tuple[Any, Any]:
    """The two ends of something."""
    if not isinstance(found, list) or len(found) != 2:
        place.refuse(f"{what} must be a list of two, [low, high]")
    return found[0], found[1]
