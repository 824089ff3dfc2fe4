"""The summary of the web reader: its length, its items and what they leave out, and why they were chosen."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from helpers.reader import NARROWEST, PHONE, WIDE, Visit, check_axe, chosen, opened, pick, slide, speak
from lexlattice import read
from lexlattice.act.hierarchy import cuts_of
from lexlattice.apps.serve.jobs import extract_of
from lexlattice.apps.serve.view import view_of
from lexlattice.rendering.blocks import mark_of
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.text import parts
from lexlattice.selection.decoder import choose
from lexlattice.summarizer import shipped, summarize

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("uvicorn")
pytest.importorskip("fastapi")
expect = playwright.expect

if TYPE_CHECKING:
    from playwright.sync_api import Page


def check_in_step(page: Page) -> None:
    """Summary, act and map show the same selection."""
    places = page.locator("#act .unit.chosen").evaluate_all("all => all.map(unit => unit.dataset.place)")
    items = page.locator(".item").evaluate_all("all => all.flatMap(item => item.dataset.places.split(' '))")
    assert sorted(places) == sorted(items)
    sections = page.locator("#act .unit.chosen").evaluate_all(
        "all => new Set(all.map(unit => unit.closest('[data-section]')?.dataset.section ?? unit.dataset.place)).size"
    )
    assert 0 < page.locator(".map-bar.starred").count() <= sections


# --- length -----------------------------------------------------------------------------------------------


def test_a_new_budget_updates_the_selection_without_a_request(visit: Visit, long: Path) -> None:
    page = opened(visit(), long)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    act, counts = read(long), []
    for words in (50, 200, 1500):
        slide(page, "#budget", words)
        check_in_step(page)
        summary = summarize(act, words=words)
        assert chosen(page) == [item.id for item in summary]
        expect(page.locator("#count")).to_have_text(f"{summary.words:,} of {act.words:,} words")
        counts.append(len(summary))
    assert counts == sorted(set(counts))
    assert not [url for url in asked if "/v1/" in url]


@pytest.mark.parametrize("focus", ["all", "articles"])
def test_more_words_only_add_and_the_page_selects_what_the_library_selects(
    visit: Visit, examples: Path, focus: str
) -> None:
    act = read(examples / "short" / "bg.txt")
    view, scores, page = view_of(act), shipped().score(act), visit()
    lengths = [
        *range(view["selection"]["least"], act.words, 9),
        act.words - 1,
        act.words,
        view["selection"]["most"] + 1,
    ]
    found = page.evaluate(
        """async ([view, lengths, focus]) => {
            const { choose } = await import("/selection.js");
            return lengths.map(words => [...choose(view, words, focus)].sort((a, b) => a - b));
        }""",
        [view, lengths, focus],
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
    expect(page.locator("#count")).to_have_attribute("aria-live", "off")
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


def test_of_an_act_without_a_summary_only_its_status_is_said(visit: Visit, examples: Path) -> None:
    page = visit()
    held: list[Any] = []
    page.route("**/v1/words/*", lambda route: held.append(route))
    page.reload(wait_until="domcontentloaded")
    page.locator("#file").set_input_files(examples / "patterns" / "repealed.html")  # before the script listens
    while not held:
        page.wait_for_timeout(10)
    held[0].continue_()
    expect(page.locator("#act .unit")).to_have_count(1)
    for part in ("#presets", "#budget", "#count", "#articles-only", "#map", ".item"):
        expect(page.locator(f"{part}:visible")).to_have_count(0)
    expect(page.locator("#items")).to_be_empty()
    expect(page.locator("#exports")).to_be_visible()
    for part in (".chip.repealed", "#notices"):
        expect(page.locator(part)).to_contain_text("Repealed by: Regulation (EU) 2025/9501")
    expect(page.locator("#notice")).not_to_contain_text("2025/9501")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    expect(page.locator("#sheet-count")).to_be_empty()
    opened(page, examples / "short" / "en.txt")
    for part in ("#presets", "#budget", "#count", "#map", "#sheet-count"):
        expect(page.locator(part)).to_be_visible()


def test_warnings_are_in_the_interface_language(visit: Visit, tmp_path: Path) -> None:
    act = tmp_path / "act.txt"
    act.write_text(
        "The authority shall keep a register of the hives in the Union, and of their keepers.\n\n" * 4, "utf-8"
    )
    page = opened(visit(), act)
    for language in ("en", "de"):
        speak(page, language)
        expect(page.locator("#remarks p").first).to_have_text(phrases(language).reader["warning_no-headings"])
    expect(page.locator("#remarks p").last).to_have_text(phrases("en").disclaimer)


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


def test_whatever_is_selected_the_same_gaps_are_found_and_marked_as_by_the_library(
    visit: Visit, examples: Path, long: Path
) -> None:
    page, rng, gaps = visit(), random.Random(7), 0
    for path in (long, examples / "short" / "en.txt", examples / "short" / "fr.txt"):
        act = read(opened_file(page, path))
        place_of = {unit.id: place for place, unit in enumerate(act)}
        picks = [sorted(rng.sample(range(len(act)), len(act) // rng.randint(2, 5))) for _ in range(40)]
        found = page.evaluate(
            """async picks => {
                const { omissionsOf } = await import("/omissions.js");
                const { markOf } = await import("/blocks.js");
                const facts = o => [o.after, o.missing, o.isPoints, markOf(o).text];
                return picks.map(places => omissionsOf(places).map(facts));
            }""",
            picks,
        )
        for places, omissions in zip(picks, found, strict=True):
            cuts = [
                [place_of[cut.after], [place_of[name] for name in cut.ids], cut.kind == "points", mark_of(act, cut)]
                for cut in cuts_of(act, places)
            ]
            assert omissions == cuts
            gaps += len(cuts)
    assert gaps > 500


def opened_file(page: Page, path: Path) -> Path:
    opened(page, path)
    expect(page.locator("#act .unit")).to_have_count(len(read(path)))
    expect(page.locator("#items")).to_have_attribute("lang", read(path).language)
    return path


def test_a_cut_list_unfolds_in_place_and_folds_again(visit: Visit, hives: Path) -> None:
    page, act = opened(visit(), hives), read(hives)
    pick(page, "art-2.par-1", "art-2.par-1.pt-a", "art-2.par-1.pt-d")
    item = page.locator(".item")
    expect(item.locator("p")).to_have_count(5)
    first, second = item.locator(".cut").all()
    assert [mark.inner_text() for mark in (first, second)] == ["[… 2 more points: (b), (c)]", "[… 1 more point: (e)]"]
    for mark, names, ids in (
        (first, "(b), (c)", ["b", "b.pt-i", "b.pt-ii", "c"]),
        (second, "(e)", ["e"]),
    ):
        expect(mark).to_have_accessible_name(f"{mark.inner_text()} Left out here: {names}")
        expect(mark).to_have_attribute("aria-expanded", "false")
        mark.focus()
        page.keyboard.press("Enter")
        expect(mark).to_have_attribute("aria-expanded", "true")
        box = mark.locator("xpath=../following-sibling::*[1]")
        expect(box.locator("li > p")).to_have_text([act[f"art-2.par-1.pt-{name}"].text for name in ids])
    boxes = item.locator("div.left-out")
    levels = [level for level, _ in boxes.first.locator("p").evaluate_all(NESTED)]
    assert [level - levels[0] for level in levels] == [0, 1, 1, 0]
    order = item.locator("p:not(.mark)").all_inner_texts()
    assert "".join(text[1] for text in order[1:]) == "abiicde"
    style = "node => getComputedStyle(node)"
    assert boxes.first.evaluate(f"{style}.color") != item.locator("p").first.evaluate(f"{style}.color")
    assert boxes.first.evaluate(f"{style}.borderInlineStartStyle") == "dashed"
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
    expect(mark).to_have_accessible_name(re.compile(re.escape(second.citation)))
    mark.hover()
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
    place, change = first["neighbours"][0]
    link = numbers.locator(".neighbours li").first
    expect(link).to_have_text(f"{view['units'][place]['citation']} {'−' if change < 0 else '+'}{abs(change):.2f}")
    link.locator("a").click()
    expect(page.locator(f"#act .unit[data-place='{place}']")).to_have_attribute("aria-current", "true")
    named = page.get_by_role("button", name=str(button.get_attribute("aria-label")), exact=True)
    named.focus()
    top = named.evaluate("button => button.getBoundingClientRect().top")
    page.keyboard.press("3")
    expect(named).to_be_focused()
    expect(named).to_have_attribute("aria-expanded", "true")
    assert abs(named.evaluate("button => button.getBoundingClientRect().top") - top) < 2
    box = page.locator(f"#{named.get_attribute('aria-controls')}")
    expect(box.locator(".numbers-of").first).to_be_visible()
    page.locator(".item .why").last.focus()
    page.keyboard.press("1")
    expect(page.locator(".item :focus")).to_have_count(1)


def test_why_and_the_preset_are_known_of_another_version_too(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "short" / "en.txt", examples / "short" / "fi.txt")
    page.get_by_label("Short").check()
    item = page.locator(".item").nth(1)
    item.locator(".why").click()
    said = item.locator(".why-words").inner_text()
    page.locator("#version").select_option(label="Suomi")
    expect(page.locator("#items")).to_have_attribute("lang", "fi")
    expect(page.get_by_label("Short")).to_be_checked()
    item.locator(".why").click()
    expect(item.locator(".why-words")).to_have_text(said)
    assert "; " in said
    speak(page, "el")
    item.locator(".why").click()
    expect(item.locator(".why-words")).to_have_text(re.compile("^[^;]+· [^;]+$"))  # ";" asks a question in Greek
    speak(page, "mt")
    expect(page.locator("#facts time")).to_have_text(re.compile(r"^\d+ ta’ \w+ \d+$"))  # which browsers cannot write
    item.locator(".why").click()
    item.locator(".numbers > summary").click()
    citation = item.locator(".citation").inner_text()
    assert citation.split(" ")[0] in item.locator(".numbers-of b").first.inner_text()


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


@pytest.mark.parametrize(("scheme", "size"), [pytest.param("light", PHONE, marks=pytest.mark.slow), ("dark", WIDE)])
def test_the_summary_meets_wcag_22_aa(visit: Visit, examples: Path, scheme: str, size: tuple[int, int]) -> None:
    page = opened(visit(size=size, color_scheme=scheme), examples / "short" / "en.txt")
    slide(page, "#budget", 150)
    page.locator(".why").first.click()
    page.locator(".numbers > summary").first.click()
    for mark in page.locator(".cut").all():
        mark.click()
    page.locator(".item-menu summary").first.click()
    page.locator("#exports").evaluate("menu => { menu.open = true; }")
    expect(page.get_by_role("button", name="Copy with ELI link")).to_be_visible()
    check_axe(page, "#reader")
    page.keyboard.press("Escape")
    page.locator("#open-how").click()
    page.locator("#cells").focus()
    page.keyboard.press("End")
    expect(page.locator("#cell p")).to_be_visible()
    check_axe(page, "#how")


@pytest.mark.slow
def test_the_summary_fits_a_phone_in_languages_with_long_words(visit: Visit, examples: Path) -> None:
    page = opened(visit(size=NARROWEST), examples / "short" / "bg.txt")
    page.locator(".why").first.click()
    for language in ("bg", "de", "el", "fi", "mt"):
        speak(page, language)
        assert page.evaluate("document.documentElement.scrollWidth") == NARROWEST[0], language
        assert page.locator("#summary").evaluate("pane => pane.scrollWidth <= pane.clientWidth"), language
        check_in_step(page)
