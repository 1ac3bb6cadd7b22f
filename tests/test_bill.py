"""What kspan rests on: every license is known and fits, and the page lists every package."""

import json
import subprocess
import sys
from pathlib import Path

from tools.bill import Part, bill, every_part, parts

ROOT = Path(__file__).parents[1]


def test_every_license_fits() -> None:
    assert [part for part in every_part() if not part.fits] == []
    assert {"polars", "numpy", "numba", "typer"} <= {part.name for part in parts()}
    assert {"pyreadstat", "adbc-driver-postgresql"} <= {part.name for part in every_part()} - {p.name for p in parts()}


def test_what_does_not_fit_is_seen() -> None:
    assert not Part("x", "1", "GPL-3.0-only").fits
    assert not Part("x", "1", "MIT AND GPL-3.0-only").fits
    assert not Part("x", "1", "unknown").fits
    assert Part("x", "1", "BSD-2-Clause AND Apache-2.0 WITH LLVM-exception").fits


def test_the_page_lists_every_package() -> None:
    rows = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").splitlines()
    listed = {row.split("|")[1].strip() for row in rows if row.startswith("| ")}
    assert {part.name for part in every_part()} <= listed


def test_the_bill_is_printed_as_json() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "tools.bill"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    made = json.loads(said)
    assert made == bill()
    assert made["bomFormat"] == "CycloneDX"
    assert all(set(part) == {"type", "name", "version", "purl", "licenses"} for part in made["components"])
