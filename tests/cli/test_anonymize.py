"""kspan anonymize as people use it: three files, or one sentence and nothing."""

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.tables.methods import methods, options_of

POLICY = """
identifier = ["Name"]
public = ["Gender", "Married", "Age", "Sports car"]
target = "Loan risk"

[require]
k = 3
"""
ANONYMIZE = ["anonymize", "people.csv", "-p", "policy.toml", "-o", "out.csv"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ks.datasets.mortgage().write_csv("people.csv")
    Path("policy.toml").write_text(POLICY)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", *methods()])
def test_what_is_written_holds(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ANONYMIZE, "-m", method]) == 0
    assert "k=3 holds" in capsys.readouterr().out
    assert main(["audit", "out.csv", "-p", "policy.toml"]) == 0
    assert "Name" not in pl.read_csv("out.csv").columns


def test_the_files_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ANONYMIZE, "-m", "mondrian", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    manifest = json.loads(Path("out.csv.release.json").read_text())
    assert manifest["sha256"] == hashlib.sha256(Path("out.csv").read_bytes()).hexdigest()
    assert manifest["claim"]["requirement"] == "k=3"
    assert manifest["rows"] == {"released": 12}
    assert (told["method"], told["audit"]["holds"]) == ("mondrian", True)
    text = Path("out.csv.release.json").read_text()
    owner = json.loads(Path("out.csv.owner.json").read_text())
    assert len(bytes.fromhex(owner["secret"])) == 16
    assert not any(word in text for word in ("seed", "secret", owner["secret"]))
    assert "Anthony" not in text
    assert owner["source_sha256"] == hashlib.sha256(Path("people.csv").read_bytes()).hexdigest()


def test_the_same_secret_gives_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    main([*ANONYMIZE, "-m", "kactus"])
    first = Path("out.csv").read_bytes()
    Path("out.csv.owner.json").rename("kept.json")
    main([*ANONYMIZE, "-m", "kactus", "--again", "kept.json"])
    assert Path("out.csv").read_bytes() == first
    assert json.loads(Path("out.csv.owner.json").read_text()) == json.loads(Path("kept.json").read_text())


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"format": "kspan/release"}, "is not the file that stays with the owner"),
        ({"format": "kspan/table-owner", "seed": 7}, "keeps no secret"),
        ({"format": "kspan/table-owner", "secret": "7"}, "at least 32 hexadecimal digits"),
        ([], "is not the file that stays with the owner"),
    ],
)
def test_a_table_is_made_again_by_its_owners_file_alone(
    written: Any, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("kept.json").write_text(json.dumps(written))
    assert main([*ANONYMIZE, "-m", "kactus", "--again", "kept.json"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["-m", "kactus", "--no-refine", "--show", "mean"], {"refine": False, "show": "mean"}),
        (["-m", "incognito", "--search", "incognito", "--loss", "levels"], {"search": "incognito", "loss": "levels"}),
        (["-m", "k-optimize", "--most-values", "4", "--seconds", "1"], {"most_values": 4, "seconds": 1.0}),
        (["-m", "mondrian", "--relaxed", "--show", "set"], {"relaxed": True, "show": "set"}),
    ],
    ids=lambda item: " ".join(item) if isinstance(item, list) else "",
)
def test_options_of_methods_are_passed_on(more: list[str], told: dict[str, object]) -> None:
    assert main([*ANONYMIZE, *more]) == 0
    assert json.loads(Path("out.csv.release.json").read_text())["options"] == told


@pytest.mark.parametrize("method", methods())
def test_every_option_can_be_typed(method: str) -> None:
    assert all(option.flags for option in options_of(method).values())


