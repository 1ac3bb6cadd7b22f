"""Whoever knows how a table was made goes through all worlds: who may have what, given that just this table was made.

Everything here is done by the definition, and nothing by the product's own replay of the attack.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations
from math import log
from typing import Any

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.data.encode import encode
from kspan.model.partition import WITHHELD
from kspan.tables.methods import methods

TABLES = 1000 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 60
Person = tuple[int, str]
Options = dict[str, Any]

RESISTANT: dict[str, tuple[str, Options]] = {
    "mondrian": ("mondrian", {"resist": True}),
    "mondrian, relaxed": ("mondrian", {"resist": True, "relaxed": True}),
    "mondrian, sets": ("mondrian", {"resist": True, "show": "set", "width": "distinct"}),
    "crowd": ("crowd", {"resist": True}),
}


def allowed_shares(bound: float) -> Callable[[list[Fraction]], bool]:
    return lambda shares: max(shares) <= Fraction(bound).limit_denominator(1000)


ASKED: dict[str, Callable[[list[Fraction]], bool]] = {
    "k=2, confidence=0.7": allowed_shares(0.7),
    "k=2, alpha=0.6": allowed_shares(0.6),
    "k=2, simple_l=1.5": allowed_shares(1 / 1.5),
    "k=2, distinct_l=2": lambda shares: len(shares) >= 2,
    "k=2, entropy_l=1.6": lambda shares: -sum(float(one) * log(one) for one in shares) >= log(1.6) - 1e-9,
    "k=2, recursive_cl=[3, 2]": lambda shares: max(shares) < 3 * (1 - max(shares)),
}
"""What is required, and what that says of how likely each value is for one person."""


def tiny_tables(seed: int, number: int) -> Iterator[tuple[list[Person], list[str]]]:
    """People with an age and a town, and illnesses: so few that all worlds can be tried."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        rows = int(rng.integers(4, 8))
        people = [
            (int(age), str(town))
            for age, town in zip(rng.integers(1, 5, rows), rng.choice(["a", "b"], rows), strict=True)
        ]
        values = ["flu", "hiv"] if rows > 6 or rng.random() < 0.6 else ["flu", "hiv", "none"]
        yield people, [str(value) for value in rng.choice(values, rows)]


def released(people: list[Person], illness: list[str], policy: ks.Policy, method: str, options: Options) -> Any:
    """The table that a method makes in a world, in no order; None if it makes none."""
    frame = pl.DataFrame({"age": [age for age, _ in people], "town": [town for _, town in people], "illness": illness})
    try:
        made = methods()[method](encode(frame, policy), policy, rng=np.random.default_rng(0), **options).partition
    except ks.Unreachable:
        return None
    cells = [tuple(made.cells(group).values()) for group in range(made.number)]
    return Counter(
        (cells[group], ill) for group, ill in zip(made.group.tolist(), illness, strict=True) if group != WITHHELD
    )


def posterior(people: list[Person], illness: list[str], policy: ks.Policy, method: str, options: Options) -> Any:
    """For each person how likely each illness is, in all worlds with this table; None if there is no table."""
    table = released(people, illness, policy, method, options)
    if table is None:
        return None
    worlds = [
        world
        for world in sorted(set(permutations(illness)))
        if released(people, list(world), policy, method, options) == table
    ]
    return [[Fraction(often, len(worlds)) for often in Counter(each).values()] for each in zip(*worlds, strict=True)]


def exceeding(method: str, options: Options, require: str, seed: int, number: int) -> int:
    """In how many tables something is known of somebody that the requirement does not allow."""
    policy = ks.Policy(public=["age", "town"], private=["illness"], target="illness", require=require)
    found = 0
    for people, illness in tiny_tables(seed, number):
        known = posterior(people, illness, policy, method, options)
        found += known is not None and not all(map(ASKED[require], known))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("require", ASKED)
@pytest.mark.parametrize("name", RESISTANT)
def test_who_resists_tells_no_more_to_those_who_know_the_method(name: str, require: str) -> None:
    method, options = RESISTANT[name]
    number = TABLES // (len(ASKED) * len(RESISTANT)) + 1 if TABLES < 1000 else TABLES // len(ASKED) + 1
    assert exceeding(method, options, require, list(ASKED).index(require), number) == 0


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mondrian", "crowd", "tds", "kactus"])
def test_the_attack_works_on_the_others(method: str) -> None:
    assert exceeding(method, {}, "k=2, confidence=0.7", 0, 25) > 0


def test_a_resistant_table_still_tells_people_apart() -> None:
    """Rare values may be limited and people told apart all the same: to resist is not to make one group of all."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, 2000),
            "town": rng.choice(["ay", "by", "cy", "dy"], 2000),
            "illness": rng.choice(["flu", "cold", "gout", "none", "hiv"], 2000, p=[0.3, 0.3, 0.2, 0.17, 0.03]),
        }
    )
    for require in ('k=5, confidence[illness="hiv"]=0.3', "k=5, confidence=0.75", "k=5, distinct_l=2"):
        policy = ks.Policy(public=["age", "town"], private=["illness"], require=require)
        release = ks.anonymize(frame, policy, "mondrian", resist=True)
        assert release.audit.holds
        assert release.partition.number > 50
        assert release.manifest()["claim"]["knows_method"] == (
            "somebody who knows the method learns no more than the table tells"
        )
        assert ks.anonymize(frame, policy, "mondrian").manifest()["claim"]["knows_method"].startswith("not promised")
