"""Candidates that mlxtend finds in baskets, and those of them that keep everybody's crowd."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

import numpy as np
import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.baskets import Baskets, encode_baskets, is_item
from kspan.data.persons import check_says_whose, persons_of
from kspan.errors import DataError, PolicyError, listed
from kspan.frames.files import load
from kspan.induce.baskets.look_alikes import LookAlikes, Question
from kspan.induce.known import classes_of
from kspan.model.items.model import OfItems
from kspan.options import Within
from kspan.policy import Policy, PolicyLike
from kspan.policy.items import columns_of, itemized
from kspan.policy.patterns import expanded
from kspan.policy.values import check_items

Share = Annotated[float, Within(0, 1)]
Most = Annotated[int, Within(1)]
One = TypeVar("One")
MOST_CELLS = 1 << 31


@dataclass(frozen=True)
class Shop:
    """Who bought what, what the policy says of the items, and the class of each row that is known already."""

    baskets: Baskets
    policy: Policy
    known: Int64s

    @property
    def roles(self) -> dict[str, Any]:
        """The role of every item."""
        return dict.fromkeys(self.policy.public, "public") | dict.fromkeys(self.policy.private, "private")


def opened(
    people: Any,
    policy: PolicyLike,
    speaking: OfItems | None = None,
    what: str = "",
    *,
    known: Int64s | None = None,
    cells: bool = False,
) -> Shop:
    """Read the items that a policy names; refuse a release that speaks of others, `what` names it.

    If `cells`, columns that say more than yes or no are an item for each cell (see `kspan.data.items`); a release that
    speaks of such items says by itself which columns these are.
    """
    frame = load(people)
    said = expanded(Policy.of(policy), frame.columns)
    said.check_columns(frame.columns)
    check_says_whose(frame, said)
    of_cells = [] if speaking is None else columns_of(speaking.roles, frame.columns)
    if cells:
        of_cells = [name for name in (*said.public, *said.private) if not is_item(frame[name])]
    if of_cells:
        frame, said = itemized(frame, said, of_cells)
    check_items(said.require)
    items = (*said.public, *said.private)
    if speaking is not None and (unknown := sorted(set(speaking.roles) - set(items))):
        raise DataError(
            f"the {what} speak of {listed(unknown)}, which is no item of the table: give the one they are of"
        )
    baskets = encode_baskets(frame, items, said.weight, persons_of(frame, said))
    return Shop(baskets, said, classes_of(known, baskets.rows, baskets.persons))


def check_above_zero(**shares: float) -> None:
    """Refuse a least share of 0, which everything has."""
    for what, share in shares.items():
        if share <= 0:
            raise PolicyError(f"{what} must be more than 0: use for example 0.01")


def frequent(baskets: Baskets, min_support: float, max_items: int, what: str) -> Any:
    """Return the frequent itemsets as a dataframe of mlxtend; `what` names in an error what is mined."""
    import pandas as pd
    from mlxtend.frequent_patterns import fpgrowth

    if baskets.people * len(baskets.bought) > MOST_CELLS:
        raise DataError(
            f"{what} cannot be mined from {baskets.people:,} people and {len(baskets.bought):,} items at once: "
            "draw a sample, or drop rare items"
        )
    times = baskets.weights
    wide = {name: rows if times is None else np.repeat(rows, times) for name, rows in baskets.bought.items()}
    return fpgrowth(pd.DataFrame(wide), min_support=min_support, use_colnames=True, max_len=max_items)


@dataclass(frozen=True)
class Choice(Generic[One]):
    """What is released together, and what would have broken the requirement."""

    taken: list[One]
    refused: list[One]
    smallest: list[int | None]
    """For each that was refused, the people of the smallest span that would fail; None if each span would hold."""
    people: list[int | None]
    """And the people of all spans that would."""
    policy: Policy

    def left_out(self, columns: dict[str, pl.Series]) -> pl.DataFrame:
        """Return what was refused as a table: the given columns, and counts of people and no more."""
        why = [self._why(few, many) for few, many in zip(self.smallest, self.people, strict=True)]
        counted = {"smallest_span": self.smallest, "people": self.people}
        numbers = {name: pl.Series(each, dtype=pl.Int64) for name, each in counted.items()}
        return pl.DataFrame({**columns, **numbers, "why": pl.Series(why, dtype=pl.String)})

    def _why(self, few: int | None, many: int | None) -> str:
        if few is None or many is None:
            return f"would give people with several rows away by these, under {self.policy.require}"
        spans = "a span that breaks" if few == many else "spans that break"
        return (
            f"would leave {many:,} people in {spans} {self.policy.require}"
            f"{'' if few == many else f', the smallest of {few:,}'}"
        )


def chosen(
    ordered: Iterable[One], questions: Callable[[One], Sequence[Question]], shop: Shop, most: int
) -> Choice[One]:
    """Take one after the other if everybody still has a crowd with it and all before it, up to the wished number.

    More questions only tell more people apart, so what is refused once would be refused later as well.
    """
    crowds = LookAlikes(shop.baskets, shop.policy, shop.known)
    choice = Choice[One]([], [], [], [], shop.policy)
    for one in ordered:
        if len(choice.taken) == most:
            break
        failing = crowds.take(questions(one))
        if failing is None:
            choice.taken.append(one)
            continue
        choice.refused.append(one)
        choice.smallest.append(failing[0])
        choice.people.append(failing[1])
    return choice
