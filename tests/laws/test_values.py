"""Limits on one private value: as defined, for everything that is judged and everything that is made."""

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from kspan.audit.tree.published import audit_paths
from kspan.data.alike import look
from kspan.data.groups import Counts, Groups
from kspan.data.having import Having
from kspan.model.outcome import HitMiss
from kspan.model.tree.model import Node, Tree
from kspan.policy.toml import write_toml
from kspan.privacy import REQUIREMENTS, Requirement
from kspan.privacy.spec import from_table, parse, resolved, to_table
from kspan.tables.methods import methods
from laws import naive_atp, naive_spans
from laws.examples import share_of_examples
from laws.test_anonymize import policy as policy_of_table
from laws.test_anonymize import tables
from laws.test_spans import TARGET, framed
from laws.test_spans import policy_of as policy_of_world

BOUNDS = [0.0, 0.2, 0.25, 0.34, 0.5, 0.7, 1.0]
NAMES = st.text(min_size=1).map(str.strip).filter(lambda name: name and name not in REQUIREMENTS)
VALUES = st.text(min_size=1).filter(lambda value: look(value) not in ("", "*"))


def share(value: object, people: Sequence[object]) -> Fraction:
    return Fraction(sum(one == value for one in people), len(people))


def keeps(bound: float, value: object, crowds: Sequence[Sequence[object]]) -> bool:
    """The definition: of no crowd a larger share has the value."""
    return all(share(value, people) <= Fraction(str(bound)) for people in crowds)


# Text and tables


@given(data=st.data())
def test_text_and_table_give_back_any_name_and_any_value(data: st.DataObject) -> None:
    pairs = data.draw(st.lists(st.tuples(NAMES, VALUES), min_size=1, max_size=3, unique_by=lambda pair: pair[0]))
    kinds = data.draw(st.lists(st.sampled_from([ks.Confidence, ks.Alpha]), min_size=3, max_size=3))
    whole: Requirement = ks.KAnonymity(2) & ks.DistinctL(2, on=pairs[0][0]) & ks.Confidence(0.5, on=pairs[0][0])
    for kind, (name, value) in zip(kinds, pairs, strict=False):
        whole = whole & kind(data.draw(st.sampled_from(BOUNDS)), on=name, value=value)
    assert parse(str(whole)) == whole
    assert set(from_table(to_table(whole)).parts) == set(whole.parts)
    policy = ks.Policy(public=["a public column"], private=[name for name, _ in pairs], require=whole)
    assert policy.require == whole
    assert set(ks.Policy.from_toml(policy.to_toml()).require.parts) == set(whole.parts)


EQUALS = st.sampled_from(["a", "b", "a=a", "a=b", "a=b=a", "a=", "=", "=a"])
"""Names and values that begin with each other."""


@share_of_examples(3)
@given(names=st.lists(NAMES | EQUALS, min_size=1, max_size=4, unique=True), value=VALUES | EQUALS, data=st.data())
def test_a_value_behind_its_name_is_found(names: list[str], value: str, data: st.DataObject) -> None:
    """The longest private name counts, and a column of the whole name goes before all."""
    written = f"{data.draw(st.sampled_from(names))}={value.strip()}"
    longest = max((one for one in names if written.startswith(f"{one}=")), key=len)
    rest = written[len(longest) + 1 :]
    if len(rest) > 1 and rest[0] == rest[-1] == "'":
        rest = rest[1:-1]  # quotes that a shell leaves over
    if written in names:
        found = resolved(ks.Confidence(0.2, on=written), names)
        assert found == ks.Confidence(0.2, on=written)
    elif not look(rest):
        with pytest.raises(ks.PolicyError, match="which is none"):
            resolved(ks.Confidence(0.2, on=written), names)
        return
    else:
        found = resolved(ks.Confidence(0.2, on=written), names)
        assert found == ks.Confidence(0.2, on=longest, value=rest)
    assert resolved(found, names) == found


