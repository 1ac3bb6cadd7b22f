"""The one moment from which on new files count, and how it is undone where they cannot take their places."""

import contextlib
import mmap
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from kspan.errors import KspanError, MaybeWritten
from kspan.frames.drafts import MARK, Draft, LedgerOf, discard, settle_for, sync
from kspan.frames.entered import is_entered
from kspan.frames.filling import fill

_written = mmap.mmap(-1, 1)
"""Has anything been written? Shared with processes that this one starts by forking."""


Kept = dict[str, Path | None]
"""By the name of a file in a folder of drafts: the old file of its place, or None if there was none.

What could not be kept is not in it.
"""


class Elsewhere(Protocol):
    """Something that is written in another place than a file, at the same moment as the files."""

    def commit(self) -> None:
        """Make it count, or raise: `MaybeWritten` if nobody can say whether it counts."""

    def abandon(self) -> None:
        """Leave everything as it was; harmless after a commit."""


class Entering(Protocol):
    """Entries in a ledger, in a transaction that is still open, which make files count when it is committed."""

    @property
    def ledger(self) -> LedgerOf:
        """The ledger that they are entered in."""

    def hold(self) -> None:
        """Keep the transaction open until it is committed or abandoned."""

    def commit(self, token: str, drafts: Sequence[Path], *, unsure: bool) -> None:
        """Make the entries count under a token; unsure ones are of something that is committed elsewhere after them."""

    def confirm(self) -> None:
        """Say that the entries are no longer unsure."""

    def withdraw(self) -> None:
        """Take committed entries back."""

    def abandon(self) -> None:
        """Enter nothing; after a commit, only let go of the ledger."""


def has_committed() -> bool:
    """Has this process, or one that it forked, written anything?"""
    return _written[0] != 0


class Moment:
    """The one moment at which what was asked for counts, and what is done before and after it."""

    def __init__(self, elsewhere: Sequence[Elsewhere]) -> None:
        self.elsewhere = elsewhere
        self.token = secrets.token_hex(16)
        self.left = ""
        """What is to be said of things that stay when the rest has failed."""
        self._may_count = False

    def remove(self, at: Path) -> None:
        """Remove a folder of drafts, unless its files may count already."""
        if not self._may_count:
            discard(at)

    def mark(self, drafts: list[Draft]) -> None:
        """Make all drafts count by a mark, and put their files into place."""
        self._commit_elsewhere()
        if drafts:
            _commit(drafts)

    def enter(self, drafts: list[Draft], entering: Entering) -> None:
        """Make all drafts count by their entry in a ledger, and put their files into place."""
        kept = _ready(drafts)
        self._enter(drafts, entering)
        try:
            self._commit_elsewhere()
        except MaybeWritten:
            raise  # the entry stays unsure, which counts as released
        except Exception:
            if not self.left:  # nothing is there yet that the entry is about
                with suppress(KspanError):  # then it stays, and is unsure
                    entering.withdraw()
                    self._may_count = False
            raise
        if self.elsewhere:
            with suppress(KspanError):  # it stays unsure, which is the safe side
                entering.confirm()
        try:
            for draft in drafts:
                draft.put_in_place()
        except OSError:
            self._take_back(drafts, kept, entering)
            raise
        _written[0] = 1
        for draft in drafts:
            discard(draft.at)

    def _commit_elsewhere(self) -> None:
        for one in self.elsewhere:
            one.commit()
            _written[0] = 1
            self.left = "; what was written to the database stays"

    def _enter(self, drafts: list[Draft], entering: Entering) -> None:
        self._may_count = True
        try:
            entering.commit(self.token, [draft.at for draft in drafts], unsure=bool(self.elsewhere))
        except Exception:
            # A disk can fail when the commit is done, so what the ledger says counts, not what SQLite said.
            entered = is_entered([entering.ledger.path], entering.ledger.name, self.token)
            self._may_count = entered is not False
            if not entered:
                raise

    def _take_back(self, drafts: list[Draft], kept: list[Kept], entering: Entering) -> None:
        """Undo a commit whose files cannot all take their places: first the files, and the entry last.

        Until the entry is withdrawn it counts, and so does every new file, since each of them is in its draft again
        before the old one returns to its place. Whoever comes after a crash completes the release. When the entry goes,
        no new file is left in any place, so there is never a file without its entry. If a file cannot be taken back, or
        a table in a database cannot, the entry stays, and the drafts wait until they can be completed.
        """
        with contextlib.suppress(OSError, KspanError):
            if not self.left:
                for draft, old in zip(drafts, kept, strict=True):
                    _swap_back(draft, old)
                entering.withdraw()
                self._may_count = False
                return
        _written[0] = 1
        self.left += "; the release is entered in the ledger, and is completed as soon as that can be done"


def _commit(drafts: list[Draft]) -> None:
    """Make all drafts count at one moment by a mark, and put their files into place."""
    kept = _ready(drafts)
    mark = drafts[0].at / MARK
    fill(mark, b"")
    sync(mark.parent)
    try:
        for draft in drafts:
            draft.put_in_place()
    except OSError:
        mark.unlink()  # first: from here on nobody may complete what is being undone
        for draft, old in zip(drafts, kept, strict=True):
            for here, (name, _) in draft.names.items():
                _put_back(draft.at / here, draft.at.parent / name, old.get(here))
        raise
    _written[0] = 1
    for draft in reversed(drafts):  # the mark goes last
        discard(draft.at)


def _ready(drafts: list[Draft]) -> list[Kept]:
    """Settle the folders of all drafts, and keep the old files under other names."""
    for draft in drafts:
        # A command that was killed meanwhile comes first: completed later, its files would replace ours.
        settle_for(draft.at.parent, [name for name, _ in draft.names.values()])
    return [_kept(draft) for draft in drafts]


def _kept(draft: Draft) -> Kept:
    """Keep the old files under other names, in case a new file cannot take its place."""
    kept: Kept = {}
    for here, (name, _) in draft.names.items():
        old = draft.at / f"old-{here}"
        with suppress(OSError):
            try:
                old.hardlink_to(draft.at.parent / name)
                kept[here] = old
            except FileNotFoundError:
                kept[here] = None
    return kept


def _put_back(new: Path, place: Path, old: Path | None) -> None:
    """Undo the rename of a new file into its place, if it was done."""
    if not new.exists():  # it is no longer in its folder, so it was renamed
        with suppress(OSError):
            old.replace(place) if old else place.unlink()


def _swap_back(draft: Draft, kept: Kept) -> None:
    """Undo the renames of a draft that were done, so that no new file is lost, or raise an OSError."""
    for here, (name, _) in draft.names.items():
        new, place = draft.at / here, draft.at.parent / name
        if new.exists():
            continue
        if here not in kept:
            raise OSError  # a file system without second names: the old file is gone
        new.hardlink_to(place)
        old = kept[here]
        old.replace(place) if old else place.unlink()
    sync(draft.at)
    sync(draft.at.parent)
