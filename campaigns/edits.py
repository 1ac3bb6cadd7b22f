"""Mutations of tables, policies, hierarchies, models and options, that know the structure of what they change."""

import copy
import csv
import gzip
import io
import json
import random
import tomllib
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from campaigns.worlds import csv_bytes, toml

Files = dict[str, bytes]
Edit = Callable[[random.Random, Files, list[str]], None]

CELLS = (
    *("", " ", "*", "{a|b}", "[1, 2]", "[2, 1]", "{", "}", "[", "|", "\\", "nan", "NaN", "inf", "-inf", "Infinity"),
    *(
        "1e308",
        "-1e308",
        "1e309",
        "1e-320",
        str(2**63),
        str(2**64),
        str(-(2**63) - 1),
        "9" * 400,
        "0" * 50,
        "-0",
        "007",
    ),
    *(
        "\ufeff",
        "é",
        "😀",
        "=1+1",
        "<script>alert(1)</script>",
        "?",
        "NA",
        "[0, 1e308]",
        "{QXa|QXb",
        "[QX, 3]",
        "1_000",
    ),
    *(
        "１２",
        "0x10",
        "1e5",
        "<20",
        ">=60",
        "20-39",
        "true",
        "1",
        "0",
        "2020-01-01",
        "QX" * 50_000,
        "a\nb",
        'a"b',
        "a;b",
        "a\tb",
    ),
)
NAMES = (
    "",
    " ",
    "*",
    "age",
    "ill",
    "x" * 70_000,
    "a\nb",
    "a,b",
    'a"b',
    "é",
    "row",
    "weight",
    "predicted: ill",
    "k",
    "😀",
)
NUMBERS = (
    0,
    -1,
    1,
    2,
    0.5,
    1e-300,
    1e18,
    1e308,
    -1e308,
    10**18,
    10**30,
    2**63,
    float("nan"),
    float("inf"),
    float("-inf"),
)
ODD: tuple[Any, ...] = (
    *NUMBERS,
    *(
        True,
        False,
        "",
        "x",
        "*",
        "age",
        "ill",
        "nobody",
        "x" * 100_000,
        [],
        {},
        [[]],
        [1, "a"],
        ["age"],
        [0, 1e18],
        [1e18, 0],
    ),
    *(
        [0, 0],
        ["a", "a"],
        {"a": {}},
        [1] * 10_000,
        [str(n) for n in range(20_000)],
        [float("nan")],
        "categorical",
        "numeric",
    ),
)
PATTERNS = (
    r"(?P<low>\d+) to (?P<high>\d+)",
    r"(?P<low>(Q+)+)x(?P<high>\d+)",
    r"(?P<low>(\d|\d\d)+)-(?P<high>(\d|\d\d)+)!",
    r"(?P<low>.*.*.*.*.*)z(?P<high>.*)",
    "(",
    "",
    r"(?P<low>)(?P<high>)",
    r"(?P<low>\w)",
    "(?P<low>a{1000000})(?P<high>b)",
)
RECIPES = (
    {"build": "intervals", "widths": [5, 10]},
    {"build": "intervals", "widths": [1e-300]},
    {"build": "intervals", "widths": [1e300]},
    {"build": "intervals", "widths": [1, 3]},
    {"build": "intervals", "widths": list(range(1, 3000))},
    {"build": "intervals", "widths": [5], "origin": 1e308},
    {"build": "intervals", "widths": [5], "origin": float("nan")},
    {"build": "intervals", "widths": []},
    {"build": "ordered", "order": ["F", "M"], "fanout": 1},
    {"build": "ordered", "order": ["F", "M"], "fanout": 10**9},
    {"build": "ordered", "order": [], "fanout": 2},
    {"build": "ordered", "fanout": 0},
    {"build": "prefixes", "mask": ""},
    {"build": "prefixes", "mask": "**"},
    {"build": "prefixes"},
    {"build": "auto"},
    {"build": "none"},
)
OPTIONS: dict[str, tuple[str, ...]] = {
    "--delimiter": (",", ";", "\t", "ab", "", "\n", '"', "é"),
    "--encoding": ("utf-8", "latin-1", "utf-16", "rot13", "none", "hex", "idna", "punycode", "unicode_escape", ""),
    "--columns": ("a,b", "who,age,town,sex,note,pay,ill", "", ",", "a,a"),
    "--require": (
        "k=2",
        "k=0",
        "k=1e9",
        "k=-1",
        "t=2",
        "k=2, k=3",
        "recursive_cl=[1]",
        "entropy_l[ill]=1.5",
        "k",
        "",
        "k=" + "9" * 5000,
    ),
    "--counting": ("rows", "people", "x"),
    "--suppressed": ("*", "", "(hidden)", "5", "{a|b}", "\n", "é"),
    "--suppressed-as": ("value", "anything", "x"),
    "--seed": ("0", "-1", "1e3", "x", str(2**70)),
    "--again": ("people.csv", "released.csv.owner.json", "", "policy.toml"),
    "--show": ("0", "5", "interval", "set", "hierarchy", "median", "mean", "100000"),
    "--withhold": ("0", "0.5", "1", "2", "nan"),
    "--loss": ("ncp", "dm", "cm", "levels", "average-size", "x"),
    "--most-values": ("2", "1", "1000000"),
    "--range-pattern": PATTERNS,
    "--min-rows": ("1", "0", str(10**20)),
    "--confidence-factor": ("0.25", "0", "nan", "1e-5"),
    "--alpha": ("0", "1", "-1", "nan", "1e308", "inf"),
    "--bins": ("1", "10", str(10**9)),
    "--var-smoothing": ("0", "-1", "1e308", "nan"),
    "--C": ("0", "1e-300", "1e300", "nan", "-1"),
    "--max-iter": ("1", "0"),
    "--entropy": ("equal", "em", "own-value", "random", "x"),
    "--division": ("fractional", "random", "frequent", "distribution"),
    "--likelihood": ("even", "em"),
    "--numbers": ("gaussian", "scaled", "binned", "by-label", "cells", "uniform", "midpoint", "endpoint"),
    "--disclose": ("counts", "hit-miss", "shares", "label", "x"),
    "--target": ("ill", "age", "pay", "nobody", ""),
    "--min-support": ("0", "1", "-1", "nan", "1e-12"),
    "--max-items": ("2", "1", "50"),
    "--most": ("1", "0", "100000"),
    "--scaling": ("deviation", "range", "none"),
    "--rows": ("1", "0", "1000", str(10**15)),
    "--values": ("even", "random"),
    "--labels": ("exact", "random"),
    "--depth": ("0", "1000000"),
    "--population": ("people.csv", "policy.toml", "nothing.csv"),
    "--data": ("people.csv", "baskets.csv", "tree.json"),
    "--with": ("tree.json", "rules.json", "policy.toml"),
    "--manifest": ("released.csv.release.json", "policy.toml", "tree.json"),
    "--title": ("", "<b>", "x" * 100_000),
    "-o": (
        "out.csv",
        "out.json",
        "nowhere/out.csv",
        ".",
        "",
        "people.csv",
        "policy.toml",
        "out\x00.csv",
        "x" * 300 + ".csv",
    ),
}


