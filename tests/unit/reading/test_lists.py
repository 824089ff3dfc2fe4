"""Which list a letter belongs to that may also be a Roman numeral."""

from __future__ import annotations

import pytest

from lexlattice.reading.citations.forms import Cite
from lexlattice.reading.languages.numbering import marker
from lexlattice.reading.structure.lists import Scope, list_of_heading
from lexlattice.reading.structure.nesting import nest_by_numbering


def paths(lines: list[str]) -> list[str]:
    """Paths of the units below an article, without its own."""
    frame = Scope("art-1", Cite(None, "article", "1"), "paragraph", paragraphs=True)
    drafts = nest_by_numbering(lines, range(len(lines)), [marker(line) for line in lines], frame)
    return [draft.path.removeprefix("art-1").removeprefix(".") for draft in drafts]


def listed(numbers: str, pattern: str = "({}) text;") -> list[str]:
    return [pattern.format(number) for number in numbers.split()]


LATIN, GREEK, CYRILLIC = "a b c d e f g h", "α β γ δ ε στ ζ η", "а б в г д е ж з"
EIGHT = [f"pt-{letter}" for letter in "abcdefgh"]


@pytest.mark.parametrize("letters", [LATIN, GREEK, CYRILLIC])
@pytest.mark.parametrize("pattern", ["({}) text;", "{}) text;"])
def test_i_after_h_begins_a_roman_list_if_ii_follows(letters: str, pattern: str) -> None:
    lines = ["Lead:", *listed(letters, pattern), *listed("i ii iii", pattern)]
    assert paths(lines)[1:] == [*EIGHT, "pt-h.pt-i", "pt-h.pt-ii", "pt-h.pt-iii"]


def test_i_after_h_is_a_letter_if_j_follows_or_nothing() -> None:
    assert paths(["Lead:", *listed(f"{LATIN} i j")])[-2:] == ["pt-i", "pt-j"]
    assert paths(["Lead:", *listed(f"{LATIN} i")])[-1] == "pt-i"
    assert paths(["Lead:", *listed(f"{GREEK} θ ι ια")])[-2:] == ["pt-j", "pt-k"]


def test_the_letter_i_may_contain_roman_numerals_and_follow_them() -> None:
    lines = ["Lead:", *listed(LATIN), *listed("i ii i i ii j")]
    assert paths(lines)[9:] == ["pt-h.pt-i", "pt-h.pt-ii", "pt-i", "pt-i.pt-i", "pt-i.pt-ii", "pt-j"]


def test_lines_between_two_roman_numerals_do_not_hide_the_second() -> None:
    lines = ["Lead:", *listed(LATIN), "(i) text:", "— one,", "— two,", "(a) deep,", "(b) deep,", "(ii) text."]
    assert paths(lines)[9:] == [
        "pt-h.pt-i",
        "pt-h.pt-i.ind-1",
        "pt-h.pt-i.ind-2",
        "pt-h.pt-i.ind-2.pt-a",
        "pt-h.pt-i.ind-2.pt-b",
        "pt-h.pt-ii",
    ]


def test_roman_numerals_of_the_next_paragraph_do_not_count() -> None:
    lines = ["1. Lead:", *listed(f"{LATIN} i"), "2. Lead:", *listed("i ii")]
    assert paths(lines)[9:] == ["par-1.pt-i", "par-2", "par-2.pt-i", "par-2.pt-ii"]


def test_v_and_x_after_u_and_w_are_told_by_what_follows() -> None:
    alphabet = " ".join("abcdefghijklmnopqrstu")
    assert paths(["Lead:", *listed(f"{alphabet} i ii iii iv v vi")])[-2:] == ["pt-u.pt-v", "pt-u.pt-vi"]
    assert paths(["Lead:", *listed(f"{alphabet} i ii iii iv v w x")])[-3:] == ["pt-v", "pt-w", "pt-x"]


def test_letters_that_are_high_roman_numerals_continue_the_letters() -> None:
    assert paths(["Lead:", *listed("a i ii c d")])[-2:] == ["pt-c", "pt-d"]
    assert paths(["Lead:", *listed("a i ii l m")])[-2:] == ["pt-l", "pt-m"]


def test_numerals_of_several_letters_never_continue_letters() -> None:
    assert paths(["Lead:", *listed("a b ii iii c")])[-3:] == ["pt-b.pt-ii", "pt-b.pt-iii", "pt-c"]
    assert paths(["Lead:", *listed("y z aa bb cc")])[-2:] == ["pt-bb", "pt-cc"]


def test_a_letter_that_was_deleted_does_not_make_i_a_numeral() -> None:
    assert paths(["Lead:", *listed("a b c d e f g i j")])[-2:] == ["pt-i", "pt-j"]


def test_points_that_continue_a_lettered_heading_are_its_siblings() -> None:
    annex = Cite(None, "annex", "II")
    frame = Scope("anx-II.pt-c", Cite(annex, "letter", "c"), "paragraph", text_level="subparagraph")
    frame.item = list_of_heading("c", "anx-II", annex)
    lines = [
        "Savings are counted.",
        "(a) by day;",
        "(b) by night.",
        "(d) Losses:",
        "(i) one;",
        "(ii) two.",
        "More.",
        "(e) End.",
    ]
    drafts = nest_by_numbering(lines, range(len(lines)), [marker(line) for line in lines], frame)
    assert [draft.path.removeprefix("anx-II.") for draft in drafts] == [
        *("pt-c", "pt-c.pt-a", "pt-c.pt-b", "pt-d", "pt-d.pt-i", "pt-d.pt-ii", "pt-d.sub-2", "pt-e"),
    ]
    assert [draft.kind for draft in drafts] == [*("paragraph", *["point"] * 5, "subparagraph", "point")]


def test_short_lines_between_two_letters_of_an_annex_belong_to_the_first() -> None:
    frame = Scope("anx", Cite(None, "annex_sole"), "paragraph")
    lines = ["(a) by this formula:", "E = H * C", "where:", "E is energy", "C is a ratio", "(b) by another."]
    drafts = nest_by_numbering(lines, range(len(lines)), [marker(line) for line in lines], frame)
    assert [draft.path for draft in drafts] == [
        *("anx.pt-a", "anx.pt-a.sub-2", "anx.pt-a.sub-3", "anx.pt-a.sub-4", "anx.pt-a.sub-5", "anx.pt-b"),
    ]


def test_a_paragraph_numbered_in_another_style_is_still_a_paragraph() -> None:
    assert paths(["1. Lead:", "(a) one.", "(2) Next.", "3. Last:", "(1) one;", "(2) two."]) == [
        *("par-1", "par-1.pt-a", "par-2", "par-3", "par-3.pt-1", "par-3.pt-2"),
    ]
