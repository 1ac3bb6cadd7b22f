"""Marked cells in every output: the raw bytes of all that may leave are searched for what must stay."""

import csv
import itertools
import json
import os
import random
import re
import shutil
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from campaigns import marked, marks
from campaigns.caller import KINDS
from campaigns.figures import Budget, Figures, Find
from campaigns.marked import METADATA, People
from campaigns.marks import Mark
from campaigns.running import Run, Worker, command
from campaigns.shrinking import smallest

METHODS = ("kactus", "mondrian", "tds", "tdr", "incognito", "one-dim", "k-optimize", "datafly")
ENDINGS = (".csv", ".tsv", ".parquet", ".arrow", ".feather")
SEPARATORS = {".csv": ",", ".tsv": "\t"}
PAGES = (".html", ".md", ".json")
LEARNERS = ("id3", "c45", "part", "conjunctive", "naive-bayes", "logistic")
SEED = 8172635445362718
FOLDER = "path-of-the-machine-7f3c"
USER, HOME = "user-of-the-machine-91ae", "home-of-the-machine-44d0"
SECONDS = re.compile(rb"20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d")
STAYS = {"people.csv", "people.parquet", "people.arrow", "others.parquet", "policy.toml", "explained.csv"}
ALMOST = 0.8
"""Two orders that agree so much are one."""

Case = tuple[str, Callable[[People, Path, Worker], Run], list[str]]


def run(budget: Budget, rng: random.Random, figures: Figures, place: Path) -> None:
    """Hand in marked people in every form, to every command, and search all that comes out."""
    home = place / HOME
    home.mkdir()
    caches = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))  # compiled loops stay where they are
    os.environ.update({"USER": USER, "LOGNAME": USER, "HOME": str(home), "XDG_CACHE_HOME": caches})
    worker = Worker(place / "said", seconds=120)
    folder = place / FOLDER
    cases = itertools.cycle(_cases(rng))
    for _ in budget:
        kind, act, words = next(cases)
        number = rng.randint(24, 60)
        private = sorted({"text", *rng.sample(marked.PRIVATE_KINDS, 2)} - ({"blob"} if rng.random() < 0.9 else set()))
        if kind.startswith(("learn", "share")):
            private = [one for one in private if one in {"text", "number", "fraction", "flag"}]
        them = marked.people(rng, number, rng.randint(1, 3), private, k=5)
        ended, found = _attacked(them, act, folder, worker)
        figures.case(f"{kind}: {'made' if ended.code == 0 else 'refused'}", ended.seconds, command(words))
        for fault, told in found:
            name = f"{_short(kind)}: {fault}"
            if figures.knows(name):
                figures.found(Find(name, command(words), told))
                continue
            kept = smallest(range(number), lambda kept: _still(kept, them, act, folder, worker, fault), seconds=30)  # noqa: B023
            _attacked(_of(them, kept), act, folder, worker)
            files = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
            figures.found(Find(name, command(words), f"{told}; {kept and len(kept)} people are enough", files))
    worker.close()


def _short(kind: str) -> str:
    """A kind without what does not matter for a fault: the method and the form of a table."""
    words = kind.partition(" from ")[0].split()
    return words[0] if words[0] == "anonymize" else " ".join(word for word in words if not word.startswith("."))


def _cases(rng: random.Random) -> list[Case]:
    """Every command with every form, in a random order; what was not tried yet comes first."""
    cases = [
        _anonymize(method, ending, form, rng.choice(PAGES) if rng.random() < 0.15 else None)
        for method, ending, form in itertools.product(METHODS, ENDINGS, marked.FORMS)
    ]
    cases += [
        _call(kind, method, ending) for kind in KINDS for method in METHODS for ending in (".arrow", ".parquet", ".csv")
    ]
    cases += [
        _learn(method, form) for method in ("kadet", "kadet-c45", "clusters") for form in marked.FORMS for _ in range(2)
    ]
    cases += [_share(way, form) for way in ("atp", "ldm") for form in marked.FORMS for _ in range(2)]
    cases += [_from_released(learner) for learner in LEARNERS for _ in range(3)]
    rng.shuffle(cases)
    return cases


def _anonymize(method: str, ending: str, form: str, page: str | None) -> Case:
    words = ["anonymize", "people", "-p", "policy.toml", "-o", f"out{ending}", "-m", method]
    words += ["--seconds", "0.5"] if method == "k-optimize" else []
    words += ["--explain", "explained.csv"]
    words += ["--report", f"page{page}"] if page else []
    return f"anonymize {method} {ending} from {form}", _act(words, form), words


