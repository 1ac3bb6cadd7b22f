"""What both drawings of clusters have in common."""

from typing import Any

from kspan.report.charts import COLORS
from kspan.report.pictures.clusters import DrawnAxis

GRID = "#8c98a4"
LIT = "lit ? (lit[datum.number] ? 1 : 0.15) : 1"

Json = dict[str, Any]


INKS = {color: "black" if color in ("#CC79A7", "#E69F00", "#56B4E9") else "white" for color in COLORS[:6]}
"""The colors of clusters, and what can be read on each."""


def colors_of(number: int) -> Json:
    """The color of a cluster and of its number; colors come again, so the number is always there."""
    color = list(INKS)[(number - 1) % len(INKS)]
    return {"color": color, "ink": INKS[color]}


def title_of(axis: DrawnAxis) -> str:
    """The name of an axis, and who knows it."""
    return f"{axis.name} ({axis.role})"


def numbers(data: str, at: Json) -> Json:
    """The number of each cluster on its dot."""
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
