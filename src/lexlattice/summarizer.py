"""The five steps in one page: read, describe, score, choose, emit; what is emitted is the act's own text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import IO, Final

import numpy as np

from lexlattice import encoding
from lexlattice._internal.files import write_whole, writing
from lexlattice._internal.weights import read_weights
from lexlattice.act.document import Act
from lexlattice.act.summary import Explanation, Item, Summary
from lexlattice.encoding.base import allow_empty_texts
from lexlattice.encoding.static import Static
from lexlattice.errors import LexLatticeError
from lexlattice.lattice.features import MeaningFeatures, features_of
from lexlattice.lattice.grid import Floats
from lexlattice.lattice.model import Network
from lexlattice.reading import read
from lexlattice.rendering.status import has_no_summary, warnings_of
from lexlattice.selection import Budget, Extract
from lexlattice.selection.decoder import Choice, choose
from lexlattice.selection.explain import explanations
from lexlattice.selection.roles import FOCUSES, group_of

Source = str | os.PathLike[str] | bytes | IO[bytes] | IO[str] | Act
MODEL: Final = "model.safetensors"
"""The file of a model that is kept in a folder."""
PATH: Final = Path(__file__).parent / "lattice" / "weights" / "lattice.safetensors"


class Summarizer:
    """The provisions that matter, of any act in any of the 24 languages.

    Nothing in it changes once it is made, so threads can share one, and the same act always gives the same summary.
    """

    def __init__(self, path: Path, model: Network, encoder: encoding.Encoder) -> None:
        """Use `from_pretrained`."""
        self._path, self._model, self._encoder = path, model, encoder

    @classmethod
    def from_pretrained(
        cls,
        name_or_path: str | os.PathLike[str] | None = None,
        encoder: str | encoding.Encoder | None = None,
    ) -> Summarizer:
        """The model that comes with the package, or one that `lexlattice train` made: its folder, or its file.

        Without an encoder it gets the one that it was trained with; any other is refused.
        """
        path = file_of(PATH if name_or_path is None else name_or_path)
        model = Network.read(path)
        return cls(path, model, encoder_for(path, model.encoder, encoder))

    def save_pretrained(self, folder: str | os.PathLike[str]) -> None:
        """Write the model into a folder, from where `from_pretrained` takes it back."""
        target = Path(folder)
        with writing(target):
            target.mkdir(parents=True, exist_ok=True)
        write_whole(target / MODEL, self._path.read_bytes())

    def summarize(
        self,
        source: Source,
        *,
        words: int | None = None,
        ratio: float | None = None,
        budget: str | Budget | None = None,
        language: str | None = None,
        focus: str = "all",
        explain: bool = False,
    ) -> Summary:
        """The summary of an act; what may be asked for is at `lexlattice.summarize`."""
        if focus not in FOCUSES:
            raise LexLatticeError(f"There is no focus '{focus}'; choose one of: {', '.join(FOCUSES)}.")
        asked = _asked(words, ratio, budget)
        act = source if isinstance(source, Act) else read(source, language=language)
        if has_no_summary(act):
            return Summary(act, asked.of(act.words), (), warnings_of(act))
        if not act.units:
            nothing = "There is nothing in this act that could be cited."
            return Summary(act, asked.of(0), (), (*warnings_of(act), nothing))
        length = asked.of(act.words)
        scores, choice, known = self._chosen(act, length, focus, explain)
        groups = group_of(act)
        items = tuple(
            Item.of(act.units[i], act.sections[act.units[i].section], float(scores[i]), groups[i], known.get(i))
            for i in choice.units
        )
        return Summary(act, length, items, (*warnings_of(act), *_remarks(act, length, items, focus)))

    def extract(self, act: Act, words: int | None = None) -> Extract:
        """The units of a summary of so many words, and nothing else: what is compared with other systems."""
        length = _length(act, words)
        return Extract(tuple(act.units[unit] for unit in self.choose(act, length).units), length)

    def rank(self, act: Act, words: int) -> list[int]:
        """The same units by their index, the one that was chosen first before the others."""
        return [unit for step in self.choose(act, _length(act, words)).steps for unit in step]

    def choose(self, act: Act, words: int, focus: str = "all") -> Choice:
        """The same step by step."""
        return choose(act, self.score(act), words, focus)

    def score(self, act: Act) -> Floats:
        """How much each unit matters, whatever the length.

        About the probability that an editor would take it; above 1 where it states several points.
        """
        return self._model.scores(self._features(act)) if act.units else np.zeros(0, np.float32)

    def trajectory(self, act: Act) -> Floats:
        """The same before the automaton's first step and after each, a row each."""
        return self._model.panels(self._features(act)) if act.units else np.zeros((1, 0), np.float32)

    def _chosen(
        self, act: Act, words: int, focus: str, explain: bool
    ) -> tuple[Floats, Choice, Mapping[int, Explanation]]:
        """The scores of an act, what is chosen by them, and why, if that is asked for."""
        features = self._features(act)
        scores = self._model.scores(features)
        choice = choose(act, scores, words, focus)
        return scores, choice, explanations(act, self._model, features, choice.steps) if explain else {}

    def _features(self, act: Act) -> MeaningFeatures:
        with allow_empty_texts():
            return features_of(act, self._encoder)


