"""Trees from others are not trusted: whatever is wrong with a file is one sentence and exit code 2."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kspan.cli.main import main

NAN, INFINITE = float("nan"), float("inf")


def tree() -> dict[str, Any]:
    """A tree of two questions with all that a tree may have."""
    young = {"intervals": [[None, 30]], "node": {"counts": [2, 3]}}
    old = {"intervals": [[30, None]], "node": {"counts": [4, 1]}}
    ages = {"counts": [6, 4], "attribute": "age", "edges": [young, old]}
    return {
        "format": "kspan/tree",
        "version": 1,
        "attributes": [
            {"name": "sex", "role": "public", "kind": "categorical", "domain": ["F", "M"]},
            {"name": "age", "role": "public", "kind": "numeric", "domain": [17, 90]},
        ],
        "target": {"name": "ill", "role": "private", "labels": ["no", "yes"]},
        "claim": {"requirement": "k=3", "counting": "people", "disclosure": "counts", "inferred_domains": []},
        "marginals": [
            {"attribute": "sex", "bins": [{"values": ["F"], "people": 10}, {"values": ["M"], "people": 8}]},
            {
                "attribute": "age",
                "bins": [{"intervals": [[None, 40]], "people": 9}, {"intervals": [[40, None]], "people": 9}],
            },
        ],
        "root": {
            "counts": [12, 6],
            "attribute": "sex",
            "edges": [{"values": ["F"], "node": ages}, {"values": ["M"], "node": {"counts": [6, 2]}}],
        },
    }


def at(document: Any, *steps: str | int) -> Any:
    for step in steps:
        document = document[step]
    return document


def put(*steps_and_value: Any) -> Callable[[dict[str, Any]], None]:
    *steps, last, value = steps_and_value

    def change(document: dict[str, Any]) -> None:
        at(document, *steps)[last] = value

    return change


def drop(*steps: str | int) -> Callable[[dict[str, Any]], None]:
    *above, last = steps

    def change(document: dict[str, Any]) -> None:
        del at(document, *above)[last]

    return change


def twice(*steps: str | int) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        items = at(document, *steps)
        items.append(items[0])

    return change


AGES = ("root", "edges", 0, "node")
CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "another format": put("format", "kspan/forest"),
    "no format": drop("format"),
    "another version": put("version", 3),
    "a version in words": put("version", "1"),
    "a version that is true": put("version", True),
    "a key too many": put("exec", "import os"),
    "no attributes": drop("attributes"),
    "attributes as an object": put("attributes", {}),
    "an attribute without a name": drop("attributes", 0, "name"),
    "an attribute of a number": put("attributes", 0, 7),
    "an unknown role": put("attributes", 0, "role", "secret"),
    "an unknown kind": put("attributes", 0, "kind", "date"),
    "an attribute twice": twice("attributes"),
    "a value twice": put("attributes", 0, "domain", ["F", "M", "F"]),
    "a domain upside down": put("attributes", 1, "domain", [90, 17]),
    "a domain without end": put("attributes", 1, "domain", [17, INFINITE]),
    "a domain of three": put("attributes", 1, "domain", [17, 50, 90]),
    "no target": drop("target"),
    "no labels": put("target", "labels", []),
    "a label twice": put("target", "labels", ["no", "no"]),
    "labels as numbers": put("target", "labels", [0, 1]),
    "a target that is asked": put("target", "name", "sex"),
    "an empty claim": put("claim", {}),
    "a claim that discloses something else": put("claim", "disclosure", "hit-miss"),
    "a claim that counts votes": put("claim", "counting", "votes"),
    "domains inferred of nothing": put("claim", "inferred_domains", ["height"]),
    "no root": drop("root"),
    "a root of null": put("root", None),
    "no counts": drop("root", "counts"),
    "counts of another length": put("root", "counts", [18]),
    "a negative count": put("root", "edges", 1, "node", "counts", [-1, 9]),
    "a count of NaN": put("root", "edges", 1, "node", "counts", [NAN, 2]),
    "a count without end": put("root", "edges", 1, "node", "counts", [INFINITE, 2]),
    "a count in words": put("root", "edges", 1, "node", "counts", ["6", 2]),
    "a count that is true": put("root", "edges", 1, "node", "counts", [True, 2]),
    "a gigantic count": put("root", "edges", 1, "node", "counts", [10**400, 2]),
    "counts that do not add up": put("root", "edges", 1, "node", "counts", [7, 2]),
    "counts that add up in all, not by label": put("root", "edges", 1, "node", "counts", [5, 3]),
    "an unknown attribute": put("root", "attribute", "height"),
    "a question without edges": drop("root", "edges"),
    "edges without a question": drop("root", "attribute"),
    "no edge at all": put("root", "edges", []),
    "an edge twice": twice("root", "edges"),
    "an edge of words": put("root", "edges", 0, "F"),
    "an edge that leads nowhere": drop("root", "edges", 0, "node"),
    "an edge to the number of a node": put("root", "edges", 0, "node", 0),
    "an edge by reference to the root": put("root", "edges", 0, "node", {"$ref": "#/root"}),
    "an edge that admits nothing": put("root", "edges", 0, "values", []),
    "an edge of an unknown value": put("root", "edges", 0, "values", ["X"]),
    "an edge of a value in a list": put("root", "edges", 0, "values", [["F"]]),
    "two edges of one value": put("root", "edges", 1, "values", ["F"]),
    "edges that do not cover the domain": drop("root", "edges", 1),
    "a numeric edge of values": put(*AGES, "edges", 0, {"values": ["30"], "node": {"counts": [2, 3]}}),
    "a bound of NaN": put(*AGES, "edges", 0, "intervals", [[None, NAN]]),
    "a bound in words": put(*AGES, "edges", 0, "intervals", [[None, "30"]]),
    "an interval upside down": put(*AGES, "edges", 0, "intervals", [[30, 17]]),
    "an interval of one end": put(*AGES, "edges", 0, "intervals", [[30]]),
    "intervals that overlap": put(*AGES, "edges", 0, "intervals", [[None, 40]]),
    "intervals with a gap": put(*AGES, "edges", 0, "intervals", [[None, 25]]),
    "a question that was answered": put("root", "edges", 1, "node", {"counts": [6, 2], "attribute": "sex", "edges": [
        {"values": ["F"], "node": {"counts": [6, 2]}}]}),
    "a missing value nobody may have": put("root", "edges", 1, "missing", True),
    "marginals as an object": put("marginals", {}),
    "a marginal of an unknown attribute": put("marginals", 0, "attribute", "height"),
    "two marginals of one attribute": twice("marginals"),
    "a marginal without bins": put("marginals", 0, "bins", []),
    "bins that do not cover the domain": drop("marginals", 0, "bins", 1),
    "bins that overlap": put("marginals", 1, "bins", 0, "intervals", [[None, 50]]),
    "a bin of half a person": put("marginals", 0, "bins", 0, "people", 9.5),
    "a bin of fewer than nobody": put("marginals", 0, "bins", 0, "people", -1),
    "bins of other people": put("marginals", 0, "bins", 0, "people", 11),
}  # fmt: skip

TEXTS: dict[str, Callable[[str], bytes]] = {
    "nothing": lambda text: b"",
    "cut short": lambda text: text[: len(text) // 2].encode(),
    "more after the end": lambda text: (text + "{}").encode(),
    "a key twice": lambda text: text.replace('"version": 1', '"version": 1, "version": 1').encode(),
    "no UTF-8": lambda text: text.replace("ill", "übel").encode("latin-1"),
    "binary": lambda text: b"\x80\x04\x95" + text.encode(),
    "nested without end": lambda text: b'{"root":' * 100_000,
    "arrays without end": lambda text: b"[" * 100_000,
    "a list": lambda text: f"[{text}]".encode(),
    "half a character": lambda text: text.replace('"ill"', '"\\ud800"').encode(),
}


def deep() -> dict[str, Any]:
    """More edges from the root to a leaf than any tree needs."""
    document = tree()
    node: dict[str, Any] = {"counts": [0, 0]}
    for bound in range(260):
        edges = [
            {"intervals": [[None, bound]], "node": {"counts": [0, 0]}},
            {"intervals": [[bound, None]], "node": node},
        ]
        node = {"counts": [0, 0], "attribute": "age", "edges": edges}
    document["root"] = node
    return document


def refusal(content: bytes, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    (folder / "good.json").write_text(json.dumps(tree()))
    (folder / "bad.json").write_bytes(content)
    said = ["share", "pseudo", str(folder / "good.json"), str(folder / "bad.json"), "-o", str(folder / "pseudo.csv")]
    assert main(said) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert not (folder / "pseudo.csv").exists()
    return shown.err


def is_one_sentence(text: str) -> bool:
    return text.startswith("kspan: ") and text.count("\n") == 1 and len(text) < 500 and "Traceback" not in text


def test_the_tree_itself_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.json").write_text(json.dumps(tree()))
    assert main(["share", "pseudo", str(tmp_path / "good.json"), "-o", str(tmp_path / "pseudo.csv")]) == 0
    assert "18 pseudo people" in capsys.readouterr().out


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_tree_that_contradicts_itself(
    change: Callable[[dict[str, Any]], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tree()
    change(document)
    said = refusal(json.dumps(document).encode(), tmp_path, capsys)
    assert is_one_sentence(said)
    assert "bad.json" in said


@pytest.mark.parametrize("spoil", TEXTS.values(), ids=TEXTS)
def test_a_file_that_is_no_tree(
    spoil: Callable[[str], bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refusal(spoil(json.dumps(tree())), tmp_path, capsys)
    assert is_one_sentence(said)
    assert "bad.json" in said


def test_a_tree_that_is_too_deep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert is_one_sentence(refusal(json.dumps(deep()).encode(), tmp_path, capsys))


CLASHES: dict[str, Callable[[dict[str, Any]], None]] = {
    "kinds": put("attributes", 1, {"name": "age", "role": "public", "kind": "categorical", "domain": ["old", "young"]}),
    "targets": put("target", "name", "sick"),
    "labels": put("target", "labels", ["healthy", "sick"]),
}


@pytest.mark.parametrize("clash", CLASHES)
def test_trees_that_clash_are_named_both(clash: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = tree()
    CLASHES[clash](document)
    document["root"], document["marginals"] = {"counts": [12, 6]}, []
    said = refusal(json.dumps(document).encode(), tmp_path, capsys)
    assert is_one_sentence(said)
    assert "good.json" in said
    assert "bad.json" in said


def test_values_and_bounds_that_one_source_lacks_are_fine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tree()
    other["attributes"][0]["domain"] = ["F", "X"]
    other["attributes"][1]["domain"] = [10, 50]
    other["target"]["labels"] = ["no", "yes", "perhaps"]
    other["root"], other["marginals"] = {"counts": [2, 2, 3]}, []
    (tmp_path / "one.json").write_text(json.dumps(tree()))
    (tmp_path / "two.json").write_text(json.dumps(other))
    assert main(["share", "pseudo", str(tmp_path), "-o", str(tmp_path / "pseudo.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 25
