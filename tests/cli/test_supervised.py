"""Commands that are stopped, run out of memory or crash: one sentence, exit code 2, nothing written."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from kspan.cli import main as cli

WORK = """
import os, sys, time
from kspan.cli import main
from kspan.frames.commit import File, write_files

def work(arguments):
    what = sys.argv[1]
    if what == "committed":
        write_files({sys.argv[2]: File(b"x")})
    print("begun", flush=True)
    if what == "abort":
        os.write(2, b"memory allocation of 80 bytes failed: SECRET CELL")
        os.abort()
    if what == "segfault":
        os.kill(os.getpid(), 11)
    if what == "spin":
        import numpy as np
        from kspan.kernels.compiled import compiled
        def loop(number):
            found = 0
            while number > 0:
                found += number % 7
            return found
        compiled(loop)(3)
    if what == "stubborn":
        while True:
            try:
                time.sleep(0.1)
            except KeyboardInterrupt:
                pass
    if what == "raises":
        raise KeyboardInterrupt
    time.sleep(60)

if sys.argv[1] == "raises":  # just before or after what catches everything
    main.main = work
main.app = lambda *arguments, **named: work(arguments)
main.run()
"""


def start(*arguments: str) -> "subprocess.Popen[str]":
    calm = {name: value for name, value in os.environ.items() if name != "KSPAN_DEBUG"}
    run = subprocess.Popen(
        [sys.executable, "-c", WORK, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=calm
    )
    assert run.stdout is not None
    assert run.stdout.readline() == "begun\n"
    return run


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("what", ["spin", "sleep", "stubborn"])
def test_a_stopped_command_ends_soon_and_says_what_it_left(what: str, number: signal.Signals) -> None:
    run = start(what)
    time.sleep(0.5 if what != "spin" else 2.0)  # until it is compiled
    began = time.monotonic()
    run.send_signal(number)
    _, said = run.communicate(timeout=20)
    assert time.monotonic() - began < 10
    assert (run.returncode, said) == (2, "kspan: interrupted: nothing was written\n")


def test_a_signal_at_the_edge_of_a_command_is_heard() -> None:
    run = start("raises")
    _, said = run.communicate(timeout=20)
    assert (run.returncode, said) == (2, "kspan: interrupted: nothing was written\n")


def test_what_was_written_before_is_told(tmp_path: Path) -> None:
    run = start("committed", str(tmp_path / "x"))
    run.send_signal(signal.SIGTERM)
    _, said = run.communicate(timeout=20)
    assert (run.returncode, said) == (2, "kspan: interrupted: what was written before is whole\n")
    assert (tmp_path / "x").read_bytes() == b"x"


def test_a_library_that_ends_the_process_has_not_the_last_word() -> None:
    _, said = start("abort").communicate(timeout=20)
    assert said == (
        "kspan: the system ended the work (SIGABRT), most likely because memory ran out: nothing was written; give "
        "fewer columns, or distinct rows with a weight\n"
    )
    run = start("segfault")
    _, said = run.communicate(timeout=20)
    assert (run.returncode, said) == (
        2,
        "kspan: a defect in kspan or in a library that it uses (SIGSEGV): please report it\n",
    )


def test_when_the_parent_is_killed_the_child_ends_too() -> None:
    run = start("sleep")
    child = int(Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text())
    run.kill()
    run.communicate()
    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("it lives on")


@pytest.mark.slow
@pytest.mark.parametrize("room", [1 << 30, 3 << 29])
def test_a_command_without_memory_ends_in_a_sentence(room: int, tmp_path: Path) -> None:
    rows = 3_000_000
    frame = pl.select(age=pl.int_range(rows) % 97, town=pl.int_range(rows) % 1009, note=pl.int_range(rows).cast(str))
    frame.write_parquet(tmp_path / "people.parquet")
    (tmp_path / "policy.toml").write_text('public = ["age", "town"]\nprivate = ["note"]\n[require]\nk = 2\n')
    calm = {name: value for name, value in os.environ.items() if name != "KSPAN_DEBUG"}
    said = subprocess.run(
        [sys.executable, "-c", "from kspan.cli.main import run; run()", "anonymize", "people.parquet", "-p",
         "policy.toml", "-m", "mondrian", "-o", "out.parquet"],
        check=False, capture_output=True, text=True, cwd=tmp_path, env=calm,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (room, room)),
    )  # fmt: skip
    assert said.returncode == 2
    assert said.stderr.count("\n") == 1
    assert "memory" in said.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "policy.toml"]


def test_a_panic_of_a_library_quotes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def panics(*arguments: object, **named: object) -> int:
        raise pl.exceptions.PanicException("SECRET CELL")

    monkeypatch.delenv("KSPAN_DEBUG", raising=False)
    monkeypatch.setattr(cli, "app", panics)
    assert cli.main([]) == 2
    said = capsys.readouterr().err
    assert "a library gave up on cells of the data (PanicException" in said
    assert "SECRET" not in said
