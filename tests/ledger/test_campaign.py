"""The judge of the campaign against ledgers notices what must not be."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from campaigns.ledger import judged
from ledger.killed import prepared, released


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prepared(tmp_path, over_old=True, elsewhere=True)
    released(tmp_path, "new", elsewhere=True)
    assert judged(tmp_path, {"old", "new"}) == []
    return tmp_path


def test_a_file_without_its_entry_is_noticed(folder: Path) -> None:
    (folder / "pages" / "page.html").write_text("newest page.html")
    assert judged(folder, set()) == ["a file without its entry"]


def test_an_entry_without_its_files_is_noticed(folder: Path) -> None:
    (folder / "out.csv.owner.json").unlink()
    (folder / "pages" / "page.html").write_text("old page.html")
    assert judged(folder, set()) == ["an entry without its files"]
    (folder / "out.csv").write_text("new and changed")
    assert "a fingerprint is that of another file" in judged(folder, set())


def test_a_lost_entry_and_leftovers_are_noticed(folder: Path) -> None:
    (folder / ".kspan-x").mkdir()
    assert judged(folder, {"newer"}) == ["an entry is lost", "something is left over"]


def test_tables_without_entries_are_noticed(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "other.db", isolation_level=None)) as database:
        database.execute("update released set word = 'newest'")
        assert judged(folder, set()) == ["a table without its entry"]
        database.execute("update released set word = 'old'")
    assert judged(folder, set()) == ["an entry is sure of a table that is not there"]


def test_entries_that_are_doubled_are_noticed(folder: Path) -> None:
    shutil.copy(folder / "releases.ledger", folder / "copy")
    with closing(sqlite3.connect(folder / "releases.ledger", isolation_level=None)) as database:
        (content,) = database.execute("select content from entries where number = 2").fetchone()
        assert json.loads(content)["entry"]["recipient"] == "new"
        database.execute("insert into entries values (4, ?)", (content,))
    assert judged(folder, set()) == ["a release is entered twice", "numbers are not one after the other"]
