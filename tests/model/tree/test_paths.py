"""Trees as people read them."""

from dataclasses import replace

import polars as pl
from polars.testing import assert_frame_equal

from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from kspan.model.tree.paths import condition, paths, text

GENDER = Attribute("Gender", "public", "categorical", ("Female", "Male"))
MARRIED = Attribute("Married", "public", "categorical", ("No", "Yes"))
AGE = Attribute("Age", "public", "categorical", ("Old", "Young"))


def is_(*values: str, missing: bool = False) -> Region:
    return Region(frozenset(values), missing=missing)


def mortgage_tree() -> Tree:
    """Friedman et al. 2008, Figure 1."""
    male = Node.of_counts(
        (2, 4), 2, (Edge(is_("Young"), Node.of_counts((0, 3))), Edge(is_("Old"), Node.of_counts((2, 1))))
    )
    female = Node.of_counts(
        (4, 2), 1, (Edge(is_("Yes"), Node.of_counts((3, 0))), Edge(is_("No"), Node.of_counts((1, 2))))
    )
    root = Node.of_counts((6, 6), 0, (Edge(is_("Male"), male), Edge(is_("Female"), female)))
    return Tree((GENDER, MARRIED, AGE), "Loan risk", "private", ("Bad", "Good"), root)


def leaf_tree(*counts: int) -> Tree:
    return Tree((), "t", "private", ("a", "b")[: len(counts)], Node.of_counts(counts))


def test_the_text_of_a_tree() -> None:
    assert text(mortgage_tree()).splitlines() == [
        "Gender = Male",
        "|  Age = Young: Good (Good: 3)",
        "|  Age = Old: Bad (Bad: 2, Good: 1)",
        "Gender = Female",
        "|  Married = Yes: Bad (Bad: 3)",
        "|  Married = No: Good (Bad: 1, Good: 2)",
    ]


def test_the_text_ends_at_a_depth() -> None:
    tree = mortgage_tree()
    assert text(tree, depth=0) == "... 4 leaves"
    assert text(tree, depth=1) == "Gender = Male: ... 2 leaves\nGender = Female: ... 2 leaves"
    assert text(tree, depth=2) == text(tree)
    one = Tree(
        (AGE,), "t", "private", ("a",), Node.of_counts((1,), 0, (Edge(is_("Old", "Young"), Node.of_counts((1,))),))
    )
    assert text(one, depth=0) == "... 1 leaf"


def test_a_tree_of_one_leaf_is_one_line() -> None:
    assert text(leaf_tree(3, 1)) == "a (a: 3, b: 1)"
    assert text(leaf_tree(3, 1), depth=0) == "a (a: 3, b: 1)"
    assert text(leaf_tree(2, 2)) == "a (a: 2, b: 2)"
    assert text(leaf_tree(0, 0)) == "nobody"


def test_conditions() -> None:
    color = Attribute("color", "public", "categorical", ("red", "a|b", "blue"), has_missing=True)
    age = Attribute("age", "public", "numeric", low=17, high=90, has_missing=True)
    assert condition(color, is_("blue")) == "color = blue"
    assert condition(color, is_("blue", "a|b")) == r"color in {a\|b|blue}"
    assert condition(color, is_("blue", "a|b", "red")) == "color is not missing"
    unnamed = replace(color, others=True)
    assert condition(unnamed, is_("blue", "a|b", "red")) == "color is neither missing nor rare"
    assert condition(unnamed, is_("blue", "a|b", missing=True)) == "color is not red"
    assert condition(color, is_("blue", missing=True)) == "color in {blue|(missing)}"
    assert condition(color, Region(missing=True)) == "color is missing"
    assert condition(age, Region(intervals=((None, 37.0),))) == "age <= 37"
    assert condition(age, Region(intervals=((37.5, None),))) == "age > 37.5"
    assert condition(age, Region(intervals=((37, 50),))) == "37 < age <= 50"
    assert condition(age, Region(intervals=((None, None),))) == "age is a number"
    assert condition(age, Region(intervals=((None, 20), (30, None)), missing=True)) == (
        "(age <= 20 or age > 30 or age is missing)"
    )


def test_control_characters_are_visible() -> None:
    odd = Attribute("a\nb", "public", "categorical", ("\x1b[31m", "\r"))
    edges = (Edge(is_("\x1b[31m", "\r"), Node.of_counts((1,))),)
    tree = Tree((odd,), "t", "private", ("x\ty",), Node.of_counts((1,), 0, edges))
    assert text(tree) == r"a\nb in {\x1b[31m|\r}: x\ty (x\ty: 1)"
    assert paths(tree)["path"].to_list() == [r"a\nb in {\x1b[31m|\r}"]


def test_paths() -> None:
    expected = pl.DataFrame(
        {
            "leaf": [1, 2, 3, 4],
            "path": [
                "Gender = Male and Age = Young",
                "Gender = Male and Age = Old",
                "Gender = Female and Married = Yes",
                "Gender = Female and Married = No",
            ],
            "people": [3, 3, 3, 3],
            "majority": ["Good", "Bad", "Bad", "Good"],
            "share": [1.0, 2 / 3, 1.0, 2 / 3],
            "people: Bad": [0, 2, 3, 1],
            "people: Good": [3, 1, 0, 2],
        }
    )
    assert_frame_equal(paths(mortgage_tree()), expected)


def test_paths_of_one_leaf() -> None:
    assert paths(leaf_tree(1, 3)).rows() == [(1, "everyone", 4, "b", 0.75, 1, 3)]
    assert paths(leaf_tree(0, 0)).rows() == [(1, "everyone", 0, None, None, 0, 0)]
    assert paths(leaf_tree(0, 0)).schema == paths(mortgage_tree()).rename(
        {"people: Bad": "people: a", "people: Good": "people: b"}
    ).schema  # fmt: skip


def test_a_deep_tree_is_shown() -> None:
    n = Attribute("n", "private", "numeric", low=0, high=1000)
    node = Node.of_counts((1,))
    for number in reversed(range(1000)):
        sons = (
            Edge(Region(intervals=((None, number),)), Node.of_counts((0,))),
            Edge(Region(intervals=((number, None),)), node),
        )
        node = Node.of_counts((1,), 0, sons)
    tree = Tree((n,), "t", "private", ("x",), node)
    assert len(text(tree).splitlines()) == 1000 + 1000
    assert text(tree, depth=1) == "n <= 0: nobody\nn > 0: ... 1,000 leaves"
    assert paths(tree).height == 1001
