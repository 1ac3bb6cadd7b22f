"""pycanon in an environment of its own, made once and kept, so that its dependencies never mix with kspan's."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

HERE = Path(__file__).parent
ENVIRONMENT = HERE / ".venv-pycanon"
PYTHON = str(ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
VERSION = "1.3.6"
READY = ENVIRONMENT / f"pycanon-{VERSION}"
"""A file that is written last, so that an environment left half-made is made again."""
PATIENCE = 15 * 60
"""Seconds that one report may take."""

Failed = (subprocess.SubprocessError, OSError)
"""What `install` and `report` raise when pycanon cannot be had or does not finish."""


def installed() -> bool:
    """Is the environment there?"""
    return READY.exists()


def install() -> None:
    """Make the environment unless it is there."""
    if installed():
        return
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
    subprocess.run([PYTHON, "-m", "pip", "install", "-qq", f"pycanon=={VERSION}"], check=True, stdout=sys.stderr)
    READY.touch()


def report(frame: pl.DataFrame, public: Sequence[str], private: str) -> dict[str, Any]:
    """What pycanon reports of a frame without missing cells, and the seconds it took: see `pycanon_report.py`."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        frame.write_csv(path)
        script = str(HERE / "pycanon_report.py")
        command = [PYTHON, "-I", script, str(path), "--public", *public, "--private", private]
        done = subprocess.run(command, check=True, timeout=PATIENCE, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
