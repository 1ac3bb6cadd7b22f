"""What the cells of a column look like: emails, official numbers with check digits, codes, dates, names of people."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kspan.policy.guess.words import words_for

MOSTLY = 0.9
"""A column looks like a format if at least this share of its different cells does."""
FIRST = 24
"""If not even half of so many cells look like a format, the others are not looked at."""


@dataclass(frozen=True)
class Format:
    """A way in which cells can look."""

    name: str
    what: str
    """What such cells are, in words."""
    fits: Callable[[str], object]


def looks_like(cells: Sequence[str], formats: Sequence[Format]) -> Format | None:
    """The first format that almost all cells have; None if there is none.

    >>> looks_like(["ann@example.org", "bob@example.org"], PERSONAL).name
    'email'
    """
    return next((one for one in formats if _share(cells, one) >= MOSTLY), None) if cells else None


def _share(cells: Sequence[str], one: Format) -> float:
    begin = sum(bool(one.fits(cell)) for cell in cells[:FIRST])
    if len(cells) <= FIRST or begin * 2 < FIRST:
        return begin / min(len(cells), FIRST)
    return (begin + sum(bool(one.fits(cell)) for cell in cells[FIRST:])) / len(cells)


def luhn(digits: str) -> bool:
    """Is the last digit right, as on payment cards?

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    doubled = (int(digit) * 2 if place % 2 else int(digit) for place, digit in enumerate(reversed(digits)))
    return digits.isdigit() and sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def mod97(text: str) -> bool:
    """Are the check digits of an account number (IBAN) right?

    >>> mod97("DE89370400440532013000"), mod97("DE88370400440532013000")
    (True, False)
    """
    moved = text[4:] + text[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1


def _bare(cell: str) -> str:
    """The cell without the blanks, dots and dashes that people put into long numbers."""
    return re.sub(r"[\s.\-/]", "", cell).upper()


def _iban(cell: str) -> bool:
    bare = _bare(cell)
    return bool(re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", bare)) and mod97(bare)


def _card(cell: str) -> bool:
    bare = _bare(cell)
    return bool(re.fullmatch(r"[2-6]\d{12,18}", bare)) and luhn(bare)


def _spanish(cell: str) -> bool:
    """Tell whether a cell is a DNI or NIE with its letter."""
    found = re.fullmatch(r"([XYZ]?)(\d{7,8})([A-Z])", _bare(cell))
    if not found:
        return False
    number = int({"": "", "X": "0", "Y": "1", "Z": "2"}[found[1]] + found[2])
    return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] == found[3]


def _french(cell: str) -> bool:
    """Tell whether a cell is a number of the French social security, with its key."""
    bare = _bare(cell)
    return bool(re.fullmatch(r"[12]\d{14}", bare)) and 97 - int(bare[:13]) % 97 == int(bare[13:])


def _italian(cell: str) -> bool:
    return bool(re.fullmatch(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", _bare(cell)))


def _dutch(cell: str) -> bool:
    """Tell whether a cell is a burgerservicenummer, by the proof of eleven."""
    bare = _bare(cell)
    factors = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    return bool(re.fullmatch(r"\d{9}", bare)) and _weighted(bare, factors) % 11 == 0


def _portuguese(cell: str) -> bool:
    bare = _bare(cell)
    if not re.fullmatch(r"[1-35689]\d{8}", bare):
        return False
    rest = _weighted(bare[:8], (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return int(bare[8]) == (0 if rest < 2 else 11 - rest)


def _brazilian(cell: str) -> bool:
    """Tell whether a cell is a CPF, by both of its check digits."""
    bare = _bare(cell)
    if not re.fullmatch(r"\d{11}", bare):
        return False
    checks = (_weighted(bare[:end], range(end + 1, 1, -1)) * 10 % 11 % 10 == int(bare[end]) for end in (9, 10))
    return all(checks)


def _german(cell: str) -> bool:
    """Tell whether a cell is a tax number of a German person (ISO 7064, modulus 11,10)."""
    bare = _bare(cell)
    if not re.fullmatch(r"[1-9]\d{10}", bare):
        return False
    product = 10
    for digit in bare[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(bare[10])


def _weighted(digits: str, factors: Sequence[int]) -> int:
    return sum(int(digit) * factor for digit, factor in zip(digits, factors, strict=True))


def _ip(cell: str) -> bool:
    found = re.fullmatch(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})", cell)
    if found:
        return all(int(part) < 256 for part in found.groups())
    return bool(re.fullmatch(r"(?=.*:.*:)[0-9A-Fa-f:]{4,39}", cell)) and not re.fullmatch(r"[\d:]+", cell)


def _matching(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern).fullmatch


_PHONE = re.compile(r"(?=(?:\D*\d){7,15}\D*$)(?=.*[+()\s\-/])\+?[\d\s().\-/]{8,24}")

PERSONAL: tuple[Format, ...] = (
    Format("email", "email addresses", _matching(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")),
    Format("uuid", "UUIDs", _matching(r"\{?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}?")),
    Format("url", "web addresses", _matching(r"(https?://|www\.)\S+")),
    Format("iban", "account numbers (IBAN) with right check digits", _iban),
    Format("nir", "French social security numbers with right keys", _french),
    Format("dni", "Spanish identity numbers with right letters", _spanish),
    Format("fiscal code", "Italian fiscal codes", _italian),
    Format("cpf", "Brazilian tax numbers with right check digits", _brazilian),
    Format("tax id", "German tax numbers with right check digits", _german),
    Format("bsn", "Dutch citizen numbers with right check digits", _dutch),
    Format("nif", "Portuguese tax numbers with right check digits", _portuguese),
    Format("card", "card numbers with right check digits", _card),
    Format("ssn", "US social security numbers", _matching(r"(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}")),
    Format("nino", "British insurance numbers", _matching(r"[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]")),
    Format("ip", "network addresses", _ip),
    Format("mac", "addresses of devices", _matching(r"[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}")),
    Format("hash", "hashes", _matching(r"(?=.*[a-fA-F])(?=.*\d)([0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{64})")),
)
"""What points at a person or an account by itself."""

_LANDS = "AT|BE|BG|CH|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|NO|PL|PT|RO|SE|SI|SK|UK"

DATE = Format(
    "date",
    "dates",
    _matching(
        r"(\d{4}[-/.](0?[1-9]|1[0-2])[-/.](0?[1-9]|[12]\d|3[01])"
        r"|(0?[1-9]|[12]\d|3[01])[-/.](0?[1-9]|[12]\d|3[01])[-/.](\d{4}|\d{2})"
        r"|\d{1,2}[ -][A-Za-zäéû]{3,9}\.?[ -]\d{2,4}|[A-Z][a-z]{2,8}\.? \d{1,2},? \d{4})"
        r"([T ]+\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AaPp][Mm])?(Z|[+-]\d{2}:?\d{2})?)?"
    ),
)
PHONE = Format("phone", "phone numbers", _PHONE.fullmatch)
CODES: tuple[Format, ...] = (
    Format("icd", "diagnosis codes (ICD-10)", _matching(r"[A-TV-Z]\d[0-9AB](\.[0-9A-Z]{1,4})?|[A-TV-Z]\d[0-9AB]\d")),
    Format("zip+4", "US zip codes", _matching(r"\d{5}-\d{4}")),
    Format("postcode", "British postcodes", _matching(r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}")),
    Format("dutch postcode", "Dutch postcodes", _matching(r"[1-9]\d{3} ?[A-Z]{2}")),
    Format("canadian postcode", "Canadian postcodes", _matching(r"[A-Z]\d[A-Z] ?\d[A-Z]\d")),
    Format("brazilian postcode", "Brazilian postcodes", _matching(r"\d{5}-\d{3}")),
    Format("nuts", "codes of regions (NUTS)", _matching(rf"({_LANDS})(?=.*\d)[0-9A-Z]{{1,3}}")),
)
"""Codes whose beginning tells less than the whole."""
ZIP = Format("zip", "zip codes", _matching(r"([A-Z]{1,2}-)?\d{3,7}(-\d{3,4})?|(?=.*\d)[A-Z\d]{2,4} ?[A-Z\d]{2,3}"))
"""What a zip code can look like where the name of the column speaks of zip codes."""

_NAME = re.compile(r"(?:[^\W\d_][^\W\d_'’\-]*\.?,?[ ]?){2,4}")


def share_of_names(cells: Sequence[str]) -> float:
    """The share of cells that look like the full name of a person: two to four words, one of them a first name.

    >>> share_of_names(["Maria Rossi", "Smith, John", "Fuel pump"])
    0.6666666666666666
    """
    known = words_for("first_names")
    named = sum(
        bool(_NAME.fullmatch(cell)) and any(word.strip(",.").lower() in known for word in cell.split())
        for cell in cells
    )
    return named / len(cells) if cells else 0.0
