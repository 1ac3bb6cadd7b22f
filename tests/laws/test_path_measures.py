"""Trees judged by what they publish: the measures of Tian et al., and what they have to do with the people."""

import math
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from kspan.audit.tree.published import audit_paths
from kspan.model.outcome import DISCLOSURES, Disclosure, HitMiss
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from kspan.privacy import REQUIREMENTS, OnPrivate
from kspan.privacy.spec import parse
from laws import naive_spans
from laws.asked import KEYS, asked, compares_with_everybody
from laws.examples import share_of_examples
from laws.naive_spans import World

TARGET = "label"
SAME = ("holds", "people", "groups", "k", "failing_groups", "failing_people", "exposed", "reached", "risk", "utility")


def all_public(world: World, labels: dict[str, str]) -> tuple[Tree, pl.DataFrame, list[str]]:
    """The tree and the people of a world in which every attribute is public, with other labels."""
    tree = replace(
        world.tree,
        attributes=tuple(replace(item, role="public") for item in world.tree.attributes),
        labels=tuple(labels[label] for label in world.tree.labels),
    )
    kinds: dict[str, Any] = {item.name: pl.Int64 if item.is_measured else pl.String for item in tree.attributes}
    people = [{**person, TARGET: labels[str(person[TARGET])]} for person in world.people]
    return tree, pl.DataFrame(people, schema={**kinds, TARGET: pl.String}), [item.name for item in tree.attributes]


WORDS, NUMBERS = {"u": "u", "v": "v", "w": "w"}, {"u": "10", "v": "9", "w": "100"}


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("labels", [WORDS, NUMBERS], ids=["words", "numbers"])
@share_of_examples(0.3)
@given(data=st.data())
def test_if_all_is_public_paths_are_spans(key: str, labels: dict[str, str], data: st.DataObject) -> None:
    world = data.draw(naive_spans.worlds())
    tree, people, public = all_public(world, labels)
    seen = [TARGET] if tree.target_role == "public" else []
    require = data.draw(asked("k" if seen else key))
    policy = ks.Policy(public=[*public, *seen], target=TARGET, require=require)
    by_people, by_paths = audit_tree(tree, people, policy).as_dict(), audit_paths(tree, policy.require).as_dict()
    same = ("holds", "people", "failing_people") if seen else SAME
    assert {name: by_paths[name] for name in same} == {name: by_people[name] for name in same}
    assert (by_paths["counting"], by_paths["assumptions"]) == ("paths", [])


@pytest.mark.slow
@pytest.mark.parametrize("disclosure", DISCLOSURES)
@pytest.mark.parametrize("key", KEYS)
@share_of_examples(0.3)
@given(data=st.data(), world=naive_spans.worlds())
def test_what_tells_less_is_never_laxer_than_counts(
    key: str, disclosure: Disclosure, data: st.DataObject, world: World
) -> None:
    tree = replace(world.tree, target_role="private")
    require, less = data.draw(asked(key)), tree.disclosing(disclosure)
    if less.root.people is None or (disclosure != "counts" and compares_with_everybody(key)):
        with pytest.raises(ks.PolicyError, match=r"tells of no crowd|needs the labels of everybody"):
            audit_paths(less, require)
        return
    labels = require.assumed_distinct if isinstance(require, OnPrivate) else 1
    if any(leaf.people and sum(map(bool, leaf.counts)) < labels for leaf in tree.leaves):
        return  # Eq. (1) takes every path to have l labels
    counts, told = audit_paths(tree, require), audit_paths(less, require)
    assert counts.holds or not told.holds
    assert (told.people, told.groups, told.k, told.utility) == (counts.people, counts.groups, counts.k, counts.utility)
    assert told.exposed == counts.exposed
    for name, kind in REQUIREMENTS.items():
        if issubclass(kind, OnPrivate) and name in told.reached[TARGET] and kind is not ks.RecursiveCL:
            told_level, level = (found.reached[TARGET][name] for found in (told, counts))
            assert told_level <= level + 1e-9 if kind.safer_up else told_level >= level - 1e-9


