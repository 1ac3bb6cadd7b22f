"""What a command tells on stderr: sentences for people or, with --log-json, one JSON object a line for programs."""

import json
import re
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from kspan.frames.source import without_passwords
from kspan.version import __version__

OPTION = "--log-json"
WORD = re.compile("[a-z]{1,20}")
WITH_VALUE = ("--details",)
"""Options before the name of a command that are followed by a value."""
OUTCOMES = {0: "done and holds", 1: "does not hold", 2: "could not be asked"}
"""What the exit codes mean."""


@dataclass(frozen=True)
class _Log:
    command: str
    begun: float = field(default_factory=time.monotonic)


_log: _Log | None = None


def listen(arguments: Sequence[str]) -> None:
    """Log the command of these arguments as JSON, if they ask for that."""
    global _log
    before, rest = _divided(arguments)
    # Whatever else was typed in the place of a command may hold a password.
    _log = _Log(" ".join(word for word in rest if WORD.fullmatch(word))) if OPTION in before else None


def is_json() -> bool:
    """Is the command logged as JSON?"""
    return _log is not None


def event(name: str, level: str = "info", **facts: Any) -> None:
    """Log what happened, without cells of people; nothing is said to people who read along."""
    if _log is None:
        return
    moment = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = json.dumps({"time": moment, "level": level, "event": name, "command": _log.command, **facts})
    with suppress(OSError):  # nobody listens, or the disk of the log is full
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def notice(sentence: str, **facts: Any) -> None:
    """Say something beside the answer: to people the sentence alone, to programs also its facts."""
    if is_json():
        event("notice", message=_clean(sentence), **facts)
    else:
        print(sentence, file=sys.stderr)


def refused(sentence: str) -> None:
    """Say why a command does not do what it was asked for."""
    said = _clean(sentence)
    if is_json():
        event("refused", "error", message=said)
        return
    with suppress(OSError):
        print(f"kspan: {said}", file=sys.stderr)


def begin() -> None:
    """Log that the command begins."""
    event("begin", version=__version__)


def end(code: int) -> None:
    """Log how the command ended: this is the last line."""
    if _log is not None:
        seconds = round(time.monotonic() - _log.begun, 3)
        level = "info" if code == 0 else "warning" if code == 1 else "error"
        event("end", level, exit_code=code, outcome=OUTCOMES.get(code, "ended by the system"), seconds=seconds)


def _clean(sentence: str) -> str:
    # A net: whatever an address with a password was taken for, the password is not told.
    return without_passwords(" ".join(sentence.split()))


def _divided(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the options before the name of the command, and the words of that name.

    >>> _divided(["--log-json", "--details", "x", "share", "merge", "a.json"])
    (['--log-json', '--details'], ['share', 'merge'])
    """
    before, waiting = [], list(arguments)
    while waiting and waiting[0].startswith("-"):
        before.append(waiting.pop(0))
        if before[-1] in WITH_VALUE and waiting:
            waiting.pop(0)
    return before, waiting[: 2 if waiting[:1] == ["share"] else 1]
