"""Naive Bayes as a JSON document; what is read is never trusted."""

from typing import Any

import numpy as np

from kspan.data.expected import Words
from kspan.model.bayes.model import Binned, Chances, Gaussian, NaiveBayes, Rows, WordChances
from kspan.model.checks import Place, check_keys
from kspan.model.documents import check_format
from kspan.model.known import check_names, read_cuts, read_head, read_known, row, rows, write_known

FORMAT, VERSION = "kspan/naive-bayes", 1
CLOSE = 1e-6
"""Shares that were rounded when written may miss 1 by so much in sum."""


def write_bayes(model: NaiveBayes) -> dict[str, Any]:
    """Write a model as a JSON document."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": {"name": model.target, "labels": list(model.labels)},
        "prior": list(model.prior),
        "attributes": [_written(attribute) for attribute in model.attributes],
    }


def read_bayes(document: Any, source: str = "the model") -> NaiveBayes:
    """Read the model in a JSON document; an error names the source and the place."""
    top = Place(source, "the top")
    check_format(top, document, FORMAT, VERSION, "naive Bayes model")
    check_keys(top, document, ("format", "version", "target", "prior", "attributes"))
    target, labels = read_head(top, document["target"])
    # More than 0, like all chances: logarithms are taken of them.
    prior = row(top, "'prior'", document["prior"], len(labels), above=0.0)
    _check_sum(top, "'prior'", (prior,))
    if not isinstance(document["attributes"], list):
        top.refuse("'attributes' must be a list")
    attributes = tuple(
        _read(Place(source, f"attribute {count}"), found, len(labels))
        for count, found in enumerate(document["attributes"], 1)
    )
    check_names(top, [attribute.known.name for attribute in attributes], target)
    return NaiveBayes(target, labels, prior, attributes)


def _written(attribute: Chances) -> dict[str, Any]:
    known = write_known(attribute.known)
    if isinstance(attribute, Gaussian):
        return {**known, "means": list(attribute.means), "variances": list(attribute.variances)}
    table = [list(each) for each in attribute.table]
    return {**known, **({"cuts": list(attribute.cuts)} if isinstance(attribute, Binned) else {}), "chances": table}


def _read(place: Place, found: Any, labels: int) -> Chances:
    if isinstance(found, dict) and "means" in found:
        known = read_known(place, found, ("means", "variances"))
        if isinstance(known, Words):
            place.refuse("an attribute of words has 'chances', not 'means'")
        means = row(place, "'means'", found["means"], labels)
        return Gaussian(known, means, row(place, "'variances'", found["variances"], labels, above=0.0))
    known = read_known(place, found, ("chances",), ("cuts",))
    if isinstance(known, Words):
        if "cuts" in found:
            place.refuse("an attribute of words has no 'cuts'")
        return WordChances(known, _chances(place, found["chances"], len(known.values), labels))
    if "cuts" not in found:
        place.refuse("an attribute of numbers has 'means' and 'variances', or a list 'cuts'")
    cuts = read_cuts(place, found["cuts"])
    return Binned(known, cuts, _chances(place, found["chances"], len(cuts) + 1, labels))


def _chances(place: Place, found: Any, size: int, labels: int) -> Rows:
    table = rows(place, "'chances'", found, (size, labels), above=0.0)
    _check_sum(place, "'chances' of a label", tuple(zip(*table, strict=True)))
    return table


def _check_sum(place: Place, what: str, found: Rows) -> None:
    if any(abs(float(np.sum(each)) - 1) > CLOSE for each in found):
        place.refuse(f"{what} must add up to 1")
