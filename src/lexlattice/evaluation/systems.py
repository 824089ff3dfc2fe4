"""The systems that can be compared, by name: each makes extracts of an act, within the same number of words.

`lexlattice` is what people get: the shipped model and its decoder. `coverage` is the research system that chooses by
the words of summaries. `model:FILE` is one that `lexlattice train` wrote, `scores:FILE` the same without its decoder,
units simply by their scores. Any other name with a colon, `package.module:attribute`, is anybody's own system: a
callable that takes an `Act` and a number of words and returns an `Extract` or text. Models of others have names of
their own (`lexlattice.research.external`): `llm:FILE.toml` is one behind an endpoint that the file describes, whose
replies are kept in a folder beside it; `local:`, `seq2seq:` and `translate:` are models of the Hugging Face hub or in a
folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexlattice import encoding
from lexlattice._internal.imports import import_object
from lexlattice._internal.weights import read_weights
from lexlattice.act.document import Act
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation import baselines
from lexlattice.evaluation.gold import Gold, Places
from lexlattice.lattice.paper import FORMAT as PAPER
from lexlattice.lattice.paper import Consolidator
from lexlattice.research import COVERAGE, external
from lexlattice.research import load as load_model
from lexlattice.research.llm.endpoint import endpoint_in
from lexlattice.selection import Extract, select
from lexlattice.summarizer import Summarizer, shipped
from lexlattice.training.oracle import Oracle

Encode = Callable[[list[str]], NDArray[np.float32]]
Scoring = Callable[[Act], ArrayLike]
Summarize = Callable[[Act, int], Extract | str]
"""A system of the caller's own: an act and a number of words → an extract, or its text, one unit or sentence a line."""

_DRAWS: Final = 10
"""How many random extracts are averaged."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a system is asked for; only oracles may look at the summary."""

    act: Act
    text: str
    """The act as the data has it, line by line."""
    summary: str
    words: int
    mode: str
    seed: int
    gold: Gold | None = None
    """The annotation in the version that is summarized, for the system `gold` alone."""
    gold_text: str | None = None
    """The text whose words its places count; the act's source if none."""


System = Callable[[Task], Sequence[str]]
"""Extracts as text; the scores of several are averaged."""


def check_system(name: str | Summarize, encoder: str | Encode | None) -> None:
    """Refuse what is no system, before anything is loaded."""
    if callable(name):
        return
    if not isinstance(name, str):
        raise LexLatticeError(f"'{name}' is no system; give a name, or a function of an act and a number of words.")
    if name not in (*SYSTEMS, GOLD) and ":" not in name:
        raise LexLatticeError(
            f"There is no system '{name}'; choose among {', '.join(SYSTEMS)}, "
            "or name a trained model as model:FILE or scores:FILE, or your own as package.module:attribute."
        )
    if name.startswith(external.PREFIXES):
        external.parsed(name)
    if name in _OVER_VECTORS and encoder is None:
        raise LexLatticeError(f"The system '{name}' needs an encoder; name one with --encoder, such as static.")


def system(name: str, encoder: str | Encode | None = None, cache: str | None = None) -> System:
    """The system of that name; those over vectors need an encoder, by name or as a callable.

    Vectors of encoders that have a name can be kept in a folder, the `cache`.
    """
    check_system(name, encoder)
    if name in _SCORINGS:
        return partial(_selected, _SCORINGS[name])
    if name in _OTHERS:
        return _OTHERS[name]
    if name == GOLD:
        return _gold
    if name in _OVER_VECTORS and encoder is not None:
        return partial(_OVER_VECTORS[name], _encode(encoder, cache))
    if name == OURS:
        return own_system(shipped().extract)
    if name == COVERAGE:
        return own_system(load_model(COVERAGE).extract)
    if name.startswith((_MODEL, _SCORES)):
        chosen = encoder if isinstance(encoder, str) else None
        return _trained(name.partition(":")[2], chosen, cache, is_decoded=name.startswith(_MODEL))
    if name.startswith(external.PREFIXES):
        return own_system(_external(name, encoder, cache))
    found = import_object(name)
    if not callable(found):
        raise LexLatticeError(f"'{name}' cannot be called; name a function of an act and a number of words.")
    return own_system(found)


def _trained(path: str, encoder: str | None, cache: str | None, *, is_decoded: bool) -> System:
    """The model in a file: most emit by their decoder, the paper's scores units, which are then selected.

    Without the name of an encoder it gets the one that it was trained with; any other is refused.
    """
    about = read_weights(path).about
    found = encoding.load(encoder or encoding.require_builtin(about.get("encoder") or "static"), cache=cache)
    if about.get("format") != PAPER:
        summarizer = load_model(path, found)
        return own_system(summarizer.extract) if is_decoded else partial(_by_score, summarizer)
    consolidator = Consolidator.read(path)
    encoding.require_fingerprint(found, about.get("fingerprint", ""))
    encode = partial(encoding.vectors_of_units, found)
    return partial(_selected, lambda act: consolidator.scores(act, encode([unit.text for unit in act.units])))


