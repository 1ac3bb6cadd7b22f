"""Learners that know what earlier releases tell: in every span, the people of each class keep what is required."""

import random
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from kspan.induce.methods import PRIVATE_METHODS, TREE_METHODS
from kspan.model.clusters.model import Clusters
from kspan.model.itemsets.model import Itemset
from kspan.model.models import Model
from kspan.model.rules.model import Rule
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from kspan.privacy.spec import parse, to_table
from kspan.share.publishing import share_tree
from laws import naive, naive_baskets, naive_spans
from laws.examples import share_of_examples
from laws.naive_baskets import PRIVATE, PUBLIC, Basket, Release
from laws.naive_spans import World
from laws.test_clusters import nearest, tried
from laws.test_itemsets import framed as framed_baskets
from laws.test_spans import TARGET, framed, policy_of

REQUIRED = ["k=2", "k=3, distinct_l=2", "k=2, confidence=0.75", "entropy_l=1.4", "recursive_cl=[3, 2]", "t=0.35"]
Known = list[int]


def crossed(spans: Iterable[Sequence[int]], known: Known) -> Iterator[list[int]]:
    """The people of each class of each span."""
    for members in spans:
        for one in sorted({known[row] for row in members}):
            yield [row for row in members if known[row] == one]


def satisfied(
    require: str, values: list[Hashable], everybody: list[Hashable], distance: Any = None, *, k: bool = True
) -> bool:
    """Does a crowd satisfy a requirement, by definition? Without `k`, only what is about values."""
    apart = naive.equal_distance() if distance is None else distance
    asked = to_table(parse(require))
    return all(naive.HOLDS[key](said, values, everybody, apart) for key, said in asked.items() if k or key != "k")


def classes(data: st.DataObject, people: int, most: int = 4) -> Known:
    """Two to four classes, with any numbers."""
    names = data.draw(st.lists(st.integers(-(2**40), 2**40), min_size=2, max_size=most, unique=True))
    chance = random.Random(data.draw(st.integers(0, 2**16)))
    return [chance.choice(names) for _ in range(people)]


def array(known: Known) -> Any:
    return np.array(known, np.int64)


# Trees


def crowded(data: st.DataObject) -> World:
    """A world with enough people for something to be learned, whose labels depend on what they have."""
    world = data.draw(naive_spans.worlds(most=3))
    chance = random.Random(data.draw(st.integers(0, 2**16)))
    labels, first = world.tree.labels, next(iter(world.domains))
    people = []
    for _ in range(data.draw(st.integers(8, 70))):
        person: dict[str, Any] = {name: chance.choice(values) for name, values in world.domains.items()}
        depending = world.domains[first].index(person[first]) % len(labels)
        person[TARGET] = labels[depending] if chance.random() < 0.6 else chance.choice(labels)
        people.append(person)
    return World(world.tree, tuple(people), world.domains)


def asked_of(world: World, require: str) -> ks.Policy:
    try:
        return policy_of(world, require)
    except ks.PolicyError:  # nothing is private, so nothing can be required of it
        return policy_of(world, "k=2")


def domains_of(tree: Tree, world: World) -> dict[str, Any]:
    """Nobody lacks a value of an attribute of which the tree says so."""
    missing = {item.name: item.has_missing for item in tree.attributes}
    return {
        name: values if missing.get(name) else [one for one in values if one is not None]
        for name, values in world.domains.items()
    }


def check_tree(tree: Tree, world: World, known: Known, require: str) -> None:
    """Every class of every span that tells something is a crowd, by definition: of labels, and of answers."""
    domains, people = domains_of(tree, world), world.people
    found = naive_spans.spans(tree, people, domains)
    labels: list[Hashable] = [person[TARGET] for person in people]
    for rows in crossed((rows for span, rows in found.items() if len(span) > 1), known):
        about_labels = tree.target_role == "private"
        asked = require if about_labels else f"k={parse(require).crowd}"
        assert satisfied(asked, [labels[row] for row in rows], labels)
    for name in [item.name for item in tree.attributes if item.role == "private"]:
        told: list[Hashable] = [naive_spans.told(tree, person, name, people) for person in people]
        for rows in crossed(found.values(), known):
            here = [told[row] for row in rows]
            varies = naive_spans.varies(tree, people[rows[0]], people, domains, name)
            if varies and any(one is not None for one in here):
                assert satisfied(require, here, told, k=False)


