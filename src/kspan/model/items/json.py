"""The part of a JSON document that models about items share; what is read is never trusted."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, get_args

from kspan.model.checks import Place, check_keys, known_rows, one_of, text, texts
from kspan.model.claim import Claim
from kspan.model.documents import check_format
from kspan.model.items.model import MOST_ITEMS, Item, OfItems, problem_of_items, problem_of_transactions
from kspan.model.tree.model import Role

ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True)
class Layout:
    """How documents of a kind are laid out: besides items they hold one list."""

    format: str
    version: int
    called: str
    """The kind in messages."""
    key: str
    """The list."""
    most: int
    """How long the list may be."""

    def written(self, model: OfItems, listed: Iterable[Any]) -> dict[str, Any]:
        """Write a model as a JSON document, given its list."""
        return {
            "format": self.format,
            "version": self.version,
            "transactions": model.transactions,
            "items": [{"name": item.name, "role": item.role} for item in model.items],
            **({} if model.claim is None else {"claim": _written_claim(model.claim)}),
            self.key: list(listed),
        }

    def read(self, document: Any, source: str) -> "Head":
        """Read a document but for what is in its list; an error names the source and the place."""
        top = Place(source, "the top")
        check_format(top, document, self.format, self.version, self.called)
        check_keys(top, document, ("format", "version", "transactions", "items", self.key), ("claim",))
        if problem := problem_of_transactions(document["transactions"]):
            top.refuse(problem)
        for key, most in (("items", MOST_ITEMS), (self.key, self.most)):
            if not isinstance(document[key], list) or len(document[key]) > most:
                top.refuse(f"{key!r} must be a list of at most {most:,}")
        items = tuple(_item(Place(source, f"item {count}"), one) for count, one in enumerate(document["items"], 1))
        if problem := problem_of_items(items):
            top.refuse(problem)
        names = {item.name for item in items}
        claim = _claim(Place(source, "the claim"), document["claim"], names) if "claim" in document else None
        return Head(items, document["transactions"], claim, document[self.key])


@dataclass(frozen=True)
class Head:
    """What was read of a document, and its list as it is."""

    items: tuple[Item, ...]
    transactions: int
    claim: Claim | None
    listed: list[Any]


def _written_claim(claim: Claim) -> dict[str, Any]:
    written: dict[str, Any] = {"requirement": claim.requirement, "counting": claim.counting}
    if claim.inferred_domains:
        written["inferred_domains"] = list(claim.inferred_domains)
    return written if claim.known_rows is None else {**written, "known_rows": claim.known_rows}


def _item(place: Place, found: Any) -> Item:
    check_keys(place, found, ("name", "role"))
    return Item(text(place, "'name'", found["name"]), one_of(place, "'role'", found["role"], ROLES))


def _claim(place: Place, found: Any, names: set[str]) -> Claim:
    check_keys(place, found, ("requirement", "counting"), ("inferred_domains", "known_rows"))
    if not text(place, "'requirement'", found["requirement"]):
        place.refuse("'requirement' must not be empty")
    inferred = texts(place, "'inferred_domains'", found.get("inferred_domains", []))
    if not set(inferred) <= names:
        place.refuse("'inferred_domains' names what is none of the items")
    counting = one_of(place, "'counting'", found["counting"], ("people",))
    return Claim(found["requirement"], counting, inferred_domains=inferred, known_rows=known_rows(place, found))
