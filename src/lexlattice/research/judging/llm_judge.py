"""A language model as a judge: decomposes each reference into points, then marks each candidate separately.

No prompt names a system, and candidates are marked without sight of each other. Their order is shuffled with the seed,
so that a drift of the judge over time favours no system. The endpoint caches replies, so interrupted runs resume.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from lexlattice._internal.files import sha256
from lexlattice._internal.progress import Note, Progress
from lexlattice.errors import DataError
from lexlattice.evaluation.metrics.significance import LEVEL, RESAMPLES, paired_bootstrap, wilcoxon
from lexlattice.research.llm import Endpoint, Estimate, ReplyError, Request

# From marks to scores: coverage, relevance and LDP-F1 of each document and system

POINT_MARKS: Final = {"covered": 1.0, "partial": 0.5, "missing": 0.0}
UNIT_MARKS: Final = {"relevant": 1.0, "marginal": 0.5, "irrelevant": 0.0}
MEASURES: Final = ("coverage", "relevance", "f1")
_DIGITS: Final = 12
"""Differences are rounded before ranking, so that 0.6 − 0.4 and 0.4 − 0.2 are ties."""


@dataclass(frozen=True, slots=True)
class Score:
    """One system on one document."""

    document: str
    language: str
    system: str
    points: tuple[str, ...]
    """The mark of each Legal Data Point of the reference."""
    units: tuple[str, ...]
    """The mark of each unit of the candidate."""

    @property
    def coverage(self) -> float:
        """The mean mark of the reference's points."""
        return _mean(POINT_MARKS[mark] for mark in self.points)

    @property
    def relevance(self) -> float:
        """The mean mark of the candidate's units; 0 for an empty candidate."""
        return _mean(UNIT_MARKS[mark] for mark in self.units)

    @property
    def f1(self) -> float:
        """The harmonic mean of coverage and relevance.

        >>> Score("1", "en", "a", ("covered", "missing"), ("relevant", "marginal")).f1
        0.6
        """
        total = self.coverage + self.relevance
        return 2 * self.coverage * self.relevance / total if total else 0.0

    def measures(self) -> dict[str, float]:
        """All three measures by name."""
        return {name: getattr(self, name) for name in MEASURES}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference of two systems over the same documents."""

    systems: tuple[str, str]
    measure: str
    difference: float
    """The mean over documents of the first minus the second."""
    interval: tuple[float, float]
    """95 % paired bootstrap interval."""
    p: float
    """Two-sided p-value of Wilcoxon's signed-rank test."""
    documents: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """All scores of a run with its settings."""

    scores: tuple[Score, ...]
    """In the order of documents, then by name of the system."""
    failures: Mapping[str, str]
    """Documents that could not be judged, with the reason; they count for no system."""
    points: Mapping[str, tuple[str, ...]]
    """The Legal Data Points of each document's reference."""
    model: str
    prompts: Mapping[str, str]
    """The digest of each prompt file."""
    seed: int

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of systems, sorted."""
        return tuple(sorted({score.system for score in self.scores}))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the judged documents."""
        return tuple(sorted({score.language for score in self.scores}))

    def of(self, system: str, measure: str, language: str | None = None) -> list[float]:
        """A system's scores, one per document, in the same order for each system."""
        return [
            getattr(score, measure)
            for score in self.scores
            if score.system == system and language in (None, score.language)
        ]

    def macro(self, system: str, measure: str) -> float:
        """The mean over languages of the means over their documents."""
        return _mean(_mean(self.of(system, measure, language)) for language in self.languages)

    def interval(self, system: str, measure: str, *, resamples: int = RESAMPLES) -> tuple[float, float]:
        """The 95 % bootstrap interval of `macro`; documents are resampled within each language."""
        drawn = _macro_resamples([self.of(system, measure, name) for name in self.languages], resamples, self.seed)
        low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return float(low), float(high)

    def compare(self, one: str, other: str, measure: str, *, resamples: int = RESAMPLES) -> Comparison:
        """Compare two systems on the same documents."""
        a, b = self.of(one, measure), self.of(other, measure)
        found = paired_bootstrap(a, b, resamples=resamples, seed=self.seed)
        p = _wilcoxon(a, b)
        return Comparison((one, other), measure, found.difference, (found.low, found.high), p, documents=len(a))

    def is_better(self, one: str, other: str, measure: str) -> bool:
        """Whether a system is better than another on the same documents: Wilcoxon's test, two-sided, p < 0.05."""
        a, b = self.of(one, measure), self.of(other, measure)
        return sum(a) > sum(b) and _wilcoxon(a, b) < 1 - LEVEL

    def comparisons(self, *, resamples: int = RESAMPLES) -> list[Comparison]:
        """Compare every pair of systems by each measure."""
        return [
            self.compare(one, other, measure, resamples=resamples)
            for one, other in combinations(self.systems, 2)
            for measure in MEASURES
        ]

    def to_dict(self, *, resamples: int = RESAMPLES) -> dict[str, Any]:
        """All scores and statistics as plain JSON types."""
        return {
            "model": self.model,
            "prompts": dict(self.prompts),
            "seed": self.seed,
            "systems": {name: self._system(name, resamples) for name in self.systems},
            "comparisons": [
                {**asdict(found), "systems": list(found.systems), "interval": list(found.interval)}
                for found in self.comparisons(resamples=resamples)
            ],
            "documents": [
                {**asdict(score), "points": list(score.points), "units": list(score.units), **score.measures()}
                for score in self.scores
            ],
            "points": {name: list(points) for name, points in self.points.items()},
            "failures": dict(self.failures),
        }

    def _system(self, system: str, resamples: int) -> dict[str, Any]:
        return {
            measure: {
                "mean": self.macro(system, measure),
                "interval": list(self.interval(system, measure, resamples=resamples)),
                "languages": {name: _mean(self.of(system, measure, name)) for name in self.languages},
            }
            for measure in MEASURES
        }


