"""The judge's table: how much of the reference is covered, and how much of what was chosen is to the point."""

from __future__ import annotations

import json
from typing import Final

from lexlattice.errors import LexLatticeError
from lexlattice.experiments.published import reported
from lexlattice.experiments.study import Study
from lexlattice.experiments.tables import Cell, Column, Row, Table, row
from lexlattice.files import write_whole
from lexlattice.judging import Document, Judgement, estimate, judge
from lexlattice.llm import Cap, Endpoint, EndpointConfig, Store

_TITLES: Final = {"coverage": "Coverage", "relevance": "Relevance", "f1": "LDP-F1"}
_SIGNIFICANT: Final = 0.05
_MARKS: Final = "†‡§¶"


def judged(study: Study) -> list[Table]:
    """All systems and models on the acts of all languages; every reply is kept in the folder."""
    settings = study.settings
    if not settings.endpoint:
        raise LexLatticeError("Say which model is to judge: a table [endpoint] with kind, url and model.")
    try:
        config = EndpointConfig(**settings.endpoint)
    except TypeError as error:
        raise LexLatticeError(f"The table [endpoint] has keys that are not known ({error}).") from error
    documents = [document for code in study.languages() for document in _documents(study, code)]
    cap = Cap() if settings.cap is None else Cap(money=settings.cap)
    place = study.workshop.folder / "judge"
    with Endpoint(config, Store(place / "replies"), cap=cap) as endpoint:
        study.workshop.note(f"judging {len(documents)} acts: {estimate(documents, endpoint)}")
        judgement = judge(documents, endpoint, seed=settings.seeds[0])
        study.workshop.note(f"spent: {endpoint.spent}")
    write_whole(place / "judgement.json", json.dumps(judgement.to_dict(), ensure_ascii=False, indent=1).encode())
    return [_table(study, judgement, config.model)]


def _documents(study: Study, language: str) -> list[Document]:
    """Each act with what each system chose, unit by unit."""
    settings = study.settings
    found = [study.systems(language)] if settings.systems else []
    if settings.models:
        trained = study.train(list(settings.models), study.languages("train"))
        found += [models[0].on(language) for models in trained.values()]
    if not found:
        raise LexLatticeError("There is nobody to judge; name systems or models.")
    documents = []
    for place, reference in enumerate(study.summaries(language, found[0])):
        lines = [results.lines[place] for results in found]
        texts = {name: entry["texts"][0] for line in lines for name, entry in line["systems"].items()}
        candidates = {name: [unit for unit in text.split("\n") if unit.strip()] for name, text in texts.items()}
        documents.append(Document(f"{language}:{lines[0]['celex'] or place}", language, reference, candidates))
    return documents[: settings.acts]


def _table(study: Study, judgement: Judgement, model: str) -> Table:
    names = [*study.settings.systems, *study.settings.models]
    better = {
        (tuple(entry["systems"]), entry["measure"]): entry["difference"]
        for entry in judgement.comparisons()
        if entry["p"] < _SIGNIFICANT
    }
    marks = dict(zip(_MARKS, names, strict=False))
    lines = [_line(judgement, name, marks, better) for name in names]
    left = f" {len(judgement.failures)} acts were left out, because the judge gave no usable reply." * bool(
        judgement.failures
    )
    return Table(
        "LLM as a judge",
        "Coverage of the reference's Legal Data Points, relevance of what was chosen, and their harmonic mean × 100; "
        "means over languages.",
        tuple(Column(title, digits=1) for title in _TITLES.values()),
        tuple(lines),
        study.source(
            judgement.languages, len(judgement.scores) // max(1, len(judgement.systems)), study.settings.seeds[:1]
        ),
        f"Judged by {model}, without names of systems.{left}",
        paper="The paper's judge is Claude Sonnet 4.5, on its test split in 24 languages.",
        marks={
            mark: f"better than {name} (paired Wilcoxon over acts, p < {_SIGNIFICANT})" for mark, name in marks.items()
        },
    )


def _line(
    judgement: Judgement,
    name: str,
    marks: dict[str, str],
    better: dict[tuple[tuple[str, ...], str], float],
) -> Row:
    cells = []
    for number, measure in enumerate(_TITLES):
        above = "".join(
            mark
            for mark, other in marks.items()
            if better.get(((name, other), measure), 0) > 0 or better.get(((other, name), measure), 0) < 0
        )
        low, high = judgement.interval(name, measure)
        known = reported("judge", name)
        paper = known[number] if known else None
        cells.append(Cell(100 * judgement.macro(name, measure), (100 * low, 100 * high), above, paper=paper))
    return row(name, *cells)
