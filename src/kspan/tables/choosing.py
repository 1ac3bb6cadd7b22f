"""Which of several releases keeps most: what its groups tell of the targets, and what its cells tell of the columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kspan.data.groups import NO_WEIGHTS, count_values
from kspan.errors import listed
from kspan.model.partition import WITHHELD
from kspan.policy import Policy
from kspan.tables.release import TableRelease
from kspan.utility.loss import penalties
from kspan.utility.targets import guessed_wrong, left_unexplained


@dataclass(frozen=True)
class Lost:
    """What a release lost, each as a share of all; whoever is withheld lost all."""

    targets: dict[str, float]
    """Of each target what the others of everybody's group do not tell, as a share of what nobody would tell."""
    cells: float
    of_targets: float
    """Of all targets together."""

    @classmethod
    def by(cls, release: TableRelease) -> "Lost":
        """What a release lost."""
        rows, policy = release.audit.rows, release.policy
        people = rows + release.withheld
        targets = {
            name: (_target_lost(release, name) * rows + release.withheld) / people for name in _targets_of(policy)
        }
        weights = [policy.keep.get(name, 1.0) for name in targets]
        together = float(np.average(list(targets.values()), weights=weights)) if sum(weights) else 0.0
        return cls(targets, (_cells_lost(release) * rows + release.withheld) / people, together)

    def told(self) -> dict[str, float]:
        """The shares, by what they are of."""
        return {**{name: round(lost, 4) for name, lost in self.targets.items()}, "cells": round(self.cells, 4)}


def best_of(releases: Sequence[TableRelease], *, refused: Sequence[str]) -> TableRelease:
    """Return the release that keeps most; its facts also tell what each method lost, and which could not make any."""
    lost = {release.method: Lost.by(release) for release in releases}
    best = min(releases, key=lambda release: lost[release.method].cells + lost[release.method].of_targets)
    policy, targets = best.policy, _targets_of(best.policy)
    aims = f"what groups tell of {listed(targets)} and the cells together" if targets else "the cells"
    aims += f" (above all of {listed(list(policy.keep))})" if policy.keep else ""
    facts = {
        **best.facts,
        "chosen by": f"least lost of {aims}, with withheld rows",
        "tried": {method: each.told() for method, each in lost.items()},
        **({"refused": list(refused)} if refused else {}),
    }
    traded = _traded(best, lost)
    return replace(best, facts=facts | ({"traded": traded} if traded else {}))


def _targets_of(policy: Policy) -> list[str]:
    """Return what groups should tell: the target, and private columns that are to be kept."""
    names = dict.fromkeys([policy.target, *(name for name in policy.keep if name in policy.private)])
    return [name for name in names if name is not None]


def _target_lost(release: TableRelease, name: str) -> float:
    """Return the share of a target that groups do not tell: 1 if no better than one group of everybody.

    Of words it is a share of the people who are guessed wrong, of numbers one of the variance.
    """
    if release.wide is not None or name not in release.source.columns:
        return _outside_majorities(release)
    kept, column = release.partition.group != WITHHELD, release.source[name]
    group = release.partition.group[kept]
    weights = NO_WEIGHTS if release.source.weights is None else release.source.weights[kept]
    if column.is_measured:
        numbers = np.append(column.values.astype(np.float64), np.full(column.size - len(column.values), np.nan))
        people = np.ones(len(group), np.int64) if release.source.weights is None else weights
        return left_unexplained(numbers[column.codes[kept]], group, release.partition.number, people)
    labels = replace(column, codes=column.codes[kept])
    counts = count_values(labels, group, release.partition.number, weights)
    by_the_commonest = int(counts.whole.sum() - counts.whole.max(initial=0))
    return min(guessed_wrong(counts) / by_the_commonest, 1.0) if by_the_commonest else 0.0


def _outside_majorities(release: TableRelease) -> float:
    """Return the share of rows of the wide form outside the majority of their group."""
    return (release.audit.utility.cm or 0) / max(release.audit.rows, 1)


def _cells_lost(release: TableRelease) -> float:
    """Return the NCP of a release, in which columns that the policy wants to keep count more."""
    partition, keep = release.partition, release.policy.keep
    if not keep or release.wide is not None:
        return release.audit.utility.ncp or 0.0
    sizes = np.bincount(partition.group[partition.group != WITHHELD], minlength=partition.number)
    weights = [keep.get(name, 1.0) for name in partition.shown]
    lost = [float(sizes @ penalties(shown.column)[shown.code]) for shown in partition.shown.values()]
    return float(np.average(lost, weights=weights) / max(sizes.sum(), 1)) if sum(weights) else 0.0


def _traded(best: TableRelease, lost: dict[str, Lost]) -> str:
    """Say who would have kept more of the cells or of the targets, and at which price; nothing if nobody would."""
    own, said = lost[best.method], []
    by_cells = min(lost, key=lambda method: lost[method].cells)
    by_targets = min(lost, key=lambda method: lost[method].of_targets)
    for other, less, more in ((by_cells, "cells", "target"), (by_targets, "target", "cells")):
        cells, target = lost[other].cells - own.cells, lost[other].of_targets - own.of_targets
        gained, paid = (-cells, target) if less == "cells" else (-target, cells)
        if gained > 0:
            said.append(f"{other} keeps {gained:.2%} more of the {less}, and {paid:.2%} less of the {more}")
    return "; ".join(said)
