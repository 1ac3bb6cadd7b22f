"""The browser of the tests catches what a page must not do, and shows it as it is asked to."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from report import browser
from report.browser import Opened

POLICY = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">"
GOOD = f"""<!doctype html><html lang=en><head><meta charset=utf-8><title>good</title>{POLICY}<style>
  p {{ color: rgb(1, 2, 3) }}
  @media (prefers-color-scheme: dark) {{ p {{ color: rgb(4, 5, 6) }} }}
  @media print {{ p {{ color: rgb(7, 8, 9) }} }}
</style></head><body><p>Nothing to complain of.</p></body></html>"""


@pytest.fixture
def page(tmp_path: Path) -> Callable[[str], Path]:
    def written(text: str) -> Path:
        path = tmp_path / "page.html"
        path.write_text(text)
        return path

    return written


def color(opened: Opened) -> Any:
    return opened.page.evaluate("getComputedStyle(document.querySelector('p')).color")


def test_a_good_page_is_left_alone(open_page: Callable[..., Opened], page: Callable[[str], Path]) -> None:
    opened = open_page(page(GOOD))
    assert (opened.complaints, opened.requests) == ([], [])
    assert opened.page.title() == "good"


def test_a_page_is_seen_as_asked(open_page: Callable[..., Opened], page: Callable[[str], Path]) -> None:
    path = page(GOOD)
    seen = [open_page(path), open_page(path, color_scheme="dark"), open_page(path, media="print")]
    assert [color(each) for each in seen] == ["rgb(1, 2, 3)", "rgb(4, 5, 6)", "rgb(7, 8, 9)"]
    assert open_page(path, viewport=(390, 844)).page.evaluate("[innerWidth, innerHeight]") == [390, 844]


def test_what_the_policy_forbids_is_told(open_page: Callable[..., Opened], page: Callable[[str], Path]) -> None:
    opened = open_page(page(GOOD.replace("<p>", "<p onclick='1'>")))
    opened.page.click("p")
    assert any("script-src-attr inline" in complaint for complaint in opened.complaints)
    opened = open_page(page(GOOD.replace("<p>", "<img src=https://kspan.invalid/a.png alt=a><p>")))
    assert any("img-src https://kspan.invalid/a.png" in complaint for complaint in opened.complaints)


def test_requests_are_told(open_page: Callable[..., Opened], page: Callable[[str], Path]) -> None:
    opened = open_page(page(GOOD.replace(POLICY, "").replace("<p>", "<img src=https://kspan.invalid/a.png alt=a><p>")))
    assert opened.requests == ["https://kspan.invalid/a.png"]
    assert opened.complaints != []


def test_late_errors_of_scripts_are_told(open_page: Callable[..., Opened], page: Callable[[str], Path]) -> None:
    opened = open_page(page("<title>late</title><script>console.warn('slow'); console.log('fine')</script>"))
    opened.page.evaluate("setTimeout(() => { throw new Error('too late') }, 0)")
    assert [complaint.split("\n")[0] for complaint in opened.complaints] == ["warning: slow", "script: too late"]


def test_pictures_go_where_they_are_wanted(
    open_page: Callable[..., Opened], page: Callable[[str], Path], tmp_path: Path
) -> None:
    picture = open_page(page(GOOD)).screenshot("good")
    assert picture.name == "good.png"
    assert picture.is_relative_to(os.environ.get("KSPAN_SCREENSHOTS") or tmp_path)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_without_a_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("KSPAN_BROWSER_REQUIRED", raising=False)
    with pytest.raises(pytest.skip.Exception, match="there is no chromium"):
        browser.executable()
    monkeypatch.setenv("KSPAN_BROWSER_REQUIRED", "1")
    with pytest.raises(pytest.fail.Exception, match="install one"):
        browser.executable()