def test_explain_says_what_became_of_values() -> None:
    assert main([*ANONYMIZE, "-m", "datafly", "--explain", "became.csv"]) == 0
    became = pl.read_csv("became.csv")
    assert became.columns == ["attribute", "value", "shown", "rows"]
    assert became.group_by("attribute").agg(pl.col("rows").sum())["rows"].unique().to_list() == [12]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["-m", "mondrain"], "did you mean 'mondrian'"),
        (["-m", "tds", "--relaxed"], "-m tds does not take --relaxed: it has no options"),
        (["-m", "mondrian", "--show", "cake"], "cake"),
        (["-m", "incognito", "--loss", "ncpp"], "ncpp"),
        (["-m", "kactus", "--inducer", "c46"], "c46"),
        (["-m", "kactus", "--transfer", "sometimes"], "sometimes"),
        (["-m", "one-dim", "--merge-siblings"], "does not take --merge-siblings: leave it out, or use --show"),
        (["-m", "mondrian", "--no-refine"], "does not take --no-refine"),
        (["-m", "incognito", "--search", "autos"], "did you mean 'auto'"),
        (["-m", "k-optimize", "--loss", "ncp"], "--loss cannot be 'ncp'"),
        (["-m", "k-optimize", "--most-values", "1"], "--most-values must be a whole number of at least 2"),
        (["--show", "set"], "auto takes no options such as --show"),
        (["-o", "people.csv"], "this very command reads"),
        (["-o", "out.txt"], "out.txt"),
        (["-o", "nowhere/out.csv"], "nowhere"),
        (["-o", "taken.csv"], "taken.csv.owner.json: it is a folder"),
        (["--bogus"], "see kspan anonymize --help"),
    ],
    ids=lambda item: " ".join(item) if isinstance(item, list) else "",
)
def test_what_is_refused_is_refused_in_one_sentence(
    more: list[str], said: str, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    Path("taken.csv.owner.json").mkdir()
    before = sorted(path.name for path in folder.iterdir())
    assert main([*ANONYMIZE, *more]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.strip().splitlines()) == 1
    assert sorted(path.name for path in folder.iterdir()) == before


def test_nothing_is_written_where_a_part_cannot_be() -> None:
    """In Python, where nobody looks before."""
    release = ks.anonymize("people.csv", ks.Policy.load("policy.toml"), "mondrian")
    Path("out.csv.owner.json").mkdir()
    with pytest.raises(ks.FileError, match=r"owner\.json"):
        release.save("out.csv")
    assert not Path("out.csv").exists()
    assert not Path("out.csv.release.json").exists()


def test_it_says_which_files_may_go_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ANONYMIZE, "-m", "mondrian"]) == 0
    assert "out.csv.owner.json, which stays with you" in capsys.readouterr().err


def test_auto_does_without_a_method_that_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    people = ks.datasets.mortgage()
    people.with_columns(pl.col("Loan risk").replace("Good", None)).write_csv("people.csv")  # no tree has such a label
    assert main([*ANONYMIZE, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["facts"]
    assert facts["refused"] == ["kactus"]
    assert set(facts["tried"]) == {"crowd", "tdr", "mondrian", "one-dim"}


def test_what_cannot_be_reached_says_what_can(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    Path("policy.toml").write_text(POLICY.replace("k = 3", "k = 13"))
    assert main([*ANONYMIZE, "-m", "mondrian"]) == 2
    assert "these 12 people reach k=12" in capsys.readouterr().err
    assert not Path("out.csv").exists()


def test_counting_people_is_judged_with_the_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ANONYMIZE, "-m", "kactus", "--counting", "people"]) == 0
    assert json.loads(Path("out.csv.release.json").read_text())["claim"]["counting"] == "people"
    capsys.readouterr()
    judge = ["audit", "out.csv", "-p", "policy.toml", "--counting", "people", "--data", "people.csv"]
    assert main([*judge, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["k"]["people"] >= 3
    assert told["linked"] == {"people": 12, "unmatched": 0}
    assert main(judge) == 0
    assert "12, of whom 0 match no row" in capsys.readouterr().out


def test_overlapping_groups_are_refused_where_people_count(capsys: pytest.CaptureFixture[str]) -> None:
    ages = [1, 2, 3, 4, 5, 6, 7, 8, 9] * 4
    heights = [age * 7 % 10 for age in ages]
    labels = ["u", "v"] * 18
    pl.DataFrame({"age": ages, "height": heights, "label": labels}).write_csv("people.csv")
    Path("policy.toml").write_text('public = ["age", "height"]\ntarget = "label"\n[require]\nk = 5\n')
    assert main([*ANONYMIZE, "-m", "one-dim"]) == 0
    Path("out.csv").unlink()
    assert main([*ANONYMIZE, "-m", "one-dim", "--counting", "people"]) == 2
    assert "the groups of one-dim overlap" in capsys.readouterr().err
    assert not Path("out.csv").exists()
    assert main([*ANONYMIZE, "--counting", "people"]) == 0  # auto goes on with others
    assert json.loads(Path("out.csv.owner.json").read_text())["facts"]["refused"] == ["one-dim"]
    assert main([*ANONYMIZE, "-m", "kactus", "--counting", "peoples"]) == 2
    assert "peoples" in capsys.readouterr().err


def test_another_text_than_a_star(capsys: pytest.CaptureFixture[str]) -> None:
    audit = ["audit", "out.csv", "-p", "policy.toml", "--json"]
    found = []
    for text in ("*", "(hidden)"):
        assert main([*ANONYMIZE, "-m", "datafly", "--suppressed", text]) == 0
        capsys.readouterr()
        assert main([*audit, "--suppressed", text]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]
    assert found[0]["suppressed"]["cells"] > 0
    assert "(hidden)" in Path("out.csv").read_text()
    assert json.loads(Path("out.csv.release.json").read_text())["claim"]["suppressed"] == "(hidden)"
    assert main([*ANONYMIZE, "--suppressed", "12"]) == 2
    assert "read as a number" in capsys.readouterr().err
