"""Enters a release and writes its files over old ones, again and again, killed at the first call of the system, at the
second, and so on, until it comes to its end; also the calls that SQLite makes are counted.
"""

import ctypes
import errno
import hashlib
import itertools
import os
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kspan.errors import FileError
from kspan.frames.commit import File, write_files
from kspan.ledger.entry import Release
from kspan.ledger.payload import Payload
from kspan.ledger.store import Store

CALLS = ("open", "fsync", "mkdir", "link", "chmod", "replace", "rename", "unlink", "rmdir", "write")
FILES = ("out.csv", "out.csv.owner.json", "pages/page.html")
REFUSED = 2

NUMBER, TEXT, ANY, LONG = ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_ssize_t
SQLITE_CALLS: dict[bytes, tuple[Any, ...]] = {  # what each gives, and what it takes
    b"open": (NUMBER, TEXT, NUMBER, NUMBER),
    b"close": (NUMBER, NUMBER),
    b"ftruncate": (NUMBER, NUMBER, LONG),
    b"fcntl": (NUMBER, NUMBER, NUMBER, ANY),
    b"pwrite": (LONG, NUMBER, ANY, LONG, LONG),
    b"pwrite64": (LONG, NUMBER, ANY, LONG, LONG),
    b"write": (LONG, NUMBER, ANY, LONG),
    b"unlink": (NUMBER, TEXT),
    b"openDirectory": (NUMBER, TEXT, ANY),
}


class Vfs(ctypes.Structure):
    """The door between SQLite and the system, as its header `sqlite3.h` declares it."""


SETTER = ctypes.CFUNCTYPE(NUMBER, ctypes.POINTER(Vfs), TEXT, ANY)
GETTER = ctypes.CFUNCTYPE(ANY, ctypes.POINTER(Vfs), TEXT)
Vfs._fields_ = [
    *((name, NUMBER) for name in ("version", "size", "longest")),
    *((name, ANY) for name in ("next", "name", "data")),
    *((f"method{number}", ANY) for number in range(13)),
    ("set_call", SETTER),
    ("get_call", GETTER),
    ("next_call", ANY),
]
kept: list[Any] = []
"""What SQLite calls must not be collected."""


def counted(call: Callable[..., Any], count: Callable[[], None]) -> Callable[..., Any]:
    def counting(*arguments: Any, **named: Any) -> Any:
        count()
        return call(*arguments, **named)

    return counting


def watch_sqlite(count: Callable[[], None]) -> None:
    """Count the calls that SQLite makes."""
    import _sqlite3

    library = ctypes.CDLL(_sqlite3.__file__)
    library.sqlite3_vfs_find.restype = ctypes.POINTER(Vfs)
    vfs = library.sqlite3_vfs_find(None)
    assert vfs.contents.version >= 3
    for name, kinds in SQLITE_CALLS.items():
        kind = ctypes.CFUNCTYPE(*kinds, use_errno=True)
        address = vfs.contents.get_call(vfs, name)
        if address is None:  # one of pwrite and pwrite64 is not built in
            assert name.startswith(b"pwrite")
            continue
        usual = kind(address)
        kept.append(kind(counted(usual, count)))
        assert vfs.contents.set_call(vfs, name, ctypes.cast(kept[-1], ANY)) == 0


def watch(last: int) -> None:
    """From here on, die at the n-th call."""
    left = [last]

    def count() -> None:
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name), count))
    watch_sqlite(count)


class Table:
    """A table that is written elsewhere: in a database of SQLite."""

    def __init__(self, path: Path, word: str) -> None:
        self.database = sqlite3.connect(path, isolation_level=None)
        self.database.execute("begin immediate")
        self.database.execute("create table if not exists released (word)")
        self.database.execute("delete from released")
        self.database.execute("insert into released values (?)", (word,))

    def commit(self) -> None:
        self.database.execute("commit")
        self.database.close()

    def abandon(self) -> None:
        self.database.close()


def released(folder: Path, word: str, *, elsewhere: bool = False) -> None:
    """Write the files of a release, and enter it."""
    files = {folder / name: File(f"{word} {name}".encode(), "owner" in name) for name in FILES}
    release = Release(
        kind="table",
        name="out.csv",
        fingerprint=hashlib.sha256(files[folder / FILES[0]].content).hexdigest(),
        recipient=word,
        requirement="k=2",
        people=3,
        rows=3,
        method="mondrian",
        policy="",
    )
    with Store.open(folder / "releases.ledger") as store, store.writing() as writing:
        writing.enter(release, Payload({"word": word}))
        write_files(files, Table(folder / "other.db", word) if elsewhere else None, writing)


def prepared(folder: Path, *, over_old: bool, elsewhere: bool) -> None:
    (folder / "pages").mkdir(parents=True)
    Store.create(folder / "releases.ledger").close()
    if over_old:
        released(folder, "old", elsewhere=elsewhere)


def refuse_renames() -> None:
    """Let the last file not take its place."""
    usual = os.replace

    def refusing(here: Any, there: Any) -> None:
        if Path(there).name == "page.html" and Path(here).name == "0":
            raise OSError(errno.ENOSPC, "No space left on device")
        usual(here, there)

    os.replace = refusing  # type: ignore[assignment]


def ending(folder: Path, last: int, how: str) -> int:
    try:
        if "refused" in how:
            refuse_renames()
        watch(last)
        released(folder, "new", elsewhere="elsewhere" in how)
    except FileError:
        return REFUSED
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def main(base: Path, how: str) -> None:
    for last in itertools.count():
        folder = base / str(last)
        prepared(folder, over_old="over" in how, elsewhere="elsewhere" in how)
        pid = os.fork()
        if pid == 0:
            os._exit(ending(folder, last, how))
        _, status = os.waitpid(pid, 0)
        if not os.WIFSIGNALED(status):
            sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
