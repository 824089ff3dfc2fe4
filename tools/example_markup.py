"""The example act's outline, and that outline in the mark-up of EUR-Lex, Formex and Akoma Ntoso."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from itertools import count
from textwrap import indent

OJ = "Official Journal of the European Union"
CELEX, ELI, STEM = "32024R9001", "http://data.europa.eu/eli/reg_impl/2024/9001/oj", "L_202409001EN"
ACT_FILE, ANNEX_FILE, DOC_FILE = f"{STEM}.01000101.xml", f"{STEM}.01000401.xml", f"{STEM}.01000101.doc.xml"
NBSP = "\u00a0"
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
DATE = re.compile(rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})")
NOTE_MARK = re.compile(r" \((\d)\)(?=[,.;])")
PROLOG = '<?xml version="1.0" encoding="UTF-8"?>\n'
DOCTYPE = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML//EN" "xhtml-strict.dtd">\n'
TABLE = {"width": "100%", "border": "0", "cellspacing": "0", "cellpadding": "0"}


@dataclass
class Block:
    """A text with the points or indents below it; `label` is a point's marker."""

    text: str
    items: list[Block] = field(default_factory=list)
    label: str = ""


@dataclass
class Paragraph:
    """A paragraph and its subparagraphs; `number` is empty where the act does not number it."""

    number: str
    blocks: list[Block]


@dataclass
class Division:
    """An article or an annex."""

    label: str
    heading: str
    paragraphs: list[Paragraph]


@dataclass
class Act:
    """The parts of an act in their order."""

    header: list[str]
    title: list[str]
    author: str
    citations: list[str]
    recitals: list[Block]
    formula: str
    articles: list[Division]
    binding: str
    place: str
    signatory: list[str]
    notes: dict[str, str]
    annex: Division


def paragraphs(lines: list[str]) -> list[Paragraph]:
    """Read the paragraphs, subparagraphs and nested points of one article or annex."""
    out: list[Paragraph] = []
    rest = iter(lines)
    for line in rest:
        if re.fullmatch(r"\((\d+|[a-z]+)\)|—", line):
            siblings = out[-1].blocks[-1].items
            below = re.fullmatch(r"\([ivx]+\)", line) and siblings
            (siblings[-1].items if below else siblings).append(Block(next(rest), label=line))
        elif numbered := re.match(r"(\d+\.) (.+)", line):
            out.append(Paragraph(numbered[1], [Block(numbered[2])]))
        elif out and out[-1].number:
            out[-1].blocks.append(Block(line))
        else:
            out.append(Paragraph("", [Block(line)]))
    return out


def outline(text: str) -> Act:
    """Read the line layout of the short English example."""
    lines = text.splitlines()

    def find(start: str) -> int:
        return next(i for i, line in enumerate(lines) if line.startswith(start))

    author, whereas, formula, annex = map(find, ("THE EUROPEAN", "Whereas:", "HAS ADOPTED", "ANNEX"))
    binding = find("This Regulation shall be binding")
    starts = [i for i in range(formula, binding) if re.fullmatch(r"Article \d+", lines[i])]
    spans = list(zip(starts, [*starts[1:], binding], strict=True))
    notes = [line[1:].split(") ", 1) for line in lines[binding:annex] if line.startswith("(")]
    recitals = zip(lines[whereas + 1 : formula : 2], lines[whereas + 2 : formula : 2], strict=True)
    return Act(
        header=lines[:4],
        title=lines[4:author],
        author=lines[author],
        citations=lines[author + 1 : whereas],
        recitals=[Block(text, label=label) for label, text in recitals],
        formula=lines[formula],
        articles=[Division(lines[i], lines[i + 1], paragraphs(lines[i + 2 : end])) for i, end in spans],
        binding=lines[binding],
        place=lines[binding + 1],
        signatory=lines[binding + 2 : annex - len(notes)],
        notes=dict(notes),
        annex=Division(lines[annex], lines[annex + 1], paragraphs(lines[annex + 2 :])),
    )


def el(name: str, *parts: str, **attributes: str) -> str:
    """Write an element on one line; `cls` stands for `class`."""
    names = "".join(f' {"class" if key == "cls" else key}="{escape(v)}"' for key, v in attributes.items())
    return f"<{name}{names}>{''.join(parts)}</{name}>" if parts else f"<{name}{names}/>"


