"""How well a model predicts people whom it was not learned from, in a sentence; its own people foretell nothing."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from kspan.errors import DataError, KspanError, PolicyError
from kspan.evaluate.cost import CostCurve
from kspan.evaluate.errors import Ruler, explaining, is_less, share_explained
from kspan.evaluate.held_out import FOLDS, HeldOut, held_out, on_test_table
from kspan.evaluate.learned_from import are_the_same
from kspan.frames.files import load
from kspan.model.kinds import Model, given_model, model_of
from kspan.policy import Policy
from kspan.report.formatting import percent, visible
from kspan.report.sentences import chosen_point

Progress = Callable[[str], None]
TEST_TABLE = 0
"""The folds of people who were given as a test table."""


def foretold(found: HeldOut, subject: str = "Predicts", *, named: bool = False) -> str:
    """Say how well people are predicted who were not learned from, beside guessing; the guess may be `named`.

    Of numbers it says how far they are off.

    >>> found = HeldOut("income", 5, people=1200, accuracy=0.664, standard_error=0.0136, guessing=0.753, guess="<=50K")
    >>> foretold(found, named=True)  # doctest: +NORMALIZE_WHITESPACE
    'Predicts income correctly for 66.4% ± 1.4 of people it was not learned from (5 folds of 1,200 people): no better
    than always guessing <=50K, which is right for 75.3%.'
    """
    if not found.is_known:
        return f"How well it predicts people it was not learned from was not measured: {_reason(found)}."
    said = _of_labels(found, subject, named) if found.accuracy is not None else _of_numbers(found, subject)
    failed = f" In {found.failed} of {found.folds} folds nothing could be learned: {_reason(found)}."
    return said + (failed if found.failed else "")


def _of_labels(found: HeldOut, subject: str, named: bool) -> str:
    """Say for how many people labels are right."""
    assert found.accuracy is not None
    assert found.guessing is not None
    target = visible(found.target)
    spread = "" if found.standard_error is None else f" ± {100 * found.standard_error:.1f}"
    label = visible(found.guess) if named and found.guess is not None else f"the commonest {target}"
    guessing = percent(found.guessing)
    beside = f"; always guessing {label} is right for {guessing}"
    if found.no_better:
        beside = f": no better than always guessing {label}, which is right for {guessing}"
    elif found.may_be_chance:
        beside += ", and the difference may be chance"
    return f"{subject} {target} correctly for {percent(found.accuracy)}{spread} of {_whom(found)}{beside}."


def _of_numbers(found: HeldOut, subject: str) -> str:
    """Say how far numbers are off."""
    assert found.mean_absolute_error is not None
    assert found.guessing_error is not None
    error, guessing = found.mean_absolute_error, found.guessing_error
    ruler = Ruler.of(found.unit, error, guessing)
    spread = "" if found.standard_error is None else f" ± {ruler.figure(found.standard_error)}"
    how = f"with an error of {ruler.figure(error)}{spread}{ruler.unit} on average"
    said = f"{subject} {visible(found.target)} {how} for {_whom(found)}"
    if found.no_better and not is_less(error, guessing):
        return f"{said}: no better than always guessing the mean, which is {ruler.text(guessing)} off."
    chance = ", which may be chance" if found.may_be_chance else ""
    explained = explaining(error, guessing, found.explained)
    return f"{said}; always guessing the mean is {ruler.text(guessing)} off. {explained}{chance}."


def warned(found: HeldOut) -> str | None:
    """Return a warning if a model predicts no better than guessing, which names no label, since logs keep it."""
    return f"Beware: it predicts {visible(found.target)} no better than a guess." if found.no_better else None


def foretelling(called: str, found: HeldOut | None, ceiling: HeldOut | None = None) -> Iterator[str]:
    """Yield sentences on how well a model predicts, or on how that would be known; `called` is its name."""
    if found is None:
        yield (
            f"How well the {called} predicts people it was not learned from is not told here: give such people "
            "(kspan report --test FILE)."
        )
        return
    yield foretold(found, f"The {called} predicts")
    if ceiling is None or not found.is_known:
        return
    if ceiling.accuracy is not None:
        yield f"Without any promise a tree would be right for {percent(ceiling.accuracy)} of them."
    elif ceiling.mean_absolute_error is not None:
        error = ceiling.mean_absolute_error
        explained = "" if ceiling.explained is None else f", and explain {share_explained(ceiling.explained)}"
        yield f"Without any promise a tree would be {Ruler.of(ceiling.unit, error).text(error)} off{explained}."


def measured(
    people: pl.DataFrame, policy: Policy, method: str, options: Mapping[str, Any], progress: Progress, **more: Any
) -> HeldOut:
    """Return how well a method predicts people whom it did not learn from, or why that could not be measured."""
    try:
        return held_out(people, policy, method, options=options, progress=progress, **more)
    except KspanError as error:
        # A model was learned all the same, so that what is refused here is told with it.
        return HeldOut(str(policy.target), FOLDS, failed=FOLDS, reason=str(error))


def predicts(release: Any) -> bool:
    """Is a release a model of kspan that predicts labels or numbers?"""
    given = given_model(release)
    return given is not None and given.is_ours and isinstance(given.model, Model)


def tested_on(release: Any, test: Any, people: pl.DataFrame | None, policy: Policy | None) -> HeldOut:
    """Return how well a model predicts people of a test table, who must not be those that it was learned from."""
    if not predicts(release):
        raise PolicyError(
            "only a model of kspan that predicts labels or numbers can be tested on people: leave the test table out, "
            "or see kspan compare for what tables teach"
        )
    others = load(test)
    if people is not None and are_the_same(others, people):
        raise DataError("the people and the test table are the same: give people whom the model does not know")
    return on_test_table(model_of(release), others, policy)


def at_chosen(curve: CostCurve) -> HeldOut:
    """Return what a curve says of people who were kept aside, at the k that was chosen."""
    point, target = chosen_point(curve), str(curve.target)
    if point is not None and point.mean_absolute_error is not None:
        found = HeldOut(target, 1, people=curve.tested, unit=curve.unit, explained=point.explained)
        return replace(found, mean_absolute_error=point.mean_absolute_error, guessing_error=curve.guessing_error)
    if point is None or point.accuracy is None:
        return HeldOut(target, 1, failed=1, reason=None if point is None else point.refused)
    return HeldOut(target, 1, people=curve.tested, accuracy=point.accuracy, guessing=curve.floor)


def _whom(found: HeldOut) -> str:
    counted = "1 person" if found.people == 1 else f"{found.people:,} people"
    if found.rows is not None:
        counted = f"{found.rows:,} rows of {counted}"
    if found.folds == TEST_TABLE:
        return f"{counted} in the test table"
    if found.folds == 1:
        return f"{counted} kept aside, whom it was not learned from"
    return f"people it was not learned from ({found.folds} folds of {counted})"


def _reason(found: HeldOut) -> str:
    return visible(found.reason or "nothing is known of it")
