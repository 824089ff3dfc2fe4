"""A summary as a Word document: real headings, real page numbers, and the act's language for what checks its spelling.

python-docx writes it. Of the template that comes with it only what is needed is kept, and its styles are redefined.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from lexlattice.act.summary import Summary
from lexlattice.errors import MissingExtraError
from lexlattice.rendering.outline import Piece, Sheet, outline

# Tables in a Word document: lines around the cells, columns as wide as what they hold asks for.

_SIDES: Final = ("top", "left", "bottom", "right", "insideH", "insideV")
_LINE: Final = {"val": "single", "sz": "4", "space": "0", "color": "999999"}
_MANY: Final = 6
"""Columns, from which on the letters are smaller."""
_MOST: Final = 40
"""Characters of a cell that ask for width; what is longer is wrapped."""
_LEAST: Final = 4


def add_table(document: Any, rows: Sequence[Sequence[str]], width: int, indent: int) -> None:
    """Add a table, its width in twips, and a short empty paragraph: Word merges tables that touch."""
    from docx.oxml.ns import qn
    from docx.table import _Cell

    table = document.add_table(len(rows), len(rows[0]))
    _rule(table._tbl.tblPr, indent)
    widths = [int(width * share) for share in _shares(rows)]
    for column, size in zip(table._tbl.tblGrid.findall(qn("w:gridCol")), widths, strict=True):
        column.set(qn("w:w"), str(size))
    style = document.styles["Cell" if len(rows[0]) <= _MANY else "Small Cell"]
    for line, cells in zip(table._tbl.tr_lst, rows, strict=True):
        for element, text, size in zip(line.tc_lst, cells, widths, strict=True):
            (paragraph,) = _Cell(element, table).paragraphs
            paragraph.style = style
            paragraph.add_run(text)
            element.get_or_add_tcPr().get_or_add_tcW().set(qn("w:w"), str(size))
    document.add_paragraph("", "Cell")


def _rule(properties: Any, indent: int) -> None:
    """Lines around all cells, and how far the table stands from the margin."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    start = OxmlElement("w:tblInd")
    start.set(qn("w:w"), str(indent))
    start.set(qn("w:type"), "dxa")
    borders = OxmlElement("w:tblBorders")
    for side in _SIDES:
        line = OxmlElement(f"w:{side}")
        for name, value in _LINE.items():
            line.set(qn(f"w:{name}"), value)
        borders.append(line)
    behind = ("w:shd", "w:tblLayout", "w:tblCellMar", "w:tblLook")
    properties.insert_element_before(start, "w:tblBorders", *behind)
    properties.insert_element_before(borders, *behind)


def _shares(rows: Sequence[Sequence[str]]) -> list[float]:
    """The share of the width that each column has, by its longest cell."""
    widths = [min(max(_LEAST, *map(len, column)), _MOST) for column in zip(*rows, strict=True)]
    return [each / sum(widths) for each in widths]


# A summary as a Word document: real headings, real page numbers, and the act's language for what checks its spelling.

_FONT: Final = "Cambria"
"""Has the three scripts of the Union and comes with Word; where it is missing, Caladea stands in for it."""
_GREY, _INK = "555555", "1F3A5F"
_MARGIN, _INDENT = 28, 6  # millimetres
_PACKED: Final = datetime(1980, 1, 1)
"""When the parts of every document were packed, so that the same summary is the same file; a zip knows none earlier."""
_UNUSED_PARTS: Final = ("/thumbnail", "/stylesWithEffects", "/numbering", "/customXml")
_TEMPLATE_STYLES: Final = ("DefaultParagraphFont", "TableNormal", "NoList")
_FIELDS: Final = {"{page}": "PAGE", "{pages}": "NUMPAGES"}


class _Look(NamedTuple):
    """How a style looks; in points."""

    size: float
    before: float = 0
    after: float = 6
    colour: str = ""
    """Word's own, if none is named."""
    bold: bool = False
    italic: bool = False
    stays_with_next: bool = False
    rule: str = ""
    """On which side there is a line."""


