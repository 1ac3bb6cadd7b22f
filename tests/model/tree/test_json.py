"""Trees go to files and come back the same; files that contradict themselves are refused with the place."""

import copy
import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kspan.errors import FileError, KspanError, ModelError
from kspan.model.claim import Claim
from kspan.model.outcome import DISCLOSURES, Disclosure
from kspan.model.tree import nodes, writing
from kspan.model.tree.json import load_tree, read_tree, save_tree, tree_json
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from kspan.model.tree.release import TreeRelease
from kspan.model.tree.writing import write_tree

MORTGAGE = """
{"format": "kspan/tree", "version": 1,
 "attributes": [{"name": "Sports car", "role": "private", "kind": "categorical", "domain": ["No", "Yes"]},
                {"name": "age", "role": "public", "kind": "numeric", "domain": [17, 90]}],
 "target": {"name": "Loan risk", "role": "private", "labels": ["bad", "good"]},
 "claim": {"requirement": "k=3", "counting": "people", "disclosure": "counts", "inferred_domains": []},
 "root": {"counts": [4, 2], "attribute": "Sports car",
          "edges": [{"values": ["Yes"], "node": {"counts": [1, 2]}}, {"values": ["No"], "node": {"counts": [3, 0]}}]}}
"""

COLOR = Attribute("color", "public", "categorical", ("red", "green", "blue"), has_missing=True)
AGE = Attribute("age", "public", "numeric", low=17.0, high=90.0)
PAY = Attribute("pay", "private", "numeric", low=-0.5, high=1e6, has_missing=True)
JOB = Attribute("job", "private", "categorical", ("clerk", "nurse"))
GONE = Attribute("gone", "public", "numeric", has_missing=True)


def among(*values: str, missing: bool = False) -> Region:
    return Region(frozenset(values), missing=missing)


def between(*intervals: tuple[float | None, float | None], missing: bool = False) -> Region:
    return Region(intervals=intervals, missing=missing)


def split(attribute: int, *edges: tuple[Region, Node]) -> Node:
    counts = tuple(map(sum, zip(*(node.counts for _, node in edges), strict=True)))
    return Node.of_counts(counts, attribute, tuple(Edge(region, node) for region, node in edges))


def rich_tree() -> Tree:
    """Merged values, several intervals of an edge, missing values, attributes asked again, people who are not there."""
    again = split(0, (among("red"), Node.of_counts((0, 0))), (among("blue", missing=True), Node.of_counts((3, 1))))
    ages = split(1, (between((None, 30.0), (50.5, None)), Node.of_counts((5, 0))), (between((30.0, 50.5)), again))
    young = split(1, (between((None, 20.0)), Node.of_counts((1, 1))), (between((20.0, None)), Node.of_counts((0, 2))))
    pays = split(2, (between((None, 0.0), missing=True), young), (between((0.0, None)), Node.of_counts((2, 2))))
    root = split(0, (among("blue", "red", missing=True), ages), (among("green"), pays))
    return Tree((COLOR, AGE, PAY, JOB, GONE), "risk", "public", ("bad", "good"), root)


RELEASE = TreeRelease(rich_tree(), Claim("k=3", inferred_domains=("color", "risk")))


def deep_tree(depth: int) -> Tree:
    """Each node cuts one number off."""
    attribute = Attribute("n", "private", "numeric", low=0.0, high=float(depth))
    node = Node.of_counts((1,))
    for number in reversed(range(depth)):
        node = split(0, (between((None, number)), Node.of_counts((1,))), (between((number, None)), node))
    return Tree((attribute,), "t", "private", ("x",), node)


def test_the_example_of_the_design_loads_and_writes_back_equal(tmp_path: Path) -> None:
    document = json.loads(MORTGAGE)
    release = read_tree(document)
    assert release.claim == Claim("k=3")
    assert release.tree.attributes[1] == AGE
    assert release.tree.root.edges[0] == Edge(among("Yes"), Node.of_counts((1, 2)))
    assert write_tree(release) == document
    assert json.loads(tree_json(release)) == document
    (tmp_path / "tree.json").write_text(MORTGAGE)
    assert load_tree(tmp_path / "tree.json") == release


