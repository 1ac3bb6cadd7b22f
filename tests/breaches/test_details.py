"""What a refusal says quotes no cell; the cells themselves are its details, for the owner."""

import stat
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main


def test_values_that_a_hierarchy_lacks_are_details() -> None:
    people = pl.DataFrame({"job": ["nurse", "spy", "assassin"], "p": ["a", "b", "c"]})
    jobs = ks.Hierarchy.of([("nurse", "health"), ("doctor", "health")])
    with pytest.raises(ks.KspanError) as refused:
        ks.audit(people, ks.Policy(public=["job"], private=["p"], hierarchies={"job": jobs}, require="k=1"))
    assert sorted(refused.value.details) == ["assassin", "spy"]
    assert "'job'" in str(refused.value)
    assert "2 values" in str(refused.value)
    assert not any(value in str(refused.value) for value in refused.value.details)
    assert ks.KspanError("no").details == ()


def test_the_command_line_writes_them_to_a_file_of_the_owner_only_if_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"town": ["Ulm", "SECRETVILLE"], "note": ["a", "b"]}).write_csv("people.csv")
    Path("towns.csv").write_text("Ulm;*\n")
    Path("policy.toml").write_text(
        'public = ["town"]\nprivate = ["note"]\n[require]\nk = 1\n[hierarchies]\ntown = "towns.csv"\n'
    )
    said = ["audit", "people.csv", "-p", "policy.toml"]
    assert main(said) == 2
    told = capsys.readouterr().err
    assert "SECRET" not in told
    assert "does not cover 1 value (beginning with 'S')" in told
    assert "kspan --details FILE" in told
    assert main(["--details", "details.txt", *said]) == 2
    assert "SECRET" not in (told := capsys.readouterr().err)
    assert "details.txt lists them" in told
    assert Path("details.txt").read_text() == "SECRETVILLE\n"
    assert stat.S_IMODE(Path("details.txt").stat().st_mode) == 0o600
