"""Numbers that cannot be reckoned with are words, everywhere: no overflow, no warning, no search without end."""

import math
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main

EXTREME: dict[str, pl.Series] = {
    "infinite": pl.Series([1.0, 2.0, math.inf, 3.0] * 3),
    "minus infinite": pl.Series([1.0, -math.inf, math.nan, 3.0] * 3),
    "the largest floats": pl.Series([1.7e308, -1.7e308, 0.0, 1.0] * 3),
    "next to zero": pl.Series([5e-324, 0.0, 1e-323, 1.5] * 3),
    "a tiny range": pl.Series([1e-100, 2e-100, 0.0, 3e-100] * 3),
    "thirty digits": pl.Series([10.0**30, 10.0**30 + 1e15, 1.0, 2.0] * 3),
    "the largest that count": pl.Series([1e100, -1e100, 0.0, 5.0] * 3),
    "the ends of 64 bits": pl.Series([2**63 - 1, -(2**63), 0, 1] * 3),
    "neighbors at the end of 64 bits": pl.Series([2**63 - 1, 2**63 - 2, 2**63 - 3, 2**63 - 4] * 3),
    "without a sign": pl.Series([2**64 - 1, 2**64 - 2, 0, 5] * 3, dtype=pl.UInt64),
}
TABLES = ["auto", "one-dim", "mondrian", "kactus", "k-optimize", "tds", "incognito"]
MODELS = ["grouped", "kadet", "kadet-c45", "id3", "c45", "part", "naive-bayes", "logistic", "boosted", "clusters"]


@pytest.fixture(params=EXTREME)
def table(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"x": EXTREME[request.param], "s": ["a", "b"] * 6, "y": ["p", "q", "q"] * 4})
    path = tmp_path / "people.parquet"
    frame.write_parquet(path)
    for name, roles in {"public": 'public=["x","s"]', "private": 'public=["s"]\nprivate=["x"]'}.items():
        Path(f"{name}.toml").write_text(f'{roles}\ntarget="y"\n[require]\nk=2\n')
    return path


@pytest.mark.slow
@pytest.mark.parametrize("role", ["public", "private"])
def test_no_command_overflows(table: Path, role: str, capsys: pytest.CaptureFixture[str]) -> None:
    policy = f"{role}.toml"
    assert main(["init", str(table), "-o", "draft.toml"]) == 0
    assert main(["audit", str(table), "-p", policy]) in (0, 1)
    for method in TABLES:
        assert main(["anonymize", str(table), "-p", policy, "-m", method, "-o", "out.csv"]) == 0, method
    for method in MODELS:
        code = main(["learn", str(table), "-p", policy, "-m", method, "-o", "model.json"])
        assert code in (0, 1, 2), method
        if code == 0:
            assert main(["predict", "model.json", str(table), "-o", "predicted.csv"]) == 0, method
    told = capsys.readouterr().err
    assert "defect" not in told
    assert "Warning" not in told


def test_intervals_that_floats_cannot_tell_apart_are_refused() -> None:
    with pytest.raises(ks.KspanError, match="too narrow for numbers as large as these"):
        ks.Intervals((5,)).build(["1e30", "2"])
    with pytest.raises(ks.KspanError, match="the widths of intervals"):
        ks.Intervals((1e-300,))


def test_a_text_and_a_number_that_are_too_large_mean_the_same() -> None:
    policy = ks.Policy(public=["x"], private=["y"], require="k=1")
    cells = [1e308, 1.5, math.inf]
    numbers = pl.DataFrame({"x": cells, "y": ["a", "b", "c"]})
    found = [
        ks.audit(frame, policy).to_json() for frame in (numbers, numbers.with_columns(pl.col("x").cast(pl.String)))
    ]
    assert found[0] == found[1]
