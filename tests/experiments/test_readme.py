"""What the README and the top of RESULTS.md say of results is what RESULTS.md shows there."""

import re
from pathlib import Path

import pytest

from experiments.catalog import EXPERIMENTS
from experiments.data_sets import HOME

README = (HOME / "README.md").read_text(encoding="utf-8")
RESULTS = (HOME / "experiments" / "RESULTS.md").read_text(encoding="utf-8")
LINKS = re.findall(r"\[([^\]]+)\]\(experiments/RESULTS\.md#([\w-]+)\)", README)


def shown_at(name: str) -> str:
    """The row that is linked to, or the whole section."""
    begin = RESULTS.index(f'<a id="{name}"></a>')
    end = RESULTS.find("\n", begin) if RESULTS[begin - 2 : begin] == "| " else RESULTS.find("\n<a id=", begin + 1)
    return RESULTS[begin : end if end > 0 else None]


def test_there_are_results_to_look_up() -> None:
    assert len(LINKS) > 4
    assert Path(HOME / "experiments" / "RESULTS.md").is_file()


@pytest.mark.parametrize(("text", "name"), LINKS)
def test_every_number_of_a_linked_sentence_stands_there(text: str, name: str) -> None:
    assert numbers_in(text), "a link to results has a number that can be looked up"
    assert numbers_in(text) <= numbers_in(re.sub(r"<a id=[^>]*>", "", shown_at(name)))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_number_of_the_summary_stands_in_its_section(name: str) -> None:
    (said,) = re.findall(rf"^\| \[{name}\]\(#{name}\) \| [^|]* \| ([^|]*) \|$", RESULTS, re.MULTILINE)
    assert numbers_in(said) <= numbers_in(shown_at(name))


def numbers_in(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:[.,]\d+)*", text))
