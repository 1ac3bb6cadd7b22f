"""No dataframe and no file that leaves lists a category, or a label of a value, that no released row shows."""

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pyreadstat
import pytest

import kspan as ks

LONE = "Pitcairn"
FORMATS = ("csv", "tsv", "ndjson", "parquet", "feather", "arrow", "sav", "dta", "xlsx")
POLICY = ks.Policy(public=["age", "land"], private=["ill"], require="k=2")

PEOPLE = pl.DataFrame(
    {
        "age": [20, 21, 22, 23, 40, 41, 42, 43],
        "land": pl.Series(["DE", "AT"] * 4, dtype=pl.Enum(["DE", "AT", LONE])),
        "ill": pl.Series(["flu", "cold", "flu", "flu"] * 2, dtype=pl.Enum(["cold", LONE, "flu"])),
    }
)
CATEGORICAL = PEOPLE.with_columns(pl.col("land", "ill").cast(pl.Categorical))
WITHHELD = pl.concat(
    [
        PEOPLE.with_columns(pl.col("land", "ill").cast(pl.String)),
        pl.DataFrame({"age": [99], "land": [LONE], "ill": [LONE]}),
    ]
)
"""The same people, and one who is withheld."""


def dictionary(frame: pl.DataFrame) -> pa.Table:
    return frame.to_arrow().cast(
        pa.schema(
            [
                ("age", pa.int64()),
                *((name, pa.dictionary(pa.int32(), pa.large_string())) for name in ("land", "ill")),
            ]
        )
    )


def with_more(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(
        land=frame["land"].astype(pd.CategoricalDtype(["DE", "AT", LONE])),
        ill=frame["ill"].astype(pd.CategoricalDtype(["flu", "cold", LONE], ordered=True)),
    )


FRAMES: dict[str, Any] = {
    "polars Enum": PEOPLE,
    "polars Categorical": CATEGORICAL,
    "polars Categorical of somebody withheld": WITHHELD.with_columns(pl.col("land", "ill").cast(pl.Categorical)),
    "lazy polars": PEOPLE.lazy(),
    "pandas": with_more(PEOPLE.to_pandas()),
    "pandas of somebody withheld": with_more(WITHHELD.to_pandas()),
    "pyarrow": dictionary(PEOPLE),
    "pyarrow of somebody withheld": dictionary(WITHHELD),
}


def listed(frame: Any) -> set[str]:
    """All texts that a dataframe holds, whether a row shows them or not."""
    if isinstance(frame, pd.DataFrame):
        kinds = {str(each) for name in frame for each in getattr(frame[name].dtype, "categories", ())}
        return kinds | {str(cell) for name in frame for cell in frame[name]} | set(map(str, frame.attrs))
    if isinstance(frame, pa.Table):
        chunks = [chunk for column in frame.columns for chunk in column.chunks]
        kinds = {str(each) for chunk in chunks if hasattr(chunk, "dictionary") for each in chunk.dictionary.to_pylist()}
        return kinds | {str(cell) for column in frame.columns for cell in column.to_pylist()} | {str(frame.schema)}
    kinds = {
        each for series in frame if series.dtype in (pl.Enum, pl.Categorical) for each in series.cat.get_categories()
    }
    return kinds | {str(cell) for series in frame for cell in series} | {str(frame.schema)}


def in_file(path: Path) -> str:
    """All texts that a file holds, those beside the cells included."""
    match path.suffix:
        case ".sav" | ".dta":
            read = pyreadstat.read_sav if path.suffix == ".sav" else pyreadstat.read_dta
            cells, about = read(path)
            return f"{cells.to_dict()} {vars(about)}"
        case ".parquet":
            table = pyarrow.parquet.read_table(path)
            return f"{listed(table)} {table.schema.metadata} {pyarrow.parquet.read_metadata(path)}"
        case ".feather" | ".arrow":
            table = pyarrow.feather.read_table(path)
            return f"{listed(table)} {table.schema.metadata}"
        case ".xlsx":
            return str(pl.read_excel(path).to_dicts())
    return path.read_text()


def released(frame: Any) -> ks.TableRelease:
    return ks.anonymize(frame, POLICY, "incognito", withhold=0.2, secret="1" * 32)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_no_frame_lists_a_category_that_nobody_shows(frame: Any) -> None:
    release = released(frame)
    assert release.audit.rows == 8
    assert not [text for text in listed(release.table) if LONE in text]
    assert not [text for text in listed(release.frame) if LONE in text]


@pytest.mark.parametrize("frame", [PEOPLE, CATEGORICAL, FRAMES["pandas"], FRAMES["pyarrow"]], ids=lambda one: type(one))
def test_rows_that_are_recoded_list_no_category_that_they_do_not_show(frame: Any) -> None:
    release = released(frame)
    for made in (release.recode(frame), release.kept_recoding().recode(frame)):
        assert not [text for text in listed(made) if LONE in text]


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_no_file_lists_a_category_that_nobody_shows(frame: Any, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"out.{suffix}"
    released(frame).save(path)
    assert LONE not in in_file(path)
    assert LONE not in (tmp_path / f"out.{suffix}.release.json").read_text()


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_a_published_table_lists_no_category_that_nobody_shows(kind: str, suffix: str, tmp_path: Path) -> None:
    stars = pl.Series(["*"] * 8, dtype=pl.Enum(["*", LONE]))
    given = PEOPLE.with_columns(age=stars, land=stars)
    frames = {"polars": given, "pandas": given.to_pandas(), "pyarrow": given.to_arrow()}
    ks.publish_table(frames[kind], POLICY, tmp_path / f"out.{suffix}")
    assert LONE not in in_file(tmp_path / f"out.{suffix}")


@pytest.mark.parametrize("suffix", ["sav", "dta"])
@pytest.mark.parametrize("source", ["sav", "dta"])
def test_labels_of_values_that_nobody_has_stay_behind(source: str, suffix: str, tmp_path: Path) -> None:
    coded = pd.DataFrame({"age": [20, 21, 22, 23] * 2, "land": [1, 2] * 4, "ill": [1, 1, 2, 1] * 2})
    labels = {"land": {1: "DE", 2: "AT", 3: LONE}, "ill": {1: "flu", 2: "cold", 9: LONE}}
    write = pyreadstat.write_sav if source == "sav" else pyreadstat.write_dta
    write(coded, tmp_path / f"in.{source}", variable_value_labels=labels, column_labels=["age", LONE, "ill"])
    released(tmp_path / f"in.{source}").save(tmp_path / f"out.{suffix}")
    assert LONE not in in_file(tmp_path / f"out.{suffix}")
