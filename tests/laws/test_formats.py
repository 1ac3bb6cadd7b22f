"""Laws of every format of tables: what is written is read back, and what is damaged is refused."""

import io
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.errors import FileError
from kspan.frames.files import table_content, write_table
from kspan.frames.formats import BINARY, NOT_READ, TEXT, WRITERS

FRAME = pl.DataFrame({"name": ["Ann", "Bob", "Zoë"], "age": [30, 41, 52], "score": [0.5, None, 1.25]})


@pytest.mark.parametrize("ending", WRITERS)
def test_what_is_written_is_read_back(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"people{ending}"
    write_table(FRAME, path)
    back = ks.read_table(path)
    wanted = FRAME.cast(pl.String) if ending in (".csv", ".tsv") else FRAME
    assert back.to_dict(as_series=False) == wanted.to_dict(as_series=False)


@pytest.mark.parametrize("ending", WRITERS)
def test_the_first_bytes_say_what_a_file_is_not_its_name(ending: str, tmp_path: Path) -> None:
    content, _ = table_content(FRAME, f"people{ending}")
    path = tmp_path / "people.dat"
    path.write_bytes(content)
    assert ks.read_table(path).columns == FRAME.columns
    matching = [one for one in BINARY if one.fits(content)]
    assert len(matching) == (ending not in TEXT)


@pytest.mark.parametrize("ending", [ending for ending in WRITERS if ending not in TEXT])
def test_a_cut_file_is_refused_in_a_sentence(ending: str, tmp_path: Path) -> None:
    content, _ = table_content(FRAME, f"people{ending}")
    path = tmp_path / f"people{ending}"
    for part in range(1, 10):
        path.write_bytes(content[: len(content) * part // 10])
        with pytest.raises(FileError, match="people"):
            ks.read_table(path)


def test_a_stream_is_read_as_well(tmp_path: Path) -> None:
    out = io.BytesIO()
    FRAME.write_ipc_stream(out)
    path = tmp_path / "people.arrows"
    path.write_bytes(out.getvalue())
    assert ks.read_table(path).equals(FRAME)


@pytest.mark.parametrize("beginning", [one for one in NOT_READ if not one.startswith(b"SQLite")])
def test_what_is_no_table_is_called_by_its_name(beginning: bytes, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(beginning + b"x" * 100)
    with pytest.raises(FileError, match=": ".join(NOT_READ[beginning])):
        ks.read_table(path)
