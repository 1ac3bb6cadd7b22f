"""Grades of people: what their public values tell of a target, by models that were learned from other people.

The labels of a small part are a matter of chance, and cuts that follow them follow chance. Grades are what is left of
labels without it. Models of gradient boosting are learned from all people but one part, and grade that part: so
nobody's grade depends on the own label. Kinds of people (the same public values, the same target) are graded together,
so that the order of rows does not matter, nor whether a row stands for several people.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Floats, Int64s
from kspan.data.groups import group_rows
from kspan.data.table import Column, Table

Boosting = dict[str, Any]
GRADES = 7
FEWEST, MOST_LABELS = 10_000, 12
"""Fewer kinds of people teach no model; more labels would take too many models."""
LARGE, LEARNED = 40_000, 20_000
"""Up to so many kinds all of them teach the models, of more kinds this many."""
FOLDS, ROUNDS, RATE = (8, 2), (100, 15), (0.1, 0.2)
"""In how many parts people are graded, of how many trees a model is, and how much each tree adds; the second numbers if
there are more kinds."""


def graded(table: Table, public: Sequence[Column], target: Column, rng: np.random.Generator) -> list[Int64s]:
    """Return grades of each row, from 0 up to `GRADES` - 1, for each label that needs its own; none if too few teach.

    Of two labels the second one's grades tell all. Numbers are graded as a whole.
    """
    kind, number = group_rows([*public, target], table.rows)
    example = np.empty(number, np.int64)
    example[kind] = np.arange(table.rows)
    people = np.bincount(kind, table.weights, number)
    known = _numbers(target)[target.codes[example]] if target.is_measured else target.codes[example].astype(np.float64)
    labels = 0 if target.is_measured else len(np.unique(known))
    if number < FEWEST or (not target.is_measured and not 2 <= labels <= MOST_LABELS):
        return []
    told = _told(_Kinds([column.codes[example] for column in public], public, known, people), labels, rng)
    return [grades[kind] for grades in told]


class _Kinds:
    """Kinds of people: codes, what is known of the target (NaN if nothing), and how many people each kind has."""

    def __init__(
        self, codes: list[NDArray[Any]], columns: Sequence[Column], known: Floats, people: NDArray[Any]
    ) -> None:
        self.codes, self.columns, self.known, self.people = codes, columns, known, people.astype(np.float64)

    def weights(self, some: Int64s) -> Floats | None:
        """Return how many people some kinds have; None if it is one each, which is learned from faster."""
        people = self.people[some]
        return None if (people == 1).all() else people

    def features(self, learned: Int64s, aim: Floats, wanted: Int64s) -> Floats:
        """Return a number for each attribute of some kinds: words by the mean aim of those who are learned from."""
        mean = float(np.average(aim[learned], weights=self.people[learned]))
        found = np.empty((len(wanted), len(self.columns)))
        for place, (codes, column) in enumerate(zip(self.codes, self.columns, strict=True)):
            if column.is_measured:
                found[:, place] = _numbers(column)[codes[wanted]]
                continue
            have = np.bincount(codes[learned], self.people[learned], column.size)
            sums = np.bincount(codes[learned], self.people[learned] * aim[learned], column.size)
            found[:, place] = ((sums + mean) / (have + 1.0))[codes[wanted]]
        return found


def _told(kinds: _Kinds, labels: int, rng: np.random.Generator) -> list[Int64s]:
    """Return what models tell of each kind, as grades, for each label, or for the number if there are no labels."""
    number = len(kinds.known)
    order = rng.permutation(number)
    part = np.empty(number, np.int64)
    large = number > LARGE
    folds, boosting = FOLDS[large], {"max_iter": ROUNDS[large], "learning_rate": RATE[large]}
    part[order] = np.arange(number) % folds
    teaching = np.zeros(number, bool)
    teaching[order[: LEARNED if large else number]] = True
    teaching &= ~np.isnan(kinds.known)
    present, label = np.unique(kinds.known, return_inverse=True)
    aim = kinds.known if not labels else (label == np.bincount(label, kinds.people).argmax()).astype(np.float64)
    found = np.zeros((number, max(labels, 1)))
    with _one_thread():
        for fold in range(folds):
            learned, asked = np.flatnonzero(teaching & (part != fold)), np.flatnonzero(part == fold)
            rows, others = (kinds.features(learned, aim, those) for those in (learned, asked))
            people = kinds.weights(learned)
            if labels:
                found[asked] = _shares(rows, label[learned], people, others, len(present), boosting)
            else:
                found[asked, 0] = _means(rows, kinds.known[learned], people, others, boosting)
    if not labels:
        return [_in_grades((found[:, 0] - found.mean()) / (found.std() or 1.0))]
    odds = np.log(np.clip(found, 1e-6, 1 - 1e-6) / np.clip(1 - found, 1e-6, 1 - 1e-6))
    return [_in_grades(odds[:, 1])] if labels == 2 else [_in_grades(each) for each in odds.T]


def _shares(
    rows: Floats, label: Int64s, people: Floats | None, others: Floats, labels: int, boosting: Boosting
) -> Floats:
    """Return how likely each label is for others, as some people with labels teach."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    found = np.zeros((len(others), labels))
    there = np.unique(label)
    if len(there) < 2:
        found[:, there] = 1.0
        return found
    model = HistGradientBoostingClassifier(**boosting, early_stopping=False, random_state=0)
    model.fit(rows, label, sample_weight=people)
    found[:, model.classes_] = model.predict_proba(others)
    return found


def _means(rows: Floats, known: Floats, people: Floats | None, others: Floats, boosting: Boosting) -> Floats:
    """Return the number that is expected of others, as some people with numbers teach."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor(**boosting, early_stopping=False, random_state=0)
    expected: Floats = model.fit(rows, known, sample_weight=people).predict(others)
    return expected


def _in_grades(scores: Floats) -> Int64s:
    """Round scores to whole grades around 0.

    >>> _in_grades(np.array([-7.0, -0.4, 1.1])).tolist()
    [0, 3, 4]
    """
    most = GRADES // 2
    return np.rint(np.clip(scores, -most, most)).astype(np.int64) + most


def _numbers(column: Column) -> Floats:
    """Return the number of each code, NaN if it is none."""
    return np.append(column.values.astype(np.float64), np.full(column.size - len(column.values), np.nan))


def _one_thread() -> AbstractContextManager[Any]:
    """Sums of several threads may differ in their last digit, and the same secret must give the same table."""
    import sklearn.ensemble  # noqa: F401  # only threads of libraries that are loaded can be limited
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(1, "openmp")
    return limits
