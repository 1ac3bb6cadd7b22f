"""A release and its entry are one: killed at any call, refused, undone, or written to a database."""

import errno
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kspan.errors import FileError, LedgerError, MaybeWritten
from kspan.frames.commit import File, settle, settled, together, write_files
from kspan.frames.drafts import PREFIX, Draft, birth
from kspan.ledger.entry import Release
from kspan.ledger.payload import Payload
from kspan.ledger.store import Store
from kspan.ledger.writing import Writing
from ledger import killed
from ledger.killed import FILES, REFUSED, Table, prepared, released

KILLED = Path(killed.__file__)
LEDGER = "releases.ledger"


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if PREFIX in str(path.relative_to(folder))]


def words(folder: Path) -> list[str | None]:
    """The first word of each file: which release it is of."""
    return [(folder / name).read_text().split()[0] if (folder / name).exists() else None for name in FILES]


def entered(folder: Path) -> list[str | None]:
    with Store.open(folder / LEDGER) as store:
        return [entry.recipient for entry in store.entries()]


def by_files(folder: Path) -> list[str | None]:
    """Whoever comes next looks at the files, from either folder."""
    with settled(folder / "out.csv"), settled(folder / "pages" / "page.html"):
        return words(folder)


def by_ledger(folder: Path) -> list[str | None]:
    """Whoever comes next opens the ledger, and the files are there without anybody looking at them."""
    entered(folder)
    return words(folder)


def run(base: Path, how: str) -> tuple[list[Path], int]:
    base.mkdir()
    done = subprocess.run([sys.executable, KILLED, base, how], check=False, capture_output=True, text=True)
    assert done.returncode in (0, REFUSED), done.stderr
    return sorted(base.iterdir(), key=lambda folder: int(folder.name)), done.returncode


@pytest.mark.slow
@pytest.mark.parametrize("how", ["over", "anew", "over refused", "anew refused"])
def test_killed_at_any_call_files_and_entry_agree(how: str, tmp_path: Path) -> None:
    old = "old" if "over" in how else None
    seen = []
    for look in (by_files, by_ledger):
        folders, code = run(tmp_path / look.__name__, how)
        assert len(folders) > 100
        assert code == (REFUSED if "refused" in how else 0)
        outcomes = []
        for folder in folders:
            found = look(folder)
            assert found in ([old] * 3, ["new"] * 3), folder
            assert entered(folder) == [word for word in ("old", "new") if word in (old, found[0])]
            settle(folder)
            settle(folder / "pages")
            assert (leftovers(folder), words(folder)) == ([], found)
            outcomes.append(found[0] == "new")
        seen.append(outcomes)
    assert seen[0] == seen[1]  # whoever looks first, it is the same
    assert any(seen[0])
    if "refused" in how:  # undone at the end: the commit counts for a while, and then no more
        first, last = seen[0].index(True), len(seen[0]) - seen[0][::-1].index(True)
        assert all(seen[0][first:last])
        assert last < len(seen[0])
    else:
        assert seen[0] == sorted(seen[0])  # there is one moment from which on the release counts


@pytest.mark.slow
def test_killed_at_any_call_no_table_of_a_database_is_without_its_entry(tmp_path: Path) -> None:
    folders, _ = run(tmp_path / "base", "over elsewhere")
    states = []
    for folder in folders:
        with closing(sqlite3.connect(folder / "other.db")) as database:
            (word,) = database.execute("select word from released").fetchone()
        with Store.open(folder / LEDGER) as store:
            entries = store.entries()
        is_entered, is_unsure = len(entries) == 2, entries[-1].unsure
        assert is_entered or word == "old"
        assert is_unsure or is_entered == (word == "new")
        assert words(folder) == ["new" if is_entered else "old"] * 3
        states.append((is_entered, is_unsure, word))
    kinds = [(False, False, "old"), (True, True, "old"), (True, True, "new"), (True, False, "new")]
    assert sorted(states, key=kinds.index) == states
    assert set(states) == set(kinds)


