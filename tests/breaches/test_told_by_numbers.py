"""Private numbers that are not shown as they are: nobody finds one in a limit, a mean, noise, or a file beside them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import kspan as ks

RICHEST = 8_765_431
SIXTH = 1_234_567


def people(*more: int) -> pl.DataFrame:
    """200 people with incomes below 100,000, and some with more; ages and sexes come in crowds."""
    income = [20_003 + 397 * at for at in range(200)]
    number = len(income) + len(more)
    public = {"age": [30 + 10 * (at % 2) for at in range(number)], "sex": ["F"] * number}
    return pl.DataFrame({"id": range(number), **public, "income": [*income, *more]})


def policy(ways: dict[str, Any], **says: Any) -> ks.Policy:
    roles: dict[str, Any] = {"identifier": ["id"], "public": ["age", "sex"], "require": "k=5"}
    return ks.Policy(**{**roles, "private": {"income": ways}, **says})


def files(release: ks.TableRelease, folder: Path) -> tuple[str, str]:
    """What leaves: the table, and what goes with it."""
    release.save(folder / "out.csv")
    return (folder / "out.csv").read_text(), (folder / "out.csv.release.json").read_text()


def test_the_top_by_share_is_nobodys_number(tmp_path: Path) -> None:
    source = people(150_001, 160_777, 170_123, 181_999, RICHEST)
    release = ks.anonymize(source, policy({"top": "1%"}), "mondrian")
    table, told = files(release, tmp_path)
    top = release.frame["income"].max()
    assert top not in source["income"].to_list()
    assert (source["income"] >= top).sum() >= 5
    assert (release.frame["income"] == top).sum() >= 5
    assert not any(str(number) in table + told for number in source["income"].to_list() if number > 150_000)


def test_limits_and_files_are_the_same_whatever_one_person_has(tmp_path: Path) -> None:
    # One of the five at the top has a little or very much more: neither the table nor its manifest tells.
    for ways in ({"top": "1%"}, {"top": "1%", "bins": 5000}, {"top": "1%", "round": 1000}):
        told = set()
        for richest in (190_001, 199_998, RICHEST):
            source = people(150_001, 160_777, 170_123, 181_999, richest)
            told.add(files(ks.anonymize(source, policy(ways), "mondrian", secret="7" * 32), tmp_path))
        assert len(told) == 1


def test_a_manifest_tells_nothing_of_how_far_numbers_were_moved(tmp_path: Path) -> None:
    # What a top or means cost would tell how much the richest have.
    release = ks.anonymize(people(RICHEST, SIXTH, SIXTH - 1, 7 * SIXTH, 99), policy({"top": "1%"}), "mondrian")
    _, told = files(release, tmp_path)
    owner = json.loads((tmp_path / "out.csv.owner.json").read_text())
    costs = owner["utility"]["private_numbers"]["income"]
    for name in ("mean_change", "of_spread", "changed", "by"):
        assert name in costs
        assert f'"{name}"' not in told
    assert str(costs["by"]["top"]) not in told
    noisy = ks.anonymize(people(), policy({"noise": "10%"}), "mondrian")
    assert noisy.numbers is not None
    assert str(noisy.numbers.found["income"].noise) not in files(noisy, tmp_path)[1]


def test_two_sources_that_show_the_same_have_the_same_manifest() -> None:
    # Somebody who is withheld in any case: is a very high income in the source?
    lone = pl.DataFrame({"id": [999], "age": [97], "sex": ["X"], "income": [RICHEST]})
    rules = policy(
        {"round": 1000}, hierarchies={"age": ks.Intervals((10.0,)), "sex": ks.Hierarchy.of([("F", "*"), ("X", "*")])}
    )
    made = [
        ks.anonymize(each, rules, "incognito", withhold=0.1, secret="1" * 32, loss="dm")
        for each in (people(), pl.concat([people(), lone]))
    ]
    assert [one.withheld for one in made] == [0, 1]
    assert made[0].manifest() == made[1].manifest()
    assert made[0].for_owner() != made[1].for_owner()


def test_who_knows_all_but_one_of_a_mean_knows_that_one_only_roughly() -> None:
    source = people()
    release = ks.anonymize(source, policy({"microaggregate": True}), "mondrian")
    assert release.numbers is not None
    shown = release.numbers.people["income"].to_numpy()
    found = 0
    for mean in np.unique(shown):
        theirs = source["income"].to_numpy()[shown == mean]
        assert len(theirs) >= 5
        found += int(round(mean * len(theirs) - theirs[:-1].sum()) == theirs[-1])
    assert found < len(np.unique(shown)) / 4


@pytest.mark.parametrize("known", [50, 150])
def test_noise_is_not_found_by_those_who_know_some_of_it(known: int) -> None:
    # The numbers of some are known, and so is the noise that they got: it says nothing of that of the others.
    source = people()
    rules = policy({"noise": 5000, "round": 1})
    release = ks.anonymize(source, rules, "mondrian", secret="8" * 32)
    assert release.numbers is not None
    away = release.numbers.people["income"].to_numpy() - source["income"].to_numpy()
    rest = away[known:]
    for lag in range(1, 5):
        assert abs(np.corrcoef(rest, away[known - lag : len(away) - lag])[0, 1]) < 0.4
    again = ks.anonymize(source, rules, "mondrian", secret="9" * 32)
    assert again.numbers is not None
    other = again.numbers.people["income"].to_numpy() - source["income"].to_numpy()
    assert abs(np.corrcoef(away, other)[0, 1]) < 0.3


def test_half_of_the_same_noise_does_not_undo_it() -> None:
    # x + z and x + 2 z would give x: with one secret and two policies, z must not be the same.
    source = people()
    first, second = (
        ks.anonymize(source, policy({"noise": size, "round": 1}), "mondrian", secret="3" * 32) for size in (4000, 8000)
    )
    assert first.numbers is not None
    assert second.numbers is not None
    undone = 2 * first.numbers.people["income"] - second.numbers.people["income"]
    assert (undone - source["income"]).abs().median() > 2000


def test_the_memory_of_a_released_table_holds_no_exact_number() -> None:
    release = ks.anonymize(people(RICHEST), policy({"bins": 5000}), "mondrian")
    assert release.frame["income"].dtype == pl.String
    assert str(RICHEST) not in repr(release.frame.rows())
    assert str(RICHEST) not in repr(release) + repr(release.numbers)
