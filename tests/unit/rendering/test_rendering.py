"""A summary as text, Markdown and a page, and the file it is kept in: nothing of the act is lost, changed or run."""

from __future__ import annotations

import copy
import json
import os
import re
import threading
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import ROOT
from helpers.generated_acts import acts, made
from helpers.timing import fastest
from lexlattice import Act, read, rendering, summarize
from lexlattice.act.hierarchy import indent_depths
from lexlattice.act.summary import GROUPS, Item, Summary
from lexlattice.errors import OptionError, OutputError
from lexlattice.rendering import FORMATS, format_of, render_file, save
from lexlattice.rendering.blocks import Mark
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.text import WIDTH, escaped, parts, to_markdown, to_text

LANGUAGES = [path.stem for path in sorted((ROOT / "examples" / "short").glob("*.txt"))]
TEXT_FORMATS = ("text", "md", "html", "json")
CSS = Path(rendering.__file__).with_name("html.css").read_text("utf-8")
UNKNOWN_TAG = 801
"""What libxml2, which knows HTML 4, says of `main`, `section` and `mark`."""


def summary_of(act: Act, *, step: int = 4, warnings: tuple[str, ...] = ()) -> Summary:
    """Every fourth unit, in groups by turns."""
    items = [
        Item.of(unit, act.sections[unit.section], 0.5, GROUPS[turn % len(GROUPS)])
        for turn, unit in enumerate(act.units[::step])
    ]
    return Summary(act, budget=400, items=tuple(items), warnings=warnings)


@st.composite
def summaries(draw: st.DrawFn) -> Summary:
    """Of acts that mean to do harm, too."""
    act = draw(st.one_of(acts, nasty_acts))
    items = [
        Item.of(unit, act.sections[unit.section], 0.5, draw(st.sampled_from(GROUPS)))
        for unit in act.units
        if draw(st.booleans())
    ]
    return Summary(act, budget=400, items=tuple(items), warnings=tuple(draw(st.lists(nasty, max_size=2))))


nasty = st.one_of(
    st.text("<>&\"'`*_#[]()|!:=^1.-+\\~$/ \n\t\u00a0abß", max_size=30),
    st.sampled_from(["<script>alert(1)</script>", "</mark></p>", "<!-- ", "&lt;", "1. a", "2) b", "- c", "# d", "]]>"]),
)
nasty_sections = st.tuples(st.just("article"), nasty, st.lists(nasty, max_size=4))
nasty_acts = st.lists(nasty_sections, min_size=1, max_size=3).map(lambda sections: made(*sections))


@pytest.fixture(scope="session")
def summary(examples: Path) -> Summary:
    return summary_of(read(examples / "short" / "en.txt"), warnings=("Something is to be known.",))


def flat(text: str) -> str:
    """All that is not white space, with a space between words."""
    return " ".join(text.split())


def assert_in_order(wanted: Iterable[str], text: str) -> None:
    """Each of these is there, word for word, after the one before."""
    place, text = 0, flat(text)
    for piece in map(flat, wanted):
        found = text.find(piece, place)
        assert found >= 0, f"{piece!r} is missing, or in the wrong place"
        place = found + len(piece)


def items_of(summary: Summary, group: bool) -> list[Item]:
    return [item for _, blocks in parts(summary, group) for block in blocks for item in block.items]


def cited(summary: Summary) -> list[str]:
    return [block.citation for block in summary.blocks()]


# --- what is shown in which order -------------------------------------------------------------------------


@given(summaries(), st.booleans())
def test_every_item_is_shown_once_and_related_documents_last(summary: Summary, group: bool) -> None:
    shown = items_of(summary, group)
    assert sorted(shown, key=summary.items.index) == list(summary)
    ranks = [GROUPS.index(item.group) if group else int(item.group == "related") for item in shown]
    assert ranks == sorted(ranks)
    for name, blocks in parts(summary, group):
        items = [item for block in blocks for item in block.items]
        assert name or not group
        assert items == [item for item in summary if item in items]


# --- text -------------------------------------------------------------------------------------------------


@given(summaries(), st.booleans())
def test_text_has_the_words_of_all_items_in_order(summary: Summary, group: bool) -> None:
    text = summary.to_text(group=group)
    assert_in_order((item.text for item in items_of(summary, group)), text)
    assert text.split("\n\n")[-1].split() == phrases(summary.act.language).disclaimer.split()