FORMS = [
    {"confidence": {"illness=hiv": 0.2}},
    {"illness=hiv": {"confidence": 0.2}},
    {"illness": {"confidence": {"hiv": 0.2}}},
    {"illness": {"confidence_of": {"hiv": 0.2}}},
    'confidence["illness=hiv"]=0.2',
    "confidence[illness=hiv]=0.2",
    "confidence[illness = hiv]=0.2",
    'confidence[illness="hiv"]=0.2',
    'confidence["illness"="hiv"] = 0.2',
]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_forms_that_say_the_same(form: Any) -> None:
    policy = ks.Policy(public=["age"], private=["illness"], require=form)
    assert policy.require == ks.Confidence(0.2, on="illness", value="hiv")
    if not isinstance(form, str):
        text = 'public = ["age"]\nprivate = ["illness"]\n' + write_toml({"require": form})
        assert ks.Policy.from_toml(text) == policy
    assert "[require.illness.confidence_of]\nhiv = 0.2" in policy.to_toml()


def test_a_private_column_of_that_name_is_meant_first() -> None:
    both = ks.Policy(public=["age"], private=["illness", "illness=hiv"], require='confidence["illness=hiv"]=0.5')
    assert both.require == ks.Confidence(0.5, on="illness=hiv")
    explicit = replace(both, require='confidence[illness="hiv"]=0.5')  # type: ignore[arg-type]
    assert explicit.require == ks.Confidence(0.5, on="illness", value="hiv")
    assert ks.Policy.from_toml(explicit.to_toml()) == explicit
    assert ks.Policy.from_toml(both.to_toml()) == both


# Refusals


@pytest.mark.parametrize(
    ("require", "says"),
    [
        ('confidence["illness=hiv"]=0.2, confidence[illness="hiv"]=0.3', "required twice"),
        ('confidence[illness="hiv"]=0.2, confidence[illness=" hiv"]=0.3', "required twice"),
        ('confidence[salary="1e5"]=0.2, confidence[salary="100000"]=0.3', "required twice"),
        ('confidence["ilness=hiv"]=0.2', "not private (did you mean"),
        ('confidence["illness="]=0.2', "which is none"),
        ('confidence[illness="*"]=0.2', "which is none"),
        ('confidence[illness="?"]=0.2', "sign of a missing value"),
        ('confidence[illness="hiv" salary]=0.2', "commas between them"),
        ('confidence[illness "hiv"]=0.2', "commas between them"),
        ('distinct_l[illness="hiv"]=2', "use confidence for one value"),
        ('confidence[illness="hiv"]=20', "from 0 to 1"),
        ('confidence[sort="cuold"]=0.2', "did you mean 'cold'"),
        ('confidence[sort="warm"]=0.2', "none of the values declared"),
        ('confidence[salary="1000001"]=0.2', "declared domain of 'salary'"),
        ('confidence[salary="much"]=0.2', "declared domain of 'salary'"),
    ],
)
def test_limits_that_make_no_sense_are_refused(require: str, says: str) -> None:
    private = ["illness", "salary", "sort"]
    domains: dict[str, Any] = {"salary": [0, 1_000_000], "sort": ["cold", "flu"]}
    with pytest.raises(ks.PolicyError) as refused:
        ks.Policy(public=["age"], private=private, require=require, domains=domains, missing=["?"])
    assert says in str(refused.value)


def test_different_values_are_not_the_same_twice() -> None:
    text = 'k=10, confidence[illness]=0.5, confidence[illness="flu"]=0.4, confidence[illness="hiv"]=0.2'
    assert str(parse(text)) == text


PEOPLE = pl.DataFrame(
    {
        "age": [1, 1, 1, 1, 2, 2, 2, 2],
        "illness": ["flu", "flu", "flu", "hiv", "flu", "cold", "cold", "hiv"],
        "risk": ["low", "high"] * 4,
    }
)


def policy(require: str, **more: Any) -> ks.Policy:
    return ks.Policy(**{"public": ["age"], "private": ["illness"], "target": "risk", "require": require, **more})


@pytest.mark.parametrize("method", methods())
def test_makers_of_tables_refuse_a_value_that_nobody_has(method: str) -> None:
    asked = policy('k=2, confidence["illness=hvi"]=0.2')
    with pytest.raises(ks.PolicyError, match="nobody has") as refused:
        ks.anonymize(PEOPLE, asked, method, secret="0" * 32)
    assert "flu" not in str(refused.value)
    assert "'hiv'" not in str(refused.value)
    declared = replace(asked, domains={"illness": ["flu", "cold", "hiv", "hvi"]})
    assert ks.anonymize(PEOPLE, declared, method, secret="0" * 32).audit.holds


