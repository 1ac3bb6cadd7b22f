"""Mutated input through every command: refused in one sentence, or done; never a defect, a leak or a blowup."""

import hashlib
import random
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from campaigns.edits import edit
from campaigns.figures import Budget, Figures, Find
from campaigns.running import HUNG, Run, Worker, command
from campaigns.shrinking import smallest
from campaigns.worlds import World, csv_bytes, write

LONGEST, MOST_MEMORY = 10.0, 2 << 30
MARKS = re.compile(r"QX|77712\d{3}")
DEFECT = re.compile(r"a defect in kspan \((.*?)\)")
MADE: dict[str, list[str]] = {
    "released.csv": [
        "anonymize",
        "people.csv",
        "-p",
        "policy.toml",
        "-o",
        "released.csv",
        "-m",
        "mondrian",
        "--show",
        "hierarchy",
    ],
    "tree.json": ["learn", "people.csv", "-p", "policy.toml", "-o", "tree.json"],
    "fractions.json": ["learn", "released.csv", "--target", "ill", "-o", "fractions.json", "-m", "c45"],
    "list.json": ["learn", "released.csv", "--target", "ill", "-o", "list.json", "-m", "part"],
    "bayes.json": ["learn", "released.csv", "--target", "ill", "-o", "bayes.json", "-m", "naive-bayes"],
    "linear.json": ["learn", "released.csv", "--target", "ill", "-o", "linear.json", "-m", "logistic"],
    "clusters.json": ["learn", "people.csv", "-p", "policy.toml", "-o", "clusters.json", "-m", "clusters"],
    "rules.json": [
        "learn",
        "baskets.csv",
        "-p",
        "baskets.toml",
        "-o",
        "rules.json",
        "-m",
        "rules",
        "--min-support",
        "0.05",
    ],
    "itemsets.json": ["learn", "baskets.csv", "-p", "baskets.toml", "-o", "itemsets.json", "-m", "itemsets"],
    "other.json": ["learn", "people.csv", "-p", "policy.toml", "-o", "other.json", "-m", "kadet-c45"],
    "votes.json": ["share", "merge", "tree.json", "other.json", "-o", "votes.json", "-m", "bagging"],
}
MODELS = [name for name in MADE if name.endswith(".json")]
PREDICTORS = [name for name in MODELS if name not in ("rules.json", "itemsets.json")]
METHODS = ("auto", "kactus", "mondrian", "tds", "tdr", "incognito", "one-dim", "k-optimize", "datafly")


def commands() -> list[list[str]]:
    """Every command, with all that it can read."""
    rules = ["-p", "policy.toml"]
    found = [
        ["audit", "people.csv", *rules, "--without-identifiers"],
        ["audit", "people.csv", *rules, "--json", "--people", "risks.parquet"],
        ["audit", "released.csv", *rules, "--data", "people.csv"],
        ["init", "people.csv", "-o", "drafted.toml"],
        ["init", "people.csv", "-o", "drafted.toml"],
        ["compare", "people.csv", "released.csv", "--test", "people.csv", *rules, "--learners", "naive-bayes,id3"],
        ["report", "released.csv", *rules, "-o", "page.md", "--data", "people.csv"],
        ["report", "tree.json", "-o", "page.json"],
        ["share", "publish", "people.csv", *rules, "-o", "out.json", "-m", "ldm", "--marginals"],
        ["share", "publish", "people.csv", *rules, "-o", "out.json"],
        ["share", "prune", "tree.json", "--require", "k=6", "-o", "out.json"],
        ["share", "pseudo", "tree.json", "-o", "pseudo.csv", "--rows", "100"],
        ["share", "merge", "tree.json", "other.json", "-o", "out.json", "--rows", "200"],
        ["learn", "baskets.csv", "-p", "baskets.toml", "-o", "out.json", "-m", "rules", "--min-support", "0.05"],
        ["learn", "baskets.csv", "-p", "baskets.toml", "-o", "out.json", "-m", "itemsets", "--max-items", "3"],
        ["learn", "people.csv", *rules, "-o", "out.json", "-m", "clusters"],
        ["learn", "people.csv", *rules, "-o", "out.json", "--table", "out.csv"],
        ["audit", "tree.json", *rules, "--data", "people.csv"],
        ["audit", "clusters.json", *rules, "--data", "people.csv"],
        ["audit", "rules.json", "-p", "baskets.toml", "--data", "baskets.csv"],
        ["audit", "itemsets.json", "-p", "baskets.toml", "--data", "baskets.csv"],
    ]
    for method in METHODS:
        seconds = ["--seconds", "0.3"] if method == "k-optimize" else []
        found.append(["anonymize", "people.csv", *rules, "-o", "out.parquet", "-m", method, *seconds])
        found.append(
            ["anonymize", "people.csv", *rules, "-o", "out.csv", "-m", method, *seconds, "--explain", "explained.csv"]
        )
    for method in ("kadet", "kadet-c45", "id3", "c45", "part", "conjunctive", "naive-bayes", "logistic"):
        found.append(["learn", "people.csv", *rules, "-o", "out.json", "-m", method])
        found.append(["learn", "released.csv", "--target", "ill", "-o", "out.json", "-m", method])
    found += [["audit", "tree.json"], ["audit", "rules.json"], ["audit", "itemsets.json"]]
    found += [["audit", "fractions.json", "--require", "k=2"]]
    found += [["predict", model, "people.csv", "-o", "labels.csv"] for model in PREDICTORS]
    return found