@pytest.mark.parametrize(
    "release",
    [
        RELEASE,
        TreeRelease(rich_tree()),
        TreeRelease(Tree((), "t", "private", ("only",), Node.of_counts((7,)))),
        TreeRelease(
            Tree(
                (GONE,),
                "t",
                "private",
                ("a",),
                split(
                    0,
                    (Region(missing=True), Node.of_counts((2,))),
                    (Region(intervals=((None, None),)), Node.of_counts((1,))),
                ),
            )
        ),
        TreeRelease(Tree((JOB,), "t\n\x1b", "public", ("", "\u2028é日"), Node.of_counts((2, 0))), Claim("k=1", "rows")),
    ],
    ids=["rich", "no claim", "one leaf", "any number or missing", "odd names"],
)
def test_what_is_saved_loads_equal(release: TreeRelease, tmp_path: Path) -> None:
    assert read_tree(write_tree(release)) == release
    assert json.loads(tree_json(release)) == write_tree(release)
    save_tree(release, tmp_path / "tree.json")
    assert load_tree(tmp_path / "tree.json") == release
    assert list(tmp_path.iterdir()) == [tmp_path / "tree.json"]


def test_how_it_is_written() -> None:
    document = write_tree(RELEASE)
    assert document["attributes"][0] == {
        "name": "color",
        "role": "public",
        "kind": "categorical",
        "domain": ["red", "green", "blue"],
        "missing": True,
    }
    assert [attribute["domain"] for attribute in document["attributes"][1:3]] == [[17, 90], [-0.5, 1000000]]
    assert document["attributes"][4]["domain"] is None
    edge = document["root"]["edges"][0]
    assert list(edge) == ["values", "missing", "node"]
    assert edge["values"] == ["red", "blue"]
    assert '"intervals": [[null, 30], [50.5, null]]' in tree_json(RELEASE)
    assert ".0" not in tree_json(RELEASE)
    assert "claim" not in write_tree(TreeRelease(rich_tree()))


@pytest.mark.parametrize("depth", [100, nodes.MOST_DEPTH])
def test_deep_trees_go_out_and_come_back(depth: int, tmp_path: Path) -> None:
    release = TreeRelease(deep_tree(depth))
    save_tree(release, tmp_path / "deep.json")
    back = load_tree(tmp_path / "deep.json")
    assert tree_json(back) == tree_json(release)
    assert len(back.tree.leaves) == depth + 1
    assert [node.counts for node in back.tree.nodes()] == [node.counts for node in release.tree.nodes()]
    document = write_tree(release)
    assert tree_json(read_tree(document)) == tree_json(release)


def test_a_tree_that_is_too_deep_is_neither_written_nor_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = TreeRelease(deep_tree(nodes.MOST_DEPTH + 1))
    with pytest.raises(ModelError, match="more than 250 edges deep"):
        save_tree(release, tmp_path / "deep.json")
    assert not (tmp_path / "deep.json").exists()
    with monkeypatch.context() as without_limit:
        without_limit.setattr(writing, "MOST_DEPTH", 10_000)
        document = write_tree(release)
    with pytest.raises(ModelError, match=r"root > edge 2 > edge 2 .* > \.\.\. > .*: a tree is at most 250 edges deep"):
        read_tree(document)


def test_too_many_nodes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "MOST_NODES", 11)
    assert read_tree(write_tree(RELEASE)) == RELEASE
    monkeypatch.setattr(nodes, "MOST_NODES", 10)
    with pytest.raises(ModelError, match="at most 10 nodes"):
        read_tree(write_tree(RELEASE))


def test_what_could_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    wrong = Node.of_counts((3,), 0, (Edge(between((None, None)), Node.of_counts((2,))),))
    with pytest.raises(ModelError, match=r"the tree to be written is malformed at root: .* do not add up"):
        save_tree(TreeRelease(Tree((AGE,), "t", "private", ("x",), wrong)), tmp_path / "tree.json")
    assert not list(tmp_path.iterdir())


# Random trees

Spans = tuple[tuple[float, float], ...]
NAMES = st.text(max_size=4)
BOUNDS = st.integers(-50, 50).map(lambda number: number / 4)
Draw = Callable[[st.SearchStrategy[Any]], Any]


