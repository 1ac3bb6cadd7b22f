"""Itemsets from the command line: learn, audit with and without the people, report, and refusals."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main

POLICY = """
public = ["grocery:*"]
private = ["pharmacy:*"]
[require]
k = 31
"""
LEARN = ("learn", "baskets.csv", "-p", "policy.toml", "-m", "itemsets")
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    row = np.arange(1000)
    pl.DataFrame(
        {
            "grocery:Cherries": row < 112,
            "grocery:Candles": (row < 30) | (row >= 960),
            "pharmacy:Viagra": (row >= 10) & (row < 94),
        }
    ).write_csv(tmp_path / "baskets.csv")
    (tmp_path / "policy.toml").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def kspan(capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(list(arguments))
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


def test_itemsets_are_mined_judged_and_written(shop: Path, kspan: Call) -> None:
    code, out, err = kspan(*LEARN, "-o", "itemsets.json")
    assert code == 0
    assert "itemsets, which keep k=31" in err
    assert "grocery:Cherries, pharmacy:Viagra (support 0.084)" in out
    assert "grocery:Candles, grocery:Cherries: would leave 30 people in a span that breaks k=31" in out
    code, out, _ = kspan("audit", "itemsets.json", "-p", "policy.toml", "--data", "baskets.csv")
    assert code == 0
    assert "k=31 holds: to someone who knows grocery:*" in out
    assert ks.load_itemsets("itemsets.json").claim is not None


def test_json_and_options(shop: Path, kspan: Call) -> None:
    options = ("--min-support", "0.05", "--max-items", "1", "--most", "2")
    code, out, _ = kspan(*LEARN, "-o", "itemsets.json", "--json", *options)
    said = json.loads(out)
    assert (code, said["itemsets"], said["audit"]["kind"], said["audit"]["holds"]) == (0, 2, "itemsets", True)
    assert {len(one.items) for one in ks.load_itemsets("itemsets.json").itemsets} == {1}


def test_published_supports_alone_are_judged(shop: Path, kspan: Call) -> None:
    kspan(*LEARN, "-o", "itemsets.json")
    code, out, _ = kspan("audit", "itemsets.json", "--require", "k=113")
    assert code == 1
    assert "does not hold by the published figures: 112 of 1,000 people are in 1 spans that break it" in out
    code, out, _ = kspan("audit", "itemsets.json")
    assert code == 0
    assert "k=31 holds by the published figures: whoever sees the public items finds at least 112 people" in out
    assert "of whom the itemsets tell the same" in out


def test_false_supports_break_the_release(shop: Path, kspan: Call) -> None:
    kspan(*LEARN, "-o", "itemsets.json")
    document = json.loads(Path("itemsets.json").read_text())
    document["itemsets"][0]["support"] = 0.5
    Path("false.json").write_text(json.dumps(document))
    code, out, _ = kspan("audit", "false.json", "-p", "policy.toml", "--data", "baskets.csv", "--require", "k=2")
    assert code == 1
    assert "the figures of 1 itemsets are not those of these people" in out


def test_a_page_tells_of_itemsets(shop: Path, kspan: Call) -> None:
    assert kspan(*LEARN, "-o", "itemsets.json", "--report", "page.html")[0] == 0
    assert "The itemsets" in Path("page.html").read_text()
    ks.save_model(ks.mine_itemsets("baskets.csv", {**POLICIES, "require": "k=1"}).itemsets, "all.json")
    code, _, _ = kspan("report", "all.json", "-p", "policy.toml", "--data", "baskets.csv", "-o", "broken.html")
    assert code == 1
    assert "held back" in Path("broken.html").read_text()


POLICIES = {"public": ["grocery:*"], "private": ["pharmacy:*"]}
REFUSED = {
    "no policy": (["learn", "baskets.csv", "-m", "itemsets", "-o", "r.json"], "name a policy with -p"),
    "of rules": ([*LEARN, "-o", "r.json", "--min-confidence", "0.5"], "-m itemsets does not take --min-confidence"),
    "of trees": ([*LEARN, "-o", "r.json", "--disclose", "label"], "-m itemsets does not take --disclose"),
    "table": ([*LEARN, "-o", "r.csv"], "end it in .json"),
    "misspelt": ([*LEARN[:-1], "itemset", "-o", "r.json"], "did you mean 'itemsets'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str, shop: Path, kspan: Call) -> None:
    arguments, said = REFUSED[case]
    code, out, err = kspan(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert not Path("r.json").exists()
