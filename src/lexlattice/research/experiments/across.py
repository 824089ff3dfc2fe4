"""From one language to another: a model that never saw the target language, and systems that read the other version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lexlattice.errors import ConfigError
from lexlattice.evaluation.metrics.significance import confidence_interval
from lexlattice.research.experiments.comparison import bertscores
from lexlattice.research.experiments.runner import Results
from lexlattice.research.experiments.statistics import reported
from lexlattice.research.experiments.study import ROUGE, Study, cells, name_of, over_seeds
from lexlattice.research.experiments.tables import Cell, Column, Row, Table, row

_REPORTED: Final = ("rouge1", "rouge2", "rougeL")
"""The measures of the paper's rows, before BERTScore."""
_PUBLISHED: Final = "published"
"""The system without a limit of length that the paper calls LexRank, with the code of the language."""


@dataclass(frozen=True, slots=True)
class _System:
    """A row of the table."""

    name: str
    reported_as: str
    """Its name in the paper's table."""
    results: Sequence[Results] = ()
    """By seed; empty if it was not measured here."""
    key: str = ""
    """Its name in the results."""


def across(study: Study) -> list[Table]:
    """Compare what can be done with the source language alone with references in the target language."""
    source, target = study.settings.source, study.settings.target
    if not source or not target:
        raise ConfigError(
            'The settings lack the languages to train and to test on; add source = "en" and target = "es".'
        )
    study.runner.corpus.languages([target], study.settings.split)  # fail before hours of work
    groups = {f"{name_of(source)} only": _from_source(study), f"With {name_of(target)}": _from_target(study)}
    acts = max(len(one.celex) for systems in groups.values() for system in systems for one in system.results)
    note = (
        f"Systems that read the {name_of(source)} act write in {name_of(target)}, all at the length of the "
        "reference; – was not measured here."
    )
    if study.settings.bertscore:
        note += f" BERTScore by {study.settings.bertscore}, in chunks, so that the whole text counts."
    return [
        Table(
            f"{name_of(source)} → {name_of(target)}",
            f"ROUGE F1 × 100 against {name_of(target)} summaries. The model of the first group was trained and chosen "
            f"on {name_of(source)} alone; those of the second are for comparison.",
            (*ROUGE, *([Column("BERTScore")] if study.settings.bertscore else [])),
            tuple(_line(study, one, group) for group, systems in groups.items() for one in systems),
            study.source([target], acts),
            note,
            paper="The paper's figures are those of its test split and of mT5-base; LED and both LexRank rows are the "
            "dataset's authors', whose LexRank has no limit of length.",
        )
    ]


def _from_source(study: Study) -> list[_System]:
    """Systems that read the source language, and the model trained on it."""
    settings, found = study.settings, []
    if settings.source_systems:
        results = study.source_systems(settings.source, settings.target)
        found = [_System(name, name, [results], name) for name in settings.source_systems]
    known = _unmeasured(study, ("LED", f"LexRank-{settings.source.upper()}"), found)
    return [*known, *found, _trained(study, settings.source, "zero-shot")]


def _from_target(study: Study) -> list[_System]:
    """Systems of the target language, and the model trained on it."""
    settings = study.settings
    lexrank = f"LexRank-{settings.target.upper()}"
    found = []
    if settings.systems:
        results = study.systems(settings.target)
        for name in settings.systems:
            label = lexrank if name == _PUBLISHED else name
            found.append(_System(label, label, [results], name))
    known = _unmeasured(study, (lexrank, "Oracle-Abs"), found)
    return [*known, *found, _trained(study, settings.target, "supervised")]


def _unmeasured(study: Study, names: Sequence[str], found: Sequence[_System]) -> list[_System]:
    """Those of the paper's rows that are not among the systems found; none if the paper has other languages."""
    pair = f"{study.settings.source}-{study.settings.target}"
    measured = {system.name for system in found}
    return [_System(name, name) for name in names if name not in measured and reported("across", pair, name)]


def _trained(study: Study, language: str, how: str) -> _System:
    if study.runner.corpus.source(language, "train") is None:
        raise study.runner.corpus.missing("train", language)
    name = study.only_model
    results = [one.on(study.settings.target) for one in study.train([name], [language])[name]]
    return _System(f"{name}, {language} ({how})", how, results, name)


def _line(study: Study, system: _System, group: str) -> Row:
    settings, is_reference = study.settings, group.startswith("With")
    papers = reported("across", f"{settings.source}-{settings.target}", system.reported_as)
    known = dict(zip(_REPORTED, papers, strict=False))
    bert = papers[len(_REPORTED)] if len(papers) > len(_REPORTED) else None
    if system.results:
        shown = cells(over_seeds(system.results, system.key), known)
    else:
        shown = [*(Cell(paper=known.get(measure)) for measure in _REPORTED), Cell()]
    if settings.bertscore:
        shown.append(_bertscore(study, system, bert))
    return row(system.name, *shown, group=group, competes=not is_reference)


def _bertscore(study: Study, system: _System, paper: float | None) -> Cell:
    """BERTScore of the first seed."""
    if not system.results:
        return Cell(paper=paper)
    scores = bertscores(study, study.settings.target, system.results[:1])[system.key]
    low, high = confidence_interval(scores[:, None])
    return Cell(float(scores.mean()), (float(low[0]), float(high[0])), paper=paper)
