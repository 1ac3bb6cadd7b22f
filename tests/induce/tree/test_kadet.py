"""kADET on real people, with all kinds of attributes in all roles."""

import polars as pl
import pytest

import kspan as ks

PEOPLE = ks.datasets.load_adult("train").head(1500).drop("fnlwgt")
NAMES = [name for name in PEOPLE.columns if name != "income"]


@pytest.mark.slow
@pytest.mark.parametrize("require", ["k=20", "k=5, entropy_l=1.1", "k=10, confidence=0.97"])
@pytest.mark.parametrize(
    "private",
    [(), ("hours-per-week", "capital-gain", "capital-loss"), ("occupation", "workclass", "age"), tuple(NAMES)],
    ids=["all public", "private numbers", "mixed", "all private"],
)
def test_every_tree_holds(private: tuple[str, ...], require: str) -> None:
    public = [name for name in NAMES if name not in private]
    policy = ks.Policy(public=public, private=private, target="income", require=require)
    tree = ks.learn(PEOPLE, policy, "kadet")
    found = ks.audit(tree, PEOPLE, policy)
    assert found.holds
    assert len(tree.leaves) > 1
    assert found.groups > 1 or not public


def test_a_public_target_can_be_learned_and_its_spans_are_safe_when_all_is_public() -> None:
    policy = ks.Policy(public=[*NAMES, "income"], target="income", require="k=1000")
    tree = ks.learn(PEOPLE, policy, "kadet")
    found = ks.audit(tree, PEOPLE, policy)
    assert found.holds
    assert found.safe_people == PEOPLE.height


def test_numeric_labels_are_as_far_apart_for_the_grower_as_for_the_judge() -> None:
    """Schooling of men and women differs by little: the ranks are near, though the shares of single years are not."""
    people = PEOPLE.select("sex", "education-num")
    policy = ks.Policy(public=["sex"], target="education-num", require=ks.TCloseness(0.05))
    tree = ks.learn(people, policy, "kadet")
    found = ks.audit(tree, people, policy)
    assert (found.holds, found.groups) == (True, 2)
    words = people.with_columns(people["education-num"].cast(str) + " years")
    equally_far = ks.learn(words, policy, "kadet")
    assert len(equally_far.leaves) == 1


def test_with_hierarchies_a_question_may_be_general() -> None:
    hierarchies = ks.datasets.adult_policy().hierarchies
    policy = ks.Policy(
        public=["native-country", "education"],
        target="income",
        require="k=100",
        hierarchies={name: hierarchies[name] for name in ("native-country", "education")},
    )
    people = PEOPLE.select("native-country", "education", "income")
    tree = ks.learn(people, policy, "kadet")
    assert any(len(edge.region.values) > 1 for node in tree.nodes() for edge in node.edges)
    without = ks.learn(
        people, ks.Policy(public=["native-country", "education"], target="income", require="k=100"), "kadet"
    )
    assert len(tree.leaves) > len(without.leaves)


def test_weights_equal_repeated_rows() -> None:
    people = PEOPLE.select("education", "sex", "income")
    counted = people.group_by(people.columns, maintain_order=True).len("n")
    plain = ks.learn(people, ks.Policy(public=["education", "sex"], target="income", require="k=20"), "kadet")
    weighted = ks.learn(
        counted, ks.Policy(public=["education", "sex"], target="income", weight="n", require="k=20"), "kadet"
    )
    assert plain == weighted


def test_more_privacy_never_more_leaves_of_public_attributes() -> None:
    leaves = []
    for k in (2, 10, 50, 200):
        policy = ks.Policy(public=["education", "sex", "race"], target="income", require=ks.KAnonymity(k))
        leaves.append(len(ks.learn(PEOPLE.select("education", "sex", "race", "income"), policy, "kadet").leaves))
    assert leaves == sorted(leaves, reverse=True)


def test_branches_to_nobody_are_one_where_they_are_very_many() -> None:
    towns = [f"t{at}" for at in range(5_000)]
    people = pl.DataFrame({"town": ["t7", "t9"] * 10, "ill": ["flu", "ok"] * 10})
    policy = ks.Policy(public=["town"], target="ill", require="k=5", domains={"town": towns})
    tree = ks.learn(people, policy, "kadet")
    assert [len(edge.region.values) for edge in tree.root.edges] == [1, 1, 4_998]
    assert ks.predict(tree, pl.DataFrame({"town": ["t7", "t8", "t9"]}))["predicted: ill"].to_list()[::2] == [
        "flu",
        "ok",
    ]
