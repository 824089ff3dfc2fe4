"""Two versions of one act: what corresponds is found, whatever was lost, and nothing else is claimed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.acts import EXAMPLES, LANGUAGES
from helpers.generated_acts import acts, made
from lexlattice import Act, encoding, read
from lexlattice.multilingual import alignment
from lexlattice.multilingual.alignment import Alignment, _most_alike, _Texts, align
from lexlattice.multilingual.projection import project

Vectors = NDArray[np.float32]

embedded = partial(encoding.vectors_of_units, encoding.load())


class Bag:
    """An encoder of few words: texts are alike as far as they share them."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def __call__(self, texts: list[str]) -> Vectors:
        vectors = np.zeros((len(texts), 4000), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word in text.split():
                vector[self.places.setdefault(word, len(self.places))] += 1
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1)


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
def test_every_unit_is_aligned_or_named(here: Act, there: Act) -> None:
    for encode in (None, Bag()):
        found = align(here, there, encode)
        assert {*found.pairs, *found.unaligned} == {unit.id for unit in here.units}
        assert not found.pairs.keys() & {*found.unaligned}
        assert list(found.unaligned) == [unit.id for unit in here.units if unit.id not in found.pairs]
        assert found.how.keys() == {here[name].provision for name in found.pairs}
        assert {*found.how.values()} <= ({"number", "likeness"} if encode else {"number"})
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
def test_what_is_in_both_is_found_and_what_is_in_one_is_not(fates: list[list[str]]) -> None:
    """Whatever was lost or added: counts shift, and what is said decides."""
    numbers = iter(range(10_000))
    sections = [[(next(numbers), fate) for fate in section] for section in fates]
    here = articles([[number for number, fate in section if fate != "new"] for section in sections])
    there = articles([[number for number, fate in section if fate != "lost"] for section in sections])
    kept = [text(number) for section in sections for number, fate in section if fate == "kept"]
    found = align(here, there, Bag())
    assert texts_of(found, here, there) == {words: [words] for words in kept}
    by_number = align(here, there)
    assert by_number.pairs.items() <= {(unit.id, (unit.id,)) for unit in here.units}


