"""Opening pages in tests."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

import kspan as ks
from report.browser import Opened, executable, launched, opened


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all pages."""
    executable()  # what skips must do so before anything is started
    with sync_playwright() as playwright:
        started = launched(playwright)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Opens the page in a file: `open_page(path, viewport=(390, 844), color_scheme="dark", media="print")`.

    Screenshots go into the folder that KSPAN_SCREENSHOTS names, for somebody to look at, or are thrown away.
    """
    folder = Path(os.environ.get("KSPAN_SCREENSHOTS") or tmp_path / "screenshots")
    pages: list[Opened] = []

    def open_one(path: Path, **seen_as: Any) -> Opened:
        pages.append(opened(browser, path, folder, **seen_as))
        return pages[-1]

    yield open_one
    for page in pages:
        page.page.context.close()


@pytest.fixture(scope="session")
def adult_release() -> ks.TableRelease:
    """A table of a part of the census."""
    people = ks.datasets.load_adult("train").head(3000)
    return ks.anonymize(people, ks.datasets.adult_policy("k=10"), "kactus", secret="1" * 32)
