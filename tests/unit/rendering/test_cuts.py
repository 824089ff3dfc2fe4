"""Cuts: what is left out inside a list or a provision is named, all of it, and nothing else."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexlattice import Act, read
from lexlattice.act.hierarchy import Cut, cuts_of, lead_ins

LISTS = """Article 1
Scope
1. This Regulation covers:
(a) honey bees;
(b) wild bees, which are:
(i) bumblebees;
(ii) mason bees;
(iii) leafcutter bees;
(c) wasps;
(d) hornets.
2. It does not cover ants.
3. It does not cover termites.

Article 2
Hives
Hives shall be registered.
Hives on roofs shall be fenced.
Hives in gardens shall be painted."""
SENTENCES = " ".join(f"Keepers shall report the number {i} of their colonies to the authority." for i in range(1, 12))


@pytest.fixture(scope="module")
def act() -> Act:
    return read(LISTS, language="en")


def cuts(act: Act, *names: str) -> list[tuple[str, str, tuple[str, ...], str]]:
    """The cuts of an extract of these units, as plain tuples with short ids."""
    places = [place for place, unit in enumerate(act.units) if unit.id in names]
    assert len(places) == len(names)
    return [(cut.parent, cut.after, cut.ids, cut.kind) for cut in cuts_of(act, places)]


P = "art-1.par-1"


def test_points_left_out_after_a_chosen_one_are_a_cut_behind_it(act: Act) -> None:
    assert cuts(act, P, f"{P}.pt-a") == [(P, f"{P}.pt-a", (f"{P}.pt-b", f"{P}.pt-c", f"{P}.pt-d"), "points")]


def test_points_left_out_at_the_head_of_a_list_are_a_cut_behind_what_leads_it_in(act: Act) -> None:
    assert cuts(act, P, f"{P}.pt-d") == [(P, P, (f"{P}.pt-a", f"{P}.pt-b", f"{P}.pt-c"), "points")]


def test_several_gaps_in_one_list_are_several_cuts(act: Act) -> None:
    names = [P, f"{P}.pt-b", f"{P}.pt-b.pt-i", f"{P}.pt-b.pt-ii", f"{P}.pt-b.pt-iii", f"{P}.pt-d"]
    assert cuts(act, *names) == [
        (P, P, (f"{P}.pt-a",), "points"),
        (P, f"{P}.pt-b.pt-iii", (f"{P}.pt-c",), "points"),
    ]


def test_points_below_a_chosen_point_are_a_cut_of_their_own_and_are_not_counted_with_it(act: Act) -> None:
    assert cuts(act, P, f"{P}.pt-a", f"{P}.pt-b", f"{P}.pt-b.pt-i") == [
        (f"{P}.pt-b", f"{P}.pt-b.pt-i", (f"{P}.pt-b.pt-ii", f"{P}.pt-b.pt-iii"), "points"),
        (P, f"{P}.pt-b.pt-i", (f"{P}.pt-c", f"{P}.pt-d"), "points"),
    ]


def test_a_list_of_which_nothing_is_chosen_is_a_cut_behind_its_lead_in(act: Act) -> None:
    assert cuts(act, P, f"{P}.pt-b")[1] == (
        *(f"{P}.pt-b", f"{P}.pt-b"),
        *((f"{P}.pt-b.pt-i", f"{P}.pt-b.pt-ii", f"{P}.pt-b.pt-iii"), "points"),
    )


def test_a_point_is_there_if_something_below_it_is(act: Act) -> None:
    names = [P, f"{P}.pt-a", f"{P}.pt-b.pt-ii", f"{P}.pt-c", f"{P}.pt-d"]
    assert cuts(act, *names) == []


def test_whole_paragraphs_that_are_not_chosen_are_no_cuts(act: Act) -> None:
    assert cuts(act, "art-1.par-3") == []
    assert cuts(act, "art-2.sub-2") == []
    assert cuts(act) == []


def test_a_complete_list_has_no_cut(act: Act) -> None:
    assert cuts(act, *(unit.id for unit in act)) == []


def test_subparagraphs_left_out_between_or_behind_chosen_ones_are_cuts(act: Act) -> None:
    """Else "Article 2" would claim to be all of it."""
    assert [unit.id for unit in act][-3:] == ["art-2", "art-2.sub-2", "art-2.sub-3"]
    assert cuts(act, "art-2", "art-2.sub-3") == [("art-2", "art-2", ("art-2.sub-2",), "sentences")]
    assert cuts(act, "art-2", "art-2.sub-2") == [("art-2", "art-2.sub-2", ("art-2.sub-3",), "sentences")]
    assert cuts(act, "art-2") == [("art-2", "art-2", ("art-2.sub-2", "art-2.sub-3"), "sentences")]


def test_sentences_left_out_between_or_behind_chosen_ones_are_cuts() -> None:
    act = read(f"Article 1\n\n1. {SENTENCES}\n\n2. Bees are free.", language="en")
    names = [f"{P}.s-{place}" for place in (1, 2, 5)]
    assert cuts(act, *names) == [
        (P, f"{P}.s-2", (f"{P}.s-3", f"{P}.s-4"), "sentences"),
        (P, f"{P}.s-5", tuple(f"{P}.s-{place}" for place in range(6, 12)), "sentences"),
    ]


def test_quoted_text_left_out_behind_its_instruction_is_a_cut() -> None:
    text = """Article 1
