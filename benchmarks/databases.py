"""A million people in PostgreSQL: audited, made anonymous and written back, beside the same people in Parquet."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from adult_scaled import scaled
from goals import say
from spent import MB, spent

import kspan as ks

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import postgres

PUBLIC = ["age", "education", "occupation", "relationship", "sex", "native-country"]


def main() -> int:
    """Measure, and print one line a command."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--method", default="mondrian")
    given = options.parse_args()
    if postgres.programs() is None:
        say("PostgreSQL is not installed")
        return 2
    adult = ks.datasets.load_adult(missing=False).drop("split")
    say("scaling Adult")
    people = scaled(adult, given.rows // adult.height + 1, 3, rng=np.random.default_rng(1)).head(given.rows)
    with tempfile.TemporaryDirectory() as folder, postgres.started() as server:
        os.chdir(folder)
        private = [name for name in people.columns if name not in PUBLIC]
        ks.Policy(public=PUBLIC, private=private, target="income", require="k=10").save("policy.toml")
        say("filling the database")
        people.write_parquet("people.parquet")
        server.fill("people", people)
        places = {
            "PostgreSQL": (server.address("people"), server.address("released")),
            "Parquet": ("people.parquet", "released.parquet"),
        }
        policy = ("-p", "policy.toml")
        for name, (source, target) in places.items():
            print(f"audit, {name:10}      {spent('audit', source, *policy)}", flush=True)
            made = spent("anonymize", source, *policy, "-m", given.method, "-o", target)
            print(f"anonymize, {name:10}  {made}", flush=True)
            print(f"verify, {name:10}     {spent('verify', target)}", flush=True)
        rows = server.run("select count(*) as n from released").item()
        print(f"{rows:,} rows released, in {Path('released.parquet').stat().st_size / MB:,.0f} MB of Parquet")
    return 0


if __name__ == "__main__":
    sys.exit(main())
