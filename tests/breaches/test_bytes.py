"""No byte of a cell that is not shown leaves, whatever the format and the method."""

import getpass
import io
import json
import platform
import random
import re
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.frames.files import WRITERS
from kspan.tables.methods import methods

pytestmark = pytest.mark.slow

MARK = "MARKED-PRIVATE-NOTE"
LONELY = "MARKED-LONELY-TOWN"
SEED = 918273645546372819


def people() -> pl.DataFrame:
    """Forty people in two crowds, in an order of their own, and one alone in the middle, who may not be told."""
    rows = [
        (["Ulm", "Bonn"][row % 2], [30, 50][row % 2] + row % 3, f"the note of person number {row:02}", f"name-{row}",
         ["low", "high"][row % 3 == 0])
        for row in range(40)
    ]  # fmt: skip
    rows.insert(17, (LONELY, 97, MARK, "name-MARKED", "low"))
    return pl.DataFrame(rows, schema=["town", "age", "note", "name", "risk"], orient="row")


def policy() -> ks.Policy:
    towns = ks.Hierarchy.of([["Ulm", "south", "*"], ["Bonn", "west", "*"], [LONELY, "west", "*"]])
    ages = [[str(age), "young" if age < 45 else "old", "*"] for age in range(100)]
    return ks.Policy(
        identifier=["name"],
        public=["town", "age"],
        private=["note"],
        target="risk",
        require="k=4",
        hierarchies={"town": towns, "age": ks.Hierarchy.of(ages)},
        domains={"note": "categorical"},  # free text that is meant to go out
    )


def unpacked(content: bytes) -> bytes:
    """The content of a file and of all that is compressed in it."""
    parts = [content]
    codec = pa.Codec("zstd")
    for found in re.finditer(rb"\x28\xb5\x2f\xfd", content):
        for size in (1 << 10, 1 << 13, 1 << 16):
            try:
                parts.append(codec.decompress(content[found.start() :], size, asbytes=True))
            except OSError:
                continue
    if content.startswith(b"PAR1"):  # whatever the pages hold, as a reader of dictionaries sees it
        out = io.BytesIO()
        pl.read_parquet(content).write_ipc(out)
        parts.append(out.getvalue())
    return b"\0".join(parts)


def given_as(kind: str, folder: Path) -> Path:
    frame = people()
    if kind == "enum":
        known = [*frame["note"], "MARKED-UNUSED"]
        frame = frame.with_columns(pl.col("note").cast(pl.Enum(known)), pl.col("town").cast(pl.Categorical))
    place = folder / {"csv": "people.csv", "arrow": "people.arrow", "enum": "people.parquet"}[kind]
    {".csv": frame.write_csv, ".arrow": frame.write_ipc, ".parquet": frame.write_parquet}[place.suffix](place)
    return place


