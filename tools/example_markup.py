"""The example act's outline, and that outline in the mark-up of EUR-Lex, Formex and Akoma Ntoso."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from itertools import count

OJ = "Official Journal of the European Union"
CELEX, ELI, STEM = "32024R9001", "http://data.europa.eu/eli/reg_impl/2024/9001/oj", "L_202409001EN.01000101"
XHTML = {"xmlns": "http://www.w3.org/1999/xhtml"}
XSI = {"xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance"}
FORMEX = "http://formex.publications.europa.eu/schema"
PROLOG = '<?xml version="1.0" encoding="UTF-8"?>\n'
DOCTYPE = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML//EN" "xhtml-strict.dtd">\n'
META = '<meta http-equiv="content-type" content="text/html; charset=utf-8"/>'
TABLE = {"width": "100%", "border": "0", "cellspacing": "0", "cellpadding": "0"}
NBSP = "\u00a0"
MONTHS = list(month_name)[1:]
DATE = re.compile(rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})")
NOTE_MARK = re.compile(r" \((\d)\)(?=[,.;])")


@dataclass
class Node:
    """A provision: its number or marker, its text or heading, and what is below it.

    A node without a label is a paragraph that the act does not number, or a further subparagraph.
    """

    label: str
    text: str
    below: list[Node] = field(default_factory=list)

    def subparagraphs(self) -> list[tuple[str, list[Node]]]:
        """Give each subparagraph's text with the points that follow it."""
        out: list[tuple[str, list[Node]]] = [(self.text, [])]
        for node in self.below:
            if node.label:
                out[-1][1].append(node)
            else:
                out.append((node.text, []))
        return out


@dataclass
class Act:
    """The parts of an act in their order."""

    header: list[str]
    title: list[str]
    author: str
    citations: list[str]
    recitals: list[Node]
    formula: str
    articles: list[Node]
    binding: str
    place: str
    signatory: list[str]
    notes: dict[str, str]
    annex: Node


def division(lines: list[str]) -> Node:
    """Read an article or annex: label, heading, paragraphs with their points and subparagraphs."""
    out = Node(lines[0], lines[1])
    rest = iter(lines[2:])
    for line in rest:
        if re.fullmatch(r"\((\d+|[a-z]+)\)|—", line):
            siblings = out.below[-1].below
            nested = re.fullmatch(r"\([ivx]+\)", line) and siblings
            (siblings[-1].below if nested else siblings).append(Node(line, next(rest)))
        elif numbered := re.match(r"(\d+\.) (.+)", line):
            out.below.append(Node(numbered[1], numbered[2]))
        elif out.below and out.below[-1].label:
            out.below[-1].below.append(Node("", line))
        else:
            out.below.append(Node("", line))
    return out


def outline(text: str) -> Act:
    """Read the line layout of the short English example."""
    lines = text.splitlines()

    def find(start: str) -> int:
        return next(i for i, line in enumerate(lines) if line.startswith(start))

    author, whereas, formula, annex = map(find, ("THE EUROPEAN", "Whereas:", "HAS ADOPTED", "ANNEX"))
    binding = find("This Regulation shall be binding")
    starts = [i for i in range(formula, binding) if re.fullmatch(r"Article \d+", lines[i])]
    notes = dict(line[1:].split(") ", 1) for line in lines[binding:annex] if line.startswith("("))
    return Act(
        header=lines[:4],
        title=lines[4:author],
        author=lines[author],
        citations=lines[author + 1 : whereas],
        recitals=[Node(lines[i], lines[i + 1]) for i in range(whereas + 1, formula, 2)],
        formula=lines[formula],
        articles=[division(lines[i:j]) for i, j in zip(starts, [*starts[1:], binding], strict=True)],
        binding=lines[binding],
        place=lines[binding + 1],
        signatory=lines[binding + 2 : annex - len(notes)],
        notes=notes,
        annex=division(lines[annex:]),
    )


def el(tag: str, /, *parts: str, **attributes: str) -> str:
    """Write an element, several parts on lines of their own; `cls` stands for `class`."""
    start = tag + "".join(f' {"class" if k == "cls" else k}="{escape(v)}"' for k, v in attributes.items())
    body = "\n".join(("", *filter(None, parts), "")) if len(parts) > 1 else "".join(parts)
    return f"<{start}>{body}</{tag}>" if parts else f"<{start}/>"


def inline(text: str, note: Callable[[str], str], italic: str = "{}") -> str:
    """Escape a text, write its note marks by `note` and the Journal's name by the pattern `italic`."""
    marked = NOTE_MARK.sub(lambda m: note(m[1]), escape(text, quote=False))
    return marked.replace(OJ, italic.format(OJ))


