"""Clusters as a JSON document; what is read is never trusted."""

from typing import Any

from kspan.limits import LEAST_NUMBER
from kspan.model.checks import Place, check_keys, number
from kspan.model.clusters.axes import Axis, Center
from kspan.model.clusters.model import Clusters
from kspan.model.documents import check_format
from kspan.model.outcome import plain
from kspan.model.tree.json import read_attributes, read_claim
from kspan.model.tree.sums import read_people
from kspan.model.tree.writing import write_attribute, write_claim

FORMAT, VERSION = "kspan/clusters", 1
MOST_CLUSTERS = 100_000


def write_clusters(clusters: Clusters) -> dict[str, Any]:
    """Write clusters as a JSON document."""
    head = [{**write_attribute(axis.attribute), "scale": axis.scale} for axis in clusters.axes]
    claim = {} if clusters.claim is None else {"claim": write_claim(clusters.claim)}
    written = []
    for centers, people in zip(clusters.centers, clusters.people, strict=True):
        named = {axis.attribute.name: axis.written(center) for axis, center in zip(clusters.axes, centers, strict=True)}
        written.append({"center": named, "people": plain(people)})
    return {"format": FORMAT, "version": VERSION, "attributes": head, **claim, "clusters": written}


def read_clusters(document: Any, source: str = "the model") -> Clusters:
    """Read the clusters in a JSON document; an error names the source and the place."""
    top = Place(source, "the top")
    check_format(top, document, FORMAT, VERSION, "clustering")
    check_keys(top, document, ("format", "version", "attributes", "clusters"), ("claim",))
    axes = _axes(top, document["attributes"])
    claim = None
    if "claim" in document:
        claim = read_claim(Place(source, "the claim"), document["claim"], [axis.attribute.name for axis in axes])
    found = document["clusters"]
    if not isinstance(found, list) or not 0 < len(found) <= MOST_CLUSTERS:
        top.refuse(f"'clusters' must be a list of 1 to {MOST_CLUSTERS:,} clusters")
    read = [_cluster(Place(source, f"cluster {count}"), each, axes) for count, each in enumerate(found, 1)]
    return Clusters(axes, tuple(center for center, _ in read), tuple(people for _, people in read), claim)


def _axes(top: Place, found: Any) -> tuple[Axis, ...]:
    if not isinstance(found, list) or not found:
        top.refuse("'attributes' must be a list of at least one attribute")
    scales = []
    for count, each in enumerate(found, 1):
        place = Place(top.source, f"attribute {count}")
        if not isinstance(each, dict) or "scale" not in each:
            place.refuse("the key 'scale' is missing")
        scale = number(place, "'scale'", each["scale"])
        if scale < LEAST_NUMBER:
            place.refuse(f"'scale' must be above 0, at least {LEAST_NUMBER:g}")
        scales.append(scale)
    # Without its scale, an attribute is written like that of a tree.
    plain_ones = [{key: value for key, value in each.items() if key != "scale"} for each in found]
    return tuple(map(Axis.of, read_attributes(top, plain_ones), scales))


def _cluster(place: Place, found: Any, axes: tuple[Axis, ...]) -> tuple[tuple[Center, ...], float]:
    check_keys(place, found, ("center", "people"))
    center = found["center"]
    check_keys(place, center, [axis.attribute.name for axis in axes])
    return tuple(axis.read(place, center[axis.attribute.name]) for axis in axes), read_people(
        place, "'people'", found["people"]
    )
