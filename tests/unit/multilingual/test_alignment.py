"""Alignment of two versions of one act: counterparts are found whatever was lost, and nothing else is claimed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.acts import EXAMPLES, LANGUAGES
from helpers.generated_acts import acts, made
from lexlattice import Act, Unit, read
from lexlattice.multilingual import alignment
from lexlattice.multilingual.alignment import Alignment, _best_path, _Texts, align, pair_sentences

Vectors = NDArray[np.float32]


class Bag:
    """An encoder of few words: texts are alike as far as they share them."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def __call__(self, texts: list[str]) -> Vectors:
        vectors = np.zeros((len(texts), 4000), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word in text.split():
                vector[self.places.setdefault(word, len(self.places))] += 1
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1)
        return unit


def text(number: int, words: int = 16) -> str:
    """A text that has no word in common with any other."""
    return " ".join(f"{number}.{word}" for word in range(words))


def articles(sections: Sequence[Sequence[int]]) -> Act:
    """Articles of counted provisions, each by the number of its text."""
    return made(*(("article", "", [text(number) for number in numbers]) for numbers in sections))


def texts_of(found: Alignment, source: Act, target: Act) -> dict[str, list[str]]:
    return {source[name].text: [target[other].text for other in others] for name, others in found.pairs.items()}


# --- laws -------------------------------------------------------------------------------------------------


@given(acts, acts)
def test_every_unit_is_aligned_or_reported_as_unaligned(here: Act, there: Act) -> None:
    for encode in (None, Bag()):
        found = align(here, there, encode)
        assert {*found.pairs, *found.unaligned} == {unit.id for unit in here.units}
        assert not found.pairs.keys() & {*found.unaligned}
        assert list(found.unaligned) == [unit.id for unit in here.units if unit.id not in found.pairs]
        assert found.how.keys() == {here[name].provision for name in found.pairs}
        assert {*found.how.values()} <= ({"number", "similarity"} if encode else {"number"})
        places = {unit.id: place for place, unit in enumerate(there.units)}
        for names in found.pairs.values():
            assert names
            assert [places[name] for name in names] == sorted({places[name] for name in names})
        assert found == align(here, there, encode)


@given(acts)
def test_an_act_is_aligned_with_itself(act: Act) -> None:
    for encode in (None, Bag()):
        assert align(act, act, encode).pairs == {unit.id: (unit.id,) for unit in act.units}


some_sections = st.lists(st.lists(st.sampled_from(["kept", "lost", "new"]), min_size=1, max_size=7), min_size=1)


@given(some_sections)
def test_provisions_of_both_versions_are_aligned_and_others_are_not(fates: list[list[str]]) -> None:
    """Whatever was lost or added: counts shift, and what is said decides."""
    numbers = iter(range(10_000))
    sections = [[(next(numbers), fate) for fate in section] for section in fates]
    here = articles([[number for number, fate in section if fate != "new"] for section in sections])
    there = articles([[number for number, fate in section if fate != "lost"] for section in sections])
    kept = [text(number) for section in sections for number, fate in section if fate == "kept"]
    found = align(here, there, Bag())
    assert texts_of(found, here, there) == {words: [words] for words in kept}
    by_number = align(here, there, None)
    assert by_number.pairs.items() <= {(unit.id, (unit.id,)) for unit in here.units}


@given(st.lists(st.booleans(), min_size=2, max_size=8), st.integers(0, 6))
def test_two_lines_merged_into_one_are_both_aligned_with_it(lines: list[bool], place: int) -> None:
    place %= len(lines) - 1
    numbers = list(range(len(lines)))
    here = articles([numbers])
    one = f"{text(place)} {text(place + 1)}"
    there = made(("article", "", [*map(text, numbers[:place]), one, *map(text, numbers[place + 2 :])]))
    expected = {text(number): [text(number)] for number in numbers} | {text(place): [one], text(place + 1): [one]}
    assert texts_of(align(here, there, Bag()), here, there) == expected
    back = align(there, here, Bag())
    assert texts_of(back, there, here)[one] == [text(place), text(place + 1)]