def release(word: str) -> Release:
    return Release(
        kind="table", name="out.csv", fingerprint="0" * 64, recipient=word, requirement="k=2", people=1, rows=1,
        method="m", policy="",
    )  # fmt: skip


def killed_after_commit(folder: Path, how: str = "over") -> None:
    """A release that is entered, and none of whose files is in its place yet."""
    pid = os.fork()
    if pid == 0:
        Draft.put_in_place = lambda self: os._exit(9)  # type: ignore[method-assign]
        try:
            released(folder, "new")
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9


@pytest.fixture
def cut_short(tmp_path: Path) -> Path:
    prepared(tmp_path, over_old=True, elsewhere=False)
    killed_after_commit(tmp_path)
    assert words(tmp_path) == ["old"] * 3
    assert len(leftovers(tmp_path)) > 2
    return tmp_path


def test_a_ledger_that_is_opened_completes_its_releases(cut_short: Path) -> None:
    assert entered(cut_short) == ["old", "new"]
    assert (words(cut_short), leftovers(cut_short)) == (["new"] * 3, [])
    assert (cut_short / "out.csv.owner.json").stat().st_mode & 0o777 == 0o600


def test_folders_of_drafts_are_forgotten_by_the_next_write(cut_short: Path) -> None:
    with Store.open(cut_short / LEDGER) as store:
        with store._reading() as book:
            assert len(book.drafts) == 1
        with store.writing() as writing:
            writing.enter(release("third"), Payload())
        with store._reading() as book:
            assert (book.drafts, len(book.tokens)) == ({}, 3)


def test_a_reader_of_files_goes_on_while_the_ledger_cannot_be_read(cut_short: Path) -> None:
    away = cut_short / "away"
    (cut_short / LEDGER).rename(away)
    before = leftovers(cut_short)
    assert by_files(cut_short) == ["old"] * 3
    assert leftovers(cut_short) == before
    away.rename(cut_short / LEDGER)
    assert by_files(cut_short) == ["new"] * 3
    assert leftovers(cut_short) == []


@pytest.mark.parametrize("what", ["gone", "rights", "link", "other", "damaged", "folder", "text"])
def test_a_writer_says_that_a_release_waits_for_its_ledger(what: str, cut_short: Path, tmp_path: Path) -> None:
    ledger, away = cut_short / LEDGER, tmp_path / "away"
    if what == "rights":
        ledger.chmod(0o640)
    elif what == "damaged":
        content = ledger.read_bytes()
        at = content.index(b'"tokens"') + 14
        ledger.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    else:
        ledger.rename(away)
        if what == "link":
            ledger.symlink_to(away)
        elif what == "other":
            (cut_short / f"{LEDGER}.key").unlink()
            Store.create(tmp_path / "second").close()
            (tmp_path / "second").rename(ledger)
        elif what == "folder":
            ledger.mkdir(mode=0o700)
        elif what == "text":
            ledger.write_text("no database")
            ledger.chmod(0o600)
    before = leftovers(cut_short)
    with pytest.raises(
        FileError, match=r"a release waits in .* for its ledger .*: put the ledger back, or remove that"
    ):
        write_files({cut_short / "out.csv": File(b"newest")})
    assert (words(cut_short), leftovers(cut_short)) == (["old"] * 3, before)
    write_files({cut_short / "another.csv": File(b"x")})  # nothing waits for this place
    assert leftovers(cut_short) == before


def test_a_commit_that_sqlite_did_not_finish_is_rolled_back_by_whoever_looks(tmp_path: Path) -> None:
    prepared(tmp_path, over_old=True, elsewhere=False)
    with closing(sqlite3.connect(tmp_path / LEDGER, isolation_level=None)) as database:
        database.execute("pragma cache_size = 1")
        database.execute("begin immediate")
        database.execute("update about set content = zeroblob(500000)")
        # What the disk has after a crash in the middle of a commit: changed pages, and a journal of the old ones.
        copies = {name: (tmp_path / name).read_bytes() for name in (LEDGER, f"{LEDGER}-journal")}
        database.execute("rollback")
    killed_after_commit(tmp_path)
    (tmp_path / LEDGER).write_bytes(copies[LEDGER])
    (tmp_path / f"{LEDGER}-journal").write_bytes(copies[f"{LEDGER}-journal"])
    (tmp_path / f"{LEDGER}-journal").chmod(0o600)
    with closing(sqlite3.connect(f"file:{tmp_path / LEDGER}?mode=ro", uri=True)) as database:
        with pytest.raises(sqlite3.OperationalError) as refusal:
            database.execute("select * from about")
        assert refusal.value.sqlite_errorname == "SQLITE_READONLY_ROLLBACK"
    # The ledger is that of the old release again, so the new one was never entered.
    assert by_files(tmp_path) == ["old"] * 3
    assert leftovers(tmp_path) == []
    assert entered(tmp_path) == ["old"]


