"""kspan audit of models: without their people, and several of them together."""

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
DATA = ["-p", "policy.toml", "--data", "people.csv"]
Said = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people = ks.datasets.small_mortgage()
    people.write_csv("people.csv")
    Path("policy.toml").write_text(POLICY)
    Path("open.toml").write_text(
        POLICY.replace('private = ["Sports car"]\n', "").replace('status"]', 'status", "Sports car"]')
    )
    policy = ks.Policy.load("policy.toml")
    ks.publish_tree(ks.learn(people, policy, "kadet"), people, policy, "tree.json")
    ks.save_model(ks.learn(people, policy, "id3"), "other.json")
    ks.save_model(ks.learn(people, policy, "naive-bayes"), "bayes.json")


def test_without_people_the_claim_is_judged_by_the_counts(capsys: Said) -> None:
    assert main(["audit", "tree.json"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("✘ k=3 does not hold by the published counts: 3 of 6 people are in 2 paths that break it.\n")
    assert "The attacker is taken to know 'Sports car', though private" in out
    assert "Sports car = Yes and Marital status = Married" in out
    assert "for the owner's eyes" not in out
    assert "This judges one release by what it publishes" in out
    assert main(["audit", "tree.json", "--require", "k=1"]) == 0
    line = capsys.readouterr().out.splitlines()[0]
    assert line.startswith(
        "✔ k=1 holds by the published counts: whoever knows all that the tree asks finds at least 1 "
    )
    assert line.endswith("; --data judges by the people.")


def test_for_programs(capsys: Said) -> None:
    assert main(["audit", "tree.json", "-p", "policy.toml", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["counting"], found["kind"], found["groups"], found["rows"]) == ("paths", "tree", 3, 0)
    assert (found["releases"], len(found["assumptions"])) == (1, 1)
    assert found["failing"][0]["shown"] == {"leaf": "2", "path": "Sports car = Yes and Marital status = Married"}


def test_hit_and_miss(capsys: Said) -> None:
    ks.save_model(ks.load_tree("tree.json").tree.disclosing("hit-miss"), "less.json")
    assert main(["audit", "less.json", "--require", "recursive_cl=[2, 2]"]) == 1
    out = capsys.readouterr().out
    assert "recursive_cl=[2, 2] takes every path to have at least 2 labels" in out
    assert "not told" in out


def test_a_public_label(capsys: Said) -> None:
    policy = ks.Policy(
        identifier=["Name"], public=["Marital status", "Sports car", "Loan risk"], target="Loan risk", require="k=3"
    )
    ks.save_model(ks.learn(ks.datasets.small_mortgage(), policy, "id3"), "seen.json")
    assert main(["audit", "seen.json", "--require", "k=3"]) == 0
    assert "the label, which is public, learns nothing from a path" in capsys.readouterr().out


def test_several_releases(capsys: Said) -> None:
    assert main(["audit", "tree.json", *DATA, "--with", "other.json", "--with", "tree.json"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("✔ k=3 holds for 3 releases together: to someone who knows Marital status, each of the 6 ")
    assert "This judges 3 releases against someone who knows the public columns and holds all of them." in out
    assert "add up over further releases" in out
    assert main(["audit", "tree.json", *DATA, "--with", "other.json", "--require", "k=4", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["releases"], found["failing_groups"]) == (2, 2)
    shown = ["tree.json: leaves", "tree.json: Marital status", "other.json: leaves", "other.json: Marital status"]
    assert list(found["failing"][0]["shown"]) == shown


def test_one_release_still_says_that_it_is_one(capsys: Said) -> None:
    assert main(["audit", "tree.json", *DATA]) == 0
    out = capsys.readouterr().out
    assert "This judges one release against someone who knows the public columns. It is syntactic privacy" in out
    assert "add up over several releases" in out


REFUSED = {
    "nothing required": (["other.json"], "the tree claims nothing"),
    "no requirement": (["tree.json", "--require", "anonymous"], "cannot read the requirement 'anonymous'"),
    "other roles": (["tree.json", "-p", "open.toml"], "'Sports car'"),
    "people without a policy": (["tree.json", "--data", "people.csv"], "--data people.csv needs a policy"),
    "a table without a policy": (["people.csv"], "people.csv is a table: name the policy with --policy"),
    "a file that is not there": (["nothing.csv"], "cannot read nothing.csv"),
    "a table beside others": (["people.csv", "-p", "policy.toml", "--with", "tree.json"], "give both (--data"),
    "several without people": (["tree.json", "--with", "other.json"], "give both (--data, --policy)"),
    "several without people, with a policy": (["tree.json", "-p", "policy.toml", "--with", "other.json"], "(--data"),
    "nobody after =": (["tree.json", *DATA, "--with", "other.json="], "names no people after the ="),
    "a column that is not there": (
        ["tree.json", *DATA, "--with", "other.json=people.csv", "--match", "nme"],
        "there is no column 'nme' to match people by",
    ),
    "a match without others": (["tree.json", *DATA, "--match", "Name"], "give the others (--with)"),
    "nothing beside a tree": (["tree.json", *DATA, "--with", "nothing.json"], "nothing.json"),
    "another model": (
        ["bayes.json"],
        "naive Bayes is judged by the people it was made from",
    ),
    "risks of nobody": (["tree.json", "--people", "risk.csv"], "--people is for"),
    "risks in the place of a model": (
        ["tree.json", *DATA, "--with", "o.csv", "--people", "o.csv"],
        "--people o.csv is",
    ),
    "a population": (["tree.json", "--population", "people.csv"], "--population is for tables"),
    "a way to count": (["tree.json", "--counting", "rows"], "--counting is for tables"),
    "suppressed cells": (["tree.json", "--suppressed", "?"], "--suppressed is for tables"),
    "how to read them": (["tree.json", "--suppressed-as", "value"], "--suppressed-as is for tables"),
    "identifiers": (["tree.json", "--without-identifiers"], "--without-identifiers is for tables"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("command", "named"), REFUSED.values(), ids=REFUSED)
def test_refusals(capsys: Said, command: list[str], named: str) -> None:
    assert main(["audit", *command]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert named in err
    assert "defect" not in err
    assert not Path("risk.csv").exists()


def test_help_names_it(capsys: Said) -> None:
    assert main(["audit", "--help"]) == 0
    assert "--with" in capsys.readouterr().out


def test_claims_that_cannot_be_read(capsys: Said) -> None:
    document = json.loads(Path("tree.json").read_text())
    document["claim"]["requirement"] = "x" * 10_000
    Path("odd.json").write_text(json.dumps(document))
    assert main(["audit", "odd.json"]) == 2
    assert "the claim of the tree is no requirement that can be read" in capsys.readouterr().err
    assert main(["audit", "odd.json", "--require", "k=1"]) == 0
    assert pl.read_csv("people.csv").height == 6
