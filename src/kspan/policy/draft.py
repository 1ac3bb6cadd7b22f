"""A first draft of a policy from the data alone: every guess is written down with its reason, and the owner decides."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from kspan.data.encode import encode_column
from kspan.data.schema import ROLES, Schema
from kspan.data.table import Column
from kspan.errors import DataError
from kspan.policy.toml import write_key, write_value

HINTS: dict[str, tuple[str, ...]] = {
    "identifier": (
        "id", "uid", "uuid", "guid", "name", "firstname", "lastname", "surname", "forename", "fullname", "email",
        "mail", "phone", "mobile", "telephone", "fax", "ssn", "passport", "iban", "account", "mrn", "nino", "url",
        "ip", "username", "login", "license", "licence", "plate", "signature",
    ),
    "private": (
        "income", "salary", "wage", "wages", "pay", "earnings", "disease", "diagnosis", "diagnoses", "icd", "illness",
        "condition", "symptom", "treatment", "therapy", "medication", "drug", "result", "outcome", "hiv", "cancer",
        "diabetes", "credit", "loan", "debt", "default", "risk", "score", "grade", "religion", "belief", "politics",
        "party", "vote", "orientation", "conviction", "crime", "offense", "capital", "savings", "balance", "amount",
        "class", "target", "label",
    ),
    "public": (
        "age", "birth", "birthday", "birthdate", "dob", "born", "sex", "gender", "race", "ethnicity", "nationality",
        "citizenship", "country", "state", "region", "county", "city", "town", "district", "postcode", "postal", "zip",
        "zipcode", "address", "street", "marital", "married", "relationship", "education", "degree", "school",
        "occupation", "job", "profession", "employer", "workclass", "industry", "language", "height", "weight",
        "children", "household", "family", "admission", "admitted", "discharge", "visit", "date", "year", "month",
    ),
}  # fmt: skip
"""Words in the name of a column that hint at its usual role."""

IDENTIFYING_ROWS = 20
"""In a smaller table even an ordinary column may happen to hold no value twice."""


@dataclass(frozen=True)
class Guess:
    """The role of one column, as far as its name and its values tell."""

    column: str
    role: str
    kind: str
    distinct: int
    missing: int
    reason: str
    widths: list[float]
    """The widths of intervals that would suit its numbers; empty if it has none."""

    @property
    def comment(self) -> str:
        """The guess and its reason, as a comment in the draft."""
        gone = f", {self.missing} missing" if self.missing else ""
        return f"{self.kind}, {self.distinct} different{gone}: {self.reason}"


def guesses(frame: pl.DataFrame) -> list[Guess]:
    """Guess the role of every column of a frame."""
    if frame.height == 0:
        raise DataError("the table has no rows: a policy cannot be drafted from it")
    return [_guess(encode_column(frame[name], Schema())) for name in frame.columns]


def draft(frame: pl.DataFrame, source: str, *, k: int = 10) -> str:
    """A commented policy.toml for a table, ready to be edited."""
    found = guesses(frame)
    parts = [
        f"# A draft of a policy for {_one_line(source)} ({frame.height} rows, {frame.width} columns).",
        "# Every role below is a guess from names and values alone. You, the owner of the data, decide: move each",
        "# column to where it belongs. Ask of each: could someone know this of a person from elsewhere?",
        "",
        f"# target = {write_value(_likely_target(found))}    # the column to predict, if you want to learn",
        "",
    ]
    for role, meaning in zip(ROLES, _MEANINGS, strict=True):
        parts += [f"# {role}: {meaning}", *_listing(role, [guess for guess in found if guess.role == role]), ""]
    numeric = [guess for guess in found if guess.kind == "numeric" and guess.role == "public"]
    parts += [
        "[require]",
        f"k = {k}                # every person must blend into a crowd of at least so many",
        "# distinct_l = 2      # and every crowd must show at least two values of each private column",
        "# confidence = 0.85   # and nobody may guess a private value with more confidence than this",
        "",
        "# [require.illness.confidence_of]     # or one value of a private column, while all others are free",
        "# hiv = 0.2",
        "",
        "# How values generalize, for the columns where you want a say (needed only to anonymize):",
        "# [hierarchies]",
        *[
            f'# {write_key(guess.column)} = {{ build = "intervals", widths = {write_value(guess.widths)} }}'
            for guess in numeric
        ],
        '# education = "education.csv"      # a file with lines like: leaf;level 1;...;*',
        "",
        "# What a column may hold, if more than the data shows:",
        "# [domains]",
        "# age = [0, 120]",
        "",
        "# [cells]",
        '# missing = ["?"]         # cells that mean "not known", besides empty ones',
        '# suppressed = "value"    # or "anything", if a cell * in this table may stand for any value',
        '# suppressed_text = "*"   # how a released table shows a cell that tells nothing',
    ]
    return "\n".join(parts) + "\n"


_MEANINGS = (
    "known to an attacker or easy to find out (quasi-identifiers)",
    "not known to an attacker (sensitive, or simply nobody's business)",
    "points at a person by itself; never released",
)


def _listing(role: str, members: Sequence[Guess]) -> list[str]:
    if not members:
        return [f"{role} = []"]
    cells = [f"  {write_value(guess.column)}," for guess in members]
    width = max(map(len, cells))
    lines = (f"{cell.ljust(width)}  # {guess.comment}" for cell, guess in zip(cells, members, strict=True))
    return [f"{role} = [", *lines, "]"]


def _guess(column: Column) -> Guess:
    role, reason = _role(column)
    missing = 0 if column.missing is None else int((column.codes == column.missing).sum())
    return Guess(column.name, role, column.kind, len(column.values), missing, reason, _widths(column))


def _widths(column: Column) -> list[float]:
    """A round width that cuts the range into at most twenty intervals or so, then twice and four times that width."""
    if column.kind != "numeric" or len(column.values) < 2 or column.values.dtype == object:
        return []
    wanted = (float(column.values[-1]) - float(column.values[0])) / 20
    if wanted == 0:  # whole numbers that differ where floats have no digits left
        return []
    scale = 10.0 ** math.floor(math.log10(wanted))
    width = next(step * scale for step in (1, 2, 5, 10) if step * scale >= wanted)
    return [float(f"{width * times:.6g}") for times in (1, 2, 4)]


def _likely_target(found: Sequence[Guess]) -> str:
    """The private column with the fewest different values, since labels have few; else the last column."""
    private = [guess for guess in found if guess.role == "private"]
    return min(private, key=lambda guess: guess.distinct).column if private else found[-1].column


def _role(column: Column) -> tuple[str, str]:
    rows, distinct = len(column.codes), len(column.values)
    words = re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", column.name).lower())
    hinted = next(((role, word) for role, known in HINTS.items() for word in words if word in known), None)
    # Measurements with decimals hardly ever repeat, but do not point at a person either.
    counts_people = column.kind == "numeric" and column.values.dtype.kind == "f"
    if distinct == rows and rows >= IDENTIFYING_ROWS and not counts_people:
        return "identifier", "no value occurs twice, so it points at each person"
    if hinted is not None:
        role, word = hinted
        return role, f"{word!r} in the name is usually {_USUALLY[role]}"
    if distinct <= 1:
        return "private", "holds one value only, so it tells people apart in no way"
    return "public", "nothing hints at its role, so the cautious choice"


_USUALLY = {"identifier": "an identifier", "private": "sensitive", "public": "known of a person"}


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)
