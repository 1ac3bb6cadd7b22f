"""There is one loss: what a search finds is what the audit says of the finished table, and no vector has less."""

import itertools
import math
from datetime import date, datetime
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kspan as ks
from kspan.data.encode import encode
from kspan.data.table import Column

JOBS = ks.Hierarchy.of([("nurse", "health"), ("doctor", "health"), ("clerk", "office"), ("boss", "boss")])
BANDS = ks.Hierarchy.of(
    [(str(age), f"[{age // 10 * 10}, {age // 10 * 10 + 9}]", "<50" if age < 50 else ">=50", "*") for age in range(90)]
)
NAMED = ks.Hierarchy.of([(str(age), "young" if age < 30 else "old") for age in range(90)])
ZIPS = [f"81{end}" for end in (667, 675, 925, 931)]
MASKED = ks.Hierarchy.of([(code, *(code[:kept].ljust(5, "*") for kept in (4, 3, 2, 1)), "*") for code in ZIPS])
CODED = ks.Hierarchy.of([("17.0", "teens"), ("18", "teens"), ("40", "forties"), ("41.5", "forties")])

AGES, WORDS = st.integers(10, 60), st.sampled_from("abcdefg")
COLUMNS: dict[str, tuple[st.SearchStrategy[Any], dict[str, Any]]] = {
    "words, listed": (st.sampled_from(JOBS.values), {"hierarchies": JOBS}),
    "words, in order": (WORDS, {"hierarchies": ks.Ordered()}),
    "words, in a listed order": (WORDS, {"hierarchies": ks.Ordered(order=tuple("gfedcba"), fanout=3)}),
    "words, in order and declared": (WORDS, {"hierarchies": ks.Ordered(), "domains": list("abcdefgh")}),
    "words that look like numbers": (
        st.sampled_from(["1", "2", "9", "20-30", "a", "b"]),
        {"hierarchies": ks.Ordered()},
    ),
    "words": (WORDS, {}),
    "numbers": (AGES, {}),
    "numbers, in intervals": (AGES, {"hierarchies": ks.Intervals((5.0, 20.0))}),
    "halves, in intervals": (AGES.map(lambda age: age / 2), {"hierarchies": ks.Intervals((5.0, 20.0))}),
    "numbers, in intervals and declared": (AGES, {"hierarchies": ks.Intervals((5.0, 20.0)), "domains": [0, 90]}),
    "numbers, in order": (AGES, {"hierarchies": ks.Ordered(fanout=3)}),
    "numbers, in listed ranges": (AGES, {"hierarchies": BANDS}),
    "numbers, by listed names": (AGES, {"hierarchies": NAMED}),
    "numbers, spelled otherwise": (st.sampled_from([17, 18, 40, 41.5]), {"hierarchies": CODED}),
    "codes, masked by a list": (st.sampled_from(ZIPS).map(int), {"hierarchies": MASKED}),
    "codes, masked": (st.sampled_from([*ZIPS, "812", "9"]), {"hierarchies": ks.Prefixes()}),
    "codes, masked by a letter": (st.sampled_from(ZIPS), {"hierarchies": ks.Prefixes("x")}),
    "codes, whatever fits": (st.sampled_from(ZIPS), {"hierarchies": ks.Automatic()}),
    "moments, declared": (
        st.datetimes(datetime(2020, 1, 1), datetime(2020, 3, 1)).map(lambda at: at.replace(microsecond=0)),
        {"hierarchies": ks.Dates(("hour", "day", "month")), "domains": "datetime"},
    ),
    "dates": (st.dates(date(2020, 1, 1), date(2021, 12, 31)), {"hierarchies": ks.Dates()}),
}


@st.composite
def cases(draw: st.DrawFn, loss: str) -> tuple[pl.DataFrame, ks.Policy]:
    kinds = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=2))
    rows = draw(st.integers(3, 10))
    columns, said = {}, dict[str, dict[str, Any]](hierarchies={}, domains={})
    for at, kind in enumerate(kinds):
        values, says = COLUMNS[kind]
        cells = values if draw(st.booleans()) else values | st.none()
        columns[f"q{at}"] = pl.Series(draw(st.lists(cells, min_size=rows, max_size=rows)), strict=False)
        for key, given_ in says.items():
            said[key][f"q{at}"] = given_
    private = draw(st.lists(st.sampled_from("xyz"), min_size=rows, max_size=rows))
    frame = pl.DataFrame({**columns, "s": private})
    assume(all(frame[name].dtype != pl.Null for name in columns))
    target = {"target": "s"} if loss == "cm" else {}
    return frame, ks.Policy(public=list(columns), private=["s"], require="k=2", **said, **target)  # type: ignore[arg-type]


