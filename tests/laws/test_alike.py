"""Respelling private cells so that they look the same changes no verdict."""

import unicodedata
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.data.alike import look

VALUES = ["flu", "caf\u00e9 au lait", "7", "12", None]
REQUIRED = ["distinct_l=2", "entropy_l=1.5", "recursive_cl=[3, 2]", "confidence=0.7", "t=0.3", "basic_beta=1.0"]
NUMBERS = ["7", "12", "3.5", None]

PEOPLE = st.sampled_from([VALUES, NUMBERS]).flatmap(
    lambda values: st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(values)), min_size=1, max_size=12)
)


@st.composite
def respelling(draw: st.DrawFn, value: str | None) -> str | None:
    """A spelling of a value that looks the same."""
    if value is None:
        return draw(st.sampled_from([None, " ", "\u200b", "\u00a0"]))
    form = draw(st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
    text = unicodedata.normalize(form, value)
    if draw(st.booleans()):
        text = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)
    blank = draw(st.sampled_from([" ", "  ", "\u00a0", "\t", " \u200b "]))
    at = draw(st.integers(0, len(text)))
    text = text.replace(" ", blank)
    unseen = draw(st.sampled_from(["", "\u200b", "\u00ad", "\ufeff", "\x00", "\ufe0f", "\u3164"]))
    return draw(st.sampled_from(["", " ", "\n"])) + text[:at] + unseen + text[at:] + draw(st.sampled_from(["", " "]))


@pytest.mark.slow
@given(people=PEOPLE, require=st.sampled_from(REQUIRED), data=st.data())
def test_the_verdict_is_that_of_one_spelling(people: list[tuple[str, Any]], require: str, data: st.DataObject) -> None:
    plain = pl.DataFrame(people, schema={"q": pl.String, "p": pl.String}, orient="row")
    cells = [data.draw(respelling(value)) for _, value in people]
    policy = ks.Policy(public=["q"], private=["p"], require=require)
    one, other = (ks.audit(frame, policy) for frame in (plain, plain.with_columns(p=pl.Series(cells, dtype=pl.String))))
    assert (one.holds, one.failing_people, one.reached, one.exposed) == (
        other.holds, other.failing_people, other.reached, other.exposed,
    )  # fmt: skip


@given(text=st.text())
def test_a_look_looks_like_itself(text: str) -> None:
    assert look(look(text)) == look(text)
