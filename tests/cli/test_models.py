"""kspan learn, predict, and audit of models, as a person uses them."""

import json
import os
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.model.tree.kind import example_of_numbers, example_of_several

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


LEARN = ["learn", "people.csv", "-p", "policy.toml", "-m", "kadet", "-o", "tree.json"]


def test_what_is_learned_holds_and_can_be_audited(capsys: pytest.CaptureFixture[str]) -> None:
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
    said = {"accuracy": None, "guessing": None, "learned_from": True}
    assert json.loads(capsys.readouterr().out) == {"output": "labels.csv", "rows": 6, **said}
    made = pl.read_csv("labels.csv")
    assert made.columns == ["predicted: Loan risk", "probability: Bad", "probability: Good"]
    assert made["probability: Good"].to_list() == [0.5, 1, 0, 0, 0.5, 0]


def test_numbers_and_missing_values_are_learned_and_predicted(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(age, sex, "old" if (age or 0) > 40 else "young") for age in (20, 30, 50, 60, None) for sex in "FM"] * 3
    pl.DataFrame(rows, schema=["age", "sex", "kind"], orient="row").write_csv("ages.csv")
    Path("ages.toml").write_text('public = ["age", "sex"]\ntarget = "kind"\n[require]\nk = 6\n')
    assert main(["learn", "ages.csv", "-p", "ages.toml", "-o", "ages.json"]) == 0
    out = capsys.readouterr().out
    assert "age <= 40" in out
    assert "age is missing" in out
    assert json.loads(Path("ages.json").read_text())["attributes"][0]["domain"] is None
    assert main(["predict", "ages.json", "ages.csv", "-o", "labels.parquet"]) == 0
    assert "no forecast" in capsys.readouterr().out
    ages = pl.read_csv("ages.csv")
    assert pl.read_parquet("labels.parquet")["predicted: kind"].to_list() == ages["kind"].to_list()
    ages.head(29).write_csv("fewer.csv")
    assert main(["predict", "ages.json", "fewer.csv", "-o", "labels.parquet"]) == 0
    assert (
        "Of these people 100.00% are predicted right; always guessing the commonest label would be right for 58.62%."
        in capsys.readouterr().out
    )


