"""Folders of drafts, where new files wait until they count, and what becomes of those that a killed command has left.

Such a folder may also come from a stranger's archive. So a plan counts only if it gives the inode and the time of the
file `birth` beside it, which nobody who packs an archive can know. A folder that holds anything but plain files of ours
is left alone.
"""

import json
import os
import re
import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kspan.frames.locks import Held, release, take

PREFIX = ".kspan-"
PLAN, MARK, BIRTH, PROBE = "plan.json", "committed", "birth", "probe"
OURS = re.compile(rf"[0-9]+|old-[0-9]+|{re.escape(PLAN)}|{MARK}|{BIRTH}|{PROBE}")
"""The names of files in a folder of drafts."""
MOST_PLAN = 1 << 20


@dataclass(frozen=True)
class Draft:
    """The new files of one folder: their names, their rights, and where they lie until they count."""

    at: Path
    names: dict[str, tuple[str, int]]
    """By the name of a file here: the name that it will have, and its rights."""

    def put_in_place(self) -> None:
        """Move the files that are still here to their places; doing it again does no harm."""
        for here, (name, mode) in self.names.items():
            if is_plain(self.at / here):
                (self.at / here).chmod(mode)
                (self.at / here).replace(self.at.parent / name)
        sync(self.at.parent)


def settle_locked(folder: Path) -> None:
    """Complete or remove what was left in a folder whose lock is held; what is in use stays."""
    for leftover in leftovers(folder):
        try:
            opened = take(leftover)
        except Held:
            continue
        if opened is None:  # without locks nobody can say whether it is in use
            continue
        try:
            _finish(leftover)
        finally:
            release(opened)


def leftovers(folder: Path) -> list[Path]:
    """Our own folders of drafts, which no other user can have put anything into."""
    with suppress(OSError), os.scandir(folder) as entries:
        found = [entry for entry in entries if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False)]
        return sorted(Path(entry.path) for entry in found if _is_ours(entry.stat(follow_symlinks=False)))
    return []


def _is_ours(status: os.stat_result) -> bool:
    return hasattr(os, "geteuid") and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _finish(leftover: Path) -> None:
    """Complete what was committed, and remove what was not; leave alone what is not ours."""
    if not all(OURS.fullmatch(path.name) and is_plain(path) for path in leftover.iterdir()):
        return
    if not os.path.lexists(leftover / PLAN):  # its command was killed before it could commit anything
        shutil.rmtree(leftover, ignore_errors=True)
        return
    plan = _plan(leftover)
    if plan is None:
        return
    lead_at = _found(plan["lead"], leftover)
    lead = _plan(lead_at)
    if lead and lead["token"] == plan["token"] and is_plain(lead_at / MARK):
        every = [(at, _plan(at)) for at in (_found(one, leftover) for one in lead["all"])]
        mine = [Draft(at, each["names"]) for at, each in every if each and each["token"] == plan["token"]]
        for draft in mine:
            draft.put_in_place()
        for draft in reversed(mine):  # the first has the mark, which goes last
            shutil.rmtree(draft.at, ignore_errors=True)
    shutil.rmtree(leftover, ignore_errors=True)


def _found(place: str, leftover: Path) -> Path:
    """Where a folder of drafts is now: beside `leftover`, another one of the same commit, if both were moved."""
    beside = leftover.with_name(Path(place).name)
    return beside if beside.is_dir() else Path(place)


def _plan(at: Path) -> dict[str, Any] | None:
    """The plan of a folder of drafts, or None if it was not made here; it can only name files beside the folder."""
    try:
        if not at.name.startswith(PREFIX) or not _is_ours(at.lstat()) or not is_plain(at / PLAN):
            return None
        if (at / PLAN).stat().st_size > MOST_PLAN:
            return None
        plan = json.loads((at / PLAN).read_bytes())
        names = {str(here): (str(name), int(mode) & 0o777) for here, (name, mode) in plan["names"].items()}
        if not all(_is_name(word) for here, (name, _) in names.items() for word in (here, name)):
            return None
        if plan["birth"] != birth(at):
            return None
        return {
            "token": str(plan["token"]),
            "lead": str(plan["lead"]),
            "all": [str(one) for one in plan["all"]],
            "names": names,
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None


def birth(at: Path) -> list[int]:
    """What identifies a folder of drafts: the inode and time of its file `birth`, which no unpacked copy can have."""
    status = (at / BIRTH).lstat()
    return [status.st_ino, status.st_ctime_ns]


def is_plain(path: Path) -> bool:
    """Is it an ordinary file, and not a link, a pipe or a device?"""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _is_name(word: str) -> bool:
    """Is it the plain name of a file, and not a path to another folder?"""
    return Path(word).name == word and word not in ("", ".", "..")


def sync(folder: Path) -> None:
    """Make sure that the names in a folder are on the disk; not every system can do that."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