def edit(rng: random.Random, files: Files, argv: list[str]) -> str:
    """Change one thing, and say what was changed."""
    kinds = [name for name, (fits, _) in EDITS.items() if any(fits(file) for file in _used(files, argv))]
    kind = rng.choice(kinds or ["option"])
    EDITS[kind][1](rng, files, argv)
    return kind


def _used(files: Files, argv: list[str]) -> list[str]:
    """The files that a command reads, with those that it finds by itself."""
    named = [name for name in files if name in argv or name.removesuffix(".release.json") in argv]
    return ["option", *named, *(["town.hierarchy.csv"] if "policy.toml" in named else [])]


def _pick(rng: random.Random, files: Files, argv: list[str], fits: Callable[[str], bool]) -> str:
    return rng.choice([name for name in _used(files, argv) if fits(name) and name in files])


def _is_text_table(name: str) -> bool:
    return name.endswith(".csv") and "hierarchy" not in name


def _is_json(name: str) -> bool:
    return name.endswith(".json")


def _rows(content: bytes) -> list[list[str]]:
    csv.field_size_limit(1 << 30)
    text = content.decode(errors="replace").replace("\0", "")
    return [row for row in csv.reader(io.StringIO(text, newline="")) if row] or [["x"]]


def _cells(rng: random.Random, files: Files, argv: list[str]) -> None:
    name = _pick(rng, files, argv, _is_text_table)
    rows = _rows(files[name])
    at, column = rng.randrange(len(rows)), rng.randrange(len(rows[0]))
    value = rng.choice(CELLS)
    chosen = rows[1:] if rng.random() < 0.3 else [rows[at] if at else rows[-1]]
    for row in chosen:
        row[column % len(row)] = value
    files[name] = csv_bytes(rows[0], [tuple(row) for row in rows[1:]])


