"""Finding provisions by citation and by id, and the suggestions for one that does not exist."""

from __future__ import annotations

import gzip
import json
import pickle
import re
from itertools import islice
from pathlib import Path

import pytest

from lexlattice import Act, LexLatticeError, read
from lexlattice.act.document import Unit
from lexlattice.errors import NoSuchProvisionError
from lexlattice.reading.citations.tables import cited_table
from lexlattice.reading.languages.grammar import LANGUAGES, load, raw

ANNEXED = """REGULATION (EU) 2024/9999 OF THE COUNCIL of 1 March 2024 on lamps
THE COUNCIL OF THE EUROPEAN UNION,
Whereas:
(1) Lamps are useful.
(2) They should be safe.
HAS ADOPTED THIS REGULATION:
Article 1
1. This Regulation applies to lamps.
It applies to lanterns as well.
2. It does not apply to:
(a) candles;
(b) lamps that:
(i) are toys;
(ii) are older than this Regulation.
Article 2
This Regulation enters into force tomorrow.
ANNEX I
Tests
1. Lamps are tested by day.
2. Lamps are tested by night.
ANNEX II
Marks
1. Lamps are marked.
"""


@pytest.fixture(scope="module")
def lamps() -> Act:
    return read(ANNEXED, language="en")


@pytest.mark.parametrize(
    ("cited", "found"),
    [
        ("Article 1", "art-1"),
        ("article 1", "art-1"),
        ("Art. 1", "art-1"),
        ("Art.1", "art-1"),
        ("1", "art-1"),
        ("Article 1(2)", "art-1.par-2"),
        ("Article 1 (2)", "art-1.par-2"),
        ("art. 1 par. 2", "art-1.par-2"),
        ("paragraph 2 of Article 1", "art-1.par-2"),
        ("Article 1(2)(a)", "art-1.par-2.pt-a"),
        ("1(2)(a)", "art-1.par-2.pt-a"),
        ("Article 1(2), point (a)", "art-1.par-2.pt-a"),
        ("point (a) of Article 1(2)", "art-1.par-2.pt-a"),
        ("Article 1(2)(b)(ii)", "art-1.par-2.pt-b.pt-ii"),
        ("Article 1(1), second subparagraph", "art-1.par-1.sub-2"),
        ("Article 1(1), first subparagraph", "art-1.par-1"),
        ("Article 2, first sentence", "art-2"),
        ("Recital 2", "rec-2"),
        ("recital (2)", "rec-2"),
        ("Annex I", "anx-I"),
        ("ANNEX I, point 2", "anx-I.pt-2"),
        ("point 2 of Annex I", "anx-I.pt-2"),
        ("art-1.par-2.pt-b", "art-1.par-2.pt-b"),
        ("ART-1.PAR-2", "art-1.par-2"),
        ("article 1 paragraph 2", "art-1.par-2"),
        ("art 1.2", "art-1.par-2"),
        ("1.2", "art-1.par-2"),
        ("art 1 2 a", "art-1.par-2.pt-a"),
        ("art. 1 § 2", "art-1.par-2"),
        ("Art. 1(2) pt. (b)", "art-1.par-2.pt-b"),
        ("rec. 2", "rec-2"),
        ("Artikel 1 Absatz 2 Buchstabe a", "art-1.par-2.pt-a"),
        ("Article 1(2) of Regulation (EU) 2024/9999", "art-1.par-2"),
        ("Article 1(2) of this Regulation.", "art-1.par-2"),
        ("annex II", "anx-II"),
        ("Title", "title"),
    ],
)
def test_a_provision_is_found_however_it_is_cited(lamps: Act, cited: str, found: str) -> None:
    assert lamps.find(cited).id == found


@pytest.mark.parametrize(
    "cited",
    ["Article 1(1)a", "art 1 9", "Article 1, comma 2", "Article 1(2) of Directive 95/46/EC", "§ 1", "rec 1 2"],
)
def test_a_part_of_a_citation_or_another_act_is_never_taken_for_what_was_asked(lamps: Act, cited: str) -> None:
    with pytest.raises(NoSuchProvisionError):
        lamps.find(cited)


