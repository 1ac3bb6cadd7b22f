"""The classification metric of anonymous trees, beside that of K-Optimize's tables (001, Table 6)."""

from collections.abc import Sequence
from time import process_time

import kspan as ks
from experiments import census
from experiments.experiment import Block, Data, Experiment, Row
from experiments.trees_table_told import AGE, KS, NAME, OPTIMIZE, PAPERS, TREE, charts, found

SECONDS = 10.0
"""How long K-Optimize may search."""
SETS = {"7 categorical": census.SEVEN, AGE: ("age", *census.SEVEN)}
"""The paper's attributes, and those of K-Optimize's authors, who had age as well."""


def blocks(quick: bool) -> Sequence[Block]:
    """A block a k and method."""
    if quick:
        return [{"taxonomy": "papers", "attributes": "7 categorical", "method": TREE, "k": k} for k in KS]
    return [
        {"taxonomy": "papers", "attributes": names, "method": method, "k": k}
        for names in SETS
        for method in (TREE, OPTIMIZE)
        for k in KS
    ]


def measure(block: Block, data: Data) -> list[Row]:
    """People outside the majority of their span or group, withheld ones included."""
    names = SETS[str(block["attributes"])]
    rules = census.policy(names, f"k={block['k']}", str(block["taxonomy"]), data("adult").folder)
    people = census.known(names)
    if block["method"] == TREE:
        tree, seconds = census.learned(rules, "kadet")
        judged = ks.audit(tree, people, rules)
        return [{"cm": judged.utility.cm, "withheld": 0, "seconds": seconds}]
    begun = process_time()
    release = ks.anonymize(people, rules, "k-optimize", secret="0" * 32, seconds=SECONDS)
    seconds = process_time() - begun
    cm = release.audit.utility.cm
    return [
        {
            "cm": None if cm is None else cm + release.withheld,
            "withheld": release.withheld,
            "proved": bool(release.facts["optimum proved"]),
            "seconds": seconds,
        }
    ]


EXPERIMENT = Experiment(
    name=NAME,
    paper=PAPERS,
    figures="Table 6",
    blocks=blocks,
    measure=measure,
    charts=charts,
    found=found,
)
