"""Items and their roles, for models that tell what people buy together."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kspan.errors import ModelError, did_you_mean, listed
from kspan.model.claim import Claim
from kspan.model.tree.model import Role

MOST_ITEMS, MOST_TRANSACTIONS = 100_000, 1 << 53


@dataclass(frozen=True)
class Item:
    """Something that can be bought: publicly, where everybody sees it, or privately."""

    name: str
    role: Role


class OfItems(ABC):
    """A model about items, as a list: who sees each item, and in how many transactions all this was found."""

    items: tuple[Item, ...]
    transactions: int
    claim: Claim | None

    @property
    @abstractmethod
    def listed(self) -> Sequence[Any]:
        """What it consists of, such as rules."""

    @cached_property
    def roles(self) -> Mapping[str, Role]:
        """The role of every item."""
        return {item.name: item.role for item in self.items}

    @cached_property
    def public(self) -> frozenset[str]:
        """The items that everybody sees."""
        return frozenset(item.name for item in self.items if item.role == "public")

    @property
    def private(self) -> tuple[str, ...]:
        """The items that nobody sees."""
        return tuple(item.name for item in self.items if item.role == "private")

    def __len__(self) -> int:
        return len(self.listed)

    def __str__(self) -> str:
        return "\n".join(map(str, self.listed))


def items_of(spoken_of: Iterable[str], roles: Mapping[str, Role]) -> tuple[Item, ...]:
    """Return the items that something is told of, in the order of `roles`; one without a role is refused."""
    named = set(spoken_of)
    if unknown := sorted(named - set(roles)):
        raise ModelError(f"nobody says whether {listed(unknown)} is public or private: list it in the policy")
    return tuple(Item(name, role) for name, role in roles.items() if name in named)


# What is wrong, if anything


def problem_of_items(items: tuple[Item, ...]) -> str | None:
    """Say what is wrong with a list of items; None if nothing is."""
    if len(items) > MOST_ITEMS:
        return f"there are more than {MOST_ITEMS:,} items"
    return "two items have the same name" if len({item.name for item in items}) < len(items) else None


def problem_of_transactions(number: Any) -> str | None:
    """Say what is wrong with a number of transactions; None if nothing is."""
    whole = isinstance(number, int) and not isinstance(number, bool)
    return None if whole and 1 <= number <= MOST_TRANSACTIONS else "the transactions must be a whole number from 1 on"


def problem_of_names(names: Iterable[str], roles: Mapping[str, Role]) -> str | None:
    """Say which name is none of the items; None if all of them are."""
    unknown = sorted(set(names) - set(roles))
    return f"{unknown[0][:40]!r} is none of the items{did_you_mean(unknown[0][:40], roles)}" if unknown else None