@st.composite
def attributes(draw: Draw, name: str) -> Attribute:
    role, missing = draw(st.sampled_from(["public", "private"])), draw(st.booleans())
    if draw(st.booleans()):
        values = draw(st.lists(NAMES, max_size=5, unique=True))
        return Attribute(name, role, "categorical", tuple(values), has_missing=missing)
    low, high = sorted([draw(BOUNDS), draw(BOUNDS)])
    return Attribute(name, role, "numeric", low=low, high=high, has_missing=missing)


def dealt(draw: Draw, items: Sequence[Any]) -> list[list[Any]]:
    """Items in heaps, none of them empty."""
    heaps: list[list[Any]] = [[] for _ in range(draw(st.integers(1, 3)))]
    for item in items:
        draw(st.sampled_from(heaps)).append(item)
    return [heap for heap in heaps if heap]


def regions(draw: Draw, attribute: Attribute, admitted: tuple[Any, ...]) -> list[Region]:
    """A split of what is admitted: values and None for a missing one, or spans of numbers and None."""
    missing = (None,) if None in admitted else ()
    if not attribute.is_measured:
        heaps = dealt(draw, admitted)
        return [Region(frozenset(heap) - {None}, missing=None in heap) for heap in heaps]
    spans: Spans = tuple(one for one in admitted if one is not None)
    cuts = sorted({cut for low, high in spans for cut in draw(st.lists(BOUNDS, max_size=2)) if low < cut < high})
    outside = draw(st.sampled_from([(None, None), (-1000.0, 1000.5)]))
    ends = [outside[0], *cuts, outside[1]]
    pieces = list(pairwise(ends)) if spans else []
    heaps = dealt(draw, [*pieces, *missing])
    return [Region(intervals=tuple(one for one in heap if one), missing=None in heap) for heap in heaps]


def admitted_through(admitted: tuple[Any, ...], region: Region) -> tuple[Any, ...]:
    left: list[Any] = [None] if region.missing else []
    for one in admitted:
        if isinstance(one, str) and one in region.values:
            left.append(one)
        elif isinstance(one, tuple):
            for low, high in region.intervals:
                cut = (max(one[0], -1e9 if low is None else low), min(one[1], 1e9 if high is None else high))
                left.extend([cut] if cut[0] < cut[1] else [])
    return tuple(left)


def grown(
    draw: Draw, asked: Sequence[Attribute], labels: int, admitted: dict[int, tuple[Any, ...]], depth: int
) -> Node:
    able = [number for number in range(len(asked)) if admitted[number]]
    if depth == 0 or not able or draw(st.booleans()):
        return Node.of_counts(tuple(draw(st.integers(0, 9)) for _ in range(labels)))
    number = draw(st.sampled_from(able))
    edges = []
    for region in regions(draw, asked[number], admitted[number]):
        left = {**admitted, number: admitted_through(admitted[number], region)}
        edges.append((region, grown(draw, asked, labels, left, depth - 1)))
    return split(number, *edges)


@st.composite
def trees(draw: Draw) -> Tree:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    asked = tuple(draw(attributes(name)) for name in names[1:])
    labels = tuple(draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)))
    admitted: dict[int, tuple[Any, ...]] = {}
    for number, one in enumerate(asked):
        spans = () if one.low is None or one.high is None else ((one.low - 1e-9, one.high),)
        admitted[number] = (*one.values, *spans, *((None,) if one.has_missing else ()))
    root = grown(draw, asked, len(labels), admitted, draw(st.integers(0, 4)))
    return Tree(asked, names[0], draw(st.sampled_from(["public", "private"])), labels, root)


@pytest.mark.slow
@given(trees())
def test_random_trees_come_back_equal(tree: Tree) -> None:
    release = TreeRelease(tree, Claim("k=2"))
    text = tree_json(release)
    assert json.loads(text) == write_tree(release)
    assert read_tree(json.loads(text)) == release


@given(trees(), st.sampled_from(DISCLOSURES), st.booleans())
def test_random_trees_of_every_disclosure_come_back_equal(tree: Tree, kind: Disclosure, claimed: bool) -> None:
    release = TreeRelease(tree.disclosing(kind), Claim("k=2", disclosure=kind, missing="seen") if claimed else None)
    assert read_tree(json.loads(tree_json(release))) == release