def told(found: ks.Audit, loss: str, withheld: int) -> float:
    """The loss of a finished table by its audit, where each row that is withheld is lost whole."""
    everybody, use = found.rows + withheld, found.utility
    if loss == "dm":
        return use.dm + withheld * everybody
    if loss == "cm":
        assert use.cm is not None
        return use.cm + withheld
    if loss == "average-size":
        return everybody / found.groups
    assert use.ncp is not None
    return (use.ncp * found.rows + withheld) / everybody


def cell(column: Column, code: int, level: int) -> str | None:
    """What a value shows at a level below the top."""
    label, hierarchy = column.label(code), column.hierarchy
    if code == column.missing:
        return None
    return column.kind.show(label if hierarchy is None or not hierarchy.find(label) else hierarchy.path(label)[level])


def least(frame: pl.DataFrame, policy: ks.Policy, loss: str, allowance: int) -> float:
    """The least loss of all vectors of levels, each made by hand and judged as a finished table."""
    table, found = encode(frame, policy), math.inf
    hierarchies = [table[name].hierarchy for name in policy.public]
    heights = [1 if each is None else len(each.levels) - 1 for each in hierarchies]
    for vector in itertools.product(*(range(height + 1) for height in heights)):
        shown = {}
        for name, level, height in zip(policy.public, vector, heights, strict=True):
            column = table[name]
            texts = ["*" if level == height else cell(column, code, level) for code in range(column.size)]
            shown[name] = pl.Series(texts, dtype=pl.String)[column.codes]
        made = frame.with_columns(**shown).filter(pl.len().over(policy.public) >= 2)
        withheld = frame.height - made.height
        if made.height and withheld <= allowance:
            found = min(found, told(ks.audit(made, policy), loss, withheld))
    return found


@pytest.mark.parametrize("search", ["auto", "incognito"])
@pytest.mark.parametrize("loss", ["ncp", "dm", "cm", "average-size"])
@settings(max_examples=25)
@given(data=st.data(), withhold=st.sampled_from([0.0, 0.3, 1.0]))
def test_what_incognito_finds_is_what_the_audit_says(
    loss: str, search: str, data: st.DataObject, withhold: float
) -> None:
    frame, policy = data.draw(cases(loss))
    release = ks.anonymize(frame, policy, "incognito", loss=loss, search=search, withhold=withhold, secret="0" * 32)
    assert release.facts["optimum proved"]
    found = release.facts["loss"][loss]
    assert found == pytest.approx(told(ks.audit(release.table, policy), loss, release.withheld))
    assert found == pytest.approx(told(release.audit, loss, release.withheld))
    assert found == pytest.approx(least(frame, policy, loss, math.floor(withhold * frame.height + 1e-9)))


@pytest.mark.parametrize("search", ["auto", "incognito"])
def test_a_domain_that_is_wider_than_the_data_does_not_make_all_names_cost_the_same(search: str) -> None:
    # The table of ARX's tests, whose hierarchies list more ages and codes than its seven people have.
    people = pl.DataFrame(
        {
            "age": [34, 45, 66, 70, 34, 70, 45],
            "gender": ["male", "female", "male", "female", "female", "male", "male"],
            "zipcode": [81667, 81675, 81925, 81931, 81931, 81931, 81931],
        }
    )
    ages = [(str(age), "<50" if age < 50 else ">=50", "*") for age in range(1, 101)]
    codes = [str(code) for code in (81667, 81668, 81669, 81675, 81925, 81931)]
    zips = [(code, *(code[:kept].ljust(5, "*") for kept in (4, 3, 2, 1)), "*****") for code in codes]
    hierarchies = {
        "age": ks.Hierarchy.of(ages),
        "gender": ks.Hierarchy.of([("male", "*"), ("female", "*")]),
        "zipcode": ks.Hierarchy.of(zips),
    }
    policy = ks.Policy(public=people.columns, require="k=2", hierarchies=hierarchies)
    release = ks.anonymize(people, policy, "incognito", search=search, secret="0" * 32)
    assert release.facts["levels"] == {"age": 1, "gender": 1, "zipcode": 2}
    halves = (4 * 49 + 3 * 50) / 99  # below 50 there are 49 years up to 50, from 50 on 50 years up to 100
    assert release.facts["loss"]["ncp"] == pytest.approx((halves + 7 + 2 * 4 / 6 + 5 * 2 / 6) / 21)
    assert release.audit.utility.ncp == pytest.approx(release.facts["loss"]["ncp"])
