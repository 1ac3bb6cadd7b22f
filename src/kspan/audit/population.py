"""How many people of a sample are the only ones of their kind in its population, estimated from sizes of groups alone.

The models estimate the uniques of the population. Each of them was drawn with the chance that anybody was, and whoever
is unique there is unique in the sample. So their share of the sample is expected to be their share of the population,
and that is what is told. All models take the sample for a simple random one: of weights only the sum matters.
"""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from kspan.data.arrays import Floats, Int64s

Model = Literal["counted", "Pitman", "SNB", "Zayatz"]

SMALL_SAMPLE = 0.1
"""The largest share of the population for which Dankar et al. choose Pitman's model."""
LEAST_ALPHA = 1e-6
"""As good as 0, where Pitman's formula is the one of Ewens."""


@dataclass(frozen=True)
class PopulationUniques:
    """How many people of the sample are estimated to be the only ones of their kind in the population."""

    people: float
    share: float
    """Their share of the sample, which is also the estimated share of such people in the population."""
    model: Model
    """Whose estimate it is; "counted" where nothing needed to be estimated."""


@dataclass(frozen=True, repr=False)
class GroupSizes:
    """How many groups of a sample have which size, and how many people the sample was drawn from."""

    size: Int64s
    """The sizes that occur, the smallest first."""
    groups: Int64s
    """How many groups have each of them."""
    population: float
    """At least as many as the sample itself."""

    @classmethod
    def of(cls, sizes: Int64s, population: float) -> Self:
        """Count groups by their sizes; a population cannot be smaller than its sample."""
        size, groups = np.unique(sizes, return_counts=True)
        return cls(size, groups.astype(np.int64), max(population, float(sizes.sum())))

    def of_size(self, size: int) -> int:
        """How many groups have this size."""
        return int(self.groups[self.size == size].sum())

    @property
    def people(self) -> int:
        """The size of the sample."""
        return int((self.size * self.groups).sum())

    @property
    def number(self) -> int:
        """How many groups there are."""
        return int(self.groups.sum())

    @property
    def fraction(self) -> float:
        """Which share of the population was drawn."""
        return self.people / self.population


def dankar(sample: GroupSizes) -> PopulationUniques:
    """Estimate by the model that fits the sampling fraction (Dankar, El Emam, Neisa, Roffey 2012).

    Up to one in ten it is Pitman's; beyond, the lower one of SNB and Zayatz. Where a model has no estimate, it is that
    of Zayatz, as in ARX. It needs no model if nobody is unique in the sample, or if the sample is the population.

    >>> found = dankar(GroupSizes.of(np.array([1] * 500 + [2] * 150 + [3] * 70 + [4] * 40 + [9] * 20), 13_500))
    >>> round(found.people), round(found.share, 3), found.model
    (100, 0.074, 'Pitman')
    """
    unique = sample.of_size(1)
    if not unique or sample.fraction == 1:
        return _drawn(float(unique) / sample.fraction, "counted", sample)
    if sample.fraction <= SMALL_SAMPLE:
        estimate = pitman(sample)
        return _drawn(zayatz(sample), "Zayatz", sample) if estimate is None else _drawn(estimate, "Pitman", sample)
    other, estimate = zayatz(sample), snb(sample)
    if estimate is None or other < estimate:
        return _drawn(other, "Zayatz", sample)
    return _drawn(estimate, "SNB", sample)


def _drawn(uniques: float, model: Model, sample: GroupSizes) -> PopulationUniques:
    """Tell how many uniques of the population are expected in the sample."""
    people = uniques * sample.fraction
    return PopulationUniques(people, people / sample.people, model)


def zayatz(sample: GroupSizes) -> float:
    """Estimate the uniques of the population as if its groups had the sizes of those in the sample (Zayatz 1991).

    By the rule of Bayes this gives the chance that a unique of the sample is one of the population, too.
    """
    unique = sample.of_size(1)
    if not unique:
        return 0.0
    once = sample.size * sample.fraction * _others_missed(sample)
    return float(unique * unique / (sample.groups * once).sum())


