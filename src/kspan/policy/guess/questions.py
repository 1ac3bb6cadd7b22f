"""The questions that are asked of a column, one after the other: the first that has an answer decides."""

from collections.abc import Callable

import polars as pl

from kspan.limits import MOST_LEVELS
from kspan.policy.guess.answer import CATEGORY, DAY, IDENTIFIER, NUMBER, TEXT, Guess, answer
from kspan.policy.guess.columns import Facts
from kspan.policy.guess.formats import CODES, DATE, PERSONAL, PHONE, ZIP, looks_like, share_of_names
from kspan.policy.guess.numbers import FEW, are_codes
from kspan.policy.guess.words import Meaning, words_for, words_of

ENOUGH_ROWS = 20
"""In a smaller table even an ordinary column may happen to hold no value twice."""
ELSEWHERE = ("place", "institution", "zip code", "area code", "origin")
"""The number of a school or of a region is a place, not a person."""

Found = tuple[Meaning, str] | None
"""What the name means, and the word that says so."""


def _empty(facts: Facts, found: Found) -> Guess | None:
    if facts.distinct > 1:
        return None
    what = "holds one value only" if facts.distinct else "holds nothing at all"
    if found is not None and found[0].role == "identifier":
        return answer(facts, "identifier", IDENTIFIER, _because(found))
    role = "public" if found is None else found[0].role
    return answer(facts, role, CATEGORY, f"{what}, so it tells nobody apart", categorical=True)


def _free_text(facts: Facts, found: Found) -> Guess | None:
    if not facts.free_text or looks_like(facts.cells, (*PERSONAL, DATE, PHONE)):
        return None
    if share_of_names(facts.cells) > 0.5:
        return None
    return answer(
        facts,
        "identifier",
        TEXT,
        "people wrote sentences, and nobody knows what they say of whom: do not release it",
    )


def _personal(facts: Facts, found: Found) -> Guess | None:
    """Cells that give themselves away, whatever the name is."""
    if facts.numbers is not None and not facts.numbers.whole:
        return None
    plain = facts.numbers is not None
    if plain and (facts.unique_share < 0.5 or min(map(len, facts.cells)) < 9):
        return None
    one = looks_like(facts.cells, PERSONAL)
    if one is None and not plain and looks_like(facts.cells, (DATE, *CODES, PHONE)) is PHONE:
        one = PHONE if facts.unique_share > 0.5 or (found and found[0].name == "contact") else None
    if one is not None:
        return answer(facts, "identifier", IDENTIFIER, f"these are {one.what}")
    if not plain and facts.unique_share > 0.5 and share_of_names(facts.cells) >= 0.5:
        return answer(facts, "identifier", IDENTIFIER, "these are names of people")
    return None


def _weight(facts: Facts, found: Found) -> Guess | None:
    """A sampling weight; told from the weight of a body by its name, its unit and the size of its numbers."""
    numbers, words = facts.numbers, words_of(facts.name)
    if numbers is None or numbers.low < 0:
        return None
    if found is not None and found[0].name == "sampling weight":
        return answer(facts, "identifier", NUMBER, _because(found), key="sampling_weight")
    if not words_for("weight").intersection(words):
        return None
    if words_for("units").intersection(words):
        return answer(facts, "public", NUMBER, "a weight with its unit: a body can be weighed by others")
    mean = facts.total / facts.filled
    if numbers.middle > 500 and mean > 500:
        reason = "too large for bodies: each row seems to stand for so many people, as in a survey"
    elif not numbers.whole and 0.5 < mean < 2 and numbers.high < 100:
        reason = "these numbers lie around 1, as sampling weights do, and bodies do not"
    else:
        return answer(facts, "public", NUMBER, "these numbers fit bodies, and others can see those")
    return answer(facts, "identifier", NUMBER, reason, key="sampling_weight")


def _numbered(facts: Facts, found: Found) -> Guess | None:
    """Numbers of records, people and households."""
    words = set(words_of(facts.name))
    if found is not None and found[0].name in ("household", "record number"):
        if found[0].name == "household" and facts.distinct < facts.filled:
            reason = f"{facts.filled:,} rows of {facts.distinct:,} different households: it says who lives together"
            return answer(facts, "identifier", IDENTIFIER, reason, key="household")
        return answer(facts, "identifier", IDENTIFIER, _because(found))
    if facts.numbers is not None and not facts.numbers.whole:
        return None
    people = bool(words & words_for("people"))
    elsewhere = found is not None and found[0].name in ELSEWHERE
    named = bool(words & words_for("plain_id")) and not elsewhere
    if not named and not (people and words & words_for("id")):
        return None
    if facts.distinct == facts.filled or facts.distinct <= FEW:
        return answer(facts, "identifier", IDENTIFIER, "the name says that it numbers people or records")
    if not people and len(words) > 1:
        return answer(facts, "identifier", IDENTIFIER, "the name says that it numbers things, in several rows each")
    reason = f"{facts.filled:,} rows of {facts.distinct:,} different people: it says which rows are of one person"
    return answer(facts, "identifier", IDENTIFIER, reason, key="person")