def box(name: str, *parts: str, **attributes: str) -> str:
    """Write an element with each child on lines of its own."""
    return el(name, "\n", indent("\n".join(parts), "  "), "\n", **attributes)


def inline(text: str, note: Callable[[str], str], italic: str = "{}") -> str:
    """Escape a text, write its note marks by `note` and the Journal's name by the pattern `italic`."""
    marked = NOTE_MARK.sub(lambda m: note(m[1]), escape(text, quote=False))
    return marked.replace(OJ, italic.format(OJ))


def iso(text: str) -> str:
    """Give the first date of a text as YYYYMMDD."""
    day, month, year = DATE.findall(text)[0]
    return f"{year}{MONTHS.index(month) + 1:02}{int(day):02}"


def oj_xhtml(act: Act, prefix: str) -> str:
    """Write the Journal's XHTML: of today, prefix `oj-`, in ELI divisions; or the older one, flat."""

    def p(cls: str, text: str) -> str:
        def note(n: str) -> str:
            mark = el("span", n, cls=f"{prefix}super oj-note-tag" if prefix else "super")
            ends = {"id": f"ntc{n}-{STEM}-E{n:0>4}", "href": f"#ntr{n}-{STEM}-E{n:0>4}"}
            return " " + el("a", "(", mark, ")", **ends)

        return el("p", inline(text, note, el("span", "{}", cls=f"{prefix}italic")), cls=prefix + cls)

    def part(ident: str, *parts: str, cls: str = "eli-subdivision") -> str:
        return box("div", *parts, cls=cls, id=ident) if prefix else "\n".join(parts)

    def row(label: str, block: Block) -> str:
        text = p("normal", block.text), *(row(i.label, i) for i in block.items)
        cells = box("td", p("normal", label), valign="top"), box("td", *text, valign="top")
        columns = el("col", width="4%"), el("col", width="96%")
        return box("table", *columns, box("tbody", box("tr", *cells)), **TABLE)

    def article(n: int, article: Division) -> str:
        heading = part(f"art_{n}.tit_1", p("sti-art", article.heading), cls="eli-title")
        parts = [p("ti-art", article.label), heading]
        for m, paragraph in enumerate(article.paragraphs, 1):
            number = paragraph.number and paragraph.number + NBSP * 3
            lines: list[str] = []
            for block in paragraph.blocks:
                lines += [p("normal", number + block.text), *(row(i.label, i) for i in block.items)]
                number = ""
            numbered = paragraph.number and prefix
            parts += [box("div", *lines, id=f"{n:03}.{m:03}")] if numbered else lines
        return part(f"art_{n}", *parts)

    def note(n: str, text: str) -> str:
        mark = el("span", n, cls=f"{prefix}super")
        mark = el("a", "(", mark, ")", id=f"ntr{n}-{STEM}-E{n:0>4}", href=f"#ntc{n}-{STEM}-E{n:0>4}")
        return el("p", mark, NBSP * 2, escape(text), cls=f"{prefix}note")

    def rule(name: str) -> str:
        return el("hr", cls=prefix + name)

    kinds = zip(("hd-date", "hd-lg", "hd-ti", "hd-oj"), act.header, strict=True)
    cells = box("tbody", box("tr", *(el("td", el("p", text, cls=prefix + kind)) for kind, text in kinds)))
    header = box("table", *(el("col", width=f"{width}%") for width in (10, 10, 60, 20)), cells, **TABLE)
    main = [
        part("tit_1", *(p("doc-ti", line) for line in act.title), cls="eli-main-title"),
        part(
            "pbl_1",
            p("normal", act.author),
            *(part(f"cit_{n}", p("normal", line)) for n, line in enumerate(act.citations, 1)),
            p("normal", "Whereas:"),
            *(part(f"rct_{recital.label[1:-1]}", row(recital.label, recital)) for recital in act.recitals),
            p("normal", act.formula),
        ),
        part("enc_1", *(article(n, a) for n, a in enumerate(act.articles, 1))),
        part(
            "fnp_1",
            box(
                "div",
                p("normal", act.binding),
                p("normal", act.place),
                box("div", *(p("signatory", line) for line in act.signatory), cls=f"{prefix}signatory"),
                cls=f"{prefix}final",
            ),
        ),
        rule("note"),
        *(note(n, text) for n, text in act.notes.items()),
    ]
    titles = p("doc-ti", act.annex.label), p("doc-ti", act.annex.heading)
    points = (row(a.number, a.blocks[0]) for a in act.annex.paragraphs)
    annex = part("anx_1", *titles, *points, cls="eli-container")
    act_part = part("act_1", *main, cls="eli-container")
    body = box("body", header, rule("separator"), act_part, rule("doc-sep"), annex, rule("doc-end"))
    meta = el("meta", **{"http-equiv": "content-type", "content": "text/html; charset=utf-8"})
    page = box("html", box("head", meta, el("title", ACT_FILE)), body, xmlns="http://www.w3.org/1999/xhtml")
    return PROLOG + DOCTYPE + page + "\n"


