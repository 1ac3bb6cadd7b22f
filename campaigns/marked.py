"""People with marks: some must be withheld or made coarser, and whatever is theirs alone can be found again."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from campaigns.marks import Mark
from campaigns.worlds import Row, csv_bytes, toml

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
PRIVATE_KINDS = ("text", "number", "fraction", "moment", "money", "blob", "flag")
FORMS = ("csv", "parquet", "arrow", "stream", "dictionary", "nulls", "view", "enum", "categorical")
"""How the table is handed in; the last two are polars' own."""


@dataclass(frozen=True)
class People:
    """Some people as columns of cells, what is said of them, and every mark of theirs."""

    columns: dict[str, list[Any]]
    roles: dict[str, Any]
    marks: list[Mark]
    unused: list[str]
    """Texts that are no cell of anybody, for categories that nobody has."""

    def policy(self) -> bytes:
        """The policy as TOML."""
        return toml(self.roles).encode()


def people(rng: random.Random, number: int, lonely: int, private: list[str], k: int) -> People:
    """Ordinary people of a few kinds, and lonely ones with public values that nobody else has."""

    def word(kind: str) -> str:
        return f"{kind}-{rng.randbytes(12).hex()}"

    towns = ["Long-Town-North", "Long-Town-South", "Long-Town-East"]
    rows: list[dict[str, Any]] = []
    for one in range(number):
        alone = one < lonely
        rows.append(
            {
                "name": word("name"),
                "age": rng.randrange(1 << 27, 1 << 30) if alone else 30 + rng.randrange(4),
                "town": word("town") if alone else rng.choice(towns),
                "sex": rng.choice("FM"),
                **{kind: _cell(rng, kind, word) for kind in private},
                "ill": rng.choice(("flu", "cold", "ok")),
            }
        )
    rng.shuffle(rows)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    marks = [Mark("identifier", name) for name in columns["name"]]
    marks += [Mark("public text", town) for town in columns["town"] if town not in towns]
    marks += [Mark("public number", str(age)) for age in columns["age"] if age > 1000]
    for kind in private:
        marks += [Mark(f"private {kind}", text) for text in map(mark_of, columns[kind]) if text]
    roles = {
        "identifier": ["name"],
        "public": ["age", "town", "sex"],
        "private": list(private),
        "target": "ill",
        "require": {"k": k},
    }
    unused = [word("unused") for _ in range(3)]
    marks += [Mark("unused category", text) for text in unused]
    return People(columns, roles, marks, unused)


def _cell(rng: random.Random, kind: str, word: Callable[[str], str]) -> Any:
    match kind:
        case "text":
            return word("note")
        case "number":
            return rng.randrange(1 << 48, 1 << 52)
        case "fraction":
            return rng.uniform(1e5, 1e6)
        case "moment":
            return EPOCH + timedelta(microseconds=rng.randrange(1 << 50))
        case "money":
            return Decimal(rng.randrange(10**11, 10**12)).scaleb(-2)
        case "blob":
            return word("blob").encode()
        case _:
            return rng.random() < 0.5


def mark_of(cell: Any) -> str | None:
    """The text by which a cell is looked for."""
    if isinstance(cell, datetime):
        return str((cell - EPOCH) // timedelta(microseconds=1))
    if isinstance(cell, Decimal):
        return str(cell).replace(".", "")
    if isinstance(cell, bytes):
        return cell.decode("latin-1")
    return None if cell is None or isinstance(cell, bool) else str(cell)


def table(them: People) -> pa.Table:
    """The people as Arrow, with marks in the metadata of the table and of its columns."""
    made = pa.table(them.columns)
    fields = [field.with_metadata({"origin": "meta-of-a-column"}) for field in made.schema]
    return made.cast(pa.schema(fields, {"origin": "meta-of-the-table"}))


METADATA = [Mark("metadata", "meta-of-a-column"), Mark("metadata", "meta-of-the-table")]


def hand_in(them: People, form: str, folder: Path, hidden: str, name: str = "people") -> tuple[str, list[Mark]]:
    """Write the people in some form; gives the name of the file, and marks that this form adds."""
    made = table(them)
    match form:
        case "csv":
            rows: list[Row] = [tuple(map(_text, row)) for row in zip(*them.columns.values(), strict=True)]
            (folder / f"{name}.csv").write_bytes(csv_bytes(list(them.columns), rows))
            return f"{name}.csv", []
        case "parquet" | "enum" | "categorical":  # polars' own forms are made from this one
            pq.write_table(made, folder / f"{name}.parquet", compression="zstd")
            return f"{name}.parquet", METADATA
        case "dictionary":
            made = with_unused(made, them.unused)
        case "nulls":
            made = _with_hidden(made, hidden)
        case "view":
            made = made.set_column(made.schema.get_field_index("town"), "town", made["town"].cast(pa.string_view()))
    with pa.OSFile(str(folder / f"{name}.arrow"), "wb") as file:
        opened = pa.ipc.new_stream if form == "stream" else pa.ipc.new_file
        with opened(file, made.schema) as writer:
            writer.write_table(made)
    return f"{name}.arrow", [*METADATA, Mark("behind a null", hidden)]


def with_unused(made: pa.Table, unused: list[str]) -> pa.Table:
    """Text columns as dictionaries that also hold what nobody has."""
    for at, field in enumerate(made.schema):
        if field.type == pa.string() and field.name != "ill":
            coded = made[field.name].combine_chunks().dictionary_encode()
            codes = coded.indices if isinstance(coded, pa.DictionaryArray) else coded.chunk(0).indices
            words = coded.dictionary if isinstance(coded, pa.DictionaryArray) else coded.chunk(0).dictionary
            more = pa.concat_arrays([words, pa.array(unused)])
            made = made.set_column(at, field.name, pa.DictionaryArray.from_arrays(codes, more))
    return made


def _with_hidden(made: pa.Table, hidden: str) -> pa.Table:
    """The first cell of a private text is null, but its text is still in the buffer."""
    name = "text" if "text" in made.column_names else "town"
    cells = [hidden, *made[name].to_pylist()[1:]]
    _, offsets, data = pa.array(cells).buffers()
    present = bytearray(b"\xff" * ((len(cells) + 7) // 8))
    present[0] &= 0xFE
    array = pa.Array.from_buffers(pa.string(), len(cells), [pa.py_buffer(bytes(present)), offsets, data])
    return made.set_column(made.schema.get_field_index(name), name, array)


def _text(cell: Any) -> str | None:
    return cell.decode() if isinstance(cell, bytes) else None if cell is None else str(cell)
