"""Which engine reads a table, from the command line: what is said of it, and what is refused."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from kspan.cli.main import main
from kspan.engines import choosing

PEOPLE = pl.DataFrame({"town": ["Ulm"] * 6 + ["Bonn"] * 4, "ill": ["flu", "hiv"] * 5})


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    PEOPLE[:5].write_parquet("parts/a.parquet")
    PEOPLE[5:].write_parquet("parts/b.parquet")
    PEOPLE.write_parquet("people.parquet")
    PEOPLE.write_csv("people.csv")
    with duckdb.connect("people.duckdb") as database:
        database.register("given", PEOPLE.to_arrow())
        database.execute("create table people as select * from given")
    (tmp_path / "p.toml").write_text('public = ["town"]\nprivate = ["ill"]\n[require]\nk = 4\n')
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *asked: str) -> tuple[Any, str]:
    """What an audit says as JSON, or its error."""
    code = main(["audit", *asked, "-p", "p.toml"])
    out, err = capsys.readouterr()
    return (json.loads(out) if out else code), err


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("table", ["parts", "parts/*.parquet", "people.parquet", "people.duckdb?table=people"])
def test_all_engines_say_the_same(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected, quiet = said(capsys, table, "--engine", "memory", "--json")
    assert expected["k"] == {"rows": 4, "people": 4}
    assert "duckdb" not in quiet
    found, told = said(capsys, table, "--engine", "duckdb", "--json")
    assert found == expected
    assert "duckdb counts" in told
    assert said(capsys, table, "--json") == (expected, quiet)


@pytest.mark.usefixtures("place")
def test_auto_takes_what_is_too_large_to_duckdb(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, _ = said(capsys, "parts", "--json")
    monkeypatch.setattr(choosing, "CELL", 10**8)
    found, told = said(capsys, "parts", "--json", "--memory", "1GB")
    assert found == expected
    assert "duckdb counts the rows of parts" in told
    found, told = said(capsys, "people.duckdb?table=people", "--json", "--memory", "1GB")
    assert found == expected
    assert "duckdb counts the rows of people.duckdb" in told
    # What needs rows is read all the same.
    found, told = said(capsys, "parts", "--json", "--memory", "1GB", "--people", "risk.csv")
    assert found == expected
    assert "duckdb" not in told
    assert pl.read_csv("risk.csv").height == 10


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (("parts", "--engine", "spork"), "there is no engine 'spork': use auto, memory, duckdb, postgres"),
        (("parts", "--engine", "duckdb", "--memory", "much"), "'much' is no amount of memory"),
        (("parts", "--engine", "duckdb", "--memory", "100MB"), "100 MB of memory are not enough"),
        (("people.csv", "--engine", "duckdb"), "reads Parquet files and tables of DuckDB, and people.csv is neither"),
        (("absent.parquet", "--engine", "duckdb"), "cannot read absent.parquet: no such file"),
        (("-", "--engine", "duckdb"), "reads Parquet files and tables of DuckDB, and - is neither"),
        (("parts", "--engine", "postgres"), "reads tables of PostgreSQL (postgresql://...), and parts is neither"),
        (("parts", "--engine", "duckdb", "--data", "people.csv"), "--data needs all rows in memory"),
        (("parts", "--engine", "duckdb", "--people", "risk.csv"), "--people needs all rows in memory"),
    ],
)
def test_what_cannot_be_is_refused(asked: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = said(capsys, *asked)
    assert code == 2
    assert why in told


def test_a_file_that_was_changed_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = (place / "people.parquet").read_bytes()
    for digest, fits in (("0" * 64, False), (sha256(content).hexdigest(), True), (None, True)):
        text = json.dumps({"format": "kspan/table", "version": 1, "claim": {}, "sha256": digest})
        (place / "people.parquet.release.json").write_text(text)
        found, told = said(capsys, "people.parquet", "--engine", "duckdb", "--json")
        assert ("is not the table that" in told) != fits
        assert (found == 2) != fits
