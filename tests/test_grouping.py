"""Grouping: every unit has a group, the right one, and the same in every language."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexlattice import Act, read
from lexlattice.grouping import group_of
from lexlattice.reading import LANGUAGES
from lexlattice.summary import GROUPS
from made_acts import Rough, acts, made

TYPES = ("regulation", "directive", "decision", "agreement", "")


def groups(act: Act) -> dict[str, str]:
    """The group of each provision."""
    return dict(zip((unit.provision for unit in act.units), group_of(act), strict=True))


def by_section(act: Act) -> list[set[str]]:
    """The groups that occur in each section."""
    found: list[set[str]] = [set() for _ in act.sections]
    for unit, group in zip(act.units, group_of(act), strict=True):
        found[unit.section].add(group)
    return found


def article(*texts: str) -> Rough:
    return "article", "", texts


# --- laws -------------------------------------------------------------------------------------------------


@given(acts, st.sampled_from(TYPES), st.sampled_from(["", "2023-05-01"]))
def test_every_unit_of_any_act_has_one_of_the_known_groups(act: Act, kind: str, date: str) -> None:
    found = group_of(replace(act, type=kind, date=date))
    assert len(found) == len(act)
    assert set(found) <= set(GROUPS)


@given(acts, st.sampled_from(TYPES))
def test_footnotes_are_related_and_articles_never_background(act: Act, kind: str) -> None:
    act = replace(act, type=kind, date="2023-05-01")
    for section, found in zip(act.sections, by_section(act), strict=True):
        if section.kind == "notes":
            assert found <= {"related"}
        elif section.kind in ("title", "preamble"):
            assert found <= {"background"}
        elif section.kind == "recitals":
            assert len(found) <= 1
        else:
            assert found <= {"aim", "key_points", "application"}


@given(acts)
def test_the_words_of_an_act_do_not_matter(act: Act) -> None:
    """Letters may be any; digits and signs are all that is looked at."""
    texts = [["".join("x" if c.isalpha() else c for c in u.text) for u in s.units] for s in act.sections]
    sections = tuple(
        replace(s, units=tuple(u._replace(text=t) for u, t in zip(s.units, row, strict=True)))
        for s, row in zip(act.sections, texts, strict=True)
    )
    directive = replace(act, type="directive", date="2023-05-01")
    assert group_of(replace(directive, sections=sections)) == group_of(directive)


# --- the example ------------------------------------------------------------------------------------------


def test_the_example_is_grouped_as_a_lawyer_would(examples: Path) -> None:
    act = read(examples / "short" / "en.txt")
    found = groups(act)
    assert {p for p, group in found.items() if group == "aim"} == {
        *("art-1.par-1", "art-1.par-2", "art-1.par-2.pt-a", "art-1.par-2.pt-b"),
    }
    assert {p for p, group in found.items() if group == "application"} == {"art-10", "art-10.sub-2", "art-10.sub-3"}
    assert {p for p, group in found.items() if group == "related"} == {"note-1"}
    kinds = {act.sections[u.section].kind for u in act if found[u.provision] == "background"}
    assert kinds == {"title", "preamble", "recitals"}
    assert found["art-9"] == found["anx.pt-1"] == "key_points"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_provision_has_the_same_group_in_every_language(examples: Path, language: str) -> None:
    english, other = (groups(read(examples / "short" / f"{code}.txt", language=code)) for code in ("en", language))
    assert other == english


# --- the rule, piece by piece -----------------------------------------------------------------------------


def test_where_the_first_article_defines_terms_the_second_is_the_aim() -> None:
    definitions = article("In this act:", "(a) ‘hive’ means a box;", "(b) ciallaíonn “beach” feithid;")
    rest = [article("It lays down rules on hives."), article("Hives are green."), article("It enters into force.")]
    kinds = ("paragraph", "point", "point", *["paragraph"] * 3)
    act = made(definitions, *rest, kinds=kinds)
    assert by_section(act) == [{"key_points"}, {"aim"}, {"key_points"}, {"application"}]
    assert by_section(made(definitions, rest[-1], kinds=kinds)) == [{"aim"}, {"application"}]


def test_an_act_without_articles_begins_with_its_aim() -> None:
    act = made(("recitals", "", ["Bees die."]), ("body", "", ["Plant flowers.", "Count bees."]))
    assert group_of(act) == ["background", "aim", "key_points"]


def test_recitals_of_a_text_that_enacts_nothing_are_its_key_points() -> None:
    act = made(("title", "", ["Resolution on bees"]), ("recitals", "", ["Bees die.", "They matter."]))
    assert group_of(act) == ["background", "key_points", "key_points"]


def test_an_only_article_is_the_aim() -> None:
    assert group_of(made(article("Bees are protected from 2024."))) == ["aim"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Member States shall comply by 1 May 2025.", "application"),
        ("Valstybės narės – ne vėliau kaip 2026 m. gegužės 1 d.", "application"),
        ("A report shall be drawn up by 2030.", "key_points"),
        ("As laid down by the rules of 5 May 1999.", "key_points"),
        ("As laid down in Directive 2024/17/EU.", "key_points"),
        ("As laid down in Regulation (EU) No 17/2024.", "key_points"),
        ("Member States shall comply.", "key_points"),
    ],
)
def test_a_directive_applies_by_the_dates_in_its_last_articles(text: str, expected: str) -> None:
    first, others = article("It is about bees."), [article("They fly until 2024.")] * 3
    end = [article("It enters into force."), article("It is addressed to the Member States.")]
    act = replace(made(first, *others, article(text), *end), type="directive", date="2023-05-01")
    assert by_section(act)[4:] == [{expected}, {"application"}, {"application"}]
    assert by_section(act)[1] == {"key_points"}, "too far from the end"


def test_the_sentences_of_a_provision_are_never_parted() -> None:
    end = [article("It enters into force."), article("It is addressed to the Member States.")]
    act = made(article("It is about bees."), article("They shall comply.", "The time limit is 2024."), *end)
    sentences = tuple(unit._replace(provision="art-2") for unit in act.sections[1].units)
    sections = (act.sections[0], replace(act.sections[1], units=sentences), *act.sections[2:])
    assert by_section(replace(act, type="directive", date="2023-05-01"))[1] == {"key_points", "application"}
    assert by_section(replace(act, sections=sections, type="directive", date="2023-05-01"))[1] == {"application"}


def test_an_agreement_that_follows_has_no_say_in_when_an_act_applies() -> None:
    act = made(
        article("It is about bees."), article("It enters into force."), ("annex", "", ["A list."]), article("X.")
    )
    assert by_section(act) == [{"aim"}, {"application"}, {"key_points"}, {"key_points"}]
    again = tuple(replace(section, number=n) for section, n in zip(act.sections, "1211", strict=True))
    without_annex = replace(act, sections=(*again[:2], replace(again[2], kind="article"), again[3]))
    assert by_section(without_annex) == [{"aim"}, {"application"}, {"key_points"}, {"key_points"}]


def test_a_last_article_that_goes_on_and_on_is_no_final_one() -> None:
    act = made(article("It is about bees."), article(*["For the Union"] * 11))
    assert by_section(act) == [{"aim"}, {"key_points"}]


# --- real acts --------------------------------------------------------------------------------------------


@pytest.mark.data
def test_real_acts_have_the_same_groups_in_every_language(data: Path) -> None:
    compared = Counter[str]()
    with gzip.open(data / "acts" / "multi-eurlex.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            texts = json.loads(line)["text"]
            english = groups(read(texts.pop("en"), language="en"))
            for language, text in texts.items():
                found = groups(read(text, language=language))
                shared = found.keys() & english.keys()
                assert {p: found[p] for p in shared} == {p: english[p] for p in shared}
                compared[language] += len(shared)
    assert len(compared) == 22


@pytest.mark.data
def test_most_acts_that_say_when_they_enter_into_force_say_so_under_application(data: Path) -> None:
    said, right = 0, 0
    with gzip.open(data / "eur-lex-sum" / "en" / "validation.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % 5:
                continue
            act = read(json.loads(line)["reference"], language="en")
            for unit, group in zip(act.units, group_of(act), strict=True):
                if unit.text.startswith(f"This {act.type.title()} shall enter into force"):
                    said += 1
                    right += group == "application"
    assert said > 30
    assert right > 0.95 * said
