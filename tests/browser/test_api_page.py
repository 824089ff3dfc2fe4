"""The API page in a real browser: all operations, tried; no other host, nothing that the policy forbids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from lexlattice.apps.serve.pages import WEB

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("uvicorn")
expect = playwright.expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser

RAPIDOC = WEB / "vendor" / "rapidoc"
STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
PATIENCE = 30_000  # milliseconds, for a busy machine


def test_the_vendored_file_is_the_one_that_is_documented() -> None:
    stated = re.findall(r"`([0-9a-f]{64})`", (RAPIDOC / "README.md").read_text("utf-8"))
    assert stated == [sha256((RAPIDOC / "rapidoc-min.js").read_bytes()).hexdigest()]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    from helpers.service import served

    with served(workers=1, fetch=False) as server:
        yield server.address


@pytest.fixture(scope="module")
def document(address: str) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{address}openapi.json", trust_env=False).json()
    return found


def test_only_the_style_elements_of_rapidoc_are_allowed(address: str) -> None:
    strict, policy = (
        httpx.get(f"{address}{path}", trust_env=False).headers["content-security-policy"] for path in ("", "api")
    )
    assert "script-src 'self';" in policy
    assert "unsafe" not in strict and "eval" not in policy


@pytest.mark.slow
def test_all_operations_are_shown_accessibly_in_light_and_dark(
    browser: Browser, address: str, document: dict[str, Any]
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    summaries = [each["summary"] for operations in document["paths"].values() for each in operations.values()]
    backgrounds = set()
    for scheme in ("light", "dark"):
        rules = STANDARD if scheme == "light" else ["color-contrast"]
        asked, complaints = list[str](), list[str]()
        with browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900}) as context:
            page = context.new_page()
            page.on("request", lambda request: asked.append(request.url))  # noqa: B023
            page.on("pageerror", lambda error: complaints.append(str(error)))  # noqa: B023
            page.on("console", lambda message: complaints.append(message.text))  # noqa: B023
            page.goto(f"{address}api")
            for summary in summaries if scheme == "light" else summaries[-1:]:
                operation = page.locator("rapi-doc").get_by_text(summary, exact=True)
                expect(operation.first).to_be_visible(timeout=PATIENCE)
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            nav = page.locator("rapi-doc .nav-bar")
            backgrounds.add(nav.evaluate("bar => getComputedStyle(bar).backgroundColor"))
            expect(page.locator("rapi-doc pre").first).to_contain_text(address)  # in a sample
            assert page.get_by_text("127.0.0.1:8000").count() == 0
            assert complaints == []  # axe has some of its own
            found = axe.run(page, options={"runOnly": rules, "resultTypes": ["violations"]}).response["violations"]
            assert [(each["id"], [node["target"] for node in each["nodes"]]) for each in found] == []
        assert [url for url in asked if not url.startswith((address, "blob:"))] == []
    assert len(backgrounds) == 2


def test_what_the_page_fills_in_can_be_tried_on_a_narrow_screen(
    browser: Browser, address: str, document: dict[str, Any], examples: Path
) -> None:
    tried = ("summarize", "export", "parse", "quote", "view", "identify", "get_example")
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        page.goto(f"{address}api")
        menu = page.get_by_label("Go to")
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                if operation["operationId"] not in tried:
                    continue
                menu.select_option(operation["summary"], timeout=PATIENCE)
                section = page.locator(f"[id='{method}-{re.sub('[{}]', '-', path)}']")
                button = section.get_by_role("button", name="TRY")
                with page.expect_response(lambda response: "/v1/" in response.url, timeout=PATIENCE) as answer:
                    button.click(timeout=PATIENCE)
                assert answer.value.status == 200, (operation["operationId"], answer.value.text())
                box = button.bounding_box()
                assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
        menu.select_option("Summarize an act")
        section = page.locator("[id='post-/v1/summaries']")
        section.get_by_label("Media type").first.select_option("multipart/form-data")
        section.get_by_label("file", exact=True).set_input_files(examples / "short" / "en.txt")
        with page.expect_response(lambda response: "/v1/" in response.url, timeout=PATIENCE) as answer:
            section.get_by_role("button", name="TRY").click()
        assert answer.value.status == 200, answer.value.text()
