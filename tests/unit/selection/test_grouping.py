"""Grouping: every unit has a group, the right one, the same in every language; and what says when an act applies."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.generated_acts import Rough, acts, made
from lexlattice import Act, read
from lexlattice.act.hierarchy import lead_ins
from lexlattice.act.summary import GROUPS
from lexlattice.reading import LANGUAGES
from lexlattice.reading.roles import application_units, groups_of, is_closing_formula

TYPES = ("regulation", "directive", "decision", "agreement", "")

ADDRESSED = {
    "bg": "Адресати на настоящата директива са държавите членки.",
    "cs": "Tato směrnice je určena členským státům.",
    "da": "Dette direktiv er rettet til medlemsstaterne.",
    "de": "Diese Richtlinie ist an die Mitgliedstaaten gerichtet.",
    "el": "Η παρούσα οδηγία απευθύνεται στα κράτη μέλη.",
    "en": "This Directive is addressed to the Member States.",
    "es": "Los destinatarios de la presente Directiva son los Estados miembros.",
    "et": "Käesolev direktiiv on adresseeritud liikmesriikidele.",
    "fi": "Tämä direktiivi on osoitettu kaikille jäsenvaltioille.",
    "fr": "Les États membres sont destinataires de la présente directive.",
    "ga": "Is chuig na Ballstáit a dhírítear an Treoir seo.",
    "hr": "Ova je Direktiva upućena državama članicama.",
    "hu": "Ennek az irányelvnek a tagállamok a címzettjei.",
    "it": "Gli Stati membri sono destinatari della presente direttiva.",
    "lt": "Ši direktyva skirta valstybėms narėms.",
    "lv": "Šī direktīva ir adresēta dalībvalstīm.",
    "mt": "Din id-Direttiva hija indirizzata lill-Istati Membri.",
    "nl": "Deze richtlijn is gericht tot de lidstaten.",
    "pl": "Niniejsza dyrektywa skierowana jest do państw członkowskich.",
    "pt": "Os destinatários da presente diretiva são os Estados-Membros.",
    "ro": "Prezenta directivă se adresează statelor membre.",
    "sk": "Táto smernica je určená členským štátom.",
    "sl": "Ta direktiva je naslovljena na države članice.",
    "sv": "Detta direktiv riktar sig till medlemsstaterna.",
}


def groups(act: Act) -> dict[str, str]:
    """The group of each provision."""
    return dict(zip((unit.provision for unit in act.units), groups_of(act), strict=True))


def by_section(act: Act) -> list[set[str]]:
    """The groups that occur in each section."""
    found: list[set[str]] = [set() for _ in act.sections]
    for unit, group in zip(act.units, groups_of(act), strict=True):
        found[unit.section].add(group)
    return found


def article(*texts: str) -> Rough:
    return "article", "", texts


def typed(act: Act, kind: str) -> Act:
    return replace(act, type=kind, date="2023-05-01")


def named(act: Act, words: int = 65) -> list[str]:
    """The provisions that say from when it applies, the best first; a name for each sentence."""
    return [act.units[place].provision for place in application_units(act, words)]


def saying(act: Act, words: int = 65) -> list[str]:
    return [act.units[place].text for place in application_units(act, words)]


def formulas_of(act: Act) -> list[str]:
    """The provisions that are formulas."""
    return [unit.provision for unit, is_formula in zip(act.units, is_closing_formula(act), strict=True) if is_formula]


# --- laws -------------------------------------------------------------------------------------------------


@given(acts, st.sampled_from(TYPES), st.sampled_from(["", "2023-05-01"]))
def test_every_unit_of_any_act_has_one_of_the_known_groups(act: Act, kind: str, date: str) -> None:
    found = groups_of(replace(act, type=kind, date=date))
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
def test_words_matter_for_nothing_but_when_an_act_applies(act: Act) -> None:
    """Of all else letters may be any; digits and signs are all that is looked at."""
    texts = [["".join("x" if c.isalpha() else c for c in u.text) for u in s.units] for s in act.sections]
    sections = tuple(
        replace(s, units=tuple(u._replace(text=t) for u, t in zip(s.units, row, strict=True)))
        for s, row in zip(act.sections, texts, strict=True)
    )
    other = typed(replace(act, sections=sections), "directive")
    for one, group in zip(groups_of(typed(act, "directive")), groups_of(other), strict=True):
        assert one == group or "application" in (one, group)


closing = st.lists(
    st.sampled_from(
        [
            "It shall enter into force on the day of its publication.",
            "It shall apply from 2024, except:",
            "They shall comply with it by 5 May 2025.",
            "A report is due.",
            *("It is addressed to the Member States.", "It is binding in its entirety."),
        ]
    ),
    min_size=1,
    max_size=5,
)
endings = st.builds(
    lambda rows, kinds, kind: typed(made(*(article(*row) for row in rows), kinds=kinds), kind),
    st.lists(closing, min_size=1, max_size=5),
    st.lists(st.sampled_from(["paragraph", "subparagraph", "point", "note"]), min_size=1, max_size=7),
    st.sampled_from(TYPES),
)


@given(endings, st.integers(0, 80))
def test_what_says_when_is_short_complete_and_no_formula(act: Act, words: int) -> None:
    places, is_formula = application_units(act, words), is_closing_formula(act)
    assert len(set(places)) == len(places)
    assert sum(act.units[place].words for place in places) <= words
    assert not any(is_formula[place] for place in places)
    leads = lead_ins(act.units)
    assert all(leads[place] is None or leads[place] in places for place in places)
    groups = groups_of(act)
    assert {groups[place] for place in places} <= {"aim", "application"}


@given(endings)
def test_formulas_are_key_points_unless_they_stand_in_the_first_article(act: Act) -> None:
    for group, is_formula in zip(groups_of(act), is_closing_formula(act), strict=True):
        assert not is_formula or group in ("key_points", "aim")


# --- the example ------------------------------------------------------------------------------------------


def test_the_example_is_grouped_as_a_lawyer_would(examples: Path) -> None:
    act = read(examples / "short" / "en.txt")
    found = groups(act)
    assert {p for p, group in found.items() if group == "aim"} == {
        *("art-1.par-1", "art-1.par-2", "art-1.par-2.pt-a", "art-1.par-2.pt-b"),
    }
    assert {p for p, group in found.items() if group == "application"} == {"art-10", "art-10.sub-2"}
    assert {p for p, group in found.items() if group == "related"} == {"note-1"}
    kinds = {act.sections[u.section].kind for u in act if found[u.provision] == "background"}
    assert kinds == {"title", "preamble", "recitals"}
    assert found["art-9"] == found["anx.pt-1"] == "key_points"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_provision_has_the_same_group_in_every_language(examples: Path, language: str) -> None:
    english, other = (groups(read(examples / "short" / f"{code}.txt", language=code)) for code in ("en", language))
    assert other == english


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_says_from_when_it_applies_in_every_language(examples: Path, language: str) -> None:
    act = read(examples / "short" / f"{language}.txt", language=language)
    assert named(act) == ["art-10", "art-10.sub-2"]
    assert formulas_of(act) == ["art-10.sub-3"]


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
    assert groups_of(act) == ["background", "aim", "key_points"]


def test_recitals_of_a_text_that_enacts_nothing_are_its_key_points() -> None:
    act = made(("title", "", ["Resolution on bees"]), ("recitals", "", ["Bees die.", "They matter."]))
    assert groups_of(act) == ["background", "key_points", "key_points"]


def test_an_only_article_is_the_aim() -> None:
    assert groups_of(made(article("Bees are protected from 2024."))) == ["aim"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_whom_an_act_is_addressed_to_is_known_in_every_language(language: str) -> None:
    texts = [article("1."), article("2."), article(ADDRESSED[language])]
    assert is_closing_formula(typed(made(*texts, language=language), "directive")) == [False, False, True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This Regulation is binding in its entirety and directly applicable.", True),
        ("3. This Decision is addressed to the Member States .", True),
        ("It enters into force on publication and is binding in its entirety.", False),
        ("It is binding in its entirety. It applies from the day of its publication.", False),
        ("It is binding in its entirety from 1 May 2023.", False),
        ("It enters into force on the twentieth day following that of its publication.", False),
    ],
)
def test_a_formula_says_nothing_else(text: str, expected: bool) -> None:
    assert is_closing_formula(made(article("It is about bees."), article(text))) == [False, expected]


def test_addressees_are_part_of_the_formula_that_leads_them_in() -> None:
    end = article("This Decision is addressed to:", "1. Hives Ltd, 5 Bee Road", "It applies from 2023.")
    act = made(article("It is about bees."), end, kinds=("paragraph", "paragraph", "point", "paragraph"))
    assert is_closing_formula(typed(act, "decision")) == [False, True, True, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Member States shall comply with this Directive by 1 May 2025.", "application"),
        ("Member States shall bring into force the laws by 1 May 2030.", "application"),
        ("Member States shall comply with it within two years.", "application"),
        ("A report shall be drawn up by 2025.", "key_points"),
        ("Member States shall agree.", "key_points"),
    ],
)
def test_a_directive_applies_by_the_time_limit_before_its_final_articles(text: str, expected: str) -> None:
    end = [article("It shall enter into force on publication."), article("It is addressed to the Member States.")]
    act = typed(made(article("It is about bees."), article(text), *end), "directive")
    assert by_section(act) == [{"aim"}, {expected}, {"application"}, {"key_points"}]
    far = typed(made(article("It is about bees."), article(text), *[article("They fly.")] * 3, *end), "directive")
    assert by_section(far)[1] == {"key_points"}, "too far from the end"


def test_a_time_limit_with_a_date_comes_before_what_only_has_the_words() -> None:
    act = made(
        article("It is about bees."),
        article("After its entry into force hives shall be counted."),
        article("They shall comply with it by 2025."),
        article("It shall enter into force on publication."),
        article("It is addressed to the Member States."),
    )
    assert saying(typed(act, "directive")) == [
        "They shall comply with it by 2025.",
        "It shall enter into force on publication.",
    ]
    assert by_section(typed(act, "directive"))[1] == {"key_points"}


def test_a_decision_that_ends_with_its_addressees_keeps_its_date() -> None:
    to_all = article("This Decision is addressed to the Member States.")
    act = made(article("It is about bees."), article("It shall take effect on notification."), to_all)
    assert saying(typed(act, "decision")) == ["It shall take effect on notification."]
    assert by_section(typed(act, "decision")) == [{"aim"}, {"application"}, {"key_points"}]
    act = made(article("It is about bees."), article("Hives shall be counted by 2024."), to_all)
    assert saying(typed(act, "decision")) == []


def test_a_last_article_that_says_nothing_of_when_is_no_final_one() -> None:
    act = made(article("It is about bees."), article("The Committee shall adopt its rules of procedure."))
    assert by_section(act) == [{"aim"}, {"key_points"}]
    assert saying(act) == []


DIRECTIVE = """DIRECTIVE (EU) 2023/9002 OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL
of 3 May 2023
on beehives
Article 1
Subject matter
This Directive lays down rules on beehives.
Article 2
Transposition
1. Member States shall adopt and publish, by 31 December 2027, the provisions necessary to comply with Article 1.
They shall apply those provisions from 1 January 2028.
When they adopt those provisions, they shall refer to this Directive.
2. Member States shall send them to the Commission.
Article 3
Entry into force
This Directive shall enter into force on the twentieth day following that of its publication.
Article 4
Addressees
This Directive is addressed to the Member States.
"""


def test_the_subparagraphs_of_a_paragraph_are_never_parted() -> None:
    found = groups(read(DIRECTIVE, language="en"))
    assert {p for p, group in found.items() if group == "application"} == {
        *("art-2.par-1", "art-2.par-1.sub-2", "art-2.par-1.sub-3", "art-3"),
    }
    assert found["art-2.par-2"] == found["art-4"] == "key_points"


def test_the_time_limit_of_a_directive_comes_before_its_entry_into_force() -> None:
    act = read(DIRECTIVE, language="en")
    assert named(act) == ["art-2.par-1", "art-2.par-1.sub-2", "art-3"]
    assert named(act, act["art-2.par-1"].words) == ["art-2.par-1"]


def test_exceptions_come_whole_and_never_without_their_rule() -> None:
    end = article("It shall apply from 2024.", "However:", "(a) hives from 2025;", "(b) labels.", "It ends in 2030.")
    act = made(
        article("It is about bees."), end, kinds=("paragraph", *["paragraph"] * 2, "point", "point", "paragraph")
    )
    assert saying(act) == list(end[2])
    assert saying(act, 11) == ["It shall apply from 2024."]
    assert saying(act, 4) == []


def test_a_provision_is_cut_after_the_last_sentence_that_says_when() -> None:
    act = made(article("It is about bees."), article("They shall see.", "It applies from 2024.", "They shall tell."))
    sentences = tuple(unit._replace(provision="art-2") for unit in act.sections[1].units)
    act = replace(act, sections=(act.sections[0], replace(act.sections[1], units=sentences)))
    assert saying(act) == ["They shall see.", "It applies from 2024."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It applies from 1 May 2024.", True),
        ("Taikoma nuo 2026 m. gegužės 1 d.", True),
        ("As laid down by the rules of 5 May 1999.", False),
        ("As laid down in Directive 2024/17/EU.", False),
        ("As laid down in Regulation (EU) No 17/2024.", False),
    ],
)
def test_a_date_is_a_year_from_that_of_the_act_on(text: str, expected: bool) -> None:
    act = typed(made(article("It is about bees."), article(text)), "regulation")
    assert saying(act) == [text] * expected


def test_an_agreement_that_follows_has_no_say_in_when_an_act_applies() -> None:
    act = made(
        article("It is about bees."), article("It enters into force."), ("annex", "", ["A list."]), article("X.")
    )
    assert by_section(act) == [{"aim"}, {"application"}, {"key_points"}, {"key_points"}]
    again = tuple(replace(section, number=n) for section, n in zip(act.sections, "1211", strict=True))
    without_annex = replace(act, sections=(*again[:2], replace(again[2], kind="article"), again[3]))
    assert by_section(without_annex) == [{"aim"}, {"application"}, {"key_points"}, {"key_points"}]


def test_a_last_article_that_goes_on_and_on_is_no_final_one() -> None:
    act = made(article("It is about bees."), article(*["It enters into force."] * 11))
    assert by_section(act) == [{"aim"}, {"key_points"}]


# --- real acts --------------------------------------------------------------------------------------------


@pytest.mark.data
def test_real_acts_have_the_same_groups_in_every_language(data: Path) -> None:
    """One Finnish version has only the formula in its last article: formulas are compared apart."""
    compared, found_formulas = Counter[str](), Counter[str]()
    with gzip.open(data / "acts" / "multi-eurlex.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            texts = json.loads(line)["text"]
            act = read(texts.pop("en"), language="en")
            english, english_formulas = groups(act), formulas_of(act)
            for language, text in texts.items():
                act = read(text, language=language)
                found = groups(act)
                assert set(formulas_of(act)) >= found.keys() & set(english_formulas)
                shared = (found.keys() & english.keys()) - set(formulas_of(act))
                assert {p: found[p] for p in shared} == {p: english[p] for p in shared}
                compared[language] += len(shared)
                found_formulas[language] += len(formulas_of(act))
    assert len(compared) == 22
    assert min(found_formulas.values()) >= 6


@pytest.mark.data
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("32024R1689/2024-06-13/en.xml", ["art-113", "art-113.sub-2"]),
        ("32024R1689/2024-06-13/fr.xml", ["art-113", "art-113.sub-2"]),
        ("32020L0285/2020-02-18/en.xml", ["art-3.par-1", "art-3.par-1.sub-2"]),
        ("32022R2554/2022-12-14/fr.xml", ["art-64", "art-64.sub-2"]),
    ],
)
def test_real_acts_say_from_when_they_apply(data: Path, path: str, expected: list[str]) -> None:
    assert named(read(data / "acts" / "raw" / path)) == expected


@pytest.mark.data
def test_most_acts_that_say_when_they_enter_into_force_say_so_under_application(data: Path) -> None:
    said, right, first = 0, 0, 0
    with gzip.open(data / "eur-lex-sum" / "en" / "validation.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % 5:
                continue
            act = read(json.loads(line)["reference"], language="en")
            places = application_units(act)
            for place, (unit, group) in enumerate(zip(act.units, groups_of(act), strict=True)):
                if unit.text.startswith(f"This {act.type.title()} shall enter into force"):
                    said += 1
                    right += group == "application"
                    first += place in places
    assert said > 30
    assert right > 0.95 * said
    assert first > 0.9 * said


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_day_from_which_a_decision_has_effect_is_found_in_every_language(examples: Path, language: str) -> None:
    act = read(examples / "decision" / f"{language}.txt", language=language)
    assert {act.units[place].provision for place in application_units(act)} == {"art-5"}
