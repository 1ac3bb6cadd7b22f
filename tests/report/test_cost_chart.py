"""The chart of what k costs: all that the curve says is in it, in words as well, and it takes the page's color."""

import json
from dataclasses import replace
from typing import Any

import pytest
import vl_convert

from kspan.evaluate.cost import CostCurve, CostPoint
from kspan.report.cost_chart import INK, TALL, WIDTH, AccuracyLine, cost_chart, in_words

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
CURVES = {"table": TABLE, "tree": TREE, "no target": NO_TARGET, "nothing": NOTHING}


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
