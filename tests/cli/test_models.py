"""kspan learn, predict, and audit of models, as a person uses them."""

import json
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main

POLICY = """
identifier = ["Name"]
public = ["Marital status"]
private = ["Sports car"]
target = "Loan risk"

[require]
k = 3
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ks.datasets.small_mortgage().write_csv("people.csv")
    Path("policy.toml").write_text(POLICY)
    Path("open.toml").write_text(
        POLICY.replace('private = ["Sports car"]\n', "").replace('status"]', 'status", "Sports car"]')
    )
    return tmp_path


LEARN = ["learn", "people.csv", "-p", "policy.toml", "-o", "tree.json"]


def test_what_is_learnt_holds_and_can_be_audited(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(LEARN) == 0
    out = capsys.readouterr().out
    assert out.startswith("Sports car = No: Bad")
    assert "k=3 holds" in out
    assert main(["audit", "tree.json", "-p", "policy.toml", "--data", "people.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["holds"], found["groups"], found["k"]["people"], found["kind"]) == (True, 2, 3, "tree")


def test_the_model_is_the_published_format() -> None:
    main(LEARN)
    document = json.loads(Path("tree.json").read_text())
    assert (document["format"], document["version"]) == ("kspan/tree", 1)
    assert document["claim"]["requirement"] == "k=3"
    assert document["root"]["counts"] == [4, 2]
    assert "Lisa" not in Path("tree.json").read_text()


@pytest.mark.parametrize("method", ["kadet", "id3"])
@pytest.mark.parametrize(
    ("word", "root", "said"),
    [
        ("counts", {"counts": [4, 2]}, "Bad (Bad: 3)"),
        ("hit-miss", {"label": "Bad", "hit": 4, "miss": 2}, "Bad (hit: 3, miss: 0)"),
        ("shares", {"shares": [0.6667, 0.3333]}, "Bad (Bad: 1)"),
        ("label", {"label": "Bad"}, "Bad\n"),
    ],
)
def test_what_is_disclosed(
    word: str, root: dict[str, object], said: str, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*LEARN, "-m", method, "--disclose", word]) == 0
    assert f"Sports car = No: {said}" in capsys.readouterr().out
    document = json.loads(Path("tree.json").read_text())
    assert {key: value for key, value in document["root"].items() if key not in ("attribute", "edges")} == root
    assert document.get("claim", {}).get("disclosure") == (word if method == "kadet" else None)
    assert main(["audit", "tree.json", "-p", "policy.toml", "--data", "people.csv"]) == 0
    assert main(["predict", "tree.json", "people.csv", "-o", "labels.csv"]) == 0
    made = pl.read_csv("labels.csv")
    assert made["predicted: Loan risk"].to_list() == ["Bad", "Good", "Bad", "Bad", "Bad", "Bad"]
    assert ("probability: Good" in made.columns) == (word != "label")


def test_a_tree_without_a_promise_is_judged_by_the_audit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "people.csv", "-p", "open.toml", "-m", "id3", "-o", "tree.json"]) == 0
    assert "no promise" in capsys.readouterr().err
    assert "claim" not in json.loads(Path("tree.json").read_text())
    assert main(["audit", "tree.json", "-p", "open.toml", "--data", "people.csv"]) == 1
    assert "k=3 does not hold: 3 of 6 people are in 2 spans that break it" in capsys.readouterr().out


def test_predictions(capsys: pytest.CaptureFixture[str]) -> None:
    main(LEARN)
    capsys.readouterr()
    assert main(["predict", "tree.json", "people.csv", "-o", "labels.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"output": "labels.csv", "rows": 6, "accuracy": pytest.approx(5 / 6)}
    made = pl.read_csv("labels.csv")
    assert made.columns == ["predicted: Loan risk", "probability: Bad", "probability: Good"]
    assert made["probability: Good"].to_list() == [0.5, 1, 0, 0, 0.5, 0]


def test_numbers_and_missing_values_are_learnt_and_predicted(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(age, sex, "old" if (age or 0) > 40 else "young") for age in (20, 30, 50, 60, None) for sex in "FM"] * 3
    pl.DataFrame(rows, schema=["age", "sex", "kind"], orient="row").write_csv("ages.csv")
    Path("ages.toml").write_text('public = ["age", "sex"]\ntarget = "kind"\n[require]\nk = 6\n')
    assert main(["learn", "ages.csv", "-p", "ages.toml", "-o", "ages.json"]) == 0
    out = capsys.readouterr().out
    assert "age <= 40" in out
    assert "age is missing" in out
    assert json.loads(Path("ages.json").read_text())["attributes"][0]["domain"] is None
    assert main(["predict", "ages.json", "ages.csv", "-o", "labels.parquet"]) == 0
    assert "100.00% of the labels" in capsys.readouterr().out


REFUSED = {
    "audit without people": (["audit", "tree.json", "-p", "policy.toml"], 2, "--data"),
    "roles that do not agree": (["audit", "tree.json", "-p", "open.toml", "--data", "people.csv"], 2, "'Sports car'"),
    "unknown method": ([*LEARN, "-m", "kadett"], 2, "did you mean 'kadet'"),
    "unknown disclosure": ([*LEARN, "--disclose", "hitmiss"], 2, "did you mean 'hit-miss'"),
    "unknown score": ([*LEARN, "--score", "gain"], 2, "'gain'"),
    "a folder that is not there": ([*LEARN[:-1], "there/tree.json"], 2, "there"),
    "no model": (["predict", "policy.toml", "people.csv", "-o", "labels.csv"], 2, "policy.toml"),
    "people without a column": (["predict", "tree.json", "other.csv", "-o", "labels.csv"], 2, "'Sports car'"),
    "diversity of another column": (["learn", "people.csv", "-p", "other.toml", "-o", "tree.json"], 2, "distinct_l"),
    "more than there are": (["learn", "people.csv", "-p", "many.toml", "-o", "new.json"], 2, "k=7"),
    "no target": (["learn", "people.csv", "-p", "aimless.toml", "-o", "new.json"], 2, "target"),
}


@pytest.mark.parametrize(("command", "code", "named"), REFUSED.values(), ids=REFUSED)
def test_refusals(capsys: pytest.CaptureFixture[str], command: list[str], code: int, named: str) -> None:
    assert main(LEARN) == 0
    pl.DataFrame({"Marital status": ["Married"]}).write_csv("other.csv")
    Path("other.toml").write_text(POLICY + '[require."Sports car"]\ndistinct_l = 2\n')
    Path("many.toml").write_text(POLICY.replace("k = 3", "k = 7"))
    Path("aimless.toml").write_text(POLICY.replace('car"]\ntarget = "Loan risk"', 'car", "Loan risk"]'))
    before = sorted(path.name for path in Path().iterdir())
    capsys.readouterr()
    assert main(command) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert named in err
    assert "defect" not in err
    assert sorted(path.name for path in Path().iterdir()) == before


def test_the_door_refuses_what_breaks_its_claim(folder: Path) -> None:
    policy = ks.Policy.load("open.toml")
    people = ks.datasets.small_mortgage()
    tree = ks.learn(people, policy, "id3")
    with pytest.raises(ks.DoesNotHold, match="breaks k=3 for 3 of 6 people"):
        ks.publish_tree(tree, people, policy, folder / "tree.json")
    assert not (folder / "tree.json").exists()


def test_predictions_come_as_the_frame_that_was_given() -> None:
    pandas = pytest.importorskip("pandas")
    people = ks.datasets.small_mortgage()
    tree = ks.learn(people, ks.Policy.load("policy.toml"))
    frame = people.to_pandas().set_index("Name", drop=False)
    made = ks.predict(tree, frame)
    assert isinstance(made, pandas.DataFrame)
    assert made.index.tolist() == people["Name"].to_list()
