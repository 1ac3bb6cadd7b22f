"""New rows are shown as the release shows such people: by value where values have one cell, else by nearest group."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.anonymize.newcomers import shown_by_nearest
from kspan.data.cells import Between, Exact, OneOf, read_cell
from kspan.model.partition import WITHHELD
from kspan.tables.methods import methods
from laws.examples import share_of_examples
from laws.test_anonymize import TOWNS, policy, tables

PUBLIC = ("age", "town", "color")

arrivals = st.lists(
    st.tuples(
        st.none() | st.integers(-3, 12) | st.sampled_from([1.4, 2.5, 6.9]),
        st.none() | st.sampled_from(["ay", "by", "cy", "dy", "elsewhere"]),
        st.none() | st.sampled_from(["red", "blue", "green", "pink"]),
    ),
    min_size=1,
    max_size=6,
)


def rows_of(people: list[tuple[Any, ...]]) -> pl.DataFrame:
    ages, towns, colors = zip(*people, strict=True)
    return pl.DataFrame(
        {
            "age": pl.Series([None if age is None else float(age) for age in ages], dtype=pl.Float64),
            "town": pl.Series(towns, dtype=pl.String),
            "color": pl.Series(colors, dtype=pl.String),
        }
    )


def values(cell: str) -> tuple[str, ...]:
    """The words that a cell admits."""
    if cell in TOWNS.members:
        return tuple(TOWNS.values[member] for member in TOWNS.members[cell])
    match read_cell(cell):
        case OneOf(names):
            return names
        case Exact(name):
            return (name,)
    return ()


def distance(name: str, cell: str | None, value: Any, ages: list[float]) -> float:
    """How far a cell is from a value, by the definition."""
    if cell == "*":
        return 0.0
    if cell is None or value is None:
        return float(cell is not None or value is not None)
    if name != "age":
        return float(value not in values(cell))
    shown = read_cell(cell)
    ends = (shown.low, shown.high) if isinstance(shown, Between) else (
        min(map(float, values(cell))), max(map(float, values(cell)))
    )  # fmt: skip
    return min(max(ends[0] - value, value - ends[1], 0.0) / ((max(ages) - min(ages)) or 1.0), 1.0)


def snapped(value: Any, released: list[float]) -> Any:
    return value if value is None or not released else min(released, key=lambda known: (abs(known - value), known))


def released_ages(release: ks.TableRelease, people: pl.DataFrame) -> list[float]:
    kept = people.filter(pl.Series(release.partition.group != WITHHELD))
    return [float(age) for age in kept["age"].drop_nulls()]


@pytest.mark.slow
@share_of_examples(0.4)
@pytest.mark.parametrize(("method", "options"), [("mondrian", {}), ("mondrian", {"show": "set"}), ("one-dim", {})])
@given(people=tables(), new=arrivals)
def test_the_nearest_group_is_nearest(method: str, options: Any, people: pl.DataFrame, new: Any) -> None:
    release = ks.anonymize(people, policy("k=3"), method, secret="0" * 32, **options)
    shown = shown_by_nearest(rows_of(new), release.recoding, release.source, release.policy)
    groups = release.frame.select(PUBLIC).unique().rows()
    released = released_ages(release, people)
    ages = [float(age) for age in people["age"].drop_nulls()] or [0.0]
    for place, row in enumerate(new):
        taken = tuple(shown[name][place] for name in PUBLIC)
        assert taken in groups
        seen = (snapped(row[0], released), *row[1:])

        def away(cells: tuple[str | None, ...], seen: Any = seen) -> float:
            pairs = zip(PUBLIC, cells, seen, strict=True)
            return sum(distance(name, cell, value, ages) for name, cell, value in pairs)

        assert away(taken) == pytest.approx(min(map(away, groups)), abs=1e-6)


@pytest.mark.slow
@share_of_examples(0.25)
@pytest.mark.parametrize("method", ["tds", "tdr", "incognito", "k-optimize", "datafly"])
@given(people=tables(), new=arrivals)
def test_where_values_have_one_cell_new_rows_get_it(method: str, people: pl.DataFrame, new: Any) -> None:
    try:
        release = ks.anonymize(people, policy("k=3"), method, secret="0" * 32)
    except ks.Unreachable:
        return
    became: dict[tuple[str, Any], set[str | None]] = {}
    for name, value, cell, _ in release.mapping().rows():
        if cell != "(withheld)":
            became.setdefault((name, value), set()).add(cell)
    rows = rows_of(new)
    shown = release.recode(rows)
    for name in PUBLIC:
        for value, cell in zip(rows[name].to_list(), shown[name].to_list(), strict=True):
            known = value if name != "age" else snapped(value, released_ages(release, people))
            text = str(int(known)) if isinstance(known, float) else known
            if (name, text) in became:
                assert {cell} == became[name, text]
            elif cell != "*":
                assert value in values(cell)


@pytest.mark.slow
@share_of_examples(0.25)
@pytest.mark.parametrize("method", methods())
@given(people=tables(), require=st.sampled_from(["k=2", "k=3", "k=2, confidence[label]=0.9"]))
def test_rows_keep_their_number_and_their_other_columns(method: str, people: pl.DataFrame, require: str) -> None:
    try:
        release = ks.anonymize(people, policy(require), method, secret="0" * 32)
    except ks.Unreachable:
        return
    again = release.recode(people)
    assert again.height == people.height
    assert again.columns == [name for name in people.columns if name != "name"]
    assert again["income"].equals(people["income"])
    if (
        method == "mondrian"
    ):  # it withholds nobody, so that every row is in the cells of its own group, or narrower ones
        ages = [float(age) for age in people["age"].drop_nulls()] or [0.0]
        for cells, row in zip(again.select(PUBLIC).rows(), people.select(PUBLIC).rows(), strict=True):
            assert not any(distance(name, *pair, ages) for name, *pair in zip(PUBLIC, cells, row, strict=True))


@pytest.mark.parametrize("blank", [True, False])
def test_kactus_places_new_rows_by_what_a_leaf_admits_and_not_by_the_median_shown(blank: bool) -> None:
    people = pl.DataFrame({"age": [10, 11, 12, 30, 40, 80], "label": ["u"] * 3 + ["v"] * 3})
    rules = ks.Policy(public=["age"], target="label", require="k=3")
    release = ks.anonymize(people, rules, "kactus", secret="0" * 32, show="median", blank=blank)
    assert sorted(release.frame["age"].unique()) == ["11", "40"]
    # 24 is nearer to the median 11, but on the other side of the threshold: nearer to the number 30.
    assert release.recode(pl.DataFrame({"age": [24, 9, 1000, 20]}))["age"].to_list() == ["40", "11", "40", "11"]


def test_a_row_goes_to_the_narrowest_group_that_admits_it() -> None:
    colors, labels = ["red"] * 5 + ["brown"] * 5 + ["blue", "green"] * 2, ["u"] * 5 + ["v"] * 5 + ["w"] * 4
    rules = ks.Policy(public=["color"], target="label", require="k=4")
    people = pl.DataFrame({"color": colors, "label": labels})
    release = ks.anonymize(people, rules, "kactus", transfer="none", blank=True)
    assert sorted(release.frame["color"].unique()) == ["*", "brown", "red"]
    new = pl.DataFrame({"color": ["red", "blue", "pink", None]})
    assert release.recode(new)["color"].to_list() == ["red", "*", "*", "*"]
    filled = ks.anonymize(people, rules, "kactus", transfer="none")
    assert sorted(filled.frame["color"].unique()) == ["brown", "red", "{blue|green}"]
    assert filled.recode(new)["color"].to_list()[:2] == ["red", "{blue|green}"]


def test_a_value_that_nobody_had_finds_its_place_in_the_hierarchy() -> None:
    people = pl.DataFrame({"town": ["ay", "ay", "by", "cy", "cy", "cy"], "label": list("uuuvvv")})
    rules = ks.Policy(public=["town"], target="label", require="k=3", hierarchies={"town": TOWNS})
    release = ks.anonymize(people, rules, "tds", secret="0" * 32)
    assert sorted(release.frame["town"].unique()) == ["north", "south"]
    new = pl.DataFrame({"town": ["dy", "by", "elsewhere", None]})
    assert release.recode(new)["town"].to_list() == ["south", "north", "*", "*"]


def test_numbers_written_as_text_are_numbers() -> None:
    people = pl.DataFrame({"age": ["1", "2", "30", "40"], "label": list("uuvv")})
    release = ks.anonymize(people, ks.Policy(public=["age"], target="label", require="k=2", grid="exact"), "mondrian")
    assert release.recode(pl.DataFrame({"age": ["2.0", "33", "?"]}))["age"].to_list()[:2] == ["[1, 2]", "[30, 40]"]


def test_refusals() -> None:
    people = ks.datasets.mortgage()
    rules = ks.Policy(
        identifier=["Name"], public=["Gender", "Married", "Age", "Sports car"], target="Loan risk", require="k=3"
    )
    release = ks.anonymize(people, rules, "mondrian", secret="0" * 32)
    with pytest.raises(ks.DataError, match="'Married'"):
        release.recode(people.drop("Married"))
    assert isinstance(release.recode(people.to_pandas()), type(people.to_pandas()))
