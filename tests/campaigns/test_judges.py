"""The campaigns' own judges find what is planted: a judge that never speaks proves nothing."""

import gzip
import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kspan as ks
from campaigns.bytes import follows_source
from campaigns.claims import false_of_audit, false_of_table
from campaigns.marked import people
from campaigns.marks import Mark, foreign, parts
from campaigns.models import false_of_clusters, false_of_itemsets, false_of_rules, false_of_tree
from campaigns.readers import Reader, fault_of
from campaigns.shrinking import smallest
from campaigns.worlds import World

POLICY: dict[str, Any] = {"public": ["age"], "target": "ill", "require": {"k": 2}}
WORLD = World(("age", "ill"), (("20", "flu"), ("21", "ok"), ("30", "flu"), ("31", "ok")), POLICY)
TRUE = 'age,ill\n"[20, 21]",flu\n"[20, 21]",ok\n"[30, 31]",flu\n"[30, 31]",ok\n'


def told(folder: Path, text: str, world: World = WORLD, **other: Any) -> list[str]:
    path = folder / "out.csv"
    path.write_text(text)
    rows = len(text.splitlines()) - 1
    manifest = {
        "rows": {"released": rows},
        "audit": {"k": {"rows": 2}},
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        **other,
    }
    Path(f"{path}.release.json").write_text(json.dumps(manifest))
    Path(f"{path}.owner.json").write_text(json.dumps({"rows": {"released": rows, "withheld": 4 - rows}}))
    return list(false_of_table(world, path, exact=True))


def test_a_true_table_is_true(tmp_path: Path) -> None:
    assert told(tmp_path, TRUE) == []


@pytest.mark.parametrize(
    ("before", "after", "false"),
    [
        ('"[30, 31]",ok', "31,ok", "a group breaks k"),
        ('"[20, 21]",ok', '"[20, 21]",gout', "rows are not true of as many people"),
        ("[20, 21]", "[22, 29]", "rows are not true of as many people"),
        ("[20, 21]", "{30|31}", "rows are not true of as many people"),
    ],
)
def test_a_false_table_is_found(before: str, after: str, false: str, tmp_path: Path) -> None:
    assert false in told(tmp_path, TRUE.replace(before, after))


def test_an_identifier_is_found(tmp_path: Path) -> None:
    lines = TRUE.splitlines()
    assert "the identifier was released" in told(
        tmp_path, "\n".join([f"who,{lines[0]}", *(f"x,{one}" for one in lines[1:])])
    )


def test_a_false_manifest_is_found(tmp_path: Path) -> None:
    assert "the manifest has another checksum" in told(tmp_path, TRUE, sha256="")
    assert "the manifest counts other rows" in told(tmp_path, TRUE, rows={"released": 4, "withheld": 0})
    assert "the manifest says another k" in told(tmp_path, TRUE, audit={"k": {"rows": 3}})


@pytest.mark.parametrize(
    ("key", "bound"),
    [
        ("distinct_l", 3),
        ("entropy_l", 2.1),
        ("recursive_cl", [1, 2]),
        ("simple_l", 2.1),
        ("confidence", 0.4),
        ("alpha", 0.4),
    ],
)
def test_every_requirement_can_be_broken(key: str, bound: Any, tmp_path: Path) -> None:
    world = World(WORLD.columns, WORLD.rows, {**POLICY, "require": {key: bound}})
    assert f"a group breaks {key}" in told(tmp_path, TRUE, world)


@pytest.mark.parametrize(("key", "bound"), [("t", 0.4), ("basic_beta", 0.5), ("enhanced_beta", 0.5), ("delta", 0.5)])
def test_every_requirement_beside_everybody_can_be_broken(key: str, bound: Any, tmp_path: Path) -> None:
    rows = (("20", "flu"), ("21", "flu"), ("30", "ok"), ("31", "ok"))
    world = World(WORLD.columns, rows, {**POLICY, "require": {key: bound}})
    text = TRUE.replace('21]",ok', '21]",flu').replace('31]",flu', '31]",ok')
    assert f"a group breaks {key}" in told(tmp_path, text, world)


