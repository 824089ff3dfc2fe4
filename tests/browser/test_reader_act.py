"""The act's pane: its whole text, the contents, search, cross-references, and defined terms."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers.reader import NARROWEST, PHONE, STANDARD, WIDE, Visit, chosen, opened, slide
from lexlattice import Act, read
from lexlattice.apps.serve.view import view_of
from lexlattice.rendering.phrases import phrases

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

TEXT_OF_ACT = """() => {
    const copy = document.getElementById("text-of-act").cloneNode(true);
    copy.querySelectorAll(".related, .part-name").forEach(line => line.remove());
    return copy.textContent;
}"""
"""The text of the act's pane, without what the page adds to it."""


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def text_without_pages(act: Act) -> str:
    """The source of an act without page headers."""
    kept, end = list[str](), 0
    for piece in sorted(act.furniture, key=lambda piece: piece.start):
        if piece.kind == "page":
            kept.append(act.source[end : piece.start])
            end = piece.end
    return "".join(kept) + act.source[end:]


def unit(page: Page, name: str) -> Locator:
    return page.locator(f"#act .unit[data-id='{name}']")


def check_axe(page: Page) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page, options={"runOnly": STANDARD}).response
    assert [(rule["id"], [node["html"] for node in rule["nodes"]][:3]) for rule in found["violations"]] == []


def search(page: Page, words: str) -> None:
    """Open the search by keyboard, and type."""
    if not page.locator("#search").is_visible():
        page.keyboard.press("Control+k")
    page.locator("#search-text").fill(words)
    page.locator("#search-text[aria-expanded=true]").wait_for()


# --- the text ---


@pytest.mark.parametrize("name", ["long/en.txt", "patterns/contents.txt", "patterns/annex-parts.oj.xhtml"])
def test_the_whole_act_is_shown(visit: Visit, examples: Path, name: str) -> None:
    """Formulas, signatures, tables, contents and headings too: each letter once, in the order of the source."""
    act, page = read(examples / name), opened(visit(), examples / name)
    assert {piece.kind for piece in act.furniture} & {"formula", "signature", "contents", "heading"}
    assert letters(page.evaluate(TEXT_OF_ACT)) == letters(text_without_pages(act))
    # Parts without a heading have one for screen readers, and points are items of lists.
    hidden = page.locator("#text-of-act h3.part-name").all_text_contents()
    nameless = [each for each in view_of(act)["sections"] if not each["label"] and not each["heading"]]
    assert hidden == [section["name"] for section in nameless]
    points = page.locator("#text-of-act [role=list] > p[role=listitem]")
    levels = points.evaluate_all("all => all.map(each => each.getAttribute('aria-level'))")
    deep = page.locator("#text-of-act p.paragraph:not(.depth-0)").evaluate_all("all => all.map(each => each.className)")
    assert [f"depth-{level}" for level in levels] == [name.split()[1] for name in deep]
    if "long" in name:  # what shouts is set smaller
        sizes = [
            float(unit(page, f"pre-{place}").evaluate("u => parseFloat(getComputedStyle(u).fontSize)"))
            for place in (1, 2)
        ]
        assert act["pre-1"].text.isupper()
        assert sizes[0] < sizes[1]
    if "annex-parts" in name:
        rows = page.locator("[id='u:anx-II.tbl-1'] tr")
        shown = rows.evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")
        assert shown == [list(row) for row in act["anx-II.tbl-1"].rows]
        page.locator("[id='u:anx-II.tbl-1'] td").first.click()
        expect(unit(page, "anx-II.tbl-1")).to_have_attribute("aria-current", "true")


def test_copied_text_has_neither_stars_nor_links_between_provisions(visit: Visit, long: Path) -> None:
    page, act = opened(visit(), long), read(long)
    slide(page, "#budget", 3000)
    article = page.locator("#act .part[data-section='8']")
    assert article.locator(".star").count() >= 1
    star = article.locator(".star").first
    assert act.sections[8].units[0].citation in str(star.get_attribute("aria-label"))
    assert page.locator(".related").count() > 5
    page.locator("#act .part.recitals").evaluate("part => getSelection().selectAllChildren(part)")
    page.keyboard.press("Control+c")
    recitals = page.evaluate("navigator.clipboard.readText()")
    article.evaluate("part => getSelection().selectAllChildren(part)")
    page.keyboard.press("Control+c")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.split() == " ".join(["Article 6", act.sections[8].heading, *_texts(act, 8)]).split()
    pieces = (act.source[piece.start : piece.end] for piece in act.furniture)
    formula = next(text for text in pieces if text.startswith("HAVE ADOPTED"))
    assert recitals.split() == " ".join([*_texts(act, 2), formula]).split()


