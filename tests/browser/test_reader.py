"""The page at `lexlattice serve` in a real browser, on a real service: whatever a person does there."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lexlattice import read
from lexlattice.apps.serve.jobs import extract_of, view_of
from lexlattice.multilingual.alignment import align
from lexlattice.reading import LANGUAGES
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.text import parts
from lexlattice.selection.decoder import choose
from lexlattice.summarizer import shipped, summarize

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("uvicorn")
pytest.importorskip("fastapi")
expect = playwright.expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

Visit = Callable[..., "Page"]

WIDE, PHONE, NARROWEST, ON_ITS_SIDE = (1400, 860), (360, 740), (320, 640), (740, 360)
STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SECONDS = 1000
expect.set_options(timeout=60 * SECONDS)


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """The address of a service with one worker, which fetches nothing."""
    from helpers.service import served

    with served(workers=1, fetch=False) as server:
        yield server.address


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(locale="en-GB", permissions=["clipboard-read", "clipboard-write"]) as context:
        context.set_default_timeout(60 * SECONDS)
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
        expect(page.locator("#example option")).to_have_count(len(LANGUAGES))
        return page

    yield go
    for page in context.pages:
        page.evaluate("localStorage.clear()")
        page.close()
    assert [url for url in asked if not url.startswith((*addresses, "blob:"))] == []
    expected = ("422 (Unprocessable", "net::ERR_FAILED")
    assert [text for text in complaints if not any(part in text for part in expected)] == []


@pytest.fixture(scope="module")
def long(examples: Path) -> Path:
    return examples / "long" / "en.txt"


def opened(page: Page, *files: Path) -> Page:
    """The page, once somebody has chosen files on it."""
    page.locator("#file").set_input_files(files)
    expect(page.locator(".item").first).to_be_visible()
    return page


def chosen(page: Page) -> list[str]:
    """What is chosen by the act's own view of it."""
    return [name.removeprefix("u:") for name in page.locator(".unit.chosen").evaluate_all("all => all.map(u => u.id)")]


def check_in_step(page: Page) -> None:
    """All three views have the same chosen."""
    places = page.locator(".unit.chosen").evaluate_all("all => all.map(unit => unit.dataset.place)")
    items = page.locator(".item").evaluate_all("all => all.flatMap(item => item.dataset.places.split(' '))")
    assert sorted(places) == sorted(items)
    expect(page.locator(".stars path")).to_have_count(len(places))


def slide(page: Page, slider: str, value: int) -> None:
    page.locator(slider).evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')) }", value
    )


def shades(page: Page) -> list[str]:
    return list(page.locator("#cells rect[data-place]").evaluate_all("all => all.map(cell => cell.className.baseVal)"))


def without_stars(texts: list[str]) -> list[str]:
    return [text.removeprefix("★") for text in texts]


# --- ways in ----------------------------------------------------------------------------------------------


def test_an_example_opens_in_any_language(visit: Visit, examples: Path) -> None:
    page = visit()
    assert page.locator("#example").input_value() == "en"
    for language in ("el", "mt"):
        page.locator("#example").select_option(language)
        page.locator("#by-example button").click()
        expect(page.locator("#items")).to_have_attribute("lang", language)
        source = read(examples / "short" / f"{language}.txt").source
        texts = without_stars(page.locator(".unit").all_text_contents())
        assert len(texts) > 40
        assert all(text in source for text in texts)
        assert page.locator(".group h3").first.inner_text() == phrases(language).groups["aim"]
        page.locator("#home").click()
        expect(page.locator("#drop")).to_be_visible()
    expect(page.locator("#version option")).to_have_text(["Ελληνικά", "Malti"])


