"""Pages without line breaks get their structure back."""

from __future__ import annotations

import gzip
import json
from itertools import islice
from pathlib import Path

import pytest

from lexlattice import read
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.grammar import load
from lexlattice.reading.structure.line_breaks import split_line


@pytest.mark.parametrize("gap", ["", " ", "  "])
def test_the_example_without_line_breaks_is_the_same_act(examples: Path, gap: str) -> None:
    lines = (examples / "short" / "en.txt").read_text("utf-8").splitlines()
    glued = gap.join(f"{line} " if line[-1] in "()—" else line for line in lines)
    act = read("Title\n" + glued)
    assert [s.number for s in act.sections if s.kind == "article"] == [str(n) for n in range(1, 11)]
    assert not gap or sum(s.kind == "annex" for s in act.sections) == 1  # "ANNEXREQUIREMENTS" is one word


@pytest.mark.parametrize("gap", [" ", "  "])
@pytest.mark.parametrize("language", LANGUAGES)
def test_line_breaks_are_restored_in_every_language(examples: Path, language: str, gap: str) -> None:
    text = (examples / "short" / f"{language}.txt").read_text("utf-8").replace("\n", gap)
    act = read(text.encode(), language=language)
    assert [s.number for s in act.sections if s.kind == "article"] == [str(n) for n in range(1, 11)]


def test_a_paragraph_number_that_ran_into_its_article() -> None:
    text = "HAS DECIDED AS FOLLOWS:Article 11. A network is set up.2. It is small.Article 21. It acts."
    lines = ["HAS DECIDED AS FOLLOWS:", "Article 1", "1. A network is set up.", "2. It is small.", "Article 2"]
    assert split_line(text, load("en")) == [*lines, "1. It acts."]


def test_a_missing_header_does_not_hide_the_articles_below_it() -> None:
    glued = "here.Article 3Bees fly.Article 51. Bees sleep.2. So do we.Article 6Article 4 shall apply.Article 71. End."
    headers = [line for line in split_line(glued, load("en")) if line.startswith("Article") and len(line) < 12]
    assert headers == ["Article 3", "Article 5", "Article 6", "Article 7"]


def test_articles_with_a_letter_or_the_number_of_their_chapter_are_cut_off() -> None:
    glued = "so:Article 1BeesBees fly.Article 1AThey sleep.Article 1B1. They rest.Article 2Bees end."
    assert [line for line in split_line(glued, load("en")) if line.startswith("Article")] == [
        *("Article 1", "Article 1A", "Article 1B", "Article 2"),
    ]
    glued = "so:Article 1.1AimsBees fly.Article 1.2TermsSee Article 1.1 and others.Article 2.1ScopeBees."
    assert [line for line in split_line(glued, load("en")) if line.startswith("Article")] == [
        *("Article 1.1", "Article 1.2", "Article 2.1"),
    ]


