"""What trees of several owners have in common, and what keeps them apart."""

from typing import Any

import pytest

from kspan.errors import ModelError
from kspan.model.tree.model import Attribute, Node, Role, Tree
from kspan.model.tree.release import TreeRelease
from kspan.share.pool import Pool, pool
from kspan.share.source import Source


def word(name: str, *values: str, role: Role = "private", missing: bool = False) -> Attribute:
    return Attribute(name, role, "categorical", values, has_missing=missing)


def number(name: str, low: float | None = None, high: float | None = None, role: Role = "private") -> Attribute:
    return Attribute(name, role, "numeric", (), low, high)


def source(name: str, *attributes: Attribute, target: str = "risk", labels: Any = ("bad", "good")) -> Source:
    leaf = Node.of_counts([1] * len(labels))
    return Source(name, TreeRelease(Tree(attributes, target, "private", tuple(labels), leaf)))


def pooled(*sources: Source) -> Pool:
    return pool(sources)


def test_what_one_owner_lacks_is_taken_from_the_others() -> None:
    found = pooled(
        source("a", word("sex", "F", "M"), number("age", 17, 80)),
        source("b", number("age", 20, 90, "public"), word("job", "nurse"), word("sex", "M", "X", missing=True)),
    )
    assert found.attributes == (
        word("sex", "F", "M", "X", missing=True),
        number("age", 17, 90, "public"),
        word("job", "nurse"),
    )
    assert [member.attributes for member in found.members] == [(0, 1), (1, 2, 0)]
    assert found.schema.public == ("age",)
    assert set(found.schema.private) == {"sex", "job", "risk"}
    assert repr(found) == "Pool(2 trees, 3 attributes, target 'risk')"


def test_an_open_range_stays_open() -> None:
    found = pooled(source("a", number("age", 17, 80)), source("b", number("age")), source("c", number("age", 0, 9)))
    assert (found.attributes[0].low, found.attributes[0].high) == (None, None)


def test_labels_are_united_in_order() -> None:
    found = pooled(source("a", labels=("x", "y")), source("b", labels=("z", "x")), source("c", labels=("z", "Y z")))
    assert found.labels == ("x", "y", "z", "Y z")
    assert [member.labels for member in found.members] == [(0, 1), (2, 0), (2, 3)]
    assert pooled(source("a", labels=("x", "X")), source("b", labels=("X", "x"))).labels == ("x", "X")


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        (
            source("a", word("x")),
            source("b", number("x")),
            "a has the categorical attribute 'x', but in b it is numeric",
        ),
        (source("a", target="p"), source("b", target="q"), "a predicts 'p', but b predicts 'q'"),
        (source("a", target="p"), source("b", word("p")), "a predicts 'p', which is an attribute in b"),
        (source("a", word("q")), source("b", target="q"), "b predicts 'q', which is an attribute in a"),
        (source("a", labels=("x", "y")), source("b", labels=("v", "w")), "a and b have no label in common"),
        (
            source("a", labels=("x", "Yes")),
            source("b", labels=("x", "yes")),
            "a has the label 'Yes', and b writes it 'yes'",
        ),
        (
            source("a", labels=("x", "> 5")),
            source("b", labels=(">5", "x")),
            "a has the label '> 5', and b writes it '>5'",
        ),
        (source("a"), source("b", word(" age")), "b has the name ' age' with blanks around it"),
        (source("a"), source("b", target="risk "), "b has the name 'risk ' with blanks around it"),
    ],
)
def test_what_does_not_fit_together_is_refused_by_the_names_of_both(first: Source, second: Source, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        pooled(first, second)
    with pytest.raises(ModelError, match=says):
        pooled(first, first, second)


def test_nothing_is_no_pool() -> None:
    with pytest.raises(ModelError, match="there is no tree to pool"):
        pooled()
