"""Kept recodings show later rows like those in memory; what they release holds, and their files are not trusted."""

import copy
import hashlib
import json
import stat
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from anonymize.test_newcomers import arrivals, rows_of
from kspan.model.documents import lines
from kspan.tables.methods import methods
from laws.examples import share_of_examples
from laws.test_anonymize import assert_cells_admit, policy, tables

GLOBAL = ("incognito", "datafly", "tds", "tdr", "k-optimize")
PUBLIC = ("age", "town", "color")


def made(people: pl.DataFrame, method: str, require: str = "k=2", **more: Any) -> ks.TableRelease | None:
    options = {"seconds": 0.2} if method == "k-optimize" else {}
    try:
        return ks.anonymize(people, policy(require, **more), method, secret="0" * 32, keep_order=True, **options)
    except ks.Unreachable:
        return None


def stored(release: ks.TableRelease, folder: Path) -> ks.KeptRecoding:
    release.save_recoding(folder / "recoding.json")
    return ks.load_recoding(folder / "recoding.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("recodings")


@pytest.mark.slow
@share_of_examples(0.04)
@pytest.mark.parametrize("method", methods())
@given(people=tables(), new=arrivals)
def test_a_stored_recoding_gives_the_same_as_the_one_in_memory(
    method: str, folder: Path, people: pl.DataFrame, new: Any
) -> None:
    release = made(people, method)
    if release is None:
        return
    kept = stored(release, folder)
    assert kept.recode(people).equals(release.recode(people))
    assert kept.recode(rows_of(new)).equals(release.recode(rows_of(new)))
    assert kept.checksum == hashlib.sha256((folder / "recoding.json").read_bytes()).hexdigest()
    if released(kept, people):
        again, before = (each.apply(people, withhold=True, secret="3" * 32) for each in (kept, release.kept_recoding()))
        assert again.frame.equals(before.frame)


def released(kept: ks.KeptRecoding, people: pl.DataFrame) -> bool:
    """Can anybody be released, though some are withheld?"""
    try:
        kept.apply(people, withhold=True)
    except ks.DoesNotHold as error:
        assert "would be withheld" in str(error)  # noqa: PT017
        return False
    return True


@pytest.mark.slow
@share_of_examples(0.04)
@pytest.mark.parametrize("method", methods())
@given(people=tables(), require=st.sampled_from(["k=2", "k=3", "k=2, confidence[label]=0.9"]))
def test_rows_that_it_was_made_from_show_their_cells_again(method: str, people: pl.DataFrame, require: str) -> None:
    release = made(people, method, require)
    if release is None:
        return
    inside = people.filter(pl.Series(release.partition.group >= 0))
    kept = release.kept_recoding()
    if method in GLOBAL:
        assert kept.apply(inside, keep_order=True).frame.equals(release.frame)
    elif released(kept, inside):
        again = kept.apply(inside, withhold=True, keep_order=True)
        assert_cells_admit(inside, again.frame, again.partition.group)


@pytest.mark.slow
@share_of_examples(0.03)
@pytest.mark.parametrize("method", methods())
@pytest.mark.parametrize("counting", ["rows", "people"])
@given(people=tables(), later=tables(), require=st.sampled_from(["k=2", "k=3", "k=2, t[label]=0.4"]))
def test_what_is_applied_holds_and_is_true(
    method: str, counting: str, people: pl.DataFrame, later: pl.DataFrame, require: str
) -> None:
    release = made(people, method, require, counting=counting)
    if release is None:
        return
    beside = [release.frame] if counting == "rows" else []
    try:
        more = release.kept_recoding().apply(later, beside=beside, withhold=True, keep_order=True)
    except ks.DoesNotHold:
        return
    assert ks.audit(more).holds
    assert ks.audit(more.frame, more.behind, release.policy).holds
    assert not beside or ks.audit(pl.concat([*beside, more.frame]), release.policy).holds
    assert more.frame.height + more.withheld == later.height
    assert_cells_admit(later, more.frame, more.partition.group)


MORTGAGE = {"identifier": ["Name"], "public": ["Gender", "Married", "Age", "Sports car"], "target": "Loan risk"}


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return ks.datasets.mortgage()


@pytest.fixture(scope="module")
def kept(people: pl.DataFrame) -> ks.KeptRecoding:
    return ks.anonymize(people, {**MORTGAGE, "require": {"k": 3}}, "mondrian", secret="0" * 32).kept_recoding()


def test_the_file_is_the_owners_alone(kept: ks.KeptRecoding, tmp_path: Path) -> None:
    kept.save(tmp_path / "recoding.json")
    assert stat.S_IMODE((tmp_path / "recoding.json").stat().st_mode) == 0o600
    # The checksum is told, so nobody may be able to guess what it is of.
    assert kept.checksum != ks.KeptRecoding(kept.policy, kept.method, kept.options, kept.facts, kept.ways).checksum


def test_the_manifest_says_where_it_is_from(kept: ks.KeptRecoding, people: pl.DataFrame, tmp_path: Path) -> None:
    release = kept.apply(people, secret="1" * 32)
    release.save(tmp_path / "night.csv")
    manifest = json.loads((tmp_path / "night.csv.release.json").read_text())
    assert manifest["method"] == "applied"
    assert manifest["facts"]["applied from"] == {"sha256": kept.checksum, "method": "mondrian"}
    assert ks.read_table(tmp_path / "night.csv").equals(release.frame)
    assert "Name" not in release.frame.columns
    with pytest.raises(ks.PolicyError, match="is kept already"):
        release.save_recoding(tmp_path / "recoding.json")


def test_rows_that_break_it_are_refused_or_withheld(kept: ks.KeptRecoding, people: pl.DataFrame) -> None:
    few = pl.concat([people, people.head(1).with_columns(Name=pl.lit("new"), Age=pl.lit(None, people["Age"].dtype))])
    with pytest.raises(ks.DoesNotHold, match="break k=3 for 1 of 13 people: nothing was released"):
        kept.apply(few)
    assert kept.apply(few, withhold=True).withheld == 1
    with pytest.raises(ks.DoesNotHold, match="all 2 new rows would be withheld"):
        kept.apply(people.head(2), withhold=True)


def test_a_value_that_no_group_admits_is_suppressed_and_not_made_up() -> None:
    people = pl.DataFrame({"age": [10, 11, 12, 30, 40, 50], "label": list("uuuvvv")})
    release = ks.anonymize(
        people, ks.Policy(public=["age"], target="label", require="k=3"), "mondrian", secret="0" * 32
    )
    new = pl.DataFrame({"age": [5, 1000, None, 10, 11, 12], "label": list("uvuvuv")})
    assert "*" not in release.recode(new)["age"].to_list()[:2]  # to learn from, the nearest will do
    assert release.kept_recoding().apply(new, keep_order=True).frame["age"].to_list() == ["*"] * 3 + ["[10, 15["] * 3


def test_a_value_that_nobody_had_gets_the_narrowest_cell_that_is_true() -> None:
    people = pl.DataFrame({"age": [15, 16, 18, 20, 21, 24], "label": list("uuuvvv")})
    rules = ks.Policy(public=["age"], target="label", require="k=3", hierarchies={"age": ks.Intervals((5, 10))})
    kept = ks.anonymize(people, rules, "incognito", secret="0" * 32).kept_recoding()
    new = pl.DataFrame({"age": [19, 19, 19, 22, 22, 22], "label": list("uvuvuv")})
    # 19 is nearer to 20 than to 18, or as near, but it is no number from 20 to 24.
    assert kept.apply(new, keep_order=True).frame["age"].to_list() == ["[15, 19]"] * 3 + ["[20, 24]"] * 3


def test_codes_that_nobody_had_are_shown_by_their_prefix() -> None:
    people = pl.DataFrame({"zip": ["1305", "1306", "1311", "1312"], "ill": list("abab")})
    rules = ks.Policy(public=["zip"], private=["ill"], require="k=2", hierarchies={"zip": {"build": "prefixes"}})
    kept = ks.anonymize(people, rules, "incognito", secret="0" * 32).kept_recoding()
    new = pl.DataFrame({"zip": ["1309", "1306", "9999", "9998"], "ill": list("abab")})
    assert kept.apply(new, keep_order=True).frame["zip"].to_list() == ["130*", "130*", "*", "*"]


def test_earlier_releases_are_judged_with_the_new_rows() -> None:
    people = pl.DataFrame({"town": ["ay"] * 4 + ["by"] * 4, "ill": list("xyxy") * 2})
    rules = ks.Policy(public=["town"], private=["ill"], require="k=2, t=0.03")
    release = ks.anonymize(people, rules, "mondrian", secret="0" * 32)
    kept = release.kept_recoding()
    odd = pl.DataFrame({"town": ["ay"] * 4, "ill": list("xxxy")})
    assert kept.apply(odd).audit.holds  # by themselves, they are as everybody is
    with pytest.raises(ks.DoesNotHold, match=r"together with the earlier releases break .* for"):
        kept.apply(odd, beside=[release.frame])
    with pytest.raises(ks.DataError, match=r"the same columns \('ill'\)"):
        kept.apply(odd, beside=[release.frame.drop("ill")])
    told = kept.apply(people, beside=[release.frame, release.frame]).manifest()["facts"]["applied from"]
    assert len(told["judged with"]) == 2


def test_private_numbers_of_earlier_files_are_the_same_numbers() -> None:
    people = pl.DataFrame({"town": ["ay"] * 4, "debt": [1.0, 2.0, None, 2.0]})
    rules = ks.Policy(public=["town"], private=["debt"], require="k=2, distinct_l=3")
    release = ks.anonymize(people, rules, "mondrian", secret="0" * 32)
    as_text = pl.DataFrame({"town": ["ay"] * 2, "debt": ["1", "2"]})
    found = release.kept_recoding().apply(people, beside=[as_text])
    assert found.audit.holds
    from kspan.tables.applying import _united

    assert sorted(_united([as_text], release.frame)["debt"].unique().drop_nulls()) == ["1", "2"]


def test_people_with_several_rows_are_not_taken_for_several_people() -> None:
    people = pl.DataFrame({"id": range(8), "town": ["ay", "by"] * 4, "ill": list("abab") * 2})
    rules = ks.Policy(person="id", public=["town"], private=["ill"], require="k=2")
    release = ks.anonymize(people, rules, "mondrian", secret="0" * 32)
    kept = release.kept_recoding()
    assert kept.apply(people).frame.columns == ["town", "ill"]
    with pytest.raises(ks.PolicyError, match="8 new rows are of 2 people"):
        kept.apply(people.with_columns(id=pl.col("id") % 2))
    with pytest.raises(ks.PolicyError, match="do not say whose theirs are"):
        kept.apply(people, beside=[release.frame])
    with pytest.raises(ks.DataError, match="add the column 'id'"):
        kept.apply(people.drop("id"))


def test_who_counts_people_cannot_add_to_releases_of_unknown_people(people: pl.DataFrame) -> None:
    release = ks.anonymize(people, {**MORTGAGE, "counting": "people", "require": {"k": 3}}, "mondrian", secret="0" * 32)
    with pytest.raises(ks.PolicyError, match="the policy counts people"):
        release.kept_recoding().apply(people, beside=[release.frame])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda rows: rows.drop("Married"), "'Married'"),
        (lambda rows: rows.drop("Loan risk"), "'Loan risk'"),
        (lambda rows: rows.with_columns(extra=pl.lit(1)), "'extra' has no role"),
        (lambda rows: rows.head(0), "has no rows"),
        (lambda rows: rows.with_columns(Age=pl.lit([[1]]).first()), "turn them into text or numbers"),
        (lambda rows: rows.with_columns(Name=pl.lit("Ann")), "repeats in 11 of 12 rows"),
    ],
)
def test_rows_that_do_not_fit_are_refused(
    kept: ks.KeptRecoding, people: pl.DataFrame, change: Callable[[pl.DataFrame], pl.DataFrame], says: str
) -> None:
    with pytest.raises(ks.KspanError, match=says):
        kept.apply(change(people))


