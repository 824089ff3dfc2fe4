"""The web reader in a real browser: how acts are opened, kept and linked to, and how the page fits every window."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from helpers.reader import NARROWEST, ON_ITS_SIDE, PHONE, STANDARD, TABLET, WIDE, Visit, chosen, opened, slide, speak
from lexlattice.apps.serve.jobs import view_of
from lexlattice.reading import LANGUAGES, read
from lexlattice.rendering.phrases import phrases

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TEXT = "Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free."
ENGLISH = phrases("en").reader
WIDTH = "document.documentElement.scrollWidth"


@pytest.fixture(scope="module")
def short(examples: Path) -> Path:
    return examples / "short" / "en.txt"


def hold(page: Page, text: str) -> Any:
    """A file that is dragged over the page."""
    return page.evaluate_handle(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "act.txt"));
            return data;
        }""",
        text,
    )


def current(page: Page) -> str:
    """The id of the current unit, once there is one."""
    unit = page.locator("#act .unit[aria-current]")
    expect(unit).to_have_count(1)
    return str(unit.get_attribute("data-id"))


def check_axe(page: Page) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page, options={"runOnly": STANDARD}).response
    assert [(rule["id"], [node["html"] for node in rule["nodes"]][:3]) for rule in found["violations"]] == []


# The field, files and examples.


def test_the_field_says_what_it_understood(visit: Visit) -> None:
    page = visit()
    entry, understood, languages = (page.locator(part) for part in ("#entry", "#understood", "#entry-languages"))
    expect(languages).to_be_hidden()
    entry.fill("https://eur-lex.europa.eu/legal-content/DE/TXT/?uri=CELEX:32016R0679")
    expect(understood).to_contain_text("2016/679")
    expect(page.locator("#entry-language")).to_have_value("de")
    entry.fill("2016/680")
    expect(understood).to_contain_text("Regulation (EU) 2016/680")
    expect(languages).to_be_visible()
    expect(page.locator("#candidates button")).to_have_text(["Directive (EU) 2016/680", re.compile("2016/680")])
    entry.fill("hello bees")
    expect(understood).to_have_text(ENGLISH["not_understood"])
    expect(entry).not_to_have_attribute("aria-invalid", "true")
    page.keyboard.press("Enter")
    expect(entry).to_have_attribute("aria-invalid", "true")
    expect(entry).to_be_focused()
    expect(languages).to_be_hidden()
    expect(page.locator("#candidates button")).to_have_count(0)
    entry.fill(TEXT)
    expect(entry).not_to_have_attribute("aria-invalid", "true")
    expect(understood).to_contain_text("11")
    speak(page, "de")
    expect(understood).to_contain_text("11")
    expect(understood).not_to_have_text(ENGLISH["understood_text"].format(words=11))
    entry.fill("")
    expect(understood).to_be_empty()


def test_an_error_of_the_service_is_in_the_interface_language(visit: Visit, short: Path) -> None:
    page = visit()
    speak(page, "de")
    page.locator("#entry").fill("32016R0679")
    page.keyboard.press("Enter")
    alert = page.locator("#errors")
    expect(alert.locator("span[lang=de]")).to_have_text(phrases("de").errors["fetch-disabled"])
    expect(page.locator("#start")).to_be_visible()
    alert.get_by_role("button").press("Enter")
    expect(alert).to_be_empty()
    expect(page.locator("#entry")).to_be_focused()
    opened(page, short)
    expect(alert).to_be_empty()


def test_text_is_opened_from_the_keyboard(visit: Visit) -> None:
    page = visit()
    page.locator("#entry").fill(TEXT)
    page.keyboard.press("Enter")
    expect(page.locator("#entry")).to_have_value(f"{TEXT}\n")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#title")).to_be_focused()
    assert chosen(page)
    expect(page).to_have_url(re.compile(r"\?recent=\w+&lang=en&words=\d+$"))


