"""How many people of a sample are alone in its population: what ARX and the papers say, and what must always be so."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

import kspan as ks
from kspan.audit.population import (
    LEAST_ALPHA,
    GroupSizes,
    dankar,
    pitman,
    pitman_parameters,
    population_groups,
    snb,
    zayatz,
)
from kspan.data.arrays import Int64s

PUBLIC = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "income",
)  # fmt: skip
FIVE = PUBLIC[:5]
ARX = [
    (PUBLIC, 3_016_200, 436167.7146707063, 819539.9058719622),
    (PUBLIC, 301_620, 83503.47855187597, 96741.67099172718),
    (PUBLIC, 150_810, 50766.87124638239, 53946.23356045803),
    (FIVE, 3_016_200, 27551.845907468087, 44688.79287776746),
    (FIVE, 60_324, 4505.102357000288, 4331.598054135462),
    (PUBLIC[:1] + PUBLIC[2:], 603_240, 28996.36844133405, 29947.184362186385),
]
"""Columns, people of the population, and what ARX's classes ModelPitman and ModelZayatz give for Adult."""


def adult(columns: tuple[str, ...], population: float) -> GroupSizes:
    """The 30,162 people of Adult without missing values, as ARX's own data set has them."""
    people = ks.datasets.load_adult("train").drop_nulls()
    return GroupSizes.of(people.group_by(columns).len()["len"].to_numpy().astype(np.int64), population)


def drawn(population: Int64s, share: float, rng: np.random.Generator) -> GroupSizes:
    """Draw people of a population, given by the sizes of its groups."""
    sizes = rng.multivariate_hypergeometric(population, int(share * population.sum()), method="marginals")
    return GroupSizes.of(sizes[sizes > 0], float(population.sum()))


@pytest.mark.parametrize(("columns", "population", "by_pitman", "by_zayatz"), ARX)
def test_estimates_are_those_of_arx(
    columns: tuple[str, ...], population: int, by_pitman: float, by_zayatz: float
) -> None:
    sample = adult(columns, population)
    assert pitman(sample) == pytest.approx(by_pitman, rel=1e-6)
    assert zayatz(sample) == pytest.approx(by_zayatz, rel=1e-9)


@pytest.mark.parametrize(("fraction", "share"), [(0.01, 0.1446), (0.1, 0.2768), (1.0, 0.5142)])
def test_the_rule_gives_what_the_tests_of_arx_expect(fraction: float, share: float) -> None:
    """They compare four digits; for a fraction of 0.2 they expect Zayatz, since ARX's SNB does not converge."""
    found = dankar(adult(PUBLIC, round(30_162 / fraction)))
    assert int(found.share * 10_000) / 10_000 == share
    assert found.people == pytest.approx(30_162 * found.share)
    assert found.model == ("counted" if fraction == 1 else "Pitman")


def test_arx_takes_zayatz_where_snb_is_lower() -> None:
    sample = adult(PUBLIC, 150_810)
    assert int(zayatz(sample) / 150_810 * 10_000) == 3577
    found, estimate = dankar(sample), snb(sample)
    assert estimate is not None
    assert (found.model, found.share) == ("SNB", pytest.approx(estimate / 150_810))
    assert estimate < zayatz(sample)
    five = dankar(adult(FIVE, 150_810))
    assert (five.model, five.share) == ("Zayatz", pytest.approx(6674.508083004226 / 150_810))


def pitman_population(people: int, alpha: float, theta: float, rng: np.random.Generator) -> Int64s:
    """Draw a population by Pitman's formula: everybody founds a group, or joins one with its size less alpha."""
    group, size = np.empty(people, np.int64), np.zeros(people, np.int64)
    number = 0
    for person, (chance, other, keep) in enumerate(rng.random((people, 3))):
        joined = group[int(other * person)] if person else 0
        # Whoever follows somebody leaves that group with a chance that takes alpha from each.
        if chance * (theta + person) >= person or keep < alpha / size[joined]:
            joined, number = number, number + 1
        group[person] = joined
        size[joined] += 1
    return size[:number]


