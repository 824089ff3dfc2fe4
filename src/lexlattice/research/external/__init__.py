"""Models made by others as systems: an act and a number of words → text of at most that many words.

Each has a name, with options after a question mark:

    llm:ENDPOINT?method=zero-shot            a language model behind an endpoint
    local:MODEL?method=extract&times=4       a language model on this machine, given an extract of 4 × the length
    seq2seq:MODEL?method=sled&chunk=256      an encoder-decoder; also plain, or unlimiformer with k=256
    translate:MODEL?order=last&system=NAME   another system (everything after `system=` is its name) and a translation

MODEL is a folder or a name on the Hugging Face hub, ID or ID@REVISION.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from lexlattice.act.document import Act
from lexlattice.errors import OptionError
from lexlattice.research.external.llm import Complete, Endpoint, Extracting, Local, Prompted
from lexlattice.research.external.models import Summarize, first_words
from lexlattice.research.external.seq2seq import Seq2Seq
from lexlattice.research.external.translation import Translated, Translator
from lexlattice.summarizer import shipped

__all__ = [
    "Complete",
    "Local",
    "Prompted",
    "Seq2Seq",
    "Summarize",
    "Translated",
    "Translator",
    "build",
    "parse_name",
    "system",
]

_PROMPTING: Final = {"method": str, "times": float, "context": int, "language": str}
_OPTIONS: Final[Mapping[str, Mapping[str, Callable[[str], Any]]]] = {
    "llm": _PROMPTING,
    "local": {**_PROMPTING, "tokens": int},
    "seq2seq": {
        **{"method": str, "length": int, "chunk": int, "overlap": float, "k": int},
        **{"beams": int, "prefix": str, "least": float, "unrepeated": int},
    },
    "translate": {"order": str, "beams": int, "prefix": str, "language": str, "system": str},
}
_PREFIXES: Final = tuple(f"{kind}:" for kind in _OPTIONS)


def build(name: str, resolve: Callable[[str], Callable[[Act, int], Any]], device: str = "auto") -> Summarize:
    """The system of that name for `lexlattice.evaluation.systems`, with the shipped model as its extractor."""
    from lexlattice.research.llm import open_endpoint

    def extract(act: Act, words: int) -> Any:
        return shipped().extract(act, words)

    return system(name, endpoint=open_endpoint, extract=extract, other=resolve, device=device)


def system(
    name: str,
    *,
    endpoint: Callable[[str], Complete | Endpoint] | None = None,
    extract: Extracting | None = None,
    other: Callable[[str], Callable[[Act, int], Any]] | None = None,
    device: str = "auto",
) -> Summarize:
    """Load the system of that name.

    Args:
        name: As described at the top of this module.
        endpoint: Opens the endpoint that is named after `llm:`.
        extract: Makes the extracts that `method=extract` gives to the model.
        other: Finds the system to translate by its name, if it is not one of these.
        device: Where a model on this machine computes, one of `lexlattice.encoding.devices.DEVICES`.

    Raises:
        OptionError: The name is malformed, an option is invalid, or there is no such device.
        WeightsError: The model cannot be loaded.

    """
    kind, model, options = parse_name(name)
    if kind == "seq2seq":
        return Seq2Seq(model, device=device, **options)
    if kind == "translate":
        return _translate(name, model, options, endpoint=endpoint, extract=extract, other=other, device=device)
    if kind == "local":
        local = Local(model, device=device, **_popped(options, "tokens"))
        context = min(local.context, options.pop("context", local.context))
        return Prompted(local, **options, context=context, count=local.count, extract=extract)
    if endpoint is None:
        raise OptionError(f"'{name}' needs an endpoint, but no function that opens it was given.")
    return Prompted(endpoint(model), **options, extract=extract)


def parse_name(name: str) -> tuple[str, str, dict[str, Any]]:
    """Parse a name into kind, model and options, without loading anything.

    >>> parse_name("seq2seq:models/led?method=sled&chunk=256")
    ('seq2seq', 'models/led', {'method': 'sled', 'chunk': 256})
    >>> parse_name("translate:models/en-es?system=seq2seq:models/led?method=sled&k=4")[2]
    {'system': 'seq2seq:models/led?method=sled&k=4'}
    """
    kind, _, rest = name.partition(":")
    model, _, query = rest.partition("?")
    if kind not in _OPTIONS or not model:
        raise OptionError(f"'{name}' is not an external system; write one of {', '.join(_PREFIXES)} and a model.")
    inner: list[tuple[str, str]] = []
    if kind == "translate":
        # The inner system may have a query of its own, so everything after `system=` belongs to its name.
        query, is_there, last = f"&{query}".partition("&system=")
        inner = [("system", last)] if is_there else []
    found: dict[str, Any] = {}
    for key, value in [*parse_qsl(query, keep_blank_values=True), *inner]:
        if key not in _OPTIONS[kind]:
            raise OptionError(f"'{name}' has an unknown option '{key}'; choose from {', '.join(_OPTIONS[kind])}.")
        try:
            found[key] = _OPTIONS[kind][key](value)
        except ValueError:
            raise OptionError(f"'{name}' has {key}={value}, which is not a number of the right kind.") from None
    return kind, model, found


def _translate(name: str, model: str, options: dict[str, Any], **hooks: Any) -> Summarize:
    inner, other = options.pop("system", ""), hooks["other"]
    if inner.startswith(_PREFIXES):
        summarize = system(inner, **hooks)
    elif inner and other is not None:
        summarize = _within_budget(other(inner))
    else:
        raise OptionError(f"'{name}' does not name the system to translate; end it with system=NAME.")
    translator = Translator(model, device=hooks["device"], **_popped(options, "beams", "prefix"))
    return Translated(translator, summarize, **options)


def _within_budget(summarize: Callable[[Act, int], Any]) -> Summarize:
    """Turn a system that returns an extract or text into one that returns text within its budget."""

    def text(act: Act, words: int) -> str:
        result = summarize(act, words)
        return first_words(result if isinstance(result, str) else str(result.text), words)

    return text


def _popped(options: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: options.pop(name) for name in names if name in options}
