"""What people get: complete provisions, lists that say what they mean, and a longer summary that contains a shorter."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import ROOT
from helpers.generated_acts import acts, made
from lexlattice import Act, read
from lexlattice.act.hierarchy import lead_ins
from lexlattice.reading import LANGUAGES
from lexlattice.reading.roles import application_units, is_closing_formula
from lexlattice.selection import Budget
from lexlattice.selection.decoder import choose, decode

EXAMPLES = ROOT / "examples"
LENGTHS = (40, 60, 80, 100, 130, 160, 200, 260, 320, 400, 500)


@cache
def example(language: str, size: str = "short") -> Act:
    return read(EXAMPLES / size / f"{language}.txt", language=language)


def drawn(act: Act, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random(len(act)) ** 2


def favouring(act: Act, *names: str, others: float = 0.1) -> np.ndarray:
    """Scores by which these units are nearly certain."""
    return np.array([0.95 if unit.id in names else others for unit in act.units])


def ids(act: Act, scores: np.ndarray, words: int, focus: str = "all") -> list[str]:
    return [act.units[place].id for place in choose(act, scores, words, focus).units]


def words_of(act: Act, names: list[str]) -> int:
    return sum(act[name].words for name in names)


def law(*articles: str) -> Act:
    """An act of these articles."""
    body = "\n\n".join(f"Article {number}\n\n{text}" for number, text in enumerate(articles, 1))
    return read(f"REGULATION (EU) 2030/9001 of 12 March 2030 on bees\n\n{body}", language="en")


def order(act: Act, scores: np.ndarray) -> list[str]:
    """The first unit of each step, as long as there is anything to add."""
    return [act.units[step[0]].id for step in decode(act, scores)]


def sentence(topic: str, words: int = 14) -> str:
    return f"Every keeper of {topic} shall " + " ".join(f"{topic}{number}" for number in range(words - 5)) + "."


# --- laws of every choice ---------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["en", "de", "el"]), st.integers(0, 10**6), st.lists(st.integers(0, 700), min_size=2, max_size=6)
)
def test_a_longer_choice_contains_a_shorter_one_and_keeps_to_its_length(
    language: str, seed: int, lengths: list[int]
) -> None:
    act = example(language)
    scores = drawn(act, seed)
    choices = [choose(act, scores, words) for words in sorted(lengths)]
    for words, choice in zip(sorted(lengths), choices, strict=True):
        assert sum(act.units[unit].words for unit in choice.units) <= words or words >= act.words
        assert len(choice.units) == len(set(choice.units))
    for shorter, longer in pairwise(choices):
        assert longer.steps[: len(shorter.steps)] == shorter.steps


@settings(max_examples=80, deadline=None)
@given(acts, st.integers(0, 10**6), st.integers(0, 60), st.integers(0, 60), st.sampled_from(["all", "articles"]))
def test_no_act_is_too_odd_to_choose_from(act: Act, seed: int, one: int, other: int, focus: str) -> None:
    scores = drawn(act, seed)
    shorter, longer = (choose(act, scores, words, focus) for words in sorted((one, other)))
    assert longer.steps[: len(shorter.steps)] == shorter.steps
    assert sum(act.units[unit].words for unit in shorter.units) <= min(one, other) or min(one, other) >= act.words


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_every_language_a_point_has_its_lead_in_and_a_lead_in_has_points(language: str) -> None:
    act = example(language)
    leads = lead_ins(act.units)
    for seed, words in enumerate(LENGTHS):
        chosen = set(choose(act, drawn(act, seed), words).units)
        for unit in chosen:
            assert leads[unit] is None or leads[unit] in chosen
            if act.units[unit].text.rstrip().endswith(":"):
                assert sum(leads[point] == unit for point in chosen) >= 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_scores_choose_the_same_provisions_in_every_language(language: str) -> None:
    english, other = example("en"), example(language)
    scores = drawn(english, 5)
    same = {unit.id for unit in english} == {unit.id for unit in other}
    assert same
    ours = ids(english, scores, 300)
    theirs = ids(other, scores, round(300 * other.words / english.words))
    assert len({*ours} & {*theirs}) >= 0.6 * len({*ours} | {*theirs})


@pytest.mark.parametrize("words", [100, 150, 200, 300])
def test_usual_lengths_are_full(words: int) -> None:
    act = example("en", "long")
    filled = [words_of(act, ids(act, drawn(act, seed), words)) for seed in range(12)]
    assert sum(filled) >= 0.8 * words * len(filled)


def test_as_many_words_as_the_act_has_bring_everything_that_can_be_cited() -> None:
    act = example("en")
    chosen = {act.units[unit] for unit in choose(act, drawn(act, 0), act.words).units}
    left_out = {act.sections[unit.section].kind for unit in act.units if unit not in chosen}
    assert left_out == {"title", "preamble"}


def test_what_cannot_be_chosen_from_is_refused() -> None:
    act = example("en")
    for scores, words, focus in (
        (np.zeros(3), 100, "all"),
        (np.full(len(act), np.nan), 100, "all"),
        (np.zeros(len(act)), -1, "all"),
        (np.zeros(len(act)), 100, "annexes"),
    ):
        with pytest.raises(ValueError):
            choose(act, scores, words, focus)
    assert choose(made(), np.zeros(0), 100).units == ()


# --- lists ------------------------------------------------------------------------------------------------

LISTS = {
    "en": (
        "Honey may be sold only if all of the following are met:",
        "the honey of kind {n} is pure",
        "and",
        "or",
    ),
    "de": ("Honig darf nur verkauft werden, wenn Folgendes gilt:", "der Honig der Art {n} ist rein", "und", "oder"),
    "fr": (
        "Le miel ne peut être vendu que si ces conditions sont réunies :",
        "le miel {n} est pur",
        "et",
        "ou",
    ),
    "pl": ("Miód można sprzedawać wyłącznie, gdy spełnione są warunki:", "miód rodzaju {n} jest czysty", "oraz", "lub"),
    "fi": ("Hunajaa saa myydä vain, jos seuraavat edellytykset täyttyvät:", "laatu {n} on puhdasta", "ja", "tai"),
}
FILLING = " ".join(f"xx{number}" for number in range(14))


def listing(language: str, joint: str, points: int = 8) -> Act:
    """An act whose second article has a long list."""
    lead, point, *_ = LISTS[language]
    words = {"fr": "Article", "de": "Artikel", "pl": "Artykuł", "fi": "{n} artikla", "en": "Article"}[language]
    head = [words.format(n=n) if "{n}" in words else f"{words} {n}" for n in (1, 2, 3)]
    lines = [f"({chr(97 + n)}) {point.format(n=n)} {FILLING};" for n in range(points)]
    lines[-2] += f" {joint}" if joint else ""
    lines[-1] = lines[-1].rstrip(";") + "."
    body = [
        head[0],
        "",
        f"{FILLING.capitalize()} aaa.",
        "",
        head[1],
        "",
        lead,
        "",
        *lines,
        "",
        head[2],
        "",
        f"{FILLING} bbb.",
    ]
    return read("\n".join(body), language=language)


def kept(act: Act, scores: np.ndarray, words: int) -> int:
    return sum(".pt-" in name for name in ids(act, scores, words))


@pytest.mark.parametrize("language", LISTS)
def test_a_cumulative_list_comes_whole_or_not_at_all(language: str) -> None:
    act = listing(language, LISTS[language][2])
    scores = favouring(act, "art-2", "art-2.pt-a", "art-2.pt-b")
    found = {kept(act, scores, words) for words in range(40, 260, 20)}
    assert found == {0, 8}


@pytest.mark.parametrize("language", LISTS)
@pytest.mark.parametrize("joined", [False, True])
def test_of_an_open_list_the_best_points_come_and_never_one_alone(language: str, joined: bool) -> None:
    act = listing(language, LISTS[language][3] if joined else "")
    scores = favouring(act, "art-2", "art-2.pt-c", "art-2.pt-f", "art-2.pt-g")
    found = {words: kept(act, scores, words) for words in range(40, 260, 10)}
    assert 1 not in found.values()
    assert 3 in found.values(), "cut where it does not fit"
    assert 7 not in found.values(), "a single missing point comes too"
    some = next(words for words, count in found.items() if count == 3)
    assert {name for name in ids(act, scores, some) if ".pt-" in name} == {"art-2.pt-c", "art-2.pt-f", "art-2.pt-g"}


def test_a_short_list_comes_whole() -> None:
    act = law(sentence("bees"), "The label shall be:\n\n(a) legible;\n\n(b) in black ink;\n\n(c) on each jar.")
    assert kept(act, favouring(act, "art-2.pt-b"), 40) == 3


def test_points_of_a_few_words_come_all() -> None:
    points = "\n\n".join(f"({chr(97 + n)}) honey of kind {n};" for n in range(18))
    act = law(sentence("bees"), f"This applies to:\n\n{points}", sentence("wax"))
    scores = favouring(act, "art-2.pt-b", "art-2.pt-d")
    assert {kept(act, scores, words) for words in range(60, act.words, 5)} == {0, 18}


def test_of_many_definitions_several_come() -> None:
    terms = "\n\n".join(f"({n}) ‘term{n}’ means {FILLING};" for n in range(1, 21))
    act = law(sentence("bees"), f"For the purposes of this Regulation:\n\n{terms}", sentence("wax"))
    counts = {kept(act, favouring(act, "art-2.pt-7", others=0.3), words) for words in range(40, 200, 5)}
    assert min(counts - {0}) == 3


def test_what_closes_a_list_comes_with_it() -> None:
    act = law(
        "1. Copies whose sole purpose is to enable:\n\n(a) a transmission in a network, or\n\n(b) a lawful use\n\n"
        "of a work shall be exempted from the right of reproduction.\n\n2. Other copies need consent.",
        sentence("bees"),
    )
    found = ids(act, favouring(act, "art-1.par-1.pt-a"), 40)
    assert {"art-1.par-1", "art-1.par-1.pt-a", "art-1.par-1.pt-b", "art-1.par-1.sub-2"} <= {*found}


def test_what_leads_in_nothing_that_can_be_cited_never_comes() -> None:
    act = law(sentence("bees"), "1. The following table applies to all hives:\n\n2. Hives shall be green and clean.")
    assert "art-2.par-1" not in ids(act, favouring(act, "art-2.par-1"), act.words - 1)


# --- pointing back and ahead ------------------------------------------------------------------------------

BACK = {
    "en": ("Keepers shall take measures against mites {x}.", "Those measures shall be notified {x}."),
    "de": ("Die Imker ergreifen Maßnahmen gegen Milben {x}.", "Diese Maßnahmen werden gemeldet {x}."),
    "fr": ("Les apiculteurs prennent des mesures contre les acariens {x}.", "Ces mesures sont notifiées {x}."),
    "el": ("Οι μελισσοκόμοι λαμβάνουν μέτρα κατά των ακάρεων {x}.", "Τα μέτρα αυτά κοινοποιούνται {x}."),
    "hu": ("A méhészek intézkedéseket hoznak az atkák ellen {x}.", "Ezeket az intézkedéseket be kell jelenteni {x}."),
}


@pytest.mark.parametrize("language", BACK)
def test_a_sentence_that_points_back_brings_the_one_before(language: str) -> None:
    first, second = (text.format(x=f"{FILLING} {FILLING}") for text in BACK[language])
    header = next(s.label for s in example(language).sections if s.kind == "article")
    act = read(f"{header}\n\n1. {first} {second}\n\n2. {FILLING.capitalize()} ccc.", language=language)
    last = next(unit.id for unit in act.units if unit.text == second)
    before = act.units[[unit.id for unit in act.units].index(last) - 1].id
    scores = favouring(act, last)
    for length in range(20, act.words):
        found = ids(act, scores, length)
        assert last not in found or before in found
    assert any(last in {act.units[unit].id for unit in step} for step in decode(act, scores))


def test_a_later_sentence_never_comes_without_those_before_it() -> None:
    act = law(
        f"1. Keepers shall register {FILLING} {FILLING}. Hives shall be green {FILLING} {FILLING}.", sentence("wax")
    )
    scores = favouring(act, "art-1.par-1.s-2", others=0.01)
    there: set[str] = set()
    for step in decode(act, scores):
        there |= {act.units[place].id for place in step}
        assert "art-1.par-1.s-2" not in there or "art-1.par-1.s-1" in there
    assert "art-1.par-1.s-2" in there


def test_a_paragraph_that_stands_by_itself_needs_no_other() -> None:
    act = law(sentence("wax"), f"1. Keepers shall register {FILLING}.\n\n2. Hives shall be green {FILLING}.")
    chosen = ids(act, favouring(act, "art-2.par-2", others=0.01), 40)
    assert "art-2.par-2" in chosen and "art-2.par-1" not in chosen


def test_what_names_a_paragraph_brings_it_and_an_exception_its_rule() -> None:
    act = law(
        sentence("bees"),
        f"1. Keepers shall register {FILLING}.\n\n2. Hives shall be green {FILLING}.\n\n"
        f"3. Paragraph 1 shall not apply to keepers of one hive {FILLING}.",
    )
    scores = favouring(act, "art-2.par-3")
    for length in range(20, 90):
        found = ids(act, scores, length)
        assert "art-2.par-3" not in found or "art-2.par-1" in found
    assert "art-2.par-3" in ids(act, scores, 80)


def test_a_rule_that_points_to_its_exception_brings_it_sooner() -> None:
    rest = [sentence(topic, 18) for topic in ("wax", "hives", "combs")]

    def place(link: str) -> int:
        exception = f"1. Keepers shall register {link} {FILLING}.\n\n2. Keepers of one hive are free {FILLING}."
        act = law(sentence("bees"), exception, *rest)
        scores = favouring(act, "art-2.par-1", others=0.4) - np.array(
            [0.1 * (u.id == "art-2.par-2") for u in act.units]
        )
        return order(act, scores).index("art-2.par-2")

    assert place("without prejudice to paragraph 2") < place("without any delay or exception")


# --- roles ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "label", "named"), [("en", "Article {}", "Article {}"), ("fi", "{} artikla", "{} artiklan")]
)
def test_what_refers_to_an_article_that_is_not_there_stands_back(language: str, label: str, named: str) -> None:
    def place(target: int) -> int:
        texts = [sentence("honey"), sentence("hives"), sentence("queens", 11), sentence("wax")]
        texts[2] = f"{texts[2][:-1]} {named.format(target)} drones."
        lines = [line for number, text in enumerate(texts, 1) for line in (label.format(number), text)]
        act = read("\n".join(lines), language=language)
        scores = np.array([{"art-1": 0.9, "art-3": 0.52}.get(unit.id, 0.5) for unit in act.units])
        return order(act, scores).index("art-3")

    assert place(1) < place(4)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_aim_comes_first_in_every_language(language: str) -> None:
    act = example(language)
    for seed in range(3):
        first = choose(act, drawn(act, seed), 200).steps[0]
        assert {act.units[unit].id.split(".")[0] for unit in first} == {"art-1"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_entry_into_force_and_date_of_application_never_come_apart(language: str) -> None:
    act = example(language)
    dates = {act.units[place].id for place in application_units(act)}
    assert len(dates) == 2
    for seed, words in enumerate(LENGTHS):
        found = dates & {*ids(act, drawn(act, seed), words)}
        assert not found or found == dates
    assert dates <= {*ids(act, favouring(act, others=0.2), 450)}


def test_a_long_provision_on_transposition_does_not_part_the_other_dates() -> None:
    others = [sentence(f"topic{number}", 20) for number in range(20)]
    body = [
        *others,
        f"Transposition\n\nMember States shall comply with this Directive by 5 May 2031 {' '.join([FILLING] * 5)}.",
        "Entry into force\n\nThis Directive shall enter into force on the third day.\n\n"
        f"Articles 1 to 9 shall apply from 1 May 2032 {FILLING}.",
        "This Directive is addressed to the Member States.",
    ]
    text = "\n\n".join(f"Article {number}\n\n{article}" for number, article in enumerate(body, 1))
    act = read(f"DIRECTIVE (EU) 2030/9001 of 12 March 2030 on bees\n\n{text}", language="en")
    together = {unit.id for unit in act.units if unit.id.startswith("art-22")}
    assert len(together) == 2
    for length in range(100, 500, 20):
        found = together & {*ids(act, favouring(act, "art-22", others=0.4), length)}
        assert not found or found == together
    assert found


def test_scope_date_and_repeal_are_there_once_the_length_allows() -> None:
    others = [sentence(f"topic{number}", 20) for number in range(40)]
    act = law(
        f"Subject matter\n\nThis Regulation lays down rules on bees {FILLING}.",
        f"Scope\n\nThis Regulation applies to keepers {FILLING}.",
        *others,
        f"Repeal\n\nDirective 2001/5/EC is repealed {FILLING}.",
        "Entry into force\n\nThis Regulation shall enter into force on the third day. It shall apply from 1 May 2031.",
    )
    scores = np.array([0.01 if unit.id in ("art-1", "art-2", "art-43", "art-44") else 0.6 for unit in act.units])
    assert {"art-1"} <= {*ids(act, scores, 100)}
    assert not {"art-43", "art-44"} & {*ids(act, scores, 100)}, "the best content rather than everything formal"
    assert {"art-1", "art-2", "art-43", "art-44"} <= {name.partition(".s")[0] for name in ids(act, scores, 450)}


def test_every_chapter_has_a_voice_where_the_length_allows() -> None:
    parts = []
    for chapter in range(1, 6):
        parts.append(f"CHAPTER {'I II III IV V'.split()[chapter - 1]}\n\nMATTERS OF KIND {chapter}")
        parts += [f"Article {8 * chapter - 7 + n}\n\nRule\n\n{sentence(f'matter{chapter}x{n}', 20)}" for n in range(8)]
    act = read("\n\n".join(parts), language="en")
    assert len({section.enclosing for section in act.sections if section.kind == "article"}) == 5
    scores = np.array(
        [0.9 if act.sections[unit.section].enclosing[:1] == act.sections[1].enclosing[:1] else 0.1 for unit in act]
    )
    chosen = choose(act, scores, 300).units
    assert len({act.sections[act.units[unit].section].enclosing for unit in chosen}) == 5


def test_of_twins_the_better_one_comes_and_then_something_else() -> None:
    one = (
        "The controller shall inform the keeper of the purposes, recipients and period of storage of records on hives."
    )
    act = law(sentence("bees"), one, one.replace("controller", "processor"), sentence("wax", 18))
    scores = np.array([0, 0.9, 0.8, 0.75, 0.7])
    assert order(act, scores) == ["art-1", "art-2", "art-4", "art-3"]


# --- what stands back, and what never comes ---------------------------------------------------------------


def test_recitals_and_annexes_stand_back_as_long_as_articles_are_as_good() -> None:
    act = made(
        ("recitals", "", [f"Bees of kind {number} matter to everybody in this market." for number in range(20)]),
        (
            "article",
            "Registration",
            [f"Keepers of kind {number} shall register their hives now." for number in range(20)],
        ),
        ("annex", "", [f"The form of kind {number} shall be blue and green." for number in range(20)]),
    )
    chosen = choose(act, np.full(len(act), 0.5), 170).units
    assert {act.sections[act.units[unit].section].kind for unit in chosen} == {"article"}
    scores = np.array([0.9 if act.sections[unit.section].kind == "annex" else 0.1 for unit in act])
    kinds = [act.sections[act.units[unit].section].kind for unit in choose(act, scores, 150).units]
    assert kinds.count("annex") > len(kinds) / 2, "unless the substance is there"
    without = made(("recitals", "", [unit.text for unit in act.units[:20]]))
    assert choose(without, np.full(20, 0.5), 100).units


def test_title_formulas_labels_figures_and_footnotes_never_come() -> None:
    act = made(
        ("title", "", ["Regulation on bees and on everything that concerns them"]),
        ("preamble", "", ["THE COUNCIL OF THE EUROPEAN UNION,"]),
        (
            "article",
            "Label",
            ["The label shall be legible to everybody.", "ANNEX HEADING OF THE FORM", "12,5 34,8 17,2 9,1"],
        ),
        (
            "article",
            "",
            ["This Regulation shall be binding in its entirety and directly applicable in all Member States."],
        ),
        ("notes", "", ["Council Directive 2001/110/EC of 20 December 2001 relating to honey (OJ L 10, p. 47)."]),
    )
    chosen = choose(act, np.full(len(act), 0.9), act.words - 1).units
    assert [act.units[unit].text for unit in chosen] == ["The label shall be legible to everybody."]


@pytest.mark.parametrize("language", LANGUAGES)
def test_formulas_never_come_in_any_language(language: str) -> None:
    act = example(language)
    never = {unit.id for unit, is_formula in zip(act.units, is_closing_formula(act), strict=True) if is_formula}
    assert never
    assert not never & {*ids(act, np.full(len(act), 0.9), act.words - 1)}


def test_what_was_said_before_does_not_come_again() -> None:
    act = law(sentence("bees"), sentence("wax"), sentence("wax"))
    assert order(act, np.full(len(act), 0.9)) == ["art-1", "art-2"]


def test_a_focus_on_articles_brings_articles_only() -> None:
    act = example("en")
    for words in (100, 300, act.words):
        chosen = choose(act, drawn(act, 1), words, "articles").units
        assert {act.sections[act.units[unit].section].kind for unit in chosen} == {"article"}


def test_tables_come_only_when_they_are_asked_for() -> None:
    kinds = ["paragraph", "table", "paragraph"]
    act = made(
        ("article", "", [sentence("bees"), "Hives\t5\nCombs of wax\t9\nKeepers of bees\t3.", sentence("wax")]),
        kinds=kinds,
    )
    scores = np.array([0.5, 0.9, 0.1])
    assert 1 not in choose(act, scores, act.words).units
    assert 1 in choose(act, scores, 30, "with-tables").units


@pytest.mark.parametrize("name", ["short", "medium", "long"])
def test_lengths_that_have_a_name_are_nested_too(name: str) -> None:
    act = example("en", "long")
    scores = drawn(act, 3)
    longest = choose(act, scores, Budget("long").of(act.words)).steps
    steps = choose(act, scores, Budget(name).of(act.words)).steps
    assert longest[: len(steps)] == steps


def test_what_is_due_is_selected_in_time_and_longer_choices_contain_shorter_ones() -> None:
    act = made(
        *(("article", "", [f"Keepers of kind {place} shall register all of their hives."]) for place in range(8))
    )
    scores = np.linspace(0.9, 0.2, 8)
    last, length = act.units[7].words, act.units[0].words
    for deadline in (last, 3 * length, 5 * length):
        found = [set(choose(act, scores, words, due={7: deadline}).units) for words in range(act.words)]
        assert all(shorter <= longer for shorter, longer in pairwise(found))
        assert all((7 in units) == (words >= deadline) for words, units in enumerate(found) if words <= deadline)
        assert 7 in found[deadline]
    assert choose(act, scores, last, due={7: last - 1}).units == (7,), "what cannot be in time comes first"
    both = {6: act.units[6].words, 7: last}
    found = [set(choose(act, scores, words, due=both).units) for words in range(act.words)]
    assert all({6, 7} <= units for units in found[act.units[6].words + last :]), "both cannot be first"
    assert all(shorter <= longer for shorter, longer in pairwise(found))
