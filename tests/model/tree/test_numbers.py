"""Trees whose target is a number: what they are, what is shown of them, and who refuses them."""

import copy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.data.kinds.days import DAYS
from kspan.data.kinds.numbers import NUMBERS
from kspan.errors import DataError, DoesNotHold, KspanError, ModelError, PolicyError
from kspan.model.claim import Claim
from kspan.model.outcome import Numbers
from kspan.model.quantiles import Rounding, numbers_told
from kspan.model.tree.json import read_tree
from kspan.model.tree.kind import example, example_of_numbers
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from kspan.model.tree.release import TreeRelease
from kspan.model.tree.writing import write_tree
from kspan.report.pictures.tree import tree_picture
from kspan.report.pictures.tree_spec import tree_svg

PEOPLE = pl.DataFrame({
    "sex": ["F"] * 6 + ["M"] * 4,
    "income": [21, 24, 28, 33, 38, 45, 25, 36, 41, 44],
})  # fmt: skip
POLICY = ks.Policy(public=["sex"], private=["income"], target="income", require="k=4")


def tree_of(people: pl.DataFrame = PEOPLE, kind: Any = "interval", crowd: int = 4, **says: Any) -> Tree:
    """A tree that asks for the sex alone."""
    rounding = Rounding(people["income"].to_numpy(), crowd)

    def told(some: pl.DataFrame) -> Numbers:
        return numbers_told(some["income"].to_numpy(), None, rounding, kind)

    sex = Attribute("sex", "public", "categorical", ("F", "M"))
    sons = tuple(Edge(Region(frozenset(s)), Node(told(people.filter(pl.col("sex") == s)))) for s in ("F", "M"))
    return Tree((sex,), "income", "private", (), Node(told(people), 0, sons), **{"target_kind": NUMBERS, **says})


def test_a_tree_has_labels_or_numbers() -> None:
    tree = tree_of()
    assert (tree.is_of_numbers, tree.disclosure, example().is_of_numbers) == (True, "interval", False)
    for wrong in ({"labels": ("a",)}, {"target_kind": None}, {"target_kind": None, "labels": ("a",)}):
        with pytest.raises(ModelError, match="labels or of numbers"):
            replace(tree, **wrong)


def test_less_can_be_disclosed_and_never_more_again() -> None:
    tree = tree_of()
    assert tree.root.outcome == Numbers(10, 33.5, 40.0, 20.0, 50.0, "interval")
    assert tree.disclosing("median").root.outcome == Numbers(10, 33.5, 40.0, kind="median")
    assert tree.disclosing("median").disclosing("mean") == tree.disclosing("mean")
    with pytest.raises(ModelError, match="discloses only 'mean', not 'median'"):
        tree.disclosing("mean").disclosing("median")
    with pytest.raises(PolicyError, match="no disclosure 'counts': use mean, median, interval"):
        tree.disclosing("counts")


def test_it_is_written_for_people_to_read() -> None:
    assert str(tree_of()) == (
        "sex = F: 31.5 (people: 6, median: 30, most: 20 to 50)\nsex = M: 36.5 (people: 4, median: 40, most: 20 to 50)"
    )
    assert ks.paths(tree_of(PEOPLE, "mean")).rows() == [(1, "sex = F", 6, 31.5), (2, "sex = M", 4, 36.5)]
    assert ks.paths(tree_of()).columns == ["leaf", "path", "people", "mean", "median", "low", "high"]
    picture = tree_picture(tree_of(), ())
    assert [node.said for node in picture.nodes] == [None, "31.5", "36.5"]
    assert picture.labels == ("31.5 to 34", "34 to 36.5")
    assert [node.further for node in picture.nodes[1:]] == ["median 30, most 20 to 50", "median 40, most 20 to 50"]
    drawn = tree_svg(picture)
    assert "31.5" in drawn
    assert "median 30" in drawn


def test_dates_are_shown_as_dates() -> None:
    told = Numbers(3, 10_000.4, 10_000.0, kind="median")
    tree = Tree((), "admitted", "private", (), Node(told), target_kind=DAYS)
    assert str(tree) == "1997-05-19 (people: 3, median: 1997-05-19)"
    assert ks.paths(tree)["mean"].dtype == pl.Date
    assert ks.predict(tree, pl.DataFrame({"x": [1]}))["predicted: admitted"].to_list() == [
        DAYS.bound(10_000),
    ]
    assert read_tree(write_tree(TreeRelease(tree))).tree == tree


