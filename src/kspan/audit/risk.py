"""Re-identification risk as disclosure control counts it (El Emam 2013)."""

from dataclasses import dataclass

import numpy as np

from kspan.audit.population import PopulationUniques
from kspan.data.arrays import Floats, Int64s


@dataclass(frozen=True)
class Journalist:
    """Risk against someone who does not know who is in the release: 1 / matching people of the population."""

    highest: float
    average: float
    unmatched: int
    """People whose group matches fewer people in the population than in the release: the population is not complete."""


@dataclass(frozen=True)
class Prosecutor:
    """Risk against someone who knows that the person is in the release: 1 / size of the person's crowd."""

    highest: float
    median: float
    unique: int
    """People who are alone in their crowd."""


@dataclass(frozen=True)
class Sampled:
    """Risk against someone who does not know who was sampled: sampling weights tell how many people a group stands for.

    The people of the population who fit a group are not known, but estimated: as many as its weights add up to. The
    risk of a person is the expected 1 / F over all F that fit the sample (Benedetti, Franconi 1998).
    """

    population: float
    """How many people the sample stands for."""
    smallest: float
    """The fewest people of the population whom a group is estimated to stand for: the k of k-map."""
    highest: float
    average: float
    expected: float
    """How many people of the sample would be re-identified, if everybody in it is attacked."""
    unique: PopulationUniques
    """How many people of the sample are estimated to be the only ones of their kind in the population."""


@dataclass(frozen=True)
class Households:
    """Risk that somebody of a household is found, and the others through that person."""

    households: int
    highest: float
    average: float
    expected: float
    """In how many households somebody would be found, if everybody is attacked."""


@dataclass(frozen=True)
class Sizes:
    """The crowds whose sizes are in one range."""

    at_least: int
    at_most: int
    crowds: int
    people: int


@dataclass(frozen=True)
class Risk:
    """The risk that people are re-identified, by what the attacker is after."""

    prosecutor: Prosecutor
    marketer: float
    """The share of people whom linking everybody would get right on average: groups / people."""
    sizes: tuple[Sizes, ...]
    """How many people hide in crowds of which sizes, the smallest first; ranges without a crowd are left out."""
    journalist: Journalist | None = None
    sampled: Sampled | None = None
    """None without sampling weights."""
    households: Households | None = None
    """None unless the table, or the people behind it, say who lives together."""


def risk_of(crowd: Int64s, people: Int64s) -> Risk:
    """Compute the risk of people who hide in crowds: `people[i]` of them in crowds of size `crowd[i]`.

    >>> risk_of(np.array([1, 4]), np.array([1, 4])).marketer
    0.4
    """
    each = 1 / crowd
    order = np.argsort(each)
    # The median over people, not over crowds.
    middle = np.searchsorted(np.cumsum(people[order]), people.sum() / 2)
    return Risk(
        prosecutor=Prosecutor(float(each.max()), float(each[order][middle]), int(people[crowd == 1].sum())),
        marketer=float((people * each).sum() / people.sum()),
        sizes=sizes_of(crowd, people),
    )


def sizes_of(crowd: Int64s, people: Int64s) -> tuple[Sizes, ...]:
    """Count the people who hide in crowds of 1, 2 to 4, 5 to 9, 10 to 19, 20 to 49, ...

    >>> sizes_of(np.array([1, 4, 3]), np.array([1, 4, 3]))
    (Sizes(at_least=1, at_most=1, crowds=1, people=1), Sizes(at_least=2, at_most=4, crowds=2, people=7))
    """
    starts, largest = [1], int(crowd.max())
    while starts[-1] <= largest:
        # 1, 2, 5, 10, 20, 50, ...: after a 2 comes a 5, anything else is doubled.
        starts.append(starts[-1] * 5 // 2 if str(starts[-1])[0] == "2" else starts[-1] * 2)
    place = np.searchsorted(starts, crowd, side="right") - 1
    crowds = np.bincount(place, minlength=len(starts))
    held = np.bincount(place, people, minlength=len(starts)).astype(np.int64)
    ends = [start - 1 for start in starts[1:]]
    return tuple(
        Sizes(start, end, int(number), int(inside))
        for start, end, number, inside in zip(starts[:-1], ends, crowds[:-1], held[:-1], strict=True)
        if number
    )


def journalist_risk(people: Int64s, population: Int64s) -> Journalist:
    """Compute the risk of groups of `people[i]` who match `population[i]` people of the population."""
    # Everybody in the release is in the population, so a group has at least its own people there.
    each = 1 / np.maximum(population, people)
    return Journalist(
        highest=float(each.max()),
        average=float((people * each).sum() / people.sum()),
        unmatched=int(people[population < people].sum()),
    )


def individual_risk(people: Int64s, population: Floats) -> Floats:
    """Compute the risk of a person in each group: the mean of 1 / F, if F of a population fit and `people` were drawn.

    F - people follows the negative binomial distribution with the share p = people / population (Benedetti, Franconi
    1998; Templ 2017, 3.4). The mean of 1 / F has a closed form with the hypergeometric function. Groups of weights that
    add up to less than their own people stand for these.

    >>> individual_risk(np.array([2, 1]), np.array([110.0, 17.0])).round(5).tolist()
    [0.01714, 0.17708]
    """
    from scipy.special import hyp2f1  # takes a moment to load

    share = people / np.maximum(population, people)
    risk: Floats = share / people * hyp2f1(1.0, 1.0, people + 1.0, 1 - share)
    return risk


def household_risk(household: Int64s, risk: Floats) -> Households:
    """Compute the risk that at least one person of each household is found, given that of every person.

    As if people were found independently of each other: 1 - (1 - r1) (1 - r2) ... (Templ 2017, hierarchical risk).

    >>> household_risk(np.array([0, 0, 1]), np.array([0.5, 0.5, 0.1])).highest
    0.75
    """
    number = int(household.max()) + 1
    with np.errstate(divide="ignore"):
        safe = np.bincount(household, np.log1p(-risk), number)
    each = -np.expm1(safe)
    return Households(number, float(each.max()), float(each.mean()), float(each.sum()))
