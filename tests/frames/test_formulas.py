"""Cells that a spreadsheet would run: defused in CSVs, told in the claim, and read back as they were."""

import csv
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import kspan as ks
from kspan.cli.main import main
from kspan.frames.formulas import TOLD, defused, has_formulas, restored

CELLS = st.text(alphabet="'=+-@\t\r＝＋－＠ a1.eE%\n", max_size=6) | st.text(max_size=4)


def runs(cell: str) -> bool:
    """Would a spreadsheet take it for more than a text or a number?"""
    if len(cell.encode()) < 2 or cell[0] not in "=+-@\t\r＝＋－＠":
        return False
    try:
        float(cell.removesuffix("%"))
    except ValueError:
        return True
    return not cell[1:].replace(".", "").replace("%", "").replace("e", "").replace("E", "").strip("+-").isdigit()


@given(st.lists(CELLS | st.none(), min_size=1))
@example(["=1+1", "'=1+1", "''=1+1", "-5", "-5%", "+1e5", "-", "'", None, "=", "@SUM(1)", "-x"])
def test_nothing_runs_and_everything_comes_back(cells: list[str | None]) -> None:
    frame = pl.DataFrame({"cell": pl.Series(cells, dtype=pl.String), "number": range(len(cells))})
    safe = defused(frame)
    assert not [cell for cell in safe["cell"] if cell is not None and runs(cell)]
    assert restored(safe).equals(frame)
    assert has_formulas(frame) == (not safe.equals(frame))
    known = dict(zip(cells, safe["cell"], strict=True))
    assert len(set(known.values())) == len(known)  # what was different stays so


@pytest.fixture
def source(tmp_path: Path) -> Path:
    notes = ["=HYPERLINK(1)", "-5", "@SUM(1)", "plain"] * 3
    frame = pl.DataFrame({"town": ["-here", "-there"] * 6, "age": [-1, -2, -3] * 4, "note": notes})
    frame.write_csv(tmp_path / "people.csv")
    policy = 'public = ["town", "age"]\nprivate = ["note"]\ncounting = "people"\n[require]\nk = 2\n'
    (tmp_path / "policy.toml").write_text(policy)
    return tmp_path


def anonymized(folder: Path, out: str, *options: str) -> Path:
    said = [
        "anonymize",
        f"{folder}/people.csv",
        "-p",
        f"{folder}/policy.toml",
        "-m",
        "mondrian",
        "-o",
        f"{folder}/{out}",
    ]
    assert main([*said, *options]) == 0
    return folder / out


def test_a_released_csv_runs_nothing_and_says_so(source: Path) -> None:
    out = anonymized(source, "out.csv")
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["note"] for row in rows} == {"'=HYPERLINK(1)", "-5", "'@SUM(1)", "plain"}
    assert not [cell for row in rows for cell in row.values() if runs(cell)]
    claim = json.loads(Path(f"{out}.release.json").read_text())["claim"]
    assert claim["formulas"] == TOLD
    policy = ks.Policy.load(source / "policy.toml")
    assert ks.audit(out, source / "people.csv", policy).holds  # cells are linked as they were
    assert set(ks.anonymize(source / "people.csv", policy, "mondrian").table["note"]) == set(
        pl.read_csv(source / "people.csv", infer_schema=False)["note"]
    )


def test_formulas_are_kept_when_asked_for_and_where_no_spreadsheet_opens_them(source: Path) -> None:
    for out in (anonymized(source, "out.csv", "--keep-formulas"), anonymized(source, "out.parquet")):
        read = pl.read_csv(out, infer_schema=False) if out.suffix == ".csv" else pl.read_parquet(out)
        assert set(read["note"]) == {"=HYPERLINK(1)", "-5", "@SUM(1)", "plain"}
        assert "formulas" not in json.loads(Path(f"{out}.release.json").read_text())["claim"]