@given(summaries(), st.booleans())
def test_only_what_cannot_be_divided_is_wider_than_a_hundred_columns(summary: Summary, group: bool) -> None:
    lines = summary.to_text(group=group).split("\n")
    assert not [line for line in lines if len(line) > WIDTH and " " in line.strip(" ")]


def test_text_looks_like_this(summary: Summary) -> None:
    assert summary.to_text().split("\n")[:14] == [
        "COMMISSION IMPLEMENTING REGULATION (EU) 2024/9001 of 12 March 2024 laying down rules for the",
        "registration and labelling of urban beehives",
        "Extract · Implementing Regulation (EU) 2024/9001 · 32024R9001 · 2024-03-12 · en · As adopted · "
        f"{summary.words}",
        "of 730 words · Made with LexLattice, 18 November 2026 ·",
        "http://data.europa.eu/eli/reg_impl/2024/9001/oj",
        "",
        "Title",
        "    COMMISSION IMPLEMENTING REGULATION (EU) 2024/9001 of 12 March 2024 laying down rules for the",
        "    registration and labelling of urban beehives",
        "",
        "Preamble, second citation",
        "    Having regard to Regulation (EU) 2021/9900 of the European Parliament and of the Council of 8",
        "    December 2021 on the keeping of pollinators (1), and in particular Article 7(4) thereof,",
        "",
    ]


def test_a_heading_is_shown_when_the_section_changes() -> None:
    act = made(("article", "Scope", ["One.", "Two."]), ("article", "Penalties", ["Three."]), ("article", "", ["Four."]))
    items = tuple(Item.of(unit, act.sections[unit.section], 0.5, "key_points") for unit in act.units)
    text = Summary(act, 9, items).to_text()
    assert [line for line in text.split("\n") if line.startswith("sec-")] == [
        "sec-0.u-0 · Scope",
        "sec-0.u-1",
        "sec-1.u-0 · Penalties",
        "sec-2.u-0",
    ]


def test_what_there_is_to_know_comes_before_the_disclaimer(summary: Summary) -> None:
    for text in (summary.to_text(), summary.to_markdown()):
        assert " ".join(text.split()).endswith(f" Something is to be known. {phrases('en').disclaimer}")


def test_an_act_without_anything_can_be_shown() -> None:
    empty = Summary(made(("article", "", [])), 0, ())
    for format in TEXT_FORMATS:
        assert render_file(empty, format)


# --- Markdown ---------------------------------------------------------------------------------------------


def unescaped(markdown: str) -> str:
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)


@given(nasty)
def test_what_is_escaped_can_be_unescaped(text: str) -> None:
    assert flat(unescaped(escaped(text))) == flat(text)
    assert "\n" not in escaped(text)


@given(nasty)
def test_markdown_shows_the_text_as_it_is(text: str) -> None:
    parser = pytest.importorskip("markdown_it").MarkdownIt("gfm-like", {"linkify": False})
    line = f"**{escaped(text) or '.'}** · {escaped(text)}\n\n{escaped(text)}\n\n# {escaped(text)}\n"
    html = lxml.html.fragment_fromstring(parser.render(line), create_parent=True)
    assert flat(html.text_content()) == flat(f"{flat(text) or '.'} · {text}\n{text}\n{text}")
    assert {element.tag for element in html.iterdescendants()} <= {"p", "strong", "h1"}


@given(summaries(), st.booleans())
def test_markdown_has_the_words_of_all_items_in_order(summary: Summary, group: bool) -> None:
    markdown = summary.to_markdown(group=group)
    assert_in_order((item.text for item in items_of(summary, group)), unescaped(markdown))
    headings = [line.removeprefix("## ") for line in markdown.split("\n") if line.startswith("## ")]
    assert headings == [phrases(summary.act.language).groups[name] for name, _ in parts(summary, group) if name]


# --- the page ---------------------------------------------------------------------------------------------


