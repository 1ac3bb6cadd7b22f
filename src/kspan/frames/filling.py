"""New files are filled in folders of drafts, with a plan of what is to become of them."""

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kspan.frames.drafts import BIRTH, PLAN, PREFIX, PROBE, Draft, LedgerOf, birth, settle_for, sync
from kspan.frames.locks import folder_locks, release, take

OWNER_ONLY = 0o600
CHUNK = 2**24


@dataclass(frozen=True)
class File:
    """The content of a file to be written, whether only its owner may read it, and whether it must not be there yet."""

    content: bytes = field(repr=False)
    owner_only: bool = False
    is_new: bool = False


def drafted(
    folders: Mapping[Path, Mapping[str, File]], stack: ExitStack, remove: Callable[[Path], None]
) -> list[Draft]:
    """Fill a locked folder of drafts beside the places in each folder; the stack removes them at its end."""
    drafts = []
    for folder, files in folders.items():
        # Under the lock of the folder, nobody can take the new draft for a leftover before it is locked itself.
        with folder_locks([folder]):
            settle_for(folder, files)
            at = Path(tempfile.mkdtemp(prefix=PREFIX, dir=folder))
            stack.callback(remove, at)
            stack.callback(release, take(at))
        fill(at / BIRTH, b"")
        usual = _usual_rights(at)
        names = {}
        for number, (name, file) in enumerate(files.items()):
            fill(at / str(number), file.content)
            names[str(number)] = (name, OWNER_ONLY if file.owner_only else _rights_of(folder / name, usual))
        drafts.append(Draft(at, names))
    return drafts


def plan(drafts: list[Draft], token: str, ledger: LedgerOf | None) -> None:
    """Write into each folder of drafts what is to become of it, under the token of the commit."""
    for draft in drafts:
        said: dict[str, Any] = {
            "token": token,
            "birth": birth(draft.at),
            "lead": str(drafts[0].at),
            "all": [str(one.at) for one in drafts],
            "names": draft.names,
        }
        if ledger is not None:
            said["ledger"] = ledger.seen_from(draft.at.parent)
        fill(draft.at / PROBE, json.dumps(said).encode())
        (draft.at / PROBE).replace(draft.at / PLAN)  # by a rename, so that there is never half a plan
        sync(draft.at)
        sync(draft.at.parent)  # an entry in a ledger may be on the disk before anything else of this folder is


def fill(path: Path, content: bytes) -> None:
    """Write a new file that only its maker may read, and wait until it is on the disk."""
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    with os.fdopen(opened, "wb", buffering=0) as out:
        view = memoryview(content)
        while view:  # in pieces, so that an interrupt is heard between them
            view = view[out.write(view[:CHUNK]) :]
        os.fsync(out.fileno())


def _usual_rights(at: Path) -> int:
    """The rights that a new file gets here; asking for the umask itself would change it for other threads."""
    probe = at / PROBE
    os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    mode = probe.stat().st_mode & 0o777
    probe.unlink()
    return mode


def _rights_of(path: Path, usual: int) -> int:
    """The rights of the file that is replaced, or the usual ones if there is none."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        return usual
