"""What a page may list of itemsets: no support of those that tell of a crowd which is too small."""

from typing import Any

import pytest
import vl_convert

import kspan as ks
from kspan.audit.findings import Finding
from kspan.model.itemsets.model import itemsets_about
from kspan.report.pictures import itemsets as listed
from kspan.report.pictures.items import DrawnItem
from kspan.report.pictures.itemsets import itemsets_chart, itemsets_picture

ROLES: dict[str, Any] = {"</script>": "public", "candles": "public", "pills": "private"}
EVIL = ks.Itemset(frozenset({"</script>"}), 0.4)
BOTH = ks.Itemset(frozenset({"</script>", "pills"}), 0.2)
CANDLES = ks.Itemset(frozenset({"candles"}), 0.1)
ITEMSETS = itemsets_about([EVIL, BOTH, CANDLES], 100, ROLES)


def test_itemsets_are_listed_with_their_supports() -> None:
    audit = ks.audit(ITEMSETS, require="k=1")
    picture = itemsets_picture(ITEMSETS, audit.crowds(400), failing=audit.failing_groups)
    assert (picture.number, picture.transactions, picture.held_back) == (3, 100, 0)
    assert picture.itemsets[1].items == (DrawnItem("</script>", "public"), DrawnItem("pills", "private"))
    assert [one.support for one in picture.itemsets] == [0.4, 0.2, 0.1]
    svg = vl_convert.vegalite_to_svg({**itemsets_chart(picture).to_dict(), "width": 400})
    assert "</script>" not in svg
    assert ">3</text>" in svg


def test_itemsets_that_speak_of_a_failing_span_have_no_support() -> None:
    audit = ks.audit(ITEMSETS, require="k=20")
    assert audit.failing_groups
    picture = itemsets_picture(ITEMSETS, audit.crowds(400), failing=audit.failing_groups)
    assert [(one.is_held_back, one.items == (), one.support) for one in picture.itemsets] == [
        (False, False, 0.4),
        (True, True, None),
        (False, False, 0.1),
    ]
    (points,) = itemsets_chart(picture).to_dict()["datasets"].values()
    assert [point["number"] for point in points] == [1, 3]


@pytest.mark.parametrize(("named", "failing", "held"), [("none", 1, 0), ("2", 1, 1), ("1, ...", 1, 3), ("2", 2, 3)])
def test_what_is_not_known_to_be_harmless_is_held_back(named: str, failing: int, held: int) -> None:
    broken = Finding({"basket": "anything", "itemsets": named, "classes": "2"}, 3, 3, ("k=30",))
    assert itemsets_picture(ITEMSETS, [broken], failing=failing).held_back == held


def test_the_first_of_many_itemsets_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed, "MOST_ITEMSETS", 2)
    picture = itemsets_picture(ITEMSETS, ())
    assert ([one.number for one in picture.itemsets], picture.number) == ([1, 2], 3)
