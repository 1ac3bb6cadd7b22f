"""Trees that let nobody infer a label with more than some confidence: their error along the limit."""

from collections.abc import Sequence

import kspan as ks
from experiments import census
from experiments.experiment import Block, Data, Experiment, Row
from experiments.trees_confidence_told import NAME, PAPERS, charts, entropy_l, found

LIMITS = (9900, 9700, 9500, 9250, 9000, 8750, 8500, 8250, 8000, 7750, 7511, 7510)
"""In hundredths of a percent; the root's own is 75.108%."""


def blocks(quick: bool) -> Sequence[Block]:
    """A block a limit and number of attributes."""
    return [
        {"attributes": number, "taxonomy": "papers", "limit": limit}
        for number in census.LEARNERS
        for limit in ((9500, 8500) if quick else LIMITS)
    ]


def measure(block: Block, data: Data) -> list[Row]:
    """The tree under the limit, asked for in both ways: as a share, and as the paper does by entropy."""
    number, limit = int(block["attributes"]), int(block["limit"]) / 10_000
    ways = {"confidence": f"confidence={limit}", "entropy": f"entropy_l={entropy_l(limit)}"}
    rows = []
    for way, require in ways.items():
        names = census.attributes(number)
        rules = census.policy(names, require, str(block["taxonomy"]), data("adult").folder)
        tree = _learned(rules, census.LEARNERS[number])
        rows.append(
            {
                "way": way,
                "requirement": require,
                "reached": tree is not None,
                "floor": census.floor(),
                "error": None if tree is None else census.error(tree),
                "leaves": None if tree is None else len(tree.leaves),
            }
        )
    return rows


def _learned(rules: ks.Policy, method: census.Method) -> ks.Tree | None:
    """The tree, or None if not even a single leaf keeps the limit."""
    try:
        return census.learned(rules, method)[0]
    except ks.Unreachable:
        return None


EXPERIMENT = Experiment(
    name=NAME,
    paper=PAPERS,
    figures="000 Figs. 7, 8, 001 Fig. 8",
    blocks=blocks,
    measure=measure,
    charts=charts,
    found=found,
)