def _external(name: str, encoder: str | Encode | None, cache: str | None) -> Summarize:
    """A model of somebody else's; what it is given to shorten or to translate can be any other system's."""

    def other(inner: str) -> Summarize:
        run = system(inner, encoder, cache)
        return lambda act, words: run(Task(act, act.source, "", words, "whole", 0))[0]

    return external.system(
        name, endpoint=endpoint_in, extract=lambda act, words: shipped().extract(act, words), other=other
    )


def own_system(summarize: Summarize) -> System:
    """A system of the caller's own."""
    return partial(_own, summarize)


def price_of(run: System, tasks: Iterable[tuple[Act, int]]) -> str:
    """What a system behind an endpoint will take for acts in so many words; nothing of one that is not paid for."""
    own = run.args[0] if isinstance(run, partial) and run.func is _own else None
    estimate = getattr(own, "estimate", None)
    return str(estimate(tasks) or "") if estimate else ""


def _selected(scoring: Scoring, task: Task) -> list[str]:
    return [select(task.act, scoring(task.act), task.words, mode=task.mode).text]


def _by_score(summarizer: Summarizer, task: Task) -> list[str]:
    return [select(task.act, summarizer.score(task.act), task.words, mode=task.mode).text]


def _random(task: Task) -> list[str]:
    draws = baselines.random(task.act, task.seed, _DRAWS)
    return [select(task.act, scores, task.words, mode=task.mode).text for scores in draws]


def _oracle(objective: str, task: Task) -> list[str]:
    """What the oracle takes, in its order; cut to the budget unless it has whole units only by itself."""
    is_cut = objective == "greedy" or task.mode == "paper"
    order = Oracle(objective, whole=not is_cut).choose(task.act.units, task.summary, task.words).order
    places = np.argsort(order)
    taken = [task.act.units[order[place]] for place in places]
    return [select(taken, -places, task.words, mode="paper").text]


def _gold(task: Task) -> list[str]:
    """The most important of the annotated extract that fits, word for word, a place a line."""
    if task.gold is None:
        raise LexLatticeError("The system 'gold' needs annotations; name a file with --gold.")
    places, taken, left = Places(task.act, task.gold_text), [], task.words
    for place in task.gold.extract:
        if place.start < place.end:
            start, end = places.span(place)
            words = task.act.source[start:end].split()
            if len(words) <= left:
                taken.append((start, " ".join(words)))
                left -= len(words)
    return ["\n".join(text for _, text in sorted(taken))]


def _published(task: Task) -> list[str]:
    return [baselines.extract(task.text, baselines.lexrank_of_texts)]


def _lexrank_vectors(encode: Encode, task: Task) -> list[str]:
    vectors = encode([unit.text for unit in task.act.units])
    return [select(task.act, baselines.lexrank_of_vectors(vectors), task.words, mode=task.mode).text]


def _published_vectors(encode: Encode, task: Task) -> list[str]:
    return [baselines.extract(task.text, lambda segments: baselines.lexrank_of_vectors(encode(segments)))]


def _own(summarize: Summarize, task: Task) -> list[str]:
    result = summarize(task.act, task.words)
    text = result.text if isinstance(result, Extract) else result
    if not isinstance(text, str):
        raise TypeError(f"it returned {type(result).__name__} instead of an Extract or text")
    return [text]


_SCORINGS: Final[dict[str, Scoring]] = {
    "lead": baselines.lead,
    "lexrank": baselines.lexrank,
    "textrank": baselines.textrank,
    "centroid": baselines.centroid,
}
_OTHERS: Final[dict[str, System]] = {
    "random": _random,
    "oracle": partial(_oracle, "budgeted"),
    "oracle-greedy": partial(_oracle, "greedy"),
    "published": _published,
}
_OVER_VECTORS: Final[dict[str, Callable[[Encode, Task], list[str]]]] = {
    "lexrank-vectors": _lexrank_vectors,
    "published-vectors": _published_vectors,
}
OURS: Final = "lexlattice"
GOLD: Final = "gold"
"""The annotated extract; only where there are annotations."""
SYSTEMS: Final = (OURS, COVERAGE, *_SCORINGS, *_OTHERS, *_OVER_VECTORS)
_MODEL, _SCORES = "model:", "scores:"
WITHOUT_BUDGET: Final = ("published", "published-vectors")
"""These have a rule of their own for how much to take."""


def _encode(encoder: str | Encode, cache: str | None) -> Encode:
    """How texts become vectors: by the encoder of that name, or by what the caller has."""
    if callable(encoder):
        return encoder
    if not isinstance(encoder, str):
        raise LexLatticeError(f"'{encoder}' is no encoder; name something that turns texts into vectors.")
    return partial(encoding.vectors_of_units, encoding.load(encoder, cache=cache))
