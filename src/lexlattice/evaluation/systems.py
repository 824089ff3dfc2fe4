"""The systems that can be compared, by name: each makes extracts of an act within the same number of words.

- `lexlattice`: the shipped model and its decoder.
- `lead`, `random`, `lexrank`, `textrank`, `centroid`, `oracle` …: baselines and upper bounds.
- `model:FILE`: a model that `lexlattice train` wrote; `scores:FILE`: the same model without its decoder.
- `package.module:attribute`: your own system, a callable that takes an `Act` and a number of words and returns an
  `Extract` or text.
- `extracts:FILE`: extracts that others made; `endpoint:URL` or `endpoint:FILE.toml`: a service that makes them.
- Systems of `lexlattice.research`, which are imported only when they are used: `coverage` selects by the words of
  summaries; `llm:FILE.toml` is a language model behind the endpoint that the file describes; `local:`, `seq2seq:` and
  `translate:` are models in a folder or on the Hugging Face hub.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexlattice import encoding
from lexlattice._internal.imports import import_object
from lexlattice._internal.weights import read_weights
from lexlattice.act.document import Act
from lexlattice.errors import DataError, OptionError
from lexlattice.evaluation import baselines
from lexlattice.evaluation.endpoint import Endpoint
from lexlattice.evaluation.extracts import Content, extract_text, read_extracts
from lexlattice.evaluation.gold import Gold, Places
from lexlattice.evaluation.oracle import Oracle
from lexlattice.lattice.paper import FORMAT as PAPER
from lexlattice.lattice.paper import Consolidator
from lexlattice.selection import Extract, select
from lexlattice.summarizer import Summarizer, shipped

Encode = Callable[[list[str]], NDArray[np.float32]]
Scoring = Callable[[Act], ArrayLike]
Summarize = Callable[[Act, int], Extract | str]
"""A custom system: an act and a number of words → an extract, or its text with one unit or sentence per line."""

_DRAWS: Final = 10
"""Random extracts whose scores are averaged."""


@dataclass(frozen=True, slots=True)
class Task:
    """The input of a system for one act; only oracles may look at the summary and the annotation."""

    act: Act
    text: str
    """The act as the data has it, line by line."""
    summary: str
    words: int
    mode: str
    seed: int
    gold: Gold | None = None
    """The annotation of the version that is summarized; only the system `gold` uses it."""
    gold_text: str | None = None
    """The text whose words the annotation's places count; the act's source by default."""
    celex: str = ""
    """The CELEX number as the data has it."""


System = Callable[[Task], Sequence[str]]
"""Returns extracts as text; the scores of several are averaged."""


class Plugin(NamedTuple):
    """A system outside this package, as import strings that are resolved when the system is used."""

    build: str
    """A function of the system's name and of `Resolve` that returns a `Summarize`."""
    check: str = ""
    """A function of the system's name that raises `OptionError` for a malformed one, without loading anything."""
    is_model: bool = False
    """Whether it is a model in PyTorch, which gets a device and is not run in worker processes."""


Resolve = Callable[[str], Summarize]
"""Finds a further system by name, for systems that are built on another one."""

OURS: Final = "lexlattice"
GOLD: Final = "gold"
"""The annotated extract; available only with annotations."""
_MODEL, _SCORES = "model:", "scores:"
EXTRACTS, _ENDPOINT = "extracts:", "endpoint:"
_LOAD_MODEL: Final = "lexlattice.research:load"
_EXTERNAL: Final = Plugin("lexlattice.research.external:build", "lexlattice.research.external:parse_name")
PLUGINS: Final = {
    "coverage": Plugin("lexlattice.research:build_coverage"),
    "llm:": _EXTERNAL,
    **dict.fromkeys(("local:", "seq2seq:", "translate:"), _EXTERNAL._replace(is_model=True)),
}
"""Systems of the research package by name, or by the prefix of their names (with a colon)."""


def named_systems(names: Iterable[str]) -> dict[str, str]:
    """Systems by the name that tables show: `NAME=SYSTEM`, or the system itself.

    >>> named_systems(["lead", "mine=extracts:mine.jsonl", "llm:model.toml?method=extract"])
    {'lead': 'lead', 'mine': 'extracts:mine.jsonl', 'llm:model.toml?method=extract': 'llm:model.toml?method=extract'}
    """
    found: dict[str, str] = {}
    for name in names:
        shown, equals, named = map(str.strip, name.partition("="))
        if not equals or ":" in shown:  # options of systems have equals signs too, but after a colon
            shown, named = name, name
        if not shown or not named or found.get(shown, named) != named:
            raise OptionError(f"'{name}' does not name a system, or uses a name twice; write NAME=SYSTEM.")
        found[shown] = named
    return found


