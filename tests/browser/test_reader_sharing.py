"""What people take away from the web reader: copies with citations, links, exported files, and prints."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers.reader import PHONE, WIDE, Visit, chosen, opened, pick, slide
from lexlattice import read
from lexlattice.reading.citations.act_names import form_of
from lexlattice.rendering.phrases import phrases

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("uvicorn")
pytest.importorskip("fastapi")
expect = playwright.expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_an_item_is_copied_as_people_cite(visit: Visit, hives: Path) -> None:
    page = opened(visit(), hives)
    pick(page, "art-2.par-1", "art-2.par-1.pt-a")
    item = page.locator(".item")
    text = "\n".join(item.locator("p").all_inner_texts())
    assert "[… 4 more points: (b)–(e)]" in text
    full = f"{text}\n(Article 2(1) of Regulation (EU) 2025/77)"
    item.get_by_role("button", name="Copy with citation").click()
    expect(page.locator("#status")).to_have_text("Copied")
    assert clipboard(page) == full
    item.locator(".item-menu summary").click()
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
    page.keyboard.press("Enter")
    expect(item.locator(".menu-list")).to_be_visible()
    page.keyboard.press("Shift+Tab")
    expect(item.locator(".menu-list")).to_be_hidden()
    page.evaluate("import('/share.js').then(({ copyCurrent }) => copyCurrent())")
    item.locator(".citation").click()
    page.evaluate("import('/share.js').then(({ copyCurrent }) => copyCurrent())")
    assert clipboard(page) == full


def test_what_is_unfolded_is_copied_and_printed_instead_of_its_mark(visit: Visit, hives: Path) -> None:
    page, act = opened(visit(), hives), read(hives)
    first, second, third = act.provision("art-2.par-2").units
    pick(page, "art-2.par-1", "art-2.par-1.pt-a", "art-2.par-1.pt-d", first.id, third.id)
    marks = page.locator(".item .cut")
    expect(marks).to_have_text(["[… 2 more points: (b), (c)]", "[… 1 more point: (e)]", "[…]"])
    marks.nth(0).click()
    marks.nth(2).click()
    names = ("", ".pt-a", ".pt-b", ".pt-b.pt-i", ".pt-b.pt-ii", ".pt-c", ".pt-d")
    units = [act[f"art-2.par-1{name}"] for name in names]
    points = [*(unit.text for unit in units), "[… 1 more point: (e)]"]
    sentences = " ".join(unit.text for unit in (first, second, third))
    copies = (("\n".join(points), "Article 2(1)"), (sentences, "Article 2(2)"))
    for item, (text, citation) in zip(page.locator(".item").all(), copies, strict=True):
        item.get_by_role("button", name="Copy with citation").click()
        assert clipboard(page) == f"{text}\n({citation} of Regulation (EU) 2025/77)"
    page.evaluate("getSelection().selectAllChildren(document.getElementById('items'))")
    page.keyboard.press("Control+c")
    assert "2 more points" not in clipboard(page)
    printed = " ".join(text_of_print(page).split())
    assert all(text in printed for text in [*points, sentences])
    assert "2 more points" not in printed
    assert "[…]" not in printed
    assert f"{sum(unit.words for unit in (*units, first, second, third))} of {act.words} words" in printed


def text_of_print(page: Page) -> str:
    pages = pytest.importorskip("pypdfium2").PdfDocument(page.pdf())
    return "\n".join(page.get_textpage().get_text_bounded() for page in pages)


def test_the_whole_summary_and_what_is_selected_in_it_are_copied_without_stars(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "short" / "en.txt")
    page.locator("#exports summary").click()
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
    assert "★" not in text + copied
    assert "Why?" not in text + copied


def test_a_link_to_what_is_shown_is_copied(visit: Visit, examples: Path) -> None:
    page, texts = opened(visit(), examples / "short" / "en.txt"), phrases("en").reader
    slide(page, "#budget", 150)
    page.locator("#exports summary").click()
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#status")).to_have_text(texts["link_local"])
    assert "words=150" in clipboard(page)
    page.evaluate("import('/state.js').then(({ state }) => { state.versions[0].source.celex = '32024R9001'; })")
    page.locator("#exports summary").click()
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#status")).to_have_text(texts["link_copied"])
    assert clipboard(page).endswith("?celex=32024R9001&lang=en&words=150")


def test_on_a_phone_the_link_is_shared_with_its_menu(visit: Visit, browser: Browser, examples: Path) -> None:
    with browser.new_context(locale="en-GB", has_touch=True, is_mobile=True) as touched:
        page = opened(visit(within=touched, size=PHONE), examples / "short" / "en.txt")
        page.evaluate("navigator.share = async (what) => { window.shared = what; }")
        page.locator("#exports summary").tap()
        page.get_by_role("button", name="Copy link").tap()
        assert "words=" in page.evaluate("shared.url")
        assert page.evaluate("shared.title") == page.title()


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
            page.locator("#exports").get_by_role("button", name=name).press("Enter")
        expect(page.locator("#exports > summary")).to_be_focused()
        expect(page.locator("#status")).to_contain_text(download.value.suggested_filename)
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
    expect(page.locator(".item .cut")).to_have_text("[… 4 more points: (b)–(e)]")
    eli = "http://data.europa.eu/eli/reg/2025/77/oj"
    for part in ("CELEX 32025R0077", page.locator("#count").inner_text(), "LexLattice", eli):
        expect(page.locator("#cover")).to_contain_text(part)
    for part in ("#summary", ".item"):
        expect(page.locator(part).first).to_have_css("border-left-width", "0px")
    expect(page.locator("#cover")).to_contain_text(re.compile(r"\d{1,2} \w+ 20\d\d"))
    expect(page.locator("#remarks")).to_contain_text(phrases("en").disclaimer)
    text = " ".join(text_of_print(page).split())
    assert "[… 4 more points: (b)–(e)]" in text
    for part in (phrases("en").reader["advice"], "As adopted", "2025/77 "):
        assert text.count(part) == 1, part
    assert "A keeper of bees in the Union" in text
    assert "Why?" not in text
