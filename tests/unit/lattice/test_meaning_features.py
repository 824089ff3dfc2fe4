"""What the network is told of an act: structure the same in every language, references, signs, and always numbers."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.acts import LANGUAGES
from helpers.generated_acts import acts, made
from lexlattice import Act, read
from lexlattice.act.document import UNIT_KINDS
from lexlattice.encoding.static import Static
from lexlattice.lattice.features import MeaningFeatures, features_of
from lexlattice.lattice.features.position import Outline, section_places, unit_places
from lexlattice.lattice.features.similarity import Vectors, similarities_of
from lexlattice.lattice.features.surface import unit_signs
from lexlattice.reading.article_references import ArticleReferences, article_references

Floats = NDArray[np.float32]

ENCODER = Static()
OF_UNITS = ("units", "section_of", "vectors", "leads", "openings", "paragraph_of")
OF_SECTIONS = ("sections", "headings", "enclosing")
COLON, FIGURES, YEAR, PERCENT, QUOTES, SEMICOLONS, CAPITALS, SMALL = range(8)
"""Columns of signs."""
UNIT_COLUMNS, SECTION_COLUMNS = 63, 55

ACT = """REGULATION (EU) 2024/1 OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL
of 5 May 2024
on hives

THE EUROPEAN PARLIAMENT AND THE COUNCIL OF THE EUROPEAN UNION,

Whereas:

(1) Bees matter to everybody who keeps them, and to those who live beside them.

(2) So do wasps in every Member State of the Union. They sting those who come near to their nests in summer.

HAVE ADOPTED THIS REGULATION:

CHAPTER I
AIM

Article 1
Subject

This Regulation protects bees.

Article 2
Labels

1. The label shall be:
(a) legible;
(b) of:
(i) wood;
(ii) stone.
2. It shall be dated LONG. It shall be signed LONG.

CHAPTER II
END

Article 3
Entry into force

