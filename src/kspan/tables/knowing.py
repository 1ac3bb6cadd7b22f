"""What somebody learns who knows how a table was made: the minimality attack, replayed.

A table says who may have which private value. The method says more: had private values been dealt out otherwise, other
groups might have been made. So somebody who knows the public values of everybody, the method and its options goes
through all worlds: every way to deal out the private rows to the people. Worlds in which the method would have made
another table are ruled out, and of those that remain all are equally likely (R. C.-W. Wong, A. W.-C. Fu, K. Wang, J.
Pei, Minimality attack in privacy preserving data publishing, VLDB 2007; G. Cormode, N. Li, T. Li, D. Srivastava,
Minimizing minimality and maximizing utility, VLDB 2010).

Where there are few worlds, all are tried, and the answer is exact. Otherwise some are drawn. In each, the private rows
of a few groups change places inside their group, and all others stay; a group that the method makes again says what its
people may have. That is an estimate: people count as known better than the requirement allows only if chance alone
would hardly show it, nothing that it does not find is proved, and of groups that are hardly ever made again, nothing is
said but that.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.anonymize.ends import with_crowded_ends
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import Counts, Groups, group_rows, nobody
from kspan.data.table import Table
from kspan.errors import PolicyError, Unreachable, check_number
from kspan.model.partition import WITHHELD, Partition
from kspan.policy import Policy
from kspan.privacy import Confidence, OnPrivate, Requirement, SimpleL
from kspan.secret import Secret
from kspan.tables.methods import methods, ranged
from kspan.tables.release import TableRelease

WORLDS = 2000
"""How many worlds are drawn at most, where they are too many to try all."""
MOST_WORLDS = 5000
"""Up to so many are all tried."""
ENOUGH, PLENTY = 20, 100
"""A group tells nothing if it was made again in fewer worlds than that, and is left alone after so many."""
SURE = 4.0
"""By how many standard errors somebody must be known too well: by chance that happens to one in thirty thousand."""
MOVING = 0.1
"""The share of groups whose private rows change places in one world."""

Progress = Callable[[str], None]
Remake = Callable[[Table], Partition]
"""Makes the groups of a table as the method would."""


@dataclass(frozen=True)
class KnownMethod:
    """What somebody who knows the method can tell of the people in a table."""

    exact: bool
    """Were all worlds tried? Otherwise the figures are estimates."""
    worlds: int
    possible: int
    """Worlds that were tried, and those of them in which the method makes the same table, or one of its groups."""
    people: int
    """People of whom enough worlds tell something."""
    unclear: int
    """People of whom too few do."""
    failing: int
    """People of whom more can be told than the requirement allows."""
    surest: float
    """The highest share of worlds in which somebody has one and the same private value."""
    surest_by_table: float
    """The same by the table alone: the highest share of a private value in a group."""

    @property
    def holds(self) -> bool:
        """Was nobody found of whom more can be told than the requirement allows?"""
        return not self.failing

    def as_dict(self) -> dict[str, Any]:
        """All figures, for JSON."""
        return {"holds": self.holds, **asdict(self)}

    @property
    def sentence(self) -> str:
        """Say what was found."""
        how = f"all {self.worlds:,} worlds were tried" if self.exact else f"estimated from {self.worlds:,} worlds"
        sure = f"a private value can be told with {self.surest:.0%} certainty at most, by the table alone with "
        sure += f"{self.surest_by_table:.0%} ({how})"
        if self.failing:
            people = f"{self.failing:,} of {self.people:,} people"
            return f"Somebody who knows the method learns more than is allowed of {people}: {sure}."
        if self.exact:
            return f"Somebody who knows the method learns no more of anybody than is allowed: {sure}."
        unclear = f" Of {self.unclear:,} people too few worlds tell anything." if self.unclear else ""
        found = "Nobody was found of whom somebody who knows the method learns more than is allowed"
        return f"{found}: {sure}.{unclear}"


def knows_method(release: TableRelease, *, worlds: int = WORLDS, progress: Progress = lambda step: None) -> KnownMethod:
    """Say what somebody learns of the people in a release who knows its method, its options, and what chance decided.

    Where the worlds are too many to try all, so many are drawn.

    Mondrian shows these ages apart, unless one of both groups has too many people with hiv. It did not show them apart,
    and only one world explains that: both people of age 1 have it.

    >>> import polars as pl
    >>> from kspan.tables.making import anonymize
    >>> people = pl.DataFrame({"age": [1, 1, 2, 2, 2, 2], "illness": ["hiv", "hiv", "flu", "flu", "flu", "flu"]})
    >>> policy = Policy(public=["age"], private=["illness"], require='k=2, confidence[illness="hiv"]=0.5')
    >>> known = knows_method(anonymize(people, policy, "mondrian"))
    >>> round(known.surest_by_table, 2), known.surest, known.failing
    (0.67, 1.0, 2)
    >>> knows_method(anonymize(people, policy, "mondrian", resist=True)).failing
    0
    """
    table, policy, name = release.source, release.policy, release.method
    if release.wide is not None or table.persons is not None:
        raise PolicyError("what a method tells is not known where people have several rows: release one row a person")
    if name not in methods():
        raise PolicyError(f"{name!r:.40} is no method that can be run again: judge the table that it was made after")
    check_number("worlds", worlds, low=1, whole=True)

    def remake(world: Table) -> Partition:
        coarser, _ = with_crowded_ends(world, policy, ranged(name, world, policy, release.options))
        # Whoever knows even the secret knows most: what is left to chance is the same in all worlds.
        rng = Secret.of(release.secret).chance()
        try:
            return methods()[name](coarser, policy, rng=rng, **release.options).partition
        except Unreachable:  # in such a world there would be no table
            return Partition(np.full(world.rows, WITHHELD), 0, {})

    chance = np.random.default_rng(0)
    return known_method(table, policy, release.partition, remake, rng=chance, worlds=worlds, progress=progress)


def known_method(
    table: Table,
    policy: Policy,
    partition: Partition,
    remake: Remake,
    *,
    rng: np.random.Generator,
    worlds: int = WORLDS,
    progress: Progress = lambda step: None,
) -> KnownMethod:
    """Replay the attack on the groups that a method made of a table; `remake` is the method."""
    asked = policy.require.about(policy.private) or tuple(policy.private)
    dealt = _Deal(table, policy, asked)
    if dealt.number <= MOST_WORLDS:
        seen = _tried(dealt, partition, remake, progress)
    else:
        seen = _drawn(dealt, partition, remake, rng, worlds, progress)
    return seen.judged(policy.require, asked, _surest_by_table(table, partition, asked))


class _Deal:
    """The private rows of a table, which worlds deal out to its people."""

    def __init__(self, table: Table, policy: Policy, asked: Iterable[str]) -> None:
        self.table, self.names = table, tuple(policy.private)
        self.asked = tuple(asked)
        self.kind, kinds = group_rows([table[name] for name in self.names], table.rows)
        """Rows with the same private values are of one kind."""
        self.often = np.bincount(self.kind, minlength=kinds)

    @property
    def number(self) -> float:
        """How many worlds there are: ways to deal out the rows, where those of one kind are the same."""
        bits = math.lgamma(self.table.rows + 1) - sum(math.lgamma(int(often) + 1) for often in self.often)
        return math.inf if bits > math.log(1e15) else round(math.exp(bits))

    def world(self, row: Int64s) -> Table:
        """Return the table in which everybody has the private values of another row."""
        moved = {name: replace(self.table[name], codes=self.table[name].codes[row]) for name in self.names}
        return replace(self.table, columns={**self.table.columns, **moved})

    def every(self) -> Iterator[Int64s]:
        """Go through all worlds, each once: which row's private values everybody has."""
        example = np.empty(len(self.often), np.int64)
        example[self.kind] = np.arange(len(self.kind))
        for kinds in _arrangements(self.often.tolist()):
            yield example[np.array(kinds)]