def test_eq_1_takes_every_path_to_have_l_labels() -> None:
    """So a path of two labels, two people each, passes for (3, 3)-diversity where only hit and miss are told."""
    tree = Tree((), TARGET, "private", ("u", "v", "w"), Node.of_counts((2, 2, 0)))
    asked = ks.RecursiveCL(3, 3)
    assert not audit_paths(tree, asked).holds
    told = audit_paths(tree.disclosing("hit-miss"), asked)
    assert told.holds
    assert any("Eq. 1" in sentence for sentence in told.assumptions)


def path(hit: int, miss: int, labels: int) -> Tree:
    return Tree((), TARGET, "private", tuple(f"S{one}" for one in range(labels)), Node(HitMiss(0, hit, miss)))


@given(data=st.data(), labels=st.integers(2, 6), hit=st.integers(1, 9), c=st.integers(1, 6))
def test_definitions_9_11_and_13(data: st.DataObject, labels: int, hit: int, c: int) -> None:
    miss = data.draw(st.integers(0, hit * (labels - 1)))
    number = data.draw(st.integers(1, labels))
    tree = path(hit, miss, labels)
    assert audit_paths(tree, ks.KAnonymity(number * 3)).holds == (hit + miss >= number * 3)
    assert audit_paths(tree, ks.RecursiveCL(c, number)).holds == definition_11(hit, miss, c, number)
    simple = miss >= number - 1 and hit * number <= hit + miss
    assert audit_paths(tree, ks.SimpleL(number)).holds == simple


def definition_11(hit: int, miss: int, c: int, number: int) -> bool:
    """As it is printed, but for hit = 1, where q is not defined."""
    if miss < number - 1:
        return False
    if hit == 1:
        tail = miss - (number - 2)
    elif (miss - (number - 1)) / (hit - 1) <= number - 2:
        tail = 1
    else:
        tail = miss - (number - 2) * hit
    return hit < c * tail


@given(counts=st.lists(st.floats(0, 9).map(lambda one: round(one, 3)), min_size=2, max_size=5), told=st.booleans())
def test_fractions_of_people_never_make_a_path_safer(counts: list[float], told: bool) -> None:
    total = sum(counts)
    if total == 0:
        return
    tree = Tree((), TARGET, "private", tuple(map(str, range(len(counts)))), Node.of_counts(counts))
    found = audit_paths(tree.disclosing("hit-miss") if told else tree, ks.KAnonymity(1))
    reached = {key: level for key, level in found.reached[TARGET].items() if isinstance(level, float)}
    assert found.k.people <= max(total, 1)
    shares = [count / total for count in counts if count]
    assert reached["confidence"] >= max(shares) - 1e-9
    assert reached["simple_l"] <= 1 / max(shares) + 1e-9
    assert reached["entropy_l"] <= math.exp(-sum(share * math.log(share) for share in shares)) + 1e-9
    assert reached["distinct_l"] <= len(shares)
    tail = sum(sorted(counts, reverse=True)[1:])
    for c in (1, 2, 5):
        assert max(counts) < c * tail or not audit_paths(tree, ks.RecursiveCL(c, 2)).holds


def test_fractions_are_said() -> None:
    edges = (
        Edge(Region(frozenset({"x"}), missing=True), Node.of_counts((3.3, 0.2))),
        Edge(Region(frozenset({"y"}), missing=True), Node.of_counts((0, 2.5))),
    )
    where = Attribute("where", "public", "categorical", ("x", "y"), has_missing=True)
    tree = Tree((where,), TARGET, "private", ("u", "v"), Node.of_counts((3.3, 2.7), 0, edges))
    found = audit_paths(tree, parse("k=3, distinct_l=2"))
    assert (found.people, found.k.people, found.failing_groups) == (6, 2, 2)
    assert [one.breaks for one in found.smallest] == [("k=3", "distinct_l=2"), ("distinct_l=2",)]
    assert "fractions" in found.assumptions[0]
    assert "t" not in found.reached[TARGET]
    with pytest.raises(ks.PolicyError, match=r"t=0\.5 cannot be asked of counts with fractions"):
        audit_paths(tree, ks.TCloseness(0.5))
