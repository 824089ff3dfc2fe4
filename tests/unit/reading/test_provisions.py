"""What becomes a unit, and its id and citation."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from lexlattice import Act, read
from lexlattice.reading import LANGUAGES
from lexlattice.reading.formats.blocks import Block
from lexlattice.reading.languages.grammar import load
from lexlattice.reading.structure.lines import Lines
from lexlattice.reading.structure.provisions import SENTENCES_FROM

HEAD = """COUNCIL REGULATION (EC) No 12/2003
of 3 May 2003
on something
THE COUNCIL OF THE EUROPEAN UNION,
Having regard to the Treaty,
Whereas:
(1) It is so.
HAS ADOPTED THIS REGULATION:
"""


def enacting(text: str, sentences_from: int = SENTENCES_FROM) -> Act:
    return read(HEAD + text, language="en", sentences_from=sentences_from)


def ids(act: Act, number: str = "1") -> list[str]:
    return [u.id for s in act.sections if s.kind == "article" and s.number == number for u in s.units]


def test_metadata_of_an_act() -> None:
    act = enacting("Article 1\nText.")
    assert (act.celex, act.type, act.date) == ("32003R0012", "regulation", "2003-05-03")
    assert act.title == "COUNCIL REGULATION (EC) No 12/2003 of 3 May 2003 on something"
    assert [s.kind for s in act.sections] == ["title", "preamble", "recitals", "article"]


def test_paragraphs_points_and_indents_nest_by_their_numbers() -> None:
    act = enacting("Article 1\n1. Lead:\n(a)\nfirst:\n(i) one;\n(ii) two;\n(b) second:\n— x,\n— y.\nTail.\n2. Next.")
    assert ids(act) == [
        "art-1.par-1",
        "art-1.par-1.pt-a",
        "art-1.par-1.pt-a.pt-i",
        "art-1.par-1.pt-a.pt-ii",
        "art-1.par-1.pt-b",
        "art-1.par-1.pt-b.ind-1",
        "art-1.par-1.pt-b.ind-2",
        "art-1.par-1.sub-2",
        "art-1.par-2",
    ]
    assert act["art-1.par-1.pt-a"].text == "(a) first:"
    assert act["art-1.par-1.pt-a.pt-ii"].citation == "Article 1(1)(a)(ii)"
    assert act["art-1.par-1.pt-b.ind-2"].citation == "Article 1(1)(b), second indent"
    assert act["art-1.par-1.sub-2"].citation == "Article 1(1), second subparagraph"


def test_the_letter_i_after_h_is_a_letter() -> None:
    points = "\n".join(f"({letter}) x;" for letter in "abcdefghij")
    assert ids(enacting(f"Article 1\nList:\n{points}"))[-2:] == ["art-1.pt-i", "art-1.pt-j"]


def test_definitions_are_points_of_an_unnumbered_article() -> None:
    act = enacting("Article 1\nDefinitions\nFor this Regulation:\n(1) ‘a’ means b;\n(2) ‘c’ means d.")
    assert ids(act) == ["art-1", "art-1.pt-1", "art-1.pt-2"]
    assert act.sections[3].heading == "Definitions"
    assert act["art-1.pt-2"].citation == "Article 1, point (2)"


def test_conjunctions_and_stray_stops_stay_with_their_point() -> None:
    act = enacting("Article 1\nList:\n(a)\none;\nand\n(b)\n‘two’\n.")
    assert act["art-1.pt-a"].text == "(a) one; and"
    assert act["art-1.pt-b"].text == "(b) ‘two’ ."


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_dash_before_a_bare_conjunction_is_no_indent(language: str) -> None:
    words = load(language).written["joining"]
    for word in (*words, f"{words[0]}/{words[-1]}"):
        lines = [f"— {word}" if line is None else line for line in ("Lead:", "— x in words", None, "— y in words.")]
        act = enacting("Article 1\n1. " + "\n".join(lines))
        if language == "en":
            assert ids(act) == ["art-1.par-1", "art-1.par-1.ind-1", "art-1.par-1.ind-2"]
            assert act["art-1.par-1.ind-1"].text == f"— x in words — {word}"
        assert Lines([Block(f"— {word}")], load(language)).marks == [None]
    assert Lines([Block("— xyz")], load(language)).marks != [None]


def test_a_dash_repeated_after_its_indent_is_ignored() -> None:
    page = """<html><body><p>1. The types of company are:</p>
