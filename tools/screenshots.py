"""Take the screenshots of the web reader in `docs/figures`, of the example acts, in Chromium.

Usage: `python tools/screenshots.py`
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Page, sync_playwright

ROOT: Final = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tests"))

from helpers.reader import opened, slide  # noqa: E402
from helpers.service import served  # noqa: E402

FIGURES: Final = ROOT / "docs" / "figures"
LONG: Final = ROOT / "examples" / "long" / "en.txt"
WIDE, PHONE = (1440, 900), (390, 844)


def main() -> None:
    """Take all of them."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with served(workers=1, fetch=False) as server, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=arguments)
        start(browser, server.address)
        reader(browser, server.address, "light")
        reader(browser, server.address, "dark")
        side_by_side(browser, server.address)
        search(browser, server.address)
        phone(browser, server.address)
        browser.close()


def start(browser: Browser, address: str) -> None:
    """The page that welcomes."""
    page = _page(browser, address, WIDE)
    page.locator("#example-list a, #example-list button").first.wait_for()
    _save(page, "reader-start")


def reader(browser: Browser, address: str, scheme: str) -> None:
    """An act with its summary, at a provision, with the reasons for it."""
    page = opened(_page(browser, address, WIDE, scheme), LONG)
    slide(page, "#budget", 400)
    page.locator(".item .citation").nth(2).click()
    _save(page, f"reader-{scheme}")


def side_by_side(browser: Browser, address: str) -> None:
    """Two languages, scrolling together."""
    page = opened(
        _page(browser, address, WIDE), *(ROOT / "examples" / "short" / f"{code}.txt" for code in ("en", "el"))
    )
    page.locator("#compare").click()
    page.locator("#second .unit.chosen").first.wait_for(state="attached")
    page.locator("#contents-list a", has_text="Article 3").first.click()
    _save(page, "reader-compare")


def search(browser: Browser, address: str) -> None:
    """What a search finds."""
    page = opened(_page(browser, address, WIDE), LONG)
    page.keyboard.press("Control+K")
    page.locator("#search-text").fill("economic operator")
    page.locator("#search-hits [role=option]").first.wait_for()
    _save(page, "reader-search")


def phone(browser: Browser, address: str) -> None:
    """The summary as a sheet."""
    page = opened(_page(browser, address, PHONE), LONG)
    _save(page, "reader-phone")


def _page(browser: Browser, address: str, size: tuple[int, int], scheme: str = "light") -> Page:
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if scheme == "dark" else "light",
        locale="en-GB",
        reduced_motion="reduce",
    )
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    return page


def _save(page: Page, name: str) -> None:
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(500)  # layouts settle after a jump
    page.screenshot(path=FIGURES / f"{name}.png")
    page.close()
    print(FIGURES / f"{name}.png")


if __name__ == "__main__":
    main()
