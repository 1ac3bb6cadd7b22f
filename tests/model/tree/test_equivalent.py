"""The equivalent table: its groups are the judge's spans, its cells are true, and it is published only if it holds."""

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.tree.reached import spans_of
from kspan.data.cells import Between, OneOf, read_cell
from kspan.data.encode import encode
from kspan.errors import KspanError
from kspan.induce.methods import learn
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from laws import naive_spans
from laws.examples import share_of_examples
from laws.naive_spans import World

ROLES = st.sampled_from(["public", "private"])


def admits(cell: str | None, value: str | float | None) -> bool:
    """Does a released cell admit the value that a person has?"""
    if cell is None or value is None:
        return cell == "*" or cell is value
    match read_cell(cell):
        case OneOf(values):
            return str(value) in values
        case Between(low, high):
            return low <= float(value) <= high
    return cell in ("*", str(value))


def check(tree: Tree, people: pl.DataFrame, policy: ks.Policy) -> None:
    """The laws of an equivalent table."""
    table = ks.equivalent_table(tree, people, policy)
    assert table.columns == [*(item.name for item in tree.attributes), tree.target]
    # What a person shows depends on nobody else, so who is who in the table can be asked one by one.
    each = pl.concat([ks.equivalent_table(tree, person, policy) for person in people.iter_slices(1)])
    assert table.equals(each.sort(each.columns, nulls_last=True))
    for shown, person in zip(each.rows(named=True), people.rows(named=True), strict=True):
        assert all(admits(shown[name], person[name]) for name in shown)
        assert shown[tree.target] == person[tree.target]
    spans = spans_of(tree, encode(people, policy))
    public = [name for name in table.columns if name in policy.public]
    groups: dict[tuple[Any, ...], set[int]] = {}
    for cells, span in zip(each.select(public).rows() or [()] * each.height, spans.span.tolist(), strict=True):
        groups.setdefault(cells, set()).add(span)
    assert sorted(map(sorted, groups.values())) == [[span] for span in range(len(spans.groups))]
    asks = ks.Policy(**{**vars(policy), "require": f"k={spans.groups.sizes.min()}"})
    assert ks.audit(table, asks).k.people == spans.groups.sizes.min()
    assert ks.audit(table, asks).holds
    assert ks.audit(tree, people, asks).holds


def framed(world: World) -> pl.DataFrame:
    kinds = {item.name: pl.Int64 if item.is_measured else pl.String for item in world.tree.attributes}
    return pl.DataFrame(list(world.people), schema={**kinds, "label": pl.String})


def policy_of(world: World) -> ks.Policy:
    roles: dict[str, list[str]] = {"public": [], "private": []}
    for item in world.tree.attributes:
        roles[item.role].append(item.name)
    roles[world.tree.target_role].append("label")
    domains: dict[str, Any] = {
        item.name: list(item.values) if not item.is_measured else [item.low, item.high]
        for item in world.tree.attributes
    }
    return ks.Policy(**roles, target="label", require="k=1", domains=domains)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("contradictions", [False, True])
@share_of_examples(0.4)
@given(data=st.data())
def test_groups_are_spans_in_any_tree(contradictions: bool, data: st.DataObject) -> None:
    world = data.draw(naive_spans.worlds(contradictions))
    check(world.tree, framed(world), policy_of(world))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["kadet", "id3"])
@share_of_examples(0.4)
@given(data=st.data())
def test_groups_are_spans_in_learned_trees(method: str, data: st.DataObject) -> None:
    numbers = st.one_of(st.none(), st.integers(1, 6))
    halves = st.integers(0, 6).map(lambda number: number / 2 + 0.25)
    words = st.one_of(st.none(), st.sampled_from(["x", "y|z", "w"]))
    cells = {"a": words, "b": numbers, "c": halves, "d": words}
    people = data.draw(st.lists(st.fixed_dictionaries({**cells, "label": st.sampled_from("uv")}), min_size=2))
    frame = pl.DataFrame(
        people, schema={"a": pl.String, "b": pl.Int64, "c": pl.Float64, "d": pl.String, "label": pl.String}
    )
    roles: dict[str, list[str]] = {"public": [], "private": []}
    for name in frame.columns:
        roles[data.draw(ROLES)].append(name)
    domains: dict[str, Any] = {"b": [0, 10], "c": [0, 5]} if data.draw(st.booleans()) else {}
    k = data.draw(st.integers(1, frame.height))
    policy = ks.Policy(**roles, target="label", require=f"k={k}", domains=domains)  # type: ignore[arg-type]
    try:
        tree = learn(frame, policy, method)
    except KspanError:
        return
    check(tree, frame, policy)


