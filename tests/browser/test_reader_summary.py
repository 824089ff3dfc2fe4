"""The summary of the web reader: items, what they leave out, length, why, map, lattice, copies, exports and print."""

from __future__ import annotations

import html
import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from helpers.reader import NARROWEST, PHONE, STANDARD, WIDE, Visit, chosen, opened, slide, speak
from lexlattice import read
from lexlattice.act.hierarchy import cuts_of
from lexlattice.apps.serve.jobs import extract_of
from lexlattice.apps.serve.view import view_of
from lexlattice.reading.citations.act_names import form_of
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.text import parts
from lexlattice.selection.decoder import choose
from lexlattice.summarizer import shipped, summarize

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("uvicorn")
pytest.importorskip("fastapi")
expect = playwright.expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

LIST = """REGULATION (EU) 2025/77 of the Council of 3 March 2025 on hives

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
    path.write_text(LIST, "utf-8")
    return path


def check_in_step(page: Page) -> None:
    """Summary, act and map show the same selection."""
    places = page.locator("#act .unit.chosen").evaluate_all("all => all.map(unit => unit.dataset.place)")
    items = page.locator(".item").evaluate_all("all => all.flatMap(item => item.dataset.places.split(' '))")
    assert sorted(places) == sorted(items)
    sections = page.locator("#act .unit.chosen").evaluate_all(
        "all => new Set(all.map(unit => unit.closest('[data-section]')?.dataset.section ?? unit.dataset.place)).size"
    )
    assert 0 < page.locator(".map-bar.starred").count() <= sections


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


def check_axe(page: Page) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page, options={"runOnly": STANDARD}).response
    assert [(rule["id"], [node["html"] for node in rule["nodes"]][:3]) for rule in found["violations"]] == []


# --- length -----------------------------------------------------------------------------------------------


def test_a_new_budget_updates_the_selection_without_a_request(visit: Visit, long: Path) -> None:
    page = opened(visit(), long)
    asked: list[Any] = []
    page.on("request", lambda request: "/v1/" in request.url and asked.append(request))
    act, counts = read(long), []
    for words in (50, 200, 1500):
        slide(page, "#budget", words)
        check_in_step(page)
        summary = summarize(act, words=words)
        assert chosen(page) == [item.id for item in summary]
        expect(page.locator("#count")).to_have_text(f"{summary.words:,} of {act.words:,} words")
        counts.append(len(summary))
    assert counts == sorted(set(counts))
    assert not asked


@pytest.mark.parametrize("focus", ["all", "articles"])
def test_more_words_only_add_and_the_page_selects_what_the_library_selects(
    visit: Visit, examples: Path, focus: str
) -> None:
    act = read(examples / "short" / "bg.txt")
    view, scores, page = view_of(act), shipped().score(act), visit()
    lengths = range(view["selection"]["least"], view["selection"]["most"] + 2)
    found = page.evaluate(
        """async ([view, lengths, focus]) => {
            const { choose } = await import("/selection.js");
            return lengths.map(words => [...choose(view, words, focus)].sort((a, b) => a - b));
        }""",
        [view, list(lengths), focus],
    )
    before: set[int] = set()
    for words, places in zip(lengths, found, strict=True):
        assert places == list(choose(act, scores, words, focus).units), words
        assert before <= set(places), words
        before = set(places)
    assert len(before) > 10


def test_presets_slider_and_articles_only_go_together(visit: Visit, long: Path) -> None:
    page, act = opened(visit(), long), read(long)
    presets = view_of(act)["selection"]["presets"]
    group = page.get_by_role("radiogroup", name="Length of the summary")
    expect(group.get_by_label("Medium")).to_be_checked()
    sizes = []
    for name in ("Short", "Medium", "Long"):
        group.get_by_label(name).check()
        expect(group.get_by_label(name)).to_be_checked()
        assert page.get_by_label("Words").input_value() == str(presets[name.lower()])
        assert chosen(page) == [item.id for item in summarize(act, words=presets[name.lower()])]
        sizes.append(len(chosen(page)))
    assert sizes == sorted(set(sizes))
    page.get_by_label("Words").focus()
    for _ in range(3):
        page.keyboard.press("PageDown")
    expect(group.locator(":checked")).to_have_count(0)
    assert int(page.get_by_label("Words").input_value()) < presets["long"]
    count = page.locator("#count").inner_text()
    expect(page.get_by_label("Words")).to_have_attribute("aria-valuetext", count)
    group.get_by_label("Short").focus()
    page.keyboard.press("ArrowRight")
    expect(group.get_by_label("Medium")).to_be_checked()
    page.get_by_label("Articles only").check()
    assert chosen(page) == [item.id for item in summarize(act, words=presets["medium"], focus="articles")]
    assert all(name.startswith("art-") for name in chosen(page))
    check_in_step(page)


def test_an_act_too_short_to_be_shortened_has_no_slider(visit: Visit, tmp_path: Path) -> None:
    act = tmp_path / "act.txt"
    act.write_text("Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free.", "utf-8")
    page = opened(visit(), act)
    expect(page.locator(".item p")).to_have_text(["Hives shall be registered.", "Bees are free."])
    expect(page.get_by_label("Words")).to_be_disabled()
    expect(page.locator("#presets :checked")).to_have_count(1)


# --- items and what they leave out ------------------------------------------------------------------------


NESTED = """all => all.map((line) => {
    let level = 0;
    for (let list = line.closest("ul.points"); list; list = list.parentElement.closest("ul.points")) level += 1;
    return [level, line.textContent];
})"""
"""How deep each line is nested, and what it says."""


@pytest.mark.parametrize("language", ["en", "fi"])
def test_citations_nesting_and_omission_marks_are_those_of_the_library(
    visit: Visit, examples: Path, language: str, tmp_path: Path
) -> None:
    text = (examples / "short" / f"{language}.txt").read_text("utf-8")
    lines = text.splitlines()
    longest = max(range(len(lines)), key=lambda place: len(lines[place]))
    lines[longest] = " ".join([lines[longest].rstrip(".") + "."] * 6)
    path = tmp_path / "act.txt"
    path.write_text("\n".join(lines), "utf-8")
    page = opened(visit(), path)
    act, runs = read(path), 0
    for words in (60, 150, 300, 600, 900):
        slide(page, "#budget", words)
        extract = extract_of(act, chosen(page))
        blocks = [block for _, found in parts(extract, True) for block in found]
        assert page.locator(".item .citation").all_inner_texts() == [block.citation for block in blocks]
        shown = page.locator(".item p").evaluate_all(NESTED)
        assert shown == [[line.level, line.text] for block in blocks for line in block.lines]
        runs += len(extract) - len(blocks)
    assert runs


def test_whatever_is_selected_the_same_gaps_are_found_as_by_the_library(
    visit: Visit, examples: Path, long: Path
) -> None:
    page, rng, gaps = visit(), random.Random(7), 0
    for path in (long, examples / "short" / "en.txt"):
        act = read(opened_file(page, path))
        picks = [sorted(rng.sample(range(len(act)), len(act) // rng.randint(2, 5))) for _ in range(40)]
        found = page.evaluate(
            """async picks => {
                const { omissionsOf } = await import("/omissions.js");
                return picks.map(places => omissionsOf(places).map(o => [o.after, o.missing, o.isPoints]));
            }""",
            picks,
        )
        for places, omissions in zip(picks, found, strict=True):
            cuts = [
                [act.units.index(act[cut.after]), [act.units.index(act[name]) for name in cut.ids], cut.kind == "points"]
                for cut in cuts_of(act, places)
            ]
            assert omissions == cuts
            gaps += len(cuts)
    assert gaps > 500


def opened_file(page: Page, path: Path) -> Path:
    opened(page, path)
    expect(page.locator("#act .unit")).to_have_count(len(read(path)))
    return path


def test_a_cut_list_unfolds_in_place_and_folds_again(visit: Visit, hives: Path) -> None:
    page, act = opened(visit(), hives), read(hives)
    pick(page, "art-2.par-1", "art-2.par-1.pt-a", "art-2.par-1.pt-d")
    item = page.locator(".item")
    expect(item.locator("p")).to_have_count(5)
    first, second = item.locator(".cut").all()
    assert [mark.inner_text() for mark in (first, second)] == ["[… 2 more points]", "[… 1 more point]"]
    for mark, names, ids in (
        (first, "(b), (c)", ["b", "b.pt-i", "b.pt-ii", "c"]),
        (second, "(e)", ["e"]),
    ):
        expect(mark).to_have_attribute("title", re.compile(re.escape(f"Left out here: {names}")))
        expect(mark).to_have_attribute("aria-expanded", "false")
        mark.focus()
        page.keyboard.press("Enter")
        expect(mark).to_have_attribute("aria-expanded", "true")
        box = mark.locator("xpath=../following-sibling::*[1]")
        expect(box.locator("p")).to_have_text([act[f"art-2.par-1.pt-{name}"].text for name in ids])
    boxes = item.locator("div.left-out")
    assert boxes.first.locator("p").evaluate_all(NESTED)[1][0] == boxes.first.locator("p").evaluate_all(NESTED)[0][0] + 1
    order = item.locator("p:not(.mark)").all_inner_texts()
    assert "".join(text[1] for text in order[1:]) == "abiicde"
    style = "node => getComputedStyle(node)"
    assert boxes.first.evaluate(f"{style}.color") != item.locator("p").first.evaluate(f"{style}.color")
    assert boxes.first.evaluate(f"{style}.borderInlineStartStyle") == "dashed"
    check_axe(page)
    slide(page, "#budget", int(page.locator("#budget").input_value()))
    pick(page, "art-2.par-1", "art-2.par-1.pt-a", "art-2.par-1.pt-d")
    expect(first).to_have_attribute("aria-expanded", "true")
    first.click()
    expect(boxes.first).to_be_hidden()
    expect(first).to_have_attribute("aria-expanded", "false")
    expect(second).to_have_attribute("aria-expanded", "true")


def test_omitted_sentences_unfold_within_the_text(visit: Visit, hives: Path) -> None:
    page, act = opened(visit(), hives), read(hives)
    first, second, third = act.provision("art-2.par-2").units
    pick(page, first.id, third.id)
    line = page.locator(".item p")
    assert line.inner_text() == f"{first.text} […] {third.text}"
    mark = line.get_by_role("button", name="[…]")
    expect(mark).to_have_attribute("title", re.compile(re.escape(second.citation)))
    mark.click()
    assert " ".join(line.inner_text().split()) == f"{first.text} […] {second.text} {third.text}"
    mark.click()
    assert line.inner_text() == f"{first.text} […] {third.text}"


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_a_citation_leads_to_its_unit_and_a_star_to_its_item(visit: Visit, long: Path, size: tuple[int, int]) -> None:
    page = opened(visit(size=size), long)
    item = page.locator(".item").last
    item.locator(".citation").click()
    unit = page.locator(f"#act .unit[data-place='{str(item.get_attribute('data-places')).split()[0]}']")
    expect(unit).to_be_in_viewport()
    expect(unit).to_be_focused()
    expect(unit).to_have_attribute("aria-current", "true")
    assert page.url.endswith("#" + str(unit.get_attribute("data-id")))
    star = page.locator("#act .unit.chosen .star").first
    star.click()
    current = page.locator(".item[aria-current]")
    expect(current).to_be_in_viewport()
    expect(current.locator(".citation")).to_be_focused()
    assert page.locator(".item").first.get_attribute("data-places") == current.get_attribute("data-places")


# --- why --------------------------------------------------------------------------------------------------


def test_why_is_said_in_words_with_the_numbers_behind(visit: Visit, long: Path) -> None:
    page, view = opened(visit(), long), view_of(read(long))
    words = phrases("en").reader
    for item in page.locator(".item").all()[:4]:
        button = item.get_by_role("button", name=re.compile("^Why"))
        expect(button).to_have_attribute("aria-expanded", "false")
        button.click()
        box = page.locator(f"#{button.get_attribute('aria-controls')}")
        sentence = box.locator(".why-words").inner_text()
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        places = str(item.get_attribute("data-places")).split()
        known = {
            words[f"reason_{key}"].replace("{value}", str(value))
            for place in places
            for key, value in view["reasons"][place]["reasons"]
        }
        said = sentence[:-1].split("; ")
        assert {text.casefold() for text in said} <= {text.casefold() for text in known}
    box.get_by_text(words["why_numbers"]).click()
    first = view["reasons"][places[0]]
    numbers = box.locator(".numbers-of").first
    expect(numbers).to_contain_text(words["why_rank"].replace("{rank}", str(first["rank"])))
    expect(numbers).to_contain_text(" → ".join(f"{value:.2f}" for value in first["salience"]))
    expect(numbers.locator(".sparkline rect")).to_have_count(len(first["salience"]))
    check_axe(page)
    place, change = first["neighbours"][0]
    link = numbers.locator(".neighbours li").first
    expect(link).to_have_text(f"{view['units'][place]['citation']} {'−' if change < 0 else '+'}{abs(change):.2f}")
    link.locator("a").click()
    expect(page.locator(f"#act .unit[data-place='{place}']")).to_have_attribute("aria-current", "true")


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
    expect(page.locator(".map-tip")).to_contain_text(sections[place]["heading"])
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
    for key, place in (("End", len(sections) - 1), ("ArrowLeft", len(sections) - 2), ("Home", 0)):
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
    check_axe(page)
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
    page.locator("#cells").focus()
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


# --- copied, exported, printed ----------------------------------------------------------------------------


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_an_item_is_copied_as_people_cite(visit: Visit, hives: Path) -> None:
    page = opened(visit(), hives)
    pick(page, "art-2.par-1", "art-2.par-1.pt-a")
    item = page.locator(".item")
    text = "\n".join(item.locator("p").all_inner_texts())
    assert "more points]" in text
    full = f"{text}\n(Article 2(1) of Regulation (EU) 2025/77)"
    item.get_by_role("button", name="Copy with citation").click()
    expect(page.locator("#status")).to_have_text("Copied")
    assert clipboard(page) == full
    item.locator(".item-menu summary").click()
    check_axe(page)
    item.get_by_role("button", name="Copy with ELI link").click()
    expect(item.locator(".item-menu summary")).to_be_focused()
    assert clipboard(page) == f"{full}\nhttp://data.europa.eu/eli/reg/2025/77/art_2/par_1/oj"
    page.keyboard.press("Enter")
    item.get_by_role("button", name="Copy link to the provision").click()
    assert clipboard(page).startswith(page.url.partition("#")[0])
    assert clipboard(page).endswith("#art-2.par-1")
    page.keyboard.press("Enter")
    expect(item.locator(".menu-list")).to_be_visible()
    page.keyboard.press("Escape")
    expect(item.locator(".menu-list")).to_be_hidden()
    page.evaluate("import('/share.js').then(({ copyCurrent }) => copyCurrent())")
    item.locator(".citation").click()
    page.evaluate("import('/share.js').then(({ copyCurrent }) => copyCurrent())")
    assert clipboard(page) == full


def test_the_whole_summary_and_what_is_selected_in_it_are_copied_without_stars(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "short" / "en.txt")
    page.locator("#exports summary").click()
    check_axe(page)
    page.get_by_role("button", name="Copy the summary").click()
    expect(page.locator("#exports")).not_to_have_attribute("open", "")
    text = clipboard(page)
    for part in (*page.locator(".group h2").all_inner_texts(), *page.locator(".item p").all_inner_texts()):
        assert part in text
    act = read(examples / "short" / "en.txt")
    for citation in page.locator(".citation").all_inner_texts():
        assert f"({form_of(act).cite(citation)})" in text
    page.evaluate("getSelection().selectAllChildren(document.getElementById('items'))")
    page.keyboard.press("Control+c")
    copied = clipboard(page)
    assert page.locator(".item p").last.inner_text() in copied
    for text in (text, copied):
        assert "★" not in text
        assert "Why?" not in text


def test_the_link_of_an_example_can_be_shared(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "short" / "en.txt")
    for address, notice in (("?celex=32024R9001", "link_copied"), ("?recent=1", "link_local")):
        page.evaluate("address => history.replaceState(history.state, '', address)", address)
        page.locator("#exports summary").click()
        page.get_by_role("button", name="Copy link").click()
        expect(page.locator("#status")).to_have_text(phrases("en").reader[notice])
        assert clipboard(page) == page.url


def test_an_item_is_copied_without_access_to_the_clipboard_api(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "short" / "en.txt")
    page.evaluate(
        """() => {
            Object.defineProperty(navigator, "clipboard", { value: undefined });
            addEventListener("copy", () => { window.copied = document.activeElement.value; });
        }"""
    )
    page.locator(".copy").first.click()
    expect(page.locator("#status")).to_have_text("Copied")
    assert page.evaluate("copied").startswith(page.locator(".item p").first.inner_text())
    page.evaluate("document.execCommand = () => false")
    page.locator(".copy").first.click()
    expect(page.locator("#errors")).to_contain_text("That did not work")


def test_an_export_contains_what_is_shown(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "short" / "en.txt")
    slide(page, "#budget", 120)
    texts = page.locator(".item p").all_inner_texts()
    assert len(texts) > 3
    for name in ("Markdown", "DOCX", "PDF", "JSON", "HTML"):
        page.locator("#exports summary").click()
        with page.expect_download() as download:
            page.locator("#exports").get_by_role("button", name=name).click()
        assert download.value.suggested_filename.startswith("32024R9001.en.")
        path = Path(download.value.path())
        found = "".join(text_in(name, path).split())
        wanted = texts
        if name == "JSON":  # which names what is left out instead of marking it
            wanted = [text.replace(" […]", "") for text in texts if not text.startswith("[…")]
            content = json.loads(path.read_bytes())
            assert [item["id"] for item in content["extract"]] == chosen(page)
            assert content["budget"] == 120
        assert all("".join(text.split()) in found for text in wanted), name


def text_in(name: str, file: Path) -> str:
    """What somebody reads who opens the file."""
    if name == "DOCX":
        document = pytest.importorskip("docx").Document(str(file))
        return "\n".join(paragraph.text for paragraph in document.paragraphs)
    if name == "PDF":
        pages = pytest.importorskip("pypdfium2").PdfDocument(file)
        return "\n".join(page.get_textpage().get_text_bounded() for page in pages)
    text = file.read_text("utf-8")
    return html.unescape(text) if name == "HTML" else text.replace("\\", "")


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_the_print_has_cover_line_summary_and_notices(visit: Visit, hives: Path, size: tuple[int, int]) -> None:
    page = opened(visit(size=size, color_scheme="dark"), hives)
    pick(page, "art-2.par-1", "art-2.par-1.pt-a")
    page.evaluate("print = () => { dispatchEvent(new Event('beforeprint')); window.printed = true; }")
    page.locator("#exports summary").click()
    page.get_by_role("button", name="Print").click()
    assert page.evaluate("printed")
    expect(page.locator("#print")).to_be_hidden()
    page.emulate_media(media="print")
    for part in ("#act", "#map", "#contents", ".controls", ".bar", ".copy", ".why", ".item-menu"):
        expect(page.locator(part).first).to_be_hidden()
    expect(page.locator(".item .cut")).to_have_text("[… 4 more points]")
    for part in ("Regulation (EU) 2025/77", page.locator("#count").inner_text(), "LexLattice"):
        expect(page.locator("#cover")).to_contain_text(part)
    expect(page.locator("#cover")).to_contain_text(re.compile(r"\d{1,2} \w+ 20\d\d"))
    expect(page.locator("#remarks")).to_contain_text(phrases("en").disclaimer)
    pages = pytest.importorskip("pypdfium2").PdfDocument(page.pdf())
    text = " ".join("\n".join(page.get_textpage().get_text_bounded() for page in pages).split())
    assert "[… 4 more points]" in text
    assert "A keeper of bees in the Union" in text
    assert "Why?" not in text


# --- for everybody ----------------------------------------------------------------------------------------


def test_the_summary_works_by_keyboard_alone(visit: Visit, hives: Path) -> None:
    page = opened(visit(), hives)
    pick(page, "art-2.par-1", "art-2.par-1.pt-a")
    page.locator("#exports summary").focus()
    reached = []
    for _ in range(6):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.className.split(' ').at(-1) || document.activeElement.id"))
    assert reached[:5] == ["citation", "why", "copy", "quiet", "cut"]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".cut")).to_have_attribute("aria-expanded", "true")


@pytest.mark.parametrize(("scheme", "size"), [("light", PHONE), ("dark", WIDE)])
def test_the_summary_meets_wcag_22_aa(visit: Visit, examples: Path, scheme: str, size: tuple[int, int]) -> None:
    page = opened(visit(size=size, color_scheme=scheme), examples / "short" / "en.txt")
    slide(page, "#budget", 150)
    page.locator(".why").first.click()
    page.locator(".numbers > summary").first.click()
    for mark in page.locator(".cut").all():
        mark.click()
    check_axe(page)
    page.locator("#exports summary").click()
    check_axe(page)
    page.keyboard.press("Escape")
    shown_lattice(page)
    page.locator("#cells").focus()
    page.keyboard.press("End")
    check_axe(page)


@pytest.mark.slow
def test_the_summary_fits_a_phone_in_languages_with_long_words(visit: Visit, examples: Path) -> None:
    page = opened(visit(size=NARROWEST), examples / "short" / "bg.txt")
    page.locator(".why").first.click()
    for language in ("bg", "de", "el", "fi", "mt"):
        speak(page, language)
        assert page.evaluate("document.documentElement.scrollWidth") == NARROWEST[0], language
        assert page.locator("#summary").evaluate("pane => pane.scrollWidth <= pane.clientWidth"), language
        check_in_step(page)
