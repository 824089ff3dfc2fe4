"""Reading PDF. Every file is drawn by its test, so that the expected text is known exactly."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import ROOT
from helpers.laws import assert_laws
from helpers.pdfs import pages
from lexlattice import read
from lexlattice.act.remarks import code_of, values_of
from lexlattice.errors import MissingExtraError, ReadingError
from lexlattice.reading.formats import pdf, pdf_process
from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.formats.pdf import read_pdf

reportlab = pytest.importorskip("reportlab")
pytest.importorskip("pypdfium2")

from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY, TA_LEFT  # noqa: E402
from reportlab.lib.pdfencrypt import StandardEncryption  # noqa: E402
from reportlab.lib.styles import ParagraphStyle  # noqa: E402
from reportlab.pdfbase.pdfmetrics import stringWidth  # noqa: E402
from reportlab.pdfgen.canvas import Canvas  # noqa: E402
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph  # noqa: E402

Columns = list[tuple[int, int, int, int]]
Item = tuple[Any, ...]

EXAMPLES = ROOT / "examples"
ONE_COLUMN: Columns = [(54, 60, 487, 720)]
TWO_COLUMNS: Columns = [(54, 60, 236, 720), (305, 60, 236, 720)]

ACT = [
    "COMMISSION REGULATION (EU) 2024/9001",
    "of 12 March 2024",
    "laying down rules for urban beehives",
    "THE EUROPEAN COMMISSION,",
    "Having regard to the Treaty on the Functioning of the European Union,",
    "Whereas:",
    "(1) Regulation (EU) 2021/9900 lays down general rules on the keeping of pollinators and requires the "
    "Commission to set up a register of the beehives that are kept in the towns of the Member States.",
    "(2) The number of beehives kept on roofs and in gardens has grown in all Member States, and neighbours, "
    "fire services and veterinary authorities need to know where they stand at any time of the year,",
    "HAS ADOPTED THIS REGULATION:",
    *(
        line
        for number in range(1, 13)
        for line in (
            f"Article {number}",
            f"Obligation to register under Article {number}",
            "1. Keepers shall register each beehive with the competent authority within 30 days of its "
            "installation, in accordance with point (a) of Article 6(1) of Regulation (EU) 2021/9900, and "
            f"pay the fee of EUR {number}. The authority shall confirm the registration without delay.",
            "2. The application for registration shall contain:",
            "(a) the name and address of the keeper, and where the keeper is a legal person the name of the "
            "natural person who answers for it;",
            "(b) the place of the beehive, that is to say:",
            "(i) the postal address; or",
            "(ii) the geographical coordinates;",
            "— and, where it is known, the name of the person who kept the beehive before, together with the "
            "date on which it was handed over.",
            "The competent authority may ask for further information where this is necessary in order to "
            "prevent disease, and shall do so in writing.",
        )
    ),
    "Done at Brussels, 12 March 2024.",
]
HEADINGS = re.compile(r"Article \d+|Obligation.*|COMMISSION REG.*|of 12 March.*|laying down.*|HAS ADOPTED.*")


def typeset(
    paragraphs: list[str],
    columns: Columns = ONE_COLUMN,
    alignment: int = TA_JUSTIFY,
    space: int = 6,
    on_page: Callable[[Any, Any], None] = lambda canvas, document: None,
) -> bytes:
    """Set an act as the Official Journal does: centred headings, hanging list items."""
    body = ParagraphStyle("body", fontName="Times-Roman", fontSize=9.5, leading=11.5, spaceAfter=space)
    body.alignment = alignment
    heading = ParagraphStyle("heading", parent=body, fontName="Times-Bold", alignment=TA_CENTER)
    item = ParagraphStyle("item", parent=body, leftIndent=22, bulletFontName="Times-Roman", bulletFontSize=9.5)
    story: list[Any] = []
    for text in paragraphs:
        marker = re.match(r"(\(\w+\)|—) ", text)
        if HEADINGS.fullmatch(text):
            story.append(Paragraph(text, heading))
        elif marker:
            story.append(Paragraph(text[marker.end() :], item, bulletText=marker[1]))
        else:
            story.append(Paragraph(text, body))
    file = io.BytesIO()
    document = BaseDocTemplate(file, pagesize=(595, 842))
    document.addPageTemplates(PageTemplate(frames=[Frame(*frame) for frame in columns], onPage=on_page))
    document.build(story)
    return file.getvalue()


def journal_header(canvas: Any, document: Any) -> None:
    page = canvas.getPageNumber()
    left, right = (f"L 119/{page}", "4.5.2016") if page % 2 == 0 else ("4.5.2016", f"L 119/{page}")
    canvas.setFont("Times-Roman", 8)
    canvas.drawString(60, 800, left)
    canvas.drawString(150, 800, "EN")
    canvas.drawCentredString(300, 800, "Official Journal of the European Union")
    canvas.drawRightString(535, 800, right)


def draw(*pages: Iterable[Item], **options: Any) -> bytes:
    """Draw (x, y, text[, size[, font]]) tuples, page by page; without a text, (x, y, length) is a rule."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(595, 842), **options)
    for page in pages:
        for x, y, text, *rest in page:
            if not isinstance(text, str):
                canvas.line(x, y, x + text, y)
                continue
            size, font = rest[0] if rest else 9.5, rest[1] if rest[1:] else "Times-Roman"
            canvas.setFont(font, size)
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def column(*lines: str, x: float = 60, y: float = 780, pitch: float = 11.5) -> list[Item]:
    return [(x, y - pitch * i, line) for i, line in enumerate(lines)]


