"""Write several files as one: whatever happens, either all old files or all new ones are there, complete.

New files are filled in a folder `.kspan-...` beside their places, which only their maker can open. When all are full, a
mark is set in that folder, and from then on the new files count: they are renamed into place, and whoever finds the
folder after a crash completes that. Without the mark, whoever finds the folder removes it. A folder that is in use is
locked, so that nobody takes it for a leftover; locks on places keep two commands from mixing their files.
"""

import json
import mmap
import os
import secrets
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from kspan.errors import FileError
from kspan.frames.drafts import BIRTH, MARK, PLAN, PREFIX, PROBE, Draft, birth, leftovers, settle_locked, sync
from kspan.frames.locks import Held, folder_lock, folder_locks, release, take
from kspan.frames.places import check_place, reason

OWNER_ONLY = 0o600
CHUNK = 2**24
PATIENCE_OF_READERS = 5.0

_waiting: ContextVar["_Waiting | None"] = ContextVar("waiting", default=None)
"""What is to be written at the end of `together`; None outside of it."""
_commits = mmap.mmap(-1, 1)
"""Has anything been written? Shared with processes that this one starts by forking."""


@dataclass(frozen=True)
class File:
    """The content of a file to be written, and whether only its owner may read it."""

    content: bytes = field(repr=False)
    owner_only: bool = False


class Elsewhere(Protocol):
    """Something that is written in another place than a file, at the same moment as the files."""

    def commit(self) -> None:
        """Make it count, or raise."""

    def abandon(self) -> None:
        """Leave everything as it was; harmless after a commit."""


@dataclass
class _Waiting:
    files: dict[Path, File] = field(default_factory=dict)
    elsewhere: list[Elsewhere] = field(default_factory=list)

    def abandon(self) -> None:
        for one in self.elsewhere:
            one.abandon()


def has_committed() -> bool:
    """Has this process, or one that it forked, written anything?"""
    return _commits[0] != 0


def write_files(files: Mapping[Any, File], elsewhere: Elsewhere | None = None) -> None:
    """Write each file at its path: all of them completely or none at all, even if the machine stops in the middle.

    What is written elsewhere, such as in a database, is committed when all files are ready to take their places.
    """
    asked = _Waiting({Path(path): file for path, file in files.items()}, [] if elsewhere is None else [elsewhere])
    try:
        for path in asked.files:
            check_place(path)  # a rename would put a file in the place of a device
        waiting = _waiting.get()
        if waiting is None:
            _write(asked)
            return
    except BaseException:
        asked.abandon()
        raise
    waiting.files.update(asked.files)
    waiting.elsewhere += asked.elsewhere


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
    left = ""
    try:
        with ExitStack() as stack:
            drafts = _drafted(folders, stack)
            with folder_locks(folders), _undisturbed():
                # Again, now under the locks: drafts may have taken long to fill.
                for path in asked.files:
                    check_place(path)
                for one in asked.elsewhere:
                    one.commit()
                    _commits[0], left = 1, "; what was written to the database stays"
                if drafts:
                    _commit(drafts)
    except OSError as error:
        named = " and ".join(str(path) for path in asked.files)
        raise FileError(f"cannot write {named}: {reason(error)}{left}") from None


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


def _drafted(folders: Mapping[Path, Mapping[str, File]], stack: ExitStack) -> list[Draft]:
    """Fill a locked folder of drafts beside the places in each folder; the stack removes them at its end."""
    drafts = []
    for folder, files in folders.items():
        # Under the lock of the folder, nobody can take the new draft for a leftover before it is locked itself.
        with folder_locks([folder]):
            settle_locked(folder)
            at = Path(tempfile.mkdtemp(prefix=PREFIX, dir=folder))
            stack.callback(shutil.rmtree, at, ignore_errors=True)
            stack.callback(release, take(at))
        _fill(at / BIRTH, b"")
        usual = _usual_rights(at)
        names = {}
        for number, (name, file) in enumerate(files.items()):
            _fill(at / str(number), file.content)
            names[str(number)] = (name, OWNER_ONLY if file.owner_only else _rights_of(folder / name, usual))
        drafts.append(Draft(at, names))
    token = secrets.token_hex(8)
    for draft in drafts:
        plan = {
            "token": token,
            "birth": birth(draft.at),
            "lead": str(drafts[0].at),
            "all": [str(one.at) for one in drafts],
            "names": draft.names,
        }
        _fill(draft.at / PROBE, json.dumps(plan).encode())
        (draft.at / PROBE).replace(draft.at / PLAN)  # by a rename, so that there is never half a plan
        sync(draft.at)
    return drafts


def _commit(drafts: list[Draft]) -> None:
    """Make all drafts count at one moment, and put their files into place."""
    for draft in drafts:
        # A command that was killed meanwhile comes first: completed later, its files would replace ours.
        settle_locked(draft.at.parent)
    kept = [_kept(draft) for draft in drafts]
    mark = drafts[0].at / MARK
    _fill(mark, b"")
    sync(mark.parent)
    try:
        for draft in drafts:
            draft.put_in_place()
    except OSError:
        mark.unlink()  # first: from here on nobody may complete what is being undone
        for draft, old in zip(drafts, kept, strict=True):
            for here, (name, _) in draft.names.items():
                _put_back(draft.at / here, draft.at.parent / name, old.get(here))
        raise
    _commits[0] = 1
    for draft in reversed(drafts):  # the mark goes last
        shutil.rmtree(draft.at, ignore_errors=True)


def _kept(draft: Draft) -> dict[str, Path]:
    """Keep the old files under other names, in case a new file cannot take its place."""
    kept = {}
    for here, (name, _) in draft.names.items():
        with suppress(OSError):
            (draft.at / f"old-{here}").hardlink_to(draft.at.parent / name)
            kept[here] = draft.at / f"old-{here}"
    return kept


def _put_back(new: Path, place: Path, old: Path | None) -> None:
    """Undo the rename of a new file into its place, if it was done."""
    if not new.exists():  # it is no longer in its folder, so it was renamed
        with suppress(OSError):
            old.replace(place) if old else place.unlink()


def _fill(path: Path, content: bytes) -> None:
    """Write a new file that only its maker may read, and wait until it is on the disk."""
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    with os.fdopen(opened, "wb", buffering=0) as out:
        view = memoryview(content)
        while view:  # in pieces, so that an interrupt is heard between them
            view = view[out.write(view[:CHUNK]) :]
        os.fsync(out.fileno())


def _usual_rights(at: Path) -> int:
    """The rights that a new file gets here; asking for the umask itself would change it for other threads."""
    probe = at / PROBE
    os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    mode = probe.stat().st_mode & 0o777
    probe.unlink()
    return mode


def _rights_of(path: Path, usual: int) -> int:
    """The rights of the file that is replaced, or the usual ones if there is none."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        return usual


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
