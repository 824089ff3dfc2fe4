"""The whole pipeline on one page: read → features → scores → decoder → summary."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Unpack

import numpy as np
from numpy.typing import ArrayLike

from lexlattice import encoding
from lexlattice._internal.files import write_whole, writing
from lexlattice._internal.weights import read_weights
from lexlattice.act.document import Act
from lexlattice.act.remarks import Remark
from lexlattice.act.summary import Explanation, Item, Summary
from lexlattice.encoding.base import allow_empty_texts
from lexlattice.encoding.static import Static
from lexlattice.errors import OptionError
from lexlattice.lattice.features import MeaningFeatures, features_of
from lexlattice.lattice.grid import Floats
from lexlattice.lattice.model import Network
from lexlattice.reading import read
from lexlattice.reading.roles import groups_of
from lexlattice.rendering.status import has_no_summary, warnings_of
from lexlattice.selection import Budget, Extract, Options, SummaryOptions
from lexlattice.selection.decoder import Choice, choose
from lexlattice.selection.explain import explanations

if TYPE_CHECKING:
    from lexlattice.reading.hierarchies import Hierarchy

Source = str | os.PathLike[str] | bytes | IO[bytes] | IO[str] | Act
MODEL: Final = "model.safetensors"
"""The name of the file in a model's folder."""
_NOTHING_CITABLE: Final = Remark("nothing-citable", "There is nothing in this act that could be cited.")
PATH: Final = Path(__file__).parent / "lattice" / "weights" / "lattice.safetensors"


class Summarizer:
    r"""Summarizes acts in any of the 24 languages with one model.

    It is immutable, so threads can share one, and the same act always gives the same summary.

    Examples:
        >>> summarizer = Summarizer.from_pretrained()
        >>> summary = summarizer.summarize("Article 1\n\nBees are free.", SummaryOptions(language="en"))
        >>> summary[0].citation
        'Article 1'

    """

    def __init__(self, path: Path, model: Network, encoder: encoding.Encoder) -> None:
        """Use `from_pretrained`."""
        self._path, self.model, self._encoder = path, model, encoder

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._path.name}, encoder {self._encoder.name}>"

    @classmethod
    def from_pretrained(
        cls,
        name_or_path: str | os.PathLike[str] | None = None,
        encoder: str | encoding.Encoder | None = None,
    ) -> Summarizer:
        """Load a model.

        Args:
            name_or_path: The folder or file of a model that `lexlattice train` wrote; by default the model that comes
                with the package.
            encoder: An encoder or its name; by default the one that the model was trained with.

        Raises:
            WeightsError: If there is no such model, or its file is damaged.
            EncodingError: If the encoder is not the one that the model was trained with.

        """
        path = file_of(PATH if name_or_path is None else name_or_path)
        weights = read_weights(path)
        return cls(path, Network.of_file(path, weights), encoder_for(weights.about, encoder))

    def save_pretrained(self, folder: str | os.PathLike[str]) -> None:
        """Write the model into a folder that `from_pretrained` can load.

        Raises:
            OutputError: If the folder or the file cannot be written.

        """
        target = Path(folder)
        with writing(target):
            target.mkdir(parents=True, exist_ok=True)
        write_whole(target / MODEL, self._path.read_bytes())

    def summarize(
        self,
        source: Source,
        options: SummaryOptions | None = None,
        *,
        hierarchy: str | os.PathLike[str] | Hierarchy | None = None,
        **fields: Unpack[Options],
    ) -> Summary:
        """Summarize one act.

        Args:
            source: A path, the text itself, bytes, an open file, a CELEX number, a URL, or an `Act`.
            options: Length, language, focus and so on; the defaults if not given.
            hierarchy: How to read a document that is no EU act, as in `lexlattice.read`.
            **fields: The fields of `SummaryOptions` instead of `options`.

        Returns:
            The selected provisions, verbatim and in document order.

        Raises:
            LexLatticeError: If the source cannot be read; the message says what to do.

        """
        options = SummaryOptions.of(options, fields)
        act = source if isinstance(source, Act) else read(source, language=options.language, hierarchy=hierarchy)
        length = options.budget_for(act)
        if has_no_summary(act):
            return Summary(act, length, (), warnings_of(act))
        if not act.units:
            return Summary(act, length, (), (*warnings_of(act), _NOTHING_CITABLE))
        scores, choice, why = self._decode(act, length, options)
        summary = build_summary(act, choice.units, scores, length, explanations=why)
        return replace(summary, warnings=(*summary.warnings, *_remarks(summary, options.focus)))

    def extract(self, act: Act, words: int | None = None) -> Extract:
        """Return the units of a summary of at most N words, and nothing else; evaluation compares these."""
        length = _length(act, words)
        return Extract(tuple(act.units[unit] for unit in self.choose(act, length).units), length)

    def rank(self, act: Act, words: int) -> list[int]:
        """Return the indexes of the same units, in the order in which they were selected."""
        return [unit for step in self.choose(act, _length(act, words)).steps for unit in step]

    def choose(self, act: Act, words: int, focus: str = "all") -> Choice:
        """Return what the decoder selects for N words, step by step."""
        return choose(act, self.score(act), words, focus)

    def score(self, act: Act) -> Floats:
        """Return how much each unit matters, whatever the length of a summary.

        A score is about the probability that an editor would take the unit; above 1 if it states several points.
        """
        return self.model.scores(self.features(act)) if act.units else np.zeros(0, np.float32)

    def trajectory(self, act: Act) -> Floats:
        """Return the scores before the automaton's first step and after each, one row each."""
        return self.panels(self.features(act))

    def panels(self, features: MeaningFeatures) -> Floats:
        """Return the same from the features of an act."""
        return self.model.panels(features) if len(features.units) else np.zeros((1, 0), np.float32)

    def _decode(
        self, act: Act, words: int, options: SummaryOptions
    ) -> tuple[Floats, Choice, Mapping[int, Explanation]]:
        """Return the scores, what is selected by them, and the explanations if the options ask for them."""
        features = self.features(act)
        scores = self.model.scores(features)
        choice = choose(act, scores, words, options.focus)
        return scores, choice, explanations(act, self.model, features, choice.steps) if options.explain else {}

    def features(self, act: Act) -> MeaningFeatures:
        """Return what the network reads of an act."""
        with allow_empty_texts():
            return features_of(act, self._encoder)


