"""Association rules as JSON documents and files; what is read is never trusted."""

import os
from typing import Any

from kspan.frames.files import read_text, write_text
from kspan.model.checks import Place, check_keys, number, texts
from kspan.model.documents import lines, parsed
from kspan.model.items.json import Layout
from kspan.model.rules.model import MOST_RULES, Rule, Rules, problems_of_rules

LAYOUT = Layout("kspan/rules", 1, "set of rules", "rules", MOST_RULES)


def rules_json(rules: Rules) -> str:
    """Write rules as JSON text, one line per top-level key."""
    return lines(write_rules(rules))


def write_rules(rules: Rules) -> dict[str, Any]:
    """Write rules as a JSON document; each side lists its items by name."""
    return LAYOUT.written(rules, map(_written, rules.rules))


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
    head = LAYOUT.read(document, source)
    rules = tuple(_rule(Place(source, f"rule {count}"), one) for count, one in enumerate(head.listed, 1))
    for place, problem in problems_of_rules(rules, {item.name: item.role for item in head.items}):
        Place(source, f"rule {place + 1}").refuse(problem)
    return Rules(head.items, head.transactions, rules, head.claim)


def _rule(place: Place, found: Any) -> Rule:
    check_keys(place, found, ("left", "right", "support", "confidence"), ("right_support",))
    left, right = (frozenset(texts(place, f"{side!r}", found[side])) for side in ("left", "right"))
    support, confidence = (number(place, f"{figure!r}", found[figure]) for figure in ("support", "confidence"))
    told = number(place, "'right_support'", found["right_support"]) if "right_support" in found else None
    return Rule(left, right, support, confidence, told)
