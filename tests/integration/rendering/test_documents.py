"""Summaries as Word documents and PDFs: what is in the summary is in the file, in order, and can be had back."""

from __future__ import annotations

import ctypes
import gzip
import io
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from helpers.generated_acts import acts_with_units, made
from lexlattice import Act, read
from lexlattice.act.summary import GROUPS, Explanation, Influence, Item, Summary
from lexlattice.errors import MissingExtraError
from lexlattice.reading import LANGUAGES
from lexlattice.rendering.docx import to_docx
from lexlattice.rendering.outline import KINDS, outline, printable
from lexlattice.rendering.pdf import to_pdf
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.text import parts

docx = pytest.importorskip("docx")
pdfium = pytest.importorskip("pypdfium2")
pytest.importorskip("typst")

Writer = Callable[..., bytes]

hostile = st.text(st.characters(), max_size=30) | st.sampled_from(
    [
        "",
        " ",
        "a\x0bb\ufffe\x00",
        "🐝 👩‍🌾 bees",
        "\ud800",
        "w" * 300,
        "≥ 5 m² “q” – €",
        "#let x = *1* $y$ @z",
        "<w:p/> &amp;",
    ]
)
"""What no act should hold."""


def summary_of(act: Act, every: int = 1, groups: Sequence[str] = ("key_points",), **rest: Any) -> Summary:
    """Some of an act's units, in these groups in turn."""
    units = act.units[::every]
    items = [
        Item.of(unit, act.sections[unit.section], 0.5, groups[place % len(groups)]) for place, unit in enumerate(units)
    ]
    return Summary(act, budget=10**6, items=tuple(items), **rest)


def explained(summary: Summary) -> Summary:
    """The same, and each item says that the first one moved it."""
    first = summary[0]
    reasons = [
        Explanation(rank, (0.21, 0.354, 0.4), (Influence(first.id, first.citation, 0.05 - rank / 100),))
        for rank, _ in enumerate(summary, 1)
    ]
    items = (replace(item, explanation=why) for item, why in zip(summary, reasons, strict=True))
    return replace(summary, items=tuple(items))


summaries = st.builds(
    lambda act, groups, warnings: summary_of(act, groups=groups, warnings=tuple(warnings)),
    acts_with_units,
    st.lists(st.sampled_from(GROUPS), min_size=1, max_size=5),
    st.lists(hostile, max_size=2),
).flatmap(lambda summary: st.sampled_from([summary, explained(summary)]))


def of_text(text: str) -> Summary:
    """A summary in which everything is this text."""
    act = made(("article", text, [text, text]), title=text)
    summary = summary_of(act, warnings=(text,))
    return replace(summary, items=tuple(replace(item, citation=text) for item in summary.items))


@pytest.fixture(scope="module")
def short(examples: Path) -> Summary:
    return summary_of(read(examples / "short" / "en.txt"), every=2, groups=GROUPS, warnings=("Mind the bees.",))


# --- reading them back ------------------------------------------------------------------------------------


def opened(data: bytes) -> Any:
    return docx.Document(io.BytesIO(data))


def texts(document: Any, *styles: str) -> list[str]:
    return [paragraph.text for paragraph in document.paragraphs if paragraph.style.name in styles]


def headings(document: Any) -> list[tuple[int, str]]:
    found = ((paragraph.style.name, paragraph.text) for paragraph in document.paragraphs)
    return [(int(name[-1]), text) for name, text in found if name.startswith("Heading")]


def pages_of(data: bytes) -> list[str]:
    return [page.get_textpage().get_text_bounded() for page in pdfium.PdfDocument(data)]


def bookmarks(data: bytes) -> list[tuple[int, str]]:
    return [(mark.level + 1, mark.get_title()) for mark in pdfium.PdfDocument(data).get_toc()]


def language_of(data: bytes) -> str:
    room = (ctypes.c_ushort * 8)()
    size = pdfium.raw.FPDFCatalog_GetLanguage(pdfium.PdfDocument(data), room, ctypes.sizeof(room))
    return bytes(room)[: size - 2].decode("utf-16-le")