@given(st.lists(st.booleans(), min_size=2, max_size=8), st.integers(0, 6))
def test_two_lines_that_became_one_are_both_found_in_it(lines: list[bool], place: int) -> None:
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
def test_in_a_narrow_band_less_is_found_but_nothing_wrong(fates: list[list[str]], band: int) -> None:
    fates = [[fate for section in fates for fate in section]]
    here = articles([[number for number, fate in enumerate(fates[0]) if fate != "new"]])
    there = articles([[number for number, fate in enumerate(fates[0]) if fate != "lost"]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "BAND", band)
        found = texts_of(align(here, there, Bag()), here, there)
    assert found == {words: [words] for words in found}
    if len(here) + len(there) < 2 * band:
        assert found.keys() == {unit.text for unit in here.units} & {unit.text for unit in there.units}


# --- the way through a table of likenesses ------------------------------------------------------------------


def best_by_trying_all(here: _Texts, there: _Texts) -> float:
    """What the rule says, without anything clever."""
    twos, twos_there = here.joined(2), there.joined(2)

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
            ways.append(best(i - 2, j - 1) + float(twos[i - 2] @ there.vectors[j - 1]) - alignment.JOINED)
        if i and j > 1:
            ways.append(best(i - 1, j - 2) + float(here.vectors[i - 1] @ twos_there[j - 2]) - alignment.JOINED)
        return max(ways)

    return best(len(here.words), len(there.words))


def some_texts(count: int, generator: np.random.Generator) -> _Texts:
    vectors = generator.normal(size=(count, 3)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return _Texts(vectors, generator.integers(1, 9, count).astype(np.float32))


@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_no_other_way_is_more_alike(mine: int, other: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    here, there = some_texts(mine, generator), some_texts(other, generator)
    way = _most_alike(here, there)
    likeness = [float(here.take(a).joined(len(a))[0] @ there.take(b).joined(len(b))[0]) for a, b in way]
    reached = sum(likeness) - alignment.JOINED * sum(len(a) + len(b) > 2 for a, b in way)
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


def test_what_the_act_numbers_is_believed_and_what_was_counted_is_not() -> None:
    short = "few words of it"
    here = renamed(
        made(("article", "", [short] * 4)), ["art-0.par-1", "art-0.par-1.ind-1", "art-0.par-2", "art-0.sub-2"]
    )
    there = renamed(made(("article", "", [short] * 3)), ["art-0.par-1", "art-0.par-2", "art-0.sub-2"])
    assert align(here, there).pairs == {
        "art-0.par-1": ("art-0.par-1",),
        "art-0.par-2": ("art-0.par-2",),
        "art-0.sub-2": ("art-0.sub-2",),  # after the last number both versions count alike
    }
    there = renamed(there, ["art-0.par-1", "art-0.sub-2", "art-0.sub-3"])
    assert align(here, there).pairs == {"art-0.par-1": ("art-0.par-1",)}


def test_a_recital_is_numbered_only_if_the_act_does_it() -> None:
    names = ["rec-1", "rec-2", "rec-3"]
    bare = made(("recitals", "", ["whereas this"] * 3))
    for number, aligned in (("1", {"rec-1": ("rec-1",), "rec-2": ("rec-2",)}), ("", {})):
        here = renamed(bare, names, number)
        there = renamed(made(("recitals", "", ["whereas this"] * 2)), names[:2], number)
        assert align(here, there).pairs == aligned


def test_a_number_is_not_believed_against_what_is_said() -> None:
    here = renamed(articles([[1, 2, 3]]), ["art-0.par-1", "art-0.par-2", "art-0.par-3"])
    there = renamed(articles([[1, 9]]), ["art-0.par-1", "art-0.par-2"])
    assert align(here, there, Bag()).pairs == {"art-0.par-1": ("art-0.par-1",)}
    there = renamed(articles([[1, 3]]), ["art-0.par-1", "art-0.par-2"])
    found = align(here, there, Bag())
    assert found.pairs == {"art-0.par-1": ("art-0.par-1",), "art-0.par-3": ("art-0.par-2",)}
    assert found.how == {"art-0.par-1": "number", "art-0.par-3": "likeness"}
    assert found.unaligned == ("art-0.par-2",)


def test_a_section_that_stands_elsewhere_is_found_there() -> None:
    here = made(("article", "", [text(1)]), ("annex", "", [text(2)]), ("notes", "", [text(7), text(8), text(9)]))
    there = made(("article", "", [text(1)]), ("notes", "", [text(7), text(9)]), ("annex", "", [text(2)]))
    here, there = (replace(act, sections=tuple(replace(s, number="") for s in act.sections)) for act in (here, there))
    found = texts_of(align(here, there, Bag()), here, there)
    assert found == {text(number): [text(number)] for number in (1, 2, 7, 9)}


def test_what_hangs_from_what_corresponds_is_counted_with_it() -> None:
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
def example(language: str) -> Act:
    return read(EXAMPLES / f"{language}.txt")


def without(language: str, *lines: str) -> Act:
    """The example after some of its lines were lost."""
    kept = [line for line in example(language).source.split("\n") if line not in lines]
    return read("\n".join(kept), language=language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_corresponds_as_a_whole_and_back(language: str) -> None:
    here, there = example("en"), example(language)
    found, back = align(here, there), align(there, here)
    assert found.pairs == project(here, there)
    assert not found.unaligned
    for name, others in found.pairs.items():
        assert {other for there_name in others for other in back.pairs[there_name]} == {name}


def claims(found: Alignment, whole: Act, there: Act) -> dict[str, bool]:
    """For each unit of the English version that is aligned, whether that is right: what the whole version has."""
    expected = project(example("en"), whole)
    return {
        name: [there[other].text for other in others] == [whole[other].text for other in expected[name]]
        for name, others in found.pairs.items()
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("article", ["2", "5"])
def test_an_article_whose_header_is_lost_is_found_again(language: str, article: str) -> None:
    here, whole = example("en"), example(language)
    there = without(language, next(s.label for s in whole.sections if s.kind == "article" and s.number == article))
    assert not [unit.id for unit in there.units if unit.id.startswith(f"art-{article}")]
    found = align(here, there, embedded)
    assert all(claims(found, whole, there).values())
    units = [unit.id for unit in here.units if unit.id.startswith(f"art-{article}")]
    assert {*found.unaligned} <= {*units}
    assert 2 * len(found.unaligned) <= len(units)
    assert {*units} <= {*align(here, there).unaligned}, "by numbers alone it is lost"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_lost_is_named_and_nothing_put_in_its_place(language: str) -> None:
    here, whole = example("en"), example(language)
    lost = {"art-3.par-2.pt-b.pt-ii", "art-5.par-2.ind-1", "rec-3"}
    there = without(language, *(unit.text for name in lost for unit in whole.sentences(name)))
    found = align(here, there, embedded)
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
            found = align(english, french, embedded)
            units += len(english)
            aligned += len(found.pairs)
            for name, others in found.pairs.items():
                claimed += len(others)
                right += sum(bool(here[english[name].provision] & there[french[other].provision]) for other in others)
            right_by_id += sum(bool(here[name] & there.get(name, set())) for name in here)
    assert right >= 0.995 * claimed
    assert aligned >= 0.97 * units
    assert right_by_id < 0.8 * units
