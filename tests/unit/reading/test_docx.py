"""Reading DOCX. Every file is built by its test, with python-docx or from raw WordprocessingML."""

from __future__ import annotations

import io
import sys
import zipfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.laws import assert_laws
from lexlattice import read
from lexlattice.act.remarks import code_of, values_of
from lexlattice.errors import MissingExtraError, ReadingError
from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.formats.docx import read_docx

docx = pytest.importorskip("docx")

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
NAMESPACES = (
    f'xmlns:w="{W}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPES = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def package(body: str, prolog: str = "", **parts: str) -> bytes:
    """Zip a document whose body is the given XML, with other parts (numbering, footnotes…) by name."""
    overrides = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{TYPES}.{name.rstrip("123")}+xml"/>' for name in parts
    )
    links = "".join(
        f'<Relationship Id="{name}" Type="{RELATIONS}/{name.rstrip("123")}" Target="{name}.xml"/>' for name in parts
    )
    files = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{TYPES}.document.main+xml"/>'
        f"{overrides}</Types>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="d" '
        f'Type="{RELATIONS}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{links}</Relationships>',
        "word/document.xml": f"{prolog}<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
    }
    roots = {"styles": "styles", "numbering": "numbering", "footnotes": "footnotes", "endnotes": "endnotes"}
    for name, content in parts.items():
        root = roots.get(name, {"header": "hdr", "footer": "ftr"}.get(name.rstrip("123"), name))
        files[f"word/{name}.xml"] = f"<w:{root} {NAMESPACES}>{content}</w:{root}>"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def saved(document: Any) -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(text: str = "", style: str = "", number: str = "", level: str = "", inside: str = "") -> str:
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if number or level:
        depth = f'<w:ilvl w:val="{level}"/>' if level else ""
        properties += f'<w:numPr>{depth}<w:numId w:val="{number}"/></w:numPr>'
    return f"<w:p><w:pPr>{properties}</w:pPr>{run(text) if text else ''}{inside}</w:p>"


