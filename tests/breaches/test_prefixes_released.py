"""A release that shows some codes as they are and others by a shared prefix is read back by its own policy."""

import random
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main

CODES = ["13053", "13068", "14850", "14853", "02139", "02142", "90210"]


@pytest.mark.parametrize("method", ["mondrian", "one-dim"])
def test_prefixes_are_shown_and_judged(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chance = random.Random(1)
    people = {"zip": [chance.choice(CODES) for _ in range(60)], "age": [chance.randint(1, 80) for _ in range(60)]}
    pl.DataFrame({**people, "y": ["a", "b", "c"] * 20}).write_csv("people.csv")
    said = 'public=["zip","age"]\nprivate=["y"]\n[require]\nk=3\n[hierarchies]\nzip={build="prefixes"}\n'
    Path("policy.toml").write_text(said)
    options = ["-p", "policy.toml", "-m", method, "--show", "hierarchy", "-o", "out.csv"]
    assert main(["anonymize", "people.csv", *options]) == 0
    shown = set(pl.read_csv("out.csv", infer_schema=False)["zip"])
    assert shown & set(CODES)
    assert any(cell.endswith("*") and len(cell) == 5 for cell in shown)
    assert main(["audit", "out.csv", "-p", "policy.toml"]) == 0


def test_a_mask_that_codes_contain_is_refused_without_a_cell() -> None:
    people = pl.DataFrame({"zip": ["14850", "14853"], "y": ["a", "b"]})
    said = ks.Policy(
        public=["zip"],
        private=["y"],
        hierarchies={"zip": ks.Prefixes(mask="0")},
        domains={"zip": "categorical"},
        require="k=1",
    )
    with pytest.raises(ks.KspanError, match="as a name for different sets") as refused:
        ks.audit(people, said)
    assert "1485" not in str(refused.value)
    assert refused.value.details


def zips(kind: str) -> pl.Series:
    chance = random.Random(2)
    codes = [chance.randrange(13_000, 13_090) for _ in range(120)]
    if kind == "with zeros in front":
        return pl.Series([f"{code - 12_000:05d}" for code in codes])
    if kind == "of different lengths":
        return pl.Series([str(code)[: 4 + code % 2] for code in codes])
    return pl.Series(codes, dtype=pl.Float64 if kind == "floats" else pl.Int64)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["with zeros in front", "of different lengths", "integers", "floats"])
@pytest.mark.parametrize("method", ["mondrian", "incognito", "datafly", "tds", "kactus", "k-optimize", "one-dim"])
def test_a_release_of_prefixes_admits_its_own_people(
    kind: str, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    people = pl.DataFrame({"zip": zips(kind), "age": [20 + at % 9 for at in range(120)], "ill": ["a", "b"] * 60})
    people.write_parquet("people.parquet")
    said = (
        'target="ill"\npublic=["zip","age"]\nprivate=["ill"]\n[require]\nk=4\n[hierarchies]\nzip={build="prefixes"}\n'
    )
    Path("policy.toml").write_text(said + 'age={build="intervals",widths=[3,9]}\n')
    options = [
        "-p",
        "policy.toml",
        "-m",
        method,
        *(["--seconds", "0.1"] if method == "k-optimize" else []),
    ]
    for ending in ("csv", "parquet"):
        out = f"out.{ending}"
        assert main(["anonymize", "people.parquet", *options, "-o", out]) == 0
        assert main(["audit", out, "-p", "policy.toml", "--data", "people.parquet"]) == 0


def test_a_masked_cell_admits_every_code_that_begins_so() -> None:
    said = ks.Policy(public=["zip"], private=["y"], hierarchies={"zip": ks.Prefixes()}, require="k=2")
    released = pl.DataFrame({"zip": ["12***"] * 4 + ["13***"] * 2, "y": list("abcdef")})
    # Nobody here has a code of five digits, so that a hierarchy built from these people has no such name.
    people = pl.DataFrame({"zip": ["1234", "1299", "12", "1300", "1301", "1234"], "y": list("abcdef")})
    found = ks.audit(released, people, said)
    assert found.linked is not None
    assert found.linked.unmatched == 1, "12 itself would be shown as it is"
    assert ks.audit(released, people.with_columns(pl.col("zip").cast(pl.Int64)), said).linked == found.linked


def test_prefixes_make_digits_a_code_and_contradict_a_range() -> None:
    people = pl.DataFrame({"zip": [13_053, 13_068, 14_850, 14_853] * 3, "y": ["a", "b"] * 6})
    said = {"public": ["zip"], "private": ["y"], "require": "k=3", "hierarchies": {"zip": ks.Prefixes()}}
    shown = set(ks.anonymize(people, ks.Policy(**said), "datafly").table["zip"])
    assert shown <= {"13053", "13068", "14850", "14853", "1305*", "1306*", "1485*", "130**", "148**"}
    for domain in ("numeric", [0, 99_999]):
        with pytest.raises(ks.PolicyError, match='declare it "categorical"'):
            ks.Policy(**said, domains={"zip": domain})


def test_names_of_a_hierarchy_are_no_strangers_in_a_range_of_numbers() -> None:
    people = pl.DataFrame({"age": list(range(20, 60)), "y": list("abcd") * 10})
    ages = ks.Hierarchy.of([(str(age), "young" if age < 40 else "old") for age in range(17, 91)])
    for given, method in ((ages, "incognito"), (ks.Automatic(), "datafly")):
        said = ks.Policy(
            public=["age"], private=["y"], hierarchies={"age": given}, domains={"age": [17, 90]}, require="k=5"
        )
        released = ks.anonymize(people, said, method, secret="1" * 32)
        assert ks.audit(released.table, people, said).holds
