"""Documents that are no EU acts, read by the description of their hierarchy."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import EXAMPLES
from helpers.laws import assert_laws, letters
from lexlattice import Act, read
from lexlattice.errors import ConfigError, NoSuchProvisionError
from lexlattice.reading.hierarchies import Hierarchy, load_hierarchy, packaged
from lexlattice.reading.hierarchies.definition import parse_hierarchy

FOLDER = EXAMPLES / "hierarchies"
SMALL = {"name": "small", "rows": [{"forms": ["Rule {n}"], "cite": "Rule {n}"}]}


def cited(act: Act) -> dict[str, str]:
    return {unit.id: unit.citation for unit in act}


def small(**keys: object) -> Hierarchy:
    return parse_hierarchy({**SMALL, "language": "en", **keys})


# The examples, read by packaged descriptions and by one's own.


def test_a_bill_has_sections_as_rows_and_nested_marks() -> None:
    act = read(FOLDER / "bill.txt", hierarchy="us-bill")
    assert_laws(act)
    assert [(s.kind, s.number, s.heading) for s in act.sections] == [
        ("article", "1", "SHORT TITLE."),
        ("article", "2", "FINDINGS."),
        ("article", "101", "GRANTS FOR KEEPERS."),
        ("article", "102", "REPORTS."),
    ]
    assert act.sections[2].enclosing == ("TITLE I--KEEPERS OF GARDENS",)
    assert cited(act)["art-101.par-b.pt-2.pt-a"] == "Sec. 101(b)(2)(A)"
    assert cited(act)["art-2.pt-1"] == "Sec. 2(1)"
    assert act["art-101.par-b.pt-2.pt-b"].text.endswith("under paragraph (1) of section 102(a).")
    assert (act.hierarchy, act.language, act.type, act.celex) == ("us-bill", "en", "", "")


def test_text_that_is_put_into_another_law_belongs_to_its_instruction() -> None:
    act = read(FOLDER / "bill.txt", hierarchy="us-bill")
    quoted = {name: citation for name, citation in cited(act).items() if ".q-" in name}
    assert quoted == {
        "art-102.par-b.q-1.par-c": "Sec. 102(b), quoted text (c)",
        "art-102.par-b.q-1.par-c.pt-1": "Sec. 102(b), quoted text (c)(1)",
        "art-102.par-b.q-1.par-c.pt-2": "Sec. 102(b), quoted text (c)(2)",
    }


def test_a_contract_has_clauses_and_a_schedule() -> None:
    act = read(FOLDER / "contract.txt", hierarchy="contract")
    assert_laws(act)
    assert act.title == "Agreement on the Supply of Honey"
    assert [section.kind for section in act.sections] == ["title", "preamble", *["article"] * 4, "annex"]
    assert cited(act)["art-2.par-2.pt-b.pt-ii"] == "Clause 2.2(b)(ii)"
    assert act.find("Schedule 1").text.startswith("Honey shall be unfiltered")


def test_rules_are_read_by_a_file_of_their_own() -> None:
    act = read(FOLDER / "library-rules.txt", hierarchy=FOLDER / "library-rules.toml")
    assert_laws(act)
    assert [(s.label, s.heading, s.enclosing) for s in act.sections if s.kind == "article"] == [
        ("Rule 1", "Cards", ("CHAPTER I: BORROWING",)),
        ("Rule 2", "Loans", ("CHAPTER I: BORROWING",)),
        ("Rule 3", "Quiet", ("CHAPTER II: THE READING ROOM",)),
        ("Rule 4", "Fines", ("CHAPTER II: THE READING ROOM",)),
    ]
    assert act.annexes[0].enclosing == ()
    assert cited(act)["art-2.par-1.pt-b"] == "Rule 2(1)(b)"
    assert cited(act)["art-3.ind-2"] == "Rule 3, dash 2"
    assert act["art-3.ind-2"].kind == "indent"


def test_the_profile_paper_has_the_items_of_outermost_lists() -> None:
    act = read(FOLDER / "bill.txt", hierarchy="us-bill", profile="paper")
    assert_laws(act)
    assert [unit.id for unit in act if unit.section == 2] == ["art-101.par-a", "art-101.par-b"]
    assert "(B) has reported" in act["art-101.par-b"].text


@pytest.mark.parametrize("name", sorted(packaged()))
def test_packaged_descriptions_are_named_like_their_files(name: str) -> None:
    assert load_hierarchy(name).name == name


# Citations.


def test_provisions_are_found_and_cited_in_the_words_of_their_hierarchy() -> None:
    act = read(FOLDER / "bill.txt", hierarchy="us-bill")
    assert act.find("Sec. 101(b)(2)").id == "art-101.par-b.pt-2"
    assert act.find("Sec. 101").id == "art-101"
    assert act.provision("art-102.par-a").citation == "Sec. 102(a)"
    assert act.cite("art-101") == "Sec. 101"
    with pytest.raises(NoSuchProvisionError):
        act.find("Sec. 999")


def test_an_act_keeps_its_hierarchy_as_json() -> None:
    act = read(FOLDER / "contract.txt", hierarchy="contract")
    assert Act.from_json(act.to_json()) == act


# Headers and marks.


@pytest.mark.parametrize("line", ["Rule 2 of the other rules", "Rule 2(b) says", "Rule 2, and others", "Rules 2"])
def test_sentences_are_no_headers(line: str) -> None:
    act = read(f"Rule 1\nBees fly.\n{line}\nWasps too.", hierarchy=small())
    assert [section.number for section in act.sections] == ["1"]


def test_a_letter_is_told_from_a_roman_numeral_by_the_list_it_continues() -> None:
    marks = [{"form": "(a)"}, {"form": "(i)"}]
    text = "Rule 1\n(h) bees\n(i) wasps\n(j) ants:\n(i) red\n(ii) black"
    act = read(text, hierarchy=small(marks=marks, title=False))
    assert list(cited(act).values()) == ["Rule 1(h)", "Rule 1(i)", "Rule 1(j)", "Rule 1(j)(i)", "Rule 1(j)(ii)"]


def test_a_reference_that_begins_a_line_is_no_mark() -> None:
    text = "Rule 1\n(1) Bees fly;\n(2) wasps come under paragraphs\n(1) and (3), too."
    act = read(text, hierarchy=small(marks=[{"form": "(1)"}]))
    assert [unit.number for unit in act] == ["1", "2"]


def test_a_date_that_begins_a_line_of_fixed_width_is_no_mark() -> None:
    text = """# Gesetz über Bienenstöcke
