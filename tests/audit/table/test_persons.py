"""People with several rows: what is said, what is refused, and how a release is judged again."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main

VISITS = pl.DataFrame(
    {
        "id": ["a", "a", "a", "b", "c", "d", "e", "f"],
        "sex": ["F", "F", "F", "F", "M", "M", "M", "M"],
        "illness": ["flu", "hiv", "flu", "hiv", "flu", "hiv", "cold", "flu"],
    }
)
POLICY = ks.Policy(person="id", public=["sex"], private=["illness"], require="k=3")


def panel(people: int = 300, seed: int = 0) -> pl.DataFrame:
    """People of whom each has one to four rows; the age changes from one to the next."""
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        sex, age = rng.choice(["F", "M"]), int(rng.integers(20, 60))
        rows += [
            (f"p{person}", sex, age + int(rng.integers(0, 2)), rng.choice(["flu", "hiv", "cold", "none"]))
            for _ in range(int(rng.integers(1, 5)))
        ]
    return pl.DataFrame(rows, schema=["id", "sex", "age", "illness"], orient="row")


PANEL = ks.Policy(person="id", public=["sex", "age"], private=["illness"], require="k=3")


# What is said


def test_four_rows_of_two_people_are_no_crowd_of_three() -> None:
    found = ks.audit(VISITS.drop("id"), VISITS, POLICY)
    assert not found.holds
    assert (found.k.rows, found.k.people, found.people, found.failing_people) == (4, 1, 6, 2)
    # Of two people, one has three of four rows: knowing where the rows are is knowing whose they are.
    assert found.persons is not None
    assert (found.persons.with_several, found.persons.most_rows) == (1, 3)
    assert ks.audit(VISITS.drop("id"), replace(POLICY, person=False)).holds  # what was said of such tables before


def test_whoever_has_most_rows_of_a_group_is_found_there() -> None:
    """Three people share the group, but of 12 rows 10 are of one: any of them is that person's, nearly for sure."""
    rows = pl.DataFrame({"id": ["a"] * 10 + ["b", "c"], "sex": ["F"] * 12, "illness": ["x"] * 6 + ["y"] * 6})
    assert ks.audit(rows.drop("id"), rows, POLICY).k.people == 1
    fair = pl.DataFrame({"id": ["a", "b", "c"] * 4, "sex": ["F"] * 12, "illness": ["x"] * 6 + ["y"] * 6})
    assert ks.audit(fair.drop("id"), fair, POLICY).holds


def test_everybody_had_it_once() -> None:
    """By rows hiv is one in two; by people everybody has it."""
    rows = pl.DataFrame({"id": ["a", "b", "c"] * 2, "sex": ["F"] * 6, "illness": ["hiv"] * 3 + ["flu", "cold", "flu"]})
    for require in ("k=3, distinct_l=2", "k=3, confidence=0.5", 'k=3, confidence["illness=hiv"]=0.5'):
        found = ks.audit(rows.drop("id"), rows, replace(POLICY, require=require))  # type: ignore[arg-type]
        assert not found.holds
        assert found.exposed == {"illness": 3}


def test_several_known_rows_find_more() -> None:
    """Each place has three people, but one of them alone was in both."""
    rows = pl.DataFrame(
        {
            "id": ["a", "b", "c", "a", "d", "e"],
            "sex": ["F", "F", "F", "M", "M", "M"],
            "illness": ["x", "y", "z", "x", "y", "z"],
        }
    )
    reached = [ks.audit(rows.drop("id"), rows, replace(POLICY, known_rows=known)).k.people for known in (1, 2, "all")]
    assert reached == [3, 1, 1]