def texts(data: bytes, role: Role | None = None) -> list[str]:
    return [block.text for block in read_pdf(data).blocks if block.role is role]


def characters(parts: list[str]) -> str:
    return "".join("".join(parts).split())


FULL = "The competent authority shall without undue delay inform the keeper of the beehive of every"
FILLER = column(*[FULL] * 4, "step.", y=400)  # gives the page its usual right edge and line pitch


@pytest.mark.parametrize("alignment", [TA_JUSTIFY, TA_LEFT])
@pytest.mark.parametrize("columns", [ONE_COLUMN, TWO_COLUMNS])
@pytest.mark.parametrize("space", [6, 3])
def test_an_act_is_read_paragraph_by_paragraph(columns: Columns, alignment: int, space: int) -> None:
    data = typeset(ACT, columns, alignment, space, journal_header)
    document = read_pdf(data)
    assert document.format == "pdf"
    assert not document.warnings
    assert texts(data) == ACT
    headers = texts(data, Role.PAGE)
    assert headers[0] == "4.5.2016 EN Official Journal of the European Union L 119/1"
    assert headers[1] == "L 119/2 EN Official Journal of the European Union 4.5.2016"
    assert {block.role for block in document.blocks} == {None, Role.PAGE}
    assert document.blocks[0].role is Role.PAGE


def test_a_paragraph_continues_on_the_next_page_before_its_header() -> None:
    paragraph = " ".join(f"the keeper number {i} of a beehive in the town" for i in range(400))
    data = typeset(["Whereas:", paragraph, "Article 1"], on_page=journal_header)
    blocks = read_pdf(data).blocks
    roles = [block.role for block in blocks]
    assert [block.text for block in blocks if block.role is None] == ["Whereas:", paragraph, "Article 1"]
    assert roles == [Role.PAGE, None, None, *[Role.PAGE] * (roles.count(Role.PAGE) - 1), None]
    assert roles.count(Role.PAGE) > 2


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.lists(st.text("abcdefghijklmnopqrstuvwxyzäéß,", min_size=1, max_size=12), min_size=8, max_size=60),
        min_size=3,
        max_size=25,
    ),
    st.sampled_from([ONE_COLUMN, TWO_COLUMNS]),
    st.sampled_from([TA_JUSTIFY, TA_LEFT]),
)
def test_no_character_is_lost_or_moved(paragraphs: list[list[str]], columns: Columns, alignment: int) -> None:
    source = [" ".join(words) for words in paragraphs]
    document = read_pdf(typeset(source, columns, alignment, on_page=journal_header))
    out = [block.text for block in document.blocks if block.role is not Role.PAGE]
    if columns is TWO_COLUMNS:  # nonsense words may look like a table, whose order is unknown
        assert sorted(characters(out)) == sorted(characters(source))
    else:
        assert characters(out) == characters(source)


