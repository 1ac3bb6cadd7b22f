"""The ends of ranges are nobody's numbers: an income that one person has is not told by the range that ends there."""

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.data.cells import Between, read_cell

K = 10


def people(rows: int = 1500) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    return pl.DataFrame(
        {
            "age": rng.integers(17, 91, rows),
            "income": rng.lognormal(10, 1, rows).astype(np.int64) * 7 + 3,
            "height": rng.normal(170, 12, rows).round(1),
            "born": pl.Series(rng.integers(-15_000, 12_000, rows), dtype=pl.Int32).cast(pl.Date),
            "ill": rng.choice(["flu", "hiv", "none"], rows),
        }
    )


METHODS = {
    "mondrian": {}, "one-dim": {}, "k-optimize": {"seconds": 0.3}, "tds": {}, "tdr": {}, "kactus": {"show": "interval"},
}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_the_end_of_a_range_is_nobodys_number(method: str) -> None:
    source = people()
    policy = ks.Policy(public=["age", "income", "height"], target="ill", require=f"k={K}")
    release = ks.anonymize(source.drop("born"), policy, method, **METHODS[method])
    told = release.manifest()["claim"]["ends"]
    for name in policy.public:
        times = dict(source[name].value_counts().iter_rows())
        _, _, step = told[name].partition("multiples of ")
        for text in release.frame[name].cast(pl.String).unique().drop_nulls():
            cell = read_cell(text)
            for end in (cell.low, cell.high) if isinstance(cell, Between) else ():
                is_round = bool(step) and abs(end / float(step) - round(end / float(step))) < 1e-9
                assert is_round or times.get(end, 0) >= K, (name, told[name])


def test_exact_ends_did_tell_numbers_of_single_people() -> None:
    source = people()
    policy = ks.Policy(public=["age", "income", "height"], private=["ill"], require=f"k={K}", grid="exact")
    release = ks.anonymize(source.drop("born"), policy, "mondrian")
    cells = [read_cell(text) for text in release.frame["income"].unique()]
    ends = {end for cell in cells if isinstance(cell, Between) for end in (cell.low, cell.high)}
    alone = source["income"].value_counts().filter(pl.col("count") == 1)["income"]
    assert len(ends & set(alone)) > 100


def test_dates_end_with_months_or_years() -> None:
    policy = ks.Policy(public=["born"], private=["ill"], require=f"k={K}")
    release = ks.anonymize(people().select("born", "ill"), policy, "mondrian")
    for text in release.frame["born"].unique():
        low, high = (end.strip("[] ") for end in (text.split(",") * 2)[:2])
        assert len(low) <= 7, "a day, and no month"
        assert len(high) <= 7, "a day, and no month"
    assert ks.audit(release, people().select("born", "ill")).holds