def iso(text: str) -> str:
    """Give the first date of a text as YYYYMMDD."""
    day, month, year = DATE.findall(text)[0]
    return f"{year}{MONTHS.index(month) + 1:02}{int(day):02}"


def oj_xhtml(act: Act, oj: str) -> str:
    """Write the Journal's XHTML: today's, class prefix `oj-`, in ELI divisions; or the older one, flat."""

    def p(cls: str, text: str) -> str:
        def note(n: str) -> str:
            mark = el("span", n, cls=f"{oj}super {oj}note-tag" if oj else "super")
            return " " + el("a", f"({mark})", id=f"ntc{n}-{STEM}-E{n:0>4}", href=f"#ntr{n}-{STEM}-E{n:0>4}")

        return el("p", inline(text, note, el("span", "{}", cls=f"{oj}italic")), cls=oj + cls)

    def part(ident: str, *parts: str, cls: str = "eli-subdivision") -> str:
        return el("div", *parts, "", cls=cls, id=ident) if oj else "\n".join(parts)

    def row(node: Node) -> str:
        if not node.label:
            return p("normal", node.text)
        cells = p("normal", node.label), "\n".join((p("normal", node.text), *map(row, node.below)))
        body = el("tbody", el("tr", *(el("td", cell, valign="top") for cell in cells)))
        return el("table", el("col", width="4%"), el("col", width="96%"), body, **TABLE)

    def article(n: int, article: Node) -> str:
        parts = [p("ti-art", article.label)]
        parts.append(part(f"art_{n}.tit_1", p("sti-art", article.text), cls="eli-title"))
        for m, node in enumerate(article.below, 1):
            label = node.label and node.label + NBSP * 3
            lines = [p("normal", label + node.text), *map(row, node.below)]
            parts += [el("div", *lines, "", id=f"{n:03}.{m:03}")] if label and oj else lines
        return part(f"art_{n}", *parts)

    def footnote(n: str, text: str) -> str:
        mark = el("span", n, cls=f"{oj}super")
        mark = el("a", f"({mark})", id=f"ntr{n}-{STEM}-E{n:0>4}", href=f"#ntc{n}-{STEM}-E{n:0>4}")
        return el("p", mark + NBSP * 2 + escape(text), cls=f"{oj}note")

    kinds = zip(("hd-date", "hd-lg", "hd-ti", "hd-oj"), act.header, strict=True)
    header = el("tbody", el("tr", *(el("td", el("p", text, cls=oj + kind)) for kind, text in kinds)))
    rules = {name: el("hr", cls=oj + name) for name in ("separator", "note", "doc-sep", "doc-end")}
    recitals = (part(f"rct_{node.label[1:-1]}", row(node)) for node in act.recitals)
    citations = (part(f"cit_{n}", p("normal", line)) for n, line in enumerate(act.citations, 1))
    start = p("normal", act.author), *citations, p("normal", "Whereas:"), *recitals, p("normal", act.formula)
    office = (el("span", line, cls=f"{oj}italic") for line in act.signatory[:-1])
    names = (el("p", line, cls=f"{oj}signatory") for line in (*office, act.signatory[-1]))
    signatory = el("div", *names, cls=f"{oj}signatory")
    end = el("div", p("normal", act.binding), p("normal", act.place), signatory, cls=f"{oj}final")
    annex = p("doc-ti", act.annex.label), p("doc-ti", act.annex.text)
    body = [
        el("table", *(el("col", width=f"{n}%") for n in (10, 10, 60, 20)), header, **TABLE),
        rules["separator"],
        part("tit_1", *(p("doc-ti", line) for line in act.title), cls="eli-main-title"),
        part("pbl_1", *start),
        part("enc_1", *(article(n, node) for n, node in enumerate(act.articles, 1))),
        part("fnp_1", end),
        rules["note"],
        *(footnote(n, text) for n, text in act.notes.items()),
        rules["doc-sep"],
        part("anx_1", *annex, *map(row, act.annex.below), cls="eli-container"),
        rules["doc-end"],
    ]
    if oj:
        body[2:-3] = [el("div", *body[2:-3], cls="eli-container")]
    head = el("head", META, el("title", f"{STEM}.xml"))
    return PROLOG + DOCTYPE + el("html", head, el("body", *body), **XHTML) + "\n"


