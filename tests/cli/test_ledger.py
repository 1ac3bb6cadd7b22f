"""kspan ledger, and the commands that release something beside one."""

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main

BOOK = "releases.ledger"
SPELLED = """
identifier = ["id"]
public = ["age", "sex"]
target = "ill"

[require]
k = 5
"""


def people(first: int, last: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    everybody = pl.DataFrame(
        {
            "id": [f"p{number}" for number in range(300)],
            "age": rng.integers(20, 80, 300),
            "sex": rng.choice(["f", "m"], 300),
            "ill": rng.choice(["flu", "hiv", "cold"], 300),
        }
    )
    return everybody[first:last]


@pytest.fixture(autouse=True)
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people(0, 200).write_csv("may.csv")
    people(10, 260).write_csv("june.csv")
    Path("policy.toml").write_text(SPELLED)
    assert main(["ledger", "init", BOOK]) == 0


def released(*more: str, data: str = "may.csv", out: str = "may_out.csv", method: str = "mondrian") -> int:
    return main(["anonymize", data, "-p", "policy.toml", "-m", method, "-o", out, "--ledger", BOOK, *more])


def test_month_after_month(capsys: Any) -> None:
    assert released("--to", "registry A") == 0
    assert "Entered in releases.ledger, as released to registry A." in capsys.readouterr().err
    assert released("--to", "registry A", "--left", "may.csv", data="june.csv", out="june_out.csv") == 0
    said = capsys.readouterr().err
    assert "people who left are still shown, since too few have left to be a crowd" in said
    assert main(["learn", "june.csv", "-p", "policy.toml", "-o", "tree.json", "--ledger", BOOK]) == 0
    assert "as released to everybody" in capsys.readouterr().err
    assert main(["ledger", "list", BOOK]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["number", "1", "2", "3"]
    assert main(["ledger", "list", BOOK, "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)["releases"]
    assert [(one["kind"], one["recipient"], one["name"]) for one in entries] == [
        ("table", "registry A", "may_out.csv"), ("table", "registry A", "june_out.csv"), ("tree", None, "tree.json"),
    ]  # fmt: skip
    assert main(["ledger", "check", BOOK]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].startswith("✔ Everybody has 1 release about ")
    assert out.splitlines()[1].startswith("✔ registry A has 3 releases about ")
    # From outside, with the files and the people alone.
    shown = [json.loads(Path(f"{name}_out.csv.owner.json").read_text()) for name in ("may", "june")]
    assert shown[0]["withheld_rows"] == []
    assert main(["audit", "tree.json", "-p", "policy.toml", "--data", "june.csv", "--with", "may_out.csv=may.csv"]) == 1
    for leaving in ("may_out.csv", "may_out.csv.release.json", "june_out.csv.release.json", "tree.json"):
        assert "ledger" not in Path(leaving).read_text()
        assert "registry" not in Path(leaving).read_text()


def test_what_fails_together_is_refused(capsys: Any) -> None:
    assert released() == 0
    assert main(["anonymize", "june.csv", "-p", "policy.toml", "-m", "mondrian", "-o", "june_out.csv"]) == 0
    capsys.readouterr()
    check = ["ledger", "check", BOOK, "june_out.csv", "-p", "policy.toml", "--data", "june.csv"]
    assert main(check) == 1
    out = capsys.readouterr().out
    assert "✔ june_out.csv keeps k=5 by itself." in out
    assert "✘ Together with all that everybody has, it breaks k=5 for " in out
    assert main([*check, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["holds"], found["alone"]["holds"], found["together"][0]["holds"]) == (False, True, False)
    assert main(["share", "publish", "june.csv", "-p", "policy.toml", "-o", "shared.json"]) == 0
    before = sorted(Path().iterdir())
    prune = ["share", "prune", "shared.json", "-p", "policy.toml", "--data", "june.csv", "-o", "pruned.json"]
    assert main([*prune, "--ledger", BOOK]) == 1
    assert "nothing was written" in capsys.readouterr().err
    assert sorted(Path().iterdir()) == before


def test_the_policy_may_name_it(capsys: Any) -> None:
    Path("policy.toml").write_text(f'ledger = "{BOOK}"\n{SPELLED}')
    assert main(["anonymize", "may.csv", "-p", "policy.toml", "-m", "mondrian", "-o", "out.csv", "--to", "A"]) == 0
    Path("elsewhere").mkdir()
    os.chdir("elsewhere")
    assert main(["learn", "../june.csv", "-p", "../policy.toml", "-o", "tree.json"]) == 0
    policy = ks.Policy.load("../policy.toml")
    made = ks.anonymize(people(0, 200), policy, "mondrian", secret="1" * 32)
    made.save("python.csv")
    assert [entry.recipient for entry in ks.Ledger(f"../{BOOK}").entries()] == ["A", None, None]
    with pytest.raises(ks.DoesNotHold, match="together with"):
        ks.publish_tree(ks.learn(people(3, 204), policy), people(3, 204), policy, "other.json")


def test_share_publish_and_apply(capsys: Any) -> None:
    people(0, 200).write_csv("again.csv")
    assert main(["share", "publish", "again.csv", "-p", "policy.toml", "-o", "s.json", "--ledger", BOOK]) == 0
    recoding = ("-m", "tds", "--recoding", "recoding.json")
    assert main(["anonymize", "may.csv", "-p", "policy.toml", "-o", "out.csv", "--ledger", BOOK, *recoding]) == 0
    people(200, 300).write_csv("new.csv")
    assert main(["apply", "recoding.json", "new.csv", "--withhold", "-o", "new_out.csv", "--ledger", BOOK]) == 0
    assert main(["share", "publish", "again.csv", "-p", "policy.toml", "-o", "s2.json", "--ledger", BOOK]) == 0
    assert main(["ledger", "check", BOOK]) == 0
    people(1, 201).write_csv("others.csv")
    capsys.readouterr()
    assert main(["apply", "recoding.json", "others.csv", "-o", "others_out.csv", "--ledger", BOOK]) == 1
    assert "together with" in capsys.readouterr().err


def test_a_database_is_entered(capsys: Any) -> None:
    assert released(out="sqlite:///out.db?table=released") == 0
    assert [entry.unsure for entry in ks.Ledger(BOOK).entries()] == [False]
    assert sqlite3.connect("out.db").execute("select count(*) from released").fetchone() == (200,)


def test_show_report_and_forget(capsys: Any) -> None:
    assert main(["ledger", "report", BOOK]) == 2
    assert "nothing to report" in capsys.readouterr().err
    assert released("--to", "registry A") == 0
    assert main(["ledger", "show", BOOK, "1"]) == 0
    out = capsys.readouterr().out
    assert "registry A" in out
    assert 'public = ["age", "sex"]' in out
    assert main(["ledger", "report", BOOK, "-o", "page.md"]) == 0
    page = Path("page.md").read_text()
    assert "What registry A has" in page
    assert "1: may\\_out.csv" in page or "1: may_out.csv" in page
    assert Path("page.md").stat().st_mode & 0o077 == 0
    assert "p17" not in page
    capsys.readouterr()
    assert main(["ledger", "forget", BOOK, "1"]) == 2
    assert "add --yes" in capsys.readouterr().err
    assert main(["ledger", "forget", BOOK, "--person", "p3", "--yes"]) == 0
    assert main(["ledger", "forget", BOOK, "--person", "nobody", "--yes"]) == 0
    assert "has never seen" in capsys.readouterr().err
    assert main(["ledger", "forget", BOOK, "1", "--yes"]) == 0
    assert main(["ledger", "check", BOOK]) == 0
    assert "Nothing was entered" in capsys.readouterr().out
    assert main(["ledger", "list", BOOK]) == 0
    assert "forgotten" in capsys.readouterr().out


REFUSED = {
    "no such ledger": (["--ledger", "other.ledger"], "other.ledger"),
    "nothing to match by": (["--ledger", BOOK, "-p", "nameless.toml"], "nothing says which people are the same"),
    "another name for people": (
        ["--ledger", BOOK, "--match", "code"],
        "knows people by 'id', and the next one by 'code'",
    ),
    "an empty recipient": (["--ledger", BOOK, "--to", " "], "must have a name"),
    "onto the ledger": (["--ledger", BOOK, "-o", BOOK], BOOK),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, capsys: Any) -> None:
    assert released() == 0
    more, said = REFUSED[name]
    Path("nameless.toml").write_text(SPELLED.replace('identifier = ["id"]', ""))
    june = pl.read_csv("june.csv")
    if "nameless.toml" in more:
        june = june.drop("id")
    elif "code" in more:
        june = june.with_columns(code=pl.col("id") + "x")
        Path("policy.toml").write_text(SPELLED.replace('["id"]', '["id", "code"]'))
    june.write_csv("june.csv")
    command = ["anonymize", "june.csv", "-m", "mondrian"]
    command += [] if "-p" in more else ["-p", "policy.toml"]
    command += [] if "-o" in more else ["-o", "refused.csv"]
    capsys.readouterr()
    assert main([*command, *more]) == 2
    assert said in capsys.readouterr().err
    assert not Path("refused.csv").exists()


def test_options_without_a_ledger(capsys: Any) -> None:
    for more in (["--to", "A"], ["--left", "may.csv"], ["--match", "id"]):
        assert main(["anonymize", "may.csv", "-p", "policy.toml", "-o", "o.csv", *more]) == 2
        assert f"{more[0]} is about what a ledger knows" in capsys.readouterr().err
    assert main(["learn", "may.csv", "-p", "policy.toml", "-m", "c45", "-o", "o.json", "--ledger", BOOK]) == 2
    assert "promises nothing" in capsys.readouterr().err


def test_roles_may_not_change(capsys: Any) -> None:
    assert released() == 0
    Path("policy.toml").write_text(SPELLED.replace('public = ["age", "sex"]', 'public = ["age"]\nprivate = ["sex"]'))
    assert released(data="june.csv", out="june_out.csv") == 2
    assert "'sex' is public for 1 (may_out.csv) and private for the next release" in capsys.readouterr().err


def test_releases_may_promise_different_things(capsys: Any) -> None:
    assert released() == 0
    Path("policy.toml").write_text(SPELLED.replace("k = 5", "k = 2"))
    people(200, 300).write_csv("june.csv")
    assert released(data="june.csv", out="june_out.csv") == 0
    capsys.readouterr()
    assert main(["ledger", "check", BOOK]) == 0
    said = capsys.readouterr().out
    assert "what each promised to its people (k=5; k=2) holds, the smallest crowd has 2" in said
    assert main(["ledger", "check", BOOK, "--require", "k=5"]) == 1
    assert ": k=5 does not hold for " in capsys.readouterr().out
