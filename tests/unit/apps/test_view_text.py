"""The text of an act in its view: nothing vanishes, references and definitions point at what they say they do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lexlattice import Act, read
from lexlattice.apps.serve.view import view_of
from lexlattice.apps.serve.view_front import front_of
from lexlattice.apps.serve.view_text import enclosing_of, furniture_of
from lexlattice.errors import NotAnActError


@pytest.fixture(scope="module")
def act(examples: Path) -> Act:
    return read(examples / "long" / "en.txt")


@pytest.fixture(scope="module")
def view(act: Act) -> dict[str, Any]:
    return view_of(act)


# --- furniture --------------------------------------------------------------------------------------------


def page_of(act: Act) -> Iterator[str]:
    """All texts in the order in which the page shows them: furniture, headings of sections, units."""
    pieces = [piece for piece in furniture_of(act) if piece["kind"] != "page"]
    place, enclosing = 0, tuple[str, ...]()
    for section, own in zip(act.sections, enclosing_of(act.sections), strict=True):
        while pieces and pieces[0]["before"] <= place and pieces[0]["section"] < section.index:
            yield pieces.pop(0)["text"]
        common = 0
        while common < min(len(enclosing), len(own)) and enclosing[common] == own[common]:
            common += 1
        enclosing = own
        yield from (*enclosing[common:], section.label, section.heading)
        for unit in section.units:
            while pieces and pieces[0]["before"] <= place:
                yield pieces.pop(0)["text"]
            yield unit.text
            place += 1
    assert all(piece["before"] == len(act) for piece in pieces)
    yield from (piece["text"] for piece in pieces)


def source_of(act: Act) -> str:
    """The source without page headers and without what is above the title of a consolidated text."""
    source, front = act.source, front_of(act)
    for piece in sorted(act.furniture, key=lambda piece: -piece.start):
        if piece.kind == "page" or piece in front:
            source = source[: piece.start] + source[piece.end :]
    return source


def bare(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def shows_all(act: Act) -> bool:
    return bare("".join(page_of(act))) == bare(source_of(act))


def test_the_page_shows_every_character_of_the_examples_once_and_in_order(examples: Path) -> None:
    files = [file for folder in ("patterns", "formats", "long") for file in sorted((examples / folder).iterdir())]
    files += [examples / "short" / f"{language}.txt" for language in ("en", "el", "mt")]
    lacking = []
    for file in files:
        try:
            act = read(file)
        except NotAnActError:
            continue
        if not shows_all(act):
            lacking.append(file.name)
    assert not lacking
    assert len(files) > 25


@pytest.mark.data
def test_the_page_shows_every_character_of_real_acts_once_and_in_order(data: Path) -> None:
    folders = ("raw/32022R2554", "raw/32001L0029", "raw/32013L0016", "hard/32012L0027", "hard/32019R1122")
    files = [file for folder in folders for file in sorted((data / "acts" / folder).glob("*/en.*"))]
    assert len(files) >= len(folders)
    assert [file.parent.parent.name for file in files if not shows_all(read(file))] == []


CONSOLIDATED = """<p class="reference">02012R0001 — EN — 01.01.2020 — 001.001</p>
<p class="disclaimer">This text has no legal effect.</p>
<table><tr><td><p class="arrow">►B</p></td><td><p class="title-doc-first">REGULATION (EU) No 1/2012</p>
<p class="title-doc-last">of 2 May 2012</p>
<p class="title-doc-oj-reference">(OJ L 1 3.5.2012, p. 1)</p></td></tr></table>
<p class="hd-modifiers">Amended by:</p><table><tr><td><p class="hd-toc-1">Official Journal</p></td></tr>
<tr><td><p class="hd-toc-2">No</p></td><td><p class="hd-toc-3">page</p></td><td><p class="hd-toc-3">date</p></td></tr>
{}</table><p class="modref">▼B</p>
<p class="title-doc-first">REGULATION (EU) No 1/2012</p><p class="title-doc-last">of 2 May 2012</p>
<p class="title-article-norm">Article 1</p><p class="modref">▼M1</p><p class="norm">This Regulation applies.</p>"""
ENTRY = """<tr><td><p class="arrow">►M{0}</p></td><td><p class="title-fam-member">REGULATION (EU) No {0}/2013</p></td>
<td><p class="title-fam-member">L {0}</p></td><td><p class="title-fam-member">7</p></td>
<td><p class="title-fam-member">4.{0}.2013</p></td></tr>"""


@pytest.mark.parametrize("count", [1, 5])
def test_a_consolidated_text_names_the_acts_that_amended_it_above_the_title(count: int) -> None:
    act = read(CONSOLIDATED.format("".join(map(ENTRY.format, range(1, count + 1)))).encode())
    assert act.units[0].text.startswith("REGULATION (EU) No 1/2012")
    [front] = list(furniture_of(act))
    assert (front["kind"], front["before"], front["section"]) == ("page", 0, -1)
    assert front["text"].split("\n") == [
        "02012R0001 — EN — 01.01.2020 — 001.001",
        "This text has no legal effect.",
        "(OJ L 1 3.5.2012, p. 1)",
        "Amended by:",
        "Official Journal No page date",
        *(f"REGULATION (EU) No {number}/2013 L {number} 7 4.{number}.2013" for number in range(1, count + 1)),
    ]


def test_a_formula_stands_above_the_first_chapter_and_signatures_below_the_last_article(examples: Path) -> None:
    act = read(examples / "patterns" / "contents.txt")
    found = {piece["kind"]: piece for piece in furniture_of(act)}
    first = next(place for place, unit in enumerate(act.units) if unit.provision.startswith("art-1"))
    assert found["formula"]["text"] == "HAVE ADOPTED THIS REGULATION:"
    assert (found["formula"]["before"], found["formula"]["section"]) == (first, act.units[first].section - 1)
    annex = next(place for place, unit in enumerate(act.units) if unit.provision.startswith("anx"))
    assert found["signature"]["before"] == annex
    assert act.sections[found["signature"]["section"]].label == "Article 4"
    assert found["contents"]["text"].startswith("CONTENTS\n")
    assert {"page", "heading"}.isdisjoint(found)


def test_a_heading_inside_an_annex_stands_below_that_of_the_annex(examples: Path) -> None:
    act = read(examples / "patterns" / "annex-parts.txt")
    found = {piece["text"]: piece for piece in furniture_of(act) if piece["kind"] == "heading"}
    assert [*found] == ["A. MATERIALS", "B. CONSTRUCTION", "C. INSTRUCTIONS"]
    assert {act.sections[piece["section"]].label for piece in found.values()} == {"ANNEX I"}
    assert act.units[found["B. CONSTRUCTION"]["before"]].section == found["B. CONSTRUCTION"]["section"]


# --- references, definitions, related ---------------------------------------------------------------------


def test_references_are_spans_of_units_and_lead_to_what_they_cite(act: Act, view: dict[str, Any]) -> None:
    known = act.references()
    assert len(view["references"]) == len(known) > 30
    for (place, start, end, target, celex, provision, kind), reference in zip(view["references"], known, strict=True):
        assert view["units"][place]["text"][start:end] == reference.text
        assert (celex, provision, kind) == (reference.celex, reference.provision, reference.kind)
        assert (target >= 0) == bool(reference.targets)
        if reference.targets:
            assert act.units[target] == act.provision(reference.targets[0]).units[0]
    assert {"internal", "external"} <= {reference[6] for reference in view["references"]}


def test_references_do_not_overlap() -> None:
    text = "Article 1\n\nArticle 6(4) and Article 9(2) of Regulation (EU) 2016/679 apply to hives.\n"
    view = view_of(read(text, language="en"))
    shown = [view["units"][place]["text"][start:end] for place, start, end, *_ in view["references"]]
    assert shown == ["Article 6(4) and", "Article 9(2) of Regulation (EU) 2016/679"]
    assert [reference[4:6] for reference in view["references"]] == [
        ["32016R0679", "art-6.par-4"],
        ["32016R0679", "art-9.par-2"],
    ]


def test_definitions_name_the_unit_that_defines_the_term(act: Act, view: dict[str, Any]) -> None:
    assert [found["term"] for found in view["definitions"]] == [found.term for found in act.definitions()]
    assert len(view["definitions"]) > 5
    assert all(found["term"] in view["units"][found["place"]]["text"] for found in view["definitions"])


def test_articles_and_recitals_on_the_same_subject_are_related(view: dict[str, Any]) -> None:
    articles = {section["heading"]: section for section in view["sections"]}
    recital = articles["Taking back of waste batteries"]["related"][0]
    assert view["units"][recital[0]]["text"].startswith("(20) Distributors should take back waste batteries")
    back = view["units"][recital[0]]["related"]
    assert [articles["Taking back of waste batteries"]["index"], recital[1]] in back
    # What is boilerplate in every act is like nothing else.
    assert articles["Entry into force and application"]["related"] == []


def test_links_are_few_and_similar_and_end_at_recitals_and_articles(view: dict[str, Any]) -> None:
    of_sections = [link for section in view["sections"] for link in section["related"]]
    of_units = {place: unit["related"] for place, unit in enumerate(view["units"]) if "related" in unit}
    assert all(0.4 <= similarity <= 1 for links in (of_sections, *of_units.values()) for _, similarity in links)
    assert {view["units"][place]["kind"] for place, _ in of_sections} == {"recital"}
    assert {view["units"][place]["kind"] for place in of_units} == {"recital"}
    assert {view["sections"][index]["kind"] for links in of_units.values() for index, _ in links} <= {
        "article",
        "annex",
    }
    assert max(len(links) for links in of_units.values()) <= 3
    assert max(len(section["related"]) for section in view["sections"]) <= 3