def _wilcoxon(a: Sequence[float], b: Sequence[float]) -> float:
    return wilcoxon(np.subtract(a, b).round(_DIGITS), np.zeros(len(a)))


def _macro_resamples(languages: Sequence[Sequence[float]], resamples: int, seed: int) -> np.ndarray[Any, Any]:
    generator = np.random.default_rng(seed)
    means = np.zeros(resamples)
    for values in languages:
        drawn = generator.integers(len(values), size=(resamples, len(values)))
        means += np.asarray(values, np.float64)[drawn].mean(axis=1)
    return means / max(1, len(languages))


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known) if known else 0.0


# Requests to the judge

_DECOMPOSE, _MARK = "decompose", "mark"
_MARK_CHARACTERS: Final = 16
"""Characters of one mark in a reply: number, word and punctuation."""
_POINT_CHARACTERS: Final = 80
"""Characters of a reference per point, for the estimate."""
_UNIT_CHARACTERS: Final = 300
"""Characters of a unit of an extract, for the forecast."""
_POINTS: Final = {
    "type": "object",
    "properties": {"points": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1}},
    "required": ["points"],
    "additionalProperties": False,
}
Found = TypeVar("Found")
Item = TypeVar("Item")


class Document(NamedTuple):
    """An act's official summary and the extracts of all systems."""

    id: str
    language: str
    reference: str
    candidates: Mapping[str, Sequence[str]]
    """By system: the units of its extract, provisions or sentences."""


def judge(
    documents: Sequence[Document],
    endpoint: Endpoint,
    *,
    seed: int = 0,
    workers: int = 1,
    progress: bool = False,
    note: Note = lambda sentence: None,
) -> Judgement:
    """Judge all candidates.

    Args:
        documents: The documents, all with candidates of the same systems.
        endpoint: The judge.
        seed: For the order of candidates and the bootstrap.
        workers: Requests at once.
        progress: Show progress, as a bar on a terminal and as lines to `note` elsewhere.
        note: Called with these lines.

    Returns:
        The scores. A document without a usable reply is left out for all systems and listed in `failures`.

    Raises:
        DataError: The documents cannot be judged.
        SpendingError: The estimated cost exceeds the endpoint's cap; raised before the first request.

    """
    _check(documents)
    endpoint.check(estimate(documents, endpoint))
    failures: dict[str, str] = {}
    with Progress("decomposing summaries", len(documents), "summaries", note=note, is_shown=progress) as shown:
        points = _map(lambda document: _points(document, endpoint), documents, workers, shown)
    known: dict[str, tuple[str, ...]] = {}
    for document, found in zip(documents, points, strict=True):
        if isinstance(found, ReplyError):
            failures[document.id] = str(found)
        else:
            known[document.id] = found
    candidates = [
        (document, system) for document in documents if document.id in known for system in sorted(document.candidates)
    ]
    order = random.Random(seed).sample(candidates, len(candidates))
    scores: dict[tuple[str, str], Score] = {}
    with Progress("marking extracts", len(order), "extracts", note=note, is_shown=progress) as shown:
        marked = _map(lambda one: _score(one[0], one[1], known[one[0].id], endpoint), order, workers, shown)
    for (document, system), score in zip(order, marked, strict=True):
        if isinstance(score, ReplyError):
            failures[document.id] = str(score)
        else:
            scores[document.id, system] = score
    return Judgement(
        scores=tuple(scores[one.id, system] for one, system in candidates if one.id not in failures),
        failures=failures,
        points=known,
        model=endpoint.config.model,
        prompts={name: sha256(_prompt(name).encode()) for name in (_DECOMPOSE, _MARK)},
        seed=seed,
    )