def check_system(name: str | Summarize, encoder: str | Encode | None) -> None:
    """Raise `OptionError` if this is not a system; nothing is loaded."""
    if callable(name):
        return
    if not isinstance(name, str):
        raise OptionError(f"'{name}' is not a system; give a name, or a function of an act and a number of words.")
    if name not in (*SYSTEMS, GOLD) and ":" not in name:
        raise OptionError(
            f"There is no system '{name}'; choose one of {', '.join(SYSTEMS)}, or name a trained model as model:FILE "
            "or scores:FILE, or your own as package.module:attribute, extracts:FILE or endpoint:URL."
        )
    if (plugin := _plugin(name)) and plugin.check:
        import_object(plugin.check)(name)
    if name in _OVER_VECTORS and encoder is None:
        raise OptionError(f"The system '{name}' needs an encoder; name one with --encoder, such as static.")


def runs_in_workers(name: str | Summarize, encoder: str | Encode | None) -> bool:
    """Whether a system may run in worker processes: not if it has a transformer (see `encoding.runs_in_workers`)."""
    if callable(name):
        return True
    if name in _OVER_VECTORS:
        return isinstance(encoder, str) and encoding.runs_in_workers(encoder)
    if name.startswith((_MODEL, _SCORES)):
        found = encoder if isinstance(encoder, str) else read_weights(name.partition(":")[2]).about.get("encoder")
        return encoding.runs_in_workers(found or "static")
    return not ((plugin := _plugin(name)) and plugin.is_model)


def system(name: str, encoder: str | Encode | None = None, options: encoding.Options = encoding.DEFAULTS) -> System:
    """Load a system by its name.

    Args:
        name: One of `SYSTEMS`, or a name with a prefix as described at the top of this module.
        encoder: For systems over vectors, by name or as a callable.
        options: How named encoders are loaded, and the device of other models.

    Raises:
        OptionError: There is no such system, or it needs an encoder.

    """
    check_system(name, encoder)
    if name in _SCORINGS:
        return partial(_selected, _SCORINGS[name])
    if name in _OTHERS:
        return _OTHERS[name]
    if name in _OVER_VECTORS and encoder is not None:
        return partial(_OVER_VECTORS[name], _encode(encoder, options))
    if name == OURS:
        return custom_system(shipped().extract)
    if name.startswith((_MODEL, _SCORES)):
        chosen = encoder if isinstance(encoder, str) else None
        return _trained(name.partition(":")[2], chosen, options, is_decoded=name.startswith(_MODEL))
    if name.startswith(EXTRACTS):
        return partial(_stored, read_extracts(name.removeprefix(EXTRACTS)))
    if name.startswith(_ENDPOINT):
        return partial(_asked, Endpoint.named(name.removeprefix(_ENDPOINT)))
    if plugin := _plugin(name):
        device = {"device": options.device} if plugin.is_model else {}
        return custom_system(import_object(plugin.build)(name, partial(_resolved, encoder, options), **device))
    found = import_object(name)
    if not callable(found):
        raise OptionError(f"'{name}' cannot be called; name a function of an act and a number of words.")
    return custom_system(found)


def custom_system(summarize: Summarize) -> System:
    """Wrap a callable `(act, words) -> Extract or str` as a system."""
    return partial(_call, summarize)


def cost_estimate(run: System, tasks: Iterable[tuple[Act, int]]) -> str:
    """The estimated cost of summarizing acts with a paid system, each in a number of words; empty if it is free."""
    summarize = run.args[0] if isinstance(run, partial) and run.func is _call else None
    estimate = getattr(summarize, "estimate", None)
    return str(estimate(tasks) or "") if estimate else ""


def _plugin(name: str) -> Plugin | None:
    return PLUGINS.get(name) or PLUGINS.get(f"{name.partition(':')[0]}:" if ":" in name else "")


def _resolved(encoder: str | Encode | None, options: encoding.Options, name: str) -> Summarize:
    """The system of that name as a function of an act and a number of words."""
    run = system(name, encoder, options)
    return lambda act, words: run(Task(act, act.source, "", words, "whole", 0))[0]


