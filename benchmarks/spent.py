"""What a program took that runs in a process of its own."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass

MB = 1 << 20


@dataclass(frozen=True)
class Spent:
    """What one command took, its children included."""

    seconds: float
    processor: float
    peak: int
    """The most bytes that were resident in one of its processes."""

    def __str__(self) -> str:
        return (
            f"{self.seconds:6.1f} s, {self.processor:6.1f} s of processor time, {self.peak / MB:6,.0f} MB at the peak"
        )


def spent(*arguments: str) -> Spent:
    """Run a command of kspan, and say what it took."""
    return spent_by("from kspan.cli.main import run; run()", *arguments)


def spent_by(program: str, *arguments: str) -> Spent:
    """Run a program in Python, and say what it took."""
    began = time.perf_counter()
    started = subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)  # fmt: skip
    assert started.stderr is not None
    said = started.stderr.read()
    _, status, usage = os.wait4(started.pid, 0)
    code = started.returncode = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):
        raise SystemExit(said.decode())
    return Spent(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