@pytest.mark.parametrize("method", ["grouped", "kadet", "kadet-c45", "clusters"])
def test_learners_and_judges_of_models_refuse_a_value_that_nobody_has(method: str) -> None:
    asked = policy('k=2, confidence["illness=hvi"]=0.2')
    with pytest.raises(ks.PolicyError, match="nobody has"):
        ks.learn(PEOPLE, asked, method)
    model = ks.learn(PEOPLE, policy("k=2", public=["age"]), method)
    asks = method == "clusters" or any(node.attribute == 1 for node in model.nodes())  # type: ignore[union-attr]
    if asks:
        with pytest.raises(ks.PolicyError, match="nobody has"):
            ks.audit(model, PEOPLE, asked)


def test_the_audit_of_a_table_says_that_nobody_has_the_value() -> None:
    """Whoever has it may have been withheld, so that a release is not refused."""
    found = ks.audit(PEOPLE.filter(pl.col("illness") != "hiv"), policy('k=2, confidence["illness=hiv"]=0.2'))
    assert found.holds
    assert any("check its spelling" in sentence for sentence in found.assumptions)
    assert ks.audit(PEOPLE, policy('confidence["illness=hiv"]=0.25')).assumptions == ()


@pytest.mark.parametrize(("cells", "value"), [(["HIV", "HIV"], "hiv"), ([True, False], "True")])
def test_a_value_in_other_letters_is_refused(cells: list[Any], value: str) -> None:
    frame = pl.DataFrame({"age": [1, 1], "illness": cells})
    with pytest.raises(ks.PolicyError, match="other letters"):
        ks.audit(frame, policy(f'confidence["illness={value}"]=0.2', target=None))


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        (["20-39", "40-59"], "20-39"),
        (["[20, 39]", "[40,59]"], "20-39"),
        (["20-39", "[40,59]"], "30"),
        (["<20", "30"], "5"),
        (["[20, 40[", "40"], "40"),
        ([25, 50], "20-39"),
        (["{b|a}", "c"], "{a|b}"),
        (["?", "5"], "?"),
        (["?", "5"], "(missing)"),
        (["(missing)", "a"], "(missing)"),
        ([2**63 + 5, 3], str(2**63 + 5)),
        (["12345678901234567890", "12345678901234567891"], "12345678901234567891"),
        (["café", "x"], "cafe\u0301"),
    ],
)
def test_a_value_is_read_as_a_cell_is(cells: list[Any], value: str) -> None:
    """One of two has it, and no more: neither too few nor too many cells are taken for it."""
    frame = pl.DataFrame({"age": [1, 1], "illness": cells})
    for bound, holds in ((0.49, False), (0.5, True)):
        limit = ks.Confidence(bound, on="illness", value=value)
        found = ks.audit(frame, ks.Policy(public=["age"], private=["illness"], require=limit))
        assert (found.holds, found.assumptions) == (holds, ())


def test_who_hides_a_value_does_not_keep_it() -> None:
    """If stars stand for one value alone, they tell it; only a column of nothing but stars tells nothing."""
    asked = policy('confidence["illness=hiv"]=0.3', target=None)
    some, all_hidden = (
        pl.DataFrame({"age": [1] * 4, "illness": cells}) for cells in (["flu", "*", "*", "flu"], ["*"] * 4)
    )
    assert not ks.audit(some, asked).holds
    assert ks.audit(all_hidden, asked).holds


def test_a_range_is_named_as_kspan_writes_it() -> None:
    pattern = r"(?P<low>\d+) to (?P<high>\d+)"
    frame = pl.DataFrame({"age": [1, 1], "illness": ["1 to 5", "7 to 9"]})
    with pytest.raises(ks.PolicyError, match="range_pattern"):
        policy('confidence["illness=1 to 5"]=0.2', target=None, range_pattern=pattern)
    for value in ("[1, 5]", "3"):
        asked = policy(f'confidence["illness={value}"]=0.4', target=None, range_pattern=pattern)
        assert not ks.audit(frame, asked).holds


