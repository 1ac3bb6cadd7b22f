"""Association rules as a kind of model."""

from kspan.data.baskets import people_in
from kspan.model.items.model import Item
from kspan.model.kind import Kind
from kspan.model.rules.imported import imported_rules, is_rules_frame
from kspan.model.rules.json import LAYOUT, read_rules, write_rules
from kspan.model.rules.model import Rule, Rules


def example() -> Rules:
    """Two rules between a public and a private item (Friedman et al. 2008, Example 4)."""
    items = (Item("Cherries", "public"), Item("Viagra", "private"))
    there = Rule(frozenset({"Cherries"}), frozenset({"Viagra"}), 0.084, 0.75, 0.112)
    return Rules(items, 1000, (there, Rule(frozenset({"Viagra"}), frozenset({"Cherries"}), 0.084, 0.75)))


RULES = Kind(
    "rules",
    LAYOUT.called,
    LAYOUT.format,
    Rules,
    read_rules,
    write_rules,
    example,
    is_rules_frame,
    lambda given, people, policy: imported_rules(given, people_in(people, policy), policy),
)