def consolidated_html(act: Act) -> str:
    """Write a consolidated text, which leaves out preamble and signature but keeps the notes."""

    def p(cls: str, text: str) -> str:
        return el("p", inline(text, lambda n: f" ({n})", el("span", "{}", cls="italics")), cls=cls)

    def row(node: Node, cls: str = "norm") -> str:
        if not node.label:
            return p(cls, node.text)
        marker = el("div", el("span", node.label + NBSP), cls="list grid-list-column-1")
        text = el("div", p("norm", node.text), *map(row, node.below), "", cls="grid-list-column-2")
        return el("div", marker, text, cls="grid-container grid-list")

    def paragraph(node: Node) -> str:
        if not node.label:
            return "\n".join((p("norm", node.text), *map(row, node.below)))
        lines = [row(below, "norm inline-element") for below in [Node("", node.text), *node.below]]
        text = el("div", *(lines if node.below else [escape(node.text)]), cls="norm inline-element")
        return el("div", el("span", node.label + NBSP * 2, cls="no-parag"), text, cls="norm")

    def article(n: int, article: Node) -> str:
        heading = el("div", p("stitle-article-norm", article.text), cls="eli-title", id=f"art_{n}.tit_1")
        lines = p("title-article-norm", article.label), heading, *map(paragraph, article.below)
        return el("div", *lines, cls="eli-subdivision", id=f"art_{n}")

    def footnote(n: str, text: str) -> str:
        mark = el("a", el("span", n, cls="superscript"), href=f"#src.E{n:0>4}", id=f"E{n:0>4}")
        return el("p", f"({mark}) {escape(text)}", cls="footnote")

    link = f"http://publications.europa.eu/resource/celex/{CELEX}"
    date = "{2}.{1}.{0}".format(*re.findall(r"(\d{4})(\d\d)(\d\d)", iso(act.place))[0])
    title = *(p("title-doc-first", line) for line in act.title[:-1]), p("title-doc-last", act.title[-1])
    reference = p("title-doc-oj-reference", f"({act.header[3]}, {act.header[0]})")
    arrow = el("td", el("p", el("a", "►B", href=link, title=CELEX), cls="arrow"))
    annex = p("title-annex-1", act.annex.label), p("title-gr-seq-level-1", act.annex.text)
    articles = (article(n, node) for n, node in enumerate(act.articles, 1))
    main = [
        el("p", el("a", "▼B", href=link, title=CELEX), cls="modref"),
        el("div", *title, cls="eli-main-title", id="tit_1"),
        el("div", *articles, p("norm", act.binding), cls="eli-subdivision", id="enc_1"),
        el("hr", cls="separator-annex"),
        el("div", *annex, *map(row, act.annex.below), cls="eli-subdivision", id="anx_1"),
    ]
    body = [
        p("reference", f"0{CELEX[1:]} — {act.header[1]} — {date} — 000.001"),
        p("disclaimer", "This text is meant purely as a documentation tool and has no legal effect."),
        el("table", el("tr", arrow, el("td", *title, reference)), **TABLE),
        el("hr", cls="separator"),
        el("div", *main, cls="eli-container"),
        el("hr", cls="separator-short"),
        *(footnote(n, text) for n, text in act.notes.items()),
    ]
    head = el("head", META, el("title", f"Consolidated TEXT: {CELEX} — {act.header[1]} — {date}"))
    return DOCTYPE + el("html", head, el("body", *body), **XHTML) + "\n"


