"""Itemsets against their definition: spans by enumeration, the verdict, and every population that supports admit."""

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.baskets import programs
from kspan.audit.baskets.implied import implied_spans
from kspan.audit.baskets.spans import basket_spans
from kspan.audit.itemsets.judge import PublishedItemsets, audit_itemsets
from kspan.data.baskets import encode_baskets
from kspan.errors import Unreachable
from kspan.model.itemsets.model import Itemset, itemsets_about
from kspan.privacy import Requirement
from kspan.privacy.spec import to_table
from laws import naive_baskets as naive
from laws.asked import KEYS, asked, compares_with_everybody, of_crowds
from laws.examples import share_of_examples
from laws.naive_baskets import PRIVATE, PUBLIC, Shop, shops

ITEMS = (*PUBLIC, *PRIVATE)
BY_FIGURES = tuple(key for key in KEYS if not compares_with_everybody(key))
"""Requirements that supports alone can answer."""


def framed(people: tuple[naive.Basket, ...]) -> pl.DataFrame:
    return pl.DataFrame({item: [item in basket for basket in people] for item in ITEMS})


def itemsets_of(shop: Shop, digits: int | None = None) -> ks.Itemsets:
    rounded = [
        Itemset(one.items, one.support if digits is None else round(one.support, digits)) for one in shop.itemsets
    ]
    assume(all(one.support for one in rounded))
    return itemsets_about(rounded, len(shop.people), naive.ROLES)  # type: ignore[arg-type]


def policy(require: str | Requirement) -> ks.Policy:
    return ks.Policy(public=PUBLIC, private=PRIVATE, require=require)


def drawn(data: st.DataObject, key: str, k: int) -> Requirement:
    """A requirement of a kind, of crowds of k."""
    return ks.KAnonymity(k) if key == "k" else of_crowds(k, data.draw(asked(key)))


@given(shop=shops())
def test_the_judge_finds_the_spans_of_the_definition_and_their_classes(shop: Shop) -> None:
    baskets = encode_baskets(framed(shop.people), ITEMS)
    found = basket_spans(PublishedItemsets(itemsets_of(shop)), baskets)
    members: dict[int, list[int]] = {}
    for row, span in enumerate(found.span.tolist()):
        members.setdefault(span, []).append(row)
    reached = naive.spans(shop.itemsets, shop.people)
    assert sorted(members.values()) == sorted(reached.values())
    for classes, rows in reached.items():
        span = int(found.span[rows[0]])
        assert found.asked.classes(found.codes[span].tolist()) == len(classes)
        assert found.exposing[span] == (len(classes) > 1)
        for item in PRIVATE:
            told = found.asked.depends_on(item, found.codes)[span]
            assert told == naive.depends_on(shop.itemsets, shop.people[rows[0]], item)


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
@share_of_examples(0.3)
@given(shop=shops(), k=st.integers(1, 8), data=st.data())
def test_the_judge_gives_the_verdict_of_the_definition(key: str, shop: Shop, k: int, data: st.DataObject) -> None:
    require = drawn(data, key, k)
    found = audit_itemsets(itemsets_of(shop), framed(shop.people), policy(require))
    assert not found.untrue
    assert found.holds == naive.holds(shop.itemsets, shop.people, to_table(require))


@given(shop=shops(), digits=st.sampled_from([None, 2, 3]), data=st.data())
def test_supports_are_true_rounded_or_not_and_nothing_else_is(
    shop: Shop, digits: int | None, data: st.DataObject
) -> None:
    assume(shop.itemsets)
    itemsets = itemsets_of(shop, digits)
    assert audit_itemsets(itemsets, framed(shop.people), policy("k=1")).holds
    wrong = data.draw(st.sampled_from(itemsets.itemsets))
    # Less than 100 people, so that one more or less cannot be rounding.
    moved = wrong.support + data.draw(st.sampled_from([-1, 1])) / len(shop.people)
    assume(0 < moved <= 1)
    changed = [Itemset(one.items, moved) if one is wrong else one for one in itemsets.itemsets]
    found = audit_itemsets(
        itemsets_about(changed, len(shop.people), itemsets.roles), framed(shop.people), policy("k=1")
    )
    assert not found.holds
    assert wrong.names in found.untrue


SMALL = shops(("A", "B", "x"), most_people=5, most_sets=5) | shops(("A", "x", "y"), most_people=5, most_sets=5)


