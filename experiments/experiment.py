"""What an experiment is: blocks of work whose rows are kept, charts of the rows, and a page about them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

import kspan as ks
from experiments.data_sets import DataSet
from experiments.progress import Tell

SEED = 4
Block: TypeAlias = Mapping[str, str | int]
"""What is done at one go: the columns that tell its rows from those of other blocks."""
Row: TypeAlias = dict[str, Any]
Data: TypeAlias = Callable[[str], DataSet]


@dataclass(frozen=True)
class Experiment:
    """Some figures or tables of a paper."""

    name: str
    paper: str
    """The seeds that it is from, whose published statements are in `published/<paper>.csv`; empty if it is ours."""
    figures: str
    blocks: Callable[[bool], Sequence[Block]]
    """The blocks of a full run, or of a quick one."""
    measure: Callable[[Block, Data], list[Row]]
    """The rows of one block, a cell a row."""
    charts: Callable[[pl.DataFrame], Mapping[str, Any]]
    """Charts by the ending of their file's name."""
    found: Callable[[pl.DataFrame], str]
    """Our results as Markdown."""

    @property
    def place(self) -> str:
        """Where it is from, in words."""
        if not self.paper:
            return self.figures
        return f"papers: {self.figures}" if ", " in self.paper else f"paper {self.paper}, {self.figures}"


def run(experiment: Experiment, data: Data, path: Path, *, quick: bool, tell: Tell) -> pl.DataFrame:
    """Measure what the file does not hold yet; a block is kept as soon as it is done."""
    kept = Kept(path, experiment.blocks(quick))
    for block in kept.missing:
        tell(experiment.name, kept.done, len(kept.blocks), said(block))
        kept.add(measured(experiment, block, data))
    tell(experiment.name, kept.done, len(kept.blocks), "")
    return kept.in_order()


class Kept:
    """The rows of an experiment in a file, and the blocks that it should hold."""

    def __init__(self, path: Path, blocks: Sequence[Block]) -> None:
        self.path, self.blocks = path, blocks
        self.table = read_rows(path)
        self.missing = [block for block in blocks if not holds(self.table, block)]
        self.done = len(blocks) - len(self.missing)

    def add(self, rows: Sequence[Row]) -> None:
        """Keep the rows of another block."""
        more = pl.DataFrame(rows, infer_schema_length=None)
        self.table = pl.concat([self.table, more], how="diagonal_relaxed")
        _write(self.table, self.path)
        self.done += 1

    def in_order(self) -> pl.DataFrame:
        """All rows, those of the first block first, whichever was done first."""
        own = [_of(self.table, block) for block in self.blocks]
        others = self.table.filter(~pl.any_horizontal(own)) if own else self.table
        self.table = pl.concat([others, *(self.table.filter(each) for each in own)])
        _write(self.table, self.path)
        return self.table


def measured(experiment: Experiment, block: Block, data: Data) -> list[Row]:
    """The rows of a block, with all that is needed to measure them again."""
    return [{**block, **row, **_stamp()} for row in experiment.measure(block, data)]


def said(block: Block) -> str:
    """A block in words.

    >>> said({"data": "car", "k": 5})
    'data car, k 5'
    """
    return ", ".join(f"{key} {value}" for key, value in block.items())


def read_rows(path: Path) -> pl.DataFrame:
    """The rows that were kept, none if there is no such file."""
    return pl.read_csv(path, infer_schema_length=None) if path.exists() else pl.DataFrame()


def holds(table: pl.DataFrame, block: Block) -> bool:
    """Are the rows of a block in the table, measured with this seed?

    >>> holds(pl.DataFrame({"data": ["car"], "seed": [SEED]}), {"data": "car"}), holds(pl.DataFrame(), {"data": "car"})
    (True, False)
    """
    if not {*block, "seed"} <= set(table.columns):
        return False
    return not table.filter(_of(table, block)).is_empty()


def _of(table: pl.DataFrame, block: Block) -> pl.Expr:
    """Is a row of a block, measured with this seed?"""
    return pl.all_horizontal(pl.col(key).eq_missing(value) for key, value in {**block, "seed": SEED}.items())


def _stamp() -> Row:
    """What a row must tell to be measured again."""
    return {"seed": SEED, "kspan": ks.__version__, "numpy": version("numpy"), "polars": version("polars")}


def _write(table: pl.DataFrame, path: Path) -> None:
    """Replace the file as a whole, so that an interruption loses no more than one block."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".part")
    table.write_csv(half, float_precision=4)
    half.replace(path)
