"""How many bytes of this process are resident, now and at its peak, by the kernel's count of pages; Linux only."""

import ctypes
import gc
from pathlib import Path

STATUS, FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
FORGET_THE_PEAK = "5"


def possible() -> bool:
    """Does this system count the pages of a process as Linux does?"""
    return FORGET.exists()


def settled() -> int:
    """Give back what was freed, forget the peak so far, and say how many bytes are resident."""
    gc.collect()
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):
        libc.malloc_trim(0)
    FORGET.write_text(FORGET_THE_PEAK)
    return _status("VmRSS")


def peak() -> int:
    """The most bytes that were resident since then."""
    return _status("VmHWM")


def _status(key: str) -> int:
    lines = STATUS.read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(key))
