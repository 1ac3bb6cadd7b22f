"""Pictures in a browser: branches open, leaves and clusters light up, under the strictest policy of a page."""

import base64
import hashlib
import html
import json
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from kspan.audit.findings import Finding
from kspan.model.clusters.model import Axis, Clusters
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from kspan.report.pictures.clusters import clusters_picture
from kspan.report.pictures.clusters_spec import clusters_chart
from kspan.report.pictures.labels import bins_attribute
from kspan.report.pictures.tree import tree_picture
from kspan.report.pictures.tree_spec import tree_spec

Opened = tuple[Any, list[str]]


def binary(depth: int) -> Tree:
    """A tree that asks every level another yes or no, the last of them private."""
    asked = tuple(
        Attribute(f"q{level}<b>", "private" if level == depth - 1 else "public", "categorical", ("no", "yes"))
        for level in range(depth)
    )
    level = [Node.of_counts((2, 1) if leaf % 2 else (0, 3)) for leaf in range(2**depth)]
    for number in reversed(range(depth)):
        level = [
            Node.of_counts(
                [sum(pair) for pair in zip(no.counts, yes.counts, strict=True)],
                number,
                (Edge(Region(frozenset({"no"})), no), Edge(Region(frozenset({"yes"})), yes)),
            )
            for no, yes in zip(level[::2], level[1::2], strict=True)
        ]
    return Tree(asked, "t", "private", ("</script>", "good"), level[0])


@cache
def bundle() -> str:
    return str(vl_convert.javascript_bundle("window.vega=vega; window.vegaEmbed=vegaEmbed;"))


def page(spec: dict[str, Any], rows: str, kind: str) -> str:
    """A page that allows nothing but its own scripts."""
    read = files("kspan.report") / "templates"
    run = (
        f"kspan{kind}(document.getElementById('picture'), JSON.parse(document.getElementById('spec').textContent),"
        " {rows: '#spans'});"
    )
    scripts = [
        bundle(),
        *((read / name).read_text("utf-8") for name in ("spans.js", f"{kind.lower()}.js")),
        run,
    ]
    allowed = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in scripts
    )
    policy = html.escape(f"default-src 'none'; script-src {allowed}; style-src 'none'; img-src data:")
    inside = json.dumps(spec).replace("<", "\\u003c")
    return (
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<div id="picture"></div><table id="spans">{rows}</table>'
        f'<script type="application/json" id="spec">{inside}</script>'
        + "".join(f"<script>{text}</script>" for text in scripts)
    )


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    contexts = []

    def showing(model: Tree | Clusters, findings: list[Finding], **how: Any) -> Opened:
        if isinstance(model, Tree):
            kind, spec = "Tree", tree_spec(tree_picture(model, findings))
        else:
            kind, spec = "Clusters", clusters_chart(clusters_picture(model, findings))
        rows = "".join(f'<tr data-leaves="{bins_attribute(one.bins)}"><td>span' for one in findings)
        (tmp_path / "page.html").write_text(page(spec, rows, kind), "utf-8")
        contexts.append(browser.new_context(**how))
        opened, said = contexts[-1].new_page(), list[str]()
        opened.set_default_timeout(10_000)
        opened.on("console", lambda message: said.append(message.text))
        opened.on("pageerror", lambda error: said.append(str(error)))
        opened.on("request", lambda request: said.extend([request.url] * (not request.url.startswith("file:"))))
        opened.goto((tmp_path / "page.html").as_uri())
        opened.wait_for_selector("#picture[data-ready]")
        return opened, said

    yield showing
    for context in contexts:
        context.close()


def dots(opened: Any) -> int:
    return int(opened.locator(".dots > *").count())


def lit(opened: Any) -> list[int]:
    """The leaves that are not dimmed."""
    return list(
        opened.evaluate(
            "[...document.querySelectorAll('.dots > [aria-roledescription=leaf]')].map(dot => dot.__data__)"
            ".filter(item => item.opacity === 1).map(item => item.datum.first)"
        )
    )


def leaf(number: int) -> str:
    return f'.dots > [aria-label*="Leaf {number}:"]'


SPANS = [Finding({}, 6, 6, bins=(1, 2)), Finding({}, 9, 9, bins=(2, 5, 6)), Finding({}, 3, 3, bins=(8,), safe=True)]


@pytest.mark.slow
def test_a_leaf_lights_its_spans_and_says_which(show: Callable[..., Opened]) -> None:
    opened, said = show(binary(3), SPANS)
    assert (dots(opened), lit(opened)) == (15, [1, 2, 3, 4, 5, 6, 7, 8])
    opened.hover(leaf(1))
    opened.wait_for_function("document.querySelector('.picture-caption').textContent.includes('Leaf 1')")
    assert lit(opened) == [1, 2]
    caption = opened.locator(".picture-caption")
    assert caption.get_attribute("aria-live") == "polite"
    assert caption.locator("div").all_inner_texts() == [
        "Leaf 1: good, 100% of 3 people.",
        "q0<b> = no and q1<b> = no and q2<b> = no",
        "This span: leaves 1 and 2, 6 people.",
    ]
    opened.hover(leaf(2))
    opened.get_by_text("This leaf is in 2 spans, the smallest: leaves 1 and 2, 6 people.").wait_for()
    assert lit(opened) == [1, 2, 5, 6]
    opened.hover(leaf(8))
    opened.get_by_text("This span: leaf 8 alone, 3 people, which tells nothing that was not known.").wait_for()
    assert lit(opened) == [8]
    opened.hover(".picture-tools")
    opened.get_by_text("Point at a leaf").wait_for()
    assert len(lit(opened)) == 8
    opened.locator("tr").nth(1).focus()
    opened.get_by_text("This span: leaves 2, 5 and 6, 9 people.").wait_for()
    assert lit(opened) == [2, 5, 6]
    assert said == []