@given(trees(), st.data())
def test_a_leaf_with_one_more_person_is_refused(tree: Tree, data: st.DataObject) -> None:
    document = write_tree(TreeRelease(tree))
    node = document["root"]
    if "edges" not in node:
        return
    while "edges" in node:
        node = data.draw(st.sampled_from(node["edges"]))["node"]
    node["counts"][0] += 1
    with pytest.raises(ModelError, match="do not add up"):
        read_tree(document)


# What is refused

Change = Callable[[Any], Any]


def base() -> Any:
    """The rich tree as a document: root on color, edge 1 on age, edge 2 on pay."""
    return copy.deepcopy(write_tree(RELEASE))


def put(value: Any, *where: str | int) -> Change:
    def change(document: Any) -> None:
        for step in where[:-1]:
            document = document[step]
        document[where[-1]] = value

    return change


def drop(*where: str | int) -> Change:
    def change(document: Any) -> None:
        for step in where[:-1]:
            document = document[step]
        del document[where[-1]]

    return change


def both(*changes: Change) -> Change:
    def change(document: Any) -> None:
        for one in changes:
            one(document)

    return change


ROOT_EDGES = ("root", "edges")
AGES = ("root", "edges", 0, "node")
AGAIN = (*AGES, "edges", 1, "node")
PAYS = ("root", "edges", 1, "node")
YOUNG = (*PAYS, "edges", 0, "node")
OUTER, INNER = (*AGES, "edges", 0, "intervals"), (*AGES, "edges", 1, "intervals")
AT_AGES, AT_PAYS = "root > edge 1", "root > edge 2"
AT_AGAIN, AT_YOUNG = f"{AT_AGES} > edge 2", f"{AT_PAYS} > edge 1"

