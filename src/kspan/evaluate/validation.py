"""Five times two-fold cross-validation, and the combined F test on it (Alpaydin 1999)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy import stats

from kspan.data.arrays import Floats, Int64s
from kspan.data.prepared import computed
from kspan.errors import DataError, PolicyError, did_you_mean
from kspan.evaluate.agreement import accuracy
from kspan.evaluate.learners import learner_named
from kspan.evaluate.trial import Labelled, Part, Trial, at_random
from kspan.frames.files import load
from kspan.policy import Policy, PolicyLike

Contender: TypeAlias = Callable[[pl.DataFrame, pl.DataFrame], Any]
"""Learns from the rows of one frame and gives the label of each row of another, which shows no target."""

ROUNDS = 5


@dataclass(frozen=True)
class FTest:
    """Are two contenders equally good? `p` is how likely such a difference is if they are."""

    f: float
    p: float


@dataclass(frozen=True)
class CrossValidation:
    """The accuracy of each contender on the same folds: a row for each round, a column for each half."""

    accuracy: Mapping[str, Floats]

    @property
    def means(self) -> dict[str, float]:
        """The mean accuracy of each contender."""
        return {name: float(each.mean()) for name, each in self.accuracy.items()}

    def f_test(self, first: str, second: str) -> FTest:
        """Run the combined F test on two contenders."""
        for name in (first, second):
            if name not in self.accuracy:
                known = ", ".join(self.accuracy)
                raise PolicyError(f"there is no contender {name!r}{did_you_mean(name, self.accuracy)}: use {known}")
        return combined_f_test(self.accuracy[first], self.accuracy[second])


def five_by_two(
    people: Any,
    policy: PolicyLike,
    contenders: Iterable[str] | Mapping[str, str | Contender],
    *,
    rng: int | np.random.Generator = 0,
) -> CrossValidation:
    """Measure contenders on five random halvings of people; each half is learned from once and predicted once.

    A contender is the name of a learner, or a function that learns from the rows of one frame and gives the labels of
    another: for example one that first anonymizes the rows it learns from (Kisilevich et al., Fig. 7).

    >>> from kspan.datasets import load_adult
    >>> adult = load_adult("train").select("age", "education", "sex", "income").head(1000)
    >>> policy = Policy(public=["age", "education", "sex"], target="income", require="k=1")
    >>> always = lambda known, asked: ["<=50K"] * asked.height
    >>> found = five_by_two(adult, policy, {"c45": "c45", "always the same": always})
    >>> found.accuracy["c45"].shape, found.f_test("c45", "always the same").p < 0.5
    ((5, 2), True)
    """
    policy = Policy.of(policy)
    everybody = Labelled.of(computed(load(people), policy), policy)
    if everybody.people < 2:
        raise DataError("one person cannot be halved: give rows of at least two people")
    fields = contenders if isinstance(contenders, Mapping) else {name: name for name in contenders}
    entered = {name: _contender(given, policy) for name, given in fields.items()}
    reached: dict[str, list[float]] = {name: [] for name in entered}
    for trial in _trials(everybody, np.random.default_rng(rng)):
        for name, contender in entered.items():
            reached[name].append(accuracy(contender(trial.known, trial.asked), trial.truth, trial.weights))
    # `halves` gives both directions of a halving one after the other: a round is a row.
    return CrossValidation({name: np.array(each).reshape(ROUNDS, 2) for name, each in reached.items()})


def combined_f_test(first: ArrayLike, second: ArrayLike) -> FTest:
    """Run the combined 5x2 cv F test on what two contenders reached in five rounds on both halves (Alpaydin 1999).

    >>> halves = [[0.8, 0.75], [0.7, 0.8], [0.9, 0.8], [0.75, 0.8], [0.8, 0.85]]
    >>> found = combined_f_test(halves, [[a - 0.1, b - 0.2] for a, b in halves])
    >>> round(found.f, 6), round(found.p, 6)
    (5.0, 0.044808)
    """
    differences = np.asarray(first, float) - np.asarray(second, float)
    if differences.shape != (ROUNDS, 2) or not np.isfinite(differences).all():
        raise DataError(f"the F test needs what was reached in {ROUNDS} rounds on 2 halves: give {ROUNDS} x 2 numbers")
    variances = ((differences - differences.mean(axis=1, keepdims=True)) ** 2).sum()
    squares = (differences**2).sum()
    if variances == 0:
        # Nothing varies: either they never differ, or they always do by the same.
        return FTest(0.0, 1.0) if squares == 0 else FTest(np.inf, 0.0)
    f = float(squares / (2 * variances))
    return FTest(f, float(stats.f.sf(f, 2 * ROUNDS, ROUNDS)))


def _trials(people: Labelled, rng: np.random.Generator) -> Iterator[Trial]:
    """Yield the trials of five random halvings, each in both directions."""
    weights = people.weights
    if weights is None or people.persons is not None:
        for known, asked in halves(people.frame.height, rng, people.persons):
            yield people.trial(*(Part(rows, None if weights is None else weights[rows]) for rows in (known, asked)))
        return
    for _ in range(ROUNDS):
        first = at_random(weights, people.people // 2, rng)
        one, other = Part.of(first), Part.of(weights - first)
        yield people.trial(one, other)
        yield people.trial(other, one)


def halves(rows: int, rng: int | np.random.Generator, persons: Int64s | None = None) -> Iterator[tuple[Int64s, Int64s]]:
    """Yield rows to learn from and rows to predict, ten times: five random halvings, each in both directions.

    All rows of a person are in one half, or a model would be asked about people whom it knows.
    """
    random = np.random.default_rng(rng)
    number = rows if persons is None else int(persons.max()) + 1
    for _ in range(ROUNDS):
        order = random.permutation(number)
        one, other = np.sort(order[: number // 2]), np.sort(order[number // 2 :])
        if persons is not None:
            first = np.isin(persons, one)
            one, other = np.flatnonzero(first), np.flatnonzero(~first)
        yield one, other
        yield other, one


def _contender(given: str | Contender, policy: Policy) -> Contender:
    if not isinstance(given, str):
        return given
    learner = learner_named(given)
    return lambda known, asked: learner(known, policy)(asked)
