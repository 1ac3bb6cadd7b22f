"""What would k cost? The same people released at one k after the other, and what is left of them each time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from inspect import signature
from operator import and_
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

from kspan.audit.findings import Audit
from kspan.data.encode import encode_people
from kspan.data.prepared import computed
from kspan.errors import DoesNotHold, KspanError, PolicyError, Unreachable, check_number, did_you_mean
from kspan.evaluate.learners import measures, settled
from kspan.evaluate.trial import Trial
from kspan.frames.files import load
from kspan.induce.methods import PRIVATE_METHODS, TREE_METHODS, learn, options_of
from kspan.model.predict import NumberPredictor, predicting
from kspan.model.tree.model import Tree
from kspan.policy import Policy
from kspan.privacy import KAnonymity
from kspan.publish import judged_tree
from kspan.secret import Secret
from kspan.share.publishing import share_tree
from kspan.tables.making import anonymize
from kspan.tables.methods import methods

KS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
LEARNED = tuple(name for name in TREE_METHODS if name in PRIVATE_METHODS)
SHARED = ("atp", "ldm")
SEEDS = 2**63
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})

Progress = Callable[[str], None]


@dataclass(frozen=True)
class CostPoint:
    """What is left at one k, or why nothing is."""

    k: int
    accuracy: float | None = None
    """The share of test people who are predicted right from what the release teaches; None without a target."""
    loss: float | None = None
    """How much of the public cells is lost, from 0 to 1 (NCP); None for trees."""
    withheld: float | None = None
    """The share of rows that the release does not show; None for trees."""
    suppressed: float | None = None
    """The share of public cells that show nothing; None for trees."""
    crowds: int | None = None
    """The groups of the table, or the spans of the tree."""
    refused: str | None = None
    """Why there is no release at this k, in one sentence."""
    mean_absolute_error: float | None = None
    """How far a tree of numbers is off for test people, on average; None if labels are predicted."""
    explained: float | None = None
    """By how much less its squared errors are than those of the mean, as a share of these."""


@dataclass(frozen=True)
class CostCurve:
    """What is left at each k while all else that is required stays the same."""

    method: str
    learner: str | None
    """What learns from each released table and, for the ceiling, from raw rows; a released tree needs no learner."""
    target: str | None
    """What is predicted, if anything."""
    tested: int
    """How many people, or rows of people who have several, were left out of every release to be predicted."""
    ceiling: float | None
    """The accuracy of what the learner learns from the raw rows, or the share that it explains of numbers."""
    floor: float | None
    """The accuracy of always saying the commonest label; of numbers the mean explains nothing, which is 0."""
    chosen: int
    """The k of the policy, 1 if it has none."""
    points: tuple[CostPoint, ...]
    of_numbers: bool = False
    """Are trees of numbers measured?"""
    guessing_error: float | None = None
    """How far always saying the mean is off, on average."""
    unit: str | None = None
    """What numbers are off by, days or seconds, if they are dates or times."""


def cost_curve(
    data: Any,
    policy: Policy,
    method: str = "kactus",
    *,
    ks: Sequence[int] | None = None,
    options: Mapping[str, Any] = NO_OPTIONS,
    tested: float = 1 / 3,
    rng: int | np.random.Generator = 0,
    progress: Progress = lambda step: None,
) -> CostCurve:
    """Measure what a method leaves of a dataframe or file at each k, while all else that is required stays the same.

    Methods are those of `kspan.anonymize` (`auto` is settled once, at the policy's k), `kadet`, `kadet-c45`, and `atp`
    and `ldm` of `kspan.share`. If there is a target, a share of the people, `tested`, is left out of every release and
    predicted by a C4.5 that learns from the table, or by the tree itself. Trees of numbers are measured by how far they
    are off. Tables without a target, or with a public one (which they make coarser), are only measured by what they
    lose. The same `rng` gives the same curve.

    >>> from kspan.datasets import load_adult
    >>> people = load_adult("train").select("age", "education", "sex", "income").head(1500)
    >>> policy = Policy(public=["age", "education", "sex"], target="income", require="k=10")
    >>> curve = cost_curve(people, policy, "mondrian", ks=[2, 10, 2000])
    >>> [(point.k, point.crowds) for point in curve.points], curve.tested
    ([(2, 290), (10, 70), (2000, None)], 499)
    """
    known = known_methods()
    if method not in known:
        raise PolicyError(f"there is no method {method!r}{did_you_mean(method, known)}: use {', '.join(known)}")
    random = np.random.default_rng(rng)
    # Every k gets the same seed, so that only k makes a difference.
    seed, frame = int(random.integers(SEEDS)), computed(load(data), policy)
    predicts = makes_trees(method) or policy.target in policy.private
    if predicts:
        options = settled(method, options, frame, policy)
    trial = Trial.of(frame, policy, tested, rng=random, measured=measures(options)) if predicts else None
    people, policy = (frame, policy) if trial is None else (trial.known, trial.policy)
    chosen = policy.require.crowd
    asked = _asked(ks, chosen, encode_people(people, policy, []).people)
    if method == "auto":
        progress("choosing a method")
        # Where the policy's k cannot be reached no method can be chosen, so smaller ones follow, the largest first.
        method = _settled(people, policy, [chosen, *(k for k in reversed(asked) if k < chosen)], options, seed)
    points = []
    for number, k in enumerate(asked, 1):
        progress(f"k = {k} ({number} of {len(asked)})")
        try:
            points.append(_point(k, people, requiring(policy, k), method, options, seed, trial))
        except (Unreachable, DoesNotHold) as error:
            # A k that cannot be reached is a fact about the curve, not a failure.
            points.append(CostPoint(k, refused=str(error)))
    if trial is None:
        return CostCurve(method, None, None, 0, None, None, chosen, tuple(points))
    progress("learning from the raw rows")
    if makes_trees(method) and options.get("predict") == "numbers":
        return _of_numbers(trial, method, options, chosen, tuple(points))
    learner, settings = plain_learner(method, options)
    ceiling = trial.taught(trial.known, learner, settings)
    return CostCurve(method, learner, policy.target, trial.people, ceiling, trial.floor, chosen, tuple(points))


def _of_numbers(
    trial: Trial, method: str, options: Mapping[str, Any], chosen: int, points: tuple[CostPoint, ...]
) -> CostCurve:
    """Return the curve of trees of numbers, beside a tree of the same method that promises nothing."""
    tree = learn(trial.known, replace(trial.policy, require=KAnonymity(1)), method, **options)
    assert isinstance(tree, Tree)
    model = predicting(tree)
    assert isinstance(model, NumberPredictor)
    found, target = trial.errors_of(model), trial.policy.target
    told = (method, method, target, trial.people, found.explained, 0.0, chosen, points)
    return CostCurve(*told, of_numbers=True, guessing_error=found.guessing, unit=model.kind.apart)


def known_methods() -> list[str]:
    """The methods whose cost can be measured."""
    return ["auto", *methods(), *LEARNED, *SHARED]


def makes_trees(method: str) -> bool:
    """Does a method release a tree, which predicts by itself, and not a table to learn from?"""
    return method in (*LEARNED, *SHARED)


def requiring(policy: Policy, k: int) -> Policy:
    """The policy with another k, and all else that it requires.

    >>> str(requiring(Policy(public=["age"], private=["ill"], require="distinct_l=2, k=3"), 50).require)
    'k=50, distinct_l=2'
    """
    others = [part for part in policy.require.parts if not isinstance(part, KAnonymity)]
    return replace(policy, require=reduce(and_, others, KAnonymity(k)))


def _asked(ks: Sequence[int] | None, chosen: int, people: int) -> list[int]:
    """Return each k to try once, in ascending order: those given, or the usual ones with room for two crowds."""
    if ks is None:
        return sorted({chosen, *(k for k in KS if 2 * k <= people)})
    if not len(ks):
        raise PolicyError("there is no k to try: name at least one")
    for k in ks:
        check_number("k", k, low=1, whole=True)
    return sorted({int(k) for k in ks})


def _settled(people: pl.DataFrame, policy: Policy, ks: Sequence[int], options: Mapping[str, Any], seed: int) -> str:
    """Return the method that `auto` takes at the first of the `ks` that can be reached."""
    first: KspanError | None = None
    for k in ks:
        try:
            return anonymize(people, requiring(policy, k), "auto", secret=Secret.from_seed(seed), **options).method
        except (Unreachable, DoesNotHold) as error:
            first = first or error
    assert first is not None
    raise first


def _point(
    k: int,
    people: pl.DataFrame,
    policy: Policy,
    method: str,
    options: Mapping[str, Any],
    seed: int,
    trial: Trial | None,
) -> CostPoint:
    """Measure what is left under a policy with this k."""
    if trial is not None and makes_trees(method):
        tree, found = _tree(people, policy, method, options)
        model = predicting(tree)
        if isinstance(model, NumberPredictor):
            off = trial.errors_of(model)
            return CostPoint(
                k, None, crowds=found.groups, mean_absolute_error=off.mean_absolute, explained=off.explained
            )
        return CostPoint(k, accuracy=trial.accuracy_of(tree), crowds=found.groups)
    release = anonymize(people, policy, method, secret=Secret.from_seed(seed), **options)
    return CostPoint(
        k,
        accuracy=None if trial is None else trial.taught(release.frame, *plain_learner(method, options)),
        loss=release.audit.utility.ncp,
        withheld=release.withheld / people.height,
        suppressed=release.suppressed_share,
        crowds=release.audit.groups,
    )


def _tree(people: pl.DataFrame, policy: Policy, method: str, options: Mapping[str, Any]) -> tuple[Tree, Audit]:
    """Return a tree that may be published under a policy, and its audit."""
    if method in SHARED:
        shared = share_tree(people, policy, method, **options)
        return shared.tree, shared.audit
    tree = learn(people, policy, method, **options)
    assert isinstance(tree, Tree)
    return tree, judged_tree(tree, people, policy).audit


def plain_learner(method: str, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the learner to compare with, which keeps no requirement, and those of the options that are about learning.

    >>> plain_learner("atp", {"learner": "id3", "min_rows": 5, "marginals": True})
    ('id3', {'min_rows': 5})
    """
    if not makes_trees(method):
        return "c45", {}
    # An ID3 that nothing stops learns its people by heart, and would be an easy one to beat.
    learner = str(options.get("learner", "c45")) if method == "atp" else "c45"
    # Sharing has options with the names of options of learners, such as `marginals`.
    sharing = signature(share_tree).parameters if method in SHARED else ()
    return learner, {
        name: said for name, said in options.items() if name in options_of(learner) and name not in sharing
    }
