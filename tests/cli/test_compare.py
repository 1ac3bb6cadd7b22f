"""kspan compare, as a person uses it."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.evaluate.learners import plain_learners

COLUMNS = ["age", "education", "sex", "income"]
COMPARE = ["compare", "people.csv", "released.csv", "--test", "test.csv", "-p", "policy.toml"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    people = ks.datasets.load_adult("train").select(COLUMNS).head(800)
    policy = ks.Policy(public=COLUMNS[:3], target="income", require="k=10")
    policy.save("policy.toml")
    people.write_csv("people.csv")
    ks.anonymize(people, policy, "mondrian", secret="0" * 32).frame.write_csv("released.csv")
    ks.datasets.load_adult("test").select(COLUMNS).head(400).write_csv("test.csv")
    return tmp_path


def test_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(COMPARE) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("Predicting income of 400 people; always the commonest label of people.csv is right for ")
    words = [line.split() for line in out.splitlines()]
    assert ["learner", "table", "accuracy", "lost", "class", "match", "columns", "rows", "seconds"] in words
    assert [line[:2] for line in words if line[:1] in (["id3"], ["c45"])] == [
        ["id3", "people.csv"],
        ["c45", "people.csv"],
    ]
    assert sum(line[:1] == ["released.csv"] for line in words) == len(plain_learners())


def test_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMPARE, "--learners", "c45, id3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == [
        "target",
        "original",
        "test_rows",
        "baseline",
        "left_out",
        "learned_from",
        "results",
        "chart",
    ]
    assert [(row["release"], row["learner"]) for row in found["results"]] == [
        ("people.csv", "c45"),
        ("released.csv", "c45"),
        ("people.csv", "id3"),
        ("released.csv", "id3"),
    ]
    assert found["results"][0]["class_match"] == 1
    assert found["chart"] is None
    assert found["learned_from"] is False


def test_people_who_were_learned_from_are_no_test(capsys: pytest.CaptureFixture[str]) -> None:
    people = ks.read_table("people.csv").sample(fraction=1, shuffle=True, seed=1)
    people.write_csv("test.csv")
    assert main([*COMPARE, "--learners", "c45", "--chart", "chart.html"]) == 0
    out = capsys.readouterr().out
    assert "The test people are those of the original, so that no figure is a forecast" in out
    assert "800 rows of the original itself: no forecast" in Path("chart.html").read_text("utf-8")
    people.head(799).write_csv("test.csv")
    assert main([*COMPARE, "--learners", "c45"]) == 0
    assert "no figure is a forecast" not in capsys.readouterr().out


def test_a_column_that_the_test_lacks_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    ks.read_table("test.csv").drop("age").write_csv("test.csv")
    assert main([*COMPARE, "--learners", "c45"]) == 0
    assert "Not learned from, since the test table lacks it: age." in capsys.readouterr().out


def test_files_of_one_name_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k10").mkdir()
    Path("released.csv").rename("k10/people.csv")
    assert main(["compare", "people.csv", "k10/people.csv", *COMPARE[3:], "--learners", "id3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["release"] for row in found["results"]] == ["people.csv", str(Path("k10/people.csv"))]


@pytest.mark.slow
def test_a_chart_as_a_page_without_a_network(capsys: pytest.CaptureFixture[str]) -> None:
    Path("released.csv").rename("a<b.csv")
    assert main(["compare", "people.csv", "a<b.csv", *COMPARE[3:], "--chart", "chart.html"]) == 0
    assert capsys.readouterr().out.endswith("Wrote chart.html.\n")
    text = Path("chart.html").read_text(encoding="utf-8")
    for sign in ("<script src", 'src="http', "@import", "<link", "cdn.", "unpkg"):
        assert sign not in text
    assert "vega" in text
    assert "a\\u2039b.csv" in text


def test_a_chart_as_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMPARE, "--learners", "id3", "--chart", "chart.svg"]) == 0
    words = [element.text for element in ElementTree.parse("chart.svg").iter() if element.text]
    assert {"people.csv", "released.csv", "accuracy", "class match", "id3"} <= set(words)
    assert main([*COMPARE, "--learners", "id3", "--chart", "chart.PNG", "--json"]) == 0
    assert Path("chart.PNG").read_bytes().startswith(b"\x89PNG")
    assert json.loads(capsys.readouterr().out.partition("Wrote chart.svg.\n")[2])["chart"] == "chart.PNG"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ([*COMPARE, "--learners", "c54"], "--learners cannot be 'c54' (did you mean 'c45'?): use "),
        ([*COMPARE, "--learners", ","], "--learners names none"),
        ([*COMPARE, "--chart", "chart.pdf"], "cannot tell the format of chart.pdf from its name: end it in .html"),
        ([*COMPARE, "--chart", "nowhere/chart.svg"], "the folder nowhere is not there"),
        (["compare", "people.csv", "people.csv", *COMPARE[3:]], "people.csv is given twice"),
        (["compare", "people.csv", "absent.csv", *COMPARE[3:]], "cannot read absent.csv"),
        (COMPARE[:3] + COMPARE[5:], "Missing option '--test'"),
        (["compare", "people.csv", *COMPARE[3:]], "Missing argument"),
    ],
)
def test_refusals(command: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert not list(Path().glob("chart*"))


def test_a_target_that_the_test_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    ks.read_table("test.csv").drop("income").write_csv("test.csv")
    assert main(COMPARE) == 2
    assert "kspan: test.csv has no column 'income', the target: add it, " in capsys.readouterr().err


def test_a_chart_does_not_take_the_place_of_what_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    Path("released.csv").rename("released.svg")
    before = Path("released.svg").read_bytes()
    assert main(["compare", "people.csv", "released.svg", *COMPARE[3:], "--chart", "released.svg"]) == 2
    assert "name another one" in capsys.readouterr().err
    assert Path("released.svg").read_bytes() == before
