"""Every method on Adult, for the quasi-identifier sets and k of Kisilevich et al. 2010: the file written holds."""

import os
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.tables.methods import methods

pytestmark = pytest.mark.slow

LEFT_OUT = {
    "14/14": (),
    "11/14": ("relationship", "race", "capital-loss"),
    "8/14": ("relationship", "race", "capital-loss", "education", "education-num", "marital-status"),
}
THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
"""All of the paper's k, and all people, take minutes; every fourth person will do to see that files hold."""
PEOPLE = ks.datasets.load_adult("train", missing=False).gather_every(1 if THOROUGH else 4)
HIERARCHIES = ks.datasets.adult_policy().hierarchies


@pytest.mark.parametrize("k", [5, 20, 50, 100, 500, 1000] if THOROUGH else [5, 100])
@pytest.mark.parametrize("public", LEFT_OUT)
@pytest.mark.parametrize("method", methods())
def test_the_file_holds(method: str, public: str, k: int, tmp_path: Path) -> None:
    names = [name for name in PEOPLE.columns if name not in (*LEFT_OUT[public], "income")]
    policy = ks.Policy(
        public=names,
        private=LEFT_OUT[public],
        target="income",
        require=ks.KAnonymity(k),
        hierarchies={name: given for name, given in HIERARCHIES.items() if name in names},
    )
    options = {"seconds": 0.5} if method == "k-optimize" else {}
    release = ks.anonymize(PEOPLE, policy, method, secret="0" * 32, **options)
    release.save(tmp_path / "out.csv")
    found = ks.audit(tmp_path / "out.csv", policy)
    assert found.holds
    assert found.k.rows >= k
    assert found.groups > 1 or method == "k-optimize"  # which may find nothing in half a second
    rows = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    assert rows.height + release.withheld == PEOPLE.height
    smallest = rows.group_by(names).len()["len"].min()
    assert isinstance(smallest, int)
    assert smallest >= k
