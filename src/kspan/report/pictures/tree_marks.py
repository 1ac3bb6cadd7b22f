"""How a tree is laid out and drawn: root to the left, a row for each end of a branch, columns as wide as their text."""

from typing import Any

ROW = 38
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
DOT, LINE, UNTOLD = "#7d8a97", "#b0b9c2", "#a3a3a3"
"""Colors that can be seen on white and on black; what is not told is gray."""

Json = dict[str, Any]

# The root lets the area of a dot grow with its people; 0.4 stands in where their number is not told.
WEIGHT = "(isValid(datum.people) ? sqrt(datum.people / most) : 0.4)"
# Above the line what leads to a node, below it what the node asks.
# A column is as wide as the longer of the two; a letter takes about 6 pixels.
WRITTEN = "36 + datum.radius + min(190, 6.2 * max(length(datum.way), datum.asks ? 1.1 * length(datum.asks) : 0))"
HEAD = (
    "datum.closed ? '+' + format(datum.closed, ',') + (datum.closed == 1 ? ' leaf' : ' leaves')"
    " + (datum.folded ? ' below' : '') : datum.held ? 'held back'"
    " : isValid(datum.said) ? datum.said : isValid(datum.label) ? labels[datum.label].name : 'nobody'"
)
PEOPLE = "(isValid(datum.people) ? format(datum.people, ',.1~f') + (datum.people == 1 ? ' person' : ' people') : '')"
TOLD = (
    "!isValid(datum.label) || !datum.shares && !isValid(datum.people) ? ''"
    " : ' · ' + (datum.shares ? format(datum.shares[0][1], '.0%') : '')"
    f" + (datum.shares && isValid(datum.people) ? ' of ' : '') + {PEOPLE}"
    " + (isValid(datum.further) ? ' · ' + datum.further : '')"
)


def layout(rows: list[Json]) -> list[Json]:
    """Return the data sets that compute where every node and line is."""
    return [
        {"name": "nodes", "values": rows},
        {
            "name": "laid",
            "source": "nodes",
            "transform": [
                {"type": "stratify", "key": "number", "parentKey": "parent"},
                {
                    "type": "tree",
                    "method": "cluster",
                    "separation": False,
                    "nodeSize": [ROW, 1],
                    # Vega lays a tree out from top to bottom, but here its root is at the left: its x is our y.
                    "as": ["y", "height", "depth", "sons"],
                },
                _formula("ends", "!datum.asks || !!datum.closed"),
                _formula("radius", f"max(datum.closed ? 8 : 4.5, 13 * {WEIGHT})"),
                _formula("thick", f"max(1.5, 7 * {WEIGHT})"),
                _formula("written", WRITTEN),
            ],
        },
        {
            "name": "columns",
            "source": "laid",
            "transform": [
                {"type": "aggregate", "groupby": ["depth"], "ops": ["max"], "fields": ["written"], "as": ["wide"]},
                _formula("wide", "datum.depth ? datum.wide * stretch : 0"),
                {"type": "window", "sort": {"field": "depth"}, "ops": ["sum"], "fields": ["wide"], "as": ["x"]},
            ],
        },
        {
            "name": "placed",
            "source": "laid",
            "transform": [
                _lookup("columns", "depth", "depth", {"x": "x", "wide": "wide"}),
                _formula("beside", "datum.x + datum.radius + 8 + (datum.shares ? 46 : 0)"),
            ],
        },
        {
            "name": "links",
            "source": "placed",
            "transform": [
                {"type": "filter", "expr": "isValid(datum.parent)"},
                _lookup("placed", "number", "parent", {"x": "from_x", "y": "from_y"}),
                _formula("path", _elbow()),
            ],
        },
        {
            "name": "bars",
            "source": "placed",
            "transform": [
                {"type": "filter", "expr": "datum.ends && datum.shares"},
                {"type": "flatten", "fields": ["shares"], "as": ["part"]},
                _formula("share", "datum.part[1]"),
                {"type": "stack", "groupby": ["number"], "field": "share", "as": ["begin", "end"]},
            ],
        },
    ]


def drawing() -> list[Json]:
    """Return all marks, lines first, so that nodes cover them."""
    return [*_branches(), *_dots(), *_ends()]


def _branches() -> list[Json]:
    """The lines, with what leads to a node above them and what it asks below."""
    left = {"signal": "datum.x - datum.radius - 7"}
    return [
        _mark(
            "path",
            "links",
            path={"field": "path"},
            stroke={"value": LINE},
            strokeWidth={"field": "thick"},
            strokeCap={"value": "round"},
            opacity=_lit(0.25),
        ),
        _text(
            "datum.way",
            left,
            "datum.y - datum.thick / 2 - 5",
            align="right",
            limit="datum.depth ? datum.wide - 20 : 200",
        ),
        _text("datum.asks || ''", left, "datum.y + datum.thick / 2 + 12", align="right", fontWeight=600, limit="220"),
    ]


