"""What a report says: the promise, the verdict, the cost; and nothing of anybody."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

import kspan as ks
from kspan.audit.risk import sizes_of
from kspan.data import encode as coding
from kspan.data.encode import encode
from kspan.data.schema import Schema
from kspan.data.table import Column
from kspan.errors import FileError, PolicyError
from kspan.privacy import OnPrivate
from kspan.privacy.spec import parse
from kspan.report.columns import column_changes, round_cuts
from kspan.report.figures import compiled, sizes_chart, span_text
from kspan.report.formatting import chance, percent
from kspan.report.making import merged_summary
from kspan.report.page import Report, plain_markdown
from kspan.report.summary import RiskSummary, State, Summary
from laws.asked import CROWDS, KEYS, as_reached

MOST = 3_000_000
"""Bytes of a page."""
TWO_OTHERS = "Every person looks like at least 2 others."
REST = ["Married", "Sports car", "Loan risk"]
PUBLIC = ["Gender", "Married", "Age", "Sports car"]


def mortgage_policy(**given: Any) -> ks.Policy:
    return ks.Policy(**{"public": PUBLIC, "target": "Loan risk", "require": "k=3", **given})


def people() -> pl.DataFrame:
    return ks.datasets.mortgage().drop("Name")


def only(report: Report) -> Summary:
    (chapter,) = report.story.chapters
    return chapter


def every_form(report: Report) -> list[str]:
    return [report.html(), report.markdown(), json.dumps(report.as_dict(), ensure_ascii=False)]


def crowd(rows: int = 60) -> pl.DataFrame:
    """People of whom everybody has cells that nobody else has: if a page shows one, it is found."""
    return pl.DataFrame(
        {
            "zip": [f"zip{row:05}" for row in range(rows)],
            "age": [20_000.125 + row for row in range(rows)],
            "sex": ["F", "M"] * (rows // 2),
            "illness": [f"illness{row:05}" for row in range(rows)],
        }
    )


def markup(page: str) -> str:
    """A page without what stands inside of its scripts."""
    return re.sub(r"(<script[^>]*>).*?(</script>)", r"\1\2", page, flags=re.DOTALL)


CELLS = re.compile(r"zip\d{5}|illness\d{5}|20\d{3}\.125")
CROWD = {"public": ["zip", "age", "sex"], "private": ["illness"]}


# What it says


def test_the_verdict_of_a_good_release_is_a_sentence_that_anybody_understands() -> None:
    found = only(ks.report(pl.concat([people()] * 3), mortgage_policy(public=["Gender", "Age"], private=REST)))
    assert found.holds
    assert found.headline == (
        "Every person in this release is indistinguishable from at least 2 others to someone who knows Gender and Age."
    )
    assert [promise.words for promise in found.promises] == ["Every person looks like at least 2 others."]
    assert found.proof[0] == "Yes: the smallest group has 3 people."


def of_a_sample(sizes: list[int], weight: float) -> tuple[str, ...]:
    """The proof of groups of such sizes, in which everybody stands for so many people."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    frame = pl.DataFrame({"group": group, "w": np.full(len(group), weight)})
    return only(ks.report(frame, policy=ks.Policy(public=["group"], sampling_weight="w", require="k=1"))).proof


def test_people_who_are_alone_in_a_population_are_told_with_the_model() -> None:
    sizes = [1] * 500 + [2] * 150 + [3] * 70 + [4] * 40 + [9] * 20
    assert (
        "About 100 people of the sample (7.4%) are estimated to be the only ones of their kind in the population "
        "(Pitman's model)."
    ) in of_a_sample(sizes, 10.0)
    assert any(sentence.endswith("(the slide negative binomial model).") for sentence in of_a_sample(sizes, 2.0))
    assert (
        "About 1 person of the sample (100%) is estimated to be the only one of their kind in the population "
        "(Zayatz's model)."
    ) in of_a_sample([1], 10.0)
    assert (
        "Hardly anybody of the sample (< 0.1%) is estimated to be the only one of their kind in the population "
        "(Pitman's model)."
    ) in of_a_sample([1, 99], 1000.0)
    assert "By its weights the sample is the whole population, so that this is so in the population as well." in (
        of_a_sample(sizes, 1.0)
    )
    assert not any("in the population" in sentence for sentence in of_a_sample([2, 3], 10.0))


