"""Trees are read from files, folders and URLs, and whatever is wrong with them is one sentence that hides secrets."""

import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fsspec
import pytest

from kspan.errors import FileError, KspanError, ModelError
from kspan.model.tree.json import save_tree, tree_json
from kspan.model.tree.model import Node, Tree
from kspan.model.tree.release import TreeRelease
from kspan.share import source
from kspan.share.source import read_sources, shown

LEAF = TreeRelease(Tree((), "risk", "private", ("bad", "good"), Node.of_counts((4, 2))))
OTHER = TreeRelease(Tree((), "risk", "private", ("bad", "good"), Node.of_counts((1, 1))))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_tree(OTHER, tmp_path / "b.json")
    save_tree(LEAF, tmp_path / "a.json")
    (tmp_path / "notes.txt").write_text("no tree")
    return tmp_path


def test_files_and_folders_are_read_in_order(folder: Path) -> None:
    found = read_sources([folder])
    assert [Path(one.name).name for one in found] == ["a.json", "b.json"]
    assert [one.release for one in found] == [LEAF, OTHER]
    assert [one.release for one in read_sources([folder / "b.json", str(folder / "a.json")])] == [OTHER, LEAF]


def test_urls_are_read(folder: Path) -> None:
    assert [one.release for one in read_sources([f"file://{folder}/a.json"])] == [LEAF]
    assert [one.release for one in read_sources([f"file://{folder}"])] == [LEAF, OTHER]
    memory = fsspec.filesystem("memory")
    memory.pipe("/kspan-trees/y.json", tree_json(OTHER).encode())
    memory.pipe("/kspan-trees/x.json", tree_json(LEAF).encode())
    try:
        assert [one.release for one in read_sources(["memory://kspan-trees/x.json"])] == [LEAF]
        found = read_sources(["memory://kspan-trees"])
        assert [one.release for one in found] == [LEAF, OTHER]
        assert found[0].name == "memory:///kspan-trees/x.json"
        with pytest.raises(FileError, match=r"memory://.*x.json is given twice"):
            read_sources(["memory://kspan-trees", "memory://kspan-trees/x.json"])
    finally:
        memory.rm("/kspan-trees", recursive=True)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *said: Any) -> None:
        pass


@pytest.fixture
def server(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        yield f"127.0.0.1:{serving.server_address[1]}"
        serving.shutdown()
        thread.join()


def test_trees_are_fetched_from_the_web(server: str) -> None:
    assert [one.release for one in read_sources([f"http://{server}/a.json"])] == [LEAF]
    with pytest.raises(
        FileError, match=r"cannot read http://127.0.0.1:\d+/none.json: nothing is there, or nobody answers"
    ) as told:
        read_sources([f"http://ann:secret@{server}/none.json?key=hidden"])
    assert "secret" not in str(told.value)
    assert "hidden" not in str(told.value)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("s3://key:secret@bucket/tree.json", "s3://bucket/tree.json"),
        ("https://host/a.json?sig=secret#x", "https://host/a.json"),
        ("simplecache::https://u:p@host/a.json", "simplecache::https://host/a.json"),
        ("https://[u:p@host/a.json", "https://..."),
        ("folder/tree?.json", "folder/tree?.json"),
    ],
)
def test_secrets_of_a_url_are_not_shown(place: str, name: str) -> None:
    assert shown(place) == name


def test_the_same_place_twice_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for again in ["a.json", f"{folder}/../{folder.name}/a.json", f"file://{folder}/a.json", str(folder)]:
        with pytest.raises(FileError, match=r"a.json is given twice, so its people would count twice"):
            read_sources([folder / "a.json", again])


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"holds no .json file"):
        read_sources([tmp_path])
    memory = fsspec.filesystem("memory")
    memory.makedirs("/kspan-empty", exist_ok=True)
    with pytest.raises(FileError, match=r"the folder memory://kspan-empty holds no .json file"):
        read_sources(["memory://kspan-empty"])
    memory.rmdir("/kspan-empty")


def test_too_much_is_refused_before_it_is_parsed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MOST_BYTES", 100)
    with pytest.raises(FileError, match=r"a.json is larger than 100 bytes"):
        read_sources([folder / "a.json"])
    monkeypatch.undo()
    monkeypatch.setattr(source, "MOST_SOURCES", 1)
    with pytest.raises(FileError, match="more than 1 trees are given"):
        read_sources([folder])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is not JSON"),
        (b"\xff\xfe{", "is not UTF-8"),
        (tree_json(LEAF).encode()[:-9], "is not JSON"),
        (b"[1, 2]", "a JSON object is expected"),
        (b'{"format": "kspan/naive-bayes", "version": 1}', "no tree that kspan wrote"),
        (b'{"a": NaN}', "NaN is no number"),
        (b"[" * 200_000, "nested too deeply"),
        (tree_json(LEAF).replace("[4, 2]", "[4, -2]").encode(), "must be a number of people"),
        (tree_json(LEAF).replace("[4, 2]", "[4, 1e999]").encode(), "must be a number of people"),
    ],
)
def test_what_is_no_tree_is_refused_by_name(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    with pytest.raises(KspanError, match=says) as told:
        read_sources([tmp_path / "bad.json"])
    assert "bad.json" in str(told.value)
    assert isinstance(told.value, FileError | ModelError)


def test_what_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    for place in [tmp_path / "none.json", f"file://{tmp_path}/none.json"]:
        with pytest.raises(FileError, match=r"cannot read .*none.json: no such file or directory"):
            read_sources([place])
    with pytest.raises(FileError, match=r"cannot read memory://none.json: nothing is there, or nobody answers"):
        read_sources(["memory://none.json"])
    with pytest.raises(FileError, match="cannot read"):
        read_sources(["a\0b"])
    with pytest.raises(FileError, match=r"cannot read nowhere://x: only file, local, .* are read; copy the tree"):
        read_sources(["nowhere://x"])


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(FileError, match=r"cannot read s3://bucket/a.json, a package .* not installed: Install s3fs"):
        read_sources(["s3://key:secret@bucket/a.json"])


@pytest.mark.parametrize(
    "url",
    [
        "reference://tree.json",
        "reference://?fo=refs.json",
        "REFERENCE://tree.json",
        "simplecache::https://127.0.0.1/tree.json",
        "reference://x::memory://refs.json",
        "zip://tree.json::file:///trees.zip",
        "filecache://tree.json",
        "generic://tree.json",
        "github://owner:name@/tree.json",
        "python://tree.json",
        "cached://x",
        "ssh://127.0.0.1/tree.json",
        "data:text/plain,x://",
    ],
)
def test_only_plain_places_are_read(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fsspec.core, "url_to_fs", lambda url: pytest.fail("it was opened"))
    with pytest.raises(FileError, match=r"copy the tree to a file"):
        read_sources([url])


@pytest.mark.parametrize("secret", ["p#ss", "p?ss", "p/ss", "p@ss", "pass"])
def test_no_part_of_a_password_is_shown(secret: str) -> None:
    said = shown(f"https://ann:{secret}@example.org/tree.json")
    assert said in ("https://...", "https://example.org/tree.json")
    assert shown("https://example.org/tree.json?mail=ann@home&key=1") == "https://..."
