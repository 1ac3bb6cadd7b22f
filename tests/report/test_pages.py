"""Reports in a real browser: every kind opens offline without a complaint, and what can be touched answers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.report.gather import story
from kspan.report.making import merged_summary
from kspan.report.page import Report
from report.browser import Opened

Open = Callable[..., Opened]
PUBLIC = ["age", "workclass", "education", "marital-status", "sex"]
NASTY = "</script><script>alert(1)</script>"


def adult() -> pl.DataFrame:
    return ks.datasets.load_adult("train").head(3000)


def table() -> Report:
    release = ks.anonymize(adult(), ks.datasets.adult_policy("k=10"), "kactus", secret="1" * 32)
    return ks.report(release, title=NASTY)


def raw() -> Report:
    people = adult().rename({"sex": NASTY})
    public = ["age", "education", NASTY]
    private = [name for name in people.columns if name not in public]
    return ks.report(people, ks.Policy(public=public, private=private, require="k=10"))


def tree() -> Report:
    people = adult().select(*PUBLIC, "hours-per-week", "income")
    policy = ks.Policy(public=PUBLIC, private=["hours-per-week"], target="income", require="k=10")
    return ks.report(ks.learn(people, policy, "kadet"), people, policy)


def clusters() -> Report:
    people = adult().select("age", "hours-per-week", "capital-gain")
    policy = ks.Policy(public=["age", "hours-per-week"], private=["capital-gain"], require="k=20",
                       domains={"capital-gain": [0, 99999]})  # fmt: skip
    return ks.report(ks.learn_clusters(people, policy, most=5), people, policy)


def rules() -> Report:
    draws = np.random.default_rng(0).random((600, 4)) < [0.5, 0.4, 0.3, 0.6]
    bought = pl.DataFrame(draws.astype(int), schema=["bread", "milk", "beer", NASTY])
    policy = ks.Policy(public=["bread", "milk"], private=["beer", NASTY], require="k=20")
    return ks.report(ks.mine_rules(bought, policy, min_support=0.05, min_confidence=0.3), bought, policy)


def itemsets() -> Report:
    draws = np.random.default_rng(0).random((600, 3)) < [0.5, 0.4, 0.3]
    bought = pl.DataFrame(draws.astype(int), schema=["bread", "milk", NASTY])
    policy = ks.Policy(public=["bread", "milk"], private=[NASTY], require="k=20")
    return ks.report(ks.mine_itemsets(bought, policy, min_support=0.05), bought, policy)


def whole_story() -> Report:
    chapters = [chapter for made in (raw(), tree()) for chapter in made.story.chapters]
    model = ks.learn(adult().select(*PUBLIC, "income"), ks.Policy(public=PUBLIC, target="income", require="k=1"), "c45")
    return Report(story("Everything", [*chapters, merged_summary(model, "c45")], "A lead."))


REPORTS: dict[str, Callable[[], Report]] = {
    "table": table, "raw": raw, "tree": tree, "clusters": clusters, "rules": rules, "itemsets": itemsets,
    "story": whole_story,
}  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder, made = tmp_path_factory.mktemp("pages"), dict[str, Path]()

    def page(name: str) -> Path:
        if name not in made:
            made[name] = folder / f"{name}.html"
            REPORTS[name]().save(made[name])
        return made[name]

    return page


def drawn(opened: Opened) -> Opened:
    """The page when all of its figures are there."""
    opened.page.wait_for_selector("html[data-drawn=yes]", timeout=20_000)
    return opened


@pytest.mark.slow
@pytest.mark.parametrize("name", REPORTS)
def test_every_kind_of_report_opens_without_complaint_and_without_network(
    name: str, pages: Callable[[str], Path], open_page: Open
) -> None:
    seen = drawn(open_page(pages(name)))
    assert seen.complaints == []
    assert seen.requests == []
    assert seen.page.locator("[data-figure] svg").count() == seen.page.locator("[data-figure]").count() > 0
    for figure in seen.page.locator("figure").all():
        assert len(figure.get_attribute("aria-label") or "") > 20
    assert pages(name).stat().st_size < 3_000_000
    seen.screenshot(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["table", "tree", "clusters"])
@pytest.mark.parametrize("seen_as", [{"viewport": (390, 844)}, {"color_scheme": "dark"}, {"media": "print"}])
def test_pages_are_read_on_phones_in_the_dark_and_on_paper(
    name: str, seen_as: dict[str, Any], pages: Callable[[str], Path], open_page: Open
) -> None:
    seen = drawn(open_page(pages(name), **seen_as))
    assert seen.complaints == []
    # Figures and tables may be moved inside of their frames, the page itself may not.
    assert seen.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    ink, paper = seen.page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    assert abs(brightness(ink) - brightness(paper)) > 120
    word = seen.page.locator("[data-figure] svg text").first.evaluate("node => getComputedStyle(node).fill")
    assert abs(brightness(word) - brightness(paper)) > 90
    unfolded = seen.page.locator("details table").first.evaluate("node => node.checkVisibility()")
    assert unfolded == (seen_as.get("media") == "print")  # on paper nobody can open anything
    seen.screenshot(f"{name}-{'-'.join(str(value) for value in seen_as.values())}")


def brightness(color: str) -> float:
    parts = [float(part) for part in color.removeprefix("rgb(").removesuffix(")").split(",")[:3]]
    return sum(parts) / 3


@pytest.mark.slow
def test_a_span_lights_its_leaves_and_a_node_opens(pages: Callable[[str], Path], open_page: Open) -> None:
    seen = drawn(open_page(pages("tree")))
    page = seen.page
    before = page.locator("[data-kind=tree] svg").inner_html()
    row = page.locator("[data-spans] tr[data-leaves]").first
    row.scroll_into_view_if_needed()
    row.hover()
    page.wait_for_function("before => document.querySelector('[data-kind=tree] svg').innerHTML !== before", arg=before)
    page.mouse.move(0, 0)
    leaves = page.locator("[data-kind=tree] svg text")
    shown = leaves.count()
    page.locator("[data-kind=tree] button", has_text="open all").click()
    page.wait_for_function("count => document.querySelectorAll('[data-kind=tree] svg text').length > count", arg=shown)
    assert seen.complaints == []
    assert seen.requests == []
    seen.screenshot("tree-open")


def test_a_span_lights_its_clusters(pages: Callable[[str], Path], open_page: Open) -> None:
    seen = drawn(open_page(pages("clusters")))
    before = seen.page.locator("[data-kind=clusters] svg").inner_html()
    seen.page.locator("[data-spans] tr[data-leaves]").first.hover()
    seen.page.wait_for_function(
        "before => document.querySelector('[data-kind=clusters] svg').innerHTML !== before", arg=before
    )
    assert seen.complaints == []


def test_a_bar_tells_its_figures_when_it_is_pointed_at(pages: Callable[[str], Path], open_page: Open) -> None:
    seen = drawn(open_page(pages("table")))
    bar = seen.page.locator('[data-figure="c1-sizes"] svg path[aria-roledescription="bar"]').first
    bar.scroll_into_view_if_needed()
    bar.hover()
    seen.page.wait_for_selector("#vg-tooltip-element.visible")
    assert "people in the crowd" in (seen.page.locator("#vg-tooltip-element").text_content() or "")
    assert seen.complaints == []