def test_the_verdict_of_a_bad_release_says_how_many_people_stand_out() -> None:
    found = only(ks.report(people(), mortgage_policy()))
    assert not found.holds
    audit = ks.audit(people(), mortgage_policy())
    assert found.headline == (
        f"Do not release this: {audit.failing_people} of 12 people can be narrowed down to fewer than 3 by someone who "
        "knows Gender, Married, Age and Sports car."
    )
    assert found.proof[0].startswith(f"No: {audit.failing_groups} of {audit.groups} groups break")


@pytest.mark.slow
def test_a_good_release_warns_of_what_whole_crowds_have_in_common() -> None:
    policy = ks.Policy(public=["Gender"], private=["Loan risk"], require="k=2")
    frame = pl.DataFrame({"Gender": ["f", "f", "m", "m"], "Loan risk": ["bad", "bad", "bad", "good"]})
    found = only(ks.report(frame, policy))
    assert found.holds
    assert found.warning == (
        "Not promised: that private facts stay private. Someone would learn Loan risk of 2 people (50%) for sure, "
        "since everybody in their group has the same."
    )
    assert found.warning in ks.report(frame, policy).html()
    forbidden = only(ks.report(frame, policy, require="k=2, distinct_l=2"))
    assert (forbidden.holds, forbidden.warning) == (False, None)
    assert "2 of 4 people do not have what was required" in forbidden.headline


def test_identifiers_in_a_table_are_told() -> None:
    policy = ks.Policy(identifier=["Name"], public=["Gender"], private=["Loan risk"], require="k=3")
    found = only(ks.report(ks.datasets.mortgage().select("Name", "Gender", "Loan risk"), policy))
    assert not found.holds
    assert "still shows what identifies people by itself (Name)" in found.headline


def test_the_tree_of_the_paper_is_drawn_with_its_spans() -> None:
    policy = ks.Policy(public=["Gender", "Married", "Age"], private=["Sports car", "Loan risk"], target="Loan risk",
                       require="k=3")  # fmt: skip
    tree = ks.learn(people(), policy)
    found = only(ks.report(tree, people(), policy))
    assert found.kind == "tree"
    assert found.holds
    assert found.picture is not None
    audit = ks.audit(tree, people(), policy)
    assert [span.people for span in found.picture.spans] == [each.people for each in audit.crowds(400)]
    assert any(step.startswith("In the worst case this leads to lea") for step in found.attack)


def test_what_leads_to_a_span_is_what_the_tree_asks_and_not_what_its_people_are() -> None:
    rows = [("a", "x", "p")] * 3 + [("a", "x", "q")] * 3 + [("b", "y", "p")] * 3 + [("b", "y", "q")] * 3
    frame = pl.DataFrame(rows, schema=["asked", "shadow", "target"], orient="row")
    policy = ks.Policy(public=["asked", "shadow"], target="target", require="k=3")
    tree = ks.learn(frame.with_columns(target=pl.Series(["p"] * 6 + ["q"] * 6)), policy)
    found = ks.report(tree, frame.with_columns(target=pl.Series(["p"] * 6 + ["q"] * 6)), policy)
    asked, other = ("asked", "shadow") if "asked = a" in str(tree) else ("shadow", "asked")
    chapter = only(found)
    told = {line.text for span in chapter.picture.spans for line in span.shown or ()}  # type: ignore[union-attr]
    assert any(asked in text for text in told)
    assert not any(other in text for text in told)


