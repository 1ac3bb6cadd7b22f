"""Strings from data through every page and card, in a real browser: nothing runs, nothing is loaded, nothing breaks."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kspan as ks
from report.browser import Opened

pytestmark = pytest.mark.slow

Open = Callable[..., Opened]
HOSTILE = (
    "</script><script>window.ran = 1</script>",
    "<img src=x onerror='window.ran = 1'>",
    "<svg/onload=window.ran=1>",
    "\"'><iframe srcdoc='<script>parent.ran = 1</script>'>",
    "</style><style>body { display: none }</style>",
    "</title></textarea></noscript><b onmouseover=window.ran=1>",
    "javascript:window.ran=1//",
    "<!--<script>",
    "]]>--><script>window.ran = 1</script>",
    "{{ 7 * 7 }}{% raw %}${window.ran = 1}",
    "datum['a'].b); window.ran = 1; (",
    '\\"; window.ran = 1; //',
    "__proto__",
    "constructor",
    "\u202egnp.exe\u2066\u200b\ufeff",
    "\u2028\u2029\x00\x07\x1b[31m",
    "a" * 5000,
    "🧨é\u0301" * 30,
    "|[link](javascript:window.ran=1)|`code`|",
)
ROUNDS = [HOSTILE[start::2] for start in range(2)]


def spelled(words: tuple[str, ...], place: int) -> str:
    return f"{words[place % len(words)]}{'' if place < len(words) else place}"


def people(words: tuple[str, ...]) -> tuple[pl.DataFrame, list[str]]:
    """People whose columns, values and labels are all hostile."""
    draw = np.random.default_rng(3)
    names = [spelled(words, place) for place in range(4)]
    values = [f"{word} " for word in words]
    columns = [[values[at] for at in draw.integers(0, len(values), 200)] for _ in names]
    return pl.DataFrame(dict(zip(names, columns, strict=True))), names


def pages(words: tuple[str, ...]) -> dict[str, str]:
    frame, names = people(words)
    policy = ks.Policy(public=names[:2], private=[names[2]], target=names[3], require="k=3")
    domains = {name: sorted(frame[name].unique()) for name in names}
    told = ks.Policy(public=names[:2], private=[names[2]], target=names[3], require="k=3", domains=domains)
    release = ks.anonymize(frame, policy, "mondrian", secret="1" * 32)
    tree = ks.learn(frame, told)
    baskets = pl.DataFrame(np.random.default_rng(1).integers(0, 2, (300, 4)), schema=names)
    of_baskets = ks.Policy(public=names[:2], private=names[2:], require="k=3")
    rules = ks.mine_rules(baskets, of_baskets, min_support=0.05, min_confidence=0.3)
    itemsets = ks.mine_itemsets(baskets, of_baskets, min_support=0.05)
    numbers = pl.DataFrame(np.random.default_rng(2).normal(size=(200, 3)).round(2), schema=names[:3])
    of_numbers = ks.Policy(
        public=names[:2], private=[names[2]], require="k=5", domains={name: [-9, 9] for name in names[:3]}
    )
    clusters = ks.learn_clusters(numbers, of_numbers, most=3)
    made = {
        "table": ks.report(release, title=words[0]),
        "broken": ks.report(frame, ks.Policy(public=names[:3], private=[names[3]], require="k=9"), title=words[-1]),
        "tree": ks.report(tree, frame, told),
        "rules": ks.report(rules, baskets, of_baskets),
        "itemsets": ks.report(itemsets, baskets, of_baskets),
        "clusters": ks.report(clusters, numbers, of_numbers),
    }
    shown = {name: report.html() for name, report in made.items()}
    cards = (release, tree, rules.rules, itemsets.itemsets, clusters, made["table"], ks.audit(frame, policy))
    notebook = "".join(card._repr_html_() for card in cards)
    return {**shown, "notebook": f"<!doctype html><meta charset=utf-8><title>cards</title>{notebook}"}


@pytest.mark.parametrize("words", ROUNDS, ids=range(len(ROUNDS)))
def test_nothing_in_the_data_runs(words: tuple[str, ...], open_page: Open, tmp_path: Path) -> None:
    for name, text in pages(words).items():
        place = tmp_path / f"{name}.html"
        place.write_text(text, encoding="utf-8", errors="strict")
        seen = open_page(place)
        if name != "notebook":
            seen.page.wait_for_selector("html[data-drawn=yes]", timeout=20_000)
        for target in seen.page.locator("[onerror], [onload], [onmouseover], iframe").all():
            pytest.fail(f"{name} has an element that came from data: {target}")
        seen.page.mouse.move(300, 300)
        assert seen.page.evaluate("window.ran") is None, name
        assert seen.page.evaluate("getComputedStyle(document.body).display") != "none", name
        assert seen.requests == [], name
        if name != "notebook":
            assert seen.complaints == [], name
