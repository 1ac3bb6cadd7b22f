"""Gradient boosting as a kind of model."""

from kspan.data.expected import Numbers, Words
from kspan.model.boosted.json import FORMAT, read_boosted, write_boosted
from kspan.model.boosted.model import Boosted, BoostedTree, Question
from kspan.model.boosted.numbered import Numbered
from kspan.model.kind import Kind


def example() -> Boosted:
    """Two labels by a word and a number."""
    attributes = Numbered((Words("sex", ("M", "F"), (1.0, 1.0)), Numbers("age", 17, 90)))
    by_age = BoostedTree(1, (Question(1, 39.5, True, 1, 2), -0.5, Question(0, 0.5, False, 3, 4), 0.75, 0.25))
    return Boosted("risk", ("low", "high"), attributes, (0.0, -1.0), (by_age, BoostedTree(1, (0.125,))))


BOOSTED = Kind("boosted", "boosted model", FORMAT, Boosted, read_boosted, write_boosted, example)
