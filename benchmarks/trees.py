"""How fast kADET is beside scikit-learn's tree, and what private attributes cost: ratios from one run."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

import kspan as ks
from kspan.data.encode import encode
from kspan.induce.kadet import kadet

EIGHT = (
    "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country",
)  # fmt: skip
PRIVATE = ("occupation", "workclass")


def main() -> int:
    """Measure and print; exit 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--hierarchies", type=Path, help="a folder with adult_hierarchy_<attribute>.csv, instead of ours"
    )
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    people = ks.datasets.load_adult("train", missing=False).select(*EIGHT, "income")
    hierarchies = _hierarchies(given.hierarchies)

    def growing(k: int, private: tuple[str, ...] = ()) -> Callable[[], object]:
        public = [name for name in EIGHT if name not in private]
        policy = ks.Policy(
            public=public, private=private, target="income", require=ks.KAnonymity(k), hierarchies=hierarchies
        )
        table = encode(people, policy)
        return lambda: kadet(table, policy)

    words, labels = people.select(EIGHT).to_numpy(), people["income"].to_numpy()
    peer = DecisionTreeClassifier(min_samples_leaf=10, random_state=0)
    one_hot = OneHotEncoder().fit_transform(words)
    dense, ordinal = one_hot.toarray(), OrdinalEncoder().fit_transform(words)
    ten, hundred, hidden = growing(10), growing(100), growing(100, PRIVATE)
    results = [
        ("kADET k=10 / tree on one-hot columns", *ratio(ten, lambda: peer.fit(one_hot, labels), given.rounds), 1.0),
        (
            "kADET k=10 / tree on dense one-hot columns",
            *ratio(ten, lambda: peer.fit(dense, labels), given.rounds),
            None,
        ),
        ("kADET k=10 / tree on ordinal codes", *ratio(ten, lambda: peer.fit(ordinal, labels), given.rounds), None),
        ("kADET k=100, two attributes private / all public", *ratio(hidden, hundred, given.rounds), 5.0),
    ]
    missed = 0
    for what, middle, low, high, goal in results:
        verdict = "" if goal is None else f"  goal at most {goal:g}x: {'reached' if middle <= goal else 'MISSED'}"
        missed += goal is not None and middle > goal
        print(f"{what:<52} {middle:6.2f}x  (rounds {low:.2f} to {high:.2f}){verdict}")
    return 1 if missed else 0


def ratio(ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> tuple[float, float, float]:
    """Median, lowest and highest ratio of alternating rounds; the first does not count."""
    print("...", end="", file=sys.stderr, flush=True)
    ratios = sorted([seconds(ours) / seconds(theirs) for _ in range(rounds + 1)][1:])
    return median(ratios), ratios[0], ratios[-1]


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    begin = perf_counter()
    work()
    return perf_counter() - begin


def _hierarchies(folder: Path | None) -> dict[str, ks.Hierarchy]:
    if folder is None:
        return {name: ks.read_hierarchy(ks.datasets.adult_hierarchies() / f"{name}.csv") for name in EIGHT}
    return {name: ks.read_hierarchy(folder / f"adult_hierarchy_{name}.csv") for name in EIGHT}


if __name__ == "__main__":
    sys.exit(main())
