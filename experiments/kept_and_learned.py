"""What the table of every method keeps, and how much is learned from it: on Adult and on three other data sets."""

from collections.abc import Mapping, Sequence
from functools import cache
from time import process_time
from typing import Any

import kspan as ks
from experiments.data_sets import ADULT
from experiments.every_method import ALL, FOLDS, ROUNDS, Fold, fold_of, policy_of
from experiments.experiment import SEED, Block, Data, Experiment, Row
from experiments.kept_and_learned_told import FLOOR, METHODS, NAME, RAW, charts, found

SOME = 1000
"""How many people take part in a quick run."""
PEOPLE = {ADULT: ALL, "german": 1000, "nursery": 12_960, "waveform": 5000}
KS = {ADULT: (10, 100), "german": (10,), "nursery": (10, 50), "waveform": (10, 50)}
"""Half of the German credit data are 500 people, too few for crowds of 50."""
HALVES = {**dict.fromkeys(PEOPLE, ROUNDS * FOLDS), "nursery": FOLDS, "waveform": FOLDS}
"""Boosting for more than two labels takes longest, so that Nursery and Waveform are halved once."""
PAPER: Mapping[str, Any] = {"blank": True, "show": "mean", "refine": False}
"""kACTUS with Figures 5 and 6 as they are printed."""
HURRIED: Mapping[str, Any] = {"rounds": 10, "imputations": 3}
"""How a quick run boosts."""


def blocks(quick: bool) -> Sequence[Block]:
    """A block a fold and k, those of Adult first."""
    if quick:
        return [{"data": ADULT, "people": SOME, "fold": 0, "k": 10}]
    return [
        {"data": name, "people": people, "fold": fold, "k": k}
        for name, people in PEOPLE.items()
        for fold in range(HALVES[name])
        for k in KS[name]
    ]


def measure(block: Block, data: Data) -> list[Row]:
    """What every method keeps with one k on one half, and what is learned from that."""
    people = int(block["people"])
    fold = fold_of(data(str(block["data"])), people, int(block["fold"]))
    hurried = block["data"] == ADULT and people < ALL
    boosting = HURRIED if hurried else {}
    if not hurried:
        _load_loops()
    raw = _learned(fold, fold.known, policy_of(fold.data, RAW, 1), "boosted", boosting)
    ends: list[Row] = [
        {"method": RAW, "c45": fold.raw, "boosted": raw["boosted"]},
        {"method": FLOOR, "c45": fold.floor, "boosted": fold.floor},
    ]
    return [*ends, *({"method": name, **_reached(fold, name, int(block["k"]), boosting)} for name in METHODS)]


def _reached(fold: Fold, name: str, k: int, boosting: Mapping[str, Any]) -> Row:
    """What one method keeps and teaches, or nothing if it has nothing to release."""
    method = METHODS[name]
    rules = policy_of(fold.data, method, k)
    try:
        begun = process_time()
        release = ks.anonymize(fold.known, rules, method, secret=f"{SEED:032x}", **_options(name, bool(boosting)))
        making = process_time() - begun
    except ks.Unreachable:
        return {"ncp": None}
    drawn = {**boosting, "marginals": release.marginals()}
    return {
        **_kept(release, fold),
        "making": making,
        **_learned(fold, release.table, rules, "c45", {}),
        **_learned(fold, release.table, rules, "boosted", boosting),
        **_learned(fold, release.table, rules, "boosted", drawn, name="marginals"),
    }


def _options(name: str, hurried: bool) -> Mapping[str, Any]:
    if name == "k-optimize":
        return {"seconds": 0.3 if hurried else 5.0}
    return PAPER if name == "kactus (paper)" else {}


def _kept(release: ks.TableRelease, fold: Fold) -> Row:
    """What is left of the cells, and of the labels; whoever is withheld is outside the majority of a group."""
    public = fold.data.attributes
    shown = release.table.select(public).to_dict(as_series=True).values()
    blank = sum(int((column.cast(str) == "*").sum()) for column in shown)
    cost, everybody = release.audit.utility, fold.known.height
    return {
        "ncp": cost.ncp,
        "blank": blank / (release.table.height * len(public)),
        "cm": ((cost.cm or 0) + release.withheld) / everybody,
        "withheld": release.withheld / everybody,
    }


def _learned(fold: Fold, table: Any, rules: ks.Policy, learner: str, options: Mapping[str, Any], name: str = "") -> Row:
    """The share of people who get their own label from what was learned, and the seconds to learn it."""
    begun = process_time()
    model = ks.learn(table, rules, learner, **options)
    seconds = process_time() - begun
    column = name or learner
    return {column: fold.accuracy(model), f"{column}_seconds": seconds}


@cache
def _load_loops() -> None:
    """Make and learn from tiny tables first: to load compiled loops is no part of what a method takes."""
    people = ks.datasets.load_adult(missing=False).select("age", "sex", "income").head(200)
    for method in dict.fromkeys(METHODS.values()):
        trees: dict[str, Any] = {"age": ks.Automatic(), "sex": ks.Automatic()} if method == "incognito" else {}
        rules = ks.Policy(public=["age", "sex"], target="income", require="k=10", hierarchies=trees)
        release = ks.anonymize(people, rules, method, secret=f"{SEED:032x}")
        ks.learn(release.table, rules, "c45")
        ks.learn(release.table, rules, "boosted", **HURRIED, marginals=release.marginals())


EXPERIMENT = Experiment(
    name=NAME,
    paper="",
    figures="a chart that no paper has",
    blocks=blocks,
    measure=measure,
    charts=charts,
    found=found,
)
