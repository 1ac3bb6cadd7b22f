"""Commands run in a process of their own, and whoever waits for it has the last word.

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
"""How processes end that ask for more memory than there is."""
PR_SET_PDEATHSIG = 1


def supervised(work: Callable[[], int], left: Callable[[], str], refuse: Callable[[str], int]) -> int:
    """The exit code of some work done in a child process; `left` says what was written when it died, `refuse` tells."""
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
    """Let the first signal to stop end the work as an interruption, and no other disturb its cleaning up."""

    def stop(number: int, frame: FrameType | None) -> None:
        for each in STOPS:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in STOPS:
        signal.signal(number, stop)


def _end_with(parent: int) -> None:
    """Let this process end when its parent is killed, where the system knows how."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(REFUSED)


def silence_libraries() -> None:
    """Let what libraries print past Python go nowhere: their last words may quote cells."""
    with suppress(OSError):
        sys.stderr.flush()
        spoken = os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        encoding, errors = sys.stderr.encoding, sys.stderr.errors
        sys.stderr = open(spoken, "w", buffering=1, encoding=encoding, errors=errors)  # noqa: PTH123, SIM115


def _send(child: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(child, number)
