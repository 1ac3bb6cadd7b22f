"""Rules from the command line: learn, audit with and without the people, and refusals."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.model.rules.json import save_rules
from kspan.model.rules.model import rules_about

POLICY = """
public = ["grocery:*"]
private = ["pharmacy:*"]
[require]
k = 31
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    row = np.arange(1000)
    pl.DataFrame(
        {
            "grocery:Cherries": row < 112,
            "grocery:Candles": (row < 30) | (row >= 960),
            "pharmacy:Viagra": (row >= 10) & (row < 94),
            "pharmacy:Tylenol": (row < 24) | (row >= 900),
        }
    ).write_csv(tmp_path / "baskets.csv")
    (tmp_path / "policy.toml").write_text(POLICY)
    rules = [
        ks.Rule(frozenset({"grocery:Cherries"}), frozenset({"pharmacy:Viagra"}), 0.084, 0.75),
        ks.Rule(frozenset({"grocery:Cherries", "grocery:Candles"}), frozenset({"pharmacy:Tylenol"}), 0.024, 0.8),
    ]
    roles: Any = {"grocery:Cherries": "public", "grocery:Candles": "public"}
    roles |= {"pharmacy:Viagra": "private", "pharmacy:Tylenol": "private"}
    save_rules(rules_about(rules, 1000, roles), tmp_path / "paper.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def kspan(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(list(arguments))
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


def test_rules_are_mined_judged_and_written(shop: Path, kspan: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = kspan("learn", "baskets.csv", "-p", "policy.toml", "-m", "rules", "-o", "rules.json")
    assert code == 0
    assert "which keep k=31" in err
    assert "grocery:Cherries => pharmacy:Viagra (support 0.084, confidence 0.75)" in out
    assert "would leave 30 people in a span that breaks k=31" in out
    code, out, _ = kspan("audit", "rules.json", "-p", "policy.toml", "--data", "baskets.csv")
    assert code == 0
    assert "k=31 holds: to someone who knows grocery:*" in out
    assert ks.load_rules("rules.json").claim is not None


def test_json_and_options(shop: Path, kspan: Callable[..., tuple[int, str, str]]) -> None:
    options = (
        "--min-support",
        "0.05",
        "--min-confidence",
        "0.6",
        "--measure",
        "lift",
        "--max-items",
        "2",
        "--most",
        "1",
    )
    code, out, _ = kspan(
        "learn",
        "baskets.csv",
        "-p",
        "policy.toml",
        "-m",
        "rules",
        "-o",
        "rules.json",
        "--json",
        "--tell-lift",
        *options,
    )
    said = json.loads(out)
    assert (code, said["rules"], said["audit"]["kind"], said["audit"]["holds"]) == (0, 1, "rules", True)
    assert ks.load_rules("rules.json").rules[0].lift is not None


def test_published_figures_alone_are_judged(shop: Path, kspan: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = kspan("audit", "paper.json", "--require", "k=30")
    assert code == 0
    assert "k=30 holds by the published figures: whoever sees the public items finds at least 30 people" in out
    code, out, _ = kspan("audit", "paper.json", "--require", "k=31", "--json")
    said = json.loads(out)
    assert said["smallest"][0]["shown"]["implied"].endswith("24 with pharmacy:Tylenol, 6 without")
    assert (code, said["counting"], said["k"]["people"], said["failing_people"]) == (1, "figures", 30, 30)
    code, out, _ = kspan("audit", "paper.json", "-p", "policy.toml")
    assert code == 1
    assert "k=31 does not hold by the published figures: 30 of 1,000 people are in 1 spans that break it" in out


def test_false_figures_break_the_release(shop: Path, kspan: Callable[..., tuple[int, str, str]]) -> None:
    document = json.loads(Path("paper.json").read_text())
    document["rules"][1]["support"] = 0.03
    Path("false.json").write_text(json.dumps(document))
    code, out, _ = kspan("audit", "false.json", "-p", "policy.toml", "--data", "baskets.csv", "--require", "k=2")
    assert code == 1
    assert "the figures of 1 rules are not those of these people" in out


REFUSED = {
    "no policy": (["learn", "baskets.csv", "-m", "rules", "-o", "r.json"], "name a policy with -p"),
    "score": (
        ["learn", "baskets.csv", "-p", "policy.toml", "-m", "rules", "-o", "r.json", "--score", "gini"],
        "--score",
    ),
    "of trees": (
        ["learn", "baskets.csv", "-p", "policy.toml", "-m", "rules", "-o", "r.json", "--disclose", "label"],
        "-m rules does not take --disclose",
    ),
    "of rules": (
        ["learn", "baskets.csv", "-p", "policy.toml", "-m", "kadet", "-o", "r.json", "--most", "3"],
        "-m kadet does not take --most: leave it out, or use -m rules",
    ),
    "table": (["learn", "baskets.csv", "-p", "policy.toml", "-m", "rules", "-o", "r.csv"], "end it in .json"),
    "itself": (["learn", "baskets.csv", "-p", "policy.toml", "-m", "rules", "-o", "policy.toml"], "this very command"),
    "misspelt": (["learn", "baskets.csv", "-p", "policy.toml", "-m", "rulez", "-o", "r.json"], "did you mean 'rules'"),
    "claims nothing": (["audit", "paper.json"], "the set of rules claims nothing"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str, shop: Path, kspan: Callable[..., tuple[int, str, str]]) -> None:
    arguments, said = REFUSED[case]
    code, out, err = kspan(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert not Path("r.json").exists()