def test_columns_of_other_types_are_the_same_people(kept: ks.KeptRecoding, people: pl.DataFrame) -> None:
    as_text = people.with_columns(pl.col("Age").cast(pl.String))
    assert kept.apply(as_text, keep_order=True).frame.equals(kept.apply(people, keep_order=True).frame)
    assert kept.apply(people.to_pandas(), withhold=True).table.shape == (12, 5)


def test_free_text_is_refused(kept: ks.KeptRecoding, people: pl.DataFrame) -> None:
    says = pl.Series([f"She told me on day {n} that she owes money to her brother {n}." for n in range(12)])
    with pytest.raises(ks.PolicyError, match="free text"):
        kept.apply(people.with_columns(says.alias("Loan risk")))


def test_a_policy_that_changed_is_refused(kept: ks.KeptRecoding) -> None:
    kept.check_policy({**MORTGAGE, "require": {"k": 3}})
    with pytest.raises(ks.PolicyError, match="has changed since the recoding was made, in 'require'"):
        kept.check_policy({**MORTGAGE, "require": {"k": 2}})
    with pytest.raises(ks.PolicyError, match="'hierarchies'"):
        kept.check_policy({**MORTGAGE, "require": {"k": 3}, "hierarchies": {"Gender": {"build": "auto"}}})