@dataclass(frozen=True)
class Case:
    """A command, the files that it reads, and the seeds of what was changed in them."""

    files: Mapping[str, bytes]
    argv: Sequence[str]
    edits: Sequence[int]

    def built(self) -> tuple[dict[str, bytes], list[str], str]:
        """The files and words after all changes, and what was changed."""
        files, argv = dict(self.files), list(self.argv)
        done = [edit(random.Random(seed), files, argv) for seed in self.edits]
        return files, argv, " and ".join(sorted(set(done)))


def run(budget: Budget, rng: random.Random, figures: Figures, place: Path) -> None:
    """Mutate and run, until the budget is used up."""
    worker = Worker(place / "said", seconds=LONGEST)
    files = base_files(rng, place / "base", worker.said)
    templates = commands()
    folder = place / "case"
    for _ in budget:
        argv = rng.choice(templates)
        case = Case(files, argv, [rng.randrange(1 << 32) for _ in range(rng.choice((1, 1, 1, 2, 3)))])
        built, words, what = case.built()
        ended, faults = _attacked(built, words, what, folder, worker)
        figures.case(f"{argv[0]}: {_how(ended)}", ended.seconds, f"{command(words)} ({what})")
        for fault, told in faults.items():
            if figures.knows(fault):
                figures.found(Find(fault, command(words), told))
            else:
                figures.found(_smallest(case, fault, told, folder, worker))
    worker.close()


def _how(ended: Run) -> str:
    return {0: "done", 1: "does not hold", 2: "refused"}.get(ended.code, "fell")


def base_files(rng: random.Random, folder: Path, said: Path) -> dict[str, bytes]:
    """Files that all commands can do with, made by the product from a small world."""
    towns = {"QXash": "QXnorth", "QXbirch": "QXnorth", "QXcedar": "QXsouth", "QXelm": "QXsouth"}
    rows = []
    for at in range(30):
        age, town = rng.randint(20, 50), rng.choice(list(towns))
        ill = "QXflu" if age > 35 or rng.random() < 0.2 else "QXok"
        rows.append(
            (f"QXname{at}", str(age), town, rng.choice("FM"), f"QXnote{at % 7}", f"77712{rng.randint(100, 999)}", ill)
        )
    policy = {
        "identifier": ["who"],
        "public": ["age", "town", "sex"],
        "private": ["note", "pay"],
        "target": "ill",
        "require": {"k": 4},
    }
    lines = [[town, region, "all"] for town, region in towns.items()]
    world = World(("who", "age", "town", "sex", "note", "pay", "ill"), tuple(rows), policy, {"town": lines})
    items = ("a", "b", "c", "d")
    baskets = [tuple("1" if rng.random() < 0.6 else "0" for _ in items) for _ in range(60)]
    write(world.files(), folder)
    write({"baskets.csv": csv_bytes(items, baskets)}, folder)
    write({"baskets.toml": b'public = ["a", "b"]\nprivate = ["c", "d"]\nrequire = {k = 5}\n'}, folder)
    worker = Worker(said, seconds=120)
    for argv in MADE.values():
        worker.run(argv, folder)
    worker.close()
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def _attacked(
    files: Mapping[str, bytes], argv: Sequence[str], what: str, folder: Path, worker: Worker
) -> tuple[Run, dict[str, str]]:
    shutil.rmtree(folder, ignore_errors=True)
    write(files, folder)
    before = _listing(folder)
    ended = worker.run(argv, folder)
    after = _listing(folder)
    return ended, dict(_faults(ended, argv, what, before, after))