def test_a_requirement_that_finds_nothing_to_judge_does_not_hold_silently() -> None:
    counts = Counts.of([[1, 1]])
    with pytest.raises(ks.PolicyError, match="nothing is known of"):
        parse('confidence["illness=hiv"]=0.2').holds(Groups(counts.sizes, {"illness": counts}))
    with pytest.raises(ks.PolicyError, match="no names"):
        parse('confidence[illness="hiv"]=0.2').holds(Groups(counts.sizes, {"illness": counts}))


# Tables


CELLS = st.sampled_from(["flu", "hiv", "cold", None])
ROWS = st.lists(st.tuples(st.integers(0, 2), CELLS, st.integers(1, 3)), min_size=1, max_size=20)


@given(rows=ROWS, value=st.sampled_from(["flu", "hiv", "(missing)"]), bound=st.sampled_from(BOUNDS))
def test_a_table_holds_as_defined(rows: list[tuple[int, Any, int]], value: str, bound: float) -> None:
    frame = pl.DataFrame(rows, schema={"age": pl.Int64, "illness": pl.String, "n": pl.Int64}, orient="row")
    asked = ks.Policy(
        public=["age"], private=["illness"], weight="n", require=f'k=1, confidence["illness={value}"]={bound}'
    )
    crowds: dict[int, list[object]] = {}
    for age, cell, people in rows:
        crowds.setdefault(age, []).extend([cell or "(missing)"] * people)
    found = ks.audit(frame, asked)
    assert found.holds == keeps(bound, value, list(crowds.values()))
    reached = found.reached["illness"][f'confidence[illness="{value}"]']
    assert reached == float(max(share(value, people) for people in crowds.values()))
    measured = pl.DataFrame([(age, cell) for age, cells in crowds.items() for cell in cells], orient="row",
                            schema={"age": pl.Int64, "illness": pl.String})  # fmt: skip
    if any(cell == value for cells in crowds.values() for cell in cells):
        plain = measured.with_columns(pl.col("illness").replace("(missing)", None))
        assert ks.confidence_bound(plain, "age", "illness", value) == reached


@given(rows=st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any), min_size=2, max_size=2))
def test_merging_crowds_keeps_a_limit(rows: list[list[int]]) -> None:
    merged = [list(map(sum, zip(*rows, strict=True)))]
    apart, together = (Counts.of(some, having=Having.labels("flu", "hiv", "cold")) for some in (rows, merged))
    for bound in BOUNDS:
        limit = ks.Confidence(bound, on="illness", value="hiv")
        held = limit.holds(Groups(apart.sizes, {"illness": apart}))
        assert limit.holds(Groups(together.sizes, {"illness": together}))[0] >= held.all()


NUMBERS = {
    "whole": pl.Series([100_000, 100_000, 5, 7]),
    "floats": pl.Series([1e5, 1e5, 5.5, 7.0]),
    "small floats": pl.Series([1e5, 1e5, 1.1, 7.0], dtype=pl.Float32),
    "text": pl.Series(["1e5", "100000.0", "5", "7"]),
    "among words": pl.Series(["100000", "100000 ", "five", "7"]),
    "decimals": pl.Series(["100000.00", "100000.00", "5.00", "7.50"]).cast(pl.Decimal(12, 2)),
}


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("spelled", ["100000", "1e5", "100000.0", " 1E+5 ", "１０００００"])
def test_a_number_is_found_however_it_is_spelled(kind: str, spelled: str) -> None:
    frame = pl.DataFrame({"age": [1] * 4, "salary": NUMBERS[kind]})
    for bound, holds in ((0.5, True), (0.49, False)):
        limit = ks.Confidence(bound, on="salary", value=spelled)
        found = ks.audit(frame, ks.Policy(public=["age"], private=["salary"], require=limit))
        assert (found.holds, found.assumptions) == (holds, ())


def test_large_whole_numbers_are_told_apart() -> None:
    frame = pl.DataFrame({"age": [1, 1], "number": [2**60, 2**60 + 1]})
    for value, holds in ((2**60 + 1, False), (2**60 + 2, True)):
        asked = ks.Policy(public=["age"], private=["number"], require=f'confidence["number={value}"]=0.4')
        assert ks.audit(frame, asked).holds == holds