CORRUPTIONS: list[tuple[str, Change, str, str]] = [
    ("wrong format", put("kspan/rules", "format"), "the top", "'format' is not"),
    ("no format", drop("format"), "the top", "'format' is not"),
    ("format of another type", put([["kspan/tree"]], "format"), "the top", "'format' is not"),
    ("later version", put(3, "version"), "the top", "reads versions 1 and 2"),
    ("true is no version", put(True, "version"), "the top", "reads versions 1 and 2"),
    ("1.0 is no version", put(1.0, "version"), "the top", "reads versions 1 and 2"),
    ("no root", drop("root"), "the top", "the key 'root' is missing"),
    ("unknown key", put(1, "clam"), "the top", r"'clam' is not known \(did you mean 'claim'\?\)"),
    ("seed", put(7, "seed"), "the top", "'seed' is not known"),
    ("attributes no list", put({}, "attributes"), "the top", "'attributes' must be a list"),
    ("attribute no object", put("age", "attributes", 1), "attribute 2", "object is expected"),
    ("attribute without kind", drop("attributes", 1, "kind"), "attribute 2", "'kind' is missing"),
    ("attribute with more", put(1, "attributes", 1, "codes"), "attribute 2", "'codes' is not known"),
    ("name no text", put(None, "attributes", 2, "name"), "attribute 3", "'name' must be text"),
    ("half a character", put("\ud800", "attributes", 2, "name"), "attribute 3", "half a character"),
    ("name twice", put("age", "attributes", 2, "name"), "attribute 3", "same name"),
    ("identifier", put("identifier", "attributes", 0, "role"), "attribute 1", "'role' must be one of"),
    ("unhashable role", put(["public"], "attributes", 0, "role"), "attribute 1", "'role' must be one of"),
    ("unknown kind", put("ordinal", "attributes", 0, "kind"), "attribute 1", "'kind' must be one of"),
    ("missing no flag", put(1, "attributes", 0, "missing"), "attribute 1", "'missing' must be true or false"),
    ("domain no list", put("red", "attributes", 0, "domain"), "attribute 1", "'domain' must be a list"),
    ("domain null of categories", put(None, "attributes", 0, "domain"), "attribute 1", "'domain' must be a list"),
    ("domain of numbers", put([1, 2], "attributes", 0, "domain"), "attribute 1", "each of 'domain' must be text"),
    ("value twice", put(["red", "red"], "attributes", 0, "domain"), "attribute 1", "the same twice"),
    ("range of three", put([1, 2, 3], "attributes", 1, "domain"), "attribute 2", "list of two"),
    ("range of text", put(["17", "90"], "attributes", 1, "domain"), "attribute 2", "finite number"),
    ("range half open", put([17, None], "attributes", 1, "domain"), "attribute 2", "finite number"),
    ("range of flags", put([False, True], "attributes", 1, "domain"), "attribute 2", "finite number"),
    ("range too wide", put([0, float("inf")], "attributes", 1, "domain"), "attribute 2", "finite number"),
    ("number beyond floats", put([0, 10**400], "attributes", 1, "domain"), "attribute 2", "finite number"),
    ("range upside down", put([90, 17], "attributes", 1, "domain"), "attribute 2", "from the lowest"),
    ("target no object", put("risk", "target"), "the target", "object is expected"),
    ("target without role", drop("target", "role"), "the target", "'role' is missing"),
    ("target an attribute", put("age", "target", "name"), "the target", "same name"),
    ("no labels", put([], "target", "labels"), "the target", "'labels' must not be empty"),
    ("label twice", put(["bad", "bad"], "target", "labels"), "the target", "the same twice"),
    ("label no text", put(["bad", 1], "target", "labels"), "the target", "must be text"),
    ("claim null", put(None, "claim"), "the claim", "object is expected"),
    ("claim without counting", drop("claim", "counting"), "the claim", "'counting' is missing"),
    ("claim with seed", put(7, "claim", "seed"), "the claim", "'seed' is not known"),
    ("empty requirement", put("", "claim", "requirement"), "the claim", "must not be empty"),
    ("requirement a number", put(3, "claim", "requirement"), "the claim", "must be text"),
    ("unknown counting", put("cells", "claim", "counting"), "the claim", "'counting' must be one of"),
    ("unknown disclosure", put("all", "claim", "disclosure"), "the claim", "'disclosure' must be one of"),
    ("other disclosure", put("shares", "claim", "disclosure"), "root", "'shares' is missing"),
    ("missing no text", put(True, "claim", "missing"), "the claim", "'missing' must be text"),
    ("missing says nothing", put("", "claim", "missing"), "the claim", "'missing' must not be empty"),
    ("inferred no list", put("age", "claim", "inferred_domains"), "the claim", "must be a list"),
    ("inferred unknown", put(["shoe"], "claim", "inferred_domains"), "the claim", "neither an attribute nor"),
    ("root a list", put([], "root"), "root", "object is expected"),
    ("no counts", drop(*AGES, "counts"), AT_AGES, "'counts' is missing"),
    ("other disclosure in a node", put([1, 0], *AGES, "shares"), AT_AGES, "'shares' is not known"),
    ("counts too short", put([8], *AGES, "counts"), AT_AGES, "list of 2 numbers"),
    ("counts no list", put(8, *AGES, "counts"), AT_AGES, "list of 2 numbers"),
    ("negative", put([-1, 3], *YOUNG, "edges", 0, "node", "counts"), f"{AT_YOUNG} > edge 1", "number of people"),
    ("infinite people", put([float("inf"), 3], *YOUNG, "counts"), AT_YOUNG, "number of people"),
    ("people that are no number", put([float("nan"), 3], *YOUNG, "counts"), AT_YOUNG, "number of people"),
    ("people as text", put(["1", 3], *YOUNG, "counts"), AT_YOUNG, "number of people"),
    ("flag people", put([True, 3], *YOUNG, "counts"), AT_YOUNG, "number of people"),
    ("people beyond floats", put([2**53 + 1, 3], *YOUNG, "counts"), AT_YOUNG, "number of people"),
    ("sum of fractions", put([1.002, 3], *YOUNG, "counts"), AT_YOUNG, "do not add up"),
    ("sum", put([12, 6], "root", "counts"), "root", "do not add up"),
    ("sum by label", put([4, 0], *AGES, "edges", 0, "node", "counts"), AT_AGES, "do not add up"),
    ("unknown attribute", put("agee", *AGES, "attribute"), AT_AGES, r"'agee' is not listed \(did you mean 'age'"),
    ("target asked", put("risk", *AGES, "attribute"), AT_AGES, "'risk' is not listed"),
    ("attribute by number", put(1, *AGES, "attribute"), AT_AGES, "'attribute' must be text"),
    ("edges without attribute", drop(*AGES, "attribute"), AT_AGES, "'attribute' is missing"),
    ("attribute without edges", drop(*AGES, "edges"), AT_AGES, "'edges' is missing"),
    ("edges empty", put([], *AGES, "edges"), AT_AGES, "at least one edge"),
    ("edges no list", put({"0": {}}, *AGES, "edges"), AT_AGES, "at least one edge"),
    ("edge no object", put("red", *ROOT_EDGES, 1), AT_PAYS, "object is expected"),
    ("edge without node", drop(*ROOT_EDGES, 1, "node"), AT_PAYS, "'node' is missing"),
    ("node null", put(None, *ROOT_EDGES, 1, "node"), AT_PAYS, "object is expected"),
    ("edge with more", put(1, *ROOT_EDGES, 1, "rows"), AT_PAYS, "'rows' is not known"),
    ("intervals of categories", put([[1, 2]], *ROOT_EDGES, 1, "intervals"), AT_PAYS, "'intervals' is not known"),
    ("values of numbers", put(["20"], *AGES, "edges", 0, "values"), "root > edge 1 > edge 1", "'values' is not known"),
    ("edge of nothing", drop(*ROOT_EDGES, 1, "values"), AT_PAYS, "admits nothing"),
    ("edge of missing: false", both(drop(*ROOT_EDGES, 1, "values"), put(False, *ROOT_EDGES, 1, "missing")),
     AT_PAYS, "admits nothing"),
    ("values empty", put([], *ROOT_EDGES, 1, "values"), AT_PAYS, "'values' must not be empty"),
    ("values no list", put("green", *ROOT_EDGES, 1, "values"), AT_PAYS, "'values' must be a list"),
    ("value twice in an edge", put(["green", "green"], *ROOT_EDGES, 1, "values"), AT_PAYS, "the same twice"),
    ("value outside", put(["green", "pink"], *ROOT_EDGES, 1, "values"), AT_PAYS, "not in the domain of 'color'"),
    ("value in two edges", put(["green", "red"], *ROOT_EDGES, 1, "values"), "root", "admit the same value"),
    ("value in no edge", put(["blue"], *ROOT_EDGES, 0, "values"), "root", "do not cover every value"),
    ("value in no edge below", put(["blue"], *AGAIN, "edges", 0, "values"), AT_AGAIN,
     "admit the same value"),
    ("value gone above", put(["green"], *AGAIN, "edges", 0, "values"), AT_AGAIN, "do not cover"),
    ("nobody comes", lambda d: d["root"]["edges"][0]["node"]["edges"][1]["node"]["edges"].append(
        {"values": ["green"], "node": {"counts": [0, 0]}}), "root > edge 1 > edge 2 > edge 3", "cannot come here"),
    ("missing in no edge", drop(*ROOT_EDGES, 0, "missing"), "root", "no edge admits that"),
    ("missing in no edge below", drop(*AGAIN, "edges", 1, "missing"), AT_AGAIN, "no edge admits that"),
    ("missing in two of three edges", both(put([{"intervals": [[None, 0]], "missing": True, "node": {"counts": [1, 3]}},
                                                {"intervals": [[0, 5]], "missing": True, "node": {"counts": [2, 2]}},
                                                {"intervals": [[5, None]], "node": {"counts": [0, 0]}}],
                                               *PAYS, "edges")), AT_PAYS, "on one of them, or on all"),
    ("missing cannot be", put(True, *AGES, "edges", 0, "missing"), "root > edge 1 > edge 1", "cannot come here"),
    ("missing no flag in an edge", put("yes", *ROOT_EDGES, 0, "missing"), AT_AGES, "must be true or false"),
    ("intervals empty", put([], *INNER), AT_AGAIN, "must not be empty"),
    ("intervals no list", put(30, *INNER), AT_AGAIN, "must be a list"),
    ("interval no pair", put([30, 50.5], *INNER), AT_AGAIN, "list of two"),
    ("bound text", put([["30", 50.5]], *INNER), AT_AGAIN, "finite number"),
    ("bound flag", put([[True, 50.5]], *INNER), AT_AGAIN, "finite number"),
    ("bound nan", put([[float("nan"), 50.5]], *INNER), AT_AGAIN, "finite number"),
    ("interval empty", put([[30, 30]], *INNER), AT_AGAIN, "below the high one"),
    ("interval reversed", put([[50.5, 30]], *INNER), AT_AGAIN, "below the high"),
    ("overlap", put([[29, 50.5]], *INNER), AT_AGES, "admit the same value"),
    ("overlap in an edge", put([[30, 40], [39, 50.5]], *INNER), AT_AGES,
     "admit the same value"),
    ("gap", put([[31, 50.5]], *INNER), AT_AGES, "do not cover"),
    ("lowest left out", put([[17, 30], [50.5, None]], *OUTER), AT_AGES, "do not cover"),
    ("highest left out", put([[None, 30], [50.5, 89]], *OUTER), AT_AGES, "do not cover"),
    ("number beyond the domain", both(put([[None, 20], [20, 90]], *YOUNG, "edges", 0, "intervals"),
                                      put([[90, None]], *YOUNG, "edges", 1, "intervals")),
     "root > edge 2 > edge 1 > edge 2", "cannot come here"),
    ("number gone above", both(put("pay", *YOUNG, "attribute"), put(True, *YOUNG, "edges", 0, "missing")),
     "root > edge 2 > edge 1 > edge 2", "cannot come here"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "place", "why"), [one[1:] for one in CORRUPTIONS], ids=[one[0] for one in CORRUPTIONS]
)
def test_a_corrupt_tree_is_refused_with_its_place(change: Change, place: str, why: str) -> None:
    document = base()
    change(document)
    with pytest.raises(ModelError, match=why) as refused:
        read_tree(document, "bank.json")
    said = str(refused.value)
    assert said.startswith(f"bank.json is malformed at {place}: ")
    assert "\n" not in said
    assert isinstance(refused.value, KspanError)