def solid(text: str) -> str:
    """Without white space, and hyphens, which a reader of PDFs takes away at the end of a line."""
    return re.sub(r"[\s\x02\xad\u200b\ufffe-]", "", unicodedata.normalize("NFKC", text))


def letters(text: str) -> str:
    """Those of Latin, Greek and Cyrillic without their accents: what every PDF shows as it is."""
    drawn = "".join(sign for sign in text if sign < "\u2e80" or "\ufb00" <= sign <= "\ufb06")  # no "㎀", which is "pA"
    plain = unicodedata.normalize("NFKD", drawn)
    return "".join(sign for sign in plain if sign < "\u0500" and (sign.isalpha() or sign.isdecimal()))


def body_of(data: bytes, summary: Summary, squeeze: Callable[[str], str]) -> str:
    """The text of all pages without what stands at their foot, which is what it should be."""
    words = phrases(summary.act.language)
    pages = pages_of(data)
    body = []
    for number, text in enumerate(pages, 1):
        foot = squeeze(
            summary.act.celex + words.page.format(page=number, pages=len(pages)) + words.disclaimer,
        )
        assert squeeze(text).endswith(foot)
        body.append(squeeze(text).removesuffix(foot))
    return "".join(body)


def pieces_of(summary: Summary, squeeze: Callable[[str], str], group: bool = False) -> str:
    return "".join(squeeze(piece.text) for piece in outline(summary, group=group).pieces)


def provisions_of(summary: Summary) -> list[str]:
    return [printable(line.text) for block in summary.blocks() for line in block.lines if line.items]


# --- the outline ------------------------------------------------------------------------------------------


@given(summaries, st.booleans())
def test_the_outline_has_every_item_with_its_citation(summary: Summary, group: bool) -> None:
    pieces = outline(summary, group=group).pieces
    assert {piece.kind for piece in pieces} <= set(KINDS)
    groups = summary.groups() if group else {"": [item for item in summary if item.group != "related"]}
    order = [item for items in groups.values() for item in items]
    order += [] if group else summary.groups().get("related", ())
    assert [piece.text for piece in pieces if piece.kind == "text"] == [printable(item.text) for item in order]
    assert [piece.text for piece in pieces if piece.kind == "citation"] == [printable(item.citation) for item in order]
    assert [piece.text for piece in pieces if piece.kind == "warning"] == [printable(text) for text in summary.warnings]


@given(summaries, st.booleans())
def test_reasons_follow_the_provision_that_they_are_of(summary: Summary, group: bool) -> None:
    pieces = outline(summary, group=group).pieces
    found = [(text, why) for text, why in pairwise(pieces) if why.kind == "why"]
    items = [item for _, provisions in parts(summary, group) for block in provisions for item in block.items]
    wanted = [(item.text, item.explanation) for item in items if item.explanation]
    assert [(text.text, why.text) for text, why in found] == [(printable(t), printable(str(why))) for t, why in wanted]
    assert all(text.kind == "text" and text.level == why.level for text, why in found)
    assert [piece for piece in pieces if piece.stays] == [text for text, _ in found]


@given(summaries, st.booleans())
def test_no_level_of_headings_is_left_out(summary: Summary, group: bool) -> None:
    levels = [piece.level for piece in outline(summary, group=group).pieces if piece.kind == "heading"]
    assert all(level <= before + 1 for before, level in zip([0, *levels], levels, strict=False))


@given(hostile)
def test_words_stay_and_only_what_no_document_may_hold_is_replaced(text: str) -> None:
    shown = printable(text)
    assert len(shown.split()) == len(text.split())
    pairs = zip("".join(text.split()), "".join(shown.split()), strict=True)
    assert all(new in (old, "\ufffd") for old, new in pairs)
    assert printable(shown) == shown
    shown.encode()


def test_points_are_indented_below_what_they_hang_from(examples: Path) -> None:
    summary = summary_of(read(examples / "short" / "en.txt"))
    pieces = [piece for piece in outline(summary).pieces if piece.kind == "text"]
    lines = [line for block in summary.blocks() for line in block.lines]
    levels = {line.items[0].id: piece.level for line, piece in zip(lines, pieces, strict=True)}
    named = ("art-3.par-2", "art-3.par-2.pt-b", "art-3.par-2.pt-b.pt-ii", "art-3.par-2.sub-2", "art-5.par-2.ind-1")
    assert [levels[name] for name in named] == [0, 1, 2, 0, 1]
    assert [levels[name] for name in ("art-2.pt-1", "anx.pt-2", "anx.pt-2.pt-a")] == [1, 0, 1]


