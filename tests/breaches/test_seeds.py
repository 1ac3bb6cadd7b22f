"""An attack by trying seeds: whoever has the public rows in the order of the source replays the release."""

import numpy as np
import polars as pl
import pytest

import kspan as ks

METHODS = ["mondrian", "tds", "kactus"]
"""One-dim parts people who look the same by chance; there the secret alone decides who stands where."""
SECRET = f"{7:032x}"
"""As small as a seed: the attacker finds it among the first that are tried."""
ILLNESSES = ["flu", "hiv", "none", "cancer", "cold"]


def register(people: int = 600) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    return pl.DataFrame({"age": rng.integers(18, 90, people), "sex": rng.choice(["F", "M"], people)})


def town() -> pl.DataFrame:
    people = register()
    return people.with_columns(ill=pl.Series(np.random.default_rng(5).choice(ILLNESSES, people.height)))


def policy(**more: object) -> ks.Policy:
    return ks.Policy(public=["age", "sex"], private=["ill"], target="ill", require="k=10", **more)  # type: ignore[arg-type]


def guessed(released: pl.DataFrame, method: str, secret: str) -> float:
    """How many illnesses somebody tells who replays the release with numbers of rows in the place of illnesses."""
    people = register()
    numbers = people.with_columns(ill=pl.Series([f"{row:04}" for row in range(people.height)]))
    # The target steers the cuts of some methods: an attacker who knew it all would have nothing to learn.
    aimless = ks.Policy(public=["age", "sex"], private=["ill"], require="k=10")
    replayed = ks.anonymize(numbers, aimless, method, secret=secret).frame
    told = pl.Series([""] * people.height).scatter(replayed["ill"].cast(pl.Int64), released["ill"])
    return float((told == town()["ill"]).mean())  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["mondrian", "one-dim"])
def test_trying_seeds_tells_nothing(method: str) -> None:
    asked = ks.Policy(public=["age", "sex"], private=["ill"], require="k=10")
    released = ks.anonymize(town(), asked, method, secret=SECRET).frame
    rates = [guessed(released, method, f"{seed:032x}") for seed in (*range(10), int(SECRET, 16))]
    # In a group of ten with five illnesses, chance tells about one in five.
    assert max(rates) < 0.3


@pytest.mark.parametrize("method", METHODS)
def test_nothing_of_the_order_of_the_source_is_left(method: str) -> None:
    people, options = town(), {"transfer": "none"} if method == "kactus" else {}
    order = np.random.default_rng(1).permutation(people.height)
    first, other = (ks.anonymize(rows, policy(), method, secret=SECRET, **options) for rows in (people, people[order]))
    assert first.frame.equals(other.frame)
    assert not first.frame.equals(ks.anonymize(people, policy(), method, **options).frame)


def test_later_rows_come_in_no_order_of_the_source() -> None:
    people = town()
    recoding = ks.anonymize(people, policy(), "mondrian").kept_recoding()
    order = np.random.default_rng(1).permutation(people.height)
    first, other = (recoding.apply(rows, secret=SECRET) for rows in (people, people[order]))
    assert first.frame.equals(other.frame)


@pytest.mark.parametrize("method", ["mondrian", "kactus"])
def test_every_release_has_a_secret_of_its_own(method: str) -> None:
    releases = [ks.anonymize(town(), policy(), method) for _ in range(3)]
    assert len({one.secret for one in releases}) == 3
    assert all(len(bytes.fromhex(one.secret)) == 16 for one in releases)
    assert not any(one.secret in repr(one) or one.secret in str(one.manifest()) for one in releases)
