"""The guesses about a table: role, kind, hierarchy and the reason of each column, and what to predict."""

from collections.abc import Sequence

import polars as pl

from kspan.errors import DataError
from kspan.policy.guess.answer import Guess
from kspan.policy.guess.columns import facts_of
from kspan.policy.guess.questions import ENOUGH_ROWS, QUESTIONS
from kspan.policy.guess.words import meant


def guesses(frame: pl.DataFrame) -> list[Guess]:
    """Guess what every column of a frame is."""
    if frame.height == 0:
        raise DataError("the table has no rows: a policy cannot be drafted from it")
    return [guess(frame[name]) for name in frame.columns]


def guess(series: pl.Series) -> Guess:
    """Guess what one column is: the first question that has an answer decides."""
    facts, found = facts_of(series), meant(series.name)
    if found is not None and found[0].role == "identifier" and facts.distinct <= 2 and facts.rows >= ENOUGH_ROWS:
        found = None  # such as email = yes: two values point at nobody
    return next(answer for question in QUESTIONS if (answer := question(facts, found)) is not None)


def likely_target(found: Sequence[Guess]) -> Guess | None:
    """The private category that looks most like an outcome; None if none does."""
    fit = [one for one in found if one.outcome]
    return max(fit, key=lambda one: one.outcome) if fit else None