def consolidated_html(act: Act) -> str:
    """Write a consolidated text, which leaves out preamble and signature but keeps all notes."""

    def p(cls: str, text: str) -> str:
        return el("p", inline(text, lambda n: f" ({n})", el("span", "{}", cls="italics")), cls=cls)

    def row(label: str, block: Block) -> str:
        marker = box("div", el("span", label, NBSP), cls="list grid-list-column-1")
        text = p("norm", block.text), *(row(i.label, i) for i in block.items)
        return box("div", marker, box("div", *text, cls="grid-list-column-2"), cls="grid-container grid-list")

    def blocks(blocks: list[Block], cls: str) -> list[str]:
        return [line for b in blocks for line in (p(cls, b.text), *(row(i.label, i) for i in b.items))]

    def paragraph(paragraph: Paragraph) -> str:
        if not paragraph.number:
            return "\n".join(blocks(paragraph.blocks, "norm"))
        text = box("div", *blocks(paragraph.blocks, "norm inline-element"), cls="norm inline-element")
        return box("div", el("span", paragraph.number, NBSP * 2, cls="no-parag"), text, cls="norm")

    def article(n: int, article: Division) -> str:
        heading = box("div", p("stitle-article-norm", article.heading), cls="eli-title", id=f"art_{n}.tit_1")
        lines = p("title-article-norm", article.label), heading, *map(paragraph, article.paragraphs)
        return box("div", *lines, cls="eli-subdivision", id=f"art_{n}")

    def arrow(cls: str, text: str) -> str:
        source = f"http://publications.europa.eu/resource/celex/{CELEX}"
        return el("p", el("a", text, href=source, title=CELEX), cls=cls)

    day = iso(act.place)
    date = f"{day[6:]}.{day[4:6]}.{day[:4]}"
    disclaimer = "This text is an example written as a documentation tool and has no legal effect."
    title = *(p("title-doc-first", line) for line in act.title[:-1]), p("title-doc-last", act.title[-1])
    reference = p("title-doc-oj-reference", f"({act.header[3]}, {act.header[0]})")
    cells = box("td", arrow("arrow", "►B")), box("td", *title, reference)
    articles = [article(n, a) for n, a in enumerate(act.articles, 1)]
    titles = p("title-annex-1", act.annex.label), p("title-gr-seq-level-1", act.annex.heading)
    points = [row(a.number, a.blocks[0]) for a in act.annex.paragraphs]
    main = [
        arrow("modref", "▼B"),
        box("div", *title, cls="eli-main-title", id="tit_1"),
        box("div", *articles, p("norm", act.binding), cls="eli-subdivision", id="enc_1"),
        box("div", el("hr", cls="separator-annex"), *titles, *points, cls="eli-subdivision", id="anx_1"),
    ]
    body = [
        p("reference", f"0{CELEX[1:]} — {act.header[1]} — {date} — 000.001"),
        el("hr", cls="separator"),
        p("disclaimer", disclaimer),
        box("table", box("tr", *cells), **TABLE),
        el("hr", cls="separator"),
        box("div", *main, cls="eli-container"),
        el("hr", cls="separator-short"),
    ]
    for n, text in act.notes.items():
        mark = el("a", el("span", n, cls="superscript"), href=f"#src.E{n:0>4}", id=f"E{n:0>4}")
        body.append(el("p", "(", mark, ") ", escape(text), cls="footnote"))
    meta = el("meta", **{"http-equiv": "Content-Type", "content": "text/html; charset=utf-8"})
    head = box("head", meta, el("title", f"Consolidated TEXT: {CELEX} — {act.header[1]} — {date}"))
    return DOCTYPE + box("html", head, box("body", *body), xmlns="http://www.w3.org/1999/xhtml") + "\n"