def formex(act: Act) -> dict[str, str]:
    """Write a Formex 4 delivery: act, annex and document file; and act and annex in one, `act.fmx.xml`."""
    quotes = count(1)

    def text(plain: str) -> str:
        def note(n: str) -> str:
            ends = {"NOTE.ID": f"E{n:0>4}", "NUMBERING": "ARAB", "TYPE": "FOOTNOTE"}
            return el("NOTE", el("P", escape(act.notes[n])), **ends)

        def quote(match: re.Match[str]) -> str:
            n = f"{next(quotes):04}"
            start = el("QUOT.START", CODE="2018", ID=f"QS{n}", **{"REF.END": f"QE{n}"})
            return start + match[1] + el("QUOT.END", CODE="2019", ID=f"QE{n}", **{"REF.START": f"QS{n}"})

        marked = inline(plain, note, el("HT", "{}", TYPE="ITALIC"))
        dated = DATE.sub(lambda m: el("DATE", m[0], ISO=iso(m[0])), marked)
        return re.sub("‘([^’]*)’", quote, dated)

    def p(plain: str) -> str:
        return el("P", text(plain))

    def numbered(node: Node) -> str:
        below = [el("P", items(node.below))] if node.below else []
        return el("NP", el("NO.P", node.label), el("TXT", text(node.text)), *below)

    def items(nodes: list[Node]) -> str:
        kind = {"(1)": "ARAB", "(i)": "roman", "—": "DASH"}.get(nodes[0].label, "alpha")
        rows = (p(node.text) if kind == "DASH" else numbered(node) for node in nodes)
        return el("LIST", *(el("ITEM", row) for row in rows), "", TYPE=kind)

    def alinea(plain: str, points: list[Node]) -> str:
        return el("ALINEA", p(plain), items(points)) if points else el("ALINEA", text(plain))

    def article(n: int, article: Node) -> str:
        parts = [el("TI.ART", article.label), el("STI.ART", text(article.text))]
        for m, node in enumerate(article.below, 1):
            lines = [alinea(*subparagraph) for subparagraph in node.subparagraphs()]
            whole = el("PARAG", el("NO.PARAG", node.label), *lines, IDENTIFIER=f"{n:03}.{m:03}")
            parts += [whole] if node.label else lines
        return el("ARTICLE", *parts, IDENTIFIER=f"{n:03}")

    def bibliography(sequence: str, first: int, last: int) -> str:
        return f"""<BIB.INSTANCE>
<DOCUMENT.REF FILE="{STEM}.doc.xml"><COLL>L</COLL>{number}<LG.OJ>EN</LG.OJ></DOCUMENT.REF>
<EEA/>{date}<LG.DOC>EN</LG.DOC><NO.SEQ>{sequence}</NO.SEQ>
<PAGE.FIRST>{first}</PAGE.FIRST><PAGE.SEQ>1</PAGE.SEQ><PAGE.LAST>{last}</PAGE.LAST>
<PAGE.TOTAL>{last - first + 1}</PAGE.TOTAL>{number}</BIB.INSTANCE>"""

    def root(name: str, *parts: str) -> str:
        schema = {"xsi:noNamespaceSchemaLocation": f"{FORMEX}/formex-06.01-20231031.xd"}
        return PROLOG + el(name, *parts, "", **XSI, **schema) + "\n"

    date = el("DATE", iso(act.place), ISO=iso(act.place))
    numbers = "<NO.CURRENT>9001</NO.CURRENT><YEAR>2024</YEAR><COM>EU</COM>"
    number = el("NO.DOC", numbers, FORMAT="YN", TYPE="OJ")
    preamble = [
        el("PREAMBLE.INIT", act.author),
        el("GR.VISA", *(el("VISA", text(line)) for line in act.citations)),
        el("GR.CONSID", el("GR.CONSID.INIT", "Whereas:"), *(el("CONSID", numbered(n)) for n in act.recitals)),
        el("PREAMBLE.FINAL", act.formula),
    ]
    signature = el("SIGNATURE", el("PL.DATE", p(act.place)), el("SIGNATORY", *map(p, act.signatory)))
    main = [
        bibliography("0001.0001", 1, 3),
        el("TITLE", el("TI", *map(p, act.title))),
        el("PREAMBLE", *preamble),
        el("ENACTING.TERMS", *(article(n, node) for n, node in enumerate(act.articles, 1))),
        el("FINAL", p(act.binding), signature),
    ]
    annex = [
        bibliography("0001.0002", 4, 4),
        el("TITLE", el("TI", p(act.annex.label)), el("STI", p(act.annex.text))),
        el("CONTENTS", *map(numbered, act.annex.below)),
    ]
    files = f"""<PUBLICATION.REF FILE="L_202409001EN.toc.xml"><COLL>L</COLL>{number}
{date}<LG.OJ>EN</LG.OJ></PUBLICATION.REF>
<FMX>
<DOC.MAIN.PUB NO.SEQ="0001" SYNOPTISM="D0001"><LG.DOC>EN</LG.DOC><NO.CELEX>{CELEX}</NO.CELEX>{date}
<PAGE.FIRST>1</PAGE.FIRST><PAGE.LAST>3</PAGE.LAST><PAGE.TOTAL>3</PAGE.TOTAL><PAGE.SEQ>1</PAGE.SEQ>
<REF.PHYS FILE="{STEM}.xml" TYPE="DOC.XML"/></DOC.MAIN.PUB>
<DOC.SUB.PUB NO.SEQ="0001.0002" SYNOPTISM="D0001.0002" TYPE="ANNEX"><LG.DOC>EN</LG.DOC>
<PAGE.FIRST>4</PAGE.FIRST><PAGE.LAST>4</PAGE.LAST><PAGE.TOTAL>1</PAGE.TOTAL><PAGE.SEQ>1</PAGE.SEQ>
<REF.PHYS FILE="L_202409001EN.01000401.xml" TYPE="DOC.XML"/></DOC.SUB.PUB>
</FMX>"""
    return {
        f"{STEM}.xml": root("ACT", *main),
        "L_202409001EN.01000401.xml": root("ANNEX", *annex),
        f"{STEM}.doc.xml": root("DOC", files),
        "act.fmx.xml": root("ACT", *main, el("ANNEX", *annex)),
    }


