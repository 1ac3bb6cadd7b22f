"""A table that stays where it is: what every engine answers of it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import polars as pl

from kspan.engines.kinds import Kinds
from kspan.engines.memory import said_of
from kspan.errors import DataError, FileError, KspanError
from kspan.frames.native import unused

TIMES = "kspan rows"
"""The column in which an engine counts rows, unless the table has one of that name."""
BATCH = 1_000_000
"""So many rows arrive at once."""


class Unread(FileError):  # noqa: N818
    """A table that an engine might read otherwise than it is read into memory."""

    def __str__(self) -> str:
        return f"{super().__str__()}, which needs all rows in memory: use --engine memory"


class Rows(ABC):
    """A table of which an engine answers questions; its rows are not in memory.

    Whoever makes one sees to it that the engine tells texts apart by their bytes: by a collation it may take two for
    one, and people who look different to an attacker would be counted together.
    """

    engine: ClassVar[str]
    """What people call it."""

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """The names of all columns."""

    @abstractmethod
    def counted(self, names: Sequence[str], times: str) -> pl.DataFrame:
        """Return the different rows by some columns, in any order, and in one more how many rows are alike."""

    @abstractmethod
    def whole(self) -> pl.DataFrame:
        """Bring all rows into memory."""

    def close(self) -> None:
        """Let go of what was opened for it, so that others may replace the table; what was given stays open."""
        return

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.names)} columns, {self.engine})"

    def kinds(self, asked: Iterable[str]) -> Kinds:
        """Return the different rows by the columns that were asked for, as far as there are such, and count them."""
        every, wanted = self.names, set(asked)
        there = [name for name in every if name in wanted]
        times = unused(TIMES, every)
        counted = self.counted(there, times)
        empty = pl.lit(None)
        found = counted.select(counted[name] if name in wanted else empty.alias(name) for name in every)
        return Kinds(found, counted[times].cast(pl.Int64))


def arrived(batches: Iterable[Any], empty: Any, memory: float | None) -> pl.DataFrame:
    """Put together what an engine gives batch by batch (as Arrow), as long as it fits into so much memory."""

    def parts() -> Iterator[pl.DataFrame]:
        size, rows = 0.0, 0
        yield pl.DataFrame(pl.from_arrow(empty))
        for batch in batches:
            part = pl.DataFrame(pl.from_arrow(batch))
            size, rows = size + part.estimated_size(), rows + part.height
            if memory is not None and size > memory:
                raise FileError(
                    f"the table has more than {rows:,} different rows, which take more than {said_of(size)} of memory: "
                    "give more (--memory), or leave columns out"
                )
            yield part

    return pl.concat(list(parts()))


@contextmanager
def told(engine: str) -> Iterator[None]:
    """Turn what an engine says into one sentence, since it may quote cells."""
    try:
        yield
    except (KspanError, MemoryError):
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        if "Interrupt" in type(error).__name__:
            raise KeyboardInterrupt from None
        if "OutOfMemory" in type(error).__name__:
            raise FileError(
                f"the memory that {engine} may use is not enough to count the rows: give more (--memory), or leave "
                "columns out"
            ) from None
        raise DataError(
            f"{engine} cannot read the table, or not count its rows: a part is damaged or has other columns, the disk "
            "is full, or it has cells that are lists"
        ) from None
