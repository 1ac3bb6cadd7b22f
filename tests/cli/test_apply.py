"""kspan apply: later rows as the first release shows such people, from any source to any target, or nothing."""

import json
import sqlite3
import stat
from pathlib import Path

import polars as pl
import pytest

from kspan.cli.main import main

PEOPLE = pl.DataFrame({"id": range(12), "town": ["ay", "by", "cy"] * 4, "ill": list("abab") * 3})
LATER = pl.DataFrame({"id": range(20, 27), "town": ["ay"] * 3 + ["by"] * 3 + ["cy"], "ill": list("abababa")})
POLICY = 'identifier = ["id"]\npublic = ["town"]\nprivate = ["ill"]\n[require]\nk = 3\n'
APPLY = ["apply", "recoding.json", "later.parquet", "-o", "night.csv"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("people.csv")
    LATER.write_parquet("later.parquet")
    Path("policy.toml").write_text(POLICY)
    made = ["anonymize", "people.csv", "-p", "policy.toml", "-m", "mondrian", "-o", "released.csv"]
    assert main([*made, "--recoding", "recoding.json"]) == 0
    assert stat.S_IMODE(Path("recoding.json").stat().st_mode) == 0o600
    return tmp_path


def test_it_is_written_with_its_manifest_and_can_be_verified(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main([*APPLY, "--withhold", "--with", "released.csv", "-p", "policy.toml", "--json"]) == 0
    told = capsys.readouterr()
    assert "1 of 7 rows are withheld" in told.err
    assert json.loads(told.out)["rows"] == {"released": 6, "withheld": 1}
    assert pl.read_csv("night.csv")["town"].to_list() == ["ay"] * 3 + ["by"] * 3
    assert main(["verify", "night.csv"]) == 0
    assert main(["audit", "night.csv", "-p", "policy.toml"]) == 0


def test_what_does_not_hold_is_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(APPLY) == 1
    assert "the new rows break k=3 for 1 of 7 people" in capsys.readouterr().err
    assert not list(Path().glob("night*"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([*APPLY, "--with", "night.csv"], "-o night.csv is a file that this very command reads"),
        (["apply", "recoding.json", "later.parquet", "-o", "recoding.json"], "cannot tell the format"),
        (["apply", "policy.toml", "later.parquet", "-o", "night.csv"], "policy.toml is not JSON"),
        (["apply", "released.csv.release.json", "later.parquet", "-o", "night.csv"], "no recoding that kspan wrote"),
        (["apply", "recoding.json", "none.parquet", "-o", "night.csv"], "cannot read none.parquet"),
        (["apply", "recoding.json", "later.parquet"], "--output"),
        ([*APPLY, "-p", "other.toml"], "the policy has changed since the recoding was made, in 'require'"),
        ([*APPLY, "--with", "changed.csv"], "is not the table that"),
    ],
)
def test_what_cannot_be_asked(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.toml").write_text(POLICY.replace("k = 3", "k = 2"))
    Path("changed.csv").write_text(Path("released.csv").read_text().replace("ay", "by"))
    Path("changed.csv.release.json").write_text(Path("released.csv.release.json").read_text())
    assert main(arguments) == 2
    assert says in capsys.readouterr().err
    assert not list(Path().glob("night*"))


def test_from_a_database_to_a_database() -> None:
    with sqlite3.connect("clinic.sqlite") as database:
        database.execute("create table visits (id integer, town text, ill text)")
        database.executemany("insert into visits values (?, ?, ?)", LATER.rows())
    database.close()
    query = ["--sql", "select * from visits where town <> 'cy'"]
    assert main(["apply", "recoding.json", "clinic.sqlite", *query, "-o", "out.sqlite?table=night"]) == 0
    assert main(["verify", "out.sqlite?table=night"]) == 0
    again = ["apply", "recoding.json", "later.parquet", "--withhold", "--with", "out.sqlite?table=night"]
    assert main([*again, "-o", "more.csv"]) == 0
    assert len(json.loads(Path("more.csv.release.json").read_text())["facts"]["applied from"]["judged with"]) == 1
