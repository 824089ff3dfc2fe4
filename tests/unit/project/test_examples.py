"""What the reader makes of the examples: the acts in 24 languages, and each pattern in `examples/patterns`."""

from __future__ import annotations

from collections import Counter

import pytest

from helpers import EXAMPLES
from helpers.laws import assert_laws
from lexlattice import Act, read
from lexlattice.errors import ReadingError
from lexlattice.reading import LANGUAGES
from lexlattice.reading.structure.health import health

PATTERNS = EXAMPLES / "patterns"
NAMES = sorted(path.name for path in PATTERNS.iterdir())
ACTS = [name for name in NAMES if name != "error-page.html"]
AMENDING = ["amending.oj.xhtml", "amending.txt"]
PARTS = ["annex-parts.fmx.xml", "annex-parts.oj.xhtml", "annex-parts.txt"]
ROWS = [
    *(["Class", "Height", "Mark"], ["I", "20 cm", "5 mm"], ["II", "30 cm", "7 mm"], ["III", "40 cm", "9 mm"]),
    *(["IV", "50 cm", "11 mm"], ["V", "60 cm", "13 mm"]),
]
# Folders with one act in 24 languages: its type and date, and how many terms it defines.
TRANSLATED = {
    "short": ("regulation", "2024-03-12", 3),
    "directive": ("directive", "2025-10-08", 5),
    "decision": ("decision", "2025-11-24", 0),
}
# References within these acts that must be found in every language.
REFERENCES = {
    "short": {("art-5.par-1", "anx")},
    "directive": {
        *(("art-4.par-2.pt-d", "anx-I"), ("art-4.par-2.pt-f", "art-4.par-2.pt-a"), ("art-4.par-3", "art-4.par-2")),
        *(("art-5.par-2", "art-4.par-2.pt-e"), ("art-6", "art-4"), ("art-9.sub-2", "anx-II")),
    },
    "decision": {("art-4.par-2", "art-2.par-1")},
}


def pattern(name: str) -> Act:
    return read(PATTERNS / name)


def numbers(act: Act, kind: str) -> list[str]:
    return [section.number for section in act.sections if section.kind == kind]


def citation(act: Act, unit_id: str) -> str:
    """A unit's citation, whatever the case in which an act writes "PART A"."""
    return act[unit_id].citation.casefold()


def text(act: Act) -> str:
    """All that can be cited and chosen."""
    return "\n".join(unit.text for unit in act.units)


# --- one act in 24 languages ------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", TRANSLATED)
def test_an_act_is_there_in_every_language_line_for_line(folder: str) -> None:
    lines = {path.stem: path.read_text("utf-8").count("\n") for path in (EXAMPLES / folder).iterdir()}
    assert set(lines) == set(LANGUAGES)
    assert len(set(lines.values())) == 1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("folder", TRANSLATED)
