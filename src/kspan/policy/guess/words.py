"""What the name of a column says, by the vocabularies in `words.toml`."""

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any


@dataclass(frozen=True)
class Meaning:
    """What a column is about, and the role that this usually has."""

    name: str
    role: str
    usually: str
    """Why it has this role, to follow the word that was found."""
    is_number: bool | None
    """Are its whole numbers counts and measures (True), or codes (False)? None if the cells must tell."""


@cache
def words_for(what: str) -> frozenset[str]:
    """The words of one of the lists: `id`, `people`, `names`, `notes`, `codes`, `measures`, ..."""
    return frozenset(_vocabularies()[what].split())


def words_of(name: str) -> tuple[str, ...]:
    """The words in the name of a column, in small letters and without accents.

    >>> words_of("PatientID"), words_of("Année_naissance"), words_of("hours-per-week"), words_of("occ3")
    (('patient', 'id'), ('annee', 'naissance'), ('hours', 'per', 'week'), ('occ', '3'))
    """
    for umlaut, plain in zip("äöüÄÖÜß", ("ae", "oe", "ue", "Ae", "Oe", "Ue", "ss"), strict=True):
        name = name.replace(umlaut, plain)
    plain = "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain).lower()
    return tuple(part for word in re.findall(r"[a-z]+|\d+", apart) for part in _without_id(word))


def _without_id(word: str) -> tuple[str, ...]:
    """The word, taken apart if it ends with `id`, as `studyid` does."""
    return (word[:-2], "id") if word.endswith("id") and word[:-2] in words_for("before_id") else (word,)


def meant(name: str) -> tuple[Meaning, str] | None:
    """What the name of a column says it is about, and the word that says so; None if it says nothing.

    >>> [meant(name)[0].name for name in ("systolic_bp", "Geburtsdatum", "fatheduc", "wtmec2yr", "codigo_postal")]
    ['health', 'birth', 'schooling', 'sampling weight', 'zip code']
    >>> meant("thick") is None
    True
    """
    words = words_of(name)
    for said in _said(words):
        for meaning, exact, loose in _meanings():
            if said in exact or (len(said) > 2 and loose.fullmatch(said)) or f"={''.join(words)}" in exact:
                return meaning, said
    return None


def _said(words: tuple[str, ...]) -> list[str]:
    """The name as one word, then its neighbors joined, then each word: what is longer says more."""
    joined = ["".join(words), *(["".join(word for word in words if not word.isdigit())] if len(words) > 2 else [])]
    pairs = [a + b for a, b in pairwise(words)]
    # A letter by itself says something only if it is all there is.
    return list(dict.fromkeys([*joined, *(said for said in (*pairs, *words) if len(said) > 1)]))


@cache
def _vocabularies() -> dict[str, Any]:
    return tomllib.loads((files("kspan.policy.guess") / "words.toml").read_text(encoding="utf-8"))


@cache
def _meanings() -> tuple[tuple[Meaning, frozenset[str], re.Pattern[str]], ...]:
    """Each meaning with its words, and a pattern of those that stand for several."""
    return tuple(_entry(said) for said in _vocabularies()["meaning"])


def _entry(said: dict[str, Any]) -> tuple[Meaning, frozenset[str], re.Pattern[str]]:
    words = said["words"].split()
    loose = "|".join(word.replace("~", ".*") for word in words if "~" in word)
    meaning = Meaning(said["name"], said["role"], said["usually"], said.get("is_number"))
    return meaning, frozenset(word for word in words if "~" not in word), re.compile(loose or "(?!)")
