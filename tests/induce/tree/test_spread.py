"""Trees from cells that admit several values: the numbers of the paper, a twin by definition, and what is refused."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.data.encode import encode, encode_column
from kspan.data.general import general
from kspan.data.schema import Schema
from kspan.induce.tree.c45 import c45
from kspan.induce.tree.id3 import id3
from kspan.model.predict import predicted
from kspan.model.tree.model import Node, Tree
from laws.examples import share_of_examples

SALARY = pl.DataFrame(
    {
        "sex": ["{M|F}", "F", "F", "F", "M", "{F|M}", "F", "{M|F}"],
        "salary": ["<=50", "<=50", ">50", "<=50", ">50", "<=50", "<=50", ">50"],
    }
)
"""Table III of Shao and Beckford."""


def entropy_of(counts: Any) -> float:
    total = sum(counts)
    return -sum(count / total * math.log2(count / total) for count in counts if count > 0) if total else 0.0


def test_the_entropies_of_table_3() -> None:
    table = encode(SALARY, Schema(public=["sex"], target="salary"))
    column, labels = table["sex"], table["salary"]
    shown = np.zeros((column.size, 2))
    np.add.at(shown, (column.codes, labels.codes), 1)
    own = {column.label(code): entropy_of(shown[code]) for code in range(column.size)}
    both = shown[[code for code in range(column.size) if column.label(code).startswith("{")]].sum(axis=0)
    assert [round(own["F"], 3), round(own["M"], 3), round(entropy_of(both), 3)] == [0.811, 0, 0.918]
    meant = general(column)
    assert meant.values.tolist() == ["F", "M"]
    expected = meant.expected(shown, np.ones((2, 2)))
    assert expected.sum(axis=1).tolist() == [5.5, 2.5]
    assert [round(entropy_of(counts), 3) for counts in expected] == [0.845, 0.971]


def test_the_tree_of_table_3_counts_halves() -> None:
    schema = Schema(public=["sex"], target="salary")
    tree = id3(encode(SALARY, schema), schema)
    assert [leaf.counts for leaf in tree.leaves] == [(4, 1.5), (1, 1.5)]


# A twin by the definition: words only


WORDS = {"a": ("x", "y", "z"), "b": ("p", "q")}
CELLS = {
    name: [set(c) for c in ([*values], *[[v] for v in values], list(values[:2]))] for name, values in WORDS.items()
}


@dataclass
class Twin:
    counts: dict[str, float]
    attribute: str | None = None
    sons: dict[str, "Twin"] = field(default_factory=dict)


def grown(people: list[tuple[dict[str, set[str]], str, float]], names: list[str]) -> Twin:
    """ID3 by its definition, where a person goes everywhere the cell may stand for, with an equal share."""
    counts = {label: sum(weight for _, own, weight in people if own == label) for label in "uv"}
    node = Twin(counts)
    total = sum(counts.values())
    if min(counts.values()) <= 0 or total < 2 - 1e-6:
        return node
    best, chosen = 1e-9, None
    for name in names:
        parts = {
            value: [
                sum(weight / len(cells[name]) for cells, own, weight in people if own == label and value in cells[name])
                for label in "uv"
            ]
            for value in WORDS[name]
        }
        large = sum(sum(part) >= 1 - 1e-6 for part in parts.values())
        after = sum(sum(part) / total * entropy_of(part) for part in parts.values())
        gain = entropy_of(counts.values()) - after
        if large >= 2 and round(gain, 9) > round(best, 9):
            best, chosen = gain, name
    if chosen is None:
        return node
    node.attribute = chosen
    for value in WORDS[chosen]:
        below = [
            ({**cells, chosen: {value}}, own, weight / len(cells[chosen]))
            for cells, own, weight in people
            if value in cells[chosen]
        ]
        node.sons[value] = grown(below, [name for name in names if name != chosen])
    return node


def assert_same(node: Node, twin: Twin, tree: Tree) -> None:
    assert node.counts == pytest.approx([twin.counts[label] for label in tree.labels], abs=1e-5)
    asked = None if node.attribute is None else tree.attributes[node.attribute].name
    assert asked == twin.attribute
    for edge in node.edges:
        (value,) = edge.region.values
        assert_same(edge.node, twin.sons[value], tree)


@given(
    people=st.lists(
        st.tuples(st.sampled_from(CELLS["a"]), st.sampled_from(CELLS["b"]), st.sampled_from("uv")),
        min_size=2,
        max_size=14,
    )
)
def test_it_is_id3_by_equal_shares(people: list[tuple[set[str], set[str], str]]) -> None:
    def cell(values: set[str], name: str) -> str:
        if len(values) == len(WORDS[name]) and len(people) % 2:
            return "*"
        return next(iter(values)) if len(values) == 1 else "{" + "|".join(sorted(values)) + "}"

    schema = Schema(public=["a", "b"], target="y", domains={"y": ["u", "v"], **{n: list(v) for n, v in WORDS.items()}})
    frame = pl.DataFrame([(cell(a, "a"), cell(b, "b"), y) for a, b, y in people], schema=["a", "b", "y"], orient="row")
    tree = id3(encode(frame, schema), schema)
    twin = grown([({"a": a, "b": b}, y, 1.0) for a, b, y in people], ["a", "b"])
    if len(tree.labels) == 2:
        assert_same(tree.root, twin, tree)


# Laws


@st.composite
def released(draw: st.DrawFn) -> pl.DataFrame:
    rows = draw(st.integers(4, 25))
    ages = st.sampled_from(["20", "31", "[20, 40]", "[31, 50]", "[20, 50]", "*", None])
    towns = st.sampled_from(["ay", "by", "{ay|by}", "{by|cy}", "*", None])

    def column(cells: st.SearchStrategy[Any]) -> pl.Series:
        return pl.Series(draw(st.lists(cells, min_size=rows, max_size=rows)), dtype=pl.String)

    return pl.DataFrame({"age": column(ages), "town": column(towns), "y": column(st.sampled_from("uv"))})


LEARNERS: list[tuple[Any, dict[str, Any]]] = [
    (id3, {}),
    (id3, {"entropy": "em"}),
    (id3, {"division": "random"}),
    (id3, {"division": "frequent"}),
    (id3, {"entropy": "random"}),
    (c45, {}),
    (c45, {"entropy": "em", "prune": False}),
    (c45, {"prune": False}),
]
NAMES = [f"{learner.__name__} {options}" for learner, options in LEARNERS]


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "options"), LEARNERS, ids=NAMES)
@share_of_examples(0.4)
@given(frame=released())
def test_nobody_is_lost_or_invented(learner: Any, options: dict[str, Any], frame: pl.DataFrame) -> None:
    schema = Schema(public=["age", "town"], target="y")
    table = encode(frame, schema)
    tree = learner(table, schema, **options)
    assert sum(tree.root.counts) == pytest.approx(frame.height)
    for node in tree.nodes():
        if node.edges:
            below = np.sum([edge.node.counts for edge in node.edges], axis=0)
            assert below == pytest.approx(np.array(node.counts), abs=1e-5)  # six digits are told
            assert min(node.counts) >= 0
    assert learner(table, schema, **options) == tree
    # It answers raw rows and released ones.
    raw = pl.DataFrame({"age": ["25", "44", None], "town": ["ay", "cy", "elsewhere"]})
    for rows in (raw, frame):
        chances = predicted(tree, rows).select("^probability.*$")
        assert chances.sum_horizontal().to_list() == pytest.approx([1.0] * rows.height)


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "options"), LEARNERS, ids=NAMES)
@share_of_examples(0.5)
@given(
    rows=st.lists(
        st.tuples(st.none() | st.integers(0, 5), st.none() | st.sampled_from(["x", "y", "z"]), st.sampled_from("uv")),
        min_size=3,
        max_size=30,
    )
)
def test_without_general_cells_it_is_the_ordinary_tree(learner: Any, options: dict[str, Any], rows: Any) -> None:
    frame = pl.DataFrame(rows, schema={"n": pl.Int64, "w": pl.String, "y": pl.String}, orient="row")
    schema = Schema(public=["n", "w"], target="y")
    table = encode(frame, schema)
    plain = {name: value for name, value in options.items() if name == "prune"}
    assert learner(table, schema, **options) == learner(table, schema, **plain, entropy="own-value")


def test_numbers_are_conditioned_on_what_was_asked_above() -> None:
    """Whoever is between 0 and 30 and not above 10 is between 0 and 10."""
    ages = ["5", "5", "5", "15", "15", "15", "25", "25", "25", "[5, 25]", "[5, 25]", "[5, 25]"]
    labels = [*"uuuvvvuuuuvu"]
    frame = pl.DataFrame({"age": ages, "y": labels})
    schema = Schema(public=["age"], target="y")
    tree = id3(encode(frame, schema), schema)
    assert sorted(round(sum(leaf.counts), 6) for leaf in tree.leaves) == [4, 4, 4]


def test_own_values_keep_a_branch_of_their_own() -> None:
    schema = Schema(public=["sex"], target="salary")
    frame = SALARY.with_columns(pl.col("sex").replace({"{F|M}": "{M|F}"}))
    tree = id3(encode(frame, schema), schema, entropy="own-value")
    assert {value for edge in tree.root.edges for value in edge.region.values} == {"F", "M", "{M|F}"}
    answers = predicted(tree, pl.DataFrame({"sex": ["{M|F}", "F"]}))["probability: <=50"].to_list()
    assert answers == pytest.approx([2 / 3, 3 / 4])


def test_general_rows_are_answered_by_all_that_they_may_be() -> None:
    schema = Schema(public=["sex"], target="salary")
    tree = id3(encode(SALARY, schema), schema)
    answers = predicted(tree, pl.DataFrame({"sex": ["F", "M", "{F|M}", "*"]}))["probability: <=50"].to_list()
    female, male = 4 / 5.5, 1 / 2.5
    assert answers == pytest.approx([female, male, (female + male) / 2, (5.5 * female + 2.5 * male) / 8])


def test_ranges_of_other_tools() -> None:
    people = pl.DataFrame({"age": ["[20, 40[", "[40, 60[", "20-39", "45"] * 5, "y": [*"uvuv"] * 5})
    rules = ks.Policy(public=["age"], target="y", require="k=1")
    for method in ("id3", "c45", "part", "conjunctive", "naive-bayes", "logistic"):
        model = ks.learn(people, rules, method)
        for rows in (
            people,
            pl.DataFrame({"age": [25, 50, 30, 44]}),
            pl.DataFrame({"age": ["25", "[45, 50]", "<30", ">=50"]}),
        ):
            assert ks.predict(model, rows.head(4))["predicted: y"].to_list() == [*"uvuv"], method


def test_a_pattern_of_ones_own() -> None:
    people = pl.DataFrame({"age": ["20 to 39", "40 to 59"] * 5, "y": [*"uv"] * 5})
    pattern = r"(?P<low>\d+) to (?P<high>\d+)"
    rules = ks.Policy(public=["age"], target="y", require="k=1", range_pattern=pattern)
    for method in ("id3", "c45", "part", "conjunctive", "naive-bayes", "logistic"):
        model = ks.learn(people, rules, method)
        assert ks.predict(model, pl.DataFrame({"age": [25, 50]}))["predicted: y"].to_list() == ["u", "v"]
        assert ks.predict(model, people.head(2), range_pattern=pattern)["predicted: y"].to_list() == ["u", "v"]


def test_single_values_among_ranges_and_sets_are_values() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4, 50, 60, 70, 80], "sex": [*"FMFMFMFM"], "y": [*"uuuuvvvv"]})
    schema = Schema(public=["age", "sex"], target="y")
    tree = c45(encode(frame, schema), schema)
    rows = pl.DataFrame({"age": ["3", "70", "[1, 4]", "[60, 60]"], "sex": ["F", "{M}", "{F|M}", "F"]})
    assert predicted(tree, rows)["probability: u"].to_list() == [1, 0, 1, 0]
    words = id3(encode(SALARY, schema := Schema(public=["sex"], target="salary")), schema)
    answers = predicted(words, pl.DataFrame({"sex": ["{F}", "F", "{M}", "M"]}))["probability: <=50"].to_list()
    assert answers[0] == answers[1] != answers[2] == answers[3]


def test_published_frequencies_decide_whom_chance_chooses() -> None:
    frame = pl.DataFrame({"sex": ["{F|M}"] * 200 + ["F", "M"] * 20, "y": ["u", "v"] * 100 + ["u", "v"] * 20})
    schema = Schema(public=["sex"], target="y")
    tree = id3(encode(frame, schema), schema, division="distribution", marginals={"sex": {"F": 0.9, "M": 0.1}}, rng=1)
    female = next(edge.node for edge in tree.root.edges if edge.region.values == {"F"})
    assert 20 + 160 < sum(female.counts) < 20 + 199


# What must be refused


@pytest.mark.parametrize(
    ("cells", "row"), [(["[1, 2]", "[3"], 2), (["{a|", "b"], 1), (["[1, 5]", "7", "old"], 3), (["[5, 1[", "[1, 2]"], 1)]
)
def test_a_cell_that_is_not_understood_is_named_by_its_row(cells: list[str], row: int) -> None:
    column = encode_column(pl.Series("age", cells), Schema(public=["age"]))
    with pytest.raises(ks.DataError, match=rf"row {row} of column 'age' .* expected a value, \{{a\|b\}}, \[lo, hi\]"):
        general(column)


def test_what_cannot_be_is_refused() -> None:
    schema = Schema(public=["sex"], target="salary")
    table = encode(SALARY, schema)
    for options, says in (
        ({"entropy": "equals"}, r"did you mean 'equal'"),
        ({"division": "half"}, "division cannot be 'half'"),
        ({"division": "distribution"}, "needs the published marginals"),
        ({"division": "distribution", "marginals": {"age": {}}}, "lack 'sex'"),
        ({"division": "distribution", "marginals": {"sex": {"F": 1.0}}}, "lack 'M'"),
    ):
        with pytest.raises(ks.PolicyError, match=says):
            id3(table, schema, **options)  # type: ignore[arg-type]
    with pytest.raises(ks.PolicyError, match="'random' is for id3"):
        c45(table, schema, entropy="random")
