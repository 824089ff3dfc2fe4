"""What tests of the web reader do on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

Visit = Callable[..., "Page"]

WIDE, TABLET, PHONE, NARROWEST, ON_ITS_SIDE = (1440, 900), (820, 1180), (390, 844), (320, 640), (844, 390)
STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SECONDS = 1000


def opened(page: Page, *files: Path) -> Page:
    """The page, once somebody has chosen files on it."""
    page.locator("#file").set_input_files(files)
    page.wait_for_selector("html.at-reader")
    page.locator(".item").first.wait_for(state="attached")
    return page


def chosen(page: Page) -> list[str]:
    """Ids of the units that the act's pane shows as chosen."""
    marked = page.locator("#act .unit.chosen").evaluate_all("all => all.map(u => u.dataset.id)")
    return [str(name) for name in marked]


def slide(page: Page, slider: str, value: int) -> None:
    """Move a slider."""
    page.locator(slider).evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')) }", value
    )


def speak(page: Page, language: str) -> None:
    """Choose the language of the interface."""
    page.locator("#interface").select_option(language)
    page.wait_for_selector(f"html[lang={language}]")


def pick(page: Page, *ids: str) -> None:
    """Select these units, whatever the model would select."""
    page.evaluate(
        """async ids => {
            const { refresh, state, view } = await import("/state.js");
            state.chosen = new Set(ids.map(id => view().units.findIndex(unit => unit.id === id)));
            refresh();
        }""",
        list(ids),
    )


def check_axe(page: Page, within: str | None = None) -> None:
    """What the page shows now, or a part of it, meets WCAG 2.2 AA, as far as axe can tell."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page, context=within, options={"runOnly": STANDARD}).response
    assert [(rule["id"], [node["html"] for node in rule["nodes"]][:3]) for rule in found["violations"]] == []