def pitman_share(population: Int64s, fraction: float, seed: int) -> float:
    estimate = dankar(drawn(population, fraction, np.random.default_rng(seed)))
    assert estimate.model == "Pitman"
    return estimate.share * float(population.sum()) / float((population == 1).sum())


def test_a_sample_of_pitmans_population_tells_its_uniques() -> None:
    """In most of ten samples of a tenth the estimate is within a tenth of the truth."""
    population = pitman_population(60_000, 0.5, 300.0, np.random.default_rng(7))
    ratios = [pitman_share(population, 0.1, seed) for seed in range(10)]
    assert sum(0.9 < ratio < 1.1 for ratio in ratios) >= 8


def test_a_sample_of_a_zipf_population_tells_its_uniques() -> None:
    """A population that is not Pitman's: in most of ten samples the estimate is right within a factor of two."""
    ranks = np.arange(1, 40_001)
    population = np.random.default_rng(3).multinomial(80_000, (1 / ranks**1.2) / (1 / ranks**1.2).sum())
    ratios = [pitman_share(population[population > 0], 0.05, seed) for seed in range(10)]
    assert sum(0.5 < ratio < 2 for ratio in ratios) >= 8


def test_few_columns_have_few_uniques() -> None:
    """Of 1,400 groups, 201 are of one person: most samples of 3% tell at most three times as many, Zayatz ten times."""
    people = ks.datasets.load_adult("train").drop_nulls().group_by("age", "sex", "occupation").len()["len"].sort()
    population = people.to_numpy().astype(np.int64)
    truth = int((population == 1).sum())
    samples = [drawn(population, 0.03, np.random.default_rng(seed)) for seed in range(10)]
    assert truth == 201
    assert sum(truth < (pitman(sample) or 0.0) < 3 * truth for sample in samples) >= 8
    assert all(zayatz(sample) > 10 * truth for sample in samples)


@pytest.mark.parametrize(("fraction", "low", "high"), [(0.01, 0.2, 6.0), (0.2, 0.6, 2.1)])
@pytest.mark.parametrize(
    "columns",
    [("age", "sex", "occupation"), ("age", "sex", "race", "occupation"), ("age", "education", "sex"), FIVE,
     ("age", "hours-per-week")],
)  # fmt: skip
def test_samples_of_adult_tell_its_uniques(columns: tuple[str, ...], fraction: float, low: float, high: float) -> None:
    """How rough estimates are: of 300 other samples nine in ten were within these bounds, so here are three in four."""
    people = ks.datasets.load_adult("train").drop_nulls().group_by(columns).len()["len"].sort()
    population = people.to_numpy().astype(np.int64)
    truth = int((population == 1).sum()) / population.sum()
    shares = [dankar(drawn(population, fraction, np.random.default_rng(seed))).share for seed in range(20)]
    assert sum(low < share / truth < high for share in shares) >= 15


def test_a_sample_of_a_slide_negative_binomial_population_tells_its_uniques() -> None:
    """In most of ten samples of 4 in 10, SNB is within a tenth of the truth."""
    population = 1 + np.random.default_rng(5).negative_binomial(0.8, 0.4, 20_000)
    truth = int((population == 1).sum())
    found = [snb(drawn(population, 0.4, np.random.default_rng(seed))) for seed in range(10)]
    assert sum(estimate is not None and abs(estimate / truth - 1) < 0.1 for estimate in found) >= 8


def test_shlosser_tells_how_many_groups_a_population_has() -> None:
    """Haas and Stokes made it for samples in which much is missing."""
    population = 1 + np.random.default_rng(5).negative_binomial(0.8, 0.4, 20_000)
    found = population_groups(drawn(population, 0.4, np.random.default_rng(0)))
    assert found == pytest.approx(20_000, rel=0.1)


def likelihood(sample: GroupSizes, alpha: float, theta: float) -> float:
    """The logarithm of Pitman's formula, up to what depends on the sample alone, term by term."""
    founded = (
        np.log(theta + alpha * np.arange(1, sample.number)).sum() - np.log(theta + np.arange(1, sample.people)).sum()
    )
    joined = sample.groups * (gammaln(sample.size - alpha) - gammaln(1 - alpha))
    return float(founded + joined.sum())


SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=60).map(np.array)
POPULATIONS = st.one_of(st.just(1.0), st.floats(1.0, 1e7))


@given(sizes=SIZES)
def test_no_other_parameters_of_pitman_are_likelier(sizes: Int64s) -> None:
    sample = GroupSizes.of(sizes, 1e6)
    found = pitman_parameters(sample)
    if found is None:
        return
    alpha, theta = found
    best = likelihood(sample, alpha, theta)
    for other in np.linspace(LEAST_ALPHA, 0.999, 25):
        for above in np.geomspace(1e-3, 1e4, 25):
            assert likelihood(sample, other, above - other) <= best + 1e-6


@given(sizes=SIZES, times=POPULATIONS)
def test_every_estimate_is_possible(sizes: Int64s, times: float) -> None:
    """No more are alone in the population than in the sample, whatever the sizes of groups and of the population."""
    sample = GroupSizes.of(sizes, float(sizes.sum()) * times)
    unique, found = int((sizes == 1).sum()), dankar(sample)
    for estimate in (found.people, *(each * sample.fraction for each in (pitman(sample), snb(sample)) if each)):
        assert 0 <= estimate <= unique * (1 + 1e-9)
    assert 0 <= zayatz(sample) * sample.fraction <= unique * (1 + 1e-9)
    assert found.share == pytest.approx(found.people / sizes.sum())
    if sample.fraction == 1 or not unique:
        assert (found.people, found.model) == (unique, "counted")


@given(sizes=SIZES)
def test_a_sample_that_is_the_population_is_counted(sizes: Int64s) -> None:
    unique = int((sizes == 1).sum())
    for weights in (float(sizes.sum()), 0.0):
        sample = GroupSizes.of(sizes, weights)
        assert (dankar(sample).people, dankar(sample).model) == (unique, "counted")
        assert zayatz(sample) == pytest.approx(unique)
        assert snb(sample) is None


@pytest.mark.parametrize("fraction", [1e-6, 0.01, 0.1, 0.3, 0.999])
def test_where_everybody_is_unique_nobody_can_be_ruled_out(fraction: float) -> None:
    for people in (1, 2, 100):
        sample = GroupSizes.of(np.ones(people, np.int64), people / fraction)
        assert pitman(sample) is None
        assert snb(sample) is None
        assert (dankar(sample).share, dankar(sample).model) == (pytest.approx(1), "Zayatz")


@pytest.mark.parametrize("sizes", [[100], [2, 2, 2], [7, 40, 3]])
def test_nobody_is_alone_who_was_not_alone_in_the_sample(sizes: list[int]) -> None:
    for population in (sum(sizes), 1e3, 1e9):
        sample = GroupSizes.of(np.array(sizes), population)
        assert (dankar(sample).people, dankar(sample).model) == (0, "counted")
        assert (zayatz(sample), pitman(sample), snb(sample)) == (0, None, None)


def test_a_larger_population_has_fewer_of_the_sample_alone() -> None:
    sizes = np.repeat([1, 2, 3, 4, 9], [500, 150, 70, 40, 20])
    shares = [dankar(GroupSizes.of(sizes, population)).share for population in (13_500, 1e5, 1e6, 1e8)]
    assert all(more > fewer > 0 for more, fewer in pairwise(shares))


@pytest.mark.parametrize("sizes", [[1, 1, 1, 2, 400_000], [1] * 41_222 + [2] * 5, [1] * 50_000 + [5]])
@pytest.mark.parametrize("times", [1 + 1e-12, 1.5, 20, 1e7])
def test_uneven_samples_have_estimates(sizes: list[int], times: float) -> None:
    """Likelihoods are almost flat there: their slopes are differences of numbers that are nearly equal."""
    sample = GroupSizes.of(np.array(sizes), sum(sizes) * times)
    assert 0 < dankar(sample).people <= sizes.count(1)
    found = pitman_parameters(sample)
    assert found is not None
    alpha, theta = found
    for factor in (0.9, 1.1):
        assert likelihood(sample, alpha, theta) > likelihood(sample, alpha, (theta + alpha) * factor - alpha)
