"""kspan learn -m clusters, audit and predict, as a person uses them."""

import json
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main

POLICY = """
public = ["age", "hours-per-week"]
private = ["capital-gain"]

[require]
k = 20

[domains]
capital-gain = [0, 99999]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ks.datasets.load_adult("train").select("age", "hours-per-week", "capital-gain").head(1000).write_csv("people.csv")
    Path("policy.toml").write_text(POLICY)
    return tmp_path


LEARN = ["learn", "people.csv", "-p", "policy.toml", "-m", "clusters", "-o", "clusters.json"]
AUDIT = ["audit", "clusters.json", "-p", "policy.toml", "--data", "people.csv"]


def test_what_is_found_holds_and_can_be_audited_and_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LEARN, "--most", "4"]) == 0
    out = capsys.readouterr().out
    assert "people around age" in out
    assert "k=20 holds" in out
    assert main([*AUDIT, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["holds"], found["kind"], found["people"]) == (True, "clusters", 1000)
    assert main(["predict", "clusters.json", "people.csv", "-o", "assigned.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 1000
    model = ks.load_model("clusters.json")
    assert isinstance(model, ks.Clusters)
    counts = pl.read_csv("assigned.csv")["cluster"].value_counts().sort("cluster")["count"].to_list()
    assert counts == list(model.people)


def test_clusters_that_point_at_someone_are_found_out(capsys: pytest.CaptureFixture[str]) -> None:
    main(LEARN)
    assert main([*AUDIT, "--require", "k=900"]) == 1
    assert "k=900 does not hold" in capsys.readouterr().out


REFUSED = {
    "no policy": (["learn", "people.csv", "-m", "clusters", "-o", "c.json"], "-p"),
    "a table's name": (["learn", "people.csv", "-p", "policy.toml", "-m", "clusters", "-o", "c.csv"], ".json"),
    "an option of trees": ([*LEARN, "--min-rows", "3"], "--min-rows"),
    "an option of rules": ([*LEARN, "--min-support", "0.1"], "--min-support"),
    "an unknown scaling": ([*LEARN, "--scaling", "rage"], "did you mean 'range'"),
    "for a tree": (["learn", "people.csv", "-p", "policy.toml", "-o", "t.json", "--min-people", "3"], "--min-people"),
    "without people": (["audit", "clusters.json"], "--data"),
    "merged like trees": (["share", "merge", "clusters.json", "-o", "g.json"], "clusters.json"),
    "pruned like trees": (["share", "prune", "clusters.json", "-o", "g.json", "--require", "k=3"], "clustering"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("command", "named"), REFUSED.values(), ids=REFUSED)
def test_what_makes_no_sense_is_one_sentence(
    command: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(LEARN)
    capsys.readouterr()
    assert main(command) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert named in shown.err
