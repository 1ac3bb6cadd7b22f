"""Clusters in a plane: centers, and around each the cell that is nearest to it."""

from kspan.report.pictures.cluster_marks import LIT, Json, colors_of, numbers, title_of
from kspan.report.pictures.clusters import ClustersPicture, DrawnAxis

AT = {"x": {"scale": "x", "field": "x"}, "y": {"scale": "y", "field": "y"}}


def plane(picture: ClustersPicture, across: int, up: int) -> Json:
    """Return data, scales, axes and marks of a plane with two axes: a dot for each center, and its cell."""
    most = max((cluster.people or 0 for cluster in picture.clusters), default=0)
    centers = [
        {
            "number": cluster.number,
            "x": cluster.center[across].place,
            "y": cluster.center[up].place,
            "size": 160 if cluster.people is None else 160 + 900 * cluster.people / (most or 1),
            **colors_of(cluster.number),
        }
        for cluster in picture.clusters
    ]
    corners = [
        {"number": cluster.number, "x": x, "y": y, **colors_of(cluster.number)}
        for cluster in picture.clusters
        for x, y in cluster.cell
    ]
    areas = [
        # Cells are convex, so that the mean of the corners lies inside.
        {"number": cluster.number, "x": sum(x) / len(x), "y": sum(y) / len(y)}
        for cluster in picture.clusters
        if picture.is_cut and cluster.cell
        for x, y in [tuple(zip(*cluster.cell, strict=True))]
    ]
    return {
        "data": [
            {"name": "corners", "values": corners},
            {"name": "dots", "values": centers},
            {"name": "areas", "values": areas},
        ],
        "scales": [
            {"name": "x", "domain": _ends(picture.axes[across]), "range": "width", "zero": False},
            {"name": "y", "domain": _ends(picture.axes[up]), "range": "height", "zero": False},
        ],
        "axes": [
            {"scale": "x", "orient": "bottom", "title": title_of(picture.axes[across]), "grid": True, "tickCount": 6},
            {"scale": "y", "orient": "left", "title": title_of(picture.axes[up]), "grid": True, "tickCount": 6},
        ],
        "marks": [_cells(), _area_numbers(), _centers(), numbers("dots", AT)],
    }


def _cells() -> Json:
    """Draw the cell of each center as an area."""
    looks = {
        "interpolate": {"value": "linear-closed"},
        "fill": {"field": "color"},
        "fillOpacity": {"signal": "lit ? (lit[datum.number] ? 0.5 : 0.04) : 0.2"},
        "stroke": {"field": "color"},
        "strokeWidth": {"value": 1.2},
        "strokeOpacity": {"signal": "lit ? (lit[datum.number] ? 1 : 0.2) : 0.8"},
    }
    area = {"type": "line", "from": {"data": "cell"}, "aria": False, "encode": {"update": {**AT, **looks}}}
    facet = {"name": "cell", "data": "corners", "groupby": "number"}
    return {"type": "group", "from": {"facet": facet}, "marks": [area]}


def _centers() -> Json:
    """Draw a dot for each center; the more people it has, the larger."""
    looks = {
        "size": {"field": "size"},
        "fill": {"field": "color"},
        "stroke": {"value": "white"},
        "strokeWidth": {"value": 1.5},
        "opacity": {"signal": LIT},
    }
    return {"name": "centers", "type": "symbol", "from": {"data": "dots"}, "encode": {"update": {**AT, **looks}}}


def _ends(axis: DrawnAxis) -> list[float]:
    return [axis.low, axis.high]


def _area_numbers() -> Json:
    """Write into each area whose it is, since a dot may lie outside of its own."""
    mark = numbers("areas", AT)
    mark["encode"]["update"] |= {
        "text": {"signal": "'area of ' + datum.number"},
        "fill": {"value": "currentColor"},
        "fontSize": {"value": 11},
        "fontWeight": {"value": 400},
        "opacity": {"signal": "lit && !lit[datum.number] ? 0.2 : 0.8"},
    }
    return mark
