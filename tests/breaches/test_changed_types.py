"""A table whose columns hold something else than when the model was learned: a sentence, and nothing is written."""

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

from kspan.cli.main import main

ROWS = 24
PEOPLE = pl.DataFrame({"x": [1.5, 2.5, 30.0, 41.0] * 6, "w": ["a", "b", "c"] * 8, "y": ["p", "q", "q"] * 8})
MODELS = [
    "grouped",
    "kadet",
    "id3",
    "c45",
    "part",
    "conjunctive",
    "naive-bayes",
    "logistic",
    "boosted",
    "clusters",
    "committee",
]
KINDS: dict[str, pl.Series] = {
    "text": pl.Series(["a"] * ROWS),
    "ranges": pl.Series(["[1, 3]", "2"] * 12),
    "lists": pl.Series([[1, 2]] * ROWS),
    "structs": pl.Series([{"a": 1}] * ROWS),
    "arrays": pl.Series([[1, 2]] * ROWS, dtype=pl.Array(pl.Int64, 2)),
    "dates": pl.Series([dt.date(2020, 1, 1)] * ROWS),
    "durations": pl.Series([dt.timedelta(1)] * ROWS),
    "bytes": pl.Series([b"ab"] * ROWS),
    "booleans": pl.Series([True, False] * 12),
    "nothing": pl.Series([None] * ROWS),
    "categories": pl.Series(["a", "b"] * 12, dtype=pl.Categorical),
    "infinite": pl.Series([float("inf"), 1.0] * 12),
}
NESTED = ("lists", "structs", "arrays")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    PEOPLE.write_parquet(folder / "people.parquet")
    (folder / "policy.toml").write_text('public=["x","w"]\ntarget="y"\n[require]\nk=2\n')
    for method in MODELS[:-1]:
        said = ["-p", str(folder / "policy.toml"), "-m", method, "-o", str(folder / f"{method}.json")]
        assert main(["learn", str(folder / "people.parquet"), *said]) == 0
    trees = [str(folder / f"{name}.json") for name in ("id3", "c45")]
    assert main(["share", "merge", *trees, "--method", "bagging", "-o", str(folder / "committee.json")]) == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("column", PEOPLE.columns)
@pytest.mark.parametrize("kind", KINDS)
def test_every_model_and_kind(
    folder: Path, kind: str, column: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, output = tmp_path / "table.parquet", tmp_path / "out.csv"
    PEOPLE.with_columns(KINDS[kind].alias(column)).write_parquet(table)
    for model in MODELS:
        code = main(["predict", str(folder / f"{model}.json"), str(table), "-o", str(output)])
        told = capsys.readouterr().err
        assert "defect" not in told, model
        assert code == (0 if output.exists() else 2), model
        output.unlink(missing_ok=True)


@pytest.mark.parametrize("kind", NESTED)
def test_nested_cells_are_refused_by_every_command(
    folder: Path, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, policy = str(tmp_path / "table.parquet"), str(folder / "policy.toml")
    PEOPLE.with_columns(KINDS[kind].alias("w")).write_parquet(table)
    outputs = {
        "audit": ["-p", policy],
        "init": ["-o", str(tmp_path / "draft.toml")],
        "anonymize": ["-p", policy, "-o", str(tmp_path / "out.csv")],
        "learn": ["-p", policy, "-o", str(tmp_path / "model.json")],
        "report": ["-p", policy, "-o", str(tmp_path / "page.html")],
    }
    if kind == "lists":
        del outputs["init"]  # which takes them for sets of codes
    for command, rest in outputs.items():
        assert main([command, table, *rest]) == 2, command
        assert "turn them into text or numbers first" in capsys.readouterr().err, command
    assert [path.name for path in tmp_path.iterdir()] == ["table.parquet"]
