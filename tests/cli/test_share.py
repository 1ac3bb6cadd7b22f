"""kspan share, as owners and a miner use it."""

import json
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main

POLICY = """
target = "income"
public = ["age", "education", "sex"]
private = ["income"]

[require]
k = 25

[domains]
age = [17, 90]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    people = ks.datasets.load_adult("train").select("age", "education", "sex", "income")
    people[:1500].write_csv("north.csv")
    people[1500:3000].write_csv("south.csv")
    people[3000:4000].write_csv("test.csv")
    Path("policy.toml").write_text(POLICY)
    return tmp_path


@pytest.fixture
def trees(folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    (folder / "trees").mkdir()
    for name in ("north", "south"):
        assert main(["share", "publish", f"{name}.csv", "-p", "policy.toml", "-o", f"trees/{name}.json"]) == 0
    capsys.readouterr()
    return folder / "trees"


def test_an_owner_publishes_a_tree_and_nothing_else(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = set(folder.iterdir())
    assert main(["share", "publish", "north.csv", "-p", "policy.toml", "-o", "tree.json", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["audit"]["holds"]
    assert told["audit"]["k"]["people"] >= 25
    assert set(folder.iterdir()) - before == {folder / "tree.json"}
    assert main(["audit", "tree.json"]) == 0
    assert "k=25 holds by the published counts" in capsys.readouterr().out
    assert main(["audit", "tree.json", "-p", "policy.toml", "--data", "north.csv"]) == 0


def test_what_cannot_be_kept_is_not_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("strict.toml").write_text(POLICY.replace("k = 25", "k = 1400"))
    assert main(["share", "publish", "north.csv", "-p", "strict.toml", "-o", "tree.json"]) == 2
    assert "the best that leaves two paths is k=" in capsys.readouterr().err
    assert not Path("tree.json").exists()


@pytest.mark.slow
def test_a_miner_makes_pseudo_data_and_is_warned(trees: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["share", "pseudo", "trees", "-o", "pseudo.parquet"]) == 0
    shown = capsys.readouterr()
    assert "3,000 pseudo people with 4 columns" in shown.out
    assert "not itself anonymized" in shown.err
    assert pl.read_parquet("pseudo.parquet").columns == ["age", "education", "sex", "income"]
    assert main(["share", "pseudo", "trees/north.json", "-o", "few.csv", "--rows", "7", "-m", "basegen"]) == 0
    assert pl.read_csv("few.csv").height == 7


@pytest.mark.slow
@pytest.mark.parametrize("method", ["c45", "id3", "part", "naive-bayes", "conjunctive", "logistic", "bagging"])
def test_a_miner_makes_one_model_of_all(method: str, trees: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = ["share", "merge", "trees/north.json", "trees/south.json", "-o", "global.json", "-m", method]
    assert main([*said, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == method
    assert main(["predict", "global.json", "test.csv", "-o", "predicted.csv", "--json"]) == 0
    right = json.loads(capsys.readouterr().out)["accuracy"]
    assert right > 0.7


def test_the_same_seed_makes_the_same_model(trees: Path) -> None:
    for name in ("one.json", "two.json"):
        assert main(["share", "merge", "trees", "-o", name, "--seed", "3"]) == 0
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()


def test_pseudo_data_needs_no_policy_to_be_learned_from(trees: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["share", "pseudo", "trees", "-o", "pseudo.parquet"])
    assert main(["learn", "pseudo.parquet", "--target", "income", "-m", "part", "-o", "rules.json"]) == 0
    assert main(["learn", "pseudo.parquet", "--target", "incme", "-m", "part", "-o", "rules.json"]) == 2
    assert "'incme'" in capsys.readouterr().err
    assert main(["learn", "pseudo.parquet", "--target", "income", "-o", "tree.json"]) == 2
    assert "-p" in capsys.readouterr().err


def test_a_tree_learned_elsewhere_is_pruned(capsys: pytest.CaptureFixture[str]) -> None:
    main(["learn", "north.csv", "-p", "policy.toml", "-m", "c45", "-o", "raw.json"])
    assert main(["audit", "raw.json", "--require", "k=25"]) == 1
    capsys.readouterr()
    assert main(["share", "prune", "raw.json", "--require", "k=25", "-o", "pruned.json"]) == 0
    assert "k=25 holds by the published counts" in capsys.readouterr().out
    assert main(["share", "prune", "raw.json", "-p", "policy.toml", "--data", "north.csv", "-o", "exact.json"]) == 0
    assert "k=25 holds: to someone who knows age, education and sex" in capsys.readouterr().out


def test_alone_it_shows_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["share"]) == 0
    assert "publish" in capsys.readouterr().out


REFUSED = {
    "a table's name": (["publish", "north.csv", "-p", "policy.toml", "-o", "t.csv"], "end it in .json"),
    "over the data": (["publish", "north.csv", "-p", "policy.toml", "-o", "north.csv"], "end it in .json"),
    "over the policy": (["publish", "north.csv", "-p", "policy.toml", "-o", "policy.toml"], "name another one"),
    "an unknown method": (["publish", "north.csv", "-p", "policy.toml", "-o", "t.json", "-m", "apt"], "'atp'"),
    "an option of c45": (
        ["publish", "north.csv", "-p", "policy.toml", "-o", "t.json", "-m", "ldm", "--no-prune"],
        "no option 'prune'",
    ),
    "an unknown disclosure": (
        ["publish", "north.csv", "-p", "policy.toml", "-o", "t.json", "--disclose", "all"],
        "--disclose cannot be 'all'",
    ),
    "no requirement": (["prune", "trees/north.json", "-o", "t.json"], "--require"),
    "data without policy": (["prune", "trees/north.json", "-o", "t.json", "--data", "north.csv"], "-p"),
    "no such tree": (["pseudo", "gone.json", "-o", "p.csv"], "gone.json"),
    "a tree twice": (["pseudo", "trees/north.json", "trees", "-o", "p.csv"], "twice"),
    "a table for a tree": (["pseudo", "north.csv", "-o", "p.csv"], "north.csv"),
    "over a tree": (["merge", "trees/north.json", "-o", "trees/north.json"], "name another one"),
    "a private learner": (["merge", "trees", "-o", "g.json", "-m", "kadet"], "-m cannot be 'kadet'"),
    "rows for a vote": (["merge", "trees", "-o", "g.json", "-m", "bagging", "--rows", "5"], "leave out rows"),
    "numbers by chance": (["pseudo", "trees", "-o", "p.csv", "--numbers", "unform"], "did you mean 'uniform'"),
    "no rows": (["pseudo", "trees", "-o", "p.csv", "--rows", "0"], "--rows"),
    "an empty folder": (["merge", "empty", "-o", "g.json"], "no .json file"),
    "an unknown place": (["merge", "nowhere://x.json", "-o", "g.json"], "nowhere"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("command", "named"), REFUSED.values(), ids=REFUSED)
def test_what_makes_no_sense_is_one_sentence(
    command: list[str], named: str, trees: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty").mkdir()
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    assert main(["share", *command]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert named in shown.err
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before
