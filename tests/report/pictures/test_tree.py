"""What a page may draw of a tree: all of a tree that holds, nothing of leaves that break, never too much."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
import vl_convert

import kspan as ks
from kspan.audit.findings import Finding
from kspan.induce.methods import learn
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from kspan.report.pictures import tree as drawn
from kspan.report.pictures.tree import HELD_BACK, TreePicture, tree_picture
from kspan.report.pictures.tree_spec import described, first_depth, label_colors, tree_spec, tree_svg

MORTGAGE = ["Gender", "Married", "Age", "Sports car"]


def mortgage(k: int) -> tuple[Tree, ks.Audit]:
    """The tree of Friedman et al. 2008, Fig. 1, which keeps k=3, judged by another k."""
    three, other = (
        ks.Policy(identifier=["Name"], public=MORTGAGE, target="Loan risk", require=f"k={each}") for each in (3, k)
    )
    tree = learn(ks.datasets.mortgage(), three, "kadet")
    return tree, ks.audit(tree, ks.datasets.mortgage(), other)


def picture_of(tree: Tree, audit: ks.Audit) -> TreePicture:
    return tree_picture(tree, audit.crowds(400), failing=audit.failing_groups)


def chain(depth: int, width: int = 1) -> Tree:
    """A tree that goes down by one of many values again and again."""
    values = tuple(f"v{place}" for place in range(width + 1))
    node = Node.of_counts((1, 1))
    for _ in range(depth):
        leaves = tuple(Edge(Region(frozenset({value})), Node.of_counts((1, 0))) for value in values[1:])
        node = Node.of_counts((1, 1), 0, (Edge(Region(frozenset({values[0]})), node), *leaves))
    return Tree((Attribute("town", "public", "categorical", values),), "t", "private", ("a", "b"), node)


def drawn_text(spec: dict[str, Any]) -> str:
    return str(vl_convert.vega_to_svg(spec))


def finding(*bins: int, breaks: Sequence[str] = ()) -> Finding:
    return Finding({}, 3, 3, tuple(breaks), bins)


def test_the_mortgage_tree() -> None:
    picture = picture_of(*mortgage(3))
    assert (picture.target, picture.labels, picture.leaves, picture.held_back) == ("Loan risk", ("Bad", "Good"), 4, 0)
    assert [(node.number, node.parent, node.depth, node.way) for node in picture.nodes] == [
        (0, None, 0, "everyone"),
        (1, 0, 1, "Gender = Female"),
        (2, 1, 2, "Married = No"),
        (3, 1, 2, "Married = Yes"),
        (4, 0, 1, "Gender = Male"),
        (5, 4, 2, "Age = Old"),
        (6, 4, 2, "Age = Young"),
    ]
    assert [(node.asks, node.role, node.first, node.last) for node in picture.nodes if node.leaf is None] == [
        ("Gender", "public", 1, 4),
        ("Married", "public", 1, 2),
        ("Age", "public", 3, 4),
    ]
    assert [(node.leaf, node.people, node.label, node.shares) for node in picture.nodes if node.leaf is not None] == [
        (1, 3, "Good", (("Good", 0.6667), ("Bad", 0.3333))),
        (2, 3, "Bad", (("Bad", 1.0),)),
        (3, 3, "Bad", (("Bad", 0.6667), ("Good", 0.3333))),
        (4, 3, "Good", (("Good", 1.0),)),
    ]
    assert sorted(span.bins for span in picture.spans) == [(1,), (2,), (3,), (4,)]
    assert described(picture) == "A decision tree for Loan risk with 4 leaves. It asks Gender, Married, Age."


def test_leaves_count_as_findings_count_them() -> None:
    tree, audit = mortgage(3)
    picture = picture_of(tree, audit)
    by_leaf = {node.leaf: node for node in picture.nodes if node.leaf is not None}
    for number, leaf in enumerate(tree.leaves, 1):
        assert by_leaf[number].people == leaf.people
    for span in audit.crowds(10):
        assert span.people == sum(by_leaf[leaf].people or 0 for leaf in span.bins)


def test_the_drawing_of_the_mortgage_tree() -> None:
    svg = tree_svg(picture_of(*mortgage(3)))
    for text in ("Gender = Female", "Married", "leaf 1 · 67% of 3 people", "leaf 4 · 100% of 3 people", "everyone"):
        assert f">{text}</text>" in svg
    assert svg.count(">Bad</text>") == svg.count(">Good</text>") == 2
    assert "#0072B2" in svg
    assert "#D55E00" in svg
    assert "currentColor" in svg


def test_a_private_question_is_marked() -> None:
    people = ks.datasets.small_mortgage()
    policy = ks.Policy(
        identifier=["Name"], public=["Marital status"], private=["Sports car"], target="Loan risk", require="k=3"
    )
    tree = learn(people, policy, "kadet")
    picture = picture_of(tree, ks.audit(tree, people, policy))
    assert [(node.asks, node.role) for node in picture.nodes if node.asks] == [
        ("Sports car", "private"),
        ("Marital status", "public"),
    ]
    assert sorted(span.bins for span in picture.spans) == [(1, 2), (1, 3)]
    svg = tree_svg(picture)
    assert ">Sports car (private)</text>" in svg
    assert ">Marital status</text>" in svg
    assert 'stroke-dasharray="3,3"' in svg


@pytest.mark.parametrize(
    ("disclosure", "people", "shares", "line"),
    [
        ("hit-miss", 3, (("Good", 0.6667),), "leaf 1 · 67% of 3 people"),
        ("shares", None, (("Good", 0.6667), ("Bad", 0.3333)), "leaf 1 · 67%"),
        ("label", None, (), "leaf 1"),
    ],
)
def test_only_what_the_tree_discloses_is_told(disclosure: str, people: int | None, shares: Any, line: str) -> None:
    tree, audit = mortgage(3)
    picture = picture_of(tree.disclosing(disclosure), audit)
    leaf = picture.nodes[2]
    assert (leaf.people, leaf.label, leaf.shares) == (people, "Good", shares)
    assert picture.tells_people == (people is not None)
    svg = tree_svg(picture)
    assert f">{line}</text>" in svg
    assert ("people</text>" in svg) == (people is not None)


def test_a_tree_that_breaks_the_requirement_is_held_back() -> None:
    picture = picture_of(*mortgage(4))
    assert picture.held_back == 4
    assert all((node.people, node.label, node.shares) == (None, None, ()) for node in picture.nodes)
    assert [span.bins for span in picture.spans] == [()] * 4
    svg = tree_svg(picture)
    assert svg.count(">held back</text>") == 4
    assert "people" not in svg
    assert "Good" not in svg
    assert described(picture).startswith("A decision tree for Loan risk with 4 leaves. 4 of them are held back.")


def test_only_the_leaves_of_spans_that_break_are_held_back_and_all_that_stands_above_leaves() -> None:
    tree, _ = mortgage(3)
    picture = tree_picture(tree, [finding(2, 3, breaks=["k=4"]), finding(1), finding(4)])
    told = {node.leaf: (node.is_held_back, node.people) for node in picture.nodes if node.leaf is not None}
    assert told == {1: (False, 3), 2: (True, None), 3: (True, None), 4: (False, 3)}
    assert all((node.people, node.label, node.shares) == (None, None, ()) for node in picture.nodes if node.asks)
    assert (picture.held_back, [span.bins for span in picture.spans]) == (2, [(), (1,), (4,)])


def test_if_some_failing_spans_are_not_known_everything_is_held_back() -> None:
    tree, _ = mortgage(3)
    picture = tree_picture(tree, [finding(2, breaks=["k=4"]), finding(1)], failing=2)
    assert picture.held_back == 4
    assert all(node.people is None for node in picture.nodes)
    assert tree_picture(tree, [finding(2, breaks=["k=4"]), finding(1)], failing=1).held_back == 1


@pytest.mark.slow
def test_a_wide_tree_keeps_its_root() -> None:
    picture = tree_picture(chain(1, 50_000), ())
    assert [(node.leaves, node.is_folded) for node in picture.nodes] == [(50_001, True)]
    assert ">+50,001 leaves below</text>" in tree_svg(picture)


@pytest.mark.slow
def test_a_deep_tree_keeps_whole_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = chain(25_000)
    picture = tree_picture(tree, [finding(1, 25_001)])
    assert len(picture.nodes) == 2_999
    folded = [node for node in picture.nodes if node.is_folded]
    assert [(node.first, node.last, node.depth) for node in folded] == [(1, 25_001 - 1_499, 1_499)]
    assert {node.leaf for node in picture.nodes if node.leaf} == set(range(25_001 - 1_498, 25_002))
    assert first_depth(picture) == 4
    spec = tree_spec(picture)
    assert len(json.dumps(spec)) < 500_000
    assert spec["usermeta"]["spans"][0]["bins"] == [(1, 1), (25_001, 25_001)]
    assert ">+24,997 leaves</text>" in drawn_text(spec)
    monkeypatch.setattr(drawn, "MOST_NODES", 6)
    assert len(tree_picture(tree, ()).nodes) == 5


def test_a_large_tree_is_open_as_far_as_it_is_easy_to_look_at() -> None:
    assert first_depth(tree_picture(chain(20), ())) == 20
    assert first_depth(tree_picture(chain(30), ())) == 4
    assert first_depth(tree_picture(chain(30, 18), ())) == 3
    assert first_depth(tree_picture(chain(30, 100), ())) == 1


def test_names_from_data_stay_text() -> None:
    evil = "</script><script>alert(1)</script>"
    leaves = tuple(Edge(Region(frozenset({value})), Node.of_counts((1, 2))) for value in (evil, "\x1b[31m"))
    asked = Attribute(evil, "public", "categorical", (evil, "\x1b[31m"))
    tree = Tree((asked,), evil, "private", (evil, "b" * 500), Node.of_counts((2, 4), 0, leaves))
    picture = tree_picture(tree, ())
    svg = tree_svg(picture)
    assert "<script" not in svg
    assert "&lt;/script" in svg
    assert picture.nodes[1].way == f"{evil} = {evil}"
    assert picture.nodes[2].way == rf"{evil} = \x1b[31m"
    assert picture.labels[1] == "b" * 59 + "…"


def test_the_commonest_of_many_labels_have_colors() -> None:
    labels = tuple("abcdefgh")
    leaves = tuple(
        Edge(Region(frozenset({str(place)})), Node.of_counts([0] * label + [1] + [0] * (7 - label)))
        for place, label in enumerate((7, 6, 5, 4, 3, 2, 7))
    )
    values = tuple(str(place) for place in range(7))
    root = Node.of_counts((0, 0, 1, 1, 1, 1, 1, 2), 0, leaves)
    picture = tree_picture(Tree((Attribute("n", "public", "categorical", values),), "t", "private", labels, root), ())
    assert list(label_colors(picture)) == list("cdefgh")
    assert len(set(label_colors(picture).values())) == 6
    tree_svg(picture)


def test_a_leaf_alone_and_one_where_nobody_is() -> None:
    assert ">leaf 1 · 75% of 4 people</text>" in tree_svg(
        tree_picture(Tree((), "t", "private", ("a", "b"), Node.of_counts((3, 1))), ())
    )
    assert ">nobody</text>" in tree_svg(tree_picture(Tree((), "t", "private", ("a", "b"), Node.of_counts((0, 0))), ()))


def test_the_way_to_what_is_held_back_names_nothing() -> None:
    rare = tuple(Edge(Region(frozenset({value})), Node.of_counts((1, 2))) for value in ("ordinary", "RARE-JOB"))
    sons = Node.of_counts((2, 4), 1, rare)
    others = Node.of_counts((2, 4), 0, tuple(Edge(Region(frozenset({sex})), Node.of_counts((1, 2))) for sex in "FM"))
    ways = (Edge(Region(frozenset({"RARE-TOWN"})), sons), Edge(Region(frozenset({"elsewhere"})), others))
    asked = (
        Attribute("sex", "public", "categorical", ("F", "M")),
        Attribute("job", "public", "categorical", ("ordinary", "RARE-JOB")),
        Attribute("town", "public", "categorical", ("RARE-TOWN", "elsewhere")),
    )
    tree = Tree(asked, "risk", "private", ("low", "high"), Node.of_counts((4, 8), 2, ways))
    picture = tree_picture(tree, [finding(2, breaks=["k=5"]), finding(1), finding(3), finding(4)], failing=1)
    assert [(node.way, node.asks) for node in picture.nodes] == [
        ("everyone", HELD_BACK), (HELD_BACK, HELD_BACK), (HELD_BACK, None), (HELD_BACK, None),
        (HELD_BACK, "sex"), ("sex = F", None), ("sex = M", None),
    ]  # fmt: skip
    text = json.dumps(tree_spec(picture)) + described(picture)
    assert not [word for word in ("RARE", "ordinary", "elsewhere", "job", "town") if word in text]
