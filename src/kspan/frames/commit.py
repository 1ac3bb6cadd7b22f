"""Write several files as one: whatever happens, either all old files or all new ones are there, complete.

New files are filled in a folder `.kspan-...` beside their places, which only their maker can open. When all are full, a
mark is set in that folder, and from then on the new files count: they are renamed into place, and whoever finds the
folder after a crash completes that. Without the mark, whoever finds the folder removes it. A folder that is in use is
locked, so that nobody takes it for a leftover; locks on places keep two commands from mixing their files.

If the files are entered in a ledger, the entry takes the place of the mark, so that there is one moment for both.
"""

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kspan.errors import FileError
from kspan.frames.drafts import LedgerOf, leftovers, settle_locked
from kspan.frames.filling import File as File
from kspan.frames.filling import drafted, plan
from kspan.frames.locks import Held, folder_lock, folder_locks
from kspan.frames.moment import Elsewhere, Entering, Moment
from kspan.frames.moment import has_committed as has_committed
from kspan.frames.places import check_place, reason

PATIENCE_OF_READERS = 5.0

_waiting: ContextVar["_Waiting | None"] = ContextVar("waiting", default=None)
"""What is to be written at the end of `together`; None outside of it."""


@dataclass
class _Waiting:
    files: dict[Path, File] = field(default_factory=dict)
    elsewhere: list[Elsewhere] = field(default_factory=list)
    entering: Entering | None = None

    def add(self, more: "_Waiting") -> None:
        if more.entering is not None:
            if self.entering not in (None, more.entering):
                raise FileError(f"{more.entering.ledger.path} is a second ledger of one command: name one ledger")
            more.entering.hold()
            self.entering = more.entering
        self.files.update(more.files)
        self.elsewhere += more.elsewhere

    def abandon(self) -> None:
        for one in self.elsewhere:
            one.abandon()
        if self.entering is not None:
            self.entering.abandon()


def write_files(
    files: Mapping[Any, File], elsewhere: Elsewhere | None = None, entering: Entering | None = None
) -> None:
    """Write each file at its path: all of them completely or none at all, even if the machine stops in the middle.

    What is written elsewhere, such as in a database, is committed when all files are ready to take their places. What
    is entered in a ledger is committed at the very moment from which on the files count.
    """
    places = {Path(path): file for path, file in files.items()}
    asked = _Waiting(places, [] if elsewhere is None else [elsewhere], entering)
    try:
        for path in asked.files:
            check_place(path)  # a rename would put a file in the place of a device
        waiting = _waiting.get()
        if waiting is None:
            _write(asked)
        else:
            waiting.add(asked)
    except BaseException:
        asked.abandon()
        raise


@contextmanager
def together() -> Iterator[None]:
    """Hold back all files that are written inside, and write them as one at the end; none, if something fails."""
    if _waiting.get() is not None:  # inside another `together`, whose end writes
        yield
        return
    asked = _Waiting()
    before = _waiting.set(asked)
    try:
        try:
            yield
        finally:
            _waiting.reset(before)
        # Not in `finally`: after an exception nothing is written.
        _write(asked)
    except BaseException:
        asked.abandon()
        raise


def content_of(path: Path) -> bytes | None:
    """The content that a file has, or will have at the end of `together`; None if there is no file."""
    waiting = _waiting.get()
    if waiting is not None and path in waiting.files:
        return waiting.files[path].content
    return path.read_bytes() if path.is_file() else None


def _write(asked: _Waiting) -> None:
    folders: dict[Path, dict[str, File]] = {}
    for path, file in asked.files.items():
        folders.setdefault(path.parent.resolve(), {})[path.name] = file
    moment = Moment(asked.elsewhere)
    ledger = None if asked.entering is None else asked.entering.ledger
    try:
        with ExitStack() as stack:
            drafts = drafted(folders, stack, moment.remove)
            plan(drafts, moment.token, ledger)
            with folder_locks(folders), _undisturbed():
                # Again, now under the locks: drafts may have taken long to fill.
                _check_places(asked.files, ledger)
                if asked.entering is None:
                    moment.mark(drafts)
                else:
                    moment.enter(drafts, asked.entering)
    except OSError as error:
        named = " and ".join(str(path) for path in asked.files)
        raise FileError(f"cannot write {named}: {reason(error)}{moment.left}") from None
    finally:
        asked.abandon()  # after a commit, it lets go of what is still held


def _check_places(files: Mapping[Path, File], ledger: LedgerOf | None) -> None:
    for path, file in files.items():
        check_place(path)
        if file.is_new and os.path.lexists(path):
            raise FileError(f"cannot make {path}: it is there already, name another place")
        if ledger is not None and path.parent.resolve() / path.name in ledger.files:
            raise FileError(f"cannot write {path}: it belongs to the ledger of this very command, name another file")


def settle(folder: Path) -> None:
    """Complete or remove what killed commands have left in a folder; what is in use stays."""
    if not leftovers(folder):
        return
    with folder_lock(folder):
        settle_locked(folder)


@contextmanager
def settled(path: Path) -> Iterator[None]:
    """Keep others from replacing a file, and what belongs to it, while they are read."""
    with ExitStack() as stack:
        # Where there is no lock to be had, reading goes on without one.
        with suppress(OSError, RuntimeError, Held):  # links that lead in a circle are a RuntimeError
            folder = path.parent.resolve()
            settle(folder)
            stack.enter_context(folder_lock(folder, shared=True, patience=PATIENCE_OF_READERS))
        yield


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold back signals that would end the command; only the main thread receives any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    stops = (signal.SIGINT, signal.SIGTERM)
    usual = {stop: signal.signal(stop, lambda number, frame: heard.append(number)) for stop in stops}
    try:
        yield
    finally:
        for stop, handler in usual.items():
            signal.signal(stop, handler if handler is not None else signal.SIG_DFL)
        if heard:
            signal.raise_signal(heard[0])
