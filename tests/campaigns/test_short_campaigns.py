"""A short form of every campaign: the same every time, and nothing may be found."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SHORT = {
    "bytes": ["--cases", "12"],
    "crash": ["--cases", "4"],
    "ledger": ["--cases", "30"],
    "input": ["--cases", "30"],
    "readers": ["--cases", "400"],
    "claims": ["--cases", "20"],
    "load": ["--cases", "3", "--rows", "2000", "--limit", "16"],
}


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked, limited and looked at as Linux does")
@pytest.mark.parametrize("campaign", SHORT)
def test_nothing_is_found(campaign: str, tmp_path: Path) -> None:
    paths = [str(ROOT / "src"), str(ROOT)]
    done = subprocess.run(
        [sys.executable, "-m", "campaigns", campaign, *SHORT[campaign], "--seed", "1", "--out", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