# --- both formats -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [to_docx, to_pdf])
def test_the_same_summary_is_the_same_file(write: Writer, short: Summary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    first = write(short, group=True)
    monkeypatch.setattr("time.time", lambda: 2e9)
    assert write(short, group=True) == first
    assert write(short) != first
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1900000000")
    assert write(short, group=True) != first


@pytest.mark.parametrize("group", [False, True])
def test_both_have_the_same_headings(short: Summary, group: bool) -> None:
    found = headings(opened(to_docx(short, group=group)))
    assert bookmarks(to_pdf(short, group=group)) == found
    names = phrases("en").groups
    expected = [names[name] for name in GROUPS] if group else [names["related"]]
    assert [text for _, text in found if text in names.values()] == expected
    assert (2 if group else 1, "Article 1 — Subject matter and scope") in found


@pytest.mark.parametrize(("write", "package", "extra"), [(to_docx, "docx", "docx"), (to_pdf, "typst", "pdf")])
def test_a_missing_package_is_named(
    write: Writer, package: str, extra: str, short: Summary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"lexlattice\[{extra}\]"):
        write(short)


@pytest.mark.parametrize("write", [to_docx, to_pdf])
def test_what_was_written_can_be_read(write: Writer, short: Summary) -> None:
    again = solid(read(write(short)).source)
    places = [again.find(solid(item.text)) for item in short if item.group != "related"]
    assert -1 not in places
    assert places == sorted(places)


def test_both_say_why_in_the_words_of_all_other_formats(short: Summary) -> None:
    summary = explained(short)
    told = [
        str(item.explanation) for _, found in parts(summary, group=False) for block in found for item in block.items
    ]
    assert told[1] == "№ 2 · 0.21 → 0.35 → 0.40 · Title +0.03"
    assert texts(opened(to_docx(summary)), "Reasons") == told
    data = to_pdf(summary)
    assert body_of(data, summary, solid) == pieces_of(summary, solid)
    assert claims_standards(data)
    assert not texts(opened(to_docx(short)), "Reasons")


def test_reasons_are_on_the_page_of_their_provision_even_if_it_has_more_than_one() -> None:
    act = made(("article", "Scope", ["Bees. " * 40] * 12 + ["Bees. " * 2000]))
    pages = pages_of(to_pdf(explained(summary_of(act))))
    assert len(pages) > 4
    assert not [page for page in pages if page.startswith("№")]


@pytest.mark.parametrize("write", [to_docx, to_pdf])
def test_a_summary_of_nothing_is_a_document_too(write: Writer) -> None:
    assert write(Summary(made(), budget=1, items=()), group=True)


# --- Word -------------------------------------------------------------------------------------------------


@given(summaries, st.booleans())
@settings(max_examples=20)
def test_a_word_document_has_the_items_word_for_word(summary: Summary, group: bool) -> None:
    document = opened(to_docx(summary, group=group))
    pieces = outline(summary, group=group).pieces
    assert [paragraph.text for paragraph in document.paragraphs] == [piece.text for piece in pieces]
    assert texts(document, "Provision") == [piece.text for piece in pieces if piece.kind == "text"]
    assert texts(document, "Citation") == [piece.text for piece in pieces if piece.kind == "citation"]


@given(hostile)
@settings(max_examples=20)
def test_word_takes_any_text(text: str) -> None:
    assert texts(opened(to_docx(of_text(text))), "Provision") == [printable(text)] * 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_document_speaks_the_language_of_the_act(language: str, examples: Path) -> None:
    summary = summary_of(read(examples / "short" / f"{language}.txt"), every=5)
    document = opened(to_docx(summary))
    assert document.styles.element.xpath("w:docDefaults//w:lang/@w:val") == [language]
    assert document.core_properties.language == language
    assert texts(document, "Provision") == provisions_of(summary)
    number, disclaimer = document.sections[0].footer.paragraphs
    shown = "".join(node.text or "\t" for node in number._p.xpath(".//w:t | .//w:tab[not(@w:pos)]"))
    assert shown == f"32024R9001\t{phrases(language).page.format(page=1, pages=1)}"
    assert {*number._p.xpath("w:fldSimple/@w:instr")} == {"PAGE", "NUMPAGES"}
    assert disclaimer.text == phrases(language).disclaimer


def test_a_word_document_is_well_made(short: Summary) -> None:
    document = opened(to_docx(short, group=True))
    assert all(paragraph.text for paragraph in document.paragraphs)
    section = document.sections[0]
    assert (round(section.page_width.mm), round(section.page_height.mm)) == (210, 297)
    styles = document.styles
    assert all(styles[name].paragraph_format.keep_with_next for name in ("Citation", "Heading 1", "Heading 2"))
    assert styles.element.xpath("w:style[@w:styleId='Heading2']/w:pPr/w:outlineLvl/@w:val") == ["1"]
    properties = document.core_properties
    assert properties.title == short.act.title
    assert (properties.author, properties.comments) == ("", "")
    assert texts(document, "Warning") == ["Mind the bees."]
    indents = {paragraph.paragraph_format.left_indent for paragraph in document.paragraphs}
    assert len(indents) >= 2


def test_documents_say_when_they_were_made_and_of_what(short: Summary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795012345")
    properties = opened(to_docx(short)).core_properties
    moment = datetime.fromtimestamp(1795012345, UTC)
    assert {properties.created.timetuple()[:6], properties.modified.timetuple()[:6]} == {moment.timetuple()[:6]}
    about = pdfium.PdfDocument(to_pdf(short)).get_metadata_dict()
    assert about["CreationDate"].startswith(f"D:{moment:%Y%m%d%H%M%S}")
    assert about["Producer"] or about["Creator"]
    assert not about["Author"]
    assert (properties.author, properties.last_modified_by) == ("", "")
    assert properties.subject == about["Subject"] == "Extract · Implementing Regulation (EU) 2024/9001"
    assert properties.keywords == about["Keywords"].split(",")[0] == "32024R9001"
    for format in ("text", "md", "html"):
        assert f"{moment.day} November 2026" in str(short.render(format))
    for wrong in ("", "soon", "-1"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
        made = opened(to_docx(short)).core_properties.created.replace(tzinfo=UTC)
        assert abs(datetime.now(UTC) - made) < timedelta(minutes=5)


def test_a_title_may_be_longer_than_word_allows(examples: Path) -> None:
    act = replace(read(examples / "short" / "en.txt"), title="Council Decision " * 40)
    document = opened(to_docx(summary_of(act)))
    assert texts(document, "Small Title") == [act.title]
    assert act.title.startswith(document.core_properties.title)


# --- PDF --------------------------------------------------------------------------------------------------


def claims_standards(data: bytes) -> bool:
    """PDF/A-2a and PDF/UA-1; Typst refuses both to a file in which a letter is missing."""
    return b"<pdfuaid:part>1<" in data and b"<pdfaid:part>2<" in data


@pytest.mark.parametrize("group", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pdf_has_every_word_in_every_language(language: str, group: bool, examples: Path) -> None:
    act = read(examples / "short" / f"{language}.txt")
    summary = summary_of(act, groups=[name for name in GROUPS for _ in range(len(act) // 5 + 1)])
    data = to_pdf(summary, group=group)
    assert body_of(data, summary, solid) == pieces_of(summary, solid, group)
    assert claims_standards(data)
    assert language_of(data) == language
    assert len(pages_of(data)) > 1
    assert len(data) < 200_000


def test_signs_of_acts_are_drawn() -> None:
    summary = of_text(
        "ħ ż ș ț ő ģ ė ъ ѝ ώ ΐ “q” „q‟ «q» ‘q’ – — … € £ ≥ ≤ ± × ÷ µ ° % ‰ § ¶ m² m³ 10⁻⁶ CO₂ ½ → ☐ № † • ∑ √ Ω"
    )
    data = to_pdf(summary)
    assert claims_standards(data)
    assert body_of(data, summary, solid) == pieces_of(summary, solid)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30).filter(lambda text: not reordered(text)))
@example("w" * 300)
@example("a\x0bb\ufffe\x00")
@example("bees 🐝 蜜蜂 mead")
@example("#let x = *1* $y$ @z <w> // --- 'q'")
@settings(max_examples=20)
def test_a_pdf_takes_any_text(text: str) -> None:
    summary = of_text(text)
    assert body_of(to_pdf(summary), summary, letters) == pieces_of(summary, letters)


def reordered(text: str) -> bool:
    """Whether a PDF, which has text as it is seen, has it in another order."""
    return any(unicodedata.bidirectional(sign) in {"R", "AL", "AN", "RLE", "RLO", "RLI", "LRO", "LRE"} for sign in text)


def test_a_pdf_takes_text_from_right_to_left() -> None:
    (page,) = pages_of(to_pdf(of_text("honey דבש honey")))
    assert "דבש" in page


def test_what_no_font_has_is_shown_as_such() -> None:
    data = to_pdf(of_text("a \U0010fffd b"))
    assert "a � b" in pages_of(data)[0]
    assert not claims_standards(data)


def test_a_pdf_says_what_it_is(short: Summary) -> None:
    data = to_pdf(short)
    pdf = pdfium.PdfDocument(data)
    about = pdf.get_metadata_dict()
    assert about["Title"] == short.act.title
    assert [round(side) for side in pdf[0].get_size()] == [595, 842]
    assert pdfium.raw.FPDFCatalog_IsTagged(pdf)


@pytest.mark.data
def test_real_acts_in_23_languages(data: Path) -> None:
    with gzip.open(data / "acts" / "multi-eurlex.jsonl.gz", "rt", encoding="utf-8") as lines:
        versions = json.loads(next(lines))["text"]
    for language, text in versions.items():
        summary = summary_of(read(text, language=language), every=7)
        written = to_pdf(summary)
        assert claims_standards(written), language
        assert body_of(written, summary, solid) == pieces_of(summary, solid)
        assert texts(opened(to_docx(summary)), "Provision") == provisions_of(summary)


def test_a_table_is_a_table_in_documents() -> None:
    cells = "".join(f"<td><p>{cell}</p></td>" for cell in ("Hives", "Fee in euro"))
    row = "<td><p>1 to 5</p></td><td><p>10</p></td>"
    body = "<p>Article 1</p><p>Hives shall be registered by their keepers.</p><p>ANNEX I</p><p>Fees</p>"
    rows = f"<tr>{cells}</tr><tr>{row}</tr><tr><td><p>more</p></td></tr>"
    html = f"<html><body>{body}<table border='1'>{rows}</table></body></html>"
    act = read(html.encode(), language="en")
    (table,) = (unit for unit in act if unit.kind == "table")
    summary = summary_of(act)
    (written,) = docx.Document(io.BytesIO(to_docx(summary))).tables
    assert [[cell.text for cell in line.cells] for line in written.rows] == [
        ["Hives", "Fee in euro"],
        ["1 to 5", "10"],
        ["more", ""],
    ]
    (piece,) = (piece for piece in outline(summary).pieces if piece.kind == "table")
    assert {len(line) for line in piece.rows} == {2}
    pages = pdfium.PdfDocument(to_pdf(summary))
    shown = " ".join(page.get_textpage().get_text_bounded() for page in pages)
    assert table.citation in shown and all(cell in shown for line in table.rows for cell in line)


def test_a_table_of_very_many_columns_fits_the_page() -> None:
    rows = ["\t".join(f"{line} {'wide' * 4} {n}" for n in range(18)) for line in range(3)]
    act = made(("annex", "Fees", ["\n".join(rows)]), kinds=["table"])
    unit = act.units[0]._replace(id="anx-I.tbl-1", provision="anx-I.tbl-1")
    summary = Summary(act, 400, (Item.of(unit, act.sections[unit.section], 0.5, "key_points"),))
    (page,) = pdfium.PdfDocument(to_pdf(summary))
    texts = page.get_textpage()
    width = page.get_width()
    boxes = [texts.get_charbox(place) for place in range(texts.count_chars())]
    assert all(0 <= left <= right <= width for left, _, right, _ in boxes)
    assert to_docx(summary)
