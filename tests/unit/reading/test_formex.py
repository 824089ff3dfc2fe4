"""Formex, the safe XML parser and the safe unzipper underneath it. Every act in here is invented."""

import io
import os
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from helpers.laws import assert_laws
from lexlattice.errors import ReadingError
from lexlattice.reading.celex import normalize_celex
from lexlattice.reading.formats.archives import MAX_MEMBERS
from lexlattice.reading.formats.blocks import Block, Role, squeeze
from lexlattice.reading.formats.formex import read_formex, read_formex_parts, read_formex_zip
from lexlattice.reading.formats.xmlsafe import Lines, names, parse_xml, traverse
from lexlattice.reading.languages.grammar import load
from lexlattice.reading.structure.provisions import read_provisions

ACT = """<?xml version="1.0" encoding="UTF-8"?>
<ACT xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<BIB.INSTANCE><DOCUMENT.REF FILE="L_9001.doc.xml"><COLL>L</COLL><LG.OJ>EN</LG.OJ></DOCUMENT.REF>
<DATE ISO="20240312">20240312</DATE><LG.DOC>EN</LG.DOC>
<NO.DOC FORMAT="YN" TYPE="OJ"><NO.CURRENT>9001</NO.CURRENT><YEAR>2024</YEAR></NO.DOC></BIB.INSTANCE>
<TITLE><TI><P><HT TYPE="UC">Commission Regulation</HT> (EU) 2024/9001</P>
<P>of <DATE ISO="20240312">12 March 2024</DATE></P><P>on urban beehives</P></TI></TITLE>
<PREAMBLE><PREAMBLE.INIT>THE EUROPEAN COMMISSION,</PREAMBLE.INIT>
<GR.VISA><VISA>Having regard to the Treaty<NOTE NOTE.ID="E0001" NUMBERING="ARAB" TYPE="FOOTNOTE"><P>OJ L 450,
16.12.2021, p. 12.</P><P>Second line.</P></NOTE>, and in particular Article 7 thereof,</VISA></GR.VISA>
<GR.CONSID><GR.CONSID.INIT>Whereas:</GR.CONSID.INIT>
<CONSID><NP><NO.P>(1)</NO.P><TXT>Bees live in towns<NOTE NOTE.REF="E0001"/>.</TXT></NP></CONSID></GR.CONSID>
<PREAMBLE.FINAL>HAS ADOPTED THIS REGULATION:</PREAMBLE.FINAL></PREAMBLE>
<ENACTING.TERMS><DIVISION><TITLE><TI><P>CHAPTER I</P></TI><STI><P>GENERAL</P></STI></TITLE>
<ARTICLE IDENTIFIER="001"><TI.ART>Article 1</TI.ART><STI.ART><P>Scope</P></STI.ART>
<PARAG IDENTIFIER="001.001"><NO.PARAG>1.</NO.PARAG><ALINEA><P>It applies to hives worth EUR
<FT TYPE="NUMBER">2000000</FT>:</P><LIST TYPE="alpha"><ITEM><NP><NO.P>(a)</NO.P><TXT>on roofs:</TXT>
<P><LIST TYPE="DASH"><ITEM><P>flat,</P></ITEM><ITEM><P>steep;</P></ITEM></LIST></P></NP></ITEM></LIST>
</ALINEA><ALINEA>It does not apply in forests.</ALINEA></PARAG>
<PARAG IDENTIFIER="001.002"><NO.PARAG>2.</NO.PARAG><ALINEA><LIST TYPE="alpha"><ITEM><NP><NO.P>(a)</NO.P>
<TXT>first.</TXT></NP></ITEM></LIST></ALINEA></PARAG></ARTICLE>
<ARTICLE IDENTIFIER="002"><TI.ART>Article 2</TI.ART><ALINEA><P>Regulation (EU) 2021/9900 is amended:</P>
<LIST TYPE="ARAB"><ITEM><NP><NO.P>(1)</NO.P><TXT>Article 3 is replaced by the following:</TXT><P>
<QUOT.S LEVEL="1">
<ARTICLE IDENTIFIER="003"><TI.ART><QUOT.START CODE="2018" ID="QS1" REF.END="QE1"/>Article 3</TI.ART>
<STI.ART>Label</STI.ART><PARAG IDENTIFIER="003.001"><NO.PARAG>1.</NO.PARAG><ALINEA>A
<QUOT.START CODE="201C" ID="QS2" REF.END="QE2"/>label<QUOT.END CODE="201D" ID="QE2" REF.START="QS2"/> is a
sign.<QUOT.END CODE="2019" ID="QE1" REF.START="QS1"/>;</ALINEA></PARAG></ARTICLE></QUOT.S></P>
</NP></ITEM></LIST></ALINEA></ARTICLE></DIVISION></ENACTING.TERMS>
<FINAL><P>This Regulation shall be binding.</P><SIGNATURE>
<PL.DATE><P>Done at Brussels, 12 March 2024.</P></PL.DATE>
<SIGNATORY><P><HT TYPE="ITALIC">For the Commission</HT></P><P>Maria <HT TYPE="UC">Example</HT></P></SIGNATORY>
</SIGNATURE></FINAL></ACT>"""

