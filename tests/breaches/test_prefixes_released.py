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
