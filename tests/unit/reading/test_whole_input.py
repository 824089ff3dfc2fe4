"""Whatever text is in a file is in the act, or the act says that it is not: nothing disappears in silence."""

from __future__ import annotations

import html
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import EXAMPLES
from helpers.laws import assert_laws
from lexlattice import Act, LexLatticeError, read
from lexlattice.act.remarks import code_of, values_of
from lexlattice.reading.formats.html_source import MAX_ATTRIBUTES

PAGES = sorted((EXAMPLES / "formats").glob("*html"))
ARROWS = re.compile(r"[►▼◄]")
HIDDEN = {"head", "script", "style", "noscript", "template", "svg", "math", "object", "iframe", "select", "button"}


class Shown(HTMLParser):
    """The text of a page as another parser finds it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.hidden: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in HIDDEN:
            self.hidden.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.hidden:
            del self.hidden[self.hidden.index(tag) :]

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.pieces.append(data)


def characters(text: str) -> Counter[str]:
    return Counter("".join(text.split()))


def silently_missing(page: str, act: Act) -> int:
    """Characters of a page that are neither in the act nor counted in its warnings."""
    expected = characters("".join(Shown(page).pieces)) - characters(act.source)
    said = sum(int(values_of(w)["count"]) for w in act.warnings if code_of(w) == "text-missing")
    return expected.total() - said


def said_to_be_missing(act: Act) -> list[int]:
    return [int(values_of(warning)["count"]) for warning in act.warnings if code_of(warning) == "text-missing"]


# --- HTML -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_text_of_a_page_is_missing(path: Path) -> None:
    act = read(path)
    arrows = len(ARROWS.findall("".join(Shown(path.read_text("utf-8")).pieces)))
    assert not said_to_be_missing(act)
    assert silently_missing(path.read_text("utf-8"), act) <= 3 * arrows  # "►M1"
    assert not act.incomplete


PAGE = "<html><body>{}</body></html>"
TEXT = "<p>Article 1</p><p>Hives shall be registered.</p>"


@pytest.mark.parametrize(
    "page",
    [
        f"<html><body>{TEXT}</body></html><p>Article 2</p><p>Bees are free.</p>",
        f"<html><body>{TEXT}</body></html><html><body><p>Article 2</p><p>Bees are free.</p></body></html>",
        f"<html><body>{TEXT}</body><p>Article 2</p><p>Bees are free.</p></html>",
        f"<html><body>{TEXT}</BODY ></HTML\n>Article 2<br>Bees are free.",
        f"<html><body>{TEXT}</body></html><head><title>x</title></head><body>Article 2<p>Bees are free.</body>",
        f"<html><body>{TEXT}</html><!-- </html> --><div>Article 2<p>Bees are free.",
    ],
)
def test_what_follows_the_end_of_a_page_belongs_to_it(page: str) -> None:
    act = read(page, language="en")
    assert [section.number for section in act.sections] == ["1", "2"]
    assert act.units[-1].text == "Bees are free."
    assert_laws(act)


def test_text_swallowed_by_a_missing_quotation_mark_is_said_to_be_missing() -> None:
    swallowed = "<p class='a>Bees are free.</p><p>Hives are not.</p><p class='b'>Article 2</p>"
    act = read(PAGE.format(TEXT + swallowed), language="en")
    assert "free" not in act.source
    assert said_to_be_missing(act)[0] >= len("Beesarefree.Hivesarenot.")
    assert not said_to_be_missing(read(PAGE.format(TEXT + "<p title='2 < 3'>Text.</p>"), language="en"))


def test_a_page_whose_end_a_missing_quotation_mark_swallows_is_incomplete() -> None:
    assert read(PAGE.format(TEXT + '<p class="a>Article 2</p><p>Bees are free.</p>'), language="en").incomplete


ARTICLES = "".join(
    f"<p class='oj-normal'>Hives of kind {n} shall be registered by their keepers.</p>" for n in range(60)
)
FRAME = "<nav><a href='/'>Home</a></nav>"


@pytest.mark.parametrize("tag", ["header", "nav", "footer", "aside", "form"])
def test_a_part_of_the_frame_that_is_never_closed_does_not_hide_the_act(tag: str) -> None:
    act = read(f"<html><body><{tag}><a href='/'>Home</a>{TEXT}{ARTICLES}</body></html>", language="en")
    assert "kind 59 shall" in act.source


@pytest.mark.parametrize("outside", [ARTICLES, ARTICLES.replace("oj-normal", "")])
def test_an_act_beside_the_element_of_the_site_is_said_to_be_missing(outside: str) -> None:
    own = "<p class='oj-ti-art'>Article 1</p>" + "<p class='oj-normal'>Bees are free in all Member States.</p>" * 20
    holder = f"<div id='document1'>{own}</div>"
    assert not said_to_be_missing(read(PAGE.format(FRAME + holder), language="en"))
    act = read(PAGE.format(f"{FRAME}{holder}<div>{outside}</div>"), language="en")
    assert "kind 59 shall" in act.source or said_to_be_missing(act)[0] > 2_000


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_that_was_cut_off_anywhere_is_incomplete_or_refused(path: Path) -> None:
    data = path.read_bytes().rstrip()
    for end in range(1, len(data), max(1, len(data) // 150)):
        assert cut_is_said(data[:end]), data[max(0, end - 60) : end]
    for end in range(len(data) - 40, len(data)):
        assert cut_is_said(data[:end]), data[max(0, end - 60) : end]


def cut_is_said(data: bytes) -> bool:
    try:
        return read(data).incomplete
    except LexLatticeError:
        return True


@pytest.mark.data
def test_real_pages_are_whole_and_say_so_once_they_are_cut_off(data: Path) -> None:
    pages = sorted(path for folder in ("raw", "hard") for path in (data / "acts" / folder).rglob("*.html"))
    assert len(pages) > 20
    for path in pages:
        try:
            act = read(path)
        except LexLatticeError:
            continue  # two pages without the text of an act
        assert (said_to_be_missing(act), act.incomplete) == ([], False), path
        content = path.read_bytes().rstrip()
        for share in (0.03, 0.31, 0.62, 0.97):
            assert cut_is_said(content[: int(share * len(content))]), (path, share)
        assert cut_is_said(content[:-1]), path


@pytest.mark.parametrize(
    "end",
    [
        *(
            "<p>Bees are fr</",
            "<p>Bees are<",
            "<p>Bees are free <a href='x",
            "<p>Bees &am",
            "<p>Bees &#x2",
            "<p>Bees &#",
        ),
        *("<!-- Bees are free.", "<script>bees(", "<style>p {", "<p>Bees are free <b"),
    ],
)
def test_a_fragment_that_ends_inside_mark_up_is_incomplete(end: str) -> None:
    assert read(20 * TEXT + end, language="en").incomplete


def test_sections_of_character_data_are_text() -> None:
    page = (EXAMPLES / "formats" / "act.oj.xhtml").read_text("utf-8")
    script = "<script>//<![CDATA[\nif (a < b) {}\n//]]></script>"
    page = page.replace("</body>", f"{script}<p><![CDATA[Bees & wasps]]></p></body>")
    act = read(page, format="html")
    assert "Bees & wasps" in act.source and "if (a" not in act.source
    assert not act.incomplete and not said_to_be_missing(act)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("</head>", '<script src="x.js"/></head>'),
        ("</head>", "<style/></head>"),
        ("</html>", "</html><!-- saved <html> -->"),
        ("</html>", "<!-- saved --!></html>"),
        ("<p", '<p data-original-title="&lt;b&gt;Article 1&lt;/b&gt; note"'),
        ("<p", '<p title="a <b> c" onmouseover="show(\'<b>x</b>\')"'),
    ],
)
def test_whole_pages_with_unusual_mark_up_have_no_warning(old: str, new: str) -> None:
    page = (EXAMPLES / "formats" / "act.oj.xhtml").read_text("utf-8")
    assert old in page
    act = read(page.replace(old, new, 1), format="html")
    assert not act.incomplete and not said_to_be_missing(act)


def test_a_script_that_looks_for_comments_does_not_hide_the_page() -> None:
    script = "<script>if (page.indexOf('<!--') < 0) bees();</script>"
    assert not read(PAGE.format(20 * TEXT + script), language="en").incomplete


@pytest.mark.parametrize("end", ["", "<p>Bees are free.", "<br/>\n", "R&D", "5 < 6", "<!-- done -->", "<p>A &amp; B."])
def test_a_fragment_without_a_root_element_is_complete(end: str) -> None:
    assert not read(TEXT + end, language="en").incomplete


changes = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.integers(0, 60),
        st.sampled_from(
            ["", "<", ">", "'", '"', "</p>", "</div>", "<p>", "</table>", "<table>", "</html>", "</body>", "<td>"]
        ),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PAGES), changes)
def test_whatever_is_missing_of_a_damaged_page_is_said(path: Path, steps: list[tuple[float, int, str]]) -> None:
    page = path.read_text("utf-8")
    for place, length, put in steps:
        at = int(place * len(page))
        page = page[:at] + put + page[at + length :]
    try:
        act = read(page.encode())
    except LexLatticeError:
        return
    assert_laws(act)
    # Tags that lost their brackets are text for one parser and mark-up for the other, so words are compared.
    lost = Counter(re.findall(r"\w+", " ".join(Shown(page).pieces))) - Counter(re.findall(r"\w+", act.source))
    marks = Counter(re.findall(r"\w+", html.unescape(" ".join(re.findall(r"[<►▼][^<>]{0,80}", page)))))
    if sum((lost - marks).values()) > 12:
        assert said_to_be_missing(act) or act.incomplete, lost - marks


# --- attributes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["", "=x", "='>'", '=">"', "='<p a=b>'", " = '\n>'"])
def test_more_attributes_than_acts_have_are_refused(value: str) -> None:
    def page(count: int) -> str:
        attributes = " ".join(f"a{n}{value}" for n in range(count))
        return PAGE.format(f"<p {attributes}>Article 1</p><p>Bees are free.</p>")

    assert read(page(200), language="en").units[-1].text.endswith("Bees are free.")
    with pytest.raises(LexLatticeError) as error:
        read(page(MAX_ATTRIBUTES + 1), language="en")
    assert error.value.code == "too-complex"