<div><p>—<span> </span>Belgium:</p>—<span> </span><div><p>—<span> </span>la société anonyme,</p></div></div>
<div><p>—<span> </span>Bulgaria:</p>—<span> </span><div><p>—<span> </span>акционерно дружество.</p></div></div>
</body></html>"""
    texts = [unit.text for unit in read(page.encode(), language="en").units if unit.kind == "indent"]
    assert texts == ["— Belgium:", "— la société anonyme,", "— Bulgaria:", "— акционерно дружество."]


def test_a_bare_number_is_no_sentence() -> None:
    text = "Explain at some length whether any of the special circumstances is present. " * 5
    act = enacting(f"Article 1\nText.\nANNEX\n7.2.1. {text}")
    assert next(u.text[:14] for u in act.units if u.id.startswith("anx")) == "7.2.1. Explain"


def test_headings_among_recitals_are_furniture() -> None:
    recitals = (
        "A. PREVIOUS PROCEDURE\n(1) The Council imposed a duty.\nB. PRODUCT\n1. Product concerned\n(2) It is paper.\n"
        "Financial impact\n(3) It is small.\n"
    )
    act = read(HEAD.replace("(1) It is so.\n", recitals) + "Article 1\nText.", language="en")
    assert [u.id for s in act.sections if s.kind == "recitals" for u in s.units] == ["rec-1", "rec-2", "rec-3"]
    headings = [act.source[f.start : f.end] for f in act.furniture if f.kind == "heading"]
    assert headings[:4] == ["A. PREVIOUS PROCEDURE", "B. PRODUCT", "1. Product concerned", "Financial impact"]


def test_a_note_among_recitals_without_numbers_does_not_count_them() -> None:
    recitals = "Whereas it is so;\nWhereas it is otherwise;\n(1) OJ No L 243, 29.10.1971, p. 29.\nWhereas it ends;\n"
    act = read(HEAD.replace("Whereas:\n(1) It is so.\n", recitals) + "Article 1\nText.", language="en")
    provisions = [u.provision for s in act.sections if s.kind == "recitals" for u in s.units]
    assert provisions == ["rec-1", "rec-2", "rec-2.pt-1", "rec-3"]


def test_quoted_articles_open_no_section() -> None:
    act = enacting(
        "Article 1\nRegulation X is amended:\n‘Article 5\nTitle\n1. New text.\nArticle 5a\nMore.’\nArticle 2\nForce."
    )
    assert [s.number for s in act.sections if s.kind == "article"] == ["1", "2"]


def test_a_quoted_article_keeps_its_text_and_ends_where_the_amendments_continue() -> None:
    act = enacting(
        "Article 1\nRegulation X is amended as follows:\n(1)\nthe following is inserted:\n‘Article 12a\nHeading\n"
        "1. New text.\n2. More.’;\n(2)\nArticle 13 is deleted.\nArticle 2\nIt enters into force."
    )
    quoted = [f"art-1.pt-1.q-art-12a.par-{n}" for n in (1, 2)]
    assert ids(act) == ["art-1", "art-1.pt-1", *quoted, "art-1.pt-2"]
    assert act[quoted[0]].citation == "Article 1, point (1), quoted text, Article 12a(1)"


def test_citations_are_unique_even_if_the_act_repeats_numbers() -> None:
    act = enacting("Article 1\nList:\n(a) one;\n(a) two.\nArticle 2\nText.\nANNEX\nTwo.\n1.1. One.\n1.1. Two.")
    repeated = [(unit.id, unit.citation) for unit in act.units if "~" in unit.id]
    assert ("anx.pt-1.1~2", "Annex, point 1.1 [2]") in repeated
    assert len({unit.citation for unit in act.units}) == len(act)
    assert [unit.citation for unit in act.sections[1].units] == ["Preamble", "Preamble, first citation"]


def test_annexes_are_cited_as_they_are_written() -> None:
    act = enacting(
        "Article 1\nText.\nANNEX II\nREQUIREMENTS\nPart A\nGeneral\nThe following apply:\n1. One.\n1.1. Deeper:\n(a) x."
        "\nANNEX III\nRULES\nArticle 1\nThe Parties agree."
    )
    annex = next(section for section in act.sections if section.number == "II")
    assert annex.heading == "REQUIREMENTS"
    assert [unit.citation for unit in annex.units] == [
        *("Annex II, Part A", "Annex II, Part A, point 1", "Annex II, Part A, point 1.1"),
        "Annex II, Part A, point 1.1(a)",
    ]
    assert act["anx-III.art-1"].citation == "Annex III, Article 1"


def test_ordinals_beyond_those_with_words() -> None:
    act = enacting("Article 1\nList:\n" + "\n".join("— item," for _ in range(22)))
    assert [act[f"art-1.ind-{n}"].citation for n in (10, 11, 21, 22)] == [
        *("Article 1, tenth indent", "Article 1, 11th indent", "Article 1, 21st indent", "Article 1, 22nd indent"),
    ]


def test_the_date_is_that_of_the_signature_if_the_title_has_none() -> None:
    act = read("REGULATION No 59 OF THE COUNCIL\nTHE COUNCIL,\nHaving regard to the Treaty,\nArticle 1\nText.\n"
               "Done at Brussels, 3 July 1962.\nFor the Council\nThe President\nE. COLOMBO", language="en")  # fmt: skip
    assert act.date == "1962-07-03"


def test_the_end_of_a_sentence_opens_no_annex() -> None:
    act = enacting("Article 1\nIt shall bear a label which complies with the\nAnnex.\nMore text.")
    assert "annex" not in {section.kind for section in act.sections}


def test_the_first_date_of_a_title_is_the_acts() -> None:
    title = "Council Regulation (EC) No 9/2004 of 12 March 2004 amending Regulation of 5 January 1990"
    act = read(f"{title}\nTHE COUNCIL,\nHaving regard to the Treaty,\nArticle 1\nText.", language="en")
    assert (act.date, act.celex) == ("2004-03-12", "32004R0009")


@pytest.mark.parametrize("language", ["el", "cs", "hu", "mt", "ga"])
def test_decomposed_accents_make_no_difference(examples: Path, language: str) -> None:
    text = (examples / "short" / f"{language}.txt").read_text("utf-8")
    assert read(unicodedata.normalize("NFD", text)).to_json() == read(text).to_json()


def test_a_language_that_the_text_contradicts_is_warned_about(examples: Path) -> None:
    path = examples / "short" / "en.txt"
    assert "English" in read(path, language="fr").warnings[0]
    assert not read(path, language="en").warnings


def test_a_table_of_contents_opens_no_section() -> None:
    contents = "TABLE OF CONTENTS\nArticle 1\nScope\nArticle 2\nAims\nArticle 3\nMeans\nArticle 4\nEnd\n"
    body = "".join(f"Article {n}\nHeading\nThe text of it.\n" for n in range(1, 5))
    act = enacting(contents + body)
    assert [s.number for s in act.sections if s.kind == "article"] == ["1", "2", "3", "4"]
    assert "contents" in {piece.kind for piece in act.furniture}


def test_long_provisions_are_split_into_sentences_that_share_their_provision() -> None:
    sentence = "The Commission shall adopt, by means of acts, the rules that are needed for this purpose here. "
    act = enacting(f"Article 1\n{sentence * 4}")
    assert ids(act) == [f"art-1.s-{n}" for n in range(1, 5)]
    assert {unit.provision for unit in act.sections[3].units} == {"art-1"}
    assert ids(enacting(f"Article 1\n{sentence * 4}", sentences_from=0)) == ["art-1"]


def test_annexes_notes_signatures_and_tables_are_recognised() -> None:
    act = enacting(
        "Article 1\nText.\nDone at Brussels, 3 May 2003.\nFor the Council\nThe President\nX. YZ\n"
        "(1) OJ L 1, 2.3.2001, p. 4.\nANNEX I\nLIST\n1. One.\n1.1. Deeper.\nPART B\n1. Again.\n"
        "ANNEX II\nName | 12 |\nB | 3 |"
    )
    assert [s.kind for s in act.sections][3:] == ["article", "notes", "annex", "annex"]
    assert [u.id for u in act.sections[5].units] == ["anx-I.pt-1", "anx-I.pt-1.1", "anx-I.part-B.pt-1"]
    assert "signature" in {piece.kind for piece in act.furniture}
    assert act["note-1"].citation == "Footnote 1"
    assert [(u.kind, u.id, u.citation) for u in act.sections[6].units] == [
        ("table", "anx-II.tbl-1", "Annex II, table 1")
    ]


@pytest.mark.parametrize("header", ["Sole Article", "SOLE ARTICLE", "Article I", "Article 1", "ARTICLE 1."])
def test_headers_of_older_acts(header: str) -> None:
    act = enacting(f"{header}\nThe text of the article.")
    assert [s.kind for s in act.sections][-1] == "article"
    assert len(act.sections[-1].units) == 1


def test_points_of_a_recital_belong_to_the_text_that_introduces_them() -> None:
    recital = "(2) It is necessary.\nThe first reasons are:\n(a) one;\nThe second reasons are:\n(a) three;\n"
    act = read(HEAD.replace("HAS ADOPTED", recital + "HAS ADOPTED") + "Article 1\nIt applies.", language="en")
    units = [u for u in act.units if u.provision.startswith("rec-2")]
    assert [u.id for u in units] == ["rec-2", "rec-2.sub-2", "rec-2.sub-2.pt-a", "rec-2.sub-3", "rec-2.sub-3.pt-a"]
    assert units[4].citation == "Recital 2, third paragraph, point (a)"


def test_old_recitals_have_no_numbers() -> None:
    act = read(
        HEAD.replace("Whereas:\n(1) It is so.", "Whereas it is so;\nWhereas it is also so,") + "Article 1\nText."
    )
    assert [u.id for u in act.sections[2].units] == ["rec-1", "rec-2"]


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ("1 12 3 4 5", "1 3 4 5"),  # a misprint takes no other article with it
        ("1 3 4 5", "1 3 4 5"),
        ("1 7 8 9 3", "1 7 8 9"),
        ("1 999999999999 2 3", "1 2 3"),
    ],
)
def test_an_article_number_may_skip_if_later_ones_agree(numbers: str, found: str) -> None:
    act = enacting("\n".join(f"Article {number}\nWhat article {number} says." for number in numbers.split()))
    assert [section.number for section in act.sections if section.kind == "article"] == found.split()
    assert all(f"article {number} says" in act.source for number in numbers.split())


def test_recommendations_without_articles_have_a_body() -> None:
    act = read(HEAD.replace("HAS ADOPTED THIS REGULATION:", "HEREBY RECOMMENDS:") + "1. Do this.\n2. Do that.")
    assert [s.kind for s in act.sections] == ["title", "preamble", "recitals", "body"]
    assert [u.id for u in act.sections[3].units] == ["body.pt-1", "body.pt-2"]


def test_chapters_enclose_their_articles() -> None:
    act = enacting("TITLE I\nGENERAL\nCHAPTER 1\nScope\nArticle 1\nText.\nCHAPTER 2\nAims\nArticle 2\nText.")
    assert act.sections[3].enclosing == ("TITLE I GENERAL", "CHAPTER 1 Scope")
    assert act.sections[4].enclosing == ("TITLE I GENERAL", "CHAPTER 2 Aims")


CITATIONS = {
    "bg": "Член 3, параграф 2, буква б), подточка ii)",
    "cs": "Čl. 3 odst. 2 písm. b) bod ii)",
    "da": "Artikel 3, stk. 2, litra b), nr. ii)",
    "de": "Artikel 3 Absatz 2 Buchstabe b Ziffer ii",
    "el": "Άρθρο 3 παράγραφος 2 στοιχείο β) σημείο ii)",
    "en": "Article 3(2)(b)(ii)",
    "es": "Artículo 3, apartado 2, letra b), inciso ii)",
    "et": "Artikli 3 lõike 2 punkti b alapunkt ii",
    "fi": "3 artiklan 2 kohdan b alakohdan ii alakohta",
    "fr": "Article 3, paragraphe 2, point b) ii)",
    "ga": "Airteagal 3(2)(b)(ii)",
    "hr": "Članak 3. stavak 2. točka (b) podtočka ii.",
    "hu": "3. cikk (2) bekezdése b) pontjának ii. alpontja",
    "it": "Articolo 3, paragrafo 2, lettera b), punto ii)",
    "lt": "3 straipsnio 2 dalies b punkto ii papunktis",
    "lv": "3. panta 2. punkta b) apakšpunkta ii) punkts",
    "mt": "Artikolu 3(2)(b)(ii)",
    "nl": "Artikel 3, lid 2, punt b), ii)",
    "pl": "Art. 3 ust. 2 lit. b) ppkt ii)",
    "pt": "Artigo 3.º, n.º 2, alínea b), subalínea ii)",
    "ro": "Articolul 3 alineatul (2) litera (b) punctul (ii)",
    "sk": "Článok 3 ods. 2 písm. b) bod ii)",
    "sl": "Člen 3(2)(b)(ii)",
    "sv": "Artikel 3.2 b ii",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_is_the_same_act_in_every_language(examples: Path, language: str) -> None:
    english = read(examples / "short" / "en.txt")
    act = read(examples / "short" / f"{language}.txt")
    assert act.language == language
    assert (act.celex, act.type, act.date) == ("32024R9001", "regulation", "2024-03-12")
    assert list(dict.fromkeys(u.provision for u in act.units)) == list(
        dict.fromkeys(u.provision for u in english.units)
    )
    citations = {unit.provision: unit.citation for unit in act.units}
    assert citations["art-3.par-2.pt-b.pt-ii"] == CITATIONS[language]


def test_the_long_example(examples: Path) -> None:
    act = read(examples / "long" / "en.txt")
    assert [s.number for s in act.sections if s.kind == "article"] == [str(n) for n in range(1, 31)]
    assert [s.number for s in act.sections if s.kind == "annex"] == ["I", "II", "III"]
    assert "Recital 25, second sentence" in {unit.citation for unit in act.units}
    assert act["art-26.pt-3"].citation == "Article 26, point (3)"


def test_maltese_lists_count_their_dotted_letters() -> None:
    points = "".join(f"({letter}) għasel;\n" for letter in "abċdefg")
    act = read(f"Artikolu 1\nDan japplika għal:\n{points}Artikolu 2\nL-għasel huwa ħelu.", language="mt")
    assert [unit.id for unit in act if unit.kind == "point"] == [f"art-1.pt-{letter}" for letter in "abcdefg"]
    assert act["art-1.pt-c"].citation == "Artikolu 1, il-punt (ċ)"