def test_dates_can_be_a_target(tmp_path: Path) -> None:
    """Labels of dates are words, but a tree of numbers takes them as days."""
    people = PEOPLE.with_columns(income=pl.Series([f"2020-01-{day}" for day in PEOPLE["income"].clip(10, 31)]))
    days = PEOPLE.with_columns(income=PEOPLE["income"].clip(10, 31) + 18261)
    tree = tree_of(days, "mean", target_kind=DAYS)
    found = ks.audit(tree, people, POLICY)
    assert (found.holds, found.untrue) == (True, ())
    with pytest.raises(DataError, match="holds numbers, and the tree predicts dates"):
        ks.audit(tree, days, POLICY)


def test_an_empty_leaf_is_answered_by_the_last_node_with_people() -> None:
    tree = tree_of(PEOPLE.filter(pl.col("sex") == "F"), crowd=2)
    assert str(tree).splitlines()[1] == "sex = M: nobody"
    made = ks.predict(tree, pl.DataFrame({"sex": ["M", "F", "*"]}))["predicted: income"]
    assert made.to_list() == [31.5, 31.5, 31.5]
    nobody = Tree((), "income", "private", (), Node(Numbers(0, None)), target_kind=NUMBERS)
    assert ks.predict(nobody, PEOPLE)["predicted: income"].null_count() == 10


def test_who_could_be_in_several_leaves_gets_the_mean_of_them() -> None:
    made = ks.predict(tree_of(), pl.DataFrame({"sex": ["{F|M}", "*"]}))["predicted: income"]
    assert made.to_list() == pytest.approx([34.0, 33.5])


def test_the_equivalent_table_shows_the_means_of_leaves() -> None:
    shown = ks.equivalent_table(tree_of(), PEOPLE, POLICY)
    assert shown.rows() == [("F", "31.5")] * 6 + [("M", "36.5")] * 4


# Publishing and judging


