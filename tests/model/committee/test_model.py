"""Committees: how their trees vote, what is written of them, and which documents are refused."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kspan.cli.main import main
from kspan.errors import DataError, ModelError
from kspan.model.committee import json as committee_json
from kspan.model.committee.json import read_committee, write_committee
from kspan.model.committee.model import Committee
from kspan.model.kind import is_model
from kspan.model.models import load_model, name_of, save_model
from kspan.model.outcome import DISCLOSURES
from kspan.model.predict import predicted
from kspan.model.predictor import Predictor
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree

SEX = Attribute("sex", "public", "categorical", ("F", "M"))
AGE = Attribute("age", "public", "numeric", low=17, high=90)


def by_sex(women: tuple[float, ...], men: tuple[float, ...], labels: tuple[str, ...] = ("no", "yes")) -> Tree:
    both = tuple(map(sum, zip(women, men, strict=True)))
    sides = ((Region(frozenset({"F"})), women), (Region(frozenset({"M"})), men))
    edges = tuple(Edge(region, Node.of_counts(counts)) for region, counts in sides)
    return Tree((SEX, AGE), "pays", "private", labels, Node.of_counts(both, 0, edges))


FOUND = Committee((by_sex((3, 1), (0, 5)), by_sex((1, 3), (2, 4)), by_sex((4, 1), (9, 1))))
PEOPLE = pl.DataFrame({"sex": ["F", "M"]})


def test_every_tree_has_one_vote() -> None:
    assert FOUND.of_people(PEOPLE).tolist() == [[2 / 3, 1 / 3], [1 / 3, 2 / 3]]
    assert predicted(FOUND, PEOPLE)["predicted: pays"].to_list() == ["no", "yes"]
    assert isinstance(FOUND, Predictor)
    assert repr(FOUND) == "Committee(3 trees, target 'pays')"
    assert repr(Committee(FOUND.trees[:1])) == "Committee(1 tree, target 'pays')"
    assert name_of(FOUND) == "committee of trees"


def test_a_tie_goes_to_the_label_that_is_likelier_on_average() -> None:
    found = Committee((by_sex((3, 2), (1, 1)), by_sex((0, 5), (1, 1))))
    women, men = found.of_people(PEOPLE)
    assert women == pytest.approx([0.5, 0.5], abs=1e-8)
    assert women[1] > women[0]
    assert women.sum() == pytest.approx(1)
    assert men.tolist() == [1, 0]


def test_labels_are_united() -> None:
    found = Committee((by_sex((3, 1), (0, 5), ("b", "a")), by_sex((3, 1), (0, 5), ("a", "c"))))
    assert found.labels == ("b", "a", "c")
    assert found.of_people(PEOPLE) == pytest.approx(np.array([[0.5, 0.5, 0], [0, 0.5, 0.5]]), abs=1e-8)
    assert predicted(found, PEOPLE)["predicted: pays"].to_list() == ["a", "a"]


COUNTS = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4))
NAMES = st.permutations(["x", "y", "z", "w"]).map(lambda names: tuple(names[:3]))


@given(st.lists(st.tuples(COUNTS, COUNTS, NAMES), min_size=1, max_size=5), st.sampled_from(DISCLOSURES))
def test_votes_are_those_of_the_definition(made: list[Any], kind: str) -> None:
    trees = tuple(by_sex(*one).disclosing(kind) for one in made)
    found = Committee(trees)
    shares = found.of_people(PEOPLE)
    for row, told in enumerate(shares):
        votes, likely = dict.fromkeys(found.labels, 0), dict.fromkeys(found.labels, 0.0)
        for tree in trees:
            told_by_tree = _shares(tree, row)
            votes[tree.labels[told_by_tree.index(max(told_by_tree))]] += 1
            for label, share in zip(tree.labels, told_by_tree, strict=True):
                likely[label] += share
        assert told.tolist() == pytest.approx([votes[label] / len(trees) for label in found.labels], abs=1e-8)
        best = max(found.labels, key=lambda label: (votes[label], round(likely[label], 9)))
        chosen = found.labels[told.argmax()]
        assert votes[chosen] == votes[best]
        assert likely[chosen] == pytest.approx(likely[best])


def _shares(tree: Tree, row: int) -> list[float]:
    leaf = tree.leaves[row]
    told = leaf.outcome.shares(len(tree.labels))
    told = tree.root.outcome.shares(len(tree.labels)) if told is None else told
    return [1 / len(tree.labels)] * len(tree.labels) if told is None else told.tolist()


def test_only_columns_that_are_asked_are_needed() -> None:
    with pytest.raises(DataError, match="lacks 'sex'"):
        FOUND.of_people(pl.DataFrame({"age": [4]}))


@pytest.mark.parametrize(
    ("trees", "says"),
    [
        ((), "at least one tree"),
        ((by_sex((1, 0), (0, 1)), Tree((), "owes", "private", ("no",), Node.of_counts((1,)))), "one target"),
        (
            (
                by_sex((1, 0), (0, 1)),
                Tree((Attribute("sex", "public", "numeric"),), "pays", "private", ("no",), Node.of_counts((1,))),
            ),
            "'sex' is numeric in one tree and categorical in another",
        ),
        ((Tree((SEX,), "sex", "private", ("no",), Node.of_counts((1,))),), "'sex' is an attribute of one of the trees"),
    ],
)
def test_trees_that_cannot_vote_together_are_refused(trees: tuple[Tree, ...], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        Committee(trees)


# Files


def test_it_survives_a_file_and_the_command_line_takes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "committee.json"
    save_model(FOUND, path)
    assert load_model(path) == FOUND
    assert is_model(path)
    PEOPLE.write_csv(tmp_path / "people.csv")
    assert main(["predict", str(path), str(tmp_path / "people.csv"), "-o", str(tmp_path / "out.csv")]) == 0
    capsys.readouterr()
    assert pl.read_csv(tmp_path / "out.csv")["predicted: pays"].to_list() == ["no", "yes"]


DOCUMENT = write_committee(FOUND)


def changed(path: tuple[Any, ...], value: Any) -> Any:
    document: Any = copy.deepcopy(DOCUMENT)
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return document


TREE = DOCUMENT["trees"][0]
ROOT = ("trees", 1, "root")


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("format",), "kspan/tree", "no committee that kspan wrote"),
        (("format",), ["kspan/committee"], "no committee that kspan wrote"),
        (("version",), 2, "reads version 1"),
        (("version",), True, "reads version 1"),
        (("version",), ..., "reads version 1"),
        (("claim",), {}, "'claim' is not known"),
        (("trees",), ..., "the key 'trees' is missing"),
        (("trees",), {}, "'trees' must be a list of 1 to"),
        (("trees",), "abc", "'trees' must be a list of 1 to"),
        (("trees",), [], "'trees' must be a list of 1 to"),
        (("trees",), [TREE] * 1001, "'trees' must be a list of 1 to 1,000"),
        (("trees", 1), None, "tree 2 of it.json is malformed at the top: a JSON object is expected"),
        (("trees", 1), 3, "a JSON object is expected"),
        (("trees", 1), {"format": "kspan/tree", "version": 1}, "the key 'attributes' is missing"),
        (("trees", 1), DOCUMENT, "'format' is not 'kspan/tree'"),
        (("trees", 1, "weight"), 2, "'weight' is not known"),
        (("trees", 1, "target", "name"), "owes", "all must have one target"),
        (("trees", 1, "target", "name"), "age", "an attribute has the same name"),
        (("trees", 1, "target", "labels"), [], "'labels' must not be empty"),
        (("trees", 1, "attributes", 1, "name"), "pays", "an attribute has the same name"),
        (("trees", 1, "attributes", 1, "kind"), "categorical", "'domain'"),
        (("trees", 1, "attributes", 1, "domain"), [90, 17], "from the lowest number to the highest"),
        (("trees", 1, "attributes", 1, "domain"), [float("nan"), 17], "must be a finite number"),
        (
            ("trees", 1, "claim"),
            {"requirement": "k=2", "counting": "people", "disclosure": "counts", "inferred_domains": []},
            "tree 2 has a claim or marginals",
        ),
        ((*ROOT, "counts"), [1, 2], "do not add up"),
        ((*ROOT, "counts"), [-3, 7], "must be a number of people"),
        ((*ROOT, "counts"), [float("nan"), 7], "must be a number of people"),
        ((*ROOT, "attribute"), "shoe", "'shoe' is not listed"),
        ((*ROOT, "edges"), [], "at least one edge"),
        ((*ROOT, "edges", 0, "values"), ["F", "M"], "admit the same value"),
        ((*ROOT, "edges", 0, "node"), {"$ref": "#/trees/0/root"}, "the key 'counts' is missing"),
    ],
)
def test_a_malformed_document_is_refused_with_the_place(path: tuple[Any, ...], value: Any, says: str) -> None:
    with pytest.raises(ModelError, match=says) as told:
        read_committee(changed(path, value), "it.json")
    assert "it.json" in str(told.value)


CUT: list[Callable[[str], str]] = [
    lambda text: text[:-20],
    lambda text: text.replace("[3, 1]", "[3, NaN]"),
    lambda text: text.replace('"version": 1', '"version": 1, "version": 1', 1),
    lambda text: "[" * 100_000,
    lambda text: "",
]


@pytest.mark.parametrize("cut", CUT)
def test_a_damaged_file_is_refused(cut: Callable[[str], str], tmp_path: Path) -> None:
    save_model(FOUND, tmp_path / "it.json")
    (tmp_path / "it.json").write_text(cut((tmp_path / "it.json").read_text()))
    with pytest.raises(ModelError, match=r"it\.json"):
        load_model(tmp_path / "it.json")


def test_all_trees_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committee_json, "MOST_NODES", 9)
    assert read_committee(json.loads(json.dumps(DOCUMENT))) == FOUND
    monkeypatch.setattr(committee_json, "MOST_NODES", 8)
    with pytest.raises(ModelError, match="more than 8 nodes together"):
        read_committee(DOCUMENT)