ANNEX = """<ANNEX><BIB.INSTANCE><LG.DOC>EN</LG.DOC></BIB.INSTANCE>
<TITLE><TI><P>ANNEX</P></TI><STI><P>LABELS</P></STI></TITLE>
<CONTENTS><GR.SEQ LEVEL="1"><TITLE><TI><NP><NO.P>1.</NO.P><TXT>Introduction</TXT></NP></TI></TITLE>
<NP><NO.P>1.1.</NO.P><TXT>Metal.<NOTE NOTE.ID="E0001"><P>Or plastic.</P></NOTE></TXT></NP>
<TBL COLS="2" NO.SEQ="0001"><TITLE><TI><P>Table 1</P></TI></TITLE><GR.NOTES>
<NOTE NOTE.ID="E0002" TYPE="TABLE"><P>Without tax.</P></NOTE></GR.NOTES>
<CORPUS><ROW TYPE="HEADER"><CELL COL="1">Size</CELL>
<CELL COL="2"><P>Fee</P><P>(EUR)</P><NOTE NOTE.REF="E0002" TYPE="TABLE"/></CELL></ROW>
<BLK><TI.BLK COL.START="1" COL.END="2">Small</TI.BLK>
<ROW><CELL COL="1">5 cm</CELL><CELL COL="2"><IE/></CELL></ROW></BLK>
</CORPUS></TBL></GR.SEQ></CONTENTS></ANNEX>"""

DOC = """<DOC><BIB.DOC><NO.DOC><NO.CURRENT>9001</NO.CURRENT><YEAR>2024</YEAR></NO.DOC></BIB.DOC><FMX>
<DOC.MAIN.PUB><LG.DOC>EN</LG.DOC><LEGAL.VALUE>REGIMP</LEGAL.VALUE><REF.PHYS FILE="act.xml"/></DOC.MAIN.PUB>
<DOC.SUB.PUB TYPE="ANNEX"><REF.PHYS FILE="a_annex.xml"/></DOC.SUB.PUB></FMX><PAPER><VOLUME.PAPER>
<ITEM.VOLUME><TITLE><TI><P>Commission Regulation on urban beehives</P></TI></TITLE><ITEM.REF>25</ITEM.REF>
</ITEM.VOLUME></VOLUME.PAPER></PAPER></DOC>"""


def lines(blocks: list[Block]) -> list[tuple[str | None, str]]:
    return [(block.role and block.role.value, block.text) for block in blocks]


def formex(inside: str, root: str = "CONS.ACT") -> list[tuple[str | None, str]]:
    return lines(read_formex(f"<{root}>{inside}</{root}>".encode()).blocks)


