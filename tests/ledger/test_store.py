"""A ledger gives back what was entered, finds people again, forgets, and refuses what it cannot trust."""

import os
import re
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from kspan.errors import FileError, KspanError, LedgerError
from kspan.ledger.entry import Release
from kspan.ledger.payload import Kept, Payload, packed_array, packed_document, unpacked_array, unpacked_document
from kspan.ledger.store import Store
from ledger.examples import contents, entered, filled, release

SENTENCE = re.compile(r"[^\n]+: [^\n]+[^.\n]")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "releases.ledger"


@pytest.fixture
def store(path: Path) -> Store:
    return Store.create(path)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_ledger_is_two_files_of_the_owner_alone(path: Path) -> None:
    before = os.umask(0)
    try:
        with Store.create(path) as store:
            assert store.entries() == []
            entered(store, "one", ["a"])
    finally:
        os.umask(before)
    key = path.with_name("releases.ledger.key")
    assert sorted(path.parent.iterdir()) == [path, key]
    assert (mode(path), mode(key), len(key.read_bytes())) == (0o600, 0o600, 32)


@pytest.mark.parametrize("there", ["releases.ledger", "releases.ledger.key"])
@pytest.mark.parametrize("dangling", [True, False])
def test_a_new_ledger_takes_nobodys_place(there: str, dangling: bool, path: Path) -> None:
    place = path.with_name(there)
    if dangling:
        place.symlink_to(path.with_name("nowhere"))
    else:
        place.write_text("mine")
    with pytest.raises(FileError, match="it is there already"):
        Store.create(path)
    assert list(path.parent.iterdir()) == [place]
    assert dangling or place.read_text() == "mine"


def test_what_was_entered_is_given_back(store: Store, path: Path) -> None:
    arrays: dict[str, Any] = {
        "group": np.array([[3, 1], [2, 0]], np.int16),
        "none": np.empty((0, 3), np.float32),
        "one": np.array(True),
    }
    entry = entered(store, "one", ["a"], Payload({"names": ["Ä", "b"], "of": {"x": [1, 2.5, None, True]}}, arrays))
    entered(store, "two", ["b"])
    store.close()
    with Store.open(path) as again:
        first, second = again.entries()
        assert first == entry
        assert {name: getattr(first, name) for name in vars(release("one"))} == vars(release("one"))
        assert (first.number, second.number, first.unsure, first.forgotten) == (1, 2, False, None)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", first.at)
        payload = again.payload(1)
        assert payload.document == {"names": ["Ä", "b"], "of": {"x": [1, 2.5, None, True]}}
        assert list(payload.arrays) == list(arrays)
        for name, array in arrays.items():
            assert payload.arrays[name].dtype == array.dtype
            np.testing.assert_array_equal(payload.arrays[name], array, strict=True)
        with pytest.raises(LedgerError, match="has no entry 3"):
            again.payload(3)


NUMBERS = st.one_of(hnp.boolean_dtypes(), hnp.integer_dtypes(), hnp.unsigned_integer_dtypes(), hnp.floating_dtypes())


@given(hnp.arrays(NUMBERS.filter(lambda kind: kind.itemsize <= 8), hnp.array_shapes(min_dims=0, min_side=0)))
def test_any_array_is_the_same_bit_by_bit(array: Any) -> None:
    packed, size = packed_array("a", array)
    kind = array.dtype.newbyteorder("<").str
    back = unpacked_array(packed, Kept(1, "", size, kind, array.shape))
    assert (back.shape, back.dtype) == (array.shape, array.dtype.newbyteorder("="))
    assert back.tobytes() == array.astype(array.dtype.newbyteorder("=")).tobytes()
    for wrong in (Kept(1, "", size + 8, kind, array.shape), Kept(1, "", size, kind, (*array.shape, 2))):
        if size or wrong.size:
            with pytest.raises(ValueError):  # noqa: PT011
                unpacked_array(packed, wrong)


def test_packed_bytes_that_are_more_than_was_said_are_not_unpacked() -> None:
    packed, size = packed_document({"a": "x" * 10_000_000})
    for wrong in (10, size - 1, size + 1, -1, 1 << 60):
        with pytest.raises(ValueError):  # noqa: PT011
            unpacked_document(packed, wrong)
    with pytest.raises(ValueError):  # noqa: PT011
        unpacked_document(packed[:-20], size)


@pytest.mark.parametrize("document", [{1: 2}, {"a": float("nan")}, {"a": (1, 2)}, {"a": b"x"}, {"a": {1, 2}}])
def test_a_document_that_would_come_back_as_another_is_refused(document: Any, store: Store) -> None:
    with pytest.raises(LedgerError, match="must be plain JSON"):
        entered(store, "x", ["a"], Payload(document))
    assert (store.entries(), store.people(pl.Series(["a"])).tolist()) == ([], [-1])


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([None]), np.array([1 + 2j]), np.array(["2020"], "M8[D]")])
def test_an_array_of_anything_else_is_refused(array: Any, store: Store) -> None:
    with pytest.raises(LedgerError, match="the array 'a' of an entry must have numbers"):
        entered(store, "x", ["a"], Payload({}, {"a": array}))


