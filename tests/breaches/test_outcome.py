"""One command, one outcome: what fails last leaves nothing of what came before."""

import stat
from pathlib import Path

import polars as pl
import pytest

from kspan.cli.main import main
from kspan.report import page


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    towns = ["]1, 5]", "[5, 9[", "7", "20-29"] * 10
    frame = pl.DataFrame({"town": towns, "age": list(range(20)) * 2, "risk": ["low", "high", "low", "low"] * 10})
    frame.write_csv(tmp_path / "people.csv")
    (tmp_path / "policy.toml").write_text('public = ["town", "age"]\ntarget = "risk"\n[require]\nk = 3\n')
    return tmp_path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"people.csv", "policy.toml"}


COMMANDS = {
    "anonymize": ["-m", "mondrian", "-o", "OUT.arrow", "--explain", "explain.csv"],
    "learn": ["-o", "tree.json", "--table", "table.parquet"],
    "audit": ["--people", "risk.csv"],
}


def command(folder: Path, name: str) -> list[str]:
    return [name, "people.csv", "-p", "policy.toml", *COMMANDS[name], "--report", "page.html"]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_report_that_fails_takes_the_release_with_it(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("KSPAN_DEBUG", raising=False)

    def fails(story: object) -> str:
        raise RuntimeError

    with monkeypatch.context() as spoiled:
        spoiled.setattr(page, "_html", fails)
        assert main(command(folder, name)) == 2
    assert names(folder) == set()
    assert "Wrote" not in capsys.readouterr().err
    assert main(command(folder, name)) in (0, 1)
    assert "page.html" in names(folder)


def test_cells_that_look_like_ranges_do_not_keep_a_report_from_being_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert main(command(folder, "anonymize")) == 0
    assert names(folder) == {"OUT.arrow", "OUT.arrow.release.json", "OUT.arrow.owner.json", "explain.csv", "page.html"}
    text = (folder / "page.html").read_text()
    assert "How well the target is still predicted was not measured" in text


def test_what_is_for_the_owner_only_the_owner_can_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for _ in range(2):
        assert main(command(folder, "anonymize")) == 0
        main(command(folder, "audit"))
        rights = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
        assert {name for name, mode in rights.items() if mode == 0o600} == {
            "OUT.arrow.owner.json",
            "explain.csv",
            "risk.csv",
        }
        for name in ("explain.csv", "risk.csv", "OUT.arrow.owner.json"):
            (folder / name).chmod(0o644)  # and then they are written again


@pytest.mark.slow
def test_long_sets_are_not_taken_for_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    codes = [f"{number:05}" for number in range(5_000)]
    pl.DataFrame({"zip": codes, "d": ["a", "b"] * 2_500}).write_csv("people.csv")
    Path("policy.toml").write_text(
        'public = ["zip"]\nprivate = ["d"]\n[require]\nk = 3000\n[domains]\nzip = "categorical"\n'
    )
    assert main(["anonymize", "people.csv", "-p", "policy.toml", "-m", "one-dim", "-o", "out.csv"]) == 0
    assert main(["audit", "out.csv", "-p", "policy.toml"]) == 0
