"""The web reader in a real browser, on a real service: what its tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from helpers.reader import SECONDS, WIDE, Visit

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("uvicorn")
pytest.importorskip("fastapi")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page


@pytest.fixture(scope="session")
def service() -> Iterator[str]:
    """The address of a service with one worker, which fetches nothing."""
    from helpers.service import served

    with served(workers=1, fetch=False) as server:
        yield server.address


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A window in English that may use the clipboard."""
    with browser.new_context(locale="en-GB", permissions=["clipboard-read", "clipboard-write"]) as context:
        context.set_default_timeout(10 * SECONDS)
        yield context


@pytest.fixture
def visit(context: BrowserContext, service: str) -> Iterator[Visit]:
    """Opens the page. Whatever a test does then, nobody else is asked for anything and nothing is complained of."""
    asked, complaints, addresses = list[str](), list[str](), {service}

    def go(
        at: str = "", size: tuple[int, int] = WIDE, *, within: Any = context, address: str = service, **media: Any
    ) -> Page:
        page: Page = within.new_page()
        addresses.add(address)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(reduced_motion="reduce", **media)
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(f"{address}{at}")
        page.wait_for_selector("html[data-ready]")
        return page

    yield go
    for page in context.pages:
        page.evaluate("localStorage.clear(); indexedDB.deleteDatabase('lexlattice')")
        page.close()
    assert [url for url in asked if not url.startswith((*addresses, "blob:", "data:"))] == []
    expected = ("422 (Unprocessable", "net::ERR_FAILED")
    assert [text for text in complaints if not any(part in text for part in expected)] == []


@pytest.fixture(scope="module")
def long(examples: Path) -> Path:
    """An act of 8,000 words: titles, chapters, quoted amendments, tables, signatures."""
    return examples / "long" / "en.txt"
