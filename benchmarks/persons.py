"""How long it takes to count people with several rows, beside counting their rows: ratios from one run."""

import argparse
import sys
from dataclasses import replace
from time import process_time

import numpy as np
import polars as pl
from goals import alternate, compared, say, told

import kspan as ks

GOALS = {"audit": 8.0, "mondrian": 10.0, "kadet": 10.0}
"""Mondrian makes groups up to five times, of larger and larger ones, and takes the best."""


def visits(people: int) -> pl.DataFrame:
    """Visits of people, three each on average; an age may rise between them."""
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(people), 1 + rng.poisson(2, people))
    sex, age, town = (rng.integers(0, most, people)[person] for most in (2, 62, 40))
    age = 18 + age + (rng.random(len(person)) < 1 / 3)
    ill = rng.random(len(person)) < 0.1 + 0.6 * (age > 55) + 0.2 * sex
    words = pl.DataFrame({"sex": sex, "town": town}).cast(pl.String)
    return words.with_columns(id=pl.Series(person), age=pl.Series(age), ill=pl.Series(ill).cast(pl.String))


def main() -> int:
    """Measure and print; exit 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    frame = visits(given.people)
    by_people = ks.Policy(person="id", public=["sex", "age", "town"], target="ill", require="k=20")
    by_rows = replace(by_people, person=False, identifier=["id"])
    tasks = {
        "audit": lambda policy: ks.audit(frame, policy),
        "mondrian": lambda policy: ks.anonymize(frame, policy, "mondrian", secret="0" * 32),
        "kadet": lambda policy: ks.learn(frame, policy, "kadet"),
    }
    results = []
    for what, task in tasks.items():
        for known in (1, 2, "all"):
            say(f"{what}, known_rows = {known}")
            policy = replace(by_people, known_rows=known)
            times = alternate(
                lambda: task(policy),  # noqa: B023
                lambda: task(by_rows),  # noqa: B023
                given.rounds,
                clock=process_time,
            )
            called = f"{what}, {frame.height:,} rows: people, known_rows = {known} / rows"
            results.append(compared(called, times, GOALS[what]))
    return told(results)


if __name__ == "__main__":
    sys.exit(main())
