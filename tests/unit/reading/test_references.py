"""Cross-references in 24 languages: provisions of the act itself by id, other acts by CELEX number."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from helpers.timing import LINEAR, growth
from lexlattice import Act, read
from lexlattice.reading.citations import amended
from lexlattice.reading.citations.mentions import find_mentions
from lexlattice.reading.citations.resolve import path_to_id
from lexlattice.reading.citations.tokens import celex, find_cited_acts, tokenize
from lexlattice.reading.citations.vocabulary import fold_letters, load_vocabulary
from lexlattice.reading.languages.grammar import LANGUAGES, raw

LAMPS = """REGULATION (EU) 2024/9999 OF THE COUNCIL of 1 March 2024 amending Regulation (EC) No 12/2004
THE COUNCIL OF THE EUROPEAN UNION,
Having regard to Regulation (EC) No 1/2003, as amended by Regulation (EC) No 2/2004, in particular Article 5 thereof,
Whereas:
(1) Lamps are useful, as Article 9 says.
(2) Article 1 of this Regulation says which.
HAS ADOPTED THIS REGULATION:
Article 1
1. Lamps are lit as paragraph 2, point (b)(ii), says.
The first subparagraph applies to lanterns, and so do this Article and Article 2.
2. The following are no lamps:
(a) candles;
(b) those that:
(i) are toys;
(ii) fall under point (a) or Annex I, point 2.
3. Articles 1 to 3 apply. Article 3(1) and (2) of Directive 2004/39/EC, Article 7 of that Directive, Article 16 TFEU.
Article 2
In Regulation (EC) No 12/2004, Article 3 is deleted, as Article 17 says.
Article 3
Directive 96/71/EC is amended as follows:
(1) in Article 4, paragraph 2 is replaced by the following:
‘2. Member States shall act under paragraph 1.’;
ANNEX I
Tests
1. Lamps are tested by day.
2. Lamps are tested by night, as in point 1.
"""


def named(text: str, language: str) -> set[tuple[str, str]]:
    """The provisions a text names, with the act each belongs to."""
    words = load_vocabulary(language)
    return {
        (mention.act.celex if mention.act is not None else mention.owner, path_to_id(path))
        for mention in find_mentions(tokenize(text, words), words)
        for path in mention.paths
    }


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("bg", "посочена в параграф 1, до 31 декември 2027 г.", {"par-1"}),
        ("pt", "nos termos do n.o 1 até 31 de dezembro de 2027", {"par-1"}),
        ("ro", "menționată la alineatul (1) până la 31 mai 2027", {"par-1"}),
        ("ro", "menționate la alineatele (1)-(3)", {"par-1", "par-2", "par-3"}),
        ("en", "Articles 5 to 7 may apply", {"art-5", "art-6", "art-7"}),
        ("hu", "a 2. és a 3. cikk alkalmazásáról", {"art-2", "art-3"}),
        ("hu", "az (1), a (2) és a (4) bekezdés", {"par-2", "par-4"}),
    ],
)
def test_dates_end_no_range_and_articles_of_speech_end_no_list(language: str, text: str, expected: set[str]) -> None:
    assert {provision for _, provision in named(text, language)} == expected


def test_this_treaty_in_the_preamble_is_the_treaty_named_before(examples: Path) -> None:
    act = read(examples / "directive" / "cs.txt")
    [found] = [reference for reference in act.references() if reference.text.startswith("čl. 192")]
    assert (found.kind, found.provision) == ("treaty", "art-192.par-1")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_correlation_table_of_the_example_leads_to_both_acts(examples: Path, language: str) -> None:
    act = read(examples / "directive" / f"{language}.txt")
    found = [reference for reference in act.references() if reference.unit == "anx-II.tbl-1" and reference.provision]
    own = [reference for reference in act.references() if reference.unit == "anx-II.tbl-1" and reference.targets]
    assert {reference.celex for reference in found} == {"32006L9031"}
    assert own


@pytest.fixture(scope="module")
def lamps() -> Act:
    return read(LAMPS, language="en")


def test_references_to_the_act_itself_are_ids(lamps: Act) -> None:
    found = {(r.unit, r.text): r.targets for r in lamps.references() if r.kind == "internal"}
    assert found == {
        ("rec-2", "Article 1"): ("art-1",),
        ("art-1.par-1", "paragraph 2, point (b)(ii)"): ("art-1.par-2.pt-b.pt-ii",),
        ("art-1.par-1.sub-2", "first subparagraph"): ("art-1.par-1",),
        ("art-1.par-1.sub-2", "this Article"): ("art-1",),
        ("art-1.par-1.sub-2", "Article 2"): ("art-2",),
        ("art-1.par-2.pt-b.pt-ii", "point (a)"): ("art-1.par-2.pt-a",),
        ("art-1.par-2.pt-b.pt-ii", "Annex I, point 2"): ("anx-I.pt-2",),
        ("art-1.par-3", "Articles 1 to 3"): ("art-1", "art-2", "art-3"),
        ("anx-I.pt-2", "point 1"): ("anx-I.pt-1",),
    }


def test_references_to_other_acts_are_celex_numbers(lamps: Act) -> None:
    found = [(r.unit, r.celex, r.provision) for r in lamps.references() if r.kind == "external"]
    assert found == [
        ("title", "32004R0012", ""),
        ("pre-2", "32003R0001", ""),
        ("pre-2", "32004R0002", ""),
        ("pre-2", "32003R0001", "art-5"),
        ("art-1.par-3", "32004L0039", "art-3.par-1 art-3.par-2"),
        ("art-1.par-3", "32004L0039", "art-7"),
        ("art-2", "32004R0012", "art-3"),
        ("art-3", "31996L0071", ""),
        ("art-3.pt-1", "31996L0071", "art-4.par-2"),
        ("art-3.pt-1.q.par-2", "31996L0071", "art-4.par-1"),
    ]
    assert [(r.text, r.provision) for r in lamps.references() if r.kind == "treaty"] == [("Article 16", "art-16")]


def test_ambiguous_references_have_no_target(lamps: Act) -> None:
    """A recital's bare article, an article that is not there, and what an amendment says of the amended act."""
    found = {(r.unit, r.provision) for r in lamps.references() if r.kind == "other"}
    assert {("rec-1", "art-9"), ("art-2", "art-17")} <= found
    assert not any(r.targets for r in lamps.references() if r.unit.startswith("art-3"))


