"""Itemsets against their definition: spans by enumeration, the verdict, and every population that supports admit."""

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.baskets.spans import basket_spans
from kspan.audit.itemsets.judge import PublishedItemsets, audit_itemsets
from kspan.data.baskets import encode_baskets
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
