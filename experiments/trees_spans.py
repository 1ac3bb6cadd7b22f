"""What private attributes do to anonymous trees: their spans, the time they take, and their error."""

from collections.abc import Sequence

import kspan as ks
from experiments import census
from experiments.experiment import Block, Data, Experiment, Row
from experiments.trees_spans_told import NAME, PAPERS, PRIVATE, charts, found

KS = (10, 100, 1000)


def blocks(quick: bool) -> Sequence[Block]:
    """A block a k, number of attributes and number of them that are private."""
    return [
        {"attributes": number, "taxonomy": "papers", "private": private, "k": k}
        for number in census.LEARNERS
        for private in ((0, 1) if quick else range(len(PRIVATE) + 1))
        for k in (KS[-1:] if quick else KS)
    ]


def measure(block: Block, data: Data) -> list[Row]:
    """One tree, with as many of the private attributes as asked for."""
    number, private = int(block["attributes"]), PRIVATE[: int(block["private"])]
    names = census.attributes(number)
    require, taxonomy = f"k={block['k']}", str(block["taxonomy"])
    rules = census.policy(names, require, taxonomy, data("adult").folder, private=private)
    tree, seconds = census.learned(rules, census.LEARNERS[number])
    judged = ks.audit(tree, census.known(names), rules)
    return [
        {
            "spans": judged.groups,
            "leaves": len(tree.leaves),
            "peopled": sum(bool(leaf.people) for leaf in tree.leaves),
            "k_reached": judged.k.people,
            "error": census.error(tree),
            "exposed": judged.exposed[census.TARGET] / judged.people,
            "seconds": seconds,
        }
    ]


EXPERIMENT = Experiment(
    name=NAME,
    paper=PAPERS,
    figures="000 Sect. 3.2, 4, 001 Sect. 5.1, 6",
    blocks=blocks,
    measure=measure,
    charts=charts,
    found=found,
)
