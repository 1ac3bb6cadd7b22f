"""How well does a way of learning predict people whom it did not learn from, and is that better than guessing?

Nothing that is told of accuracy comes from people whom a model was learned from: it may know them by heart. So the
people are dealt into folds, and the whole procedure, with what is required of it, is repeated for each: it learns from
all others, and predicts the fold.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import polars as pl

from kspan.data.arrays import Floats, Int64s
from kspan.data.encode import weights_of
from kspan.data.persons import persons_of
from kspan.data.prepared import computed
from kspan.errors import DataError, KspanError, PolicyError, check_number, did_you_mean
from kspan.evaluate.agreement import meant_labels, text_labels
from kspan.evaluate.cost import NO_OPTIONS, SHARED
from kspan.evaluate.learned_from import learned_from
from kspan.evaluate.learners import Learner, learner_named
from kspan.evaluate.trial import Labelled, Part
from kspan.frames.files import load
from kspan.induce.methods import PREDICTING
from kspan.model.kinds import Model
from kspan.model.predict import predicted, predictor
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
    """The share that was predicted right."""
    standard_error: float | None = None
    """The standard error of that share."""
    guessing: float | None = None
    """The share for which the commonest label of those who were learned from is right."""
    guess: str | None = None
    """That label, if it is the same in all folds."""
    gain_error: float | None = None
    """The standard error of the difference between the two shares."""
    failed: int = 0
    """In how many folds nothing could be learned, so that nobody of them was predicted."""
    reason: str | None = None
    """Why not, in one sentence."""

    @property
    def no_better(self) -> bool:
        """Is it no better than always guessing?"""
        return self.gain is not None and self.gain <= 0

    @property
    def may_be_chance(self) -> bool:
        """Is it better than always guessing by so little that this may be chance?"""
        return self.gain is not None and 0 < self.gain < BY_CHANCE * (self.gain_error or 0.0)

    @property
    def gain(self) -> float | None:
        """By how much it is better than always guessing."""
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
    turn. It is the name of a learner, with its `options`, `atp` or `ldm` of `kspan.share_tree`, or a function of yours,
    as for `kspan.compare`. There are 5 folds of up to 100,000 rows; of more a third of the people is kept aside and
    predicted once, as with `folds=1`. Each label has the same share in all folds, all rows of a person are in one, and
    a row with a weight is divided like so many people. Where fewer people cannot be learned from, that fold is left out
    and told. `known` is what `kspan.learn` takes. The same `rng` gives the same folds.

    >>> from kspan.datasets import load_adult
    >>> adult = load_adult("train").select("age", "education", "sex", "income").head(2000)
    >>> policy = Policy(public=["age", "education", "sex"], target="income", require="k=20")
    >>> found = held_out(adult, policy, "c45")
    >>> found.people, found.folds, found.guess, found.guessing < found.accuracy < 0.9
    (2000, 5, '<=50K', True)
    """
    policy = Policy.of(policy)
    learns = _procedure(method, options)
    if folds is not None:
        check_number("folds", folds, low=1, whole=True)
    everybody = Labelled.of(computed(load(people), policy), policy)
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
        try:
            labels = learns(of_known)(trial.known, trial.policy)(trial.asked)
        except PolicyError:
            raise
        except KspanError as error:
            # Fewer people may not be enough, which is a fact about the procedure and no failure.
            refused.append(str(error))
            continue
        person = None if everybody.persons is None else everybody.persons[fold.rows]
        answers.append(_Answers.of(labels, trial.truth, trial.guess, trial.weights, person))
    return _summed(str(policy.target), rounds, answers, refused)


def on_test_table(model: Model, people: pl.DataFrame, policy: Policy | None = None) -> HeldOut:
    """Say how well a model predicts the people of a test table; refuse those whom it was learned from.

    Guessing is to say the commonest label of these people. The policy says how many people a row stands for, and whose
    it is, if the table has these columns.
    """
    asked = predictor(model)
    if asked.target not in people.columns:
        raise DataError(f"the test table has no column {asked.target!r}, which the model predicts: add it")
    weights = persons = None
    if policy is not None:
        people = computed(people, policy)
        weights = weights_of(people[policy.weight]) if policy.weight in people.columns else None
        persons = persons_of(people, policy) if policy.person and policy.person in people.columns else None
    truth = meant_labels(people[asked.target], asked.labels)
    if truth.null_count() or not len(truth):
        raise DataError(f"{truth.null_count()} people of the test table have no {asked.target!r}: give their labels")
    if learned_from(asked, people, weights=weights):
        raise DataError("the model was learned from the people of the test table: give people whom it does not know")
    labels = predicted(asked, people)[f"predicted: {asked.target}"]
    often = pl.DataFrame({"label": truth, "people": pl.Series(np.ones(len(truth)) if weights is None else weights)})
    guess = often.group_by("label").sum().sort("people", "label", descending=[True, False])["label"][0]
    return _summed(asked.target, 0, [_Answers.of(labels, truth, guess, weights, persons)], [])


@dataclass(frozen=True, repr=False)
class _Answers:
    """How good answers to some people are, beside guessing."""

    score: Floats
    guessing: Floats
    guess: str
    weight: Floats
    """How many people each row stands for."""
    person: Int64s | None

    @classmethod
    def of(cls, labels: Any, truth: pl.Series, guess: str, weights: Int64s | None, person: Int64s | None) -> Self:
        """Score the labels that were given to people: is each right?

        Whatever else may be predicted is scored here, and is summed up like labels.
        """
        guesses = pl.Series([guess]).new_from_index(0, len(truth))
        right, guessed = (text_labels(given).eq_missing(truth).to_numpy() for given in (labels, guesses))
        weight = np.ones(len(truth)) if weights is None else weights
        return cls(right.astype(np.float64), guessed.astype(np.float64), guess, weight.astype(np.float64), person)


def _summed(target: str, rounds: int, answers: list[_Answers], refused: list[str]) -> HeldOut:
    """Sum up what was said of all folds, each person alike."""
    why = refused[0] if refused else None
    if not answers:
        return HeldOut(target, rounds, failed=len(refused), reason=why)
    score, guessing, weight = (
        np.concatenate([getattr(each, name) for each in answers]) for name in ("score", "guessing", "weight")
    )
    # In each fold there are other people, so their numbers can be put one after the other.
    persons = [each.person for each in answers if each.person is not None]
    person = np.concatenate(persons) if persons else None
    guesses = {each.guess for each in answers}
    return HeldOut(
        target,
        rounds,
        people=int(weight.sum()) if person is None else len(np.unique(person)),
        rows=None if person is None else len(score),
        accuracy=float(np.average(score, weights=weight)),
        standard_error=_standard_error(score, weight, person),
        guessing=float(np.average(guessing, weights=weight)),
        guess=guesses.pop() if len(guesses) == 1 else None,
        gain_error=_standard_error(score - guessing, weight, person),
        failed=len(refused),
        reason=why,
    )


def _standard_error(score: Floats, weight: Floats, person: Int64s | None) -> float:
    """The standard error of a mean; rows of a person are no independent people, people of a row are."""
    away = score - np.average(score, weights=weight)
    if person is None:
        return float(np.sqrt((weight * away**2).sum()) / weight.sum())
    return float(np.sqrt((np.bincount(person, weight * away) ** 2).sum()) / weight.sum())


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