def test_files_can_be_dropped_anywhere(visit: Visit, long: Path) -> None:
    page = visit()
    data = hold(page, long.read_text("utf-8"))
    for part in (".hero", "#summary"):
        expect(page.locator(".drop-overlay")).to_be_hidden()
        page.locator(part).dispatch_event("dragover", {"dataTransfer": data})
        expect(page.locator(".drop-overlay")).to_be_in_viewport(ratio=1)
        page.locator(part).dispatch_event("drop", {"dataTransfer": data})
        page.wait_for_selector("html.at-reader")
    expect(page.locator("#facts")).to_contain_text("32025R9100")


def test_three_examples_can_be_tried_in_the_readers_language(visit: Visit) -> None:
    page = visit()
    cards = page.locator("#example-list a")
    expect(cards).to_have_count(3)
    english = cards.all_inner_texts()
    speak(page, "el")
    expect(cards).to_have_count(3)
    assert not set(english) & set(cards.all_inner_texts())
    cards.last.click()
    expect(page.locator("#items")).to_have_attribute("lang", "el")
    expect(page).to_have_url(re.compile(r"\?example=[\w-]+&lang=el&words=\d+$"))


def test_an_unreachable_service_is_reported_in_the_interface_language(visit: Visit, short: Path) -> None:
    page = visit()
    speak(page, "de")
    page.route("**/v1/{views,words/*,identifiers*}", lambda route: route.abort())
    alert = page.locator("#errors")
    page.locator("#entry").fill("2016/679")
    for trying in (
        lambda: page.keyboard.press("Enter"),
        lambda: page.locator("#file").set_input_files(short),
        lambda: page.locator("#interface").select_option("fr"),
    ):
        trying()
        expect(alert).to_contain_text(phrases("de").reader["unreachable"])
        alert.get_by_role("button").click()
    expect(page.locator("#interface")).to_have_value("de")
    page.unroute("**/v1/{views,words/*,identifiers*}")
    page.route("**/v1/views", lambda route: route.fulfill(json={}))
    page.locator("#file").set_input_files(short)
    expect(alert).to_contain_text(phrases("de").reader["failed"])
    expect(page.locator("#start")).to_be_visible()


def test_progress_is_shown_and_the_last_of_several_tasks_wins(visit: Visit, long: Path, examples: Path) -> None:
    page, held = visit(), list[Any]()
    page.route("**/v1/views", lambda route: held.append(route))
    page.locator("#file").set_input_files(examples / "short" / "fr.txt")
    expect(page.locator("#status progress")).to_be_visible()
    expect(page.get_by_role("status").and_(page.locator("#status *"))).to_have_text(ENGLISH["working"])
    page.keyboard.press("Escape")
    expect(page.locator("#status")).to_be_empty()
    for file in (examples / "short" / "de.txt", examples / "short" / "fi.txt", long):
        page.locator("#file").set_input_files(file)
    page.wait_for_timeout(100)
    early, late = (view_of(read(examples / "short" / f"{language}.txt")) for language in ("de", "fi"))
    held[1].fulfill(json=early)
    page.wait_for_timeout(100)
    expect(page.locator("#status progress")).to_be_visible()
    expect(page.locator("#start")).to_be_visible()
    held[3].continue_()
    expect(page.locator("#facts")).to_contain_text("32025R9100")
    expect(page.locator("#status")).to_be_empty()
    held[2].fulfill(json=late)
    page.wait_for_timeout(100)
    expect(page.locator("#facts")).to_contain_text("32025R9100")


# What is kept, and links.


