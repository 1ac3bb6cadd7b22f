"""The drawing of a tree as a Vega specification, and as an SVG."""

from collections.abc import Iterable
from typing import Any

from kspan.report.charts import COLORS
from kspan.report.pictures.labels import people_text, ranges
from kspan.report.pictures.tree import HELD_BACK, TreeNode, TreePicture
from kspan.report.pictures.tree_marks import FONT, UNTOLD, drawing, layout
from kspan.report.svg import svg_of

START_DEPTH = 4
"""The deepest level to which a large tree is open at first."""
SMALL, MOST_AT_FIRST = 24, 60
"""A tree of so many leaves is all open at first; any other shows at most so many ends of branches at first."""
MOST_RUNS = 10_000
"""How many runs of leaves all spans together may have, so that a page stays small."""
LABEL_COLORS = COLORS[:6]
STEP_COLORS = ("#2166ac", "#67a9cf", "#8fb8ad", "#d9a441", "#ef8a62", "#b2182b")
"""From the lowest mean to the highest."""

Row = dict[str, Any]


def tree_spec(picture: TreePicture) -> dict[str, Any]:
    """Return the drawing as a Vega specification, which shows the first levels.

    Everything that can be opened is in its `usermeta`, where `tree.js` finds it. The signal `lit` is null, or says by
    number which nodes are not dimmed; `stretch` widens the columns.
    """
    rows, depth = [_row(picture, node) for node in picture.nodes], first_depth(picture)
    return {
        "$schema": "https://vega.github.io/schema/vega/v6.json",
        "description": described(picture),
        "background": None,
        "padding": 8,
        "width": 0,
        "height": 0,
        "autosize": {"type": "pad", "resize": True},
        "config": {"text": {"font": FONT, "fontSize": 11, "fill": "currentColor"}},
        "usermeta": {"nodes": rows, "spans": _spans(picture), "depth": depth, "heldBack": picture.held_back},
        "signals": [
            {"name": "lit", "value": None},
            {"name": "stretch", "value": 1},
            {"name": "labels", "value": _labels(picture)},
            {"name": "most", "value": max((node.people or 0 for node in picture.nodes), default=0) or 1},
        ],
        "data": layout(_open_to(rows, depth)),
        "marks": drawing(),
    }


def tree_svg(picture: TreePicture) -> str:
    """Return the first levels as an SVG that stands by itself."""
    # Only scripts read `usermeta`, and an SVG has none.
    return svg_of({**tree_spec(picture), "usermeta": {}})


def described(picture: TreePicture) -> str:
    """The drawing in words, for those who do not see it."""
    count = f"{picture.leaves:,} {'leaf' if picture.leaves == 1 else 'leaves'}"
    asks = dict.fromkeys(node.asks for node in picture.nodes if node.asks not in (None, HELD_BACK))
    names = [name for name in asks if name is not None][:6]
    asked = f" It asks {', '.join(names)}{' and more' if len(asks) > len(names) else ''}." if names else ""
    held = f" {picture.held_back:,} of them are held back." if picture.held_back else ""
    return f"A decision tree for {picture.target} with {count}.{held}{asked}"


def first_depth(picture: TreePicture) -> int:
    """Return the level to which the tree is open at first: a small tree entirely, others as far as it fits."""
    deepest = max(node.depth for node in picture.nodes)
    if picture.leaves <= SMALL:
        return deepest
    wide, ending = [0] * (deepest + 1), [0] * (deepest + 1)
    for node in picture.nodes:
        wide[node.depth] += 1
        ending[node.depth] += node.leaf is not None
    # A tree that is open to a depth ends at the leaves above it and at every node of that depth.
    fits = [sum(ending[:depth]) + wide[depth] <= MOST_AT_FIRST for depth in range(min(deepest, START_DEPTH) + 1)]
    # A root alone would show nothing, so its children are drawn however many they are.
    return max((depth for depth, good in enumerate(fits) if good), default=0) or min(deepest, 1)


def label_colors(picture: TreePicture) -> dict[str, str]:
    """Return the colors of labels; if there are many labels, only the commonest among leaves have one."""
    if picture.has_steps:
        return dict(zip(picture.labels, STEP_COLORS, strict=False))
    often = dict.fromkeys(picture.labels, 0)
    for node in picture.nodes:
        if node.label is not None and node.leaf is not None:
            often[node.label] += 1
    chosen = set(sorted(often, key=lambda label: -often[label])[: len(LABEL_COLORS)])
    return dict(zip((label for label in often if label in chosen), LABEL_COLORS, strict=False))


def _labels(picture: TreePicture) -> list[Row]:
    colors = label_colors(picture)
    return [{"name": label, "color": colors.get(label, UNTOLD)} for label in picture.labels]


def _row(picture: TreePicture, node: TreeNode) -> Row:
    """Return a node as the drawing and its script take it, without keys that do not apply."""
    place = picture.labels.index
    row: Row = {
        "number": node.number,
        "parent": node.parent,
        "way": node.way,
        "asks": None if node.asks is None else f"{node.asks} (private)" if node.role == "private" else node.asks,
        "private": node.role == "private" or None,
        "first": node.first,
        "last": node.last,
        "folded": node.is_folded or None,
        "held": node.is_held_back or None,
        "people": node.people,
        "label": None if node.label is None else place(node.label),
        "said": node.said,
        "further": node.further,
        "shares": [[place(label), share] for label, share in node.shares if node.leaf is not None] or None,
    }
    return {name: value for name, value in row.items() if value is not None}


def _open_to(rows: Iterable[Row], depth: int) -> list[Row]:
    """Return the rows of the first levels; a row that has more below it says how many leaves that is."""
    depths, shown = list[int](), list[Row]()
    for row in rows:
        depths.append(depths[row["parent"]] + 1 if "parent" in row else 0)
        if depths[-1] <= depth:
            is_closed = "asks" in row and depths[-1] == depth
            shown.append({**row, "closed": row["last"] - row["first"] + 1} if is_closed else row)
    return shown


def _spans(picture: TreePicture) -> list[Row]:
    """Return the spans with the leaves that they reach, the smallest first, until they are too many for a page."""
    spans, runs = list[Row](), 0
    for crowd in sorted(picture.spans, key=lambda crowd: crowd.people):
        found = ranges(crowd.bins)
        runs += len(found)
        if runs > MOST_RUNS:
            break
        if found:
            spans.append({"bins": found, "people": people_text(crowd.people), "safe": crowd.safe})
    return spans
