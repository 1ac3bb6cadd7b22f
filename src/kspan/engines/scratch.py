"""A folder where an engine writes what does not fit into its memory: nobody else can read it, and it does not stay."""

import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

from kspan.frames.locks import Held, release, take

PREFIX = ".kspan-engine-"


class Scratch:
    """A folder that is removed when it is not needed any more, and at the end of the program.

    It is locked as long as its program runs. What one left that was killed is not, and the next one removes it.
    """

    def __init__(self) -> None:
        _tidy(Path(tempfile.gettempdir()))
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.remove = weakref.finalize(self, _remove, self.path, take(self.path, patience=1.0))


def _tidy(place: Path) -> None:
    """Remove the folders of programs that have ended; those of other users cannot be locked."""
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(Held):
            lock = take(folder)
            if lock is not None:
                _remove(folder, lock)


def _remove(folder: Path, lock: int | None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    release(lock)
