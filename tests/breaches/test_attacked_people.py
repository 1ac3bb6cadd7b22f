"""What an outside attacker found in tables of people with several rows: each is refused or judged right now."""

import dataclasses
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.frames.source import without_passwords

POLICY = ks.Policy(public=["q"], private=["s"], person="id", require="k=2")


def test_five_visits_of_one_person_are_no_five_people() -> None:
    """The release has more rows than the people given can have."""
    visits = pl.DataFrame({"q": ["x"] * 5, "s": ["flu", "hiv", "flu", "hiv", "flu"]})
    listed = pl.DataFrame({"id": ["ann"], "q": ["x"], "s": ["flu"]})
    with pytest.raises(ks.DataError, match="the release has 4 rows more than these people can have"):
        ks.audit(visits, listed, dataclasses.replace(POLICY, require="k=5"))  # type: ignore[arg-type]


def test_rows_of_nobody_who_is_given() -> None:
    people = pl.DataFrame({"id": ["ann", "ann", "bob", "bob", "cid"], "q": ["x"] * 5, "s": list("abaab")})
    strangers = pl.DataFrame({"q": ["y"] * 3, "s": ["a"] * 3})
    for extra in (strangers, strangers.with_columns(q=pl.lit("x"))):
        with pytest.raises(ks.DataError, match="the release has 3 rows more than these people can have"):
            ks.audit(pl.concat([people.drop("id"), extra]), people, POLICY)


def test_private_values_of_others() -> None:
    people = pl.DataFrame({"id": list("aabb"), "q": ["x"] * 4, "s": ["flu", "hiv", "flu", "hiv"]})
    policy = dataclasses.replace(POLICY, require="k=2, distinct_l=2")  # type: ignore[arg-type]
    other = people.drop("id").with_columns(s=pl.Series(["aids", "aids", "aids", "cold"]))
    with pytest.raises(ks.DataError, match="the values of 's' in the release are not those of these people"):
        ks.audit(other, people, policy)


def test_a_table_that_is_not_the_one_that_was_made(tmp_path: Path) -> None:
    people = pl.DataFrame(
        {"id": [f"p{at // 2}" for at in range(24)], "q": ["x", "y"] * 12, "z": list("kll") * 8, "s": list("fhcf") * 6}
    )
    policy = ks.Policy(public=["q", "z"], private=["s"], person="id", require="k=3, distinct_l=2")
    release = ks.anonymize(people, policy, "mondrian", secret="1" * 32)
    assert release.withheld
    with pytest.raises(ks.DoesNotHold, match="the table has 24 rows, and"):
        dataclasses.replace(release, table=people.drop("id")).save(tmp_path / "raw.csv")
    assert list(tmp_path.iterdir()) == []
    assert ks.audit(release, people).holds  # the whole source will do, since the release knows its rows


@pytest.mark.parametrize("ids", [["?", "a"], ["  ", "a"], ["", "a"], ["\u200b", "a"], [float("nan"), 1.0]])
def test_a_sign_of_nobody_is_nobody(ids: list[object]) -> None:
    rows = pl.DataFrame({"id": ids * 2, "q": ["x"] * 4, "s": ["flu"] * 4}, strict=False)
    with pytest.raises(ks.DataError, match="2 rows do not say whose they are"):
        ks.audit(rows, dataclasses.replace(POLICY, missing=("?",)))


@pytest.mark.parametrize("ids", [["ann", "ann "], ["7", "7.0"], ["a", "a\u200b"], ["\u00e9", "e\u0301"], ["1", "1 "]])
def test_names_that_look_alike_are_one_person(ids: list[str]) -> None:
    rows = pl.DataFrame({"id": ids, "q": ["x"] * 2, "s": ["flu"] * 2})
    found = ks.audit(rows, POLICY)
    assert (found.people, found.k.people) == (1, 1)
    said = {"public": ["q"], "private": ["s"], "identifier": ["id"], "require": "k=2"}
    with pytest.raises(ks.PolicyError, match="'id' repeats in 1 of 2 rows"):
        ks.audit(rows, ks.Policy(**said))  # type: ignore[arg-type]


def test_long_numbers_of_people_stay_apart() -> None:
    ids = ["90071992547409921", "90071992547409922"]
    assert ks.audit(pl.DataFrame({"id": ids, "q": ["x"] * 2, "s": ["a"] * 2}), POLICY).people == 2


def test_published_figures_do_not_say_how_many_people() -> None:
    rows = pl.DataFrame({"q": ["x", "y"] * 20, "s": ["a", "b"] * 20})
    tree = ks.learn(rows, ks.Policy(public=["q"], private=["s"], target="s", require="k=15"), "kadet")
    with pytest.raises(ks.PolicyError, match="published figures do not say how many people"):
        ks.audit(tree, dataclasses.replace(POLICY, target="s"))


def test_clusters_of_sentences() -> None:
    notes = [f"patient {at} came in with a cough and left" for at in range(40)]
    frame = pl.DataFrame({"q": [at % 4 for at in range(40)], "note": notes})
    with pytest.raises(ks.PolicyError, match="'note' is free text"):
        ks.learn_clusters(frame, ks.Policy(public=["q"], private=["note"], require="k=2"))
    with pytest.raises(ks.PolicyError, match="'note' is free text"):
        ks.KAnonymousClusters(private=["note"], k=2).fit(frame)


@pytest.mark.parametrize("address", ["postgresql:boss:S3cr3t@h/c?table=v", "host=h password=S3cr3t", "password=S3cr3t"])
def test_addresses_that_are_none_tell_no_password(
    address: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    POLICY.save(tmp_path / "p.toml")
    assert main(["audit", address, "-p", str(tmp_path / "p.toml")]) == 2
    assert "S3cr3t" not in capsys.readouterr().err
    assert "S3cr3t" not in without_passwords(f"cannot read {address}: there is none")


@pytest.mark.parametrize("content", ['{"format": "kspan/table-owner", "withheld_rows": [true]}', "[" * 100_000])
def test_an_owner_s_file_that_somebody_wrote(content: str, tmp_path: Path) -> None:
    people = pl.DataFrame({"id": list("aabbccd"), "q": ["x"] * 7, "s": ["a"] * 7})
    people.write_csv(tmp_path / "people.csv")
    people.drop("id").head(6).write_csv(tmp_path / "out.csv")
    (tmp_path / "out.csv.owner.json").write_text(content)
    POLICY.save(tmp_path / "p.toml")
    place = [str(tmp_path / name) for name in ("out.csv", "p.toml", "people.csv")]
    assert main(["audit", place[0], "-p", place[1], "--data", place[2], "--json"]) in (0, 1)


def test_what_would_be_ignored_is_refused() -> None:
    with pytest.raises(ks.PolicyError, match="known_rows is about people with several rows"):
        ks.Policy(public=["q"], require="k=2", known_rows=2)
    with pytest.raises(ks.PolicyError, match="the person must be the name of one column"):
        ks.Policy(public=["q"], require="k=2", person="")