def _dots() -> list[Json]:
    """The nodes, with a ring around those that ask something private and a plus where more is below."""
    return [
        _mark(
            "symbol",
            "placed",
            **_at("x", "y"),
            size={"signal": "datum.private ? 4 * pow(datum.radius + 4, 2) : 0"},
            stroke={"value": "currentColor"},
            strokeWidth={"value": 1.5},
            strokeDash={"value": [3, 3]},
        ),
        {
            **_mark(
                "symbol",
                "placed",
                **_at("x", "y"),
                size={"signal": "4 * pow(datum.radius, 2)"},
                fill={
                    "signal": f"datum.held ? 'transparent' : datum.asks ? '{DOT}'"
                    f" : isValid(datum.label) ? labels[datum.label].color : '{UNTOLD}'"
                },
                stroke={"signal": f"datum.held ? '{UNTOLD}' : 'transparent'"},
                strokeWidth={"value": 2},
                strokeDash={"signal": "datum.held ? [3, 2] : [1, 0]"},
                cursor={"signal": "datum.asks && !datum.folded ? 'pointer' : 'default'"},
            ),
            "name": "dots",
            "aria": True,
        },
        _text(
            "datum.closed && !datum.folded ? '+' : ''",
            {"field": "x"},
            "datum.y",
            align="center",
            baseline="middle",
            fontSize=14,
            fontWeight=700,
            fill="white",
            interactive=False,
        ),
    ]


def _ends() -> list[Json]:
    """What is told at the ends of branches: shares of labels as bars, label and people as text."""
    beside = {"field": "beside"}
    return [
        _mark(
            "rect",
            "bars",
            x={"signal": "datum.x + datum.radius + 8 + 38 * datum.begin"},
            x2={"signal": "datum.x + datum.radius + 8 + 38 * datum.end"},
            y={"signal": "datum.y - 5"},
            height={"value": 10},
            fill={"signal": "labels[datum.part[0]].color"},
        ),
        _text(f"datum.ends ? ({HEAD}) : ''", beside, "datum.y - 2", fontSize=12, fontWeight=600, limit="220"),
        _text(
            f"!datum.ends ? '' : datum.closed ? {PEOPLE} : 'leaf ' + format(datum.first, ',') + ({TOLD})",
            beside,
            "datum.y + 12",
            limit="datum.further ? 460 : 260",
        ),
    ]


def _elbow() -> str:
    """Return the path of a line that goes up or down from a node, and then around a corner to the right."""
    turn = "min(10, abs(datum.y - datum.from_y))"
    before = f"(datum.y > datum.from_y ? datum.y - {turn} : datum.y + {turn})"
    return (
        f"'M' + datum.from_x + ',' + datum.from_y + 'V' + {before} + 'Q' + datum.from_x + ',' + datum.y"
        f" + ' ' + (datum.from_x + {turn}) + ',' + datum.y + 'H' + (datum.x - (datum.held ? datum.radius : 0))"
    )


def _formula(name: str, expression: str) -> Json:
    return {"type": "formula", "as": name, "expr": expression}


def _lookup(data: str, key: str, own: str, values: dict[str, str]) -> Json:
    return {
        "type": "lookup",
        "from": data,
        "key": key,
        "fields": [own],
        "values": list(values),
        "as": list(values.values()),
    }


def _at(x: str, y: str) -> Json:
    return {"x": {"field": x}, "y": {"field": y}}


def _lit(dim: float = 0.22, full: float = 1.0) -> Json:
    return {"signal": f"lit ? (lit[datum.number] ? {full} : {dim}) : {full}"}


def _mark(kind: str, data: str, *, interactive: bool = True, **encoded: Json) -> Json:
    return {
        "type": kind,
        "from": {"data": data},
        "aria": False,
        "interactive": interactive,
        "encode": {"update": {"opacity": _lit(), **encoded}},
    }


PLAIN = {"align": "left", "baseline": "alphabetic", "fontSize": 11, "fontWeight": 400, "fill": "currentColor"}


def _text(what: str, x: Json, y: str, *, limit: str = "260", interactive: bool = True, **style: str | int) -> Json:
    """Return a mark that writes `what` at a place of each node; `style` overrides the looks of plain text."""
    looks = {name: {"value": value} for name, value in {**PLAIN, **style}.items()}
    return _mark(
        "text",
        "placed",
        interactive=interactive,
        x=x,
        y={"signal": y},
        text={"signal": what},
        limit={"signal": limit},
        **looks,
    )
