"""Spans of a function by the definition: every private value is tried for every person, and nothing is clever."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import pandas as pd

Row = tuple[Hashable, ...]


@dataclass(frozen=True)
class NaiveSpans:
    """Who shares a span, and how many people have a private value that can be told with certainty."""

    span: list[Hashable]
    """What each row shares with those of its span."""
    exposed: dict[str, int]
    several: list[bool]
    """Which rows can have several outcomes."""
    telling: dict[str, dict[Hashable, list[Hashable]]]
    """For each private attribute, what is told of the people of each span where something is."""


def naive_spans(
    people: pd.DataFrame,
    outcome: Callable[[pd.DataFrame], Sequence[Hashable]],
    public: Sequence[str],
    private: dict[str, Sequence[Any]],
    target: str,
    *,
    is_public: bool = False,
) -> NaiveSpans:
    """Try `private`, the values that every private attribute may have, for everybody."""
    combinations = list(product(*private.values()))
    own = list(outcome(people.drop(columns=target)))
    kinds = list(people[list(public)].itertuples(index=False, name=None))
    reached = {kind: _reached(kind, people, outcome, public, private, combinations, target) for kind in set(kinds)}
    labels = people[target].tolist()
    span = [(frozenset(reached[kind].values()), label if is_public else None)
            for kind, label in zip(kinds, labels, strict=True)]  # fmt: skip
    telling: dict[str, dict[Hashable, list[Hashable]]] = {}
    exposed = {} if is_public else {target: _certain(_by_span(span, labels))}
    for place, name in enumerate(private):
        seen = set(people[name])

        def told(kind: Row, answer: Hashable, place: int = place, seen: set[Any] = seen, name: str = name) -> Hashable:
            admitted = {one[place] for one, found in reached[kind].items() if found == answer}
            return None if admitted >= set(private[name]) else frozenset(admitted & seen)

        varies = {kind: len({told(kind, answer) for answer in set(found.values())}) > 1
                  for kind, found in reached.items()}  # fmt: skip
        mine = [told(kind, answer) for kind, answer in zip(kinds, own, strict=True)]
        by_span = _by_span(span, mine)
        vary = _by_span(span, [varies[kind] for kind in kinds])
        telling[name] = {
            one: values for one, values in by_span.items() if any(vary[one]) and any(v is not None for v in values)
        }
        exposed[name] = _certain(telling[name])
    several = [len(set(reached[kind].values())) > 1 for kind in kinds]
    return NaiveSpans(span, exposed, several, telling)


def _reached(
    kind: Row,
    people: pd.DataFrame,
    outcome: Callable[[pd.DataFrame], Sequence[Hashable]],
    public: Sequence[str],
    private: dict[str, Sequence[Any]],
    combinations: list[tuple[Any, ...]],
    target: str,
) -> dict[tuple[Any, ...], Hashable]:
    rows = [dict(zip(public, kind, strict=True)) | dict(zip(private, one, strict=True)) for one in combinations]
    frame = pd.DataFrame(rows)[[name for name in people.columns if name != target]]
    return dict(zip(combinations, outcome(frame), strict=True))


def _by_span(span: Sequence[Hashable], values: Sequence[Hashable]) -> dict[Hashable, list[Hashable]]:
    found: dict[Hashable, list[Hashable]] = {}
    for one, value in zip(span, values, strict=True):
        found.setdefault(one, []).append(value)
    return found


def _certain(spans: dict[Hashable, list[Hashable]]) -> int:
    return sum(len(values) for values in spans.values() if len(set(values)) == 1)
