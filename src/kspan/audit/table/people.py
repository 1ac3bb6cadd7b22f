"""The people behind a table, known by their public values: what they match, and who matches the same.

*Rows*: a person matches every row whose cells admit the person's public values. *People*: the span of a person is the
set of groups that the person matches, and the crowd is everybody who has the same span. Both are exact, whereas cells
alone give only bounds: after kACTUS moves rows up, each person may match k rows while fewer than k people share a span.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np
import polars as pl

from kspan.audit.findings import K
from kspan.audit.sets import Sets
from kspan.audit.table.crowd import followed_by, united
from kspan.audit.table.link import Links
from kspan.audit.table.theirs import check_theirs, strange
from kspan.data.arrays import Bools, Int64s
from kspan.data.encode import encode
from kspan.data.groups import Groups, count_groups
from kspan.data.meaning import canonical
from kspan.data.table import Table
from kspan.errors import DataError, KspanError
from kspan.model.partition import Partition
from kspan.policy import Policy
from kspan.policy.private_numbers import people_as_shown, unknown_of_others

NOBODY = -1
"""The span of people who match nothing."""


@dataclass(frozen=True, repr=False)
class Linked:
    """The spans of the people who match something."""

    asked: Groups
    """For each span, what must satisfy the requirement: the rows that it matches, or the people who have it."""
    people: Groups
    """The people of each span."""
    k: K
    given: int
    """How many people were given."""
    unmatched: int
    """How many people no row admits."""
    span: Int64s
    """For each kind of people, the number of its span, or `NOBODY`."""
    of_row: Int64s
    """For each row of the people, the number of its span, or `NOBODY`."""
    links: Links

    def seen_from(self, number: int, holds: Mapping[str, Bools]) -> tuple[dict[str, Bools], Int64s]:
        """Return for each group whether all spans that it admits hold (part by part), and the size of the smallest."""
        all_hold = {part: np.ones(number, bool) for part in holds}
        # A group that admits nobody keeps these values: nothing fails there, and any crowd is smaller.
        smallest = np.full(number, np.iinfo(np.int64).max)
        for kind, group in self.links.of(np.arange(len(self.span))):
            span = self.span[kind]
            np.minimum.at(smallest, group, self.asked.sizes[span])
            for part, good in holds.items():
                np.logical_and.at(all_hold[part], group, good[span])
        return all_hold, smallest


def as_shown(people: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Return people with their private numbers as the policy shows them; refuse those of whom that is not known.

    It is asked only where people are counted: where rows are, the cells of the release tell.
    """
    if policy.person or policy.counting == "people":
        asked = policy.require.about(policy.private)
        for name, ways in policy.private_numbers.items():
            if name in asked and not ways.is_by_value:
                raise unknown_of_others(name)
    return people_as_shown(people, policy, policy.private_numbers)


def people_behind(people: pl.DataFrame, policy: Policy) -> Table:
    """Code the people that a table was made from."""
    try:
        if policy.person and policy.person not in people.columns:
            raise DataError(f"they do not say whose row it is: add the column {policy.person!r}")
        return canonical(encode(people, policy, by_person=True), policy.range_pattern)
    except KspanError as error:
        raise type(error)(f"the people cannot be used: {error}", details=error.details) from None


def linked_people(
    table: Table, partition: Partition, groups: Groups, policy: Policy, *, by_person: bool = False
) -> Linked:
    """Link the people that a table was made from to the groups of the table.

    A table cannot have more rows than there are people; where people are known `by_person`, no group can have more than
    fit it.
    """
    if int(groups.sizes.sum()) > table.people:
        raise strange(int(groups.sizes.sum()) - table.people)
    kinds = Partition.by_equality(table, policy.public)
    links = Links(kinds, partition)
    span, example = spans_of_kinds(links, len(kinds), len(groups))
    if not len(example):
        raise DataError("no row of the release admits any of the people: give the table that it was made from")
    if by_person:
        theirs, of_kind = np.zeros(len(groups), np.int64), np.bincount(kinds.group, minlength=len(kinds))
        for kind, group in links.of(np.arange(len(kinds))):
            np.add.at(theirs, group, of_kind[kind])
        check_theirs(groups.sizes, theirs, int(of_kind[span != NOBODY].sum()))
    present = np.flatnonzero(span[kinds.group] != NOBODY)
    matched = table.at(present)
    sharing = count_groups(matched, span[kinds.group[present]], len(example), policy.private)
    rows = _rows_matched(links, example, _about(policy, groups))
    unmatched = table.people - matched.people
    withheld = max(table.people - int(groups.sizes.sum()), 0)
    if policy.counting == "people" and unmatched > withheld:
        raise DataError(
            f"{unmatched} of {table.people} people match no row, though at most {withheld} can be withheld: nobody can "
            "be counted where cells are not true of people (means, medians); show intervals, or count rows"
        )
    return Linked(
        asked=rows if policy.counting == "rows" else sharing,
        people=sharing,
        k=K(rows=int(rows.sizes.min()), people=int(sharing.sizes.min())),
        given=table.people,
        unmatched=unmatched,
        span=span,
        of_row=span[kinds.group],
        links=links,
    )


def spans_of_kinds(links: Links, kinds: int, groups: int) -> tuple[Int64s, Int64s]:
    """Return the span of each kind of people, and for each span a kind that has it."""
    sets, matches = Sets(owners=kinds, members=groups), np.zeros(kinds, bool)
    for kind, group in links.of(np.arange(kinds)):
        sets.add(kind, group)
        matches[kind] = True
    # People who match nothing do not form a span: they would count as a crowd.
    some = np.flatnonzero(matches)
    span = np.full(kinds, NOBODY, np.int64)
    _, first, span[some] = np.unique(sets.numbered()[0][some], return_index=True, return_inverse=True)
    return span, some[first]


def _rows_matched(links: Links, kinds: Int64s, groups: Groups) -> Groups:
    """Return the rows that each of some kinds of people matches; each kind must match something."""
    parts = []
    for place, group in links.of(kinds):
        # Each kind matches something, so there is no gap in the places of a part.
        begin = int(place[0])
        parts.append(united(groups, group, place - begin, int(place[-1]) - begin + 1))
    return reduce(followed_by, parts)


def _about(policy: Policy, groups: Groups) -> Groups:
    """Keep only the private values that the requirement is about; others would need memory for nothing."""
    return Groups(groups.sizes, {name: groups.private[name] for name in policy.require.about(policy.private)})
