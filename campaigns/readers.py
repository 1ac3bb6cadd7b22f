"""The readers by themselves: each takes any bytes, and answers or refuses in one sentence.

Commands are slow beside what they read with, so here a reader gets many texts a second: by hypothesis, which knows
the words of each format and finds the smallest text that shows a fault, and by atheris, which watches which lines
of the product a text has reached (`guided`).
"""

import contextlib
import json
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from campaigns.figures import Budget, Figures, Find
from campaigns.input import MODELS, base_files

LONGEST = 10
ROUND, GUIDED_ROUND = 100, 2_000
"""Texts that one reader gets before the next has its turn."""
MARGIN = 60
"""Seconds of a guided round beside what the texts take: instrumenting the product."""
JSON = ['"', "{", "}", "[", "]", ":", ",", "null", "true", "-1", "0.5", "1e308", "NaN", "\\u0000", '"format"']
CELLS = ["{", "}", "|", "[", "]", ",", "\\", "*", "-", "<", ">=", "..", " ", "1", "20", "1e300", "a", "=", "\ufeff"]
WORDS = {
    "table": [*CELLS, '"', "\n", ";", "\t"],
    "policy": [*JSON, "=", "\n", "public", "require", "domains", "hierarchies", "build", "widths", "1e99"],
    "requirement": ["k", "t", "=", ",", "(", ")", "[", "]", "distinct_l", "alpha", "1e400", "nan", "-", " "],
    "hierarchy": [";", ",", "\n", '"', "*", "all"],
    "model": JSON,
    "manifest": JSON,
    "cell": CELLS,
    "pattern": ["(?P<low>", "(?P<high>", ")", "*", "+", "{1000}", "|", r"\d", "(?=", "."],
}
"""What each format is written with."""
MINUTELY = (Phase.generate, Phase.target, Phase.shrink)


@dataclass(frozen=True)
class Reader:
    """What reads a format, the words of that format, and files that it accepts."""

    read: Callable[[bytes], object]
    words: tuple[str, ...]
    examples: tuple[bytes, ...]


class TooLong(BaseException):
    """A reader took too long; no reader catches this by accident."""


def run(budget: Budget, rng: random.Random, figures: Figures, place: Path) -> None:
    """Give texts to every reader in turn, until the budget is used up; one text is one case."""
    readers = all_readers(base_files(rng, place / "base", place / "said"))
    left, turns = iter(budget), _turns(list(readers), with_atheris=_has_atheris(figures))
    for name, way in turns:
        if way == "guided":
            ran = _guided(name, readers[name], rng, figures, place / "guided")
        else:
            ran = _drawn(name, readers[name], rng, figures)
        figures.seen[f"{name}: {way}"] += ran
        if any(next(left, None) is None for _ in range(ran)):
            return


def _turns(names: list[str], *, with_atheris: bool) -> Iterator[tuple[str, str]]:
    while True:
        yield from ((name, "drawn") for name in names)
        if with_atheris:
            yield from ((name, "guided") for name in names)


def _has_atheris(figures: Figures) -> bool:
    with contextlib.suppress(ImportError):
        import atheris  # type: ignore[import-untyped]  # noqa: F401

        return True
    figures.notes.append("atheris is not installed: no text was guided by what it reaches")
    return False


def all_readers(files: Mapping[str, bytes]) -> dict[str, Reader]:
    """Every reader of the product, with files that it accepts."""
    from kspan.data.cells import range_of, read_cell, values_in
    from kspan.data.hierarchy import read_hierarchy
    from kspan.data.ranges import check_range_pattern, ends_of
    from kspan.frames.files import parsed_table
    from kspan.model.documents import parsed
    from kspan.model.models import read_model
    from kspan.policy.policy import Policy
    from kspan.privacy.spec import parse
    from kspan.tables.manifest import read_manifest

    nowhere = Path(tempfile.gettempdir()) / "nowhere"

    def cell(text: str) -> None:
        meant = read_cell(text)
        values_in(meant), range_of(meant)

    def pattern(text: str) -> None:
        ends_of(str(check_range_pattern(text)), ["20 to 39", "a" * 60, ""])

    reads: dict[str, Callable[[bytes], object]] = {
        "table": lambda content: parsed_table(content, "it"),
        "policy": _text(lambda text: Policy.from_toml(text, nowhere)),
        "requirement": _text(parse),
        "hierarchy": _filed(read_hierarchy),
        "model": _text(lambda text: read_model(parsed(text, "it"))),
        "manifest": _filed(read_manifest),
        "cell": _text(cell),
        "pattern": _text(pattern),
    }
    examples = {
        "table": (files["people.csv"], files["released.csv"]),
        "policy": (files["policy.toml"], files["baskets.toml"]),
        "requirement": (b"k=5", b"k=3, distinct_l[ill, pay]=2", b"recursive_cl=(2, 3), t=0.3", b"alpha[ill]={flu=0.5}"),
        "hierarchy": (files["town.hierarchy.csv"],),
        "model": tuple(files[name] for name in MODELS),
        "manifest": (files["released.csv.release.json"],),
        "cell": (b"[20, 39]", rb"{a\|b|c}", b"*", b"20-39", b"-1.5e3", b"{20|30}"),
        "pattern": (rb"(?P<low>\d+) to (?P<high>\d+)",),
    }
    return {name: Reader(read, tuple(WORDS[name]), examples[name]) for name, read in reads.items()}


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda content: read(content.decode(errors="replace"))


