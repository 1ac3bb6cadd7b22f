"""Labels that files spell in different ways (`0` and `0.0`) are the same labels, whoever learns and whoever asks."""

import json
from itertools import product
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main

X = [at % 4 for at in range(80)]
Y = [int(at % 4 > 1) if at % 10 else 1 for at in range(80)]
LABELS = {"whole": pl.Series(Y), "floats": pl.Series(Y, dtype=pl.Float64), "text": pl.Series([f"{y}.0" for y in Y])}
RIGHT = 0.95


def written(kind: str, ending: str, name: str, rows: int = 80) -> str:
    frame = pl.DataFrame({"x": X, "y": LABELS[kind]}).head(rows)
    (frame.write_csv if ending == "csv" else frame.write_parquet)(f"{name}.{ending}")
    return f"{name}.{ending}"


@pytest.mark.parametrize("domain", ["", '[domains]\ny = "categorical"\n'], ids=["numbers", "codes"])
@pytest.mark.parametrize(
    "learned_from", [("whole", "csv"), ("floats", "csv"), ("floats", "parquet"), ("text", "parquet")]
)
def test_labels_are_compared_by_what_they_mean(
    domain: str,
    learned_from: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("policy.toml").write_text(f'target = "y"\npublic = ["x"]\n[require]\nk = 5\n{domain}')
    source = written(*learned_from, "people")
    assert main(["learn", source, "-p", "policy.toml", "-m", "kadet", "-o", "model.json"]) == 0
    for kind, ending in product(LABELS, ("csv", "parquet")):
        # All of the people would be those that it was learned from.
        asked = written(kind, ending, "asked", rows=60)
        capsys.readouterr()
        assert main(["predict", "model.json", asked, "-o", "out.csv", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["accuracy"] == RIGHT
        found = ks.compare(source, {"other": asked}, asked, "policy.toml", ["id3"]).table
        assert found["accuracy"].to_list() == [RIGHT, RIGHT]
        assert found["class_match"].to_list() == [1.0, 1.0]


def test_two_models_of_one_table_agree_whatever_file_they_were_learned_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = ks.Policy(target="y", public=["x"], require="k=5", domains={"y": "categorical"})
    models = [
        ks.learn(written(*how, "it"), said) for how in (("floats", "csv"), ("floats", "parquet"), ("whole", "csv"))
    ]
    people = pl.DataFrame({"x": X})
    assert [ks.class_match(models[0], other, people) for other in models] == [1.0, 1.0, 1.0]
    assert [ks.path_match(models[0], other) for other in models] == [1.0, 1.0, 1.0]


def test_codes_that_are_no_floats_keep_their_digits() -> None:
    said = ks.Policy(public=["version"], require="k=1", domains={"version": "categorical"})
    people = pl.DataFrame({"version": ["1.0", "1.10", "1.1"]})
    assert ks.audit(people, said).groups == 3
