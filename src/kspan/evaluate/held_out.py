"""How well does a way of learning predict people whom it did not learn from, and is that better than guessing?

Nothing that is told of accuracy, or of errors of numbers, comes from people whom a model was learned from: it may know
them by heart. So the people are dealt into folds, and the whole procedure, with what is required of it, is repeated for
each: it learns from all others, and predicts the fold.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from kspan.data.arrays import Floats, Int64s
from kspan.data.encode import weights_of
from kspan.data.persons import persons_of
from kspan.data.prepared import computed
from kspan.errors import DataError, KspanError, PolicyError, check_number, did_you_mean
from kspan.evaluate.agreement import meant_labels
from kspan.evaluate.cost import NO_OPTIONS, SHARED
from kspan.evaluate.errors import explained_share, numbers_of
from kspan.evaluate.learned_from import learned_from
from kspan.evaluate.learners import Learner, learner_named, measures, settled
from kspan.evaluate.scored import Scored
from kspan.evaluate.trial import Labelled, Part
from kspan.frames.files import load
from kspan.induce.methods import PREDICTING
from kspan.model.kinds import Model
from kspan.model.predict import NumberPredictor, predicted, predicting
from kspan.model.predictor import Predictor
from kspan.policy import Policy, PolicyLike
from kspan.share.publishing import share_tree

FOLDS, MOST_IN_FOLDS = 5, 100_000
"""How many folds there are, and up to how many rows: to learn from more five times would take long."""
PARTS = 3
"""One fold is one of three parts: two are learned from once, and the third is predicted."""
BY_CHANCE = 2.0
"""A difference below so many standard errors may be chance."""

Progress = Callable[[str], None]


@dataclass(frozen=True)
class HeldOut:
    """How well people are predicted who were not learned from, or why that is not known."""

    target: str
    folds: int
    """1 if a third of the people was kept aside, and predicted once; 0 if a test table of other people was given."""
    people: int = 0
    """How many people were predicted."""
    rows: int | None = None
    """In how many rows, if people have several; then shares are shares of rows."""
    accuracy: float | None = None
    """The share whose label was predicted right; None if numbers are predicted."""
    standard_error: float | None = None
    """The standard error of that share, or of the mean error of numbers."""
    guessing: float | None = None
    """The share for which the commonest label of those who were learned from is right."""
    guess: str | None = None
    """That label, if it is the same in all folds."""
    gain_error: float | None = None
    """The standard error of the difference between the two shares, or of what is explained."""
    mean_absolute_error: float | None = None
    """How far predicted numbers are off, on average; None if labels are predicted."""
    guessing_error: float | None = None
    """How far the mean of those who were learned from is off, on average."""
    explained: float | None = None
    """The share of how numbers differ that is explained: by how much less their squared errors are than those of the
    mean. None if the mean is right for everybody."""
    unit: str | None = None
    """What numbers are off by, days or seconds, if they are dates or times."""
    failed: int = 0
    """In how many folds nothing could be learned, so that nobody of them was predicted."""
    reason: str | None = None
    """Why not, in one sentence."""

    @property
    def is_known(self) -> bool:
        """Was anybody predicted?"""
        return self.accuracy is not None or self.mean_absolute_error is not None

    @property
    def no_better(self) -> bool:
        """Is it no better than always guessing? Numbers are so if they explain nothing."""
        return self.gain is not None and self.gain <= 0

    @property
    def may_be_chance(self) -> bool:
        """Is it better than always guessing by so little that this may be chance?"""
        return self.gain is not None and 0 < self.gain < BY_CHANCE * (self.gain_error or 0.0)

    @property
    def gain(self) -> float | None:
        """By how much it is better than always guessing: the difference of shares, or the share that is explained."""
        if self.mean_absolute_error is not None:
            # Where everybody has one number, nothing can be gained.
            return self.explained or 0.0
        return None if self.accuracy is None or self.guessing is None else self.accuracy - self.guessing

    def as_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {**asdict(self), "no_better": self.no_better, "may_be_chance": self.may_be_chance}


def held_out(
    people: Any,
    policy: PolicyLike,
    method: str | Learner = "grouped",
    *,
    options: Mapping[str, Any] = NO_OPTIONS,
    folds: int | None = None,
    known: Int64s | None = None,
    rng: int | np.random.Generator = 0,
    progress: Progress = lambda step: None,
) -> HeldOut:
    """Say how well a method predicts people of a dataframe or file whom it did not learn from, beside guessing.

    The method learns from all folds but one under the policy's requirement, and predicts the one left out, each in its
    turn. It is the name of a learner, with its `options`, `atp` or `ldm` of `kspan.share_tree`, or a function of yours
    that gives labels, as for `kspan.compare`. Labels are right or wrong; of numbers it is told how far they are off,
    and how much of their variance is explained. Of several targets the first is held against the truth.

    There are 5 folds of up to 100,000 rows; of more a third of the people is kept aside and predicted once, as with
    `folds=1`. Each label has the same share in all folds, all rows of a person are in one, and a row with a weight is
    divided like so many people. Where fewer people cannot be learned from, that fold is left out and told. `known` is
    what `kspan.learn` takes. The same `rng` gives the same folds.

    >>> from kspan.datasets import load_adult
    >>> adult = load_adult("train").select("age", "education", "sex", "income").head(2000)
    >>> policy = Policy(public=["age", "education", "sex"], target="income", require="k=20")
    >>> found = held_out(adult, policy, "c45")
    >>> found.people, found.folds, found.guess, found.guessing < found.accuracy < 0.9
    (2000, 5, '<=50K', True)
    """
    policy = Policy.of(policy)
    _procedure(method, options)  # refuses what there is not, before the table is read
    if folds is not None:
        check_number("folds", folds, low=1, whole=True)
    frame = computed(load(people), policy)
    if isinstance(method, str):
        options = settled(method, options, frame, policy)
    everybody = Labelled.of(frame, policy, measured=measures(options))
    learns = _procedure(method, options)
    asked = folds or (FOLDS if everybody.frame.height <= MOST_IN_FOLDS else 1)
    hands = min(PARTS if asked == 1 else asked, everybody.people)
    if hands < 2:
        return HeldOut(str(policy.target), asked, failed=1, reason="one person cannot be left out and learned from")
    dealt = everybody.dealt(hands, np.random.default_rng(rng))
    answers, refused = [], []
    rounds = 1 if asked == 1 else hands
    for place in range(rounds):
        progress(f"testing on people kept aside ({place + 1} of {rounds})")
        rest, fold = (_part(each, everybody.weights) for each in (dealt.sum(axis=1) - dealt[:, place], dealt[:, place]))
        trial = everybody.trial(rest, fold)
        of_known = {} if known is None else {"known": known[rest.rows]}
        person = None if everybody.persons is None else everybody.persons[fold.rows]
        try:
            answers.append(Scored.of_trial(learns(of_known)(trial.known, trial.policy), trial, person))
        except PolicyError:
            raise
        except KspanError as error:
            # Fewer people may not be enough, which is a fact about the procedure and no failure.
            refused.append(str(error))
    return _summed(str(policy.target), rounds, answers, refused)


def on_test_table(model: Model, people: pl.DataFrame, policy: Policy | None = None) -> HeldOut:
    """Say how well a model predicts the people of a test table; refuse those whom it was learned from.

    Guessing is to say the commonest label of these people, or their mean. The policy says how many people a row stands
    for, and whose it is, if the table has these columns. Of several targets the first is held against the truth.
    """
    asked = predicting(model)
    if asked.target not in people.columns:
        raise DataError(f"the test table has no column {asked.target!r}, which the model predicts: add it")
    weights = persons = None
    if policy is not None:
        people = computed(people, policy)
        weights = weights_of(people[policy.weight]) if policy.weight in people.columns else None
        persons = persons_of(people, policy) if policy.person and policy.person in people.columns else None
    truth = _truth(asked, people[asked.target])
    if learned_from(model, people, weights=weights):
        raise DataError("the model was learned from the people of the test table: give people whom it does not know")
    return _summed(asked.target, 0, [Scored.of_model(asked, people, truth, weights, persons)], [])


def _truth(asked: Predictor | NumberPredictor, column: pl.Series) -> pl.Series | Floats:
    """Return the labels or numbers that people of a test table have; refuse a table in which somebody has none."""
    truth: pl.Series | Floats
    if isinstance(asked, NumberPredictor):
        truth = numbers_of(column, asked.kind)
        gone, what = int(np.isnan(truth).sum()), "numbers"
    else:
        truth = meant_labels(column, asked.labels)
        gone, what = truth.null_count(), "labels"
    if gone or not len(truth):
        raise DataError(f"{gone} people of the test table have no {column.name!r}: give their {what}")
    return truth


def _summed(target: str, rounds: int, answers: list[Scored], refused: list[str]) -> HeldOut:
    """Sum up what was said of all folds, each person alike."""
    why = refused[0] if refused else None
    if not answers:
        return HeldOut(target, rounds, failed=len(refused), reason=why)
    every = Scored.together(answers)
    found = HeldOut(target, rounds, every.people, every.rows, failed=len(refused), reason=why, unit=every.unit)
    found = replace(found, standard_error=every.standard_error(every.score))
    if not every.of_numbers:
        return replace(
            found,
            accuracy=every.mean(every.score),
            guessing=every.mean(every.guessing),
            guess=every.guess,
            gain_error=every.standard_error(every.score - every.guessing),
        )
    better, worst = every.guessing**2 - every.score**2, every.mean(every.guessing**2)
    return replace(
        found,
        mean_absolute_error=every.mean(every.score),
        guessing_error=every.mean(every.guessing),
        explained=explained_share(every.mean(better), worst),
        gain_error=every.standard_error(better) / worst if worst else None,
    )


def _part(people: Int64s, weights: Int64s | None) -> Part:
    """The rows of which there are people, and how many of each, if rows have weights."""
    found = Part.of(people)
    return found if weights is not None else Part(found.rows)


def _procedure(method: str | Learner, options: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Learner]:
    """Return the function that gives the learner for a fold, told what earlier releases tell of its people."""
    if not isinstance(method, str):
        if options:
            raise PolicyError("options are for learners that have a name: let your function know its own")
        return lambda known: method
    if method in SHARED:
        return lambda known: _sharing(method, {**options, **known})
    if method not in PREDICTING:
        raise PolicyError(
            f"there is no learner of labels {method!r}{did_you_mean(method, PREDICTING)}: use {', '.join(PREDICTING)}"
        )
    learner_named(method, **options)  # refuses options that it does not have
    return lambda known: learner_named(method, **options, **known)


def _sharing(method: str, options: Mapping[str, Any]) -> Learner:
    """Return the learner that makes the tree of an owner."""

    def shared(people: pl.DataFrame, policy: Policy) -> Callable[[pl.DataFrame], pl.Series]:
        tree = share_tree(people, policy, method, **options).tree
        return lambda rows: predicted(tree, rows)[f"predicted: {policy.target}"]

    return shared
