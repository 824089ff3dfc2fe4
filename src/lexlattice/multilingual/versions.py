"""Summarize one act in several languages: select once, and return the same provisions in every version.

The selection is that of one version, or the consensus of all: the decoder's selection by the mean of their scores. All
versions are aligned with the one in which the selection is made. What has no counterpart is left out and named in a
warning, never replaced by something near it. Every summary has the word budget of that version; since the same
provisions have more words in one language than in another, other versions may exceed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Final, Protocol

from lexlattice.act.document import Act, Unit
from lexlattice.act.remarks import Remark
from lexlattice.act.summary import Explanation, Item, Summary
from lexlattice.errors import OptionError
from lexlattice.lattice.grid import Floats
from lexlattice.multilingual.alignment import Alignment, Encode, align, embedded
from lexlattice.reading.languages.grammar import load
from lexlattice.rendering.status import has_no_summary, warnings_of
from lexlattice.selection import Extract, SummaryOptions
from lexlattice.selection.decoder import choose
from lexlattice.summarizer import build_summary

_PREFERRED: Final = "en"
"""The version in which a consensus is selected if it is given; otherwise the first by language code."""

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
    encode: Encode = embedded,
) -> dict[str, Summary]:
    """Summarize the same provisions in every version; the order of the versions does not matter.

    Args:
        acts: Versions of one act, one for each language.
        summarizer: Summarizes and scores single versions, such as a `lexlattice.Summarizer`.
        options: The options of all summaries.
        base: Language of the version whose selection is used. Without it the selection is a consensus: each unit of
            the English version (or the first by language code) gets the mean of its scores in all versions, and the
            decoder selects by these within the word budget of that version.
        encode: Returns the vectors that texts are compared by where versions are numbered differently.

    Returns:
        Language → summary, in the order of `acts`.

    Raises:
        OptionError: There are fewer than two versions, two in the same language, versions of different acts, or none
            in the language `base`.
    """
    versions = _by_language(acts, base)
    chief = base or (_PREFERRED if _PREFERRED in versions else min(versions))
    source = versions[chief]
    if any(map(has_no_summary, versions.values())):
        return {language: Summary(act, 0, (), warnings_of(act)) for language, act in versions.items()}
    others = {language: act for language, act in versions.items() if language != chief}
    alignments = {language: align(source, act, encode) for language, act in others.items()}
    if base is None:
        summaries = {language: summarizer.summarize(act, options) for language, act in versions.items()}
        selected = _consensus(summaries, chief, alignments, summarizer.score, options.focus)
    else:
        summaries = {}
        selected = summarizer.summarize(source, options)
    found = {chief: selected}
    for language, act in others.items():
        found[language] = _project_summary(selected, act, alignments[language], summaries.get(language))
    return {language: found[language] for language in versions}


def project_units(
    units: Iterable[Unit], source: Act, target: Act, alignment: Alignment
) -> tuple[list[Unit], list[str]]:
    """Find the counterparts of units in another version.

    Args:
        units: Units of `source`.
        source: The version the units belong to.
        target: The other version.
        alignment: The alignment of `source` with `target`.

    Returns:
        The counterparts in reading order, and the ids of the units that have none.
    """
    selected = {unit.id for unit in units}
    wanted = {name for unit in selected for name in alignment.pairs.get(unit, ())}
    missing = [unit.id for unit in source.units if unit.id in selected and unit.id not in alignment.pairs]
    return [unit for unit in target.units if unit.id in wanted], missing


def project_extract(ranked: Iterable[Unit], target: Act, alignment: Alignment, budget: int) -> Extract:
    """Build an extract of another version within a word budget.

    Args:
        ranked: Units of the source version, the most important first.
        target: The other version.
        alignment: The alignment of the source version with `target`.
        budget: The number of words the extract may have.

    Returns:
        The counterparts that fit, taken in the order of `ranked`; one that does not fit is skipped.
    """
    taken: dict[str, Unit] = {}
    left = budget
    for unit in ranked:
        for other in (target[name] for name in alignment.pairs.get(unit.id, ())):
            if other.id not in taken and other.words <= left:
                taken[other.id] = other
                left -= other.words
    return Extract(tuple(unit for unit in target.units if unit.id in taken), budget)


def _by_language(acts: Sequence[Act], base: str | None) -> dict[str, Act]:
    """Return the versions by language; refuse what are not versions of one act."""
    if len(acts) < 2:
        raise OptionError("There are too few versions; give the act in at least two languages.")
    versions: dict[str, Act] = {}
    for act in acts:
        if act.language in versions:
            raise OptionError(f"Two versions are in {_name(act.language)}; give one for each language.")
        versions[act.language] = act
    numbers = sorted({act.celex for act in acts} - {""})
    if len(numbers) > 1:
        raise OptionError(f"These are different acts, {' and '.join(numbers)}; give versions of one act.")
    if base is not None and base not in versions:
        raise OptionError(
            f"There is no version in the language '{base}'; choose one of: {', '.join(sorted(versions))}."
        )
    return versions


def _name(language: str) -> str:
    return load(language).name


def _consensus(
    summaries: Mapping[str, Summary], chief: str, alignments: Mapping[str, Alignment], score: Score, focus: str
) -> Summary:
    """Select by the mean scores of all versions; the result is a summary of the chief version."""
    own = summaries[chief]
    source = own.act
    means = _mean_scores(source, [(summaries[language].act, found) for language, found in alignments.items()], score)
    indices = {unit.id: index for index, unit in enumerate(source.units)}
    explanations = {indices[item.id]: item.explanation for item in own if item.explanation is not None}
    selected = choose(source, means, own.budget, focus).units
    return replace(build_summary(source, selected, means, own.budget, explanations=explanations), warnings=own.warnings)


def _mean_scores(source: Act, others: Sequence[tuple[Act, Alignment]], score: Score) -> list[float]:
    """For each unit the mean of its scores in its own version and in the others that have a counterpart."""
    found = [[value] for value in score(source).tolist()]
    for act, alignment in others:
        scores = dict(zip((unit.id for unit in act), score(act).tolist(), strict=True))
        for unit, values in zip(source.units, found, strict=True):
            if names := alignment.pairs.get(unit.id):
                values.append(fmean(scores[name] for name in names))
    return [fmean(values) for values in found]


def _project_summary(selected: Summary, target: Act, alignment: Alignment, other: Summary | None) -> Summary:
    """The summary of one version projected to another; `other` is the target's own summary, used for warnings."""
    source = selected.act
    units, missing = project_units([source[item.id] for item in selected], source, target, alignment)
    # In rising order of scores: a unit that is the counterpart of several items belongs to the most important one.
    origin = {
        name: item
        for item in sorted(selected, key=lambda item: item.score)
        for name in alignment.pairs.get(item.id, ())
    }
    items = tuple(
        Item.of(
            unit,
            target.sections[unit.section],
            origin[unit.id].score,
            origin[unit.id].group,
            _project_explanation(origin[unit.id].explanation, target, alignment),
        )
        for unit in units
    )
    reached = {name for names in alignment.pairs.values() for name in names}
    unreached = [item.citation for item in other or () if item.id not in reached]
    lacking = [
        *((source[name].citation, target.language) for name in missing),
        *((citation, source.language) for citation in unreached),
    ]
    warnings = [
        Remark(
            "no-counterpart",
            f"{citation} has no counterpart in the {_name(language)} version.",
            provision=citation,
            language=language,
        )
        for citation, language in lacking
    ]
    return Summary(target, selected.budget, items, (*warnings_of(target), *warnings))


def _project_explanation(explanation: Explanation | None, target: Act, alignment: Alignment) -> Explanation | None:
    """The same explanation, with neighbours as the target version cites them."""
    if explanation is None:
        return None
    neighbours = [
        replace(neighbour, id=name, citation=target[name].citation)
        for neighbour in explanation.neighbours
        for name in alignment.pairs.get(neighbour.id, ())[:1]
    ]
    return replace(explanation, neighbours=tuple(neighbours))
