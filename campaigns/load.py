"""Many rows and little memory: the right answer, or one sentence and nothing written; never a signal or a traceback."""

import itertools
import json
import random
import resource
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from campaigns.figures import Budget, Figures, Find
from campaigns.running import HUNG, Child, Run, command
from campaigns.worlds import toml

PIECE = 1_000_000
TOWNS = [f"a town with a long name, number {number}" for number in range(40)]
AGES, SEXES, ILLS = 60, ("F", "M"), ("cold", "flu", "gout", "ok")
K = 5
LIMITS = (32, 128, 512, 2048, 8192, None)
"""Megabytes beyond what the process has when it begins; None is no limit."""
LONGEST = 1800.0
POLICY = {"public": ["age", "town", "sex"], "private": ["pay"], "target": "ill", "require": {"k": K}}

Counts = dict[tuple[int, int, int], int]


def commands() -> list[list[str]]:
    """The commands that read many rows."""
    many = ["people.parquet", "-p", "policy.toml"]
    found = [["audit", *many, "--json"], ["init", "people.parquet", "-o", "drafted.toml"]]
    found += [
        ["anonymize", *many, "-o", "out.parquet", "-m", method]
        for method in ("mondrian", "datafly", "tds", "incognito")
    ]
    found += [["learn", *many, "-o", "tree.json", "-m", method] for method in ("kadet", "c45")]
    return [*found, ["share", "publish", *many, "-o", "tree.json", "-m", "ldm"]]


def run(budget: Budget, rng: random.Random, figures: Figures, place: Path, rows: int, limit: int | None) -> None:
    """Run each command under each limit."""
    folder = place / "many"
    folder.mkdir()
    smallest = _write(folder / "people.parquet", rows, rng.randrange(1 << 32))
    (folder / "policy.toml").write_text(toml(POLICY))
    cases = list(itertools.product(commands(), LIMITS if limit is None else (limit,)))
    rng.shuffle(cases)
    for _, (argv, most) in zip(budget, itertools.cycle(cases), strict=False):
        ended = Child(argv, folder, before=lambda: _limit(most)).wait(LONGEST)  # noqa: B023
        how = "no limit" if most is None else f"{most} MB more"
        figures.case(f"{argv[0]}, {how}: exit {ended.code}", ended.seconds, f"{command(argv)} ({how})")
        written = [file for file in sorted(folder.rglob("*")) if file.name not in {"people.parquet", "policy.toml"}]
        for fault in _faults(ended, argv, written, rows, smallest, limited=most is not None):
            told = f"{rows} rows, {how}, exit {ended.code}: {ended.err[-1500:]}"
            figures.found(Find(f"{argv[0]}: {fault}", command(argv), told, {"policy.toml": toml(POLICY).encode()}))
        for file in written:
            file.unlink() if file.is_file() else file.rmdir()


def _limit(megabytes: int | None) -> None:
    if megabytes is not None:
        words = Path("/proc/self/statm").read_text().split()
        size = int(words[0]) * resource.getpagesize() + (megabytes << 20)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _write(path: Path, rows: int, seed: int) -> int:
    """Write people piece by piece; gives the size of their smallest group, counted on the way."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    chance = np.random.default_rng(seed)
    counts = np.zeros(AGES * len(TOWNS) * len(SEXES), np.int64)
    writer = None
    for begin in range(0, rows, PIECE):
        number = min(PIECE, rows - begin)
        age, town, sex = (chance.integers(0, size, number) for size in (AGES, len(TOWNS), len(SEXES)))
        counts += np.bincount((age * len(TOWNS) + town) * len(SEXES) + sex, minlength=len(counts))
        ill = np.where(age > chance.integers(0, AGES, number), 1, chance.integers(0, len(ILLS), number))
        piece = pa.table(
            {
                "age": pa.array(age + 20),
                "town": pa.DictionaryArray.from_arrays(pa.array(town.astype(np.int32)), TOWNS).cast(pa.string()),
                "sex": pa.DictionaryArray.from_arrays(pa.array(sex.astype(np.int32)), list(SEXES)).cast(pa.string()),
                "pay": pa.array(chance.integers(0, 5000, number)),
                "ill": pa.DictionaryArray.from_arrays(pa.array(ill.astype(np.int32)), list(ILLS)).cast(pa.string()),
            }
        )
        writer = writer or pq.ParquetWriter(path, piece.schema, compression="zstd")
        writer.write_table(piece)
    if writer is not None:
        writer.close()
    return int(counts[counts > 0].min())


def _faults(
    ended: Run, argv: list[str], written: list[Path], rows: int, smallest: int, *, limited: bool
) -> Iterator[str]:
    if ended.code == HUNG:
        yield "does not end"
    elif ended.code not in {0, 1, 2}:
        yield f"ended with {ended.code}"
    elif ended.code == 2:
        lines = ended.err.strip().splitlines()
        if not limited:
            yield "refused without a limit"
        if "a defect in kspan" in ended.err or "Traceback" in ended.err:
            yield f"a defect: {lines[-1][:90] if lines else ''}"
        elif len(lines) != 1:
            yield "says more than one sentence"
        if written:
            yield "something is left though it was refused"
    elif not _right(ended, argv, written, rows, smallest):
        yield "a wrong answer"


def _right(ended: Run, argv: list[str], written: list[Path], rows: int, smallest: int) -> bool:
    """Is the answer right, as far as it can be counted?"""
    import pyarrow.parquet as pq

    names = {file.name: file for file in written}
    if argv[0] == "audit":
        said = json.loads(ended.out)
        return bool(said["k"]["rows"] == smallest and said["people"] == rows and said["holds"] == (smallest >= K))
    if argv[0] == "anonymize":
        table = pq.read_table(names["out.parquet"], columns=POLICY["public"])
        sizes = table.group_by(POLICY["public"]).aggregate([([], "count_all")])["count_all"].to_pylist()
        manifest = json.loads(names["out.parquet.release.json"].read_bytes())
        return bool(min(sizes) >= K and sum(sizes) + manifest["rows"]["withheld"] == rows)
    if "tree.json" in names:
        root = json.loads(names["tree.json"].read_bytes())["root"]
        return bool(abs(sum(root["counts"]) - rows) < 1e-6 * rows)
    return "drafted.toml" in names
