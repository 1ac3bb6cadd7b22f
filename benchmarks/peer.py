"""A package to compare with, in an environment of its own, made once and kept, so that nothing mixes with kspan."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

HERE = Path(__file__).parent
PATIENCE = 15 * 60
"""Seconds that one script may take."""

Failed = (subprocess.SubprocessError, OSError)
"""What `install` and `run` raise when a package cannot be had or does not finish."""


@dataclass(frozen=True)
class Peer:
    """A package and its version, and the script beside this one that runs it there."""

    name: str
    version: str
    script: str
    undeclared: tuple[str, ...] = ()
    """What it imports and does not say that it needs."""

    @property
    def environment(self) -> Path:
        """Where it lives."""
        return HERE / f".venv-{self.name}"

    @property
    def _python(self) -> str:
        return str(self.environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))

    @property
    def _ready(self) -> Path:
        """A file that is written last, so that an environment left half-made is made again."""
        return self.environment / f"{self.name}-{self.version}"

    @property
    def installed(self) -> bool:
        """Is the environment there?"""
        return self._ready.exists()

    def install(self) -> None:
        """Make the environment unless it is there."""
        if self.installed:
            return
        shutil.rmtree(self.environment, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(self.environment)], check=True)
        wanted = [f"{self.name}=={self.version}", *self.undeclared]
        subprocess.run([self._python, "-m", "pip", "install", "-qq", *wanted], check=True, stdout=sys.stderr)
        self._ready.touch()

    def run(self, frame: pl.DataFrame, arguments: Sequence[str]) -> dict[str, Any]:
        """What the script prints of a frame without missing cells, given as a CSV file: one JSON object."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            frame.write_csv(path)
            command = [self._python, "-I", str(HERE / self.script), str(path), *arguments]
            done = subprocess.run(command, check=True, timeout=PATIENCE, stdout=subprocess.PIPE, text=True)
        found: dict[str, Any] = json.loads(done.stdout)
        return found


PYCANON = Peer("pycanon", "1.3.6", "pycanon_report.py")
ANONYPY = Peer("anonypy", "0.2.1", "anonypy_mondrian.py", ("pandas",))