def formex(act: Act) -> dict[str, str]:
    """Write a Formex 4 delivery, the act, its annex and the document file, and all of it as `act.fmx.xml`."""
    quotes = count(1)

    def text(plain: str) -> str:
        def note(n: str) -> str:
            attributes = {"NOTE.ID": f"E{n:0>4}", "NUMBERING": "ARAB", "TYPE": "FOOTNOTE"}
            return el("NOTE", el("P", escape(act.notes[n])), **attributes)

        def quote(match: re.Match[str]) -> str:
            n = f"{next(quotes):04}"
            start = el("QUOT.START", CODE="2018", ID=f"QS{n}", **{"REF.END": f"QE{n}"})
            return start + match[1] + el("QUOT.END", CODE="2019", ID=f"QE{n}", **{"REF.START": f"QS{n}"})

        marked = inline(plain, note, el("HT", "{}", TYPE="ITALIC"))
        dated = DATE.sub(lambda m: el("DATE", m[0], ISO=iso(m[0])), marked)
        return re.sub("‘([^’]*)’", quote, dated)

    def p(plain: str) -> str:
        return el("P", text(plain))

    def numbered(label: str, block: Block) -> str:
        below = [box("P", items(block.items))] if block.items else []
        return box("NP", el("NO.P", label), el("TXT", text(block.text)), *below)

    def items(blocks: list[Block]) -> str:
        if blocks[0].label == "—":
            return box("LIST", *(el("ITEM", p(b.text)) for b in blocks), TYPE="DASH")
        kind = {"(1)": "ARAB", "(i)": "roman"}.get(blocks[0].label, "alpha")
        return box("LIST", *(box("ITEM", numbered(b.label, b)) for b in blocks), TYPE=kind)

    def alinea(block: Block) -> str:
        if block.items:
            return box("ALINEA", p(block.text), items(block.items))
        return el("ALINEA", text(block.text))

    def article(n: int, article: Division) -> str:
        parts = [el("TI.ART", article.label), el("STI.ART", text(article.heading))]
        for m, paragraph in enumerate(article.paragraphs, 1):
            lines = [alinea(block) for block in paragraph.blocks]
            number = el("NO.PARAG", paragraph.number)
            whole = box("PARAG", number, *lines, IDENTIFIER=f"{n:03}.{m:03}")
            parts += [whole] if paragraph.number else lines
        return box("ARTICLE", *parts, IDENTIFIER=f"{n:03}")

    def pages(first: int, last: int, *order: str) -> list[str]:
        values = {"FIRST": first, "SEQ": 1, "LAST": last, "TOTAL": last - first + 1}
        return [el(f"PAGE.{name}", str(values[name])) for name in order]

    def bibliography(sequence: str, first: int, last: int) -> str:
        reference = box("DOCUMENT.REF", el("COLL", "L"), number, el("LG.OJ", "EN"), FILE=DOC_FILE)
        start = reference, el("EEA"), date, el("LG.DOC", "EN"), el("NO.SEQ", sequence)
        return box("BIB.INSTANCE", *start, *pages(first, last, "FIRST", "SEQ", "LAST", "TOTAL"), number)

    def listed(name: str, file: str, sequence: str, first: int, last: int) -> str:
        start = el("LG.DOC", "EN"), el("LEGAL.VALUE", "REG_IMPL"), el("NO.CELEX", CELEX), date
        where = (
            *pages(first, last, "FIRST", "LAST", "TOTAL", "SEQ"),
            el("REF.PHYS", FILE=file, TYPE="DOC.XML"),
        )
        ends = {"NO.SEQ": sequence, "SYNOPTISM": f"D{sequence}"} | (
            {"TYPE": "ANNEX"} if "SUB" in name else {}
        )
        return box(name, *start, *where, **ends)

    def root(name: str, *parts: str) -> str:
        schema = "http://formex.publications.europa.eu/schema/formex-06.01-20231031.xd"
        xsi = "http://www.w3.org/2001/XMLSchema-instance"
        return (
            PROLOG + box(name, *parts, **{"xmlns:xsi": xsi, "xsi:noNamespaceSchemaLocation": schema}) + "\n"
        )

    date = el("DATE", iso(act.place), ISO=iso(act.place))
    numbers = el("NO.CURRENT", "9001"), el("YEAR", "2024"), el("COM", "EU")
    number = box("NO.DOC", *numbers, FORMAT="YN", TYPE="OJ")
    recitals = (box("CONSID", numbered(recital.label, recital)) for recital in act.recitals)
    main = [
        bibliography("0001.0001", 1, 3),
        box("TITLE", box("TI", *map(p, act.title))),
        box(
            "PREAMBLE",
            el("PREAMBLE.INIT", act.author),
            box("GR.VISA", *(el("VISA", text(line)) for line in act.citations)),
            box("GR.CONSID", el("GR.CONSID.INIT", "Whereas:"), *recitals),
            el("PREAMBLE.FINAL", act.formula),
        ),
        box("ENACTING.TERMS", *(article(n, a) for n, a in enumerate(act.articles, 1))),
        box(
            "FINAL",
            p(act.binding),
            box("SIGNATURE", el("PL.DATE", p(act.place)), box("SIGNATORY", *map(p, act.signatory))),
        ),
    ]
    annex = [
        bibliography("0001.0002", 4, 4),
        box("TITLE", box("TI", p(act.annex.label)), box("STI", p(act.annex.heading))),
        box("CONTENTS", *(numbered(a.number, a.blocks[0]) for a in act.annex.paragraphs)),
    ]
    files = [
        listed("DOC.MAIN.PUB", ACT_FILE, "0001", 1, 3),
        listed("DOC.SUB.PUB", ANNEX_FILE, "0001.0002", 4, 4),
    ]
    reference = box(
        "PUBLICATION.REF", el("COLL", "L"), number, date, el("LG.OJ", "EN"), FILE=f"{STEM}.toc.xml"
    )
    return {
        ACT_FILE: root("ACT", *main),
        ANNEX_FILE: root("ANNEX", *annex),
        DOC_FILE: root("DOC", reference, box("FMX", *files)),
        "act.fmx.xml": root("ACT", *main, box("ANNEX", *annex)),
    }