def document() -> dict[str, Any]:
    """A recoding with regions, a hierarchy of its own, numbers, and missing values."""
    people = pl.DataFrame(
        {
            "age": [10, 11, 12, 30, 40, None],
            "town": ["ay", "by", "ay", "cy", "dy", "cy"],
            "zip": ["1305", "1306", "1311", "1312", "1313", "1399"],
            "income": [1, 2, 1, 2, 1, 2],
            "label": list("uuuvvv"),
        }
    )
    towns = policy("k=3").hierarchies["town"]
    rules = ks.Policy(
        public=["age", "town", "zip"], private=["income"], target="label", require="k=3",
        hierarchies={"town": towns, "zip": ks.Prefixes()}, domains={"age": [0, 120]},
    )  # fmt: skip
    release = ks.anonymize(people, rules, "kactus", secret="0" * 32, show="median", blank=True)
    return dict(json.loads(release.kept_recoding().content))


DOCUMENT = document()


def loaded(document: Any, folder: Path) -> ks.KeptRecoding:
    (folder / "recoding.json").write_text(lines(document) if isinstance(document, dict) else document)
    return ks.load_recoding(folder / "recoding.json")


SPOILED: list[tuple[str, Callable[[dict[str, Any]], Any], str]] = [
    ("another format", lambda it: it.update(format="kspan/tree"), "no recoding that kspan wrote"),
    ("a later version", lambda it: it.update(version=2), "reads version 1"),
    ("another key", lambda it: it.update(run="rm"), "'run' is not known"),
    ("other columns", lambda it: it["attributes"][0].update(name="income"), "the public column in its place"),
    ("a column less", lambda it: it["attributes"].pop(), "must be a list of the public columns"),
    ("a column without a role", lambda it: it["policy"].update(public=["age", "town", "id"]), "hierarchies names"),
    ("a file as a hierarchy", lambda it: it["policy"]["hierarchies"].update(town="/etc/passwd"), "must be an object"),
    ("no requirement", lambda it: it["policy"].pop("require"), "requires nothing"),
    ("a huge code", lambda it: it["attributes"][0]["shown"].__setitem__(0, 10**30), "whole numbers from 0"),
    ("a negative code", lambda it: it["attributes"][0]["shown"].__setitem__(0, -1), "whole numbers from 0"),
    ("a truth as a code", lambda it: it["attributes"][0]["became"].__setitem__(0, True), "whole numbers from -1"),
    ("a group less", lambda it: it["attributes"][0]["shown"].pop(), "shown by the same groups"),
    ("no groups", lambda it: [each.update(shown=[]) for each in it["attributes"]], "there must be some"),
    ("a region less", lambda it: it["attributes"][0]["regions"]["shown"].pop(), "as many as 'group_of_region'"),
    ("regions of no group", lambda it: it["group_of_region"].__setitem__(0, 10**6), "whole numbers"),
    ("a cell twice", lambda it: it["attributes"][1].update(cells=["a", "a"]), "the same twice"),
    ("a cell that is no text", lambda it: it["attributes"][1].update(cells=[{}]), "must be text"),
    ("huge numbers", lambda it: it["attributes"][0]["values"].__setitem__(0, "1e200"), "must be numbers, at most"),
    ("words as numbers", lambda it: it["attributes"][0]["values"].__setitem__(0, "ten"), "must be numbers"),
    ("numbers in disorder", lambda it: it["attributes"][0]["values"].__setitem__(0, "99"), "ascending order"),
    ("a value more", lambda it: it["attributes"][1]["values"].insert(0, "aa"), "a cell for each of 'values'"),
    ("uneven levels", lambda it: it["attributes"][2]["hierarchy"]["levels"][0].pop(), "at every level"),
    ("a long mask", lambda it: it["attributes"][2]["hierarchy"].update(mask="**"), "one character"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "spoil", "says"), SPOILED, ids=[one[0] for one in SPOILED])
