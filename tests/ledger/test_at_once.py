"""Several processes use one ledger at once: no entry is lost, numbers are unique, and readers read on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from kspan.errors import LedgerError
from kspan.frames.commit import File, write_files
from kspan.ledger import shelf
from kspan.ledger.payload import Payload
from kspan.ledger.store import Store
from ledger import examples
from ledger.examples import entered, release

TESTS = Path(examples.__file__).parents[1]
ENTERS = """
import sys
from pathlib import Path
import polars as pl
from ledger.examples import release
from kspan.frames.commit import File, write_files
from kspan.ledger.payload import Payload
from kspan.ledger.store import Store
path, word = Path(sys.argv[1]), sys.argv[2]
for turn in range(20):
    with Store.open(path) as store:
        before = len(store.entries())
        with store.writing() as writing:
            numbers = writing.people(pl.Series([f"{turn + at}" for at in range(10)] + [f"{word}-{turn}"]))
            known = len(store.entries())
            assert known >= before
            entry = writing.enter(release(f"{word}-{turn}"), Payload({"before": known}, {"people": numbers}))
            write_files({path.with_name("out.csv"): File(f"{word}-{turn}".encode())}, entering=writing)
"""
HOLDS = """
import sys, time
import numpy as np
from ledger.examples import release
from kspan.ledger.payload import Payload
from kspan.ledger.store import Store
with Store.open(sys.argv[1]) as store, store.writing() as writing:
    noise = np.random.default_rng(1).integers(0, 256, 20_000_000, dtype=np.uint8)  # more than SQLite keeps in memory
    writing.enter(release("held"), Payload({}, {"noise": noise}))
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "l")


def started(program: str, *words: object) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(TESTS)}
    said = [sys.executable, "-c", program, *map(str, words)]
    return subprocess.Popen(said, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_no_entry_is_lost_and_numbers_are_unique(store: Store) -> None:
    runs = [started(ENTERS, store.path, f"run{number}") for number in range(4)]
    ended = [run.communicate()[1] for run in runs]
    assert [run.returncode for run in runs] == [0] * 4, ended
    entries = store.entries()
    assert [entry.number for entry in entries] == list(range(1, 81))
    assert {entry.recipient for entry in entries} == {f"run{run}-{turn}" for run in range(4) for turn in range(20)}
    # Everybody saw all who came before.
    assert [store.payload(entry.number).document["before"] for entry in entries] == list(range(80))
    numbers: dict[str, int] = {}
    for entry in entries:
        turn = int(str(entry.recipient).split("-")[1])
        ids = [*(f"{turn + at}" for at in range(10)), str(entry.recipient)]
        found = store.payload(entry.number).arrays["people"].tolist()
        for one, number in zip(ids, found, strict=True):
            assert numbers.setdefault(one, number) == number
    assert sorted(numbers.values()) == list(range(len(numbers)))
    assert store.path.with_name("out.csv").read_text() == entries[-1].recipient


@pytest.fixture
def holder(store: Store) -> subprocess.Popen[str]:
    """A command that holds the right to write, with a large entry that is not committed."""
    run = started(HOLDS, store.path)
    assert run.stdout is not None
    assert run.stdout.readline() == "held\n"
    return run


def test_readers_read_what_was_before_while_somebody_writes(store: Store, tmp_path: Path) -> None:
    entered(store, "one", ["a"])
    run = started(HOLDS, store.path)
    assert run.stdout is not None
    assert run.stdout.readline() == "held\n"
    began = time.monotonic()
    with Store.open(store.path) as reader:
        assert [entry.recipient for entry in reader.entries()] == ["one"]
        assert reader.payload(1).document == {"word": "one"}
        assert reader.people(pl.Series(["a"])).tolist() == [0]
    assert time.monotonic() - began < 5
    run.kill()
    run.communicate()


def test_a_writer_waits_tells_so_and_gives_up(
    store: Store, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "LONGEST_WAIT", 0.3)
    heard: list[float] = []
    said = r"another command is writing to the ledger .*: wait until it is done"
    with pytest.raises(LedgerError, match=said), store.writing(heard.append):
        pass
    assert len(heard) > 3
    assert heard == sorted(heard)
    assert store.entries() == []
    holder.kill()
    holder.communicate()


def test_the_right_to_write_ends_with_its_process(store: Store, holder: subprocess.Popen[str]) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    began = time.monotonic()
    with store.writing() as writing:
        writing.enter(release("next"), Payload())
        write_files({store.path.with_name("out.csv"): File(b"x")}, entering=writing)
    assert time.monotonic() - began < 5
    assert [(entry.number, entry.recipient) for entry in store.entries()] == [(1, "next")]


def test_only_one_of_several_makes_a_ledger(tmp_path: Path) -> None:
    program = "import sys; from kspan.ledger.store import Store; Store.create(sys.argv[1])"
    runs = [started(program, tmp_path / "new") for _ in range(4)]
    for run in runs:
        run.communicate()
    assert sorted(run.returncode for run in runs) == [0, 1, 1, 1]
    with Store.open(tmp_path / "new") as made:
        assert made.entries() == []