def test_a_reference_is_a_slice_of_the_source(lamps: Act) -> None:
    for reference in lamps.references():
        unit = lamps[reference.unit]
        assert reference.text == lamps.source[reference.start : reference.end]
        assert unit.start <= reference.start < reference.end <= unit.end
        assert all(target in lamps._below for target in reference.targets)
    assert lamps.references() is lamps.references()


ORCHARDS = """REGULATION (EU) 2024/9998 OF THE COUNCIL of 1 March 2024 on orchards
THE COUNCIL OF THE EUROPEAN UNION,
Having regard to Council Regulation (EC) No 597/2009 (‘the basic Regulation’),
Whereas:
(1) Article 2(1) says which trees are meant.
(2) Regulation (EU) No 543/2011 laying down rules for Regulation (EC) No 1234/2007 lists apples in Annex XVIII thereto.
HAS ADOPTED THIS REGULATION:
CHAPTER I
SCOPE
Article 1
1. Trees are planted under Article 24(5) of the basic Regulation and Chapter II.
2. Paragraph 1 applies to shrubs; the conditions of that paragraph are met by hedges.
3. Article 12(1) of ISF Regulation and Articles 10 to 12 of Regulations (EU) No 1093/2010 and (EU) No 1094/2010 apply.
CHAPTER II
TREES
Article 2
1. Trees are tall.
2. Article 1, second indent, and Articles 1, 2, 3 and Article 3 apply to trees.
Article 3
Trees bear fruit under this Regulation, and in particular Article 2 thereof.
Article 4
Regulation (EU) No 543/2011 is amended as follows:
(1) Article 5 is amended as follows:
(a) paragraph 2 is replaced by the following:
‘2. Pears are fruit under paragraph 1 and Article 7 of this Regulation.
The first subparagraph applies to quinces.’;
"""


@pytest.fixture(scope="module")
def orchards() -> Act:
    return read(ORCHARDS, language="en")


