"""The checks that are no tests: style, types, and the direction of imports."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
TOOLS = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["mypy", "--strict", "tests/typed_usage.py"],
        ["lint-imports", "--no-logo"],
    ],
    ids=lambda command: " ".join(command),
)
def test_check(command: list[str]) -> None:
    done = subprocess.run([TOOLS / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
