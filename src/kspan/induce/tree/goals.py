"""What a tree is to tell of at every node: one column or several, each with labels or numbers.

The requirement is asked of every private one by itself. Labels that are public tell people apart from the start.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Literal, TypeAlias

import numpy as np

from kspan.data.arrays import Codes, Int64s
from kspan.data.table import Column, Table
from kspan.errors import DataError, PolicyError, did_you_mean
from kspan.induce.tree.averages import Averages
from kspan.induce.tree.people import People
from kspan.induce.tree.rare import people_with
from kspan.induce.tree.release import ToldLabels, ToldNumbers
from kspan.model.outcome import NumberDisclosure
from kspan.options import NOT_TYPED
from kspan.policy import Policy
from kspan.privacy import OnPrivate

MOST_LABELS, FLAGS = 20, 2
"""A target of so few different numbers is taken for labels if each has a crowd, and one of so few anyway."""

Predict = Literal["auto", "labels", "numbers"]
Also: TypeAlias = Annotated[Sequence[str] | str | None, NOT_TYPED]
"""The names of further targets."""


def further(also: Sequence[str] | str | None) -> tuple[str, ...]:
    """Return the names of further targets, if there are any: one may be given by itself.

    >>> further("pay"), further(None)
    (('pay',), ())
    """
    return (also,) if isinstance(also, str) else tuple(also or ())


def check_also(table: Table, policy: Policy, also: Sequence[str]) -> None:
    """Refuse further targets that are no columns of the policy, or that are named twice."""
    known = [name for name in (*policy.public, *policy.private) if name != policy.target]
    for name in also:
        if name == policy.target:
            raise PolicyError(f"{name!r} is the target already: name other columns that are predicted, too")
        if name not in known:
            raise PolicyError(
                f"{name!r} cannot be predicted, too{did_you_mean(name, known)}: name public or private columns beside "
                "the target"
            )
    if len(set(also)) < len(also):
        raise PolicyError("a column is named twice as a further target: name each once")
    if also and table.persons is not None:
        raise PolicyError(
            "where people have several rows, a tree predicts one column: learn a tree for each, and audit them together"
        )


@dataclass(frozen=True, repr=False)
class Goals:
    """The targets of a tree, that of the policy first."""

    columns: tuple[Column, ...]
    numbers: tuple[ToldNumbers | None, ...]
    """What is told of the numbers of each; None of one that has labels."""
    public: tuple[bool, ...]
    people: People
    policy: Policy
    averages: Averages | None
    """What is required of the people of whose numbers a mean is told; None if there is no such private target."""

    @classmethod
    def of(
        cls,
        table: Table,
        policy: Policy,
        people: People,
        also: Sequence[str],
        predict: Predict,
        tells: NumberDisclosure,
    ) -> "Goals":
        """The target of the policy and some others; `predict` says how to take the first."""
        first, *others = (table[name] for name in (str(policy.target), *also))
        numbers = [
            _numbers(column, table, people, policy, predict if column is first else "auto", tells)
            for column in (first, *others)
        ]
        public = tuple(column.name in policy.public for column in (first, *others))
        told = zip((first, *others), numbers, public, strict=True)
        averaged = [column for column, number, is_public in told if number is not None and not is_public]
        averages = Averages.of(averaged, table, policy)
        return cls((first, *others), tuple(numbers), public, people, policy, averages)

    def check_labels(self, what: str, *, alone: bool = False) -> None:
        """Refuse `what` is about labels where the first target is a number, or is not `alone`."""
        if self.numbers[0] is not None:
            raise PolicyError(f"{what} is about labels, and {self.columns[0].name!r} is a number: leave it out")
        if alone and len(self.columns) > 1:
            raise PolicyError(f"{what} is about one target, and there are {len(self.columns)}: leave it out")

    @property
    def measured(self) -> list[bool]:
        """Which of them are numbers."""
        return [one is not None for one in self.numbers]

    @property
    def others(self) -> list[ToldLabels | ToldNumbers]:
        """What is told of all but the first."""
        rest = zip(self.columns[1:], self.numbers[1:], self.public[1:], strict=True)
        return [ToldLabels(column, self.people.weights) if told is None else told for column, told, _ in rest]

    @property
    def counted(self) -> People:
        """The people by the labels of the first target; of numbers nothing is counted but people."""
        return self.people if self.numbers[0] is None else self.people.without_labels()

    @cached_property
    def private(self) -> list[Column]:
        """Those that are private."""
        return [column for column, public in zip(self.columns, self.public, strict=True) if not public]

    @property
    def target(self) -> str | None:
        """The private target that the requirement is about first; None if everybody knows all of them."""
        return self.private[0].name if self.private else None

    @cached_property
    def hidden(self) -> People:
        """The people with what the requirement is about: the first private target, or all labels if all are public."""
        shown = [column for column, public in zip(self.columns, self.public, strict=True) if public]
        if not self.private:
            return self.people if len(shown) == 1 else self._jointly(shown)
        hidden = self._by(self.private[0])
        if not shown:
            return hidden
        known = hidden.known if len(hidden.known) else np.zeros(len(hidden.label), np.int64)
        return replace(hidden, known=_together([*(column.codes for column in shown), known])[0])

    def beside(self) -> list[tuple[str, People]]:
        """The people by each further private target of which something is required."""
        asked = [part for part in self.policy.require.parts if isinstance(part, OnPrivate)]
        return [
            (column.name, self._by(column))
            for column in self.private[1:]
            if any(column.name in part.looks_at((column.name,)) for part in asked)
        ]

    def _jointly(self, columns: Sequence[Column]) -> People:
        """The people by what they have of several columns together."""
        label, labels = _together([column.codes for column in columns])
        return People(label.astype(np.uint32), labels, self.people.weights, known=self.people.known)

    def _by(self, column: Column) -> People:
        if column is self.columns[0]:
            return self.people
        return replace(People.of_column(column, self.people.weights), known=self.people.known)


def are_numbers(column: Column, table: Table, policy: Policy, predict: Predict = "auto") -> bool:
    """Is a target taken for numbers, and not for labels? The table says who has which.

    Dates are: nobody wants to know how many have each. So are numbers that too few people have: as labels they would
    be named. Numbers that a policy lists are words, and so labels.
    """
    if predict != "auto":
        return predict == "numbers"
    different = len(column.values)
    fewest = people_with(column.codes, column.size, table)[:different].min(initial=policy.require.crowd)
    rare = different > FLAGS and fewest < policy.require.crowd
    return column.is_measured and (different > MOST_LABELS or rare or column.kind.has_own_spelling)


def check_shared(column: Column, people: int) -> None:
    """Refuse labels of which hardly two people have the same: nothing is learned of them, and all would be named."""
    if column.size > MOST_LABELS and 2 * column.size > people:
        raise DataError(
            f"column {column.name!r} has {column.size:,} different labels for {people:,} people: nothing can be "
            "learned of labels that hardly two people share. If they are numbers, mend the cells that are none, which "
            "make words of all"
        )


def _numbers(
    column: Column, table: Table, people: People, policy: Policy, predict: Predict, tells: NumberDisclosure
) -> ToldNumbers | None:
    """What nodes tell of a target if it is a number; None if it has labels."""
    if not are_numbers(column, table, policy, predict):
        check_shared(column, table.people)
        return None
    column.check_measured_for_all()
    return ToldNumbers.of(column, people.weights, policy.require.crowd, tells)


def _together(codes: Sequence[Codes | Int64s]) -> tuple[Int64s, int]:
    """Number the combinations of codes that occur."""
    found = np.zeros(len(codes[0]), np.int64)
    for each in codes:
        found = np.unique(found * (int(each.max(initial=0)) + 1) + each, return_inverse=True)[1].astype(np.int64)
    return found, int(found.max(initial=0)) + 1