@pytest.mark.parametrize("cell", ["hiv ", "h​iv", "ｈｉｖ", "{hiv|flu}", "*", "viral"])
def test_cells_that_look_alike_or_may_hide_the_value_count(cell: str) -> None:
    frame = pl.DataFrame({"age": [1, 1, 1], "illness": ["flu", "flu", cell]})
    names = ks.Hierarchy.of([("hiv", "viral"), ("flu", "viral"), ("cut", "wound")])
    asked = policy('confidence["illness=hiv"]=0.33', target=None, hierarchies={"illness": names})
    if cell == "viral":
        assert not ks.audit(frame, asked).holds
    else:
        assert not ks.audit(frame, replace(asked, hierarchies={})).holds


@pytest.mark.slow
@share_of_examples(0.2)
@pytest.mark.parametrize("method", methods())
@given(people=tables(), data=st.data(), counting=st.sampled_from(["rows", "people"]))
def test_every_table_that_is_made_holds(method: str, people: pl.DataFrame, data: st.DataObject, counting: Any) -> None:
    label, income = data.draw(st.sampled_from("uv")), data.draw(st.integers(0, 3))
    bounds = [data.draw(st.sampled_from(BOUNDS[1:])) for _ in range(2)]
    require = f'k=2, confidence["label={label}"]={bounds[0]}, confidence["income={income}.0"]={bounds[1]}'
    asked = policy_of_table(require, domains={"label": ["u", "v"], "income": [0, 3]}, counting=counting)
    try:
        release = ks.anonymize(people, asked, method, secret="0" * 32)
    except ks.Unreachable:
        return
    shown = release.frame.partition_by("age", "town", "color")
    assert keeps(bounds[0], label, [group["label"].to_list() for group in shown])
    assert keeps(bounds[1], income, [group["income"].to_list() for group in shown])
    assert ks.audit(release.frame, asked).holds


# Trees


def value_of(name: str, world: naive_spans.World, data: st.DataObject) -> tuple[str, object]:
    """A value that an attribute may have, as it is written, and as people have it."""
    domain = list(world.tree.labels) if name == TARGET else world.domains[name]
    value = data.draw(st.sampled_from(domain))
    return ("(missing)" if value is None else str(value)), value


def policy_with_labels(world: naive_spans.World, require: str) -> ks.Policy:
    asked = policy_of_world(world, "k=1")
    return replace(asked, domains={**asked.domains, TARGET: list(world.tree.labels)}, require=require)  # type: ignore[arg-type]


@share_of_examples(2)
@given(data=st.data(), bound=st.sampled_from(BOUNDS))
def test_a_tree_holds_as_defined(data: st.DataObject, bound: float) -> None:
    world = data.draw(naive_spans.worlds(contradictions=True))
    tree, people = world.tree, world.people
    private = [item.name for item in tree.attributes if item.role == "private"]
    names = [*private, TARGET] if tree.target_role == "private" else private
    if not names:
        return
    name = data.draw(st.sampled_from(names))
    written, value = value_of(name, world, data)
    if name == TARGET:
        linked = [members for span, members in naive_spans.spans(tree, people, world.domains).items() if len(span) != 1]
    else:
        linked = list(naive_spans.members_told(tree, people, world.domains, name))
    crowds = [[people[index][name] for index in members] for members in linked]
    found = audit_tree(tree, framed(world), policy_with_labels(world, f'confidence["{name}={written}"]={bound}'))
    assert found.holds == keeps(bound, value, crowds)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["grouped", "kadet", "kadet-c45"])
@share_of_examples(2)
@given(data=st.data(), bound=st.sampled_from(BOUNDS[1:]), k=st.integers(1, 3))
def test_every_tree_that_grows_holds(method: str, data: st.DataObject, bound: float, k: int) -> None:
    world = data.draw(naive_spans.worlds())
    if world.tree.target_role == "public":
        return
    private = [item.name for item in world.tree.attributes if item.role == "private"]
    names = data.draw(st.lists(st.sampled_from([*private, TARGET]), min_size=1, unique=True))
    limits = [f'confidence["{name}={value_of(name, world, data)[0]}"]={bound}' for name in names]
    asked = policy_with_labels(world, ", ".join([f"k={k}", *limits]))
    try:
        tree = ks.learn(framed(world), asked, method)
    except ks.Unreachable:
        return
    assert audit_tree(tree, framed(world), asked).holds  # type: ignore[arg-type]


