"""Decision trees as a kind of model."""

from dataclasses import replace

from kspan.data.encode import encode_people
from kspan.data.kinds.numbers import NUMBERS
from kspan.data.kinds.words import WORDS
from kspan.model.kind import Kind
from kspan.model.outcome import LabelCounts, Numbers
from kspan.model.tree.imported import imported, is_fitted_tree
from kspan.model.tree.json import read_tree
from kspan.model.tree.model import Attribute, Edge, Node, Region, Target, Tree
from kspan.model.tree.release import TreeRelease
from kspan.model.tree.writing import FORMAT, write_tree


def example() -> Tree:
    """A tree that asks a word and a number."""
    sex = Attribute("sex", "public", WORDS, ("F", "M"))
    age = Attribute("age", "private", NUMBERS, low=0, high=120, has_missing=True)
    young = Edge(Region(intervals=((None, 40),), missing=True), Node.of_counts((3, 1)))
    old = Edge(Region(intervals=((40, None),)), Node.of_counts((0, 2)))
    women = Edge(Region(frozenset({"F"})), Node.of_counts((3, 3), 1, (young, old)))
    men = Edge(Region(frozenset({"M"})), Node.of_counts((5, 0)))
    return Tree((sex, age), "risk", "private", ("low", "high"), Node.of_counts((8, 3), 0, (women, men)))


def example_of_numbers() -> Tree:
    """A tree that asks a word and predicts a number."""
    sex = Attribute("sex", "public", WORDS, ("F", "M"))
    women = Edge(Region(frozenset({"F"})), Node(Numbers(6, 31.5, 30.0, 20.0, 50.0, "interval")))
    men = Edge(Region(frozenset({"M"})), Node(Numbers(4, 36.5, 40.0, 20.0, 50.0, "interval")))
    root = Node(Numbers(10, 33.5, 30.0, 20.0, 50.0, "interval"), 0, (women, men))
    return Tree((sex,), "income", "private", (), root, target_kind=NUMBERS)


def example_of_several() -> Tree:
    """A tree that asks a word, and predicts a number and a label."""
    tree = example_of_numbers()
    told = (LabelCounts((7, 3)), LabelCounts((4, 2)), LabelCounts((3, 1)))
    sons = zip(tree.root.edges, told[1:], strict=True)
    edges = tuple(Edge(edge.region, replace(edge.node, others=(one,))) for edge, one in sons)
    root = replace(tree.root, edges=edges, others=told[:1])
    return replace(tree, root=root, others=(Target("risk", "private", ("low", "high")),))


def example_without_names() -> Tree:
    """A tree that does not name all values of a word, and weighs labels."""
    tree = example()
    sex = Attribute("sex", "public", WORDS, ("F", "M"), has_missing=True, others=True)
    women = Edge(Region(frozenset({"F"})), Node.of_counts((5, 1)))
    rest = Edge(Region(frozenset({"M"}), missing=True), Node.of_counts((3, 2)))
    root = Node.of_counts((8, 3), 0, (women, rest))
    return replace(tree, attributes=(sex,), root=root, label_weights=(1.0, 5.0))


TREE = Kind(
    "tree",
    "decision tree",
    FORMAT,
    Tree,
    read_tree,
    lambda tree: write_tree(TreeRelease(tree)),
    example,
    is_fitted_tree,
    lambda given, people, policy: imported(given, encode_people(people, policy), policy),
    (example_of_numbers, example_of_several, example_without_names),
)
