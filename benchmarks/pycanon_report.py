"""One report of pycanon, timed around the report alone; run in the environment of `pycanon_peer.py`."""

import argparse
import contextlib
import io
import json
from importlib.metadata import version
from time import perf_counter

import pandas as pd
from pycanon.report import get_report_values


def main() -> None:
    """Print one JSON object: seconds, versions, and what pycanon reports under the names that kspan uses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", help="a CSV file without missing cells")
    parser.add_argument("--public", nargs="+", required=True)
    parser.add_argument("--private", nargs="+", required=True)
    given = parser.parse_args()
    data = pd.read_csv(given.data, keep_default_na=False)
    with contextlib.redirect_stdout(io.StringIO()):  # pycanon prints remarks
        begin = perf_counter()
        k, (alpha, _), distinct, entropy, recursive, basic, enhanced, delta, t = get_report_values(
            data, given.public, given.private
        )
        seconds = perf_counter() - begin
    reached = {
        "k": k, "alpha": alpha, "distinct_l": distinct, "entropy_l": entropy, "recursive_cl": list(recursive),
        "basic_beta": basic, "enhanced_beta": enhanced, "delta": delta, "t": t,
    }  # fmt: skip
    versions = {name: version(name) for name in ("pycanon", "pandas")}
    print(json.dumps({"seconds": seconds, "versions": versions, "reached": reached}, default=float))


if __name__ == "__main__":
    main()