def test_acts_are_kept_only_if_the_user_agrees(visit: Visit, short: Path) -> None:
    page = opened(visit(), short)
    page.reload()
    expect(page.locator("#errors")).to_contain_text(ENGLISH["not_kept"])
    expect(page.locator("#start")).to_be_visible()
    assert page.evaluate("indexedDB.databases()") == []
    page.locator("#keep").check()
    opened(page, short)
    slide(page, "#budget", 120)
    page.locator("#articles-only").check()
    page.keyboard.press("j")
    page.keyboard.press("j")
    unit, shown = current(page), chosen(page)
    expect(page).to_have_url(re.compile(f"words=120&focus=articles#{re.escape(unit)}$"))
    page.reload()
    assert (current(page), chosen(page)) == (unit, shown)
    page.locator("#home").click()
    page.reload()
    card = page.locator("#recent-list a")
    expect(card).to_have_count(1)
    card.click()
    assert (current(page), chosen(page)) == (unit, shown)
    page.locator("#home").click()
    page.get_by_role("button", name=ENGLISH["forget"]).click()
    expect(card).to_have_count(0)
    page.locator("#keep").uncheck()
    page.wait_for_function("indexedDB.databases().then(all => all.length === 0)")
    page.reload()
    expect(page.locator("#keep")).not_to_be_checked()


def test_the_oldest_acts_make_room_and_a_full_browser_says_so(visit: Visit) -> None:
    page = visit()
    page.locator("#keep").check()
    keep = """async (number) => (await import("/recents.js")).keep([{
        source: { text: `Act ${number}` }, view: { title: `Act ${number}`, name: "", language: "en", words: 2 } }])"""
    for number in range(14):
        page.evaluate(keep, number)
    titles = page.locator("#recent-list .card-title")
    expect(titles).to_have_text([f"Act {number}" for number in range(13, 1, -1)])
    page.evaluate("void (IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError') })")
    page.evaluate(keep, 99)
    expect(page.locator("#errors")).to_contain_text(ENGLISH["keep_failed"])
    expect(titles).to_have_count(12)


def test_a_link_shows_what_one_sees(visit: Visit) -> None:
    page = visit("?example=regulation&lang=en")
    page.wait_for_selector("html.at-reader")
    page.keyboard.press("3")
    page.locator("#articles-only").check()
    page.keyboard.press("n")
    unit = current(page)
    expect(page).to_have_url(re.compile("#"))
    other = visit(page.url[page.url.index("?") :], PHONE)
    assert current(other) == unit
    expect(other.locator(".unit[aria-current]")).to_be_in_viewport()
    expect(other.locator("#sheet-handle")).to_have_attribute("aria-expanded", "false")
    assert other.locator("#sheet-handle").evaluate("handle => handle.getBoundingClientRect().top > innerHeight / 2")
    assert chosen(other) == chosen(page)
    assert other.title() == page.title()
    assert re.fullmatch(r"Article .* · .*2024/9001 · LexLattice", page.title())


def test_a_link_restores_versions_and_the_selection_made_on_another(visit: Visit) -> None:
    page = visit("?example=regulation&lang=de&from=en&with=fr&words=200#art-3")
    for part, language in (("act", "de"), ("second", "fr")):
        expect(page.locator(f"#text-of-{part}")).to_have_attribute("lang", language)
    assert current(page).startswith("art-3")
    english = visit("?example=regulation&lang=en&words=200")
    english.wait_for_selector("html.at-reader")
    assert chosen(english) == chosen(page)
    expect(page).to_have_url(re.compile(r"\?example=regulation&lang=de&from=en&words=200&with=fr#art-3"))
    expect(page.locator("#skip")).to_be_hidden()
    page.set_viewport_size({"width": 720, "height": 450})
    expect(page.locator("#open-how")).to_be_visible()


def test_a_broken_link_says_so(visit: Visit) -> None:
    page = visit("?example=regulation&lang=en&words=never#art-999")
    expect(page.locator("#errors")).to_contain_text("art-999")
    expect(page.locator("#items .item").first).to_be_visible()
    page.evaluate("location.hash = '#art-5'")
    assert current(page).startswith("art-5")
    expect(page.locator("#errors")).to_be_empty()


