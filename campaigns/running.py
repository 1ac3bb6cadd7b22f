"""Running kspan: as a process of its own, or many commands one after another in a process that may hang or die."""

import contextlib
import fcntl
import io
import json
import os
import pkgutil
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

HUNG, ESCAPED = 124, 70
"""What is told in place of an exit code: it did not end in time; something escaped that no command lets through."""
PIPE = 1 << 20
"""What a command may say without being read."""
MEMORY = 6 << 30
"""More than this a worker cannot take, so that the machine lives on."""


@dataclass(frozen=True)
class Run:
    """How a command ended: its exit code (negative: the signal), what it said, how long and how much it took."""

    code: int
    out: str
    err: str
    seconds: float
    grown: int = 0


def warm() -> None:
    """Import all of kspan without running any of it, so that a fork need not."""
    import kspan

    for module in pkgutil.walk_packages(kspan.__path__, "kspan."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


def command(argv: Sequence[str]) -> str:
    """A command as it is typed."""
    return " ".join(
        ["kspan", *(word if word and word.isprintable() and " " not in word else repr(word) for word in argv)]
    )


class Child:
    """A forked process that runs one command in a folder; what it says goes through pipes, never into files."""

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        *,
        env: Mapping[str, str] | None = None,
        before: Callable[[], Any] | None = None,
    ) -> None:
        self.began = time.monotonic()
        pipes = [os.pipe() for _ in range(2)]
        for read, _ in pipes:
            fcntl.fcntl(read, fcntl.F_SETPIPE_SZ, PIPE)
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            code = ESCAPED
            try:
                code = _as_command(argv, folder, [write for _, write in pipes], env or {}, before)
            finally:
                os._exit(code)
        self.said = [read for read, _ in pipes]
        for _, write in pipes:
            os.close(write)

    def ended(self, seconds: float) -> Run | None:
        """How it ended, if it does within so many seconds."""
        end = time.monotonic() + seconds
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return self._run(os.waitstatus_to_exitcode(status))
            if time.monotonic() >= end:
                return None
            time.sleep(0.002)

    def wait(self, seconds: float = 120) -> Run:
        """How it ended; it is killed if it does not."""
        return self.ended(seconds) or self.kill(HUNG)

    def kill(self, code: int | None = None) -> Run:
        """Kill it at once."""
        os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        return self._run(os.waitstatus_to_exitcode(status) if code is None else code)

    def _run(self, code: int) -> Run:
        seconds = time.monotonic() - self.began
        out, err = (_drained(read) for read in self.said)
        return Run(code, out, err, seconds)


def _drained(read: int) -> str:
    with os.fdopen(read, "rb") as file:
        os.set_blocking(read, False)
        return (file.read() or b"").decode(errors="replace")


class Worker:
    """A forked process that runs many commands, and another one whenever it hangs or dies."""

    def __init__(self, said: Path, *, seconds: float = 10) -> None:
        self.said, self.seconds = said, seconds
        said.mkdir(parents=True, exist_ok=True)
        self.pid = 0

    def run(self, argv: Sequence[str], folder: Path, *, call: str = "kspan.cli.main:main") -> Run:
        """Run a command in a folder; `call` is the function that takes its words."""
        if not self.pid:
            self._begin()
        began = time.monotonic()
        request = json.dumps({"argv": list(argv), "folder": str(folder), "call": call})
        os.write(self.to, request.encode() + b"\n")
        ready, _, _ = select.select([self.back], [], [], self.seconds)
        answer = os.read(self.back, 4096) if ready else b""
        seconds = time.monotonic() - began
        if answer:
            code, grown = json.loads(answer)
        else:
            if not ready:
                os.kill(self.pid, signal.SIGKILL)
            _, status = os.waitpid(self.pid, 0)
            code, grown = os.waitstatus_to_exitcode(status) if ready else HUNG, 0
            self._forget()
        out, err = ((self.said / name).read_bytes().decode(errors="replace") for name in ("stdout", "stderr"))
        return Run(code, out, err, seconds, grown)

    def close(self) -> None:
        """End the process."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self._forget()

    def _begin(self) -> None:
        read, self.to = os.pipe()
        self.back, write = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.to)
            os.close(self.back)
            try:
                _serve(read, write, self.said)
            finally:
                os._exit(0)
        os.close(read)
        os.close(write)

    def _forget(self) -> None:
        os.close(self.to)
        os.close(self.back)
        self.pid = 0


def _serve(read: int, write: int, said: Path) -> None:
    from kspan.cli.supervised import silence_libraries

    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))  # of addresses alone scripts of charts take more
    with os.fdopen(read) as requests:
        for line in requests:
            request = json.loads(line)
            os.chdir(request["folder"])
            _speak_into(said)
            silence_libraries()  # as a command does
            with contextlib.suppress(OSError):
                Path("/proc/self/clear_refs").write_text("5")
            before = _status("VmRSS")
            module, _, name = request["call"].partition(":")
            code = _ending(lambda: getattr(import_module(module), name)(request["argv"]))  # noqa: B023
            os.chdir("/")
            os.write(write, json.dumps([code, _status("VmHWM") - before]).encode())


def _as_command(
    argv: Sequence[str], folder: Path, said: Sequence[int], env: Mapping[str, str], before: Callable[[], Any] | None
) -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.update(env)
    os.chdir(folder)
    _speak(said)
    if before is not None:
        before()
    sys.argv = ["kspan", *argv]
    from kspan.cli.main import run

    return _ending(run)


def _ending(action: Callable[[], Any]) -> int:
    """The exit code of an action, whatever it raises."""
    try:
        code = action()
        code = code if isinstance(code, int) else 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0
    except BaseException:
        traceback.print_exc()
        code = ESCAPED
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    return code


def _speak_into(said: Path) -> None:
    """Let what is said from here on go into two files, also what libraries write past Python."""
    _speak([os.open(said / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644) for name in ("stdout", "stderr")])


def _speak(files: Sequence[int]) -> None:
    for number, file in enumerate(files, start=1):
        os.dup2(file, number)
        os.close(file)
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.FileIO(number, "w", closefd=False), "utf-8", write_through=True) for number in (1, 2)
    )


def _status(key: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) << 10
    return 0
