"""Draw clusters where a plane does not serve: with all axes side by side."""

from collections.abc import Iterator

from kspan.report.pictures.cluster_marks import GRID, LIT, Json, colors_of, numbers
from kspan.report.pictures.clusters import ClustersPicture, DrawnAxis
from kspan.report.pictures.labels import number_short


def side_by_side(picture: ClustersPicture) -> Json:
    """Return data, scales and marks: each axis is a vertical line, and each cluster a line across all axes."""
    # Axes are told apart by place, since long names that were cut may be the same.
    titles = [f"{place}" for place in range(len(picture.axes))]
    points = [
        {
            "number": cluster.number,
            "axis": f"{place}",
            "share": (at.place - axis.low) / (axis.high - axis.low),
            **colors_of(cluster.number),
        }
        for cluster in picture.clusters
        for place, (axis, at) in enumerate(zip(picture.axes, cluster.center, strict=True))
    ]
    heads = [
        {"axis": f"{place}", "title": [axis.name, f"({axis.role})"], "low": low, "high": high}
        for place, axis in enumerate(picture.axes)
        for low, high in [_written_ends(axis)]
    ]
    at = {"x": {"scale": "x", "field": "axis"}, "y": {"scale": "y", "field": "share"}}
    return {
        "data": [{"name": "points", "values": points}, {"name": "heads", "values": heads}],
        "scales": [
            {"name": "x", "type": "point", "domain": titles, "range": "width", "padding": 0.5},
            {"name": "y", "domain": [0, 1], "range": "height"},
        ],
        "marks": [*_poles(), *_lines(at)],
    }


def _written_ends(axis: DrawnAxis) -> tuple[str, str]:
    return (number_short(axis.low), number_short(axis.high)) if axis.is_measured else ("0%", "100%")


def _poles() -> Iterator[Json]:
    """Yield a vertical line for each axis, with its name and its ends."""
    x = {"scale": "x", "field": "axis"}
    yield {
        "type": "rule",
        "from": {"data": "heads"},
        "aria": False,
        "encode": {
            "update": {
                "x": x,
                "y": {"value": 0},
                "y2": {"signal": "height"},
                "stroke": {"value": GRID},
                "strokeWidth": {"value": 1.5},
            }
        },
    }
    for field, y, weight in (("title", "-38", 600), ("high", "-7", 400), ("low", "height + 15", 400)):
        yield {
            "type": "text",
            "from": {"data": "heads"},
            "aria": False,
            "encode": {
                "update": {
                    "x": x,
                    "y": {"signal": y},
                    "text": {"field": field},
                    "align": {"value": "center"},
                    "fontSize": {"value": 12 if field == "title" else 11},
                    "fontWeight": {"value": weight},
                    "limit": {"signal": "width / max(1, length(domain('x'))) - 8"},
                }
            },
        }


def _lines(at: Json) -> Iterator[Json]:
    """Yield a line for each cluster, and a dot with its number on each axis."""
    yield {
        "type": "group",
        "from": {"facet": {"name": "line", "data": "points", "groupby": "number"}},
        "marks": [
            {
                "type": "line",
                "from": {"data": "line"},
                "aria": False,
                "encode": {
                    "update": {
                        **at,
                        "stroke": {"field": "color"},
                        "strokeWidth": {"signal": "lit && lit[datum.number] ? 3.5 : 2"},
                        "opacity": {"signal": LIT},
                    }
                },
            }
        ],
    }
    yield {
        "name": "centers",
        "type": "symbol",
        "from": {"data": "points"},
        "encode": {
            "update": {**at, "size": {"value": 230}, "fill": {"field": "color"}, "opacity": {"signal": LIT}},
        },
    }
    yield numbers("points", at)