def _spread(rng: random.Random, files: Files, argv: list[str]) -> None:
    """A column of very different numbers."""
    name = _pick(rng, files, argv, _is_text_table)
    rows = _rows(files[name])
    column = rng.randrange(len(rows[0]))
    for at, row in enumerate(rows[1:]):
        value = rng.choice((10.0 ** (rng.randint(-300, 300)), at * 1e305, at * 1e-310, 2**53 + at, -(2**62) + at))
        row[column % len(row)] = str(value)
    files[name] = csv_bytes(rows[0], [tuple(row) for row in rows[1:]])


def _header(rng: random.Random, files: Files, argv: list[str]) -> None:
    name = _pick(rng, files, argv, _is_text_table)
    rows = _rows(files[name])
    rows[0][rng.randrange(len(rows[0]))] = rng.choice(NAMES)
    files[name] = csv_bytes(rows[0], [tuple(row) for row in rows[1:]])


def _shape(rng: random.Random, files: Files, argv: list[str]) -> None:
    name = _pick(rng, files, argv, _is_text_table)
    rows = _rows(files[name])
    match rng.randrange(7):
        case 0:
            rows = rows[: rng.choice((1, 2, 3))]
        case 1:
            rows += [[*rows[-1], "QXmore"]]
        case 2:
            rows += [rows[-1][:-1]]
        case 3:
            rows = [[*row, *([f"c{at}" for at in range(1500)] if row is rows[0] else ["QX"] * 1500)] for row in rows]
        case 4:
            rows += [list(rng.choice(rows[1:] or rows)) for _ in range(3000)]
        case 5:
            rows = [row[1:] or ["x"] for row in rows]
        case _:
            rows = [rows[0], *[[*rows[1]]] * 30] if len(rows) > 1 else rows
    files[name] = csv_bytes(rows[0], [tuple(row) for row in rows[1:]])


def _file(rng: random.Random, files: Files, argv: list[str]) -> None:
    name = _pick(rng, files, argv, lambda name: name in files)
    content = files[name]
    at = rng.randrange(len(content) + 1)
    text = content.decode(errors="replace")
    files[name] = rng.choice(
        (
            lambda: gzip.compress(content),
            lambda: gzip.compress(gzip.compress(content)),
            lambda: gzip.compress(content)[:-9],
            lambda: content[:at],
            lambda: content[:at] + rng.randbytes(3) + content[at:],
            lambda: b"\xef\xbb\xbf" + content,
            lambda: text.encode("utf-16"),
            lambda: text.encode("utf-32"),
            lambda: text.encode("latin-1", errors="replace") + b"\xe9",
            lambda: content.replace(b",", b";"),
            lambda: content.replace(b"\n", b"\r\n"),
            lambda: content.replace(b"\n", b"\r"),
            lambda: content + b'"',
            lambda: content + b"\0" * 10,
            lambda: b"",
            lambda: b"\n" * 1000,
            lambda: b"PAR1" + content,
            lambda: b"ARROW1" + content,
            lambda: b"[" * 100_000,
            lambda: gzip.compress(b"a,b\n" + b"1,2\n" * 2_000_000),
        )
    )()