def test_a_region_that_holds_several_values_is_told_as_well() -> None:
    """Everybody is told to have one of two illnesses: as regions that is one value, but half of them have hiv."""
    people = pl.DataFrame(
        {
            "age": [1] * 8 + [2] * 8,
            "illness": ["hiv", "hiv", "flu", "flu", "cold", "cold", "cold", "cold"] * 2,
            "risk": (["high"] * 4 + ["low"] * 4) * 2,
        }
    )
    asked = policy('k=2, confidence["illness=hiv"]=0.25', hierarchies={
        "illness": ks.Hierarchy.of([("hiv", "viral"), ("flu", "viral"), ("cold", "cold")])})  # fmt: skip
    strict = replace(asked, require='k=2, confidence["illness=hiv"]=0.24')  # type: ignore[arg-type]
    tree = ks.learn(people, asked)
    assert any(node.attribute == 1 for node in tree.nodes())
    assert ks.audit(tree, people, asked).holds
    assert not ks.audit(tree, people, strict).holds
    assert ks.learn(people, strict, "kadet").root.is_leaf


@pytest.mark.slow
@share_of_examples(2)
@given(data=st.data(), bound=st.sampled_from(BOUNDS))
def test_several_trees_hold_as_defined(data: st.DataObject, bound: float) -> None:
    world = data.draw(naive_spans.worlds())
    other = data.draw(
        naive_spans.random_trees(
            world.tree.attributes, TARGET, world.tree.target_role, world.tree.labels, world.people, world.domains
        )
    )
    private = [item.name for item in world.tree.attributes if item.role == "private"]
    names = [*private, TARGET] if world.tree.target_role == "private" else private
    if not names:
        return
    name = data.draw(st.sampled_from(names))
    written, value = value_of(name, world, data)
    asked = policy_with_labels(world, f'confidence["{name}={written}"]={bound}')
    found = audit_tree(world.tree, framed(world), asked, beside=[other])
    together: dict[Any, list[int]] = {}
    for index, person in enumerate(world.people):
        spans = [naive_spans.reachable(tree, person, world.domains) for tree in (world.tree, other)]
        together.setdefault(tuple(spans), []).append(index)
    crowds = [
        [world.people[index][name] for index in members]
        for spans, members in together.items()
        if (any(len(span) != 1 for span in spans) if name == TARGET else _is_told(world, other, name, members))
    ]
    assert found.holds == keeps(bound, value, crowds)


def _is_told(world: naive_spans.World, other: Tree, name: str, members: list[int]) -> bool:
    """Is anything told of these people, and may it be different for others who look like them?"""
    people, trees = world.people, (world.tree, other)
    return any(
        naive_spans.told(tree, people[index], name, people) is not None for tree in trees for index in members
    ) and any(naive_spans.varies(tree, people[members[0]], people, world.domains, name) for tree in trees)


# Paths


@pytest.mark.slow
@share_of_examples(3)
@given(data=st.data(), bound=st.sampled_from(BOUNDS), world=naive_spans.worlds())
def test_paths_hold_as_defined_and_hit_and_miss_are_never_laxer(
    data: st.DataObject, bound: float, world: naive_spans.World
) -> None:
    tree = replace(world.tree, target_role="private")
    label = data.draw(st.sampled_from(tree.labels))
    asked = parse(f'confidence["{TARGET}={label}"]={bound}')
    place = tree.labels.index(label)
    crowds = [leaf.counts for leaf in tree.leaves if leaf.people]
    expected = all(Fraction(counts[place], sum(counts)) <= Fraction(str(bound)) for counts in crowds)  # type: ignore[arg-type]
    assert audit_paths(tree, asked).holds == expected
    assert audit_paths(tree.disclosing("hit-miss"), asked).holds <= expected
    for less in ("label", "shares"):
        with pytest.raises(ks.PolicyError, match="tells of no crowd"):
            audit_paths(tree.disclosing(less), asked)


@given(hit=st.integers(1, 9), data=st.data(), labels=st.integers(2, 4), bound=st.sampled_from(BOUNDS))
def test_behind_hit_and_miss_the_worst_is_assumed(hit: int, data: st.DataObject, labels: int, bound: float) -> None:
    miss = data.draw(st.integers(0, hit * (labels - 1)))
    tree = Tree((), TARGET, "private", tuple("uvwx"[:labels]), Node(HitMiss(0, hit, miss)))
    of_commonest = audit_paths(tree, parse(f'confidence["{TARGET}=u"]={bound}'))
    of_another = audit_paths(tree, parse(f'confidence["{TARGET}=v"]={bound}'))
    assert of_commonest.holds == (Fraction(hit, hit + miss) <= Fraction(str(bound)))
    assert of_another.holds == (Fraction(min(hit, miss), hit + miss) <= Fraction(str(bound)))