def test_footnotes_are_at_the_end_and_do_not_split_the_text() -> None:
    first = [
        *column(*[FULL] * 5, FULL[:-8], y=780),
        (60 + stringWidth(FULL[:-7], "Times-Roman", 9.5), 725.9, "(1)", 6),
        *[
            (60, 100, "(", 8),
            (63, 102, "1", 5),
            (66, 100, ") OJ L 450, 16.12.2021, p. 12, as last amended", 8),
        ],
        (60, 90.5, "by a regulation on pollinators.", 8),
        (60, 81, "(2) OJ C 1, 3.1.2020, p. 4.", 8),
    ]
    second = [*column("notwithstanding the wasps.", y=780), *FILLER, (60, 90, "(3) Not yet published.", 8)]
    blocks = read_pdf(draw(first, second)).blocks
    assert blocks == [
        Block(f"{' '.join([FULL] * 5)} {FULL[:-9]} (1) notwithstanding the wasps."),
        Block(f"{' '.join([FULL] * 4)} step."),
        Block("(1) OJ L 450, 16.12.2021, p. 12, as last amended by a regulation on pollinators.", Role.NOTE),
        Block("(2) OJ C 1, 3.1.2020, p. 4.", Role.NOTE),
        Block("(3) Not yet published.", Role.NOTE),
    ]


def test_each_of_two_columns_may_have_footnotes() -> None:
    def on_page(canvas: Any, document: Any) -> None:
        canvas.setFont("Times-Roman", 7)
        canvas.drawString(60, 50, "(1) OJ No L 1, 1. 1. 1980, p. 1.")
        canvas.drawString(311, 50, "(2) OJ No L 2, 1. 1. 1981, p. 2.")

    data = typeset(ACT[:50], TWO_COLUMNS, on_page=on_page)
    assert texts(data) == ACT[:50]
    assert texts(data, Role.NOTE) == ["(1) OJ No L 1, 1. 1. 1980, p. 1.", "(2) OJ No L 2, 1. 1. 1981, p. 2."]


@pytest.mark.parametrize("name", ["act.pdf", "act.two-columns.pdf"])
def test_the_example_has_the_provisions_of_its_text(name: str) -> None:
    def provisions(path: Path) -> list[tuple[str, str, str]]:
        """The provisions, with the notes at the end: in a PDF they are at the bottom of a page."""
        sections = sorted(read(path).sections, key=lambda section: section.kind == "notes")
        return [(unit.id, unit.kind, unit.text) for section in sections for unit in section.units]

    assert provisions(EXAMPLES / "formats" / name) == provisions(EXAMPLES / "short" / "en.txt")


HALF = "The competent authority shall without undue delay inform the"
LEFT = column(*[HALF] * 20, "step.")


def beside(x: float, y: float, *pieces: str | tuple[str, float, float]) -> Iterator[Item]:
    """Set pieces of text side by side; a piece (text, size, rise) is a raised or lowered figure."""
    for piece in pieces:
        text, size, rise = (piece, 9.5, 0.0) if isinstance(piece, str) else piece
        yield x, y + rise, text, size
        x += stringWidth(text, "Times-Roman", size)


@pytest.mark.parametrize("shift", [0, 1.7, 3.4, 5, 7, 9, 10.5])
def test_raised_figures_stay_in_their_line_beside_another_column(shift: float) -> None:
    figures: list[str | tuple[str, float, float]] = [
        "10 m",
        ("2", 6.5, 4.5),
        " of CO",
        ("2", 6.5, -2),
        " (",
        ("1", 6.5, 4.5),
        ") (",
        ("2", 6.5, 4.5),
        ").",
    ]
    page = [*LEFT[:10], *beside(60, 665, *figures), *column(*[HALF] * 20, "step.", x=311, y=780 + shift)]
    assert texts(draw(page)) == [
        f"{' '.join([HALF] * 10)} 10 m2 of CO2 (1) (2).",
        f"{' '.join([HALF] * 20)} step.",
    ]


@pytest.mark.parametrize("shift", [0, 2, 4, 6])
@pytest.mark.parametrize("wide", [False, True])
def test_footnotes_at_the_bottom_of_two_columns(wide: bool, shift: int) -> None:
    long = f"OJ L 450, 16.12.2021, p. 12{', as last amended by a regulation on pollinators' * 3 * wide},"
    page = [*LEFT, *column(*[HALF] * 20, "step.", x=311, y=777)]
    for x, y, mark, text in [(60, 100, "1", long), (60 if wide else 311, 100 + shift - 30 * wide, "2", "OJ C 2,")]:
        page += [(x, y + 3, mark, 5), (x + 12, y, text, 8), (x + 12, y - 9, "as amended.", 8)]
    data = draw(page)
    assert texts(data) == [f"{' '.join([HALF] * 20)} step."] * 2
    assert texts(data, Role.NOTE) == [f"1 {long} as amended.", "2 OJ C 2, as amended."]