def _arrangements(often: list[int]) -> Iterator[list[int]]:
    """Go through the ways to put numbers in a row, each number as often as is said.

    >>> list(_arrangements([2, 1]))
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    """
    if not any(often):
        yield []
        return
    for first in range(len(often)):
        if often[first]:
            rest = [left - (number == first) for number, left in enumerate(often)]
            for others in _arrangements(rest):
                yield [first, *others]


class _Seen:
    """In how many worlds each person has each private value."""

    def __init__(self, dealt: _Deal, shown: int, *, exact: bool) -> None:
        self.dealt, self.shown, self.exact, self.tried, self.possible = dealt, shown, exact, 0, 0
        self.keys: dict[str, list[Int64s]] = {name: [] for name in dealt.asked}

    def add(self, row: Int64s, people: Int64s) -> None:
        """Note what some people have in a world."""
        for name in self.keys:
            column = self.dealt.table[name]
            self.keys[name].append(people * column.size + column.codes[row[people]])

    def judged(self, require: Requirement, asked: tuple[str, ...], by_table: float) -> KnownMethod:
        """Compare what is known of people with what is required."""
        counts = {name: self._counts(name) for name in asked}
        shown = next(iter(counts.values()), None)
        if shown is None:
            return KnownMethod(self.exact, self.tried, self.possible, 0, 0, 0, 0.0, by_table)
        surest = max(float((each.majority / each.sizes).max(initial=0.0)) for each in counts.values())
        bad = np.zeros(len(shown.start) - 1, bool)
        for part in require.parts:
            if isinstance(part, OnPrivate):
                bad |= ~_allowed(part, counts, exact=self.exact)
        people, failing = len(bad), int(bad.sum())
        unclear = 0 if self.exact else self.shown - people
        return KnownMethod(self.exact, self.tried, self.possible, people, unclear, failing, surest, by_table)

    def _counts(self, name: str) -> Counts:
        """Return a group for each person of whom enough worlds tell: the worlds with each value."""
        column = self.dealt.table[name]
        keys, worlds = np.unique(np.concatenate([np.zeros(0, np.int64), *self.keys[name]]), return_counts=True)
        person, value = np.divmod(keys, column.size)
        seen = np.bincount(person, worlds, self.dealt.table.rows)
        kept = seen[person] >= (1 if self.exact else ENOUGH)
        person, value, worlds = person[kept], value[kept], worlds[kept]
        start = np.flatnonzero(np.append(True, person[1:] != person[:-1])) if len(person) else np.zeros(0, np.int64)
        weights = self.dealt.table.weights
        whole = np.bincount(column.codes, weights, column.size).astype(np.int64)
        return replace(nobody(column, whole), start=np.append(start, len(person)), value=value, people=worlds)


