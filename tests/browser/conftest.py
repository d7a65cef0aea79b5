"""The page in a browser: the Chromium of the system, driven by Playwright; nothing is downloaded.

Every test ends with two questions: did the page log an error, and did any request leave the file?
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

from plumbline.reports import write_html
from plumbline.trial.record.recording import read_records
from tests.browser.chromium import FLAGS, NoChromium, find_chromium
from tests.suite import small_records

PATIENCE = 30_000
"""Milliseconds that an expectation may take to come true, on a machine that is busy."""

Opener = Callable[..., Page]


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser. Without one there is nothing to test, and the run ends."""
    try:
        return find_chromium()
    except NoChromium as error:
        pytest.exit(str(error), returncode=2)


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One browser for all tests."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the small records, hostile text among it."""
    folder = tmp_path_factory.mktemp("page")
    return write_html(read_records(small_records.write_all(folder)), folder / "page.html")


@pytest.fixture
def visit(browser: Browser, html: Path) -> Iterator[Opener]:
    """Opens the page (or another file), with options of Playwright's browser context."""
    complaints: list[str] = []
    contexts = []

    def left(request: Request) -> None:
        if not request.url.startswith(("file:", "data:")):
            complaints.append(f"a request left the page: {request.url}")

    def run(fragment: str = "", path: Path = html, **options: object) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        context.on("request", left)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"a dialog opened: {dialog.message}"))
        page.goto(path.as_uri() + fragment)
        return page

    yield run
    for context in contexts:
        context.close()
    assert not complaints
