"""The drawing of clusters as a Vega specification: a plane with cells, or all axes side by side."""

from kspan.report.pictures.cluster_lines import side_by_side
from kspan.report.pictures.cluster_marks import GRID, Json
from kspan.report.pictures.cluster_plane import plane
from kspan.report.pictures.clusters import ClustersPicture, DrawnCluster
from kspan.report.pictures.labels import people_text, ranges
from kspan.report.pictures.tree_marks import FONT
from kspan.report.svg import svg_of

WIDTH, HEIGHT = 640, 380


def clusters_chart(picture: ClustersPicture) -> Json:
    """Return the drawing as a Vega specification.

    The signal `lit` is null, or says by number which clusters are not dimmed. `clusters.js` finds the spans, and what
    to say of each cluster, in its `usermeta`.
    """
    return {
        "$schema": "https://vega.github.io/schema/vega/v6.json",
        "description": f"{picture.number:,} clusters. {picture.note}",
        "background": None,
        "padding": 8,
        "width": WIDTH,
        "height": HEIGHT,
        "autosize": {"type": "fit", "contains": "padding"},
        "config": {
            "text": {"font": FONT, "fontSize": 12, "fill": "currentColor"},
            "axis": {
                "labelFont": FONT,
                "titleFont": FONT,
                "labelColor": "currentColor",
                "titleColor": "currentColor",
                "titleFontWeight": 600,
                "titlePadding": 8,
                "domainColor": GRID,
                "tickColor": GRID,
                "gridColor": GRID,
                "gridOpacity": 0.2,
            },
        },
        "usermeta": {
            "clusters": [_said(picture, cluster) for cluster in picture.clusters],
            "spans": _spans(picture),
            "note": picture.note,
        },
        "signals": [{"name": "lit", "value": None}],
        **(side_by_side(picture) if picture.pair is None else plane(picture, *picture.pair)),
    }


def clusters_svg(picture: ClustersPicture) -> str:
    """Return the drawing as an SVG that stands by itself."""
    # Only scripts read `usermeta`, and an SVG has none.
    return svg_of({**clusters_chart(picture), "usermeta": {}})


def _said(picture: ClustersPicture, cluster: DrawnCluster) -> Json:
    around = ", ".join(f"{axis.name} {at.text}" for axis, at in zip(picture.axes, cluster.center, strict=True))
    people = "" if cluster.people is None else f"{people_text(cluster.people)} "
    hidden = " Its cell does not meet the plane that is drawn." if picture.has_cells and not cluster.cell else ""
    return {"number": cluster.number, "text": f"Cluster {cluster.number:,}: {people}around {around}.{hidden}"}


def _spans(picture: ClustersPicture) -> list[Json]:
    return [
        {"bins": ranges(crowd.bins), "people": people_text(crowd.people), "safe": crowd.safe}
        for crowd in sorted(picture.spans, key=lambda crowd: crowd.people)
        if crowd.bins
    ]
