"""How long clusters, rules and itemsets take beside scikit-learn's KMeans and mlxtend: ratios from one run."""

import argparse
import sys
from typing import Any

import numpy as np
import pandas as pd
from goals import Result, alternate, compared, say, told
from mlxtend.frequent_patterns import association_rules, fpgrowth
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kspan as ks

NUMBERS = ("age", "education-num", "hours-per-week", "capital-gain")
TRANSACTIONS, ITEMS, RULES, SETS = 100_000, 100, 200, 200


def main() -> int:
    """Measure and print; exit 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    return told([*clusters(given.rounds), *baskets(given.rounds)])


def clusters(rounds: int) -> list[Result]:
    """Clusters of 30,162 people, three numbers public and one private, and the audit of a KMeans of 50."""
    people = ks.datasets.load_adult("train", missing=False).select(NUMBERS)
    frame, results = people.to_pandas(), []
    for k in (10, 100, 1000):
        say(f"clusters, k={k}")
        policy = policy_of(f"k={k}")
        number = len(ks.learn_clusters(people, policy))
        times = alternate(lambda: ks.learn_clusters(people, policy), lambda: means(number).fit(frame), rounds)  # noqa: B023
        results.append(compared(f"{number} clusters, k={k} / KMeans of as many", times, 20.0))
    say("audit of KMeans")
    fitted = means(50).fit(frame)
    times = alternate(lambda: ks.audit(fitted, people, policy_of("k=10")), lambda: means(50).fit(frame), rounds)
    return [*results, compared("audit of KMeans of 50 / fitting it", times, 1.0)]


def baskets(rounds: int) -> list[Result]:
    """The audit of 200 rules and itemsets about 100,000 transactions beside finding them, and mining itemsets."""
    say("rules and itemsets")
    rng = np.random.default_rng(0)
    bought = rng.random((TRANSACTIONS, ITEMS)) < rng.uniform(0.005, 0.06, ITEMS)
    kind = rng.integers(0, 20, TRANSACTIONS)  # people of a kind buy the same things
    bought |= (kind[:, None] == np.arange(ITEMS) % 20) & (rng.random(bought.shape) < 0.6)
    frame = pd.DataFrame(bought, columns=[f"item {number}" for number in range(ITEMS)])
    names = list(frame.columns)
    policy = ks.Policy(public=names[: ITEMS // 2], private=names[ITEMS // 2 :], require="k=10")

    def sets() -> Any:
        return fpgrowth(frame, min_support=0.01, use_colnames=True, max_len=3)

    def found() -> Any:
        return association_rules(sets(), metric="confidence", min_threshold=0.4)

    def mined() -> Any:
        return ks.mine_itemsets(frame, policy, min_support=0.01, max_items=3, most=SETS)

    best = found().sort_values("confidence", ascending=False).head(RULES)
    assert len(best) == RULES
    times = alternate(lambda: ks.audit(best, frame, policy), found, rounds)
    often = sets().sort_values("support", ascending=False).head(SETS)
    judged = alternate(lambda: ks.audit(often, frame, policy), sets, rounds)
    return [
        compared(f"audit of {RULES} rules / mlxtend finding them", times, 1.0),
        compared(f"audit of {SETS} itemsets / mlxtend finding them", judged, 1.0),
        compared("mining itemsets, k=10 / mlxtend finding all", alternate(mined, sets, rounds), 5.0),
    ]


def policy_of(require: str) -> ks.Policy:
    """Capital gains are private, anything up to the most that is told."""
    return ks.Policy(public=NUMBERS[:3], private=NUMBERS[3:], require=require, domains={"capital-gain": [0, 99_999]})


def means(number: int) -> Any:
    """What is compared with."""
    return make_pipeline(StandardScaler(), KMeans(number, random_state=0))


if __name__ == "__main__":
    sys.exit(main())