def test_back_returns_to_places_and_not_to_clicks(visit: Visit, short: Path, long: Path) -> None:
    page = opened(visit(size=PHONE), short)
    summary, act = page.locator("#summary-body"), page.locator("#act")
    page.locator(".citation").nth(2).click()
    place = current(page)
    expect(summary).to_be_hidden()
    for unit in (20, 25):
        page.locator("#act .unit").nth(unit).click()
    clicked = current(page)
    assert clicked != place
    page.go_back()
    expect(summary).to_be_visible()
    expect(page.locator("[aria-current=true]")).to_have_count(0)
    page.go_forward()
    expect(summary).to_be_hidden()
    assert current(page) == clicked
    opened(page, long)
    expect(page.locator("#facts")).to_contain_text("32025R9100")
    page.go_back()
    expect(page.locator("#facts")).to_contain_text("32024R9001")
    expect(act.locator(".unit[aria-current]")).to_be_in_viewport()
    page.locator("#home").click()
    expect(page.locator("#start")).to_be_visible()
    expect(page).to_have_title("LexLattice")
    expect(page).to_have_url(re.compile("/$"))
    page.go_back()
    expect(page).to_have_title(re.compile("2024/9001 · LexLattice$"))
    page.go_back()
    expect(summary).to_be_visible()
    page.go_back()
    expect(page.locator("#start")).to_be_visible()


def test_back_returns_to_where_the_text_was(visit: Visit, short: Path) -> None:
    page = opened(visit(), short)
    top = page.locator("#act").evaluate("pane => pane.scrollTop = 2000")
    page.locator("#contents-list a:visible").last.click()
    page.wait_for_function("top => document.getElementById('act').scrollTop > top + 500", arg=top)
    page.go_back()
    page.wait_for_function("top => Math.abs(document.getElementById('act').scrollTop - top) < 5", arg=top)
    assert top > 0


# Keys.


def test_keys_lead_through_the_act_from_anywhere(visit: Visit, long: Path) -> None:
    page = opened(visit(), long)
    places = "#act .unit[aria-current]"
    page.locator("#theme").focus()
    for key in ("j", "j", "k"):
        page.keyboard.press(key)
    expect(page.locator(places)).to_be_focused()
    assert page.locator(places).get_attribute("data-place") == "0"
    page.keyboard.press("n")
    expect(page.locator(f"{places}.chosen")).to_be_in_viewport()
    first = current(page)
    page.keyboard.press("Shift+J")
    assert current(page) != first
    page.keyboard.press("p")
    assert current(page) == first
    lengths = list[int]()
    for key in ("1", "2", "3"):
        page.keyboard.press(key)
        lengths.append(len(chosen(page)))
    assert lengths == sorted(set(lengths))
    page.locator("#open-search").click()
    page.keyboard.press("Escape")
    page.keyboard.press("[")
    expect(page.locator("#contents")).to_be_focused()


def test_the_keys_are_listed_and_can_be_switched_off(visit: Visit, short: Path) -> None:
    page = opened(visit(), short)
    speak(page, "fr")
    page.locator("#title").focus()
    page.keyboard.press("?")
    dialog = page.locator("#keys")
    expect(dialog).to_contain_text(phrases("fr").reader["key_next"])
    check_axe(page)
    dialog.get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press("j")
    page.keyboard.press("?")
    expect(dialog).to_be_hidden()
    expect(page.locator(".unit[aria-current]")).to_have_count(0)
    page.locator("#open-keys").click()
    dialog.get_by_role("checkbox").check()
    page.keyboard.press("Escape")
    page.locator("#home").click()
    page.locator("#entry").press_sequentially("jk?")
    expect(page.locator("#entry")).to_have_value("jk?")
    expect(dialog).to_be_hidden()


def test_the_page_works_by_keyboard(visit: Visit) -> None:
    page = visit()
    expect(page.locator("#example-list a").first).to_be_visible()
    page.locator("#go").focus()
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(page.locator("#example-list a").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#title")).to_be_focused()
    page.locator("#home").focus()
    for link, pane in (("#skip-act", "#act"), ("#skip", "#summary")):
        page.keyboard.press("Shift+Tab")
        expect(page.locator(link)).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(pane)).to_be_focused()
        page.locator(link).focus()
    page.locator(".citation").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".unit[aria-current]")).to_be_focused()
    home = page.locator("#home")
    expect(home).to_have_accessible_name(re.compile(f"^LexLattice .*{ENGLISH['back']}"))
    home.press("Enter")
    expect(page.locator("#start h1")).to_be_focused()
    expect(home).to_be_disabled()