def people_in_breaking_classes(world: World, known: Known, require: str) -> int:
    """How many people are in classes that a tree of one leaf exposes."""
    if world.tree.target_role == "public":
        return 0
    labels: list[Hashable] = [person[TARGET] for person in world.people]
    everybody = crossed([range(len(known))], known)
    return sum(len(rows) for rows in everybody if not satisfied(require, [labels[row] for row in rows], labels))


@pytest.mark.parametrize("method", ["grouped", "kadet", "kadet-c45"])
@pytest.mark.parametrize("require", REQUIRED)
def test_trees_keep_each_class(require: str, method: str) -> None:
    learned = []

    @share_of_examples(0.6)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        world = crowded(data)
        known, policy = classes(data, len(world.people)), asked_of(world, require)
        breaking = people_in_breaking_classes(world, known, str(policy.require))
        if breaking:
            with pytest.raises(ks.Unreachable, match=f" leaves {breaking} of {len(known)} people in classes "):
                ks.learn(framed(world), policy, method, known=array(known))
            return
        tree = ks.learn(framed(world), policy, method, known=array(known), min_rows=1)
        learned.append(len(tree.leaves) > 1)
        check_tree(tree, world, known, str(policy.require))

    check()
    assert sum(learned) >= 0.2 * len(learned) > 2


@pytest.mark.parametrize("method", ["grouped", "kadet", "kadet-c45"])
@given(data=st.data(), k=st.integers(1, 3))
def test_one_class_changes_nothing_and_nor_do_several_of_crowds_of_one(
    method: str, data: st.DataObject, k: int
) -> None:
    world = crowded(data)
    known, policy = classes(data, len(world.people), 2), policy_of(world, f"k={k}")
    people = framed(world)
    plain = ks.learn(people, policy, method)
    assert ks.learn(people, policy, method, known=np.full(len(known), 7)) == plain
    if k == 1:  # every crowd is one of somebody
        assert ks.learn(people, policy, method, known=array(known)) == plain


@share_of_examples(0.5)
@given(data=st.data(), k=st.integers(1, 4), limit=st.sampled_from([0.6, 0.8, 1.0]))
def test_a_public_attribute_that_is_known_and_never_shown(data: st.DataObject, k: int, limit: float) -> None:
    """The judge of trees takes a tree that tells an attribute, and one that knows it: together they hold."""
    world = crowded(data)
    assume(world.tree.target_role == "private")
    cells = data.draw(st.lists(st.sampled_from("pqr"), min_size=len(world.people), max_size=len(world.people)))
    people = framed(world).with_columns(pl.Series("shown", cells))
    policy = policy_of(world, f"k={k}, confidence[{TARGET}]={limit}")
    both = replace(policy, public=(*policy.public, "shown"), domains={**policy.domains, "shown": list("pqr")})
    try:
        tree = ks.learn(people.drop("shown"), policy, known=array(["pqr".index(cell) for cell in cells]))
    except ks.Unreachable:
        return
    assert audit_tree(tree, people, both, beside=[stump(world, cells)]).holds


def stump(world: World, cells: list[str]) -> Tree:
    """The tree that asks one attribute, which the people of a world have besides."""

    def counts(values: str) -> list[int]:
        here = [one for one, cell in zip(world.people, cells, strict=True) if cell in values]
        return [sum(one[TARGET] == label for one in here) for label in world.tree.labels]

    edges = tuple(Edge(Region(frozenset({cell})), Node.of_counts(counts(cell))) for cell in "pqr")
    attribute = Attribute("shown", "public", "categorical", ("p", "q", "r"))
    return Tree((attribute,), TARGET, "private", world.tree.labels, Node.of_counts(counts("pqr"), 0, edges))


# Published trees

