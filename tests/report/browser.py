"""A real browser for the tests of pages: what a page shows, and what it complains of or asks of the network."""

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
"""What the browser may be called, in the order in which it is looked for."""
TELL_VIOLATIONS = """
document.addEventListener("securitypolicyviolation",
  event => console.error("the policy of the page forbids " + event.effectiveDirective + " " + event.blockedURI))
"""
ALL_BEGUN = "new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))"

ColorScheme = Literal["light", "dark"]
Media = Literal["screen", "print"]


@dataclass
class Opened:
    """A page in a browser without network, and all that the browser said of it since it was opened."""

    page: Page
    folder: Path
    """Where screenshots go."""
    address: str
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    @property
    def complaints(self) -> list[str]:
        """Errors and warnings of the console, errors of scripts, and what the page's own policy forbade."""
        self._wait()
        return self.said

    @property
    def requests(self) -> list[str]:
        """The addresses that the page asked for, besides its own: a page that has all it needs asks for none."""
        self._wait()
        return self.asked

    def screenshot(self, name: str, *, whole: bool = True) -> Path:
        """A picture of the page, or of what is in view, as `name`.png."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{name}.png"
        self.page.screenshot(path=path, full_page=whole)
        return path

    def _wait(self) -> None:
        # What the browser says is heard only while it is asked something.
        self.page.evaluate(ALL_BEGUN)


def executable() -> str:
    """The browser of this machine; without one the test is skipped, or fails where KSPAN_BROWSER_REQUIRED is set."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        missing = "there is no chromium to open pages with: install one (on Debian, apt-get install chromium)"
        if os.environ.get("KSPAN_BROWSER_REQUIRED"):
            pytest.fail(missing)
        pytest.skip(missing)
    return found


def launched(playwright: Playwright) -> Browser:
    """The browser, started without a window."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    # Chromium refuses to put root into its sandbox; and small machines have little shared memory.
    options = ["--disable-dev-shm-usage", *(["--no-sandbox"] if root else [])]
    return playwright.chromium.launch(executable_path=executable(), args=options)


def opened(
    browser: Browser,
    path: Path,
    folder: Path,
    *,
    viewport: tuple[int, int] = (1280, 900),
    color_scheme: ColorScheme = "light",
    media: Media = "screen",
) -> Opened:
    """The page in a file, as somebody without network sees it."""
    width, height = viewport
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=color_scheme, offline=True, reduced_motion="reduce"
    )
    context.add_init_script(TELL_VIOLATIONS)
    page = context.new_page()
    page.emulate_media(media=media)
    seen = Opened(page, folder, path.resolve().as_uri())

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            seen.said.append(f"{message.type}: {message.text}")

    page.on("console", listen)
    page.on("pageerror", lambda error: seen.said.append(f"script: {error}"))
    page.on("request", lambda request: seen.asked.append(request.url) if request.url != seen.address else None)
    page.goto(seen.address)
    return seen