def file_of(name_or_path: str | os.PathLike[str]) -> Path:
    """The file of a model that is named by its folder or itself."""
    path = Path(name_or_path)
    return path / MODEL if path.is_dir() else path


def encoder_for(path: Path, fingerprint: str, encoder: str | encoding.Encoder | None) -> encoding.Encoder:
    """The encoder that a model was trained with; one that is named or given has to be the same."""
    if encoder is None:
        encoder = encoding.require_builtin(read_weights(path).about.get("encoder") or "static")
    if isinstance(encoder, str):
        encoder = Static() if encoder == "static" else encoding.load(encoder)
    encoding.require_fingerprint(encoder, fingerprint)
    return encoder


def summarize(
    source: Source,
    *,
    words: int | None = None,
    ratio: float | None = None,
    budget: str | Budget | None = None,
    language: str | None = None,
    focus: str = "all",
    explain: bool = False,
) -> Summary:
    r"""The provisions of an act that matter, word for word, by the model that comes with the package.

    `source`: a path, the text itself, bytes, an open file, a CELEX number, a URL, or what `lexlattice.read` gave.
    How long the summary may be: so many `words`, a `ratio` of the act, or a `budget` ("short", "long"); as long as
    official summaries are if nothing is said. `language`: two letters, found out unless given. `focus` on "articles"
    leaves out recitals, annexes and footnotes; "with-tables" takes tables too, which are left out otherwise. With
    `explain`, each item says why it was chosen.

    Whatever cannot be read or done is a `LexLatticeError` that says what to do; what a reader should know of the act or
    the summary is in its `warnings`.

    >>> summary = summarize("Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free.", language="en")
    >>> [(item.citation, item.text) for item in summary]
    [('Article 1', 'Hives shall be registered.'), ('Article 2', 'Bees are free.')]
    """
    return shipped().summarize(
        source, words=words, ratio=ratio, budget=budget, language=language, focus=focus, explain=explain
    )


@cache
def shipped() -> Summarizer:
    """The model that comes with the package: one for the whole process, since it never changes."""
    return Summarizer.from_pretrained()


def _asked(words: int | None, ratio: float | None, budget: str | Budget | None) -> Budget:
    """The length that was asked for, in whatever way."""
    if sum(value is not None for value in (words, ratio, budget)) > 1:
        raise LexLatticeError("Say the length in one way: as words, as a ratio, or as a budget.")
    if words is not None:
        return Budget("words", words)
    if ratio is not None:
        return Budget("ratio", ratio)
    return budget if isinstance(budget, Budget) else Budget.parse(budget or "auto")


def _length(act: Act, words: int | None) -> int:
    if words is not None and words < 0:
        raise LexLatticeError(f"An extract cannot have {words} words; ask for more, or leave the number out.")
    return Budget().of(act.words) if words is None else words


def _remarks(act: Act, length: int, items: tuple[Item, ...], focus: str) -> list[str]:
    """What somebody who asked for so many words should know of what came."""
    if not items:
        if focus == "articles" and not any(section.kind == "article" for section in act.sections):
            return ["This act has no articles; ask for all of it."]
        return [f"What matters most of this act does not fit into {length:,} words; allow more."]
    if length >= act.words:
        return [f"All provisions of the act are here: it has {act.words:,} words, and {length:,} were allowed."]
    return []