@pytest.mark.parametrize("kind", ["csv", "arrow", "enum"])
@pytest.mark.parametrize("method", methods())
def test_what_is_withheld_or_made_coarser_is_in_no_byte(method: str, kind: str, tmp_path: Path) -> None:
    source = given_as(kind, tmp_path)
    policy().save(tmp_path / "policy.toml")
    release = ks.anonymize(source, policy(), method, secret=f"{SEED:032x}")
    assert release.withheld in (0, 1)
    shown = {cell for row in release.table.rows() for cell in row}
    foreign = [
        mark for mark in (MARK, LONELY, "MARKED-UNUSED", "name-") if not any(mark in str(cell) for cell in shown)
    ]
    assert {"MARKED-UNUSED", "name-"} <= set(foreign)
    if release.withheld:
        assert MARK in foreign
    names = [name for name in (platform.node(), getpass.getuser()) if len(name) > 4]  # shorter ones are words
    secret = [*foreign, *names, str(SEED), str(tmp_path), f"{datetime.now(UTC):%Y-%m-%dT%H:%M}"]
    for ending in WRITERS:
        out = tmp_path / f"out{ending}"
        release.save(out, source=source)
        for file in (out, Path(f"{out}.release.json")):
            content = unpacked(file.read_bytes())
            known = LONELY if file != out else ""  # the policy itself lists it among the names
            assert not [word for word in secret if word != known and word.encode() in content], file.name
        notes = [int(found) for found in re.findall(rb"person number (\d\d)", out.read_bytes())]
        if ending in (".arrow", ".feather"):
            listed = [int(note[-2:]) for note in release.table["note"] if note != MARK]
            assert notes == listed != sorted(listed)  # text lies in the order in which it is shown
    for ending in ("html", "md", "json"):
        page = tmp_path / f"page.{ending}"
        ks.report(release).save(page)
        told = page.read_text()
        assert not [word for word in (*secret, MARK) if word in told], page.name


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "pandas"])
def test_a_dataframe_that_is_given_back_holds_no_more_either(kind: str, tmp_path: Path) -> None:
    frame = people().with_columns(pl.col("note").cast(pl.Categorical))
    given = {"polars": frame, "pyarrow": frame.to_arrow(), "pandas": frame.to_pandas()}[kind]
    table = ks.anonymize(given, policy(), "datafly", secret="1" * 32).table
    out = tmp_path / "out.arrow"
    if kind == "polars":
        table.write_ipc(out)
    else:
        arrow = table if kind == "pyarrow" else pa.Table.from_pandas(table)
        with pa.OSFile(str(out), "wb") as file, pa.ipc.new_file(file, arrow.schema) as writer:
            writer.write_table(arrow)
    assert MARK.encode() not in out.read_bytes()


def test_models_and_what_is_made_of_them_name_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people().drop("name", "note").write_csv("people.csv")
    Path("policy.toml").write_text('public = ["town", "age"]\ntarget = "risk"\n[require]\nk = 4\n')
    said = ["people.csv", "-p", "policy.toml"]
    assert main(["learn", *said, "-o", "tree.json", "--table", "table.csv", "--report", "tree.html"]) == 0
    assert main(["share", "publish", *said, "-o", "shared.json", "--report", "shared.md"]) == 0
    assert main(["share", "pseudo", "shared.json", "-o", "pseudo.csv", "--rows", "50"]) == 0
    assert main(["share", "merge", "shared.json", "-o", "merged.json"]) == 0
    for name in ("tree.json", "table.csv", "tree.html", "shared.json", "shared.md", "pseudo.csv", "merged.json"):
        content = Path(name).read_text()
        # Pruning puts it beside others, as in a cell {a|b}: there it may stand.
        assert LONELY not in content or name.startswith(("shared", "pseudo", "merged")), name
        assert str(tmp_path) not in content, name
    assert "97" not in json.dumps(json.loads(Path("tree.json").read_text())["attributes"])


@pytest.mark.parametrize("method", ["k-optimize", "datafly"])
def test_a_manifest_does_not_depend_on_cells_of_those_who_are_withheld(method: str) -> None:
    draw = random.Random(5)
    compared, differing = 0, 0
    said = ks.Policy(
        public=["age", "town"],
        private=["pid"],
        target="income",
        require="k=4",
        hierarchies={"age": ks.Intervals((10, 20, 40)), "town": ks.Prefixes()},
    )
    for _ in range(60):
        rows = [
            {"age": draw.randint(20, 60), "town": draw.choice(["aa", "ab", "ba", "bb"]), "pid": f"P{number:03}",
             "income": draw.choice(["low", "high"])}
            for number in range(draw.choice([9, 14, 22]))
        ]  # fmt: skip
        release = ks.anonymize(pl.DataFrame(rows), said, method, secret="7" * 32)
        shown = set(release.table["pid"])
        gone = next((row for row in rows if row["pid"] not in shown), None)
        for change in ({"income": "other"}, {"age": 61}, {"age": 33}, {"town": "zz"}, {"pid": "P999"}) if gone else ():
            others = [{**row, **(change if row is gone else {})} for row in rows]
            again = ks.anonymize(pl.DataFrame(others), said, method, secret="7" * 32)
            if again.table.equals(release.table):
                compared += 1
                differing += again.facts != release.facts  # which stay with the owner
                assert again.manifest() == release.manifest()
    assert compared > 10
    assert differing > 0