def _call(kind: str, method: str, ending: str) -> Case:
    words = [kind, "people.parquet", "others.parquet", "policy.toml", method, str(SEED), f"out{ending}"]

    def act(them: People, folder: Path, worker: Worker) -> Run:
        marked.hand_in(them, "parquet", folder, "")
        others = marked.people(random.Random(0), 30, 0, list(them.roles["private"]), k=5)
        other = {**others.columns, "name": [f"gone-{name}" for name in others.columns["name"]]}
        other["town"] = [f"gone-{name}" for name in others.columns["name"]]
        marked.hand_in(replace(others, columns=other), "parquet", folder, "", name="others")
        return worker.run([*words, *them.unused], folder, call="campaigns.caller:main")

    return f"call {kind} {ending} from {method}", act, ["(Python)", *words]


def _learn(method: str, form: str) -> Case:
    words = ["learn", "people", "-p", "policy.toml", "-o", "model.json", "-m", method]
    words += ["--table", "out.arrow"] if method != "clusters" else []
    return f"learn {method} from {form}", _act(words, form), words


def _share(way: str, form: str) -> Case:
    words = ["share", "publish", "people", "-p", "policy.toml", "-o", "model.json", "-m", way, "--marginals"]
    first = _act(words, form)

    def act(them: People, folder: Path, worker: Worker) -> Run:
        ended = first(them, folder, worker)
        if ended.code == 0:
            worker.run(["share", "pseudo", "model.json", "-o", "pseudo.parquet", "--seed", str(SEED)], folder)
            worker.run(["share", "merge", "model.json", "model.json", "-o", "merged.json"], folder)
        return ended

    return f"share {way} from {form}", act, words


def _from_released(learner: str) -> Case:
    words = ["learn", "out.csv", "-o", "model.json", "-m", learner, "--target", "ill"]
    first = _anonymize("mondrian", ".csv", "csv", None)[1]

    def act(them: People, folder: Path, worker: Worker) -> Run:
        ended = first(them, folder, worker)
        return worker.run(words, folder) if ended.code == 0 else ended

    return f"learn {learner} of a release", act, words


def _act(words: Sequence[str], form: str) -> Callable[[People, Path, Worker], Run]:
    def act(them: People, folder: Path, worker: Worker) -> Run:
        name, _ = marked.hand_in(them, form, folder, _behind(them))
        if form in {"enum", "categorical"}:
            worker.run([name, "people.arrow", form, *them.unused], folder, call="campaigns.caller:convert")
            name = "people.arrow"
        return worker.run([name if word == "people" else word for word in words], folder)

    return act


def _behind(them: People) -> str:
    """A text that is no cell of anybody, for a buffer behind a null."""
    return f"behind-{them.unused[0][::-1]}"


