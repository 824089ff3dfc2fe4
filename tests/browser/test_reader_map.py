"""The act map of the web reader, and how the provisions were chosen: the lattice and the automaton's steps."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers.reader import NARROWEST, PHONE, WIDE, Visit, chosen, opened, slide
from lexlattice import read
from lexlattice.apps.serve.view import view_of
from lexlattice.rendering.phrases import phrases
from lexlattice.selection.decoder import choose
from lexlattice.summarizer import shipped

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("uvicorn")
pytest.importorskip("fastapi")
expect = playwright.expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page


# --- the map ----------------------------------------------------------------------------------------------


def test_the_map_has_a_bar_per_section_and_leads_to_it(visit: Visit, long: Path) -> None:
    page, view = opened(visit(), long), view_of(read(long))
    sections = [section for section in view["sections"] if section["first"] >= 0]
    bars = page.locator("#map-bars .map-bar")
    expect(bars).to_have_count(len(sections))
    assert page.locator(".map-bar.recitals").count() == 1
    for bar, section in zip(bars.all(), sections, strict=True):
        shade = re.search(r"\bs\d\b", str(bar.get_attribute("class")))
        assert (shade is None) == (section["kind"] in ("title", "preamble"))
    starred = {next(u["section"] for u in view["units"] if u["id"] == name) for name in chosen(page)}
    classes = bars.evaluate_all("all => all.map(bar => bar.classList.contains('starred'))")
    assert {section["index"] for section, is_starred in zip(sections, classes, strict=True) if is_starred} == starred
    widths = bars.evaluate_all("all => all.map(bar => bar.getBoundingClientRect())")
    assert max(box["right"] for box in widths) <= WIDE[0]
    assert min(box["width"] for box in widths) >= 2
    bands = page.locator(".band-name").all_inner_texts()
    assert sum(bool(name) for name in bands) == len({s["enclosing"][0] for s in sections if s["kind"] == "article"})
    place = next(turn for turn, section in enumerate(sections) if section["name"] == "Article 14")
    bars.nth(place).hover()
    tip = page.locator(".map-tip")
    expect(tip).to_contain_text(sections[place]["heading"])
    tip.hover()  # it stays under the pointer, until Escape
    page.wait_for_timeout(400)
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    bars.nth(place).click()
    unit = page.locator(f"#act .unit[data-place='{sections[place]['first']}']")
    expect(unit).to_be_in_viewport()
    expect(unit).to_be_focused()
    expect(bars.nth(place)).to_have_class(re.compile("current"))


def test_the_map_works_by_keyboard_and_names_its_bars(visit: Visit, long: Path) -> None:
    page, view = opened(visit(), long), view_of(read(long))
    sections = [section for section in view["sections"] if section["first"] >= 0]
    strip = page.get_by_role("slider", name="Map of the act")
    strip.focus()
    expect(strip).to_have_accessible_description(phrases("en").reader["go_hint"])
    moves = (("End", -1), ("ArrowLeft", -2), ("PageDown", -12), ("PageUp", -2), ("Home", -len(sections)))
    for key, place in ((key, len(sections) + back) for key, back in moves):
        page.keyboard.press(key)
        expect(strip).to_have_attribute("aria-valuenow", str(place))
        expect(strip).to_have_attribute("aria-valuetext", re.compile(re.escape(sections[place]["name"])))
    target = next(turn for turn, section in enumerate(sections) if section["kind"] == "article")
    for _ in range(target):
        page.keyboard.press("ArrowRight")
    expect(strip).to_have_attribute("aria-valuetext", re.compile(r"strength \d+ of 10, chosen: \d+$"))
    expect(page.locator(".map-tip")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(f"#act .unit[data-place='{sections[target]['first']}']")).to_be_focused()
    expect(page.locator(".map-tip")).to_be_hidden()


def test_on_a_phone_the_map_is_slim(visit: Visit, long: Path) -> None:
    page = opened(visit(size=NARROWEST), long)
    box = page.locator("#map").bounding_box()
    assert box is not None
    assert box["height"] <= 28
    bars = page.locator(".map-bar").evaluate_all("all => all.map(bar => bar.getBoundingClientRect().right)")
    assert max(bars) <= NARROWEST[0]
    page.locator(".map-bar").last.click()
    expect(page.locator("#act .unit[aria-current]")).to_be_in_viewport()


# --- how it was chosen ------------------------------------------------------------------------------------


def shown_lattice(page: Page) -> Locator:
    page.get_by_role("button", name="How it was chosen").click()
    expect(page.locator("#cells rect[data-place]").first).to_be_visible()
    return page.get_by_role("dialog", name="How it was chosen")


def shades(page: Page) -> list[str]:
    return list(page.locator("#cells rect[data-place]").evaluate_all("all => all.map(cell => cell.className.baseVal)"))


def test_the_stars_move_with_the_steps(visit: Visit, long: Path) -> None:
    page, act = opened(visit(), long), read(long)
    dialog, panels = shown_lattice(page), shipped().trajectory(act)
    last = len(panels) - 1
    expect(dialog).to_contain_text(phrases("en").reader["how_text"])
    expect(dialog.get_by_label("Step")).to_have_attribute("aria-valuetext", f"{last} of {last}")
    budget = int(page.locator("#budget").input_value())
    final, found = shades(page), []
    for step in range(last, -1, -1):
        slide(page, "#step", step)
        expect(page.locator("#steps")).to_have_text(f"{step} / {last}")
        stars = page.locator("#cells .stars path")
        expect(stars).to_have_count(len(choose(act, panels[step], budget).units))
        found.append(stars.evaluate_all("all => all.map(star => star.getAttribute('transform')).sort().join()"))
    assert shades(page) != final
    assert len(set(found)) > 1
    page.evaluate("import('/state.js').then(({ setFocus }) => setFocus('articles'))")
    kinds = page.evaluate(
        """async () => {
            const { chosenAtStep, view } = await import("/state.js");
            return [...chosenAtStep()].map(place => view().sections[view().units[place].section].kind);
        }"""
    )
    assert set(kinds) == {"article"}
    page.evaluate("import('/state.js').then(({ setFocus }) => setFocus('all'))")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name="How it was chosen")).to_be_focused()
    shown_lattice(page)
    assert shades(page) == final


@pytest.mark.slow
def test_the_animation_plays_to_the_end_and_can_be_paused(visit: Visit, long: Path) -> None:
    page = opened(visit(), long)
    last = len(view_of(read(long))["steps"]) - 1
    shown_lattice(page)
    slide(page, "#step", 0)
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#steps")).to_have_text(f"1 / {last}")
    page.get_by_role("button", name="Pause").click()
    page.wait_for_timeout(900)
    expect(page.locator("#steps")).to_have_text(f"1 / {last}")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#steps")).to_have_text(f"{last} / {last}")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_a_cell_is_described_and_leads_to_its_unit_by_mouse_and_keyboard(visit: Visit, long: Path) -> None:
    page, act = opened(visit(), long), read(long)
    dialog, place = shown_lattice(page), 150
    page.locator(f"#cells [data-place='{place}']").hover()
    expect(page.locator("#cell b")).to_have_text(act.units[place].citation)
    expect(page.locator("#cell p")).to_have_text(act.units[place].text)
    expect(page.locator("#announcement")).to_be_empty()
    page.locator(f"#cells [data-place='{place}']").click()
    expect(dialog).to_be_hidden()
    expect(page.locator(f"#act .unit[data-place='{place}']")).to_be_in_viewport()
    expect(page.locator(f"#act .unit[data-place='{place}']")).to_be_focused()
    shown_lattice(page)
    expect(page.locator("#cells")).to_have_accessible_description(phrases("en").reader["go_hint"])
    page.locator("#step").focus()
    page.keyboard.press("Tab")
    expect(page.locator("#announcement")).to_contain_text(act.units[place].text)
    for key in ("Home", "ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    recital = act.sections[2].units[1]
    expect(page.locator("#cell b")).to_have_text(recital.citation)
    expect(page.locator("#announcement")).to_contain_text(recital.text)
    page.keyboard.press("End")
    expect(page.locator("#cell p")).to_have_text(act.units[-1].text)
    expect(page.locator("#cells .ring")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(page.locator("#act .unit").last).to_be_focused()


def test_on_touch_screens_the_second_tap_on_a_cell_goes_to_its_unit(
    visit: Visit, browser: Browser, examples: Path
) -> None:
    with browser.new_context(locale="en-GB", has_touch=True) as touched:
        page = opened(visit(within=touched, size=PHONE), examples / "short" / "en.txt")
        page.locator("#open-how").tap()
        expect(page.locator("#cell")).to_have_text(phrases("en").reader["hint"])
        for place in (12, 20):
            page.locator(f"#cells [data-place='{place}']").tap()
            expect(page.locator("#cell p")).to_have_text(read(examples / "short" / "en.txt").units[place].text)
            expect(page.locator("#how")).to_be_visible()
        page.locator("#cells [data-place='20']").tap()
        expect(page.locator("#how")).to_be_hidden()
        expect(page.locator("#act .unit[data-place='20']")).to_be_in_viewport()


@pytest.mark.slow
def test_rows_of_the_lattice_have_labels_beside_their_cells(visit: Visit, examples: Path) -> None:
    for language in ("bg", "de", "hu", "lt"):
        page = opened(visit(), examples / "short" / f"{language}.txt")
        shown_lattice(page)
        labels = page.locator("#cells text")
        ends = labels.evaluate_all("all => all.map(label => label.getBBox().x + label.getBBox().width)")
        first = page.locator("#cells rect[data-place]").first.evaluate("cell => cell.x.baseVal.value")
        assert 50 < max(ends) < first
        recitals = phrases(language).reader["recitals"]
        assert recitals.startswith(labels.nth(2).evaluate("label => label.firstChild.data").rstrip("…"))