def _texts(act: Act, section: int) -> list[str]:
    return [unit.text for unit in act.sections[section].units]


def test_scripts_in_an_act_do_not_run(visit: Visit, tmp_path: Path) -> None:
    bad = (
        "<img src=https://example.org/x onerror='top.ran = 1'><script>top.ran = 1</script><style>* {color: red}</style>"
    )
    act = tmp_path / "act.txt"
    act.write_text(
        f"REGULATION {bad}\n\nArticle 1\n\n{bad}\n\n1. Hives {bad} shall be registered.\n\n2. Bees are free.\n\n"
        + "3. The keeper of the bees shall inform the authority of the place in which they are kept.\n\n" * 9
        + f"Article 2\n\nFor the purposes of this Regulation, ‘hive {bad}’ means a box. Article 1 applies.\n\n"
    )
    page = opened(visit(), act)
    search(page, "script")
    page.keyboard.press("Enter")
    assert page.evaluate("top.ran") is None
    assert "<script>" in page.locator("#text-of-act").inner_text()
    assert page.locator("#reader :is(script, img, style), #search :is(script, img)").count() == 0


def test_jumps_in_a_long_act_end_at_their_target(visit: Visit, tmp_path: Path) -> None:
    """Most of the text is laid out only when it comes into view, so that its position is estimated at first."""
    paragraph = "The keeper of the hive shall inform the authority of {0} and of {1} without undue delay. "
    articles = [
        f"Article {number}\n\nOn item {number}\n\n"
        + "\n\n".join(
            f"{place}. " + paragraph.format(place, number) * (1 + (number * place) % 5) for place in range(1, 9)
        )
        for number in range(1, 121)
    ]
    act = tmp_path / "act.txt"
    act.write_text("REGULATION (EU) 2025/1 on hives\n\n" + "\n\n".join(articles))
    page = opened(visit(), act)
    for query, name in (("119(4)", "art-119.par-4"), ("art 60", "art-60.par-1"), ("3", "art-3.par-1")):
        search(page, query)
        page.keyboard.press("Enter")
        target = page.locator(f"#act .unit[data-id^='{name}']").first
        expect(target).to_be_focused()
        page.wait_for_timeout(200)  # in which texts around it get their sizes
        expect(target).to_be_in_viewport(ratio=1)
        label = f"Article {name.partition('.')[0].removeprefix('art-')} "
        expect(page.locator("#contents-list [aria-current=location]")).to_contain_text(label)


# --- contents ---


def test_far_jumps_are_instant_even_with_motion(visit: Visit, long: Path) -> None:
    page = opened(visit(), long)
    page.emulate_media(reduced_motion="no-preference")
    screens = page.evaluate("""async () => {
        const pane = document.getElementById("act");
        const before = pane.scrollTop;
        [...document.querySelectorAll("#contents-list a")].at(-1).click();
        for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
        return (pane.scrollTop - before) / pane.clientHeight;
    }""")
    assert screens > 2
    expect(page.locator("#act .unit[aria-current]")).to_be_in_viewport()