@given(some_sections, st.integers(1, 3))
def test_a_narrow_band_finds_less_but_nothing_wrong(fates: list[list[str]], band: int) -> None:
    fates = [[fate for section in fates for fate in section]]
    here = articles([[number for number, fate in enumerate(fates[0]) if fate != "new"]])
    there = articles([[number for number, fate in enumerate(fates[0]) if fate != "lost"]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "BAND", band)
        found = texts_of(align(here, there, Bag()), here, there)
    assert found == {words: [words] for words in found}
    if len(here) + len(there) < 2 * band:
        assert found.keys() == {unit.text for unit in here.units} & {unit.text for unit in there.units}


# --- sentences of one provision ----------------------------------------------------------------------------


def sentences(lengths: list[int]) -> tuple[Unit, ...]:
    return made(("article", "", ["word " * length for length in lengths])).units


lengths = st.lists(st.integers(1, 12), min_size=1, max_size=7)


@given(lengths, lengths)
@example([3, 6], [5, 2, 10, 8, 11])  # a middle falls exactly on a boundary: floating point would put it elsewhere
def test_sentences_correspond_in_order_and_none_is_left_out(some: list[int], others: list[int]) -> None:
    units, counterparts = sentences(some), sentences(others)
    position = {unit.id: unit.position for unit in counterparts}
    found = [[position[name] for name in names] for names in pair_sentences(units, counterparts).values()]
    assert len(found) == len(some)
    assert all(found)
    assert all(group == sorted(group) for group in found)
    assert [group[0] for group in found] == sorted(group[0] for group in found)
    assert [group[-1] for group in found] == sorted(group[-1] for group in found)
    assert {index for group in found for index in group} == {*position.values()}


def test_equal_numbers_of_sentences_correspond_one_to_one() -> None:
    units, others = sentences([1, 20, 3]), sentences([9, 2, 2])
    assert list(pair_sentences(units, others).values()) == [(unit.id,) for unit in others]


def test_a_sentence_corresponds_to_those_in_the_same_share_of_the_provision() -> None:
    two, four = sentences([10, 30]), sentences([5, 5, 15, 15])
    first, second = (unit.id for unit in two)
    a, b, c, d = (unit.id for unit in four)
    assert pair_sentences(two, four) == {first: (a, b), second: (c, d)}
    assert pair_sentences(four, two) == {a: (first,), b: (first,), c: (second,), d: (second,)}


# --- the path of highest similarity -------------------------------------------------------------------------


def best_by_trying_all(here: _Texts, there: _Texts) -> float:
    """The same optimum by plain recursion, without band and arrays."""
    twos, twos_there = here.merged(2), there.merged(2)

    @cache
    def best(i: int, j: int) -> float:
        ways = [0.0]
        if i:
            ways.append(best(i - 1, j))
        if j:
            ways.append(best(i, j - 1))
        if i and j:
            ways.append(best(i - 1, j - 1) + float(here.vectors[i - 1] @ there.vectors[j - 1]))
        if i > 1 and j:
            ways.append(best(i - 2, j - 1) + float(twos[i - 2] @ there.vectors[j - 1]) - alignment.MERGE_PENALTY)
        if i and j > 1:
            ways.append(best(i - 1, j - 2) + float(here.vectors[i - 1] @ twos_there[j - 2]) - alignment.MERGE_PENALTY)
        return max(ways)

    return best(len(here.words), len(there.words))


def some_texts(count: int, generator: np.random.Generator) -> _Texts:
    vectors = generator.normal(size=(count, 3)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return _Texts(vectors, generator.integers(1, 9, count).astype(np.float32))


@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_no_other_path_is_more_similar(mine: int, other: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    here, there = some_texts(mine, generator), some_texts(other, generator)
    way = _best_path(here, there)
    similarities = [float(here.take(a).merged(len(a))[0] @ there.take(b).merged(len(b))[0]) for a, b in way]
    reached = sum(similarities) - alignment.MERGE_PENALTY * sum(len(a) + len(b) > 2 for a, b in way)
    assert reached == pytest.approx(best_by_trying_all(here, there), abs=1e-4)
    for side in zip(*way, strict=True):
        taken = [place for places in side for place in places]
        assert taken == sorted(set(taken))


# --- numbers ----------------------------------------------------------------------------------------------


def renamed(act: Act, names: Sequence[str], number: str = "") -> Act:
    units = iter(names)
    sections = tuple(
        replace(
            section,
            units=tuple(
                unit._replace(id=name, provision=name, number=number)
                for unit, name in zip(section.units, units, strict=False)
            ),
        )
        for section in act.sections
    )
    return replace(act, sections=sections)


def test_printed_numbers_are_trusted_and_counted_ones_are_not() -> None:
    short = "few words of it"
    here = renamed(
        made(("article", "", [short] * 4)), ["art-0.par-1", "art-0.par-1.ind-1", "art-0.par-2", "art-0.sub-2"]
    )
    there = renamed(made(("article", "", [short] * 3)), ["art-0.par-1", "art-0.par-2", "art-0.sub-2"])
    assert align(here, there, None).pairs == {
        "art-0.par-1": ("art-0.par-1",),
        "art-0.par-2": ("art-0.par-2",),
        "art-0.sub-2": ("art-0.sub-2",),  # after the last number both versions count alike
    }
    there = renamed(there, ["art-0.par-1", "art-0.sub-2", "art-0.sub-3"])
    assert align(here, there, None).pairs == {"art-0.par-1": ("art-0.par-1",)}


def test_a_recital_is_numbered_only_if_the_act_does_it() -> None:
    names = ["rec-1", "rec-2", "rec-3"]
    bare = made(("recitals", "", ["whereas this"] * 3))
    for number, aligned in (("1", {"rec-1": ("rec-1",), "rec-2": ("rec-2",)}), ("", {})):
        here = renamed(bare, names, number)
        there = renamed(made(("recitals", "", ["whereas this"] * 2)), names[:2], number)
        assert align(here, there, None).pairs == aligned


def test_a_number_is_rejected_if_the_texts_have_nothing_in_common() -> None:
    here = renamed(articles([[1, 2, 3]]), ["art-0.par-1", "art-0.par-2", "art-0.par-3"])
    there = renamed(articles([[1, 9]]), ["art-0.par-1", "art-0.par-2"])
    assert align(here, there, Bag()).pairs == {"art-0.par-1": ("art-0.par-1",)}
    there = renamed(articles([[1, 3]]), ["art-0.par-1", "art-0.par-2"])
    found = align(here, there, Bag())
    assert found.pairs == {"art-0.par-1": ("art-0.par-1",), "art-0.par-3": ("art-0.par-2",)}
    assert found.how == {"art-0.par-1": "number", "art-0.par-3": "similarity"}
    assert found.unaligned == ("art-0.par-2",)


def test_a_moved_section_is_found() -> None:
    here = made(("article", "", [text(1)]), ("annex", "", [text(2)]), ("notes", "", [text(7), text(8), text(9)]))
    there = made(("article", "", [text(1)]), ("notes", "", [text(7), text(9)]), ("annex", "", [text(2)]))
    here, there = (replace(act, sections=tuple(replace(s, number="") for s in act.sections)) for act in (here, there))
    found = texts_of(align(here, there, Bag()), here, there)
    assert found == {text(number): [text(number)] for number in (1, 2, 7, 9)}


def test_children_of_aligned_provisions_are_aligned_by_id() -> None:
    """The points have other words, as translations may; the article's header is lost in the second version."""
    points = ["few words", "other words", "last words"]
    here = made(("article", "", [text(1)]), ("article", "", [text(2), *points]), ("annex", "", [text(3)]))
    here = renamed(here, ["art-0", "art-1", "art-1.pt-a", "art-1.pt-b", "art-1.pt-c", "anx"])
    there = made(("article", "", [text(1), text(2), "a", "b", "c"]), ("body", "", []), ("annex", "", [text(3)]))
    there = renamed(there, ["art-0", "art-0.sub-2", *(f"art-0.sub-2.pt-{letter}" for letter in "abc"), "anx"])
    found = align(here, there, Bag())
    assert found.pairs["art-1"] == ("art-0.sub-2",)
    assert [found.pairs[f"art-1.pt-{letter}"] for letter in "abc"] == [(f"art-0.sub-2.pt-{c}",) for c in "abc"]
    fewer = renamed(made(("article", "", [text(1), text(2), "a", "b"])), [unit.id for unit in there.units][:4])
    assert align(here, fewer, Bag()).unaligned == ("art-1.pt-a", "art-1.pt-b", "art-1.pt-c", "anx")


# --- the example, whole and damaged -----------------------------------------------------------------------


@cache
def example_act(language: str) -> Act:
    return read(EXAMPLES / f"{language}.txt")


def without(language: str, *lines: str) -> Act:
    """The example after some of its lines were lost."""
    kept = [line for line in example_act(language).source.split("\n") if line not in lines]
    return read("\n".join(kept), language=language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_corresponds_as_a_whole_and_back(language: str) -> None:
    here, there = example_act("en"), example_act(language)
    found, back = align(here, there, None), align(there, here, None)
    assert not found.unaligned
    assert all(there[name].provision == here[unit].provision for unit, names in found.pairs.items() for name in names)
    assert {name for names in found.pairs.values() for name in names} == {unit.id for unit in there.units}
    for name, others in found.pairs.items():
        assert {other for there_name in others for other in back.pairs[there_name]} == {name}


def claims(found: Alignment, whole: Act, there: Act) -> dict[str, bool]:
    """For each unit of the English version that is aligned, whether that is right: what the whole version has."""
    expected = align(example_act("en"), whole, None).pairs
    return {
        name: [there[other].text for other in others] == [whole[other].text for other in expected[name]]
        for name, others in found.pairs.items()
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("article", ["2", "5"])
def test_an_article_whose_header_is_lost_is_found_again(language: str, article: str) -> None:
    here, whole = example_act("en"), example_act(language)
    there = without(language, next(s.label for s in whole.sections if s.kind == "article" and s.number == article))
    assert not [unit.id for unit in there.units if unit.id.startswith(f"art-{article}")]
    found = align(here, there)
    assert all(claims(found, whole, there).values())
    units = [unit.id for unit in here.units if unit.id.startswith(f"art-{article}")]
    assert {*found.unaligned} <= {*units}
    assert 2 * len(found.unaligned) <= len(units)
    assert {*units} <= {*align(here, there, None).unaligned}, "by numbers alone it is lost"


@pytest.mark.parametrize("language", LANGUAGES)
def test_lost_provisions_are_reported_and_not_replaced(language: str) -> None:
    here, whole = example_act("en"), example_act(language)
    lost = {"art-3.par-2.pt-b.pt-ii", "art-5.par-2.ind-1", "rec-3"}
    there = without(language, *(unit.text for name in lost for unit in whole.sentences(name)))
    found = align(here, there)
    assert all(claims(found, whole, there).values())
    unaligned = {here[name].provision for name in found.unaligned}
    assert lost <= unaligned <= lost | {"art-5.par-2.ind-2", "art-5.par-2.ind-3"}


# --- real acts --------------------------------------------------------------------------------------------


def lines_of(act: Act, lines: Sequence[str]) -> dict[str, set[int]]:
    """For each provision the lines that it stands on: reading keeps every character but white space."""
    line_of = [index for index, line in enumerate(lines) for _ in "".join(line.split())]
    before = np.cumsum([0, *(not character.isspace() for character in act.source)])
    found: dict[str, set[int]] = {}
    for unit in act.units:
        found.setdefault(unit.provision, set()).update(line_of[before[unit.start] : before[unit.end]])
    return found


@pytest.mark.data
def test_versions_that_are_numbered_differently_are_aligned_line_by_line(data: Path) -> None:
    """Amending acts whose quotations the versions number each in its own way; `benchmarks/alignment.py` has all."""
    wanted = {"32008R0622", "32009L0162", "32010L0045", "32018R0099", "32024R1879"}
    claimed = right = aligned = units = right_by_id = 0
    with gzip.open(data / "acts" / "en-fr.jsonl.gz", "rt", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            if row["celex_id"] not in wanted:
                continue
            english, french = (read(row["text"][name], language=name, format="text") for name in ("en", "fr"))
            here, there = (
                lines_of(english, row["text"]["en"].split("\n")),
                lines_of(french, row["text"]["fr"].split("\n")),
            )
            found = align(english, french)
            units += len(english)
            aligned += len(found.pairs)
            for name, others in found.pairs.items():
                claimed += len(others)
                right += sum(bool(here[english[name].provision] & there[french[other].provision]) for other in others)
            right_by_id += sum(bool(here[name] & there.get(name, set())) for name in here)
    assert right >= 0.995 * claimed
    assert aligned >= 0.97 * units
    assert right_by_id < 0.8 * units