PARTS = st.integers(0, 24).map(lambda eighths: eighths / 8)


@given(counts=st.tuples(PARTS, PARTS, PARTS).filter(any), bound=st.sampled_from(BOUNDS))
def test_fractions_of_people_never_hide_a_value(counts: tuple[float, ...], bound: float) -> None:
    tree = Tree((), TARGET, "private", ("u", "v", "w"), Node.of_counts(counts))
    for place, label in enumerate("uvw"):
        asked = parse(f'confidence["{TARGET}={label}"]={bound}')
        true = Fraction(counts[place]) / sum(map(Fraction, counts)) <= Fraction(str(bound))
        assert audit_paths(tree, asked).holds <= true
        assert audit_paths(tree.disclosing("hit-miss"), asked).holds <= true


@pytest.mark.parametrize("told", ["counts", "hit-miss"])
def test_labels_that_look_alike_are_one(told: Any) -> None:
    tree = Tree((), TARGET, "private", ("u", "u ", "w"), Node.of_counts((2, 2, 4))).disclosing(told)
    for spelled in ("u", " u"):
        for bound, holds in ((0.5, True), (0.49, False)):
            asked = ks.Confidence(bound, on=TARGET, value=spelled)
            assert audit_paths(tree, asked).holds == holds


def test_a_label_that_no_path_tells_of_is_said() -> None:
    tree = Tree((), TARGET, "private", ("u", "v"), Node.of_counts((2, 2)))
    found = audit_paths(tree, parse(f'confidence["{TARGET}=w"]=0.2'))
    assert found.holds
    assert any("check its spelling" in sentence for sentence in found.assumptions)
    with pytest.raises(ks.PolicyError, match="cannot be asked of a tree"):
        audit_paths(tree, parse('confidence["other=w"]=0.2'))


@pytest.mark.slow
@pytest.mark.parametrize("merge", ["rules", "information"])
@pytest.mark.parametrize("told", ["counts", "hit-miss"])
@given(data=st.data(), bound=st.sampled_from(BOUNDS[1:]))
def test_pruned_trees_hold(told: Any, merge: Any, data: st.DataObject, bound: float) -> None:
    tree = data.draw(naive_atp.trees(told=told).filter(lambda one: one.root.people))
    label = data.draw(st.sampled_from(tree.labels))
    asked = ks.Confidence(bound, on=tree.target, value=label)
    try:
        found = ks.prune_tree(tree, require=asked, merge=merge)
    except ks.Unreachable as refusal:
        if "two paths is " in str(refusal):
            best = str(refusal).split("two paths is ")[1].split(": lower it")[0]
            assert ks.prune_tree(tree, require=best, merge=merge).audit.holds
        return
    assert found.audit.holds
    assert ks.audit(found.tree, require=str(asked)).holds
    assert found.release.claim is not None
    assert parse(found.release.claim.requirement) == asked


# Clusters and rules


@share_of_examples(0.5)
@given(people=tables(), bound=st.sampled_from(BOUNDS[1:]), data=st.data())
def test_clusters_hold(people: pl.DataFrame, bound: float, data: st.DataObject) -> None:
    label = data.draw(st.sampled_from("uv"))
    asked = ks.Policy(
        public=["age"],
        private=["income", "label"],
        require=f'k=2, confidence["label={label}"]={bound}',
        domains={"label": ["u", "v"]},
    )
    frame = people.select(pl.col("age").fill_null(0), "income", "label")
    everybody = share(label, frame["label"].to_list())
    if everybody > Fraction(str(bound)):
        with pytest.raises(ks.Unreachable, match="even one cluster"):
            ks.learn_clusters(frame, asked)
        return
    found = ks.learn_clusters(frame, asked)
    assert ks.audit(found, frame, asked).holds
    # By hand: whoever can be in the same cells is a crowd, unless these are one.
    table = ks.audit(found, frame, replace(asked, require="k=1"))  # type: ignore[arg-type]
    rows = table.per_row.with_columns(label=frame["label"])
    crowds = [group["label"].to_list() for group in rows.filter(~pl.col("safe")).partition_by("span")]
    assert keeps(bound, label, crowds)