def test_whoever_is_asked_differently_is_apart() -> None:
    """A private question hides nobody from the public ones below it, on neither side."""
    secret = Attribute("secret", "private", "categorical", ("p", "q"))
    town = Attribute("town", "public", "categorical", ("x", "y"))
    age = Attribute("age", "public", "numeric", low=17, high=90)
    leaf = Node.of_counts((1, 0))
    by_town = Node.of_counts((1, 0), 1, tuple(Edge(Region(frozenset({name})), leaf) for name in "xy"))
    ages = ((None, 37.5), (37.5, None))
    by_age = Node.of_counts((1, 0), 2, tuple(Edge(Region(intervals=(interval,)), leaf) for interval in ages))
    edges = (Edge(Region(frozenset({"p"})), by_town), Edge(Region(frozenset({"q"})), by_age))
    tree = Tree((secret, town, age), "label", "private", ("u", "v"), Node.of_counts((1, 0), 0, edges))
    people = pl.DataFrame(
        [("p", "x", 20, "u"), ("q", "y", 38, "v")], schema=["secret", "town", "age", "label"], orient="row"
    )
    policy = ks.Policy(public=["town", "age"], private=["secret", "label"], target="label", require="k=1")
    assert ks.equivalent_table(tree, people, policy).rows() == [
        ("p", "x", "[17, 37]", "u"),
        ("q", "y", "[38, 90]", "v"),
    ]
    thirds = people.with_columns(age=pl.Series([20.25, 38.0]))
    assert ks.equivalent_table(tree, thirds, policy)["age"].to_list() == ["[17, 37.5]", "[37.5, 90]"]


@pytest.mark.parametrize(
    ("secret", "ways"),
    [
        (Attribute("secret", "private", "categorical", ("p", "q")), [Region(frozenset({name})) for name in "pq"]),
        (
            Attribute("secret", "private", "numeric", low=1, high=9),
            [Region(intervals=((None, 5),)), Region(intervals=((5, None),))],
        ),
    ],
)
def test_nobody_is_asked_what_a_private_answer_rules_out(secret: Attribute, ways: list[Region]) -> None:
    town = Attribute("town", "public", "categorical", ("x", "y"))
    leaf = Node.of_counts((1, 0))
    by_town = Node.of_counts((1, 0), 1, tuple(Edge(Region(frozenset({name})), leaf) for name in "xy"))
    again = Node.of_counts((1, 0), 0, (Edge(ways[0], leaf), Edge(ways[1], by_town)))
    tree = Tree(
        (secret, town),
        "label",
        "private",
        ("u", "v"),
        Node.of_counts((1, 0), 0, (Edge(ways[0], again), Edge(ways[1], leaf))),
    )
    values = ["p", "q"] if not secret.is_measured else [5, 9]
    people = pl.DataFrame({"secret": values, "town": ["x", "y"], "label": ["u", "v"]})
    policy = ks.Policy(public=["town"], private=["secret", "label"], target="label", require="k=2")
    assert ks.equivalent_table(tree, people, policy)["town"].to_list() == ["*", "*"]
    assert ks.audit(tree, people, policy).groups == 1