SHARED: list[dict[str, Any]] = [
    {"method": "atp"},
    {"method": "atp", "learner": "id3", "merge": "information"},
    {"method": "atp", "learner": "id3", "raising": False, "marginals": True},
    {"method": "ldm"},
]


@pytest.mark.parametrize("options", SHARED, ids=str)
@pytest.mark.parametrize("require", ["k=3", "k=2, confidence=0.75", "entropy_l=1.4", "t=0.35"])
def test_published_trees_keep_each_class(require: str, options: dict[str, Any]) -> None:
    learned = []

    @share_of_examples(0.5)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        world = crowded(data)
        assume(world.tree.target_role == "private")
        known = classes(data, len(world.people))
        on_labels = ", ".join(part if part[0] == "k" else part.replace("=", f"[{TARGET}]=") for part in
                              re.split(", (?=[a-z])", require))  # fmt: skip
        try:
            shared = share_tree(framed(world), policy_of(world, on_labels), known=array(known), **options)
        except (ks.Unreachable, ks.DoesNotHold):
            learned.append(False)
            return
        tree = shared.tree
        learned.append(True)
        check_published(tree, world, known, require, paths=options["method"] == "atp")
        for marginal in shared.release.marginals:
            asked = tree.attributes[marginal.attribute]
            check_crowds([[row for row, one in enumerate(world.people)
                           if naive_spans.admits(region, asked, one[asked.name])]
                          for region, _ in marginal.bins], world, known, require)  # fmt: skip

    check()
    assert sum(learned) >= 0.1 * len(learned) > 1


@pytest.mark.parametrize("merge", ["rules", "information"])
@pytest.mark.parametrize("require", ["k=3", "k=4, distinct_l=2", "k=2, confidence=0.8"])
def test_many_siblings_are_merged_until_each_class_is_a_crowd(require: str, merge: str) -> None:
    """Whoever was taken in before counts as well, when the next sibling is taken in."""
    several = 0
    for seed in range(40):
        chance = random.Random(seed)
        people = tuple({"town": chance.choice("abcdefghij"), TARGET: chance.choice("uv")} for _ in range(60))
        known = [ord(one["town"]) % 3 if chance.random() < 0.6 else chance.randint(0, 2) for one in people]
        policy = ks.Policy(public=["town"], target=TARGET, require=require)
        options: dict[str, Any] = {"learner": "id3", "merge": merge, "known": array(known)}
        try:
            tree = share_tree(pl.DataFrame(people), policy, **options).tree
        except ks.Unreachable:
            continue
        several += len(tree.leaves) > 2
        world = World(tree, people, {"town": list("abcdefghij")})
        check_published(tree, world, known, require, paths=True)
    assert several >= 10


def check_published(tree: Tree, world: World, known: Known, require: str, *, paths: bool) -> None:
    """The people of each class are crowds on every path, if the tree was pruned, and in every span."""
    spans = naive_spans.spans(tree, world.people, domains_of(tree, world))
    check_crowds([rows for span, rows in spans.items() if len(span) > 1], world, known, require)
    if paths:
        ends: dict[int | None, list[int]] = {}
        for row, person in enumerate(world.people):
            ends.setdefault(naive_spans.leaf_of(tree, person), []).append(row)
        check_crowds(ends.values(), world, known, require)


def check_crowds(groups: Iterable[Sequence[int]], world: World, known: Known, require: str) -> None:
    labels: list[Hashable] = [person[TARGET] for person in world.people]
    for rows in crossed(groups, known):
        assert satisfied(require, [labels[row] for row in rows], labels)


# Clusters


