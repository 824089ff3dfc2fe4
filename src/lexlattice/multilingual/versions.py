"""One act in several languages: what is chosen is chosen once, and the same provisions come out in every version.

The choice is one version's, or the consensus of all: the decoder's, by the mean of their scores. All versions are
aligned with the one that it is made in; what has no counterpart is left out and named, never replaced by something
near. Every summary has the budget of that version: the same provisions have more words in one language than in another,
so that others may exceed it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from statistics import fmean
from typing import Final, Protocol

from lexlattice import encoding
from lexlattice.act.document import Act, Unit
from lexlattice.act.summary import Explanation, Item, Summary
from lexlattice.errors import LexLatticeError
from lexlattice.lattice.grid import Floats
from lexlattice.multilingual.alignment import Alignment, Encode, Vectors, align
from lexlattice.reading.languages.grammar import load
from lexlattice.rendering.status import has_no_summary, warnings_of
from lexlattice.selection import SummaryOptions
from lexlattice.selection.decoder import choose
from lexlattice.summarizer import build_summary

_CHIEF: Final = "en"
"""The version that a consensus is made in, if it is there; else the first by its code."""

Score = Callable[[Act], Floats]


class VersionSummarizer(Protocol):
    """What versions need of a `lexlattice.Summarizer`."""

    def summarize(self, source: Act, options: SummaryOptions, /) -> Summary:
        """The summary of one version."""

    def score(self, act: Act, /) -> Floats:
        """A score for each unit of one version."""


def summarize_versions(
    acts: Sequence[Act],
    summarizer: VersionSummarizer,
    options: SummaryOptions,
    *,
    base: str | None = None,
    encode: Encode | None = None,
) -> dict[str, Summary]:
    """A summary of each version, by its language: of the same provisions, in whatever order versions are given.

    With `base` they are those that are chosen in that version. Without, they are a consensus: each unit of the English
    version, or of the first by its code, has the mean of the scores that it has in all versions, and the decoder
    chooses by these, within the budget of that version. `encode` is what texts are compared by where versions are
    numbered differently: the embedded encoder if nothing is said.
    """
    versions = _checked(acts, base)
    chief = base or (_CHIEF if _CHIEF in versions else min(versions))
    source = versions[chief]
    if any(map(has_no_summary, versions.values())):
        return {language: Summary(act, 0, (), warnings_of(act)) for language, act in versions.items()}
    others = {language: act for language, act in versions.items() if language != chief}
    alignments = {language: counterparts(source, act, encode) for language, act in others.items()}
    if base is None:
        summaries = {language: summarizer.summarize(act, options) for language, act in versions.items()}
        whole = _agreed(summaries, chief, alignments, summarizer.score, options.focus)
    else:
        summaries = {}
        whole = summarizer.summarize(source, options)
    emitted = {chief: whole}
    for language, act in others.items():
        emitted[language] = _emitted(whole, act, alignments[language], summaries.get(language))
    return {language: emitted[language] for language in versions}


def counterparts(source: Act, target: Act, encode: Encode | None = None) -> Alignment:
    """What corresponds to what in two versions, by the embedded encoder if no other is given."""
    return align(source, target, encode or _embedded)


def emit(choice: Sequence[Unit], source: Act, target: Act, alignment: Alignment) -> tuple[list[Unit], list[str]]:
    """What was chosen in one version as units of another, in its order; and the ids of what has no counterpart."""
    chosen = {unit.id for unit in choice}
    wanted = {name for unit in chosen for name in alignment.pairs.get(unit, ())}
    missing = [unit.id for unit in source.units if unit.id in chosen and unit.id not in alignment.pairs]
    return [unit for unit in target.units if unit.id in wanted], missing


def _checked(acts: Sequence[Act], base: str | None) -> dict[str, Act]:
    """The versions by language, once it is sure that they are versions of one act."""
    if len(acts) < 2:
        raise LexLatticeError("There are too few versions; give the act in two languages at least.")
    versions: dict[str, Act] = {}
    for act in acts:
        if act.language in versions:
            raise LexLatticeError(f"Two versions are in {_name(act.language)}; give one for each language.")
        versions[act.language] = act
    numbers = sorted({act.celex for act in acts} - {""})
    if len(numbers) > 1:
        raise LexLatticeError(f"These are different acts, {' and '.join(numbers)}; give versions of one act.")
    if base is not None and base not in versions:
        raise LexLatticeError(
            f"There is no version in '{base}' to choose on; take one of: {', '.join(sorted(versions))}."
        )
    return versions


def _name(language: str) -> str:
    return load(language).name


@cache
def _encoder() -> encoding.Encoder:
    return encoding.load()


def _embedded(texts: list[str]) -> Vectors:
    """Loaded when the first versions differ; most do not."""
    return encoding.vectors_of_units(_encoder(), texts)


def _agreed(
    summaries: Mapping[str, Summary], chief: str, alignments: Mapping[str, Alignment], score: Score, focus: str
) -> Summary:
    """What is chosen by the mean scores of all versions, as a summary of the chief one."""
    own = summaries[chief]
    source = own.act
    means = _means(source, [(summaries[language].act, found.pairs) for language, found in alignments.items()], score)
    places = {unit.id: place for place, unit in enumerate(source.units)}
    explanations = {places[item.id]: item.explanation for item in own if item.explanation is not None}
    chosen = choose(source, means, own.budget, focus).units
    return replace(build_summary(source, chosen, means, own.budget, explanations=explanations), warnings=own.warnings)


def _means(source: Act, others: Sequence[tuple[Act, Mapping[str, Sequence[str]]]], score: Score) -> list[float]:
    """For each unit the mean of its scores in its own version and in those others that have it."""
    found = [[chance] for chance in score(source).tolist()]
    for act, pairs in others:
        scores = dict(zip((unit.id for unit in act), score(act).tolist(), strict=True))
        for unit, chances in zip(source.units, found, strict=True):
            if names := pairs.get(unit.id):
                chances.append(fmean(scores[name] for name in names))
    return [fmean(chances) for chances in found]


def _emitted(whole: Summary, target: Act, alignment: Alignment, own: Summary | None) -> Summary:
    """The summary of one version in another; `own` is what the other would have chosen, if it had a say in it."""
    source = whole.act
    units, missing = emit([source[item.id] for item in whole], source, target, alignment)
    origin = {
        name: item for item in sorted(whole, key=lambda item: item.score) for name in alignment.pairs.get(item.id, ())
    }
    items = tuple(
        Item.of(
            unit,
            target.sections[unit.section],
            origin[unit.id].score,
            origin[unit.id].group,
            _carried(origin[unit.id].explanation, target, alignment),
        )
        for unit in units
    )
    reached = {name for names in alignment.pairs.values() for name in names}
    unheard = [item.citation for item in own or () if item.id not in reached]
    lacking = [
        *((source[name].citation, target.language) for name in missing),
        *((citation, source.language) for citation in unheard),
    ]
    warnings = [f"{citation} has no counterpart in the {_name(language)} version." for citation, language in lacking]
    return Summary(target, whole.budget, items, (*warnings_of(target), *warnings))


def _carried(explanation: Explanation | None, target: Act, alignment: Alignment) -> Explanation | None:
    """The same reasons, with neighbours as the other version cites them."""
    if explanation is None:
        return None
    neighbours = []
    for neighbour in explanation.neighbours:
        for name in alignment.pairs.get(neighbour.id, ())[:1]:
            neighbours.append(replace(neighbour, id=name, citation=target[name].citation))
    return replace(explanation, neighbours=tuple(neighbours))
