"""Writers that enter releases in a ledger are killed: then each file must have its entry, and each entry its files.

The writers, and whoever comes after a kill, use the product. The judge reads the files and the database by itself.
"""

import hashlib
import itertools
import json
import os
import random
import shutil
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from campaigns.figures import Budget, Figures, Find
from campaigns.running import ESCAPED

LEDGER = "releases.ledger"
FILES = ("out.csv", "out.csv.owner.json", "pages/page.html")
AFRESH = 25
"""A ledger is killed at so many times before a new one is begun."""
LONGEST = 0.12
"""Seconds after which a writer is killed at the latest; it enters several releases in that time."""
LEFT_OVER = "something is left over"
FOUND = {True: "the ledger first", False: "the files first"}


@dataclass(frozen=True)
class Way:
    """How many write at once, and whether they also write to a database."""

    name: str
    writers: int
    elsewhere: bool = False


WAYS = (Way("one writer", 1), Way("two writers at once", 2), Way("a writer with a database", 1, elsewhere=True))


def run(budget: Budget, rng: random.Random, figures: Figures, place: Path) -> None:
    """Kill writers of one ledger again and again, and look at what is left."""
    folder, way, done, left = place / "ledger", WAYS[0], set[str](), Counter[str]()
    for number in budget:
        if number % AFRESH == 0:
            way, done = WAYS[number // AFRESH % len(WAYS)], set()
            _begin(folder)
        began = time.monotonic()
        done |= _killed(folder, way, rng, f"{number}")
        first = rng.random() < 0.5
        what = f"{way.name}, {FOUND[first]}"
        left["drafts"] += bool(list(folder.rglob(".kspan-*")))
        left["a journal of SQLite"] += (folder / f"{LEDGER}-journal").exists()
        faults = _after(folder, done, first)
        figures.case(what, time.monotonic() - began)
        for fault in faults:
            shown = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
            figures.found(Find(f"{what}: {fault}", "killed", f"case {number}", shown))
        if faults:
            _begin(folder)
            done = set()
    figures.notes += [f"{times} kills left {what}" for what, times in left.items()]


def _after(folder: Path, done: set[str], ledger_first: bool) -> list[str]:
    """What is wrong when somebody has looked at the ledger or at the files, and then at both.

    Drafts that were never entered stay until somebody looks at their folder, since no ledger knows of them.
    """
    faults: list[str] = []
    for look in (ledger_first, not ledger_first):
        if code := _in_child(_look, folder, look):
            return [*faults, f"whoever comes next ends with {code}"]
        allowed = {LEFT_OVER} if look and ledger_first else set()
        faults += [fault for fault in judged(folder, done) if fault not in allowed]
    return faults


def _begin(folder: Path) -> None:
    from kspan.ledger.store import Store

    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pages").mkdir(parents=True)
    Store.create(folder / LEDGER).close()


def _killed(folder: Path, way: Way, rng: random.Random, word: str) -> set[str]:
    """Let writers write for a while, and kill them; the releases that they had said to be done."""
    read, write = os.pipe()
    children = [_forked(_write, folder, f"{word}.{at}", write, way) for at in range(way.writers)]
    os.close(write)
    # The first one is waited for, so that kills fall into releases, and not into what begins them.
    said = os.read(read, 1 << 16)
    time.sleep(rng.random() * LONGEST)
    for pid in rng.sample(children, len(children)):
        os.kill(pid, signal.SIGKILL)
        time.sleep(rng.random() * LONGEST / 4)
    for pid in children:
        os.waitpid(pid, 0)
    while more := os.read(read, 1 << 16):
        said += more
    os.close(read)
    return set(said.decode().split()) - {"ready"}


def _write(folder: Path, word: str, told: int, way: Way) -> None:
    import polars as pl

    from kspan.frames.commit import File, write_files
    from kspan.ledger.entry import Release
    from kspan.ledger.payload import Payload
    from kspan.ledger.store import Store

    os.write(told, b"ready\n")
    for turn in itertools.count():
        name = f"{word}.{turn}"
        files = {folder / one: File(f"{name} {one} {'x' * 3000}".encode(), "owner" in one) for one in FILES}
        with Store.open(folder / LEDGER) as store, store.writing() as writing:
            people = writing.people(pl.Series([f"person {number % 50}" for number in range(turn, turn + 20)]))
            release = Release(
                kind="table",
                name=FILES[0],
                fingerprint=hashlib.sha256(files[folder / FILES[0]].content).hexdigest(),
                recipient=name,
                requirement="k=2",
                people=20,
                rows=20,
                method="mondrian",
                policy="x" * 2000,
            )
            writing.enter(release, Payload({"name": name}, {"people": people}))
            write_files(files, _Table(folder / "other.db", name) if way.elsewhere else None, writing)
        os.write(told, f"{name}\n".encode())


class _Table:
    """A table of a database, which is committed after its entry."""

    def __init__(self, path: Path, word: str) -> None:
        self.database = sqlite3.connect(path, isolation_level=None)
        self.database.execute("begin immediate")
        self.database.execute("create table if not exists released (word)")
        self.database.execute("delete from released")
        self.database.execute("insert into released values (?)", (word,))

    def commit(self) -> None:
        self.database.execute("commit")

    def abandon(self) -> None:
        self.database.close()


def _look(folder: Path, ledger_first: bool) -> None:
    """What the next command does: it opens the ledger, or it reads the files."""
    from kspan.frames.commit import settled
    from kspan.ledger.store import Store

    if ledger_first:
        Store.open(folder / LEDGER).close()
    else:
        for name in FILES:
            with settled(folder / name):
                pass


def judged(folder: Path, done: set[str]) -> list[str]:
    """What must not be: files without their entry, an entry without its files, an entry that was lost."""
    with closing(sqlite3.connect(folder / LEDGER)) as database:
        rows = database.execute("select number, content from entries order by number").fetchall()
    entries: list[dict[str, Any]] = [json.loads(content)["entry"] for _, content in rows]
    faults = []
    if [number for number, _ in rows] != list(range(1, len(rows) + 1)):
        faults.append("numbers are not one after the other")
    if len({entry["recipient"] for entry in entries}) < len(entries):
        faults.append("a release is entered twice")
    if not done <= {entry["recipient"] for entry in entries}:
        faults.append("an entry is lost")
    last = entries[-1] if entries else None
    for name in FILES:
        there = (folder / name).read_bytes() if (folder / name).exists() else None
        word = None if there is None else there.split()[0].decode()
        if word != (last and last["recipient"]):
            known = word in {entry["recipient"] for entry in entries}
            faults.append("an entry without its files" if word is None or known else "a file without its entry")
    if last and hashlib.sha256((folder / FILES[0]).read_bytes()).hexdigest() != last["fingerprint"]:
        faults.append("a fingerprint is that of another file")
    if list(folder.rglob(".kspan-*")):
        faults.append(LEFT_OVER)
    if (folder / "other.db").exists():
        faults += _of_table(folder / "other.db", entries)
    return sorted(set(faults))


def _of_table(path: Path, entries: list[dict[str, Any]]) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        made = database.execute("select 1 from sqlite_schema where name = 'released'").fetchone()
        found = database.execute("select word from released").fetchone() if made else None
    by_word = {entry["recipient"]: entry for entry in entries}
    if found is not None and found[0] not in by_word:
        return ["a table without its entry"]
    sure = [entry["recipient"] for entry in entries if not entry["unsure"]]
    is_missing = bool(sure) and (found is None or by_word[found[0]]["number"] < by_word[sure[-1]]["number"])
    return ["an entry is sure of a table that is not there"] if is_missing else []


def _forked(action: Callable[..., None], *words: Any) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            action(*words)
            os._exit(0)
        finally:
            os._exit(ESCAPED)
    return pid


def _in_child(action: Callable[..., None], *words: Any) -> int:
    _, status = os.waitpid(_forked(action, *words), 0)
    return os.waitstatus_to_exitcode(status)