def test_what_was_moved_with_its_ledger_is_completed_there(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    prepared(here, over_old=True, elsewhere=False)
    killed_after_commit(here)
    here.rename(there)
    prepared(here, over_old=False, elsewhere=False)  # another ledger in the old place must not be asked
    assert by_files(there) == ["new"] * 3
    assert leftovers(there) == []


def test_a_token_counts_for_ever(cut_short: Path) -> None:
    drafts = [path for path in cut_short.rglob(f"{PREFIX}*") if path.is_dir()]
    away = [path.rename(cut_short / f"away-{number}") for number, path in enumerate(drafts)]
    with Store.open(cut_short / LEDGER) as store, store.writing() as writing:
        writing.enter(release("third"), Payload())
    for path, back in zip(away, drafts, strict=True):
        path.rename(back)
    assert by_files(cut_short) == ["new"] * 3


@pytest.mark.parametrize("said", ["7", '{"path": "/etc/passwd"}', '{"path": 1, "beside": 2, "name": []}', "[]", '"x"'])
def test_a_plan_that_names_no_ledger_properly_moves_nothing(said: str, cut_short: Path) -> None:
    for plan in cut_short.rglob("plan.json"):
        plan.write_text(json.dumps({**json.loads(plan.read_text()), "ledger": json.loads(said)}))
    settle(cut_short)
    settle(cut_short / "pages")
    assert words(cut_short) == ["old"] * 3


def test_a_mark_does_not_stand_for_an_entry(tmp_path: Path) -> None:
    prepared(tmp_path, over_old=True, elsewhere=False)
    killed_after_commit(tmp_path)
    for plan in tmp_path.rglob("plan.json"):
        plan.write_text(json.dumps({**json.loads(plan.read_text()), "token": "1" * 32}))
        (plan.parent / "committed").write_text("")
        assert json.loads(plan.read_text())["birth"] == birth(plan.parent)
    assert by_files(tmp_path) == ["old"] * 3
    assert leftovers(tmp_path) == []


def failing(monkeypatch: pytest.MonkeyPatch, call: str, *turns: int) -> None:
    """Let the system refuse some calls that come after the commit."""
    usual, left, active = getattr(os, call), [-1], [False]
    committed = Writing.commit

    def commit(self: Writing, *arguments: Any, **named: Any) -> None:
        committed(self, *arguments, **named)
        active[0] = True

    def refusing(*arguments: Any, **named: Any) -> Any:
        left[0] += active[0]
        if active[0] and left[0] in turns:
            raise OSError(errno.ENOSPC, "No space left on device")
        return usual(*arguments, **named)

    monkeypatch.setattr(Writing, "commit", commit)
    monkeypatch.setattr(os, call, refusing)


@pytest.mark.parametrize("call", ["replace", "chmod"])
@pytest.mark.parametrize("turn", [0, 1, 2])
@pytest.mark.parametrize("over_old", [True, False])
def test_files_that_cannot_take_their_places_are_taken_back_with_their_entry(
    call: str, turn: int, over_old: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(tmp_path, over_old=over_old, elsewhere=False)
    failing(monkeypatch, call, turn)
    with pytest.raises(FileError, match=r"no space left on device$"):
        released(tmp_path, "new")
    monkeypatch.undo()
    old = "old" if over_old else None
    assert (words(tmp_path), leftovers(tmp_path)) == ([old] * 3, [])
    assert entered(tmp_path) == [old] * over_old
    released(tmp_path, "newer")
    with Store.open(tmp_path / LEDGER) as store:
        numbers = [entry.number for entry in store.entries()]
    assert numbers == ([1, 3] if over_old else [2])  # the number of what was taken back is not used again


def test_what_cannot_even_be_taken_back_is_completed_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared(tmp_path, over_old=True, elsewhere=False)
    failing(monkeypatch, "replace", 1, 2)
    with pytest.raises(FileError, match="the release is entered in the ledger, and is completed as soon as"):
        released(tmp_path, "new")
    monkeypatch.undo()
    assert leftovers(tmp_path)
    assert by_files(tmp_path) == ["new"] * 3
    assert entered(tmp_path) == ["old", "new"]


def test_without_second_names_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared(tmp_path, over_old=True, elsewhere=False)

    def no_link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_link)
    failing(monkeypatch, "replace", 1)
    with pytest.raises(FileError, match="is completed as soon as"):
        released(tmp_path, "new")
    monkeypatch.undo()
    assert (entered(tmp_path), words(tmp_path)) == (["old", "new"], ["new"] * 3)


def test_an_entry_that_the_disk_refuses_leaves_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared(tmp_path, over_old=True, elsewhere=False)

    def refusing(*_: object) -> None:
        raise sqlite3.OperationalError

    monkeypatch.setattr("kspan.ledger.shelf.write_book", refusing)
    with pytest.raises(LedgerError):
        released(tmp_path, "new")
    monkeypatch.undo()
    assert (words(tmp_path), leftovers(tmp_path), entered(tmp_path)) == (["old"] * 3, [], ["old"])


def test_a_commit_that_is_done_counts_whatever_was_said_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared(tmp_path, over_old=True, elsewhere=False)
    usual = Writing.commit

    def lying(self: Writing, *arguments: Any, **named: Any) -> None:
        usual(self, *arguments, **named)
        raise LedgerError("the disk does not read or write as it should")

    monkeypatch.setattr(Writing, "commit", lying)
    released(tmp_path, "new")
    monkeypatch.undo()
    assert (entered(tmp_path), words(tmp_path)) == (["old", "new"], ["new"] * 3)


class Refusing(Table):
    """A database that refuses at the last moment."""

    error: type[FileError] = FileError

    def commit(self) -> None:
        self.database.execute("rollback")
        raise self.error("cannot write the table: it is a view, name another one")


class Lost(Refusing):
    """A database that is lost at the last moment, so that nobody knows what it did."""

    error = MaybeWritten


@pytest.mark.parametrize(("kind", "there"), [(Refusing, ["old"]), (Lost, ["old", "new"])])
def test_a_database_that_refuses(
    kind: type[Refusing], there: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(tmp_path, over_old=True, elsewhere=True)
    monkeypatch.setattr(killed, "Table", kind)
    with pytest.raises(kind.error):
        released(tmp_path, "new", elsewhere=True)
    with Store.open(tmp_path / LEDGER) as store:
        entries = store.entries()
    assert [entry.recipient for entry in entries] == there
    assert [entry.unsure for entry in entries] == [word == "new" for word in there]
    assert (words(tmp_path), leftovers(tmp_path)) == ([there[-1]] * 3, [])


def test_files_that_fail_after_the_database_wait_with_their_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(tmp_path, over_old=True, elsewhere=True)
    failing(monkeypatch, "replace", 1)
    with pytest.raises(FileError, match="what was written to the database stays; the release is entered"):
        released(tmp_path, "new", elsewhere=True)
    monkeypatch.undo()
    with Store.open(tmp_path / LEDGER) as store:
        assert [(entry.recipient, entry.unsure) for entry in store.entries()] == [("old", False), ("new", False)]
    assert words(tmp_path) == ["new"] * 3


def test_all_that_is_written_together_is_entered_together(tmp_path: Path) -> None:
    with Store.create(tmp_path / LEDGER) as store:
        with together():
            for word in ("table", "tree"):
                with store.writing() as writing:
                    writing.enter(release(word), Payload())
                    write_files({tmp_path / word: File(word.encode())}, entering=writing)
                assert len(store.entries()) == 1 + (word == "tree")  # the second is judged with the first
            with Store.open(tmp_path / LEDGER) as other:
                assert other.entries() == []
            assert not (tmp_path / "table").exists()
        assert [entry.recipient for entry in store.entries()] == ["table", "tree"]
        with store._reading() as book:
            assert (len(book.tokens), len({record.token for record in book.records.values()})) == (1, 1)
    assert (tmp_path / "tree").read_text() == "tree"


def test_what_fails_before_the_end_of_together_is_not_entered(tmp_path: Path) -> None:
    with Store.create(tmp_path / LEDGER) as store:

        def fails() -> None:
            with together():
                with store.writing() as writing:
                    writing.enter(release("table"), Payload())
                    write_files({tmp_path / "table": File(b"x")}, entering=writing)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fails()
        assert store.entries() == []
        with store.writing(), Store.open(tmp_path / LEDGER):  # the lock is free again
            pass
    assert not (tmp_path / "table").exists()


def test_one_command_has_one_ledger(tmp_path: Path) -> None:
    with Store.create(tmp_path / "a") as one, Store.create(tmp_path / "b") as two:

        def both() -> None:
            with together():
                for number, store in enumerate((one, two)):
                    with store.writing() as writing:
                        writing.enter(release("x"), Payload())
                        write_files({tmp_path / f"out{number}": File(b"x")}, entering=writing)

        with pytest.raises(FileError, match="is a second ledger of one command: name one ledger"):
            both()
        assert one.entries() == two.entries() == []
    assert not list(tmp_path.glob("out*"))


def test_a_ledger_that_is_closed_before_the_end_of_together_is_committed_there(tmp_path: Path) -> None:
    Store.create(tmp_path / LEDGER).close()
    with together():
        with Store.open(tmp_path / LEDGER) as store, store.writing() as writing:
            writing.enter(release("table"), Payload())
            write_files({tmp_path / "table": File(b"x")}, entering=writing)
        assert not (tmp_path / "table").exists()
    assert (entered(tmp_path), (tmp_path / "table").read_bytes()) == (["table"], b"x")
    with pytest.raises(sqlite3.ProgrammingError):  # closed by now
        store.entries()


@pytest.mark.parametrize("ending", ["", ".key", "-journal"])
def test_no_release_takes_the_place_of_its_ledger(ending: str, tmp_path: Path) -> None:
    with Store.create(tmp_path / LEDGER) as store:
        before = sorted(tmp_path.iterdir())
        place = tmp_path / ".." / tmp_path.name / f"{LEDGER}{ending}"

        def write() -> None:
            with store.writing() as writing:
                writing.enter(release("x"), Payload())
                write_files({place: File(b"x")}, entering=writing)

        with pytest.raises(FileError, match="belongs to the ledger of this very command"):
            write()
        assert store.entries() == []
        assert sorted(tmp_path.iterdir()) == before


def test_what_was_cut_short_since_a_ledger_was_opened_comes_first(tmp_path: Path) -> None:
    prepared(tmp_path, over_old=True, elsewhere=False)
    with Store.open(tmp_path / LEDGER) as store:
        killed_after_commit(tmp_path)
        with store.writing() as writing:
            writing.enter(release("newest"), Payload())
            write_files({tmp_path / "out.csv": File(b"newest out.csv")}, entering=writing)
    assert entered(tmp_path) == ["old", "new", "newest"]
    assert (words(tmp_path), leftovers(tmp_path)) == (["newest", "new", "new"], [])


@pytest.mark.parametrize("name", ["a?mode=ro#b%41", "ä ö", "\udcff", "quote'\"", "-x"])
def test_names_that_sqlite_could_misread(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    prepared(folder, over_old=True, elsewhere=False)
    killed_after_commit(folder)
    assert by_files(folder) == ["new"] * 3
    assert entered(folder) == ["old", "new"]
    with Store.create(folder / name) as store:
        assert store.entries() == []
