"""Logistic regression as a JSON document; what is read is never trusted."""

from typing import Any

from kspan.data.expected import Words
from kspan.data.kinds.kind import NUMERIC
from kspan.data.numeric_features import NumericFeature, NumericFeatures
from kspan.model.checks import Place, check_keys, number
from kspan.model.documents import check_format
from kspan.model.known import check_names, read_cuts, read_head, read_known, row, rows, write_known
from kspan.model.linear.model import Linear

FORMAT, VERSION = "kspan/linear", 1


def write_linear(model: Linear) -> dict[str, Any]:
    """Write a model as a JSON document; coefficients are in the order of the columns of the attributes."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": {"name": model.target, "labels": list(model.labels)},
        "attributes": [_written(feature) for feature in model.encoding.features],
        "missing_indicator": model.encoding.indicator,
        "columns": model.encoding.names,
        "coefficients": [list(each) for each in model.coefficients],
        "intercepts": list(model.intercepts),
    }


def read_linear(document: Any, source: str = "the model") -> Linear:
    """Read the model in a JSON document; an error names the source and the place."""
    top = Place(source, "the top")
    check_format(top, document, FORMAT, VERSION, "linear model")
    needed = ("target", "attributes", "missing_indicator", "columns", "coefficients", "intercepts")
    check_keys(top, document, ("format", "version", *needed))
    target, labels = read_head(top, document["target"])
    if not isinstance(document["attributes"], list):
        top.refuse("'attributes' must be a list")
    features = tuple(
        _read(Place(source, f"attribute {count}"), found) for count, found in enumerate(document["attributes"], 1)
    )
    check_names(top, [feature.known.name for feature in features], target)
    if not isinstance(document["missing_indicator"], bool):
        top.refuse("'missing_indicator' must be true or false")
    encoding = NumericFeatures(features, standardize=True, indicator=document["missing_indicator"])
    if document["columns"] != encoding.names:
        top.refuse("'columns' must name the values of each attribute in their order")
    weights = rows(top, "'coefficients'", document["coefficients"], (len(labels), len(encoding.names)))
    return Linear(target, labels, encoding, weights, row(top, "'intercepts'", document["intercepts"], len(labels)))


def _written(feature: NumericFeature) -> dict[str, Any]:
    known = write_known(feature.known)
    if isinstance(feature.known, Words):
        return {**known, "mean": list(feature.mean)}
    if feature.cuts is not None:
        return {**known, "cuts": list(feature.cuts), "mean": list(feature.mean)}
    return {**known, "mean": feature.mean[0], "scale": feature.scale}


def _read(place: Place, found: Any) -> NumericFeature:
    cut = isinstance(found, dict) and "cuts" in found
    scaled = isinstance(found, dict) and found.get("kind") == NUMERIC and not cut
    known = read_known(place, found, ("mean", "scale") if scaled else ("mean",), ("cuts",))
    if isinstance(known, Words):
        if cut:
            place.refuse("an attribute of words has no 'cuts'")
        return NumericFeature(known, row(place, "'mean'", found["mean"], len(known.values), low=0.0))
    if cut:
        cuts = read_cuts(place, found["cuts"])
        return NumericFeature(known, row(place, "'mean'", found["mean"], len(cuts) + 1, low=0.0), cuts=cuts)
    scale = number(place, "'scale'", found["scale"])
    if scale <= 0:
        place.refuse("'scale' must be more than 0")
    return NumericFeature(known, (number(place, "'mean'", found["mean"]),), scale)