def test_an_act_is_read_alike_in_every_language(folder: str, language: str) -> None:
    act, english = (read(EXAMPLES / folder / f"{code}.txt") for code in (language, "en"))
    assert_laws(act)
    assert not act.warnings
    assert act.language == language
    assert (act.type, act.date, len(act.definitions())) == TRANSLATED[folder]
    assert act.celex == english.celex
    assert [unit.id for unit in act.units] == [unit.id for unit in english.units]
    assert [len(unit.rows) for unit in act.units] == [len(unit.rows) for unit in english.units]
    assert [x.unit for x in act.definitions()] == [x.unit for x in english.definitions()]
    found = {(reference.unit, target) for reference in act.references() for target in reference.targets}
    assert found >= REFERENCES[folder]
    assert {x.celex for x in act.references()} == {x.celex for x in english.references()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_directive_has_its_chapters_and_a_correlation_table_in_two_columns(language: str) -> None:
    act = read(EXAMPLES / "directive" / f"{language}.txt")
    chapters = [section.enclosing for section in act.sections if section.kind == "article"]
    assert [len(set(chapters[first:last])) for first, last in ((0, 2), (2, 6), (6, 11))] == [1, 1, 1]
    assert len(set(chapters)) == 3
    assert [len(row) for row in act["anx-II.tbl-1"].rows] == [2] * 12


# --- all patterns -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ACTS)
def test_nothing_of_a_pattern_is_lost_or_duplicated(name: str) -> None:
    act = pattern(name)
    assert_laws(act)
    assert Act.from_json(act.to_json()) == act


@pytest.mark.parametrize("name", [name for name in ACTS if name not in ("bilingual.txt", "repealed.html")])
def test_the_numbers_of_a_pattern_have_no_gaps_and_no_repeats(name: str) -> None:
    counts = health(pattern(name)).counts
    assert not any(n for name, n in counts.items() if name.endswith(("-gaps", "-repeats")) or name == "doubled-ids")


@pytest.mark.parametrize("name", ACTS)
def test_citations_of_provisions_are_unique(name: str) -> None:
    cited = Counter(unit.citation for unit in pattern(name).units if unit.kind not in ("title", "citation"))
    assert [citation for citation, times in cited.items() if times > 1] == []


@pytest.mark.parametrize("name", ACTS)
def test_citations_of_preamble_lines_are_unique(name: str) -> None:
    cited = [unit.citation for unit in pattern(name).units if unit.kind == "citation"]
    assert len(set(cited)) == len(cited)


# --- amending acts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", AMENDING)
def test_quoted_articles_are_not_articles_of_the_amending_act(name: str) -> None:
    act = pattern(name)
    assert numbers(act, "article") == ["1", "2"]
    assert [act[f"art-1.pt-{n}"].citation for n in (1, 2, 3, 4)] == [f"Article 1, point ({n})" for n in (1, 2, 3, 4)]
    assert act["art-1.pt-2.pt-b"].citation == "Article 1, point (2)(b)"


@pytest.mark.parametrize("name", AMENDING)
def test_a_quoted_article_is_cited_below_the_point_that_inserts_it(name: str) -> None:
    act = pattern(name)
    around = "Article 1, point (3), quoted text, Article"
    assert act["art-1.pt-3.q-art-5a.par-1"].citation == f"{around} 5a(1)"
    assert act["art-1.pt-3.q-art-5a.par-2.pt-b"].citation == f"{around} 5a(2)(b)"
    assert act["art-1.pt-3.q-art-5b"].citation == f"{around} 5b"
    assert act["art-1.pt-3.q-art-5b"].text.endswith("The keeper shall report the loss of a label within seven days.’;")


@pytest.mark.parametrize("name", AMENDING)
def test_quoted_points_and_paragraphs_are_marked_as_quoted(name: str) -> None:
    act = pattern(name)
    for words, point in (("can be read by radio", "art-1.pt-1"), ("shall bear a label or", "art-1.pt-2.pt-a")):
        (unit,) = (unit for unit in act.units if words in unit.text)
        assert unit.id.startswith(f"{point}.q")
        assert unit.citation.startswith(f"{act[point].citation}, quoted text")


# --- attached acts and recommendations --------------------------------------------------------------------


def test_the_articles_of_an_attached_agreement_belong_to_it() -> None:
    act = pattern("attachment.txt")
    assert numbers(act, "article") == ["1", "2", "3", "1", "2", "3", "4"]
    assert act["art-1"].text.startswith("The Agreement between")
    assert act["att-1.art-1"].text == "The Parties shall protect bees that cross their common border."
    assert act["att-1.art-2.par-2.pt-b"].text.startswith("(b) no more beehives")


def test_the_articles_of_an_attached_agreement_are_not_cited_as_those_of_the_decision() -> None:
    act = pattern("attachment.txt")
    assert act["art-1"].citation == "Article 1"
    assert act["att-1.art-1"].citation != "Article 1"
    assert act["att-1.art-2.par-2.pt-b"].citation.endswith("Article 2(2)(b)")


def test_a_recommendation_keeps_the_words_that_recommend() -> None:
    assert "HEREBY RECOMMENDS THAT MEMBER STATES" in text(pattern("recommendation.txt"))


def test_the_points_of_a_recommendation_have_only_their_own_headings() -> None:
    act = pattern("recommendation.txt")
    points = {unit.number: unit for unit in act.units if unit.kind == "point" and unit.number.isdigit()}
    assert list(points) == ["1", "2", "3", "4", "5"]
    for number, unit in points.items():
        assert ".sub-" not in unit.provision
        assert unit.citation.casefold().endswith(f"point {number}")
    assert not [unit for unit in act.units if unit.text in ("I. PLANNING", "II. LAMPS", "III. FOLLOW-UP")]


# --- annexes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PARTS)
def test_annexes_in_parts_with_tables_and_notes_stay_annexes(name: str) -> None:
    act = pattern(name)
    first = next(section.index for section in act.sections if section.kind == "annex")
    assert [(s.kind, s.number) for s in act.sections[first:]] == [("annex", "I"), ("annex", "II"), ("annex", "III")]
    assert act.sections[first].heading == "REQUIREMENTS FOR SMOKERS"
    assert act["anx-III.pt-2"].citation == "Annex III, point 2"


@pytest.mark.parametrize("name", PARTS)
def test_each_part_of_an_annex_restarts_its_numbering(name: str) -> None:
    act = pattern(name)
    assert citation(act, "anx-I.part-A.pt-1") == "annex i, part a, point 1"
    assert citation(act, "anx-I.part-B.pt-2.pt-b") == "annex i, part b, point 2(b)"
    assert citation(act, "anx-I.part-C.pt-3") == "annex i, part c, point 3"
    assert health(act).counts["deep-citations"] == 0


@pytest.mark.parametrize("name", PARTS)
def test_a_table_in_an_annex_is_one_unit(name: str) -> None:
    act = pattern(name)
    table = act["anx-II.tbl-1"]
    assert (table.kind, table.citation) == ("table", "Annex II, table 1")
    cells = [cell.removesuffix(" (1)") for row in table.rows for cell in row]
    assert cells == [cell for row in ROWS for cell in row]
    if not name.endswith(".txt"):
        assert [len(row) for row in table.rows] == [3] * len(ROWS)


def test_a_note_to_a_table_stays_in_its_annex() -> None:
    act = pattern("annex-parts.fmx.xml")
    (note,) = (unit for unit in act.units if "Without the bellows." in unit.text)
    assert note.id.startswith("anx-II.")


# --- contents, two languages, what is cut off -------------------------------------------------------------


def test_a_table_of_contents_does_not_absorb_the_act() -> None:
    act = pattern("contents.txt")
    assert [(section.kind, section.number) for section in act.sections] == [
        *((kind, "") for kind in ("title", "preamble", "recitals")),
        *(("article", number) for number in "1234"),
        *(("annex", number) for number in ("I", "II")),
    ]
    assert act["art-3.par-2"].citation == "Article 3(2)"
    assert act["anx-I.pt-2"].citation == "Annex I, point 2"
    assert "contents" in {piece.kind for piece in act.furniture}


def test_the_divisions_of_an_act_with_contents_are_those_of_its_text() -> None:
    articles = [section for section in pattern("contents.txt").sections if section.kind == "article"]
    assert [section.heading for section in articles][:3] == ["Scope", "Definitions", "Obligations of sellers"]
    assert [section.enclosing for section in articles] == [
        *[("TITLE I GENERAL PROVISIONS",)] * 2,
        *[("TITLE II PLACING ON THE MARKET",)] * 2,
    ]


def test_a_convention_in_two_languages_is_read_in_the_first() -> None:
    act = pattern("bilingual.txt")
    assert act.language == "en"
    assert act["art-2.par-1"].citation == "Article 2(1)"
    assert act["art-3"].text == "This Convention shall enter into force six months after the fifth ratification."


def test_the_second_language_of_a_convention_is_not_cited_as_the_first() -> None:
    act = pattern("bilingual.txt")
    assert numbers(act, "article")[:3] == ["1", "2", "3"]
    own = {unit.citation: unit.text for unit in act.units if unit.id.startswith("art-")}
    assert not any("abeilles" in words or "ruches" in words for words in own.values())
    rest = [unit for unit in act.units if "abeilles" in unit.text and unit.kind != "title"]
    assert not [unit for unit in rest if unit.citation in own]


def test_a_truncated_act_has_a_warning() -> None:
    act = pattern("cut-off.txt")
    assert act.incomplete
    assert any("cut off" in warning for warning in act.warnings)
    assert [section.kind for section in act.sections] == ["title", "preamble", "recitals"]


# --- consolidated texts and saved pages -------------------------------------------------------------------


def test_a_consolidated_act_has_no_arrows_and_its_articles_in_order() -> None:
    act = pattern("consolidated.html")
    assert (act.celex, act.consolidated, act.date) == ("32021R9900", "2025-06-01", "2021-12-08")
    assert act.title.startswith("REGULATION (EU) 2021/9900")
    assert numbers(act, "article") == ["1", "2", "2a", "3"]
    assert act["art-1"].text == "This Regulation applies to keepers of bees, bumblebees and butterflies."
    assert not set("►▼◄") & set(text(act))


def test_the_annex_of_a_consolidated_act_is_cited_by_its_parts() -> None:
    act = pattern("consolidated.html")
    assert citation(act, "anx-I.part-B.pt-2") == "annex i, part b, point 2"
    assert [section.heading for section in act.sections if section.kind == "annex"] == ["SHELTER"]


def test_a_consolidated_act_has_its_number() -> None:
    assert pattern("consolidated.html").consolidated_celex == "02021R9900-20250601"


def test_a_repealed_act_without_text_names_the_repealing_act() -> None:
    act = pattern("repealed.html")
    assert act.celex == "32001R9110"
    assert act.title == "COUNCIL REGULATION (EC) No 9110/2001 of 19 November 2001 on names under which honey is sold"
    assert "2025/9501" in (act.repealed or "")
    assert [section.kind for section in act.sections] == ["title"]


def test_only_the_act_of_a_saved_page_is_read() -> None:
    act = pattern("saved-page.html")
    assert act.celex == "32025R9701"
    assert act.title == "COMMISSION REGULATION (EU) 2025/9701 of 9 September 2025 on the colour of beehives"
    assert [section.kind for section in act.sections] == ["title", "preamble", "recitals", "article", "article"]
    assert act["art-1.par-2"].text == "2. Red shall not be used."
    for words in ("Skip to main content", "EUR-Lex home", "Was this page useful", "Legal notice", "In force"):
        assert words not in text(act)


def test_an_error_page_is_refused_in_one_sentence() -> None:
    with pytest.raises(ReadingError) as caught:
        pattern("error-page.html")
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
