"""kACTUS beside TDS, TDR, kADET and Mondrian on Adult, with 8, 11 or 14 public attributes (003, Tables 3, 4, 5)."""

from collections.abc import Sequence

from experiments.crowded_learning import KACTUS, KACTUS_ALIKE, KACTUS_INTERVALS, KADET, Way, reached
from experiments.experiment import Block, Data, Experiment, Row
from experiments.kactus_methods_told import charts, found

EIGHT = (
    "age", "workclass", "fnlwgt", "occupation", "sex", "capital-gain", "hours-per-week", "native-country",
)  # fmt: skip
PUBLIC = {8: EIGHT, 11: (*EIGHT, "education", "education-num", "marital-status")}
"""Quasi-identifiers by their number; 14 are all."""
KS = (5, 20, 50, 100, 500, 1000)
TESTED = ((14, 5), (14, 100), (14, 1000), (11, 100), (8, 100))
"""Where five rounds are measured, so that the F test can be asked; elsewhere two of kACTUS and one of the others."""
TREES = ("c45",)
OTHERS = ("part", "naive-bayes", "naive-bayes, binned", "logistic")
GENERALIZING = (Way("tds", "tds", hierarchies=True), Way("tdr", "tdr", hierarchies=True))
SUPPRESSING = (Way("tds, suppressing", "tds"), Way("tdr, suppressing", "tdr"))
KADETS = (Way("kadet", KADET, hierarchies=True), Way("kadet, suppressing", KADET))
MONDRIAN = Way("mondrian", "mondrian", hierarchies=True)
AT = {"mondrian": (5, 100, 1000), "others' tables": (100,)}
"""The k of what takes long."""


def blocks(quick: bool) -> Sequence[Block]:
    """A block a number of public attributes, k and kind of measurement; those that all the rest leans on come first."""
    if quick:
        return [
            {"data": "adult-income", "public": 14, "k": 1000, "measured": each, "halves": 1}
            for each in ("kactus", "tables")
        ]
    cells = [(public, k) for public in (14, 11, 8) for k in KS]
    asked: list[Block] = []
    for measured in ("kactus", "others", "alike", "by label", "tables", "kadet", "mondrian", "others' tables"):
        for public, k in cells:
            rounds = 5 if (public, k) in TESTED else 2 if measured == "kactus" else 1
            if measured in ("alike", "by label", "mondrian", "others", "others' tables") or (
                measured == "kadet" and public == 8
            ):
                rounds = 1  # these take long
            if k in AT.get(measured, KS):
                asked.append(
                    {"data": "adult-income", "public": public, "k": k, "measured": measured, "halves": 2 * rounds}
                )
    return asked


def measure(block: Block, data: Data) -> list[Row]:
    """What is learnt after each of some methods, on the same halves."""
    people, k, measured = data(str(block["data"])), int(block["k"]), str(block["measured"])
    public = PUBLIC.get(int(block["public"]), people.attributes)
    wanted = {
        "kactus": ((KACTUS, KACTUS_INTERVALS), TREES),
        "others": ((KACTUS, KACTUS_INTERVALS), OTHERS),
        "alike": ((KACTUS_ALIKE,), (*TREES, *OTHERS)),
        "by label": ((KACTUS, KACTUS_INTERVALS, KACTUS_ALIKE), ("naive-bayes, by label",)),
        "tables": ((*GENERALIZING, *SUPPRESSING), TREES),
        "kadet": (KADETS[:1] if len(public) == len(EIGHT) else KADETS, TREES),
        "mondrian": ((MONDRIAN,), TREES),
        "others' tables": (GENERALIZING, ("naive-bayes", "logistic")),
    }
    ways, learners = wanted[measured]
    halves = int(block["halves"])
    return [row for way in ways for row in reached(people, public, k, way, learners, (halves + 1) // 2, halves)]


EXPERIMENT = Experiment(
    name="kactus-methods",
    paper="003",
    figures="Tables 3, 4, 5",
    blocks=blocks,
    measure=measure,
    charts=charts,
    found=found,
)