def level(depth: int | str, form: str, text: str, start: int | str = 1, more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>{more}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def numbering(*levels: str, more: str = "") -> str:
    return f'<w:abstractNum w:abstractNumId="7">{"".join(levels)}</w:abstractNum>{number(1)}{more}'


def number(identifier: int, inside: str = "") -> str:
    return f'<w:num w:numId="{identifier}"><w:abstractNumId w:val="7"/>{inside}</w:num>'


def texts(data: bytes, role: Role | None = None) -> list[str]:
    return [block.text for block in read_docx(data).blocks if block.role is role]


def test_paragraphs_tables_headers_and_the_title_in_order() -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "EN"
    document.sections[0].footer.paragraphs[0].text = "Page 1"
    document.add_heading("COUNCIL REGULATION", 0)
    document.add_heading("Article 1", 1)
    document.add_paragraph("Subject\u00a0 matter ")
    table = document.add_table(2, 3)
    for i, text in enumerate(["Code", "Bee", "Fee", "1", "", "5"]):
        table.cell(i // 3, i % 3).text = text
    document.add_paragraph("")
    document.add_paragraph("Done at Brussels.")
    result = read_docx(saved(document))
    assert result.format == "docx"
    assert result.blocks == [
        Block("EN", Role.PAGE),
        Block("Page 1", Role.PAGE),
        Block("COUNCIL REGULATION", Role.TITLE),
        Block("Article 1"),
        Block("Subject matter"),
        Block("Code\tBee\tFee", Role.TABLE, 1),
        Block("1\t\t5", Role.TABLE, 1),
        Block("Done at Brussels."),
    ]


def test_merged_cells_occur_once_and_the_others_stay_in_their_columns() -> None:
    document = docx.Document()
    table = document.add_table(3, 3)
    for i in range(9):
        table.cell(i // 3, i % 3).text = f"c{i}"
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(1, 2).merge(table.cell(2, 2))
    assert texts(saved(document), Role.TABLE) == ["c0 c1\t\tc2", "c3\tc4\tc5 c8", "c6\tc7"]


def test_rows_may_skip_columns_and_cells_may_contain_tables() -> None:
    def cell(*inside: str) -> str:
        return f"<w:tc>{''.join(inside)}</w:tc>"

    def row(*cells: str, skips: int = 0) -> str:
        skipped = f'<w:trPr><w:gridBefore w:val="{skips}"/></w:trPr>' if skips else ""
        return f"<w:tr>{skipped}{''.join(cells)}</w:tr>"

    words = [cell(paragraph(word)) for word in "abcdefgh"]
    inner = f"<w:tbl>{row(words[0], words[1])}{row(words[2], words[3])}</w:tbl>"
    late = row(words[6], words[7], skips=1)
    outer = f"<w:tbl>{row(*words[:3])}{late}{row(words[4], cell(inner, paragraph()), words[5])}</w:tbl>"
    data = package(outer + f"<w:tbl>{row(words[0], words[1])}</w:tbl>")
    found = [(block.level, block.text) for block in read_docx(data).blocks]
    assert found == [(1, "a\tb\tc"), (1, "\tg\th"), (1, "e\t\tf"), (2, "a\tb"), (2, "c\td"), (3, "a\tb")]


@pytest.mark.parametrize("markers", ["(a) (b) (c)", "— — —", "1. 2. 3.", "(1) (2) (3)", "a) b) c)"])
def test_a_list_arranged_as_a_table_is_a_list(markers: str) -> None:
    document = docx.Document()
    table = document.add_table(3, 2)
    for row, marker in zip(table.rows, markers.split(), strict=True):
        row.cells[0].text, row.cells[1].text = marker, f"text of {marker}"
    inner = table.cell(2, 1).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "(i)", "inner"
    table.cell(2, 1).add_paragraph("after")
    expected = [text for marker in markers.split() for text in (marker, f"text of {marker}")]
    assert texts(saved(document)) == [*expected, "(i)", "inner", "after"]


def test_a_table_of_one_column_is_text() -> None:
    document = docx.Document()
    table = document.add_table(2, 1)
    table.cell(0, 0).text, table.cell(1, 0).text = "Article 1", "Scope"
    assert texts(saved(document)) == ["Article 1", "Scope"]


def test_automatic_numbers_become_text() -> None:
    levels = [
        level(0, "decimal", "%1."),
        level(1, "lowerLetter", "(%2)"),
        level(2, "lowerRoman", "(%3)"),
        level(3, "bullet", "\uf0b7"),
        level(4, "bullet", "—"),
    ]
    depths = [0, 0, 1, 1, 2, 2, 3, 4, 1, 0, 1]
    body = "".join(paragraph(f"p{i}", number="1", level=str(depth)) for i, depth in enumerate(depths))
    data = package(body + paragraph("plain") + paragraph("off", number="0"), numbering=numbering(*levels))
    assert texts(data) == [
        *[
            "1. p0",
            "2. p1",
            "(a) p2",
            "(b) p3",
            "(i) p4",
            "(ii) p5",
            "• p6",
            "— p7",
            "(c) p8",
            "3. p9",
            "(a) p10",
        ],
        *["plain", "off"],
    ]


def test_lists_share_a_counter_unless_one_restarts() -> None:
    override = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
    definition = numbering(level(0, "decimal", "(%1)", start=3), more=number(2) + number(3, override))
    body = "".join(paragraph("x", number=which) for which in ["1", "1", "2", "3", "3"])
    assert texts(package(body, numbering=definition)) == ["(3) x", "(4) x", "(5) x", "(5) x", "(6) x"]


def test_a_number_may_combine_several_levels() -> None:
    levels = [
        level(0, "upperRoman", "%1."),
        level(1, "lowerLetter", "%1.%2", more="<w:isLgl/>"),
        level(2, "upperLetter", "%1-%3"),
        level(3, "none", "%4"),
    ]
    body = "".join(paragraph("x", number="1", level=str(depth)) for depth in (0, 1, 1, 2, 3))
    assert texts(package(body, numbering=numbering(*levels))) == ["I. x", "1.1 x", "1.2 x", "I-A x", "x"]


def test_a_style_may_number_its_paragraphs() -> None:
    styles = (
        '<w:style w:type="paragraph" w:styleId="Point0"><w:name w:val="Point 0"/><w:pPr><w:numPr>'
        '<w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="Art"><w:name w:val="Art"/><w:basedOn w:val="Point0"/>'
        '<w:pPr><w:numPr><w:ilvl w:val="0"/></w:numPr></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="L"/><w:basedOn w:val="Loop"/></w:style>'
    )
    pattern = numbering(
        level(0, "decimal", "Article %1"), level(1, "lowerLetter", "(%2)", more='<w:pStyle w:val="Point0"/>')
    )
    body = paragraph("Scope", "Art") + paragraph("bees;", "Point0") + paragraph("wasps.", "Point0")
    body += paragraph("", "Art") + paragraph("x", "Loop")
    data = package(body, styles=styles, numbering=pattern)
    assert texts(data) == ["Article 1", "Scope", "(a) bees;", "(b) wasps.", "Article 2", "x"]


def test_footnotes_are_at_the_end_with_the_numbers_that_word_shows() -> None:
    def reference(kind: str, identifier: int, more: str = "") -> str:
        return f'<w:r><w:{kind}Reference w:id="{identifier}"{more}/></w:r>'

    def note(kind: str, identifier: int, *lines: str) -> str:
        inside = "".join(f"<w:p><w:r><w:{kind}Ref/></w:r>{run(line)}</w:p>" for line in lines)
        return f'<w:{kind} w:id="{identifier}">{inside}</w:{kind}>'

    custom = reference("footnote", 8, ' w:customMarkFollows="1"') + run("(*)")
    body = f"<w:p>{run('bees')}{reference('footnote', 9)}{run(', wasps')}{custom}"
    body += f"{reference('footnote', 3)}</w:p>"
    body += f"<w:p>{run('end')}{reference('endnote', 2)}{run('.')}</w:p>"
    data = package(
        body,
        footnotes='<w:footnote w:id="-1" w:type="separator"><w:p/></w:footnote>'
        + note("footnote", 3, "OJ L 3.")
        + note("footnote", 8, "(*) Star.")
        + note("footnote", 9, " OJ L 9,", "p. 1."),
        endnotes=note("endnote", 2, "End."),
    )
    assert texts(data) == ["bees (1), wasps (*) (2)", "end (i)."]
    assert texts(data, Role.NOTE) == ["(1) OJ L 9, p. 1.", "(*) Star.", "(2) OJ L 3.", "(i) End."]


def test_tracked_changes_are_accepted() -> None:
    deleted = "<w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
    mark = "<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>"
    row = "<w:tr>{}<w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>"
    body = (
        f"<w:p>{run('the ')}{deleted}<w:ins>{run('new')}</w:ins>{run(' text')}</w:p>"
        f"<w:p>{mark}{run('one ')}</w:p><w:p>{run('paragraph')}</w:p>"
        f"<w:p><w:moveFrom>{run('moved')}</w:moveFrom></w:p><w:p><w:moveTo>{run('moved')}</w:moveTo></w:p>"
        f"<w:p>{mark}{deleted}</w:p>"
        f"<w:tbl>{row.format('<w:trPr><w:del/></w:trPr>', paragraph('x'), paragraph('y'))}"
        f"{row.format('', paragraph('Code'), paragraph('Fee'))}</w:tbl>"
        f"<w:p>{mark}{run('last')}</w:p>"
    )
    assert [block.text for block in read_docx(package(body)).blocks] == [
        *["the new text", "one paragraph", "moved", "Code\tFee", "last"],
    ]


def test_links_fields_boxes_and_hidden_text_inside_a_paragraph() -> None:
    box = f"<w:txbxContent>{paragraph('In a box')}</w:txbxContent>"
    body = (
        f'<w:p><w:hyperlink r:id="x">{run("a link")}</w:hyperlink><w:r><w:tab/><w:t>b</w:t><w:noBreakHyphen/>'
        "<w:t>c</w:t><w:softHyphen/><w:t>d</w:t></w:r><w:smartTag><w:r><w:t> e</w:t></w:r></w:smartTag>"
        f'<w:r><w:instrText>PAGE</w:instrText></w:r><w:fldSimple w:instr="X">{run(" f")}</w:fldSimple>'
        f"<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath></w:p>"
        f"<w:p>{run('Article 1')}<w:r><w:br/></w:r>{run('Scope')}</w:p>"
        f"<w:p>{run('anchor')}<w:r><mc:AlternateContent><mc:Choice><wps:txbx>{box}</wps:txbx></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>"
        f"<w:sdt><w:sdtPr/><w:sdtContent>{paragraph('In a control')}</w:sdtContent></w:sdt>"
        '<w:p><w:r><w:sym w:font="Symbol" w:char="F0B7"/><w:t> dot</w:t><w:sym w:char="zz"/></w:r></w:p>'
    )
    assert texts(package(body)) == [
        *["a link b-cd e fx=1", "Article 1", "Scope", "anchor", "In a box", "In a control", "• dot"],
    ]


def test_contents_are_recognized_by_style_and_headers_by_reference() -> None:
    styles = '<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>'
    section = '<w:sectPr><w:headerReference w:type="default" r:id="header1"/></w:sectPr>'
    body = paragraph("Article 1 .... 3", "TOC1") + paragraph("Article 1") + section
    data = package(body, styles=styles, header1=paragraph("seen"), header2=paragraph("never used"))
    assert read_docx(data).blocks == [
        Block("seen", Role.PAGE),
        Block("Article 1 .... 3", Role.CONTENTS),
        Block("Article 1"),
    ]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn", "Co"]), max_size=80), max_size=20))
def test_no_character_is_lost_or_moved(lines: list[str]) -> None:
    document = docx.Document()
    for i, line in enumerate(lines):
        if i % 5 == 4:
            document.add_table(1, 2).cell(0, 0).text = line
        else:
            document.add_paragraph(line)
    out = "".join(block.text for block in read_docx(saved(document)).blocks)
    assert "".join(out.split()) == "".join("".join(lines).split())


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))


@pytest.mark.parametrize(
    ("declaration", "entity"),
    [
        ('<!ENTITY a "EXPANDED">', "a"),
        ('<!ENTITY a SYSTEM "file:///etc/hostname">', "a"),
        (f'<!ENTITY l0 "ha">{LAUGHS}', "l11"),
    ],
)
def test_entities_are_never_resolved(declaration: str, entity: str) -> None:
    data = package(paragraph(f"Article &{entity};"), f"<!DOCTYPE d [{declaration}]>")
    with pytest.raises(ReadingError):
        read_docx(data)


def test_python_docx_itself_resolves_no_entity() -> None:
    data = package(paragraph("Article &a;"), '<!DOCTYPE d [<!ENTITY a "EXPANDED">]>')
    assert [p.text for p in docx.Document(io.BytesIO(data)).paragraphs] == ["Article "]


def bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * 20_000_000)
    return file.getvalue()