def cited(act: Act, unit: str) -> list[tuple[str, ...]]:
    """What the units below an id cite: targets, or the other act and what is cited in it."""
    inside = {each.id for each in act.provision(unit)}
    return [r.targets or (r.celex, r.provision) for r in act.references() if r.unit in inside]


def test_an_alias_refers_to_its_act(orchards: Act) -> None:
    assert cited(orchards, "art-1.par-1") == [("32009R0597", "art-24.par-5"), ("art-2", "art-3", "art-4")]


def test_that_paragraph_is_the_one_named_last(orchards: Act) -> None:
    assert cited(orchards, "art-1.par-2") == [("art-1.par-1",), ("art-1.par-1",)]


def test_acts_that_share_a_word_share_the_provision_and_unknown_names_have_no_celex_number(orchards: Act) -> None:
    assert cited(orchards, "art-1.par-3") == [
        ("", "art-12.par-1"),
        ("32010R1093", "art-10 art-11 art-12"),
        ("32010R1094", "art-10 art-11 art-12"),
    ]


def test_a_path_deeper_than_the_act_resolves_to_the_enclosing_provision(orchards: Act) -> None:
    assert cited(orchards, "art-2.par-2") == [("art-1",), ("art-1", "art-2", "art-3"), ("art-3",)]


def test_a_recital_that_names_no_other_act_refers_to_its_own(orchards: Act) -> None:
    assert cited(orchards, "rec-1") == [("art-2.par-1",)]
    assert cited(orchards, "rec-2")[-1] == ("32011R0543", "anx-XVIII")
    assert cited(orchards, "art-3") == [("art-2",)]


def test_quoted_text_of_an_amendment_refers_to_the_amended_act(orchards: Act) -> None:
    assert cited(orchards, "art-4") == [
        ("32011R0543", ""),
        ("32011R0543", "art-5"),
        ("32011R0543", "art-5.par-2"),
        ("32011R0543", "art-5.par-1"),
        ("32011R0543", "art-7"),
        ("32011R0543", "art-5.par-2.sub-1"),
    ]


CORRELATED = b"""<html><body><p class="oj-doc-ti">COMMISSION REGULATION (EU) 2024/9001</p>
<p class="oj-normal">THE EUROPEAN COMMISSION,</p><p class="oj-normal">HAS ADOPTED THIS REGULATION:</p>
<p class="oj-ti-art">Article 1</p><p class="oj-normal">Lamps shall be marked.</p>
<p class="oj-ti-art">Article 2</p><p class="oj-normal">Lamps shall be lit.</p>
<p class="oj-doc-ti">ANNEX</p><p class="oj-ti-tbl">Correlation table</p><table class="oj-table"><tbody>
<tr><th>Directive 98/8/EC</th><th>This Regulation</th></tr><tr><td>Article 7(1)</td><td>Article 1</td></tr>
<tr><td>Article 8</td><td>Article 2</td></tr></tbody></table></body></html>"""


def test_the_head_of_a_correlation_table_tells_the_act_of_each_column() -> None:
    found = [r for r in read(CORRELATED).references() if ".tbl-" in r.unit]
    assert [r.targets or (r.celex, r.provision) for r in found] == [
        ("31998L0008", ""),
        ("31998L0008", "art-7.par-1"),
        ("art-1",),
        ("31998L0008", "art-8"),
        ("art-2",),
    ]


@pytest.mark.parametrize(
    ("cells", "owned"),
    [
        (["Directive 98/8/EC", "This Regulation", "Article 1", "Article 2", "Article 3", "Article 4"], 4),
        (["Directive 98/8/EC", "This Regulation", *(f"Article {n}" for n in (1, 11, 2, 12, 3, 4, 14, 5, 15))], 9),
        (["Directive 98/8/EC", "This Regulation", *(f"Article {n}" for n in (9, 50, 1, 90, 30, 9, 70, 20))], 0),
        (["Article 1", "Article 2", "Article 3", "Article 4"], 0),
    ],
)
def test_cells_without_rows_are_assigned_only_if_their_number_and_order_fit(cells: list[str], owned: int) -> None:
    found = amended.table_cells("\n".join(cells), load_vocabulary("en"), [])
    assert "\n".join(cell.text for cell in found) == "\n".join(cells)
    assert sum(cell.owner is not None for cell in found) == owned