def _attacked(
    them: People, act: Callable[[People, Path, Worker], Run], folder: Path, worker: Worker
) -> tuple[Run, list[tuple[str, str]]]:
    """Run a case and search what it wrote: each fault by its name, with what was found where."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "policy.toml").write_bytes(them.policy())
    ended = act(them, folder, worker)
    found = list(_faults_of_run(ended))
    leaving = [
        file for file in sorted(folder.iterdir()) if file.name not in STAYS and not file.name.endswith(".owner.json")
    ]
    for file in leaving:
        found += _faults_of_file(file, them)
    return ended, list(dict(found).items())


def _faults_of_run(ended: Run) -> Iterator[tuple[str, str]]:
    if ended.code not in {0, 1, 2} or "a defect in kspan" in ended.err or "Traceback" in ended.err:
        last = ended.err.strip().splitlines()[-1:] or [""]
        yield f"ended with {ended.code}: {last[0][:100]}", ended.err[-2000:]


def _faults_of_file(file: Path, them: People) -> Iterator[tuple[str, str]]:
    content = file.read_bytes()
    is_table = file.suffix in ENDINGS and file.name != "pseudo.parquet"
    released = next((one for one in sorted(file.parent.glob("out.*")) if one.suffix in ENDINGS), None)
    extra = b"".join(_buffers(file)) if is_table and file.suffix in {".arrow", ".feather"} else b""
    looked_at = [*them.marks, *METADATA, Mark("behind a null", _behind(them)), Mark("row of others", "gone-name-")]
    if file.suffix == ".json" and not file.name.startswith(("page", "out")) and (file.parent / "out.csv").exists():
        text = _shown(file.parent / "out.csv", None)  # learned from the release, of which everything is known
    elif is_table:
        text = _shown(file, None)
    elif file.name == "model.json":
        text = _told(content)
    elif file.name in {"merged.json", "pseudo.parquet"}:
        text = (file.parent / "model.json").read_text()  # whoever has the tree can make it
    else:
        text = _shown(released, them.roles["public"]) if released else ""
    where = _role(file)
    for mark, way in marks.foreign(content + b"\0" * 8 + extra, looked_at, text):
        yield f"{mark.kind} in {where}", f"{mark.text} as {way} in {file.name}"
    if is_table and follows_source(extra or b"\0".join(marks.parts(content)), them, file):
        yield f"the order of the source in {where}", f"texts of {file.name} lie in the order of the source"
    yield from _never(content, where, file)


def _role(file: Path) -> str:
    if file.name.startswith("page"):
        return f"the report {file.suffix}"
    if file.name.endswith(".release.json"):
        return "the manifest"
    return "the model" if file.suffix == ".json" else f"the table {file.suffix}"


def _told(content: bytes) -> str:
    """What a model tells of people: of a tree what it asks, not the list of all values that there are."""
    said = json.loads(content)
    listed = said["format"] != "kspan/clusters"  # of which a center is a share of each value in the list
    return json.dumps({key: value for key, value in said.items() if not (listed and key == "attributes")})


def _never(content: bytes, where: str, file: Path) -> Iterator[tuple[str, str]]:
    """What nothing that leaves may hold: the seed, a time to the second, names of the machine."""
    whole = b"\0".join(marks.parts(content))
    now = str(int(time.time()))[:8].encode()
    host = socket.gethostname().encode()
    if any(form in whole for form in Mark("seed", str(SEED)).forms().values() if len(form) > 4):
        yield f"the seed in {where}", f"{SEED} in {file.name}"
    if (said := SECONDS.search(whole)) and said[0][:10] == time.strftime("%Y-%m-%d").encode():
        yield f"a time in {where}", f"{said[0]!r} in {file.name}"
    if re.search(rb"(?<!\d)" + now + rb"\d\d(?!\d)", whole):
        yield f"a time in {where}", f"seconds since 1970 in {file.name}"
    if len(host) > 5 and host in whole:
        yield f"the host in {where}", f"{host!r} in {file.name}"
    for what, name in {"a path": FOLDER, "the user": USER, "the home": HOME}.items():
        if name.encode() in whole:
            yield f"{what} in {where}", f"{name} in {file.name}"


def _shown(path: Path, names: Sequence[str] | None) -> str:
    """All that a table shows, read by somebody else, as one text."""
    if path.suffix in SEPARATORS:
        head, *lines = _lines(path)
        kept = [at for at, name in enumerate(head) if names is None or name in names]
        return "\n".join(line[at] for line in [head, *lines] for at in kept)
    columns = _read(path)
    return "\n".join(
        text
        for name in columns.column_names
        if names is None or name in names
        for cell in columns[name].to_pylist()
        for text in _texts(cell)
    )


def _column(path: Path, name: str) -> list[str]:
    """The cells of a column as a table shows them."""
    if path.suffix in SEPARATORS:
        head, *lines = _lines(path)
        return [line[head.index(name)] for line in lines]
    return [str(cell) for cell in _read(path)[name].to_pylist()]


def _lines(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=SEPARATORS[path.suffix]))


def _texts(cell: Any) -> Iterator[str]:
    yield str(cell)
    if isinstance(cell, datetime) and cell.tzinfo is None:
        cell = cell.replace(tzinfo=UTC)
    yield str(marked.mark_of(cell))


def _read(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.suffix == ".parquet":
        return pq.ParquetFile(path).read()
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def _buffers(path: Path) -> Iterator[bytes]:
    """The buffers of an Arrow file, unpacked by somebody else."""
    for column in _read(path).columns:
        for chunk in column.chunks:
            arrays = [chunk, chunk.dictionary] if hasattr(chunk, "dictionary") else [chunk]
            for array in arrays:
                yield from (buffer.to_pybytes() for buffer in array.buffers() if buffer is not None)


def follows_source(whole: bytes, them: People, file: Path) -> bool:
    """Do texts lie in the order of the source, though the rows are shown in another one?"""
    if "text" not in them.columns:
        return False
    source = [str(text) for text in them.columns["text"]]
    shown = _column(file, "text")
    kept = [text for text in source if text in set(shown)]
    at = {text: whole.find(text.encode()) for text in kept}
    if len(kept) < 15 or min(at.values()) < 0:
        return False
    lying = sorted(kept, key=lambda text: at[text])
    return _agreement(lying, kept) > ALMOST and _agreement(shown, kept) < ALMOST


def _agreement(one: Sequence[str], other: Sequence[str]) -> float:
    """The share of pairs that two orders have alike, from -1 to 1 (Kendall)."""
    place = {text: at for at, text in enumerate(other)}
    pairs = list(itertools.combinations([place[text] for text in one if text in place], 2))
    return sum(1 if first < second else -1 for first, second in pairs) / max(len(pairs), 1)


def _still(
    kept: list[int], them: People, act: Callable[[People, Path, Worker], Run], folder: Path, worker: Worker, fault: str
) -> bool:
    return bool(kept) and any(name == fault for name, _ in _attacked(_of(them, kept), act, folder, worker)[1])


def _of(them: People, kept: Sequence[int]) -> People:
    return replace(them, columns={name: [cells[at] for at in kept] for name, cells in them.columns.items()})