def with_wrong_size() -> bytes:
    """A package that declares 300 MB, whatever it contains."""
    data = bytearray(package(paragraph("x")))
    directory = data.rindex(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (300_000_000).to_bytes(4, "little")
    return bytes(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Article 1",
        package(paragraph("x"))[:500],
        bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600),
        bomb(),
        with_wrong_size(),
        package("<w:p>"),
        package(paragraph("x"), footnotes="<w:p>"),
        package('<w:sectPr><w:headerReference r:id="gone"/></w:sectPr>'),
        package("").replace(b"word/document.xml", b"word/documemt.xml"),
    ],
)
def test_an_unreadable_file_is_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(ReadingError) as error:
        read_docx(data)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    with pytest.raises(ReadingError) as error:
        read_docx(bomb())
    assert "word/document.xml" in str(error.value)
    with pytest.raises(ReadingError) as error:
        read_docx(with_wrong_size())
    assert "200 MB" in str(error.value)


def test_a_missing_dependency_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(MissingExtraError) as error:
        read_docx(package(paragraph("x")))
    assert "lexlattice[docx]" in str(error.value)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes_are_refused(data: bytes) -> None:
    for start in (b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(18)):
        with pytest.raises(ReadingError):
            read_docx(start + data)


VALID = package(paragraph("x", number="1"), numbering=numbering(level(0, "decimal", "%1.")))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(VALID) - 1), st.binary(min_size=1, max_size=4)), max_size=10))
def test_a_damaged_file_is_read_or_refused(changes: list[tuple[int, bytes]]) -> None:
    data = bytearray(VALID)
    for place, replacement in changes:
        data[place : place + len(replacement)] = replacement
    try:
        act = read(bytes(data))
    except ReadingError as error:
        assert "\n" not in str(error)
    else:
        assert_laws(act)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["", "-1", "0", "1", "9", "x", "99999999999999999999"]), min_size=6, max_size=6))
