"""Every claim of a release, counted again by hand from the file that was written."""

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from campaigns import counting, reading
from campaigns.figures import Budget, Figures, Find
from campaigns.models import false_of_clusters, false_of_itemsets, false_of_rules, false_of_tree
from campaigns.running import Run, Worker, command
from campaigns.shrinking import smallest
from campaigns.worlds import REGIONS, World, any_world, write

METHODS = ("auto", "kactus", "mondrian", "tds", "tdr", "incognito", "one-dim", "k-optimize", "datafly")
OPTIONS: dict[str, tuple[tuple[str, ...], ...]] = {
    "kactus": (
        (),
        ("--show", "median"),
        ("--show", "hierarchy"),
        ("--blank",),
        ("--blank", "--show", "mean", "--no-refine"),
        ("--blank", "--rest", "join"),
        ("--no-refine",),
        ("--inducer", "together"),
        ("--merge-siblings",),
        ("--transfer", "none"),
        ("--inducer", "id3"),
    ),
    "mondrian": ((), ("--show", "set"), ("--show", "hierarchy"), ("--relaxed",), ("--width", "distinct")),
    "one-dim": ((), ("--show", "set"), ("--show", "hierarchy")),
    "incognito": ((), ("--withhold", "0.2"), ("--loss", "dm"), ("--search", "incognito"), ("--loss", "cm")),
    "k-optimize": (
        ("--seconds", "0.2"),
        ("--seconds", "0.2", "--loss", "dm"),
        ("--seconds", "0.2", "--withhold", "0.1"),
    ),
}
ENDINGS = (".csv", ".tsv", ".parquet", ".arrow", ".feather")
REGION = {name: {town for town, region in REGIONS.items() if region == name} for name in set(REGIONS.values())}
NAMES = {"town": {**REGION, "anywhere": set(REGIONS)}}

Falsehoods = Iterator[str]


def run(budget: Budget, rng: random.Random, figures: Figures, place: Path) -> None:
    """Make random releases of random people, and count what they claim."""
    worker = Worker(place / "said", seconds=60)
    for number in budget:
        seed = rng.randrange(1 << 32)
        attack = (_table, _tree, _table, _baskets, _table, _audit, _table, _clusters)[number % 8]
        attack(random.Random(seed), figures, place / f"case-{number}", worker)
    worker.close()