@pytest.mark.parametrize("require", REQUIRED)
def test_clusters_keep_each_class(require: str) -> None:
    learned = []

    @share_of_examples(0.6)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        chance = random.Random(data.draw(st.integers(0, 2**16)))
        middles = [(chance.randint(-40, 40), chance.randint(-6, 6)) for _ in range(chance.randint(1, 3))]
        people = []
        for _ in range(chance.randint(4, 50)):
            age, pay = chance.choice(middles)
            people.append(
                {"known": age + chance.randint(-3, 3), "hidden0": min(6, max(-6, pay + chance.randint(-2, 2)))}
            )
        known = classes(data, len(people))
        policy = ks.Policy(public=["known"], private=["hidden0"], require=require, domains={"hidden0": [-6, 6]})
        numbers: list[Hashable] = [one["hidden0"] for one in people]
        apart = naive.ordered_distance(sorted(set(numbers)))  # type: ignore[type-var]
        breaking = [
            rows
            for rows in crossed([range(len(people))], known)
            if not satisfied(require, [numbers[row] for row in rows], numbers, apart, k=False)
        ]
        options: dict[str, Any] = {"most": 4, "min_people": 1, "scaling": "none", "known": array(known)}
        if breaking:
            told = f" leaves {sum(map(len, breaking))} of {len(people)} people in classes "
            with pytest.raises(ks.Unreachable, match=told):
                ks.learn(pl.DataFrame(people), policy, "clusters", **options)
            return
        found = ks.learn(pl.DataFrame(people), policy, "clusters", **options)
        learned.append(len(found) > 1)
        spans: dict[frozenset[int], list[int]] = {}
        for row, one in enumerate(people):
            spans.setdefault(cells(found, one["known"]), []).append(row)
        inside: list[Hashable] = [nearest(found, one) for one in people]
        for reached, members in spans.items():
            for rows in crossed([members], known):
                # A center tells of everybody; who is where matters only to those who may be in several places.
                assert satisfied(require, [numbers[row] for row in rows], numbers, apart, k=len(reached) > 1)
                assert len(reached) == 1 or satisfied(require, [inside[row] for row in rows], inside)

    check()
    assert sum(learned) >= 0.15 * len(learned) > 1


def cells(clusters: Clusters, known: int) -> frozenset[int]:
    """The clusters that somebody may be in, if all numbers are tried that may be hidden."""
    return frozenset(nearest(clusters, {"known": known, "hidden0": number}) for number in tried(clusters, known, {}))


# Rules and itemsets


def baskets(data: st.DataObject) -> tuple[Basket, ...]:
    chance = random.Random(data.draw(st.integers(0, 2**16)))
    often = {item: chance.choice([0.3, 0.5, 0.7]) for item in (*PUBLIC, *PRIVATE)}
    number = data.draw(st.integers(6, 60))
    return tuple(frozenset(item for item in often if chance.random() < often[item]) for _ in range(number))


def check_baskets(release: Release, people: tuple[Basket, ...], known: Known, require: str) -> None:
    """Every class of every span of several states is a crowd, and spreads over each item that is told of there."""
    for reached, members in naive_baskets.spans(release, people).items():
        told = [item for item in PRIVATE if naive_baskets.depends_on(release, people[members[0]], item)]
        assert bool(told) == (len(reached) > 1)
        for rows in crossed([members], known):
            for item in told:
                everybody: list[Hashable] = [item in basket for basket in people]
                assert satisfied(require, [everybody[row] for row in rows], everybody)


@pytest.mark.parametrize("method", ["rules", "itemsets"])
@pytest.mark.parametrize("require", REQUIRED)
def test_rules_and_itemsets_keep_each_class(require: str, method: str) -> None:
    learned = []

    @share_of_examples(0.3)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        people = baskets(data)
        known = classes(data, len(people))
        policy = ks.Policy(public=PUBLIC, private=PRIVATE, require=require)
        options: dict[str, Any] = {"min_support": 0.1, "max_items": 3}
        if method == "rules":
            options |= {"min_confidence": 0.3, "tell_lift": data.draw(st.booleans())}
        try:
            mined: Any = ks.learn(framed_baskets(people), policy, method, known=array(known), **options)
        except ks.Unreachable:
            return
        found: tuple[Any, ...] = mined.rules.rules if method == "rules" else mined.itemsets.itemsets
        learned.append(any(items(one) & set(PRIVATE) for one in found))
        check_baskets(found, people, known, require)

    check()
    assert sum(learned) >= 0.1 * len(learned) > 1


def items(one: Rule | Itemset) -> frozenset[str]:
    return one.items if isinstance(one, Itemset) else one.left | one.right


# All of them


