"""Logistic regression as a kind of model."""

from kspan.data.expected import Numbers, Words
from kspan.data.numeric_features import NumericFeature, NumericFeatures
from kspan.model.kind import Kind
from kspan.model.linear.json import FORMAT, read_linear, write_linear
from kspan.model.linear.model import Linear


def example() -> Linear:
    """Two labels by a word and a number."""
    sex = NumericFeature(Words("sex", ("F", "M"), (0.5, 0.5)), (0.5, 0.5))
    age = NumericFeature(Numbers("age", 17, 90), (40.0,), 12.0)
    features = NumericFeatures((sex, age), standardize=True)
    return Linear("risk", ("low", "high"), features, ((1.0, -1.0, 0.5), (-1.0, 1.0, -0.5)), (0.25, -0.25))


LINEAR = Kind("linear", "logistic regression", FORMAT, Linear, read_linear, write_linear, example)
