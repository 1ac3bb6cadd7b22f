"""Decision lists as JSON documents and files; what is read is never trusted."""

from typing import Any

from kspan.model.checks import Place, check_keys, number
from kspan.model.documents import check_format
from kspan.model.lists.model import Condition, DecisionList, ListRule
from kspan.model.outcome import LabelCounts, plain
from kspan.model.tree.admitted import check_disjoint
from kspan.model.tree.json import read_attributes, read_target
from kspan.model.tree.nodes import MOST_NODES, NodeReader
from kspan.model.tree.told import OutcomeReader
from kspan.model.tree.writing import ranks, write_attribute, write_region

FORMAT, VERSION = "kspan/decision-list", 1
MOST_RULES = MOST_NODES
SHARE_DIGITS = 9


def write_decision_list(found: DecisionList) -> dict[str, Any]:
    """Write a decision list as a JSON document."""
    rank = [ranks(attribute) for attribute in found.attributes]
    return {
        "format": FORMAT,
        "version": VERSION,
        "attributes": [write_attribute(attribute) for attribute in found.attributes],
        "target": {"name": found.target, "role": found.target_role, "labels": list(found.labels)},
        "rules": [
            {
                "conditions": [
                    {
                        "attribute": found.attributes[one.attribute].name,
                        **write_region(one.region, rank[one.attribute]),
                        "unknown": round(one.unknown, SHARE_DIGITS),
                    }
                    for one in rule.conditions
                ],
                "counts": _counts(rule.outcome),
            }
            for rule in found.rules
        ],
        "default": {"counts": _counts(found.default)},
    }


def read_decision_list(document: Any, source: str = "the model") -> DecisionList:
    """Read the decision list in a JSON document; an error names the source and the place.

    >>> read_decision_list({"format": "kspan/tree"})
    Traceback (most recent call last):
    kspan.errors.ModelError: the model is malformed at the top: its 'format' is not 'kspan/decision-list', so this is \
no decision list that kspan wrote
    """
    top = Place(source, "the top")
    check_format(top, document, FORMAT, VERSION, "decision list")
    check_keys(top, document, ("format", "version", "attributes", "target", "rules", "default"))
    attributes = read_attributes(top, document["attributes"])
    target, role, labels = read_target(Place(source, "the target"), document["target"], attributes)
    told = OutcomeReader(labels, "counts")
    reader = NodeReader(attributes, told)
    if not isinstance(document["rules"], list) or len(document["rules"]) > MOST_RULES:
        top.refuse(f"'rules' must be a list of at most {MOST_RULES:,} rules")
    places = (Place(source, f"rule {count}") for count in range(1, len(document["rules"]) + 1))
    rules = tuple(_rule(reader, told, place, found) for place, found in zip(places, document["rules"], strict=True))
    last = Place(source, "the default")
    check_keys(last, document["default"], ("counts",))
    return DecisionList(attributes, target, role, labels, rules, told.counts(last, document["default"]["counts"]))


def _rule(reader: NodeReader, told: OutcomeReader, place: Place, found: Any) -> ListRule:
    check_keys(place, found, ("conditions", "counts"))
    if not isinstance(found["conditions"], list) or not found["conditions"]:
        place.refuse("'conditions' must be a list of at least one condition")
    conditions = tuple(
        _condition(reader, place.below(f"condition {count}"), one) for count, one in enumerate(found["conditions"], 1)
    )
    if len({one.attribute for one in conditions}) < len(conditions):
        place.refuse("two of its conditions ask the same attribute")
    return ListRule(conditions, told.counts(place, found["counts"]))


def _condition(reader: NodeReader, place: Place, found: Any) -> Condition:
    keys = ("attribute", "unknown")
    check_keys(place, found, keys, ("values", "intervals", "missing"))
    asked = reader.attribute(place, found["attribute"])
    region = reader.region(place, found, asked, keys)
    if region.missing:
        place.refuse("'missing' is not for conditions: 'unknown' says what part of a person without the value it takes")
    check_disjoint(place, [region])
    unknown = number(place, "'unknown'", found["unknown"])
    if not 0 <= unknown <= 1:
        place.refuse("'unknown' must be a number from 0 to 1")
    return Condition(asked, region, unknown)


def _counts(outcome: LabelCounts) -> list[float]:
    return [plain(count) for count in outcome.counts]