def _filed(read: Callable[[Path], object]) -> Callable[[bytes], object]:
    """A reader that takes the path of a file."""
    place = Path(tempfile.mkdtemp(prefix="campaign-")) / "file"

    def read_file(content: bytes) -> object:
        place.write_bytes(content)
        return read(place)

    return read_file


def fault_of(reader: Reader, content: bytes) -> str | None:
    """What a reader does that it must not; None if it answers, or refuses in one sentence, both in time."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LONGEST)
    try:
        return fault_in_any_time(reader, content)
    except TooLong:
        return f"more than {LONGEST} seconds"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def fault_in_any_time(reader: Reader, content: bytes) -> str | None:
    """The same, however long it takes."""
    from kspan import KspanError

    try:
        reader.read(content)
    except KspanError as refused:
        said = str(refused)
        return None if said and "\n" not in said else "a refusal that is not one line"
    except (TooLong, KeyboardInterrupt):
        raise
    except BaseException as error:  # panics of Rust are no Exception
        return f"{type(error).__name__} escapes"
    return None


def _drawn(name: str, reader: Reader, rng: random.Random, figures: Figures) -> int:
    """A round of hypothesis; how many texts were tried."""
    tried = 0
    failing: dict[str, bytes] = {}

    @seed(rng.randrange(1 << 32))
    @settings(
        max_examples=ROUND, deadline=None, database=None, phases=MINUTELY, suppress_health_check=list(HealthCheck)
    )
    @given(contents(reader))
    def is_read(content: bytes) -> None:
        nonlocal tried
        tried += 1
        if fault := fault_of(reader, content):
            failing[fault] = content
            raise AssertionError(fault)

    with contextlib.suppress(Exception):  # what fails last is the smallest
        is_read()
    for fault, content in failing.items():
        figures.found(Find(f"{name}: {fault}", f"the reader of a {name}", "", {"content": content}))
    return max(tried, 1)


def contents(reader: Reader) -> st.SearchStrategy[bytes]:
    """Files for a reader: anything, its own words in any order, files that it accepts with changes."""
    words = st.sampled_from(reader.words) | st.text(max_size=4)
    spoken = st.lists(words, max_size=40).map(lambda found: "".join(found).encode(errors="replace"))
    changed = st.builds(
        _changed,
        st.sampled_from(reader.examples),
        st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.2), words, st.booleans()), min_size=1, max_size=4),
    )
    documents = [example for example in reader.examples if example.startswith(b"{") and _is_json(example)]
    replaced = (
        [st.builds(_replaced, st.sampled_from(documents), st.randoms(use_true_random=False), _values())]
        if documents
        else []
    )
    return st.one_of(changed, spoken, *replaced, *replaced, st.binary(max_size=200))  # fmt: skip


def _changed(example: bytes, edits: list[tuple[float, float, str, bool]]) -> bytes:
    """A file some of whose parts are replaced by words, or come again."""
    for start, share, word, again in edits:
        at = int(start * len(example))
        end = min(at + int(share * len(example)), len(example))
        put = example[at:end] * 2 if again else word.encode(errors="replace")
        example = example[:at] + put + example[end:]
    return example


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content)
    except ValueError:
        return False
    return True


def _values() -> st.SearchStrategy[Any]:
    """What may stand anywhere in a JSON document."""
    numbers = st.integers() | st.floats() | st.sampled_from([0, -1, 1, 10**30, 1e308])
    return st.recursive(
        st.none() | st.booleans() | numbers | st.text(max_size=6),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
        max_leaves=8,
    )


def _replaced(example: bytes, rng: random.Random, value: Any) -> bytes:
    """A document in which one thing, at any depth, is another or is gone."""
    document = json.loads(example)
    at = document
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            break
        key = rng.choice(keys)
        if isinstance(at[key], dict | list) and at[key] and rng.random() < 0.8:
            at = at[key]
            continue
        if rng.random() < 0.2:
            del at[key]
        else:
            at[key] = value
        break
    return json.dumps(document).encode(errors="replace")


def _guided(name: str, reader: Reader, rng: random.Random, figures: Figures, place: Path) -> int:
    """A round of atheris in a process of its own, which it ends itself; how many texts were tried."""
    corpus, faults, tried = (place / name / what for what in ("corpus", "faults", "tried"))
    for folder in (corpus, faults):
        folder.mkdir(parents=True, exist_ok=True)
    tried.write_bytes(b"")
    for number, example in enumerate(reader.examples):
        (corpus / f"example{number}").write_bytes(example)
    argv = [
        f"-atheris_runs={GUIDED_ROUND}",
        f"-seed={rng.randrange(1, 1 << 31)}",
        f"-timeout={LONGEST}",
        "-max_len=6000",
    ]
    argv += ["-rss_limit_mb=4000", f"-artifact_prefix={faults}/", "-verbosity=0", str(corpus)]
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            [sys.executable, "-m", "campaigns.guided", name, str(place.parent / "base"), str(tried), *argv],
            capture_output=True, timeout=MARGIN + GUIDED_ROUND * 0.1, check=False,
        )  # fmt: skip
    for file in sorted(faults.iterdir()):
        content = file.read_bytes()
        fault = fault_of(reader, content) or f"{file.name.partition('-')[0]} (seen by atheris alone)"
        figures.found(Find(f"{name}: {fault}", f"the reader of a {name}", "", {"content": content}))
        file.unlink()
    return max(tried.stat().st_size, 1)
