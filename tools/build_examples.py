"""Build `examples/formats`: the short English example in every format that the reader takes.

The plain text, one paragraph per line, becomes a small outline (`example_markup`); one function per format
writes it as EUR-Lex, or a person, would hand the same act over. The same text always gives the same bytes.

Usage: `python tools/build_examples.py`
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import datetime
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement
from docx.shared import Cm
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm
from reportlab.platypus import BaseDocTemplate, Frame, FrameBreak, NextPageTemplate, PageBreak, PageTemplate
from reportlab.platypus import Paragraph as Flow

from example_markup import (
    CELEX,
    ELI,
    NOTE_MARK,
    Act,
    Node,
    akoma_ntoso,
    consolidated_html,
    formex,
    inline,
    oj_xhtml,
    outline,
)

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
FOOTNOTES = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
SYLLABLES = "regis-tra-tion", "geo-graph-ical", "pol-lin-ators", "author-ities", "com-petent", "appli-cable"
STAMP = 2024, 3, 14, 0, 0, 0

Line = tuple[str, str, str, int]  # kind, marker, text, depth


def lines_of(act: Act) -> Iterator[Line]:
    """Give the act as one run of paragraphs, as a printed or typed document has it."""

    def walk(nodes: list[Node], depth: int) -> Iterator[Line]:
        for node in nodes:
            inset = depth if node.label else 0
            yield "point" if inset else "normal", node.label, node.text, inset
            yield from walk(node.below, depth + 1)

    def division(kind: str, node: Node) -> Iterator[Line]:
        yield from ((kind, "", node.label, 0), ("heading", "", node.text, 0))
        yield from walk(node.below, 0)

    yield from (("title", "", line, 0) for line in act.title)
    yield from (("normal", "", line, 0) for line in (act.author, *act.citations, "Whereas:"))
    yield from walk(act.recitals, 1)
    yield "normal", "", act.formula, 0
    for article in act.articles:
        yield from division("article", article)
    yield from (("normal", "", line, 0) for line in (act.binding, act.place))
    yield from (("signatory", "", line, 0) for line in act.signatory)
    yield from division("annex", act.annex)


def old_html(act: Act) -> str:
    """Write EUR-Lex HTML as before 2004: one flat run of paragraphs, the markers in the text."""
    lines: list[str] = []
    for kind, label, text, _ in lines_of(act):
        if kind in {"article", "annex"} or text in {act.author, act.place, act.signatory[0]}:
            lines.append("")
        if kind == "annex":
            lines += [f"({n}) {note}" for n, note in act.notes.items()] + [""]
        lines.append(f"{label.replace('—', '-')} {text}".strip())
    title, source = escape(" ".join(act.title)), f"Official Journal {act.header[3]} , {act.header[0]} P. 0001 - 0004"
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><html lang="EN">
<head>
<meta name="DC.language" content="EN">
<meta name="DC.title" content="EUR-Lex - {CELEX} - EN">
<meta name="DC.description" content="{title}">
<meta name="DC.type" http-equiv="Content-Type" content="text/html; charset=UTF-8">
<meta name="DC.source" content="{source}; ">
<title>EUR-Lex - {CELEX} - EN</title>
</head>
<body>
<h1>{CELEX}</h1>
<p>
<strong>{title}</strong>
<br>
<em>
<br>{source}<br> </em>
</p>
<br>
<div id="TexteOnly">
<p>
<TXT_TE>
{"".join(f"<p>{inline(line, lambda n: f'({n})')}</p>" for line in lines)}
</TXT_TE>
</p>
</div>
</body>
</html>
"""


def markdown(act: Act) -> str:
    """Write Markdown: headings, nested lists, a footnote."""
    marks = {"article": "## ", "annex": "## ", "heading": "### "}
    out = [f"# {act.title[0]}"]
    inset = 0  # the text of a numbered paragraph goes on three columns to the right
    for kind, label, text, depth in list(lines_of(act))[1:]:
        text = NOTE_MARK.sub(r"[^\1]", text)
        inset = inset * (kind in {"normal", "point"})
        if kind == "title":
            out.append(f"**{text}**")
        elif kind == "point":
            marker = "- " if label == "—" else f"- {label} "
            out.append(" " * (inset + 2 * depth - 2) + marker + text)
        elif label:
            out.append(f"{label} {text}")
            inset = 3
        else:
            out.append(" " * inset + marks.get(kind, "") + text)
    out += [f"[^{n}]: {text}" for n, text in act.notes.items()]
    return "\n\n".join(out) + "\n"


