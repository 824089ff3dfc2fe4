"""The five steps in one page: read, encode, consolidate, select; what is emitted is the act's own text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Final, NamedTuple

from lexlattice import encoding
from lexlattice.act import Act
from lexlattice.coverage import SALIENCE, Coverage, cover
from lexlattice.encoding.static import Static
from lexlattice.errors import LexLatticeError
from lexlattice.explaining import explanations
from lexlattice.features import Features, Floats, features_of
from lexlattice.files import write_whole, writing
from lexlattice.grouping import group_of
from lexlattice.lattice.cells import Lattice
from lexlattice.reading import read
from lexlattice.salience import Judgement, Salience, chance
from lexlattice.selection import Budget, Extract
from lexlattice.selection.allowed import FOCUSES
from lexlattice.selection.decoder import choose
from lexlattice.standing import has_no_summary, warnings_of
from lexlattice.summary import Item, Summary
from lexlattice.weights import FOLDER, read_weights

Source = str | os.PathLike[str] | bytes | IO[bytes] | IO[str] | Act
MODEL: Final = "model.safetensors"
"""The file of a model that is kept in a folder."""
PATH: Final = FOLDER / "provisions.safetensors"


class Judged(NamedTuple):
    """An act as the model sees it, for an extract of some length."""

    features: Features
    lattice: Lattice
    judgement: Judgement

    def coverage(self) -> Coverage:
        """What each unit would add to an extract that has nothing yet."""
        salience = SALIENCE * chance(self.judgement.scores)
        return Coverage(self.features.grams, self.judgement.chances, self.features.layout.words, salience)


class Summarizer:
    """The provisions that matter, of any act in any of the 24 languages.

    Nothing in it changes once it is made, so threads can share one, and the same act always gives the same summary.
    """

    def __init__(self, path: Path, model: Salience, encoder: encoding.Encoder, words: Static) -> None:
        """Use `from_pretrained`."""
        self._path, self._model, self._encoder, self._words = path, model, encoder, words

    @classmethod
    def from_pretrained(
        cls,
        name_or_path: str | os.PathLike[str] | None = None,
        encoder: str | encoding.Encoder | None = None,
    ) -> Summarizer:
        """The model that comes with the package, or one that `lexlattice train` made: its folder, or its file.

        Without an encoder it gets the one that it was trained with; any other is refused.
        """
        path = PATH if name_or_path is None else Path(name_or_path)
        path = path / MODEL if path.is_dir() else path
        model, words = Salience.read(path), Static()
        if encoder is None:
            encoder = encoding.trained_with(read_weights(path).about.get("encoder") or "static")
        if isinstance(encoder, str):
            encoder = words if encoder == "static" else encoding.load(encoder)
        encoding.require(encoder, model.encoder)
        return cls(path, model, encoder, words)

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
        usual = Budget().of(act.words)  # whatever is asked for, so that a longer summary contains a shorter one
        judged = self.judge(act, usual, tables=focus == "with-tables")
        scores, names = chance(judged.judgement.scores), group_of(act)
        choice = choose(act, scores, length, focus)
        known = explanations(act, self._model, judged.features, judged.lattice, usual, choice.steps) if explain else {}
        items = tuple(
            Item.of(act.units[i], act.sections[act.units[i].section], float(scores[i]), names[i], known.get(i))
            for i in choice.units
        )
        return Summary(act, length, items, (*warnings_of(act), *_remarks(act, length, items, focus)))

    def extract(self, act: Act, words: int | None = None) -> Extract:
        """The units that cover most of what a summary would say, whatever they are: what is compared with others."""
        length = _length(act, words)
        return Extract(tuple(act.units[unit] for unit in sorted(self.rank(act, length))), length)

    def rank(self, act: Act, words: int) -> list[int]:
        """The units of the same extract by their place in the act, the one that was chosen first before the others."""
        if not act.units:
            return []
        judged = self.judge(act, _length(act, words))
        return cover(judged.coverage(), judged.features.layout.words, words)

    def score(self, act: Act, words: int | None = None) -> Floats:
        """For each unit the chance, from 0 to 1, that it belongs into a summary of so many words."""
        return chance(self.judge(act, _length(act, words)).judgement.scores)

    def trajectory(self, act: Act, words: int | None = None) -> Floats:
        """The same before the automaton's first step and after each, a row each."""
        lattice = Lattice.of(act, self._model.geometry)
        return chance(self._model.panels(self._features(act), lattice, _length(act, words)))

    def _features(self, act: Act, *, tables: bool = False) -> Features:
        if self._encoder is self._words:
            return features_of(act, None, self._words, tables=tables)
        vectors = encoding.vectors_of_units(self._encoder, [unit.text for unit in act.units])
        return features_of(act, vectors, self._words, tables=tables)

    def judge(self, act: Act, words: int, *, tables: bool = False) -> Judged:
        """What the model makes of an act, for an extract of so many words; the act has to have units."""
        return next(self.judge_each(act, (words,), tables=tables))

    def judge_each(self, act: Act, lengths: Sequence[int], *, tables: bool = False) -> Iterator[Judged]:
        """The same for extracts of several lengths; what does not depend on the length is worked out once."""
        features, lattice = self._features(act, tables=tables), Lattice.of(act, self._model.geometry)
        for words in lengths:
            yield Judged(features, lattice, self._model.judge(features, lattice, words))


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
        return [f"No provision of this act fits into {length:,} words; allow more."]
    if length >= act.words:
        return [f"All provisions of the act are here: it has {act.words:,} words, and {length:,} were allowed."]
    return []
