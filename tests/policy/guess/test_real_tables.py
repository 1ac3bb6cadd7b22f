"""Drafts for real tables: they say what a sensible person says, and can be used as they are."""

import json
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.data.encode import encode
from kspan.policy.draft import draft
from kspan.policy.guess.guess import guesses, likely_target
from policy.guess.real_tables import JOURNEYS, SAID, TARGETS, table, written


def test_there_are_enough_of_them() -> None:
    assert len(SAID) >= 30
    assert len(JOURNEYS) >= 10


@pytest.mark.parametrize("name", SAID)
def test_columns_are_what_a_person_says(name: str) -> None:
    found = guesses(table(name))
    got = {one.column: " ".join(filter(None, (one.role, one.kind, one.key))) for one in found}
    assert {column: got[column] for column in SAID[name]} == SAID[name]
    if name in TARGETS:
        target = likely_target(found)
        assert (target and target.column) == TARGETS[name]


@pytest.mark.parametrize("name", SAID)
def test_the_draft_fits_the_table(name: str) -> None:
    frame = table(name)
    policy = ks.Policy.from_toml(draft(frame, name))
    coded = encode(frame, policy, by_person=True)
    assert set(policy.columns) == set(frame.columns)
    for one in guesses(frame):
        if one.kind == "category" and one.role != "identifier":
            assert not coded[one.column].kind.is_measured, f"{one.column} would be shown as numbers"


@pytest.mark.slow
@pytest.mark.parametrize("name", JOURNEYS)
def test_from_the_draft_to_the_report(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = str(written(name, tmp_path, 150))
    assert main(["init", path, "-o", "policy.toml", "--k", "5"]) == 0
    assert main(["audit", path, "-p", "policy.toml", "--json"]) in (0, 1)
    capsys.readouterr()
    assert main(["anonymize", path, "-p", "policy.toml", "-m", "mondrian", "-o", "out.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["audit"]["holds"]
    assert main(["report", "out.csv", "-p", "policy.toml", "--data", path, "-o", "report.html"]) == 0
    policy = ks.Policy.load("policy.toml")
    shown = pl.read_csv("out.csv", infer_schema=False)
    assert not set(policy.identifier) & set(shown.columns)
    codes = [name for name in policy.public if name in policy.domains]
    assert not any(shown[code].str.contains(r"^\[").any() for code in codes), "codes are no intervals"
    assert "<html" in Path("report.html").read_text(encoding="utf-8")