def test_beyond_the_highest_number_of_a_private_domain_is_nobody() -> None:
    secret = Attribute("secret", "private", "numeric", low=1, high=9)
    town = Attribute("town", "public", "categorical", ("x", "y"))
    leaf = Node.of_counts((1, 0))
    by_town = Node.of_counts((1, 0), 1, tuple(Edge(Region(frozenset({name})), leaf) for name in "xy"))
    edges = (Edge(Region(intervals=((None, 9),)), leaf), Edge(Region(intervals=((9, None),)), by_town))
    tree = Tree((secret, town), "label", "private", ("u", "v"), Node.of_counts((1, 0), 0, edges))
    people = pl.DataFrame({"secret": [1, 9], "town": ["x", "y"], "label": ["u", "v"]})
    policy = ks.Policy(public=["town"], private=["secret", "label"], target="label", require="k=2")
    assert ks.equivalent_table(tree, people, policy).rows() == [("*", "*", "u"), ("*", "*", "v")]
    assert ks.audit(tree, people, policy).groups == 1


def by_number(low: float | None, high: float | None, regions: list[Region], *, missing: bool = False) -> Tree:
    age = Attribute("age", "public", "numeric", low=low, high=high, has_missing=missing)
    edges = tuple(Edge(region, Node.of_counts((1,))) for region in regions)
    return Tree((age,), "label", "private", ("u",), Node.of_counts((1,), 0, edges))


def ages(tree: Tree, numbers: list[float | None]) -> list[str | None]:
    people = pl.DataFrame({"age": numbers, "label": ["u"] * len(numbers)}, strict=False)
    policy = ks.Policy(public=["age"], private=["label"], target="label", require="k=1")
    table = ks.equivalent_table(tree, people, policy)
    cells: list[str | None] = table["age"].to_list()
    return cells


def test_ends_that_nobody_declared_are_not_taken_from_the_people() -> None:
    tree = by_number(None, None, [Region(intervals=((None, 37.5),)), Region(intervals=((37.5, None),))])
    assert ages(tree, [19, 62]) == ["[-1e+300, 37]", "[38, 1e+300]"]


def test_a_missing_number_is_an_empty_cell_only_if_nothing_else_is_admitted() -> None:
    young, old = ((None, 37.5),), ((37.5, None),)
    apart = by_number(17, 90, [Region(intervals=((None, None),)), Region(missing=True)], missing=True)
    assert ages(apart, [20, None]) == ["[17, 90]", None]
    together = by_number(17, 90, [Region(intervals=young, missing=True), Region(intervals=old)], missing=True)
    assert ages(together, [20, None, 60]) == ["*", "*", "[38, 90]"]


def test_several_intervals_show_their_hull_and_one_number_itself() -> None:
    tree = by_number(1, 9, [Region(intervals=((None, 1.5), (4.5, 6.5))), Region(intervals=((1.5, 2.5),)),
                            Region(intervals=((2.5, 4.5), (6.5, None)))])  # fmt: skip
    assert ages(tree, [1, 2, 3]) == ["2", "[1, 6]", "[3, 9]"]


def test_equal_rows_of_weighted_people_are_one() -> None:
    people = ks.datasets.mortgage().with_columns(pl.Series("times", range(1, 13)))
    public = ["Gender", "Married", "Age", "Sports car"]
    policy = ks.Policy(
        identifier=["Name"], person=False, public=public, weight="times", target="Loan risk", require="k=3"
    )
    tree = ks.learn(people, policy, "kadet")
    table = ks.equivalent_table(tree, people, policy)
    assert table.columns == [*public, "Loan risk", "times"]
    assert table.select(table.columns[:-1]).is_unique().all()
    assert table["times"].sum() == people["times"].sum()
    plain = ks.Policy(**{**vars(policy), "weight": None})
    again = people.select(pl.exclude("times").repeat_by("times").explode())
    single = ks.equivalent_table(tree, again, plain)
    assert single.rows() == [row[:-1] for row in table.rows() for _ in range(row[-1])]


