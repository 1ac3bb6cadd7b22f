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


FAR = {"crowd": {}, "mondrian": {}, "kactus": {}, "one-dim": {}, "k-optimize": {"seconds": 0.3}}


@pytest.mark.parametrize("method", FAR)
def test_a_number_far_from_all_others_is_not_told_by_a_round_one_next_to_it(method: str) -> None:
    """A grid that is fine where most people are must not be fine where one person is alone."""
    amounts = np.append(np.arange(100, 140), 51_377)
    source = pl.DataFrame({"income": amounts, "ill": ["flu", "hiv", "none"] * 13 + ["flu"] * 2})
    policy = ks.Policy(public=["income"], private=["ill"], target="ill", require="k=5")
    release = ks.anonymize(source, policy, method, **FAR[method])
    highest = max(cell.high for cell in map(read_cell, release.frame["income"]) if isinstance(cell, Between))
    assert highest == 100_000


@pytest.mark.parametrize("method", ["crowd", "mondrian"])
def test_the_tail_of_incomes_is_not_told(method: str) -> None:
    """Of incomes as people have them: no end is near to somebody who has nobody else near."""
    told = alone = 0
    for seed in range(10):
        incomes = np.random.default_rng(seed).lognormal(10, 1.5, 500).astype(np.int64)
        source = pl.DataFrame({"income": incomes, "ill": ["flu", "hiv"] * 250})
        policy = ks.Policy(public=["income"], private=["ill"], target="ill", require="k=5")
        release = ks.anonymize(source, policy, method)
        ends = {end for cell in map(read_cell, release.frame["income"].unique()) if isinstance(cell, Between)
                for end in (cell.low, cell.high)}  # fmt: skip
        for one in incomes.tolist():
            near = (np.abs(incomes - one) <= 0.03 * one).sum()
            alone += near == 1
            told += near == 1 and any(abs(end - one) <= 0.002 * one for end in ends)
    assert alone > 100
    assert told <= 3, "a round number may be near to somebody by chance, about one time in fifty"


def test_a_date_far_from_all_others_is_told_by_the_decade() -> None:
    days = [*range(12_000, 12_200), -20_000]
    source = pl.DataFrame({"born": pl.Series(days, dtype=pl.Int32).cast(pl.Date), "ill": ["flu"] * 201})
    release = ks.anonymize(source, ks.Policy(public=["born"], private=["ill"], require="k=5"), "mondrian")
    assert [text[:8] for text in release.frame["born"].unique() if "[1" in text] == ["[1910-01"]  # of 1915-03-30
