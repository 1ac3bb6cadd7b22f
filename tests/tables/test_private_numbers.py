"""Releases whose private numbers are not shown as they are: judged by what is shown, again, later, and by people."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.report.making import table_summary
from kspan.tables.methods import methods

WAYS: dict[str, dict[str, Any]] = {
    "round": {"round": 1000},
    "limits": {"bottom": 8000, "top": 60000, "round": 500},
    "shares": {"bottom": "5%", "top": "5%"},
    "bins": {"bins": 10000, "top": "5%"},
    "listed bins": {"bins": [10000, 30000]},
    "means": {"microaggregate": True},
    "noise": {"noise": "20%", "round": 100},
}


def people(number: int = 240, seed: int = 3) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    income = rng.lognormal(10, 0.7, number).round().astype(int)
    made = {
        "id": range(number),
        "age": rng.integers(20, 80, number),
        "sex": rng.choice(["F", "M"], number),
        "income": [None if at % 40 == 7 else one for at, one in enumerate(income.tolist())],
        "illness": rng.choice(["flu", "cold", "gout"], number),
    }
    return pl.DataFrame(made)


def policy(ways: dict[str, Any], require: str = "k=5", **says: Any) -> ks.Policy:
    roles: dict[str, Any] = {"identifier": ["id"], "public": ["age", "sex"]}
    return ks.Policy(**{**roles, "private": {"income": ways, "illness": {}}, "require": require, **says})


@pytest.mark.parametrize("ways", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("says", [{}, {"counting": "people"}], ids=["rows", "people"])
def test_it_holds_with_and_without_the_people_as_they_were(ways: dict[str, Any], says: dict[str, Any]) -> None:
    source = people()
    release = ks.anonymize(source, policy(ways, "k=5, distinct_l=2", **says), "mondrian")
    for found in (ks.audit(release), ks.audit(release, source), ks.audit(release, release.rows_released)):
        assert found.holds
        assert found.reached["income"] == release.audit.reached["income"]
    assert not release.frame["income"].equals(source["income"])
    assert release.frame["income"].null_count() == source["income"].null_count()


@pytest.mark.parametrize("ways", WAYS.values(), ids=WAYS)
def test_the_same_secret_shows_the_same(ways: dict[str, Any], tmp_path: Path) -> None:
    source, rules = people(), policy(ways)
    release = ks.anonymize(source, rules, "mondrian")
    again = ks.anonymize(source, rules, "mondrian", secret=release.secret)
    for name, one in (("a", release), ("b", again)):
        one.save(tmp_path / f"{name}.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert release.manifest() == again.manifest()
    found = ks.audit(tmp_path / "a.csv", rules)
    assert found.holds
    assert found.reached["income"] == release.audit.reached["income"]


def test_what_is_required_is_asked_of_what_is_shown() -> None:
    # Everybody has another income, but in thousands they are all the same.
    source = people(40).with_columns(income=pl.int_range(40) + 10_000)
    assert ks.anonymize(source, policy({}, "k=5, distinct_l[income]=2"), "mondrian").audit.holds
    with pytest.raises(ks.Unreachable, match="distinct_l"):
        ks.anonymize(source, policy({"round": 1000}, "k=5, distinct_l[income]=2"), "mondrian")
    with pytest.raises(ks.Unreachable, match="distinct_l"):
        ks.anonymize(source, policy({"bins": 1000}, "k=5, distinct_l[income]=2"), "mondrian")


@pytest.mark.slow
@pytest.mark.parametrize("method", methods())
def test_every_method_takes_them_also_as_the_target(method: str) -> None:
    source = people(120).drop_nulls()  # a tree must know every label
    options = {"seconds": 0.2} if method == "k-optimize" else {}
    rules = policy({"bins": [12000, 30000]}, "k=5, confidence[income]=0.9", target="income")
    hierarchies = {"age": ks.Intervals((10.0, 50.0)), "sex": ks.Automatic()}
    rules = ks.Policy.of({**rules_as_mapping(rules), "hierarchies": hierarchies})
    release = ks.anonymize(source, rules, method, **options)
    assert release.audit.holds
    assert set(release.frame["income"].drop_nulls()) <= {"<12000", "[12000, 30000[", ">=30000"}


def rules_as_mapping(rules: ks.Policy) -> dict[str, Any]:
    from kspan.policy.document import policy_document

    return policy_document(rules)


def test_everybody_shows_what_became_of_the_own_number() -> None:
    source = people()
    for ways, of in (
        ({"round": 100}, lambda one: (one + 50) // 100 * 100),
        ({"top": 9000}, lambda one: min(one, 9000)),
    ):
        made = ks.anonymize(source, policy(ways), "mondrian", keep_order=True).frame["income"]
        assert made.to_list() == [None if one is None else of(one) for one in source["income"]]


# What is told of it


@pytest.mark.parametrize("ways", WAYS.values(), ids=WAYS)
def test_the_claim_is_what_the_policy_says(ways: dict[str, Any]) -> None:
    release = ks.anonymize(people(), policy(ways), "mondrian")
    told = release.manifest()["claim"]["private_numbers"]
    asked = {**ways, "microaggregate": 5} if "microaggregate" in ways else ways
    assert told == {"income": {**asked, "words": told["income"]["words"]}}
    assert "private_numbers" not in json.dumps({**release.manifest(), "claim": {}})
    assert "private_numbers" not in ks.anonymize(people(), policy({}), "mondrian").manifest()["claim"]
    assert told["income"]["words"] in " ".join(table_summary(release).costs)
    assert table_summary(release).unchanged == ("illness",)


def test_what_it_cost_is_for_the_owner() -> None:
    source = people(100).with_columns(income=pl.Series([10_400, 20_000] * 50))
    told = ks.anonymize(source, policy({"round": 1000}), "mondrian").for_owner()["utility"]["private_numbers"]["income"]
    assert told["by"] == {"round": 1000}
    assert (told["people"], told["changed"], told["mean_change"], told["rare"]) == (100, 0.5, 200.0, 0)
    assert told["of_spread"] == pytest.approx(200 / 4800)
    told = ks.anonymize(source, policy({"bins": [15_000, 30_000]}), "mondrian").for_owner()["utility"]
    assert told["private_numbers"]["income"]["mean_width"] == 15_000
    assert told["private_numbers"]["income"]["endless"] == 0.5
    one = source.with_columns(income=pl.when(pl.col("id") == 0).then(987_654).otherwise("income"))
    told = ks.anonymize(one, policy({"round": 1000}), "mondrian").for_owner()["utility"]["private_numbers"]["income"]
    assert told["rare"] == 1  # rounding leaves the one who has most alone


def test_rows_that_are_withheld_cost_nothing() -> None:
    source = people(60).with_columns(income=pl.when(pl.col("id") < 40).then(10_100).otherwise(50_000))
    source = source.with_columns(age=pl.when(pl.col("id") == 50).then(99).otherwise(30), sex=pl.lit("F"))
    rules = policy({"round": 1000}, hierarchies={"age": ks.Intervals((10.0,)), "sex": ks.Automatic()})
    release = ks.anonymize(source, rules, "k-optimize", loss="dm", seconds=0.2)
    told = release.for_owner()["utility"]["private_numbers"]["income"]
    assert told["people"] == 60 - release.withheld


# People with several rows, and later rows


def visits() -> pl.DataFrame:
    rng = np.random.default_rng(8)
    number = 60
    rows = pl.DataFrame({"id": np.repeat(np.arange(number), 2), "age": np.repeat(rng.integers(20, 60, number), 2)})
    pay = rng.integers(1000, 90_000, 2 * number)
    return rows.with_columns(pay=pl.Series(pay), illness=pl.Series(rng.choice(["flu", "cold"], 2 * number)))


@pytest.mark.parametrize("ways", [{"round": 5000}, {"top": "10%", "bins": 10_000}], ids=["round", "bins"])
@pytest.mark.parametrize("form", ["long", "wide"])
def test_people_with_several_rows(ways: dict[str, Any], form: str, tmp_path: Path) -> None:
    rules = ks.Policy(
        person="id", public=["age"], private={"pay": ways, "illness": {}}, require="k=3, distinct_l[pay]=2"
    )
    release = ks.anonymize(visits(), rules, "mondrian", form=form)
    assert ks.audit(release, visits()).holds
    assert ks.audit(release).holds
    names = ["pay"] if form == "long" else ["pay_1", "pay_2"]
    assert list(release.manifest()["claim"]["private_numbers"]) == names
    cells = {cell for name in names for cell in release.frame[name]}
    assert all(cell % 5000 == 0 if isinstance(cell, int) else cell[0] in "[>" for cell in cells)
    release.save(tmp_path / "out.csv")
    if form == "wide":
        assert ks.audit(tmp_path / "out.csv", rules).holds


def test_later_rows_are_shown_by_what_was_found_before(tmp_path: Path) -> None:
    source, later = people(), people(200, seed=4).with_columns(pl.col("id") + 1000)
    for ways in ({"top": "5%"}, {"noise": "10%", "round": 1}, {"bins": 10_000, "bottom": "5%"}):
        release = ks.anonymize(source, policy(ways), "mondrian")
        release.save_recoding(tmp_path / "recoding.json")
        kept = ks.load_recoding(tmp_path / "recoding.json")
        assert release.numbers is not None
        assert kept.numbers == release.numbers.found
        made = kept.apply(later, withhold=True)
        assert made.numbers is not None
        assert made.numbers.found == release.numbers.found
        assert made.audit.holds
        assert "in an earlier table" in made.manifest()["claim"]["private_numbers"]["income"]["words"]
        kept.check_policy(policy(ways))
        with pytest.raises(ks.PolicyError, match="the policy has changed since the recoding was made, in 'private'"):
            kept.check_policy(policy({"round": 5}))
    top = release.numbers.found["income"].limits[0]
    assert f"<{top}" in made.frame["income"].to_list()


def test_means_of_later_rows_are_of_these() -> None:
    kept = ks.anonymize(people(), policy({"microaggregate": True}), "mondrian").kept_recoding()
    later = people(200, seed=4)
    made = kept.apply(later, withhold=True)
    assert made.numbers is not None
    assert made.numbers.people["income"].drop_nulls().value_counts()["count"].min() >= 5
    with pytest.raises(ks.DataError, match="3 people have a number in 'income', and 5 are needed"):
        kept.apply(later.head(3), withhold=True)


def test_a_file_of_a_recoding_cannot_show_more_than_its_policy(tmp_path: Path) -> None:
    path = tmp_path / "recoding.json"
    ks.anonymize(people(), policy({"top": "5%", "round": 1000}), "mondrian").save_recoding(path)
    said = json.loads(path.read_text())
    assert said["private_numbers"]["income"]["round"] == 1000
    for changed in (
        {},
        {"income": {}},
        {"income": {"top": 5, "round": 1}},
        {"income": {"top": 5}},
        {"income": {"top": 5, "round": 1000, "noise": 1}},
        {"income": {"top": -5, "round": "x"}},
        {"income": {"top": 5, "round": 1000}, "illness": {"round": 1}},
        [],
    ):
        path.write_text(json.dumps({**said, "private_numbers": changed}))
        with pytest.raises(ks.ModelError):
            ks.load_recoding(path)
    del said["private_numbers"]
    path.write_text(json.dumps(said))
    with pytest.raises(ks.ModelError):
        ks.load_recoding(path)


# Other releases of the same people


@pytest.mark.parametrize("ways", [{"microaggregate": True}, {"noise": 500}], ids=["means", "noise"])
def test_means_and_noise_go_out_once(ways: dict[str, Any], tmp_path: Path) -> None:
    source = people()
    first = ks.anonymize(source, policy(ways), "mondrian")
    with pytest.raises(ks.PolicyError, match="more than one release of its people"):
        ks.audit(first, source, beside=[ks.anonymize(source, policy({}), "mondrian")])
    ledger = ks.Ledger.create(tmp_path / "releases.ledger")
    with ledger:
        with pytest.raises(ks.PolicyError, match="more than one release of its people"):
            ks.anonymize(source, policy(ways), "mondrian")
        with pytest.raises(ks.PolicyError, match="more than one release of its people"):
            first.save(tmp_path / "out.csv")
        with pytest.raises(ks.PolicyError, match="more than one release of its people"):
            first.kept_recoding().apply(people(200, seed=4), withhold=True)
    assert not (tmp_path / "out.csv").exists()


def test_other_ways_go_with_a_ledger(tmp_path: Path) -> None:
    source = people()
    with ks.Ledger.create(tmp_path / "releases.ledger") as ledger:
        for place, ways in enumerate(({"round": 1000}, {"bins": 5000, "top": "5%"})):
            rules = policy(ways, "k=5, distinct_l=2")
            ks.anonymize(source, rules, "mondrian").save(tmp_path / f"{place}.csv")
        assert [entry.number for entry in ledger.entries()] == [1, 2]


# People who are given with a table


def test_people_are_judged_by_what_is_shown_of_them() -> None:
    source = people()
    rules = policy({"bins": 10_000}, "k=5, distinct_l=2", counting="people")
    release = ks.anonymize(source, rules, "mondrian")
    assert ks.audit(release.table, source, rules).reached == ks.audit(release, source).reached
    for ways in ({"microaggregate": True}, {"top": "5%"}, {"noise": 10}):
        rules = policy(ways, "k=5, distinct_l=2", counting="people")
        release = ks.anonymize(source, rules, "mondrian")
        with pytest.raises(ks.DataError, match="depends on everybody in it"):
            ks.audit(release.table, source, rules)
        assert ks.audit(release, source).holds
    rules = policy({"noise": 10}, "k=5, distinct_l=2", counting="people")
    with pytest.raises(ks.DataError, match="depends on everybody in it"):
        ks.audit(ks.anonymize(source, rules, "mondrian"), source.reverse())


def test_estimators_take_names_alone() -> None:
    with pytest.raises(ks.PolicyError, match="estimators show private columns as they are"):
        ks.Anonymizer(private={"income": {"round": 5}}).fit(people().drop("id"))


def test_what_holds_no_numbers_is_refused_in_one_sentence() -> None:
    rules = ks.Policy(
        identifier=["id"], public=["age", "sex"], private={"income": {}, "illness": {"round": 5}}, require="k=5"
    )
    with pytest.raises(ks.DataError, match="'illness' are shown, but the column does not hold") as told:
        ks.anonymize(people(), rules, "mondrian")
    assert not any(word in str(told.value) for word in ("flu", "cold", "gout"))
