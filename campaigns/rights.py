"""Giving up the rights of root, so that modes of files count."""

import ctypes
import os

DROP_BOUND = 24
"""The number of prctl that keeps a right from coming back with the next program."""
CAPABILITIES = range(41)
VERSION = 0x20080522


def can_give_up() -> bool:
    """Is this root, who may do everything, on a system where that can be given up?"""
    return os.geteuid() == 0 and hasattr(ctypes.CDLL(None), "capset")


def give_up() -> None:
    """From here on, be somebody for whom modes count, as the owner of the same files."""
    library = ctypes.CDLL(None, use_errno=True)
    for one in CAPABILITIES:
        library.prctl(DROP_BOUND, one, 0, 0, 0)
    header, none = (ctypes.c_uint32 * 2)(VERSION, 0), (ctypes.c_uint32 * 6)()
    if library.capset(ctypes.byref(header), ctypes.byref(none)):
        raise OSError(ctypes.get_errno(), "the rights of root cannot be given up")