def requirement(rng: random.Random, number: int) -> dict[str, Any]:
    """A random requirement: k, and often one or two others."""
    others: dict[str, Callable[[], Any]] = {
        "distinct_l": lambda: rng.randint(1, 3),
        "entropy_l": lambda: round(rng.uniform(1, 2.5), 2),
        "recursive_cl": lambda: [rng.choice((0.5, 1, 2, 3)), rng.randint(1, 3)],
        "simple_l": lambda: round(rng.uniform(1, 2.5), 2),
        "confidence": lambda: round(rng.uniform(0.4, 1), 2),
        "alpha": lambda: round(rng.uniform(0.4, 1), 2),
        "t": lambda: round(rng.uniform(0, 0.6), 2),
        "basic_beta": lambda: round(rng.uniform(0, 3), 2),
        "enhanced_beta": lambda: round(rng.uniform(0, 3), 2),
        "delta": lambda: round(rng.uniform(0.2, 3), 2),
    }
    chosen = rng.sample(sorted(others), rng.choice((0, 1, 1, 2)))
    return {"k": rng.randint(1, max(2, number // 4)), **{key: others[key]() for key in chosen}}


def _table(rng: random.Random, figures: Figures, folder: Path, worker: Worker) -> None:
    method = rng.choice(METHODS)
    world = any_world(rng, require=requirement(rng, 20))
    if rng.random() < 0.2:
        world = replace(world, policy={"counting": "people", **world.policy})
    out = f"out{rng.choice(ENDINGS)}"
    options = rng.choice(OPTIONS.get(method, ((),)))
    argv = ["anonymize", "people.csv", "-p", "policy.toml", "-o", out, "-m", method, *options]

    def falsehoods(tried: World) -> tuple[Run, list[str]]:
        _fresh(tried, folder)
        ended = worker.run(argv, folder)
        return ended, list(_false_of_run(ended, tried)) + (
            list(false_of_table(tried, folder / out, exact="kactus" not in _made_by(folder / out)))
            if ended.code == 0
            else []
        )

    _tell(f"anonymize {method}", argv, world, falsehoods, figures)


def _tree(rng: random.Random, figures: Figures, folder: Path, worker: Worker) -> None:
    way = rng.choice(("kadet", "kadet-c45", "atp", "ldm"))
    world = any_world(rng, require=requirement(rng, 20))
    if rng.random() < 0.5 and len(world.public) > 1:  # private questions: spans are no leaves
        hidden = world.public[-1]
        kept = {name: table for name, table in world.hierarchies.items() if name != hidden}
        roles = {"public": world.public[:-1], "private": [*world.policy["private"], hidden]}
        built = {name: said for name, said in world.policy.get("hierarchies", {}).items() if name != hidden}
        world = replace(world, policy={**world.policy, **roles, "hierarchies": built}, hierarchies=kept)
    if way in {"atp", "ldm"}:
        argv = ["share", "publish", "people.csv", "-p", "policy.toml", "-o", "tree.json", "-m", way]
    else:
        argv = ["learn", "people.csv", "-p", "policy.toml", "-o", "tree.json", "-m", way]
        argv += ["--table", "out.csv"] if rng.random() < 0.4 else []

    def falsehoods(tried: World) -> tuple[Run, list[str]]:
        _fresh(tried, folder)
        ended = worker.run(argv, folder)
        found = list(_false_of_run(ended, tried))
        if ended.code == 0:
            found += false_of_tree(json.loads((folder / "tree.json").read_bytes()), tried)
            if "--table" in argv:
                found += false_of_groups(tried, reading.table(folder / "out.csv"))
        return ended, found

    _tell(f"tree {way}", argv, world, falsehoods, figures)


def _baskets(rng: random.Random, figures: Figures, folder: Path, worker: Worker) -> None:
    items = [f"i{number}" for number in range(rng.randint(3, 6))]
    often = {name: rng.uniform(0.1, 0.9) for name in items}
    rows = tuple(
        tuple("1" if rng.random() < often[name] else "0" for name in items) for _ in range(rng.randint(10, 80))
    )
    public = items[: rng.randint(1, len(items) - 1)]
    policy = {"public": public, "private": items[len(public) :], "require": {"k": rng.randint(1, 12)}}
    world = World(tuple(items), rows, policy)
    method, false_of = rng.choice((("rules", false_of_rules), ("itemsets", false_of_itemsets)))
    model = f"{method}.json"
    argv = ["learn", "people.csv", "-p", "policy.toml", "-o", model, "-m", method, "--min-support", "0.05"]
    argv += ["--tell-lift"] if method == "rules" and rng.random() < 0.3 else []

    _tell(method, argv, world, partial(_learned, argv, model, false_of, folder, worker), figures)


def _clusters(rng: random.Random, figures: Figures, folder: Path, worker: Worker) -> None:
    world = any_world(rng, missing=False, require={"k": rng.randint(1, 10)})
    hidden = [name for name in ("sex", "town") if name in world.public[1:]]
    roles = {
        "identifier": ["who", *(["pay"] if "pay" in world.columns else [])],
        "public": [name for name in world.public if name not in hidden],
        "private": [*hidden, "ill"],
        "require": world.policy["require"],
    }
    world = World(world.columns, world.rows, roles)
    argv = ["learn", "people.csv", "-p", "policy.toml", "-o", "clusters.json", "-m", "clusters"]
    argv += ["--most", str(rng.randint(2, 8)), "--min-people", str(rng.randint(1, 4))]

    _tell("clusters", argv, world, partial(_learned, argv, "clusters.json", false_of_clusters, folder, worker), figures)


def _learned(
    argv: list[str],
    model: str,
    false_of: Callable[[Any, World], Iterable[str]],
    folder: Path,
    worker: Worker,
    tried: World,
) -> tuple[Run, list[str]]:
    """Learn from people as a command says, and what is false of the model."""
    _fresh(tried, folder)
    ended = worker.run(argv, folder)
    found = list(_false_of_run(ended, tried))
    if ended.code == 0:
        found += false_of(json.loads((folder / model).read_bytes()), tried)
    return ended, found


def _audit(rng: random.Random, figures: Figures, folder: Path, worker: Worker) -> None:
    world = any_world(rng, require=requirement(rng, 8), most=40)
    world = replace(
        world,
        rows=tuple(
            tuple(_hidden(rng, name, cell) for name, cell in zip(world.columns, row, strict=True)) for row in world.rows
        ),
    )
    anything = rng.random() < 0.3
    argv = ["audit", "people.csv", "-p", "policy.toml", "--json", "--without-identifiers"]
    argv += ["--suppressed-as", "anything"] if anything else []

    def falsehoods(tried: World) -> tuple[Run, list[str]]:
        _fresh(tried, folder)
        ended = worker.run(argv, folder)
        found = list(_false_of_run(ended, tried))
        if ended.code in {0, 1}:
            said = json.loads(ended.out)
            found += false_of_audit(said, tried, anything=anything)
            if said["holds"] != (ended.code == 0):
                found.append("the exit code is not the verdict")
        return ended, found

    _tell("audit", argv, world, falsehoods, figures)


def _hidden(rng: random.Random, name: str, cell: str | None) -> str | None:
    return "*" if name in {"town", "sex"} and rng.random() < 0.1 else cell


def _tell(
    kind: str, argv: list[str], world: World, falsehoods: Callable[[World], tuple[Run, list[str]]], figures: Figures
) -> None:
    ended, found = falsehoods(world)
    figures.case(f"{kind}: {'made' if ended.code in {0, 1} else 'refused'}", ended.seconds, command(argv))
    for false in found:
        fault = f"{kind}: {re.sub(r'[0-9.]+', 'N', false)}"
        told = f"{false}\n{ended.err}"
        if not figures.knows(fault):
            same = _same(kind, fault, falsehoods, world)
            rows = smallest(world.rows, same)
            ended, again = falsehoods(world.of(rows))
            told = "\n".join([*again, ended.err])
            figures.found(Find(fault, command(argv), told, world.of(rows).files()))
        else:
            figures.found(Find(fault, command(argv), told))


def _same(
    kind: str, fault: str, falsehoods: Callable[[World], tuple[Run, list[str]]], world: World
) -> Callable[[list[Any]], bool]:
    def fails(rows: list[Any]) -> bool:
        return bool(rows) and any(
            f"{kind}: {re.sub(r'[0-9.]+', 'N', false)}" == fault for false in falsehoods(world.of(rows))[1]
        )

    return fails


def _fresh(world: World, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    write(world.files(), folder)


def _false_of_run(ended: Run, world: World) -> Falsehoods:
    if ended.code not in {0, 1, 2}:
        yield f"ended with {ended.code}"
    if "a defect in kspan" in ended.err or "Traceback" in ended.err:
        yield f"a defect: {ended.err.strip().splitlines()[-1][:200]}"
    if re.search(r"\b\w*Warning:", ended.err):
        yield "a warning on stderr"
    together = [counting.grouped([()] * len(world.rows), world.cells(name)) for name in world.private]
    if "cannot be reached: with every public cell suppressed" in ended.err and all(
        _kept(world, name, groups) for name, groups in zip(world.private, together, strict=True)
    ):
        yield "refused as unreachable what suppressing everything reaches"


def _made_by(path: Path) -> str:
    """The method and how numbers are shown; kactus is said where numbers are medians."""
    manifest = json.loads(Path(f"{path}.release.json").read_bytes())
    medians = manifest["method"] == "kactus" and manifest["facts"].get("show", "median") in ("median", "mean")
    return "kactus" if medians else str(manifest["method"])


def _kept(world: World, name: str, groups: Mapping[Hashable, list[str | None]]) -> bool:
    everybody = [value for group in groups.values() for value in group]
    return all(
        counting.holds(key, bound, group, everybody)
        for group in groups.values()
        for key, bound in world.policy["require"].items()
    )


def false_of_groups(world: World, shown: reading.Cells) -> Falsehoods:
    """What the groups of a written table break."""
    keys = reading.rows(shown, world.public)
    for name in world.private:
        groups = counting.grouped(keys, shown[name])
        everybody = shown[name]
        for key, bound in world.policy["require"].items():
            for group in groups.values():
                if not counting.holds(key, bound, group, everybody):
                    yield f"a group breaks {key}"
                    break


def false_of_table(world: World, path: Path, *, exact: bool) -> Falsehoods:
    """What a written table and its manifest say that is not so."""
    shown = reading.table(path)
    manifest = json.loads(Path(f"{path}.release.json").read_bytes())
    yield from false_of_groups(world, shown)
    if "who" in shown:
        yield "the identifier was released"
    if manifest["sha256"] != hashlib.sha256(path.read_bytes()).hexdigest():
        yield "the manifest has another checksum"
    rows = reading.rows(shown, world.public)
    sizes = Counter(rows)
    said = json.loads(Path(f"{path}.owner.json").read_bytes())["rows"]
    if manifest["rows"] != {"released": len(rows)} or said["released"] + said["withheld"] != len(world.rows):
        yield "the manifest counts other rows"
    if rows and manifest["audit"]["k"]["rows"] != min(sizes.values()):
        yield "the manifest says another k"
    columns = [*(world.public if exact else [name for name in world.public if name in {"town", "sex"}]), *world.private]
    source = list(zip(*(world.cells(name) for name in columns), strict=True))
    wanted = [
        [at for at, values in enumerate(source) if _true(columns, row, values, world)]
        for row in reading.rows(shown, columns)
    ]
    if not reading.matched(wanted):
        yield "rows are not true of as many people"
    if exact and world.policy.get("counting") == "people" and not said["withheld"]:
        people = list(zip(*(world.cells(name) for name in world.public), strict=True))
        spans = Counter(
            frozenset(group for group in sizes if _true(world.public, group, person, world)) for person in people
        )
        if min(spans.values()) < world.policy["require"]["k"]:
            yield "fewer than k people share a span"


def _true(names: list[str], row: tuple[str | None, ...], values: tuple[str | None, ...], world: World) -> bool:
    return all(
        reading.admits(cell, value, NAMES.get(name, {})) if name in world.public else reading.same(cell, value)
        for name, cell, value in zip(names, row, values, strict=True)
    )


def false_of_audit(said: Mapping[str, Any], world: World, *, anything: bool) -> Falsehoods:
    """What an audit says that is not so."""
    people = list(zip(*(world.cells(name) for name in world.public), strict=True))
    if anything:
        crowd = [[one for one in range(len(people)) if _agree(people[one], person)] for person in people]
    else:
        crowd = [[one for one in range(len(people)) if people[one] == person] for person in people]
    if said["k"]["rows"] != min(map(len, crowd)):
        yield "another k in rows"
    kept = {
        number
        for number, members in enumerate(crowd)
        if all(
            counting.holds(key, bound, [world.cells(name)[one] for one in members], world.cells(name))
            for name in world.private
            for key, bound in world.policy["require"].items()
        )
    }
    if said["holds"] != (len(kept) == len(people)):
        yield f"the verdict is {said['holds']}"
    if said["failing_people"] != len(people) - len(kept):
        yield "another number of people fail"
    if not anything:
        for name in world.private:
            exposed = sum(len({world.cells(name)[one] for one in members}) == 1 for members in crowd)
            if said["exposed"][name] != exposed:
                yield "another number of people are exposed"


def _agree(one: tuple[str | None, ...], other: tuple[str | None, ...]) -> bool:
    return all(a == b or "*" in (a, b) for a, b in zip(one, other, strict=True))
