"""Summarize one act in several languages: select once, and return the same provisions in every version.

The selection is that of one version, or the consensus of all: the decoder's selection by the mean of their scores. All
versions are aligned with the one in which the selection is made. What has no counterpart is left out and named in a
warning, never replaced by something near it. Every summary has the word budget of that version; since the same
provisions have more words in one language than in another, other versions may exceed it.

A consensus keeps the date of application: what a version's own summary says of it is selected as early as it is there,
wherever the mean scores would have placed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from statistics import fmean
from typing import Final, Protocol, TypeGuard, Unpack, cast

import numpy as np

from lexlattice.act.document import Act, Unit
from lexlattice.act.remarks import Remark
from lexlattice.act.result import is_one_source, require_several
from lexlattice.act.summary import Explanation, Item, Summary
from lexlattice.errors import OptionError
from lexlattice.lattice.grid import Floats
from lexlattice.multilingual.alignment import Alignment, Encode, align, embedded
from lexlattice.reading import read
from lexlattice.reading.fetch import is_celex, is_url
from lexlattice.reading.identifiers import identify_act
from lexlattice.reading.languages.grammar import load
from lexlattice.reading.roles import application_units
from lexlattice.rendering.status import has_no_summary, warnings_of
from lexlattice.selection import Extract, Options, SummaryOptions
from lexlattice.selection.decoder import APPLICATION_WORDS, choose, decode
from lexlattice.summarizer import Source, build_summary, shipped

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
    sources: Source | Iterable[Source],
    options: SummaryOptions | None = None,
    *,
    languages: Sequence[str] | None = None,
    base: str | None = None,
    **fields: Unpack[Options],
) -> dict[str, Summary]:
    r"""Summarize the same provisions of one act in several languages.

    Args:
        sources: Versions of one act, each as for `lexlattice.summarize`; or the CELEX number or address of an act, to
            fetch its versions in `languages`.
        options: The options of all summaries.
        languages: Two-letter codes of the versions, in the order of the sources; detected by default.
        base: Language of the version whose selection is used; by default the versions decide together.
        **fields: The fields of `SummaryOptions` instead of `options`.

    Returns:
        Language → summary, in the order of the sources. What a version lacks is named in the warnings of its summary.

    Raises:
        OptionError: There are fewer than two versions, two in the same language, versions of different acts, or none
            in the language `base`; or `languages` are not those of the sources.
        LexLatticeError: A version cannot be read.

    Examples:
        >>> english = "Article 1\n\nBees are free.\n\nArticle 2\n\nHives shall be registered."
        >>> german = "Artikel 1\n\nBienen sind frei.\n\nArtikel 2\n\nBienenstöcke werden registriert."
        >>> summaries = summarize_versions([english, german], languages=("en", "de"))
        >>> [item.citation for item in summaries["de"]]
        ['Artikel 1', 'Artikel 2']

    """
    chosen = SummaryOptions.of(options, fields)
    if chosen.language is not None:
        raise OptionError("Versions are in several languages; name them with 'languages' instead of 'language'.")
    acts = list(_read_versions(sources, languages))
    if len({act.source for act in acts}) < len(acts):
        raise OptionError("Two versions are the same text; give one version in each language.")
    return summarize_acts(acts, shipped(), chosen, base=base)


def _read_versions(sources: Source | Iterable[Source], languages: Sequence[str] | None) -> Iterator[Act]:
    """Read the versions of an act; a CELEX number or address is read once for each language."""
    if isinstance(languages, str):
        raise OptionError(f"'{languages}' is one language; give several, such as ('en', 'fr').")
    if is_one_source(sources):
        if languages is None or not _has_versions(sources):
            raise OptionError("This is one version; give several, or a CELEX number with its 'languages'.")
        given: list[tuple[Source, str | None]] = [(sources, language) for language in languages]
    else:
        require_several(sources)
        several = list(cast(Iterable[Source], sources))
        if languages is not None and len(languages) != len(several):
            raise OptionError(f"{len(several)} versions have {len(languages)} languages; give one for each.")
        given = list(zip_longest(several, languages or ()))
    for source, language in given:
        if not isinstance(source, Act):
            yield read(source, language=language)
        elif language in (None, source.language):
            yield source
        else:
            raise OptionError(f"An act in '{source.language}' was given as '{language}'; correct the 'languages'.")


def _has_versions(source: object) -> TypeGuard[str]:
    """Whether a source names an act, so that its versions can be fetched, and no file."""
    if not isinstance(source, str) or identify_act(source) is None:
        return False
    return is_url(source) or (is_celex(source) and not Path(source).exists())


def summarize_acts(
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
        scores = {language: summarizer.score(act) for language, act in versions.items()}
        selected = _consensus(summaries, chief, alignments, scores, options.focus)
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
    summaries: Mapping[str, Summary],
    chief: str,
    alignments: Mapping[str, Alignment],
    scores: Mapping[str, Floats],
    focus: str,
) -> Summary:
    """Select by the mean scores of all versions; the result is a summary of the chief version."""
    own = summaries[chief]
    source = own.act
    others = [(summaries[language].act, found, scores[language]) for language, found in alignments.items()]
    means = _mean_scores(source, scores[chief], others)
    due = _due_dates(summaries, chief, alignments, scores, focus)
    indices = {unit.id: index for index, unit in enumerate(source.units)}
    explanations = {indices[item.id]: item.explanation for item in own if item.explanation is not None}
    selected = choose(source, means, own.budget, focus, due).units
    return replace(build_summary(source, selected, means, own.budget, explanations=explanations), warnings=own.warnings)


def _mean_scores(source: Act, own: Floats, others: Sequence[tuple[Act, Alignment, Floats]]) -> list[float]:
    """For each unit the mean of its scores in its own version and in the others that have a counterpart."""
    found = [[value] for value in own.tolist()]
    for act, alignment, scores in others:
        known = dict(zip((unit.id for unit in act), scores.tolist(), strict=True))
        for unit, values in zip(source.units, found, strict=True):
            if names := alignment.pairs.get(unit.id):
                values.append(fmean(known[name] for name in names))
    return [fmean(values) for values in found]


def _due_dates(
    summaries: Mapping[str, Summary],
    chief: str,
    alignments: Mapping[str, Alignment],
    scores: Mapping[str, Floats],
    focus: str,
) -> dict[int, int]:
    """By which length a consensus has to contain what says from when the act applies, by unit of the chief version."""
    source, budget = summaries[chief].act, summaries[chief].budget
    # All that says so in one article is selected together, so it has to fit into the length together.
    needed: dict[int, int] = {}
    for place in application_units(source, APPLICATION_WORDS):
        needed[source.units[place].section] = needed.get(source.units[place].section, 0) + source.units[place].words
    due: dict[int, int] = {}
    for language, summary in summaries.items():
        shown = _shown_from(summary, scores[language], focus)
        for place, unit in enumerate(source.units):
            names = [unit.id] if language == chief else alignments[language].pairs.get(unit.id, ())
            # Lengths are compared as shares of the budget, which differs between languages if it depends on the act.
            for name in names:
                if name in shown:
                    length = max(shown[name] * budget // max(1, summary.budget), needed.get(unit.section, unit.words))
                    due[place] = min(length, due.get(place, length))
    return due


def _shown_from(summary: Summary, scores: Floats, focus: str) -> dict[str, int]:
    """The length from which summaries of a version contain each unit that says from when the act applies."""
    act = summary.act
    wanted = {act.units[place].id for place in application_units(act, APPLICATION_WORDS)}
    shown = {item.id: summary.budget for item in summary if item.id in wanted}
    length, missing = 0, set(wanted)
    for step in decode(act, np.asarray(scores, np.float64), focus):
        if not missing:
            break
        units = [act.units[place] for place in step]
        length += sum(unit.words for unit in units)
        for unit in units:
            if unit.id in missing:
                shown[unit.id] = min(length, shown.get(unit.id, length))
        missing -= {unit.id for unit in units}
    return shown


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
