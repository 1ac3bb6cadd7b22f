"""Tables in files of SQLite and DuckDB, and in databases of other drivers."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.errors import DoesNotHold, FileError
from kspan.frames.databases import adbc, sqlite_file
from kspan.frames.databases.stored import holdable
from kspan.frames.source import Source

PEOPLE = pl.DataFrame({"age": [20, 21, 40, 41] * 6, "sex": ["f", "m", None] * 8, "illness": ["flu", "cold"] * 12})
POLICY = ks.Policy(public=["age", "sex"], target="illness", require="k=4")
ENDINGS = ["sqlite", "duckdb"]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    POLICY.save("policy.toml")
    return tmp_path


def filled(ending: str, *tables: str) -> str:
    """A database with some tables of people."""
    path = f"clinic.{ending}"
    for table in tables:
        if ending == "sqlite":
            with closing(sqlite3.connect(path)) as database, database:
                database.execute(f'create table "{table}" (age integer, sex text, illness text)')
                database.executemany(f'insert into "{table}" values (?, ?, ?)', PEOPLE.rows())
        else:
            with duckdb.connect(path) as database:
                database.register("people", PEOPLE.to_arrow())
                database.execute(f'create table "{table}" as select * from people')
    return path


@pytest.mark.parametrize("ending", ENDINGS)
def test_tables_are_found_by_the_first_bytes(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = filled(ending, "visits")
    assert ks.read_table(path).equals(PEOPLE)  # the only table needs no name
    assert ks.read_table(f"{ending}:///{path}?table=visits").equals(PEOPLE)
    assert ks.read_table(f"{ending}:///{Path(path).absolute()}?table=VISITS").equals(PEOPLE)
    Path(path).rename("people.csv")
    assert ks.read_table("people.csv?table=visits").equals(PEOPLE)
    assert ks.read_table("people.csv", sql="select age from visits where age = 20;").height == 6
    Path("people.csv").rename(path)
    filled(ending, "other")
    with pytest.raises(FileError, match="'other', 'visits'"):
        ks.read_table(path)
    with pytest.raises(FileError, match="has no table 'nope': it has 'other', 'visits'"):
        ks.read_table(f"{path}?table=nope")
    for sql in ("select nothing from visits", "delete from visits", "selekt"):
        with pytest.raises(FileError, match="query"):
            ks.read_table(path, sql=sql)
    assert main(["audit", f"{path}?table=visits", "-p", "policy.toml"]) == 1


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_release_is_written_and_sealed(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = filled(ending, "visits")
    for target in (f"{path}?table=released", f"new.{ending}?table=released", f"{path}?table=released"):
        asked = ["anonymize", f"{path}?table=visits", "-p", "policy.toml", "-m", "mondrian", "-o", target]
        assert main(asked) == 0
        assert main(["verify", target]) == 0
        assert main(["audit", target, "-p", "policy.toml"]) == 0
        assert Path(f"{target.partition('?')[0]}.released.owner.json").is_file()
    assert ks.read_table(f"{path}?table=visits").equals(PEOPLE)
    if ending == "sqlite":
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("delete from released where rowid = 1")
    else:
        with duckdb.connect(path) as database:
            database.execute("delete from released where rowid = 0")
    assert main(["verify", f"{path}?table=released"]) == 1
    assert main(["audit", f"{path}?table=released", "-p", "policy.toml"]) == 2
    assert "is not the table that its manifest was written for" in capsys.readouterr().err


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_not_written(ending: str, capsys: pytest.CaptureFixture[str], place: Path) -> None:
    path = filled(ending, "visits")
    release = ks.anonymize(PEOPLE, POLICY, "mondrian")
    spoiled = ks.TableRelease(**{**vars(release), "table": PEOPLE})
    with pytest.raises(DoesNotHold):
        spoiled.save(f"new.{ending}?table=released")
    with pytest.raises(DoesNotHold):
        spoiled.save(f"{path}?table=visits")
    assert ks.read_table(path).equals(PEOPLE)
    assert sorted(one.name for one in place.iterdir()) == [path, "policy.toml"]
    for source, target, said in (
        (f"{path}?table=visits", f"{path}?table=visits", "this very command reads that table"),
        (path, f"{ending}:///{path}?table=visits", "this very command reads that table"),
        (path, f"{ending}:///{path}", "name the table"),
        (path, f"{ending}:///nowhere/x?table=t", "nowhere is not there"),
        (path, "policy.toml?table=t", "cannot tell the format|neither an SQLite nor a DuckDB"),
    ):
        assert main(["anonymize", source, "-p", "policy.toml", "-o", target]) == 2
        assert any(one in capsys.readouterr().err for one in said.split("|")), target


def test_cells_of_sqlite_may_be_of_any_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "BATCH", 2)
    with closing(sqlite3.connect("x.db")) as database, database:
        database.execute("create table t (mixed, number, none, text)")
        database.executemany(
            "insert into t values (?, ?, ?, ?)", [(1, 1, None, "a"), (2, 2.5, None, None), ("x", 3, None, "b")]
        )
        database.execute("create view seen as select number from t")
    frame = ks.read_table("x.db?table=t")
    assert frame["mixed"].to_list() == ["1", "2", "x"]
    assert frame["number"].to_list() == [1.0, 2.5, 3.0]
    assert ks.read_table("x.db?table=seen").width == 1
    with closing(sqlite3.connect("x.db")) as database, database:
        database.execute("insert into t values (x'00', 1, 1, 1)")
    with pytest.raises(FileError, match=r"'mixed'.* holds bytes"):
        ks.read_table("x.db?table=t")


def test_a_locked_file_of_sqlite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "PATIENCE", 0.05)
    path = filled("sqlite", "visits")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin exclusive")
        with pytest.raises(FileError, match="somebody else is writing"):
            ks.read_table(path)
        with pytest.raises(FileError, match="somebody else is writing"):
            ks.anonymize(PEOPLE, POLICY, "mondrian").save(f"{path}?table=released")
    assert ks.read_table(path).equals(PEOPLE)


def test_a_file_of_duckdb_reads_no_other_file() -> None:
    Path("secret.csv").write_text("a\n1\n")
    path = filled("duckdb", "visits")
    with duckdb.connect(path) as database:
        database.execute("create view spy as select * from read_csv('secret.csv')")
    with pytest.raises(FileError, match="cannot read"):
        ks.read_table(f"{path}?table=spy")
    with pytest.raises(FileError, match="not allowed"):
        ks.read_table(path, sql="select * from read_csv('secret.csv')")


@pytest.mark.parametrize("ending", ENDINGS)
def test_cut_files(ending: str) -> None:
    path = Path(filled(ending, "visits"))
    content = path.read_bytes()
    for part in range(1, 10):
        path.write_bytes(content[: len(content) * part // 10])
        with pytest.raises(FileError, match="clinic"):
            ks.read_table(path)


def test_other_drivers_read_their_tables() -> None:
    path = filled("sqlite", "visits")
    source = Source("sqlite3://x?table=visits", None, "visits", "sqlite", f"file:{path}")
    assert adbc.read(source).frame.equals(PEOPLE)
    with pytest.raises(FileError, match=r"no ADBC driver 'oracledb' is installed"):
        ks.read_table("oracledb://scott:tiger@host/x?table=t")
    with pytest.raises(FileError, match="name a table"):
        ks.read_table("oracledb://scott:tiger@host/x")
    with pytest.raises(FileError, match="tables are written to PostgreSQL, SQLite and DuckDB"):
        ks.anonymize(PEOPLE, POLICY, "mondrian").save("oracledb://scott:tiger@host/x?table=t")


def test_text_that_no_database_holds_is_refused_by_its_column() -> None:
    with pytest.raises(ks.KspanError, match="'sex' has a cell with a NUL"):
        holdable(PEOPLE.with_columns(sex=pl.lit("a\0b")))


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    path = filled("duckdb", "visits")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(FileError, match=r"is a DuckDB database: install kspan\[databases\]"):
        ks.read_table(path)
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(FileError, match=r"is a table of PostgreSQL: install kspan\[databases\]"):
        ks.read_table("postgresql:///x?table=t")


def test_json_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    ks.anonymize(PEOPLE, POLICY, "mondrian").save("x.sqlite?table=released")
    assert main(["verify", "x.sqlite?table=released", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["release"], said["same"]) == ("x.sqlite?table=released", True)