@pytest.mark.parametrize(
    ("cited", "named"),
    [
        ("Articles 1 to 2", ["Article 1", "Article 2"]),
        ("Article 1–2", ["Article 1", "Article 2"]),
        ("Articles 1 and 2", ["Article 1", "Article 2"]),
        ("Article 1, Article 2", ["Article 1", "Article 2"]),
        ("Article 1(1) and (2)", ["Article 1(1)", "Article 1(2)"]),
        ("Article 1(2)(a) to (b)", ["Article 1(2)(a)", "Article 1(2)(b)"]),
        ("Artikel 1 und 2", ["Article 1", "Article 2"]),
        ("Article 1(1), second sentence", ["Article 1(1)"]),
        ("Art. 1 GDPR", ["Article 1"]),
        ("Article 1 of this Directive", ["Article 1"]),
        ("Article 2 of the Treaty", ["Article 2"]),
        ("not Article 2", ["Article 2"]),
        ("Art. 1(2) and so on", ["Article 1(2)"]),
        ("1. Article 2", ["Article 2"]),
    ],
)
def test_more_than_one_provision_is_refused_by_naming_them(lamps: Act, cited: str, named: list[str]) -> None:
    with pytest.raises(NoSuchProvisionError) as caught:
        lamps.find(cited)
    assert caught.value.values["nearest"] == named


@pytest.mark.parametrize("language", LANGUAGES)
def test_lists_and_ranges_are_refused_in_every_language(examples: Path, language: str) -> None:
    act = read(examples / "short" / f"{language}.txt")
    first, second = (act.provision(name).citation for name in ("art-3", "art-4"))
    words = raw(language)["references"]
    for joint in (*words["list"], *words["range"], "-", ","):
        with pytest.raises(NoSuchProvisionError):
            act.find(f"{first} {joint} {second}")


@pytest.mark.parametrize(
    ("language", "cited"),
    [
        ("de", "Artikel 5 Absatz 1"),
        ("fr", "article 5, paragraphe 1"),
        ("pl", "art. 5 ust. 1"),
        ("hu", "5. cikk (1) bekezdés"),
        ("fi", "5 artiklan 1 kohta"),
        ("lt", "5 straipsnio 1 dalis"),
        ("lv", "5. panta 1. punkts"),
        ("et", "artikli 5 lõige 1"),
        ("el", "άρθρο 5 παράγραφος 1"),
        ("bg", "член 5, параграф 1"),
        ("pt", "artigo 5.o, n.o 1"),
        ("sv", "artikel 5.1"),
        ("ga", "Airteagal 5(1)"),
        ("mt", "Artikolu 5(1)"),
    ],
)
def test_citations_can_be_in_the_language_of_the_act_or_in_english(examples: Path, language: str, cited: str) -> None:
    act = read(examples / "short" / f"{language}.txt")
    assert act.find(cited).id == act.find("Article 5(1)").id == "art-5.par-1"