def _trained(path: str, encoder: str | None, options: encoding.Options, *, is_decoded: bool) -> System:
    """The model in a file. The paper's model scores units, which are then selected; others have their own decoder.

    Without the name of an encoder, the model gets the one that it was trained with, in the precision that it was
    trained with; any other is refused.
    """
    about = read_weights(path).about
    if options.precision == "auto":
        options = options._replace(precision=about.get("precision", "fp32"))
    found = options.load(encoder or encoding.require_builtin(about.get("encoder") or "static"))
    if about.get("format") != PAPER:
        summarizer: Summarizer = import_object(_LOAD_MODEL)(path, found)
        return custom_system(summarizer.extract) if is_decoded else partial(_selected, summarizer.score)
    consolidator = Consolidator.read(path)
    encoding.require_fingerprint(found, about.get("fingerprint", ""))
    encode = partial(encoding.vectors_of_units, found)
    return partial(_selected, lambda act: consolidator.scores(act, encode([unit.text for unit in act.units])))


def _selected(scoring: Scoring, task: Task) -> list[str]:
    return [select(task.act, scoring(task.act), task.words, mode=task.mode).text]


def _random(task: Task) -> list[str]:
    draws = baselines.random(task.act, task.seed, _DRAWS)
    return [select(task.act, scores, task.words, mode=task.mode).text for scores in draws]


def _oracle(objective: str, task: Task) -> list[str]:
    """The units that the oracle takes, cut to the budget unless the oracle respects it."""
    is_cut = objective == "greedy" or task.mode == "paper"
    order = Oracle(objective, whole=not is_cut).choose(task.act.units, task.summary, task.words).order
    # `select` takes units in document order with a score each: here the earlier the oracle took it, the higher.
    places = np.argsort(order)
    taken = [task.act.units[order[place]] for place in places]
    return [select(taken, -places, task.words, mode="paper").text]


def _gold(task: Task) -> list[str]:
    """The most important places of the annotated extract that fit the budget, verbatim, one per line."""
    if task.gold is None:
        raise DataError("The system 'gold' needs annotations; name a file with --gold.")
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
    return [baselines.extract_lines(task.text, baselines.lexrank_of_texts)]


def _lexrank_vectors(encode: Encode, task: Task) -> list[str]:
    return _selected(lambda act: baselines.lexrank_of_vectors(encode([unit.text for unit in act.units])), task)


def _published_vectors(encode: Encode, task: Task) -> list[str]:
    return [baselines.extract_lines(task.text, lambda lines: baselines.lexrank_of_vectors(encode(lines)))]


def _stored(extracts: Mapping[str, Content], task: Task) -> list[str]:
    """The extract of a file; that of an act that is not in it is empty, so that leaving acts out is no advantage."""
    return [extract_text(extracts.get(task.celex, ""), task.gold_text or task.text)]


def _asked(endpoint: Endpoint, task: Task) -> list[str]:
    content = endpoint.extract(task.celex, task.act.language, task.text, task.words)
    return [extract_text(content, task.gold_text or task.text)]


def _call(summarize: Summarize, task: Task) -> list[str]:
    result: Any = summarize(task.act, task.words)
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
    GOLD: _gold,
}
_OVER_VECTORS: Final[dict[str, Callable[[Encode, Task], list[str]]]] = {
    "lexrank-vectors": _lexrank_vectors,
    "published-vectors": _published_vectors,
}
_NAMED_PLUGINS: Final = [name for name in PLUGINS if not name.endswith(":")]
SYSTEMS: Final = (OURS, *_NAMED_PLUGINS, *_SCORINGS, *(name for name in _OTHERS if name != GOLD), *_OVER_VECTORS)
"""All systems that are available by a plain name without annotations."""
WITHOUT_BUDGET: Final = ("published", "published-vectors")
"""Systems that decide the length of their extracts by a rule of their own."""
ORACLES: Final = ("oracle", "oracle-greedy", GOLD)
"""Systems that use the summary or the annotation, and never count as the best."""


def _encode(encoder: str | Encode, options: encoding.Options) -> Encode:
    """A function from texts to vectors: the encoder of that name, or the caller's own function."""
    if callable(encoder):
        return encoder
    if not isinstance(encoder, str):
        raise OptionError(f"'{encoder}' is not an encoder; name one, or give a function from texts to vectors.")
    return partial(encoding.vectors_of_units, options.load(encoder))
