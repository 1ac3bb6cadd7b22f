"""Several methods on several data sets: the Friedman test and what to ask after it (Demsar 2006, JMLR 7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from kspan.errors import DataError, PolicyError, check_number, did_you_mean


@dataclass(frozen=True)
class Dunn:
    """One method compared with each of the others (Bonferroni-Dunn): which is better, and may that be luck?"""

    control: str
    alpha: float
    critical_difference: float
    """Average ranks that differ by more than this differ significantly."""
    differences: Mapping[str, float]
    """The average rank of each other method less that of the control: above 0 the control is better."""
    p: Mapping[str, float]
    """How likely such a difference is among equals, times the number of comparisons."""

    @property
    def better_than(self) -> list[str]:
        """The methods that the control is significantly better than."""
        return [name for name, difference in self.differences.items() if difference > self.critical_difference]

    @property
    def worse_than(self) -> list[str]:
        """The methods that are significantly better than the control."""
        return [name for name, difference in self.differences.items() if -difference > self.critical_difference]


@dataclass(frozen=True)
class Friedman:
    """Are several methods equally good? `p` is how likely such different ranks would be if they were."""

    data_sets: int
    ranks: Mapping[str, float]
    """The average rank of each method; 1 is the best."""
    chi2: float
    chi2_p: float
    f: float
    """Friedman's statistic as Iman and Davenport adjust it, since his own is too careful."""
    p: float

    def against(self, control: str, *, alpha: float = 0.05) -> Dunn:
        """Compare the control with each other method; this means something only if `p` is small."""
        if control not in self.ranks:
            known = ", ".join(self.ranks)
            raise PolicyError(f"there is no method {control!r}{did_you_mean(control, self.ranks)}: use {known}")
        check_number("alpha", alpha, low=1e-9, high=0.5)
        methods = len(self.ranks)
        error = np.sqrt(methods * (methods + 1) / (6 * self.data_sets))
        differences = {name: rank - self.ranks[control] for name, rank in self.ranks.items() if name != control}
        return Dunn(
            control,
            alpha,
            float(stats.norm.isf(alpha / (2 * (methods - 1))) * error),
            differences,
            {
                name: min(1.0, float(2 * stats.norm.sf(abs(difference) / error)) * (methods - 1))
                for name, difference in differences.items()
            },
        )


def friedman(scores: Mapping[str, Sequence[float]]) -> Friedman:
    """Compare methods by their scores on the same data sets in the same order; more is better.

    As in Demsar's paper there is no correction for ties, which is on the careful side.

    >>> found = friedman({"a": [0.8, 0.7, 0.9, 0.6], "b": [0.7, 0.6, 0.8, 0.5], "c": [0.6, 0.5, 0.7, 0.7]})
    >>> found.ranks, found.chi2
    ({'a': 1.25, 'b': 2.25, 'c': 2.5}, 3.5)
    """
    if len(scores) < 2 or len({len(each) for each in scores.values()}) != 1:
        raise DataError("ranks need at least two methods, each with a score on every data set: complete the scores")
    table = np.array(list(scores.values()), float)
    methods, data_sets = table.shape
    if data_sets < 2 or not np.isfinite(table).all():
        raise DataError("ranks need scores that are numbers, on at least two data sets: complete the scores")
    ranks = stats.rankdata(-table, axis=0).mean(axis=1)
    chi2 = 12 * data_sets / (methods * (methods + 1)) * float((ranks**2).sum() - methods * (methods + 1) ** 2 / 4)
    # Rounding may leave it just below zero if all ranks are equal.
    chi2 = max(chi2, 0.0)
    # Where all data sets rank the methods alike, nothing is left to divide by.
    room = data_sets * (methods - 1) - chi2
    f = (data_sets - 1) * chi2 / room if room > 1e-9 else np.inf
    return Friedman(
        data_sets,
        dict(zip(scores, ranks.tolist(), strict=True)),
        chi2,
        float(stats.chi2.sf(chi2, methods - 1)),
        f,
        float(stats.f.sf(f, methods - 1, (methods - 1) * (data_sets - 1))),
    )