@pytest.mark.slow
@pytest.mark.parametrize("key", BY_FIGURES)
@share_of_examples(0.3)
@given(shop=SMALL, k=st.integers(1, 4), data=st.data(), digits=st.sampled_from([None, 2]))
def test_what_holds_by_supports_holds_for_every_population_that_they_admit(
    key: str, shop: Shop, k: int, data: st.DataObject, digits: int | None
) -> None:
    require = drawn(data, key, k)
    itemsets = itemsets_of(shop, digits)
    holds = audit_itemsets(itemsets, None, policy(require)).holds
    used = tuple(itemsets.roles) or ("x",)
    rounding = 0 if digits is None else 0.005
    verdicts = {
        naive.holds(shop.itemsets, people, to_table(require))
        for people in naive.populations(itemsets.itemsets, len(shop.people), used, rounding)
    }
    assert verdicts
    assert holds == (verdicts == {True})


@share_of_examples(0.3)
@given(shop=shops(), digits=st.sampled_from([None, 2, 3]), most_patterns=st.sampled_from([8, 2000]))
def test_what_supports_imply_contains_the_truth(shop: Shop, digits: int | None, most_patterns: int) -> None:
    """Whether private items are looked at or not: few patterns are allowed in some cases."""
    published = PublishedItemsets(itemsets_of(shop, digits))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(programs, "MOST_PATTERNS", most_patterns)
        told = implied_spans(published)
    true = basket_spans(published, encode_baskets(framed(shop.people), ITEMS))
    bounds = {tuple(codes): span for span, codes in enumerate(told.codes.tolist())}
    there = set()
    for span, codes in enumerate(true.codes.tolist()):
        implied = bounds[tuple(codes)]
        there.add(implied)
        assert told.low[implied] <= true.sizes[span] <= told.most(implied)
        for question, (_, _, items) in enumerate(told.asked.questions):
            if (between := told.bought(implied, question)) is not None:
                rows = [row for row, one in enumerate(true.span.tolist()) if one == span]
                assert between[0] <= sum(items <= shop.people[row] for row in rows) <= between[1]
    assert all(told.low[span] == 0 for span in bounds.values() if span not in there)


@pytest.mark.slow
@pytest.mark.parametrize("key", BY_FIGURES)
@share_of_examples(0.3)
@given(shop=shops(), k=st.integers(1, 6), data=st.data(), digits=st.sampled_from([None, 2]))
def test_itemsets_that_hold_by_their_supports_hold_by_their_people(
    key: str, shop: Shop, k: int, data: st.DataObject, digits: int | None
) -> None:
    require, itemsets = drawn(data, key, k), itemsets_of(shop, digits)
    if audit_itemsets(itemsets, None, policy(require)).holds:
        assert audit_itemsets(itemsets, framed(shop.people), policy(require)).holds


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
@share_of_examples(0.15)
@given(shop=shops(), k=st.integers(1, 6), data=st.data())
def test_mined_itemsets_hold_and_no_other_candidate_could_be_added(
    key: str, shop: Shop, k: int, data: st.DataObject
) -> None:
    require = drawn(data, key, k)
    said, people = policy(require), framed(shop.people)
    try:
        mined = ks.mine_itemsets(people, said, min_support=0.2, max_items=3)
    except Unreachable:
        return
    found = mined.itemsets.itemsets
    assert len(found) < 100
    assert audit_itemsets(mined.itemsets, people, said).holds
    assert naive.holds(found, shop.people, to_table(require))
    for names in mined.left_out["itemsets"].head(10).to_list():
        assert not naive.holds((*found, Itemset(frozenset(names), 0.5)), shop.people, to_table(require))


@given(shop=shops(), k=st.integers(1, 6))
def test_weights_are_repeated_people(shop: Shop, k: int) -> None:
    once = framed(shop.people).group_by(ITEMS).len("weight")
    weighted = ks.Policy(public=PUBLIC, private=PRIVATE, weight="weight", require=f"k={k}")
    itemsets = itemsets_of(shop)
    one = audit_itemsets(itemsets, once, weighted)
    other = audit_itemsets(itemsets, framed(shop.people), policy(f"k={k}"))
    facts = ("holds", "k", "people", "exposed", "untrue", "failing_people")
    assert [getattr(one, fact) for fact in facts] == [getattr(other, fact) for fact in facts]


def test_mining_weighted_people_is_mining_repeated_ones() -> None:
    people = pl.DataFrame({"A": [1, 1, 0, 1], "B": [1, 0, 0, 1], "x": [1, 0, 1, 0], "w": [5, 3, 4, 2]})
    repeated = people.select(pl.exclude("w").repeat_by("w").explode())
    weighted, plain = (
        ks.mine_itemsets(frame, ks.Policy(public=["A", "B"], private=["x"], weight=weight, require="k=3"))
        for frame, weight in ((people, "w"), (repeated, None))
    )
    assert weighted.itemsets == plain.itemsets
    assert weighted.left_out.equals(plain.left_out)