def test_all_requirements_are_promised_in_a_sentence() -> None:
    asked = [as_reached(key, CROWDS[1]) for key in KEYS]
    words = [one.promise("income") for one in asked]
    # A bound on the share of a value has two names, alpha and simple_l, and one meaning.
    assert len(set(words)) >= len(words) - 1
    assert all(text.endswith(".") and text[0].isupper() for text in words)
    assert all("income" in text for one, text in zip(asked, words, strict=True) if isinstance(one, OnPrivate))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("k=1", "Nothing is promised about the size of crowds."),
        ("k=2", "Every person looks like at least 1 other."),
        ("k=1000", "Every person looks like at least 999 others."),
        ("simple_l=3", "No value of income belongs to more than 33.3% of a crowd."),
        ("confidence=0.85", "Nobody's income can be guessed with more than 85% certainty."),
        ("recursive_cl=[2, 2]", "In every crowd the commonest income is rarer than 2 times all others together."),
        ("k=3, distinct_l=2", f"{TWO_OTHERS} Every crowd has at least 2 different values of income."),
    ],
)  # fmt: skip
def test_promises_have_their_numbers(text: str, words: str) -> None:
    assert parse(text).promise("income") == words


def test_before_and_after_of_a_table(adult_release: ks.TableRelease) -> None:
    found = only(ks.report(adult_release))
    assert found.holds
    assert found.before is not None
    assert found.after is not None
    before = ks.audit(adult_release.people, adult_release.policy)
    assert found.before.risk.alone == before.risk.prosecutor.unique > 0 == found.after.risk.alone
    assert sum(size.people for size in found.before.sizes) == before.people
    assert found.after.smallest == adult_release.audit.k.rows >= 10
    assert {change.name for change in found.columns} == set(adult_release.policy.public)
    assert found.curve is not None
    assert [point.k for point in found.curve.points] == [10]
    assert any("predicts income correctly for" in sentence for sentence in found.costs)


def test_a_model_of_published_trees_is_not_judged() -> None:
    tree = ks.learn(people(), mortgage_policy())
    found = merged_summary(tree, "c45")
    assert found.holds is None
    assert Report(ks.report(ks.audit(people(), mortgage_policy())).story).html()


# What it must not say


def test_a_bad_table_is_told_by_sizes_alone() -> None:
    policy = ks.Policy(**CROWD, require="k=2")
    for form in every_form(ks.report(crowd(), policy)):
        assert not CELLS.search(form)


def test_a_good_table_shows_no_private_cell_and_no_rare_one() -> None:
    policy = ks.Policy(**CROWD, require="k=5")
    release = ks.anonymize(crowd(), policy, "mondrian", secret="0" * 32)
    report = ks.report(release)
    shown = {cell for name in policy.public for cell in release.frame[name].cast(pl.String).unique()}
    for form in every_form(report):
        assert "illness0" not in form
        found = {found.group() for found in CELLS.finditer(form)}
        assert all(any(cell in known for known in shown) for cell in found)


def test_a_bad_tree_tells_nothing_of_leaves_that_point_at_people() -> None:
    policy = ks.Policy(public=["zip", "sex"], target="illness", require="k=3")
    frame = crowd().select("zip", "sex", illness=pl.Series(["well", "ill"] * 30))
    tree = ks.learn(frame, policy, "id3")
    for form in every_form(ks.report(tree, frame, policy)):
        assert not CELLS.search(form)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_sizes_of_crowds_are_those_of_the_people(sizes: list[int]) -> None:
    found = sizes_of(np.array(sizes), np.array(sizes))
    assert sum(one.people for one in found) == sum(sizes)
    assert sum(one.crowds for one in found) == len(sizes)
    for one in found:
        inside = [size for size in sizes if one.at_least <= size <= one.at_most]
        assert (one.crowds, one.people) == (len(inside), sum(inside)) != (0, 0)