def _faults(
    ended: Run, argv: Sequence[str], what: str, before: Mapping[str, str], after: Mapping[str, str]
) -> dict[str, str]:
    found = {}
    name = " ".join(argv[:2] if argv[0] == "share" else argv[:1])
    how = f" -m {argv[argv.index('-m') + 1]}" if "-m" in argv else ""
    told = ended.err[-1500:]
    if ended.code == HUNG:
        found[f"{name}{how}: more than {LONGEST:g} seconds ({what})"] = told
        return found
    if defect := DEFECT.search(ended.err):
        found[f"a defect: {defect[1]}"] = told
    elif ended.code not in {0, 1, 2} or "Traceback" in ended.err or "panicked" in ended.err:
        last = _pattern((ended.err.strip().splitlines() or [""])[-1])[:110]
        found[f"ended with {ended.code}: {last or name + how}"] = told
    if warned := re.search(r"(\w+\.py):(\d+): (\w*Warning): (.*)", ended.err):
        found[f"a warning: {warned[3]} at {warned[1]}:{warned[2]}"] = told
    if MARKS.search(ended.err):
        found[f"a cell is quoted: {_pattern(ended.err)[:70]}"] = told
    if ended.code == 2 and before != after:
        changed = sorted(file for file in {*before, *after} if before.get(file) != after.get(file))
        found[f"{name}: exit 2, but files changed"] = f"{changed} {told}"
    if ended.code == 2 and len(ended.err.strip().splitlines()) != 1:
        found[f"{name}: exit 2 with {len(ended.err.strip().splitlines())} lines"] = told
    if any(".kspan-" in file or file.startswith(".") for file in after):
        found[f"{name}: a draft is left"] = str(sorted(after))
    if ended.grown > MOST_MEMORY:
        found[f"{name}{how}: more than 2 GB of memory ({what})"] = f"{ended.grown >> 20} MB"
    return found


def _pattern(said: str) -> str:
    """A sentence without what differs from case to case."""
    return " ".join(re.sub(r"'[^']*'(, '[^']*')*|QX\S*|\S+\.(csv|json|toml)|[0-9]+", "X", said).split())


def _listing(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else "folder"
        for file in folder.rglob("*")
    }


def _smallest(case: Case, fault: str, told: str, folder: Path, worker: Worker) -> Find:
    """The fewest changes, and then the fewest lines of the table, that still show the fault."""

    def shows(files: Mapping[str, bytes], argv: Sequence[str], what: str) -> bool:
        return fault in _attacked(files, argv, what, folder, worker)[1]

    edits = smallest(case.edits, lambda kept: shows(*replace(case, edits=kept).built()), seconds=60)
    files, argv, what = replace(case, edits=edits).built()
    read = {name for name in files if any(name.startswith(word) for word in argv)}
    read |= {"town.hierarchy.csv"} if "policy.toml" in argv else set()
    files = {name: content for name, content in files.items() if name in read}
    for name in [name for name in files if name.endswith(".csv")]:
        head, *lines = files[name].splitlines(keepends=True) or [b""]
        with_lines = partial(_with_lines, files, name, head)
        if len(lines) < 5000 and _is_text(files[name]) and shows(files, argv, what):
            kept = smallest(lines, partial(_shown, shows, with_lines, argv, what), seconds=40)
            files = with_lines(kept)
    return Find(fault, command(argv), f"{told}\nchanged: {what}", files)


def _is_text(content: bytes) -> bool:
    return b"\0" not in content and not content.startswith(b"\x1f\x8b")


def _with_lines(files: Mapping[str, bytes], name: str, head: bytes, lines: Sequence[bytes]) -> dict[str, bytes]:
    return {**files, name: head + b"".join(lines)}


def _shown(
    shows: Callable[..., bool], made: Callable[..., object], argv: Sequence[str], what: str, lines: list[bytes]
) -> bool:
    return shows(made(lines), argv, what)
