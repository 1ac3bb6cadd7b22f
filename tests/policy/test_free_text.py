"""Free text is never released silently."""

import json
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.data.free_text import is_free_text

ROWS = 60
NOTES = [f"patient number {at} came in with a cough" for at in range(ROWS)]
PEOPLE = pl.DataFrame(
    {"age": [20 + at % 4 for at in range(ROWS)], "ill": ["yes", "no", "no"] * (ROWS // 3), "notes": NOTES}
)
TOLD = "column 'notes' is free text: nobody has looked at what it says of people"


def policy(role: str, **more: object) -> ks.Policy:
    roles = {"public": ["age"], "private": ["ill"], "identifier": []}
    roles[role].append("notes")
    return ks.Policy.of({**roles, "target": "ill", "require": {"k": 3}, **more})


@pytest.mark.parametrize("role", ["public", "private"])
def test_makers_refuse_it(role: str) -> None:
    for method in ("mondrian", "auto"):
        with pytest.raises(ks.PolicyError, match=r"'notes' is free text.*make it an identifier"):
            ks.anonymize(PEOPLE, policy(role), method)
    for method in ("kadet", "c45", "naive-bayes"):
        with pytest.raises(ks.PolicyError, match="'notes' is free text"):
            ks.learn(PEOPLE, policy(role), method)


def test_the_refusal_quotes_no_cell() -> None:
    with pytest.raises(ks.PolicyError) as refused:
        ks.anonymize(PEOPLE, policy("private"), "mondrian")
    assert "cough" not in str(refused.value)


def test_the_door_refuses_it(tmp_path: Path) -> None:
    released = PEOPLE.with_columns(age=pl.lit("*"))
    with pytest.raises(ks.PolicyError, match="free text"):
        ks.publish_table(released, policy("private"), tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())


def test_as_an_identifier_it_stays_at_home() -> None:
    made = ks.anonymize(PEOPLE, policy("identifier"), "mondrian")
    assert "notes" not in made.table.columns
    assert made.audit.assumptions == ()


@pytest.mark.parametrize("said", [{"domains": {"notes": "categorical"}}, {"hierarchies": {"notes": {"build": "auto"}}}])
def test_whoever_declares_it_may_release_it_and_is_told(said: dict[str, object], tmp_path: Path) -> None:
    made = ks.anonymize(PEOPLE, policy("private", **said), "mondrian")
    assert TOLD in made.audit.assumptions
    assert TOLD in made.manifest()["audit"]["assumptions"]
    made.save(tmp_path / "out.csv")
    assert TOLD in json.loads((tmp_path / "out.csv.release.json").read_text(encoding="utf-8"))["audit"]["assumptions"]


@pytest.mark.parametrize("role", ["public", "private"])
def test_audits_tell_of_it_declared_or_not(role: str) -> None:
    assert TOLD in ks.audit(PEOPLE, policy(role)).assumptions
    assert TOLD in ks.audit(PEOPLE, policy(role, domains={"notes": "categorical"})).assumptions


def test_commands_and_reports_tell_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("people.csv")
    policy("private").save("bare.toml")
    policy("private", domains={"notes": "categorical"}).save("policy.toml")
    assert main(["anonymize", "people.csv", "-p", "bare.toml", "-m", "mondrian", "-o", "out.csv"]) == 2
    assert "free text" in capsys.readouterr().err
    assert not Path("out.csv").exists()
    assert main(["anonymize", "people.csv", "-p", "policy.toml", "-m", "mondrian", "-o", "out.csv"]) == 0
    assert TOLD in capsys.readouterr().out
    assert main(["report", "out.csv", "-p", "policy.toml", "--data", "people.csv", "-o", "report.md"]) == 0
    assert "is free text" in Path("report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "cells",
    [
        NOTES[:9],
        ["never married and lives alone now", "divorced and lives with a child"] * 20,
        [f"code-{at}" for at in range(ROWS)],
        [f"{at} 17 23 42 99" for at in range(ROWS)],
        ["{Adm clerical or sales|Craft and repair work}"] * 30 + ["{Armed forces of any kind|Other service}"] * 30,
        [None] * ROWS,
        list(range(ROWS)),
    ],
)
def test_what_is_no_free_text(cells: list[object]) -> None:
    assert not is_free_text(pl.Series("notes", cells))


def test_gaps_and_other_types_do_not_hide_it() -> None:
    assert is_free_text(pl.Series("notes", [*NOTES, *[None] * 500]))
    assert is_free_text(pl.Series("notes", NOTES, dtype=pl.Categorical))
    assert is_free_text(pl.Series("notes", NOTES, dtype=pl.Enum(NOTES)))
    assert is_free_text(pl.Series("notes", [f"患者{at}咳嗽三天后来到医院就诊然后回家" for at in range(ROWS)]))
    assert is_free_text(pl.Series("notes", [*NOTES, *["went home again after some hours"] * 30]))