def _others_missed(sample: GroupSizes) -> Floats:
    """For groups of each size, the chance that of all its people only one given person who was drawn was drawn."""
    whole, drawn = sample.population, sample.people
    other = np.arange(1, int(sample.size[-1]), dtype=np.float64)
    # The one before was missed, so that one fewer is left; nobody is left where too few were missed.
    missed = np.maximum(whole - drawn + 1 - other, 0.0) / (whole - other)
    with np.errstate(divide="ignore"):
        logs = np.concatenate([[0.0], np.cumsum(np.log(missed))])
    return np.asarray(np.exp(logs[sample.size - 1]), np.float64)


def pitman(sample: GroupSizes) -> float | None:
    """Estimate the uniques of the population by Pitman's sampling formula; None if it does not fit (Hoshino 2001).

    Its parameters alpha (from 0 to 1) and theta (above -alpha) are those under which the sample is most likely. The
    expected uniques of a large population of N people are then N^alpha Γ(theta + 1) / Γ(theta + alpha).
    """
    from scipy.special import gammaln  # takes a moment to load

    unique, found = sample.of_size(1), pitman_parameters(sample)
    if not unique or found is None:
        return None
    alpha, theta = found
    estimate = np.exp(gammaln(theta + 1) - gammaln(theta + alpha) + alpha * np.log(sample.population))
    # Every unique of the population that was drawn is unique in the sample. An estimate of more than that is none: the
    # population is not large, compared to theta. ARX takes anything up to the whole population.
    return float(estimate) if estimate * sample.fraction <= unique else None


def pitman_parameters(sample: GroupSizes) -> tuple[float, float] | None:
    """Find the alpha and theta under which the sample is most likely; None if alpha would be 1.

    ARX solves the same two equations by Newton's method, without bounds for alpha and with 0 for theta. An alpha below
    0 stands for finitely many kinds of people, whose uniques vanish as a population grows. A small sample is easily
    mistaken for such a one, and hardly any uniques would be told: so alpha is 0 at least.
    """
    from scipy.optimize import brentq

    # Without a crowd, or with nothing else than one, there is nothing that tells the parameters.
    if not 1 < sample.number < sample.people:
        return None

    def slope(alpha: float) -> float:
        return _slope_of_alpha(sample, alpha, _most_likely_room(sample, alpha))

    most = 1 - LEAST_ALPHA
    if slope(most) >= 0:
        return None
    alpha = LEAST_ALPHA if slope(LEAST_ALPHA) <= 0 else float(brentq(slope, LEAST_ALPHA, most, xtol=1e-13))
    return alpha, _most_likely_room(sample, alpha) - alpha


def _most_likely_room(sample: GroupSizes, alpha: float) -> float:
    """Find the theta under which the sample is most likely, given alpha; told is theta + alpha, which is above 0."""
    from scipy.optimize import brentq

    groups, people = sample.number, sample.people

    def slope(logarithm: float) -> float:
        room = float(np.exp(logarithm))
        return _reciprocals(room / alpha, groups - 1) / alpha - _reciprocals(room - alpha + 1, people - 1)

    # At 0 the slope is infinite. The largest theta has a sample of n people with one crowd of two: about n² / 2.
    return float(np.exp(brentq(slope, np.log(1e-9), 2 * np.log(people) + 1, xtol=1e-14)))


def _reciprocals(first: float, number: int) -> float:
    """Sum 1 / first + 1 / (first + 1) + ..., so many terms of it.

    >>> round(_reciprocals(2.0, 3), 12) == round(1 / 2 + 1 / 3 + 1 / 4, 12)
    True
    """
    from scipy.special import digamma

    end = first + number
    if first < 10_000:
        return float(digamma(end) - digamma(first))
    # The same by its series: here the two numbers are so close that their difference has few digits left.
    inner = number / (first * end)
    return float(np.log1p(number / first) + inner / 2 + inner * (1 / first + 1 / end) / 12)


