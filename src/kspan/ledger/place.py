"""Where a ledger and its key lie, and who may read them."""

import os
import stat
from pathlib import Path

from kspan.errors import LedgerError
from kspan.frames.entered import KEY
from kspan.frames.places import reason

KEY_SIZE = 32


def key_path(path: Path) -> Path:
    """The place of the key of a ledger."""
    return path.with_name(f"{path.name}{KEY}")


def resolved(path: str | os.PathLike[str]) -> Path:
    """The one path of a ledger: all links are followed, but for a link in its own place, which is refused later."""
    place = Path(path)
    if not place.name or "\0" in place.name:
        raise LedgerError(f"{str(path)!r} is no name of a ledger: name a file")
    try:
        return place.parent.resolve() / place.name
    except (OSError, RuntimeError, ValueError) as error:
        raise LedgerError(f"cannot use the name {path}: {reason(error)}") from None


def check_private(path: Path, what: str, missing: str) -> None:
    """Refuse what is no plain file, or what others can read."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        raise LedgerError(f"there is no {what} {path}: {missing}") from None
    except (OSError, ValueError) as error:
        raise LedgerError(f"cannot use the {what} {path}: {reason(error)}") from None
    if stat.S_ISLNK(status.st_mode):
        raise LedgerError(f"the {what} {path} is a link to somewhere else: name the file itself")
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no plain file"
        raise LedgerError(f"the {what} {path} is {kind}: name a file")
    if not hasattr(os, "geteuid"):  # a system without such rights
        return
    if status.st_uid != os.geteuid():
        raise LedgerError(f"the {what} {path} belongs to another user: run the command as its owner")
    if status.st_mode & 0o077:
        raise LedgerError(f"others may read the {what} {path}: chmod 600 {path}")


def read_key(path: Path) -> bytes:
    """The key of a ledger, which must lie beside it."""
    place = key_path(path)
    check_private(place, "key", "put it back beside the ledger, which cannot be used without it")
    try:
        with place.open("rb") as file:
            key = file.read(KEY_SIZE + 1)
    except OSError as error:
        raise LedgerError(f"cannot read the key {place}: {reason(error)}") from None
    if len(key) != KEY_SIZE:
        raise LedgerError(f"the key {place} does not have {KEY_SIZE} bytes: put the right one back")
    return key