@given(st.data())
def test_no_bar_of_a_column_holds_fewer_people_than_a_crowd_must_have(data: st.DataObject) -> None:
    rows = data.draw(st.integers(1, 60))
    numbers = data.draw(st.lists(st.one_of(st.none(), st.integers(-50, 50)), min_size=rows, max_size=rows))
    words = data.draw(st.lists(st.sampled_from("abcdefghijklm"), min_size=rows, max_size=rows))
    k = data.draw(st.integers(1, 20))
    policy = ks.Policy(public=["n", "w"], require="k=1")
    frame = pl.DataFrame({"n": numbers, "w": words}, schema={"n": pl.Int64, "w": pl.String})
    table = encode(frame, policy)
    for change in column_changes(table, table, policy.public, k=k):
        assert abs(sum(part.share for part in change.parts) - 1) < 1e-9
        for bar in change.bars:
            assert round(bar.before * rows) >= max(k, 5)
            assert abs(bar.before - bar.after) < 1e-9  # nothing was changed


def test_crowd_sizes_are_drawn_in_their_order_with_the_promise_where_it_is() -> None:
    sizes = [1] * 3 + [3] * 4 + [7] * 2 + [12] * 2 + [30, 70, 150, 300, 700, 1500]
    state = State(sum(sizes), len(sizes), 1, sizes_of(np.array(sizes), np.array(sizes)), RiskSummary(1, 1, 3, 1, None))
    drawing = vl_convert.vega_to_svg(compiled(sizes_chart(state, state, 10, width=600)))
    words = re.findall(r"<text[^>]*>([^<]*)</text>", drawing)
    named = [span_text(size) for size in state.sizes]
    assert [word for word in words if word in named] == named
    assert "required: at least 10" in words


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40, unique=True))
def test_cuts_are_round(numbers: list[float]) -> None:
    cuts = round_cuts(np.sort(np.array(numbers)), np.ones(len(numbers)))
    assert 1 <= len(cuts) <= 12
    if len(cuts) > 1:
        step = cuts[1] - cuts[0]
        assert np.allclose(np.diff(cuts), step, rtol=1e-6)
        assert round(step / 10.0 ** np.floor(np.log10(step * 1.0000001)), 6) in (1, 2, 5)


# How it is written


def test_everything_that_came_from_data_is_escaped() -> None:
    nasty = "<script>alert(1)</script>"
    frame = people().rename({"Gender": nasty}).with_columns(pl.lit('"><img src=x onerror=alert(2)>').alias("Married"))
    policy = ks.Policy(public=[nasty, "Married"], private=["Age", "Sports car", "Loan risk"], require="k=3")
    report = ks.report(frame, policy, title=nasty)
    page = report.html()
    assert str(escape(nasty)) in page
    assert nasty not in page
    assert "onerror=alert(2)>" not in page.replace("\\u003c", "<").split("<script>")[0]
    assert "<img" not in markup(page)
    markdown = report.markdown()
    assert "<script" not in markdown
    assert "<img" not in markdown


def test_markdown_shows_text_as_it_is() -> None:
    assert plain_markdown("[a](b) | `c`\n# d & <e>") == "\\[a\\]\\(b\\) \\| \\`c\\` \\# d &amp; &lt;e&gt;"


def test_a_page_allows_nothing_but_its_own_scripts() -> None:
    page = ks.report(people(), mortgage_policy()).html()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src &#39;none&#39;")
    assert "unsafe" not in policy
    assert not re.search(r"<(link|img|iframe|object|embed)\b", markup(page))
    assert not re.search(r"""\s(src|href|style|on\w+)=["'](?!#)""", markup(page))
    assert len(page.encode()) < MOST


@pytest.mark.slow
def test_a_page_of_a_wide_table_and_one_of_a_large_tree_stay_small() -> None:
    rng = np.random.default_rng(0)
    wide = pl.DataFrame({f"column {number}": rng.integers(0, 50, 500) for number in range(120)})
    policy = ks.Policy(public=wide.columns, require="k=2")
    assert len(ks.report(wide, wide, policy).html().encode()) < MOST


