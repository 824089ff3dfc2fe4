"""Speed of the web reader in Chromium: first paint, opening an act, slider, search, and frames dropped while scrolling.

Usage: LEXLATTICE_DATA=… python benchmarks/reader.py [--runs N] [--screens N]
Service and browser run on this machine and share its cores. Needs Chromium. Frames are those of the browser's own trace
(`PipelineReporter`) while it scrolls: one is dropped if something was to be drawn and did not reach the screen in time.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import shutil
import statistics
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from load import service

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

WIDTH, HEIGHT = 1440, 900
SHORT_ACT = "32018R1725"
"""The data protection regulation for the Union's own institutions, in place of the GDPR, which is not in the data."""
LONG_ACT = Path("acts", "raw", "32024R1689", "2024-06-13", "en.xml")
"""The AI Act: 90,000 words with its annexes."""
SCROLL_SPEED = 4000
"""Pixels per second: four to five screens."""
DRAWN, DROPPED = ("STATE_PRESENTED_ALL", "STATE_PRESENTED_PARTIAL"), ("STATE_DROPPED",)

WATCH_OPENING = """() => {
    const start = performance.now();
    window.opening = new Promise((resolve) => {
        const look = () => {
            if (!document.querySelector(".item")?.checkVisibility()) requestAnimationFrame(look);
            else requestAnimationFrame(() => resolve(performance.now() - start));
        };
        look();
    });
}"""
MOVE_SLIDER = """slider => {
    const times = [];
    for (const share of [0.1, 0.9, 0.3, 0.7, 0.5, 0.2, 0.8]) {
        const start = performance.now();
        slider.value = Number(slider.min) + share * (slider.max - slider.min);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        document.body.getBoundingClientRect();
        times.push(performance.now() - start);
    }
    return times;
}"""
SEARCH = """async () => {
    const { find, indexOf } = await import("/searching.js");
    const { view } = await import("/state.js");
    const start = performance.now();
    const index = indexOf(view());
    const built = performance.now();
    const times = ["shall", "article 6", "market surveillance", "data"].map((words) => {
        const start = performance.now();
        find(index, view(), words);
        return performance.now() - start;
    });
    return [built - start, ...times];
}"""


def acts(folder: Path) -> dict[str, Path]:
    """Return the acts to open, by name; one of them is written into the folder first."""
    data = Path(os.environ["LEXLATTICE_DATA"])
    for split in ("train", "validation"):
        with gzip.open(data / "eur-lex-sum" / "en" / f"{split}.jsonl.gz", "rt", encoding="utf-8") as lines:
            text = next((row["reference"] for row in map(json.loads, lines) if row["celex_id"] == SHORT_ACT), "")
        if text:
            (folder / "act.txt").write_text(text, "utf-8")
    return {"Regulation (EU) 2018/1725": folder / "act.txt", "AI Act": data / LONG_ACT}


def new_window(browser: Browser) -> BrowserContext:
    """Return a window in a new profile."""
    return browser.new_context(viewport={"width": WIDTH, "height": HEIGHT})


def first_paint(browser: Browser, address: str) -> float:
    """Return the milliseconds until the start page is first painted."""
    with new_window(browser) as context:
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("html[data-ready]")
        return float(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))


def opened(context: BrowserContext, address: str, act: Path) -> tuple[Page, float]:
    """Return a page with an act, and the milliseconds from the choice of the file to the visible summary."""
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.evaluate(WATCH_OPENING)
    page.locator("#file").set_input_files(act)
    return page, float(page.evaluate("window.opening"))


def dropped_frames(page: Page, selector: str, screens: int) -> str:
    """Scroll an element, and return how many frames were dropped of all that had something to draw."""
    session = page.context.new_cdp_session(page)
    events = list[dict[str, Any]]()
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    box = page.locator(selector).bounding_box()
    assert box is not None
    session.send("Tracing.start", {"traceConfig": {"includedCategories": ["cc", "benchmark"]}})
    gesture = {"x": box["x"] + box["width"] / 2, "y": HEIGHT / 2, "speed": SCROLL_SPEED}
    session.send("Input.synthesizeScrollGesture", {**gesture, "yDistance": -screens * HEIGHT})
    done = list[Any]()
    session.on("Tracing.tracingComplete", lambda event: done.append(event))
    session.send("Tracing.end")
    while not done:
        page.wait_for_timeout(50)
    reports = [event["args"] for event in events if event["name"] == "PipelineReporter" and event["args"]]
    frames = [next(iter(report.values())) for report in reports]  # the name of the only key differs between versions
    states = Counter(frame["state"] for frame in frames if frame.get("scroll_state", "") != "SCROLL_NONE")
    lost = sum(states[name] for name in DROPPED)
    drawn = sum(states[name] for name in DRAWN)
    return f"{lost} of {lost + drawn} ({lost / max(1, lost + drawn):.1%})"


def dropped_on_plain_page(browser: Browser, screens: int) -> str:
    """Return how many frames are dropped while a page of plain text scrolls: what the machine itself loses."""
    paragraph = "<p>" + "The keeper of the hive shall inform the authority. " * 12 + "</p>"
    with new_window(browser) as context:
        page = context.new_page()
        page.set_content(f"<style>p {{ max-width: 40rem; font: 17px/1.6 serif }}</style>{paragraph * 1500}")
        return dropped_frames(page, "body", screens)


def measure(browser: Browser, address: str, name: str, act: Path, runs: int, screens: int) -> str:
    """Return the row of an act."""
    times, pages = [], []
    with new_window(browser) as context:
        for _ in range(runs):
            page, milliseconds = opened(context, address, act)
            times.append(milliseconds)
            pages.append(page)
            if len(pages) > 1:
                pages.pop(0).close()
        page = pages[-1]
        words = page.evaluate("import('/state.js').then(({ view }) => view().words)")
        slider = statistics.median(page.locator("#budget").evaluate(MOVE_SLIDER))
        built, *searches = page.evaluate(SEARCH)
        frames = dropped_frames(page, "#act", screens)
    return (
        f"| {name} | {words:,} | {statistics.median(times) / 1000:.1f} s | {slider:.0f} ms | "
        f"{built:.0f} ms + {statistics.median(searches):.0f} ms | {frames} |"
    )


def main() -> None:
    """Print the figures."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--screens", type=int, default=60)
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None or "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Needs Chromium, and the data folder in LEXLATTICE_DATA.")
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with TemporaryDirectory() as folder, service(1) as (address, _), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=arguments)
        print(f"Chromium {browser.version}, {platform.machine()}, {os.cpu_count()} cores, shared with the service.")
        paints = [first_paint(browser, address) for _ in range(options.runs)]
        print(f"First paint of the start page: {statistics.median(paints):.0f} ms (median of {options.runs}).\n")
        print("| act | words | file to summary | slider | search: index + query | frames dropped while scrolling |")
        print("|---|---|---|---|---|---|")
        for name, act in acts(Path(folder)).items():
            print(measure(browser, address, name, act, options.runs, options.screens), flush=True)
        print(f"| a page of plain text | | | | | {dropped_on_plain_page(browser, options.screens)} |")
        browser.close()


if __name__ == "__main__":
    main()