def _slope_of_alpha(sample: GroupSizes, alpha: float, room: float) -> float:
    """How much likelier the sample becomes with a larger alpha and the same theta."""
    from scipy.special import digamma

    # The sum has a closed form, too, but one that loses all its digits where alpha is small.
    number = np.arange(1, sample.number, dtype=np.float64)
    crowds = sample.groups * (digamma(sample.size - alpha) - digamma(1 - alpha))
    return float((number / (room + (number - 1) * alpha)).sum() - crowds.sum())


def snb(sample: GroupSizes) -> float | None:
    """Estimate the uniques of the population by the slide negative binomial model; None if it does not fit.

    The size of a group of the population, less one, is negative binomial with alpha and beta, so that a share of
    beta^alpha of the groups are uniques. The parameters are those with which the expected numbers of uniques and of
    pairs in a sample are those that it has (Chen, Keller-McNulty 1998).
    """
    from scipy.optimize import brentq

    if not sample.of_size(1) or not sample.of_size(2) or sample.fraction == 1:
        return None
    groups = population_groups(sample)

    def surplus(logit: float) -> float:
        return groups * _seen_once(sample, logit) - sample.of_size(1)

    tried = np.linspace(-40.0, 20.0, 241)
    negative = np.array([surplus(logit) < 0 for logit in tried])
    crossing = np.flatnonzero(negative[:-1] != negative[1:])
    # Several solutions are as good as none.
    if len(crossing) != 1:
        return None
    logit = float(brentq(surplus, tried[crossing[0]], tried[crossing[0] + 1], xtol=1e-13))
    return float(groups * np.exp(-_alpha(sample, logit) * np.log1p(np.exp(-logit))))


def _alpha(sample: GroupSizes, logit: float) -> float:
    """For a beta, given by its logit, find the alpha with which pairs are to uniques as they are in the sample."""
    # The expected pairs are K f² alpha (1 - beta) beta^alpha (2 - (1 - alpha) d) / (2 (1 - d)^(alpha + 2)), where
    # d = (1 - f) (1 - beta). ARX lacks the brackets after the division: it multiplies by the last power.
    rest = 1 / (1 + np.exp(logit))
    missed = (1 - sample.fraction) * rest
    pairs = 2 * sample.of_size(2) / sample.of_size(1)
    square = sample.fraction * rest * missed
    linear = sample.fraction * rest * (2 - missed) - pairs * (1 - missed) * missed
    constant = pairs * (1 - missed) ** 2
    # The positive root of square alpha² + linear alpha = constant, in the form that does not subtract equals.
    root = np.sqrt(linear * linear + 4 * square * constant)
    return float(2 * constant / (linear + root) if linear > 0 else (root - linear) / (2 * square))


def _seen_once(sample: GroupSizes, logit: float) -> float:
    """The share of groups of which one person is in the sample, if pairs are to uniques as they are."""
    alpha, missed = _alpha(sample, logit), (1 - sample.fraction) / (1 + np.exp(logit))
    power = np.exp(-alpha * np.log1p(sample.fraction * np.exp(-logit)))
    return float(sample.fraction * power * (1 + alpha * missed / (1 - missed)))


def population_groups(sample: GroupSizes) -> float:
    """Estimate how many groups the population has, by the modified estimator of Shlosser (Haas, Stokes 1998).

    ARX lacks brackets here, too: it subtracts 1 from each term of a sum, and not from the power (1 + f)^size in it.
    """
    size, fraction = sample.size.astype(np.float64), sample.fraction
    none = ((1 - fraction) ** size * sample.groups).sum()
    one = (size * fraction * (1 - fraction) ** (size - 1) * sample.groups).sum()
    one_of_one = (size * fraction**2 * (1 - fraction**2) ** (size - 1) * sample.groups).sum()
    some_of_none = (((1 - fraction**2) ** size - (1 - fraction) ** size) * sample.groups).sum()
    return float(sample.number + sample.of_size(1) * one_of_one / some_of_none * (none / one) ** 2)
