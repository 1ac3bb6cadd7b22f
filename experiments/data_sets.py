"""The data sets of the papers, with everything that is known of their columns declared."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import kspan as ks

FILES = {"car": "car.csv", "cmc": "cmc.csv", "nursery": "nursery.csv.gz"}
NUMBERS = {"cmc": ("Wife_age", "Number_of_children_ever_born")}
"""Columns that count something; all others of these files are categories, also those written as digits."""
MEASURED = {
    "credit": "credit_approval.csv",
    "german": "german.csv",
    "glass": "glass.csv",
    "ionosphere": "ionosphere.csv",
    "pima": "pima_diabetes.csv",
    "tic-tac-toe": "tic_tac_toe.csv",
    "vehicle": "vehicle.csv",
    "waveform": "waveform.csv.gz",
}
"""Files in which every attribute that looks like a number is one."""
IDENTIFIERS = {"glass": "Id_number"}
"""Columns that are left out; the file of Glass is sorted by its label, so that its numbers would give that away."""
ADULT, ADULT_TARGET = "adult", "occupation"
INCOMES = {"adult-income": True, "adult-income-complete": False}
"""Adult with its own target: all people, or those without a missing cell."""
HOME = Path(__file__).parents[1]
DATA = HOME.parent / "shared" / "data"


@dataclass(frozen=True, eq=False)
class DataSet:
    """People, what is to be predicted of them, and what everybody may know of the columns."""

    name: str
    people: pl.DataFrame
    target: str
    folder: Path = DATA
    """Where the data of the papers is, with their taxonomies of Adult."""

    @property
    def attributes(self) -> list[str]:
        """Every column but the target."""
        return [name for name in self.people.columns if name != self.target]

    def policy(self, require: str, *, hierarchies: bool = False) -> ks.Policy:
        """A policy in which all attributes are public, domains and labels are declared, and hierarchies if asked for.

        A hierarchy lists the values of its column, so that it takes the place of their declaration.
        """
        trees = self._hierarchies() if hierarchies else {}
        domains = {name: _domain(self.people[name]) for name in self.people.columns}
        said = {name: domain for name, domain in domains.items() if name not in trees or _is_number(domain)}
        return ks.Policy(
            public=self.attributes, target=self.target, require=require, domains=said, hierarchies=dict(trees)
        )

    def folds(self, seed: int, number: int = 10) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The fold of each person: random, of equal sizes."""
        return np.random.default_rng(seed).permutation(self.people.height) % number

    def _hierarchies(self) -> Mapping[str, Any]:
        folder = ks.datasets.adult_hierarchies()
        shipped = {name: folder / f"{name}.csv" for name in self.attributes} if self.name.startswith(ADULT) else {}
        return {
            name: ks.read_hierarchy(shipped[name]) if name in shipped and shipped[name].exists() else ks.Automatic()
            for name in self.attributes
        }


def load(name: str, folder: Path = DATA) -> DataSet:
    """A data set by name: Adult as it is shipped, the others from the folder of the papers' data."""
    if name == ADULT:
        return DataSet(name, ks.datasets.load_adult(missing=False).drop("split"), ADULT_TARGET, folder)
    if name in INCOMES:
        return DataSet(name, ks.datasets.load_adult(missing=INCOMES[name]).drop("split"), "income", folder)
    path = folder / (FILES | MEASURED)[name]
    if not path.exists():
        raise ks.FileError(f"{path} is not there: say with --data where the data sets of the papers are")
    if name in MEASURED:
        return _measured(name, path)
    people = pl.read_csv(path, infer_schema=False)
    target = people.columns[-1]
    numbers = NUMBERS.get(name, ())
    words = [column for column in people.columns if column not in (*numbers, target)]
    digits = [column for column in words if people[column].str.contains(r"^\d+$").all()]
    # Digits that are no numbers get a letter, lest a hierarchy make intervals of them.
    return DataSet(
        name,
        people.with_columns(pl.col(numbers).cast(pl.Int64), pl.format("c{}", pl.col(digits))) if digits else people,
        target,
        folder,
    )


def _measured(name: str, path: Path) -> DataSet:
    people = pl.read_csv(path, null_values=["?"], infer_schema_length=None)
    target = people.columns[-1]
    left = people.drop(IDENTIFIERS[name]) if name in IDENTIFIERS else people
    return DataSet(name, left.with_columns(pl.col(target).cast(pl.String)), target)


def parts(people: pl.DataFrame, number: int, rng: np.random.Generator) -> list[pl.DataFrame]:
    """People dealt out at random to so many owners, evenly."""
    owner = rng.permutation(people.height) % number
    return [people.filter(owner == place) for place in range(number)]


def _domain(column: pl.Series) -> list[Any]:
    if column.dtype.is_numeric():
        return [column.min(), column.max()]
    return [str(value) for value in column.drop_nulls().unique().sort()]


def _is_number(domain: list[Any]) -> bool:
    return not isinstance(domain[0], str)