class Page:
    """A page as a browser would see it."""

    def __init__(self, summary: Summary, group: bool = False) -> None:
        self.html = summary.to_html(group=group)
        parser = lxml.html.HTMLParser(encoding="utf-8")
        self.root = lxml.html.document_fromstring(self.html.encode(), parser=parser)
        self.errors = [error for error in parser.error_log if error.type != UNKNOWN_TAG]

    def all(self, path: str) -> list[lxml.html.HtmlElement]:
        return list(self.root.iterfind(f".//{path}"))

    def one(self, path: str) -> lxml.html.HtmlElement:
        (found,) = self.all(path)
        return found

    def by_id(self, id: str) -> lxml.html.HtmlElement:
        (found,) = [element for element in self.all("*[@id]") if element.get("id") == id]
        return found

    @property
    def act(self) -> str:
        """All text of the act's side, without its header."""
        side = self.one("section[@class='act']")
        return "".join(
            child.text_content() + (child.tail or "") for child in side.iterchildren() if child.tag != "header"
        )


def assert_right(page: Page, summary: Summary, group: bool) -> None:
    assert not page.errors
    assert flat(page.act) == flat(summary.act.source)
    assert [mark.text_content() for mark in page.all("mark")] == [item.text for item in summary]
    ids = [element.get("id") for element in page.all("*[@id]")]
    assert len(ids) == len(set(ids))
    shown = [block for _, blocks in parts(summary, group) for block in blocks]
    listed = page.all("li[@class='item']")
    for block, li in zip(shown, listed, strict=True):
        folded = copy.deepcopy(li)
        for details in list(folded.iter("details")):
            for line in list(details.iterchildren("div")):
                line.drop_tree()
        outer = [e for e in folded.iter("p", "div", "details") if e.get("class") in ("line", "cut")]
        lines = [flat(e.text_content()) for e in outer if e.getparent().get("class") != "line"]
        assert lines == [flat(line.text) for line in block.lines]
        hidden = [unit for line in block.lines for mark in line.pieces if isinstance(mark, Mark) for unit in mark.units]
        unfolded = flat(" ".join(line.text_content() for e in li.iter("details") for line in e.iterchildren("div")))
        for unit in hidden:
            assert flat(unit.text) in unfolded
            assert page.by_id(unit.id).find("mark") is None  # what is left out is not in the summary
        assert li.find("a").text_content() == block.citation
        assert unquote(li.find("a").get("href")) == f"#{block.items[0].id}"
        for item in block.items:
            place = page.by_id(item.id)
            assert place.find("mark").text_content() == item.text
            back = page.by_id(unquote(place.find("a").get("href")[1:]))
            assert li in (back, *back.iterancestors())


@given(summaries(), st.booleans())
def test_a_page_has_the_whole_act_and_marks_what_the_summary_has(summary: Summary, group: bool) -> None:
    assert_right(Page(summary, group), summary, group)


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_every_language_the_page_is_right_and_says_which_it_is(examples: Path, language: str) -> None:
    summary = summary_of(read(examples / "short" / f"{language}.txt"), step=2)
    page, words = Page(summary, group=True), phrases(language)
    assert_right(page, summary, group=True)
    assert page.one("title").text_content() == page.one("h1").text_content() == summary.act.title
    assert page.root.get("lang") == language
    assert [h2.text_content() for h2 in page.one("main").iter("h2")] == [words.groups[name] for name in GROUPS]
    assert words.disclaimer in page.one("main").text_content()
    assert summary.act.celex in page.one("ul[@class='facts']").text_content()
    assert summary.act.date in page.one("ul[@class='facts']").text_content()


@pytest.mark.data
@pytest.mark.parametrize("name", ["32022R2554/2022-12-14/en.xml", "31991R1534/2004-05-01/en.xml"])
def test_pages_of_real_acts_are_right(data: Path, name: str) -> None:
    summary = summary_of(read(data / "acts" / "raw" / name), step=30)
    assert_right(Page(summary), summary, group=False)


def test_headings_of_the_act_are_headings(summary: Summary) -> None:
    headings = [flat(h.text_content()) for h in Page(summary).one("section[@class='act']").iter("h3")]
    named = [section for section in summary.act.sections if section.label]
    assert headings == [f"{section.label} {section.heading}" for section in named]


def test_articles_stand_one_level_below_the_chapters_around_them() -> None:
    text = "Decision\nCHAPTER I\nGENERAL PROVISIONS\nArticle 1\nScope\nThis applies.\nArticle 2\nAims\nThat too."
    act = read(text, language="en")
    headings = Page(summary_of(act)).one("section[@class='act']").iter("h3", "h4")
    assert [(h.tag, flat(h.text_content())) for h in headings] == [
        ("h3", "CHAPTER I"),
        ("h3", "GENERAL PROVISIONS"),
        ("h4", "Article 1 Scope"),
        ("h4", "Article 2 Aims"),
    ]