def akoma_ntoso(act: Act) -> str:
    """Write Akoma Ntoso 3.0, the annex as an attachment."""

    def p(plain: str) -> str:
        def note(n: str) -> str:
            text = el("p", escape(act.notes[n]))
            return " " + el("authorialNote", text, eId=f"fn_{n}", marker=n, placement="bottom")

        return el("p", inline(plain, note, el("i", "{}")))

    def provision(tag: str, ident: str, label: str, *parts: tuple[str, list[Node]]) -> str:
        number = [el("num", label)] if label else []
        if len(parts) > 1:
            below = [provision("subparagraph", f"{ident}__sub_{n}", "", s) for n, s in enumerate(parts, 1)]
        elif parts[0][1]:
            points = (point(f"{ident}__list_1", n, node) for n, node in enumerate(parts[0][1], 1))
            below = [el("list", el("intro", p(parts[0][0])), *points, eId=f"{ident}__list_1")]
        else:
            below = [el("content", p(parts[0][0]))]
        return el(tag, *number, *below, "", eId=ident)

    def point(ident: str, n: int, node: Node) -> str:
        tag, key = ("indent", n) if node.label == "—" else ("point", node.label[1:-1])
        return provision(tag, f"{ident}__{tag}_{key}", node.label, *node.subparagraphs())

    def body(node: Node, ident: str, tag: str) -> list[str]:
        below = enumerate(node.below, 1)
        return [provision(tag, f"{ident}{n}", part.label, *part.subparagraphs()) for n, part in below]

    def article(n: int, node: Node) -> str:
        head = el("num", node.label), el("heading", node.text)
        return el("article", *head, *body(node, f"art_{n}__para_", "paragraph"), eId=f"art_{n}")

    agent = el("TLCOrganization", eId="com", href="/ontology/eu/com", showAs="Commission")
    commission = el("references", agent, source="#com")

    def meta(part: str) -> str:
        def level(name: str, uri: str, last: str = "") -> str:
            return f"""<FRBR{name}><FRBRthis value="{uri}/!{part}"/><FRBRuri value="{uri}"/>
<FRBRdate date="2024-03-12" name="adoption"/><FRBRauthor href="#com"/>{last}</FRBR{name}>"""

        uri = "/akn/eu/act/reg_impl/2024-03-12/9001"
        return f"""<meta><identification source="#com">
{level("Work", uri, '<FRBRcountry value="eu"/>')}
{level("Expression", f"{uri}/eng@", '<FRBRlanguage language="eng"/>')}
{level("Manifestation", f"{uri}/eng@.akn")}
</identification>
<publication date="2024-03-14" name="OJ" showAs="{OJ}" number="{act.header[3]}"/>
{commission if part == "main" else ""}
</meta>"""

    citations = (el("citation", p(line), eId=f"cit_{n}") for n, line in enumerate(act.citations, 1))
    numbered = enumerate(act.recitals, 1)
    recitals = (el("recital", el("num", r.label), p(r.text), eId=f"rec_{n}") for n, r in numbered)
    preamble = [
        el("formula", p(act.author), name="actingEntity"),
        el("citations", *citations),
        el("recitals", el("intro", p("Whereas:")), *recitals),
        el("formula", p(act.formula), name="enactingFormula"),
    ]
    heads = el("p", el("docNumber", act.annex.label)), el("p", el("docTitle", act.annex.text))
    points = el("mainBody", *body(act.annex, "anx_1__point_", "point"))
    annex = el("doc", meta("annex"), el("preface", *heads), points, name="annex")
    main = [
        meta("main"),
        el("preface", el("longTitle", *(el("p", el("docTitle", line)) for line in act.title))),
        el("preamble", *preamble),
        el("body", *(article(n, node) for n, node in enumerate(act.articles, 1))),
        el("conclusions", p(act.binding), p(act.place), *map(p, act.signatory)),
        el("attachments", el("attachment", annex, eId="anx_1")),
    ]
    whole = el("act", *main, name="regulation", contains="originalVersion")
    return PROLOG + el("akomaNtoso", whole, xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0") + "\n"