def _typed(rng: random.Random, files: Files, argv: list[str]) -> None:
    """The table as Parquet or Arrow, with one column of another type."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = _pick(rng, files, argv, _is_text_table)
    rows = _rows(files[name])
    width = min(map(len, rows))
    columns = {rows[0][at]: pa.array([row[at] or None for row in rows[1:]]) for at in range(width)}
    chosen = rng.choice(list(columns))
    number = len(rows) - 1
    columns[chosen] = _array(rng, number)
    made = pa.table(columns)
    out = io.BytesIO()
    kind = rng.choice(("parquet", "arrow", "stream"))
    try:
        if kind == "parquet":
            pq.write_table(made, out)
        else:
            with (pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream)(out, made.schema) as writer:
                writer.write_table(made, max_chunksize=rng.choice((1, 7, 10_000)))
    except (pa.ArrowException, OSError):
        return
    files[name] = out.getvalue()


def _array(rng: random.Random, number: int) -> Any:
    import pyarrow as pa

    def some(*values: Any) -> list[Any]:
        return [rng.choice(values) for _ in range(number)]

    return rng.choice(
        (
            lambda: pa.array(some(1, 2, None), pa.int8()),
            lambda: pa.array(some(0, 2**64 - 1, 5), pa.uint64()),
            lambda: pa.array(some(-(2**63), 2**63 - 1, 0), pa.int64()),
            lambda: pa.array(some(1.0, float("nan"), float("inf"), None), pa.float64()),
            lambda: pa.array(some(1e308, -1e308, 1e-320), pa.float64()),
            lambda: pa.array(some(1.5, 2.5, float("nan")), pa.float32()),
            lambda: pa.array(some(Decimal("1.10"), Decimal("9" * 30), None), pa.decimal128(38, 2)),
            lambda: pa.array(some(Decimal("1.10"), Decimal("9" * 60)), pa.decimal256(70, 2)),
            lambda: pa.array(some(date(1, 1, 1), date(9999, 12, 31), None)),
            lambda: pa.array(some(datetime(1970, 1, 1, tzinfo=UTC), None), pa.timestamp("ns", "Europe/Berlin")),
            lambda: pa.array(some(-(2**62), 2**62), pa.timestamp("s")),
            lambda: pa.array(some(timedelta(1), timedelta(2))),
            lambda: pa.array(some(1, 86_399), pa.time32("s")),
            lambda: pa.array(some(b"QX\xff", b"")),
            lambda: pa.array(some(True, False, None)),
            lambda: pa.nulls(number),
            lambda: pa.array(some([1], [], None)),
            lambda: pa.array(some({"a": "QX"}, {"a": None})),
            lambda: pa.array(some([("QX", 1)], []), pa.map_(pa.string(), pa.int64())),
            lambda: pa.array(some("QXa", "b", None)).dictionary_encode(),
            lambda: pa.array(some(1, 2)).dictionary_encode(),
            lambda: pa.array(some("QX", "b"), pa.large_string()),
            lambda: pa.array(some("QXveryverylongtext", "b"), pa.string_view()),
            lambda: pa.array(some(b"QX12345678901234"), pa.binary(16)),
            lambda: pa.array(some("QX\x00a", "\x00", "")),
        )
    )()


def _policy(rng: random.Random, files: Files, argv: list[str]) -> None:
    name = _pick(rng, files, argv, lambda name: name.endswith(".toml"))
    try:
        said = tomllib.loads(files[name].decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return
    match rng.randrange(6):
        case 0:
            said[
                rng.choice(("target", "identifier", "public", "private", "weight", "counting", "require", "cells", "x"))
            ] = rng.choice(ODD)
        case 1:
            said.pop(rng.choice(list(said)), None)
        case 2:
            keys = (
                "k",
                "distinct_l",
                "entropy_l",
                "recursive_cl",
                "simple_l",
                "confidence",
                "alpha",
                "t",
                "basic_beta",
                "delta",
                "ill",
                "x",
            )
            required = said.get("require", {})
            said["require"] = {
                **(required if isinstance(required, dict) else {}),
                rng.choice(keys): rng.choice((*ODD, [3, 3], [1e308, 2])),
            }
        case 3:
            domains = (
                [0, 1e18],
                [0, 10**18],
                [0, 1e308],
                [-1e308, 1e308],
                [5, 5],
                [9, 1],
                ["a"],
                [str(n) for n in range(50_000)],
                [0.1, 0.2],
                "categorical",
                "numeric",
                {"min": 0, "max": 1e18},
            )
            said["domains"] = {rng.choice(("age", "town", "pay", "ill", "note")): rng.choice(domains)}
        case 4:
            said["hierarchies"] = {rng.choice(("age", "town", "sex", "pay")): rng.choice((*RECIPES, *ODD))}
        case _:
            said["cells"] = {
                rng.choice(("missing", "suppressed", "suppressed_text", "range_pattern")): rng.choice((*ODD, *PATTERNS))
            }
    files[name] = _toml_bytes(said)


def _toml_bytes(said: dict[str, Any]) -> bytes:
    return toml(said).replace("NaN", "nan").replace("Infinity", "inf").encode()


def _hierarchy(rng: random.Random, files: Files, argv: list[str]) -> None:
    name = _pick(rng, files, argv, lambda name: "hierarchy" in name)
    lines = [line.split(";") for line in files[name].decode(errors="replace").splitlines() if line] or [["x"]]
    at = rng.randrange(len(lines))
    match rng.randrange(9):
        case 0:
            lines[at] = lines[at][:-1] or [""]
        case 1:
            lines.append(list(lines[at]))
        case 2:
            lines[at][-1] = lines[at][0]
        case 3:
            lines = [[line[0], *[f"n{level}" for level in range(1500)]] for line in lines]
        case 4:
            lines += [[f"v{number}", f"g{number % 977}", "all"] for number in range(20_000)]
        case 5:
            lines[at][rng.randrange(len(lines[at]))] = rng.choice(CELLS)
        case 6:
            del lines[at]
        case 7:
            lines[at][0], lines[at][-1] = lines[at][-1], lines[at][0]
        case _:
            lines = [line[:1] for line in lines]
    files[name] = "".join(";".join(line) + "\n" for line in lines).encode()


def _model(rng: random.Random, files: Files, argv: list[str]) -> None:
    name = _pick(rng, files, argv, _is_json)
    try:
        said = json.loads(files[name])
    except (ValueError, RecursionError):
        return
    place, key = rng.choice(list(_places(said)) or [({"": 0}, "")])
    match rng.randrange(5):
        case 0 if isinstance(place, dict):
            del place[key]
        case 1:
            place[key] = rng.choice(
                ("1" if not isinstance(place[key], str) else 1, None, [place[key]], {"a": place[key]})
            )
        case 2 if isinstance(place, list):
            place.insert(0, copy.deepcopy(place[key]))
        case 3:
            deep: Any = place[key]
            for _ in range(rng.choice((5, 500))):
                deep = [deep] if isinstance(place, list) else {"node": deep}
            place[key] = deep
        case _:
            place[key] = copy.deepcopy(rng.choice(ODD))
    files[name] = json.dumps(said).encode()


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found.append((value, key))
        found += _places(inner)
    return found


def _option(rng: random.Random, files: Files, argv: list[str]) -> None:
    name = rng.choice(list(OPTIONS))
    argv += [name, rng.choice(OPTIONS[name])]


EDITS: dict[str, tuple[Callable[[str], bool], Edit]] = {
    "cells": (_is_text_table, _cells),
    "spread": (_is_text_table, _spread),
    "header": (_is_text_table, _header),
    "shape": (_is_text_table, _shape),
    "file": (lambda name: name != "option", _file),
    "types": (_is_text_table, _typed),
    "policy": (lambda name: name.endswith(".toml"), _policy),
    "hierarchy": (lambda name: "hierarchy" in name, _hierarchy),
    "model": (_is_json, _model),
    "option": (lambda name: name == "option", _option),
}