def test_every_form_has_the_same_facts(tmp_path: Path) -> None:
    report = ks.report(people(), mortgage_policy())
    for name in ("page.html", "page.md", "page.json"):
        report.save(tmp_path / name)
    headline = only(report).headline
    assert headline in (tmp_path / "page.html").read_text("utf-8")
    assert headline in (tmp_path / "page.md").read_text("utf-8")
    stored = json.loads((tmp_path / "page.json").read_text("utf-8"))
    assert stored["format"] == "kspan/report"
    assert stored["chapters"][0]["headline"] == headline
    assert stored["holds"] is False


@pytest.mark.parametrize("name", ["page.pdf", "page", "nowhere/page.html"])
def test_a_name_that_says_no_format_or_no_place_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileError):
        ks.report(people(), mortgage_policy()).save(tmp_path / name)


def test_a_table_without_policy_is_refused() -> None:
    with pytest.raises(PolicyError, match="needs the policy"):
        ks.report(people())


def test_percents_are_short() -> None:
    assert [percent(share) for share in (0, 0.0001, 0.001, 0.5, 0.999, 1)] == [
        "0%", "< 0.1%", "0.1%", "50%", "99.9%", "100%",
    ]  # fmt: skip


def test_risks_are_chances() -> None:
    assert [chance(share) for share in (0, 0.001, 1 / 3, 0.5, 1)] == [
        "none",
        "1 in 1,000",
        "1 in 3",
        "1 in 2",
        "certain",
    ]


# In notebooks


@pytest.mark.slow
def test_notebooks_show_every_release_and_audit(adult_release: ks.TableRelease) -> None:
    policy = mortgage_policy()
    tree = ks.learn(people(), policy)
    shared = ks.share_tree(people(), mortgage_policy(require="k=2"), min_rows=1, prune=False)
    bad = ks.audit(people(), policy)
    for value in (tree, shared, shared.release, bad, adult_release, adult_release.audit, ks.report(bad)):
        shown = value._repr_html_()
        assert "<script" not in shown
        assert "<div" in shown
    assert "does not hold" in bad._repr_html_()
    points = adult_release.people.select("age", "hours-per-week")
    clusters = ks.learn_clusters(points, ks.Policy(public=points.columns, require="k=20"), most=3)
    bought = pl.DataFrame({"<b>": [1] * 8 + [0] * 4, "milk": [1] * 6 + [0] * 6})
    rules = ks.mine_rules(bought, ks.Policy(public=["<b>"], private=["milk"], require="k=2"))
    assert "<svg" in clusters._repr_html_()
    itemsets = ks.mine_itemsets(bought, ks.Policy(public=["<b>"], private=["milk"], require="k=2"))
    for value in (rules, rules.rules, itemsets, itemsets.itemsets):
        assert "&lt;b&gt;" in value._repr_html_()
    assert "✔ holds" in adult_release._repr_html_()


def test_a_report_codes_every_table_once(monkeypatch: pytest.MonkeyPatch) -> None:
    coded: list[str] = []
    encode_one = coding.encode_column

    def counted(series: pl.Series, schema: Schema, **how: bool) -> Column:
        coded.append(series.name)
        return encode_one(series, schema, **how)

    monkeypatch.setattr(coding, "encode_column", counted)
    released = people().with_columns(Age=pl.lit("*"))
    ks.report(released, people(), mortgage_policy())
    assert sorted(coded) == sorted([*PUBLIC, "Loan risk"] * 2), "the table before and after"
    coded.clear()
    tree = ks.learn(people(), mortgage_policy())
    coded.clear()
    ks.report(tree, people(), mortgage_policy())
    assert max(map(coded.count, coded)) == 2, "to find rare values, and to judge"
