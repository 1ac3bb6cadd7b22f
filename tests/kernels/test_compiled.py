"""Compiled loops are kept between runs, and no state of the files breaks them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOOP = """
import numpy as np
from kspan.kernels.compiled import compiled

@compiled
def total(numbers):
    found = 0
    for number in numbers:
        found += number
    return found

print(total(np.arange(5)), sum(total.stats.cache_hits.values()))
"""


def run(script: Path, **others: str) -> list[str]:
    said = subprocess.run(
        [sys.executable, script], check=True, capture_output=True, text=True, env={**os.environ, **others}
    )
    assert said.stderr == ""
    return said.stdout.split()


@pytest.fixture
def script(tmp_path: Path) -> Path:
    place = tmp_path / "loops" / "loop.py"
    place.parent.mkdir()
    place.write_text(LOOP)
    return place


@pytest.mark.slow
def test_a_loop_is_compiled_once(script: Path) -> None:
    assert run(script) == ["10", "0"]
    assert run(script) == ["10", "1"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("*.nbc", "cut"),
        ("*.nbi", "empty"),
        ("*.nbc", "flipped"),
        ("*.nbi", "flipped"),
        ("*.nb?", "garbage"),
        ("*.nbc", "gone"),
    ],
)
def test_a_damaged_file_counts_as_none(script: Path, kind: str, damage: str) -> None:
    run(script)
    files = list(script.parent.rglob(kind))
    assert files
    for file in files:
        content = bytearray(file.read_bytes())
        if damage == "gone":
            file.unlink()
        elif damage == "flipped":
            content[len(content) // 2] ^= 0xFF
            file.write_bytes(content)
        else:
            file.write_bytes({"cut": content[: len(content) // 2], "empty": b"", "garbage": b"\x80\x05garbage"}[damage])
    assert run(script)[0] == "10"
    assert run(script) == ["10", "1"]  # and it is mended


def test_where_nothing_can_be_written_loops_still_run(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A file stands where numba would make its folders, so that not even root can make them.
    (script.parent / "__pycache__").write_text("")
    nowhere = str(script)
    assert run(script, HOME=nowhere, XDG_CACHE_HOME=nowhere, PYTHONDONTWRITEBYTECODE="1") == ["10", "0"]
