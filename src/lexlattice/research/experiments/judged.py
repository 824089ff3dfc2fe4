"""Tables of the language model as a judge: coverage of the reference, relevance of extracts, and paired comparisons."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

from lexlattice._internal.files import write_whole
from lexlattice.errors import ConfigError, DataError
from lexlattice.research.experiments.runner import Results
from lexlattice.research.experiments.statistics import reported
from lexlattice.research.experiments.study import Study
from lexlattice.research.experiments.tables import Cell, Column, Row, Table, row
from lexlattice.research.judging import Comparison, Document, Judgement, estimate, forecast, judge
from lexlattice.research.llm import Cap, Endpoint, EndpointConfig, ReplyCache

_TITLES: Final = {"coverage": "Coverage", "relevance": "Relevance", "f1": "LDP-F1"}
_MARKS: Final = "†‡"
"""The figures that are better than those of the first model, and of the second."""
_COLUMN: Final = Column("", digits=1)


@dataclass(frozen=True, slots=True)
class _Judged:
    """The content of the tables."""

    study: Study
    judgement: Judgement
    unpaired: int
    """The number of acts that were not judged because not all systems had results for them."""

    @property
    def names(self) -> list[str]:
        """All systems, in the order of the settings."""
        return [*self.study.settings.systems, *self.study.settings.models]

    @property
    def baselines(self) -> dict[str, str]:
        """The mark of each model that the others are compared with: the first two of several."""
        models = list(self.study.settings.models)
        return dict(zip(models[:-1], _MARKS, strict=False))

    @property
    def acts(self) -> int:
        """The number of judged acts."""
        return len({score.document for score in self.judgement.scores})

    @property
    def left_out(self) -> str:
        """A note on the acts that were left out, and why."""
        failed, notes = len(self.judgement.failures), []
        if failed:
            notes.append(
                f"{failed} of {failed + self.acts} acts were left out for all systems, because replies of the judge "
                "could not be used in two attempts; judgement.json lists the reasons."
            )
        if self.unpaired:
            notes.append(f"{self.unpaired} acts were left out, because not all systems had results for them.")
        return " ".join(notes)


def judged(study: Study) -> list[Table]:
    """Judge all systems and models on the acts of all languages; replies are cached in the folder."""
    settings = study.settings
    if not settings.endpoint:
        raise ConfigError("The settings name no judge; add a table [endpoint] with kind, url and model.")
    try:
        config = EndpointConfig(**settings.endpoint)
    except TypeError as error:
        raise ConfigError(f"The table [endpoint] has missing or unknown keys ({error}).") from error
    if not settings.systems and not settings.models:
        raise ConfigError("The settings name nothing to judge; add systems or models.")
    place, languages, runner = study.runner.folder / "judge", study.languages(), study.runner
    cap = Cap() if settings.cap is None else Cap(money=settings.cap * len(languages))
    with Endpoint(config, ReplyCache(place / "replies"), cap=cap) as endpoint:
        _announce(study, endpoint, languages, cap)
        acts = [_acts(study, code) for code in languages]
        documents = [document for found, _ in acts for document in found[: settings.acts]]
        runner.note(f"judging {len(documents):,} acts: {estimate(documents, endpoint)}")
        judgement = judge(
            documents,
            endpoint,
            seed=settings.seeds[0],
            workers=settings.requests,
            progress=runner.progress,
            note=runner.note,
        )
        runner.note(f"spent: {endpoint.spent}")
    write_whole(place / "judgement.json", json.dumps(judgement.to_dict(), ensure_ascii=False, indent=1).encode())
    if not judgement.scores:
        reason = next(iter(judgement.failures.values()))
        raise DataError(f"None of the {len(documents)} acts could be judged: {reason}")
    result = _Judged(study, judgement, sum(unpaired for _, unpaired in acts))
    return [_systems(result, config.model), *([_pairs(result)] if len(result.names) > 1 else [])]


def _announce(study: Study, endpoint: Endpoint, languages: Sequence[str], cap: Cap) -> None:
    """Say what the judge will cost and stop if the cap does not allow it, before anything is trained or measured."""
    settings = study.settings
    systems = len(settings.systems) + len(settings.models)
    references = [(code, summary) for code in languages for summary in study.references(code)]
    expected = forecast(references, systems, endpoint)
    limit = "no cap" if settings.cap is None else f"cap {cap.money:,.2f}"
    study.runner.note(
        f"to be judged: {len(languages)} languages, {len(references):,} acts, {systems} systems: at most about "
        f"{expected}; {limit}"
    )
    endpoint.check(expected)


def _acts(study: Study, language: str) -> tuple[list[Document], int]:
    """The acts of a language that all systems have results for, and the number of other acts."""
    found = _measured(study, language)
    known = zip(found[0].lines, study.summaries(language, found[0]), strict=True)
    documents = paired(language, found, {int(line["line"]): summary for line, summary in known})
    return documents, len({line["line"] for results in found for line in results.lines}) - len(documents)


def paired(language: str, results: Sequence[Results], summaries: Mapping[int, str]) -> list[Document]:
    """The acts that occur in all results, with each system's extract as a list of units.

    Acts are matched by their line in the data, since any may be missing in the results of one system.
    """
    by_line = [{int(line["line"]): line for line in one.lines} for one in results]
    documents = []
    for number in sorted(set[int].intersection(*map(set, by_line))):
        lines = [known[number] for known in by_line]
        if len({line["celex"] for line in lines}) > 1:
            raise DataError(
                "The results are of different acts; remove the folder 'measured' and run the experiment again."
            )
        candidates = {name: _units(entry) for line in lines for name, entry in line["systems"].items()}
        name = ":".join(filter(None, (language, str(number), lines[0]["celex"])))
        documents.append(Document(name, language, summaries[number], candidates))
    return documents


def _units(entry: Mapping[str, Any]) -> list[str]:
    return [unit for unit in entry["texts"][0].split("\n") if unit.strip()]


def _measured(study: Study, language: str) -> list[Results]:
    """The results of all systems and models on the acts of a language."""
    settings = study.settings
    found = [study.systems(language)] if settings.systems else []
    if settings.models:
        trained = study.train(list(settings.models), study.languages("train"))
        found += [models[0].on(language) for models in trained.values()]
    return found


def _systems(found: _Judged, model: str) -> Table:
    return Table(
        "LLM as a judge",
        "Coverage of the reference's Legal Data Points, relevance of the extracts, and their harmonic mean × 100; "
        "means over languages.",
        tuple(replace(_COLUMN, name=title) for title in _TITLES.values()),
        tuple(_line(found, name) for name in found.names),
        found.study.source(found.judgement.languages, found.acts, found.study.settings.seeds[:1]),
        f"Judged by {model}, which does not see the names of systems. {_legend(found)}{found.left_out}".strip(),
        paper="The paper's judge is Claude Sonnet 4.5, on its test split in 24 languages.",
    )


def _legend(found: _Judged) -> str:
    """What the marks mean; empty without any."""
    if not found.baselines:
        return ""
    marks = ", ".join(f"{mark} better than {name}" for name, mark in found.baselines.items())
    return f"{marks} (Wilcoxon's signed-rank test over acts, two-sided, p < 0.05). "


def _line(found: _Judged, name: str) -> Row:
    cells, judgement = [], found.judgement
    known = reported("judge", name)
    for number, measure in enumerate(_TITLES):
        low, high = judgement.interval(name, measure)
        mean = 100 * judgement.macro(name, measure)
        others = {other: mark for other, mark in found.baselines.items() if other != name}
        marks = "".join(mark for other, mark in others.items() if judgement.is_better(name, other, measure))
        paper = known[number] if known else None
        cells.append(Cell(mean, (100 * low, 100 * high), f"{_COLUMN.shown(mean)}{marks}" if marks else "", paper))
    return row(name, *cells)


def _pairs(found: _Judged) -> Table:
    """Differences of every pair of systems by each measure, the later in the settings minus the earlier."""
    lines = []
    for earlier, later in combinations(found.names, 2):
        compared = [found.judgement.compare(later, earlier, measure) for measure in _TITLES]
        figures = [cell for one in compared for cell in _difference(one)]
        lines.append(row(f"{later} − {earlier}", *figures, float(compared[0].documents)))
    columns = [
        column
        for title in _TITLES.values()
        for column in (
            Column(title, best=None, digits=1, is_signed=True),
            Column(f"{title}, p Wilcoxon", best=None, digits=3),
        )
    ]
    return Table(
        "LLM as a judge, pairwise",
        "Differences × 100 on the same acts: the mean over acts, and Wilcoxon's signed-rank test over them.",
        (*columns, Column("Acts", best=None, digits=0)),
        tuple(lines),
        found.study.source(found.judgement.languages, found.acts, found.study.settings.seeds[:1]),
        "Means over acts of all languages, unlike the other table's means over languages. Two-sided "
        f"tests, not corrected for their number. {found.left_out}".strip(),
        paper="The paper reports no such figures, only which differences are significant.",
        interval="95 % paired bootstrap interval over acts",
        head="Systems",
    )


def _difference(one: Comparison) -> tuple[Cell, Cell]:
    low, high = (100 * bound for bound in one.interval)
    p = f"{one.p:.1e}" if one.p < 0.001 else f"{one.p:.3f}"
    return Cell(100 * one.difference, (low, high)), Cell(one.p, text=p)
