"""Accuracy, class match and path match."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.evaluate.agreement import accuracy, paths_of, text_labels
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree

of = Node.of_counts
CAR = Attribute("car", "public", "categorical", ("No", "Yes", "Two"))
AGE = Attribute("age", "public", "numeric")


def tree(root: Node) -> Tree:
    return Tree((CAR, AGE), "risk", "private", ("bad", "good"), root)


def values(*names: str, missing: bool = False) -> Region:
    return Region(frozenset(names), missing=missing)


def between(low: float | None, high: float | None, *, missing: bool = False) -> Region:
    return Region(intervals=((low, high),), missing=missing)


def car_first(no: Node, yes: Node) -> Tree:
    return tree(of((5, 5), 0, (Edge(values("No"), no), Edge(values("Yes", "Two"), yes))))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (["a", None], ["a", None]),
        (pl.Series([1.0, 2.5, None]), ["1", "2.5", None]),
        (np.array([0, 1]), ["0", "1"]),
        (np.array(["a", "b"], object), ["a", "b"]),
        ([True, False], ["true", "false"]),
    ],
)
def test_labels_are_text(given: Any, text: list[str | None]) -> None:
    assert text_labels(given).to_list() == text


def test_accuracy_counts_people_where_rows_have_weights() -> None:
    assert accuracy([1, 2, 2], np.array([1.0, 2.0, 1.0])) == pytest.approx(2 / 3)
    assert accuracy(["a", "b"], ["a", "a"], np.array([9, 1])) == 0.9


@pytest.mark.parametrize("labels", [["a"], []])
def test_labels_of_other_rows_are_refused(labels: list[str]) -> None:
    with pytest.raises(ks.DataError, match="labels"):
        accuracy(labels, [] if not labels else ["a", "b"])


def test_class_match_of_trees_asks_them() -> None:
    people = pl.DataFrame({"car": ["No", "Yes", "Two", "Yes"]})
    first, second = car_first(of((5, 0)), of((0, 5))), tree(of((5, 1)))
    assert ks.class_match(first, second, people) == 0.25
    assert ks.class_match(first, ["bad", "good", "good", "bad"], people) == 0.75
    with pytest.raises(ks.DataError, match="give a table"):
        ks.class_match(first, second)


def test_path_match_is_shared_paths_of_all_paths() -> None:
    """|paths(h) ∩ paths(h')| / |paths(h) ∪ paths(h')|: 1 of 2 + 3 - 1."""
    older = of((2, 3), 1, (Edge(between(None, 30), of((2, 0))), Edge(between(30, None), of((0, 3)))))
    first, second = car_first(of((5, 0)), of((0, 5))), car_first(of((9, 1)), older)
    assert ks.path_match(first, second) == ks.path_match(second, first) == 0.25
    assert ks.path_match(second, second) == 1


def test_a_path_ends_in_a_label() -> None:
    assert ks.path_match(car_first(of((5, 0)), of((0, 5))), car_first(of((5, 0)), of((5, 0)))) == pytest.approx(1 / 3)


def test_the_order_of_questions_does_not_matter() -> None:
    """Both have the four paths of two questions; a path is a set of conditions (Definition 7)."""

    def ages(young: Node, old: Node) -> tuple[Edge, Edge]:
        return Edge(between(None, 30), young), Edge(between(30, None), old)

    def cars(no: Node, yes: Node) -> tuple[Edge, Edge]:
        return Edge(values("No"), no), Edge(values("Yes", "Two"), yes)

    bad, good = of((1, 0)), of((0, 1))
    first = tree(of((1, 3), 0, cars(of((1, 1), 1, ages(bad, good)), of((0, 2), 1, ages(good, good)))))
    second = tree(of((1, 3), 1, ages(of((1, 1), 0, cars(bad, good)), of((0, 2), 0, cars(good, good)))))
    assert ks.path_match(first, second) == 1


def test_of_several_cuts_the_tightest_counts() -> None:
    cut = Edge(between(20, 30), of((0, 1)))
    nested = tree(of((2, 1), 1, (Edge(between(20, None), of((1, 1), 1, (cut, Edge(between(30, None), of((1, 0)))))),)))
    # The same leaf where the inner branch does not repeat the bound above it.
    loose = Edge(between(None, 30), of((0, 1)))
    plain = tree(of((2, 1), 1, (Edge(between(20, None), of((1, 1), 1, (loose, Edge(between(30, None), of((1, 0)))))),)))
    assert set(paths_of(nested)) == set(paths_of(plain))
    assert (frozenset({("age", between(20, 30))}), "good") in set(paths_of(plain))


def test_a_leaf_without_people_predicts_what_is_above_it() -> None:
    assert ks.path_match(car_first(of((5, 0)), of((0, 0))), car_first(of((5, 0)), of((3, 0)))) == 1


def test_missing_values_that_go_along_are_no_condition() -> None:
    """As C4.5 sends them down every branch; a branch of their own is one."""
    edges = (Edge(values("No", missing=True), of((1, 0))), Edge(values("Yes", "Two", missing=True), of((0, 1))))
    alone = (*car_first(of((1, 0)), of((0, 1))).root.edges, Edge(Region(missing=True), of((1, 0))))
    assert ks.path_match(tree(of((1, 1), 0, edges)), car_first(of((1, 0)), of((0, 1)))) == 1
    assert ks.path_match(tree(of((2, 1), 0, alone)), car_first(of((1, 0)), of((0, 1)))) == pytest.approx(2 / 3)
