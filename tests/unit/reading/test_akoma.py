"""Akoma Ntoso. The regulation on beehives in here is invented."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexlattice.errors import ReadingError
from lexlattice.reading.formats.akoma import read_akoma
from lexlattice.reading.formats.xmlsafe import names

AKN3 = "http://docs.oasis-open.org/legaldocml/ns/akn/3.0"
META = """<meta><identification source="#x"><FRBRWork><FRBRalias name="celex" value="celex:32024R9001"/>
<FRBRnumber value="9001"/></FRBRWork><FRBRExpression><FRBRlanguage language="eng"/></FRBRExpression>
</identification></meta>"""
ACT = f"""<?xml version="1.0" encoding="UTF-8"?>
<akomaNtoso xmlns="{AKN3}"><act name="REG">{META}
<coverPage><p>EN</p></coverPage>
<preface><longTitle><p><docStage>Proposal for a</docStage> <docType>REGULATION</docType>
<docNumber>(EU) 2024/9001</docNumber> <docPurpose>on urban beehives</docPurpose></p></longTitle></preface>
<preamble><formula name="actingEntity"><p>THE COUNCIL,</p></formula>
<citations><citation><p>Having regard to the Treaty<authorialNote marker="(1)" placement="bottom"><p>OJ L 450,
16.12.2021, p. 12.</p></authorialNote>,</p></citation></citations>
<recitals><intro><p>Whereas:</p></intro><recital><num>(1)</num><p>Bees <b>matter</b>,</p></recital></recitals>
<formula name="enacting"><p>HAS ADOPTED THIS REGULATION:</p></formula></preamble>
<body><chapter><num>CHAPTER I</num><heading>GENERAL</heading>
<article eId="art_1"><num>Article 1</num><heading>Scope</heading>
<paragraph><num>1.</num><list><intro><p>This Regulation applies to:</p></intro>
<point><num>(a)</num><content><p>hives<del>, wasps</del><ins> and bees</ins>;</p></content></point>
<point><num>(b)</num><list><intro><p>roofs:</p></intro><indent><num>—</num><content><p>flat.</p></content></indent>
</list></point><wrapUp><p>It applies in towns.</p></wrapUp></list></paragraph>
<paragraph><num>2.</num><subparagraph><content><p>First.</p></content></subparagraph>
<subparagraph><content><p>Second.</p></content></subparagraph></paragraph></article>
<article eId="art_2"><num>Article 2</num><heading>Amendments</heading><paragraph><content>
<p>Article 3 is replaced by: <mod><quotedStructure startQuote="‘" endQuote="’"><article><num>Article 3</num>
<heading>Label</heading><paragraph><num>1.</num><content><p>New.</p></content></paragraph></article>
</quotedStructure>;</mod></p>
<p>in Article 4, <mod><quotedText startQuote="‘" endQuote="’">bee</quotedText> is replaced by:</mod></p>
<p><mod><quotedText startQuote="‘" endQuote="’">wasp</quotedText>.</mod></p></content></paragraph></article>
</chapter></body>
<conclusions><p>Done at <location>Brussels</location>, <date date="2024-03-12">12 March 2024</date>.</p>
<block name="signatory"><signature><organization>For the Council</organization><role>The President</role>
<person>Maria EXAMPLE</person></signature></block></conclusions>
<attachments><attachment><doc name="ANNEX"><preface><p>ANNEX I</p><p>REQUIREMENTS</p></preface>
<mainBody><toc><tocItem level="1" href="#x">1. Introduction</tocItem></toc>
<level><num>1.</num><heading>Introduction</heading>
<content><p>Text<authorialNote><p>A note.</p></authorialNote>.</p></content></level>
<paragraph><num>2.</num><content><p>Fees:</p>
<table><caption>Table 1</caption><tr><th><p>Size</p></th><th><p>Fee</p></th></tr><tr><td><p>5 cm</p></td>
<td><p>EUR 5</p></td></tr></table></content></paragraph>
<ul><li>light,</li><li><p>heavy.</p></li></ul></mainBody></doc></attachment>
<attachment><heading>ANNEX II</heading><doc name="ANNEX"><mainBody><p>Last.</p></mainBody></doc></attachment>
<attachment><documentRef href="annex3.xml" showAs="Annex III"/></attachment></attachments>
</act></akomaNtoso>"""


def lines(xml: str) -> list[tuple[str | None, str]]:
    return [(block.role and block.role.value, block.text) for block in read_akoma(xml.encode()).blocks]


def akoma(inside: str, around: str = "body") -> list[tuple[str | None, str]]:
    return lines(f'<akomaNtoso xmlns="{AKN3}"><act><{around}>{inside}</{around}></act></akomaNtoso>')


def test_an_act_has_the_lines_of_the_official_journal() -> None:
    document = read_akoma(ACT.encode())
    assert (document.format, document.celex, document.language) == ("akoma-ntoso", "32024R9001", "en")
    (warning,) = document.warnings
    assert "Annex III" in warning
    assert lines(ACT) == [
        ("page", "EN"),
        ("title", "Proposal for a"),
        ("title", "REGULATION (EU) 2024/9001"),
        ("title", "on urban beehives"),
        (None, "THE COUNCIL,"),
        (None, "Having regard to the Treaty (1),"),
        (None, "Whereas:"),
        (None, "(1)"),
        (None, "Bees matter,"),
        (None, "HAS ADOPTED THIS REGULATION:"),
        ("division", "CHAPTER I"),
        ("heading", "GENERAL"),
        ("article", "Article 1"),
        ("heading", "Scope"),
        (None, "1. This Regulation applies to:"),
        (None, "(a)"),
        (None, "hives and bees;"),
        (None, "(b)"),
        (None, "roofs:"),
        (None, "—"),
        (None, "flat."),
        (None, "It applies in towns."),
        (None, "2. First."),
        (None, "Second."),
        ("article", "Article 2"),
        ("heading", "Amendments"),
        (None, "Article 3 is replaced by:"),
        ("quoted", "‘Article 3"),
        ("quoted", "Label"),
        ("quoted", "1. New.’;"),
        (None, "in Article 4, ‘bee’ is replaced by:"),
        ("quoted", "‘wasp’."),
        ("signature", "Done at Brussels, 12 March 2024."),
        ("signature", "For the Council"),
        ("signature", "The President"),
        ("signature", "Maria EXAMPLE"),
        ("note", "(1) OJ L 450, 16.12.2021, p. 12."),
        ("annex", "ANNEX I"),
        ("heading", "REQUIREMENTS"),
        ("contents", "1. Introduction"),
        ("group", "1. Introduction"),
        (None, "Text (1)."),
        (None, "2. Fees:"),
        ("table", "Table 1"),
        ("table", "Size\tFee"),
        ("table", "5 cm\tEUR 5"),
        (None, "—"),
        (None, "light,"),
        (None, "—"),
        (None, "heavy."),
        ("note", "(1) A note."),
        ("annex", "ANNEX II"),
        (None, "Last."),
    ]


@pytest.mark.parametrize(
    "namespace",
    ["http://www.akomantoso.org/2.0", "http://docs.oasis-open.org/legaldocml/ns/akn/3.0/CSD13", ""],
)
def test_any_namespace_and_prefix_is_accepted(namespace: str) -> None:
    assert lines(ACT.replace(AKN3, namespace)) == lines(ACT)
    prefixed = re.sub(r"<(/?)(?=[a-zA-Z])", r"<\1an:", ACT).replace("xmlns=", "xmlns:an=")
    assert lines(prefixed) == lines(ACT)


def test_headings_without_articles_under_them_are_left_to_the_parser() -> None:
    section = "<section><num>Section 1</num><heading>Bees</heading>{}</section>"
    assert akoma(section.format("<p>x</p>"))[:2] == [(None, "Section 1"), (None, "Bees")]
    article = "<article><num>Article 1</num><p>x</p></article>"
    expected = [("division", "Section 1"), ("heading", "Bees"), ("article", "Article 1")]
    assert akoma(section.format(article))[:3] == expected
    assert akoma(f"<chapter><heading>ONLY</heading>{article}</chapter>")[0] == ("division", "ONLY")


def test_headings_in_an_annex_have_their_depth_and_tables_their_columns() -> None:
    inner = "<section><num>1.</num><heading>Bees</heading><subheading>(wild)</subheading><p>x</p></section>"
    part = f"<part><num>PART A</num><heading>Hives</heading>{inner}<point><num>(a)</num><p>y</p></point></part>"
    rows = '<tr><td rowspan="2">a</td><td colspan="2">b</td><td>c</td></tr><tr><td/><td>d</td><td>e</td></tr>'
    annex = f"<heading>ANNEX</heading><doc><mainBody>{part}<table>{rows}</table></mainBody></doc>"
    act = f"<body><p>x</p></body><attachments><attachment>{annex}</attachment></attachments>"
    found = read_akoma(f'<akomaNtoso xmlns="{AKN3}"><act>{act}</act></akomaNtoso>'.encode()).blocks
    assert [(block.role and block.role.value, block.level, block.text) for block in found[2:]] == [
        ("group", 1, "PART A Hives"),
        ("group", 2, "1. Bees (wild)"),
        (None, 0, "x"),
        (None, 0, "(a)"),
        (None, 0, "y"),
        ("table", 1, "a\tb\t\tc"),
        ("table", 1, "\t\td\te"),
    ]


def test_every_line_of_a_note_is_a_note() -> None:
    table, point = "<table><tr><td>a</td><td>b</td></tr></table>", "<point><num>(a)</num><p>c</p></point>"
    inside = f"<p>One.</p><ul><li>Two.</li></ul>{table}{point}"
    assert akoma(f"<p>x<authorialNote>{inside}</authorialNote></p>") == [
        (None, "x (1)"),
        ("note", "(1) One."),
        ("note", "— Two."),
        ("note", "a b"),
        ("note", "(a) c"),
    ]


def test_lists_may_state_their_numbers_or_leave_them_to_the_browser() -> None:
    inside = "<listIntroduction>Of:</listIntroduction><item><num>(a)</num><p>bees;</p></item>"
    assert akoma(f"<blockList>{inside}</blockList>") == [(None, "Of:"), (None, "(a)"), (None, "bees;")]
    assert akoma("<ol><li>one</li><li>two</li></ol>") == [(None, text) for text in ("1.", "one", "2.", "two")]
    table = "<table><tr><td>(a)</td><td>bees</td></tr><tr><td>(b)</td><td>wasps</td></tr></table>"
    assert akoma(table) == [(None, text) for text in ("(a)", "bees", "(b)", "wasps")]


def test_a_note_can_be_referenced_twice() -> None:
    notes = '<p>a<authorialNote eId="fn_1"><p>note</p></authorialNote> b<noteRef href="#fn_1"/></p>'
    assert akoma(notes) == [(None, "a (1) b (1)"), ("note", "(1) note")]


def test_a_quoted_point_keeps_its_quotation_mark() -> None:
    point = "<point><num>(a)</num><content><p>bees;</p></content></point>"
    quoted = f'<p>replace:</p><quotedStructure startQuote="“" endQuote="”">{point}</quotedStructure>'
    assert akoma(quoted) == [(None, "replace:"), ("quoted", "“(a)"), ("quoted", "bees;”")]
    empty = '<p>a <quotedText startQuote="‘" endQuote="’"/> b</p><quotedStructure startQuote="‘" endQuote="’"/>'
    assert akoma(empty + "<p>c</p>")[0] == (None, "a b")


def test_in_a_collection_the_first_document_is_the_act() -> None:
    part = "<component><doc><preface><p>{}</p></preface><mainBody><p>x</p></mainBody></doc></component>"
    inside = "<components>" + part.format("REGULATION") + part.format("ANNEX") + "</components>"
    found = lines(f'<akomaNtoso xmlns="{AKN3}"><documentCollection>{inside}</documentCollection></akomaNtoso>')
    assert found == [("title", "REGULATION"), (None, "x"), ("annex", "ANNEX"), (None, "x")]


@pytest.mark.parametrize(
    ("code", "language"),
    [("eng", "en"), ("EN", "en"), ("gre", "el"), ("slv", "sl"), ("fr-FR", "fr"), ("", None)],
)
def test_language_codes_of_two_and_three_letters_are_accepted(code: str, language: str | None) -> None:
    assert read_akoma(ACT.replace('"eng"', f'"{code}"').encode()).language == language


@pytest.mark.parametrize(
    ("alias", "celex"), [("32024R9001", "32024R9001"), ("COM(2025) 162", None), ("/eli/reg/2024/9001", None)]
)
def test_only_a_celex_number_is_read_as_one(alias: str, celex: str | None) -> None:
    assert read_akoma(ACT.replace("celex:32024R9001", alias).encode()).celex == celex


# --- nothing is lost --------------------------------------------------------------------------------------

TAGS = sorted(
    names("""p num heading subheading content intro wrapUp article paragraph subparagraph point indent
    alinea list item blockList listIntroduction li ol ul quotedStructure quotedText mod ins table
    caption tr td th toc tocItem recital citation chapter section level preface longTitle docTitle
    docPurpose conclusions signature person role attachments attachment component doc mainBody
    authorialNote b sup span ref unknown""")
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
    quotes = ' startQuote="‘" endQuote="’"' if tag.startswith("quoted") else ""
    return f"<{tag}{quotes}>{inside}</{tag}>"


@settings(deadline=None)
@given(TREES, st.lists(st.booleans(), min_size=1))
def test_every_word_occurs_once(tree: tuple[str, list[Any]], bare: list[bool]) -> None:
    text = spell(tree, iter(range(10**6)), iter(bare * 1000))
    expected = re.findall(r"q\d+z", text)
    try:
        found = akoma(text)
    except ReadingError:
        assert not expected
        return
    assert Counter(re.findall(r"q\d+z", " ".join(line for _, line in found))) == Counter(expected)
    assert all(line == line.strip(" ") and "\n" not in line for _, line in found)


# --- untrusted files --------------------------------------------------------------------------------------


def test_entities_are_refused_and_files_are_never_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    bomb = '<!ENTITY a "boom"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    for declared in (bomb, f'<!ENTITY b SYSTEM "{secret.as_uri()}">'):
        with pytest.raises(ReadingError):
            read_akoma(f"<!DOCTYPE akomaNtoso [{declared}]><akomaNtoso><p>&b;</p></akomaNtoso>".encode())


@pytest.mark.parametrize("data", [b"", b"<akomaNtoso/>", ACT.encode()[:-20], ACT.encode()[:900], b"text"])
def test_other_and_truncated_files_are_refused(data: bytes) -> None:
    with pytest.raises(ReadingError):
        read_akoma(data)


def test_nesting_has_a_limit() -> None:
    with pytest.raises(ReadingError) as error:
        read_akoma(b"<section>" * 300 + b"x" + b"</section>" * 300)
    assert "256" in str(error.value)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_garbage_is_refused(data: bytes) -> None:
    with pytest.raises(ReadingError):
        read_akoma(data)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 5000), st.integers(0, 40), st.binary(max_size=12))
def test_a_damaged_file_is_read_or_refused(start: int, length: int, put: bytes) -> None:
    data = ACT.encode()
    try:
        document = read_akoma(data[:start] + put + data[start + length :])
    except ReadingError as error:
        assert "\n" not in str(error)
    else:
        assert document.blocks