def _allowed(part: OnPrivate, counts: dict[str, Counts], *, exact: bool) -> Bools:
    """Tell who is not known better than one requirement allows."""
    about = {name: each for name, each in counts.items() if not part.on or name in part.on}
    if exact:
        sizes = next(iter(about.values())).sizes
        return part.satisfied(Groups(sizes, about))
    bound = part.bound if isinstance(part, Confidence) else 1 / part.l if isinstance(part, SimpleL) else None
    if bound is None:  # an estimate of anything but a share would mostly be chance
        return np.ones(len(next(iter(about.values())).start) - 1, bool)
    sure = np.ones(len(next(iter(about.values())).start) - 1, bool)
    for each in about.values():
        worlds = each.majority if part.only_value is None else each.people_with(part.only_value)
        sure &= _at_least(worlds / each.sizes, each.sizes) <= bound
    return sure


def _at_least(share: Floats, number: Int64s) -> Floats:
    """Return the lower end of Wilson's interval for a share that was seen among a number of worlds."""
    z = SURE**2 / number
    middle, room = share + z / 2, np.sqrt(share * (1 - share) * z + z * z / 4)
    low: Floats = (middle - room) / (1 + z)
    return low


def _tried(dealt: _Deal, partition: Partition, remake: Remake, progress: Progress) -> _Seen:
    """Try all worlds: possible are those with the same table."""
    people = np.flatnonzero(partition.group != WITHHELD)
    seen, real = _Seen(dealt, len(people), exact=True), _shown(dealt, np.arange(dealt.table.rows), partition)
    everybody = np.arange(dealt.table.rows)  # also of those who are withheld something is known
    for row in dealt.every():
        seen.tried += 1
        if seen.tried % 100 == 0:
            progress(f"trying world {seen.tried:,} of {int(dealt.number):,}")
        made = remake(dealt.world(row))
        if _shown(dealt, row, made) == real:
            seen.possible += 1
            seen.add(row, everybody)
    return seen