def estimate(documents: Iterable[Document], endpoint: Endpoint) -> Estimate:
    """Estimate the cost of judging documents, without cached replies; the number of points is a guess."""
    requests: list[Request] = []
    for document in documents:
        requests.append(_decompose_request(document))
        cached = endpoint.cached(requests[-1])
        points = _guessed_points(document.reference) if cached is None else cached.data["points"]
        requests += [_mark_request(document.language, points, units) for units in document.candidates.values() if units]
    return endpoint.estimate(requests)


def forecast(references: Iterable[tuple[str, str]], systems: int, endpoint: Endpoint) -> Estimate:
    """Estimate the cost of judging before there are any candidates, from languages and summaries alone.

    Candidates are taken to be as long as the summaries, in units of a paragraph. Summaries that were decomposed before
    count nothing: their candidates have most likely been marked as well.
    """
    requests: list[Request] = []
    for number, (language, reference) in enumerate(references):
        request = _decompose_request(Document(str(number), language, reference, {}))
        if endpoint.cached(request) is None:
            units = _cut(reference, _UNIT_CHARACTERS)
            requests += [request, *[_mark_request(language, _guessed_points(reference), units)] * systems]
    return endpoint.estimate(requests)


def _guessed_points(reference: str) -> list[str]:
    """Pieces of the reference as stand-ins for its points, since tokens per letter depend on the script."""
    return _cut(reference, _POINT_CHARACTERS)


def _cut(text: str, length: int) -> list[str]:
    return [text[at : at + length] for at in range(0, len(text), length)]


def _points(document: Document, endpoint: Endpoint) -> tuple[str, ...]:
    request = _decompose_request(document)
    reply = endpoint.complete(request.system, request.prompt, schema=request.schema)
    return tuple(reply.data["points"])


def _score(document: Document, system: str, points: Sequence[str], endpoint: Endpoint) -> Score:
    units = document.candidates[system]
    if not units:
        return Score(document.id, document.language, system, ("missing",) * len(points), ())
    request = _mark_request(document.language, points, units)
    data = endpoint.complete(request.system, request.prompt, schema=request.schema).data
    marks = [tuple(data[kind][number] for number in _numbered(texts)) for kind, texts in _both(points, units)]
    return Score(document.id, document.language, system, *marks)


def _decompose_request(document: Document) -> Request:
    prompt = _written({"language": document.language, "summary": document.reference})
    return Request(_prompt(_DECOMPOSE), prompt, _POINTS, len(document.reference))


def _mark_request(language: str, points: Sequence[str], units: Sequence[str]) -> Request:
    """Each point and unit is a required property of the schema, so that each is marked exactly once."""
    numbered = {kind: _numbered(texts) for kind, texts in _both(points, units)}
    marks = {"points": list(POINT_MARKS), "units": list(UNIT_MARKS)}
    schema = _object(
        {kind: _object({n: {"type": "string", "enum": marks[kind]} for n in numbered[kind]}) for kind in marks}
    )
    prompt = _written({"language": language, "points": numbered["points"], "candidate": numbered["units"]})
    return Request(_prompt(_MARK), prompt, schema, _MARK_CHARACTERS * (len(points) + len(units)))


def _both(points: Sequence[str], units: Sequence[str]) -> tuple[tuple[str, Sequence[str]], tuple[str, Sequence[str]]]:
    return ("points", points), ("units", units)


def _numbered(texts: Sequence[str]) -> dict[str, str]:
    return {str(number): text for number, text in enumerate(texts, 1)}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _written(data: dict[str, Any]) -> str:
    """As JSON, which separates the texts unambiguously."""
    return json.dumps(data, ensure_ascii=False, indent=1)


@cache
def _prompt(name: str) -> str:
    return files(__package__).joinpath("prompts", f"{name}.txt").read_text("utf-8")


def _map(
    request: Callable[[Item], Found], items: Sequence[Item], workers: int, progress: Progress
) -> list[Found | ReplyError]:
    """Apply a function to items in threads; unusable replies are returned, any other error stops further requests."""
    errors: list[BaseException] = []

    def one(item: Item) -> Found | ReplyError | None:
        if errors:
            return None
        try:
            return request(item)
        except ReplyError as error:
            return error
        except BaseException as error:
            errors.append(error)
            return None

    with ThreadPoolExecutor(max(1, workers)) as pool:
        try:
            found = []
            for result in pool.map(one, items):
                found.append(result)
                progress.update()
        except BaseException as error:  # such as Ctrl-C, which only the main thread receives
            errors.append(error)
            raise
    if errors:
        raise errors[0]
    return [result for result in found if result is not None]


def _check(documents: Sequence[Document]) -> None:
    if not documents:
        raise DataError("There are no documents to judge; give at least one.")
    if len({document.id for document in documents}) < len(documents):
        raise DataError("Two documents have the same id; give each its own.")
    systems = set(documents[0].candidates)
    for document in documents:
        if not document.reference.strip():
            raise DataError(f"Document '{document.id}' has no reference; leave it out.")
        if set(document.candidates) != systems or not systems:
            raise DataError(f"Document '{document.id}' has candidates of other systems than the first document.")
