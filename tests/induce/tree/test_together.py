"""A tree that tells most of several attributes: its questions are the best ones by a count from the definition."""

from collections import Counter, defaultdict
from math import log2
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kspan as ks
from kspan.data.encode import encode
from kspan.data.schema import Schema
from kspan.induce.tree.together import together

Row = dict[str, Any]


def entropy(values: list[Any]) -> float:
    return -sum(count / len(values) * log2(count / len(values)) for count in Counter(values).values())


def questions(rows: list[Row], names: list[str], least: int) -> dict[tuple[str, Any], list[list[Row]]]:
    """Every question that may be asked, with its answers: words one by one, numbers below and above, none by itself."""
    found = {}
    for name in names:
        known = [row for row in rows if row[name] is not None]
        none = [row for row in rows if row[name] is None]
        if any(isinstance(row[name], int) for row in known):
            for cut in {row[name] for row in known}:
                parts = [[row for row in known if row[name] <= cut], [row for row in known if row[name] > cut]]
                if min(map(len, parts)) >= least:
                    found[name, cut] = [*parts, none] if none else parts
        else:
            words = defaultdict(list)
            for row in rows:
                words[row[name]].append(row)
            if sum(len(part) >= least for part in words.values()) >= 2:
                found[name, None] = list(words.values())
    return found


def told(rows: list[Row], parts: list[list[Row]], names: list[str], whole: list[Row]) -> float:
    """What the answers tell of all attributes, each as a share of its entropy among everybody."""
    bits = 0.0
    for name in names:
        if everybody := entropy([row[name] for row in whole]):
            after = sum(len(part) * entropy([row[name] for row in part]) for part in parts)
            bits += (len(rows) * entropy([row[name] for row in rows]) - after) / everybody
    return bits


@given(data=st.data(), least=st.integers(1, 4))
def test_the_first_question_is_the_best(data: st.DataObject, least: int) -> None:
    cell = {"word": st.sampled_from("abc"), "other": st.none() | st.sampled_from("xy"), "age": st.integers(0, 6)}
    rows = data.draw(st.lists(st.fixed_dictionaries(cell), min_size=4, max_size=20))
    names = list(cell)
    schema = Schema(public=names)
    frame = pl.DataFrame(rows, schema={"word": pl.String, "other": pl.String, "age": pl.Int64})
    tree = together(encode(frame, schema), schema, names, min_rows=least)
    able = questions(rows, names, least)
    bits = {asked: told(rows, parts, names, rows) for asked, parts in able.items()}
    bits = {asked: each for asked, each in bits.items() if each > 1e-9}
    if not bits:
        assert tree.root.is_leaf
        return
    # The best cut of each attribute, then by what is told for each bit of the answer.
    most = {name: max(each for (one, _), each in bits.items() if one == name) for name in {name for name, _ in bits}}
    average = sum(most.values()) / len(most)
    ratios = {
        asked: each / entropy([place for place, part in enumerate(able[asked]) for _ in part]) / len(rows)
        for asked, each in bits.items()
        if each >= most[asked[0]] - 1e-9 and each >= average - 1e-9
    }
    assert tree.root.attribute is not None
    name = tree.attributes[tree.root.attribute].name
    best = max(ratios.values())
    assume(sum(each > best - 1e-9 for each in ratios.values()) == 1)
    assert name == max(ratios, key=lambda asked: ratios[asked])[0]


@given(data=st.data(), least=st.integers(1, 4))
def test_everybody_is_in_one_leaf_and_weights_are_repeated_rows(data: st.DataObject, least: int) -> None:
    cell = {"word": st.sampled_from("abc"), "age": st.none() | st.integers(0, 6), "n": st.integers(1, 3)}
    rows = data.draw(st.lists(st.fixed_dictionaries(cell), min_size=2, max_size=20))
    frame = pl.DataFrame(rows, schema={"word": pl.String, "age": pl.Int64, "n": pl.Int64})
    rules = ks.Policy(public=["word", "age"], weight="n", require="k=1")
    tree = together(encode(frame, rules), rules, rules.public, min_rows=least)
    leaves = [node for node in tree.nodes() if node.is_leaf]
    assert sum(node.people or 0 for node in leaves) == sum(row["n"] for row in rows)
    repeated = frame[[place for place, row in enumerate(rows) for _ in range(row["n"])]].with_columns(n=pl.lit(1))
    again = together(encode(repeated, rules), rules, rules.public, min_rows=least)
    shape = [(node.attribute, node.people, [edge.region for edge in node.edges]) for node in tree.nodes()]
    assert shape == [(node.attribute, node.people, [edge.region for edge in node.edges]) for node in again.nodes()]


@pytest.mark.parametrize("numbers", [50, 500])
def test_many_numbers_are_asked_between_bins(numbers: int) -> None:
    ages = list(range(numbers))
    frame = pl.DataFrame({"age": ages, "old": ["yes" if 2 * age >= numbers else "no" for age in ages]})
    schema = Schema(public=["age", "old"])
    tree = together(encode(frame, schema), schema, ["old"], min_rows=numbers // 10)
    halves = [edge.node.people for edge in tree.root.edges]
    assert halves == [numbers // 2, numbers // 2]
