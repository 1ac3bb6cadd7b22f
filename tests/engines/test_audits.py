"""An audit does not depend on where the table is: the same verdict and the same figures, to the digit."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.engines.duckdb_rows import rows_of_parts, rows_of_table
from kspan.engines.given import lazy_rows
from kspan.engines.scratch import Scratch
from kspan.frames.source import Source
from laws.examples import share_of_examples

MEMORY = 10**9

CELLS: dict[str, list[Any]] = {
    "age": [20, 21, 35, 36, 70, None],
    "weight": [0.0, -0.0, 1.5, float("nan"), 80.25, None],
    "town": ["Ulm", "Bonn", "Ulm ", "*", "{Bonn|Ulm}", "NA", "", None],
    "born": [date(1970, 1, 1), date(1970, 3, 4), date(2001, 2, 3), None],
    "member": [True, False, None],
    "ill": ["flu", "hiv", "none", None],
    "pay": [10, 200, 3000, None],
}
TYPES = {
    "age": pl.Int64, "weight": pl.Float64, "town": pl.String, "born": pl.Date, "member": pl.Boolean, "ill": pl.String,
    "pay": pl.Int32, "people": pl.Int64,
}  # fmt: skip
PUBLIC, PRIVATE = ("age", "weight", "town", "born", "member"), ("ill", "pay")
REQUIREMENTS = ("k=2", "k=3, distinct_l[ill]=2", "k=2, t[ill]=0.3", "k=2, entropy_l[ill]=1.2", "k=2, range[pay]=50")


@st.composite
def tables(draw: st.DrawFn) -> tuple[pl.DataFrame, ks.Policy]:
    """A table with missing values, ties, released cells and perhaps weights, and a policy for it."""
    names = draw(st.lists(st.sampled_from([*PUBLIC, *PRIVATE]), min_size=2, unique=True))
    row = st.fixed_dictionaries({name: st.sampled_from(CELLS[name]) for name in names})
    rows = draw(st.lists(row, min_size=1, max_size=12))
    rows = [one for one in rows for _ in range(draw(st.integers(1, 3)))]
    weight = draw(st.sampled_from([None, None, "people"]))
    if weight is not None:
        rows = [{**one, weight: draw(st.integers(1, 3))} for one in rows]
    frame = pl.DataFrame(rows, schema={name: TYPES[name] for name in (*names, *([weight] if weight else []))})
    public = [name for name in names if name in PUBLIC] or names[:1]
    private = [name for name in names if name not in public]
    fitting = [one for one in REQUIREMENTS if all(f"[{name}]" not in one or name in private for name in PRIVATE)]
    ordered = "town" in public and draw(st.booleans())
    said: dict[str, Any] = {"hierarchies": {"town": {"build": "ordered"}}} if ordered else {}
    policy = ks.Policy(
        public=public,
        private=private,
        weight=weight,
        target=private[0] if private and draw(st.booleans()) else None,
        require=draw(st.sampled_from(fitting)),
        suppressed=draw(st.sampled_from(["value", "anything"])),
        counting=draw(st.sampled_from(["rows", "people"])),
        **said,
    )
    return frame, policy


@contextmanager
def elsewhere(frame: pl.DataFrame, folder: Path) -> Iterator[dict[str, Any]]:
    """The same table in other places, its rows in another order."""
    turned = frame.reverse()
    parts = folder / "parts"
    parts.mkdir(exist_ok=True)
    for old in parts.iterdir():
        old.unlink()
    half = max(turned.height // 2, 1)
    turned[:half].write_parquet(parts / "a.parquet")
    turned[half:].write_parquet(parts / "b.parquet")
    path = folder / "table.duckdb"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as database:
        database.register("given", turned.to_arrow())
        database.execute("create table people as select * from given")
    memory = duckdb.connect()
    memory.register("given", turned.to_arrow())
    table = rows_of_table(Source.of(f"{path}?table=people"), path, MEMORY)
    yield {
        "polars": turned.lazy(),
        "relation": memory.table("given"),
        "parts": rows_of_parts(parts, MEMORY),
        "table": table,
    }
    memory.close()
    table.close()


def facts(*given: Any) -> Any:
    """What an audit says, or why it is refused."""
    try:
        return ks.audit(*given).as_dict()
    except ks.KspanError as error:
        return type(error), str(error)


@share_of_examples(0.4)
@given(made=tables())
def test_audits_do_not_depend_on_the_engine(made: tuple[pl.DataFrame, ks.Policy], tmp_path_factory: Any) -> None:
    frame, policy = made
    expected = facts(frame, policy)
    with elsewhere(frame, tmp_path_factory.getbasetemp()) as others:
        for name, other in others.items():
            assert facts(other, policy) == expected, name


@share_of_examples(0.2)
@given(made=tables(), wide=st.booleans())
def test_nor_do_those_by_the_people_behind_a_table(
    made: tuple[pl.DataFrame, ks.Policy], wide: bool, tmp_path_factory: Any
) -> None:
    people, policy = made
    public = policy.public[0]
    released = people.with_columns(pl.lit("*").alias(public)) if wide else people
    expected = facts(released, people, policy)
    with (
        elsewhere(released, tmp_path_factory.mktemp("released")) as others,
        elsewhere(people, tmp_path_factory.mktemp("people")) as theirs,
    ):
        for name, other in others.items():
            for behind in (people, theirs[name]):
                assert facts(other, behind, policy) == expected, name


def test_rows_are_told_apart_where_they_must_be() -> None:
    people = pl.DataFrame({"who": [1, 1, 2, 3], "sex": ["F", "F", "M", "M"], "ill": ["a", "b", "a", "b"]})
    policy = ks.Policy(public=["sex"], private=["ill"], person="who", require="k=2")
    assert ks.audit(people.lazy(), policy).as_dict() == ks.audit(people, policy).as_dict()
    rows = ks.audit(people.lazy(), replace(policy, person=False, identifier=["who"])).per_row
    assert rows.height == 4


def test_names_that_repeat_are_refused_wherever_they_are() -> None:
    people = pl.DataFrame({"name": ["Ann", "Ann", "Bob", None], "sex": ["F", "F", "M", "M"]})
    policy = ks.Policy(identifier=["name"], public=["sex"], require="k=2")
    with pytest.raises(ks.PolicyError) as expected:
        ks.audit(people, policy)
    with pytest.raises(ks.PolicyError) as found:
        ks.audit(people.lazy(), policy)
    assert str(found.value) == str(expected.value)
    others = people.with_columns(name=pl.Series(["Ann", "Eve", "Bob", None]))
    assert ks.audit(others.lazy(), policy).as_dict() == ks.audit(others, policy).as_dict()
    assert ks.audit(others.lazy(), policy).identifiers == ("name",)


def test_text_is_free_by_rows_and_not_by_kinds() -> None:
    long = [f"somebody came in with a cough number {one}" for one in "abcdefghijkl"]
    policy = ks.Policy(public=["said"], private=["n"], require="k=2")
    for each in (1, 2):
        people = pl.DataFrame({"said": long * each, "n": [1] * 12 * each})
        assert ks.audit(people.lazy(), policy).assumptions == ks.audit(people, policy).assumptions
    assert not any("free text" in one for one in ks.audit(people, policy).assumptions)


def test_headers_are_cleaned() -> None:
    people = pl.DataFrame({" sex ": ["F", "F"], "n": [1, 2]})
    rows = lazy_rows(people.lazy())
    assert rows is not None
    assert rows.names == ["sex", "n"]
    with pytest.raises(ks.DataError, match="appears twice"):
        lazy_rows(pl.LazyFrame({"sex": [1], " sex": [2]}))


def test_more_kinds_than_memory_are_refused(tmp_path: Path) -> None:
    pl.DataFrame({"code": range(400_000), "n": [1] * 400_000}).write_parquet(tmp_path / "a.parquet")
    policy = ks.Policy(public=["code"], private=["n"], require="k=2")
    with pytest.raises(ks.FileError, match=r"memory that duckdb may use is not enough.*\(--memory\)"):
        ks.audit(rows_of_parts(tmp_path, 201 * 10**6), policy)
    rows = replace(rows_of_parts(tmp_path, MEMORY), memory=210 * 10**6)
    with pytest.raises(ks.FileError, match=r"more than \d+,\d+ different rows.*\(--memory\)"):
        ks.audit(rows, policy)


def test_parts_that_differ_are_refused(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"a": ["x"]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(ks.FileError, match="its 2 parts have different columns, or one is damaged"):
        rows_of_parts(tmp_path, MEMORY)
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ks.FileError, match="one is damaged"):
        rows_of_parts(tmp_path, MEMORY)


def test_no_collation_takes_two_for_one(tmp_path: Path) -> None:
    path = tmp_path / "towns.duckdb"
    policy = ks.Policy(public=["town"], private=["n"], require="k=2")
    with duckdb.connect(str(path)) as database:
        database.execute("create table t (town varchar collate nocase, n int)")
        database.execute("insert into t values ('Ulm', 1), ('ULM', 1), ('Bonn', 1), ('bonn', 1)")
        assert not ks.audit(database.table("t"), policy).holds
        database.register("given", pl.DataFrame({"town": ["Ulm", "ULM"], "n": [1, 1]}).to_arrow())
        database.execute("set default_collation = 'nocase'")
        assert ks.audit(database.table("given"), policy).k.people == 1
        names = replace(policy, public=["n"], private=[], identifier=["town"])
        assert ks.audit(database.table("given"), names).identifiers == ("town",)
    expected = ks.audit(f"{path}?table=t", policy)
    rows = rows_of_table(Source.of(f"{path}?table=t"), path, MEMORY)
    assert ks.audit(rows, policy).as_dict() == expected.as_dict()
    assert expected.groups == 4
    rows.close()


def test_other_engines_are_read_into_memory() -> None:
    class Other:
        """A frame of an engine that nobody has looked at."""

    assert lazy_rows(Other()) is None
    assert lazy_rows(pl.DataFrame({"a": [1]})) is None


def test_nothing_stays_where_an_engine_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ended = tmp_path / ".kspan-engine-abc"
    (ended / "spilled").mkdir(parents=True)
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "a.parquet")
    rows = rows_of_parts(tmp_path / "a.parquet", MEMORY)
    assert not ended.exists()
    (folder,) = tmp_path.glob(".kspan-engine-*")
    # It is in use.
    other = Scratch()
    assert folder.exists()
    other.remove()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert rows.kinds(["a"]).rows == 1
    rows.close()
    assert not folder.exists()


MOMENTS = [1_600_000_000_000_000_001, 1_600_000_000_000_000_002] * 2


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        (pa.timestamp("ns"), {"use_deprecated_int96_timestamps": True}),
        (pa.timestamp("ns", "Europe/Berlin"), {}),
        (pa.time64("ns"), {}),
        (pa.list_(pa.int64()), {}),
        (pa.binary(), {}),
    ],
)
def test_what_duckdb_reads_in_another_way_is_read_into_memory(kind: Any, how: Any, tmp_path: Path) -> None:
    cells: list[Any] = [b"a", b"b"] * 2 if kind == pa.binary() else MOMENTS
    if pa.types.is_time(kind):
        cells = [1, 2] * 2
    cells = [[one] for one in cells] if pa.types.is_list(kind) else cells
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pa.table({"at": pa.array(cells, kind), "n": [1] * 4}), path, **how)
    with pytest.raises(ks.FileError, match=r"column 'at' of .* holds .*, which needs all rows in memory: use --engine"):
        rows_of_parts(path, MEMORY)


def test_moments_are_told_apart_by_nanoseconds(tmp_path: Path) -> None:
    path, policy = tmp_path / "a.parquet", ks.Policy(public=["at"], private=["n"], require="k=2")
    cells = [*MOMENTS, 1_600_000_000_000_000_003]
    pyarrow.parquet.write_table(pa.table({"at": pa.array(cells, pa.timestamp("ns")), "n": [1] * 5}), path)
    found = ks.audit(rows_of_parts(path, MEMORY), policy)
    assert found.as_dict() == ks.audit(path, policy).as_dict()
    assert found.k.people == 1


def test_folders_whose_names_are_values_are_read_into_memory(tmp_path: Path) -> None:
    for value in ("1", "1 "):
        (tmp_path / f"a={value}").mkdir()
        pl.DataFrame({"n": [1]}).write_parquet(tmp_path / f"a={value}" / "p.parquet")
    with pytest.raises(ks.FileError, match="has folders whose names are values, which needs all rows in memory"):
        rows_of_parts(tmp_path, MEMORY)


def test_ages_are_computed_of_kinds() -> None:
    born = [date(1970, 1, 1)] * 3 + [date(1980, 5, 5)] * 2
    people = pl.DataFrame({"born": born, "ill": ["a", "b", "a", "a", "b"]})
    ages = {"age": {"born": "born", "on": "2026-01-01"}}
    policy = ks.Policy(identifier=["born"], public=["age"], private=["ill"], ages=ages, require="k=2")
    assert ks.audit(people.lazy(), policy).as_dict() == ks.audit(people, policy).as_dict()


def test_columns_and_files_may_have_any_name(tmp_path: Path) -> None:
    names = ["kspan rows", "kspan people", "count(*)", "a.b", '"q"', "*", "(a)", "times", "c0", " blank "]
    people = pl.DataFrame({name: ["x", "x", "y"] for name in names}).with_columns(
        pl.Series("times", ["m", "n", "m"], dtype=pl.Enum(["n", "m"]))
    )
    public = [name.strip() for name in names[2:]]
    policy = ks.Policy(public=public, private=names[:2], require="k=2")
    (tmp_path / "[x]").mkdir()
    path = tmp_path / "[x]" / "p'*?.parquet"
    people.write_parquet(path)
    people.write_parquet(tmp_path / "[x]" / "p'more.parquet")
    database = duckdb.connect()
    database.register("given", people.to_arrow())
    given = database.table("given")
    # DuckDB hands categories over in an order of its own.
    for one, same in ((people.lazy(), people), (given, given.pl()), (rows_of_parts(path, MEMORY), people)):
        assert ks.audit(one, policy).as_dict() == ks.audit(same, policy).as_dict()


def test_names_are_compared_as_in_memory() -> None:
    for names in (["1", "1.0"], ["a", "a "], ["01", "1e0"], ["", ""], ["?", "?"], ["Ann", "ann"]):
        people = pl.DataFrame({"id": [*names, None, None], "sex": ["F"] * 4})
        policy = ks.Policy(identifier=["id"], public=["sex"], require="k=2", missing=["?"])
        assert facts(people.lazy(), policy) == facts(people, policy)


def test_what_weights_do_wrong_is_said_as_in_memory() -> None:
    policy = ks.Policy(public=["sex"], weight="n", require="k=2")
    for weights in ([2**62] * 3, [1, 0, 2], [1, 2, 3]):
        people = pl.DataFrame({"sex": ["F"] * 3, "n": weights})
        assert facts(people.lazy(), policy) == facts(people, policy)
    empty = pl.DataFrame({"sex": []}, schema={"sex": pl.String})
    policy = ks.Policy(public=["sex"], require="k=2")
    assert facts(empty.lazy(), policy) == facts(empty, policy)


def test_intervals_are_refused() -> None:
    relation = duckdb.connect().sql("select interval 1 day as stay, 1 as n")
    with pytest.raises(ks.DataError, match="column 'stay' holds intervals"):
        ks.audit(relation, ks.Policy(public=["stay"], private=["n"], require="k=2"))