def test_a_spoiled_file_is_refused(what: str, spoil: Callable[[Any], Any], says: str, tmp_path: Path) -> None:
    loaded(DOCUMENT, tmp_path)
    spoiled = copy.deepcopy(DOCUMENT)
    spoil(spoiled)
    with pytest.raises(ks.ModelError, match=says):
        loaded(spoiled, tmp_path)


@pytest.mark.parametrize("content", ["[" * 100_000, "{}", "[]", '{"format": NaN}', "1" * 10_000, "", "\x80"])
def test_what_is_no_recoding_is_refused(content: str, tmp_path: Path) -> None:
    with pytest.raises(ks.KspanError, match=r"recoding\.json"):
        loaded(content, tmp_path)


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a document."""
    if above:
        yield above
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from places(inner, (*above, key))


@share_of_examples(2)
@given(
    place=st.sampled_from(list(places(DOCUMENT))),
    put=st.sampled_from(
        [None, True, -1, 0, 10**40, 1e308, "", "*", "[1, 2]", "{", [], [[]], {}, {"levels": []}, ["x"]]
    ),
)
def test_whatever_is_put_anywhere_is_refused_or_releases_nothing_that_breaks_its_policy(
    place: tuple[Any, ...], put: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    spoiled = copy.deepcopy(DOCUMENT)
    inside: Any = spoiled
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = put
    new = pl.DataFrame(
        {"age": [10, 12, 35, 99], "town": ["ay", "by", "zz", None], "zip": ["1305", "1", "1399", "x"],
         "income": [1, 2, 1, 2], "label": list("uvuv")}
    )  # fmt: skip
    new = pl.concat([new] * 3)
    try:
        kept = loaded(spoiled, tmp_path_factory.getbasetemp())
        release = kept.apply(new, withhold=True)
    except ks.KspanError as error:
        assert "1399" not in str(error)  # noqa: PT017
        return
    assert ks.audit(release.frame, kept.policy).holds


def test_cells_that_admit_nobody_release_nothing_false(tmp_path: Path) -> None:
    spoiled = copy.deepcopy(DOCUMENT)
    spoiled["group_of_region"] = None
    for each in spoiled["attributes"]:
        each["regions"] = None
        each["cells"] = [f"made up {number}" for number in range(len(each["cells"]))]
        each["by_value"] = True
    new = pl.DataFrame(
        {"age": [10] * 3, "town": ["ay"] * 3, "zip": ["1305"] * 3, "income": [1, 2, 1], "label": list("uvu")}
    )
    shown = loaded(spoiled, tmp_path).apply(new).frame
    assert shown.select("age", "town", "zip").unique().rows() == [("*", "*", "*")]


def test_large_whole_numbers_keep_their_digits(tmp_path: Path) -> None:
    ids = [2**53 + n for n in range(4)] + [2**62 + n for n in range(4)]
    people = pl.DataFrame({"code": np.array(ids), "label": list("uvuvuvuv")})
    release = ks.anonymize(
        people, ks.Policy(public=["code"], target="label", require="k=2"), "mondrian", secret="0" * 32
    )
    assert stored(release, tmp_path).recode(people).equals(release.recode(people))


@pytest.mark.parametrize("method", ["mondrian", "datafly", "one-dim"])
def test_dates_are_kept_and_shown_as_dates(method: str, tmp_path: Path) -> None:
    days = [date(1950, 1, 1) + timedelta(days=97 * at) for at in range(120)]
    people = pl.DataFrame({"birth": days, "y": ["a", "b"] * 60})
    policy = ks.Policy(
        public=["birth"], private=["y"], require="k=4", hierarchies={"birth": ks.Dates(levels=("year", "decade"))},
        domains={"birth": [date(1900, 1, 1), date(2020, 1, 1)]},
    )  # fmt: skip
    release = ks.anonymize(people, policy, method, secret="1" * 32)
    release.save_recoding(tmp_path / "r.json")
    kept = ks.load_recoding(tmp_path / "r.json")
    assert kept.policy == policy
    applied = kept.apply(people, withhold=True)
    assert applied.audit.holds
    assert applied.frame["birth"].str.contains(r"^\[?\d{4}-\d\d").all()
    assert ks.audit(applied.frame, policy).holds