def test_a_dropped_file_gives_the_summary_of_the_command_line(visit: Visit, long: Path) -> None:
    page = visit()
    data = page.evaluate_handle(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "act.txt"));
            return data;
        }""",
        long.read_text("utf-8"),
    )
    for part in ("#drop", "#summary"):
        expect(page.locator(".drop-overlay")).to_be_hidden()
        page.locator(part).dispatch_event("dragover", {"dataTransfer": data})
        expect(page.locator(".drop-overlay")).to_be_in_viewport(ratio=1)
        page.locator(part).dispatch_event("drop", {"dataTransfer": data})
        expect(page.locator(".item").first).to_be_visible()
    assert chosen(page) == [item.id for item in summarize(long)]
    check_in_step(page)


def test_pasted_text_is_opened(visit: Visit) -> None:
    page = visit()
    page.locator("#text").fill("Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free.")
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.locator(".item p")).to_have_text(["Hives shall be registered.", "Bees are free."])
    expect(page.get_by_label("Words")).to_be_disabled()


def test_an_error_shows_the_message_of_the_service(visit: Visit, long: Path) -> None:
    page = visit()
    page.locator("#celex").fill("32016R0679")
    page.get_by_role("button", name="Fetch").click()
    alert = page.locator("#errors")
    expect(alert).to_contain_text("That did not work: ")
    expect(alert.locator("[lang=en]")).not_to_be_empty()
    expect(page.locator("#drop")).to_be_visible()
    alert.get_by_role("button", name="Close").click()
    expect(alert).to_be_empty()
    opened(page, long)
    expect(alert).to_be_empty()


def test_an_unreachable_service_is_reported_in_the_interface_language(visit: Visit, examples: Path) -> None:
    page = visit()
    speak(page, "de")
    page.route("**/v1/{views,words/*}", lambda route: route.abort())
    alert = page.locator("#errors")
    for trying in (
        lambda: page.locator("#file").set_input_files(examples / "short" / "en.txt"),
        lambda: page.locator("#interface").select_option("fr"),
    ):
        trying()
        expect(alert).to_contain_text(phrases("de").reader["unreachable"])
        alert.get_by_role("button").click()
    expect(page.locator("#interface")).to_have_value("de")
    expect(page.locator("#start h1")).to_have_text(phrases("de").reader["open"])
    page.unroute("**/v1/{views,words/*}")
    page.route("**/v1/views", lambda route: route.fulfill(json={}))
    page.locator("#file").set_input_files(examples / "short" / "en.txt")
    expect(alert).to_contain_text(phrases("de").reader["failed"])
    expect(page.locator("#drop")).to_be_visible()


def test_progress_is_shown_and_the_last_of_several_tasks_wins(visit: Visit, long: Path, examples: Path) -> None:
    page, held = visit(), list[Any]()
    page.route("**/v1/views", lambda route: held.append(route))
    page.locator("#file").set_input_files(examples / "short" / "fr.txt")
    expect(page.locator("#status progress")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#status")).to_be_empty()
    for file in (examples / "short" / "de.txt", examples / "short" / "fi.txt", long):
        page.locator("#file").set_input_files(file)
    while len(held) < 4:
        page.wait_for_timeout(10)
    early, late = (view_of(read(examples / "short" / f"{language}.txt")) for language in ("de", "fi"))
    held[1].fulfill(json=early)
    page.wait_for_timeout(100)
    expect(page.locator("#status progress")).to_be_visible()
    expect(page.locator("#drop")).to_be_visible()
    held[3].continue_()
    expect(page.locator("#facts")).to_contain_text("32025R9100")
    expect(page.locator("#status")).to_be_empty()
    held[2].fulfill(json=late)
    page.wait_for_timeout(200)
    expect(page.locator("#facts")).to_contain_text("32025R9100")


def test_of_several_files_the_versions_of_one_act_are_opened_and_others_named(
    visit: Visit, examples: Path, long: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.docx"
    bad.write_bytes(b"PK\x03\x04")
    page = opened(visit(), bad, examples / "short" / "en.txt", long, examples / "formats" / "act.consolidated.html")
    names = ["English", "English · Consolidated text: 12 March 2024"]
    expect(page.locator("#version option")).to_have_text(names)
    lines = page.locator("#errors").locator("p")
    expect(lines.first).to_contain_text("That did not work: bad.docx: ")
    expect(lines.last).to_have_text("Another act, not opened: en.txt (32025R9100)")
    page.locator("#version").select_option(label=names[1])
    expect(page.locator("#facts")).to_contain_text("Consolidated text: 12 March 2024")
    expect(page.locator("#facts")).to_contain_text("CELEX 02024R9001-20240312")
    expect(page.locator("#notice")).to_contain_text("Consolidated text: 12 March 2024")
    for part in ("#notice", "#facts"):
        expect(page.locator(part)).not_to_contain_text("As adopted")
    speak(page, "de")
    expect(page.locator("#facts")).to_contain_text("Konsolidierter Text: 12. März 2024")


# --- sliders ----------------------------------------------------------------------------------------------


def test_a_new_budget_updates_the_selection_without_a_request(visit: Visit, long: Path) -> None:
    page = opened(visit(), long)
    asked: list[Any] = []
    page.on("request", lambda request: asked.append(request))
    act, counts = read(long), []
    for words in (50, 200, view_of(act)["budget"], 1500):
        slide(page, "#budget", words)
        check_in_step(page)
        summary = summarize(act, words=words)
        assert chosen(page) == [item.id for item in summary]
        counts.append(len(summary))
    assert counts == sorted(set(counts))
    assert not asked


def test_the_page_selects_the_units_of_the_summary_at_every_budget(visit: Visit, examples: Path) -> None:
    act = read(examples / "short" / "bg.txt")
    view, scores, page = view_of(act), shipped().score(act), visit()
    lengths = range(view["least"], view["most"] + 2)
    found = page.evaluate(
        """async ([view, lengths]) => {
            const { choose } = await import("/selection.js");
            return lengths.map(words => [...choose(view, words)].sort((a, b) => a - b));
        }""",
        [view, list(lengths)],
    )
    for words, places in zip(lengths, found, strict=True):
        assert places == list(choose(act, scores, words).units), words


def test_the_slider_can_be_moved_by_keyboard(visit: Visit, long: Path) -> None:
    page, view = opened(visit(), long), view_of(read(long))
    page.get_by_label("Words").focus()
    for _ in range(3):
        page.keyboard.press("PageDown")
    shown, allowed = page.locator("#count").inner_text().split(" / ")
    assert int(allowed) < view["budget"]
    expect(page.get_by_label("Words")).to_have_attribute("aria-valuetext", f"{shown} of {allowed}")
    last = len(view["steps"]) - 1
    expect(page.get_by_label("Step")).to_have_attribute("aria-valuetext", f"{last} of {last}")
    check_in_step(page)


@pytest.mark.slow
def test_the_animation_plays_to_the_end_and_can_be_paused(visit: Visit, long: Path) -> None:
    page = opened(visit(), long)
    last = len(view_of(read(long))["steps"]) - 1
    final = shades(page)
    slide(page, "#step", 0)
    first = shades(page)
    assert first != final
    page.clock.install()
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(750)
    expect(page.locator("#steps")).to_have_text(f"1 / {last}")
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(900)
    expect(page.locator("#steps")).to_have_text(f"1 / {last}")
    assert shades(page) not in (first, final)
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#steps")).to_have_text(f"{last} / {last}")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert shades(page) == final


# --- from one view to another -----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_a_click_on_an_item_shows_its_unit(visit: Visit, long: Path, size: tuple[int, int]) -> None:
    page = opened(visit(size=size), long)
    item = page.locator(".item").last
    item.locator("p").first.click()
    place = page.locator(f".unit[data-place='{str(item.get_attribute('data-places')).split()[0]}']")
    expect(place).to_be_in_viewport()
    expect(place).to_have_attribute("aria-current", "true")
    assert page.url.endswith("#" + str(place.get_attribute("id")).removeprefix("u:"))


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_a_click_on_a_star_shows_the_item(visit: Visit, long: Path, size: tuple[int, int]) -> None:
    page = opened(visit(size=size), long)
    if size == PHONE:
        page.get_by_role("button", name="Act", exact=True).click()
    place = page.locator(".unit.chosen").last
    place.locator(".star").click()
    item = page.locator(".item[aria-current]")
    expect(item).to_be_in_viewport()
    assert place.get_attribute("data-place") in str(item.get_attribute("data-places")).split()


def test_hovering_a_cell_describes_it_and_a_click_goes_to_its_unit(visit: Visit, long: Path) -> None:
    page, act = opened(visit(), long), read(long)
    place = 150
    page.locator(f"#cells [data-place='{place}']").hover()
    expect(page.locator("#cell b")).to_have_text(act.units[place].citation)
    expect(page.locator("#cell p")).to_have_text(act.units[place].text)
    expect(page.locator("#announcement")).to_be_empty()
    page.locator(f"#cells [data-place='{place}']").click()
    expect(page.locator(f".unit[data-place='{place}']")).to_be_in_viewport()
    expect(page.locator(".act [aria-current]")).to_have_count(1)


def test_on_touch_screens_the_second_tap_on_a_cell_goes_to_its_unit(
    visit: Visit, browser: Browser, examples: Path
) -> None:
    with browser.new_context(locale="en-GB", has_touch=True) as touched:
        page = opened(visit(within=touched, size=PHONE), examples / "short" / "en.txt")
        page.get_by_role("button", name="Lattice").tap()
        expect(page.locator("#cell")).to_have_text(phrases("en").reader["hint"])
        for place in (12, 20):
            page.locator(f"#cells [data-place='{place}']").tap()
            expect(page.locator("#cell p")).to_have_text(read(examples / "short" / "en.txt").units[place].text)
            expect(page.locator("#act")).to_be_hidden()
        page.locator("#cells [data-place='20']").tap()
        expect(page.locator(".unit[data-place='20']")).to_be_in_viewport()


@pytest.mark.slow
def test_rows_of_the_lattice_have_labels_beside_their_cells(visit: Visit, examples: Path) -> None:
    page = visit()
    for language in ("bg", "de", "hu", "lt"):
        opened(page, examples / "short" / f"{language}.txt")
        expect(page.locator("#items")).to_have_attribute("lang", language)
        labels = page.locator("#cells text")
        ends = labels.evaluate_all("all => all.map(label => label.getBBox().x + label.getBBox().width)")
        first = page.locator("#cells rect[data-place]").first.evaluate("cell => cell.x.baseVal.value")
        assert 50 < max(ends) < first
        recitals = phrases(language).reader["recitals"]
        assert recitals.startswith(labels.nth(2).evaluate("label => label.firstChild.data").rstrip("…"))
        expect(page.locator("#contents-list a").nth(2)).to_have_text(recitals)


def test_arrow_keys_move_through_the_lattice(visit: Visit, long: Path) -> None:
    page, act = opened(visit(), long), read(long)
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
    expect(page.locator(".unit").last).to_be_in_viewport()


def test_contents_lead_to_sections(visit: Visit, long: Path) -> None:
    page = opened(visit(), long)
    page.locator("#contents summary").click()
    page.get_by_role("link", name=re.compile("^Article 14 ·")).click()
    place = page.locator("[id^='u:art-14.']")
    expect(place.first).to_be_in_viewport()
    expect(place.first).to_be_focused()
    expect(page.locator("#contents-list")).to_be_hidden()
    page.keyboard.press("j")
    expect(place.nth(1)).to_be_focused()
    expect(place.nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("k")
    expect(place.first).to_be_focused()


@pytest.mark.slow
def test_the_back_button_returns_to_the_previous_provision(visit: Visit, examples: Path, long: Path) -> None:
    page = opened(visit(size=PHONE), examples / "short" / "en.txt")
    summary, act, start = (page.locator(part) for part in ("#summary", "#act", "#drop"))
    page.locator(".item p").nth(2).click()
    expect(act).to_be_visible()
    page.go_back()
    expect(summary).to_be_visible()
    expect(page.locator("[aria-current=true]")).to_have_count(0)
    page.go_forward()
    expect(act).to_be_visible()
    expect(page.locator(".unit[aria-current]")).to_have_count(1)
    opened(page, long)
    expect(page).to_have_url(re.compile("/$"))
    expect(page.locator("#facts")).to_contain_text("32025R9100")
    page.go_back()
    expect(page.locator("#facts")).to_contain_text("32024R9001")
    expect(page.locator(".unit[aria-current]")).to_be_in_viewport()
    page.locator("#home").click()
    expect(start).to_be_visible()
    speak(page, "de")
    expect(page).to_have_title("LexLattice")
    expect(page).to_have_url(re.compile("/$"))
    page.go_back()
    expect(page).to_have_title("32024R9001 · LexLattice")
    expect(page.locator("#summary-name")).to_have_text("Zusammenfassung")
    page.go_back()
    expect(summary).to_be_visible()
    page.go_back()
    expect(start).to_be_visible()


@pytest.mark.slow
def test_a_link_to_a_missing_provision_shows_an_error(visit: Visit) -> None:
    page = visit("?example=en#art-999")
    expect(page.locator("#errors")).to_contain_text("Not found: art-999")
    page.evaluate("location.hash = '#art-5'")
    expect(page.locator(".unit[aria-current]")).to_have_attribute("id", re.compile("^u:art-5"))
    expect(visit("?example=xx").get_by_role("alert")).to_contain_text("Not found: xx")


def test_a_link_opens_a_provision_and_the_back_button_works(visit: Visit) -> None:
    page = visit("?example=en#art-3.par-1")
    expect(page.locator(".unit[aria-current]")).to_be_in_viewport()
    expect(page.locator(".unit[aria-current]")).to_have_attribute("id", re.compile("^u:art-3.par-1"))
    page.locator(".citation").first.click()
    expect(page.locator(".unit[aria-current]")).to_have_attribute("id", re.compile("^u:art-1"))
    page.go_back()
    expect(page.locator(".unit[aria-current]")).to_have_attribute("id", re.compile("^u:art-3"))
    page.reload()
    expect(page.locator(".unit[aria-current]")).to_have_attribute("id", re.compile("^u:art-3"))


def test_an_item_is_copied_with_its_citation(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "short" / "en.txt")
    slide(page, "#budget", read(examples / "short" / "en.txt").words)
    item = page.locator(".item", has=page.locator(".points")).first
    item.locator("p").first.select_text()
    item.get_by_role("button").click()
    expect(page.locator("#status")).to_have_text("Copied")
    text, citation = "\n".join(item.locator("p").all_inner_texts()), item.locator("a").inner_text()
    assert "\n" in text
    assert page.evaluate("navigator.clipboard.readText()") == f"{text}\n({citation}, 32024R9001)"


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


def test_tables_are_shown_as_tables(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "patterns" / "annex-parts.oj.xhtml")
    table = page.locator("[id='u:anx-II.tbl-1'] table")
    act = read(examples / "patterns" / "annex-parts.oj.xhtml")
    shown = table.locator("tr").evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")
    assert shown == [list(row) for row in act["anx-II.tbl-1"].rows]
    page.locator("[id='u:anx-II.tbl-1'] td").first.click()
    expect(page.locator("[id='u:anx-II.tbl-1']")).to_have_attribute("aria-current", "true")


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


# --- languages --------------------------------------------------------------------------------------------


def test_switching_versions_keeps_the_selection(visit: Visit, examples: Path) -> None:
    files = [examples / "short" / f"{language}.txt" for language in ("de", "fi", "bg")]
    page = opened(visit(), *files)
    slide(page, "#budget", 150)
    same = chosen(page)
    expect(page.locator("#count")).to_have_text(re.compile(r"^\d+ / 150$"))
    page.locator(".item p").nth(3).click()
    current = page.locator(".unit[aria-current]").get_attribute("id")
    for name, language in (("Suomi", "fi"), ("Български", "bg")):
        page.get_by_label("Language version").last.select_option(label=name)
        expect(page.locator("#text-of-act")).to_have_attribute("lang", language)
        assert chosen(page) == same
        assert page.locator(".unit[aria-current]").get_attribute("id") == current
        expect(page.locator("#count")).to_have_text(re.compile(r"^\d+$"))
        check_in_step(page)


def test_switching_versions_keeps_the_scroll_positions(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "short" / "en.txt", examples / "short" / "fi.txt")
    first = "id => document.getElementById(id).getBoundingClientRect().top"
    page.evaluate("() => { document.getElementById('act').scrollTop = 900; }")
    page.evaluate("() => { document.getElementById('summary').scrollTop = 500; }")
    before = page.evaluate("() => ['act', 'summary'].map(id => document.getElementById(id).scrollTop)")
    speak(page, "fi")
    expect(page.locator(".copy").first).to_have_attribute("title", phrases("fi").reader["copy"])
    assert page.evaluate("() => ['act', 'summary'].map(id => document.getElementById(id).scrollTop)") == before
    tops = page.locator(".unit").evaluate_all("all => all.map(u => [u.id, u.getBoundingClientRect().top])")
    name, top = next((name, top) for name, top in tops if top > 200)
    page.locator("#version").select_option(label="Suomi")
    expect(page.locator("#text-of-act")).to_have_attribute("lang", "fi")
    assert page.evaluate(first, name) == pytest.approx(top, abs=60)
    assert page.evaluate("() => document.getElementById('summary').scrollTop") > 300


@pytest.mark.slow
def test_another_version_can_be_added_later(visit: Visit, examples: Path, long: Path) -> None:
    page = opened(visit(), examples / "short" / "sv.txt")
    slide(page, "#budget", 150)
    same = chosen(page)
    page.get_by_label("Add a version").set_input_files([examples / "short" / "ga.txt"])
    expect(page.locator("#text-of-act")).to_have_attribute("lang", "ga")
    expect(page.locator("#version option")).to_have_text(["Svenska", "Gaeilge"])
    assert chosen(page) == same
    page.get_by_label("Add a version").set_input_files([long])
    expect(page.locator("#errors")).to_contain_text("Another act, not opened: en.txt (32025R9100)")
    expect(page.locator("#version option")).to_have_count(2)


def test_versions_with_different_numbering_keep_the_selection(visit: Visit, examples: Path, tmp_path: Path) -> None:
    """What lost its header is found by what it says."""
    english, german = (examples / "short" / f"{language}.txt" for language in ("en", "de"))
    text = german.read_text("utf-8")
    other = tmp_path / "de.txt"
    other.write_text(text.replace("Artikel 2\nBegriffsbestimmungen\n", ""), "utf-8")
    page = opened(visit(), english, other)
    slide(page, "#budget", read(english).words)
    same = chosen(page)
    page.locator("#version").select_option(label="Deutsch")
    expect(page.locator("#text-of-act")).to_have_attribute("lang", "de")
    found = align(read(english), read(other))
    assert chosen(page) == [unit.id for unit in read(other) if unit.id in {x for n in same for x in found.pairs[n]}]
    assert "art-2" in same
    assert "art-1.par-2.sub-2" in chosen(page)
    check_in_step(page)


def test_provisions_missing_in_a_version_are_named(visit: Visit, examples: Path, tmp_path: Path) -> None:
    english, german = (examples / "short" / f"{language}.txt" for language in ("en", "de"))
    other = tmp_path / "de.txt"
    before, _, after = german.read_text("utf-8").partition("Artikel 2\n")
    other.write_text(before + "Artikel 3\n" + after.partition("Artikel 3\n")[2], "utf-8")
    page = opened(visit(), english, other)
    slide(page, "#budget", read(english).words)
    assert any(name.startswith("art-2") for name in chosen(page))
    expect(page.locator("#lacking")).to_be_hidden()
    page.locator("#version").select_option(label="Deutsch")
    expect(page.locator("#lacking")).to_have_text(re.compile("^Not in this version: Article 2"))
    assert not any(name.startswith("art-2") for name in chosen(page))


def test_an_act_opened_by_celex_number_offers_other_languages(
    visit: Visit, examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from helpers.service import fetched_before, served

    monkeypatch.setenv("LEXLATTICE_CACHE", str(tmp_path))
    for language in ("en", "lv"):
        content = (examples / "short" / f"{language}.txt").read_bytes()
        fetched_before(tmp_path, "32024R9001", language, content)
    with served(workers=1) as server:
        page = visit(address=server.address)
        page.locator("#celex").fill("32024R9001")
        expect(page.locator("#celex-language")).to_have_value("en")
        page.get_by_role("button", name="Fetch").click()
        expect(page.locator(".item").first).to_be_visible()
        same = chosen(page)
        page.locator("#version").select_option(label="Latviešu")
        expect(page.locator("#text-of-act")).to_have_attribute("lang", "lv")
        assert chosen(page) == same
        assert page.url.endswith("?celex=32024R9001&language=lv")
        page.close()


def test_a_single_version_has_no_version_menu(visit: Visit, long: Path) -> None:
    expect(opened(visit(), long).locator("#version")).to_be_hidden()


def test_the_interface_language_is_that_of_the_browser_or_the_one_chosen(visit: Visit, browser: Browser) -> None:
    with browser.new_context(locale="fi-FI") as finnish:
        page = visit(within=finnish)
        expect(page.locator("html")).to_have_attribute("lang", "fi")
        expect(page.locator("#start h1")).to_have_text(phrases("fi").reader["open"])
        page.locator("#interface").select_option("el")
        expect(page.locator("#start h1")).to_have_text(phrases("el").reader["open"])
        page.reload()
        expect(page.locator("#start h1")).to_have_text(phrases("el").reader["open"])


# --- taken away -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Markdown", "DOCX", "PDF", "JSON", "HTML"])
def test_an_export_contains_what_is_shown(visit: Visit, examples: Path, name: str) -> None:
    page = opened(visit(), examples / "short" / "en.txt")
    slide(page, "#budget", 120)
    texts = page.locator(".item p").all_inner_texts()
    page.locator("#exports summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    assert download.value.suggested_filename.startswith("32024R9001.en.")
    found = "".join(text_in(name, Path(download.value.path())).split())
    assert len(texts) > 3
    if name == "JSON":  # which names what is left out instead of marking it
        texts = [text.replace(" […]", "") for text in texts if not text.startswith("[…")]
        assert [item["id"] for item in json.loads(Path(download.value.path()).read_bytes())["extract"]] == chosen(page)
    assert all("".join(text.split()) in found for text in texts)


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


def test_printing_works_from_the_menu_on_a_phone(visit: Visit, examples: Path) -> None:
    page = opened(visit(size=PHONE), examples / "short" / "en.txt")
    page.evaluate("print = () => { window.printed = true; }")
    page.locator("#exports summary").click()
    page.get_by_role("button", name="Print").click()
    assert page.evaluate("printed")
    expect(page.locator("#print")).to_be_hidden()


def test_the_print_has_the_summary_and_the_notices(visit: Visit, examples: Path) -> None:
    page = opened(visit(color_scheme="dark"), examples / "short" / "en.txt")
    page.emulate_media(media="print")
    for part in ("#act", "#lattice", ".controls", ".bar", ".copy"):
        expect(page.locator(part).first).to_be_hidden()
    expect(page.locator(".item p").last).to_be_visible()
    expect(page.locator("#remarks")).to_contain_text(phrases("en").disclaimer)


# --- what always holds ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_the_notices_are_always_visible(visit: Visit, examples: Path, size: tuple[int, int]) -> None:
    page = opened(visit(size=size), examples / "short" / "en.txt")
    page.locator(".item p").last.click()
    notice = page.locator("#notice")
    expect(notice).to_be_in_viewport(ratio=1)
    for text in ("Word for word", "This is not legal advice.", "As adopted"):
        expect(notice).to_contain_text(text)


def test_scripts_in_an_act_do_not_run(visit: Visit, tmp_path: Path) -> None:
    bad = (
        "<img src=https://example.org/x onerror='top.ran = 1'><script>top.ran = 1</script><style>* {color: red}</style>"
    )
    act = tmp_path / "act.txt"
    act.write_text(
        f"REGULATION {bad}\n\nArticle 1\n\n{bad}\n\n1. Hives {bad} shall be registered.\n\n2. Bees are free.\n\n"
        + "3. The keeper of the bees shall inform the authority of the place in which they are kept.\n\n" * 9
    )
    page = opened(visit(), act)
    page.locator(".item p").last.click()
    assert page.evaluate("top.ran") is None
    assert "<script>" in page.locator("#text-of-act").inner_text()
    assert page.locator("#reader script, #reader img, #reader style").count() == 0


@pytest.mark.slow
def test_an_act_of_1500_provisions_stays_responsive(visit: Visit, tmp_path: Path) -> None:
    words = "hive honey wax queen label record tax duty fee authority market safety".split()
    articles = [
        f"Article {number}\n\nOn {words[number % 12]}\n\n"
        + "\n\n".join(
            f"{paragraph}. The {words[(number * paragraph) % 12]} of item {number * paragraph} shall be kept by Member "
            f"States for {paragraph} years in the {words[(number + paragraph) % 12]}."
            for paragraph in range(1, 14)
        )
        for number in range(1, 121)
    ]
    act = tmp_path / "act.txt"
    act.write_text("REGULATION (EU) 2025/1 on hives\n\n" + "\n\n".join(articles))
    page = opened(visit(), act)
    assert page.locator(".unit").count() > 1500
    budget = page.locator("#budget")
    took = budget.evaluate(
        """slider => {
            const values = [100, 900, 300, 1200, 500];
            const turns = values.map(() => values.map(value => {
                const start = performance.now();
                slider.value = value;
                slider.dispatchEvent(new Event("input"));
                document.body.getBoundingClientRect();
                return performance.now() - start;
            }));
            return values.map((_, place) => Math.min(...turns.map(turn => turn[place])));
        }"""
    )
    check_in_step(page)
    assert sorted(took)[2] < 300, "milliseconds"


# --- for everybody ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [NARROWEST, PHONE])
def test_nothing_overflows_on_a_phone(visit: Visit, examples: Path, size: tuple[int, int]) -> None:
    page = visit(size=size)
    width = "document.documentElement.scrollWidth"
    assert page.evaluate(width) == size[0]
    opened(page, examples / "short" / "de.txt", examples / "short" / "el.txt")
    for pane in ("Summary", "Act", "Lattice"):
        page.get_by_role("button", name=pane, exact=True).click()
        assert page.evaluate(width) == size[0], pane
        inner = page.locator(f"#{pane.lower()}")
        assert inner.evaluate("pane => pane.scrollWidth <= pane.clientWidth"), pane


def test_a_phone_in_landscape_scrolls_the_page(visit: Visit, examples: Path) -> None:
    page = opened(visit(size=ON_ITS_SIDE), examples / "short" / "en.txt", examples / "short" / "de.txt")
    assert page.evaluate("document.documentElement.scrollWidth") == ON_ITS_SIDE[0]
    for part, most in ((".controls", 48), ("#notice", 28)):
        assert page.locator(part).evaluate("part => part.clientHeight") <= most
    page.locator(".item p").last.click()
    expect(page.locator(".unit[aria-current]")).to_be_in_viewport(ratio=1)
    expect(page.locator(".controls")).not_to_be_in_viewport()
    expect(page.locator("#notice")).to_be_in_viewport(ratio=1)
    expect(page.locator("#tabs")).to_be_in_viewport(ratio=1)


@pytest.mark.slow
def test_it_fits_a_phone_in_all_languages(visit: Visit, examples: Path) -> None:
    page = visit(size=NARROWEST)
    for language in LANGUAGES:
        speak(page, language)
        assert page.evaluate("document.documentElement.scrollWidth") == NARROWEST[0], language
    opened(page, examples / "short" / "bg.txt", examples / "short" / "lv.txt")
    for language in ("bg", "de", "el", "fi", "mt"):
        speak(page, language)
        assert page.evaluate("document.documentElement.scrollWidth") == NARROWEST[0], language
        check_in_step(page)


def speak(page: Page, language: str) -> None:
    page.locator("#interface").select_option(language)
    expect(page.locator("html")).to_have_attribute("lang", language)


@pytest.mark.parametrize(("scheme", "size"), [("light", PHONE), ("dark", WIDE)])
def test_it_meets_wcag_22_aa(visit: Visit, examples: Path, scheme: str, size: tuple[int, int]) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(size=size, color_scheme=scheme)
    check_axe(axe, page)
    opened(page, examples / "short" / "en.txt", examples / "short" / "fr.txt")
    page.locator(".item p").nth(2).click()
    page.evaluate("import('/messages.js').then(({ showMessage }) => showMessage('Not found'))")
    check_axe(axe, page)
    page.locator("#contents summary" if size == WIDE else "#tabs [data-pane=lattice]").click()
    check_axe(axe, page)


def check_axe(axe: Any, page: Page) -> None:
    found = axe.run(page, options={"runOnly": STANDARD}).response
    assert [(rule["id"], [node["html"] for node in rule["nodes"]][:3]) for rule in found["violations"]] == []


def test_the_theme_can_be_chosen_and_is_remembered(visit: Visit) -> None:
    page = visit(color_scheme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.get_by_role("button", name="Light or dark").click()
    dark = page.evaluate(background)
    assert dark != light
    page.reload()
    assert page.evaluate(background) == dark


def test_the_page_works_by_keyboard(visit: Visit, examples: Path) -> None:
    page = visit()
    page.locator("#example").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#title")).to_be_focused()
    page.locator("#home").focus()
    page.keyboard.press("Shift+Tab")
    expect(page.locator("#skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#summary")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".citation").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".unit[aria-current]")).to_be_in_viewport()