def test_contents_lead_to_sections_and_follow_the_text(visit: Visit, long: Path) -> None:
    page = opened(visit(), long)
    tree = page.locator("#contents-list")
    current = tree.locator("[aria-current=location]")
    tree.get_by_role("button", name=re.compile("Expand: TITLE I ")).click()
    tree.get_by_role("link", name=re.compile("^Article 3 ")).click()
    expect(unit(page, "art-3")).to_be_focused()
    expect(page.locator(".part.article h4", has_text="Definitions")).to_be_in_viewport()
    expect(current).to_contain_text("Article 3")
    page.locator("#act").hover(position={"x": 200, "y": 300})
    page.mouse.wheel(0, 6000)
    expect(current).not_to_contain_text("Article 3")
    top = page.locator("#act .unit").evaluate_all(
        """all => {
            const head = document.querySelector("#act .pane-head").getBoundingClientRect().bottom;
            return all.find(unit => unit.getBoundingClientRect().bottom > head).closest(".part").dataset.section;
        }"""
    )
    expect(current).to_have_attribute("data-section", top)
    expect(current).to_be_in_viewport()
    # By keyboard: from entry to entry, into and out of a division.
    tree.locator("a").first.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    expect(tree.get_by_role("link", name="Recital 25")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(tree.get_by_role("link", name="Recital 1", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(unit(page, "rec-1.s-1")).to_be_focused()


def test_contents_count_what_was_chosen(visit: Visit, long: Path) -> None:
    page, act = opened(visit(), long), read(long)
    for words in (100, 1500):
        slide(page, "#budget", words)
        sections = [act[name].section for name in chosen(page)]
        for number in {*sections, 5}:
            row = page.locator(f"#contents-list .branch:has(> [data-section='{number}'])")
            count = sections.count(number)
            assert row.locator(".stars b").all_text_contents() == ([str(count)] if count else [])
            described = row.locator("a").evaluate("link => link.ariaDescription")
            assert described == (phrases("en").reader["chosen_count"].format(count=count) if count else None)


# --- search ---


def test_words_are_counted_and_shown_in_the_text(visit: Visit, long: Path) -> None:
    page, act = opened(visit(), long), read(long)
    page.locator("#act").focus()
    page.keyboard.press("/")
    expect(page.locator("#search-text")).to_be_focused()
    search(page, "BATTERY  record")
    shown = letters(page.evaluate(TEXT_OF_ACT)).lower()
    total = len(re.findall("batteryrecord", shown))
    assert total > 20
    words = phrases("en").reader
    options = page.locator("#search-hits [role=option]")
    expect(page.locator("#search-count")).to_have_text(
        f"{words['hits'].format(count=total)} · {words['hits_shown'].format(count=options.count() - 1)}"
    )
    marks = page.locator("#search-hits mark").all_text_contents()
    assert {mark.lower() for mark in marks} <= {"battery record", "battery records"}
    option = page.locator("#search-hits [role=option][aria-selected=true]")
    # The list is cut, and says so; its last option shows the rest.
    for _ in range(options.count()):
        page.keyboard.press("ArrowDown")
    expect(option).to_have_text(words["show_more"])
    page.keyboard.press("Enter")
    expect(options).to_have_count(total)
    expect(page.locator("#search-count")).to_have_text(words["hits"].format(count=total))
    starts = page.locator("#search-hits .hit").evaluate_all("all => all.map(each => each.textContent)")
    texts = " ".join(unit.text for unit in act)
    for start in starts:
        assert re.match(r"(Article|Recital|Annex|Title|Preamble)\b[^:]*: |[A-Z]\w+ \w+ [\w ]+$", start)
        beginning = re.match(r".*?: … (\S+ \S+)", start)
        assert beginning is None or f" {beginning[1]}" in texts
    page.keyboard.press("Tab")  # the list is no tab stop
    expect(page.locator("#search [data-close]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#search")).to_be_hidden()
    search(page, "battery record ")
    expect(page.locator("#search-count")).to_contain_text("·")
    page.emulate_media(forced_colors="active")
    assert option.evaluate("each => getComputedStyle(each).outlineStyle") == "solid"
    assert page.locator("#contents-list [aria-current]").evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    page.emulate_media(forced_colors="none")
    # Headings come first; the first hit in a paragraph of an article is below them.
    names = options.all_text_contents()
    place = next(place for place, name in enumerate(names) if re.match(r"Article \d+\(\d+\): ", name))
    assert 0 < place < names.index(next(name for name in names if name.startswith("Recital")))
    for _ in range(place):
        page.keyboard.press("ArrowDown")
    expect(page.locator("#search-text")).to_have_attribute("aria-activedescendant", f"hit-{place}")
    expect(option).to_have_attribute("id", f"hit-{place}")
    group = option.locator("xpath=..").get_attribute("aria-label")
    page.keyboard.press("Enter")
    current = page.locator("#act .unit:focus")
    expect(current).to_be_in_viewport()
    expect(current).to_contain_text("battery record")
    assert str(group).split(" ·")[0] in act[str(current.get_attribute("data-id"))].citation
    highlighted = "() => [...CSS.highlights.get('search-current')].map(range => range.toString())"
    assert page.evaluate(highlighted) == ["battery record"]
    first = page.evaluate("[...CSS.highlights.get('search')].length")
    assert first >= 1
    places = [current.get_attribute("data-place")]
    for key in ("F3", "F3", "Shift+F3", "Shift+F3"):
        page.keyboard.press(key)
        places.append(page.locator("#act .unit:focus").get_attribute("data-place"))
    assert places[0] == places[4]
    assert places[1] == places[3]
    # By mouse and touch: a bar with buttons.
    bar = page.get_by_role("group", name=words["search"])
    found = re.match(rf"(\d+) {words['of']} {total}\b", bar.inner_text().strip())
    assert found is not None
    number = int(found[1])
    bar.get_by_role("button", name=words["next_hit"]).click()
    expect(bar).to_contain_text(f"{number + 1} {words['of']} {total}")
    expect(page.locator("#act .unit[aria-current]")).to_have_attribute("data-place", str(places[1]))
    bar.get_by_role("button", name=words["previous_hit"]).click()
    expect(bar).to_contain_text(f"{number} {words['of']} {total}")
    bar.get_by_role("button", name=words["close"]).click()
    expect(bar).to_be_hidden()
    expect(page.locator("#act .unit[aria-current]")).to_be_focused()
    assert page.evaluate("CSS.highlights.size") == 0
    page.go_back()
    expect(page.locator("#reader")).to_be_visible()


def test_provisions_are_found_as_they_are_cited(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "short" / "en.txt")
    option = page.locator("#search-hits [role=option]").first
    cases = [
        ("3", "Article 3"),
        ("art. 3(2)", "Article 3(2)"),
        ("Article 3(2), point (b)", "Article 3(2)(b)"),
        ("3 2 b", "Article 3(2)(b)"),
        ("recital 5", "Recital 5"),
    ]
    for query, citation in cases:
        search(page, query)
        expect(option).to_contain_text(citation)
    search(page, "penalties")
    expect(page.locator("#search-hits mark").first).to_have_text(re.compile("^penalties$", re.I))
    search(page, "maria example")  # who signed it
    page.keyboard.press("Enter")
    expect(page.locator("#act .furniture.signature:focus")).to_be_in_viewport()
    page.keyboard.press("Control+k")
    page.locator("#search-text").fill("zebra")
    expect(page.locator("#search-count")).to_have_text(phrases("en").reader["no_hits"])
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator("#search")).to_be_hidden()


def test_diacritics_and_capitals_make_no_difference(visit: Visit, examples: Path) -> None:
    page = opened(visit(), examples / "short" / "el.txt")
    counts = set()
    for query in ("κυψέλης", "κυψελης", "ΚΥΨΕΛΗΣ", "κυψέλησ"):
        search(page, query)
        counts.add(page.locator("#search-count").text_content())
    assert len(counts) == 1
    assert set(page.locator("#search-hits mark").all_text_contents()) == {"κυψέλης"}
    search(page, "ΑΡΘΡΟ 2")
    page.keyboard.press("Enter")
    expect(page.locator("#act .unit:focus")).to_have_attribute("data-id", re.compile(r"^art-2\b"))
    texts = ["Łódź", "Straße", "ħġieġ", "Ærø", "Ŧ", "l’été", "ﬁn", "e\u0301te\u0301"]
    folded = page.evaluate(
        """async texts => {
            const { foldWithPositions } = await import("/fold.js");
            return texts.map(text => {
                const { folded, positions } = foldWithPositions(text);
                return [folded, positions ? positions.at(-1) : text.length];
            });
        }""",
        texts,
    )
    assert [each[0] for each in folded] == ["lodz", "strasse", "hgieg", "aero", "t", "l'ete", "fin", "ete"]
    assert [each[1] for each in folded] == [len(text) for text in texts]


# --- cross-references, similar provisions ---


def test_references_show_a_preview_and_lead_there(visit: Visit, long: Path) -> None:
    page, act = opened(visit(), long), read(long)
    found = next(each for each in act.references() if each.kind == "internal" and each.targets == ("art-11",))
    link = unit(page, found.unit).locator("a.reference").first
    unit(page, found.unit).scroll_into_view_if_needed()
    link.hover()
    box = page.locator("#preview")
    expect(box).to_be_visible()
    expect(box).to_contain_text(act.sections[13].heading)
    expect(box).to_contain_text(_texts(act, 13)[0][:60])
    box.hover()
    page.wait_for_timeout(500)
    expect(box).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    link.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(box).to_be_visible()
    expect(link).to_have_accessible_description(re.compile(re.escape(_texts(act, 13)[0][:60])))
    page.keyboard.press("Enter")
    expect(page.locator("#act .unit:focus")).to_have_attribute("data-id", re.compile(r"^art-11\b"))
    expect(box).to_be_hidden()
    page.go_back()
    expect(page.locator("#act .unit[data-id^='art-11']").first).not_to_have_attribute("aria-current", "true")
    # Other acts: an ordinary link, which asks nobody by itself, and a way to open the act here.
    link = page.locator("#act .part.recitals a.reference.external").first
    link.scroll_into_view_if_needed()
    assert str(link.get_attribute("href")).startswith("https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:3")
    assert "noreferrer" in str(link.get_attribute("rel"))
    link.hover()
    celex = str(link.get_attribute("data-celex"))
    expect(box).to_contain_text(celex)
    assert f"celex={celex}" in str(box.locator("a").get_attribute("href"))
    expect(link).to_have_accessible_description(re.compile(phrases("en").reader["open_there"]))
    box.locator("a").click()  # this service fetches nothing: it says so, and the act stays
    expect(page.locator("#errors")).to_contain_text("does not fetch")
    expect(link).to_be_visible()
    # All links are there once the page has had time, wherever it was scrolled to.
    page.wait_for_function(
        """async () => {
            const { view } = await import("/state.js");
            const { units, references } = view();
            const isLink = ([place, , , target, celex]) =>
                target >= 0 ? units[target].provision !== units[place].provision : celex;
            const places = new Set(references.filter(isLink).map(([place]) => place));
            return [...places].every(place => document.querySelector(`#act [data-place="${place}"] a.reference`));
        }"""
    )
    # In the smallest window, a preview does not cover what it belongs to.
    page.set_viewport_size({"width": NARROWEST[0], "height": NARROWEST[1]})
    page.locator("#sheet-handle").click()
    for at in ("start", "center", "end"):
        link.evaluate("(link, block) => link.scrollIntoView({ block })", at)
        link.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        expect(box).to_be_visible()
        covered = link.evaluate(
            """link => {
                const preview = document.getElementById("preview").getBoundingClientRect();
                const lines = [...link.getClientRects()];
                return lines.some(line => line.bottom > preview.top && line.top < preview.bottom);
            }"""
        )
        assert not covered
        page.keyboard.press("Escape")


def test_recitals_and_articles_with_similar_content_are_linked(visit: Visit, long: Path) -> None:
    page = opened(visit(), long)
    line = page.locator(".part.article .related").first
    line.scroll_into_view_if_needed()
    expect(line).to_contain_text(phrases("en").reader["related_recitals"])
    link = line.locator("a").first
    name = str(link.get_attribute("aria-label"))
    assert re.match(r"Recital \d+$", name)
    link.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(page.locator("#preview")).to_contain_text(phrases("en").reader["related_note"])
    page.keyboard.press("Enter")
    recital = name.removeprefix("Recital ")
    expect(page.locator("#act .unit:focus")).to_have_attribute("data-id", re.compile(rf"^rec-{recital}\b"))
    back = page.locator(".part.recitals .related a").first
    back.scroll_into_view_if_needed()
    label = back.text_content()
    back.click()
    expect(page.locator("#act .part.article", has=page.locator(".unit:focus"))).to_contain_text(str(label))


# --- defined terms ---


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_terms_show_their_definition(visit: Visit, long: Path, size: tuple[int, int]) -> None:
    page, act = opened(visit(size=size), long), read(long)
    definitions = {found.term: act[found.unit].text for found in act.definitions()}
    if size == WIDE:
        term = page.locator("#act .part.recitals .term", has_text=re.compile("^[Bb]atter"))
        term.first.scroll_into_view_if_needed()
        term.first.hover()
        expect(page.locator("#preview")).to_contain_text(definitions["battery"][:40])
        page.mouse.move(5, 5)
        expect(page.locator("#preview")).to_be_hidden()
        defined = next(found.unit for found in act.definitions() if found.term == "battery")
        unit(page, defined).scroll_into_view_if_needed()
        assert "battery" not in unit(page, defined).locator(".term").all_text_contents()
        # A word is marked once in a paragraph, and no word is a tab stop.
        repeated = page.locator("#act .paragraph").evaluate_all(
            """all => all.filter(paragraph => {
                const terms = [...paragraph.querySelectorAll(".term")].map(term => term.dataset.term);
                return new Set(terms).size < terms.length;
            }).length"""
        )
        assert repeated == 0
        assert page.locator("#act .term[tabindex]").count() == 0
        # A key leads from term to term in the current provision, and to the definition.
        page.locator("#act .paragraph:has(.term ~ .term) .unit").first.click()
        found = list[str]()
        for _ in range(2):
            page.keyboard.press("t")
            focused = page.locator("#act .term:focus")
            found.append(str(focused.get_attribute("data-term")))
            definition = list(act.definitions())[int(found[-1])]
            expect(focused).to_have_accessible_description(re.compile(re.escape(act[definition.unit].text[:40])))
        assert found[0] != found[1]
        page.keyboard.press("Enter")
        expect(page.locator("#act .unit:focus")).to_have_attribute("data-id", definition.unit)
    else:
        page.locator("#open-contents").click()
    page.locator("#terms summary").click()
    terms = page.locator("#terms-list a")
    assert sorted(terms.all_text_contents()) == sorted(definitions)
    terms.first.focus()
    page.keyboard.press("Tab")
    name = str(page.evaluate("document.activeElement.textContent"))
    expect(page.locator("#preview")).to_contain_text(definitions[name][:40])
    expect(page.locator("#terms-list a:focus")).to_have_accessible_description(
        re.compile(re.escape(definitions[name][:40]))
    )
    page.keyboard.press("Enter")
    expect(page.locator("#act .unit:focus")).to_contain_text(definitions[name][:40])
    expect(page.locator("#act .unit:focus")).to_be_in_viewport()


def test_terms_are_whole_words_with_short_endings(visit: Visit, tmp_path: Path) -> None:
    act = tmp_path / "act.txt"
    act.write_text(
        "REGULATION (EU) 2025/1 on hives\n\nArticle 1\n\nDefinitions\n\n"
        "For the purposes of this Regulation, the following definitions apply:\n\n"
        "(1) ‘hive’ means a box for bees;\n\n(2) ‘keeper’ means a person who keeps bees;\n\n"
        "(3) ‘hive keeper’ means a keeper of hives.\n\nArticle 2\n\nDuties\n\n"
        "1. Keepers shall inspect each hive, and beehives too.\n\n2. A hive keeper shall report keepership.\n\n"
        "3. The keeper-hive list is kept. The keeper reads it; the keeper signs it.\n"
    )
    page = opened(visit(), act)
    page.locator("[id^='u:art-2.par-3'] .term").first.wait_for()  # terms are marked in idle time
    marked = [
        page.locator(f"[id='u:art-2.par-{number}'] .term, [id^='u:art-2.par-{number}.'] .term").all_text_contents()
        for number in (1, 2, 3)
    ]
    assert marked == [["Keepers", "hive"], ["hive keeper"], ["keeper"]]


# --- stars ---


def test_a_star_leads_to_the_item_and_a_click_stays_in_the_act(visit: Visit, long: Path) -> None:
    page = opened(visit(), long)
    place = page.locator("#act .unit.chosen").last
    place.locator(".star").focus()
    page.keyboard.press("Enter")
    item = page.locator(".item[aria-current]")
    expect(item).to_be_in_viewport()
    expect(place).to_have_attribute("aria-current", "true")
    other = unit(page, "art-1.par-1.pt-b")
    other.scroll_into_view_if_needed()
    page.wait_for_timeout(200)  # in which texts around it get their sizes
    before = other.bounding_box()
    other.click()
    expect(other).to_have_attribute("aria-current", "true")
    assert other.bounding_box() == before
    assert page.url.endswith("#art-1.par-1.pt-b")


# --- for everybody ---


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), pytest.param(PHONE, "dark", marks=pytest.mark.slow)])
def test_it_meets_wcag_22_aa(visit: Visit, examples: Path, size: tuple[int, int], scheme: str) -> None:
    page = opened(visit(size=size, color_scheme=scheme), examples / "short" / "en.txt")
    search(page, "hive")
    check_axe(page)
    page.keyboard.press("Enter")
    link = page.locator("#act a.reference").first
    link.scroll_into_view_if_needed()
    link.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(page.locator("#preview")).to_be_visible()
    if size == PHONE:
        page.locator("#open-contents").click()
    page.locator("#contents-list").get_by_role("button").first.click()
    page.locator("#terms summary").click()
    page.locator("#terms-list a").first.focus()
    page.keyboard.press("Tab")
    expect(page.locator("#preview")).to_be_visible()
    check_axe(page)
