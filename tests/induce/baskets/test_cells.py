"""Cells of any table as items: figures are those that a count of rows gives, and the judge counts the same."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.cli.main import main
from kspan.policy.items import itemized

CELLS: dict[str, Any] = {
    "age": st.sampled_from(["[20, 30]", "[20,30]", "31", "*", None]),
    "sex": st.sampled_from(["F", "M", "{F|M}", "{M|F}"]),
    "ill": st.sampled_from(["flu", "gout"]),
}
ONE = {"[20,30]": "[20, 30]", "{M|F}": "{F|M}"}
RULES = ks.Policy(public=["age", "sex"], private=["ill"], require="k=1")


def items(row: dict[str, Any]) -> set[str]:
    """What a row has, from the definition: a cell is what it shows, in one spelling; what says nothing is no item."""
    return {f"{name}={ONE.get(cell, cell)}" for name, cell in row.items() if cell not in ("*", None)}


@given(rows=st.lists(st.fixed_dictionaries(CELLS), min_size=4, max_size=30))
def test_supports_and_confidences_are_those_of_the_rows(rows: list[dict[str, Any]]) -> None:
    # One range and one set at least, so that a column of ages is one of ranges.
    rows = [*rows, {"age": "[20, 30]", "sex": "{F|M}", "ill": "flu"}, {"age": "31", "sex": "F", "ill": "gout"}]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(CELLS, pl.String))
    baskets = [items(row) for row in rows]

    def having(wanted: frozenset[str]) -> int:
        return sum(wanted <= basket for basket in baskets)

    found = ks.mine_itemsets(frame, RULES, cells=True, min_support=0.1, most=1000).itemsets
    assert {one.items: one.support for one in found.itemsets} == {
        each: having(each) / len(rows) for each in {one.items for one in found.itemsets}
    }
    singles = {frozenset({item}) for basket in baskets for item in basket}
    assert {one.items for one in found.itemsets if len(one.items) == 1} == {
        one for one in singles if having(one) / len(rows) >= 0.1
    }
    assert ks.audit(found, frame, RULES).holds
    try:
        mined = ks.mine_rules(frame, RULES, cells=True, min_support=0.1, min_confidence=0.1, most=1000).rules
    except ks.Unreachable:
        return
    for rule in mined.rules:
        assert rule.support == pytest.approx(having(rule.left | rule.right) / len(rows))
        assert rule.confidence == pytest.approx(having(rule.left | rule.right) / having(rule.left))
    assert ks.audit(mined, frame, RULES).holds


def test_what_is_required_of_a_column_is_required_of_its_items() -> None:
    frame = pl.DataFrame({"sex": ["F", "M"], "ill": ["flu", "gout"]})
    rules = ks.Policy(public=["sex"], private=["ill"], require="k=1, confidence[ill]=0.9")
    _, asked = itemized(frame, rules, ["sex", "ill"])
    assert str(asked.require) == str(
        ks.Policy(private=["ill=flu", "ill=gout"], require='k=1, confidence["ill=flu","ill=gout"]=0.9').require
    )
    one = ks.Policy(public=["sex"], private=["ill"], require='k=1, confidence[ill="flu"]=0.9')
    with pytest.raises(ks.PolicyError, match="ask it of the item, with the value yes"):
        itemized(frame, one, ["sex", "ill"])


def test_rules_break_a_requirement_on_what_is_private() -> None:
    """All who show F are ill: a rule that says so is left out under a limit of certainty."""
    frame = pl.DataFrame({"sex": ["F"] * 10 + ["M"] * 10, "ill": ["flu"] * 10 + ["flu", "gout"] * 5})
    free = ks.Policy(public=["sex"], private=["ill"], require="k=5")
    said = {(rule.left, rule.right) for rule in ks.mine_rules(frame, free, cells=True).rules.rules}
    telling = (frozenset({"sex=F"}), frozenset({"ill=flu"}))
    assert telling in said
    strict = ks.Policy(public=["sex"], private=["ill"], require="k=5, confidence[ill]=0.9")
    assert telling not in {(rule.left, rule.right) for rule in ks.mine_rules(frame, strict, cells=True).rules.rules}


def test_columns_of_yes_and_no_stay_items_and_others_are_refused_unless_asked() -> None:
    frame = pl.DataFrame({"tea": [True, True, False, True], "sex": ["F", "F", "M", "M"]})
    rules = ks.Policy(public=["tea", "sex"], require="k=1")
    found = ks.mine_itemsets(frame, rules, cells=True, min_support=0.5)
    assert frozenset({"tea", "sex=F"}) in {one.items for one in found.itemsets.itemsets}
    with pytest.raises(ks.DataError, match=r"column 'sex' says something else than yes or no.*--cells"):
        ks.mine_itemsets(frame, rules)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rules", "itemsets"])
def test_a_released_table_is_mined_and_judged_from_the_command_line(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    people = ks.datasets.load_adult("train").select("age", "sex", "education", "income").head(1500)
    rules = ks.Policy(public=["age", "sex", "education"], private=["income"], require="k=10")
    rules.save(tmp_path / "policy.toml")
    ks.anonymize(people, rules, "kactus", secret="0" * 32).save(tmp_path / "released.csv")
    learn = ["learn", "released.csv", "-p", "policy.toml", "-m", method, "-o", "found.json", "--most", "5"]
    assert main(learn) == 2
    assert "--cells" in capsys.readouterr().err
    assert main([*learn, "--cells"]) == 0
    assert main(["audit", "found.json", "-p", "policy.toml", "--data", "released.csv"]) == 0
    assert "=" in json.loads((tmp_path / "found.json").read_text())["items"][0]["name"]
