"""Adult as Friedman et al. use it: income to be predicted, the official split, eight categorical attributes or all."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from time import process_time
from typing import Literal, TypeAlias

import polars as pl

import kspan as ks

TARGET = "income"
SEVEN = ("workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")
EIGHT = (*SEVEN, "relationship")
"""The categorical attributes, in the order that decides between equally good splits."""
Method: TypeAlias = Literal["kadet", "kadet-c45", "id3", "c45"]
LEARNERS: Mapping[int, Method] = {8: "kadet", 14: "kadet-c45"}
"""The paper's anonymous ID3 for the categorical attributes, and its anonymous C4.5 for all."""
PLAIN: Mapping[int, Method] = {8: "id3", 14: "c45"}
TAXONOMIES = ("papers", "shipped")
"""Those of Fung, Wang and Yu in the folder of the papers' data, and our own."""
NONE = "none"
"""What stands for no taxonomy."""
FEW = 2000
"""A k that leaves trees so small that nothing is spent on them."""


@cache
def people(split: Literal["train", "test"]) -> pl.DataFrame:
    """The people to learn from (`train`), or to be predicted (`test`), without those who miss a value."""
    return ks.datasets.load_adult(split, missing=False)


@cache
def everybody(split: Literal["train", "test"]) -> pl.DataFrame:
    """The same, with those who miss a value."""
    return ks.datasets.load_adult(split)


def attributes(number: int) -> Sequence[str]:
    """The eight categorical attributes, or all fourteen."""
    return EIGHT if number == len(EIGHT) else [name for name in people("train").columns if name != TARGET]


def known(names: Iterable[str]) -> pl.DataFrame:
    """The people to learn from with some attributes and the target."""
    return people("train").select(*names, TARGET)


def policy(
    names: Iterable[str], require: str, taxonomy: str, folder: Path, *, private: Sequence[str] = ()
) -> ks.Policy:
    """A policy with taxonomies for the categorical attributes, or `none`; numbers are cut where the learner likes."""
    asked = list(names)
    words = [name for name in asked if name in EIGHT and taxonomy != NONE]
    trees = {name: ks.read_hierarchy(_file(name, taxonomy, folder)) for name in words}
    public = [name for name in asked if name not in private]
    return ks.Policy(public=public, private=list(private), target=TARGET, require=require, hierarchies=trees)


def _file(name: str, taxonomy: str, folder: Path) -> Path:
    if taxonomy == "shipped":
        return ks.datasets.adult_hierarchies() / f"{name}.csv"
    path = folder / "hierarchies" / f"adult_hierarchy_{name}.csv"
    if not path.exists():
        raise ks.FileError(f"{path} is not there: say with --data where the data sets of the papers are")
    return path


def error(model: ks.Tree) -> float:
    """The share of test people who get a label that is not theirs."""
    asked = people("test")
    return 1 - ks.accuracy(ks.predict(model, asked)[f"predicted: {TARGET}"], asked[TARGET])


def floor() -> float:
    """The error of saying the commoner label of everybody."""
    commoner = people("train")[TARGET].mode().sort()[0]
    return 1 - ks.accuracy([commoner] * people("test").height, people("test")[TARGET])


def learned(rules: ks.Policy, method: Method) -> tuple[ks.Tree, float]:
    """A tree from the people to learn from, and the processor seconds that it took."""
    names = [*rules.public, *(name for name in rules.private if name != TARGET)]
    _load_loops(method, tuple(names))
    begun = process_time()
    tree = ks.learn(known(names), rules, method)
    return tree, process_time() - begun


@cache
def _load_loops(method: Method, names: tuple[str, ...]) -> None:
    """Learn a tiny tree first: to load compiled loops is no part of what a tree takes."""
    ks.learn(known(names), policy(names, f"k={FEW}", "shipped", Path()), method)
