"""Rules against their definition: spans by enumeration, the verdict, what figures imply, and what the miner takes."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.baskets.implied import implied_spans
from kspan.audit.baskets.spans import basket_spans
from kspan.audit.rules.figures import PublishedRules
from kspan.audit.rules.judge import audit_rules
from kspan.data.baskets import encode_baskets
from kspan.errors import Unreachable
from kspan.induce.methods import options_of
from kspan.model.rules.model import rules_about
from kspan.privacy import Requirement
from kspan.privacy.spec import to_table
from laws import naive_baskets as naive
from laws.asked import KEYS, asked, compares_with_everybody, of_crowds
from laws.examples import share_of_examples
from laws.naive_baskets import PRIVATE, PUBLIC, World, worlds

ITEMS = (*PUBLIC, *PRIVATE)
MEASURES = options_of("rules")["measure"].words


def framed(world: World) -> pl.DataFrame:
    return pl.DataFrame({item: [item in basket for basket in world.people] for item in ITEMS})


def rules_of(world: World) -> ks.Rules:
    return rules_about(world.rules, len(world.people), naive.ROLES)  # type: ignore[arg-type]


def policy(require: str | Requirement) -> ks.Policy:
    return ks.Policy(public=PUBLIC, private=PRIVATE, require=require)


@given(world=worlds())
def test_the_judge_finds_the_spans_of_the_definition_and_their_classes(world: World) -> None:
    found = basket_spans(PublishedRules(rules_of(world)), encode_baskets(framed(world), ITEMS))
    members: dict[int, list[int]] = {}
    for row, span in enumerate(found.span.tolist()):
        members.setdefault(span, []).append(row)
    reached = naive.spans(world.rules, world.people)
    assert sorted(members.values()) == sorted(reached.values())
    for classes, rows in reached.items():
        span = int(found.span[rows[0]])
        assert found.sizes[span] == len(rows)
        assert found.asked.classes(found.codes[span].tolist()) == len(classes)
        assert found.asked.exposes(found.codes)[span] == (len(classes) > 1)
        for item in PRIVATE:
            told = found.asked.depends_on(item, found.codes)[span]
            assert told == naive.depends_on(world.rules, world.people[rows[0]], item)


def drawn(data: st.DataObject, key: str, k: int) -> Requirement:
    """A requirement of a kind, of crowds of k."""
    return ks.KAnonymity(k) if key == "k" else of_crowds(k, data.draw(asked(key)))


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
@share_of_examples(0.3)
@given(world=worlds(), k=st.integers(1, 8), data=st.data())
def test_the_judge_gives_the_verdict_of_the_definition(key: str, world: World, k: int, data: st.DataObject) -> None:
    require = drawn(data, key, k)
    found = audit_rules(rules_of(world), framed(world), policy(require))
    assert not found.untrue
    assert found.holds == naive.holds(world.rules, world.people, to_table(require))


@share_of_examples(0.7)
@given(world=worlds(), digits=st.sampled_from([None, 2, 3]))
def test_what_figures_imply_contains_the_truth(world: World, digits: int | None) -> None:
    rules = rules_of(world)
    if digits is not None:
        try:
            rules = rules_about([_rounded(rule, digits) for rule in world.rules], len(world.people), naive.ROLES)  # type: ignore[arg-type]
        except ks.ModelError:
            return  # rounded to nothing
    published = PublishedRules(rules)
    told, true = implied_spans(published), basket_spans(published, encode_baskets(framed(world), ITEMS))
    bounds = {tuple(codes): span for span, codes in enumerate(told.codes.tolist())}
    there = set()
    for span, codes in enumerate(true.codes.tolist()):
        implied = bounds[tuple(codes)]
        there.add(implied)
        assert told.low[implied] <= true.sizes[span] <= told.most(implied)
        for question, (_, left, right) in enumerate(told.asked.questions):
            if (between := told.bought(implied, question)) is not None:
                rows = [row for row, one in enumerate(true.span.tolist()) if one == span]
                both = sum((left | right) <= world.people[row] for row in rows)
                assert between[0] <= both <= between[1]
    assert all(told.low[span] == 0 for span in bounds.values() if span not in there)


def _rounded(rule: ks.Rule, digits: int) -> ks.Rule:
    beside = None if rule.right_support is None else round(rule.right_support, digits)
    return ks.Rule(rule.left, rule.right, round(rule.support, digits), round(rule.confidence, digits), beside)


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in KEYS if not compares_with_everybody(key)])
@share_of_examples(0.2)
@given(world=worlds(), k=st.integers(1, 8), data=st.data())
def test_rules_that_hold_by_their_figures_hold_by_their_people(
    key: str, world: World, k: int, data: st.DataObject
) -> None:
    rules, require = rules_of(world), drawn(data, key, k)
    if audit_rules(rules, None, policy(require)).holds:
        assert audit_rules(rules, framed(world), policy(require)).holds


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
@share_of_examples(0.15)
@given(world=worlds(), k=st.integers(1, 6), data=st.data(), measure=st.sampled_from(MEASURES), tell_lift=st.booleans())
def test_mined_rules_hold_and_no_other_candidate_could_be_added(
    key: str, world: World, k: int, data: st.DataObject, measure: str, tell_lift: bool
) -> None:
    require = drawn(data, key, k)
    rules, people = policy(require), framed(world)
    try:
        mined = ks.mine_rules(people, rules, min_support=0.2, measure=measure, max_items=3, tell_lift=tell_lift)
    except Unreachable:
        return
    if len(mined.rules) == 100:
        return
    assert audit_rules(mined.rules, people, rules).holds
    for row in mined.left_out.head(10).iter_rows(named=True):
        left, right = frozenset(row["antecedents"]), frozenset(row["consequents"])
        more = naive.counted(world.people, left, right, tell_lift)
        assert more is not None
        assert not naive.holds((*mined.rules.rules, more), world.people, to_table(require))


@given(world=worlds(), k=st.integers(1, 6))
def test_weights_are_repeated_people(world: World, k: int) -> None:
    once = framed(world).group_by(ITEMS).len("weight")
    weighted = ks.Policy(public=PUBLIC, private=PRIVATE, weight="weight", require=f"k={k}")
    one, other = (
        audit_rules(rules_of(world), frame, said)
        for frame, said in ((once, weighted), (framed(world), policy(f"k={k}")))
    )
    assert (one.holds, one.k, one.people, one.exposed, one.untrue) == (
        other.holds,
        other.k,
        other.people,
        other.exposed,
        other.untrue,
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_mining_weighted_people_is_mining_repeated_ones(measure: str) -> None:
    people = pl.DataFrame({"A": [1, 1, 0, 1], "B": [1, 0, 0, 1], "x": [1, 0, 1, 0], "w": [5, 3, 4, 2]})
    repeated = people.select(pl.exclude("w").repeat_by("w").explode())
    weighted, plain = (
        ks.mine_rules(frame, ks.Policy(public=["A", "B"], private=["x"], weight=weight, require="k=3"), measure=measure)
        for frame, weight in ((people, "w"), (repeated, None))
    )
    assert weighted.rules == plain.rules
    assert weighted.left_out.equals(plain.left_out)
