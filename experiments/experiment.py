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
    table = read_rows(path)
    blocks = experiment.blocks(quick)
    for done, block in enumerate(blocks):
        if holds(table, block):
            continue
        tell(experiment.name, done, len(blocks), ", ".join(f"{key} {value}" for key, value in block.items()))
        rows = [{**block, **row, **_stamp()} for row in experiment.measure(block, data)]
        table = pl.concat([table, pl.DataFrame(rows, infer_schema_length=None)], how="diagonal_relaxed")
        _write(table, path)
    tell(experiment.name, len(blocks), len(blocks), "")
    return table


def read_rows(path: Path) -> pl.DataFrame:
    """The rows that were kept, none if there is no such file."""
    return pl.read_csv(path, infer_schema_length=None) if path.exists() else pl.DataFrame()


def holds(table: pl.DataFrame, block: Block) -> bool:
    """Are the rows of a block in the table, measured with this seed?

    >>> holds(pl.DataFrame({"data": ["car"], "seed": [SEED]}), {"data": "car"}), holds(pl.DataFrame(), {"data": "car"})
    (True, False)
    """
    wanted = {**block, "seed": SEED}
    if not set(wanted) <= set(table.columns):
        return False
    return not table.filter(pl.all_horizontal(pl.col(key) == value for key, value in wanted.items())).is_empty()


def _stamp() -> Row:
    """What a row must tell to be measured again."""
    return {"seed": SEED, "kspan": ks.__version__, "numpy": version("numpy"), "polars": version("polars")}


def _write(table: pl.DataFrame, path: Path) -> None:
    """Replace the file as a whole, so that an interruption loses no more than one block."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".part")
    table.write_csv(half, float_precision=4)
    half.replace(path)