def akoma_ntoso(act: Act) -> str:
    """Write Akoma Ntoso 3.0, the annex as an attachment."""

    def p(plain: str) -> str:
        def note(n: str) -> str:
            return " " + el(
                "authorialNote", el("p", escape(act.notes[n])), eId=f"fn_{n}", marker=n, placement="bottom"
            )

        return el("p", inline(plain, note, el("i", "{}")))

    def hier(name: str, ident: str, number: str, *blocks: Block) -> str:
        parts = [el("num", number)] if number else []
        if len(blocks) > 1:
            below = (hier("subparagraph", f"{ident}__subpara_{n}", "", b) for n, b in enumerate(blocks, 1))
            return box(name, *parts, *below, eId=ident)
        block = blocks[0]
        if not block.items:
            return box(name, *parts, el("content", p(block.text)), eId=ident)
        inner = f"{ident}__list_1"
        points = []
        for n, item in enumerate(block.items, 1):
            dash = item.label == "—"
            kind, key = ("indent", n) if dash else ("point", item.label[1:-1])
            points.append(hier(kind, f"{inner}__{kind}_{key}", item.label, item))
        return box(name, *parts, box("list", el("intro", p(block.text)), *points, eId=inner), eId=ident)

    def body(division: Division, ident: str, kind: str) -> list[str]:
        return [hier(kind, f"{ident}{n}", a.number, *a.blocks) for n, a in enumerate(division.paragraphs, 1)]

    def article(n: int, article: Division) -> str:
        head = el("num", article.label), el("heading", article.heading)
        return box("article", *head, *body(article, f"art_{n}__para_", "paragraph"), eId=f"art_{n}")

    def meta(component: str) -> str:
        work = "/akn/eu/act/reg_impl/2024-03-12/9001"
        places = {
            "Work": work,
            "Expression": f"{work}/eng@2024-03-14",
            "Manifestation": f"{work}/eng@2024-03-14.akn",
        }
        levels = []
        for level, uri in places.items():
            this, whole = el("FRBRthis", value=f"{uri}/!{component}"), el("FRBRuri", value=uri)
            date, author = (
                el("FRBRdate", date="2024-03-12", name="adoption"),
                el("FRBRauthor", href="#commission"),
            )
            last = {"Work": el("FRBRcountry", value="eu"), "Expression": el("FRBRlanguage", language="eng")}
            levels.append(box(f"FRBR{level}", this, whole, date, author, *filter(None, [last.get(level)])))
        publication = el("publication", date="2024-03-14", name="OJ", showAs=OJ, number=act.header[3])
        agent = el(
            "TLCOrganization", eId="commission", href="/ontology/organization/eu/com", showAs="Commission"
        )
        references = box("references", agent, source="#commission")
        return box("meta", box("identification", *levels, source="#commission"), publication, references)

    recitals = (
        box("recital", el("num", r.label), p(r.text), eId=f"rec_{r.label[1:-1]}") for r in act.recitals
    )
    citations = (el("citation", p(line), eId=f"cit_{n}") for n, line in enumerate(act.citations, 1))
    preamble = box(
        "preamble",
        el("formula", p(act.author), name="actingEntity"),
        box("citations", *citations),
        box("recitals", el("intro", p("Whereas:")), *recitals),
        el("formula", p(act.formula), name="enactingFormula"),
    )
    heads = el("p", el("docNumber", act.annex.label)), el("p", el("docTitle", act.annex.heading))
    points = box("mainBody", *body(act.annex, "anx_1__point_", "point"))
    annex = box("doc", meta("annex"), box("preface", *heads), points, name="annex")
    whole = box(
        "act",
        meta("main"),
        box("preface", box("longTitle", *(el("p", el("docTitle", line)) for line in act.title))),
        preamble,
        box("body", *(article(n, a) for n, a in enumerate(act.articles, 1))),
        box("conclusions", p(act.binding), p(act.place), *map(p, act.signatory)),
        box("attachments", box("attachment", annex, eId="anx_1")),
        name="regulation",
        contains="originalVersion",
    )
    return PROLOG + box("akomaNtoso", whole, xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0") + "\n"


def old_html(act: Act) -> str:
    """Write EUR-Lex HTML as before 2004: one flat run of paragraphs, markers in the text."""

    def points(blocks: list[Block]) -> list[str]:
        return [line for b in blocks for line in (f"{b.label.replace('—', '-')} {b.text}", *points(b.items))]

    def division(division: Division) -> list[str]:
        lines = ["", division.label, division.heading]
        for paragraph in division.paragraphs:
            number = paragraph.number and paragraph.number + " "
            for n, block in enumerate(paragraph.blocks):
                lines += [("" if n else number) + block.text, *points(block.items)]
        return lines

    lines = [*act.title, "", act.author, *act.citations, "Whereas:", *points(act.recitals), act.formula]
    lines += [line for a in act.articles for line in division(a)]
    lines += [act.binding, "", act.place, "", *act.signatory, ""]
    lines += [f"({n}) {text}" for n, text in act.notes.items()] + division(act.annex)
    text = "".join(el("p", inline(line, lambda n: f"({n})")) for line in lines)
    title, source = escape(" ".join(act.title)), f"Official Journal {act.header[3]} , {act.header[0]}"
    names = {"language": "EN", "title": f"EUR-Lex - {CELEX} - EN", "description": title, "source": source}
    metas = "\n".join(f'<meta name="DC.{name}" content="{value}">' for name, value in names.items())
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><html lang="EN">
<head>
{metas}
<meta name="DC.type" http-equiv="Content-Type" content="text/html; charset=UTF-8">
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
{text}
</TXT_TE>
</p>
</div>
</body>
</html>
"""
