"""Folders of drafts, where new files wait until they count, and what becomes of those that a killed command has left.

Such a folder may also come from a stranger's archive. So a plan counts only if it gives the inode and the time of the
file `birth` beside it, which nobody who packs an archive can know. A folder that holds anything but plain files of ours
is left alone.

A plan that names a ledger has no mark: its files count if its token is entered there. As long as nobody can ask that
ledger, the folder waits.
"""

import json
import os
import re
import shutil
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kspan.errors import FileError
from kspan.frames.entered import KEY, is_entered, is_private
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


@dataclass(frozen=True)
class LedgerOf:
    """The ledger that the files of a commit are entered in: where it is, and the name that it has for itself."""

    path: Path
    name: str

    @property
    def files(self) -> set[Path]:
        """The files that it consists of, which no release may replace."""
        return {self.path.with_name(f"{self.path.name}{ending}") for ending in ("", KEY, "-journal")}

    def seen_from(self, folder: Path) -> dict[str, str]:
        """What a plan says of it: the way from the folder helps where both were moved."""
        return {"path": str(self.path), "beside": os.path.relpath(self.path, folder), "name": self.name}


@dataclass(frozen=True)
class Plan:
    """What a folder of drafts says of itself and of the others of the same commit."""

    token: str
    lead: str
    every: list[str]
    names: dict[str, tuple[str, int]]
    ledgers: list[Path] = field(default_factory=list)
    """Where the ledger may be; none if a mark makes the files count."""
    ledger: str = ""


@dataclass(frozen=True)
class Waiting:
    """A folder of drafts whose ledger cannot be asked whether they count."""

    draft: Draft
    ledger: Path

    @property
    def places(self) -> set[str]:
        """The names of the files that may still come."""
        return {name for name, _ in self.draft.names.values()}


def settle_locked(folder: Path) -> list[Waiting]:
    """Complete or remove what was left in a folder whose lock is held; what is in use stays.

    What waits for a ledger that cannot be read stays as well, and is returned.
    """
    waiting = []
    for leftover in leftovers(folder):
        try:
            opened = take(leftover)
        except Held:
            continue
        if opened is None:  # without locks nobody can say whether it is in use
            continue
        try:
            if (one := _finish(leftover)) is not None:
                waiting.append(one)
        finally:
            release(opened)
    return waiting


def settle_for(folder: Path, names: Iterable[str]) -> None:
    """Settle a folder whose lock is held, and refuse to write a file that a release may still replace."""
    for waiting in settle_locked(folder):
        for name in sorted(waiting.places & set(names)):
            raise FileError(
                f"cannot write {folder / name}: a release waits in {waiting.draft.at} for its ledger {waiting.ledger}, "
                "which cannot be read: put the ledger back, or remove that folder if the ledger is gone for good"
            )


def leftovers(folder: Path) -> list[Path]:
    """Our own folders of drafts, which no other user can have put anything into."""
    with suppress(OSError), os.scandir(folder) as entries:
        found = [entry for entry in entries if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False)]
        return sorted(Path(entry.path) for entry in found if is_private(entry.stat(follow_symlinks=False)))
    return []


def _finish(leftover: Path) -> Waiting | None:
    """Complete what was committed, and remove what was not; leave alone what is not ours, and what has to wait."""
    if not all(OURS.fullmatch(path.name) and is_plain(path) for path in leftover.iterdir()):
        return None
    if not os.path.lexists(leftover / PLAN):  # its command was killed before it could commit anything
        discard(leftover)
        return None
    plan = _plan(leftover)
    if plan is None:
        return None
    counts = is_entered(plan.ledgers, plan.ledger, plan.token) if plan.ledgers else _is_marked(plan, leftover)
    if counts is None:
        return Waiting(Draft(leftover, plan.names), plan.ledgers[0])
    if counts:
        every = [(at, _plan(at)) for at in (_found(one, leftover) for one in plan.every)]
        mine = [Draft(at, each.names) for at, each in every if each and each.token == plan.token]
        for draft in mine:
            draft.put_in_place()
        for draft in reversed(mine):  # the first may have a mark, which goes last
            discard(draft.at)
    discard(leftover)
    return None


def discard(at: Path) -> None:
    """Remove a folder of drafts: its plan first, since a plan without all that belongs to it would be left alone."""
    with suppress(OSError):
        (at / PLAN).unlink(missing_ok=True)
    shutil.rmtree(at, ignore_errors=True)


def _is_marked(plan: Plan, leftover: Path) -> bool:
    lead_at = _found(plan.lead, leftover)
    lead = _plan(lead_at)
    return lead is not None and lead.token == plan.token and is_plain(lead_at / MARK)


def _found(place: str, leftover: Path) -> Path:
    """Where a folder of drafts is now: beside `leftover`, another one of the same commit, if both were moved."""
    beside = leftover.with_name(Path(place).name)
    return beside if beside.is_dir() else Path(place)


def _plan(at: Path) -> Plan | None:
    """The plan of a folder of drafts, or None if it was not made here; it can only name files beside the folder."""
    try:
        if not at.name.startswith(PREFIX) or not is_private(at.lstat()) or not is_plain(at / PLAN):
            return None
        if (at / PLAN).stat().st_size > MOST_PLAN:
            return None
        plan = json.loads((at / PLAN).read_bytes())
        names = {str(here): (str(name), int(mode) & 0o777) for here, (name, mode) in plan["names"].items()}
        if not all(_is_name(word) for here, (name, _) in names.items() for word in (here, name)):
            return None
        if plan["birth"] != birth(at):
            return None
        every = [str(one) for one in plan["all"]]
        found = Plan(str(plan["token"]), str(plan["lead"]), every, names)
        return found if plan.get("ledger") is None else _with_ledger(found, plan["ledger"], at)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None


def _with_ledger(plan: Plan, said: dict[str, Any], at: Path) -> Plan:
    places = [Path(str(said["path"])), Path(os.path.normpath(at.parent / str(said["beside"])))]
    return replace(plan, ledgers=places, ledger=str(said["name"]))


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
