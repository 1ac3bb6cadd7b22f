"""Sets and ages: where they are computed, what is refused, and that files and drafts know them."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.data.prepared import prepared
from kspan.policy.document import policy_document, policy_in
from kspan.policy.guess.guess import guesses

CODES = pl.DataFrame(
    {"sex": ["F", "M"] * 10, "codes": ["E11;I10", "I10", "E11; C50;E11", ""] * 5, "cost": list(range(20))}
)
SETS = ks.Policy(public=["sex", "codes"], private=["cost"], sets={"codes": ";"}, known_rows=2, require="k=5")

BIRTHS = pl.DataFrame(
    {
        "birth_date": [f"{1950 + person % 7 * 5}-0{1 + person % 9}-15" for person in range(40)],
        "sex": ["F", "M"] * 20,
        "risk": ["low", "high", "low", "low", "high"] * 8,
    }
)
AGES = ks.Policy(
    identifier=["birth_date"], public=["age", "sex"], target="risk", require="k=5",
    ages={"age": {"born": "birth_date", "on": "2026-01-01"}},
)  # fmt: skip


# What is said


def test_each_code_becomes_a_row() -> None:
    rows, policy = prepared(CODES.head(4), SETS)
    assert rows.select("(row)", "codes").rows() == [
        (0, "E11"), (0, "I10"), (1, "I10"), (2, "E11"), (2, "C50"), (3, None),
    ]  # fmt: skip
    assert (policy.person, policy.sets) == ("(row)", {})
    again, same = prepared(rows, SETS)
    assert again.equals(rows)
    assert same == policy


def test_sets_are_audited_and_made_anonymous(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people, released, policy = (str(tmp_path / name) for name in ("people.csv", "released.csv", "policy.toml"))
    CODES.write_csv(people)
    SETS.save(policy)
    assert ks.Policy.load(policy) == SETS
    found = ks.audit(CODES, SETS)
    assert found.persons is not None
    assert (found.people, found.persons.most_rows, found.identifiers, found.holds) == (20, 2, (), True)
    asked = ["-p", policy]
    assert main(["audit", people, *asked]) == 0
    assert main(["audit", people, *asked, "--require", "k=6"]) == 1
    assert main(["anonymize", people, *asked, "-m", "mondrian", "-o", released]) == 0
    assert main(["audit", released, *asked, "--data", people]) == 0
    assert main(["report", released, *asked, "--data", people]) == 0
    capsys.readouterr()
    assert main(["audit", released, *asked]) == 2
    assert "give the people behind it" in capsys.readouterr().err


def test_lists_in_files_are_sets(tmp_path: Path) -> None:
    lists = CODES.with_columns(pl.col("codes").str.split(";"))
    lists.write_parquet(tmp_path / "people.parquet")
    lists.write_ndjson(tmp_path / "people.ndjson")
    policy = replace(SETS, sets={"codes": True})
    for name in ("people.parquet", "people.ndjson"):
        assert ks.audit(tmp_path / name, policy).as_dict() == ks.audit(CODES, SETS).as_dict()


def test_a_released_set_of_values_is_no_set_of_codes() -> None:
    """With `|` between codes, the cell {E11|I10} of a release is still one code."""
    bars = CODES.with_columns(pl.col("codes").str.replace_all(";", "|"))
    policy = replace(SETS, sets={"codes": "|"}, require="k=8")  # type: ignore[arg-type]
    release = ks.anonymize(bars, policy, "mondrian", secret="1" * 32)
    assert release.frame["codes"].str.starts_with("{").any()
    assert ks.audit(release, bars).holds
    assert ks.audit(release.frame, bars, policy).rows == release.frame.height


def test_ages_are_computed_wherever_a_table_is_read(tmp_path: Path) -> None:
    people, released, policy = (str(tmp_path / name) for name in ("people.csv", "released.csv", "policy.toml"))
    BIRTHS.write_csv(people)
    AGES.save(policy)
    assert ks.Policy.load(policy) == AGES
    release = ks.anonymize(BIRTHS, AGES, "mondrian", secret="1" * 32)
    assert release.frame.columns == ["sex", "risk", "age"]
    with_age = BIRTHS.with_columns(
        age=pl.Series([2026 - int(day[:4]) - (day[5:] > "01-01") for day in BIRTHS["birth_date"]])
    )
    by_hand = ks.anonymize(with_age, replace(AGES, ages={}, person=False), "mondrian", secret="1" * 32)
    assert release.frame.equals(by_hand.frame.select(release.frame.columns))
    assert (
        main(["anonymize", people, "-p", policy, "-o", released, "-m", "mondrian", "--recoding", f"{released}.r"]) == 0
    )
    assert main(["audit", released, "-p", policy, "--data", people, "--counting", "people"]) == 0
    assert main(["report", released, "-p", policy, "--data", people]) == 0
    assert main(["learn", people, "-p", policy, "-m", "kadet", "-o", str(tmp_path / "tree.json")]) == 0
    assert main(["audit", str(tmp_path / "tree.json"), "-p", policy, "--data", people]) == 0
    assert main(["apply", f"{released}.r", people, "-o", str(tmp_path / "later.csv")]) == 0
    assert release.recode(BIRTHS.head(1))["age"].item() in release.frame["age"]


def test_a_table_with_the_age_keeps_it() -> None:
    older = BIRTHS.with_columns(age=pl.lit(99))
    assert prepared(older, AGES)[0]["age"].unique().to_list() == [99]


@pytest.mark.parametrize("policy", [SETS, AGES, replace(SETS, sets={"codes": True})])
def test_policies_come_back(policy: ks.Policy) -> None:
    assert ks.Policy.from_toml(policy.to_toml()) == policy
    assert policy_in(policy_document(policy), "the policy") == policy


def test_a_day_of_toml_will_do() -> None:
    text = AGES.to_toml().replace('"2026-01-01"', "2026-01-01")
    assert ks.Policy.from_toml(text).ages["age"].on == date(2026, 1, 1)


def test_drafts_propose_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people = pl.concat([CODES, BIRTHS.head(20).drop("sex")], how="horizontal")
    for name in ("people.csv", "people.parquet"):
        lists = people.with_columns(pl.col("codes").str.split(";")) if name.endswith("parquet") else people
        (lists.write_parquet if name.endswith("parquet") else lists.write_csv)(name)
        assert main(["init", name, "--force"]) == 0
        draft = Path("policy.toml").read_text()
        assert f"[sets]\ncodes = {'true' if name.endswith('parquet') else chr(34) + ';' + chr(34)}\n" in draft
        assert '# age = { born = "birth_date", on = "2026-01-01" }' in draft
        assert ks.audit(name, "policy.toml").people == 20
    people.with_columns(codes=pl.lit("milk and bread, please; thanks")).write_csv("text.csv")
    assert main(["init", "text.csv", "--force"]) == 0
    assert "[sets]" not in Path("policy.toml").read_text()


# What is refused


def test_sets_that_mean_nothing_are_refused() -> None:
    with pytest.raises(ks.PolicyError, match="several columns of sets"):
        replace(SETS, sets={"codes": ";", "sex": ";"})
    for separator in ("", 3, False, None):
        with pytest.raises(ks.PolicyError, match="what stands between two codes"):
            replace(SETS, sets={"codes": separator})
    with pytest.raises(ks.PolicyError, match="sets names 'coeds'"):
        replace(SETS, sets={"coeds": ";"})
    with pytest.raises(ks.DataError, match="holds no lists"):
        ks.anonymize(CODES, replace(SETS, sets={"codes": True}))
    nested = CODES.with_columns(codes=pl.Series([[["E11"]]] * 20))
    with pytest.raises(ks.DataError, match="lists of lists, or objects"):
        ks.audit(nested, SETS)
    with pytest.raises(ks.DataError, match="turn them into text or numbers"):
        guesses(nested)
    names = ks.Hierarchy.of([("E11", "a; b"), ("I10", "a; b"), ("C50", "c")])
    with pytest.raises(ks.PolicyError, match="a name that releases may show"):
        replace(SETS, hierarchies={"codes": names})
    with pytest.raises(ks.PolicyError, match="'codes' holds sets of codes"):
        ks.learn(CODES, replace(SETS, target="cost"))


def test_ages_that_mean_nothing_are_refused() -> None:
    for says in (
        "birth_date",
        {"born": "birth_date"},
        {"born": 3, "on": "2026-01-01"},
        {"born": "birth_date", "on": 7},
    ):
        with pytest.raises(ks.PolicyError, match="must say when people were born"):
            replace(AGES, ages={"age": says})
    for says in ({"born": "birth", "on": "2026-01-01"}, {"born": "birth_date", "on": "admission"}):
        with pytest.raises(ks.PolicyError, match="which has no role"):
            replace(AGES, ages={"age": says})
    with pytest.raises(ks.DataError, match="40 cells of 'birth_date' are no dates") as caught:
        ks.anonymize(BIRTHS.with_columns(birth_date=pl.lit("04.03.1970")), AGES)
    assert "1970" not in str(caught.value).replace("1970-03-04", "")
    with pytest.raises(ks.DataError, match="holds no dates"):
        ks.anonymize(BIRTHS.with_columns(birth_date=pl.lit(1970)), AGES)
    with pytest.raises(ks.DataError, match="40 people were born"):
        ks.anonymize(BIRTHS.with_columns(birth_date=pl.lit("2026-01-02")), AGES)
    with pytest.raises(ks.PolicyError, match="'age' is not in the table"):
        ks.anonymize(BIRTHS.drop("birth_date"), AGES)


def test_sets_ages_and_both_forms_go_together() -> None:
    people = pl.concat([CODES, BIRTHS.head(20).select("birth_date")], how="horizontal")
    policy = ks.Policy(
        identifier=["birth_date"], public=["age", "codes", "sex"], private=["cost"], sets={"codes": ";"}, require="k=2",
        ages={"age": {"born": "birth_date", "on": "2026-01-01"}},
    )  # fmt: skip
    for form in ("long", "wide"):
        release = ks.anonymize(people, policy, "mondrian", secret="1" * 32, form=form)
        assert ks.audit(release, people).holds
        assert ks.audit(release.frame, release.behind if release.behind is not None else people, policy).holds
    assert release.frame.columns == ["sex", "codes_1", "codes_2", "cost", "age", "rows"]
