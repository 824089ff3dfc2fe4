"""Text that an amendment quotes belongs to its instruction and is never the amending act's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers.laws import assert_laws
from lexlattice import Act, read
from lexlattice.act.hierarchy import lead_ins
from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.languages.grammar import load
from lexlattice.reading.structure.outline import parse_outline
from lexlattice.reading.structure.quotations import quoted_header
from lexlattice.selection import select

HEAD = (
    "DIRECTIVE 2024/9002/EU\nof 3 May 2024\namending the Directive on bees\nTHE COUNCIL,\nHAS ADOPTED THIS DIRECTIVE:\n"
)
BEES = """Article 1
Amendments
Directive 2020/1/EU is amended as follows:
(1) in Article 3, paragraph 2 is replaced by the following:
‘2. Hives shall be registered.’;
(2) in Article 4, the following points are added:
‘(d) swarms;
(e) queens.’;
(3) the following Articles are inserted:
‘Article 15a
Notification
1. Keepers shall notify:
(a) the place;
(b) the number of hives.
2. The authority shall answer.
Article 15b
The authority shall keep a list. It shall publish it.
Article 2
Lists
Lists shall be kept for ten years.’;
(4) Article 16 is deleted;
(5) the following paragraph is added:
‘The Commission shall report on bees.
It shall propose measures.’.
Article 2
This Directive shall enter into force on the day after its publication.
"""


@pytest.fixture(scope="module")
def act() -> Act:
    return read(HEAD + BEES, language="en")


def ids(act: Act, number: str = "1") -> list[str]:
    return [u.id for s in act.sections if s.kind == "article" and s.number == number for u in s.units]


def test_quoted_articles_have_ids_below_their_instruction(act: Act) -> None:
    assert_laws(act)
    assert ids(act) == [
        *("art-1", "art-1.pt-1", "art-1.pt-1.q.par-2"),
        *("art-1.pt-2", "art-1.pt-2.q.pt-d", "art-1.pt-2.q.pt-e"),
        *("art-1.pt-3", "art-1.pt-3.q-art-15a.par-1", "art-1.pt-3.q-art-15a.par-1.pt-a"),
        *("art-1.pt-3.q-art-15a.par-1.pt-b", "art-1.pt-3.q-art-15a.par-2"),
        *("art-1.pt-3.q-art-15b", "art-1.pt-3.q-art-2", "art-1.pt-4"),
        *("art-1.pt-5", "art-1.pt-5.q", "art-1.pt-5.q.sub-2"),
    ]
    assert [s.number for s in act.sections if s.kind == "article"] == ["1", "2"], "a quoted Article 2 is not the act's"
    headings = [act.source[f.start : f.end] for f in act.furniture if f.kind == "heading"]
    assert {"‘Article 15a", "Notification", "Article 15b"} <= set(headings)


def test_citations_name_quoted_text(act: Act) -> None:
    citations = {unit.id: unit.citation for unit in act.units}
    assert citations["art-1.pt-3.q-art-15a.par-1.pt-b"] == "Article 1, point (3), quoted text, Article 15a(1)(b)"
    assert citations["art-1.pt-3.q-art-15b"] == "Article 1, point (3), quoted text, Article 15b"
    assert citations["art-1.pt-2.q.pt-e"] == "Article 1, point (2), quoted text, point (e)"
    assert citations["art-1.pt-5.q"] == "Article 1, point (5), quoted text"
    assert citations["art-1.pt-5.q.sub-2"] == "Article 1, point (5), quoted text, second paragraph"


def test_quoted_text_depends_on_its_instruction(act: Act) -> None:
    leads = lead_ins(act.units)
    for place, unit in enumerate(act.units):
        instruction, quoted, _ = unit.provision.partition(".q")
        above: int | None = place
        while quoted and above is not None and act.units[above].provision != instruction:
            above = leads[above]
        assert above is not None, f"{unit.id} does not hang from {instruction}"


def test_quoted_text_is_not_selected_without_its_instruction(act: Act) -> None:
    scores = np.zeros(len(act))
    scores[[unit.id for unit in act.units].index("art-1.pt-3.q-art-15b")] = 1
    chosen = {unit.id for unit in select(act, scores, 24).units}
    assert {"art-1.pt-3", "art-1.pt-3.q-art-15b"} <= chosen


@pytest.mark.parametrize("marks", ["‘’", "“”", "„“", "„”", "«»", '""', "””", "»«"])
def test_quotation_marks_of_all_languages_are_recognised(marks: str) -> None:
    text = BEES.replace("‘", marks[0]).replace("’", marks[1])
    english = read(HEAD + BEES, language="en")
    assert ids(read(HEAD + text, language="en")) == ids(english)


def test_each_paragraph_of_a_quotation_may_repeat_the_opening_mark() -> None:
    act = read(f"{HEAD}Article 1\n1. This is inserted:\n‘1a. One.\n‘1b. Two.’\n2. That is deleted.", language="en")
    assert ids(act) == ["art-1.par-1", "art-1.par-1.q.pt-1a", "art-1.par-1.q.pt-1b", "art-1.par-2"]


def test_an_annex_may_be_quoted_whole() -> None:
    act = read(
        f"{HEAD}Article 1\nIt is amended.\nDone at Brussels, 3 May 2024.\nANNEX\n"
        "‘ANNEX II\nRULES\n1. Hives shall be clean.\n2. They shall be dry.’",
        language="en",
    )
    assert [(s.kind, s.number) for s in act.sections if s.kind == "annex"] == [("annex", "")]
    assert [unit.citation for unit in act.sections[-1].units] == [
        f"Annex, quoted text, Annex II, point {n}" for n in (1, 2)
    ]


def test_markup_shows_quotations_without_marks() -> None:
    blocks = [Block("Article 1", Role.ARTICLE), Block("1. This is added:")]
    blocks += [Block(text, Role.QUOTED) for text in ("Article 7", "Bees", "They fly.")]
    plan = parse_outline([*blocks, Block("2. That is deleted.")], load("en"))
    assert plan.quotations == {2: 4}


@pytest.mark.data
@pytest.mark.parametrize("language", ["en", "fr"])
def test_amending_acts_of_the_official_journal(data: Path, language: str) -> None:
    act = read(data / "acts" / "hard" / "32007L0044" / "2007-09-05" / f"{language}.xml")
    assert_laws(act)
    quoted = {u.provision.split(".q-art-")[1].split(".")[0] for u in act.units if u.id.startswith("art-1.pt-3.q-art-")}
    assert quoted == {"15a", "15b", "15c"}
    assert {"art-1.pt-1", "art-1.pt-2.pt-c", "art-1.pt-4"} <= set(ids(act))
    act = read(data / "acts" / "hard" / "32022L0542" / "2022-04-05" / f"{language}.xml")
    assert len(act.sentences("art-1.pt-6")) == 1
    assert act.provision("art-1.pt-6.q-art-98.par-1")


def test_articles_that_each_have_a_closing_mark_are_one_quotation() -> None:
    act = read(
        HEAD + "Article 1\nThe Directive is amended as follows:\n(1)\nthe following Articles are inserted:\n"
        "‘Article 24c\nPublication\nThe list shall be published.’\nArticle 24d\nTransition\nOld lists remain valid.’\n"
        "(2)\nArticle 27 is deleted.\nArticle 2\nThis Directive shall enter into force today.\n",
        language="en",
    )
    assert_laws(act)
    assert [unit.id for unit in act.sections[-2].units] == [
        "art-1",
        "art-1.pt-1",
        "art-1.pt-1.q-art-24c",
        "art-1.pt-1.q-art-24d",
        "art-1.pt-2",
    ]


def test_a_long_line_between_a_quoted_header_and_its_first_paragraph_is_a_heading() -> None:
    heading = "Keeping of " + ", ".join(["bees, wasps and hornets"] * 14)
    act = read(
        HEAD + f"Article 1\nThe following Article is inserted:\n‘Article 4a\n{heading}\n1. Hives shall be kept.\n"
        "2. Hives shall be dry.’.\nArticle 2\nThis Directive shall enter into force today.\n",
        language="en",
    )
    assert_laws(act)
    assert [unit.id for unit in act.sections[-2].units] == ["art-1", "art-1.q-art-4a.par-1", "art-1.q-art-4a.par-2"]


@pytest.mark.parametrize(("header", "language"), [("‘SECTION -I", "en"), ("«SECTION -I", "fr")])
def test_an_inserted_section_before_the_first_has_a_header(header: str, language: str) -> None:
    found = quoted_header(header, load(language))
    assert found is not None
    assert found.kind == "section"


def test_the_next_article_ends_a_quotation_without_a_closing_mark() -> None:
    own = "".join(f"Article {n}\nBees of class {n} shall be free.\n" for n in range(2, 6))
    act = read(
        f"{HEAD}Article 1\nDirective 2009/1/EC is amended as follows:\n(1) the following articles are inserted:\n"
        "‘Article 17a\n1. Hives are kept subject to five years’ notice.\nArticle 17b\n1. So are bees.\n"
        f"(2) the following is inserted:\n‘Article 21a\nIt ends here.\n{own}Article 6\nIt is called ‘bee’.",
        language="en",
    )
    assert [section.number for section in act.articles] == ["1", "2", "3", "4", "5", "6"]


def test_an_instruction_may_lack_its_colon_before_a_number() -> None:
    act = read(
        f"{HEAD}Article 1\nDirective 2009/1/EC is amended as follows:\n(1) paragraph 2 is replaced by the following\n"
        "‘2. Bees are free.’;\n(2) Article 3 is deleted.",
        language="en",
    )
    assert "art-1.pt-1.q.par-2" in ids(act)
    assert "art-1.pt-2" in ids(act)
