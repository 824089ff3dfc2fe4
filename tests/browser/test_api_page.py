"""The API page in a real browser: all operations, no other host, and nothing that the security policy forbids."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lexlattice.apps.serve.pages import WEB

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("uvicorn")
expect = playwright.expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser

RAPIDOC = WEB / "vendor" / "rapidoc"
PATIENCE = 30_000  # milliseconds, for a busy machine


def test_the_vendored_file_is_the_one_that_is_documented() -> None:
    stated = re.findall(r"`([0-9a-f]{64})`", (RAPIDOC / "README.md").read_text("utf-8"))
    assert stated == [sha256((RAPIDOC / "rapidoc-min.js").read_bytes()).hexdigest()]


def test_all_operations_are_shown_in_light_and_dark_and_can_be_tried(browser: Browser, examples: Path) -> None:
    from helpers.service import asking, served

    with served(workers=1, fetch=False) as server, asking(server) as client:
        document = client.get("/openapi.json").json()
        strict, page_policy = (client.get(path).headers["content-security-policy"] for path in ("/", "/api"))
        assert "script-src 'self';" in page_policy
        assert "unsafe" not in strict and "eval" not in page_policy
        summaries = [each["summary"] for operations in document["paths"].values() for each in operations.values()]
        backgrounds = set()
        for scheme in ("light", "dark"):
            asked, complaints = list[str](), list[str]()
            with browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900}) as context:
                page = context.new_page()
                page.on("request", lambda request: asked.append(request.url))  # noqa: B023
                page.on("pageerror", lambda error: complaints.append(str(error)))  # noqa: B023
                page.on("console", lambda message: complaints.append(message.text))  # noqa: B023
                page.goto(f"{server.address}api")
                for summary in summaries:
                    expect(page.get_by_text(summary, exact=True).first).to_be_visible(timeout=PATIENCE)
                nav = page.locator("rapi-doc .nav-bar")
                backgrounds.add(nav.evaluate("bar => getComputedStyle(bar).backgroundColor"))
                if scheme == "light":
                    page.get_by_text("Understand what a person typed", exact=True).first.click()
                    section = page.locator("[id='get-/v1/identifiers']")
                    section.locator("input[data-pname='text']").fill("95/46/EC")
                    section.get_by_role("button", name="TRY").click()
                    expect(section).to_contain_text("31995L0046", timeout=PATIENCE)
            assert [url for url in asked if not url.startswith((server.address, "blob:"))] == []
            assert complaints == []
        assert len(backgrounds) == 2
