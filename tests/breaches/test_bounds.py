"""Small inputs that ask for much: refused in a sentence before the work is done, or done in time that grows evenly."""

import gzip
import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import kspan as ks
from kspan import limits
from kspan.data.hierarchy import read_hierarchy
from kspan.data.names import hierarchy_of
from kspan.frames.files import read_table

SECONDS = 10.0
"""Of processor time: hundreds of times what is needed, and far less than what the fault took."""


def packed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def arrow(rows: int, new: Callable[..., Any] = pa.ipc.new_file) -> bytes:
    out = io.BytesIO()
    batch = pa.record_batch([pa.nulls(rows)], names=["n"])
    with new(out, batch.schema) as file:
        file.write_batch(batch)
    return out.getvalue()


def wide(columns: int) -> bytes:
    return (",".join(f"c{at}" for at in range(columns)) + "\n" + ",".join("1" * columns) + "\n").encode()


FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "gzip in gzip": (lambda: packed(packed(b"a\n1\n")), "gzipped twice"),
    "gzip of nothing but zeros": (lambda: packed(bytes(limits.ALWAYS_UNPACKED + 1)), "250 times its size"),
    "an Arrow file of two billion rows": (lambda: arrow(2_000_000_000), "claims 2,000,000,000 rows"),
    "an Arrow stream of two billion rows": (
        lambda: arrow(2_000_000_000, pa.ipc.new_stream),
        "claims 2,000,000,000 rows",
    ),
    "sixty thousand columns": (lambda: wide(60_000), "60,000 columns: at most 10,000"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("content", "says"), FILES.values(), ids=FILES)
def test_files_that_unpack_to_far_more(tmp_path: Path, content: Callable[[], bytes], says: str) -> None:
    (tmp_path / "table").write_bytes(content())
    begun = time.process_time()
    with pytest.raises(ks.KspanError, match=says):
        read_table(tmp_path / "table")
    assert time.process_time() - begun < SECONDS


def test_an_honest_gzip_is_read(tmp_path: Path) -> None:
    (tmp_path / "table.gz").write_bytes(packed(b"a,b\n1,2\n"))
    assert read_table(tmp_path / "table.gz").rows() == [("1", "2")]


@pytest.mark.parametrize("read", [read_table, ks.Policy.load, read_hierarchy])
def test_devices_never_end(read: Callable[[str], Any]) -> None:
    with pytest.raises(ks.KspanError, match="/dev/zero: it is a device, name a file"):
        read("/dev/zero")


def policy(**says: Any) -> ks.Policy:
    return ks.Policy(**{"public": ["q"], "private": ["p"], "require": "k=2", **says})


def people(cells: list[str]) -> pl.DataFrame:
    return pl.DataFrame({"q": cells, "p": ["a"] * len(cells)})


HOSTILE: dict[str, tuple[Callable[[], Any], str]] = {
    "a cell of 70,000 characters under prefixes": (
        lambda: ks.audit(people(["x" * 70_000, "y"]), policy(hierarchies={"q": ks.Prefixes()})),
        "70,000 levels",
    ),
    "a hundred thousand widths": (lambda: ks.Intervals(tuple(2.0**at for at in range(300))), "at most 100 widths"),
    "names above names": (
        lambda: hierarchy_of({f"n{at}": [str(one) for one in range(at)] for at in range(2, 300)}, source="it"),
        "levels",
    ),
    "a range beyond numbers": (lambda: policy(domains={"q": [0, 1e200]}), "a bound of the domain"),
    "a pattern that looks ahead": (lambda: policy(range_pattern=r"(?P<low>\d+)(?=-)-(?P<high>\d+)"), "looks ahead"),
    "a pattern that looks back": (lambda: policy(range_pattern=r"(?P<low>\d+)-(?P<high>(?P=low))"), "looks ahead"),
    "a pattern that is too large": (
        lambda: policy(range_pattern=r"((((\d{1000}){1000}){1000}))(?P<low>\d+)-(?P<high>\d+)"),
        "range_pattern",
    ),
}


@pytest.mark.parametrize(("make", "says"), HOSTILE.values(), ids=HOSTILE)
def test_what_would_be_enormous_is_refused_before_it_is_made(make: Callable[[], Any], says: str) -> None:
    begun = time.process_time()
    with pytest.raises(ks.KspanError, match=says):
        make()
    assert time.process_time() - begun < SECONDS


def test_a_pattern_cannot_search_for_ever() -> None:
    says = policy(range_pattern=r"((a+)+)+b(?P<low>\d+)-(?P<high>\d+)", domains={"q": "numeric"})
    begun = time.process_time()
    with pytest.raises(ks.KspanError, match="not numbers"):
        ks.audit(people(["a" * 60, "1"]), says)
    assert time.process_time() - begun < SECONDS


@pytest.mark.parametrize("require", ["k=9223372036854775808", "k=1e300", "distinct_l=1e300"])
def test_what_nobody_reaches_is_not_reached(require: str) -> None:
    table = pl.DataFrame({"x": [1, 2, 3, 4] * 3, "q": ["a", "b"] * 6, "p": ["x", "y", "y"] * 4})
    said = ks.Policy(public=["x", "q"], target="p", require=require)
    assert not ks.audit(table, said).holds
    with pytest.raises(ks.KspanError, match="lower it"):
        ks.learn(table, said, method="kadet")


def test_a_hierarchy_of_many_names_is_built_in_even_time() -> None:
    names = {f"g{at}": [f"v{10 * at + each}" for each in range(10)] for at in range(2_000)}
    begun = time.process_time()
    made = hierarchy_of({**names, "all": [value for each in names.values() for value in each]}, source="it")
    assert time.process_time() - begun < SECONDS
    assert made.path("v12345") == ("v12345", "g1234", "all")


def test_ten_thousand_columns_are_compared_in_even_time() -> None:
    names = [f"c{at}" for at in range(limits.MOST_COLUMNS)]
    begun = time.process_time()
    said = ks.Policy(public=names, private=["p"], require="k=1", domains=dict.fromkeys(names, "categorical"))
    said.check_columns([*names, "p"])
    with pytest.raises(ks.KspanError, match="has no role"):
        said.check_columns([*names, "q"])
    assert time.process_time() - begun < SECONDS
