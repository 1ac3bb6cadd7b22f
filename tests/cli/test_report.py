"""kspan report, and --report of other commands, as a person uses them."""

import hashlib
import json
from pathlib import Path

import pytest

import kspan as ks
from kspan.cli.main import main

PUBLIC = ["age", "education", "sex"]
POLICY = 'public = ["age", "education", "sex"]\ntarget = "income"\n[require]\nk = 20\n'
CLUSTERS = 'public = ["age"]\nprivate = ["hours"]\n[require]\nk = 20\n[domains]\nhours = [1, 99]\n'
RULES = 'public = ["a"]\nprivate = ["b", "c"]\n[require]\nk = 3\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    people = ks.datasets.load_adult("train").head(1500)
    people.select(*PUBLIC, "income").write_csv("people.csv")
    people.select("age", hours="hours-per-week").write_csv("points.csv")
    Path("policy.toml").write_text(POLICY)
    Path("clusters.toml").write_text(CLUSTERS)
    Path("baskets.csv").write_text("a,b,c\n" + "1,1,0\n" * 6 + "1,0,1\n" * 5 + "0,1,1\n" * 4)
    Path("rules.toml").write_text(RULES)
    return tmp_path


MADE = {
    "anonymize": ["anonymize", "people.csv", "-p", "policy.toml", "-m", "mondrian", "-o", "made.csv"],
    "learn": ["learn", "people.csv", "-p", "policy.toml", "-o", "made.json"],
    "clusters": ["learn", "points.csv", "-p", "clusters.toml", "-m", "clusters", "--most", "3", "-o", "made.json"],
    "rules": ["learn", "baskets.csv", "-p", "rules.toml", "-m", "rules", "-o", "made.json"],
    "publish": ["share", "publish", "people.csv", "-p", "policy.toml", "-o", "made.json"],
}
KINDS = {"anonymize": "table", "learn": "tree", "clusters": "clusters", "rules": "rules", "publish": "tree"}


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_is_reported(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*MADE[name], "--report", "page.json"]) == 0
    out, err = capsys.readouterr()
    assert "Wrote page.json" in err
    report = json.loads(Path("page.json").read_text("utf-8"))
    (chapter,) = report["chapters"]
    assert (report["holds"], chapter["kind"]) == (True, KINDS[name])
    facts = {line["name"]: line["text"] for line in chapter["facts"]}
    made = Path(MADE[name][MADE[name].index("-o") + 1])
    assert facts["SHA-256"] == hashlib.sha256(made.read_bytes()).hexdigest()
    assert facts["file"] == chapter["title"] == made.name
    assert out


def test_a_released_table_is_reported_by_its_manifest(capsys: pytest.CaptureFixture[str]) -> None:
    main(MADE["anonymize"])
    command = ["report", "made.csv", "-p", "policy.toml", "--data", "people.csv"]
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert "Every person in this release is indistinguishable from at least" in out
    assert "What did it cost?" in out
    assert "predicts income correctly for" in out
    assert "made.csv.report.html" in err
    assert Path("made.csv.report.html").read_text("utf-8").startswith("<!doctype html>")
    assert main([*command, "-o", "page.md", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["output"] == "page.md"
    assert found["chapters"][0]["before"]["risk"]["alone"] > 0
    assert "| people in the crowd | people before | people now | crowds now |" in Path("page.md").read_text("utf-8")


def test_the_curve_marks_the_k_that_was_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*MADE["anonymize"], "--report", "page.json", "--curve"]) == 0
    curve = json.loads(Path("page.json").read_text("utf-8"))["chapters"][0]["curve"]
    assert curve["chosen"] == 20
    assert {2, 5, 10, 20, 50, 100} <= {point["k"] for point in curve["points"]}


def test_a_bad_release_is_reported_and_the_exit_code_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "people.csv", "-p", "policy.toml", "-o", "page.html"]) == 1
    assert "Do not release this" in capsys.readouterr().out
    assert main(["audit", "people.csv", "-p", "policy.toml", "--report", "again.json"]) == 1
    assert not json.loads(Path("again.json").read_text("utf-8"))["holds"]


@pytest.mark.slow
def test_a_model_is_reported_by_its_people_or_by_what_it_publishes(capsys: pytest.CaptureFixture[str]) -> None:
    main(MADE["publish"])
    assert main(["report", "made.json", "-o", "page.html"]) == 0
    assert "every attribute that the tree asks" in capsys.readouterr().out
    people = ["-p", "policy.toml", "--data", "people.csv", "-o", "page.html", "--require", "k=1000"]
    assert main(["report", "made.json", *people]) == 1
    assert "Do not release this" in capsys.readouterr().out
    assert main(["share", "merge", "made.json", "-o", "global.json", "--report", "global.md"]) == 0
    assert "tells no more of anyone" in Path("global.md").read_text("utf-8")
    pruned = ["share", "prune", "made.json", "--require", "k=100", "-o", "pruned.json", "--report", "pruned.html"]
    assert main(pruned) == 0
    assert "k=100" in Path("pruned.html").read_text("utf-8")


REFUSED = {
    "a format that is none": (["report", "people.csv", "-p", "policy.toml", "-o", "page.pdf"], ".html, .md or .json"),
    "a table without policy": (["report", "people.csv"], "--policy"),
    "no such method": (["report", "people.csv", "-p", "policy.toml", "-m", "kaktus"], "did you mean 'kactus'"),
    "a curve without people": (["report", "people.csv", "-p", "policy.toml", "--curve"], "--data"),
    "a curve without a page": ([*MADE["anonymize"], "--curve"], "--report"),
    "a page over the data": (["report", "people.csv", "-p", "policy.toml", "-o", "people.csv"], ".html"),
    "a page over the model": ([*MADE["learn"], "--report", "made.json"], "made.json"),
    "a page about no promise": ([*MADE["learn"], "-m", "c45", "--report", "page.html"], "makes none"),
    "a curve of clusters": ([*MADE["clusters"], "--report", "page.html", "--curve"], "--curve"),
    "no place": (["report", "people.csv", "-p", "policy.toml", "-o", "nowhere/page.html"], "nowhere"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_in_a_sentence(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command, says = REFUSED[name]
    assert main(command) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert len(err.strip().splitlines()) == 1
    assert not list(Path().glob("page*"))
    assert not Path("made.json").exists()