def test_every_method_learns_adult(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["age", "workclass", "education", "sex", "hours-per-week"]
    people = ks.datasets.load_adult("train").select(*names, "income").head(3000)
    people.write_csv("adult.csv")
    ks.datasets.load_adult("test").select(*names, "income").head(3000).write_csv("others.csv")
    ks.Policy(public=names, target="income", require="k=20").save("adult.toml")
    leaves = {}
    for method in ("kadet", "kadet-c45", "id3", "c45"):
        assert main(["learn", "adult.csv", "-p", "adult.toml", "-m", method, "-o", "adult.json", "--json"]) == 0
        out, err = capsys.readouterr()
        said = json.loads(out)
        leaves[method] = said["leaves"]
        keeps = method.startswith("kadet")
        assert (said["audit"] is not None, said["table"]) == (keeps, None)
        assert ("it keeps k=20" if keeps else "no promise") in err
        assert main(["predict", "adult.json", "adult.csv", "-o", "labels.csv", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["learned_from"] is True
        assert main(["predict", "adult.json", "others.csv", "-o", "labels.csv", "--json"]) == 0
        of_others = json.loads(capsys.readouterr().out)
        assert of_others["learned_from"] is False
        # Trees that nothing prunes know their own people by heart, and may be worse than a guess about others.
        assert of_others["accuracy"] > of_others["guessing"] or not method.endswith("c45")
        assert said["held_out"]["accuracy"] == pytest.approx(of_others["accuracy"], abs=0.04)
    assert leaves["kadet-c45"] < leaves["kadet"] < leaves["id3"]
    assert leaves["c45"] < leaves["id3"]


def test_one_label_is_a_tree_of_one_leaf(capsys: pytest.CaptureFixture[str]) -> None:
    ks.datasets.small_mortgage().with_columns(pl.lit("Good").alias("Loan risk")).write_csv("people.csv")
    for method in ("kadet", "kadet-c45", "id3", "c45"):
        assert main([*LEARN, "-m", method]) == 0
        assert capsys.readouterr().out.startswith("Good (Good: 6)")


@pytest.mark.parametrize("method", ["kadet", "kadet-c45"])
@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_the_tree_as_a_table(method: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LEARN, "-m", method, "--table", name, "--json"]) == 0
    out, err = capsys.readouterr()
    said = json.loads(out)
    assert err.splitlines()[:2] == ["Wrote tree.json: it keeps k=3.", f"Wrote {name}: it keeps k=3."]
    assert said["table"]["output"] == name
    assert (said["table"]["audit"]["kind"], said["table"]["audit"]["holds"]) == ("table", True)
    policy = ks.Policy.load("policy.toml")
    expected = ks.equivalent_table(ks.load_tree("tree.json").tree, "people.csv", policy)
    assert ks.read_table(name).rows() == expected.rows()
    assert main(["audit", name, "-p", "policy.toml"]) == 0


def test_weights_count_in_the_table_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    people = ks.datasets.small_mortgage().drop("Name")
    people.with_columns(pl.lit(2).alias("weight")).write_csv("people.csv")
    Path("policy.toml").write_text(POLICY.replace('identifier = ["Name"]', 'weight = "weight"').replace("= 3", "= 6"))
    assert main([*LEARN, "--table", "table.csv", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [one["k"]["people"] for one in (said["audit"], said["table"]["audit"])] == [6, 6]
    assert pl.read_csv("table.csv")["weight"].sum() == 12


def test_without_a_value_c45_predicts_by_fractions(capsys: pytest.CaptureFixture[str]) -> None:
    # None is an empty cell.
    outlook = [*["sunny"] * 6, *["rain"] * 3, None]
    play = [*["yes"] * 6, *["no"] * 3, "yes"]
    pl.DataFrame({"outlook": outlook, "play": play}).write_csv("play.csv")
    Path("play.toml").write_text('public = ["outlook"]\ntarget = "play"\n[require]\nk = 2\n')
    assert main(["learn", "play.csv", "-p", "play.toml", "-m", "c45", "-o", "play.json"]) == 0
    capsys.readouterr()
    pl.DataFrame({"outlook": ["sunny", "rain", None, "snow"]}).write_csv("days.csv")
    assert main(["predict", "play.json", "days.csv", "-o", "labels.csv"]) == 0
    made = pl.read_csv("labels.csv")
    # The one without a value was two thirds in the sun and one third in the rain.
    rain = (1 / 3) / (3 + 1 / 3)
    missing = 2 / 3 * 1 + 1 / 3 * rain
    assert made["probability: yes"].to_list() == pytest.approx([1, rain, missing, 0.7], abs=1e-6)
    assert made["predicted: play"].to_list() == ["yes", "no", "yes", "yes"]


SHOWN = """
public = ["Marital status", "Loan risk"]
private = ["Sports car"]
identifier = ["Name"]
target = "Loan risk"

[require]
k = 4
"""
"""The label is public: a span of one bin is safe in a tree, but two people in a table are two people."""

REFUSED = {
    "roles that do not agree": (["audit", "tree.json", "-p", "open.toml", "--data", "people.csv"], 2, "'Sports car'"),
    "unknown method": ([*LEARN, "-m", "kadett"], 2, "did you mean 'kadet'"),
    "unknown disclosure": ([*LEARN, "--disclose", "hitmiss"], 2, "did you mean 'hit-miss'"),
    "a misspelt disclosure": (
        [*LEARN, "--disclose", "cuonts"],
        2,
        "--disclose cannot be 'cuonts' (did you mean 'counts'?)",
    ),
    "C4.5 by its name": ([*LEARN, "-m", "c4.5"], 2, "did you mean 'c45'"),
    "kADET with C4.5 by its name": ([*LEARN, "-m", "kadet-c4.5"], 2, "did you mean 'kadet-c45'"),
    "unknown score": ([*LEARN, "--score", "gain"], 2, "--score cannot be 'gain'"),
    "a score that is a method": ([*LEARN, "--score", "c45"], 2, "--score cannot be 'c45'"),
    "a score for C4.5": ([*LEARN, "-m", "c45", "--score", "gini"], 2, "-m c45 does not take --score: leave it out, or"),
    "pruning without C4.5": (
        [*LEARN, "--confidence-factor", "0.1"],
        2,
        "take --confidence-factor: leave it out, or use",
    ),
    "not pruning without C4.5": (
        [*LEARN, "-m", "id3", "--no-prune"],
        2,
        "take --no-prune: leave it out, or use --score",
    ),
    "raising under a requirement": (
        [*LEARN, "-m", "kadet-c45", "--raising"],
        2,
        "-m kadet-c45 does not take --raising",
    ),
    "not raising under one": ([*LEARN, "-m", "kadet-c45", "--no-raising"], 2, "does not take --no-raising: leave it"),
    "no confidence": (
        [*LEARN, "-m", "c45", "--confidence-factor", "0"],
        2,
        "--confidence-factor must be a number from",
    ),
    "no number": ([*LEARN, "-m", "c45", "--confidence-factor", "nan"], 2, "--confidence-factor must be a number from"),
    "nobody in a branch": ([*LEARN, "--min-rows", "0"], 2, "--min-rows must be a whole number of at least 1"),
    "a folder that is not there": ([*LEARN[:-1], "there/tree.json"], 2, "there"),
    "a folder for a model": ([*LEARN[:-1], "."], 2, "it is a folder"),
    "no name for a model": ([*LEARN[:-1], ""], 2, "it is a folder"),
    "stdout for a model": ([*LEARN[:-1], "-"], 2, "cannot write -"),
    "a very long name": ([*LEARN[:-1], "x" * 300], 2, "file name too long"),
    "a model with the name of a table": ([*LEARN[:-1], "tree.csv"], 2, "end it in .json"),
    "a model in the place of the policy": ([*LEARN[:-1], "policy.toml"], 2, "-o policy.toml is a file that"),
    "predictions in the place of the people": (
        ["predict", "tree.json", "people.csv", "-o", "people.csv"],
        2,
        "-o people.csv is a file that",
    ),
    "risks in the place of the people": (
        ["audit", "people.csv", "-p", "policy.toml", "--people", "./people.csv"],
        2,
        "--people people.csv is a file that",
    ),
    "a table in the place of the people": ([*LEARN, "--table", "people.csv"], 2, "--table people.csv is a file that"),
    "a table of no format": ([*LEARN, "--table", "table.txt"], 2, "table.txt"),
    "a table nowhere": ([*LEARN, "--table", "there/table.csv"], 2, "the folder there is not there"),
    "a table of no promise": ([*LEARN, "-m", "c45", "--table", "table.csv"], 2, "--table needs a method that keeps"),
    "a table that tells more": ([*LEARN, "--disclose", "label", "--table", "table.csv"], 2, "--disclose label holds"),
    "a table that does not hold": (
        ["learn", "people.csv", "-p", "shown.toml", "-o", "new.json", "--table", "table.csv"],
        1,
        "the equivalent table breaks k=4 for 2 of 6 people: it was not written; neither was the tree",
    ),
    "a tree that is too deep": (
        ["learn", "deep.csv", "-p", "deep.toml", "-m", "kadet", "-o", "new.json"],
        2,
        "--min-rows",
    ),
    "no model": (["predict", "policy.toml", "people.csv", "-o", "labels.csv"], 2, "policy.toml"),
    "people without a column": (["predict", "tree.json", "other.csv", "-o", "labels.csv"], 2, "'Sports car'"),
    "more than there are": (["learn", "people.csv", "-p", "many.toml", "-o", "new.json"], 2, "k=7"),
    "no target": (["learn", "people.csv", "-p", "aimless.toml", "-o", "new.json"], 2, "target"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("command", "code", "named"), REFUSED.values(), ids=REFUSED)
def test_refusals(capsys: pytest.CaptureFixture[str], command: list[str], code: int, named: str) -> None:
    assert main(LEARN) == 0
    pl.DataFrame({"Marital status": ["Married"]}).write_csv("other.csv")
    Path("other.toml").write_text(POLICY + '[require."Sports car"]\ndistinct_l = 2\n')
    Path("many.toml").write_text(POLICY.replace("k = 3", "k = 7"))
    Path("shown.toml").write_text(SHOWN)
    pl.DataFrame({"x": range(600), "y": ["a", "b"] * 300}).write_csv("deep.csv")
    Path("deep.toml").write_text('public = ["x"]\ntarget = "y"\n[require]\nk = 1\n')
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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes that have a name")
def test_what_is_no_file_is_not_replaced_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    """A device is the case that matters, but a test must not risk one."""
    os.mkfifo("pipe")
    assert main([*LEARN[:-1], "pipe"]) == 2
    assert "cannot write pipe: it is no file" in capsys.readouterr().err
    assert Path("pipe").is_fifo()


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
    tree = ks.learn(people, ks.Policy.load("policy.toml"), "kadet")
    frame = people.to_pandas().set_index("Name", drop=False)
    made = ks.predict(tree, frame)
    assert isinstance(made, pandas.DataFrame)
    assert made.index.tolist() == people["Name"].to_list()


def test_labels_that_are_spelled_in_another_way_are_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people = pl.DataFrame({"sex": ["F", "M"] * 10, "grade": ["1", "2"] * 10})
    policy = ks.Policy(public=["sex"], target="grade", require="k=1")
    ks.save_model(ks.learn(people, policy, "c45"), tmp_path / "model.json")
    others = people.with_columns(grade=pl.col("grade") + ".0").head(19)
    others.write_csv(tmp_path / "people.csv")
    given = ["predict", str(tmp_path / "model.json"), str(tmp_path / "people.csv"), "-o", str(tmp_path / "out.csv")]
    assert main([*given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1.0


def test_predictions_of_numbers_are_held_against_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    ks.save_model(example_of_numbers(), "numbers.json")
    Path("paid.csv").write_text("sex,income\nF,30\nM,40\nF,\nF,33\n")
    Path("sexes.csv").write_text("sex\nF\nM\n")
    command = ["predict", "numbers.json", "paid.csv", "-o", "made.csv"]
    assert main(command) == 0
    assert pl.read_csv("made.csv")["predicted: income"].to_list() == [31.5, 36.5, 31.5, 31.5]
    assert (
        "For these people it is 2.17 off on average; always guessing their mean would be 3.78 off. It explains 68.2% "
        "of how they differ."
    ) in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], round(told["mean_absolute_error"], 3), round(told["explained"], 3)) == (4, 2.167, 0.682)
    assert (round(told["guessing_error"], 3), told["unit"], told["learned_from"]) == (3.778, None, False)
    assert main(["predict", "numbers.json", "sexes.csv", "-o", "made.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mean_absolute_error"] is None


def test_every_target_of_a_tree_is_held_against_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    ks.save_model(example_of_several(), "both.json")
    Path("both.csv").write_text("sex,income,risk\nF,30,low\nM,40,high\nF,33,low\n")
    command = ["predict", "both.json", "both.csv", "-o", "made.csv"]
    assert main(command) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Wrote made.csv: 3 predictions of income and risk.",
        "income: For these people it is 2.17 off on average; always guessing their mean would be 3.78 off. It explains "
        "68.2% of how they differ.",
        "risk: Of these people 66.67% are predicted right; always guessing the commonest label would be right for "
        "66.67%.",
    ]
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told["targets"]) == ["income", "risk"]
    assert told["mean_absolute_error"] == told["targets"]["income"]["mean_absolute_error"]
    assert told["targets"]["risk"]["accuracy"] == pytest.approx(2 / 3)
    pl.read_csv("both.csv").drop("income").write_csv("both.csv")
    assert main(command) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["Wrote made.csv", "risk"]
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["mean_absolute_error"], list(told["targets"])) == (None, ["risk"])


def test_what_cannot_be_compared_with_predicted_numbers_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    ks.save_model(example_of_numbers(), "numbers.json")
    Path("paid.csv").write_text("sex,income\nF,rich\n")
    assert main(["predict", "numbers.json", "paid.csv", "-o", "never.csv"]) == 2
    assert "'income' does not hold numbers alone" in capsys.readouterr().err
    assert not Path("never.csv").exists()
