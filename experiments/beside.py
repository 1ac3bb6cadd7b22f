"""Accuracies as a paper printed them, with their intervals, beside ours."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from kspan.evaluate.validation import ROUNDS, combined_f_test

PUBLISHED = Path(__file__).parent / "published" / "003-accuracy.csv"
ALPHA = 0.05
MOST_NAMED = 12
"""So many cells are named in a sentence; the table marks them all."""
BY_LABEL = {"naive-bayes": "naive-bayes, by label", "logistic": "logistic, by label"}
"""Inducers that can cut numbers where labels change, which those of the paper seem to have done."""
Cells = Mapping[tuple[Any, ...], Mapping[str, Any]]


@dataclass(frozen=True)
class Printed:
    """An accuracy and how far it may be off, both as shares of one."""

    accuracy: float
    interval: float
    mark: str = ""
    """What the paper calls a significant difference; of rivals in Tables 3 to 5, whether kACTUS is better or worse."""

    def admits(self, ours: float) -> bool:
        """Is an accuracy within the interval, or better?

        >>> [Printed(0.85, 0.01).admits(ours) for ours in (0.83, 0.84, 0.9)]
        [False, True, True]
        """
        return round(ours, 4) >= round(self.accuracy - self.interval, 4)

    def __str__(self) -> str:
        return f"{100 * self.accuracy:.2f} ± {100 * self.interval:.2f}"


def printed(*keys: str, **only: Any) -> dict[tuple[Any, ...], Printed]:
    """What the tables of kACTUS's paper say, by the columns that are named."""
    rows = pl.read_csv(PUBLISHED, schema_overrides={"public": pl.String}).filter(**only)
    return {
        tuple(row[key] for key in keys): Printed(row["accuracy"] / 100, row["interval"] / 100, row["mark"] or "")
        for row in rows.iter_rows(named=True)
    }


def beside_by_label(theirs: Mapping[tuple[Any, ...], Printed], place: int) -> dict[tuple[Any, ...], Printed]:
    """What is printed of inducers, whose names are at a place of the keys, also for those that cut numbers by label."""
    known = dict(theirs)
    for key, each in theirs.items():
        if key[place] in BY_LABEL:
            known[*key[:place], BY_LABEL[key[place]], *key[place + 1 :]] = each
    return known


def by_label(ours: Cells, place: int) -> Cells:
    """Ours, those that cut numbers by label in the place of those that do not."""
    plain = {cut: name for name, cut in BY_LABEL.items()}
    better = {
        (*key[:place], plain[key[place]], *key[place + 1 :]): row for key, row in ours.items() if key[place] in plain
    }
    return {**ours, **better}


def cells(table: pl.DataFrame, *keys: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Our rows by the columns that are named; of several the one with most folds."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in table.iter_rows(named=True):
        key = tuple(row[name] for name in keys)
        if key not in found or len(folds(row)) > len(folds(found[key])):
            found[key] = row
    return found


def folds(row: Mapping[str, Any]) -> list[float]:
    """The accuracy in each fold.

    >>> folds({"folds": "0.5 0.75"})
    [0.5, 0.75]
    """
    return [float(one) for one in str(row["folds"]).split()]


def chance(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> float | None:
    """How likely such a difference is among equals, by the 5x2 F test; None where there are no five rounds of both."""
    if one is None or other is None:
        return None
    first, second = folds(one), folds(other)
    if min(len(first), len(second)) < 2 * ROUNDS:
        return None
    pairs = [[each[2 * place : 2 * place + 2] for place in range(ROUNDS)] for each in (first, second)]
    return combined_f_test(pairs[0], pairs[1]).p


def verdict(theirs: Mapping[tuple[Any, ...], Printed], ours: Cells, name: Callable[[tuple[Any, ...]], str]) -> str:
    """In how many cells ours is within the published interval or better, and where it is not if that is short."""
    both = [key for key in theirs if key in ours]
    lost = [key for key in both if not theirs[key].admits(ours[key]["accuracy"])]
    named = lost if len(lost) <= MOST_NAMED else []
    where = "; ".join(f"{name(key)} ({100 * ours[key]['accuracy']:.2f} beside {theirs[key]})" for key in named)
    share = f"{len(both) - len(lost)} of {len(both)} ({1 - len(lost) / len(both):.0%})" if both else "none measured"
    return share + (f"; not: {where}" if where else "")


def pair(theirs: Printed | None, ours: Mapping[str, Any] | None) -> str | None:
    """Published and ours in one cell."""
    if theirs is None and ours is None:
        return None
    both = (None if theirs is None else theirs.accuracy, None if ours is None else ours["accuracy"])
    return " / ".join("-" if each is None else f"{100 * each:.1f}" for each in both)


def columns(theirs: Printed, ours: Mapping[str, Any] | None) -> Sequence[Any]:
    """Ours, the difference, and whether that is within the interval or better."""
    if ours is None:
        return None, None, None
    return ours["accuracy"], ours["accuracy"] - theirs.accuracy, "yes" if theirs.admits(ours["accuracy"]) else "**no**"
