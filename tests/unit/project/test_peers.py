"""What the comparison of speed stands on: peers that rank the same units, acts that grow, a dense grid that agrees."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import ROOT
from lexlattice import read

BENCHMARKS = ROOT / "benchmarks"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
PEERS = ("sumy LexRank", "sumy TextRank", "sumy LSA", "lexrank", "summa")


@pytest.fixture(scope="module")
def benchmarks() -> Iterator[pytest.MonkeyPatch]:
    """The folder can be imported from, and what its modules set is forgotten afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        for name in THREADS:
            patch.setenv(name, "1")
        yield patch


@pytest.fixture(scope="module")
def peers(benchmarks: pytest.MonkeyPatch) -> ModuleType:
    return import_module("peers")


@pytest.fixture(scope="module")
def speed(benchmarks: pytest.MonkeyPatch) -> ModuleType:
    return import_module("speed")


@pytest.fixture(scope="module")
def text(examples: Path) -> str:
    return (examples / "short" / "en.txt").read_text("utf-8")


@given(st.lists(st.integers(1, 9)), st.integers(0, 40))
def test_what_is_taken_is_just_enough(peers: ModuleType, lengths: list[int], words: int) -> None:
    taken = peers.enough(lengths, words, lambda length: "word " * length)
    assert taken == lengths[: len(taken)]
    assert sum(taken) >= words or taken == lengths
    assert not taken or sum(taken[:-1]) < words


def test_every_peer_is_tried(peers: ModuleType) -> None:
    assert tuple(peers.PEERS) == PEERS


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_returns_units_of_the_act_in_their_order_until_there_are_words_enough(
    peers: ModuleType, text: str, name: str
) -> None:
    pytest.importorskip(name.split()[0])
    units = [unit.text for unit in read(text).units]
    ready = peers.PEERS[name](units)
    found = ready(100)
    places = [units.index(sentence) for sentence in found]
    assert places == sorted(set(places))
    assert sum(len(sentence.split()) for sentence in found) >= 100
    assert len(found) < len(units)
    assert ready(100) == found


def test_ours_is_measured_again_before_each_peer(speed: ModuleType) -> None:
    calls: list[str] = []
    others = {name: lambda name=name: calls.append(name) for name in "ab"}
    taken = speed.in_turns(lambda: calls.append("ours"), others, 2)
    assert calls == ["ours", "a", "ours", "b"] * 2
    assert len(taken) == 3


def test_joined_acts_are_one_act_whose_articles_are_numbered_through(speed: ModuleType, text: str) -> None:
    one = read(text)
    longer = read(speed.joined([text] * 4, 2 * one.words))
    articles = [section for section in longer.sections if section.kind == "article"]
    numbers = [f"{number}{letter}" for number in range(1, len(articles)) for letter in speed.LETTERS]
    assert [section.number for section in articles] == numbers[: len(articles)]
    assert len(articles) > 2 * sum(section.kind == "article" for section in one.sections)
    assert abs(longer.words - 2 * one.words) < 0.1 * one.words


def test_acts_that_are_too_short_are_not_passed_off_as_long(speed: ModuleType, text: str) -> None:
    with pytest.raises(ValueError):
        speed.joined([text], 10_000)


@given(st.floats(0.5, 3), st.floats(0.1, 10))
def test_the_exponent_of_a_power_is_found(speed: ModuleType, power: float, factor: float) -> None:
    sizes = (10, 30, 100, 1000)
    assert speed.exponent(sizes, [factor * size**power for size in sizes]) == pytest.approx(power)


@pytest.mark.parametrize(("height", "width"), [(48, 32), (5, 3)])
def test_the_dense_grid_ends_where_the_occupied_cells_end(
    speed: ModuleType, text: str, height: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"CHANNELS": 6, "HIDDEN": 5, "HEIGHT": height, "WIDTH": width}.items():
        monkeypatch.setattr(speed, name, value)
    chance = np.random.default_rng(0)
    automaton, act = speed.automaton_of(chance), read(text)
    vectors = chance.standard_normal((len(act), 6), np.float32)
    occupied = speed.on_occupied_cells(automaton, act, vectors)
    assert np.abs(occupied - speed.on_the_whole_grid(automaton, act, vectors)).max() < 1e-5
    assert np.abs(occupied - vectors).max() > 0.1