def test_of_a_provision_that_was_cut_only_the_beginning_is_marked(summary: Summary) -> None:
    unit = summary.act["art-8"]
    cut = unit._replace(text=unit.text[:13], end=unit.start + 13, words=2)
    page = Page(Summary(summary.act, 2, (Item.of(cut, summary.act.sections[unit.section], 0.5, "key_points"),)))
    assert page.one("mark").text_content() == "Member States"
    assert flat(page.act) == flat(summary.act.source)


def test_nothing_of_an_act_runs_and_nothing_is_loaded() -> None:
    act = made(
        ("article", "<img src=x onerror=alert(1)>", ["<script>alert(1)</script>", "<style>*{}</style>"]),
        title="</title><script>",
        language='en"><script>',
    )
    page = Page(summary_of(act, step=1, warnings=("<b>x</b><script>",)))
    assert len(page.all("script")) == len(page.all("style")) == 1
    attributes = {name for element in page.root.iter() for name in element.attrib}
    assert not [name for name in attributes if str(name).startswith(("on", "src", "style"))]
    assert not page.all("img") + page.all("link") + page.all("iframe") + page.all("base")
    assert all(link.get("href").startswith("#") for link in page.all("a"))
    assert not re.search(r"url\(|@import|https?:", CSS)


def test_the_policy_allows_the_own_style_and_script_and_nothing_else(summary: Summary) -> None:
    page = Page(summary)

    def allowed(tag: str) -> str:
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page.html, re.DOTALL)
        return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"

    policy = page.one("meta[@http-equiv='Content-Security-Policy']").get("content").split("; ")
    assert policy == [
        "default-src 'none'",
        f"style-src {allowed('style')}",
        f"script-src {allowed('script')}",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def luminance(colour: str) -> float:
    """As WCAG 2 defines it."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("ink", ["ink", "quiet", "link"])
def test_all_text_can_be_read(scheme: str, ink: str) -> None:
    before, dark, _ = re.split(r"@media screen and \(prefers-color-scheme: dark\) \{(.*?\n)\}\n", CSS, flags=re.DOTALL)
    colours = dict(re.findall(r"--(\w+): (#\w{6});", dark if scheme == "dark" else before))
    grounds = ["paper", "desk", "mark"] + ["now"] * (ink == "ink")
    for ground in grounds:
        darker, lighter = sorted((luminance(colours[ink]), luminance(colours[ground])))
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, f"{ink} on {ground}"


def test_a_long_act_is_a_page_in_no_time() -> None:
    sentence = (
        "The competent authority shall take a decision within 15 working days & inform the applicant thereof. " * 2
    )
    act = made(*(("article", "Decision", [sentence] * 14) for _ in range(100)))
    summary = summary_of(act, step=30)
    assert act.words > 42_000

    assert fastest(summary.to_html, enough=0.1) < 0.1


# --- formats and files ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.txt", "text"),
        ("a.b.md", "md"),
        ("a.HTML", "html"),
        ("a.htm", "html"),
        ("a.json", "json"),
        (Path("a.docx"), "docx"),
        ("b/a.Pdf", "pdf"),
    ],
)
def test_the_name_of_a_file_says_its_format(name: str | Path, format: str) -> None:
    assert format_of(name) == format
    assert format in FORMATS


@pytest.mark.parametrize("name", ["summary", "summary.odt", ".txt", ""])
def test_a_name_that_does_not_say_it_is_refused_with_those_that_do(name: str) -> None:
    with pytest.raises(OptionError) as refused:
        format_of(name)
    assert name in str(refused.value)


def test_a_format_that_does_not_exist_is_refused_with_those_that_do(summary: Summary) -> None:
    with pytest.raises(OptionError, match="odt"):
        render_file(summary, "odt")


@pytest.mark.parametrize("format", TEXT_FORMATS)
def test_what_is_rendered_is_utf8_and_ends_with_a_line(summary: Summary, format: str) -> None:
    content = render_file(summary, format, group=True).decode("utf-8")
    assert content.endswith("\n")
    assert not content.endswith("\n\n")
    assert content != render_file(summary, format).decode("utf-8"), "grouped is not ungrouped"


def test_json_is_what_the_summary_says(summary: Summary) -> None:
    content = render_file(summary, "json", group=True)
    assert json.loads(content) == summary.to_dict(group=True)
    assert content.startswith(b'{\n "celex"')


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".json", ".docx", ".pdf"])
def test_a_saved_file_is_what_was_rendered_and_alone(summary: Summary, tmp_path: Path, suffix: str) -> None:
    if package := {".docx": "docx", ".pdf": "typst"}.get(suffix):
        pytest.importorskip(package)
    target = tmp_path / f"summary{suffix}"
    save(summary, target, group=True)
    save(summary, str(target))
    assert target.read_bytes() == render_file(summary, format_of(target))
    assert list(tmp_path.iterdir()) == [target]


def test_when_the_disk_is_full_the_old_file_is_still_there_and_no_other(
    summary: Summary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "summary.txt"
    target.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match=r"summary\.txt"):
        save(summary, target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["nowhere/summary.txt", "folder.txt", "a\0b.txt", f"{'a' * 300}.txt"])
def test_what_cannot_be_written_is_told_in_one_sentence(summary: Summary, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.txt").mkdir()
    with pytest.raises(OutputError):
        save(summary, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.txt"]


def test_a_link_to_a_file_stays_one(summary: Summary, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link, target = tmp_path / "link.txt", tmp_path / "real" / "summary.txt"
    target.write_text("old")
    link.symlink_to(target)
    save(summary, link)
    assert link.is_symlink()
    assert target.read_bytes() == render_file(summary, "text")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_written_to(summary: Summary, tmp_path: Path) -> None:
    pipe, got = tmp_path / "pipe.txt", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    save(summary, pipe)
    reader.join()
    assert got == [render_file(summary, "text")]
    assert pipe.is_fifo()


def test_sentences_that_follow_one_another_are_one_paragraph_with_one_citation() -> None:
    long = " ".join(f"Keepers shall report the number {i} of their colonies to the authority." for i in range(1, 12))
    act = read(f"Article 1\n\n1. {long}\n\n2. Bees are free.\n\nArticle 2\n\nHives shall be registered.", language="en")
    units = [unit for unit in act.units if unit.id != "art-1.par-1.s-3"]
    assert len(units) > 6
    summary = Summary(act, 400, tuple(Item.of(unit, act.sections[unit.section], 0.5, "key_points") for unit in units))
    (line,) = summary.blocks()[0].lines
    texts = [unit.text for unit in units if unit.provision == "art-1.par-1"]
    assert line.text == f"{texts[0]} {texts[1]} […] {' '.join(texts[2:])}"
    assert cited(summary) == ["Article 1(1)", "Article 1(2)", "Article 2"]
    assert cited(replace(summary, items=summary.items[:2])) == ["Article 1(1), first and second sentences"]
    assert cited(replace(summary, items=summary.items[2:10])) == ["Article 1(1), fourth to 11th sentences"]
    for shown in (to_text(summary), to_markdown(summary)):
        assert shown.count("Article 1(1)") == 1


def test_a_table_is_left_out_unless_it_is_asked_for_and_shown_with_its_cells() -> None:
    article = "Article 1\nHives shall be registered by their keepers before the first of March.\n"
    text = f"{article}ANNEX I\nFees\nHives | Fee in euro |\n1 to 5 | 10 |"
    act = read(text, language="en")
    assert all(item.id != "anx-I.tbl-1" for item in summarize(act, words=500))
    summary = summarize(act, words=500, focus="with-tables")
    table = next(item for item in summary if item.id == "anx-I.tbl-1")
    assert table.citation == "Annex I, table 1"
    assert len(table.rows) == 2
    assert "    1 to 5 | 10 |" in summary.to_text().splitlines()
    assert "<td>1 to 5 | 10 |</td>" in summary.to_html()
    assert "| --- |" in summary.to_markdown()


def test_all_sentences_of_a_provision_are_cited_as_the_provision() -> None:
    long = " ".join(f"Keepers shall report the number {i} of their colonies to the authority." for i in range(1, 5))
    act = read(f"Article 1\n\n1. {long}\n\n2. Bees are free.", language="en")
    summary = Summary(act, 9, tuple(Item.of(unit, act.sections[unit.section], 0.5, "key_points") for unit in act))
    assert cited(summary) == ["Article 1(1)", "Article 1(2)"]
    assert cited(replace(summary, items=summary.items[1:]))[0] == "Article 1(1), second to fourth sentences"
    assert Act.from_json(act.to_json()).wholes == {"art-1.par-1": "Article 1(1)"}


def test_on_a_page_sentences_that_follow_one_another_are_one_item_and_each_can_be_linked_to() -> None:
    long = " ".join(f"Keepers shall report the number {i} of their colonies to the authority." for i in range(1, 6))
    act = read(f"Article 1\n\n1. {long}\n\n2. Bees are free.", language="en")
    units = [unit for unit in act if unit.id != "art-1.par-1.s-3"]
    summary = Summary(act, 400, tuple(Item.of(unit, act.sections[unit.section], 0.5, "key_points") for unit in units))
    page = Page(summary)
    assert_right(page, summary, group=False)
    assert [li.find("a").text_content() for li in page.all("li[@class='item']")] == ["Article 1(1)", "Article 1(2)"]
    assert page.one("details[@class='cut']").find("summary").text_content() == "[…]"
    assert page.one("span[@id='item:art-1.par-1.s-5']").text_content() == act["art-1.par-1.s-5"].text
    assert [item["id"] for item in summary.to_dict()["extract"]] == [unit.id for unit in units]


def test_two_provisions_that_are_numbered_alike_are_cited_apart_in_runs_and_as_wholes() -> None:
    long = " ".join(f"Keepers shall report the number {i} of their colonies to the authority." for i in range(1, 5))
    annex = f"ANNEX\n\nHIVES\n\n1. Bees are free.\n\n2. {long}\n\n"
    act = read(f"Article 1\n\nHives shall be registered.\n\n{annex}{annex}", language="en")
    summary = Summary(act, 9, tuple(Item.of(unit, act.sections[unit.section], 0.5, "key_points") for unit in act))
    found = cited(summary)
    assert len(found) == len(set(found))
    assert found[-1] == "Annex, point 2 [2]"
    some = replace(summary, items=summary.items[-4:-2])
    assert cited(some) == ["Annex, point 2, first and second sentences [2]"]


def table_of(*rows: str) -> Summary:
    """A summary that is one table; bars stand between its cells."""
    text = "\n".join(row.replace("|", "\t") for row in rows)
    act = made(("annex", "Fees", [text]), kinds=["table"])
    unit = act.units[0]._replace(id="anx-I.tbl-1", provision="anx-I.tbl-1")
    return Summary(act, 400, (Item.of(unit, act.sections[0], 0.5, "key_points"),))


def test_in_text_the_cells_of_a_table_stand_one_below_the_other_if_there_is_room() -> None:
    lines = table_of("Hives|Fee in euro", "1 to 5|10", "more").to_text().splitlines()
    assert "    Hives  | Fee in euro" in lines
    assert "    1 to 5 | 10" in lines
    assert "    more   |" in lines
    wide = table_of(f"Hives|{'euro ' * 30}|Fee", "1 to 5|10").to_text().splitlines()
    assert max(map(len, wide)) <= 100
    assert "    1 to 5 | 10" in wide


def test_on_a_page_a_table_has_all_cells_and_a_wide_one_is_reached_from_the_keyboard() -> None:
    page = Page(table_of("Hives|Fee in euro", "more"))
    assert [len(row) for row in page.all("li//tr")] == [2, 2]
    assert not page.all("div[@class='table'][@tabindex]")
    assert len(Page(table_of("a|b|c|d|e")).all("div[@class='table'][@tabindex='0']")) == 2


def test_on_a_page_what_belongs_to_a_point_is_indented_with_it() -> None:
    text = """Article 1
1. Hives shall be:
(a) registered, with:
(i) a number;
A number is given once.
(b) labelled as follows:
Size | Colour |
1 | red |
2. Bees are free."""
    act = read(text, language="en")
    page = Page(summary_of(act))
    depths = {u.id: d for u, d in zip(act.units, indent_depths(act, 4), strict=True)}
    assert len(set(depths.values())) > 2
    beside = [u for u in act if u.kind in ("subparagraph", "table") and depths[u.id]]
    for unit in (*beside, act["art-1.par-1.pt-a"], act["art-1.par-1.pt-a.pt-i"]):
        around = page.by_id(unit.id)
        holder = around if unit.kind == "table" else around.getparent()
        assert f"depth-{depths[unit.id]}" in holder.get("class").split()
    assert beside
