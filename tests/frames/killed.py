"""Writes new files over old ones in two folders, and kills itself at the n-th call of the system."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kspan.frames.commit import File, write_files

CALLS = ("open", "fsync", "mkdir", "link", "chmod", "replace", "rename", "unlink", "rmdir", "write")


def main(folder: Path, last: int, word: str) -> None:
    left = [last]

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*arguments: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **named)

        return counting

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))
    paths = [folder / "out.csv", folder / "out.csv.owner.json", folder / "pages" / "page.html"]
    write_files({path: File(f"{word} {path.name}".encode(), path.name.endswith("owner.json")) for path in paths})


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