def test_the_verdict_says_what_is_known(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    people = pl.concat([VISITS.with_columns(id=pl.col("id") + str(copy)) for copy in range(4)])
    people.write_csv(tmp_path / "people.csv")
    POLICY.save(tmp_path / "policy.toml")
    arguments = ["audit", str(tmp_path / "people.csv"), "-p", str(tmp_path / "policy.toml"), "--without-identifiers"]
    assert main(arguments) == 0
    told = capsys.readouterr().out
    assert "to someone who knows sex in all rows of a person, each of the 24 people looks like" in told
    assert "4 people have several, one has 3; each person counts once" in told


# What is refused


def test_identifiers_that_repeat_must_be_explained() -> None:
    said = {"public": ["sex"], "private": ["illness"], "require": "k=3"}
    with pytest.raises(ks.PolicyError, match=r"'id' repeats in 2 of 8 rows: if a person has several rows, say so"):
        ks.anonymize(VISITS, ks.Policy(identifier=["id"], **said), "mondrian")  # type: ignore[arg-type]
    made = ks.anonymize(VISITS, ks.Policy(identifier=["id"], person=False, **said), "mondrian")  # type: ignore[arg-type]
    assert made.audit.rows == 8
    # Together they tell people apart, so each row is a person.
    numbered = VISITS.with_columns(visit=pl.arange(8))
    ks.anonymize(numbered, ks.Policy(identifier=["id", "visit"], **said), "mondrian")  # type: ignore[arg-type]


def test_a_release_alone_does_not_say_whose_rows_it_has() -> None:
    with pytest.raises(ks.PolicyError, match="the table does not say whose they are: give the people behind it"):
        ks.audit(VISITS.drop("id"), POLICY)
    with pytest.raises(ks.DataError, match="the people cannot be used: they do not say whose row it is"):
        ks.audit(VISITS.drop("id"), VISITS.drop("id"), POLICY)


def test_the_column_itself_is_never_released() -> None:
    found = ks.audit(VISITS, POLICY)
    assert found.identifiers == ("id",)
    assert not found.holds
    assert "id" not in ks.anonymize(panel(), PANEL, "mondrian").frame.columns


def test_what_counts_rows_says_so() -> None:
    with pytest.raises(ks.PolicyError, match=r"8 rows are of 6 people \('id' repeats\), and rows are counted here"):
        ks.share_tree(VISITS, replace(POLICY, target="illness"))


def test_rows_of_nobody() -> None:
    with pytest.raises(ks.DataError, match="1 rows do not say whose they are"):
        ks.anonymize(VISITS.with_columns(id=pl.when(pl.col("id") != "b").then("id")), POLICY, "mondrian")


def test_policies_that_make_no_sense() -> None:
    with pytest.raises(ks.PolicyError, match="a weight and a person"):
        ks.Policy(person="id", weight="n", public=["sex"], require="k=3")
    with pytest.raises(ks.PolicyError, match="known_rows must be a whole number of at least 1"):
        ks.Policy(person="id", known_rows=0, public=["sex"], require="k=3")
    with pytest.raises(ks.PolicyError, match="as identifier and as person"):
        ks.Policy(person="id", identifier=["id"], public=["sex"], require="k=3")


def test_too_many_ways_to_know_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["kspan.audit.persons"], "MOST_KNOWN_SETS", 10)
    rows = panel(40)
    with pytest.raises(ks.PolicyError, match="too many ways to know 2 rows of a person"):
        ks.audit(rows, replace(PANEL, known_rows=2))


# What is made


def test_policies_keep_it() -> None:
    policy = replace(PANEL, known_rows=2)
    assert ks.Policy.from_toml(policy.to_toml()) == policy
    assert "person = false" in replace(PANEL, person=False).to_toml()


def test_a_release_is_judged_again_by_the_rows_in_it(tmp_path: Path) -> None:
    people = panel()
    people.write_csv(tmp_path / "people.csv")
    PANEL.save(tmp_path / "policy.toml")
    place = [str(tmp_path / name) for name in ("people.csv", "policy.toml", "out.csv")]
    assert main(["anonymize", place[0], "-p", place[1], "-m", "mondrian", "-o", place[2]]) == 0
    assert pl.read_csv(place[2]).height < people.height  # some were withheld, and the owner's file tells which
    assert main(["audit", place[2], "-p", place[1], "--data", place[0]]) == 0
    (tmp_path / "out.csv.owner.json").unlink()
    assert main(["audit", place[2], "-p", place[1], "--data", place[0]]) == 1  # anybody may be one who is not in it


def test_private_values_of_rows_that_may_not_be_there() -> None:
    release = ks.anonymize(panel(), replace(PANEL, require="k=3, distinct_l=2"), "mondrian", secret="1" * 32)  # type: ignore[arg-type]
    with pytest.raises(ks.DataError, match="rows more than the release admits"):
        ks.audit(release.frame, panel(), release.policy)
    assert ks.audit(release).holds


def test_a_report_tells_of_people() -> None:
    told = ks.report(ks.anonymize(panel(), replace(PANEL, target="illness"), "mondrian", secret="1" * 32)).markdown()
    assert "298 people have 762 rows" in told
    assert "and each was counted once" in told
