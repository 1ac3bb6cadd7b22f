"""How far experiments are: a bar each for somebody who watches, lines for a file."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column


class Tell(Protocol):
    """Says of an experiment how many of its blocks are done, and what is done now."""

    def __call__(self, experiment: str, done: int, blocks: int, what: str) -> None:
        """So many of its blocks are done; now comes what is said."""


@contextmanager
def shown() -> Iterator[Tell]:
    """What tells on stderr how far experiments are."""
    if not sys.stderr.isatty():
        yield _line
        return
    columns = (
        TextColumn("{task.description}", table_column=Column(min_width=18, no_wrap=True)),
        BarColumn(16, table_column=Column(min_width=16)),
        MofNCompleteColumn(table_column=Column(min_width=7, no_wrap=True)),
        TimeElapsedColumn(table_column=Column(min_width=7, no_wrap=True)),
        TextColumn("{task.fields[what]}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")),
    )
    with Progress(*columns, console=Console(stderr=True), expand=True) as bars:
        tasks: dict[str, TaskID] = {}

        def tell(experiment: str, done: int, blocks: int, what: str) -> None:
            if experiment not in tasks:
                tasks[experiment] = bars.add_task(experiment, total=blocks, what="")
            bars.update(tasks[experiment], completed=done, total=blocks, what=what)

        yield tell


def _line(experiment: str, done: int, blocks: int, what: str) -> None:
    print(f"{experiment} {done}/{blocks} {what}".rstrip(), file=sys.stderr, flush=True)
