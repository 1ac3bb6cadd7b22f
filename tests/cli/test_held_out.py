"""kspan learn says how well people are predicted who were not learned from; report tests a model on others."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.evaluate.held_out import held_out
from kspan.report.foretold import foretold

PEOPLE = ks.datasets.load_adult("train").select("age", "sex", "fnlwgt", "income").head(1200)
POLICY = ks.Policy(public=["age", "sex"], private=["fnlwgt"], target="income", require="k=10")
LEARN = ["learn", "people.csv", "-p", "policy.toml", "-m", "kadet", "-o", "tree.json"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """People whom a tree knows by heart, and others."""
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("people.csv")
    ks.datasets.load_adult("test").select(PEOPLE.columns).write_csv("others.csv")
    POLICY.save("policy.toml")
    return tmp_path


def page() -> dict[str, Any]:
    (chapter,) = json.loads(Path("page.json").read_text("utf-8"))["chapters"]
    return dict(chapter)


def test_a_tree_that_knows_people_by_heart_is_no_better_than_guessing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LEARN, "--report", "page.json"]) == 0
    out, err = capsys.readouterr()
    found = held_out(PEOPLE, POLICY, "kadet")
    assert len(ks.load_tree("tree.json").tree.leaves) > 300
    assert foretold(found, named=True) in out
    assert "no better than always guessing <=50K, which is right for 76.2%." in out
    assert "Beware: it predicts income no better than a guess." in err
    assert page()["costs"][0] == foretold(found, "The tree predicts")
    assert page()["held_out"]["accuracy"] == found.accuracy
    assert "held" not in Path("tree.json").read_text()


@pytest.mark.parametrize("method", ["kadet-c45", "c45", "part", "naive-bayes"])
def test_programs_are_told_of_every_learner_of_labels(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LEARN, "-m", method, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["held_out"] == held_out(PEOPLE, POLICY, method).as_dict()
    assert "held_out_reason" not in said


def test_options_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LEARN, "--min-rows", "100", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["held_out"] == held_out(PEOPLE, POLICY, "kadet", options={"min_rows": 100}).as_dict()


def test_it_can_be_left_out(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*given: Any, **how: Any) -> Any:
        raise AssertionError("it was measured")

    monkeypatch.setattr(import_module("kspan.report.foretold"), "held_out", never)
    assert main([*LEARN, "--no-held-out", "--report", "page.json", "--json"]) == 0
    out, err = capsys.readouterr()
    said = json.loads(out)
    assert (said["held_out"], said["held_out_reason"]) == (None, "it was not asked for")
    assert "Beware" not in err
    assert page()["costs"][0].startswith("How well the tree predicts people it was not learned from is not told here")


def test_why_it_is_not_known_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    PEOPLE.head(10).write_csv("people.csv")
    assert main([*LEARN, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["held_out"] is None
    assert "k=10" in said["held_out_reason"]
    assert main(LEARN) == 0
    assert "How well it predicts people it was not learned from was not measured: " in capsys.readouterr().out


def test_with_a_curve_the_terminal_and_the_page_tell_one_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LEARN, "--report", "page.json", "--curve", "--json"]) == 0
    said, curve = json.loads(capsys.readouterr().out)["held_out"], page()["curve"]
    (chosen,) = (point for point in curve["points"] if point["k"] == 10)
    assert (said["accuracy"], said["guessing"], said["people"]) == (chosen["accuracy"], curve["floor"], curve["tested"])
    assert said["folds"] == 1


def test_what_predicts_no_label_has_no_such_figure(capsys: pytest.CaptureFixture[str]) -> None:
    PEOPLE.select("age").write_csv("ages.csv")
    ks.Policy(public=["age"], require="k=10").save("ages.toml")
    given = ["learn", "ages.csv", "-p", "ages.toml", "-m", "clusters", "-o", "clusters.json"]
    assert main([*given, "--json"]) == 0
    assert "held_out" not in json.loads(capsys.readouterr().out)
    assert main([*given, "--no-held-out"]) == 2
    assert "-m clusters does not take --no-held-out: leave it out" in capsys.readouterr().err


def test_a_page_tells_of_test_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LEARN, "--no-held-out"]) == 0
    report = ["report", "tree.json", "-p", "policy.toml", "--data", "people.csv", "-o", "page.json"]
    assert main(report) == 0
    assert "(kspan report --test FILE)" in page()["costs"][0]
    assert main([*report, "--test", "others.csv"]) == 0
    assert "of 16,281 people in the test table" in page()["costs"][0]
    capsys.readouterr()
    assert main([*report, "--test", "people.csv"]) == 2
    assert "give people whom the model does not know" in capsys.readouterr().err
    assert main(["report", "people.csv", "-p", "policy.toml", "-o", "page.json", "--test", "others.csv"]) == 2
    assert "only a model of kspan that predicts labels or numbers can be tested" in capsys.readouterr().err


@pytest.mark.slow
def test_an_owner_is_told_on_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    policy = ks.Policy(public=["age", "education", "sex"], target="income", require="k=10")
    policy.save("policy.toml")
    people = ks.datasets.load_adult("train").select(*policy.public, "income").head(3000)
    people.write_csv("people.csv")
    given = ["share", "publish", "people.csv", "-p", "policy.toml", "-o", "tree.json", "--min-rows", "20"]
    assert main([*given, "--report", "page.json"]) == 0
    told = held_out(people, policy, "atp", options={"min_rows": 20})
    assert page()["costs"][0] == foretold(told, "The tree predicts")
    assert main(["share", "prune", "tree.json", "--require", "k=20", "-o", "pruned.json", "--report", "page.json"]) == 0
    assert "is not told here" in page()["costs"][0]


# Numbers

WORKERS = ks.datasets.load_adult("train").select("age", "sex", "hours-per-week", "income").head(900)
STRANGERS = ks.datasets.load_adult("test").select(WORKERS.columns).head(900)
HOURS = ks.Policy(public=["age", "sex"], private=["income"], target="hours-per-week", require="k=10")
OF_HOURS = ["learn", "workers.csv", "-p", "hours.toml", "-o", "tree.json"]


@pytest.fixture
def workers() -> None:
    """People whose hours are numbers to predict, and others."""
    WORKERS.write_csv("workers.csv")
    STRANGERS.write_csv("strangers.csv")
    HOURS.save("hours.toml")


@pytest.mark.usefixtures("workers")
def test_numbers_are_told_by_their_errors(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*OF_HOURS, "--report", "page.json"]) == 0
    out, err = capsys.readouterr()
    found = held_out(WORKERS, HOURS)
    assert found.mean_absolute_error is not None
    assert foretold(found) in out
    assert f"with an error of {found.mean_absolute_error:.2f} ± 0." in out
    assert "correctly" not in out
    assert "Beware" not in err
    assert page()["costs"][0] == foretold(found, "The tree predicts")
    assert page()["held_out"]["explained"] == found.explained
    assert main([*OF_HOURS, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["held_out"] == found.as_dict()
    assert "held_out_reason" not in said


@pytest.mark.usefixtures("workers")
def test_numbers_that_nothing_explains_are_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    WORKERS.with_columns(WORKERS["hours-per-week"].sample(900, shuffle=True, seed=1)).write_csv("workers.csv")
    assert main(OF_HOURS) == 0
    out, err = capsys.readouterr()
    assert "Beware: it predicts hours-per-week no better than a guess." in err
    assert "no better than always guessing the mean, which is " in out or "Yet it explains nothing" in out


@pytest.mark.usefixtures("workers")
def test_with_a_curve_of_numbers_terminal_and_page_tell_one_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*OF_HOURS, "--report", "page.json", "--curve", "--json"]) == 0
    said, curve = json.loads(capsys.readouterr().out)["held_out"], page()["curve"]
    (chosen,) = (point for point in curve["points"] if point["k"] == 10)
    for name in ("mean_absolute_error", "explained"):
        assert said[name] == chosen[name] is not None
    assert (said["guessing_error"], said["people"], said["folds"]) == (curve["guessing_error"], curve["tested"], 1)
    assert main([*OF_HOURS, "--report", "page.html", "--curve"]) == 0
    assert f"with an error of {said['mean_absolute_error']:.2f} on average for " in capsys.readouterr().out


@pytest.mark.usefixtures("workers")
def test_its_own_people_are_no_forecast_of_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*OF_HOURS, "--no-held-out"]) == 0
    capsys.readouterr()
    predict = ["predict", "tree.json", "-o", "made.csv"]
    assert main([*predict, "workers.csv"]) == 0
    assert capsys.readouterr().out == (
        "Wrote made.csv: 900 predictions of hours-per-week. It was learned from these people, so how far off it is for "
        "them is no forecast.\n"
    )
    assert main([*predict, "workers.csv", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["learned_from"], said["mean_absolute_error"], said["explained"]) == (True, None, None)
    assert main([*predict, "strangers.csv", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["learned_from"] is False
    off = ks.predict(ks.load_model("tree.json"), STRANGERS)["predicted: hours-per-week"] - STRANGERS["hours-per-week"]
    assert said["mean_absolute_error"] == pytest.approx(off.abs().mean())
    report = ["report", "tree.json", "-p", "hours.toml", "--data", "workers.csv", "-o", "page.json"]
    assert main([*report, "--test", "strangers.csv"]) == 0
    assert f"with an error of {off.abs().mean():.2f} ± 0." in page()["costs"][0]
    assert main([*report, "-m", "grouped"]) == 0
    assert page()["costs"][0] == foretold(held_out(WORKERS, HOURS), "The tree predicts")
    capsys.readouterr()
    assert main(["report", "tree.json", "-o", "page.json", "--test", "workers.csv"]) == 2
    assert "the model was learned from the people of the test table" in capsys.readouterr().err


@pytest.mark.usefixtures("workers")
def test_a_tree_of_several_targets_is_told_by_its_first(capsys: pytest.CaptureFixture[str]) -> None:
    ks.publish_tree(ks.learn(WORKERS, HOURS, also=["income"]), WORKERS, HOURS, "tree.json")
    assert main(["predict", "tree.json", "workers.csv", "-o", "made.csv"]) == 0
    out = capsys.readouterr().out
    assert out.count("It was learned from these people") == 2
    assert main(["predict", "tree.json", "strangers.csv", "-o", "made.csv"]) == 0
    _, hours, income = capsys.readouterr().out.splitlines()
    assert hours.startswith("hours-per-week: For these people it is ")
    assert income.startswith("income: Of these people ")
    report = ["report", "tree.json", "-p", "hours.toml", "--data", "workers.csv", "-o", "page.json"]
    assert main([*report, "--test", "strangers.csv"]) == 0
    assert page()["costs"][0].startswith("The tree predicts hours-per-week with an error of ")
    for more in ([], ["-m", "grouped"], ["-m", "grouped", "--curve"]):
        assert main([*report, *more]) == 0
    assert page()["costs"][0].startswith("The tree predicts hours-per-week with an error of ")