@pytest.mark.parametrize(
    "wrong",
    [{"fingerprint": "x"}, {"fingerprint": "A" * 64}, {"people": -1}, {"rows": 1.0}, {"people": True}, {"kind": None},
     {"recipient": 3}, {"policy": b""}],
)  # fmt: skip
def test_a_release_that_says_nonsense_is_refused(wrong: dict[str, Any], store: Store) -> None:
    with pytest.raises(LedgerError), store.writing() as writing:
        writing.enter(release(**wrong), Payload())
    assert store.entries() == []


@given(st.lists(st.lists(st.text(max_size=3), max_size=8), max_size=5), st.lists(st.text(max_size=3), max_size=8))
def test_people_have_the_numbers_of_a_dictionary(releases: list[list[str]], asked: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "l") as store:
        known: dict[str, int] = {}
        for ids in releases:
            for one in ids:
                known.setdefault(one, len(known))
            with store.writing() as writing:
                assert writing.people(pl.Series(ids, dtype=pl.String)).tolist() == [known[one] for one in ids]
        found = store.people(pl.Series(asked, dtype=pl.String))
        assert found.dtype == np.int64
        assert found.tolist() == [known.get(one, -1) for one in asked]


def test_whole_numbers_and_their_text_are_the_same_person(store: Store) -> None:
    entered(store, "x", ["7", "12"])
    assert store.people(pl.Series([12, 7, 8], dtype=pl.UInt8)).tolist() == [1, 0, -1]
    assert store.people(pl.Series(["12"], dtype=pl.Categorical)).tolist() == [1]


@pytest.mark.parametrize("ids", [[1.0], [None, "a"], [True], [["a"]]])
def test_identifiers_that_may_be_spelled_in_several_ways_are_refused(ids: list[Any], store: Store) -> None:
    with pytest.raises(LedgerError, match="identifiers"):
        store.people(pl.Series(ids))