_LOOKS: Final = {
    "Normal": _Look(10.5),
    "Subtitle": _Look(10.5, after=4, colour=_GREY, stays_with_next=True),
    "Title": _Look(15, after=8, colour=_INK, bold=True),
    "Small Title": _Look(11.5, after=8, colour=_INK, bold=True),
    "Facts": _Look(9.5, after=4),
    "Note": _Look(9.5, after=12, italic=True, rule="bottom"),
    "Heading 1": _Look(13, before=16, colour=_INK, bold=True, stays_with_next=True),
    "Heading 2": _Look(11.5, before=12, after=4, colour=_INK, bold=True, stays_with_next=True),
    "Citation": _Look(9.5, before=4, after=1, colour=_INK, bold=True, stays_with_next=True),
    "Provision": _Look(10.5),
    "Cell": _Look(9, after=1),
    "Small Cell": _Look(7, after=0),
    "Left Out": _Look(9.5, colour=_GREY),
    "Reasons": _Look(8.5, colour=_GREY),
    "Warning": _Look(9.5, before=8, rule="left"),
    "Footer": _Look(8, after=3, colour=_GREY, rule="top"),
    "Disclaimer": _Look(8, after=0, colour=_GREY),
}
_STYLES: Final = {
    "overline": "Subtitle",
    "title": "Title",
    "small_title": "Small Title",
    "facts": "Facts",
    "note": "Note",
    "citation": "Citation",
    "text": "Provision",
    "cut": "Left Out",
    "why": "Reasons",
    "warning": "Warning",
}


def to_docx(summary: Summary, *, group: bool = False) -> bytes:
    """The bytes of the file; the same for the same summary."""
    try:
        import docx
    except ImportError:
        raise MissingExtraError("Writing DOCX", "docx") from None
    sheet = outline(summary, group=group)
    document = docx.Document()
    _strip(document)
    _set_defaults(document, sheet.language)
    for name, look in _LOOKS.items():
        _set_style(document, name, look)
    _set_page(document, sheet)
    _set_properties(document, sheet)
    for piece in sheet.pieces:
        _add(document, piece)
    file = io.BytesIO()
    document.save(file)
    return _with_fixed_times(file)


def _add(document: Any, piece: Piece) -> None:
    from docx.shared import Mm, Pt

    if piece.kind == "heading":
        document.add_heading(piece.text, piece.level)
        return
    if piece.kind == "table":
        indent = Mm(_INDENT * piece.level)
        add_table(document, piece.rows, Mm(210 - 2 * _MARGIN).twips - indent.twips, indent.twips)
        return
    paragraph = document.add_paragraph(piece.text, _STYLES[piece.kind])
    layout = paragraph.paragraph_format
    if piece.level:
        layout.left_indent = Mm(_INDENT * piece.level)
    if piece.stays:
        layout.keep_with_next, layout.space_after = True, Pt(1)


def _strip(document: Any) -> None:
    """The template without a picture of its empty page, and without its hundred styles, which would also be slow."""
    from docx.oxml.ns import qn

    for links in (document.part.package.rels, document.part.rels):
        for name in [name for name, link in links.items() if link.reltype.endswith(_UNUSED_PARTS)]:
            del links[name]
    kept = {*_TEMPLATE_STYLES, *(name.replace(" ", "") for name in _LOOKS)}
    styles = document.styles.element
    for style in styles.findall(qn("w:style")):
        if style.get(qn("w:styleId")) not in kept:
            styles.remove(style)
    for link in styles.xpath("w:style/w:link"):
        link.getparent().remove(link)


