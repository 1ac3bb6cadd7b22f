"""What a page may list of rules: no figures of those that tell of a crowd which is too small."""

import json
from typing import Any

import pytest
import vl_convert

import kspan as ks
from kspan.audit.findings import Finding
from kspan.model.rules.model import rules_about
from kspan.report.pictures import items
from kspan.report.pictures import rules as listed
from kspan.report.pictures.items import DrawnItem
from kspan.report.pictures.rules import rules_chart, rules_picture

# Friedman et al. 2008, Sect. 4.3.
ROLES: dict[str, Any] = {"Cherries": "public", "Birthday Candles": "public", "Viagra": "private", "Tylenol": "private"}
CHERRIES = ks.Rule(frozenset({"Cherries"}), frozenset({"Viagra"}), 0.084, 0.75)
CANDLES = ks.Rule(frozenset({"Cherries", "Birthday Candles"}), frozenset({"Tylenol"}), 0.024, 0.8, 0.1)
PUBLIC = ks.Rule(frozenset({"Birthday Candles"}), frozenset({"Cherries"}), 0.03, 0.4)
RULES = rules_about([CHERRIES, CANDLES, PUBLIC], 1000, ROLES)


def broken(rules: str) -> Finding:
    return Finding({"basket": "anything", "rules": rules, "classes": "2"}, 3, 3, ("k=30",))


def test_the_rules_of_the_paper() -> None:
    alone = rules_about([CHERRIES, CANDLES], 1000, ROLES)
    audit = ks.audit(
        rules_about([CHERRIES, ks.Rule(CANDLES.left, CANDLES.right, 0.024, 0.8)], 1000, ROLES), require="k=30"
    )
    picture = rules_picture(alone, audit.crowds(400), failing=audit.failing_groups)
    assert (picture.number, picture.transactions, picture.held_back) == (2, 1000, 0)
    second = picture.rules[1]
    assert second.left == (DrawnItem("Birthday Candles", "public"), DrawnItem("Cherries", "public"))
    assert second.right == (DrawnItem("Tylenol", "private"),)
    assert (second.support, second.confidence, second.lift) == (0.024, 0.8, pytest.approx(8))
    assert picture.rules[0].lift is None
    assert [span.people for span in picture.spans] == [30, 82, 888]
    assert picture.spans[0].shown is not None
    assert [line.name for line in picture.spans[0].shown][:3] == ["basket", "rules", "classes"]


def test_rules_that_speak_of_a_failing_span_have_no_figures() -> None:
    audit = ks.audit(
        rules_about([CHERRIES, ks.Rule(CANDLES.left, CANDLES.right, 0.024, 0.8)], 1000, ROLES), require="k=31"
    )
    picture = rules_picture(RULES, audit.crowds(400), failing=audit.failing_groups)
    assert [rule.is_held_back for rule in picture.rules] == [True, True, False]
    assert [(rule.support, rule.confidence, rule.lift) for rule in picture.rules] == [
        (None, None, None),
        (None, None, None),
        (0.03, 0.4, None),
    ]
    assert picture.held_back == 2
    (points,) = rules_chart(picture).to_dict()["datasets"].values()
    assert [point["number"] for point in points] == [3]


@pytest.mark.parametrize(
    ("named", "failing", "held"),
    [("none", 1, 0), ("2", 1, 1), ("1, 2", 1, 2), ("1, ...", 1, 3), ("2", 2, 3), ("", 1, 3)],
)
def test_what_is_not_known_to_be_harmless_is_held_back(named: str, failing: int, held: int) -> None:
    assert rules_picture(RULES, [broken(named)], failing=failing).held_back == held


def test_the_first_of_many_rules_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed, "MOST_RULES", 2)
    picture = rules_picture(RULES, ())
    assert ([rule.number for rule in picture.rules], picture.number) == ([1, 2], 3)


def test_the_chart_numbers_its_points_and_keeps_names_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    evil: dict[str, Any] = {"</script>": "public", "b": "private"}
    rules = rules_about([ks.Rule(frozenset({"</script>"}), frozenset({"b"}), 0.5, 0.9)], 10, evil)
    chart = rules_chart(rules_picture(rules, ()))
    svg = vl_convert.vegalite_to_svg({**chart.to_dict(), "width": 400})
    assert "</script>" not in svg
    assert ">1</text>" in svg
    assert "currentColor" in json.dumps(vl_convert.vegalite_to_vega(chart.to_dict()))
    monkeypatch.setattr(items, "MOST_NUMBERED", 0)
    assert ">1</text>" not in vl_convert.vegalite_to_svg(
        {**rules_chart(rules_picture(rules, ())).to_dict(), "width": 400}
    )