# Windows of every size.


def test_the_text_has_three_quarters_of_a_small_screen(visit: Visit, short: Path) -> None:
    page = opened(visit(size=PHONE), short)
    handle, notice = page.locator("#sheet-handle"), page.locator("#notice")
    free = """pane => {
        const isFixed = (part) => part.checkVisibility() && getComputedStyle(part).position !== "static";
        const covers = [...pane.querySelectorAll(".act-head, .controls"), document.getElementById("sheet-handle")];
        const covered = covers.filter(isFixed).reduce((sum, cover) => sum + cover.offsetHeight, 0);
        return (pane.getBoundingClientRect().height - covered) / innerHeight;
    }"""
    for width, height in (PHONE, ON_ITS_SIDE, (740, 360)):
        page.set_viewport_size({"width": width, "height": height})
        expect(notice).to_be_in_viewport(ratio=1)
        assert page.locator("#summary").evaluate(free) >= 0.75
        for part in ("#map-bars", "#open-how"):
            page.locator(part).scroll_into_view_if_needed()
            expect(page.locator(part)).to_be_in_viewport()
        if width < 800:
            handle.press("Enter")
            expect(handle).to_have_attribute("aria-expanded", "false")
            expect(handle).to_be_in_viewport(ratio=1)
            expect(page.locator("#summary-body")).to_be_hidden()
        assert page.locator("#act").evaluate(free) >= 0.75
        assert page.evaluate(WIDTH) == width
        if width < 800:
            handle.press("Enter")
    page.set_viewport_size({"width": NARROWEST[0], "height": 256})
    for part in ("#name", "#notice"):
        page.locator(part).scroll_into_view_if_needed()
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
        cut = "part => [part.scrollWidth - part.clientWidth, part.scrollHeight - part.clientHeight]"
        assert max(page.locator(part).evaluate(cut)) <= 1
    page.locator("#open-how").click()
    expect(page.locator("#how")).to_be_visible()


def test_on_a_phone_the_summary_is_a_sheet_over_the_act(visit: Visit, short: Path) -> None:
    page = opened(visit(size=PHONE), short)
    handle, body, act = (page.locator(part) for part in ("#sheet-handle", "#summary-body", "#act"))
    expect(handle).to_have_attribute("aria-expanded", "true")
    assert act.evaluate("pane => pane.inert")
    page.locator(".citation").nth(1).click()
    expect(body).to_be_hidden()
    expect(page.locator(".unit[aria-current]")).to_be_focused()
    page.locator(".unit.chosen .star").nth(1).click()
    expect(body).to_be_visible()
    expect(page.locator(".item[aria-current]")).to_be_in_viewport()
    handle.hover()
    page.mouse.down()
    page.mouse.move(200, 700)
    page.mouse.up()
    expect(body).to_be_hidden()
    check_axe(page)
    page.emulate_media(media="print")
    expect(page.locator(".item").first).to_be_visible()
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": 1000, "height": 800})
    expect(body).to_be_visible()
    assert not act.evaluate("pane => pane.inert")