def test_footnotes_below_a_rule_may_be_in_the_type_of_the_text() -> None:
    notes = [(60, 112, 60), (60, 100, "(1) OJ L 450, 16.12.2021, p. 12."), (60, 88, "(2) OJ C 2.")]
    for page in (FILLER, LEFT + column(*[HALF] * 20, "step.", x=311)):
        assert texts(draw(page + notes), Role.NOTE) == [text for _, _, text in notes[1:]]
        assert not texts(draw(page + notes[1:]), Role.NOTE)


@pytest.mark.parametrize(
    "rules",
    [
        [(60, 210.5, 50)],  # under the words "Obligations"
        [(60, 206, 475)],
        [(60, 206, 60), (120, 206, 60)],
        [(60, 206, 60), (60, 174, 60)],
        [(300, 206, 60)],
    ],
)
def test_other_rules_do_not_make_footnotes(rules: list[Item]) -> None:
    lines = [(60, 212, "Obligations"), (60, 194, "(1) the keeper;"), (60, 180, "(2) the bee.")]
    assert texts(draw(FILLER + lines + rules))[1:] == [text for _, _, text in lines]


def test_a_single_line_is_a_column_if_other_pages_have_columns() -> None:
    second = [*LEFT, (400, 780, "Maria EXAMPLE")]
    data = draw(LEFT + column(*[HALF] * 20, "step.", x=311), second)
    assert texts(data) == [f"{' '.join([HALF] * 20)} step."] * 3 + ["Maria EXAMPLE"]


def test_an_annex_in_small_type_is_not_a_footnote() -> None:
    page = [(60, 780, "ANNEX", 9.5, "Times-Bold")]
    small = [(60, 750 - 10 * i, f"({i}) the bees of the keeper number {i};", 8) for i in range(1, 30)]
    data = draw(FILLER + column(*[FULL] * 20, "step."), [*small])
    assert not texts(data, Role.NOTE)
    assert texts(draw(page + small[:3]))[0] == "ANNEX"


@pytest.mark.parametrize(
    ("header", "footer"),
    [
        ("No L 123/{n} Official Journal of the European Communities 4. 5. 85", ""),
        ("OJ L, 12.7.2024 EN", "ELI: http://data.europa.eu/eli/reg/2024/1689/oj {n}/144"),
        ("HL L, 2024.7.12. HU", "{n}/144 ELI: http://data.europa.eu/eli/reg/2024/1689/oj"),
        ("A study of bees", "Page {n} of 4"),
        ("", "– {n} –"),
        ("EN", "{n}"),
    ],
)
def test_running_headers_and_footers_are_page_furniture(header: str, footer: str) -> None:
    pages = []
    for n in range(1, 5):
        page = column(*[FULL] * 20, f"step {n}.", y=760)
        page += [(60, 810, header.format(n=n), 8)] if header else []
        page += [(500 if len(footer) < 20 else 200, 40, footer.format(n=n), 8)] if footer else []
        pages.append(page)
    data = draw(*pages)
    expected = [line.format(n=n) for n in range(1, 5) for line in (header, footer) if line]
    assert texts(data, Role.PAGE) == expected
    assert texts(data) == [f"{' '.join([FULL] * 20)} step {n}." for n in range(1, 5)]


def test_articles_at_the_top_of_two_pages_are_not_running_headers() -> None:
    pages = [column("Title of the act", *[FULL] * 9, "step.")]
    for n in (5, 6):
        pages.append([(280, 780, f"Article {n}"), *column(*[FULL] * 9, "step.", y=750)])
    assert not texts(draw(*pages, column(*[FULL] * 9, "step.")), Role.PAGE)


def test_a_number_at_the_start_of_a_line_is_not_always_a_marker() -> None:
    lines = [
        "The Commission shall inform the competent authority of the keeper of the beehives by the",
        "8. December 2021 and by no other day, as laid down in the second subparagraph of Article 6",
        "(1) of Regulation (EU) 2021/9900 (Text with relevance for the European Economic Area or",
        "EEA) of the beehives.",
    ]
    assert texts(draw(column(*lines) + FILLER))[0] == " ".join(lines)