def _date(facts: Facts, found: Found) -> Guess | None:
    typed = facts.dtype in (pl.Date, pl.Datetime, pl.Time) or isinstance(facts.dtype, pl.Datetime)
    is_date = typed or facts.column.kind.has_own_spelling
    if not is_date and (facts.numbers is not None or not looks_like(facts.cells, (DATE,))):
        return None
    if found is not None and found[0].role == "private" and found[0].name not in ("outcome",):
        return answer(facts, "private", DAY, f"dates, and {_because(found)}")
    return answer(facts, "public", DAY, "dates: others may remember what was on a day")


def _coded(facts: Facts, found: Found) -> Guess | None:
    """Codes whose beginning tells less than the whole: zip codes, diagnoses, regions."""
    meaning = None if found is None else found[0].name
    if facts.numbers is not None and not (facts.numbers.whole and facts.numbers.low >= 0):
        return None
    if meaning == "zip code" and looks_like(facts.cells, (ZIP,)):
        return _prefixed(facts, "public", _because(found))
    shortened = facts.numbers is not None and len(facts.numbers.digits) > 1  # zeros in front are lost
    if meaning in ("area code", "diagnosis code") and not shortened:
        return _prefixed(facts, found[0].role if found else "public", _because(found))
    one = looks_like(facts.cells, CODES) if facts.numbers is None and facts.distinct > 3 else None
    if one is None:
        return None
    return _prefixed(facts, "private" if one.name == "icd" else "public", f"these are {one.what}")


def _prefixed(facts: Facts, role: str, reason: str) -> Guess:
    short = max(map(len, facts.cells)) < min(MOST_LEVELS, 30) and facts.distinct < 100_000
    useful = short and facts.distinct > 3
    told = f"{reason}; its last characters are hidden first" if useful else reason
    return answer(facts, role, CATEGORY, told, categorical=facts.numbers is not None, prefixes=useful)


def _named_person(facts: Facts, found: Found) -> Guess | None:
    words = set(words_of(facts.name))
    if found is not None and found[0].role == "identifier" and found[0].name not in ("sampling weight",):
        return answer(facts, "identifier", IDENTIFIER, _because(found))
    if facts.numbers is None and words & words_for("names") and found is None:
        return answer(facts, "identifier", IDENTIFIER, "the name says that these are names, and names point at people")
    wordy = sum(len(cell.split()) >= 4 for cell in facts.cells) * 2 > len(facts.cells)
    if (
        facts.numbers is None
        and words & words_for("notes")
        and (wordy or (facts.unique_share > 0.5 and facts.distinct > FEW))
    ):
        return answer(facts, "identifier", TEXT, "the name says that people write what they like: do not release it")
    return None


def _pointing(facts: Facts, found: Found) -> Guess | None:
    """Cells that hardly ever occur twice: they point at people, unless they are measured, paid or counted."""
    if facts.filled < ENOUGH_ROWS or facts.unique_share < 0.95:
        return None
    numbers = facts.numbers
    if numbers is None:
        if found is not None and facts.unique_share < 1:
            return None
        once = "no value occurs twice" if facts.unique_share == 1 else "hardly any value occurs twice"
        return answer(facts, "identifier", IDENTIFIER, f"{once}, so it points at each person")
    if (
        found is not None
        or not numbers.whole
        or facts.unique_share < 1
        or set(words_of(facts.name)) & words_for("measures") - words_for("id")
    ):
        return None
    if numbers.count_through:
        return answer(facts, "identifier", IDENTIFIER, "it counts through the rows, so it points at each of them")
    if len(numbers.digits) == 1 and numbers.high >= 1e6:
        return answer(facts, "identifier", IDENTIFIER, "long numbers of one length, none twice: they point at people")
    return None


def _known(facts: Facts, found: Found) -> Guess | None:
    """A column whose name says what it is about."""
    if found is None:
        return None
    meaning, _ = found
    numbers = facts.numbers
    if meaning.name == "coordinate" and (numbers is None or numbers.whole or abs(numbers.middle) > 180):
        return None
    if numbers is None or are_codes(facts, meaning):
        return answer(
            facts, meaning.role, CATEGORY, _because(found), categorical=numbers is not None,
            outcome=_outcome(facts, meaning),
        )  # fmt: skip
    return answer(facts, meaning.role, NUMBER, _because(found))


def _unknown(facts: Facts, found: Found) -> Guess:
    if facts.numbers is None or are_codes(facts, None):
        what = "codes, not amounts; nothing" if facts.numbers is not None else "nothing"
        reason = f"{what} says who knows it, so the cautious choice"
        return answer(facts, "public", CATEGORY, reason, categorical=facts.numbers is not None)
    return answer(facts, "public", NUMBER, "nothing says who knows it, so the cautious choice")


QUESTIONS: tuple[Callable[[Facts, Found], Guess | None], ...] = (
    _free_text, _personal, _empty, _weight, _numbered, _date, _coded, _named_person, _pointing, _known, _unknown,
)  # fmt: skip


_LIKELY = {"outcome": 3, "illness": 2, "money": 1}


def _outcome(facts: Facts, meaning: Meaning) -> int:
    """How much a private category looks like something to predict."""
    likely = _LIKELY.get(meaning.name, 0) if 2 <= facts.distinct <= FEW and meaning.role == "private" else 0
    if not likely or (meaning.name == "money" and facts.numbers is not None):
        return 0  # of money, only classes are guessed from other columns, such as "more than 50,000"
    return 2 * likely + (facts.distinct == 2)


def _because(found: Found) -> str:
    assert found is not None
    meaning, word = found
    return f"{word!r} in the name: this {meaning.usually}"