Regulation (EU) 2021/9900 is amended as follows:
(1) Article 3 is replaced by the following:
‘Article 3
Hives
1. Hives shall be registered.
2. Hives shall be labelled.’;
(2) Article 4 is deleted."""
    act = read(text, language="en")
    quoted = [unit.id for unit in act if ".q" in unit.id]
    assert quoted
    found = cuts(act, "art-1", "art-1.pt-1", "art-1.pt-2")
    assert [(parent, kind) for parent, _, _, kind in found] == [("art-1.pt-1", "sentences")]
    assert set(found[0][2]) <= set(quoted)
    assert cuts(act, "art-1", "art-1.pt-2") == [("art-1", "art-1", ("art-1.pt-1",), "points")]


@pytest.mark.parametrize("language", ["bg", "el", "en", "fi", "fr", "hu", "mt"])
def test_versions_of_an_act_have_the_same_cuts(examples: Path, language: str) -> None:
    english, act = (read(examples / "short" / f"{code}.txt") for code in ("en", language))
    places = range(0, len(english), 3)
    assert [unit.id for unit in act] == [unit.id for unit in english]
    assert cuts_of(act, places) == cuts_of(english, places)


def test_a_cut_is_plain_json() -> None:
    cut = Cut("art-1", "art-1.pt-a", ("art-1.pt-b", "art-1.pt-c"), "points", ("Article 1, point (b)", "Article 1(c)"))
    assert json.loads(json.dumps(cut.to_dict())) == {
        **{"parent": "art-1", "after": "art-1.pt-a", "ids": ["art-1.pt-b", "art-1.pt-c"]},
        **{"count": 2, "kind": "points", "citations": ["Article 1, point (b)", "Article 1(c)"]},
    }


def check(act: Act, chosen: set[int]) -> None:
    """Of each list whose lead-in is chosen, points that are there and points that are cut are all points, each once."""
    units, leads = act.units, lead_ins(act.units)
    found = cuts_of(act, chosen)
    ids = [name for cut in found for name in cut.ids]
    place = {unit.id: index for index, unit in enumerate(units)}
    assert len(ids) == len(set(ids))
    assert not {place[name] for name in ids} & chosen
    assert [place[cut.ids[0]] for cut in found] == sorted(place[cut.ids[0]] for cut in found)
    for cut in found:
        assert place[cut.after] in chosen
        assert place[cut.after] < place[cut.ids[0]]
        assert not any(place[cut.after] < other < place[cut.ids[0]] for other in chosen)
        assert len(cut.ids) == cut.count > 0
    there = set(chosen)
    for index in chosen:
        while (lead := leads[index]) is not None:
            there.add(lead)
            index = lead
    shown = {units[index].provision for index in there}
    for lead in chosen:
        points = {units[i].provision for i, above in enumerate(leads) if above == lead and units[i].kind == "point"}
        missing = {act[name].provision for cut in found if cut.kind == "points" for name in cut.ids} & points
        assert missing == points - shown


@given(st.data())
def test_points_that_are_there_and_points_that_are_cut_are_all_points_of_a_list(
    examples: Path, data: st.DataObject
) -> None:
    act = read(examples / "short" / "en.txt") if data.draw(st.booleans()) else read(LISTS, language="en")
    check(act, data.draw(st.sets(st.sampled_from(range(len(act))))))


@pytest.mark.data
def test_in_real_acts_too(data: Path) -> None:
    random.seed(0)
    with gzip.open(data / "eur-lex-sum" / "en" / "validation.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line, _ in zip(lines, range(6), strict=False):
            act = read(json.loads(line)["reference"], language="en")
            for share in (0.05, 0.5):
                check(act, {place for place in range(len(act)) if random.random() < share})