def _set_defaults(document: Any, language: str) -> None:
    """Font and language of all styles; and Word in the mode of today."""
    from docx.oxml.ns import qn

    (defaults,) = document.styles.element.xpath("w:docDefaults/w:rPrDefault/w:rPr")
    fonts = defaults.find(qn("w:rFonts"))
    fonts.attrib.clear()
    for script in ("ascii", "hAnsi", "eastAsia", "cs"):
        fonts.set(qn(f"w:{script}"), _FONT)
    defaults.find(qn("w:lang")).set(qn("w:val"), language)
    (mode,) = document.settings.element.xpath(".//w:compatSetting[@w:name='compatibilityMode']")
    mode.set(qn("w:val"), "15")


def _set_style(document: Any, name: str, look: _Look) -> None:
    from docx.enum.style import WD_STYLE_TYPE
    from docx.oxml.ns import qn
    from docx.shared import Pt, RGBColor

    styles = document.styles
    style = styles[name] if name in styles else styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
    element = style.element
    for properties in (element.get_or_add_pPr(), element.get_or_add_rPr()):
        properties[:] = [child for child in properties if child.tag == qn("w:outlineLvl")]
    style.hidden, style.quick_style = False, True
    style.font.size, style.font.color.rgb = Pt(look.size), RGBColor.from_string(look.colour) if look.colour else None
    style.font.bold, style.font.italic = look.bold or None, look.italic or None
    layout = style.paragraph_format
    layout.space_before, layout.space_after, layout.line_spacing = Pt(look.before), Pt(look.after), 1.1
    layout.keep_with_next = layout.keep_together = look.stays_with_next or None
    layout.widow_control = True
    if look.rule:
        _draw(element.pPr, look)


def _draw(properties: Any, look: _Look) -> None:
    """A line beside all paragraphs of a style."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    line = OxmlElement(f"w:{look.rule}")
    for name, value in {"val": "single", "sz": "6", "space": "6", "color": _INK}.items():
        line.set(qn(f"w:{name}"), value)
    borders = OxmlElement("w:pBdr")
    borders.append(line)
    properties.insert_element_before(borders, "w:shd", "w:tabs", "w:spacing", "w:ind", "w:jc", "w:outlineLvl")


def _set_page(document: Any, sheet: Sheet) -> None:
    """A4; at the foot the act, the number of the page, and the disclaimer."""
    from docx.enum.text import WD_TAB_ALIGNMENT
    from docx.shared import Mm

    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(_MARGIN)
    section.top_margin, section.bottom_margin, section.footer_distance = Mm(24), Mm(34), Mm(14)
    line = section.footer.paragraphs[0]
    line.paragraph_format.tab_stops.add_tab_stop(Mm(210 - 2 * _MARGIN), WD_TAB_ALIGNMENT.RIGHT)
    line.add_run(f"{sheet.celex}\t")
    for piece in re.split(r"(\{pages?\})", sheet.page):
        if piece in _FIELDS:
            _add_field(line, _FIELDS[piece])
        elif piece:
            line.add_run(piece)
    section.footer.add_paragraph(sheet.disclaimer, "Disclaimer")


def _add_field(paragraph: Any, name: str) -> None:
    """What Word fills in itself; 1 until it does."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), name)
    field.append(paragraph.add_run("1")._r)
    paragraph._p.append(field)


def _set_properties(document: Any, sheet: Sheet) -> None:
    """What file managers show; the format allows 255 characters of each."""
    properties = document.core_properties
    properties.title, properties.subject, properties.category = sheet.title[:255], sheet.subject[:255], sheet.type[:255]
    properties.keywords, properties.language = sheet.celex[:255], sheet.language
    # The words are the act's: nobody is named as their author.
    properties.author = properties.last_modified_by = properties.comments = ""
    properties.created = properties.modified = datetime.fromisoformat(sheet.made)


def _with_fixed_times(file: io.BytesIO) -> bytes:
    """The same package, packed at no particular time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(packed, "w") as new:
        for name in old.namelist():
            entry = zipfile.ZipInfo(name, _PACKED.timetuple()[:6])
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 0
            new.writestr(entry, old.read(name))
    return packed.getvalue()