def test_a_false_audit_is_found() -> None:
    said = {"k": {"rows": 2}, "holds": True, "failing_people": 0, "exposed": {"ill": 0}}
    found = list(false_of_audit(said, WORLD, anything=False))
    assert found == [
        "another k in rows",
        "the verdict is True",
        "another number of people fail",
        "another number of people are exposed",
    ]


def test_a_false_tree_is_found() -> None:
    sides = [
        {"intervals": [[None, 20]], "node": {"counts": [1, 0]}},
        {"intervals": [[20, None]], "node": {"counts": [0, 3]}},
    ]
    root = {"counts": [2, 2], "attribute": "age", "edges": sides}
    found = set(false_of_tree({"target": {"name": "ill", "labels": ["flu", "ok"]}, "root": root}, WORLD))
    assert found == {"a span breaks k", "a node tells of other people than came there"}


BASKETS = World(
    ("a", "b"), (("1", "1"), ("0", "1"), ("0", "0")), {"public": ["a"], "private": ["b"], "require": {"k": 2}}
)


def test_false_rules_are_found() -> None:
    rules = {"rules": [{"left": ["a"], "right": ["b"], "support": 0.5, "confidence": 1}]}
    assert set(false_of_rules(rules, BASKETS)) == {"a rule tells a figure that is not so", "a span of rules breaks k"}


def test_false_itemsets_are_found() -> None:
    itemsets = {"itemsets": [{"items": ["a", "b"], "support": 0.5}]}
    found = set(false_of_itemsets(itemsets, BASKETS))
    assert found == {"an itemset tells a support that is not so", "a span of itemsets breaks k"}


def test_false_clusters_are_found() -> None:
    attributes = [
        {"name": "age", "role": "public", "kind": "numeric", "domain": None, "scale": 1},
        {"name": "ill", "role": "private", "kind": "categorical", "domain": ["flu", "ok"], "scale": 0.1},
    ]
    clusters = [
        {"center": {"age": 25, "ill": [1, 0]}, "people": 2},
        {"center": {"age": 23, "ill": [0, 1]}, "people": 1},
    ]
    found = set(false_of_clusters({"attributes": attributes, "clusters": clusters}, WORLD))
    assert "a cluster tells of other people than are nearest to it" in found


@pytest.mark.parametrize("number", [1 << 50, 123456.75, 1 << 28])
def test_marks_are_found_in_bytes(number: float, tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    pq.write_table(pa.table({"x": [number] * 3, "y": ["a-mark-of-somebody"] * 3}), path, compression="zstd")
    marks = [Mark("number", str(number)), Mark("text", "a-mark-of-somebody"), Mark("none", "nobody-at-all")]
    assert {mark.kind for mark, _ in foreign(path.read_bytes(), marks, "")} == {"number", "text"}
    assert {mark.kind for mark, _ in foreign(gzip.compress(path.read_bytes()), marks, "")} == {"number", "text"}
    assert not list(foreign(path.read_bytes(), marks, f"a-mark-of-somebody {number}"))


@pytest.mark.parametrize("dictionary", [True, False])
def test_the_order_of_the_source_is_found_in_a_parquet_file(dictionary: bool, tmp_path: Path) -> None:
    them = people(random.Random(1), 40, 2, ["text"], k=5)
    shown = random.Random(2).sample(list(them.columns["text"]), 40)
    cells = pa.array(shown)
    if dictionary:
        places = [list(them.columns["text"]).index(text) for text in shown]
        cells = pa.DictionaryArray.from_arrays(places, list(them.columns["text"]))
    path = tmp_path / "out.parquet"
    pq.write_table(pa.table({"text": cells}), path, compression="zstd")
    whole = b"\0".join(parts(path.read_bytes()))
    assert follows_source(whole, them, path) == dictionary


def test_what_escapes_a_reader_is_found() -> None:
    def odd(content: bytes) -> None:
        if b"x" in content:
            raise ValueError(content)
        raise ks.DataError("two\nlines" if b"y" in content else "one line")

    reader = Reader(odd, ("x", "y"), (b"z",))
    told = [fault_of(reader, content) for content in (b"x", b"y", b"z")]
    assert told == ["ValueError escapes", "a refusal that is not one line", None]


def test_the_smallest_case_is_found() -> None:
    assert len(smallest(range(100), lambda kept: 7 in kept and 93 in kept)) == 2
