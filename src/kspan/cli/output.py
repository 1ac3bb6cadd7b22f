"""What goes to stdout and stderr, whoever reads it: a person, a program, a pipe that closes early."""

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from kspan.cli.log import event, is_json
from kspan.errors import FileError

if TYPE_CHECKING:
    from rich.console import Console

    from kspan.audit.table.judge import Progress


def tell(text: str) -> None:
    """Write to stdout; characters that it cannot show are spelled out, and a reader that has gone is no error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        mute()
    except OSError as error:
        mute()
        raise FileError(f"cannot write to stdout: {(error.strerror or 'it is not writable').lower()}") from None


def tell_json(value: Any) -> None:
    """Write one JSON object to stdout, in plain ASCII if stdout cannot show all characters."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, allow_nan=False, indent=2)
    tell(text + "\n")


@contextmanager
def page() -> Iterator["Console"]:
    """Give a console for people, whose text is written at the end as a whole; it is wide if stdout is no terminal."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    width = get_terminal_size().columns if terminal else 160
    text = io.StringIO()
    yield Console(file=text, force_terminal=terminal, width=width, markup=False, highlight=False)
    # Not reached if something fails meanwhile: nothing is told by half.
    tell(text.getvalue())


@contextmanager
def progress(*, always: bool = False) -> Iterator["Progress"]:
    """Show steps of long work on stderr: a spinner in a terminal; in a pipe nothing, or plain lines if `always`.

    With --log-json, each step is a line of the log.
    """
    if is_json():
        yield lambda step: event("step", message=step)
        return
    if not sys.stderr.isatty():
        yield (lambda step: print(f"{step} ...", file=sys.stderr)) if always else (lambda step: None)
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:
        yield lambda step: status.update(f"{step} ...")


def mute() -> None:
    """Discard all further output to stdout, so that Python does not complain on exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
