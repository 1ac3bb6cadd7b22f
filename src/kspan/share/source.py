"""Trees from wherever owners put them: files, folders, plain URLs; nothing that is read is trusted."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kspan.data.garbage import uncollected
from kspan.errors import FileError
from kspan.frames.places import reason
from kspan.model.documents import parsed
from kspan.model.tree.json import read_tree
from kspan.model.tree.release import TreeRelease

MOST_BYTES = 512 * 2**20
"""How large the file of one tree may be; more is not even read."""
MOST_SOURCES = 1000
CHUNK = 2**20
LOCAL = ("file", "local")
WEB = ("http", "https")
"""Protocols by which a folder can be told from a file only if it ends in a slash."""
STORES = ("s3", "gs", "gcs", "az", "abfs", "abfss", "memory")
PLAIN = (*LOCAL, *WEB, *STORES)
"""Protocols that only read files; others unpack, compute or run what a stranger wrote."""


@dataclass(frozen=True)
class Source:
    """A tree that an owner published, and the name of the place where it lies."""

    name: str
    release: TreeRelease


@dataclass(frozen=True)
class _Place:
    """Where one tree lies: what people call it, what tells it from others, and how to open it."""

    name: str
    key: str
    system: Any
    path: str


@uncollected()
def read_sources(places: Iterable[str | os.PathLike[str]]) -> list[Source]:
    """Read the trees in files, folders (every `.json` file) and URLs, in order; refuse one that is given twice."""
    found: dict[str, _Place] = {}
    for place in (one for given in places for one in _places(given)):
        if place.key in found:
            raise FileError(f"{place.name} is given twice, so its people would count twice: name each tree once")
        if len(found) == MOST_SOURCES:
            raise FileError(f"more than {MOST_SOURCES:,} trees are given: merge fewer at a time")
        found[place.key] = place
    return [_source(place) for place in found.values()]


def shown(place: str) -> str:
    """Return a place as messages may show it: a URL without passwords, keys and other secrets.

    >>> shown("https://ann:secret@example.org/tree.json?key=secret"), shown("trees/a.json")
    ('https://example.org/tree.json', 'trees/a.json')
    """
    return "::".join(_without_secrets(part) for part in place.split("::")) if "://" in place else place


def _without_secrets(part: str) -> str:
    scheme, mark, rest = part.partition("://")
    if not mark:
        return part
    plain = re.split(r"[?#\[\]]", rest, maxsplit=1)[0]
    # A password may hold ? # [ or / as they are: then an @ comes later than it should, and nothing is shown.
    authority, slash, path = plain.partition("/")
    if "@" in rest[len(plain) :] or "@" in path:
        return f"{scheme}://..."
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


def _source(place: _Place) -> Source:
    try:
        text = _content(place).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(f"{place.name} is not UTF-8 text: fetch the tree again") from None
    return Source(place.name, read_tree(parsed(text, place.name), place.name))


def _content(place: _Place) -> bytes:
    """Read a whole file; one that is too large is refused as soon as more than allowed has been read."""
    parts, size = list[bytes](), 0
    try:
        with _opened(place) as file:
            while part := file.read(CHUNK):
                parts.append(part)
                size += len(part)
                if size > MOST_BYTES:
                    raise FileError(f"{place.name} is larger than {MOST_BYTES:,} bytes: no tree needs so many")
    except FileError:
        raise
    except Exception as error:  # each of the many systems has errors of its own
        # fsspec raises this error also where a server does not answer.
        gone = place.system is not None and isinstance(error, FileNotFoundError)
        why = "nothing is there, or nobody answers" if gone else _why(error)
        raise FileError(f"cannot read {place.name}: {why}") from None
    return b"".join(parts)


def _opened(place: _Place) -> Any:
    if place.system is None:
        return Path(place.path).open("rb")
    # Without blocks a page is streamed, and a server need not know ranges.
    options = {"block_size": 0} if set(_protocols(place.system)) & set(WEB) else {}
    return place.system.open(place.path, "rb", **options)


def _places(given: str | os.PathLike[str]) -> Iterator[_Place]:
    place = os.fspath(given)
    if "://" in place:
        yield from _on_system(place)
    else:
        yield from _on_disk(Path(place), place)


def _on_disk(path: Path, name: str) -> Iterator[_Place]:
    try:
        files = sorted(path.glob("*.json")) if path.is_dir() else None
        if files is None:
            # Links are resolved, so that one file under two names counts as given twice.
            yield _Place(name, str(path.resolve()), None, str(path))
            return
        files = [file for file in files if file.is_file()]
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {name}: {reason(error)}") from None
    if not files:
        raise FileError(f"the folder {name} holds no .json file: name a folder with trees, or the trees themselves")
    for file in files:
        yield _Place(str(file), str(file.resolve()), None, str(file))


def _on_system(url: str) -> Iterator[_Place]:
    name = shown(url)
    system, path = _system(url, name)
    if set(_protocols(system)) & set(LOCAL):
        yield from _on_disk(Path(path), name)
        return
    try:
        is_web = bool(set(_protocols(system)) & set(WEB))
        folder = url.endswith("/") or (not is_web and system.isdir(path))
        if not folder:
            yield _Place(name, system.unstrip_protocol(path), system, path)
            return
        files = sorted(str(file) for file in system.ls(path, detail=False) if str(file).endswith(".json"))
        found = [_Place(shown(each), each, system, file) for file in files for each in [system.unstrip_protocol(file)]]
    except Exception as error:  # each of the many systems has errors of its own
        raise FileError(f"cannot read {name}: {_why(error)}") from None
    if not found:
        raise FileError(f"the folder {name} holds no .json file: name a folder with trees, or the trees themselves")
    yield from found


def _system(url: str, name: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    _check_plain(url, name)
    import fsspec  # which takes a while, and files need it not
    from fsspec.registry import known_implementations

    try:
        found: tuple[Any, str] = fsspec.core.url_to_fs(url)
    except ImportError:
        known = known_implementations.get(url.partition("://")[0], {})
        needed = str(known.get("err", "install the package that fsspec needs for it")).rstrip(".")
        raise FileError(f"cannot read {name}, a package for such places is not installed: {needed}") from None
    except Exception as error:  # each of the many systems has errors of its own
        raise FileError(f"cannot read {name}: {_why(error)}") from None
    return found


def _check_plain(url: str, name: str) -> None:
    """Refuse a URL that is more than the place of a file: a chain of places, or a protocol that does more than read."""
    if "::" in url:
        raise FileError(f"cannot read {name}: it leads through several places; copy the tree to a file")
    if url.partition("://")[0].lower() not in PLAIN:
        raise FileError(f"cannot read {name}: only {', '.join(PLAIN)} are read; copy the tree to a file")


def _protocols(system: Any) -> tuple[str, ...]:
    named = system.protocol
    return (named,) if isinstance(named, str) else tuple(named)


def _why(error: Exception) -> str:
    """Say why reading failed; messages of libraries are not passed on, since they may quote a password."""
    if isinstance(error, FileNotFoundError):
        return "no such file or directory"
    if isinstance(error, OSError) and error.strerror:
        return reason(error)
    return f"it failed with {type(error).__name__}, check the address and your rights to it"
