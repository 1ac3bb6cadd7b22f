"""The one way to compile a loop: machine code is kept between runs where possible, and is never trusted blindly.

numba keeps what it compiles in files. A full disk may cut them short, an installation may be read-only, a home folder
may be missing. None of that may break a command: a damaged file counts as absent, and where no file can be written, the
loop is compiled again in each run.
"""

import hashlib
import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile

Function = TypeVar("Function", bound=Callable[..., Any])
DIGEST = hashlib.sha256().digest_size


def compiled(function: Function) -> Function:
    """Compile a plain serial function over arrays at its first call; while it runs, other threads can go on."""
    loop: Any = njit(nogil=True)(function)
    with suppress(RuntimeError, OSError):  # there is no place for files
        loop._cache = _KeptLoop(function)
    return loop  # type: ignore[no-any-return]


class _WholeFiles(IndexDataCacheFile):
    """Files of machine code that begin with their checksum; a damaged one counts as absent."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception:  # whatever unpickling half a file may raise
            return {}

    def _load_data(self, name: str) -> Any:
        with open(self._data_path(name), "rb") as file:  # noqa: PTH123
            digest, data = file.read(DIGEST), file.read()
        if hashlib.sha256(data).digest() != digest:
            raise OSError("a damaged file")  # which numba takes for one that is not there
        return pickle.loads(data)  # noqa: S301  # numba's own, as we wrote it

    def _save_data(self, name: str, data: Any) -> None:
        kept = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(hashlib.sha256(kept).digest() + kept)


class _KeptLoop(FunctionCache):
    """numba's cache of one function, in files that are checked."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        kept = self._cache_file
        self._cache_file = _WholeFiles(self._cache_path, self._impl.filename_base, kept._source_stamp)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code, unless the disk is full or may not be written."""
        with suppress(OSError):
            super().save_overload(sig, data)
