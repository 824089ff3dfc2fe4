"""The head of the summary, and versions of an act: one after the other, and side by side."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers.reader import PHONE, STANDARD, TABLET, WIDE, Visit, chosen, opened, slide, speak
from lexlattice import read
from lexlattice.multilingual.alignment import align
from lexlattice.rendering.phrases import phrases

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

if TYPE_CHECKING:
    from playwright.sync_api import Page


def without_article_2(german: Path, folder: Path) -> Path:
    """The German example without an article."""
    before, _, after = german.read_text("utf-8").partition("Artikel 2\n")
    shorter = folder / "de.txt"
    shorter.write_text(before + "Artikel 3\n" + after.partition("Artikel 3\n")[2], "utf-8")
    return shorter


def scroll(page: Page, pane: str, distance: int) -> None:
    """Scroll a pane with the wheel, as people do, until it has come to rest."""
    page.locator(f"#{pane}").hover(position={"x": 200, "y": 200})
    before = page.evaluate("name => document.getElementById(name).scrollTop", pane)
    page.mouse.wheel(0, distance)
    page.wait_for_function(
        "([name, top]) => Math.abs(document.getElementById(name).scrollTop - top) > 100", arg=[pane, before]
    )


# --- one after the other ---


def test_switching_versions_keeps_selection_and_places(visit: Visit, examples: Path) -> None:
    page = opened(visit(), *(examples / "short" / f"{language}.txt" for language in ("de", "fi", "bg")))
    slide(page, "#budget", 150)
    same = chosen(page)
    page.locator(".item .citation").nth(3).click()
    current = page.locator("#act .unit[aria-current]").get_attribute("id")
    for name, language in (("Suomi", "fi"), ("Български", "bg")):
        page.locator("#version").select_option(label=name)
        expect(page.locator("#text-of-act")).to_have_attribute("lang", language)
        assert chosen(page) == same
        assert page.locator("#act .unit[aria-current]").get_attribute("id") == current
        expect(page.locator("#act .unit[aria-current]")).to_be_in_viewport()


def test_versions_with_different_numbering_keep_the_selection(visit: Visit, examples: Path, tmp_path: Path) -> None:
    """What lost its header is matched by what it says."""
    english, german = (examples / "short" / f"{language}.txt" for language in ("en", "de"))
    other = tmp_path / "de.txt"
    other.write_text(german.read_text("utf-8").replace("Artikel 2\nBegriffsbestimmungen\n", ""), "utf-8")
    page = opened(visit(), english, other)
    slide(page, "#budget", read(english).words)
    same = chosen(page)
    page.locator("#version").select_option(label="Deutsch")
    expect(page.locator("#text-of-act")).to_have_attribute("lang", "de")
    found = align(read(english), read(other))
    assert chosen(page) == [unit.id for unit in read(other) if unit.id in {x for n in same for x in found.pairs[n]}]
    assert "art-2" in same
    assert "art-1.par-2.sub-2" in chosen(page)


def test_what_a_version_lacks_is_said_at_the_top(visit: Visit, examples: Path, tmp_path: Path) -> None:
    english = examples / "short" / "en.txt"
    page = opened(visit(), english, without_article_2(examples / "short" / "de.txt", tmp_path))
    slide(page, "#budget", read(english).words)
    assert any(name.startswith("art-2") for name in chosen(page))
    lacking = page.locator("#lacking")
    expect(lacking).to_be_empty()
    expect(lacking).to_have_role("status")
    page.locator("#version").select_option(label="Deutsch")
    expect(lacking).to_contain_text("Article 2")
    expect(lacking).to_be_in_viewport()
    assert not any(name.startswith("art-2") for name in chosen(page))
    speak(page, "fr")
    expect(lacking).to_contain_text(phrases("fr").reader["lacking_some"].partition("{")[0].strip())


@pytest.mark.slow
def test_a_version_can_be_added_later_and_another_act_cannot(visit: Visit, examples: Path, long: Path) -> None:
    page = opened(visit(), examples / "short" / "sv.txt")
    expect(page.locator("#version")).to_be_hidden()
    slide(page, "#budget", 150)
    same = chosen(page)
    page.locator("#more").set_input_files([examples / "short" / "ga.txt"])
    expect(page.locator("#text-of-act")).to_have_attribute("lang", "ga")
    expect(page.locator("#version option")).to_have_text(["Svenska", "Gaeilge"])
    assert chosen(page) == same
    page.locator("#more").set_input_files([long])
    expect(page.locator("#errors")).to_contain_text("en.txt (32025R9100)")
    expect(page.locator("#version option")).to_have_count(2)


def test_an_act_opened_by_celex_number_is_offered_in_other_languages(
    visit: Visit, examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from helpers.service import fetched_before, served

    monkeypatch.setenv("LEXLATTICE_CACHE", str(tmp_path))
    for language in ("en", "lv", "pt"):
        fetched_before(tmp_path, "32024R9001", language, (examples / "short" / f"{language}.txt").read_bytes())
    with served(workers=1) as server:
        page = visit("?celex=32024R9001&lang=en", address=server.address)
        expect(page.locator(".item").first).to_be_visible()
        same = chosen(page)
        page.locator("#version").select_option(label="Latviešu")
        expect(page.locator("#text-of-act")).to_have_attribute("lang", "lv")
        assert chosen(page) == same
        expect(page).to_have_url(re.compile("lang=lv"))
        page.locator("#compare").click()
        expect(page.locator("#text-of-second")).to_have_attribute("lang", "en")
        page.locator("#second-version").select_option(label="Português")
        expect(page.locator("#text-of-second")).to_have_attribute("lang", "pt")
        expect(page.locator("#text-of-act")).to_have_attribute("lang", "lv")
        page.close()


# --- side by side ---


@pytest.mark.parametrize("size", [WIDE, TABLET, PHONE])
def test_two_versions_scroll_together(visit: Visit, examples: Path, size: tuple[int, int]) -> None:
    page = opened(visit(size=size), examples / "short" / "en.txt", examples / "short" / "el.txt")
    if size == PHONE:
        page.locator("#sheet-handle").click()
    page.locator("#compare").click()
    expect(page.locator("#compare")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#text-of-second")).to_have_attribute("lang", "el")
    for pane in ("#act", "#second"):
        expect(page.locator(pane)).to_be_in_viewport()
    for leader, distance in (("act", 1500), ("second", 1500), ("act", -800)):
        scroll(page, leader, distance)
        page.wait_for_function("""() => {
            const seen = name => {
                const pane = document.getElementById(name);
                const { top, bottom } = pane.getBoundingClientRect();
                const units = [...pane.querySelectorAll(".unit")].filter(unit => {
                    const box = unit.getBoundingClientRect();
                    return box.bottom > top + pane.querySelector(".pane-head").offsetHeight && box.top < bottom;
                });
                return units.map(unit => unit.dataset.id);
            };
            return seen("act").slice(0, 2).some(id => seen("second").slice(0, 3).includes(id));
        }""")
    assert page.locator("#second").evaluate("pane => pane.scrollTop") > 500


def test_both_versions_follow_jumps_and_keep_their_place_in_another_window(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "short" / "en.txt", examples / "short" / "de.txt")
    page.locator("#contents-list a", has_text="Article 6").first.click()
    page.locator("#compare").click()
    for pane in ("#act", "#second"):
        expect(page.locator(f"{pane} .unit[data-id^='art-6']").first).to_be_in_viewport()
    page.locator("#contents-list a", has_text="Article 3").first.click()
    for pane in ("#act", "#second"):
        expect(page.locator(f"{pane} .unit[data-id='art-3.par-1']")).to_be_in_viewport()
    page.set_viewport_size({"width": TABLET[0], "height": TABLET[1]})
    for pane in ("#act", "#second"):
        expect(page.locator(f"{pane} .unit[data-id='art-3.par-1']")).to_be_in_viewport()


def test_the_second_version_shows_what_was_chosen_and_what_is_current(
    visit: Visit, examples: Path, tmp_path: Path
) -> None:
    english = examples / "short" / "en.txt"
    page = opened(visit(), english, without_article_2(examples / "short" / "de.txt", tmp_path))
    slide(page, "#budget", 400)
    page.locator("#compare").click()
    marked = page.locator("#second .unit.chosen")
    expect(marked.first).to_be_attached()
    there = set(marked.evaluate_all("all => all.map(unit => unit.dataset.id)"))
    pairs = align(read(english), read(tmp_path / "de.txt")).pairs
    assert there == {other for name in chosen(page) for other in pairs.get(name, ())}
    page.locator("#act .unit[data-id='art-3.par-1']").click()
    expect(page.locator("#second .unit[aria-current]")).to_have_attribute("data-id", "art-3.par-1")
    page.locator("#second .unit[data-id='art-4']").click()
    expect(page.locator("#act .unit[aria-current]")).to_have_attribute("data-id", "art-4")
    slide(page, "#budget", read(english).words)
    expect(page.locator("#second-lacking")).to_contain_text("Article 2")
    page.locator("#close-second").click()
    expect(page.locator("#second")).to_be_hidden()
    expect(page.locator("#compare")).to_be_focused()
    expect(page.locator("#summary")).to_be_visible()


def test_switching_the_first_version_while_comparing_exchanges_them(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "short" / "en.txt")
    compare, words = page.locator("#compare"), phrases("en").reader
    expect(compare).to_have_accessible_name(f"{words['compare']}: {words['add']}")  # it asks for a file
    page.locator("#more").set_input_files([examples / "short" / "nl.txt"])
    expect(page.locator("#text-of-act")).to_have_attribute("lang", "nl")
    # What the page says is in its language, though the act is not.
    for control in ("#act .star", "#contents-list .fold", "#contents-list a", "#map-bars"):
        assert page.locator(control).first.evaluate("element => element.lang") == "en"
    assert page.locator("#contents-list a span").first.evaluate("e => e.closest('[lang]').lang") == "nl"
    languages = page.locator("#version option").evaluate_all("all => all.map(option => option.lang)")
    assert languages == ["en", "nl"]
    page.locator("#version").select_option(label="English")
    expect(page.locator("#text-of-act")).to_have_attribute("lang", "en")
    expect(compare).to_have_accessible_name(words["compare"])
    compare.click()
    expect(page.locator("#text-of-second")).to_have_attribute("lang", "nl")
    expect(page.locator("#status")).to_contain_text("English, Nederlands")
    expect(page.locator("#act-name")).to_have_text("English")
    expect(page.locator("#second-name")).to_have_attribute("lang", "nl")
    page.locator("#version").select_option(label="Nederlands")
    expect(page.locator("#text-of-act")).to_have_attribute("lang", "nl")
    expect(page.locator("#text-of-second")).to_have_attribute("lang", "en")


def test_an_adopted_and_a_consolidated_text_stand_side_by_side(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "short" / "en.txt")
    page.locator("#more").set_input_files([examples / "formats" / "act.consolidated.html"])
    expect(page.locator("#facts")).to_contain_text("Consolidated text")
    expect(page.locator("#version option")).to_have_count(2)
    page.locator("#version").select_option(index=0)
    page.locator("#compare").click()
    expect(page.locator("#second-name")).to_contain_text("Consolidated text")
    expect(page.locator("#second .unit.chosen").first).to_be_attached()


@pytest.mark.parametrize(("scheme", "size"), [pytest.param("light", WIDE, marks=pytest.mark.slow), ("dark", PHONE)])
def test_side_by_side_meets_wcag_22_aa(visit: Visit, examples: Path, scheme: str, size: tuple[int, int]) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = opened(visit(size=size, color_scheme=scheme), examples / "short" / "en.txt", examples / "short" / "mt.txt")
    if size == PHONE:
        page.locator("#sheet-handle").click()
    page.locator("#compare").click()
    expect(page.locator("#second .unit.chosen").first).to_be_attached()
    options = {"runOnly": {"type": "tag", "values": STANDARD}, "resultTypes": ["violations"]}
    found = axe.run(page, options=options).response["violations"]
    assert [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found] == []


# --- the head ---


def test_the_head_says_what_kind_of_text_it_is(visit: Visit, examples: Path, tmp_path: Path) -> None:
    page = opened(visit(), examples / "formats" / "act.consolidated.html")
    for part in ("#facts", "#notice"):
        expect(page.locator(part)).to_contain_text("Consolidated text: 12 March 2024")
    expect(page.locator("#facts")).to_contain_text("CELEX 02024R9001-20240312")
    speak(page, "de")
    expect(page.locator("#facts")).to_contain_text("12. März 2024")
    speak(page, "en")
    page.locator("#home").click()
    opened(page, examples / "short" / "el.txt")
    expect(page.locator("#facts")).to_contain_text(phrases("en").status["adopted"])
    page.locator("#home").click()
    page.locator("#file").set_input_files(examples / "patterns" / "repealed.html")
    expect(page.locator("#notices")).to_contain_text(phrases("en").notices["ended"])
    expect(page.locator("#notices")).to_be_in_viewport()
    page.locator("#home").click()
    page.locator("#file").set_input_files(examples / "patterns" / "cut-off.txt")
    expect(page.locator("#notices")).to_contain_text(phrases("en").notices["cut_off"])
    page.locator("#home").click()
    recipe = tmp_path / "recipe.txt"
    recipe.write_text("Honey cake\n\n" + "Stir the flour into the honey and bake it slowly for an hour. " * 9)
    page.locator("#file").set_input_files(recipe)
    expect(page.locator("#notices")).to_contain_text(phrases("en").reader["not_act"])


def test_long_titles_and_titles_in_capitals_are_set_small(visit: Visit, tmp_path: Path) -> None:
    page, sizes = visit(), []
    for number, title in enumerate(("on honey", "ON THE KEEPING OF BEES AND THE SALE OF HONEY", "on honey " * 30)):
        act = tmp_path / f"act{number}.txt"
        head = f"COUNCIL REGULATION (EC) No {number + 12}/2003"
        act.write_text(f"{head}\n{title}\nArticle 1\nHives shall be registered.\n")
        if number:
            page.locator("#home").click()
        opened(page, act)
        sizes.append(page.locator("#title").evaluate("title => parseFloat(getComputedStyle(title).fontSize)"))
    assert sizes[0] >= sizes[1]
    assert min(sizes) == sizes[1] < 18
    assert sizes[2] <= 18
