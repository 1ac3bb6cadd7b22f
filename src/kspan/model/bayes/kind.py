"""Naive Bayes as a kind of model."""

from kspan.data.expected import Numbers, Words
from kspan.model.bayes.json import FORMAT, read_bayes, write_bayes
from kspan.model.bayes.model import Gaussian, NaiveBayes, WordChances
from kspan.model.kind import Kind


def example() -> NaiveBayes:
    """Two labels by a word and a number."""
    sex = WordChances(Words("sex", ("F", "M"), (0.5, 0.5)), ((0.25, 0.75), (0.75, 0.25)))
    age = Gaussian(Numbers("age", 17, 90), (30.0, 50.0), (100.0, 64.0))
    return NaiveBayes("risk", ("low", "high"), (0.75, 0.25), (sex, age))


BAYES = Kind("bayes", "naive Bayes model", FORMAT, NaiveBayes, read_bayes, write_bayes, example)
