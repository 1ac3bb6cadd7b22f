"""The Adult census data (Becker and Kohavi 1996) and generalization hierarchies for it; `ADULT.md` is the data card."""

from importlib.resources import files
from pathlib import Path
from typing import Literal

import polars as pl

from kspan.data.hierarchy import read_hierarchy
from kspan.errors import KspanError
from kspan.policy import Policy
from kspan.privacy import Requirement


def load_adult(split: Literal["train", "test"] | None = None, *, missing: bool = True) -> pl.DataFrame:
    """The people of one split in source order, or of both with a column `split` that tells which (doi:10.24432/C5XW20).

    A missing cell is null; `missing=False` leaves out every person who has one, as most papers do.

    >>> load_adult().shape
    (48842, 16)
    >>> load_adult("train").shape
    (32561, 15)
    >>> load_adult("train", missing=False).height, load_adult("test", missing=False).height
    (30162, 15060)
    """
    adult = pl.read_parquet(_folder() / "adult.parquet")
    if split is not None:
        # A misspelled split would otherwise silently give an empty table.
        if split not in ("train", "test"):
            raise KspanError("the Adult data has no such split: ask for 'train', 'test' or None for both")
        adult = adult.filter(pl.col("split") == split).drop("split")
    return adult if missing else adult.drop_nulls()


def adult_hierarchies() -> Path:
    """The folder with kspan's hierarchies, one `<column>.csv` for every column but `fnlwgt` and `income`.

    >>> (adult_hierarchies() / "workclass.csv").read_text(encoding="utf-8").splitlines()[0]
    'Federal-gov;Public sector;Employee;*'
    """
    return _folder() / "hierarchies" / "adult"


def adult_policy(require: Requirement | str = "k=10") -> Policy:
    """A policy for `load_adult(split)`: what neighbors and colleagues know of a person is public, the rest private.

    >>> adult_policy().target
    'income'
    """
    public = (
        "age", "workclass", "education", "education-num", "marital-status", "occupation", "relationship", "race", "sex",
        "native-country",
    )  # fmt: skip
    private = ("income", "hours-per-week", "capital-gain", "capital-loss", "fnlwgt")
    covered = sorted(path.stem for path in adult_hierarchies().glob("*.csv"))
    hierarchies = {name: read_hierarchy(adult_hierarchies() / f"{name}.csv") for name in covered}
    return Policy(public=public, private=private, target="income", require=require, hierarchies=hierarchies)


def _folder() -> Path:
    return Path(str(files("kspan.datasets")))
