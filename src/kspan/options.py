"""Options of methods, declared once: the keywords of a function, with their types, defaults and a sentence each.

A function describes its options in its docstring, under the line `Options:`, as `name: What it does.`, with one or more
lines each. Types are words (`Literal`), `bool`, `int` and `float`; bounds and unusual flags are given by `Annotated`.
An option of another type cannot be typed on the command line, and is for Python alone.
"""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from inspect import Parameter, getdoc, signature
from numbers import Real
from types import UnionType
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from kspan.errors import PolicyError, check_choice, check_number, did_you_mean

P = ParamSpec("P")
T = TypeVar("T")

KINDS = (bool, int, float)
SEED, PROGRESS = "rng", "progress"
"""`rng` is the option that is typed `--seed`. `progress` is a keyword but no option: it is told how far a search is."""
NO_OPTIONS = (PROGRESS, "known", "importance")
"""`known` and `importance` are not about a method either, but about people: what earlier releases tell of them, and how
much each counts."""
ENTRY, MORE = re.compile(r"    (\w+): (.+)"), re.compile(r"        +(.+)")


@dataclass(frozen=True)
class Within:
    """Marks a number that has bounds."""

    least: float = -math.inf
    most: float = math.inf


@dataclass(frozen=True)
class Typed:
    """Marks an option with flags of its own (an empty tuple: it cannot be typed), or with words for Python alone."""

    flags: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()


NOT_TYPED = Typed(())
"""Marks an option that is for Python alone."""


@dataclass(frozen=True)
class Option:
    """One option of a method."""

    name: str
    flags: tuple[str, ...]
    """How it is typed, where a second flag means no; empty if the option is for Python alone."""
    kind: type
    words: tuple[str, ...]
    typed_words: tuple[str, ...]
    """The words that can be typed on the command line."""
    default: Any
    help: str
    least: float = -math.inf
    most: float = math.inf
    takes_more: bool = False
    """May it be something else in Python, such as None or a generator?"""

    def flag(self, value: Any = True) -> str:
        """The flag by which a value is given."""
        return self.flags[-1 if value is False else 0]

    def check(self, value: Any) -> None:
        """Refuse a value that it cannot have; the error names the option as in Python."""
        if not self.takes_more or isinstance(value, str | Real):
            self._check(self.name, value, self.words)

    def check_typed(self, value: Any) -> None:
        """Refuse a value that it cannot have; the error names the flag of the command line."""
        self._check(self.flag(value), value, self.typed_words)

    def _check(self, said: str, value: Any, words: Collection[str]) -> None:
        if words:
            check_choice(said, value, words)
        elif self.kind in (int, float):
            check_number(said, value, low=self.least, high=self.most, whole=self.kind is int)


@cache
def declared(function: Callable[..., Any]) -> Mapping[str, Option]:
    """The options that a function declares, then those of the function to which it hands on all others.

    >>> def grown(table: list[int], *, score: Literal["gain", "gini"] = "gain", prune: bool = True) -> None:
    ...     '''A tree.
    ...
    ...     Options:
    ...         score: How splits are compared.
    ...         prune: Prune what has grown.
    ...     '''
    >>> [(option.flags, option.words, option.default) for option in declared(grown).values()]
    [(('--score',), ('gain', 'gini'), 'gain'), (('--prune', '--no-prune'), (), True)]
    """
    types = get_type_hints(function, include_extras=True)
    keywords = [one for one in signature(function).parameters.values() if one.kind is Parameter.KEYWORD_ONLY]
    defaults = {
        one.name: one.default for one in keywords if one.default is not one.empty and one.name not in NO_OPTIONS
    }
    doc = getdoc(function)
    said = dict.fromkeys(defaults, "") if doc is None else _sentences(doc)  # python -OO drops docstrings
    if strange := defaults.keys() ^ said:
        where = f"the keywords of {function.__name__} and 'Options:' in its docstring"
        raise TypeError(f"{where} differ by {', '.join(sorted(strange))}: say a sentence of each keyword")
    found = {name: _option(name, types[name], default, said[name]) for name, default in defaults.items()}
    further = getattr(function, "hands_on_to", None)
    return found if further is None else {**found, **declared(further)}


def takes_options(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function check the values of its declared options before it runs.

    >>> @takes_options
    ... def grown(*, min_rows: Annotated[int, Within(1)] = 1) -> None:
    ...     '''A tree.
    ...
    ...     Options:
    ...         min_rows: People of a branch.
    ...     '''
    >>> grown(min_rows=0)
    Traceback (most recent call last):
    kspan.errors.PolicyError: min_rows must be a whole number of at least 1, not 0
    """

    @wraps(function)
    def checked(*args: P.args, **given: P.kwargs) -> T:
        options = declared(function)
        for name, value in given.items():
            if name in options:
                options[name].check(value)
        return function(*args, **given)

    return checked


def hands_on(further: Callable[..., Any]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Mark a function as handing on, to another function, the options that it does not declare itself."""

    def marked(function: Callable[P, T]) -> Callable[P, T]:
        function.hands_on_to = further  # type: ignore[attr-defined]
        return function

    return marked


def check_names(method: str, given: Collection[str], known: Collection[str]) -> None:
    """Refuse options that a method does not have."""
    for name in given:
        if name not in known:
            able = f"use {', '.join(known)}" if known else "it has none"
            raise PolicyError(f"{method} has no option {name!r}{did_you_mean(name, known)}: {able}")


def _option(name: str, kind: Any, default: Any, said: str) -> Option:
    parts = list(_parts(kind))
    words = tuple(word for part in parts if get_origin(part) is Literal for word in get_args(part))
    plain = str if words else next((each for each in KINDS if each in parts), object)
    others = [part for part in parts if part not in KINDS and get_origin(part) is not Literal]
    typed = next((part for part in others if isinstance(part, Typed)), Typed())
    bounds = next((part for part in others if isinstance(part, Within)), Within())
    flags = typed.flags
    if flags is None:
        flag = "--seed" if name == SEED else "--" + name.replace("_", "-")
        # Only what is on by default needs a flag that turns it off.
        off = (f"--no-{flag[2:]}",) if plain is bool and default else ()
        flags = () if plain is object else (flag, *off)
    typed_words = tuple(word for word in words if word not in typed.without)
    more = any(not isinstance(part, Typed | Within) for part in others)
    return Option(name, flags, plain, words, typed_words, default, said, bounds.least, bounds.most, more)


def _parts(kind: Any) -> Iterator[Any]:
    """The types that a type is made of, and the marks that `Annotated` gives them."""
    if get_origin(kind) is Annotated:
        inner, *marks = get_args(kind)
        yield from marks
        yield from _parts(inner)
    elif get_origin(kind) in (Union, UnionType):
        for each in get_args(kind):
            yield from _parts(each)
    else:
        yield kind


def _sentences(doc: str) -> dict[str, str]:
    """The description of each option in a docstring."""
    found: dict[str, str] = {}
    name = None
    for line in doc.partition("\nOptions:\n")[2].splitlines():
        if entry := ENTRY.fullmatch(line):
            name = entry[1]
            found[name] = entry[2]
        elif name is not None and (more := MORE.fullmatch(line)):
            found[name] += " " + more[1]
        else:
            break
    return found