def test_the_corruptions_differ() -> None:
    assert len({name for name, *_ in CORRUPTIONS}) == len(CORRUPTIONS) >= 40
    assert read_tree(base()) == RELEASE


@pytest.mark.parametrize("document", [None, [], "tree", 1, True, {}])
def test_other_documents_are_refused(document: Any) -> None:
    with pytest.raises(ModelError, match=r"^the model is malformed at the top: "):
        read_tree(document)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "}",
        "[",
        '{"a": 1,}',
        "[1,]",
        "[[],]",
        "[{} {}]",
        "[{}, 1 2]",
        '{"a" 1}',
        '{"a": }',
        "{1: 2}",
        "{[1]: 2}",
        '{"a": 1, "a": 2}',
        '{"a": [1}',
        "[{]}",
        '"a',
        '"a\nb"',
        r'"\x"',
        "NaN",
        '{"a": Infinity}',
        '{"a": [1, -Infinity]}',
        "[1, NaN]",
        "tru",
        "01",
        "1.",
        ".5",
        "+1",
        "'a'",
        "{} {}",
        "[1] x",
        "1" * 5000,
        "[" + "1" * 5000 + "]",
        '{"a": 1 /* note */}',
    ],
)
def test_what_is_no_strict_json_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(ModelError, match=r"bad\.json is not (JSON \(line \d, column \d+\)|strict JSON): ") as refused:
        load_tree(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"root": ' + "[{}," * 50_000])
def test_text_that_nests_without_end_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(ModelError, match="nested too deeply"):
        load_tree(path)


def test_a_deep_value_in_a_wrong_place_is_refused() -> None:
    deep: Any = []
    for _ in range(50_000):
        deep = [deep]
    for where in [("format",), ("version",), ("attributes", 0, "name"), ("root", "counts"), (*AGES, "edges")]:
        document = base()
        put(deep, *where)(document)
        with pytest.raises(ModelError):
            read_tree(document)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot read the model"):
        load_tree(tmp_path / "none.json")
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(FileError, match="not UTF-8"):
        load_tree(tmp_path / "latin.json")
    with pytest.raises(FileError, match="cannot write"):
        save_tree(RELEASE, tmp_path / "no folder" / "tree.json")


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "bom.json").write_bytes(b"\xef\xbb\xbf" + MORTGAGE.encode())
    assert load_tree(tmp_path / "bom.json").claim == Claim("k=3")