## § 1
(1) Wer einen Bienenstock hält, meldet ihn der zuständigen Behörde bis zum
1. Januar des folgenden Jahres und gibt dabei an, an welchem Ort er steht und
welche Bienen in ihm leben.
(2) § 2 Abs. 3 gilt für Hummeln, die in Gärten oder in Parks oder sonst in der
freien Natur leben, entsprechend.
## § 2
Wer keinen Bienenstock hält, meldet nichts."""
    act = read(text, hierarchy="german-law")
    assert [unit.citation for unit in act][1:] == ["§ 1 Absatz 1", "§ 1 Absatz 2", "§ 2"]


def test_headings_of_markdown_end_a_paragraph_of_fixed_width() -> None:
    line = "Bees that live in a hive of their own fly over all the gardens of the town and\nreturn in the evening"
    text = f"# Rules\n\n{line}.\n{line}.\n## Rule 1\n{line}.\n{line}.\n## Rule 2\n{line}.\n"
    act = read(text, hierarchy=small())
    assert [section.number for section in act.sections if section.kind == "article"] == ["1", "2"]


def test_text_can_follow_a_header_on_its_line() -> None:
    act = read("Ustawa o pszczołach\nArt. 1. 1. Pszczoły latają.\n2. Osy też.\nArt. 2. Koniec.", hierarchy="polish-law")
    assert_laws(act)
    assert [unit.citation for unit in act][1:] == ["Art. 1 ust. 1", "Art. 1 ust. 2", "Art. 2"]
    assert act["art-2"].text == "Koniec."


def test_numbers_of_codes_are_kept() -> None:
    act = read("Code\nArticle L. 121-1\nLes abeilles volent.\nArticle premier\nLes guêpes.", hierarchy="french-code")
    assert {unit.id: unit.citation for unit in act.units[1:]} == {
        "art-L121-1": "Article L. 121-1",
        "art-premier": "Article premier",
    }


def test_an_item_of_a_list_is_no_header_that_is_a_bare_number() -> None:
    text = "Policy\n1. Scope\nIt covers:\n1. Bees\n2. Terms\nBees are insects."
    act = read(text, hierarchy=small(rows=[{"forms": ["{n}."], "cite": "Clause {n}"}]))
    assert [section.heading for section in act.sections if section.kind == "article"] == ["Scope", "Terms"]


def test_a_document_without_headers_is_read_as_paragraphs_with_a_warning() -> None:
    act = read("A letter\nBees fly.\nWasps fly, too.", hierarchy=small())
    assert [section.kind for section in act.sections] == ["title", "body"]
    assert [unit.citation for unit in act][1:] == ["Paragraph 1", "Paragraph 2"]
    assert len(act.warnings) == 1 and "Rule 1" in act.warnings[0]


# Laws that hold for any document.

LINES = st.sampled_from(
    [
        *("SEC. 2. FINDINGS.", "SECTION 1. SHORT TITLE.", "TITLE I--BEES", "§ 1", "## § 2 Zweck", "# Titel"),
        *("Art. 3. 1. Tekst.", "Article L121-1", "1. Definitions", "2. Terms", "Schedule 1", "Anlage", "Rozdział 1"),
        *("(a) bees", "(a)(1) wasps", "(i) ants;", "(ii) moths", "``(1) quoted", "``SEC. 9. QUOTED", "> § 9. Cytat"),
        *(
            "1.1 The Buyer pays.",
            "1.1.1 At once.",
            "a) so",
            "aa) doch",
            "1° premier",
            "- tiret",
            "I.-Les abeilles",
            "2)",
        ),
        *("Bees fly. Wasps fly. " * 12, "and paragraphs", "(1) and (2), respectively.", "vom", "1. Januar", "..", "()"),
    ]
)


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(sorted(packaged())),
    profile=st.sampled_from(["provisions", "paper"]),
    lines=st.lists(LINES, min_size=1, max_size=25),
    gap=st.sampled_from(["\n", "\n\n"]),
)
def test_nothing_is_lost_whatever_the_document(name: str, profile: str, lines: list[str], gap: str) -> None:
    text = gap.join(lines) + "\n"
    act = read(text, hierarchy=name, profile=profile, format="text")
    assert_laws(act)
    assert letters(act.source).replace("#", "") == letters(text).replace("#", "")
    assert Act.from_dict(act.to_dict()) == act
    assert len({unit.citation for unit in act}) == len(act)
    for unit in act:
        assert act.find(unit.id).units
        assert act.provision(act.sections[unit.section].id).citation


@pytest.mark.parametrize("piece", ["(a)", "(a)(1)(A)", "1.1.", "SEC. 1", "§ 1 ", "Art. L. 1-1-", "``", "> ", "I"])
def test_no_line_is_slow(piece: str) -> None:
    text = f"Rule\n{piece * (50_000 // len(piece))}\n"
    started = time.process_time()
    for name in packaged():
        read(text, hierarchy=name, format="text", language="en")
    assert time.process_time() - started < 5


# The file.


@pytest.mark.parametrize(
    ("keys", "named"),
    [
        ({"rows": []}, "rows"),
        ({"rows": [{"forms": ["Rule {n}"]}]}, "rows.cite"),
        ({"rows": [{"forms": ["Rule {n}"], "cite": "Rule"}]}, "rows.cite"),
        ({"rows": [{"forms": ["{n}"], "cite": "{n}"}]}, "rows.forms"),
        ({"rows": [{"forms": ["Rule {n}-{n}"], "cite": "{n}"}]}, "rows.forms"),
        ({"rows": [{"forms": ["Rule {x}"], "cite": "{n}"}]}, "rows.forms"),
        ({"rows": [{"forms": "Rule {n}", "cite": "{n}"}]}, "rows.forms"),
        ({"rows": [{"forms": [], "cite": "{n}"}]}, "rows.forms"),
        ({"rows": [{"forms": ["R {n}"], "cite": "{n}", "numbers": ["1+1"]}]}, "rows.numbers"),
        ({"rows": [{"forms": ["R {n}"], "cite": "{n}", "then": "what"}]}, "rows.then"),
        ({"rows": [{"forms": ["R {n}"], "cite": "{n}", "kind": "chapter"}]}, "rows.kind"),
        ({"rows": [{"forms": ["R {n}"], "cite": "{n}", "regex": ".*"}]}, "rows.regex"),
        ({"rows": {"forms": ["R {n}"], "cite": "{n}"}}, "rows"),
        ({"rows": [{"forms": ["x" * 61], "cite": "x"}]}, "rows.forms"),
        ({"enclosing": [{"forms": ["Part {n}"], "cite": "Part {n}"}]}, "enclosing.cite"),
        ({"marks": [{"form": "(ab)"}]}, "marks.form"),
        ({"marks": [{"form": "1"}]}, "marks.form"),
        ({"marks": [{"form": "(1)", "cite": "x"}]}, "marks.cite"),
        ({"marks": [{"cite": "({n})"}]}, "marks.form"),
        ({"language": "xx"}, "language"),
        ({"title": "yes"}, "title"),
        ({"above": "nothing"}, "above"),
        ({"quotes": [""]}, "quotes"),
        ({"longest_header": 5}, "longest_header"),
        ({"longest_header": True}, "longest_header"),
        ({"name": 5}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(keys: dict[str, object], named: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_hierarchy({**SMALL, **keys})
    assert f"'{named}'" in str(caught.value)


@pytest.mark.parametrize("content", [b"name = ", b"\xff\xfe", b"x" * 100_001, b"", b'name = "x"'])
def test_a_file_that_is_no_description_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_hierarchy(path)
    assert "mine.toml" in str(caught.value)


def test_an_unknown_name_is_refused_with_those_that_exist() -> None:
    with pytest.raises(ConfigError, match="us-bill"):
        read("Rule 1\nBees.", hierarchy="uk-bill")


def test_descriptions_of_one_name_are_told_apart() -> None:
    assert small().digest == small().digest != small(title=False).digest


# Notices.


def test_no_notice_names_the_official_journal_for_other_documents() -> None:
    from lexlattice import summarize
    from lexlattice.rendering.phrases import phrases
    from lexlattice.rendering.status import disclaimer

    summary = summarize(FOLDER / "contract.txt", hierarchy="contract", words=60)
    assert "Official Journal" not in summary.to_text() + summary.to_markdown() + summary.to_html()
    for language in ("en", "el", "fr"):
        act = Act("", "", "", "", language, "provisions", (), (), "", hierarchy="x")
        words = disclaimer(act)
        assert phrases(language).disclaimer.startswith(words[:-1]) and len(words) < len(phrases(language).disclaimer)