def test_pandas_in_pandas_out_without_its_index(tmp_path: Path) -> None:
    people = ks.datasets.mortgage()
    policy = ks.Policy(
        identifier=["Name"], public=["Gender", "Married", "Age", "Sports car"], target="Loan risk", require="k=3"
    )
    tree = ks.learn(people, policy, "kadet")
    named = pd.DataFrame(people.to_dict(as_series=False)).set_index("Name")
    made = ks.equivalent_table(tree, named, policy)
    assert isinstance(made, pd.DataFrame)
    assert made.index.tolist() == list(range(12))
    expected = ks.equivalent_table(tree, people, policy)
    assert made.to_dict("list") == expected.to_dict(as_series=False)
    people.write_csv(tmp_path / "people.csv")
    assert ks.equivalent_table(tree, tmp_path / "people.csv", policy).equals(expected)
    assert ks.equivalent_table(tree, people.to_arrow(), policy).to_pydict() == expected.to_dict(as_series=False)


def test_other_people_are_refused() -> None:
    people = ks.datasets.small_mortgage()
    policy = ks.Policy(
        identifier=["Name"], public=["Marital status"], private=["Sports car"], target="Loan risk", require="k=3"
    )
    tree = ks.learn(people, policy, "kadet")
    widowed = people.with_columns(pl.col("Marital status").replace("Married", "Widowed"))
    with pytest.raises(ks.DataError, match="3 rows have something in 'Marital status' that the tree has no branch"):
        ks.equivalent_table(tree, widowed, policy)
    with pytest.raises(ks.DataError, match="labels in 'Loan risk'"):
        ks.equivalent_table(tree, people.with_columns(pl.lit("Fair").alias("Loan risk")), policy)
    with pytest.raises(ks.DataError, match="lack the column 'Sports car'"):
        ks.equivalent_table(tree, people.drop("Sports car"), policy)
    seen = ks.Policy(identifier=["Name"], public=["Marital status", "Sports car"], target="Loan risk", require="k=3")
    with pytest.raises(ks.PolicyError, match="'Sports car' as private, the policy says public"):
        ks.equivalent_table(tree, people, seen)
    with pytest.raises(ks.DataError, match="beyond the domain of the tree"):
        ages(by_number(17, 90, [Region(intervals=((None, None),))]), [95])


def test_a_span_of_one_bin_tells_nothing_but_counts() -> None:
    """A public target and no private question: safe in the tree at any size, and with `*` in every private cell."""
    town = Attribute("town", "public", "categorical", ("x", "y"))
    secret = Attribute("secret", "private", "categorical", ("p", "q"))
    edges = tuple(Edge(Region(frozenset({name})), Node.of_counts((count, 0))) for name, count in (("x", 1), ("y", 2)))
    tree = Tree((town, secret), "label", "public", ("u", "v"), Node.of_counts((3, 0), 0, edges))
    people = pl.DataFrame({"town": ["x", "y", "y"], "secret": ["p", "p", "q"], "label": ["u", "u", "u"]})
    policy = ks.Policy(public=["town", "label"], private=["secret"], target="label", require="k=2")
    table = ks.equivalent_table(tree, people, policy)
    assert table["secret"].to_list() == ["*"] * 3
    assert ks.audit(tree, people, policy).holds
    assert not ks.audit(table, policy).holds


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "arrow"])
def test_a_table_is_published_only_if_it_holds(tmp_path: Path, suffix: str) -> None:
    public = ["Gender", "Married", "Age", "Sports car"]
    policy = ks.Policy(identifier=["Name"], public=public, target="Loan risk", require="k=3")
    people, path = ks.datasets.mortgage(), tmp_path / f"table.{suffix}"
    table = ks.equivalent_table(ks.learn(people, policy, "kadet"), people, policy)
    with pytest.raises(ks.DoesNotHold, match="breaks k=3 for 12 of 12 people"):
        ks.publish_table(people.drop("Name"), policy, path)
    with pytest.raises(ks.DoesNotHold, match="identifier 'Name'"):
        ks.publish_table(table.with_columns(people["Name"]), policy, path)
    assert list(tmp_path.iterdir()) == []
    found = ks.publish_table(table, policy, path)
    assert (found.holds, found.k.people) == (True, 3)
    assert list(tmp_path.iterdir()) == [path]
    assert ks.read_table(path).equals(table)
