"""Cells of HTML tables are in their columns; headings of annexes and quoted headers have their roles."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.laws import assert_laws
from lexlattice import Act, read
from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.formats.html import read_html

TITLE = """<p class="oj-doc-ti">COMMISSION REGULATION (EU) 2024/9001</p><p class="oj-doc-ti">of 12 March 2024</p>
<p class="oj-normal">THE EUROPEAN COMMISSION,</p><p class="oj-normal">HAS ADOPTED THIS REGULATION:</p>
<p class="oj-ti-art">Article 1</p><p class="oj-normal">Beehives shall be registered as laid down in the Annex.</p>
<p class="oj-doc-ti">ANNEX</p>"""


def page(inside: str) -> str:
    return f"<html><body>{TITLE}{inside}</body></html>"


def blocks(inside: str) -> list[tuple[str, Role | None, int]]:
    found = read_html(page(inside)).blocks
    start = next(i for i, block in enumerate(found) if block.text == "ANNEX")
    return [(block.text, block.role, block.level) for block in found[start + 1 :]]


def rows(*cells: str) -> str:
    inside = "".join(f"<tr>{row}</tr>" for row in cells)
    return f'<table class="oj-table"><tbody>{inside}</tbody></table>'


def test_a_table_is_a_unit_with_rows_and_cells() -> None:
    table = rows("<th>Size</th><th>Fee</th>", "<td>Small</td><td><p class='oj-tbl-txt'>CO<sub>2</sub> 5</p></td>")
    act: Act = read(page(table).encode())
    assert_laws(act)
    unit = next(unit for unit in act.units if unit.kind == "table")
    assert unit.rows == (("Size", "Fee"), ("Small", "CO2 5"))


def test_empty_cells_and_spans_keep_columns_in_line() -> None:
    table = rows(
        '<td rowspan="2">A</td><td colspan="2">B</td><td>C</td>',
        "<td>1</td><td></td><td>3</td>",
        "<td></td><td>x</td><td></td><td></td>",
        "<td> </td><td></td>",
    )
    assert [text for text, *_ in blocks(table)] == ["A\tB\t\tC", "\t1\t\t3", "\tx"]


def test_absurd_cell_spans_are_ignored() -> None:
    table = rows('<td colspan="99999999">A</td><td rowspan="x">B</td>', '<td colspan="-3">C</td><td>D</td>')
    texts = [text for text, *_ in blocks(table)]
    assert texts[0].split("\t")[0] == "A"
    assert texts[1] == "C\tD"


def test_lists_and_tables_in_a_cell_are_one_line_of_it() -> None:
    inner = "<table><tr><td>(a)</td><td>wax,</td></tr><tr><td>(b)</td><td>honey.</td></tr></table>"
    assert [text for text, *_ in blocks(rows(f"<td>1</td><td>{inner}</td>"))] == ["1\t(a) wax, (b) honey."]


def test_each_table_has_a_number_and_its_caption_and_notes_belong_to_it() -> None:
    first = '<p class="oj-ti-tbl">Table of fees</p>' + rows(
        "<td>a</td><td>1</td>", '<td colspan="2"><p class="oj-note">Source: none.</p></td>'
    )
    second = rows("<td>b</td><td>2</td>")
    assert blocks(first + second) == [
        ("Table of fees", Role.TABLE, 1),
        ("a\t1", Role.TABLE, 1),
        ("Source: none.", Role.TABLE, 1),
        ("b\t2", Role.TABLE, 2),
    ]
    assert blocks('<p class="oj-ti-tbl">Figure</p><p>Text.</p>')[0] == ("Figure", None, 0)


def test_a_list_that_contains_a_table_stays_a_list() -> None:
    inner = rows('<td><p class="oj-tbl-txt">a</p></td><td><p class="oj-tbl-txt">1</p></td>')
    outer = f'<table border="0"><tr><td><p>(a)</p></td><td><p>The fees are:</p>{inner}</td></tr></table>'
    assert blocks(outer) == [("(a)", None, 0), ("The fees are:", None, 0), ("a\t1", Role.TABLE, 1)]


def test_a_box_with_paragraphs_is_no_table() -> None:
    long = "The keeper of a beehive shall keep a record of every inspection. " * 4
    assert blocks(f'<table border="1"><tr><td><p>1. {long}</p></td></tr></table>') == [(f"1. {long.strip()}", None, 0)]


GROUPS = """<p class="oj-ti-grseq-1"><span class="oj-bold">REQUIREMENTS FOR LABELS</span></p>
<p class="oj-ti-grseq-1"><span>Part I</span></p><p class="oj-ti-grseq-1"><span>General principles</span></p>
<p class="oj-normal">Labels are legible.</p><p class="title-gr-seq-level-2">2.1. <span>Colours</span></p>"""


def test_headings_inside_an_annex_are_groups_with_number_and_title_in_one_line() -> None:
    assert blocks(GROUPS) == [
        ("REQUIREMENTS FOR LABELS", Role.HEADING, 0),
        ("Part I General principles", Role.GROUP, 1),
        ("Labels are legible.", None, 0),
        ("2.1. Colours", Role.GROUP, 2),
    ]
    act = read(page(GROUPS).encode())
    assert_laws(act)
    annex = next(section for section in act.sections if section.kind == "annex")
    assert annex.heading == "REQUIREMENTS FOR LABELS"


@pytest.mark.parametrize("label", ["1. daļa", "I OSA", "ЧАСТ А", "ΜΕΡΟΣ Α", "2. rész", "PARTE 1", "B."])
def test_numbers_and_titles_are_joined_in_every_alphabet(label: str) -> None:
    inside = f'<p class="ti-grseq-1">{label}</p><p class="ti-grseq-1">Documents à joindre</p>'
    assert blocks(f"<p>Text.</p>{inside}")[1:] == [(f"{label} Documents à joindre", Role.GROUP, 1)]


def test_parts_that_follow_one_another_stay_separate() -> None:
    inside = '<p class="ti-grseq-1">PART A</p><p class="ti-grseq-1">PART B</p>'
    assert blocks(inside) == [("PART A", Role.GROUP, 1), ("PART B", Role.GROUP, 1)]


AMENDING = """<p class="oj-ti-art">Article 2</p>
<p class="oj-normal">Regulation (EU) 2021/9900 is amended as follows:</p>
<table><tr><td><p>(1)</p></td><td><p>the following articles are inserted:</p>
<p class="oj-ti-art">‘Article 3a</p><p class="oj-sti-art">Swarms</p><p>Swarms shall be reported.</p>
<p class="oj-ti-section-1">CHAPTER IIa</p><p class="oj-ti-art">Article 3b</p><p>Honey shall be labelled.’</p></td></tr>
</table>
<p class="oj-ti-art">Article 3</p><p class="oj-normal">This Regulation shall enter into force on 1 May 2024.</p>
<p class="oj-doc-ti">ANNEX I</p><p class="oj-doc-ti oj-quotation-ti">‘ANNEX X</p><p>Text of the annex.’</p>"""


def test_headers_beside_a_marker_are_quoted_and_open_nothing() -> None:
    found = read_html(f"<html><body>{AMENDING}</body></html>").blocks
    quoted = [block.text for block in found if block.role is Role.QUOTED]
    assert quoted == ["‘Article 3a", "CHAPTER IIa", "Article 3b", "‘ANNEX X"]
    act = read(f"<html><body>{TITLE.replace('ANNEX</p>', 'X</p>')}{AMENDING}</body></html>".encode())
    assert_laws(act)
    assert [s.number for s in act.sections if s.kind in ("article", "annex")] == ["1", "2", "3", "I"]


def consolidated(text: str) -> list[Block]:
    return read_html(f'<html><body><p class="title-article-norm">{text}</p><p>Text.</p></body></html>').blocks


@pytest.mark.parametrize(
    "heading",
    [
        "►M1 Article 5 ◄",
        "►<sup>(1)</sup> M1 Article 5 ◄",
        "►C1►M12 Article 5 ◄ ◄",
        "►B Article 5",
        "►(2) M1  Article 5",
    ],
)
def test_marks_of_consolidation_leave_no_trace_in_headings(heading: str) -> None:
    assert consolidated(heading)[0] == Block("Article 5", Role.ARTICLE)


def test_words_after_an_arrow_are_no_mark_of_consolidation() -> None:
    assert consolidated("►Member States")[0].text == "►Member States"
    table = rows("<td>►M2 Public?◄</td><td>►C1 ◄</td><td>x</td>")
    assert [text for text, *_ in blocks(table)] == ["Public?\t\tx"]


def test_a_long_list_of_amending_acts_hides_no_article() -> None:
    row = '<tr><td><p class="arrow">►M1</p></td><td><p class="title-fam-member">Act</p><p class="toc-1">7</p></td></tr>'
    title = '<p class="title-doc-first">REGULATION (EU) 2024/9001 on beehives</p>'
    text = '<p class="title-article-norm">Article 1</p><p class="norm">Beehives shall be registered.</p>'
    act = read(f"<html><body><table>{row * 90}</table>{title}{text}</body></html>".encode(), language="en")
    assert [unit.text for unit in act.units if unit.id.startswith("art-1")] == ["Beehives shall be registered."]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "tables"),
    [("32012L0027/2012-10-25", 4), ("32019R1122/2019-03-12", 12), ("32014R1030/2014-09-29", 14)],
)
def test_tables_of_real_acts_are_the_same_in_both_languages(data: Path, name: str, tables: int) -> None:
    shapes = []
    for language in ("en", "fr"):
        act = read(data / "acts" / "hard" / name / f"{language}.xml")
        assert_laws(act)
        shapes.append([[len(row) for row in unit.rows] for unit in act.units if unit.kind == "table"])
    assert len(shapes[0]) == tables
    assert shapes[0] == shapes[1]
