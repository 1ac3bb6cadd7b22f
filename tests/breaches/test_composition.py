"""Attacks by several releases: each of them holds, and together they would give people away."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import kspan as ks

ILLNESSES = ["flu", "hiv", "none", "cancer", "cold"]
PUBLIC = ["age", "sex", "zip"]


def town(people: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "id": [f"p{number}" for number in range(people)],
            "age": rng.integers(18, 90, people),
            "sex": rng.choice(["F", "M"], people),
            "zip": rng.choice([f"10{number:03}" for number in range(20)], people),
            "ill": rng.choice(ILLNESSES, people),
        }
    )


def policy(require: str = "k=5") -> ks.Policy:
    return ks.Policy(identifier=["id"], public=PUBLIC, target="ill", private=["ill"], require=require)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    ks.Ledger.create(tmp_path / "r.ledger")
    return tmp_path / "r.ledger"


def labels(path: Path) -> Counter[str]:
    """What the root of a published tree tells: how many people have each label."""
    tree = ks.load_tree(path).tree
    return Counter(dict(zip(tree.labels, tree.root.outcome.counts, strict=True)))  # type: ignore[union-attr]


def newcomer_by_subtraction(first: Path, second: Path) -> str | None:
    """The label of the one person who came between two releases, if it can be told; None if not."""
    more, less = labels(second) - labels(first), labels(first) - labels(second)
    return next(iter(more)) if not less and more.total() == 1 else None


TRIALS = 60


def test_a_newcomer_is_not_told_by_subtraction(tmp_path: Path) -> None:
    asked, without, beside = policy(), 0, 0
    for trial in range(TRIALS):
        after = town(150, trial)
        before, true = after.head(149), after["ill"][149]
        places = [tmp_path / f"{trial}-{number}.json" for number in range(4)]
        for people, place in ((before, places[0]), (after, places[1])):
            ks.publish_tree(ks.learn(people, asked, "kadet"), people, asked, place)
        without += newcomer_by_subtraction(*places[:2]) == true
        ks.Ledger.create(tmp_path / f"{trial}.ledger")
        with ks.Ledger(tmp_path / f"{trial}.ledger"):
            for people, place in ((before, places[2]), (after, places[3])):
                stands = ks.standing(people, asked, whole=True)
                tree = ks.learn(stands.people, asked, "kadet", known=stands.classes)
                ks.publish_tree(tree, stands.people, asked, place)
        beside += newcomer_by_subtraction(*places[2:]) == true
    assert (without, beside) == (TRIALS, 0)


def test_a_tree_that_was_republished_is_refused(book: Path, tmp_path: Path) -> None:
    after, asked = town(300, 1), policy()
    before = after.head(299)
    with ks.Ledger(book):
        ks.publish_tree(ks.learn(before, asked, "kadet"), before, asked, tmp_path / "t1.json")
        with pytest.raises(ks.DoesNotHold, match=r"together with release '1 \(t1.json\)', which everybody has"):
            ks.publish_tree(ks.learn(after, asked, "kadet"), after, asked, tmp_path / "t2.json")
    assert not (tmp_path / "t2.json").exists()
    assert len(ks.Ledger(book).entries()) == 1
    ks.publish_tree(ks.learn(after, asked, "kadet"), after, asked, tmp_path / "t2.json")
    found = ks.audit(tmp_path / "t2.json", after, asked, beside=[(tmp_path / "t1.json", before)])
    assert (found.holds, found.k.people) == (False, 1)
    assert [(one.releases, one.failing_people) for one in found.alone] == [
        (("t2.json",), 0), (("t1.json",), 0), (("t2.json", "t1.json"), found.failing_people),
    ]  # fmt: skip


def leaf_labels(tree: ks.Tree, people: pl.DataFrame, asked: ks.Policy) -> dict[str, frozenset[str]]:
    """For everybody, by name, the labels that people have in the own leaf: all that a published tree tells."""
    told = ks.equivalent_table(tree, people, asked)
    table = told if isinstance(told, pl.DataFrame) else pl.DataFrame(told)
    columns = [name for name in table.columns if name != "ill"]
    of_leaf = table.group_by(columns).agg(pl.col("ill").unique())
    both = table.with_row_index("row").join(of_leaf, on=columns, how="left", suffix=" there", nulls_equal=True)
    every = both.sort("row")["ill there"].to_list()
    return {name: frozenset(some) for name, some in zip(people["id"], every, strict=True)}


def test_two_owners_with_people_in_common() -> None:
    asked = policy("k=3, distinct_l=2")
    everybody = town(1500, 3)
    north, south = everybody.head(1000), everybody.tail(1000)
    trees = [ks.learn(people, asked, "kadet") for people in (north, south)]
    for tree, people in zip(trees, (north, south), strict=True):
        assert ks.audit(tree, people, asked).holds
    one, other = (leaf_labels(tree, people, asked) for tree, people in zip(trees, (north, south), strict=True))
    inferred = [name for name in one.keys() & other.keys() if len(one[name] & other[name]) == 1]
    assert len(inferred) > 5  # the attack works
    found = ks.audit(ks.Beside(trees[0], north, asked, "north"), beside=[ks.Beside(trees[1], south, asked, "south")])
    assert not found.holds
    assert found.failing_people >= len(inferred)
    assert found.exposed["ill in north"] >= len(inferred)
    assert found.alone[2].releases == ("north", "south")


def tables() -> Iterator[Any]:
    people, asked = town(400, 5), policy("k=5, distinct_l=2")
    yield (
        people,
        asked,
        ks.anonymize(people, asked, "mondrian", secret="1" * 32),
        ks.anonymize(people, asked, "tds", secret="1" * 32),
    )


def test_two_tables_with_different_groups() -> None:
    ((people, asked, first, second),) = tables()
    found = ks.audit(first.table, people, asked, beside=[(second.table, people)])
    assert not found.holds
    assert found.k.people == 1
    assert max(found.exposed.values()) > 0


def test_the_second_of_two_tables_is_refused_or_made_anew(book: Path, tmp_path: Path) -> None:
    ((people, asked, first, second),) = tables()
    with ks.Ledger(book, to="registry A"):
        first.save(tmp_path / "first.csv")
        with pytest.raises(ks.DoesNotHold, match=r"'registry A' has, second\.csv breaks k=5, distinct_l=2"):
            second.save(tmp_path / "second.csv")
        made = ks.anonymize(people, asked, "tds", secret="1" * 32)
        made.save(tmp_path / "second.csv")
    both = ks.audit(tmp_path / "second.csv", people, asked, beside=[(tmp_path / "first.csv", people)])
    assert both.holds
    # What another recipient has is another matter.
    with ks.Ledger(book, to="registry B"):
        second.save(tmp_path / "b.csv")
    with ks.Ledger(book), pytest.raises(ks.DoesNotHold, match="'registry B' has"):
        first.save(tmp_path / "everybody.csv")


def test_a_table_beside_a_tree(book: Path, tmp_path: Path) -> None:
    people, asked = town(600, 7), policy("k=5, distinct_l=2")
    table, tree = ks.anonymize(people, asked, "mondrian", secret="1" * 32), ks.learn(people, asked, "kadet")
    found = ks.audit(tree, people, asked, beside=[(table.table, people)])
    assert not found.holds
    with ks.Ledger(book):
        ks.publish_tree(tree, people, asked, tmp_path / "tree.json")
        with pytest.raises(ks.DoesNotHold, match=r"tree\.json"):
            table.save(tmp_path / "table.csv")
        made = ks.anonymize(people, asked, "mondrian", secret="1" * 32)
        made.save(tmp_path / "table.csv")
    assert made.audit.rows > 0.8 * people.height
    held = ks.audit(tmp_path / "tree.json", people, asked, beside=[(tmp_path / "table.csv", made.rows_released)])
    assert held.holds


def test_whoever_left_is_not_told_by_subtraction(book: Path, tmp_path: Path) -> None:
    before, asked = town(300, 9), policy("k=5")
    after = before.tail(299)
    with ks.Ledger(book):
        ks.anonymize(before, asked, "mondrian", secret="1" * 32).save(tmp_path / "m1.csv")
        second = ks.anonymize(after, asked, "mondrian", secret="1" * 32)
        second.save(tmp_path / "m2.csv")
    # The whole group of the one who left is gone.
    assert before.height - second.audit.rows >= 5
    assert second.stands is not None
    assert second.stands.withheld == 300 - 1 - second.audit.rows
    with ks.Ledger(book, left=before):
        kept = ks.anonymize(after, asked, "mondrian", secret="1" * 32)
    assert kept.stands is not None
    assert kept.stands.stayed in (0, 1)


# What an attack from outside has found


def row(name: str, age: int, ill: str) -> dict[str, Any]:
    return {"id": name, "age": age, "sex": "F", "zip": "10000", "ill": ill}


def test_one_more_row_of_somebody_is_not_told_by_subtraction(book: Path, tmp_path: Path) -> None:
    may = pl.DataFrame([row(f"p{number}", 30, ["flu", "hiv"][number % 2]) for number in range(6)])
    june = pl.concat([may, pl.DataFrame([row("p0", 30, "hiv")])])
    asked = ks.Policy(person="id", public=PUBLIC, private=["ill"], target="ill", require="k=3, distinct_l=2")
    found = ks.audit(ks.learn(june, asked, "kadet"), june, asked, beside=[(ks.learn(may, asked, "kadet"), may)])
    assert (found.holds, found.k.people) == (False, 1)
    with ks.Ledger(book):
        ks.anonymize(may, asked, "mondrian", secret="1" * 32).save(tmp_path / "may.csv")
        with pytest.raises(ks.Unreachable, match="nobody can be shown"):
            ks.anonymize(june, asked, "mondrian", secret="1" * 32)
        with pytest.raises(ks.DoesNotHold, match="together with"):
            ks.publish_table(june.drop("id"), asked, tmp_path / "june.csv", people=june)
        # Nothing is told of those whose rows are as they were.
        ks.anonymize(may, asked, "mondrian", secret="1" * 32).save(tmp_path / "again.csv")


@pytest.mark.parametrize("later", ["k=2", "k=20"])
def test_what_was_promised_stays_true(later: str, book: Path, tmp_path: Path) -> None:
    from kspan.ledger.checking import holdings

    people = town(200, 11)
    with ks.Ledger(book):
        first = ks.anonymize(people, policy("k=6, distinct_l=3"), "mondrian", secret="1" * 32)
        first.save(tmp_path / "1.csv")
        with pytest.raises(ks.DoesNotHold, match="k=6"):
            ks.publish_tree(ks.learn(people, policy("k=2"), "kadet"), people, policy("k=2"), tmp_path / "tree.json")
        try:
            made = ks.anonymize(people, policy(later), "mondrian", secret="1" * 32)
        except ks.Unreachable:
            assert later == "k=20"  # no crowd of six becomes one of twenty
        else:
            made.save(tmp_path / "2.csv")
            assert later == "k=2"
            assert made.audit.rows == 200
    (found,) = holdings(ks.Ledger(book))
    assert (found.audit.holds, found.audit.k.people >= 6) == (True, True)


def test_everybody_is_no_recipient(book: Path) -> None:
    for name in ("everybody", " Everybody "):
        with pytest.raises(ks.PolicyError, match="everybody is no recipient"):
            ks.Ledger(book, to=name)


def test_people_who_match_nobody_prove_nothing() -> None:
    ((people, asked, first, second),) = tables()
    renamed = people.with_columns(id=pl.col("id").str.to_uppercase())
    found = ks.audit(first.table, people, asked, beside=[(second.table, renamed)])
    assert (found.holds, found.reading) == (False, "not proved")
    assert "nobody is in several of the tables" in found.covered
    # Rows of one table are the same people, whatever column is named.
    same = ks.audit(first.table, people, asked, beside=[ks.Beside(second.table, match="age")])
    assert (same.holds, same.people) == (False, 400)


def test_whoever_was_forgotten_is_kept_out(book: Path, tmp_path: Path) -> None:
    people = pl.DataFrame([row(f"p{number}", 30, ["flu", "cold", "flu", "hiv"][number]) for number in range(4)])
    asked = policy("k=3, distinct_l=2")
    with ks.Ledger(book) as ledger:
        ks.anonymize(people, asked, "mondrian", secret="1" * 32).save(tmp_path / "1.csv")
        with ledger.opened() as store:
            assert all(store.forget_person(f"p{number}") for number in range(3))
        with pytest.raises(ks.Unreachable, match="nobody can be shown"):
            ks.anonymize(people, asked, "mondrian", secret="1" * 32)
        with pytest.raises(ks.LedgerError, match=r"3 people in 2\.csv were forgotten"):
            ks.publish_table(people.drop("id"), asked, tmp_path / "2.csv", people=people)


def test_what_was_made_beside_a_ledger_is_entered_there(book: Path, tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    people, asked = town(100, 13), policy()
    with ks.Ledger(book):
        made = ks.anonymize(people, asked, "mondrian", secret="1" * 32)
    made.save(tmp_path / "later.csv")
    with ks.Ledger(book), ThreadPoolExecutor(1) as threads:
        threads.submit(
            lambda: ks.anonymize(people, asked, "mondrian", secret="1" * 32).save(tmp_path / "thread.csv")
        ).result()
    assert [entry.name for entry in ks.Ledger(book).entries()] == ["later.csv", "thread.csv"]
    other = ks.Ledger.create(tmp_path / "other.ledger")
    from dataclasses import replace

    with other, pytest.raises(ks.PolicyError, match="entered in its own"):
        ks.anonymize(people, replace(asked, ledger=str(book)), "mondrian", secret="1" * 32)


def test_a_ledger_is_no_place_for_tables(book: Path) -> None:
    made = ks.anonymize(town(100, 13), policy(), "mondrian", secret="1" * 32)
    with pytest.raises(ks.FileError, match="is a ledger of releases"):
        made.save(f"{book}?table=released")
    assert ks.Ledger(book).entries() == []


def test_an_attribute_is_known_or_not() -> None:
    people = town(100, 17)
    other = ks.Policy(identifier=["id"], public=["age", "sex", "ill"], private=["zip"], require="k=1")
    with pytest.raises(ks.PolicyError, match="but either anybody knows it or nobody does"):
        ks.audit(people.drop("id"), people, policy("k=1"), beside=[ks.Beside(people.drop("id"), people, other)])


def test_what_one_release_promised_holds_beside_any_other() -> None:
    people = town(100, 19)
    crowds = pl.DataFrame({"age": ["*"] * 100, "sex": people["sex"], "zip": ["*"] * 100, "ill": people["ill"]})
    strict = ks.Beside(crowds.with_columns(sex=pl.lit("*")), people, policy("k=90"))
    loose = ks.Beside(crowds, people, policy("k=10"))
    assert all(ks.audit(one).holds for one in (strict, loose))
    for first, second in ((strict, loose), (loose, strict)):
        found = ks.audit(first, beside=[second])
        assert (found.holds, found.failing_people) == (False, 100)
        assert set(found.requirement.split(", ")) == {"k=10", "k=90"}
