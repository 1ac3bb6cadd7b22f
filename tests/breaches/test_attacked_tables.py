"""What an attack from outside found in tables and what is learned from them, each a case of its own."""

import datetime

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.anonymize.limits_by_share import top_of

pytestmark = pytest.mark.slow

FEW = pl.DataFrame({"a": [1, 2, 3, 4, None, 5, 6, None] * 2, "w": ["x"] * 16, "t": ["u", "v", "v", "u"] * 4})


def policy(require: str = "k=5", **more: object) -> ks.Policy:
    return ks.Policy(public=["a", "w"], private=["t"], require=require, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["mondrian", "crowd", "kactus"])
def test_a_public_target_of_dates_shows_nobodys_date(method: str) -> None:
    born = [datetime.date(2010 + at % 9, 1 + at % 12, 1 + (7 * at) % 28) for at in range(13)]
    people = pl.DataFrame({"born": born, "ill": list("uvuvuvuvuvuvu")})
    asked = ks.Policy(public=["born"], private=["ill"], target="born", require="k=4")
    release = ks.anonymize(people, asked, method)
    assert not [cell for cell in release.frame["born"] if any(str(day) in cell for day in born)]
    assert "born" in release.manifest()["claim"]["ends"]
    assert release.audit.holds
    assert ks.audit(release.table, people, asked).holds, "the policy of the owner still names the target"
    assert ks.audit(release.table, asked).holds


@pytest.mark.parametrize("extra", [0, 1, 3])
@pytest.mark.parametrize("limit", ["top", "bottom"])
def test_a_limit_by_share_is_nobodys_number_where_hardly_a_crowd_has_one(extra: int, limit: str) -> None:
    numbers = np.random.default_rng(extra).uniform(40_000, 90_000, 5 + extra).round(2).tolist()
    people = pl.DataFrame({"age": range(60), "income": [*numbers, *[None] * (60 - len(numbers))]})
    asked = ks.Policy(public=["age"], private={"income": {limit: "1%"}}, require="k=5")
    shown = ks.anonymize(people, asked, "mondrian").frame["income"].drop_nulls()
    at_limit = shown.max() if limit == "top" else shown.min()
    assert at_limit not in numbers
    assert at_limit % 10 == 0
    assert (shown == at_limit).sum() >= 5


def test_limits_by_share_of_equal_distance_are_round() -> None:
    assert top_of(np.array([52945.84, 61028.58, 65563.74]), np.ones(3, np.int64), 0.01, 3) == 50_000


def test_what_is_rounded_and_limited_by_share_is_a_multiple() -> None:
    for seed in range(20):
        income = np.random.default_rng(seed).lognormal(8, 1, 200).round(1)
        people = pl.DataFrame({"age": np.arange(200) % 40, "income": income})
        says = {"top": "1%", "bottom": "5%", "round": 1000}
        asked = ks.Policy(public=["age"], private={"income": says}, require="k=3")
        shown = ks.anonymize(people, asked, "mondrian").frame["income"]
        assert (shown % 1000 == 0).all()


def test_clusters_of_a_table_that_shows_nothing_in_a_column_are_refused_in_a_sentence() -> None:
    people = pl.DataFrame({"a": [1, 1, 2, 2, 3, 3], "w": ["x", None, "y", "z", None, "x"], "t": ["u", "v"] * 3})
    release = ks.anonymize(people, policy("k=2"), "datafly")
    assert set(release.frame["w"]) == {"*"}
    with pytest.raises(ks.DataError, match="'w' shows nothing of anybody"):
        ks.learn_clusters(release.table, policy("k=2"))


@pytest.mark.parametrize("kind", ["rules", "itemsets"])
def test_cells_are_items_also_where_the_policy_has_a_target_and_columns_to_keep(kind: str) -> None:
    asked = policy(target="t", keep={"a": 2}, grid={"a": 2})
    release = ks.anonymize(FEW, asked, "kactus")
    mined = ks.learn(release.table, asked, kind, cells=True, min_support=0.1)
    plain = ks.learn(release.table, policy(), kind, cells=True, min_support=0.1)
    assert str(mined) == str(plain)


@pytest.mark.parametrize("method", ["datafly", "tdr", "crowd", "mondrian"])
def test_the_distributions_of_a_release_go_with_it(method: str) -> None:
    release = ks.anonymize(FEW, policy(target="t"), method)
    assert ks.learn(release.table, policy(target="t"), "boosted", marginals=release.marginals(), rounds=3)


@pytest.mark.parametrize("method", ["tds", "tdr"])
def test_the_claim_tells_of_outer_ends(method: str) -> None:
    people = pl.DataFrame({"a": np.arange(7, 77), "w": ["x"] * 70, "t": ["u"] * 30 + ["v"] * 40})
    release = ks.anonymize(people, policy(target="t"), method)
    assert release.manifest()["claim"]["ends"]["a"].startswith("round numbers around all, ")
