"""kspan anonymize and its neighbors with a policy that does not show private numbers as they are."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kspan.cli.main import main

POLICY = """identifier = ["id"]
public = ["age"]

[private]
illness = {}

[private.income]
WAYS

[require]
k = 5

[require.income]
distinct_l = 2
"""
ANONYMIZE = ["anonymize", "people.csv", "-p", "policy.toml", "-o", "out.csv", "-m", "mondrian"]


def said(ways: str, *, people: str = "") -> None:
    Path("policy.toml").write_text(people + POLICY.replace("WAYS", ways))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    people = {
        "id": range(100),
        "age": rng.integers(20, 70, 100),
        "income": rng.integers(12_000, 90_000, 100),
        "illness": rng.choice(["flu", "cold"], 100),
    }
    pl.DataFrame(people).write_csv("people.csv")
    said("round = 1000")
    return tmp_path


def test_numbers_are_rounded_and_it_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(ANONYMIZE) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "income rounded to multiples of 1000" in told
    assert "show another number" in told
    assert "of the standard deviation" in told
    assert (pl.read_csv("out.csv")["income"] % 1000 == 0).all()
    claim = json.loads(Path("out.csv.release.json").read_text())["claim"]
    assert claim["private_numbers"] == {"income": {"words": "rounded to multiples of 1000", "round": 1000}}
    assert main(["audit", "out.csv", "-p", "policy.toml"]) == 0
    assert main(["audit", "out.csv", "-p", "policy.toml", "--data", "people.csv"]) == 0
    assert main(["audit", "out.csv", "-p", "policy.toml", "--data", "people.csv", "--counting", "people"]) == 0


@pytest.mark.parametrize(
    "ways", ['noise = "10%"', "microaggregate = true", 'top = "10%"\nbins = 10000', "bins = [20000, 50000]"]
)
def test_the_owners_file_makes_the_same_bytes_again(ways: str, capsys: pytest.CaptureFixture[str]) -> None:
    said(ways)
    assert main(ANONYMIZE) == 0
    first = Path("out.csv").read_bytes()
    Path("out.csv.owner.json").rename("kept.json")
    assert main([*ANONYMIZE, "--again", "kept.json"]) == 0
    assert Path("out.csv").read_bytes() == first
    assert json.loads(Path("out.csv.owner.json").read_text()) == json.loads(Path("kept.json").read_text())


def test_limits_by_share_are_found_in_the_owners_file_when_people_are_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said('top = "10%"\nround = 1000', people='counting = "people"\n')
    assert main(ANONYMIZE) == 0
    audit = ["audit", "out.csv", "-p", "policy.toml", "--data", "people.csv"]
    assert main(audit) == 0
    assert main(["report", "out.csv", "-p", "policy.toml", "--data", "people.csv", "-o", "page.md"]) == 0
    Path("out.csv.owner.json").unlink()
    assert main(audit) == 2
    assert "depends on everybody in it" in " ".join(capsys.readouterr().err.split())


def test_later_rows_are_shown_alike(capsys: pytest.CaptureFixture[str]) -> None:
    said('top = "10%"\nround = 1000')
    assert main([*ANONYMIZE, "--recoding", "recoding.json"]) == 0
    top = pl.read_csv("out.csv")["income"].max()
    pl.read_csv("people.csv").with_columns(pl.col("income") * 2).write_csv("later.csv")
    assert main(["apply", "recoding.json", "later.csv", "-o", "later_out.csv", "--withhold"]) == 0
    assert pl.read_csv("later_out.csv")["income"].max() == top
    assert "in an earlier table" in " ".join(capsys.readouterr().out.split())


def test_a_report_says_how_numbers_are_shown_and_not_what_it_cost(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ANONYMIZE, "--report", "page.md"]) == 0
    page = Path("page.md").read_text()
    assert "income is not shown as it is: rounded to multiples of 1000." in page
    assert "Private columns are released as they were: illness." in page
    assert "standard deviation" not in page


@pytest.mark.parametrize(
    ("ways", "says"),
    [
        ("rounded = 5", "cannot be shown by 'rounded' (did you mean 'round'?)"),
        ("microaggregate = 500", "100 people have a number in 'income', and 500 are needed"),
    ],
)
def test_what_cannot_be_is_one_sentence(ways: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    said(ways)
    assert main(ANONYMIZE) == 2
    assert says in " ".join(capsys.readouterr().err.split())
    assert not Path("out.csv").exists()
