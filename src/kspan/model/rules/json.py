"""Association rules as JSON documents and files; what is read is never trusted."""

import os
from typing import Any, get_args

from kspan.frames.files import read_text, write_text
from kspan.model.checks import Place, check_keys, number, one_of, text, texts
from kspan.model.claim import Claim
from kspan.model.documents import check_format, lines, parsed
from kspan.model.rules.model import (
    MOST_ITEMS,
    MOST_RULES,
    Item,
    Rule,
    Rules,
    problem_of_items,
    problem_of_transactions,
    problems_of_rules,
)
from kspan.model.tree.model import Role

FORMAT, VERSION = "kspan/rules", 1
ROLES: tuple[Role, ...] = get_args(Role)


def rules_json(rules: Rules) -> str:
    """Write rules as JSON text, one line per top-level key."""
    return lines(write_rules(rules))


def write_rules(rules: Rules) -> dict[str, Any]:
    """Write rules as a JSON document; each side lists its items by name."""
    claim = rules.claim
    return {
        "format": FORMAT,
        "version": VERSION,
        "transactions": rules.transactions,
        "items": [{"name": item.name, "role": item.role} for item in rules.items],
        **({} if claim is None else {"claim": _written_claim(claim)}),
        "rules": [_written(rule) for rule in rules.rules],
    }


def _written_claim(claim: Claim) -> dict[str, Any]:
    written: dict[str, Any] = {"requirement": claim.requirement, "counting": claim.counting}
    return {**written, "inferred_domains": list(claim.inferred_domains)} if claim.inferred_domains else written


def _written(rule: Rule) -> dict[str, Any]:
    told = {} if rule.right_support is None else {"right_support": rule.right_support}
    return {
        "left": sorted(rule.left),
        "right": sorted(rule.right),
        "support": rule.support,
        "confidence": rule.confidence,
        **told,
    }


def save_rules(rules: Rules, path: str | os.PathLike[str]) -> None:
    """Write rules to a file, completely or not at all; they are not judged."""
    write_text(rules_json(rules), path)


def load_rules(path: str | os.PathLike[str]) -> Rules:
    """Read the rules in a file."""
    return read_rules(parsed(read_text(path, "the model"), str(path)), str(path))


def read_rules(document: Any, source: str = "the model") -> Rules:
    """Read the rules in a JSON document; an error names the source and the place.

    >>> read_rules({"format": "kspan/rules", "version": 1, "transactions": 10, "items": []})
    Traceback (most recent call last):
    kspan.errors.ModelError: the model is malformed at the top: the key 'rules' is missing
    """
    top = Place(source, "the top")
    check_format(top, document, FORMAT, VERSION, "set of rules")
    check_keys(top, document, ("format", "version", "transactions", "items", "rules"), ("claim",))
    if problem := problem_of_transactions(document["transactions"]):
        top.refuse(problem)
    for key, most in (("items", MOST_ITEMS), ("rules", MOST_RULES)):
        if not isinstance(document[key], list) or len(document[key]) > most:
            top.refuse(f"{key!r} must be a list of at most {most:,}")
    items = tuple(_item(Place(source, f"item {count}"), one) for count, one in enumerate(document["items"], 1))
    if problem := problem_of_items(items):
        top.refuse(problem)
    rules = tuple(_rule(Place(source, f"rule {count}"), one) for count, one in enumerate(document["rules"], 1))
    for place, problem in problems_of_rules(rules, {item.name: item.role for item in items}):
        Place(source, f"rule {place + 1}").refuse(problem)
    names = {item.name for item in items}
    claim = _claim(Place(source, "the claim"), document["claim"], names) if "claim" in document else None
    return Rules(items, document["transactions"], rules, claim)


def _item(place: Place, found: Any) -> Item:
    check_keys(place, found, ("name", "role"))
    return Item(text(place, "'name'", found["name"]), one_of(place, "'role'", found["role"], ROLES))


def _rule(place: Place, found: Any) -> Rule:
    check_keys(place, found, ("left", "right", "support", "confidence"), ("right_support",))
    left, right = (frozenset(texts(place, f"{side!r}", found[side])) for side in ("left", "right"))
    support, confidence = (number(place, f"{figure!r}", found[figure]) for figure in ("support", "confidence"))
    told = number(place, "'right_support'", found["right_support"]) if "right_support" in found else None
    return Rule(left, right, support, confidence, told)


def _claim(place: Place, found: Any, names: set[str]) -> Claim:
    check_keys(place, found, ("requirement", "counting"), ("inferred_domains",))
    if not text(place, "'requirement'", found["requirement"]):
        place.refuse("'requirement' must not be empty")
    inferred = texts(place, "'inferred_domains'", found.get("inferred_domains", []))
    if not set(inferred) <= names:
        place.refuse("'inferred_domains' names what is none of the items")
    counting = one_of(place, "'counting'", found["counting"], ("people",))
    return Claim(found["requirement"], counting, inferred_domains=inferred)