def zipped(files: dict[str, bytes]) -> bytes:
    """Pack files with one fixed date."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, STAMP)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, content)
    return buffer.getvalue()


def footnotes_part(notes: dict[str, str], package: Any) -> Part:
    """Write Word's footnotes, which python-docx does not, as a part of the package."""
    start = '<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
    mark = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteRef/></w:r>'
    for n, text in notes.items():
        run = f'<w:r><w:t xml:space="preserve"> {escape(text)}</w:t></w:r>'
        start += f'<w:footnote w:id="{n}"><w:p>{mark}{run}</w:p></w:footnote>'
    xml = f'<?xml version="1.0" encoding="UTF-8"?><w:footnotes xmlns:w="{WORD}">{start}</w:footnotes>'
    return Part(PackURI("/word/footnotes.xml"), FOOTNOTES, xml.encode(), package)


def word(act: Act) -> bytes:
    """Write a Word document: headings, list paragraphs, a page header and a real footnote."""
    styles = {"title": "Title", "article": "Heading 1", "annex": "Heading 1", "heading": "Heading 2"}
    document = docx.Document()
    document.part.relate_to(footnotes_part(act.notes, document.part.package), f"{OFFICE}/footnotes")
    document.sections[0].header.paragraphs[0].text = "\t".join(act.header)
    for kind, label, text, depth in lines_of(act):
        paragraph = document.add_paragraph(style=styles.get(kind, "List Paragraph" if depth else "Normal"))
        paragraph.paragraph_format.left_indent = Cm(depth) if depth else None
        paragraph.paragraph_format.first_line_indent = Cm(-1) if depth else None
        before, *rest = NOTE_MARK.split((label and f"{label}\t{text}") or text)
        paragraph.add_run(before).italic = kind == "signatory" or None
        for n, after in zip(rest[::2], rest[1::2], strict=True):
            run = paragraph.add_run()
            run.font.superscript = True
            reference = OxmlElement("w:footnoteReference")
            reference.set(f"{{{WORD}}}id", n)
            run._r.append(reference)
            paragraph.add_run(after)
    properties = document.core_properties
    properties.title, properties.author, properties.comments = " ".join(act.title), "LexLattice", ""
    properties.created = properties.modified = datetime(*STAMP)
    buffer = BytesIO()
    document.save(buffer)
    with zipfile.ZipFile(buffer) as archive:
        return zipped({name: archive.read(name) for name in sorted(archive.namelist())})


def flows(act: Act, columns: int) -> list[Any]:
    """Set the act's paragraphs in type, for a page of one or of two columns."""
    size, step = (9.5, 16) if columns == 1 else (8.5, 14)
    roman: dict[str, Any] = {"fontName": "Times-Roman", "fontSize": size, "leading": size * 1.2}
    bullet: dict[str, Any] = {"bulletFontName": "Times-Roman", "bulletFontSize": size}
    base = ParagraphStyle("base", spaceAfter=size / 2, **roman, **bullet)
    body = ParagraphStyle("body", base, alignment=TA_JUSTIFY, embeddedHyphenation=1)
    bold = ParagraphStyle("bold", base, alignment=TA_CENTER, fontName="Times-Bold", keepWithNext=1)
    italic = ParagraphStyle("italic", bold, fontName="Times-Italic", spaceBefore=size)
    signatory = ParagraphStyle("signatory", base, alignment=TA_CENTER, leftIndent=6 * step)
    styles = {"title": bold, "heading": bold, "article": italic, "annex": italic, "signatory": signatory}
    out: list[Any] = []
    for kind, label, text, depth in lines_of(act):
        marked = inline(text, lambda n: f" (<super>{n}</super>)", "<i>{}</i>")
        if columns == 2:
            for word in SYLLABLES:
                marked = marked.replace(word.replace("-", ""), word.replace("-", "\u00ad"))
        if columns == 2 and text == act.author:
            out.append(FrameBreak())
        if kind == "annex":
            out += [NextPageTemplate("annex"), PageBreak()]
        if depth:
            point = ParagraphStyle("point", body, leftIndent=depth * step, bulletIndent=(depth - 1) * step)
            out.append(Flow(marked, point, bulletText=label))
        else:
            number = label and f"{label}&nbsp;&nbsp;&nbsp;"
            out.append(Flow(number + marked, styles.get(kind, body)))
    return [NextPageTemplate("later"), *out]