FORMS = {
    "bg": "член 5, параграф 1, букви а) и б) от Директива 2004/39/ЕО",
    "cs": "čl. 5 odst. 1 písm. a) a b) směrnice 2004/39/ES",
    "da": "artikel 5, stk. 1, litra a) og b), i direktiv 2004/39/EF",
    "de": "Artikel 5 Absatz 1 Buchstaben a und b der Richtlinie 2004/39/EG",
    "el": "άρθρο 5 παράγραφος 1 στοιχεία α) και β) της οδηγίας 2004/39/ΕΚ",
    "en": "points (a) and (b) of Article 5(1) of Directive 2004/39/EC",
    "es": "artículo 5, apartado 1, letras a) y b), de la Directiva 2004/39/CE",
    "et": "direktiivi 2004/39/EÜ artikli 5 lõike 1 punktid a ja b",
    "fi": "direktiivin 2004/39/EY 5 artiklan 1 kohdan a ja b alakohta",
    "fr": "article 5, paragraphe 1, points a) et b), de la directive 2004/39/CE",
    "ga": "Airteagal 5(1)(a) agus (b) de Threoir 2004/39/CE",
    "hr": "članka 5. stavka 1. točaka (a) i (b) Direktive 2004/39/EZ",
    "hu": "a 2004/39/EK irányelv 5. cikke (1) bekezdésének a) és b) pontja",
    "it": "articolo 5, paragrafo 1, lettere a) e b), della direttiva 2004/39/CE",
    "lt": "Direktyvos 2004/39/EB 5 straipsnio 1 dalies a ir b punktai",
    "lv": "Direktīvas 2004/39/EK 5. panta 1. punkta a) un b) apakšpunkts",
    "mt": "l-Artikolu 5(1)(a) u (b) tad-Direttiva 2004/39/KE",
    "nl": "artikel 5, lid 1, onder a) en b), van Richtlijn 2004/39/EG",
    "pl": "art. 5 ust. 1 lit. a) i b) dyrektywy 2004/39/WE",
    "pt": "alíneas a) e b) do n.o 1 do artigo 5.o da Diretiva 2004/39/CE",
    "ro": "articolul 5 alineatul (1) literele (a) și (b) din Directiva 2004/39/CE",
    "sk": "čl. 5 ods. 1 písm. a) a b) smernice 2004/39/ES",
    "sl": "točki (a) in (b) prvega odstavka 5. člena Direktive 2004/39/ES",
    "sv": "artikel 5.1 a och b i direktiv 2004/39/EG",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_mentions_are_parsed_in_every_language(language: str) -> None:
    assert named(FORMS[language], language) == {
        ("32004L0039", "art-5.par-1.pt-a"),
        ("32004L0039", "art-5.par-1.pt-b"),
    }


THIS = {
    "bg": "член 6 от настоящия регламент",
    "de": "Artikel 6 dieser Verordnung",
    "el": "άρθρο 6 του παρόντος κανονισμού",
    "et": "käesoleva määruse artikkel 6",
    "fi": "tämän asetuksen 6 artikla",
    "fr": "l'article 6 du présent règlement",
    "ga": "Airteagal 6 den Rialachán seo",
    "hu": "e rendelet 6. cikke",
    "lt": "šio reglamento 6 straipsnis",
    "lv": "šīs regulas 6. pants",
    "pl": "art. 6 niniejszego rozporządzenia",
    "sl": "člen 6 te uredbe",
    "sv": "artikel 6 i denna förordning",
}


@pytest.mark.parametrize("language", THIS)
def test_this_regulation_is_the_act_itself(language: str) -> None:
    assert named(THIS[language], language) == {("this", "art-6")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Regulation (EU) No 575/2013", ["32013R0575"]),
        ("Regulation (EU) 2016/679", ["32016R0679"]),
        ("Council Regulation (EEC) No 2377/90", ["31990R2377"]),
        ("Regulation (EC) No 2023/2006", ["32006R2023"]),
        ("Directive 96/71/EC", ["31996L0071"]),
        ("Directive (EU) 2015/849", ["32015L0849"]),
        ("Council Decision 1999/468/EC", ["31999D0468"]),
        ("Decision No 1982/2006/EC", ["32006D1982"]),
        ("Council Framework Decision 2002/584/JHA", ["32002F0584"]),
        ("Commission Recommendation 2003/361/EC", ["32003H0361"]),
        (
            "Regulations (EU) No 1093/2010, (EU) No 1094/2010 and (EU) No 1095/2010",
            ["32010R1093", "32010R1094", "32010R1095"],
        ),
        ("Directives 2004/39/EC and 2006/48/EC", ["32004L0039", "32006L0048"]),
        ("OJ L 123/45, a ratio of 1/2", []),
    ],
)
def test_numbers_of_acts_become_celex_numbers(text: str, expected: list[str]) -> None:
    assert [act.celex for act in find_cited_acts(fold_letters(text), load_vocabulary("en"))] == expected