BASKETS = pl.DataFrame({"cherries": [1] * 8 + [0] * 8, "pills": [1, 1, 0, 0, 0, 0, 0, 0] * 2, "tea": [1, 0] * 8})


@pytest.mark.parametrize(
    ("limit", "holds"),
    [("pills=yes]=0.25", True), ("pills=yes]=0.24", False), ("pills=no]=0.75", True), ("pills=no]=0.7", False)],
)
def test_rules_tell_of_items_that_were_bought_or_not(limit: str, holds: bool) -> None:
    asked = ks.Policy(public=["cherries", "tea"], private=["pills"], require=f"k=2, confidence[{limit}")
    mined = ks.learn(BASKETS, asked, "rules", min_support=0.05, min_confidence=0.1)
    assert ks.audit(mined.rules, BASKETS, asked).holds
    tells = any("pills" in {*rule.left, *rule.right} for rule in mined.rules.rules)
    assert tells == holds
    free = ks.learn(BASKETS, replace(asked, require="k=2"), "rules", min_support=0.05, min_confidence=0.1)
    assert ks.audit(free.rules, BASKETS, asked).holds <= holds


def test_an_item_has_no_other_value() -> None:
    asked = ks.Policy(public=["cherries", "tea"], private=["pills"], require='k=2, confidence["pills=yse"]=0.2')
    with pytest.raises(ks.PolicyError, match="no item has"):
        ks.learn(BASKETS, asked, "rules")
    free = ks.learn(BASKETS, replace(asked, require="k=2"), "rules", min_support=0.05)
    with pytest.raises(ks.PolicyError, match="no item has"):
        ks.audit(free.rules, BASKETS, asked)


@pytest.mark.parametrize("value", ["yes", "no"])
@pytest.mark.parametrize("bound", [0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
def test_what_holds_by_figures_holds_by_people(value: str, bound: float) -> None:
    """Where figures leave a range, the worst share of the value counts."""
    open_to_all = ks.Policy(public=["cherries", "tea"], private=["pills"], require="k=2")
    free = ks.learn(BASKETS, open_to_all, "rules", min_support=0.05, min_confidence=0.1)
    limit = f'confidence["pills={value}"]={bound}'
    by_figures = ks.audit(free.rules, require=limit).holds
    assert by_figures <= ks.audit(free.rules, BASKETS, open_to_all, require=limit).holds
    assert by_figures or bound < 1


# Labels that are numbers


@pytest.mark.parametrize("spelled", ["1e5", "100000.0", "100000"])
def test_labels_that_are_numbers_are_found(spelled: str) -> None:
    people = pl.DataFrame({"age": [1, 1, 1, 1, 2, 2, 2, 2], "pay": [100_000, 5, 5, 5, 100_000, 100_000, 5, 5]})
    asked = ks.Policy(public=["age"], target="pay", require=f'confidence["pay={spelled}"]=0.4')
    tree = ks.learn(people, replace(asked, require="k=1"), "kadet")  # type: ignore[arg-type]
    assert len(tree.leaves) == 2
    assert not ks.audit(tree, people, asked).holds
    assert not ks.audit(tree, require=asked.require).holds
    assert ks.learn(people, asked, "kadet").root.is_leaf
    with pytest.raises(ks.Unreachable, match=r"two paths is confidence\[pay"):
        ks.prune_tree(tree, require=asked.require)


# What leaves


def test_a_claim_names_the_value_and_is_read_again(tmp_path: Any) -> None:
    asked = policy('k=2, confidence["illness=hiv"]=0.25', public=["age", "risk"], target="illness", private=[])
    tree = ks.learn(PEOPLE, asked)
    ks.publish_tree(tree, PEOPLE, asked, tmp_path / "tree.json")
    claim = json.loads((tmp_path / "tree.json").read_text())["claim"]
    assert parse(claim["requirement"]) == asked.require
    assert ks.audit(tmp_path / "tree.json", PEOPLE, asked).holds
    assert ks.audit(tmp_path / "tree.json", require='confidence["illness=hiv"]=1').holds
