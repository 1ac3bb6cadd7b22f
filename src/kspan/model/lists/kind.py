"""Decision lists as a kind of model."""

from kspan.data.kinds.numbers import NUMBERS
from kspan.model.kind import Kind
from kspan.model.lists.json import FORMAT, read_decision_list, write_decision_list
from kspan.model.lists.model import Condition, DecisionList, ListRule
from kspan.model.outcome import LabelCounts
from kspan.model.tree.model import Attribute, Region


def example() -> DecisionList:
    """One rule about a number, and a default."""
    age = Attribute("age", "public", NUMBERS)
    old = ListRule((Condition(0, Region(intervals=((40, None),)), 0.5),), LabelCounts((2, 30)))
    return DecisionList((age,), "pays", "private", ("no", "yes"), (old,), LabelCounts((20, 12)))


LISTS = Kind("lists", "decision list", FORMAT, DecisionList, read_decision_list, write_decision_list, example)
