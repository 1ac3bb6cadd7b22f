"""kACTUS beside TDS, TDR, kADET and Mondrian on Adult, with 8, 11 or 14 public attributes (003, Tables 3, 4, 5)."""

from collections.abc import Sequence

from experiments.beside import BY_LABEL
from experiments.crowded_learning import KACTUS, KACTUS_ALIKE, KACTUS_INTERVALS, KADET, Way, reached
from experiments.experiment import Block, Data, Experiment, Row
from experiments.kactus_methods_told import charts, found

EIGHT = (
    "age", "workclass", "fnlwgt", "occupation", "sex", "capital-gain", "hours-per-week", "native-country",
)  # fmt: skip
PUBLIC = {8: EIGHT, 11: (*EIGHT, "education", "education-num", "marital-status")}
"""Quasi-identifiers by their number; 14 are all."""
KS = (5, 20, 50, 100, 500, 1000)
TREES = ("c45",)
OTHERS = ("part", "naive-bayes", "logistic")
GENERALIZING = (Way("tds", "tds", hierarchies=True), Way("tdr", "tdr", hierarchies=True))
SUPPRESSING = (Way("tds, suppressing", "tds"), Way("tdr, suppressing", "tdr"))
KADETS = (Way("kadet", KADET, hierarchies=True), Way("kadet, suppressing", KADET))
MONDRIAN = Way("mondrian", "mondrian", hierarchies=True)
MEASURED = (
    "kactus", "alike", "others", "others, alike", "by label", "tables", "kadet", "mondrian", "others' tables",
)  # fmt: skip
ROUNDS = {"kactus": 5, "alike": 5, "tables": 5, "kadet": 5, "mondrian": 5}
"""Random halvings by what is measured, one where nothing is said; the F test needs five."""
FEWER = {("kadet", 8), *(("mondrian", public) for public in (8, 11, 14))}
"""What takes long, with how many public attributes: five rounds are measured of some k only."""
SOME = (5, 100, 1000)
"""Those k; only there other inducers learn after Mondrian."""


def blocks(quick: bool) -> Sequence[Block]:
    """A block a number of public attributes, k and kind of measurement; those that all the rest leans on come first."""
    if quick:
        return [
            {"data": "adult-income", "public": 14, "k": 1000, "measured": each, "halves": 1}
            for each in ("kactus", "tables")
        ]
    return [
        {"data": "adult-income", "public": public, "k": k, "measured": measured, "halves": 2 * rounds}
        for measured in MEASURED
        for public in (14, 11, 8)
        for k in KS
        for rounds in [1 if (measured, public) in FEWER and k not in SOME else ROUNDS.get(measured, 1)]
    ]


def measure(block: Block, data: Data) -> list[Row]:
    """What is learned after each of some methods, on the same halves."""
    people, k, measured = data(str(block["data"])), int(block["k"]), str(block["measured"])
    public = PUBLIC.get(int(block["public"]), people.attributes)
    wanted = {
        "kactus": ((KACTUS, KACTUS_INTERVALS), TREES),
        "others": ((KACTUS, KACTUS_INTERVALS), OTHERS),
        "alike": ((KACTUS_ALIKE,), TREES),
        "others, alike": ((KACTUS_ALIKE,), OTHERS),
        "by label": ((KACTUS, KACTUS_INTERVALS, KACTUS_ALIKE), tuple(BY_LABEL.values())),
        "tables": ((*GENERALIZING, *SUPPRESSING), TREES),
        "kadet": (KADETS[:1] if len(public) == len(EIGHT) else KADETS, TREES),
        "mondrian": ((MONDRIAN,), TREES),
        "others' tables": ((*GENERALIZING, *SUPPRESSING, *((MONDRIAN,) if k in SOME else ())), OTHERS),
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