This Regulation shall enter into force on 1 June 2024.
""".replace("LONG", "by keepers and by authorities " * 8 + "alike")
MENTIONING = {
    "en": ("Article {}", "Article {}", "Articles {} and {}"),
    "fr": ("Article {}", "l'article {}", "aux articles {} et {}"),
    "pl": ("Artykuł {}", "art. {}", "art. {} i {}"),
    "cs": ("Článek {}", "čl. {}", "článků {} a {}"),
    "el": ("Άρθρο {}", "το άρθρο {}", "τα άρθρα {} και {}"),
    "fi": ("{} artikla", "{} artiklan", "{} ja {} artiklassa"),
    "hu": ("{}. cikk", "a {}. cikk", "a {}. és {}. cikkben"),
    "lv": ("{}. pants", "{}. panta", "{}. un {}. pantā"),
    "lt": ("{} straipsnis", "{} straipsnio", "{} ir {} straipsniuose"),
}
"""A label, a mention of one article, and one of two."""


@pytest.fixture(scope="module")
def act() -> Act:
    return read(ACT, language="en")


@pytest.fixture(scope="module")
def versions(examples: Path) -> dict[str, Act]:
    return {language: read(examples / "short" / f"{language}.txt") for language in LANGUAGES}


def numbered(language: str, *texts: str) -> Act:
    """Articles that are labelled as a language has it."""
    label = MENTIONING[language][0]
    act = made(*(("article", "", [text]) for text in texts), language=language)
    numbers = range(1, 1 + len(texts))
    sections = [replace(s, number=str(n), label=label.format(n)) for s, n in zip(act.sections, numbers, strict=True)]
    return replace(act, sections=tuple(sections))


def nothing(act: Act) -> ArticleReferences:
    return ArticleReferences(np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(len(act), np.int64))


def signs(*texts: str) -> Floats:
    act = made(("article", "", texts))
    return unit_signs(act, nothing(act))


def check_numbers(act: Act, features: MeaningFeatures) -> None:
    """One finite row for each unit and section, and indices of what is there."""
    for name in OF_UNITS:
        assert len(getattr(features, name)) == len(act), name
    for name in OF_SECTIONS:
        assert len(getattr(features, name)) == len(act.sections), name
    for name, values in features._asdict().items():
        assert np.isfinite(values).all(), name
        assert values.dtype == (np.int64 if name in ("section_of", "references", "paragraph_of") else np.float32), name
    assert features.units.shape[1] == UNIT_COLUMNS
    assert features.sections.shape[1] == SECTION_COLUMNS
    assert features.anchors.shape == (4, ENCODER.dimensions)
    assert features.section_of.tolist() == [unit.section for unit in act.units]
    assert np.isin(np.diff(features.paragraph_of, prepend=-1), (0, 1)).all()
    assert ((features.references >= 0) & (features.references < len(act.sections))).all()
    assert (features.references[:, 0] != features.references[:, 1]).all()


# --- structure --------------------------------------------------------------------------------------------


def test_points_hang_from_their_lead_in_and_are_counted(act: Act) -> None:
    outline = Outline.of(act)
    at = {unit.id: place for place, unit in enumerate(act.units)}
    lead, points = at["art-2.par-1"], [at["art-2.par-1.pt-a"], at["art-2.par-1.pt-b"]]
    assert outline.lead_of[points].tolist() == [lead, lead]
    assert outline.sibling[points].tolist() == [0, 1]
    assert outline.lead_of[at["art-2.par-1.pt-b.pt-i"]] == points[1]
    assert outline.lead_of[lead] == -1


def test_a_paragraph_has_its_points_and_sentences(act: Act) -> None:
    outline = Outline.of(act)
    second = [place for place, unit in enumerate(act.units) if unit.id.startswith("art-2.")]
    groups = outline.paragraph_of[second]
    assert (groups - groups[0]).tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert outline.place_of_paragraph[groups[[0, -1]]].tolist() == [0, 1]
    assert outline.sentence[second[-2:]].tolist() == [0, 1]
    assert outline.sentences[second[-2:]].tolist() == [2, 2]


def test_recitals_are_paragraphs_each(act: Act) -> None:
    outline = Outline.of(act)
    recitals = [place for place, unit in enumerate(act.units) if unit.kind == "recital"]
    assert outline.place_of_paragraph[outline.paragraph_of[recitals]].tolist() == [0, 1]


def test_articles_stand_in_chapters(act: Act) -> None:
    outline = Outline.of(act)
    assert outline.article[outline.articles].tolist() == [0, 1, 2]
    assert outline.chapter[outline.articles].tolist() == [0, 0, 1]
    assert outline.place_in_chapter[outline.articles].tolist() == [0, 1, 0]
    assert (outline.chapter[outline.article < 0] == -1).all()


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_versions_of_an_act_have_the_same_structure(language: str, versions: dict[str, Act]) -> None:
    """Of lengths and headings only their sizes differ, so both count one letter each here."""
    one, other = versions["en"], versions[language]
    outlines = Outline.of(one), Outline.of(other)
    for name, first, second in zip(Outline._fields, *outlines, strict=True):
        np.testing.assert_array_equal(first, second, name)
    letters = np.ones(len(one), np.float32)
    places = [unit_places(act, outline, letters) for act, outline in zip((one, other), outlines, strict=True)]
    np.testing.assert_array_equal(places[0], places[1])
    np.testing.assert_array_equal(article_references(one).pairs, article_references(other).pairs)
    sections = [
        section_places(act, outline, article_references(act), letters)
        for act, outline in zip((one, other), outlines, strict=True)
    ]
    differing = np.flatnonzero((sections[0] != sections[1]).any(axis=0))
    assert len(differing) <= 1, "only the length of headings"


@pytest.mark.parametrize("language", ["de", "el", "fi", "bg"])
def test_years_and_percentages_are_the_same_in_versions(language: str, versions: dict[str, Act]) -> None:
    one, other = (unit_signs(act, article_references(act)) for act in (versions["en"], versions[language]))
    np.testing.assert_array_equal(one[:, [YEAR, PERCENT]], other[:, [YEAR, PERCENT]])


# --- odd acts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "odd",
    [
        made(),
        made(("article", "", [])),
        made(("article", "Scope", ["It applies to bees."])),
        made(("body", "", ["Bees fly.", "Wasps too."]), ("annex", "", ["1 %"])),
        made(("recitals", "", ["Whereas bees fly."])),
        made(("article", "", ["—", "", "..."]), ("article", "Empty", [])),
        made(("article", "", ["a\tb", "c"]), kinds=["table"]),
    ],
    ids=["nothing", "no units", "one unit", "no articles", "recitals only", "no words", "tables only"],
)
def test_odd_acts_have_features_too(odd: Act) -> None:
    check_numbers(odd, features_of(odd, ENCODER))


@given(acts)
@example(made(("article", "𝟗 2024 ٣٤", ["2024", "/2024", "2024/1", "x 1999."]), title="蜂"))
def test_features_are_numbers_whatever_the_act(drawn: Act) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_numbers(drawn, features_of(drawn, ENCODER))


@given(st.lists(st.text('19204/5 x%;\n”„«»‘"٣é', max_size=12), max_size=6))
def test_signs_are_those_that_a_search_would_find(texts: list[str]) -> None:
    found = signs(*texts)
    lengths = [max(1, len(text)) for text in texts]
    expected = {
        FIGURES: [len(re.findall(r"\d", t)) / n for t, n in zip(texts, lengths, strict=True)],
        YEAR: [re.search(r"(?<![\d/])(?:19|20)\d\d(?![\d/])", t) is not None for t in texts],
        PERCENT: ["%" in t for t in texts],
        QUOTES: [len(re.findall('[‘“„«"]', t)) / n * 100 for t, n in zip(texts, lengths, strict=True)],
        SEMICOLONS: [t.count(";") / n * 100 for t, n in zip(texts, lengths, strict=True)],
    }
    for column, values in expected.items():
        np.testing.assert_allclose(found[:, column], np.array(values, np.float32), rtol=1e-6, err_msg=str(column))


# --- signs, references, similarity ------------------------------------------------------------------------


def test_years_are_told_from_numbers_of_acts() -> None:
    found = signs("By 1 June 2024.", "Regulation 2016/679", "1215/2012", "in 20245", "2024", "3024 bees")
    assert found[:, YEAR].tolist() == [1, 0, 0, 0, 1, 0]


def test_capitals_and_colons_are_seen() -> None:
    found = signs("HAS ADOPTED", "legible;", "It shall be: ", "Bees")
    assert found[:, CAPITALS].tolist() == [1, 0, 0, 0]
    assert found[:, SMALL].tolist() == [0, 1, 0, 0]
    assert found[:, COLON].tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize("language", MENTIONING)
def test_references_are_found_where_a_language_has_the_number(language: str) -> None:
    """Before the word for an article, or behind it; and several at once."""
    _, one, two = MENTIONING[language]
    first, second, third = f"x {one.format(3)} x.", f"x {two.format(1, 3)} x.", "x 3 x 1 x."
    references = article_references(numbered(language, first, second, third))
    assert references.counts.tolist() == [1, 2, 0]
    assert references.pairs.tolist() == [[0, 2], [1, 0], [1, 2]]


def test_an_article_that_names_itself_or_none_that_is_there_refers_to_nothing() -> None:
    references = article_references(numbered("en", "As in Article 1.", "See Article 9, and particle 1."))
    assert references.counts.tolist() == [1, 0]
    assert not len(references.pairs)


def test_paragraphs_and_lists_of_articles_are_counted_by_article() -> None:
    references = article_references(numbered("en", "Articles 2(1), 3(2) and 4 apply.", "A.", "B.", "C."))
    assert references.pairs.tolist() == [[0, 1], [0, 2], [0, 3]]


def test_how_often_an_article_is_referred_to_is_seen_in_its_section() -> None:
    often = numbered("en", "Article 3 applies.", "Article 3 applies.", "Bees.")
    never = numbered("en", "Article 9 applies.", "Article 9 applies.", "Bees.")
    counted, without = (features_of(act, ENCODER).sections for act in (often, never))
    changed = (counted != without).any(axis=1)
    assert changed[2]
    assert features_of(often, ENCODER).references.tolist() == [[0, 2], [1, 2]]


def test_similarities_are_cosines(act: Act) -> None:
    outline, features = Outline.of(act), features_of(act, ENCODER)
    letters = np.array([len(unit.prose) for unit in act.units], np.float32)
    vectors = Vectors(features.vectors, features.leads, features.headings, features.enclosing, features.title)
    similarities = similarities_of(act, outline, vectors, letters, aim=-1)
    for values in (similarities.units, similarities.sections):
        assert (np.abs(values) <= 1 + 1e-5).all()
    np.testing.assert_allclose(similarities.units[:, 0], features.vectors @ features.title, atol=1e-6)
    assert not similarities.anchors[3].any(), "nothing says what it is for"


def test_a_unit_has_the_vector_of_its_lead_in_and_of_its_first_words(act: Act) -> None:
    features = features_of(act, ENCODER)
    at = {unit.id: place for place, unit in enumerate(act.units)}
    np.testing.assert_array_equal(features.leads[at["art-2.par-1.pt-a"]], features.vectors[at["art-2.par-1"]])
    assert not features.leads[at["art-2.par-1"]].any()
    short = at["art-1"]
    np.testing.assert_array_equal(features.openings[short], features.vectors[short])


def test_tables_are_not_looked_into() -> None:
    act = made(("annex", "", ["Bees 2024 %;", "Bees 2024 %;"]), kinds=["table", "paragraph"])
    features = features_of(act, ENCODER)
    assert not features.vectors[0].any()
    assert features.vectors[1].any()
    assert features.units[0, : len(UNIT_KINDS)].tolist() == [kind == "table" for kind in UNIT_KINDS]


def test_features_do_not_depend_on_what_was_encoded_before(act: Act, versions: dict[str, Act]) -> None:
    fresh, used = Static(), Static()
    for version in versions.values():
        features_of(version, used)
    for one, other in zip(features_of(act, fresh), features_of(act, used), strict=True):
        np.testing.assert_array_equal(one, other)