def pdf(act: Act, columns: int, pages: int = 0) -> bytes:
    """Print the act like a page of the Journal, its note at the foot of the first page."""
    width, height = A4
    left, bottom, top = 2 * cm, 2.2 * cm, height - 2.4 * cm
    inner = width - 2 * left
    column = inner if columns == 1 else inner / 2 - 0.3 * cm

    def frames(low: float, high: float, count: int) -> list[Frame]:
        each = inner if count == 1 else column
        starts = [left, width - left - each][:count]
        return [Frame(x, low, each, high - low, 0, 0, 0, 0) for x in starts]

    def head(canvas: Any, document: Any) -> None:
        date, language, journal, number = act.header
        outer = (date, number) if columns == 1 or document.page % 2 else (number, date)
        canvas.setFont("Times-Roman", 9)
        canvas.drawString(left, height - 1.6 * cm, outer[0])
        canvas.drawString(left + 3 * cm, height - 1.6 * cm, language)
        canvas.drawCentredString(width / 2, height - 1.6 * cm, journal)
        canvas.drawRightString(width - left, height - 1.6 * cm, outer[1])
        canvas.line(left, height - 1.8 * cm, width - left, height - 1.8 * cm)

    def foot(canvas: Any, document: Any) -> None:
        canvas.setFont("Times-Roman", 8)
        if columns == 1:
            canvas.drawString(left, 1.2 * cm, f"ELI: {ELI}")
            canvas.drawRightString(width - left, 1.2 * cm, f"{document.page}/{pages}")
        if document.page == 1:
            canvas.line(left, bottom + 0.6 * cm, left + 2 * cm, bottom + 0.6 * cm)
            for n, text in act.notes.items():
                canvas.drawString(left, bottom + 0.6 * cm - int(n) * 10, f"({n}) {text}")

    def page(name: str, *parts: Frame) -> PageTemplate:
        return PageTemplate(name, list(parts), onPage=head, onPageEnd=foot)

    above = [] if columns == 1 else frames(top - 2.6 * cm, top, 1)
    first = page("first", *above, *frames(bottom + cm, top - 2.8 * cm if above else top, columns))
    later = page("later", *frames(bottom, top, columns))
    buffer = BytesIO()
    document = BaseDocTemplate(buffer, pagesize=A4, title=act.title[0], author="LexLattice", invariant=1)
    document.addPageTemplates([first, later, page("annex", *frames(bottom, top, 1))])
    document.build(flows(act, columns))
    return buffer.getvalue() if pages else pdf(act, columns, document.page)


def main() -> None:
    """Write every format."""
    act = outline((EXAMPLES / "short" / "en.txt").read_text(encoding="utf-8"))
    delivery = formex(act)
    whole = delivery.pop("act.fmx.xml")
    texts = {
        "act.oj.xhtml": oj_xhtml(act, "oj-"),
        "act.oj-old.xhtml": oj_xhtml(act, ""),
        "act.old.html": old_html(act),
        "act.consolidated.html": consolidated_html(act),
        "act.fmx.xml": whole,
        "act.akn.xml": akoma_ntoso(act),
        "act.md": markdown(act),
    }
    files = {name: text.encode() for name, text in texts.items()}
    files |= {f"act.fmx4/{name}": text.encode() for name, text in delivery.items()}
    files["act.fmx4.zip"] = zipped({name: text.encode() for name, text in delivery.items()})
    files["act.docx"] = word(act)
    files |= {"act.pdf": pdf(act, 1), "act.two-columns.pdf": pdf(act, 2)}
    for name, content in files.items():
        path = EXAMPLES / "formats" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        print(f"{len(content):>8,}  {path.relative_to(EXAMPLES.parent)}")


if __name__ == "__main__":
    main()
