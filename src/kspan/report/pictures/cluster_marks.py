"""What both drawings of clusters have in common."""

from typing import Any

from kspan.report.charts import COLORS
from kspan.report.pictures.clusters import DrawnAxis

GRID = "#8c98a4"
# The signal `lit` is null, or says by number which clusters are not dimmed.
LIT = "lit ? (lit[datum.number] ? 1 : 0.15) : 1"

Json = dict[str, Any]


INKS = {color: "black" if color in ("#CC79A7", "#E69F00", "#56B4E9") else "white" for color in COLORS[:6]}
"""The colors of clusters, each with the color of text that can be read on it."""


def colors_of(number: int) -> Json:
    """Return the colors of a cluster and of its number; colors repeat, so the number is always shown, too."""
    color = list(INKS)[(number - 1) % len(INKS)]
    return {"color": color, "ink": INKS[color]}


def title_of(axis: DrawnAxis) -> str:
    """Return the name of an axis with its role."""
    return f"{axis.name} ({axis.role})"


def numbers(data: str, at: Json) -> Json:
    """Write the number of each cluster on its dot."""
    return {
        "type": "text",
        "from": {"data": data},
        "aria": False,
        "interactive": False,
        "encode": {
            "update": {
                **at,
                "text": {"field": "number"},
                "align": {"value": "center"},
                "baseline": {"value": "middle"},
                "fontSize": {"value": 10},
                "fontWeight": {"value": 700},
                "fill": {"field": "ink"},
                "opacity": {"signal": LIT},
            }
        },
    }
