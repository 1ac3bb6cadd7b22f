"""Locks on folders: they end with the process that holds them, however it ends."""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from kspan.errors import FileError

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

PATIENCE = 60.0
"""Seconds to wait for another command that is writing."""
PAUSE = 0.01


class Held(Exception):  # noqa: N818
    """Somebody else holds a lock."""


@contextmanager
def folder_lock(folder: Path, *, shared: bool = False, patience: float = PATIENCE) -> Iterator[None]:
    """Wait until nobody else writes in a folder; where folders cannot be locked, go on without."""
    opened = take(folder, shared=shared, patience=patience)
    try:
        yield
    finally:
        release(opened)


@contextmanager
def folder_locks(folders: Iterable[Path]) -> Iterator[None]:
    """Lock several folders, always in the same order, so that two commands never wait for each other."""
    with ExitStack() as locks:
        for folder in sorted(set(folders)):
            try:
                locks.enter_context(folder_lock(folder))
            except Held:
                raise FileError(f"another command is writing in {folder}: wait until it is done") from None
        yield


def take(folder: Path, *, shared: bool = False, patience: float = 0.0) -> int | None:
    """Lock a folder and return what `release` takes: None where folders cannot be locked.

    Raises `Held` if somebody else still holds the lock after `patience` seconds.
    """
    if fcntl is None:
        return None
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    kind = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(opened, kind)
            return opened
        except BlockingIOError:
            if time.monotonic() >= until:
                os.close(opened)
                raise Held from None
            time.sleep(PAUSE)
        except OSError:  # a file system without locks
            os.close(opened)
            return None
        except BaseException:
            os.close(opened)
            raise


def release(opened: int | None) -> None:
    """Release a lock; closing the folder ends it."""
    if opened is not None:
        with suppress(OSError):
            os.close(opened)
