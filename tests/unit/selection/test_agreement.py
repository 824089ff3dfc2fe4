"""The benchmark of agreement: how much of a choice is the same in another version."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from statistics import fmean
from types import ModuleType

import pytest

from helpers import ROOT
from lexlattice import summarize
from lexlattice.reading import LANGUAGES


@pytest.fixture(scope="module")
def agreement() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        yield import_module("agreement")


def test_agreement_is_the_share_of_the_english_choice_that_corresponds(agreement: ModuleType) -> None:
    pairs = {"1": ("a",), "2": ("b", "c"), "3": ()}
    assert agreement.agreement({"a", "b", "d", "e"}, {"1", "2", "3", "4"}, pairs) == 0.5
    assert agreement.agreement(set(), {"1"}, pairs) == 0


def test_of_everything_and_of_nothing_agreement_is_known(agreement: ModuleType, examples: Path) -> None:
    texts = {name: (examples / "short" / f"{name}.txt").read_text("utf-8") for name in ("en", "fr", "mt")}
    everything = {"all": lambda act, words: {unit.id for unit in act.units}, "none": lambda act, words: set()}
    found = dict(agreement._of_act(texts, everything))
    assert found == {name: {"all": 1, "none": 0} for name in ("fr", "mt")}


@pytest.mark.parametrize("words", [120, 200, 300])
def test_the_shipped_model_chooses_alike_in_all_languages(words: int, examples: Path) -> None:
    def choice(language: str) -> set[str]:
        chosen = summarize(examples / "short" / f"{language}.txt", language=language, words=words)
        return {chosen.act[item.id].provision for item in chosen}

    english = choice("en")
    shares = [len(english & choice(language)) / len(english) for language in LANGUAGES if language != "en"]
    assert fmean(shares) >= 0.85