def test_invalid_numbering_does_not_fail(values: list[str]) -> None:
    a, b, c, d, e, f = values
    override = f'<w:lvlOverride w:ilvl="{a}"><w:startOverride w:val="{b}"/></w:lvlOverride>'
    definition = numbering(level(c, "lowerLetter", f"%{d}%1", start=e), level(1, f, "%2"), more=number(2, override))
    data = package(paragraph("x", number="2", level=f) + paragraph("y", number="1"), numbering=definition)
    assert [text[-1] for text in texts(data)] == ["x", "y"]


# --- nothing is lost in silence --------------------------------------------------------------------------


def lost(data: bytes) -> list[int]:
    warnings = read_docx(data).warnings
    return [int(values_of(warning)["count"]) for warning in warnings if code_of(warning) == "text-missing"]


@pytest.mark.parametrize(
    "body",
    [
        f"<w:hyperlink>{run('Bees')}</w:hyperlink>",
        f"<w:unknown>{paragraph('Bees')}</w:unknown>",
        f"<w:tbl><w:tr><w:tc>{paragraph('a')}</w:tc><w:unknown><w:tc>{paragraph('Bees')}</w:tc></w:unknown></w:tr></w:tbl>",
        f"<w:tbl>{paragraph('Bees')}</w:tbl>",
    ],
)
def test_text_where_word_allows_none_is_said_to_be_missing(body: str) -> None:
    assert lost(package(paragraph("Article 1") + body)) == [4]