def is_found(act: Act, unit: Unit) -> bool:
    """Whether a unit's citation leads to it, or to the provision whose sentence it is."""
    found = act.find(unit.citation)
    return found.id in (unit.id, unit.provision) or (found.id == "pre" and unit.position == 0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_unit_is_found_by_its_citation(examples: Path, language: str) -> None:
    act = read(examples / "short" / f"{language}.txt")
    assert [unit.id for unit in act.units if not is_found(act, unit)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_case_spacing_and_abbreviations_do_not_matter(examples: Path, language: str) -> None:
    act = read(examples / "short" / f"{language}.txt")
    short = re.compile(rf"(?i)\b{raw(language)['headwords']['article'][0]}\w*")
    for unit in act.units:
        cited, found = unit.citation, act.find(unit.citation).id
        spaced = re.sub(r"(?<=[\w)])(?=\()", " ", f"  {cited} ").replace(" ", "  ")
        abbreviated = short.sub(lambda word: f"{word[0][:3]}.", cited)
        for written in (cited.lower(), cited.upper(), spaced, abbreviated):
            assert act.find(written).id == found, written


@pytest.mark.data
def test_units_of_real_acts_are_found_by_their_citations(data: Path) -> None:
    """Acts in 23 languages, and files with annex parts, quoted text, tables and attached texts; 60 units of each."""
    with gzip.open(data / "acts" / "multi-eurlex.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in islice(lines, 3)]
    acts = [read(text, language=language) for versions in texts for language, text in versions.items()]
    acts += [read(path) for path in sorted((data / "acts" / "hard").glob("*/*/en.xml"))[:6]]
    missed = []
    for act in acts:
        missed += [
            (act.celex, act.language, unit.citation)
            for unit in act.units[:: max(1, len(act.units) // 60)]
            if not is_found(act, unit)
        ]
    assert missed == []


TABLED = b"""<html><body><p class="oj-doc-ti">COMMISSION REGULATION (EU) 2024/9001</p>
<p class="oj-normal">THE EUROPEAN COMMISSION,</p><p class="oj-normal">HAS ADOPTED THIS REGULATION:</p>
<p class="oj-ti-art">Article 1</p><p class="oj-normal">Lamps shall be marked as laid down in the Annex.</p>
<p class="oj-doc-ti">ANNEX II</p><table class="oj-table"><tbody><tr><th>Kind</th><th>Mark</th></tr>
<tr><td>Lamp</td><td>L</td></tr><tr><td>Lantern</td><td>N</td></tr></tbody></table></body></html>"""


def test_tables_and_rows_are_found_by_citation() -> None:
    act = read(TABLED)
    table = next(unit for unit in act.units if unit.kind == "table")
    assert act.find(table.citation).id == table.id == "anx-II.tbl-1"
    row = act.find("Annex II, table 1, row 3")
    assert (row.id, row.citation) == ("anx-II.tbl-1.row-3", "Annex II, table 1, row 3")
    assert row.text == act.source[row.start : row.end] == "Lantern\tN"
    assert act.provision(row.id) == row
    with pytest.raises(NoSuchProvisionError) as caught:
        act.find("Annex II, table 1, row 4")
    assert "Annex II" in str(caught.value).replace("Annex II, table 1, row 4", ""), "the nearest provision is suggested"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_row_is_cited_in_every_language(language: str) -> None:
    form = load(language).citation
    cited = f"Annex II{form['table'].final}{form['row'].final}".replace("{n}", "2")
    found = cited_table(cited, language)
    assert found is not None
    assert (found.parent, found.step) == ("Annex II", "tbl-2.row-2")


def test_a_missing_provision_is_an_error_with_suggestions(lamps: Act) -> None:
    with pytest.raises(NoSuchProvisionError) as caught:
        lamps.find("Article 1(7)")
    assert "Article 1(7)" in str(caught.value)
    assert "Article 1(2), Article 1(1), Article 1" in str(caught.value)
    with pytest.raises(NoSuchProvisionError) as caught:
        lamps.find("nothing of the kind")
    assert "nothing of the kind" in str(caught.value)
    with pytest.raises(NoSuchProvisionError) as caught:
        lamps["art-1.par-7"]
    assert "art-1.par-2, art-1.par-1, art-1" in str(caught.value)
    with pytest.raises(NoSuchProvisionError) as caught:
        lamps["anx-I"]
    assert "act.provision('anx-I')" in str(caught.value)
    for nothing in ("", " ", "(", "art-9", "5" * 5000, "Article " * 500, "(((" * 2000):
        with pytest.raises(NoSuchProvisionError):
            lamps.find(nothing)
        with pytest.raises(NoSuchProvisionError):
            lamps.provision(nothing)


def test_the_error_is_a_key_error_and_can_be_pickled() -> None:
    error = NoSuchProvisionError("There is none.")
    assert isinstance(error, LexLatticeError)
    assert isinstance(error, KeyError)
    assert str(pickle.loads(pickle.dumps(error))) == "There is none."


def test_a_provision_contains_all_units_below_it(lamps: Act) -> None:
    article = lamps.provision("art-1")
    assert [unit.id for unit in article] == [unit.id for unit in lamps.articles[0].units]
    assert len(article) == 7
    assert article.citation == "Article 1"
    assert article.text == lamps.source[article.start : article.end]
    assert article.words == len(article.text.split())
    assert [unit.id for unit in lamps.provision("art-1.par-2.pt-b")] == [
        "art-1.par-2.pt-b",
        "art-1.par-2.pt-b.pt-i",
        "art-1.par-2.pt-b.pt-ii",
    ]
    assert lamps.provision("recitals").units == lamps.provision("rec-1").units + lamps.provision("rec-2").units


def test_an_act_lists_articles_recitals_and_annexes(lamps: Act) -> None:
    assert [section.id for section in lamps.articles] == ["art-1", "art-2"]
    assert [provision.id for provision in lamps.recitals] == ["rec-1", "rec-2"]
    assert [section.id for section in lamps.annexes] == ["anx-I", "anx-II"]
    section = lamps.annexes[0]
    assert section.text == "1. Lamps are tested by day.\n2. Lamps are tested by night."
    assert lamps.source[section.start : section.end] == section.text
    assert section.words == len(section.text.split())


@pytest.mark.parametrize("profile", ["provisions", "paper"])
def test_every_section_has_a_unique_id(examples: Path, profile: str) -> None:
    act = read(examples / "long" / "en.txt", profile=profile)
    ids = [section.id for section in act.sections]
    assert len(set(ids)) == len(ids)
    for section in act.sections:
        assert act.provision(section.id).units == section.units
    assert [recital.citation for recital in act.recitals[:2]] == ["Recital 1", "Recital 2"]


def test_a_recital_in_sentences_is_cited_as_a_whole(examples: Path) -> None:
    act = read(examples / "long" / "en.txt")
    recital = act.find("Recital 25")
    assert recital.citation == "Recital 25"
    assert len(recital) > 1
    assert recital.text == act.source[recital.start : recital.end]
    assert act.find("Recital 25, second sentence").id == "rec-25.s-2"


def test_representations_are_short_and_escaped(examples: Path) -> None:
    act = read(examples / "long" / "en.txt")
    shown = [act, *act.sections, *act.recitals]
    assert all(len(repr(each)) <= 110 for each in shown)
    assert repr(act).startswith("<Act 32025R9100 en 'REGULATION (EU) 2025/9100")
    html = read("Regulation <b> & others\nArticle 1\nA < B & C.\nArticle 2\nD.", language="en")
    assert "<b>" not in html._repr_html_()
    assert "Regulation &lt;b&gt; &amp; others" in html._repr_html_()
    assert "A &lt; B &amp; C." in html.find("Article 1")._repr_html_()
    assert "<details>" in act._repr_html_()
    assert len(act._repr_html_()) < 20_000


def test_citations_of_the_preamble_are_found() -> None:
    act = read("REGULATION 1/2099\nTHE COUNCIL,\nHaving regard to A,\nHaving regard to B,\nWhereas:\n(1) Bees fly.")
    assert act.find("Preamble, second citation").text == "Having regard to B,"
    assert act.find("Preamble").id == "pre"


@pytest.mark.parametrize("cited", ["nonsense", "", "  "])
def test_text_that_is_not_a_citation_is_an_error_with_an_example(cited: str) -> None:
    act = read("Article 1\n1. Bees are free.\n2. Hives are not.\nArticle 2\nHoney is sweet.", language="en")
    with pytest.raises(NoSuchProvisionError) as caught:
        act.find(cited)
    assert "'Article 1(1)'" in str(caught.value)


def test_articles_numbered_within_their_chapter_have_unique_ids() -> None:
    first = "Article 1.1\n1. Bees are free.\n2. They fly.\nArticle 1.2\nHives are not.\n"
    act = read(f"AGREEMENT on bees\n{first}Article 2.1\nSo be it.", language="en")
    assert [section.id for section in act.articles] == ["art-1.1", "art-1.2", "art-2.1"]
    assert act.provision("art-1.1").text == "1. Bees are free.\n2. They fly."
    assert act.find("Article 1.2").text == "Hives are not."


def test_quoted_provisions_are_cited_as_quoted_text_and_found_by_that_citation() -> None:
    act = read(
        "REGULATION (EU) 2099/2\nArticle 1\nRegulation (EU) 2098/1 is amended as follows:\n"
        "‘Article 4\n1. Bees are free.\n2. Hives are not. They have keepers.’\n"
        "Article 2\nThis Regulation shall enter into force tomorrow.\n",
        language="en",
        sentences_from=4,
    )
    paragraph = act.provision("art-1.q-art-4.par-2")
    assert paragraph.citation == "Article 1, quoted text, Article 4(2)"
    assert act.find(paragraph.citation) == paragraph
