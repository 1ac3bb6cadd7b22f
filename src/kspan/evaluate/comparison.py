"""What is lost by learning from a released table instead of the original one."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.encode import encode_people
from kspan.data.prepared import computed
from kspan.data.table import Column
from kspan.errors import DataError, KspanError, PolicyError, did_you_mean, listed
from kspan.evaluate.agreement import accuracy, text_labels
from kspan.evaluate.learned_from import are_the_same
from kspan.evaluate.learners import Learner, learners_of
from kspan.evaluate.truth import known_labels, labels_like, narrowed, target_column, target_of
from kspan.frames.files import load
from kspan.policy import Policy, PolicyLike
from kspan.tables.release import TableRelease

ORIGINAL, TEST = "original", "the test table"
Progress = Callable[[str], None]


@dataclass(frozen=True, repr=False)
class Comparison:
    """How well learners predict people they have not seen, from the original table and from released ones."""

    table: pl.DataFrame = field(compare=False)
    """One row per learner and table, the original first: `release`, `learner`, `accuracy`, `class_match` (the share of
    test people who get the label that the model from the original gives them), `columns` learned from, `rows` and
    `seconds`."""
    target: str
    original: str
    """What the original is called in the table."""
    test_rows: int
    baseline: float
    """The share of test people who have the commonest label of the original."""
    left_out: tuple[str, ...]
    """Columns of the original that were not learned from, since the test table lacks them."""
    learned_from: bool = False
    """Are the test people those of the original? Then nothing here is a forecast."""

    def __repr__(self) -> str:
        tables, learners = self.table["release"].n_unique(), self.table["learner"].n_unique()
        return f"Comparison({learners} learners on {tables} tables, {self.test_rows} test rows)"

    def as_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            "target": self.target,
            "original": self.original,
            "test_rows": self.test_rows,
            "baseline": self.baseline,
            "left_out": list(self.left_out),
            "learned_from": self.learned_from,
            "results": self.table.to_dicts(),
        }


def compare(
    original: Any,
    releases: Mapping[str, Any],
    test: Any,
    policy: PolicyLike,
    learners: Iterable[str] | Mapping[str, Learner] | None = None,
    *,
    progress: Progress = lambda step: None,
) -> Comparison:
    """Learn the policy's target from the original and from each release, and predict the people of the test table.

    Tables are dataframes or paths of files; `releases` maps names of yours to tables or to what `kspan.anonymize` made.
    The test table shows raw people with their labels. `learners` are names for `kspan learn -m` (by default all that
    keep no requirement), or functions of yours by name: each learns from a frame and a policy, and returns a function
    from a frame to labels. A column is learned from if it is public or private and the test table has it, too.

    >>> from kspan.datasets import mortgage
    >>> from kspan.tables.making import anonymize
    >>> public = ["Gender", "Married", "Age", "Sports car"]
    >>> policy = Policy(identifier=["Name"], public=public, target="Loan risk", require="k=3")
    >>> people = mortgage()
    >>> release = anonymize(people, policy, "mondrian", secret="0" * 32)
    >>> found = compare(people, {"k=3": release}, people, policy, ["id3"])
    >>> found.table["release", "learner", "accuracy"].with_columns(pl.col("accuracy").round(2)).rows()
    [('original', 'id3', 0.83), ('k=3', 'id3', 0.83)]
    """
    if not isinstance(releases, Mapping):
        raise PolicyError("releases must have names: give a mapping, for example {'k=10': table}")
    if ORIGINAL in releases:
        raise PolicyError(f"a release cannot be called {ORIGINAL!r}, since the original is: give it another name")
    policy = Policy.of(policy)
    tables = {ORIGINAL: original, **{str(name): given for name, given in releases.items()}}
    frames = {name: load(given.table if isinstance(given, TableRelease) else given) for name, given in tables.items()}
    return compared(frames, (TEST, load(test)), policy, learners_of(learners), progress=progress)


def compared(
    tables: Mapping[str, pl.DataFrame],
    test: tuple[str, pl.DataFrame],
    policy: Policy,
    learners: Mapping[str, Learner],
    *,
    progress: Progress = lambda step: None,
) -> Comparison:
    """Compare learners on frames by name, the original first; `test` is the name and frame of the test table."""
    target = target_of(policy)
    tables = {name: computed(frame, policy) for name, frame in tables.items()}
    called, people = test[0], computed(test[1], policy)
    original = next(iter(tables))
    labels = target_column(tables[original], policy, original)
    read = labels_like(policy, labels)  # all tables read labels as the original does, as numbers or as words
    truth = known_labels(people, read, called)
    known = _known(labels, truth, original, called)
    offers = {name: _offered(frame, name, people, called, read) for name, frame in tables.items()}
    for name, frame in tables.items():
        _check_labels(target_column(frame, read, name), known, name, original)
    weights = _weights(people, policy, called)
    reached = []
    for learner, learns in learners.items():
        base: Any = None
        for name, frame in tables.items():
            progress(f"{learner} learns from {name}")
            columns, narrower = offers[name]
            begun = perf_counter()
            with _telling(f"{learner} cannot learn from {name}"):
                predictor = learns(frame.select(narrower.columns), narrower)
            seconds = perf_counter() - begun
            with _telling(f"what {learner} learned from {name} cannot be asked about {called}"):
                predicted = text_labels(predictor(people.select(columns)))
            base = predicted if base is None else base  # the original comes first
            reached.append(
                {
                    "release": name,
                    "learner": learner,
                    "accuracy": accuracy(predicted, truth, weights),
                    "class_match": accuracy(predicted, base, weights),
                    "columns": len(columns),
                    "rows": frame.height,
                    "seconds": seconds,
                }
            )
    return Comparison(
        table=pl.DataFrame(reached),
        target=target,
        original=original,
        test_rows=people.height,
        baseline=accuracy(
            [_commonest(labels, _weights(tables[original], policy, original))] * people.height, truth, weights
        ),
        left_out=tuple(
            name for name in _attributes(policy) if name in tables[original].columns and name not in people.columns
        ),
        learned_from=are_the_same(people, tables[original]),
    )


def _offered(
    frame: pl.DataFrame, name: str, people: pl.DataFrame, called: str, policy: Policy
) -> tuple[list[str], Policy]:
    """The columns of a table that can be learned from, and the policy for them."""
    without_role = [column for column in frame.columns if column not in policy.columns]
    if without_role:
        raise PolicyError(
            f"column {listed(without_role)} of {name} has no role in the policy: "
            f"list it under public, private or identifier{did_you_mean(without_role[0], policy.columns)}"
        )
    columns = [column for column in _attributes(policy) if column in frame.columns and column in people.columns]
    if not columns:
        raise DataError(
            f"{name} and {called} have no column in common besides {policy.target!r}: "
            "give both the public or private columns to learn from, by the names of the policy"
        )
    weight = [policy.weight] if policy.weight is not None and policy.weight in frame.columns else []
    return columns, narrowed(policy, [*columns, target_of(policy), *weight])


@contextmanager
def _telling(what: str) -> Iterator[None]:
    """Put `what` in front of any refusal, since the code that refuses knows neither learner nor table by name."""
    try:
        yield
    except KspanError as error:
        # The kind of the error is kept, since the exit code depends on it.
        raise type(error)(f"{what}: {error}", details=error.details) from None


def _attributes(policy: Policy) -> list[str]:
    return [name for name in (*policy.public, *policy.private) if name != policy.target]


def _known(labels: Column, truth: pl.Series, original: str, called: str) -> set[str]:
    """Return the labels of the original; refuse a test table in which nobody has one of them."""
    known = {labels.label(code) for code in range(labels.size)}
    if not set(truth.unique()) & known:
        raise DataError(
            f"no label of {labels.name!r} in {called} is one of {original}: write labels in both tables the same way"
        )
    return known


def _check_labels(column: Column, known: set[str], name: str, original: str) -> None:
    """Refuse a release whose labels are not those of the original: what it would teach cannot be compared."""
    strange = sum(column.label(code) not in known for code in range(column.size))
    if strange:
        raise DataError(
            f"{name} has {strange} labels in {column.name!r} that {original} does not have: "
            "give a release that shows the target as it was"
        )


def _weights(people: pl.DataFrame, policy: Policy, called: str) -> Int64s | None:
    """How many people each row stands for, if the table says so."""
    if policy.weight is None or policy.weight not in people.columns:
        return None
    with _telling(f"cannot count the people of {called}"):
        return encode_people(people, policy, []).weights


def _commonest(labels: Column, weights: Int64s | None) -> str:
    """The label that most people have."""
    return labels.label(int(np.bincount(labels.codes, weights).argmax()))