def _shown(dealt: _Deal, row: Int64s, partition: Partition) -> list[tuple[Any, ...]]:
    """Return the rows that a partition releases in a world: public cells, and the kind of private values."""
    cells = [tuple(partition.cells(group).values()) for group in range(partition.number)]
    groups, kinds = partition.group.tolist(), dealt.kind[row].tolist()
    weights = dealt.table.weights
    people = itertools.repeat(1) if weights is None else weights.tolist()
    released = zip(groups, kinds, people, strict=False)
    return sorted((str(cells[group]), kind, weight) for group, kind, weight in released if group != WITHHELD)


def _drawn(
    dealt: _Deal,
    partition: Partition,
    remake: Remake,
    rng: np.random.Generator,
    worlds: int,
    progress: Progress,
) -> _Seen:
    """Draw worlds in which private rows change places inside a few groups; groups that are made again tell."""
    group, groups = partition.group, partition.number
    seen = _Seen(dealt, int((group != WITHHELD).sum()), exact=False)
    inside = np.argsort(group, kind="stable")
    real, often = _members(group, groups), np.zeros(groups, np.int64)
    for number in range(worlds):
        waiting = np.flatnonzero(often < PLENTY)
        if not len(waiting):
            break
        progress(f"trying world {number + 1:,} of at most {worlds:,}")
        moving = np.zeros(groups + 1, bool)  # the last place is that of rows that are withheld
        moving[rng.permutation(waiting)[: math.ceil(MOVING * groups)]] = True
        # Sorted by group, and inside by chance: the k-th row of a group gets the k-th private row of that order.
        mixed = np.lexsort((rng.random(len(group)), group))
        row = np.arange(len(group))
        row[inside] = np.where(moving[group[inside]], mixed, inside)
        made = remake(dealt.world(row))
        again = np.isin(real, _members(made.group, made.number)) & moving[:-1]
        often += again
        seen.tried += 1
        seen.possible += bool(again.any())
        seen.add(row, np.flatnonzero((group != WITHHELD) & again[group]))
    return seen


def _members(group: Int64s, number: int) -> NDArray[np.uint64]:
    """Return a mark for each group by which it is known again, wherever it stands: the sum of marks of its rows."""
    marks = np.random.default_rng(0).integers(1, 1 << 63, len(group), np.uint64)
    sums = np.zeros(number, np.uint64)
    kept = group != WITHHELD
    np.add.at(sums, group[kept], marks[kept])
    return sums


def _surest_by_table(table: Table, partition: Partition, asked: Iterable[str]) -> float:
    """Return the highest share that a private value has in a group."""
    kept = partition.group != WITHHELD
    surest = 0.0
    for name in asked:
        column = table[name]
        pairs, people = np.unique(partition.group[kept] * column.size + column.codes[kept], return_counts=True)
        sizes = np.bincount(partition.group[kept], minlength=partition.number)
        surest = max(surest, float((people / sizes[pairs // column.size]).max(initial=0.0)))
    return surest
