"""Audits of a table in Parquet files: counted by DuckDB, beside its own group-by and beside memory."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from goals import say
from spent import MB, spent, spent_by

import kspan as ks

PUBLIC = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
PRIVATE = "income"
PART = 1_000_000
OTHER = 0.08
"""The share of cells that are another person's."""
MOST_TIMES, MOST_BYTES = 3.0, 1.5e9
"""So many times as long as the group-by the audit may take, and so many bytes."""
GROUPS = "import duckdb; duckdb.execute('set threads = 1'); duckdb.sql({query!r}).fetchall()"


def main() -> int:
    """Measure and print; exit 1 if a goal is missed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=10_000_000)
    options.add_argument("--memory", default="4GB")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        ks.Policy(public=PUBLIC, private=[PRIVATE], require="k=5").save("policy.toml")
        say("making the table")
        write_parts(Path("table"), given.rows)
        columns = ", ".join(f'"{name}"' for name in PUBLIC)
        query = f"select count(*) from (select {columns}, count(*) from 'table/*.parquet' group by all)"
        floor = spent_by(GROUPS.format(query=query))
        print(f"group-by of the public columns  {floor}", flush=True)
        ours = spent("audit", "table", "-p", "policy.toml", "--engine", "duckdb", "--memory", given.memory)
        print(f"audit, --engine duckdb          {ours}", flush=True)
        print(f"audit, --engine memory          {spent('audit', 'table', '-p', 'policy.toml', '--engine', 'memory')}")
    times, fits = ours.processor / floor.processor, ours.peak < MOST_BYTES
    print(f"{times:.2f} times the group-by (goal: at most {MOST_TIMES:g}), {ours.peak / MB:,.0f} MB (goal: 1.5 GB)")
    return 0 if times <= MOST_TIMES and fits else 1


def write_parts(folder: Path, rows: int) -> None:
    """Write people like those of Adult, a million a file: each takes after one of them but for some cells."""
    adult, draws = ks.datasets.load_adult().select(*PUBLIC, PRIVATE), np.random.default_rng(1)
    folder.mkdir()
    for begin in range(0, rows, PART):
        size = min(PART, rows - begin)
        like, other = (draws.integers(0, adult.height, size) for _ in range(2))
        cells = {name: adult[name].gather(np.where(draws.random(size) < OTHER, other, like)) for name in adult.columns}
        pl.DataFrame(cells).write_parquet(folder / f"{begin // PART:04}.parquet")


if __name__ == "__main__":
    sys.exit(main())