def file_of(name_or_path: str | os.PathLike[str]) -> Path:
    """Return the file of a model, given the file or its folder."""
    is_folder = os.path.isdir(name_or_path)  # noqa: PTH112 – unlike pathlib, no error for names that no file can have
    return Path(name_or_path) / MODEL if is_folder else Path(name_or_path)


def encoder_for(about: Mapping[str, str], encoder: str | encoding.Encoder | None) -> encoding.Encoder:
    """Return the encoder that a model was trained with, by its metadata; a given one needs the same fingerprint."""
    if not isinstance(encoder, encoding.Encoder):
        name = encoder or encoding.require_builtin(about.get("encoder") or "static")
        precision = about.get("precision", "fp32")
        encoder = Static() if name == "static" else encoding.load(name, precision=precision)
    encoding.require_fingerprint(encoder, about.get("fingerprint", ""))
    return encoder


def build_summary(
    act: Act,
    units: Iterable[int],
    scores: ArrayLike,
    budget: int,
    *,
    explanations: Mapping[int, Explanation] | None = None,
) -> Summary:
    """Build the summary that consists of some units of an act.

    Args:
        act: The act.
        units: The indexes of the selected units, in document order.
        scores: One score for each unit of the act.
        budget: The number of words that were allowed.
        explanations: Why units were selected, by their index.

    """
    known, groups, why = np.asarray(scores), groups_of(act), explanations or {}
    items = tuple(
        Item.of(act.units[i], act.sections[act.units[i].section], float(known[i]), groups[i], why.get(i)) for i in units
    )
    return Summary(act, budget, items, warnings_of(act))


def summarize(
    source: Source,
    options: SummaryOptions | None = None,
    *,
    hierarchy: str | os.PathLike[str] | Hierarchy | None = None,
    **fields: Unpack[Options],
) -> Summary:
    r"""Summarize an act with the model that comes with the package: the provisions that matter, verbatim.

    Args:
        source: A path, the text itself, bytes, an open file, a CELEX number, a URL, or what `lexlattice.read` returned.
        options: What the summary should be like, as one object; or give its fields by name.
        hierarchy: For a document that is no EU act, a TOML file that describes its sections and paragraphs, or the
            name of a packaged one such as "us-bill".
        **fields: The fields of `SummaryOptions`. For the length, one of `words` (a number), `ratio` (a share of the
            act) or `budget` ("short", "medium", "long"); by default as long as an official summary. `language`: two
            letters, detected automatically by default. `focus`: "articles" leaves out recitals, annexes and footnotes;
            "with-tables" includes tables. `explain`: say why each item was selected.

    Returns:
        The summary. Its `warnings` hold what a reader should know about the act or the summary.

    Raises:
        LexLatticeError: If the source cannot be read or an option is not valid; the message says what to do.

    Examples:
        >>> summary = summarize("Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free.", language="en")
        >>> [(item.citation, item.text) for item in summary]
        [('Article 1', 'Hives shall be registered.'), ('Article 2', 'Bees are free.')]

    """
    return shipped().summarize(source, options, hierarchy=hierarchy, **fields)


@cache
def shipped() -> Summarizer:
    """Return the model that comes with the package, loaded once per process."""
    return Summarizer.from_pretrained()


def _length(act: Act, words: int | None) -> int:
    if words is not None and words < 0:
        raise OptionError(f"An extract cannot have {words} words; give a larger number, or leave it out.")
    return Budget().of(act.words) if words is None else words


def _remarks(summary: Summary, focus: str) -> list[str]:
    """What a reader should know about the length of the summary."""
    act, length = summary.act, summary.budget
    if not summary.items:
        if focus == "articles" and not any(section.kind == "article" for section in act.sections):
            return [Remark("no-focus-articles", "This act has no articles; ask for all of it.")]
        text = f"What matters most of this act does not fit into {length:,} words; allow more."
        return [Remark("nothing-fits", text, words=length)]
    if length >= act.words:
        text = f"All provisions of the act are here: it has {act.words:,} words, and {length:,} were allowed."
        return [Remark("all-shown", text, words=act.words, allowed=length)]
    return []
