"""A folder where an engine writes what does not fit into its memory: nobody else can read it, and it does not stay."""

import os
import re
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

NAMED = re.compile(r"\.kspan-engine-(\d+)-\w+")


class Scratch:
    """A folder that is removed when it is not needed any more, and at the end of the program.

    What a program left that was killed is removed by the next one.
    """

    def __init__(self) -> None:
        _tidy(Path(tempfile.gettempdir()))
        self.path = Path(tempfile.mkdtemp(prefix=f".kspan-engine-{os.getpid()}-"))
        self.remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _tidy(place: Path) -> None:
    """Remove the folders of programs that have ended."""
    with suppress(OSError):
        for folder in place.iterdir():
            found = NAMED.fullmatch(folder.name)
            if found is not None and not _runs(int(found[1])):
                shutil.rmtree(folder, ignore_errors=True)  # of other users it cannot be removed


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