def small_worlds(seed: int) -> tuple[pl.DataFrame, pl.DataFrame, Known]:
    """People with a label, what people buy, and their classes."""
    chance = random.Random(seed)
    rows = [
        (
            age := chance.randint(1, 9),
            chance.choice("xyz"),
            chance.randint(0, 5),
            "u" if age + chance.randint(0, 6) > 7 else "v",
        )
        for _ in range(80)
    ]
    people = pl.DataFrame(rows, schema=["age", "town", "pay", "label"], orient="row")
    bought = pl.DataFrame({item: [chance.random() < 0.5 for _ in rows] for item in "ABx"})
    return people, bought, [chance.randint(0, 2) for _ in rows]


ROLES: dict[str, Any] = {"public": ["age", "town"], "private": ["pay"]}


def models(method: str, seed: int, require: str = "k=4") -> Callable[..., Any]:
    """A function from classes to a model of some people."""
    people, bought, _ = small_worlds(seed)
    if method == "atp":
        policy = ks.Policy(public=["age", "town"], private=["pay"], target="label", require=require)
        return lambda known: share_tree(people, policy, known=known, marginals=True).judged.content
    if method in ("rules", "itemsets"):
        policy = ks.Policy(public=["A", "B"], private=["x"], require=require)
        found = lambda known: ks.learn(bought, policy, method, known=known)  # noqa: E731
        return lambda known: (getattr(mined := found(known), method), mined.left_out.to_dicts())
    if method == "clusters":
        return lambda known: ks.learn(people.drop("label"), ks.Policy(**ROLES, require=require), method, known=known)
    policy = ks.Policy(**ROLES, target="label", require=require)
    return lambda known: ks.learn(people, policy, method, known=known)


@pytest.mark.parametrize("method", [*sorted(PRIVATE_METHODS), "atp"])
def test_numbers_of_classes_mean_nothing_and_one_class_is_none(method: str) -> None:
    differ = 0
    for seed in range(6):
        model, known = models(method, seed), small_worlds(seed)[2]
        first = model(array(known))
        for names in ([1, 2, 0], [2, 0, 1], [-5, 10**12, 3]):
            assert model(array([names[one] for one in known])) == first
        plain = model(None)
        assert model(np.zeros(len(known), np.int64)) == plain
        assert model(np.full(len(known), 9)) == plain
        differ += first != plain
    assert differ, "the classes never mattered"


@pytest.mark.parametrize("method", [*sorted(PRIVATE_METHODS), "atp"])
def test_rows_that_weigh_are_repeated_people(method: str) -> None:
    for seed in range(4):
        people, bought, known = small_worlds(seed)
        times = [1 + row % 3 for row in range(80)]
        repeated = [row for row, number in enumerate(times) for _ in range(number)]
        frame = bought if method in ("rules", "itemsets") else people
        roles = {"public": ["A", "B"], "private": ["x"]} if frame is bought else dict(ROLES)
        if method == "clusters":
            frame = frame.drop("label")
        elif frame is people:
            roles["target"] = "label"
        weighted = ks.Policy(**roles, weight="times", require="k=6")
        plain = ks.Policy(**roles, require="k=6")
        once = learned(method, frame.with_columns(pl.Series("times", times)), weighted, array(known))
        assert once == learned(method, frame[repeated], plain, array([known[row] for row in repeated]))


def learned(method: str, frame: pl.DataFrame, policy: ks.Policy, known: Any) -> Any:
    if method == "atp":
        return share_tree(frame, policy, learner="id3", known=known).tree
    # The deviation of a column is that of its rows, whatever they weigh.
    options = {"scaling": "none"} if method == "clusters" else {}
    found = ks.learn(frame, policy, method, known=known, **options)
    return getattr(found, method, found)


# What is refused


def test_methods_that_promise_nothing_refuse() -> None:
    people, _, known = small_worlds(0)
    policy = ks.Policy(**ROLES, target="label", require="k=2")
    for method in ("id3", "c45", "part", "naive-bayes", "logistic", "boosted", "conjunctive"):
        with pytest.raises(
            ks.PolicyError, match=rf"^{method} promises nothing, .*: use grouped, kadet, kadet-c45, rules, itemsets"
        ):
            ks.learn(people, policy, method, known=array(known))


