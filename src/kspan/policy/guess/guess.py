"""The guesses about a table: role, kind, hierarchy and the reason of each column, and what to predict."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from kspan.data.sets import one_row_a_code
from kspan.errors import DataError
from kspan.policy.guess.answer import DAY, Guess
from kspan.policy.guess.columns import facts_of
from kspan.policy.guess.questions import ENOUGH_ROWS, QUESTIONS
from kspan.policy.guess.sets import likely_separator
from kspan.policy.guess.words import meant


def guesses(frame: pl.DataFrame) -> list[Guess]:
    """Guess what every column of a frame is."""
    if frame.height == 0:
        raise DataError("the table has no rows: a policy cannot be drafted from it")
    return [guess(frame[name]) for name in frame.columns]


def guess(series: pl.Series) -> Guess:
    """Guess what one column is: the first question that has an answer decides; of sets, what their codes are."""
    if (separator := likely_separator(series)) is not None:
        codes = one_row_a_code(series.to_frame(), series.name, separator)[series.name]
        return replace(guess(codes), sets=separator, key=None)
    facts, found = facts_of(series), meant(series.name)
    if found is not None and found[0].role == "identifier" and facts.distinct <= 2 and facts.rows >= ENOUGH_ROWS:
        found = None  # such as email = yes: two values point at nobody
    answer = next(answer for question in QUESTIONS if (answer := question(facts, found)) is not None)
    is_day = answer.kind == DAY and facts.column.kind.unit in ("day", "moment")
    return replace(answer, birth=is_day and found is not None and found[0].name == "birth")


def likely_target(found: Sequence[Guess]) -> Guess | None:
    """The private category that looks most like an outcome; None if none does."""
    fit = [one for one in found if one.outcome]
    return max(fit, key=lambda one: one.outcome) if fit else None
