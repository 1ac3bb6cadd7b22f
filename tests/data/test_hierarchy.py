"""Hierarchies as people write them."""

from pathlib import Path

import pytest

import kspan as ks


def test_a_header_is_recognized(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("job;branch;all\nnurse;health;*\ndoctor;health;*\nclerk;office;*\n")
    with pytest.raises(ks.HierarchyError, match="looks like a header"):
        ks.read_hierarchy(tmp_path / "h.csv")


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
def test_the_delimiter_is_found_out(tmp_path: Path, delimiter: str) -> None:
    (tmp_path / "h.csv").write_text("a;A;*\nb;B;*\n".replace(";", delimiter))
    assert ks.read_hierarchy(tmp_path / "h.csv").levels == (("a", "b"), ("A", "B"), ("*", "*"))


def test_names_may_contain_other_delimiters(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("1;[1, 2];*\n2;[1, 2];*\n3;{3|4};*\n4;{3|4};*\n")
    assert ks.read_hierarchy(tmp_path / "h.csv").names[1] == ("[1, 2]", "{3|4}")


def test_a_root_is_added_where_there_is_none() -> None:
    assert ks.Hierarchy.of([("a", "A"), ("b", "B")]).names[-1] == ("*",)


def test_widths_of_decimal_fractions_nest() -> None:
    built = ks.Intervals((0.1, 0.3)).build(["0.05", "0.25"])
    assert built.names[2] == ("[0, 0.3]",)


def test_a_name_for_two_sets_of_the_same_size_is_refused() -> None:
    with pytest.raises(ks.HierarchyError, match="different sets of values"):
        ks.Hierarchy.of([("a", "b"), ("b", "a")])


def test_an_order_of_numbers_and_words_gives_sets() -> None:
    built = ks.Ordered(order=("1", "2", "3", "many")).build(["1", "2", "3"])
    assert built.names[1] == ("{1|2}", "{3|many}")


def test_numbers_that_do_not_ascend_are_named_as_sets() -> None:
    built = ks.Ordered(order=("3", "1", "2")).build(["1", "2", "3"])
    assert built.names[1] == ("{3|1}", "2")
    assert ks.Ordered(order=("1", "2", "3")).build(["1", "2", "3"]).names[1] == ("[1, 2]", "3")
