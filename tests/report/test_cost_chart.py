"""The chart of what k costs: all that the curve says is in it, in words as well, and it takes the page's color."""

import json
from dataclasses import replace
from typing import Any

import pytest
import vl_convert

from kspan.evaluate.cost import CostCurve, CostPoint
from kspan.report.cost_chart import INK, TALL, WIDTH, AccuracyLine, cost_chart, in_words
from kspan.report.measured import measured_at, measured_title

TABLE = CostCurve(
    "tds", "c45", "income", 200, 0.9, 0.5, 5,
    (
        CostPoint(2, 0.88, 0.1, 0.0, 0.3, 1234),
        CostPoint(5, 0.8, 0.3, 0.02, 0.4, 56),
        CostPoint(1000, refused="k=1000 cannot be reached</script>: lower it"),
    ),
)  # fmt: skip
TREE = replace(TABLE, points=(CostPoint(2, 0.88, crowds=9), CostPoint(5, 0.7, crowds=3)))
NO_TARGET = CostCurve("mondrian", None, None, 0, None, None, 1, (CostPoint(2, None, 0.1, 0.0, 0.0, 8),))
NOTHING = replace(TABLE, points=(TABLE.points[-1],))
NUMBERS = CostCurve(
    "grouped", "grouped", "stay", 200, 0.3, 0.0, 5,
    (
        CostPoint(2, crowds=9, mean_absolute_error=86400 * 2.5, explained=0.25),
        CostPoint(5, crowds=3, mean_absolute_error=86400 * 3, explained=-0.02),
        CostPoint(1000, refused="k=1000 cannot be reached"),
    ),
    of_numbers=True, guessing_error=86400 * 2.9, unit="seconds",
)  # fmt: skip
CURVES = {
    "numbers": NUMBERS,
    "no numbers": replace(NUMBERS, points=NUMBERS.points[2:]),
    "table": TABLE,
    "tree": TREE,
    "no target": NO_TARGET,
    "nothing": NOTHING,
}


def drawn(curve: CostCurve) -> tuple[dict[str, Any], str]:
    spec = cost_chart(curve).to_dict()
    return spec, vl_convert.vegalite_to_svg(json.dumps(spec))


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_it_can_be_drawn_in_the_color_of_the_page(curve: CostCurve) -> None:
    spec, picture = drawn(curve)
    assert picture.startswith("<svg")
    assert spec["background"] == "transparent"
    assert f'fill="{INK}"' in picture
    assert 'fill="black"' not in picture
    assert 'fill="#000"' not in picture
    assert "</script>" not in json.dumps(spec)
    assert {panel["width"] for panel in spec["vconcat"]} == {WIDTH}


def test_what_a_table_costs() -> None:
    _, picture = drawn(TABLE)
    for words in ("learned from raw rows: 90.0%", "always the commonest label: 50.0%", "chosen: k = 5",
                  "detail lost in public cells", "rows withheld", "people predicted right"):  # fmt: skip
        assert words in picture
    assert picture.count("no release: k=1000 cannot be reached‹/script&gt;: lower it") == 2  # a cross in each panel
    assert "groups or spans: 1,234" in picture
    assert "public cells suppressed: 30.0%" in picture


def test_only_what_there_is_is_drawn() -> None:
    spec, picture = drawn(TREE)
    assert len(spec["vconcat"]) == 1
    assert "detail lost" not in picture
    spec, picture = drawn(NO_TARGET)
    assert len(spec["vconcat"]) == 1
    assert "predicted right" not in picture
    assert "rows withheld</text>" not in picture  # nobody was
    assert "chosen" not in picture  # 1 was not tried
    assert "chosen: k = 2" in drawn(replace(NO_TARGET, chosen=2))[1]


def test_of_numbers_is_drawn_what_is_explained() -> None:
    spec, picture = drawn(NUMBERS)
    assert len(spec["vconcat"]) == 1
    for words in ("without any promise: 30.0%", "always the mean: 0.0%", "explained of how people differ"):
        assert words in picture
    for words in ("predicted right", "commonest label", "raw rows"):
        assert words not in picture
    (scale,) = {str(layer["encoding"]["y"]["scale"]["domain"]) for layer in spec["vconcat"][0]["layer"]
                if "scale" in layer.get("encoding", {}).get("y", {})}  # fmt: skip
    low, high = (float(one) for one in scale.strip("[]").split(","))
    assert low < -0.02
    assert high > 0.3
    assert in_words(NUMBERS) == (
        "What k costs with grouped. A tree without any promise explains 30.0% of how people differ. At k = 2 25.0% of "
        "how people differ is explained. At k = 5 nothing of how people differ is explained. At k = 1,000 there is no "
        "release. The chosen k is 5."
    )


def test_the_cells_of_the_table() -> None:
    assert [measured_at(point, NUMBERS) for point in NUMBERS.points] == [
        "2.50 (25.0% explained)", "3.00 (nothing explained)", ""
    ]  # fmt: skip
    assert measured_title(NUMBERS) == "days off for new people"
    assert measured_title(replace(NUMBERS, unit=None)) == "off for new people"
    assert [measured_at(point, TABLE) for point in TABLE.points] == ["88%", "80%", ""]
    assert measured_title(TABLE) == "right for new people"
    assert measured_at(CostPoint(2, mean_absolute_error=0.0), NUMBERS) == "0.00"


def test_in_words() -> None:
    assert in_words(TABLE) == (
        "What k costs with tds. 90.0% of people are predicted right by what raw rows teach, 50.0% by always saying the "
        "commonest label. At k = 2 88.0% of people are predicted right and 10.0% of the detail in public cells is "
        "lost. At k = 5 80.0% of people are predicted right and 30.0% of the detail in public cells is lost. At k = "
        "1,000 there is no release. The chosen k is 5."
    )
    assert cost_chart(TREE).to_dict()["description"] == in_words(TREE)


def test_words_keep_away_from_the_line() -> None:
    line = AccuracyLine([2, 1000], [0.9, 0.5], (1.7, 1200), [0.4, 1.0])
    assert line.distance(0.9, -8, right=True) > 30 > line.distance(0.9, 9, right=False)
    assert line.distance(0.5, 9, right=False) > 30 > line.distance(0.5, -8, right=True)
    flat = 0.5 + 8 / TALL
    close = AccuracyLine([2, 1000], [flat, flat], (1.7, 1200), [0, 1])
    assert close.distance(0.5, -8, right=True) == pytest.approx(0)
    assert close.distance(0.5, 9, right=True) == pytest.approx(17)
    assert AccuracyLine([], [], (1, 2), [0, 1]).distance(0.5, 9, right=True) > 1000