def test_an_impossible_year_gives_no_celex_number() -> None:
    assert celex("regulation", "12", "34", "", signed=True) == ""


def test_joined_mentions_share_article_and_act() -> None:
    assert named("Article 5(1) and Article 6 of Directive 2004/39/EC", "en") == {
        ("32004L0039", "art-5.par-1"),
        ("32004L0039", "art-6"),
    }
    assert named("Artikel 5 Absatz 1 Buchstabe a und Absatz 3", "de") == {("", "art-5.par-1.pt-a"), ("", "art-5.par-3")}


def test_a_mention_does_not_continue_in_the_next_sentence() -> None:
    assert named("It falls under point (c). Article 5 applies.", "en") == {("", "pt-c"), ("", "art-5")}
    assert named("članka 5. stavka 1. točke (a) Direktive 2004/39/EZ", "hr") == {("32004L0039", "art-5.par-1.pt-a")}


@pytest.mark.parametrize(
    ("begun", "repeated"), [("", "point (a) of "), ("Articles ", "5, "), ("", "1/1, "), ("", "first and ")]
)
def test_a_hostile_text_is_parsed_in_linear_time(begun: str, repeated: str) -> None:
    few, many = (f"Article 1\n{begun}{repeated * count}and 6 Article 1" for count in (500, 4000))
    assert growth(lambda: parsed(few), lambda: parsed(many)) < LINEAR


def parsed(text: str) -> object:
    return read(text, language="en").references()


def test_dates_periods_and_journals_are_not_provisions() -> None:
    assert (
        named("within a period of 30 days, on 5 May 2004 (OJ L 123, 4.5.2004, p. 1), 3 articles of clothing", "en")
        == set()
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_entries(language: str) -> None:
    for table in ("references", "definitions"):
        own, english = raw(language)[table], raw("en")[table]
        assert list(own) == list(english)
        assert all(type(own[key]) is type(english[key]) for key in english)
    assert len(raw(language)["references"]["ordinals"]) == 10


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_examples_refer_to_the_same_provisions_in_every_language(examples: Path, language: str) -> None:
    def pointed(act: Act) -> set[tuple[str, str]]:
        return {(act[r.unit].provision, target) for r in act.references() for target in (*r.targets, r.celex) if target}

    english = pointed(read(examples / "short" / "en.txt"))
    found = pointed(read(examples / "short" / f"{language}.txt"))
    assert len(found & english) >= 0.9 * max(len(found), len(english))


@pytest.mark.data
def test_language_versions_refer_to_the_same_provisions(data: Path) -> None:
    """F1 of (provision, target) against English: ≥ 95 % over all languages; the benchmark prints each."""
    same = total = 0
    with gzip.open(data / "acts" / "multi-eurlex.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            texts = json.loads(line)["text"]
            acts = {language: read(text, language=language) for language, text in texts.items()}
            counts = {language: _pointed(act) for language, act in acts.items()}
            for language, count in counts.items():
                if {u.provision for u in acts[language].units} == {u.provision for u in acts["en"].units}:
                    same += (count & counts["en"]).total()
                    total += count.total() + counts["en"].total()
    assert 2 * same >= 0.95 * total


def _pointed(act: Act) -> Counter[tuple[str, ...]]:
    return Counter(
        (act[r.unit].provision, target)
        for r in act.references()
        for target in (*r.targets, *(f"{r.celex} {each}" for each in r.provision.split(" ") if r.celex))
    )
