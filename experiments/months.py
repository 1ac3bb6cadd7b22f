"""Twelve monthly releases of one register to one recipient, with and without a ledger."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
import polars as pl

import kspan as ks
from experiments.census import SEVEN, TARGET, people
from experiments.data_sets import DataSet
from experiments.experiment import SEED, Block, Data, Experiment, Row
from experiments.months_told import NAME, RAW, charts, found
from kspan.ledger.checking import holdings

PUBLIC = ("age", *SEVEN)
PERSON = "person"
BEGIN, LEAVE, COME = 0.6, 0.02, 0.03
"""The share of all people who are there in the first month; of those there, who leave and who come every month."""
REQUIREMENTS = ("k=10", "k=10, distinct_l=2")
DRAWS, MONTHS, SOME = 2, 12, 1000
"""How often chance decides who comes and goes, for how many months, and how many people there are in a quick run."""
RECIPIENT = "registry A"


@dataclass(frozen=True)
class Way:
    """How a register is released every month."""

    method: Literal["mondrian", "kadet", "kadet-c45", "c45"]
    ledger: bool
    left: bool = False
    """Does the owner still have the rows of those who left?"""
    wait: bool = False
    """Do newcomers wait, so that only people of the first month are shown?"""

    @property
    def promises(self) -> bool:
        """Does what it releases keep the requirement, at least by itself?"""
        return self.method != "c45"


WAYS: Mapping[str, Way] = {
    RAW: Way("c45", ledger=False),
    "mondrian": Way("mondrian", ledger=False),
    "mondrian, ledger": Way("mondrian", ledger=True, left=True),
    "mondrian, ledger, no old rows": Way("mondrian", ledger=True),
    "kadet": Way("kadet", ledger=False),
    "kadet, ledger": Way("kadet", ledger=True, left=True),
    "kadet, ledger, newcomers wait": Way("kadet", ledger=True, left=True, wait=True),
    "kadet-c45": Way("kadet-c45", ledger=False),
    "kadet-c45, ledger": Way("kadet-c45", ledger=True, left=True),
    "kadet-c45, ledger, newcomers wait": Way("kadet-c45", ledger=True, left=True, wait=True),
}


def blocks(quick: bool) -> Sequence[Block]:
    """A block a way, a requirement and a draw of who comes and goes."""
    if quick:
        return [{"require": "k=10", "way": way, "draw": 0, "all": SOME, "months": 3} for way in WAYS]
    every = people("train").height
    return [
        {"require": require, "way": way, "draw": draw, "all": every, "months": MONTHS}
        for draw in range(DRAWS)
        for require in REQUIREMENTS
        for way in WAYS
    ]


@lru_cache(maxsize=1)
def _adult() -> tuple[pl.DataFrame, pl.DataFrame]:
    """The people of the register, each with a name, and others who are never in it, to be predicted."""
    known, asked = (people(split).select(*PUBLIC, TARGET) for split in ("train", "test"))
    return known.with_row_index(PERSON).with_columns(pl.col(PERSON).cast(pl.String)), asked


def _policy(require: str) -> ks.Policy:
    known, asked = _adult()
    declared = DataSet(NAME, pl.concat([known.drop(PERSON), asked]), TARGET).policy(require)
    return replace(declared, identifier=(PERSON,), private=(TARGET,))


def register(every: pl.DataFrame, months: int, draw: int) -> Iterator[pl.DataFrame]:
    """Yield who is there, month by month; whoever left does not come back."""
    rng = np.random.default_rng([SEED, draw])
    order = rng.permutation(every.height)
    begin = int(BEGIN * every.height)
    there, others = order[:begin], order[begin:]
    for _ in range(months):
        yield every[there]
        leaving = rng.choice(len(there), int(LEAVE * len(there)), replace=False)
        coming = int(COME * len(there))
        there, others = np.append(np.delete(there, leaving), others[:coming]), others[coming:]


@dataclass(frozen=True)
class Released:
    """What left in one month."""

    release: Any
    """A table or a tree."""
    shown: pl.DataFrame
    """The people whom it shows."""
    model: ks.Tree
    ncp: float | None = None


def measure(block: Block, data: Data) -> list[Row]:
    """A row a month: who is shown, what can be learned, and what all months so far tell together."""
    way, policy = WAYS[str(block["way"])], _policy(str(block["require"]))
    every, asked = _adult()
    months = list(register(every.head(int(block["all"])), int(block["months"]), int(block["draw"])))
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        every_release = _released(way, months, policy, Path(folder))
        for month, (there, (released, joint, matched)) in enumerate(zip(months, every_release, strict=True), 1):
            named, shown = there[PERSON], released.shown[PERSON]
            rows.append(
                {
                    "month": month,
                    "there": there.height,
                    "shown": len(shown),
                    "withheld": int((~named.is_in(shown.implode())).sum()),
                    "kept": int((~shown.is_in(named.implode())).sum()),
                    "ncp": released.ncp,
                    "accuracy": ks.accuracy(ks.predict(released.model, asked)[f"predicted: {TARGET}"], asked[TARGET]),
                    "leaves": len(released.model.leaves),
                    **({} if joint is None else _told(joint)),
                    "failing_matched": None if matched is None else matched.failing_people,
                }
            )
    return rows


def _told(joint: ks.Audit) -> Row:
    """What somebody can tell who has all months so far."""
    return {
        "so_far": joint.people,
        "k": joint.k.people,
        "failing": joint.failing_people,
        "alone": joint.risk.prosecutor.unique,
        "exposed": max(joint.exposed.values(), default=0),
    }


def _released(
    way: Way, months: Sequence[pl.DataFrame], policy: ks.Policy, folder: Path
) -> Iterator[tuple[Released, ks.Audit | None, ks.Audit | None]]:
    """Yield what leaves every month, and the verdicts on all months so far, but for what promises nothing.

    The first one knows in which crowd of each release everybody is, as a ledger does. The second one, of the last month
    alone since it takes long, is by all the crowds that everybody matches. Without a ledger it is the first one as
    well: the groups that Mondrian makes at one go do not overlap, nor do leaves.
    """
    earlier: list[ks.Beside] = []
    path, left = folder / "releases.ledger", None
    ks.Ledger.create(path)
    for number, there in enumerate(months, 1):
        given = there.join(months[0], on=PERSON, how="semi") if way.wait else there
        if way.ledger:
            with ks.Ledger(path, to=RECIPIENT, left=left):
                made = _made(way, given, policy, folder / f"month-{number}")
        else:
            made = _made(way, given, policy)
        new = ks.Beside(made.release, made.shown, policy, f"month {number}")
        is_matched = way.promises and (number == len(months) or not way.ledger)
        matched = ks.audit(new, beside=earlier) if is_matched else None
        yield made, holdings(ks.Ledger(path))[0].audit if way.ledger else matched, matched
        earlier.append(new)
        if way.left:
            left = pl.concat([given, made.shown]).unique(PERSON, maintain_order=True)


def _made(way: Way, there: pl.DataFrame, policy: ks.Policy, place: Path | None = None) -> Released:
    """Make a release, and write it if it has a place, which enters it into the ledger around."""
    if way.method == "mondrian":
        release = ks.anonymize(there, policy, way.method, secret=f"{SEED:032x}")
        if place is not None:
            release.save(place.with_suffix(".csv"))
        model = ks.learn(release.table, policy, "c45")
        return Released(release.table, release.rows_released, model, release.audit.utility.ncp)
    stands = ks.standing(there, policy, whole=True)
    options = {} if stands.classes is None else {"known": stands.classes}
    tree = ks.learn(stands.people, policy, way.method, **options)
    if place is not None:
        ks.publish_tree(tree, stands.people, policy, place.with_suffix(".json"))
    return Released(tree, stands.people, tree)


EXPERIMENT = Experiment(
    name=NAME,
    paper="",
    figures="twelve releases, which no paper has",
    blocks=blocks,
    measure=measure,
    charts=charts,
    found=found,
)