def test_it_is_published_and_judged(tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    audit = ks.publish_tree(tree_of(), PEOPLE, POLICY, path)
    assert audit.holds
    assert ks.load_tree(path).claim == Claim("k=4", disclosure="interval", inferred_domains=("sex", "income"))
    assert ks.load_tree(path).tree == tree_of()
    ks.publish_tree(tree_of(), PEOPLE, POLICY, path, disclosure="mean")
    assert ks.load_tree(path).tree.root.outcome == Numbers(10, 33.5)
    assert ks.audit(path).holds
    assert ks.audit(path, PEOPLE, POLICY).holds


def test_a_crowd_that_is_too_small_is_refused() -> None:
    with pytest.raises(DoesNotHold, match="breaks k=5 for 4 of 10 people"):
        ks.publish_tree(tree_of(crowd=5), PEOPLE, replace(POLICY, require="k=5"), "never.json")


def test_medians_that_are_told_too_exactly_are_refused() -> None:
    exact = tree_of(crowd=2)
    found = ks.audit(exact, PEOPLE, POLICY)
    assert (found.untrue, found.holds, found.failing_people) == ((), False, 0)
    assert found.exact
    assert "tell numbers of too few people" in ks.report(exact, PEOPLE, POLICY).markdown()
    with pytest.raises(DoesNotHold, match="numbers of too few people"):
        ks.publish_tree(exact, PEOPLE, POLICY, "never.json")


@pytest.mark.parametrize(
    ("changes", "untrue", "exact"),
    [
        ({"low": 25.0}, True, True),
        ({"low": 21.0}, False, True),
        ({"high": 45.0}, False, True),
        ({"high": 100.0}, False, False),
        ({"low": 0.0, "median": 40.0}, False, False),
        ({"median": 28.0}, False, True),
        ({"median": 45.0}, True, True),
    ],
    ids=str,
)
def test_intervals_and_medians_are_looked_at_one_by_one(changes: dict[str, float], untrue: bool, exact: bool) -> None:
    tree = tree_of()
    first, other = tree.root.edges
    told = replace(first.node.outcome, **changes)  # type: ignore[type-var]
    root = replace(tree.root, edges=(replace(first, node=replace(first.node, outcome=told)), other))
    found = ks.audit(replace(tree, root=root), PEOPLE, POLICY)
    assert (found.untrue == ("leaf 1",), found.exact == ("leaf 1",)) == (untrue, exact)


@pytest.mark.parametrize(
    ("require", "holds"),
    [("k=4, range[income]=19", True), ("k=4, range[income]=20", False), ("k=4, p_percent[income]=100", True)],
)
def test_requirements_on_numbers_are_asked_of_those_of_each_span(require: str, holds: bool) -> None:
    assert ks.audit(tree_of(), PEOPLE, replace(POLICY, require=require)).holds == holds


def test_without_its_people_only_sizes_are_judged() -> None:
    assert ks.audit(tree_of(), policy=POLICY).holds
    assert not ks.audit(tree_of(), policy=replace(POLICY, require="k=5")).holds
    with pytest.raises(PolicyError, match="cannot be asked of means"):
        ks.audit(tree_of(), policy=replace(POLICY, require="k=4, t=0.3"))


def test_everybody_needs_a_number() -> None:
    for some in (pl.Series([*PEOPLE["income"][:9], None]), pl.Series(["a"] * 10)):
        with pytest.raises(DataError, match="must hold a number for everybody"):
            ks.audit(tree_of(), PEOPLE.with_columns(income=some), POLICY)


def test_it_is_judged_beside_other_trees() -> None:
    """A tree of labels tells people apart beside one of numbers, and the other way around."""
    town = PEOPLE.with_columns(town=pl.Series(["a", "b"] * 5), ill=pl.Series(["no", "yes", "no", "no", "yes"] * 2))
    policy = ks.Policy(public=["sex", "town"], private=["income", "ill"], require="k=3")
    of = Attribute("town", "public", "categorical", ("a", "b"))
    sons = [(there["ill"] == "no").sum() for there in (town.filter(pl.col("town") == one) for one in "ab")]
    edges = tuple(
        Edge(Region(frozenset(one)), Node.of_counts((no, 5 - no))) for one, no in zip("ab", sons, strict=True)
    )
    labels = Tree((of,), "ill", "private", ("no", "yes"), Node.of_counts((6, 4), 0, edges))
    alone = [ks.audit(one, town, policy).holds for one in (tree_of(crowd=3), labels)]
    assert alone == [True, True]
    together = ks.audit(tree_of(crowd=3), town, policy, beside=[labels])
    assert (together.holds, together.k.people) == (False, 2)


def test_people_with_several_rows_and_weights_are_counted() -> None:
    people = pl.concat([PEOPLE, PEOPLE]).with_columns(who=pl.Series([*range(10), *range(10)]))
    twice = replace(POLICY, person="who")
    tree = replace(tree_of(pl.concat([PEOPLE, PEOPLE]), "mean"), counts_rows=True)
    found = ks.audit(tree, people, twice)
    assert (found.holds, found.untrue, found.k.people) == (True, (), 4)
    weighted = replace(POLICY, weight="n")
    assert ks.audit(replace(tree, counts_rows=False), PEOPLE.with_columns(n=pl.lit(2)), weighted).untrue == ()
    assert ks.audit(replace(tree, counts_rows=False), PEOPLE, POLICY).untrue == ("node 1", "leaf 1", "leaf 2")


def test_who_misses_a_value_counts_in_parts() -> None:
    """Somebody without an age is in both leaves, in proportion to their people."""
    people = pl.DataFrame({"age": [20, 30, 35, 60, None], "income": [10, 20, 30, 80, 40]})
    age = Attribute("age", "public", "numeric", has_missing=True)
    young = Node(Numbers(3.75, (60 + 0.75 * 40) / 3.75, 30.0, 0.0, 50.0, "interval"))
    old = Node(Numbers(1.25, (80 + 0.25 * 40) / 1.25, 100.0, 0.0, 100.0, "interval"))
    ways = (Region(intervals=((None, 40.0),), missing=True), Region(intervals=((40.0, None),), missing=True))
    root = Node(Numbers(5, 36.0, 50.0, 0.0, 100.0, "interval"), 0, (Edge(ways[0], young), Edge(ways[1], old)))
    tree = Tree((age,), "income", "private", (), root, target_kind=NUMBERS)
    policy = ks.Policy(public=["age"], private=["income"], require="k=1")
    assert (found := ks.audit(tree, people, policy)).untrue == (), found.untrue
    assert read_tree(write_tree(TreeRelease(tree))).tree == tree
    wrong = replace(young.outcome, mean=25.0)  # type: ignore[type-var]
    root = replace(root, edges=(Edge(ways[0], replace(young, outcome=wrong)), Edge(ways[1], old)))
    assert ks.audit(replace(tree, root=root), people, policy).untrue == ("leaf 1",)


def test_it_is_entered_in_a_ledger_and_judged_beside_what_has_left(tmp_path: Path) -> None:
    people = PEOPLE.with_columns(name=pl.Series(map(str, range(10))))
    asked = replace(POLICY, identifier=["name"], require="k=3, range[income]=5")
    table = ks.anonymize(people, asked, "mondrian")
    assert ks.audit(tree_of(crowd=3), people, asked, beside=[table]).holds
    assert main(["ledger", "init", str(tmp_path / "releases")]) == 0
    policy = replace(asked, ledger=str(tmp_path / "releases"))
    ks.publish_tree(tree_of(crowd=3), people, policy, tmp_path / "one.json")
    ks.publish_tree(tree_of(crowd=3), people, policy, tmp_path / "two.json")
    fewer = people.head(9)
    with pytest.raises(DoesNotHold, match="for 1 people"):
        ks.publish_tree(tree_of(fewer, crowd=3), fewer, policy, tmp_path / "three.json")


# Documents


Change = Callable[[Any], Any]
CORRUPTIONS: list[tuple[str, Change, str]] = [
    ("people do not add up", lambda d: d["root"].update(people=11), "do not add up"),
    ("mean of others", lambda d: d["root"].update(mean=33.6), "is not that of the people below"),
    ("mean is missing", lambda d: d["root"]["edges"][0]["node"].pop("mean"), "'mean' is missing"),
    ("mean is null", lambda d: d["root"].update(mean=None), "'mean' must be a finite number"),
    ("mean is infinite", lambda d: d["root"].update(mean=1e200), "'mean' must be a finite number"),
    ("median outside", lambda d: d["root"].update(median=60), "must lie in it"),
    ("interval the wrong way", lambda d: d["root"].update(interval=[50, 20]), "must run from a low end"),
    ("half an interval", lambda d: d["root"].update(interval=[50]), "list of two"),
    ("people are missing", lambda d: d["root"].pop("people"), "'people' is missing"),
    ("counts beside", lambda d: d["root"].update(counts=[1]), "'counts' is not known"),
    ("labels beside", lambda d: d["target"].update(labels=["a"]), "'kind' is not known"),
    ("words as numbers", lambda d: d["target"].update(kind="categorical"), "'kind' must be one of"),
    ("no such calendar", lambda d: d["target"].update(calendar="moon"), "'calendar' must be one of"),
    ("first version", lambda d: d.update(version=1), "'labels' is missing"),
    ("claim of labels", lambda d: d["claim"].update(disclosure="counts"), "'disclosure' must be one of"),
    ("claim of less", lambda d: d["claim"].update(disclosure="mean"), "is not known"),
    ("numbers of nobody", lambda d: d["root"]["edges"][0]["node"].update(people=0), "null where nobody came"),
]


@pytest.mark.parametrize(("change", "why"), [one[1:] for one in CORRUPTIONS], ids=[one[0] for one in CORRUPTIONS])
def test_a_damaged_document_is_refused(change: Change, why: str) -> None:
    release = TreeRelease(tree_of(), Claim("k=4", disclosure="interval"))
    document = copy.deepcopy(write_tree(release))
    assert read_tree(document) == release
    change(document)
    with pytest.raises(ModelError, match=why):
        read_tree(document, "bank.json")


def test_trees_of_labels_are_of_the_first_version() -> None:
    written = write_tree(TreeRelease(example()))
    assert written["version"] == 1
    assert write_tree(TreeRelease(example_of_numbers()))["version"] == 2


# Who needs labels


NEED_LABELS: dict[str, Callable[[Tree], Any]] = {
    "share prune": lambda tree: ks.prune_tree(tree, "k=5"),
    "share merge": lambda tree: ks.merge_trees([tree, tree]),
    "pseudo-people": lambda tree: ks.pseudo_data([tree]),
    "committee": lambda tree: ks.Committee((tree,)),
    "shares": lambda tree: tree.shares(None),  # type: ignore[arg-type]
    "path match": lambda tree: ks.path_match(tree, tree),
    "class match": lambda tree: ks.class_match(tree, tree, PEOPLE),
}


@pytest.mark.parametrize("name", NEED_LABELS)
def test_who_needs_labels_says_so(name: str) -> None:
    with pytest.raises(KspanError, match=r"needs labels|predicts no labels") as refused:
        NEED_LABELS[name](tree_of())
    assert "\n" not in str(refused.value)
    assert "whose target has labels" in str(refused.value)


def test_a_tree_of_labels_predicts_no_numbers() -> None:
    with pytest.raises(ModelError, match="predicts labels of 'risk', not numbers"):
        example().numbers(None)  # type: ignore[arg-type]
