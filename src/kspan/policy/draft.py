"""A first draft of a policy from the data alone: every guess is written down with its reason, and the owner decides."""

from collections.abc import Sequence

import polars as pl

from kspan.data.kinds.registry import kind_of
from kspan.data.schema import ROLES
from kspan.policy.guess.answer import Guess
from kspan.policy.guess.guess import guesses, likely_target
from kspan.policy.toml import write_key, write_value


def draft(frame: pl.DataFrame, source: str, *, k: int = 10, found: Sequence[Guess] | None = None) -> str:
    """A commented policy.toml for a table, which can be used as it is, and should be edited."""
    found = guesses(frame) if found is None else found
    parts = [
        f"# A draft of a policy for {_one_line(source)} ({frame.height:,} rows, {frame.width:,} columns).",
        "# Every role below is a guess from names and values alone. You, the owner of the data, decide: move each",
        "# column to where it belongs. Ask of each: could someone know this of a person from elsewhere?",
        "",
        *_target(found),
        *_keys(found, frame),
        "",
    ]
    keyed = {guess.column for guess in _keyed(found).values()}
    for role, meaning in zip(ROLES, _MEANINGS, strict=True):
        members = [guess for guess in found if guess.role == role and guess.column not in keyed]
        parts += [f"# {role}: {meaning}", *_listing(role, members), ""]
    parts += [
        "[require]",
        f"k = {k}                # every person must blend into a crowd of at least so many",
        "# distinct_l = 2      # and every crowd must show at least two values of each private column",
        "# confidence = 0.85   # and nobody may guess a private value with more confidence than this",
        "",
        "# [require.illness.confidence_of]     # or one value of a private column, while all others are free",
        "# hiv = 0.2",
        "",
        *_hierarchies(found, frame),
        "",
        *_domains(found),
        "",
        *_sets(found),
        *_ages(found),
        "# [cells]",
        '# missing = ["?"]         # cells that mean "not known", besides empty ones',
        '# suppressed = "value"    # or "anything", if a cell * in this table may stand for any value',
        '# suppressed_text = "*"   # how a released table shows a cell that tells nothing',
    ]
    return "\n".join(parts) + "\n"


_MEANINGS = (
    "known to an attacker or easy to find out (quasi-identifiers)",
    "not known to an attacker (sensitive, or simply nobody's business)",
    "points at a person by itself, or is nobody's to read; never released",
)


def _target(found: Sequence[Guess]) -> list[str]:
    target = likely_target(found)
    if target is None:
        return ['# target = "..."    # the column to predict, if you want to learn: none looks like an outcome']
    return [f"# target = {write_value(target.column)}    # the column to predict, if you want to learn: a likely one"]


def _keyed(found: Sequence[Guess]) -> dict[str, Guess]:
    """Return the column that says whose row it is, and the one with sampling weights, where there are such."""
    keys: dict[str, Guess] = {}
    for key in ("person", "sampling_weight"):
        # Of several columns, the one with the most different values tells most people apart.
        # A row of nobody is refused, so a column with gaps is not taken.
        fits = [guess for guess in found if guess.key == key and not guess.missing]
        fit = max(fits, key=lambda guess: guess.distinct, default=None)
        # A group of people with several rows stands for nobody knows how many.
        if fit is not None and not (key == "sampling_weight" and "person" in keys):
            keys[key] = fit
    return keys


def _keys(found: Sequence[Guess], frame: pl.DataFrame) -> list[str]:
    """Write what else the policy is told, one line a key."""
    keyed = _keyed(found)
    lines = [f"{key} = {write_value(fit.column)}    # {fit.reason}" for key, fit in keyed.items()]
    identifiers = [guess.column for guess in found if guess.role == "identifier" and guess not in keyed.values()]
    if "person" not in keyed and identifiers and frame.select(identifiers).drop_nulls().is_duplicated().any():
        lines.append(
            "person = false    # identifiers repeat: if a person has several rows, name the column that tells whose"
        )
    return lines


def _listing(role: str, members: Sequence[Guess]) -> list[str]:
    if not members:
        return [f"{role} = []"]
    cells = [f"  {write_value(guess.column)}," for guess in members]
    width = max(map(len, cells))
    lines = (f"{cell.ljust(width)}  # {guess.comment}" for cell, guess in zip(cells, members, strict=True))
    return [f"{role} = [", *lines, "]"]


def _hierarchies(found: Sequence[Guess], frame: pl.DataFrame) -> list[str]:
    plain = [guess.column for guess in found if guess.role == "public" and guess.sets is None]
    kinds = {column: kind_of(frame[column]) for column in plain}
    built = {column: kind.recipe for column, kind in kinds.items() if kind.recipe is not None}
    prefixes = [guess for guess in found if guess.prefixes]
    return [
        "# How values generalize, for the columns where you want a say (needed only to anonymize):",
        "[hierarchies]" if prefixes or built else "# [hierarchies]",
        *[f"{write_key(column)} = {recipe}" for column, recipe in built.items()],
        *[
            f'{write_key(guess.column)} = {{ build = "prefixes", mask = "*" }}    # {guess.reason}'
            for guess in prefixes
        ],
        *[
            f'# {write_key(guess.column)} = {{ build = "intervals", widths = {write_value(guess.widths)} }}'
            for guess in found
            if guess.widths
        ],
        '# education = "education.csv"      # a file with lines like: leaf;level 1;...;*',
    ]


def _domains(found: Sequence[Guess]) -> list[str]:
    codes = [guess for guess in found if guess.categorical]
    return [
        "# What a column may hold, if more than the data shows, and which digits are codes and no numbers:",
        "[domains]" if codes else "# [domains]",
        *[f'{write_key(guess.column)} = "categorical"    # {guess.distinct:,} different codes' for guess in codes],
        "# age = [0, 120]",
    ]


def _sets(found: Sequence[Guess]) -> list[str]:
    """Write the first column of sets; what several of them mean together is not known."""
    sets = [guess for guess in found if guess.sets is not None and guess.role != "identifier"]
    if not sets or "sampling_weight" in _keyed(found):  # of people with several rows there are no sampling weights
        return []
    return [
        "# Cells with several codes: each code becomes a row of its person, and known_rows = 2 above would say that an",
        "# attacker knows two codes of a person.",
        "[sets]",
        *[
            f"{'' if place == 0 else '# '}{write_key(guess.column)} = {write_value(guess.sets)}"
            for place, guess in enumerate(sets)
        ],
        "",
    ]


def _ages(found: Sequence[Guess]) -> list[str]:
    births = [guess for guess in found if guess.birth]
    taken = {guess.column for guess in found}
    name = next(name for name in ("age", "age_in_years", "completed_years") if name not in taken)
    if not births:
        return []
    born = write_value(births[0].column)
    return [
        f"# An age instead of {born}: make that an identifier above, {name} public, and say on which day:",
        "# [ages]",
        f'# {name} = {{ born = {born}, on = "2026-01-01" }}    # or on = a column of dates',
        "",
    ]


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)