def test_a_note_without_a_reference_is_said_to_be_missing() -> None:
    note = '<w:footnote w:id="{}">{}</w:footnote>'
    notes = note.format(2, paragraph("shown")) + note.format(3, paragraph("Bees"))
    body = paragraph("Article 1", inside='<w:r><w:footnoteReference w:id="2"/></w:r>')
    assert lost(package(body, footnotes=notes)) == [4]


def test_what_word_does_not_show_is_not_missing() -> None:
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>Bees</w:t></w:r>"
    choices = f"<mc:Choice>{run('a')}</mc:Choice><mc:Fallback>{run('a')}</mc:Fallback>"
    copies = f"<w:r><mc:AlternateContent>{choices}</mc:AlternateContent></w:r>"
    cell = "<w:tc><w:tcPr><w:vMerge{}/></w:tcPr>{}</w:tc>"
    rows = "".join(
        f"<w:tr>{cell.format(merged, paragraph(text))}<w:tc>{paragraph('x')}</w:tc></w:tr>"
        for merged, text in ((' w:val="restart"', "Code"), ("", "Bees"))
    )
    moved = f"<w:p><w:moveFrom>{run('Bees')}</w:moveFrom></w:p>"
    assert lost(package(f"{paragraph('Article 1', inside=hidden + copies)}{moved}<w:tbl>{rows}</w:tbl>")) == []
