"""Several trees about the same people: who has the same span in all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from kspan.audit.tree.spans import joint_spans, people_of
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from laws.examples import share_of_examples
from laws.naive_spans import Domains, Person, Value, World, leaf_of, random_trees, told, worlds

TARGET, OTHER = "label", "other"


@dataclass(frozen=True)
class Pair:
    """Two trees about some people, perhaps with different targets."""

    world: World
    trees: tuple[Tree, Tree]
    people: tuple[dict[str, Value], ...]
    domains: dict[str, list[Value]]

    @property
    def roles(self) -> dict[str, str]:
        """Of every column that a tree knows."""
        found = {item.name: item.role for tree in self.trees for item in tree.attributes}
        return found | {tree.target: tree.target_role for tree in self.trees}

    @property
    def frame(self) -> pl.DataFrame:
        kinds: dict[str, Any] = {
            item.name: pl.Int64 if item.is_measured else pl.String for tree in self.trees for item in tree.attributes
        }
        return pl.DataFrame(list(self.people), schema={**kinds, **{tree.target: pl.String for tree in self.trees}})

    def policy(self, require: str) -> ks.Policy:
        named = {role: [name for name, said in self.roles.items() if said == role] for role in ("public", "private")}
        return ks.Policy(**named, require=require)  # type: ignore[arg-type]


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    """Two random trees; the second may have another target, and then asks for the label of the first, too."""
    world = draw(worlds())
    tree, people, domains = world.tree, [dict(person) for person in world.people], dict(world.domains)
    attributes, target, role, labels = tree.attributes, TARGET, tree.target_role, tree.labels
    if draw(st.booleans()):
        attributes = (*attributes, Attribute(TARGET, tree.target_role, "categorical", tree.labels))
        target, role, labels = OTHER, draw(st.sampled_from(["public", "private"])), ("n", "y")
        domains[TARGET] = list(tree.labels)
        others = draw(st.lists(st.sampled_from(labels), min_size=len(people), max_size=len(people)))
        people = [{**person, OTHER: label} for person, label in zip(people, others, strict=True)]
    second = draw(random_trees(attributes, target, role, labels, people, domains, deepest=2))
    domains |= {TARGET: list(tree.labels), target: list(labels)}
    return Pair(world, (tree, second), tuple(people), domains)


def brute_force(trees: Sequence[Tree], people: Sequence[Person], domains: Domains, roles: dict[str, str]) -> Any:
    """The people, by index, by all that they may be in together when any private value may be anything."""
    private = [name for name, role in roles.items() if role == "private"]
    found: dict[frozenset[Any], list[int]] = {}
    for index, person in enumerate(people):
        may = set()
        for values in product(*(domains[name] for name in private)):
            one = {**person, **dict(zip(private, values, strict=True))}
            may.add(tuple((leaf_of(tree, one), one[tree.target]) for tree in trees))
        found.setdefault(frozenset(may), []).append(index)
    return found


@pytest.mark.slow
@given(pair=pairs())
def test_joint_spans_are_those_of_the_definition(pair: Pair) -> None:
    table = people_of(pair.trees, pair.frame, pair.policy("k=1"))
    spans = joint_spans(pair.trees, table)
    members: dict[int, list[int]] = {}
    for row, span in enumerate(spans.span.tolist()):
        members.setdefault(span, []).append(row)
    expected = brute_force(pair.trees, pair.people, pair.domains, pair.roles)
    assert sorted(members.values()) == sorted(expected.values())
    exposing = sorted(rows for may, rows in expected.items() if len(may) > 1)
    assert sorted(rows for span, rows in members.items() if spans.groups.exposing[span]) == exposing
    assert [spans.groups.sizes[span] for span in members] == [len(rows) for rows in members.values()]
    for name in {tree.target for tree in pair.trees if tree.target_role == "private"}:
        counts = spans.groups.private[name]
        labels = [{person[name] for person in map(pair.people.__getitem__, members[span])} for span in sorted(members)]
        assert counts.distinct.tolist() == [len(each) for each in labels]


@pytest.mark.slow
@share_of_examples(0.5)
@given(pair=pairs(), k=st.integers(1, 6))
def test_one_more_release_is_never_laxer_and_the_same_one_is_nothing_new(pair: Pair, k: int) -> None:
    policy, (first, second) = pair.policy(f"k={k}"), pair.trees
    alone = audit_tree(first, pair.frame, policy)
    together = audit_tree(first, pair.frame, policy, beside=[second])
    assert alone.holds or not together.holds
    assert together.k.people <= alone.k.people
    assert together.groups >= alone.groups
    assert together.releases == 2
    turned = audit_tree(second, pair.frame, policy, beside=[first])
    assert (turned.holds, turned.groups, turned.k) == (together.holds, together.groups, together.k)
    twice, once = (audit_tree(first, pair.frame, policy, beside=others).as_dict() for others in ([first], []))
    for same in (twice, once):
        for name in ("releases", "failing", "smallest"):
            del same[name]
    assert twice == once


@pytest.mark.slow
@given(pair=pairs())
def test_what_trees_tell_of_private_attributes_together_is_that_of_the_definition(pair: Pair) -> None:
    private = [name for name, role in pair.roles.items() if role == "private"]
    targets = {tree.target for tree in pair.trees}
    asked = {tree.attributes[node.attribute].name for tree in pair.trees for node in tree.nodes() if node.edges}
    spans = brute_force(pair.trees, pair.people, pair.domains, pair.roles).values()
    found = audit_tree(pair.trees[0], pair.frame, pair.policy("k=1"), beside=[pair.trees[1]])

    def both(person: Person, name: str) -> tuple[Any, ...]:
        return tuple(told(tree, person, name, pair.people) for tree in pair.trees)

    for name in sorted(asked.intersection(private) - targets):
        exposed = 0
        for members in spans:
            person = pair.people[members[0]]
            guesses = ({**person, **dict(zip(private, values, strict=True))}
                       for values in product(*(pair.domains[one] for one in private)))  # fmt: skip
            could = {
                both(guess, name) for guess in guesses if None not in {leaf_of(tree, guess) for tree in pair.trees}
            }
            here = {both(pair.people[index], name) for index in members}
            if len(could) > 1 and len(here) == 1 and here != {(None, None)}:
                exposed += len(members)
        assert found.exposed[name] == exposed


# Two towns, each asked by a tree of its own


def asks(name: str, target: str = TARGET, labels: tuple[str, ...] = ("no", "yes"), role: Any = "public") -> Tree:
    edges = tuple(Edge(Region(frozenset({value})), Node.of_counts((2, 2))) for value in ("a", "b"))
    return Tree(
        (Attribute(name, role, "categorical", ("a", "b")),), target, "private", labels, Node.of_counts((4, 4), 0, edges)
    )


PEOPLE = pl.DataFrame(
    {
        "town": list("aaaabbbb"),
        "street": list("aaabbbba"),
        TARGET: ["no", "yes", "no", "yes"] * 2,
        OTHER: ["no", "no", "yes", "yes"] * 2,
    }
)
POLICY = ks.Policy(public=["town", "street"], private=[TARGET, OTHER], require="k=4")


def test_two_trees_that_hold_may_not_hold_together() -> None:
    town, street = asks("town"), asks("street")
    assert ks.audit(town, PEOPLE, POLICY).holds
    assert ks.audit(street, PEOPLE, POLICY).holds
    found = ks.audit(town, PEOPLE, POLICY, beside=[street])
    assert (found.holds, found.releases, found.groups, found.k.people) == (False, 2, 4, 1)
    shown = {
        "release 1: leaves": "1", "release 1: town": "a", "release 2: leaves": "2", "release 2: street": "b",
    }  # fmt: skip
    assert [one.people for one in found.failing] == [1, 1, 3, 3]
    assert shown in [one.shown for one in found.failing[:2]]
    assert ks.audit(town, PEOPLE, POLICY, beside=[street], require="k=1").holds
    assert found.per_row["span_size"].to_list() == [3, 3, 3, 1, 3, 3, 3, 1]


def test_each_private_target_is_asked_about() -> None:
    town, other = asks("town"), asks("town", OTHER)
    asked = ks.audit(town, PEOPLE, POLICY, beside=[other], require="distinct_l=2")
    assert asked.holds
    assert set(asked.exposed) == set(asked.reached) == {TARGET, OTHER}
    assert ks.audit(town, PEOPLE, POLICY, beside=[other], require=f"distinct_l[{OTHER}]=2").holds
    # Of what a tree does not ask, it tells nothing.
    assert ks.audit(town, PEOPLE, POLICY, require=f"distinct_l[{OTHER}]=9").holds
    same = PEOPLE.with_columns(pl.lit("no").alias(OTHER))
    assert not ks.audit(town, same, POLICY, beside=[other], require="distinct_l=2").holds


def test_what_may_stand_beside_a_tree() -> None:
    from sklearn.tree import DecisionTreeClassifier

    numbers = pl.DataFrame({"age": [1, 1, 2, 2], "size": [1, 2, 1, 2], TARGET: ["no", "yes"] * 2})
    policy = ks.Policy(public=["age", "size"], target=TARGET, require="k=1")
    tree = ks.learn(numbers, policy, "id3")
    fitted = DecisionTreeClassifier(random_state=0).fit(numbers.select("age").to_pandas(), ["no", "no", "yes", "yes"])
    assert ks.audit(tree, numbers, policy, beside=[fitted]).groups == 4
    assert ks.audit(fitted, numbers, policy, beside=[tree]).groups == 4


def test_refusals(tmp_path: Any) -> None:
    town, street = asks("town"), asks("street")
    unknown = ks.audit(town, POLICY, require="k=1", beside=[street])
    assert (unknown.holds, unknown.reading) == (False, "not proved")
    assert unknown.covered == "who is in release 1 is not known: give its people"
    with pytest.raises(ks.PolicyError, match="judged by people and by a policy"):
        ks.audit(town, require="k=2", beside=[street])
    with pytest.raises(ks.PolicyError, match="takes 'street' as private, the policy says public"):
        ks.audit(town, PEOPLE, POLICY, beside=[asks("street", role="private")])
    with pytest.raises(ks.DataError, match="labels in 'label' that the tree does not know"):
        ks.audit(town, PEOPLE, POLICY, beside=[asks("street", labels=("no", "maybe"))])
    with pytest.raises(ks.FileError, match=r"nothing\.json"):
        ks.audit(town, PEOPLE, POLICY, beside=[tmp_path / "nothing.json"])