def test_the_contents_are_a_drawer_until_there_is_room(visit: Visit, short: Path) -> None:
    page = opened(visit(size=TABLET), short)
    button, contents = page.locator("#open-contents"), page.locator("#contents")
    expect(contents).to_be_hidden()
    button.click()
    expect(contents).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "true")
    for pane in ("#summary", "#act"):
        assert page.locator(pane).evaluate("pane => pane.inert")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    check_axe(page)
    page.set_viewport_size({"width": TABLET[0], "height": TABLET[1]})
    page.keyboard.press("Escape")
    expect(contents).to_be_hidden()
    expect(button).to_be_focused()
    for pane in ("#summary", "#act"):
        assert not page.locator(pane).evaluate("pane => pane.inert")
    page.keyboard.press("Enter")
    page.mouse.click(TABLET[0] - 20, 600)
    expect(contents).to_be_hidden()
    button.click()
    page.locator("#contents-list a:visible").nth(3).click()
    expect(contents).to_be_hidden()
    expect(page.locator(".unit[aria-current]")).to_be_focused()
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    expect(contents).to_be_visible()
    expect(button).to_be_hidden()


def test_it_fits_a_phone_in_all_languages(visit: Visit, examples: Path) -> None:
    """A window of 320 pixels is also what 400 % zoom leaves of 1280."""
    page = visit(size=NARROWEST)
    for language in LANGUAGES:
        speak(page, language)
        assert page.evaluate(WIDTH) == NARROWEST[0], language
    opened(page, examples / "short" / "bg.txt", examples / "short" / "lv.txt")
    names = """() => {
        const tools = document.querySelectorAll(":is(.bar, .act-tools) :is(button, select), .controls input");
        const seen = [...tools].filter((tool) => tool.checkVisibility({ visibilityProperty: true }));
        return seen.map((tool) => [tool.id, tool.ariaLabel || tool.innerText || tool.labels?.[0]?.innerText]);
    }"""
    for language in ("bg", "de", "el", "fi", "mt"):
        speak(page, language)
        for width in (NARROWEST[0], 660, 800):
            page.set_viewport_size({"width": width, "height": NARROWEST[1]})
            for _ in range(2 if width < 800 else 1):
                assert page.evaluate(WIDTH) == width, language
                for part in ("#summary", "#act", ".bar"):
                    assert page.locator(part).evaluate("part => part.scrollWidth <= part.clientWidth"), (language, part)
                assert [tool for tool, name in page.evaluate(names) if not name] == []
                if width < 800:
                    page.locator("#sheet-handle").click()


@pytest.mark.parametrize(("scheme", "size"), [("light", PHONE), pytest.param("dark", WIDE, marks=pytest.mark.slow)])
def test_it_meets_wcag_22_aa(visit: Visit, short: Path, scheme: str, size: tuple[int, int]) -> None:
    page = visit(size=size, color_scheme=scheme)
    page.locator("#keep").check()
    page.locator("#entry").fill("hello bees")
    expect(page.locator("#understood")).not_to_be_empty()
    check_axe(page)
    opened(page, short)
    page.evaluate("import('/messages.js').then(({ showMessage }) => showMessage('Not found'))")
    check_axe(page)
    page.locator("#home").click()
    expect(page.locator("#recent-list a")).to_be_visible()
    check_axe(page)


def test_what_was_chosen_can_be_told_in_forced_colours(visit: Visit, short: Path) -> None:
    page = opened(visit(forced_colors="active"), short)
    page.keyboard.press("j")
    looks = "unit => getComputedStyle(unit).textDecorationLine + getComputedStyle(unit).outlineStyle"
    other = page.locator("#act .unit:not(.chosen, [aria-current])").first.evaluate(looks)
    assert page.locator("#act .unit.chosen").first.evaluate(looks) != other
    assert page.locator("#act .unit[aria-current]").evaluate(looks) != other


def test_language_and_theme_are_those_of_the_browser_or_those_chosen(visit: Visit, browser: Browser) -> None:
    background = "getComputedStyle(document.documentElement).colorScheme"
    with browser.new_context(locale="fi-FI") as finnish:
        page = visit(within=finnish, color_scheme="light")
        expect(page.locator("#start h1")).to_have_text(phrases("fi").reader["promise"])
        speak(page, "el")
        page.locator("#theme").click()
        page.reload()
        expect(page.locator("#start h1")).to_have_text(phrases("el").reader["promise"])
        assert page.evaluate(background) == "dark"
