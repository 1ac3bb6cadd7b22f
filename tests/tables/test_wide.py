"""The wide form: what is said, what is refused, and how a wide release is judged again."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main

SEXES, TOWNS = ks.Hierarchy.of([("F",), ("M",)]), ["ay", "by"]


def panel(people: int = 60) -> pl.DataFrame:
    """People of whom every third has one row, two or three; the town changes, and so does the illness."""
    rows = [
        (f"p{person}", "FM"[person % 2], 30 + person % 4, TOWNS[(person + visit) % 2], f"2026-0{9 - visit}-01",
         ["flu", "hiv", "cold", "none", "gout"][(person * 7 + visit * (1 + person % 3)) % 5])
        for person in range(people)
        for visit in range(1 + person % 3)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=["id", "sex", "age", "town", "date", "illness"], orient="row")


POLICY = ks.Policy(
    person="id", identifier=["date"], public=["sex", "age", "town"], private=["illness"], require="k=4, distinct_l=2"
)


def swapped() -> pl.DataFrame:
    """Two people who both had hiv, one first and one later: no column tells, but everybody had it."""
    return pl.DataFrame(
        {"sex": ["F"] * 4, "illness_1": ["hiv", "flu"] * 2, "illness_2": ["flu", "hiv"] * 2}
    ).with_columns(rows=pl.lit(2))


# What is said


def test_everybody_is_one_row() -> None:
    release = ks.anonymize(panel(), POLICY, "mondrian", secret="1" * 32, form="wide")
    assert release.frame.columns == [
        "sex", "age", "town_1", "town_2", "town_3", "illness_1", "illness_2", "illness_3", "rows",
    ]  # fmt: skip
    assert (release.audit.people, release.audit.rows) == (60 - release.withheld, 60 - release.withheld)
    assert release.audit.persons is not None
    assert (release.audit.persons.form, release.audit.persons.most_rows) == ("wide", 3)
    claim = release.manifest()["claim"]
    assert (claim["form"], claim["rows_ordered_by"]) == ("wide", "their values")
    assert release.for_owner()["rows"]["left_out"] == 0
    assert claim["public"] == ["sex", "age", "town_1", "town_2", "town_3", "rows"]
    # Cells beyond the rows of a person are empty, and only these.
    one = release.frame.filter(pl.col("rows") == 1)
    assert one["town_2"].null_count() == one["illness_3"].null_count() == one.height
    assert release.frame.filter(pl.col("rows") == 3)["illness_3"].null_count() == 0


def test_rows_come_in_the_order_of_a_column() -> None:
    ordered = replace(POLICY, order="date", require="k=2")  # type: ignore[arg-type]
    wide = ks.anonymize(panel(), ordered, "mondrian", secret="1" * 32, form="wide").wide
    assert wide is not None
    # p2 was in ay in July, in by in August, and in ay in September.
    assert [wide.frame[f"town_{number}"][2] for number in (1, 2, 3)] == ["ay", "by", "ay"]
    by_value = ks.anonymize(panel(), POLICY, "mondrian", secret="1" * 32, form="wide").wide
    assert by_value is not None
    assert [by_value.frame[f"town_{number}"][2] for number in (1, 2, 3)] == ["ay", "ay", "by"]


def test_no_column_tells_but_everybody_had_it() -> None:
    policy = ks.Policy(person="id", public=["sex"], private=["illness"], require="k=4, confidence=0.5")
    found = ks.audit(swapped(), policy)
    assert not found.holds
    assert found.exposed == {"illness": 4}
    assert not ks.audit(swapped(), replace(policy, require='k=4, confidence["illness=hiv"]=0.9')).holds  # type: ignore[arg-type]
    assert ks.audit(swapped(), replace(policy, require="k=4")).holds  # type: ignore[arg-type]


def test_how_many_rows_somebody_has_is_known() -> None:
    """Everybody shows the same, but one person alone has two rows."""
    told = pl.DataFrame(
        {"sex": ["F"] * 4, "illness_1": list("abcd"), "illness_2": [None, None, None, "a"], "rows": [1, 1, 1, 2]}
    )
    assert ks.audit(told, ks.Policy(person="id", public=["sex"], private=["illness"], require="k=2")).k.people == 1


def test_rows_that_are_not_kept_are_told() -> None:
    release = ks.anonymize(panel(), POLICY, "mondrian", secret="1" * 32, form="wide", at_most=2)
    assert "town_3" not in release.frame.columns
    assert release.withheld == 0
    assert release.for_owner()["rows"]["left_out"] == 20


def test_too_few_with_so_many_rows_lose_their_last() -> None:
    """One person has five rows: alone with that number, unless the last ones are withheld."""
    more = pl.DataFrame(
        {"id": ["p2"] * 2, "sex": ["F"] * 2, "age": [32] * 2, "town": ["ay"] * 2, "date": ["2026-01-01"] * 2,
         "illness": ["flu", "none"]}
    )  # fmt: skip
    release = ks.anonymize(pl.concat([panel(), more]), POLICY, "mondrian", secret="1" * 32, form="wide")
    assert int(release.frame["rows"].max()) == 3  # type: ignore[arg-type]
    assert "town_4" not in release.frame.columns
    assert release.for_owner()["rows"]["left_out"] == 2


def test_a_release_by_people_is_judged_with_them() -> None:
    by_people = replace(POLICY, counting="people")
    release = ks.anonymize(panel(), by_people, "mondrian", secret="1" * 32, form="wide")
    assert release.behind is not None
    assert release.audit.linked is not None
    assert ks.audit(release).holds
    assert ks.audit(release, panel()).holds


def test_files_are_judged_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people, released, policy = (str(tmp_path / name) for name in ("visits.csv", "wide.csv", "policy.toml"))
    panel().write_csv(people)
    POLICY.save(policy)
    made = ["anonymize", people, "-p", policy, "-m", "mondrian", "-o", released]
    assert main([*made, "--form", "wide", "--at-most", "2", "--order", "date", "--report", f"{released}.html"]) == 0
    assert main(["audit", released, "-p", policy]) == 0
    assert main(["audit", released, "-p", policy, "--data", people, "--order", "date", "--counting", "people"]) == 0
    capsys.readouterr()
    assert main(["audit", released, "-p", policy, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["persons"]["form"] == "wide"
    # In another order, the rows of people do not fit those of the table.
    assert main(["report", released, "-p", policy, "--data", people]) == 2
    assert "rows more than these people can have in it" in capsys.readouterr().err
    replace(POLICY, order="date").save(policy)
    assert main(["report", released, "-p", policy, "--data", people]) == 0
    assert main(["verify", released]) == 0
    owner = json.loads((tmp_path / "wide.csv.owner.json").read_text())
    assert len(owner["withheld_rows"]) == 20


def test_the_policy_keeps_the_order(tmp_path: Path) -> None:
    ordered = replace(POLICY, order="date")
    ordered.save(tmp_path / "policy.toml")
    assert ks.Policy.load(tmp_path / "policy.toml") == ordered


# What is refused


def test_what_makes_no_wide_table_is_refused() -> None:
    rows = panel()
    with pytest.raises(ks.PolicyError, match="say whose row is whose"):
        ks.anonymize(rows.drop("id"), replace(POLICY, person=None), form="wide")
    with pytest.raises(ks.PolicyError, match="there is no form 'broad'"):
        ks.anonymize(rows, POLICY, form="broad")
    with pytest.raises(ks.PolicyError, match="ask for the wide form"):
        ks.anonymize(rows, POLICY, at_most=2)
    with pytest.raises(ks.PolicyError, match="has 30 rows"):
        ks.anonymize(pl.concat([rows, rows.head(1).sample(29, with_replacement=True)]), POLICY, form="wide")
    taken = replace(POLICY, public=(*POLICY.public, "town_1"))
    with pytest.raises(ks.PolicyError, match="column 'town_1' of its own"):
        ks.anonymize(rows.with_columns(town_1=pl.lit("x")), taken, form="wide")
    with pytest.raises(ks.DataError, match="it holds words"):
        ks.anonymize(rows, replace(POLICY, order="town"), form="wide")
    with pytest.raises(ks.PolicyError, match="no column of the policy"):
        replace(POLICY, order="day")
    with pytest.raises(ks.PolicyError, match="cannot be ordered by 'id', which is the same in all of them"):
        replace(POLICY, order="id")
    with pytest.raises(ks.PolicyError, match="order is about people"):
        replace(POLICY, person=None, order="date")


def test_what_is_neither_long_nor_wide_is_refused() -> None:
    policy = ks.Policy(person="id", public=["sex"], private=["illness"], require="k=2")
    with pytest.raises(ks.PolicyError, match="neither long nor wide"):
        ks.audit(swapped().with_columns(illness=pl.lit("x")), policy)
    with pytest.raises(ks.PolicyError, match="illness_1 to illness_3"):
        ks.audit(
            swapped().rename({"illness_2": "illness_3"}).with_columns(sex_1=1, sex_2=2, sex_3=3).drop("sex"), policy
        )
    with pytest.raises(ks.PolicyError, match="'sex' is not in the table, neither"):
        ks.audit(swapped().drop("sex"), policy)
    with pytest.raises(ks.DataError, match="people who have fewer rows than 2"):
        ks.audit(swapped().with_columns(rows=pl.lit(1)), policy)
    for wrong in (0, 3, None, "[1, 2]", 1.5):
        with pytest.raises(ks.DataError, match="whole number from 1 to 2"):
            ks.audit(swapped().with_columns(rows=pl.lit(wrong)), policy)
    # An identifier that is still there breaks a wide table as any other.
    assert not ks.audit(swapped().with_columns(id=pl.Series(range(4))), policy).holds
    with pytest.raises(ks.PolicyError, match="has no role"):
        ks.audit(swapped().with_columns(id=pl.lit("p")), policy)


def test_people_who_are_not_those_of_the_release_are_refused() -> None:
    release = ks.anonymize(panel(), POLICY, "mondrian", secret="1" * 32, form="wide")
    moved = panel().with_columns(sex=pl.when(pl.col("date") == "2026-08-01").then(pl.lit("M")).otherwise("sex"))
    with pytest.raises(ks.DataError, match="the people cannot be used: 'sex' is one column"):
        ks.audit(release.frame, moved, POLICY)
    with pytest.raises(ks.DataError, match="do not say whose row it is"):
        ks.audit(release.frame, panel().drop("id"), POLICY)


def test_a_wide_recoding_is_not_kept() -> None:
    release = ks.anonymize(panel(), POLICY, "mondrian", secret="1" * 32, form="wide")
    with pytest.raises(ks.PolicyError, match="cannot be applied to later rows"):
        release.kept_recoding()
    with pytest.raises(ks.PolicyError, match="make a long one"):
        release.recode(panel())


def test_what_cannot_be_reached_with_all_rows_is_refused() -> None:
    with pytest.raises(ks.Unreachable, match="at_most"):
        ks.anonymize(panel(6), replace(POLICY, require="k=7"), "mondrian", form="wide")  # type: ignore[arg-type]


def test_the_order_does_not_matter_to_a_long_table() -> None:
    made = [
        ks.anonymize(panel(), policy, "mondrian", secret="1" * 32).frame
        for policy in (POLICY, replace(POLICY, order="date"))
    ]
    assert made[0].equals(made[1])


def test_nothing_private_and_nothing_that_changes() -> None:
    same = pl.DataFrame({"id": [1, 1, 2, 2, 3, 3], "sex": ["F"] * 6})
    policy = ks.Policy(person="id", public=["sex"], require="k=3")
    release = ks.anonymize(same, policy, "mondrian", secret="1" * 32, form="wide")
    assert release.frame.rows() == [("F", 2)] * 3
    assert ks.audit(release.frame, same, policy).holds
