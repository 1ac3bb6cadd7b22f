"""Charts that need no network: an HTML page with its scripts inside, SVG or PNG."""

import io
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

from kspan.errors import FileError
from kspan.evaluate.comparison import Comparison
from kspan.frames.commit import File, write_files
from kspan.frames.places import check_place
from kspan.report.formatting import visible

FORMATS = {".html": "html", ".svg": "svg", ".png": "png"}
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
"""Colors that people with color blindness can tell apart, too (Okabe and Ito)."""
WIDTH, STEP = 320, 28


def check_chart(path: Path) -> None:
    """Refuse a file name without a known format, or a place that cannot be written, before long work begins."""
    if path.suffix.lower() not in FORMATS:
        raise FileError(f"cannot tell the format of {path} from its name: end it in {', '.join(FORMATS)}")
    check_place(path)


def write_chart(chart: Any, path: Path) -> None:
    """Write a chart in the format that the file name says, completely or not at all."""
    check_chart(path)
    kind = FORMATS[path.suffix.lower()]
    picture, page = io.BytesIO(), io.StringIO()
    if kind == "png":
        chart.save(picture, format=kind, scale_factor=2)
    elif kind == "svg":
        chart.save(page, format=kind)
    else:
        # The menu of the page would send the data to an editor on the web.
        chart.save(page, format=kind, inline=True, embed_options={"actions": False})
    # Only one of the two was written to: a PNG is bytes, the others are text.
    content = picture.getvalue() or page.getvalue().encode()
    write_files({path: File(content)})


def comparison_chart(comparison: Comparison) -> Any:
    """Draw the accuracy and the class match of each learner on each table, as one point each."""
    rows = [
        {**row, "release": harmless(row["release"]), "learner": harmless(row["learner"])}
        for row in comparison.table.to_dicts()
    ]
    order = list(dict.fromkeys(row["release"] for row in rows))
    learners = list(dict.fromkeys(row["learner"] for row in rows))
    whose = "rows of the original itself: no forecast" if comparison.learned_from else "test rows"
    target, people = harmless(comparison.target), f"{comparison.test_rows:,} {whose}"
    points = alt.Chart(pl.DataFrame(rows)).encode(
        y=alt.Y("release:N", sort=order, title=None, axis=alt.Axis(labelLimit=280, grid=True)),
        color=alt.Color("learner:N", sort=learners, scale=alt.Scale(domain=learners, range=COLORS), title="learner"),
        shape=alt.Shape("learner:N", sort=learners, scale=alt.Scale(domain=learners), title="learner"),
        tooltip=[
            alt.Tooltip("release:N", title="table"),
            alt.Tooltip("learner:N", title="learner"),
            alt.Tooltip("accuracy:Q", format=".2%", title="accuracy"),
            alt.Tooltip("class_match:Q", format=".2%", title="class match"),
            alt.Tooltip("rows:Q", format=",", title="rows learned from"),
        ],
    )
    same_size = {"width": WIDTH, "height": alt.Step(STEP)}
    right = points.mark_point(size=70, filled=True).encode(x=_share("accuracy:Q", "accuracy")).properties(**same_size)
    guess = (
        alt.Chart(pl.DataFrame({"baseline": [comparison.baseline]}))
        .mark_rule(strokeDash=[4, 3], color="#777")
        .encode(
            x=alt.X("baseline:Q"),
            tooltip=alt.Tooltip("baseline:Q", format=".2%", title="always the commonest label"),
        )
    )
    alike = (
        points.mark_point(size=70, filled=True)
        .encode(x=_share("class_match:Q", "class match"))
        .encode(y=alt.Y("release:N", sort=order, title=None, axis=alt.Axis(labels=False, ticks=False, grid=True)))
        .properties(**same_size)
    )
    return (
        alt.hconcat(guess + right, alike)
        .properties(
            title=alt.Title(
                f"Predicting {target} from each table",
                subtitle=f"{people}; dashed: always the commonest label; class match: with the model of the original",
                anchor="start",
            ),
            background="white",
        )
        .configure_view(stroke="#ddd")
    )


def _share(what: str, title: str) -> Any:
    return alt.X(what, title=title, scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(format=".1%", tickCount=6))


def harmless(name: str) -> str:
    """Return the name of a file or column, changed so that it cannot end the script around it.

    >>> harmless("k=5</script>")
    'k=5‹/script>'
    """
    return visible(name).replace("<", "‹")