def test_lone_markers_and_first_line_indents_begin_paragraphs() -> None:
    page = [
        *[(72, 780, FULL[:-6]), (60, 768.5, FULL), (60, 757, "step.")],
        *[(72, 745.5, FULL[:-6]), (60, 734, FULL), (60, 722.5, "step.")],
        *[(60, 700, "(a)"), (82, 700, "for research;"), (60, 680, "(b)"), (82, 660, "by the armed forces.")],
    ]
    assert texts(draw(page + FILLER))[:5] == [
        f"{FULL[:-6]} {FULL} step.",
        f"{FULL[:-6]} {FULL} step.",
        "(a) for research;",
        "(b)",
        "by the armed forces.",
    ]


def test_a_number_or_dash_alone_at_the_end_of_an_item_is_part_of_it() -> None:
    for marker, last in (("3)", "300."), ("ii.", "bees."), ("(8)", "—")):
        page = [(60, 780, marker), (82, 780, FULL[:-6]), (82, 768.5, FULL[:-6]), (82, 757, last)]
        assert texts(draw(page + FILLER))[0] == f"{marker} {FULL[:-6]} {FULL[:-6]} {last}"


def test_a_bullet_in_smaller_type_begins_a_hanging_paragraph() -> None:
    page = [(60, 780, "•", 7), (72, 780, FULL[:-6]), (72, 768.5, "step of the keeper.")]
    assert texts(draw(page + FILLER))[0] == f"• {FULL[:-6]} step of the keeper."


def test_rows_of_a_table_keep_their_cells() -> None:
    page = [(x, y, f"{name} {y}") for y in (700, 680, 660) for x, name in ((60, "Code"), (200, "Bee"), (400, "Fee"))]
    assert texts(draw(page + FILLER), Role.TABLE) == [f"Code {y}\tBee {y}\tFee {y}" for y in (700, 680, 660)]


def test_cells_are_in_their_columns_and_tables_are_separate() -> None:
    first = [(60, 700, "Code"), (200, 700, "Bee"), (400, 700, "Fee"), (60, 680, "1"), (400, 680, "5")]
    first += [(200, 660, "Wild bee,"), (400, 660, "7"), (200, 648, "of roofs"), (60, 630, "2"), (200, 630, "Wasp")]
    second = [(x, y, f"c{x}") for y in (560, 540) for x in (60, 150, 250, 350)]
    middle = [(60, 595, "The fees are these:")]
    found = [block for block in read_pdf(draw(first + middle + second + FILLER)).blocks if block.role is Role.TABLE]
    assert [(block.level, block.text) for block in found] == [
        (1, "Code\tBee\tFee"),
        (1, "1\t\t5"),
        (1, "\tWild bee, of roofs\t7"),
        (1, "2\tWasp"),
        (2, "c60\tc150\tc250\tc350"),
        (2, "c60\tc150\tc250\tc350"),
    ]


def test_text_below_a_table_and_a_signature_are_not_rows() -> None:
    table = [(x, y, f"{name} {y}") for y in (700, 685) for x, name in ((60, "Code"), (200, "Bee"), (400, "Fee"))]
    signature = [(60, 600, "For the Parliament"), (400, 600, "For the Council")]
    below = [(60, 670, "The fees of hives are paid once a year."), *signature]
    data = draw(table + below + FILLER)
    assert len(texts(data, Role.TABLE)) == 2
    assert texts(data)[:2] == ["The fees of hives are paid once a year.", "For the Parliament For the Council"]


def test_a_line_end_hyphen_is_removed_only_if_the_act_writes_the_word_without() -> None:
    lines = [
        "The implementation of long-term rules, of a mere term and of all existing ones in this imple-",
        "mentation act and of the rules that the Commission adopts to that end, which are the long-",
        "term rules and those that apply to the authorities of the Member States, namely the non-",
        "existing ones, and to the measures that those authorities take, whatever these are, veteri-",
        "nary or other, and to EU-",
    ]
    text = texts(draw(column(*lines) + FILLER))[0]
    assert "this implementation act" in text
    assert "the long-term rules" in text
    assert "non-existing ones" in text
    assert "veterinary or other" in text or "veteri-nary or other" in text
    assert text.endswith("EU-")
    assert "\x02" not in text


def test_without_evidence_the_hyphen_stays() -> None:
    lines = [f"{FULL[:-5]} multi-", f"purpose {FULL[:-8]}", "step."]
    assert "multi-purpose" in texts(draw(column(*lines) + FILLER))[0]