def test_the_page_header_of_the_journal_is_split_into_its_parts() -> None:
    header = ["14.3.2024", "EN", "Official Journal of the European Union", "L 20/2"]
    assert split_line(" ".join([*header, "COMMISSION REGULATION"]), load("en")) == [*header, "COMMISSION REGULATION"]
    assert split_line("20041026Agreement on statistics", load("en")) == ["20041026", "Agreement on statistics"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_title_of_an_act_in_one_line_is_its_title(examples: Path, language: str) -> None:
    text = (examples / "short" / f"{language}.txt").read_text("utf-8")
    title = read(text, language=language).title
    glued = read(text.replace("\n", " ").encode(), language=language).title
    assert glued.startswith(title[:60])


def test_parties_in_capitals_are_separated() -> None:
    text = "THE KINGDOM OF BELGIUM,THE KINGDOM OF DENMARK,CONSIDERING their needs;RECALLING that"
    assert split_line(text, load("en")) == [
        "THE KINGDOM OF BELGIUM,",
        "THE KINGDOM OF DENMARK,",
        "CONSIDERING their needs;",
        "RECALLING that",
    ]


def test_the_closing_formula_of_a_cited_treaty_is_no_line_break() -> None:
    text = "the Convention, done at Stockholm, 14 July 1967;(d) it ends.Done at Brussels, 3 May 1998."
    assert split_line(text, load("en")) == [
        "the Convention, done at Stockholm, 14 July 1967;",
        "(d) it ends.",
        "Done at Brussels, 3 May 1998.",
    ]


def test_references_are_not_headers() -> None:
    text = "Article 1The measures in Article 2 of the Treaty and Article 3(1) apply.Article 2They end."
    assert [p for p in split_line(text, load("en")) if p.startswith("Article")] == ["Article 1", "Article 2"]


@pytest.mark.data
@pytest.mark.slow
def test_few_training_acts_stay_in_one_piece(data: Path) -> None:
    """The paper's rules leave a third of them with a single section; under 1 % may be left. Some are tried."""
    single = []
    with gzip.open(data / "eur-lex-sum" / "en" / "train.jsonl.gz", "rt", encoding="utf-8") as rows:
        for row in map(json.loads, islice(rows, 0, None, 16)):
            act = read(row["reference"], language="en")
            if sum(section.kind not in ("title", "notes") for section in act.sections) <= 1:
                single.append(row["celex_id"])
    assert len(single) <= 0.01 * 1129 / 16, single


def test_a_full_line_continues_on_the_next() -> None:
    words = "each keeper of a lantern shall light it before dusk and tend it until the ferry has left the Northern quay"
    sentence = f"Where the wind allows, {words}; {words}."
    lines: list[str] = []
    line = ""
    for word in sentence.split():
        if len(line) + 1 + len(word) > 60:
            lines, line = [*lines, line], ""
        line = f"{line} {word}".strip()
    page = "  ".join(["Article 1", *lines, line, "It may be put out by day.", "Article 2", *lines, line, "Article 3"])
    found = split_line(f"{page}  Each quay shall keep a lantern.", load("en"))
    assert [" ".join(piece.split()) for piece in found] == [
        *("Article 1", sentence, "It may be put out by day."),
        *("Article 2", sentence, "Article 3", "Each quay shall keep a lantern."),
    ]


def test_an_article_under_a_heading_on_its_line_is_found() -> None:
    text = "Article 1Lamps burn.SECTION 2 Lanterns Article 2The lamps burn.SECTION 3 Quays Article 31. Quays are lit."
    assert split_line(text, load("en")) == [
        *("Article 1", "Lamps burn.", "SECTION 2", "Lanterns", "Article 2", "The lamps burn."),
        *("SECTION 3", "Quays", "Article 3", "1. Quays are lit."),
    ]


def test_after_a_misprinted_header_the_articles_are_found_again() -> None:
    text = "HAS ADOPTED THIS DIRECTIVE:Article lLamps burn.Article 21. Quays are lit.Article 3Ferries wait."
    found = split_line(text, load("en"))
    assert found[0] == "HAS ADOPTED THIS DIRECTIVE:"
    assert found[-4:] == ["Article 2", "1. Quays are lit.", "Article 3", "Ferries wait."]


def test_text_after_the_enacting_formula_is_separate() -> None:
    text = "HEREBY RECOMMENDS TO THE MEMBER STATES:to light their quays."
    assert split_line(text, load("en")) == ["HEREBY RECOMMENDS TO THE MEMBER STATES:", "to light their quays."]


def test_a_recital_continues_if_a_clause_begins_without_a_capital() -> None:
    lines = ["THE COUNCIL,", "Having regard to the quays,", "Whereas quays are dark; whereas ferries wait;"]
    lines.append("Whereas lamps, having regard to their price, are few;")
    assert split_line("".join(lines), load("en")) == lines


def test_table_rows_between_bars_are_separated_and_the_text_above_stays_text() -> None:
    rows = ["Code | Goods |", "2501 | Salt, lamps:Other |", "1.Oil | – Whale oil.Refined |"]
    text = "duties on lamps shall be abolished in the fifth year."
    assert split_line(text + "".join(rows), load("en")) == [text, *rows]
    assert split_line(f"{text}{''.join(rows)}(b) the Parties keep their lamps.", load("en"))[-1].startswith("(b)")


def test_articles_numbered_within_chapters_are_found() -> None:
    text = "as Article 1.2 provides.Article 1.1ObjectivesLamps burn.Article 1.2ScopeQuays are lit."
    assert split_line(text, load("en")) == [
        *("as Article 1.2 provides.", "Article 1.1", "Objectives", "Lamps burn."),
        *("Article 1.2", "Scope", "Quays are lit."),
    ]


def test_a_decimal_number_stays_whole() -> None:
    line = (
        "Aim of the rules 1.The rules are meant to:1.1.keep hives dry;1.2.keep bees well, as in point 1.1 above;"
        "1.3. Hives stay. 2.In order to do so:2.1.drones go. 3.All ends."
    )
    assert split_line(line, load("en")) == [
        "Aim of the rules",
        "1.The rules are meant to:",
        "1.1.keep hives dry;",
        "1.2.keep bees well, as in point 1.1 above;",
        "1.3. Hives stay.",
        "2.In order to do so:",
        "2.1.drones go.",
        "3.All ends.",
    ]


def test_the_letter_l_before_the_first_paragraph_is_the_figure_one() -> None:
    line = "HAS ADOPTED THIS DIRECTIVE:Article l1. Hives are kept, as Article l(2) says.2. Bees stay.Article 2Bees fly."
    assert split_line(line, load("en"))[1:4] == [
        "Article l",
        "1. Hives are kept, as Article l(2) says.",
        "2. Bees stay.",
    ]
    header = load("en").header("Article l")
    assert header is not None
    assert header.number == "1"
