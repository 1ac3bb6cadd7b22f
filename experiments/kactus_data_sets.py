"""kACTUS on ten data sets: accuracy by k with four inducers, and options beyond the paper (003, Table 2)."""

from collections.abc import Sequence

from experiments.beside import BY_LABEL
from experiments.crowded_learning import KACTUS, KACTUS_ALIKE, KACTUS_INTERVALS, OPTIONS, ORIGINALLY, Way, reached
from experiments.experiment import Block, Data, Experiment, Row
from experiments.kactus_data_sets_told import charts, found

KS = (1, 5, 10, 15, 20, 30)
SMALL = ("credit", "pima", "glass", "ionosphere", "nursery", "tic-tac-toe", "vehicle", "waveform", "german")
ADULT = "adult-income"
OTHERS = ("part", "naive-bayes", "logistic", *BY_LABEL.values())
ROUNDS = {"c45": 5, "c45, alike": 5, "others": 1, "others, alike": 1, "options": 1}
"""Random halvings by what is measured; the F test needs five, and C4.5 is what the paper's cells are about."""
OPTIONS_AT = (5, 30)


def blocks(quick: bool) -> Sequence[Block]:
    """A block a data set, k and kind of measurement."""
    if quick:
        return [{"data": "glass", "k": k, "measured": "c45"} for k in (1, 30)]
    asked: list[Block] = [{"data": name, "k": k, "measured": "c45"} for name in (*SMALL, ADULT) for k in KS]
    asked += [{"data": f"{ADULT}-complete", "k": k, "measured": "c45"} for k in (1, *OPTIONS_AT)]
    asked += [{"data": ADULT, "k": 1, "measured": "others"}]
    asked += [{"data": name, "k": k, "measured": "others"} for name in SMALL for k in KS]
    asked += [{"data": name, "k": k, "measured": "c45, alike"} for name in (*SMALL, ADULT) for k in KS if k > 1]
    asked += [{"data": name, "k": k, "measured": "others, alike"} for name in SMALL for k in KS if k > 1]
    return asked + [{"data": name, "k": k, "measured": "options"} for name in SMALL for k in OPTIONS_AT]


def measure(block: Block, data: Data) -> list[Row]:
    """What is learned from the people themselves (k=1), or from what kACTUS makes of them."""
    people, k, measured = data(str(block["data"])), int(block["k"]), str(block["measured"])
    learners = OTHERS if measured.startswith("others") else ("c45",)
    ways: Sequence[Way] = (ORIGINALLY,) if k == 1 else (KACTUS, KACTUS_INTERVALS)
    if measured == "options":
        ways = OPTIONS
    elif measured.endswith("alike"):
        ways = (KACTUS_ALIKE,)
    return [row for way in ways for row in reached(people, people.attributes, k, way, learners, ROUNDS[measured])]


EXPERIMENT = Experiment(
    name="kactus-data-sets",
    paper="003",
    figures="Table 2",
    blocks=blocks,
    measure=measure,
    charts=charts,
    found=found,
)
