"""The five steps together: what is emitted is the act's own text, within the budget, and always the same."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.acts import LANGUAGES
from helpers.generated_acts import acts, made
from helpers.tiny_network import example_of, saved, small_config, stirred
from lexlattice import Act, SummaryOptions, read
from lexlattice.act.summary import REASONS
from lexlattice.encoding import EncodingError
from lexlattice.encoding.static import Static
from lexlattice.errors import OptionError, WeightsError
from lexlattice.selection import Budget
from lexlattice.summarizer import Summarizer
from lexlattice.training.models.provisions import TrainableProvisionsModel

STEPS = 2


class Other:
    """An encoder of the same size that is not the one the model was trained with."""

    name, dimensions, fingerprint = "other", 256, "0123456789abcdef"

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> NDArray[np.float32]:
        return np.zeros((len(texts), self.dimensions), np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("summarizer")


@pytest.fixture(scope="module")
def trainable(folder: Path, examples: Path) -> TrainableProvisionsModel:
    some = [example_of(read(examples / "short" / f"{language}.txt")) for language in ("en", "de", "pl")]
    return stirred(TrainableProvisionsModel(small_config(folder, steps=STEPS), some))


@pytest.fixture(scope="module")
def model(folder: Path, trainable: TrainableProvisionsModel) -> Path:
    return saved(trainable, folder / "model.safetensors")


@pytest.fixture(scope="module")
def summarizer(model: Path) -> Summarizer:
    return Summarizer.from_pretrained(model)


@pytest.fixture(scope="module")
def long(examples: Path) -> Act:
    return read(examples / "long" / "en.txt")


def check_extract(summarizer: Summarizer, act: Act, words: int | None) -> None:
    extract = summarizer.extract(act, words)
    budget = Budget().of(act.words) if words is None else words
    assert extract.budget == budget
    assert extract.words <= budget
    places = [act.units.index(unit) for unit in extract.units]
    assert places == sorted(set(places))
    assert all(unit.text == act.source[unit.start : unit.end] for unit in extract.units)
    assert sorted(summarizer.rank(act, budget)) == places


def check_scores(summarizer: Summarizer, act: Act) -> None:
    scores = summarizer.score(act)
    assert scores.shape == (len(act),)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()
    panels = summarizer.trajectory(act)
    assert panels.shape == (STEPS + 1 if len(act) else 1, len(act))
    np.testing.assert_array_equal(panels[-1], scores)


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_every_language_it_emits_units_of_the_act(summarizer: Summarizer, examples: Path, language: str) -> None:
    act = read(examples / "short" / f"{language}.txt")
    check_extract(summarizer, act, None)
    check_extract(summarizer, act, 100)
    check_scores(summarizer, act)
    assert summarizer.extract(act).units


@settings(max_examples=40)
@given(acts, st.integers(0, 60))
def test_no_act_is_too_odd(summarizer: Summarizer, act: Act, words: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_extract(summarizer, act, words)
        check_scores(summarizer, act)


@pytest.mark.parametrize("words", [1, 2, 50, 500, 10**6])
def test_any_length_can_be_asked_for(summarizer: Summarizer, long: Act, words: int) -> None:
    check_extract(summarizer, long, words)


def test_what_is_measured_is_what_people_get(summarizer: Summarizer, long: Act) -> None:
    for words in (60, 400, long.words):
        assert summarizer.extract(long, words).text == summarizer.summarize(long, SummaryOptions(words=words)).text


def test_a_longer_summary_contains_a_shorter_one(summarizer: Summarizer, long: Act) -> None:
    ranks = [summarizer.rank(long, words) for words in (80, 150, 300, 600)]
    assert all(longer[: len(shorter)] == shorter for shorter, longer in pairwise(ranks))
    assert len(ranks[0]) < len(ranks[-1])


def test_an_act_without_units_has_an_empty_extract(summarizer: Summarizer) -> None:
    for act in (made(), made(("title", "", []))):
        assert summarizer.extract(act).units == ()
        assert summarizer.extract(act, 50).units == ()
        assert summarizer.rank(act, 50) == []
        assert summarizer.score(act).shape == (0,)


def test_fewer_words_than_none_are_refused(summarizer: Summarizer, long: Act) -> None:
    for ask in (summarizer.extract, summarizer.rank):
        with pytest.raises(OptionError, match="-1"):
            ask(long, -1)


def test_it_emits_what_was_trained_to_be_emitted(
    summarizer: Summarizer, trainable: TrainableProvisionsModel, long: Act, examples: Path
) -> None:
    for act in (long, read(examples / "short" / "el.txt")):
        for words in (1, 80, 400):
            assert summarizer.extract(act, words).text == trainable.extract(example_of(act), words)


def test_it_always_says_the_same(summarizer: Summarizer, model: Path, long: Act) -> None:
    first = summarizer.extract(long)
    assert first == summarizer.extract(long)
    assert first == Summarizer.from_pretrained(model).extract(long)


def test_several_threads_may_ask_at_once(summarizer: Summarizer, examples: Path) -> None:
    odd = made(("article", "", ["—", "It applies.", "...", "It does not apply to bees."]))
    some = [read(examples / "short" / f"{language}.txt") for language in ("en", "el", "fi")] + [odd]
    alone = [(summarizer.extract(act), summarizer.score(act)) for act in some]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda act: (summarizer.extract(act), summarizer.score(act)), some * 3))
    for (extract, scores), (expected, of_units) in zip(together, alone * 3, strict=True):
        assert extract == expected
        np.testing.assert_array_equal(scores, of_units)


def test_units_without_words_are_nothing_to_warn_of(summarizer: Summarizer) -> None:
    act = made(("article", "", ["—", "It applies.", ""]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "It applies." in [unit.text for unit in summarizer.extract(act, 3).units]


# --- encoders and files -----------------------------------------------------------------------------------


def test_the_encoder_may_be_named_or_given(model: Path, summarizer: Summarizer, long: Act) -> None:
    expected = summarizer.extract(long)
    for encoder in ("static", Static()):
        assert Summarizer.from_pretrained(model, encoder).extract(long) == expected


def test_vectors_of_another_encoder_are_refused(
    model: Path, tmp_path: Path, trainable: TrainableProvisionsModel
) -> None:
    with pytest.raises(EncodingError, match="other"):
        Summarizer.from_pretrained(model, Other())
    foreign = saved(trainable, tmp_path / "foreign.safetensors", fingerprint=Other.fingerprint)
    with pytest.raises(EncodingError, match=Other.fingerprint):
        Summarizer.from_pretrained(foreign)
    with pytest.raises(EncodingError):
        Summarizer.from_pretrained(model, "no-such-encoder")


def test_a_model_for_another_encoder_runs_with_it(
    tmp_path: Path, trainable: TrainableProvisionsModel, long: Act
) -> None:
    foreign = saved(trainable, tmp_path / "foreign.safetensors", fingerprint=Other.fingerprint)
    check_extract(Summarizer.from_pretrained(foreign, Other()), long, 200)


def test_a_model_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="nowhere"):
        Summarizer.from_pretrained(tmp_path / "nowhere.safetensors")


def test_pytorch_is_not_asked_for(model: Path, examples: Path) -> None:
    code = (
        "import sys, lexlattice; from lexlattice.summarizer import Summarizer;"
        f"act = lexlattice.read({str(examples / 'short' / 'en.txt')!r});"
        f"assert Summarizer.from_pretrained({str(model)!r}).extract(act, 50).words > 0;"
        "print({'torch', 'scipy', 'lexlattice.training', 'lexlattice.research'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"


# --- explanations -----------------------------------------------------------------------------------------


def test_explanations_say_when_and_why_an_item_was_chosen(summarizer: Summarizer, examples: Path) -> None:
    act = read(examples / "short" / "en.txt")
    summary = summarizer.summarize(act, SummaryOptions(words=250, explain=True))
    steps = summarizer.choose(act, 250).steps
    rank_of = {act.units[unit].id: rank for rank, step in enumerate(steps, start=1) for unit in step}
    salience = summarizer.trajectory(act)
    for item in summary:
        assert item.explanation is not None
        assert item.explanation.rank == rank_of[item.id]
        place = [unit.id for unit in act.units].index(item.id)
        np.testing.assert_allclose(item.explanation.salience, np.minimum(1, salience[:, place]), atol=1e-4)
        changes = [abs(neighbour.change) for neighbour in item.explanation.neighbours]
        assert changes == sorted(changes, reverse=True)
        assert all(neighbour.id != item.id and neighbour.id in act for neighbour in item.explanation.neighbours)
        assert {reason.key for reason in item.explanation.reasons} <= set(REASONS)


def test_reasons_are_the_same_in_every_language(summarizer: Summarizer, examples: Path) -> None:
    """Those that hang on structure: what is near to what, and what is taken with what, depends on the vectors."""
    structural = ("says_", "defines_", "first_", "referred_")
    found = {}
    for language in ("en", "el", "hu"):
        summary = summarizer.summarize(examples / "short" / f"{language}.txt", SummaryOptions(ratio=1.0, explain=True))
        found[language] = {
            (item.id, reason.key, reason.value)
            for item in summary
            for reason in item.explanation.reasons  # type: ignore[union-attr]
            if reason.key.startswith(structural)
        }
    assert {key for _, key, _ in found["en"]} >= {"says_aim", "says_application", "first_paragraph"}
    assert found["el"] == found["en"] == found["hu"]


def test_neighbours_that_nobody_perceives_move_nothing(folder: Path, examples: Path) -> None:
    alone = TrainableProvisionsModel(
        small_config(folder, geometry="none"), [example_of(read(examples / "short" / "en.txt"))]
    )
    summarizer = Summarizer.from_pretrained(saved(stirred(alone), folder / "alone.safetensors"))
    summary = summarizer.summarize(examples / "short" / "en.txt", SummaryOptions(words=100, explain=True))
    assert len(summary)
    assert not any(item.explanation.neighbours for item in summary if item.explanation)
