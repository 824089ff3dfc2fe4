"""The page of a summary in a real browser: with the mouse, from the keyboard, on a phone, in the dark, on paper."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from helpers.generated_acts import made
from lexlattice import Act, read, summarize
from lexlattice.act.summary import GROUPS, Explanation, Influence, Item, Summary
from lexlattice.apps.cli import main
from lexlattice.reading import LANGUAGES
from lexlattice.rendering.phrases import phrases

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
expect.set_options(timeout=60_000)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

Visit = Callable[..., "Page"]

WIDE, PHONE = (1280, 800), (360, 740)
NARROWEST = (320, 640)
"""What WCAG 2.2 asks to be read without scrolling sideways (1.4.10)."""
TALL = (1280, 7000)
"""All of an act at once; of text that is scrolled away no contrast can be measured."""
FOLDED = ".item :is(.line:not(.cut > *), :not(.line) > .cut)"
"""The lines of the summary, marks of what is left out among them, without what unfolds."""
STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def summary_of(act: Act, step: int = 1) -> Summary:
    """Some of an act's units, and why; groups follow each other as in the act."""
    units = act.units[::step]
    why = Explanation(3, (0.21, 0.354), (Influence(units[0].id, units[0].citation, 0.05),))
    items = [
        Item.of(unit, act.sections[unit.section], 0.5, GROUPS[turn * len(GROUPS) // len(units)], why)
        for turn, unit in enumerate(units)
    ]
    return Summary(act, budget=400, items=tuple(items))


def saved(summary: Summary, folder: Path) -> Path:
    summary.save(folder / "page.html", group=True)
    return folder / "page.html"


@pytest.fixture(scope="module")
def english(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with every fifth unit of an act."""
    return saved(summary_of(read(examples / "short" / "en.txt"), step=5), tmp_path_factory.mktemp("english"))


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A window that reaches no network."""
    with browser.new_context(offline=True) as context:
        context.set_default_timeout(60_000)
        yield context


@pytest.fixture
def visit(context: BrowserContext) -> Iterator[Visit]:
    """Opens files as people do. Whatever a test does then, nothing is asked for and nothing is complained of."""
    opened, asked, complaints = set[str](), set[str](), list[str]()

    def go(file: Path, size: tuple[int, int] = WIDE, *, at: str = "", within: Any = context, **media: Any) -> Page:
        page: Page = within.new_page()
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(reduced_motion="reduce", **media)
        page.on("request", lambda request: asked.add(request.url.partition("#")[0]))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(f"{file.as_uri()}{at}")
        opened.add(file.as_uri())
        return page

    yield go
    for page in context.pages:
        page.close()
    assert asked == opened
    assert not complaints


def ends(item: Locator) -> tuple[Locator, Locator]:
    """An item of the summary, and its place in the act."""
    page, name = item.page, str(item.get_attribute("id"))
    return page.locator(f"[id='{name}']"), page.locator(f"[id='{name.removeprefix('item:')}']")


def check_shown(seen: Locator, other: Locator) -> None:
    """This end is to be seen, and both are marked, they alone."""
    expect(seen).to_be_in_viewport()
    current = seen.page.locator("[aria-current]")
    expect(current).to_have_count(2)
    assert {end.get_attribute("id") for end in current.all()} == {end.get_attribute("id") for end in (seen, other)}
    shades = seen.page.locator("mark").evaluate_all(
        "marks => marks.map(mark => getComputedStyle(mark).backgroundColor)"
    )
    assert shades.count(background(seen.page.locator("[aria-current] mark"))) == 1


def background(element: Locator) -> str:
    return str(element.evaluate("element => getComputedStyle(element).backgroundColor"))


def colour(element: Locator) -> str:
    return str(element.evaluate("element => getComputedStyle(element).color"))


def lightness(colour: str) -> int:
    """From 0 for black to 255."""
    return max(int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))


# --- with the mouse ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_a_click_on_an_item_shows_its_unit(visit: Visit, english: Path, size: tuple[int, int]) -> None:
    page = visit(english, size)
    for number in (0, 4, -1):
        item, place = ends(page.locator(".item").nth(number))
        item.locator("p").first.click()
        check_shown(place, item)
        page.evaluate("scrollTo(0, 0)")


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_a_click_on_a_unit_shows_its_item(visit: Visit, english: Path, size: tuple[int, int]) -> None:
    page = visit(english, size)
    for number in (0, 4, -1):
        item, place = ends(page.locator(".item").nth(number))
        place.locator("mark").click()
        check_shown(item, place)


def test_a_click_does_not_scroll_its_own_pane(visit: Visit, english: Path) -> None:
    page = visit(english)
    item, place = ends(page.locator(".item").last)
    expect(place).not_to_be_in_viewport()
    item.scroll_into_view_if_needed()
    scrolled = "document.querySelector('main').scrollTop"
    before = page.evaluate(scrolled)
    item.locator("p").first.click()
    check_shown(place, item)
    assert page.evaluate(scrolled) == before > 0


def test_text_can_be_selected(visit: Visit, english: Path) -> None:
    page = visit(english)
    box = page.locator(".item p.line").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 2, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 150, box["y"] + 8)
    page.mouse.up()
    assert len(page.evaluate("String(getSelection())")) > 5
    assert "#" not in page.url


def test_back_and_forward_work(visit: Visit, english: Path) -> None:
    page = visit(english)
    first, second = (ends(page.locator(".item").nth(number)) for number in (1, -1))
    for item, _ in (first, second):
        item.locator("a").click()
    page.go_back()
    check_shown(first[1], first[0])
    page.go_forward()
    check_shown(second[1], second[0])


def test_a_link_opens_a_provision(visit: Visit, english: Path) -> None:
    item, place = ends(visit(english).locator(".item").last)
    page = visit(english, at=f"#{place.get_attribute('id')}")
    check_shown(*(page.locator(f"[id='{end.get_attribute('id')}']") for end in (place, item)))
    assert visit(english, at="#%zz").locator("[aria-current]").count() == 0


def test_each_sentence_of_a_paragraph_links_back_to_its_item(visit: Visit, tmp_path: Path) -> None:
    act = read("Decision\nArticle 1\nScope\n1. " + "Honey shall be labelled. Wax may be sold. " * 5, language="en")
    page = visit(saved(summary_of(act), tmp_path))
    links = page.locator(".place a").all()
    assert len(links) > 3
    assert page.locator(".item").count() < len(links)
    for link in links:
        link.click()
        name = link.evaluate("link => link.hash.slice(1)")
        item = page.locator(".item[aria-current]")
        assert item.evaluate("(item, id) => item.contains(document.getElementById(id))", name)
        sentences = item.locator("[id]").count() + 1
        expect(page.locator(".place[aria-current]")).to_have_count(sentences)
    item.locator("a").click()
    expect(page.locator(".place[aria-current]")).to_have_count(sentences)
    assert sentences > 1


# --- without one ------------------------------------------------------------------------------------------


def test_the_page_works_by_keyboard(visit: Visit, english: Path) -> None:
    page = visit(english)
    item, place = ends(page.locator(".item").nth(6))
    page.keyboard.press("Tab")
    expect(page.locator("main")).to_be_focused()
    for _ in range(7):
        page.keyboard.press("Tab")
    expect(item.locator("a")).to_be_focused()
    page.keyboard.press("Enter")
    check_shown(place, item)
    page.keyboard.press("Tab")
    expect(place.locator("a")).to_be_focused()
    page.keyboard.press("Enter")
    check_shown(item, place)
    page.keyboard.press("Tab")
    expect(item.locator("a")).to_be_focused()


@pytest.mark.parametrize(("key", "size"), [("Tab", WIDE), ("Shift+Tab", PHONE)])
def test_the_keyboard_focus_is_always_visible(visit: Visit, english: Path, size: tuple[int, int], key: str) -> None:
    page = visit(english, size)
    stops = page.locator("[tabindex], a:visible, summary:visible")
    met = set()
    for _ in range(stops.count()):
        page.keyboard.press(key)
        here = page.locator(":focus")
        expect(here).to_be_in_viewport()
        outline, is_covered, name = here.evaluate(
            """element => {
                const box = element.getClientRects()[0];
                const [x, y] = [box.x + box.width / 2, Math.max(box.y, 0) + Math.min(box.height / 2, 9)];
                const name = element.getAttribute("href") ?? (element.className || element.parentElement.textContent);
                const isCovered = !element.contains(document.elementFromPoint(x, y));
                return [getComputedStyle(element).outlineStyle, isCovered, name];
            }"""
        )
        assert (outline, is_covered) == ("solid", False), name
        met.add(name)
    assert len(met) == stops.count()


def test_both_panes_scroll_by_keyboard(visit: Visit, english: Path) -> None:
    page = visit(english)
    for side in ("main", ".act"):
        page.locator(side).focus()
        page.keyboard.press("End")
        page.wait_for_function("side => document.querySelector(side).scrollTop > 100", arg=side)


def test_without_scripts_links_still_work(visit: Visit, english: Path, browser: Browser) -> None:
    page = visit(english, within=browser.new_context(java_script_enabled=False, offline=True))
    item, place = ends(page.locator(".item").last)
    item.locator("a").click()
    expect(place).to_be_in_viewport()
    assert background(place.locator("mark")) != background(page.locator("mark").first)
    place.locator("a").click()
    expect(item).to_be_in_viewport()
    page.context.close()


# --- what is shown ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["el", "mt"])
def test_the_page_of_the_command_is_verbatim(visit: Visit, examples: Path, tmp_path: Path, language: str) -> None:
    act = examples / "short" / f"{language}.txt"
    for name in ("page.html", "page.json"):
        assert main(["summarize", str(act), "--words", "100", "--explain", "-o", str(tmp_path / name)]) == 0
    page, source = visit(tmp_path / "page.html"), read(act).source
    extract = json.loads((tmp_path / "page.json").read_bytes())["extract"]
    texts = [source[item["start"] : item["end"]] for item in extract]
    assert len(texts) > 3
    blocks = summarize(act, words=100).blocks()
    lines = [line.text for block in blocks for line in block.lines]
    assert page.locator(FOLDED).all_inner_texts() == lines
    assert page.locator("mark").all_inner_texts() == texts
    assert page.locator(".item > a").all_inner_texts() == [block.citation for block in blocks]
    ranks = [text.split(" · ")[0] for text in page.locator(".why").all_inner_texts()]
    assert ranks == [f"№ {item['explanation']['rank']}" for item in extract]
    page.locator(".item p.line").last.click()
    check_shown(*reversed(ends(page.locator(".item").last)))


LISTS = """Article 1
Scope
1. This Regulation covers:
(a) honey bees;
(b) wild bees, which are:
(i) bumblebees;
(ii) mason bees;
(iii) leafcutter bees;
(c) wasps;
(d) hornets.
2. It does not cover ants."""


def test_points_are_nested_below_their_lead_in_and_link_to_their_units(visit: Visit, tmp_path: Path) -> None:
    act = read(LISTS, language="en")
    names = ("art-1.par-1", "art-1.par-1.pt-b", "art-1.par-1.pt-b.pt-ii", "art-1.par-1.pt-d")
    items = tuple(Item.of(act[name], act.sections[0], 0.5, "aim") for name in names)
    page = visit(saved(Summary(act, 99, items), tmp_path))
    (item,) = page.locator(".item").all()
    assert item.locator("> a").all_inner_texts() == ["Article 1(1)"]
    assert item.locator("> .points > li > :is(.line, .cut)").all_inner_texts() == [
        "[… 1 more point: (a)]",
        "(b) wild bees, which are:",
        "[… 1 more point: (c)]",
        "(d) hornets.",
    ]
    assert item.locator("> .points > li > .points > li").all_inner_texts() == [
        "[… 1 more point: (i)]",
        "(ii) mason bees;",
        "[… 1 more point: (iii)]",
    ]
    item.get_by_text("mason bees").click()
    assert page.url.endswith("#art-1.par-1.pt-b.pt-ii")
    expect(page.locator("[id='art-1.par-1.pt-b.pt-ii']")).to_be_in_viewport()
    expect(page.locator("[aria-current]")).to_have_count(1 + len(names))


def test_a_cut_unfolds_in_place_without_scripts_and_stays_folded_on_paper(
    visit: Visit, tmp_path: Path, browser: Browser
) -> None:
    act = read(LISTS, language="en")
    items = tuple(Item.of(act[name], act.sections[0], 0.5, "aim") for name in ("art-1.par-1", "art-1.par-1.pt-a"))
    file = saved(Summary(act, 99, items), tmp_path)
    with browser.new_context(offline=True, java_script_enabled=False) as context:
        page = visit(file, within=context)
        mark, hidden = page.locator(".cut > summary"), page.locator(".cut > .line")
        assert mark.inner_text() == "[… 3 more points: (b)–(d)]"
        assert str(mark.get_attribute("title")).split(" · ") == [f"Article 1(1)({letter})" for letter in "bcd"]
        expect(hidden.first).to_be_hidden()
        page.emulate_media(media="print")
        expect(mark).to_be_visible()
        page.emulate_media(media="screen")
        mark.focus()
        page.keyboard.press("Enter")
        left_out = [unit for unit in act if unit.id.startswith("art-1.par-1.pt-") and unit.id != "art-1.par-1.pt-a"]
        assert hidden.all_inner_texts() == [f"{unit.text} {unit.citation}" for unit in left_out]
        starts = hidden.evaluate_all("lines => lines.map(line => parseFloat(getComputedStyle(line).paddingLeft))")
        assert [start > 0 for start in starts] == [False, True, True, True, False, False]
        hidden.locator("a").nth(2).click()
        assert page.url.endswith("#art-1.par-1.pt-b.pt-ii")
        expect(page.locator("[id='art-1.par-1.pt-b.pt-ii']")).to_be_in_viewport()
        page.close()


def test_scripts_in_an_act_do_not_run(visit: Visit, tmp_path: Path) -> None:
    text = (
        "<script>top.ran = 1</script><img src=https://example.org/x onerror='top.ran = 1'><style>* {color: red}</style>"
    )
    page = visit(saved(summary_of(made(("article", text, [text, "</mark></p>" + text]), title=text)), tmp_path))
    page.locator(".item p.line").first.click()
    assert page.evaluate("top.ran") is None
    assert page.locator("h1").inner_text() == page.locator("mark").first.inner_text() == text
    assert colour(page.locator("h1")) != "rgb(255, 0, 0)"


def test_nothing_overflows_on_a_phone(visit: Visit, tmp_path: Path, examples: Path) -> None:
    long = "Donaudampfschifffahrtsgesellschaft" * 5
    page = visit(saved(summary_of(made(("article", long, [long, f"(a) {long}"]), title=long)), tmp_path), NARROWEST)
    width = "document.documentElement.scrollWidth"
    assert page.evaluate(width) == NARROWEST[0], "a long word"
    for language in LANGUAGES:
        page.set_content(summary_of(read(examples / "short" / f"{language}.txt")).to_html())
        assert page.evaluate(width) == NARROWEST[0], language


# --- for everybody ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scheme", "size"), [("light", PHONE), ("dark", TALL)])
def test_it_meets_wcag_22_aa_light_and_dark(visit: Visit, english: Path, scheme: str, size: tuple[int, int]) -> None:
    """With an item that was followed, one below the mouse, and one that has the focus."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(english, size, color_scheme=scheme)
    for item in page.locator(".item").nth(1), page.locator(".item").nth(2):
        item.locator("p").first.click()
    page.locator(".item a").nth(3).focus()
    page.locator(".item p.line").first.hover()
    for side in ("body", "main"):
        assert (lightness(background(page.locator(side))) < 50) is (scheme == "dark")
    found = axe.run(page, options={"runOnly": STANDARD}).response
    assert {"color-contrast", "target-size"} <= {rule["id"] for rule in found["passes"]}
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"] + found["incomplete"]] == []


def test_marks_are_visible_in_forced_colours(visit: Visit, english: Path) -> None:
    page = visit(english, forced_colors="active")
    items = page.locator(".item")
    item, place = ends(items.first)
    item.locator("a").click()
    parts = (page.locator("body"), page.locator("mark").last, place.locator("mark"))
    paper, other, now = map(background, parts)
    assert len({paper, other, now}) == 3
    borders = [part.evaluate("item => getComputedStyle(item).borderInlineStartColor") for part in items.all()]
    assert paper != borders[0]
    assert {*borders[1:]} == {paper}


# --- on paper ---------------------------------------------------------------------------------------------


def test_the_print_has_the_summary_and_no_controls(visit: Visit, english: Path) -> None:
    page = visit(english, color_scheme="dark")
    page.locator(".item p.line").first.click()
    page.emulate_media(media="print")
    expect(page.locator(".act")).to_be_hidden()
    for part in ("body", "main", ".item"):
        assert background(page.locator(part).first) == "rgba(0, 0, 0, 0)", part
    for part in ("h1", ".item a", ".item .line", ".why", "footer"):
        assert lightness(colour(page.locator(part).first)) < 110, part
    assert page.locator(".item a").first.evaluate("link => getComputedStyle(link).textDecorationLine") == "none"


def test_the_print_has_the_whole_summary(visit: Visit, english: Path) -> None:
    pdfium = pytest.importorskip("pypdfium2")
    page = visit(english)
    paper = pdfium.PdfDocument(io.BytesIO(page.pdf(prefer_css_page_size=True)))
    text = "".join("".join(sheet.get_textpage().get_text_bounded().split()) for sheet in paper)
    for shown in (*page.locator(f"{FOLDED}, .why").all_inner_texts(), phrases("en").disclaimer):
        assert "".join(shown.split()) in text
    for unit in page.locator(".act span[id]:not(.place)").all_inner_texts():
        assert "".join(unit.split()) not in text
