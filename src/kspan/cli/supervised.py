"""Run each command in a child process, so that the parent, which only waits, always has the last word.

Compiled code does not hear signals, and libraries end the process when memory runs out. A parent that does nothing but
wait can always answer: an interrupted command ends at once, and one that died ends in a sentence and an exit code.
"""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

REFUSED = 2
GRACE = 2.0
"""Seconds in which an interrupted command may end by itself."""
STOPS = (signal.SIGINT, signal.SIGTERM)
OF_MEMORY = ("SIGABRT", "SIGKILL", "SIGBUS")
"""The signals that end a process that asks for more memory than there is."""
PR_SET_PDEATHSIG = 1


def supervised(work: Callable[[], int], left: Callable[[], str], refuse: Callable[[str], int]) -> int:
    """Do some work in a child process, and return its exit code.

    If the work died, `refuse` prints a sentence about it and returns the exit code; `left` says what was written.
    """
    # A fork copies only one thread, and locks that others hold would never be released.
    if not hasattr(os, "fork") or threading.active_count() > 1 or os.environ.get("KSPAN_DEBUG"):
        hear_once()
        return work()
    parent = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)  # until both sides listen
    child = os.fork()
    if child == 0:
        _end_with(parent)
        try:
            hear_once()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
            silence_libraries()
            code = work()
        except KeyboardInterrupt:  # just before or after the work, which hears for itself
            code = refuse(f"interrupted: {left()}")
        with suppress(OSError):
            sys.stderr.flush()
        os._exit(code)  # what has been said is the last word: libraries may still abort while they are taken down
    asked = []

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        _send(child, number)
        signal.setitimer(signal.ITIMER_REAL, GRACE)

    for number in STOPS:
        signal.signal(number, stop)
    signal.signal(signal.SIGALRM, lambda number, frame: _send(child, signal.SIGKILL))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    _, status = os.waitpid(child, 0)
    for number in STOPS:
        signal.signal(number, signal.SIG_IGN)
    # Signals are ignored by now: nothing is left to stop, and the last word must get out.
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    how = signal.Signals(os.WTERMSIG(status)).name
    if asked or how in [stop.name for stop in STOPS]:
        return refuse(f"interrupted: {left()}")
    if how in OF_MEMORY:
        return refuse(
            f"the system ended the work ({how}), most likely because memory ran out: {left()}; give fewer columns, or "
            "distinct rows with a weight"
        )
    return refuse(f"a defect in kspan or in a library that it uses ({how}): please report it")


def hear_once() -> None:
    """Let the first signal to stop interrupt the work, and ignore further ones, so that it can clean up."""

    def stop(number: int, frame: FrameType | None) -> None:
        for each in STOPS:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in STOPS:
        signal.signal(number, stop)


def _end_with(parent: int) -> None:
    """Let this process end when its parent is killed, on systems that can do that."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have been killed before the request was made.
    if os.getppid() != parent:
        os._exit(REFUSED)


def silence_libraries() -> None:
    """Discard what libraries print past Python, since their last words may quote cells."""
    with suppress(OSError):
        sys.stderr.flush()
        # Python goes on to write to the real stderr; file descriptor 2, which libraries use, leads nowhere.
        spoken = os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        encoding, errors = sys.stderr.encoding, sys.stderr.errors
        sys.stderr = open(spoken, "w", buffering=1, encoding=encoding, errors=errors)  # noqa: PTH123, SIM115


def _send(child: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(child, number)