@pytest.mark.parametrize("method", [*sorted(PRIVATE_METHODS), "atp"])
@pytest.mark.parametrize(
    ("known", "says"),
    [
        ([0] * 79, "known has 79 entries, and the table 80 rows"),
        ([[0]] * 80, "must be whole numbers, one for each row"),
        ([0.5] * 80, "must be whole numbers, one for each row"),
        (["a"] * 80, "must be whole numbers, one for each row"),
        ([True] * 80, "must be whole numbers, one for each row"),
    ],
)
def test_what_are_no_classes_is_refused(method: str, known: list[Any], says: str) -> None:
    with pytest.raises(ks.DataError, match=says):
        models(method, 0)(np.array(known))


@pytest.mark.parametrize("method", sorted(PRIVATE_METHODS))
def test_people_with_several_rows_are_refused(method: str) -> None:
    people, bought, known = small_worlds(0)
    frame, roles = (
        (bought, {"public": ["A", "B"], "private": ["x"]}) if method in ("rules", "itemsets") else (people, ROLES)
    )
    target: Mapping[str, Any] = {"target": "label"} if method in TREE_METHODS else {}
    used = frame if target or frame is bought else frame.drop("label")
    several = used.with_columns(pl.Series("id", [row // 2 for row in range(80)]))
    single = used.with_columns(pl.Series("id", range(80)))
    policy = ks.Policy(**roles, **target, person="id", require="k=2")
    with pytest.raises(ks.PolicyError, match=r"cannot be kept where people have several rows: give one row a person$"):
        ks.learn(several, policy, method, known=array(known))
    ks.learn(single, policy, method, known=array(known))


@pytest.mark.parametrize("method", ["grouped", "kadet", "kadet-c45", "atp"])
def test_classes_that_are_too_small_are_to_be_withheld(method: str) -> None:
    known = [0] * 70 + [1] * 3 + [2] * 6 + [3]
    with pytest.raises(ks.Unreachable) as error:
        models(method, 0)(array(known))
    assert str(error.value) == (
        "what earlier releases tell leaves 4 of 80 people in classes that break k=4: withhold them, or lower it"
    )


def test_a_class_may_be_small_where_nothing_is_told() -> None:
    """Trees of public labels tell nothing as long as they ask what is public, and nor do sets of public items."""
    people, bought, _ = small_worlds(1)
    bought[79, "A"] = bought[79, "B"] = True  # so that whatever is told of others is told of the last one, too
    known = array([0] * 79 + [1])
    policy = ks.Policy(public=["age", "town", "label"], private=["pay"], target="label", require="k=4")
    tree: Model = ks.learn(people, policy, "kadet", known=known)
    assert isinstance(tree, Tree)
    assert len(tree.leaves) > 1
    assert not any(tree.attributes[node.attribute].name == "pay" for node in tree.nodes() if node.attribute is not None)
    shop = ks.Policy(public=["A", "B"], private=["x"], require="k=4")
    mined = ks.learn(bought, shop, "itemsets", known=known)
    assert mined.itemsets.itemsets
    assert not any("x" in one.items for one in mined.itemsets.itemsets)


def test_labels_that_were_estimated_cannot_be_kept_apart() -> None:
    people, _, known = small_worlds(0)
    policy = ks.Policy(public=["age", "town"], target="label", require="k=4")
    with pytest.raises(ks.PolicyError, match=r"asks for true labels: prune with exact information$"):
        share_tree(people.drop("pay"), policy, known=array(known), information="estimated")


def test_people_who_go_several_ways_cannot_be_kept_apart() -> None:
    people, _, known = small_worlds(0)
    gone = people.drop("pay").with_columns(pl.when(pl.int_range(pl.len()) % 5 > 0).then("age").alias("age"))
    policy = ks.Policy(public=["age", "town"], target="label", require="k=4")
    with pytest.raises(ks.PolicyError, match="where people go down several branches"):
        share_tree(gone, policy, known=array(known), missing="shared")
    assert share_tree(gone, policy, known=array(known)).audit.holds
