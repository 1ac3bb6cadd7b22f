"""Mondrian of anonypy, timed by itself and with the rows that it makes; run in the environment of `peer.py`."""

import argparse
import json
from importlib.metadata import version
from time import perf_counter

import anonypy
import pandas as pd
from anonypy.mondrian import Mondrian


def main() -> None:
    """Print one JSON object: seconds of cutting alone and of making rows too, how many groups, versions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", help="a CSV file without missing cells")
    parser.add_argument("--public", nargs="+", required=True)
    parser.add_argument("--private", required=True)
    parser.add_argument("--k", type=int, required=True)
    given = parser.parse_args()
    data = pd.read_csv(given.data, keep_default_na=False)
    for name in given.public:
        if not pd.api.types.is_numeric_dtype(data[name]):
            data[name] = data[name].astype("category")  # it tells words from numbers by this
    begin = perf_counter()
    groups = Mondrian(data, given.public, given.private).partition(given.k)
    cutting = perf_counter() - begin
    begin = perf_counter()
    anonypy.Preserver(data, given.public, given.private).anonymize_k_anonymity(k=given.k)
    whole = perf_counter() - begin
    versions = {name: version(name) for name in ("anonypy", "pandas")}
    smallest = min(len(group) for group in groups)
    facts = {"cutting": cutting, "whole": whole, "groups": len(groups), "smallest": smallest, "versions": versions}
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
