"""Samples: how many people of the sample and of its population fit each group, by sampling weights."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from kspan.audit.population import GroupSizes, PopulationUniques, dankar
from kspan.audit.risk import Sampled, individual_risk
from kspan.audit.table.overlap import overlapping
from kspan.data.arrays import Floats, Int64s
from kspan.data.encode import sampling_weights
from kspan.data.groups import Groups
from kspan.model.partition import Partition
from kspan.policy import Policy

AT_ONCE = 4096


@dataclass(frozen=True, repr=False)
class Sample:
    """For each group, the people of the sample who fit it (fk), and those whom they stand for (Fk)."""

    size: Int64s
    """The people of each group itself, of whom each has that risk."""
    fitting: Int64s
    population: Floats
    whole: float
    """What all weights add up to."""

    @property
    def individual(self) -> Floats:
        """The risk of each person of a group."""
        return individual_risk(self.fitting, self.population)

    @property
    def risk(self) -> Sampled:
        """What that means for all of them."""
        expected = float((self.size * self.individual).sum())
        return Sampled(
            population=float(self.whole),
            smallest=float(np.maximum(self.population, self.fitting).min()),
            highest=float(self.individual.max()),
            average=expected / int(self.size.sum()),
            expected=expected,
            unique=self.unique,
        )

    @property
    def unique(self) -> PopulationUniques:
        """How many of them are estimated to be alone in the population, by the sizes of groups as they stand."""
        found, everybody = dankar(GroupSizes.of(self.size, self.whole)), int(self.size.sum())
        # Where a suppressed cell may be anything, whoever fits others is not alone.
        alone = int(self.size[self.fitting == 1].sum())
        return found if found.people <= alone else PopulationUniques(float(alone), alone / everybody, found.model)


def sample_of(frame: pl.DataFrame, partition: Partition, groups: Groups, policy: Policy) -> Sample | None:
    """Count the sample and its population, if the table has sampling weights.

    Where a suppressed cell may be anything, everybody fits who agrees in all cells that neither suppresses, as in
    sdcMicro's freqCalc.
    """
    if policy.sampling_weight is None:
        return None
    weights = sampling_weights(frame[policy.sampling_weight])
    total: Floats = np.bincount(partition.group, weights, partition.number).astype(np.float64)
    fitting, population = groups.sizes, total
    stars = [shown.column.suppressed for shown in partition.shown.values()]
    if policy.suppressed == "anything" and any(star is not None for star in stars):
        fitting, population = np.zeros_like(groups.sizes), np.zeros_like(total)
        codes = [shown.code for shown in partition.shown.values()]
        for begin in range(0, len(groups), AT_ONCE):
            group, match = overlapping([code[begin : begin + AT_ONCE] for code in codes], codes, stars)
            np.add.at(fitting, begin + group, groups.sizes[match])
            np.add.at(population, begin + group, total[match])
    return Sample(groups.sizes, fitting, population, float(weights.sum()))
