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


_HIVES = """REGULATION (EU) 2025/77 of the Council of 3 March 2025 on hives

Article 1
Subject matter

This Regulation lays down rules for hives. It is about bees. Wasps are not covered by it in any way.

Article 2
Hives

1. A keeper of bees in the Union shall tell the authority of each hive:
(a) its place in the country and in the town where the keeper has put it up;
(b) its age and the age of the queen that is in it:
(i) in years;
(ii) in months, if it is younger than two years;
(c) its colour and the colour of the hives around it;
(d) how many bees live in it in June and how many live in it in January;
(e) what the bees of the hive can find to eat around it.

2. The authority of the country where the hives are kept shall keep a register of all hives in that country, \
with the date on which each of them was entered. The register shall be open to everybody who asks for it, in the \
language of the country and in another official language of the Union. Nobody shall have to pay for reading in the \
register, nor for a copy of those parts of it that are about the hives of that person or of a neighbour.
"""


@pytest.fixture
def hives(tmp_path: Path) -> Path:
    """An act with a list that is too long for a short summary."""
    path = tmp_path / "hives.txt"
    path.write_text(_HIVES, "utf-8")
    return path