def packed(members: dict[str, str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return stream.getvalue()


# --- what comes out ---------------------------------------------------------------------------------------


def test_an_act_has_the_lines_that_eur_lex_shows() -> None:
    document = read_formex(ACT.encode())
    assert (document.format, document.language, document.warnings) == ("formex", "en", [])
    assert lines(document.blocks) == [
        ("title", "COMMISSION REGULATION (EU) 2024/9001"),
        ("title", "of 12 March 2024"),
        ("title", "on urban beehives"),
        (None, "THE EUROPEAN COMMISSION,"),
        (None, "Having regard to the Treaty (1), and in particular Article 7 thereof,"),
        (None, "Whereas:"),
        (None, "(1)"),
        (None, "Bees live in towns (1)."),
        (None, "HAS ADOPTED THIS REGULATION:"),
        ("division", "CHAPTER I"),
        ("heading", "GENERAL"),
        ("article", "Article 1"),
        ("heading", "Scope"),
        (None, "1. It applies to hives worth EUR 2 000 000:"),
        (None, "(a)"),
        (None, "on roofs:"),
        (None, "—"),
        (None, "flat,"),
        (None, "—"),
        (None, "steep;"),
        (None, "It does not apply in forests."),
        (None, "2."),
        (None, "(a)"),
        (None, "first."),
        ("article", "Article 2"),
        (None, "Regulation (EU) 2021/9900 is amended:"),
        (None, "(1)"),
        (None, "Article 3 is replaced by the following:"),
        ("quoted", "‘Article 3"),
        ("quoted", "Label"),
        ("quoted", "1. A “label” is a sign.’;"),
        (None, "This Regulation shall be binding."),
        ("signature", "Done at Brussels, 12 March 2024."),
        ("signature", "For the Commission"),
        ("signature", "Maria EXAMPLE"),
        ("note", "(1) OJ L 450, 16.12.2021, p. 12."),
        ("note", "Second line."),
    ]


def test_an_annex_has_its_own_header_table_and_notes() -> None:
    assert lines(read_formex(ANNEX.encode()).blocks) == [
        ("annex", "ANNEX"),
        ("heading", "LABELS"),
        ("group", "1. Introduction"),
        (None, "1.1."),
        (None, "Metal. (1)"),
        ("table", "Table 1"),
        ("table", "Size\tFee (EUR) (1)"),
        ("table", "Small"),
        ("table", "5 cm"),
        ("note", "(1) Without tax."),
        ("note", "(1) Or plastic."),
    ]


def test_the_list_of_parts_gives_the_order_and_the_celex_number() -> None:
    document = read_formex_parts({"z.doc.xml": DOC.encode(), "a_annex.xml": ANNEX.encode(), "act.xml": ACT.encode()})
    texts = [block.text for block in document.blocks]
    assert texts.index("Maria EXAMPLE") < texts.index("Second line.") < texts.index("ANNEX")
    assert (document.celex, document.language, document.warnings) == ("32024R9001", "en", [])
    assert read_formex_zip(packed({"x/z.doc.xml": DOC, "x/act.xml": ACT, "x/a_annex.xml": ANNEX})) == document


def test_without_a_list_of_parts_annexes_follow_the_act_in_natural_order() -> None:
    parts = {f"DOC_{n}.xml": ANNEX.replace("ANNEX<", f"ANNEX {n}<").encode() for n in (10, 2)}
    document = read_formex_parts({**parts, "DOC_20.xml": ACT.encode()})
    assert document.blocks[0].role is Role.TITLE
    assert [block.text for block in document.blocks if block.role is Role.ANNEX] == ["ANNEX 2", "ANNEX 10"]


def test_a_missing_part_is_a_warning() -> None:
    document = read_formex_parts({"z.doc.xml": DOC.encode(), "act.xml": ACT.encode()})
    (warning,) = document.warnings
    assert "a_annex.xml" in warning
    alone = read_formex(DOC.encode())
    assert lines(alone.blocks) == [("title", "Commission Regulation on urban beehives")]
    assert len(alone.warnings) == 1


def test_an_included_file_is_read_once_where_it_is_included() -> None:
    call = '<INCL.ELEMENT FILEREF="q.xml" TYPE="FORMEX.DOC"/>'
    listed = f"<BIB.INSTANCE><INCLUSIONS>{call}</INCLUSIONS></BIB.INSTANCE>"
    quoted = "<ANNEX><TITLE><TI><P>ANNEX V</P></TI></TITLE><CONTENTS><P>Text.</P></CONTENTS></ANNEX>"
    act = f"<ACT>{listed}<P>Annex V is replaced:</P><QUOT.S>{call}</QUOT.S><P>End.</P></ACT>"
    document = read_formex_parts({"a.xml": act.encode(), "q.xml": quoted.encode()})
    assert lines(document.blocks) == [
        (None, "Annex V is replaced:"),
        ("quoted", "ANNEX V"),
        ("quoted", "Text."),
        (None, "End."),
    ]
    calls = {"a": "b", "b": "c", "c": "a", "d": "d"}
    circular = '<ANNEX><P>{}</P><INCL.ELEMENT FILEREF="{}.xml"/></ANNEX>'
    parts = {f"{name}.xml": circular.format(name, called).encode() for name, called in calls.items()}
    assert [block.text for block in read_formex_parts(parts).blocks] == ["a", "b", "c", "d"]


def test_repealed_passages_are_skipped() -> None:
    opens = '<?CLG.MDFO ID="O1" IDREF="C1" ACTION="{}" LEVEL="{}" ACTIVE.DOC="32014L0025"?>'
    ends = '<?CLG.MDFC ID="C1" IDREF="O1"?>'
    inline = f"<P>Directives {opens.format('DELETED', 'TEXT')}2004/17/EC{ends} and 2009/81/EC.</P>"
    assert formex(inline) == [(None, "Directives ————— and 2009/81/EC.")]
    whole = opens.format("DELETED", "STRUCTURE") + "<P>gone<NOTE><P>n</P></NOTE></P>" + ends + "<P>stays</P>"
    assert formex(whole) == [("page", "—————"), (None, "stays")]
    replaced = f"<P>{opens.format('REPLACED', 'TEXT')}new{ends} text</P>"
    assert formex(replaced) == [(None, "new text")]
    assert formex(f"<P>a</P>{ends}{opens.format('DELETED', 'TEXT')}<P>b</P>") == [(None, "a"), (None, "b")]


def test_a_quotation_over_several_lines_is_quoted_without_its_element() -> None:
    inside = (
        '<P>add:</P><P><QUOT.START CODE="00AB" ID="S" REF.END="E"/>Article 9</P><P>Text.</P>'
        '<P>Last.<QUOT.END CODE="00BB" ID="E" REF.START="S"/></P>'
        '<P><QUOT.START CODE="2018" ID="T" REF.END="F"/>hive<QUOT.END CODE="2019" ID="F" REF.START="T"/>'
        " means a box</P>"
    )
    expected = [(None, "add:"), ("quoted", "«Article 9"), ("quoted", "Text."), ("quoted", "Last.»")]
    assert formex(inside) == [*expected, (None, "‘hive’ means a box")]


def test_footnotes_are_numbered_by_their_style() -> None:
    notes = "".join(f'<NOTE NUMBERING="{style}"><P>{style}</P></NOTE>' for style in ("STAR", "alpha", "NONE"))
    assert formex(f"<P>x<NOTE><P>one</P></NOTE>{notes}</P>") == [
        (None, "x (1) (*1) (a)"),
        ("note", "(1) one"),
        ("note", "(*1) STAR"),
        ("note", "(a) alpha"),
        ("note", "NONE"),
    ]
    more = '<ANNEX><P>y<NOTE NUMBERING.CONTINUED="YES"><P>two</P></NOTE></P></ANNEX>'
    document = read_formex_parts({"a.xml": b"<ACT><P>x<NOTE><P>one</P></NOTE></P></ACT>", "b.xml": more.encode()})
    assert [block.text for block in document.blocks] == ["x (1)", "(1) one", "y (2)", "(2) two"]


def test_a_table_that_only_arranges_markers_is_a_list() -> None:
    rows = "".join(f"<ROW><CELL>{m}</CELL><CELL><P>text {m}</P><P>more</P></CELL></ROW>" for m in ("(a)", "(b)"))
    expected = [(None, text) for m in ("(a)", "(b)") for text in (m, f"text {m}", "more")]
    assert formex(f"<TBL><CORPUS>{rows}</CORPUS></TBL>") == expected


def test_notes_of_a_quotation_follow_it() -> None:
    note = '<NOTE NUMBERING="STAR" TYPE="QUOTATION"><P>OJ.<QUOT.END CODE="2019" ID="E" REF.START="S"/>;</P></NOTE>'
    quoted = f'<ARTICLE><TI.ART><QUOT.START CODE="2018" ID="S" REF.END="E"/>Article 3</TI.ART><ALINEA>x{note}.</ALINEA>'
    assert formex(f"<P>add:<QUOT.S>{quoted}</ARTICLE></QUOT.S></P><P>End<NOTE><P>n</P></NOTE>.</P>") == [
        (None, "add:"),
        ("quoted", "‘Article 3"),
        ("quoted", "x (*1)."),
        ("note", "(*1) OJ.’;"),
        (None, "End (1)."),
        ("note", "(1) n"),
    ]


def test_definitions_contents_formulas_and_codes_are_lines() -> None:
    nested = '<LIST TYPE="alpha"><ITEM><NP><NO.P>a)</NO.P><TXT>big.</TXT></NP></ITEM></LIST>'
    item = f"<PREFIX>1)</PREFIX><TERM>hive</TERM><DEFINITION><P>a box:</P>{nested}</DEFINITION>"
    assert formex(f'<P>means:<DLIST SEPARATOR=":"><DLIST.ITEM>{item}</DLIST.ITEM></DLIST></P>') == [
        (None, "means:"),
        (None, "1)"),
        (None, "hive: a box:"),
        (None, "a)"),
        (None, "big."),
    ]
    toc = "<TOC.ITEM><NO.ITEM>I</NO.ITEM><ITEM.CONT>Scope</ITEM.CONT><ITEM.REF>38</ITEM.REF></TOC.ITEM>"
    contents = f"<TOC><TITLE><TI><P>Contents</P></TI></TITLE><TOC.BLK>{toc}</TOC.BLK></TOC>"
    assert formex(contents) == [("contents", "Contents"), ("contents", "I Scope")]
    ratio = "<EXPR><FRACTION><DIVIDEND>b</DIVIDEND><DIVISOR>c</DIVISOR></FRACTION></EXPR>"
    formula = f'<P>where <FORMULA TYPE="INLINE"><EXPR>a</EXPR><OP.CMP TYPE="EQ"/>{ratio}</FORMULA>.</P>'
    assert formex(formula) == [(None, "where a = b/c.")]
    codes = '<P>CN <FT TYPE="CN">02071210</FT>, <FT TYPE="DECIMAL">1234,5678</FT>, <FT TYPE="CODE">1234</FT></P>'
    assert formex(codes) == [(None, "CN 0207 12 10, 1 234,5678, 1234")]


def test_digits_are_grouped_and_otherwise_unchanged() -> None:
    numbers = "".join(f'<FT TYPE="NUMBER">{number}</FT>; ' for number in ("0001234", "123456", "١٢٣٤", "1" * 30))
    grouped = " ".join(["111"] * 10)
    assert formex(f"<P>{numbers}</P>") == [(None, f"0 001 234; 123 456; ١٢٣٤; {grouped};")]


def test_groups_that_enclose_articles_are_divisions_and_a_second_document_is_attached() -> None:
    group = "<GR.SEQ><TITLE><TI><P>Part {0}</P></TI></TITLE>{1}</GR.SEQ>"
    article = "<ARTICLE><TI.ART>Article 1</TI.ART><ALINEA>x</ALINEA></ARTICLE>"
    found = formex(group.format("A", article) + group.format("B", f"<QUOT.S>{article}</QUOT.S>"), "ANNEX")
    assert found[:2] == [("division", "Part A"), ("article", "Article 1")]
    assert found[3:5] == [("group", "Part B"), ("quoted", "Article 1")]
    agreement = ACT.replace("ACT", "AGR")
    attached = read_formex_parts({"1.xml": ACT.encode(), "2.xml": agreement.encode()}).blocks
    assert [block.role for block in attached].count(Role.TITLE) == 3
    assert [block.text for block in attached if block.role is Role.ANNEX] == ["COMMISSION REGULATION (EU) 2024/9001"]


# --- tables, their notes, and headings in annexes --------------------------------------------------------------


def leveled(inside: str) -> list[tuple[str | None, int, str]]:
    blocks = read_formex(f"<ANNEX>{inside}</ANNEX>".encode()).blocks
    return [(block.role and block.role.value, block.level, block.text) for block in blocks]


def row(*cells: str) -> str:
    return "<ROW>" + "".join(f'<CELL COL="{n}">{cell}</CELL>' for n, cell in enumerate(cells, 1)) + "</ROW>"


def tbl(*rows: str, before: str = "") -> str:
    return f"<TBL>{before}<CORPUS>{''.join(rows)}</CORPUS></TBL>"


def test_cells_stay_in_their_columns_beside_empty_and_spanning_ones() -> None:
    spans = '<ROW><CELL COL="1" ROWSPAN="2">Hive</CELL><CELL COL="2" COLSPAN="2">Fees</CELL></ROW>'
    second = '<ROW><CELL COL="2">small</CELL><CELL COL="3">large</CELL></ROW>'
    block = '<BLK><TI.BLK COL.START="2" COL.END="3">In towns</TI.BLK></BLK>'
    named = '<ROW><CELL NAMEST="col1" NAMEEND="col2">wide</CELL><CELL>last</CELL></ROW>'
    assert leveled(tbl(spans, second, block, row("Roof", "", "5"), row("", "", ""), named)) == [
        ("table", 1, "Hive\tFees"),
        ("table", 1, "\tsmall\tlarge"),
        ("table", 1, "\tIn towns"),
        ("table", 1, "Roof\t\t5"),
        ("table", 1, "wide\t\tlast"),
    ]
    uncounted = '<ROW><CELL ROWSPAN="2">a</CELL><CELL>b</CELL></ROW><ROW><CELL>c</CELL></ROW>'
    assert [text for *_, text in leveled(tbl(uncounted))] == ["a\tb", "\tc"]
    absurd = '<ROW><CELL COL="99999999">a</CELL><CELL COL="1" COLSPAN="9999">b</CELL><CELL COL="1">c</CELL></ROW>'
    assert [text.split() for *_, text in leveled(tbl(absurd))] == [["a", "b", "c"]]


def test_each_table_has_a_number_that_its_caption_shares() -> None:
    caption = "<TITLE><TI><P>Table A</P></TI><STI><P>Fees</P></STI></TITLE>"
    assert leveled(tbl(row("a", "b"), before=caption) + tbl(row("c", "d"))) == [
        ("table", 1, "Table A"),
        ("table", 1, "Fees"),
        ("table", 1, "a\tb"),
        ("table", 2, "c\td"),
    ]
    points = tbl(row("(a)", "bees;"), row("(b)", "wasps."), before=caption)
    assert [text for *_, text in leveled(points)] == ["Table A", "Fees", "(a)", "bees;", "(b)", "wasps."]


def test_a_table_in_a_cell_follows_the_row_and_a_box_around_a_text_is_the_text() -> None:
    inner = tbl(row("w", "x"), row("y", "z"))
    assert leveled(tbl(row("a", f"<P>b</P>{inner}"), row("c", tbl(row("d", "e"))))) == [
        ("table", 1, "a\tb"),
        ("table", 2, "w\tx"),
        ("table", 2, "y\tz"),
        ("table", 1, "c\td e"),
    ]
    words = "Bees live here. " * 20
    assert leveled(tbl(row(f"<P>{words}</P><P>End.</P>"))) == [(None, 0, words.strip()), (None, 0, "End.")]


def test_notes_of_a_table_follow_it_with_the_number_of_the_table() -> None:
    listed = (
        "<GR.NOTES><GR.ANNOTATION><ANNOTATION><P>Source: hives.</P></ANNOTATION></GR.ANNOTATION>"
        '<NOTE NOTE.ID="E1" TYPE="TABLE"><P>Only:</P><LIST TYPE="DASH"><ITEM><P>bees.</P></ITEM></LIST>'
        "<NP><NO.P>(a)</NO.P><TXT>wild.</TXT></NP><TBL><CORPUS><ROW><CELL>x</CELL><CELL>y</CELL></ROW></CORPUS></TBL>"
        "</NOTE></GR.NOTES>"
    )
    called = (
        '<CELL COL="1">n<NOTE NOTE.REF="E1" TYPE="TABLE"/><NOTE NOTE.ID="E2" TYPE="TABLE"><P>Inline.</P></NOTE></CELL>'
    )
    table = tbl(f'<ROW>{called}<CELL COL="2">m</CELL></ROW>', before=listed)
    after = "<GR.SEQ><TITLE><TI><P>Part B</P></TI></TITLE><NP><NO.P>1.</NO.P><TXT>Text.</TXT></NP></GR.SEQ>"
    assert leveled(f"<P>See<NOTE><P>OJ.</P></NOTE>:</P>{table}{after}") == [
        (None, 0, "See (1):"),
        ("table", 1, "n (1) (2)\tm"),
        ("note", 1, "Source: hives."),
        ("note", 1, "(1) Only:"),
        ("note", 1, "— bees."),
        ("note", 1, "(a) wild."),
        ("note", 1, "x y"),
        ("note", 1, "(2) Inline."),
        ("group", 1, "Part B"),
        (None, 0, "1."),
        (None, 0, "Text."),
        ("note", 0, "(1) OJ."),
    ]


def test_annotations_below_a_table_are_notes_not_points() -> None:
    notes = (
        "<GR.ANNOTATION><TITLE><TI><P>Notes:</P></TI></TITLE><ANNOTATION><NP><NO.P>(1)</NO.P><TXT>Bees.</TXT>"
        "<P>Also wild ones.</P></NP></ANNOTATION></GR.ANNOTATION>"
    )
    assert leveled(tbl(row("a", "b")) + notes)[1:] == [
        ("note", 1, "Notes:"),
        ("note", 1, "(1) Bees."),
        ("note", 1, "Also wild ones."),
    ]


def test_headings_in_annexes_have_a_depth_and_share_a_line_with_their_number() -> None:
    inner = "<GR.SEQ><NO.GR.SEQ>1.</NO.GR.SEQ><TITLE><TI><P>Roofs</P></TI></TITLE><P>Flat.</P></GR.SEQ>"
    point = "<GR.SEQ><NO.GR.SEQ>2.</NO.GR.SEQ><P>Steep.</P></GR.SEQ>"
    title = "<TITLE><TI><P>Part I</P></TI><STI><P>Hives</P><P>(Article 2)<NOTE><P>N.</P></NOTE></P></STI></TITLE>"
    quoted = "<QUOT.S><GR.SEQ><TITLE><TI><P>Part X</P></TI></TITLE></GR.SEQ></QUOT.S>"
    assert leveled(f"<GR.SEQ>{title}{inner}{point}{quoted}</GR.SEQ>") == [
        ("group", 1, "Part I Hives (Article 2) (1)"),
        ("group", 2, "1. Roofs"),
        (None, 0, "Flat."),
        (None, 0, "2. Steep."),
        ("quoted", 0, "Part X"),
        ("note", 0, "(1) N."),
    ]


def test_an_annex_continues_after_the_notes_of_its_tables() -> None:
    notes = '<GR.NOTES><NOTE NOTE.ID="E1" TYPE="TABLE"><P>Without tax.</P></NOTE></GR.NOTES>'
    table = tbl(row("Size", "Fee"), row("5 cm", "EUR 5"), before=notes)
    part = "<GR.SEQ><TITLE><TI><P>Part {}</P></TI></TITLE><NP><NO.P>1.</NO.P><TXT>Metal labels.</TXT></NP>{}</GR.SEQ>"
    annexes = {
        f"{name}.xml": f"<ANNEX><TITLE><TI><P>ANNEX {name}</P></TI></TITLE><CONTENTS>{text}</CONTENTS></ANNEX>".encode()
        for name, text in {"I": part.format("A", table) + part.format("B", table), "II": f"<P>Fees.</P>{table}"}.items()
    }
    act = read_provisions(read_formex_parts({"0.xml": ACT.encode(), **annexes}), load("en"))
    assert [(section.kind, section.number) for section in act.sections][-3:] == [
        ("notes", ""),
        ("annex", "I"),
        ("annex", "II"),
    ]
    assert [unit.kind for unit in act.sections[-1].units] == ["paragraph", "table", "note"]
    assert not any("~" in unit.id for unit in act.units)
    assert_laws(act)


# --- acts no longer in force ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "repealed"),
    [
        ('END="REPEALED" END.DATE="99999999" SOURCE.END="32024R9002"', "Regulation (EU) 2024/9002 of 1 May 2024"),
        ('END="REPEALED" END.DATE="99999999" SOURCE.END="32024R9009"', "32024R9009"),
        ('END="REPEALED" END.DATE="99999999"', ""),
        ('END="REPEALED" END.DATE="20240501" SOURCE.END="32024R9002"', None),
        ('END="NONE" END.DATE="99999999"', None),
    ],
)
def test_a_consolidated_text_says_what_repealed_the_act(state: str, repealed: str | None) -> None:
    family = (
        "<FAM.COMP><BIB.DATA><NO.CELEX>32024R9001</NO.CELEX></BIB.DATA><BIB.DATA><NO.CELEX>32024R9002</NO.CELEX>"
        "<TITLE><TI><P>Regulation (EU) 2024/9002</P><P>of <DATE>1 May 2024</DATE></P><P>on bees</P></TI></TITLE>"
        "</BIB.DATA></FAM.COMP>"
    )
    text = f"<CONS.ACT><INFO.CONSLEG {state}/>{family}<P>Text.</P></CONS.ACT>"
    document = read_formex(text.encode())
    assert document.repealed == repealed
    assert lines(document.blocks) == [(None, "Text.")]


@pytest.mark.data
def test_hard_acts_that_are_no_longer_in_force_are_marked_as_repealed(data: Path) -> None:
    repealed: dict[str, str] = {}
    for folder in sorted((data / "acts" / "hard").glob("*/*/*.fmx4")):
        document = read_formex_parts({path.name: path.read_bytes() for path in folder.glob("*.xml")})
        if document.repealed is not None:
            repealed["/".join(folder.parts[-3:])] = document.repealed
    expected = {"32001R0044/2015-01-10": "1215/2012", "32014R1030/2021-06-28": "2021/1018"}
    assert set(repealed) == {f"{place}/{language}.fmx4" for place in expected for language in ("en", "fr")}
    assert all(expected[place[:21]] in name for place, name in repealed.items())


# --- nothing is lost --------------------------------------------------------------------------------------

TAGS = sorted(
    names("""P NP NO.P TXT LIST ITEM DLIST DLIST.ITEM PREFIX TERM DEFINITION TBL CORPUS BLK ROW CELL TI.BLK
    STI.BLK GR.NOTES GR.ANNOTATION ANNOTATION QUOT.S ARTICLE TI.ART STI.ART PARAG NO.PARAG ALINEA DIVISION TITLE TI
    STI GR.SEQ NO.GR.SEQ HT
    DATE FT NOTE TOC TOC.ITEM NO.ITEM ITEM.CONT SIGNATURE SIGNATORY FINAL ANNEX CONTENTS FORMULA EXPR MARGIN
    INCL.ELEMENT NO.DOC.C QUOT.START UNKNOWN""")
)
TREES: st.SearchStrategy[Any] = st.recursive(
    st.tuples(st.sampled_from(TAGS), st.just([])),
    lambda deeper: st.tuples(st.sampled_from(TAGS), st.lists(deeper, max_size=4)),
    max_leaves=25,
)


def spell(tree: tuple[str, list[Any]], words: Iterator[int], bare: Iterator[bool]) -> str:
    """Write a tree as XML with a unique word in every possible place."""

    def word() -> str:
        return "" if next(bare) else f" q{next(words)}z "

    tag, children = tree
    inside = word() + "".join(spell(child, words, bare) + word() for child in children)
    attribute = {"HT": ' TYPE="UC"', "LIST": ' TYPE="DASH"', "FT": ' TYPE="NUMBER"'}.get(tag, "")
    return f"<{tag}{attribute}>{inside}</{tag}>"


@settings(deadline=None)
@given(TREES, st.lists(st.booleans(), min_size=1))
def test_every_word_occurs_once(tree: tuple[str, list[Any]], bare: list[bool]) -> None:
    text = spell(tree, iter(range(10**6)), iter(bare * 1000))
    expected = re.findall(r"q\d+z", text)
    try:
        blocks = read_formex(f"<CONS.ACT>{text}</CONS.ACT>".encode()).blocks
    except ReadingError:
        assert not expected
        return
    shown = " ".join(block.text for block in blocks).lower().replace(" ", "_")
    assert Counter(re.findall(r"q\d+z", shown)) == Counter(expected)
    assert all(block.text == block.text.strip(" ") and "\n" not in block.text for block in blocks)


# --- untrusted files --------------------------------------------------------------------------------------


def test_an_entity_bomb_is_refused_before_it_expands() -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE ACT [<!ENTITY e0 "boom">{entities}]><ACT a="&e11;"><P>&e11;</P></ACT>'
    assert lines(read_formex(b"<!DOCTYPE ACT []><ACT><P>text</P></ACT>").blocks) == [(None, "text")]
    for data in (
        bomb.encode(),
        bomb.encode("utf-16"),
        b'<?xml version="1.0" encoding="cp1252"?>' + bomb.encode(),
    ):
        with pytest.raises(ReadingError):
            read_formex(data)


def test_files_named_by_a_document_are_never_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    for entity in (
        f'<!ENTITY x SYSTEM "{secret.as_uri()}">',
        f'<!ENTITY % x SYSTEM "{secret.as_uri()}"> %x;',
    ):
        with pytest.raises(ReadingError):
            parse_xml(f"<!DOCTYPE a [{entity}]><a>&x;</a>".encode())
    dtd = tmp_path / "act.dtd"
    dtd.write_text('<!ATTLIST a leaked CDATA "yes"><!ENTITY x "leaked">')
    root = parse_xml(f'<!DOCTYPE a SYSTEM "{dtd.as_uri()}"><a>&x; &nbsp;&agrave;&lt;</a>'.encode())
    assert (root.attrib.items(), squeeze(root.text or "")) == ([], "&x; à<")


def test_named_references_are_characters_except_in_comments_and_cdata() -> None:
    root = parse_xml(b'<a b="&nbsp;"><!-- &eacute; -->&eacute;<![CDATA[&eacute;]]>&amp;&#233;</a>')
    assert (root.text, root.get("b")) == ("é&eacute;&é", "\u00a0")


@pytest.mark.parametrize("cut", [60, 500, 2000, len(ACT) - 3])
def test_a_truncated_file_is_refused_with_the_line(cut: int) -> None:
    with pytest.raises(ReadingError) as error:
        read_formex(ACT.encode()[:cut])
    assert str(1 + ACT.encode()[:cut].count(b"\n")) in str(error.value)


def test_nesting_has_a_limit() -> None:
    def nested(depth: int) -> bytes:
        return b"<P>" * depth + b"x" + b"</P>" * depth

    assert lines(read_formex(nested(256)).blocks) == [(None, "x")]
    for depth in (257, 3_000, 200_000):
        with pytest.raises(ReadingError) as error:
            read_formex(nested(depth))
        assert "256" in str(error.value)


def test_a_large_file_is_read() -> None:
    assert len(read_formex(b"<ACT>" + b"<P>some text of an act</P>" * 100_000 + b"</ACT>").blocks) == 100_000


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", [b"<!-- ", b"<![CDATA[", b"&nbsp", b"<?x "])
def test_unterminated_constructs_take_linear_time(piece: bytes) -> None:
    with pytest.raises(ReadingError):
        parse_xml(b"<ACT>" + piece * 1_000_000)


@pytest.mark.parametrize(
    "data", [b"", b"   ", b"plain text", b"<a/>", b"<ACT><P> </P></ACT>", b"\xff\xfe<", b"%PDF-1.7"]
)
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(ReadingError):
        read_formex(data)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_garbage_is_refused(data: bytes) -> None:
    for read in (read_formex, read_formex_zip):
        with pytest.raises(ReadingError):
            read(data)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([ACT, ANNEX, DOC]), st.integers(0, 5000), st.integers(0, 40), st.binary(max_size=12))
def test_a_damaged_file_is_read_or_refused(text: str, start: int, length: int, put: bytes) -> None:
    data = text.encode()
    try:
        document = read_formex(data[:start] + put + data[start + length :])
    except ReadingError as error:
        assert "\n" not in str(error)
    else:
        assert document.blocks


# --- untrusted ZIP files ----------------------------------------------------------------------------------


def test_a_zip_bomb_is_refused() -> None:
    bomb = packed({"act.xml": "<ACT>" + " " * 20_000_000 + "</ACT>"})
    with pytest.raises(ReadingError) as error:
        read_formex_zip(bomb)
    assert "'act.xml'" in str(error.value)
    with pytest.raises(ReadingError) as error:
        read_formex_zip(packed({f"{n}.xml": "<A/>" for n in range(MAX_MEMBERS + 1)}))
    assert str(MAX_MEMBERS) in str(error.value)


def test_the_declared_sizes_have_a_limit() -> None:
    data = bytearray(packed({"act.xml": ACT}, zipfile.ZIP_STORED))
    directory = data.index(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (250_000_000).to_bytes(4, "little")
    with pytest.raises(ReadingError) as error:
        read_formex_zip(bytes(data))
    assert "200 MB" in str(error.value)


def test_a_member_larger_than_declared_is_refused() -> None:
    data = bytearray(packed({"act.xml": ACT}))
    directory = data.index(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (100).to_bytes(4, "little")
    with pytest.raises(ReadingError):
        read_formex_zip(bytes(data))


@pytest.mark.parametrize("name", ["../act.xml", "/etc/act.xml", "a/../../act.xml", "..\\act.xml", "C:\\act.xml"])
def test_a_member_outside_the_zip_is_refused(name: str) -> None:
    with pytest.raises(ReadingError) as error:
        read_formex_zip(packed({name: ACT}))
    assert repr(name) in str(error.value)


def test_an_encrypted_or_damaged_or_empty_zip_is_refused() -> None:
    data = packed({"act.xml": ACT})
    locked = bytearray(data)
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(signature) + at] |= 1
    for broken in (
        bytes(locked),
        data[:100] + b"\x00\x00\x00\x00" + data[104:],
        packed({"readme.txt": "x"}),
    ):
        with pytest.raises(ReadingError):
            read_formex_zip(broken)


# --- the same act in HTML ---------------------------------------------------------------------------------

DATA = os.environ.get("LEXLATTICE_DATA")
HTML = "{http://www.w3.org/1999/xhtml}"
NO_PREAMBLE = {"32004L0048-en"}  # where the HTML leaves the preamble out
APPARATUS = {"reference", "disclaimer", "hd-modifiers", "arrow", "modref", "title-doc-oj-reference"}


def consolidated() -> list[Path]:
    return sorted(path for path in Path(DATA or "").glob("acts/raw/*/*/*.fmx4") if path.with_suffix(".html").exists())


def html_paragraphs(page: Path) -> list[str]:
    """The paragraphs of EUR-Lex's consolidated HTML as a reader sees them, with list markers separate."""
    found = Lines()

    def is_line(node: etree._Element) -> bool:
        name = str(node.tag).removeprefix(HTML)
        return name in {"p", "div", "table", "tr", "td"} and "tbl-" not in node.get("class", "")

    def enter(node: etree._Element) -> bool:
        style = node.get("class", "")
        goes_on = "inline-element" in style and found.held
        if (is_line(node) and not goes_on) or style == "no-parag" or "word-spacing" in node.get("style", ""):
            found.end(None)
        if not isinstance(node.tag, str) or style in APPARATUS:
            return False
        found.write(node.text)
        return True

    def leave(node: etree._Element) -> None:
        if node.get("class") == "no-parag":
            found.hold()
        elif is_line(node):
            found.end(None)
        found.write(node.tail)

    body = parse_xml(page.read_bytes()).find(f"{HTML}body")
    assert body is not None
    traverse(body, enter, leave)
    return [block.text for block in found.blocks]


def comparable(text: str) -> str:
    """Remove what only typography adds: spaces, and the marks of amendments."""
    return re.sub(r"►\w+|◄|\s", "", text)


def unnumbered(note: str) -> str:
    return re.sub(r"^\(\*?\d*\)", "", note)


FOLDERS = consolidated() or [Path("acts/raw/CELEX/DATE/en.fmx4")]


@pytest.mark.data
@pytest.mark.skipif(DATA is None, reason="LEXLATTICE_DATA does not name the data folder")
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_formex_and_html_of_the_same_text_have_the_same_lines(folder: Path) -> None:
    document = read_formex_parts({path.name: path.read_bytes() for path in folder.glob("*.xml")})
    assert normalize_celex(document.celex or "").act == folder.parts[-3]
    assert document.language == folder.stem
    cells = [cell for block in document.blocks for cell in block.text.split("\t")]
    ours = [line for line in map(comparable, cells) if re.search(r"\w", line)]
    page = html_paragraphs(folder.with_suffix(".html"))
    theirs = [line for line in map(comparable, page) if re.search(r"\w", line)]
    start = next(n for n, line in enumerate(theirs) if line == ours[0] and n > 3)
    theirs = theirs[start:]
    notes = {unnumbered(comparable(block.text)) for block in document.blocks if block.role is Role.NOTE}
    assert notes <= set(map(unnumbered, theirs))  # there they come last, and those of quotations here with these
    ours, theirs = ([line for line in found if unnumbered(line) not in notes] for found in (ours, theirs))
    same = sum(block.size for block in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks())
    assert same / len(theirs) > 0.997  # the number and the title of a heading in an annex are two lines there
    if f"{folder.parts[-3]}-{document.language}" not in NO_PREAMBLE:
        assert same / len(ours) > 0.997
