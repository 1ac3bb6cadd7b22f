"""A table beside its manifest is compared with it wherever it is read."""

import json
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.errors import FileError


@pytest.fixture
def out(tmp_path: Path) -> Path:
    frame = pl.DataFrame({"age": [20, 21, 40, 41] * 5, "illness": ["flu", "cold"] * 10})
    policy = ks.Policy(public=["age"], target="illness", require="k=3")
    policy.save(tmp_path / "policy.toml")
    frame.write_csv(tmp_path / "people.csv")
    place = tmp_path / "out.csv"
    ks.anonymize(frame, policy, "mondrian").save(place)
    return place


def test_a_whole_release(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(out)]) == 0
    assert capsys.readouterr().out.startswith(f"✔ {out} is the table that {out}.release.json was written for")
    assert main(["verify", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["same"], said["requirement"], said["sha256"]) == (True, "k=3", said["manifest"])


@pytest.mark.parametrize("spoiled", ["cut", "longer", "other"])
def test_a_changed_table_is_not_taken_for_the_released_one(
    out: Path, spoiled: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = out.read_text().splitlines(keepends=True)
    changed = {"cut": lines[:-3], "longer": [*lines, lines[-1]], "other": [lines[0], *reversed(lines[1:])]}[spoiled]
    out.write_text("".join(changed))
    folder = out.parent
    assert main(["verify", str(out)]) == 1
    assert "is not the table that" in capsys.readouterr().out
    policy, model = f"{folder}/policy.toml", f"{folder}/model.json"
    for command in (
        ["audit", str(out), "-p", policy],
        ["learn", str(out), "--target", "illness", "-m", "c45", "-o", model],
        ["learn", str(out), "-p", policy, "-m", "c45", "-o", model],
        ["report", str(out), "-p", policy],
        ["compare", f"{folder}/people.csv", str(out), "--test", f"{folder}/people.csv", "-p", policy],
    ):
        assert main(command) == 2
        said = capsys.readouterr().err
        assert "is not the table that out.csv.release.json was written for" in said
    assert not Path(model).exists()
    with pytest.raises(FileError, match=r"is not the table that out\.csv\.release\.json was written for"):
        ks.audit(out, ks.Policy.load(policy))
    Path(f"{out}.release.json").unlink()  # changed on purpose
    assert main(["audit", str(out), "-p", policy]) in (0, 1)


def test_what_cannot_be_compared(out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", f"{tmp_path}/people.csv"]) == 2
    assert "cannot read the manifest" in capsys.readouterr().err
    assert main(["verify", f"{tmp_path}/none.csv"]) == 2
    assert "no such file" in capsys.readouterr().err
    manifest = Path(f"{out}.release.json")
    said = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**said, "sha256": None}))
    assert main(["verify", str(out)]) == 2
    assert "tells no SHA-256" in capsys.readouterr().err
    manifest.write_text(manifest.read_text()[:40])
    assert main(["audit", str(out), "-p", f"{tmp_path}/policy.toml"]) == 2
    assert "is damaged: fetch it again with its table, or take it away" in capsys.readouterr().err


def test_words_of_a_manifest_cannot_move_the_cursor(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = Path(f"{out}.release.json")
    said = json.loads(manifest.read_text())
    said["claim"]["requirement"] = "k=3\n✔ k=1000\x1b[31m"
    manifest.write_text(json.dumps(said))
    assert main(["verify", str(out)]) == 0
    told = capsys.readouterr().out
    assert told.count("\n") == 1
    assert "\x1b" not in told