def test_rotated_text_stays_together() -> None:
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.setFont("Times-Roman", 9.5)
    for x, y, text in column(*[FULL] * 5, "step."):
        canvas.drawString(x, y, text)
    canvas.rotate(90)
    canvas.drawString(200, -40, "Table of the beehives of all Member States")
    canvas.showPage()
    canvas.setPageRotation(90)
    canvas.rotate(90)
    for i in range(5):
        canvas.drawString(60, -100 - 11.5 * i, FULL)
    canvas.save()
    assert texts(file.getvalue()) == [
        f"{' '.join([FULL] * 5)} step.",
        "Table of the beehives of all Member States",
        " ".join([FULL] * 5),
    ]


def test_scaled_type_has_its_visible_size() -> None:
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.scale(9.5, 9.5)
    canvas.setFont("Times-Roman", 1)
    for x, y, text in column(*[FULL] * 5, "step."):
        canvas.drawString(x / 9.5, y / 9.5, text)
    canvas.save()
    assert texts(file.getvalue()) == [f"{' '.join([FULL] * 5)} step."]


def scan() -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file)
    for _ in range(3):
        canvas.line(50, 50, 500, 800)
        canvas.rect(100, 100, 300, 300, fill=1)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        scan(),
        draw([(60, 780, "L 1/2")]),
        draw(FILLER, encrypt="secret"),
        b"",
        b"%PDF-1.7\n%\xe2\xe3",
        draw(FILLER)[:300],
    ],
)
def test_an_unreadable_file_is_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(ReadingError) as error:
        read_pdf(data)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


def test_an_owner_password_alone_does_not_matter() -> None:
    data = draw(FILLER, encrypt=StandardEncryption("", ownerPassword="owner"))
    assert texts(data) == [f"{' '.join([FULL] * 4)} step."]


def test_a_page_without_text_among_others_is_a_warning() -> None:
    file = io.BytesIO()
    canvas = Canvas(file)
    for x, y, text in column(*[FULL] * 5, "step."):
        canvas.drawString(x, y, text)
    canvas.showPage()
    canvas.rect(100, 100, 300, 300, fill=1)
    canvas.save()
    (warning,) = read_pdf(file.getvalue()).warnings
    assert "Page 2" in warning


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_process, "MAX_PAGES", 2)
    assert read_pdf(draw(FILLER, FILLER)).blocks
    with pytest.raises(ReadingError) as error:
        read_pdf(draw(FILLER, FILLER, FILLER))
    assert "3 pages" in str(error.value)


def test_a_missing_dependency_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(MissingExtraError) as error:
        read_pdf(b"%PDF-1.4")
    assert "lexlattice[pdf]" in str(error.value)


def test_several_threads_can_read_at_once() -> None:
    data = typeset(ACT, on_page=journal_header)
    with ThreadPoolExecutor(4) as pool:
        assert all(blocks == ACT for blocks in pool.map(texts, [data] * 8))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_random_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ReadingError):
        read_pdf(b"%PDF-1.4" + data)


DAMAGED = draw(column(*[FULL] * 5, "step."), column("Article 1", FULL), pageCompression=0)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(DAMAGED) - 1), st.binary(min_size=1, max_size=6)), max_size=30))
def test_a_damaged_file_is_read_or_refused(changes: list[tuple[int, bytes]]) -> None:
    data = bytearray(DAMAGED)
    for place, replacement in changes:
        data[place : place + len(replacement)] = replacement
    try:
        act = read(bytes(data))
    except ReadingError as error:
        assert "\n" not in str(error)
    else:
        assert_laws(act)


def test_a_paragraph_that_is_lost_on_the_way_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is known that loses one, so the code is made to."""
    usual = pdf._blocks
    assert read_pdf(typeset(ACT)).warnings == []
    monkeypatch.setattr(pdf, "_blocks", lambda *args: list(usual(*args))[:-1])
    (warning,) = read_pdf(typeset(ACT)).warnings
    assert code_of(warning) == "text-missing"
    assert values_of(warning)["count"] == len("".join(ACT[-1].split()))


def test_a_file_that_was_cut_off_is_refused_or_incomplete() -> None:
    """In the order in which it is read, so that pdfium can repair what is left."""
    data = pages([[f"Article {n}", f"Members shall keep records of {'all ' * n}hives."] for n in range(1, 9)])
    assert not read(data, language="en").incomplete
    assert not read(data + b"\r\n" * 20, language="en").incomplete
    outcomes = set()
    for end in range(20, len(data) - 1, 23):
        try:
            act = read(data[:end], language="en")
        except ReadingError:
            outcomes.add("refused")
        else:
            assert act.incomplete
            outcomes.add("incomplete")
    assert outcomes == {"refused", "incomplete"}
