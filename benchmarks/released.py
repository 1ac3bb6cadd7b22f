"""How long learning from a released table takes beside learning from the original: ratios from one run."""

import argparse
import sys

import polars as pl
from goals import alternate, compared, say, told

import kspan as ks
from kspan.data.encode import encode
from kspan.induce.tree.c45 import c45
from kspan.induce.tree.id3 import id3

QUASI_IDENTIFIERS = ["age", "education", "hours-per-week", "native-country", "capital-gain", "workclass"]
K, GOAL = 64, 3.0


def main() -> int:
    """Measure and print; exit 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    people = ks.datasets.load_adult("train", missing=False)
    names = [name for name in people.columns if name != "income"]
    words = [name for name in names if people[name].dtype == pl.String]
    others = [name for name in names if name not in QUASI_IDENTIFIERS]
    policy = ks.Policy(public=QUASI_IDENTIFIERS, private=others, target="income", require=ks.KAnonymity(K))
    say("releasing")
    shown = {
        show: ks.anonymize(people, policy, "mondrian", show=show, secret="0" * 32).frame for show in ("set", "interval")
    }
    results = []
    for what, columns, released, learner, options in (
        ("ID3, shares, words", words, shown["set"], id3, {}),
        ("ID3, shares, estimated likelihood, words", words, shown["set"], id3, {"entropy": "em"}),
        ("ID3, by chance (Shao and Beckford), words", words, shown["set"], id3, {"division": "random"}),
        ("C4.5, all attributes", names, shown["interval"], c45, {}),
    ):
        say(what)
        rules = ks.Policy(public=columns, target="income", require="k=1")
        from_release, from_people = (encode(frame.select(*columns, "income"), rules) for frame in (released, people))
        times = alternate(
            lambda: learner(from_release, rules, **options),  # noqa: B023
            lambda: learner(from_people, rules),  # noqa: B023
            given.rounds,
        )
        results.append(compared(f"{what}: from the release / from the original", times, GOAL))
    return told(results)


if __name__ == "__main__":
    sys.exit(main())