def test_the_file_tells_nothing_of_people_without_the_key(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    blobs = []
    for place in (path, other):
        with Store.create(place) as store:
            entered(store, "x", ["patient-kowalski", "patient-nowak"], Payload())
            with store._reading() as book:
                blobs.append(store._shelf.known(book).tobytes())
        assert not any(word in place.read_bytes() for word in (b"patient", b"kowalski", b"nowak"))
    assert len(blobs[0]) == 32
    assert not {blobs[0][:16], blobs[0][16:]} & {blobs[1][:16], blobs[1][16:]}  # another key, another hash


def test_a_forgotten_release_stays_in_the_list(store: Store, path: Path) -> None:
    mark = "QXMARKED" * 3
    entered(store, "one", ["a"], Payload({}, {"a": np.frombuffer(np.random.default_rng(1).bytes(9000), np.uint8)}))
    packed = next(iter(store._shelf._database.execute("select content from pieces order by length(content) desc")))[0]
    entered(store, mark, ["b"])
    assert packed[200:300] in path.read_bytes()
    store.forget_release(1)
    assert packed[200:300] not in path.read_bytes()
    store.forget_release(1)  # again does no harm
    one, two = store.entries()
    assert one.forgotten is not None
    assert (one.name, one.number, two.forgotten) == ("one.csv", 1, None)
    assert store.payload(2).document == {"word": mark}
    with pytest.raises(LedgerError, match="was forgotten"):
        store.payload(1)
    with pytest.raises(LedgerError, match="has no entry 9"):
        store.forget_release(9)
    assert store.people(pl.Series(["a", "b"])).tolist() == [0, 1]
    store.forget_release(2)
    assert entered(store, "three", ["c"]).number == 3  # no number is used again


def test_a_forgotten_person_is_found_by_nobody_and_still_counts(store: Store, path: Path) -> None:
    entered(store, "one", ["a", "b", "c"])
    entered(store, "two", ["d", "b"])
    with store._reading() as book:
        old = store._shelf.known(book)[1].tobytes()
    assert old in path.read_bytes()
    assert store.forget_person("b")
    assert old not in path.read_bytes()
    assert not store.forget_person("b")
    assert not store.forget_person("z")
    assert store.people(pl.Series(["a", "b", "c", "d"])).tolist() == [0, -1, 2, 3]
    assert store.payload(1).arrays["people"].tolist() == [0, 1, 2]
    entered(store, "three", ["b", "a"])
    assert store.payload(3).arrays["people"].tolist() == [4, 0]  # somebody new


def test_after_an_exception_nothing_is_entered(store: Store) -> None:
    def fails() -> None:
        with store.writing() as writing:
            writing.people(pl.Series(["a"]))
            writing.enter(release(), Payload())
            assert len(store.entries()) == 1
            assert store.payload(1).document == {}
            assert store.people(pl.Series(["a"])).tolist() == [0]
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert (store.entries(), store.people(pl.Series(["a"])).tolist()) == ([], [-1])
    with store.writing() as writing:
        pass
    with pytest.raises(LedgerError, match="is over: begin another one"):
        writing.enter(release(), Payload())


def remade(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for statement in statements:
            database.execute(statement)


def replaced_by_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def replaced_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replaced_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def replaced_by_another_key(path: Path) -> None:
    path.write_bytes(bytes(32))


LEDGER_SPOILED: dict[str, tuple[Callable[[Path], Any], str]] = {
    "gone": (Path.unlink, "there is no ledger"),
    "link": (replaced_by_link, "is a link to somewhere else"),
    "folder": (replaced_by_folder, "is a folder"),
    "pipe": (replaced_by_pipe, "is no plain file"),
    "readable": (lambda path: path.chmod(0o640), "others may read the ledger .*: chmod 600 "),
    "text": (lambda path: path.write_text("a,b\n1,2\n" * 99), "is not a ledger"),
    "empty": (lambda path: path.write_text(""), "is not a ledger"),
    "other": (lambda path: remade(path, "pragma application_id = 7"), "is not a ledger"),
    "newer": (lambda path: remade(path, "pragma user_version = 2"), "was made by a newer kspan: install that one"),
    "older": (lambda path: remade(path, "pragma user_version = 0"), "is damaged"),
    "trigger": (
        lambda path: remade(path, "create trigger t after insert on entries begin delete from pieces; end"),
        "is damaged",
    ),
    "wal": (lambda path: remade(path, "pragma journal_mode = wal"), "is damaged"),
    "row": (lambda path: remade(path, "delete from entries where number = 1"), "is damaged"),
    "commits": (lambda path: remade(path, "delete from about where name = 'commits'"), "is damaged"),
    "number": (lambda path: remade(path, "update entries set number = 9 where number = 1"), "is damaged"),
    "kind": (lambda path: remade(path, "update entries set content = 'text'"), "is damaged"),
}
KEY_SPOILED: dict[str, tuple[Callable[[Path], Any], str]] = {
    "gone": (Path.unlink, "there is no key .*: put it back beside the ledger"),
    "link": (replaced_by_link, "the key .* is a link"),
    "folder": (replaced_by_folder, "the key .* is a folder"),
    "readable": (lambda path: path.chmod(0o604), "others may read the key .*: chmod 600 "),
    "short": (lambda path: path.write_bytes(b"x" * 31), "does not have 32 bytes"),
    "long": (lambda path: path.write_bytes(b"x" * 33), "does not have 32 bytes"),
    "other": (replaced_by_another_key, "is not that of the ledger"),
}


@pytest.mark.parametrize(
    ("ending", "spoiled"), [*(("", one) for one in LEDGER_SPOILED), *((".key", one) for one in KEY_SPOILED)]
)
def test_what_cannot_be_trusted_is_refused_in_a_sentence(ending: str, spoiled: str, path: Path) -> None:
    filled(path)
    spoil, said = (KEY_SPOILED if ending else LEDGER_SPOILED)[spoiled]
    spoil(path.with_name(path.name + ending))
    before = {one: one.read_bytes() for one in path.parent.iterdir() if one.is_file()}
    with pytest.raises(LedgerError, match=said) as refusal:
        Store.open(path)
    assert SENTENCE.fullmatch(str(refusal.value))
    after = {one: one.read_bytes() for one in path.parent.iterdir() if one.is_file()}
    assert spoiled == "wal" or after == before  # nothing is repaired


@pytest.mark.parametrize("place", ["/dev/zero", "/dev/null", ".", "/", "\0", "x" * 300, "missing/l"])
def test_no_ledger_is_there(place: str, tmp_path: Path) -> None:
    with pytest.raises(LedgerError) as refusal:
        Store.open(tmp_path / place)
    assert SENTENCE.fullmatch(str(refusal.value))
    with pytest.raises(KspanError):
        Store.create(tmp_path / place)


def test_a_ledger_behind_a_linked_folder_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    filled(tmp_path / "real" / "l")
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    assert contents(tmp_path / "linked" / "l") == contents(tmp_path / "real" / "l")


def test_releases_print_no_policy() -> None:
    assert "public" not in repr(Release(**vars(release())))


def test_many_new_people_are_kept_in_several_pieces(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kspan.ledger.writing.MOST_IN_PIECE", 3)
    ids = [f"{number}" for number in range(10)]
    entered(store, "x", ids)
    with store._reading() as book:
        assert len(book.people) == 4
    assert store.forget_person(7)
    assert store.people(pl.Series(ids)).tolist() == [-1 if number == 7 else number for number in range(10)]


def test_a_commit_is_on_the_disk_before_files_are_renamed(store: Store) -> None:
    # Kills do not show what a power failure would: 3 is EXTRA, which waits for the end of the journal as well.
    assert store._shelf._database.execute("pragma synchronous").fetchone() == (3,)
