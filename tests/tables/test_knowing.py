"""What somebody learns who knows how a table was made: the product's replay of the attack."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import kspan as ks
from breaches.test_minimality import posterior, tiny_tables
from kspan.cli.main import main
from kspan.tables import knowing

pytestmark = pytest.mark.slow


def released(frame: pl.DataFrame, require: str, method: str = "mondrian", **options: Any) -> ks.TableRelease:
    policy = ks.Policy(public=["age", "town"], private=["illness"], target="illness", require=require, grid="exact")
    return ks.anonymize(frame, policy, method, **options)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mondrian", "crowd", "tds"])
def test_trying_all_worlds_is_the_definition(method: str) -> None:
    require, failed = "k=2, confidence=0.7", 0
    policy = ks.Policy(public=["age", "town"], private=["illness"], target="illness", require=require)
    for people, illness in tiny_tables(0, 12):
        known = posterior(people, illness, policy, method, {})
        if known is None:
            continue
        frame = pl.DataFrame(people, ["age", "town"], orient="row").with_columns(illness=pl.Series(illness))
        found = ks.knows_method(released(frame, require, method))
        assert found.exact
        assert found.surest == pytest.approx(float(max(max(shares) for shares in known)))
        assert found.failing == sum(float(max(shares)) > 0.7 for shares in known)
        assert found.holds == (found.failing == 0)
        failed += not found.holds
    assert failed


def many(towns: int = 12) -> pl.DataFrame:
    """In each town Mondrian would show two ages apart, if the two of age 1 had not both the illness that is limited."""
    one = {"age": [1, 1, 2, 2, 2, 2], "illness": ["hiv", "hiv", "flu", "flu", "flu", "flu"]}
    return pl.concat([pl.DataFrame({**one, "town": [f"town {town:02}"] * 6}) for town in range(towns)]).select(
        "age", "town", "illness"
    )


def test_drawn_worlds_find_whom_a_method_gives_away() -> None:
    require = 'k=2, confidence[illness="hiv"]=0.5'
    found = ks.knows_method(released(many(), require))
    assert not found.exact
    assert found.worlds <= knowing.WORLDS
    assert found.people + found.unclear == 72
    assert 12 <= found.failing <= 24
    assert found.surest > 0.9 > found.surest_by_table
    assert "learns more than is allowed of" in found.sentence
    safe = ks.knows_method(released(many(), require, resist=True))
    assert (safe.failing, safe.unclear) == (0, 0)
    assert "Nobody was found" in safe.sentence


def test_drawn_worlds_do_not_cry_wolf() -> None:
    """Values that nothing decides are dealt out by chance, and chance alone must not look like knowledge."""
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "age": rng.integers(0, 40, 600),
            "town": rng.choice(["ay", "by"], 600),
            "illness": rng.choice(["flu", "cold", "none"], 600),
        }
    )
    for options in ({"resist": True}, {}):
        assert ks.knows_method(released(frame, "k=8, confidence=0.9", **options)).failing == 0


def test_people_with_several_rows_and_odd_numbers_are_refused() -> None:
    visits = pl.DataFrame({"id": [1, 1, 2, 2, 3, 4], "age": [3, 3, 3, 3, 5, 5], "ill": list("abcabc")})
    policy = ks.Policy(person="id", public=["age"], private=["ill"], require="k=2")
    with pytest.raises(ks.PolicyError, match="several rows"):
        ks.knows_method(ks.anonymize(visits, policy, "mondrian"))
    with pytest.raises(ks.PolicyError, match="worlds must be a whole number"):
        ks.knows_method(released(many(), "k=2"), worlds=0)


POLICY = """
public = ["age", "town"]
private = ["illness"]
[require]
k = 2

[require.illness]
confidence = { hiv = 0.5 }
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    many(1).write_csv(tmp_path / "people.csv")
    (tmp_path / "policy.toml").write_text(POLICY)
    return tmp_path


def run(folder: Path, *words: str) -> int:
    return main([word.replace("@", f"{folder}/") for word in words])


def test_the_command_line_tells_it_and_says_no(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = ("anonymize", "@people.csv", "-p", "@policy.toml", "-m", "mondrian", "-o", "@out.csv")
    asked = ("audit", "@out.csv", "-p", "@policy.toml", "--data", "@people.csv", "--knows-method")
    assert run(files, *made) == 0
    assert run(files, *asked) == 1
    assert "Someone who knows the method" in capsys.readouterr().out
    assert run(files, *asked, "--json") == 1
    known = json.loads(capsys.readouterr().out)["knows_method"]
    assert (known["exact"], known["failing"], known["surest"]) == (True, 2, 1.0)
    assert run(files, *made, "--resist") == 0
    assert run(files, *asked) == 0


def test_another_table_is_not_attacked(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("audit", "@out.csv", "-p", "@policy.toml", "--knows-method")
    run(files, "anonymize", "@people.csv", "-p", "@policy.toml", "-m", "mondrian", "-o", "@out.csv")
    capsys.readouterr()
    assert run(files, *asked) == 2
    assert "give its people (--data)" in capsys.readouterr().err
    many(1).with_columns(illness=pl.lit("flu")).write_csv(files / "others.csv")
    assert run(files, *asked, "--data", "@others.csv") == 2
    many(1).with_columns(pl.col("age") + 1).write_csv(files / "others.csv")
    assert run(files, *asked, "--data", "@others.csv") == 2
    assert "does not make this table of these people" in capsys.readouterr().err
    manifest = files / "out.csv.release.json"
    manifest.write_text(manifest.read_text().replace('"options": {}', '"options": {"keep_order": true}'))
    assert run(files, *asked, "--data", "@people.csv") == 2
    assert "mondrian has no option 'keep_order'" in capsys.readouterr().err
    manifest.unlink()
    assert run(files, *asked, "--data", "@people.csv") == 2
    assert "no manifest beside it" in capsys.readouterr().err