def test_branches_open_by_pointer_and_by_key(show: Callable[..., Opened]) -> None:
    opened, said = show(binary(6), [Finding({}, 6, 6, bins=(1, 64))])
    assert dots(opened) == 31
    opened.click('.dots > [data-number="4"]', force=True)
    opened.wait_for_function("document.querySelectorAll('.dots > *').length === 33")
    first = opened.locator('.dots > [data-number="0"]')
    first.focus()
    opened.keyboard.press("ArrowRight")
    opened.keyboard.press("Enter")
    opened.wait_for_function("document.querySelectorAll('.dots > *').length === 17")
    assert opened.evaluate("document.activeElement.dataset.number") == "1"
    assert opened.locator('.dots > [data-number="1"]').get_attribute("aria-expanded") == "false"
    opened.get_by_role("button", name="open all").click()
    opened.wait_for_function("document.querySelectorAll('.dots > *').length === 127")
    opened.get_by_role("button", name="close to depth 4").click()
    opened.wait_for_function("document.querySelectorAll('.dots > *').length === 31")
    opened.locator("tr").first.focus()
    opened.get_by_text("This span: leaves 1 and 64, 6 people.").wait_for()
    litten = opened.evaluate(
        "[...document.querySelectorAll('.dots > *')].map(dot => dot.__data__).filter(item => item.opacity === 1)"
        ".map(item => item.datum.closed || 0)"
    )
    assert litten == [0, 0, 0, 0, 4, 0, 0, 0, 4]
    wide = opened.evaluate("document.querySelector('#picture svg').getBoundingClientRect().width")
    opened.get_by_role("button", name="larger").click()
    assert opened.evaluate("document.querySelector('#picture svg').getBoundingClientRect().width") > 1.2 * wide
    assert said == []


def test_a_tap_on_a_narrow_screen_is_a_hover(show: Callable[..., Opened]) -> None:
    opened, said = show(
        binary(1), [Finding({}, 3, 3, bins=(1,))], viewport={"width": 390, "height": 700}, has_touch=True
    )
    opened.tap(leaf(1))
    opened.get_by_text("This span: leaf 1 alone, 3 people.").wait_for()
    assert lit(opened) == [1]
    assert opened.evaluate("document.documentElement.scrollWidth") <= 390
    assert said == []


def test_what_is_held_back_is_nowhere_on_the_page(show: Callable[..., Opened]) -> None:
    opened, said = show(binary(1), [Finding({}, 3, 3, breaks=("k=4",), bins=(1, 2))])
    opened.hover(leaf(1))
    opened.get_by_text("Leaf 1: held back, since a span that reaches it breaks the requirement.").wait_for()
    assert "people" not in opened.locator("#picture").inner_text()
    assert said == []


ZIP = Axis.of(Attribute("Zip code", "public", "numeric"), 200.0)
INCOME = Axis.of(Attribute("Income", "private", "numeric", low=20, high=120), 10.0)
TOWN = Axis.of(Attribute("town", "private", "categorical", ("Ulm", "Bonn")), 1.0)


def lit_clusters(opened: Any) -> set[int]:
    return set(
        opened.evaluate(
            "[...document.querySelectorAll('.centers > *')].map(dot => dot.__data__)"
            ".filter(item => item.opacity === 1).map(item => item.datum.number)"
        )
    )


@pytest.mark.parametrize("axis", [INCOME, TOWN])
def test_clusters_light_their_spans(axis: Axis, show: Callable[..., Opened]) -> None:
    middles = [(40.0,), (80.0,), (110.0,)] if axis is INCOME else [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)]
    places = [(11_000.0,), (13_000.0,), (15_000.0,)]
    model = Clusters((ZIP, axis), tuple(zip(places, middles, strict=True)), (4, 5, 6))
    opened, said = show(model, [Finding({}, 7, 7, bins=(1, 2)), Finding({}, 8, 8, bins=(3,), safe=True)])
    assert lit_clusters(opened) == {1, 2, 3}
    opened.hover(".centers > * >> nth=0")
    opened.get_by_text("Cluster 1: 4 people around Zip code 11,000, ").wait_for()
    opened.get_by_text("This span: clusters 1 and 2, 7 people.").wait_for()
    assert lit_clusters(opened) == {1, 2}
    opened.locator("tr").nth(1).focus()
    opened.get_by_text("This span: cluster 3 alone, 8 people, which tells nothing that was not known.").wait_for()
    assert lit_clusters(opened) == {3}
    opened.locator('.centers > [data-number="1"]').focus()
    opened.keyboard.press("ArrowRight")
    opened.get_by_text("Cluster 2: 5 people").wait_for()
    assert lit_clusters(opened) == {1, 2}
    assert said == []
