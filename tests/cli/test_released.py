"""kspan learn and predict on released tables, with the policy, the manifest, or both."""

import json
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main

NAMES = ["age", "workclass", "education", "sex"]
ADULT = ks.datasets.load_adult("train").select(*NAMES, "income").drop_nulls().head(2000)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ADULT.write_csv("people.csv")
    schools = sorted(ADULT["education"].unique())
    rows = [(school, "school" if school[0].isdigit() else "more", "*") for school in schools]
    policy = ks.Policy(public=NAMES, target="income", require="k=25", hierarchies={"education": ks.Hierarchy.of(rows)})
    policy.save("policy.toml")
    ks.anonymize("people.csv", policy, "mondrian", show="hierarchy", secret="0" * 32).save("released.csv")
    ks.Policy(public=NAMES, target="income", require="k=25").save("plain.toml")
    return tmp_path


def learned(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, object]:
    assert main(["learn", *more, "-o", "model.json", "--json"]) == 0
    out: dict[str, object] = json.loads(capsys.readouterr().out)
    return out


@pytest.mark.slow
@pytest.mark.parametrize("method", ["naive-bayes", "logistic"])
def test_learn_and_predict_with_the_manifest_alone(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = learned(capsys, "released.csv", "--target", "income", "-m", method)
    assert said.pop("held_out")
    assert said == {
        "output": "model.json",
        "method": method,
        "labels": ["<=50K", ">50K"],
        "audit": None,
        "table": None,
    }
    for data in ("people.csv", "released.csv"):
        assert main(["predict", "model.json", data, "-o", "labels.csv", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["accuracy"] > 0.7
        assert found["learned_from"] is None
    made = pl.read_csv("labels.csv")
    assert made.columns == ["predicted: income", "probability: <=50K", "probability: >50K"]
    assert made.equals(ks.predict(ks.load_model("model.json"), "released.csv"))


def test_it_says_that_nothing_is_promised(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "people.csv", "-p", "policy.toml", "-m", "naive-bayes", "-o", "model.json"]) == 0
    out, err = capsys.readouterr()
    assert "NaiveBayes(4 attributes, 2 labels, target 'income')" in out
    assert "it makes no promise" in err
    assert main(["audit", "model.json", "-p", "policy.toml", "--data", "people.csv"]) == 0
    out = capsys.readouterr().out
    assert "holds for what it answers" in out
    assert "What its parameters or its probabilities tell is not" in out
    assert main(["audit", "model.json", "-p", "policy.toml"]) == 2
    assert "naive Bayes is judged by the people it was made from" in capsys.readouterr().err


def test_names_come_from_the_policy_or_the_manifest(capsys: pytest.CaptureFixture[str]) -> None:
    manifest = json.loads(Path("released.csv.release.json").read_text())
    names = manifest["names"]["education"]
    shown = set(pl.read_csv("released.csv")["education"])
    assert set(names) == shown & {"school", "more"}
    assert names
    models = {}
    for policy in ("policy.toml", "plain.toml"):
        learned(capsys, "released.csv", "-p", policy, "-m", "naive-bayes")
        document = json.loads(Path("model.json").read_text())
        models[policy] = next(one["values"] for one in document["attributes"] if one["name"] == "education")
    assert set(models["plain.toml"]) <= set(models["policy.toml"])
    assert not set(models["plain.toml"]) & {"school", "more"}
    Path("released.csv.release.json").rename("elsewhere.json")
    learned(capsys, "released.csv", "-p", "plain.toml", "-m", "naive-bayes", "--manifest", "elsewhere.json")
    document = json.loads(Path("model.json").read_text())
    assert models["plain.toml"] == next(one["values"] for one in document["attributes"] if one["name"] == "education")
    learned(capsys, "released.csv", "-p", "plain.toml", "-m", "naive-bayes")
    assert '"school"' in Path("model.json").read_text() or '"more"' in Path("model.json").read_text()


@pytest.mark.slow
def test_trees_learn_with_the_manifest_alone(capsys: pytest.CaptureFixture[str]) -> None:
    said = learned(capsys, "released.csv", "--target", "income", "-m", "id3")
    assert said["audit"] is None
    more = ["-m", "id3", "--entropy", "em", "--division", "random", "--seed", "3"]
    learned(capsys, "released.csv", "--target", "income", *more)
    assert main(["predict", "model.json", "people.csv", "-o", "labels.csv"]) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["people.csv", "-m", "naive-bayes"], "name a policy with -p"),
        (["released.csv", "-m", "naive-bayes"], "name the column with --target"),
        (["released.csv", "-m", "naive-bayes", "--target", "shoe size"], "'shoe size'"),
        (["people.csv", "-p", "policy.toml", "-m", "naive-bayes", "--score", "gini"], "does not take --score"),
        (["people.csv", "-p", "policy.toml", "-m", "logistic", "--alpha", "1"], "does not take --alpha"),
        (["people.csv", "-p", "policy.toml", "-m", "id3", "--C", "1"], "does not take --C"),
        (["people.csv", "-p", "policy.toml", "-m", "id3", "--entropy", "x"], "use equal, em, random, own-value"),
        (
            ["people.csv", "-p", "policy.toml", "-m", "id3", "--division", "distribution"],
            "use fractional, random, frequent",
        ),
        (["people.csv", "-p", "policy.toml", "-m", "naive-bays"], "did you mean 'naive-bayes'"),
        (["people.csv", "-p", "policy.toml", "-m", "naive-bayes", "--likelihood", "x"], "use even, em"),
        (["people.csv", "-p", "policy.toml", "-m", "naive-bayes", "--numbers", "x"], "use gaussian, binned"),
        (["people.csv", "-p", "policy.toml", "-m", "naive-bayes", "--alpha", "0"], "alpha must be"),
        (
            ["people.csv", "-p", "policy.toml", "-m", "logistic", "--numbers", "gaussian"],
            "use scaled, binned, by-label",
        ),
        (["people.csv", "-p", "policy.toml", "-m", "naive-bayes", "--disclose", "label"], "--disclose label is about"),
        (["people.csv", "-p", "policy.toml", "-m", "logistic", "--table", "t.csv"], "--table needs a method"),
        (["people.csv", "-p", "policy.toml", "-m", "logistic", "--range-pattern", "("], "groups low and high"),
        (["people.csv", "-p", "policy.toml", "--manifest", "people.csv"], "people.csv is not JSON"),
        (["people.csv", "-p", "policy.toml", "--manifest", "none.json"], "none.json"),
    ],
)
def test_mistakes_are_told_in_one_sentence(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", *arguments, "-o", "model.json"]) == 2
    err = capsys.readouterr().err
    assert says in " ".join(err.split())
    assert "Traceback" not in err
    assert not Path("model.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        ({"format": "kspan/tree"}, "manifest of a table"),
        ({"claim": []}, "'claim' must be an object"),
        ({"claim": {}}, "'public' must be a list"),
        ({"names": {"education": ["school"]}}, "must be an object"),
        ({"names": {"education": {"school": []}}}, "stand for some value"),
        ({"names": {"education": {"school": ["a", "b"], "more": ["b", "c"]}}}, "overlap"),
    ],
)
def test_a_malformed_manifest_is_refused(
    spoil: dict[str, object], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path("released.csv.release.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **spoil}))
    assert main(["learn", "released.csv", "--target", "income", "-m", "naive-bayes", "-o", "model.json"]) == 2
    assert says in " ".join(capsys.readouterr().err.split())


def test_ranges_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    ages = [f"{age // 10 * 10} to {age // 10 * 10 + 9}" for age in ADULT["age"]]
    ADULT.with_columns(pl.Series("age", ages)).write_csv("own.csv")
    pattern = r"(?P<low>\d+) to (?P<high>\d+)"
    learned(capsys, "own.csv", "-p", "plain.toml", "-m", "naive-bayes", "--range-pattern", pattern)
    by_option = Path("model.json").read_text()
    assert '"means"' in by_option
    Path("own.toml").write_text(Path("plain.toml").read_text() + f"\n[cells]\nrange_pattern = '{pattern}'\n")
    assert ks.Policy.load("own.toml").range_pattern == pattern
    assert ks.Policy.from_toml(ks.Policy.load("own.toml").to_toml()) == ks.Policy.load("own.toml")
    learned(capsys, "own.csv", "-p", "own.toml", "-m", "naive-bayes")
    assert Path("model.json").read_text() == by_option
    assert main(["predict", "model.json", "own.csv", "-o", "out.csv", "--range-pattern", pattern]) == 0
    assert main(["predict", "model.json", "own.csv", "-o", "out.csv"]) == 2
    assert "'age'" in capsys.readouterr().err
    assert main(["predict", "model.json", "own.csv", "-o", "out.csv", "--range-pattern", "x"]) == 2


def test_hierarchies_built_from_the_data_are_not_told() -> None:
    policy = ks.Policy(public=NAMES, target="income", require="k=25", hierarchies={"education": {"build": "auto"}})
    assert ks.anonymize("people.csv", policy, "tds", secret="0" * 32).names == {}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["part", "conjunctive"])
def test_rules_are_learned_written_and_applied(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(age, "u" if age < 40 else "v") for age in range(20, 60)] * 2
    people = pl.DataFrame(rows, schema=["age", "label"], orient="row")
    shown = people.with_columns(age=pl.when(pl.col("age") < 40).then(pl.lit("[20, 39]")).otherwise(pl.lit("40-59")))
    shown.write_csv("shown.csv")
    people.write_csv("raw.csv")
    people.head(79).write_csv("fewer.csv")
    Path("rules.toml").write_text('public = ["age"]\ntarget = "label"\n[require]\nk = 2\n')
    assert main(["learn", "shown.csv", "-p", "rules.toml", "-m", method, "-o", "rules.json"]) == 0
    assert "if age" in capsys.readouterr().out
    assert main(["predict", "rules.json", "raw.csv", "-o", "labels.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["learned_from"] is True
    assert main(["predict", "rules.json", "fewer.csv", "-o", "labels.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1.0
    assert main(["audit", "rules.json", "-p", "rules.toml", "--data", "raw.csv"]) == 0
    assert "k=2 holds: to someone who knows age" in capsys.readouterr().out
