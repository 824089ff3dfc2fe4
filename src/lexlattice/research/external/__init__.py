"""Systems that others made, behind the one face of all systems: an act and a number of words → text of no more words.

Each has a name, options after a question mark:

    llm:ENDPOINT?method=zero-shot            a language model behind an endpoint
    local:MODEL?method=extract&times=4       one on this machine, on an extract four times as long as the summary
    seq2seq:MODEL?method=sled&chunk=256      an encoder-decoder; also plain, or unlimiformer with k=256
    translate:MODEL?order=last&system=NAME   another system (all that follows `system=` is its name), and a translation

MODEL is a folder or a name of the Hugging Face hub, ID or ID@REVISION.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from lexlattice.act.document import Act
from lexlattice.errors import LexLatticeError
from lexlattice.research.external.llm import Complete, Endpoint, Extracting, Local, Prompted
from lexlattice.research.external.models import Summarize, first_words
from lexlattice.research.external.seq2seq import Seq2Seq
from lexlattice.research.external.translation import Translated, Translator

__all__ = ["PREFIXES", "Complete", "Local", "Prompted", "Seq2Seq", "Summarize", "Translated", "Translator", "system"]

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
PREFIXES: Final = tuple(f"{kind}:" for kind in _OPTIONS)
"""How names of these systems begin."""


def system(
    name: str,
    *,
    endpoint: Callable[[str], Complete | Endpoint] | None = None,
    extract: Extracting | None = None,
    other: Callable[[str], Callable[[Act, int], Any]] | None = None,
) -> Summarize:
    """The system of that name.

    `endpoint` opens what is named after `llm:`; `extract` makes the extracts that are summarised further; `other` finds
    what is to be translated where its name is none of these.
    """
    kind, model, options = parsed(name)
    if kind == "seq2seq":
        return Seq2Seq(model, **options)
    if kind == "translate":
        return _translate(name, model, options, endpoint=endpoint, extract=extract, other=other)
    if kind == "local":
        local = Local(model, **_taken(options, "tokens"))
        context = min(local.context, options.pop("context", local.context))
        return Prompted(local, **options, context=context, count=local.count, extract=extract)
    if endpoint is None:
        raise LexLatticeError(f"Nothing here opens the endpoint of '{name}'; give what does.")
    return Prompted(endpoint(model), **options, extract=extract)


def parsed(name: str) -> tuple[str, str, dict[str, Any]]:
    """Kind, model and options of a name, or an error that says what is wrong with it; nothing is loaded.

    >>> parsed("seq2seq:models/led?method=sled&chunk=256")
    ('seq2seq', 'models/led', {'method': 'sled', 'chunk': 256})
    >>> parsed("translate:models/en-es?system=seq2seq:models/led?method=sled&k=4")[2]
    {'system': 'seq2seq:models/led?method=sled&k=4'}
    """
    kind, _, rest = name.partition(":")
    model, _, written = rest.partition("?")
    if kind not in _OPTIONS or not model:
        raise LexLatticeError(f"'{name}' is no external system; write one of {', '.join(PREFIXES)} and a model.")
    inner: list[tuple[str, str]] = []
    if kind == "translate":
        written, is_there, last = f"&{written}".partition("&system=")
        inner = [("system", last)] if is_there else []
    found: dict[str, Any] = {}
    for key, value in [*parse_qsl(written, keep_blank_values=True), *inner]:
        if key not in _OPTIONS[kind]:
            raise LexLatticeError(f"'{name}' has an option '{key}'; there are {', '.join(_OPTIONS[kind])}.")
        try:
            found[key] = _OPTIONS[kind][key](value)
        except ValueError:
            raise LexLatticeError(f"'{name}' has {key}={value}, which is no number of that kind; give one.") from None
    return kind, model, found


def _translate(name: str, model: str, options: dict[str, Any], **ways: Any) -> Summarize:
    inner, other = options.pop("system", ""), ways["other"]
    if inner.startswith(PREFIXES):
        summarize = system(inner, **ways)
    elif inner and other is not None:
        summarize = _within(other(inner))
    else:
        raise LexLatticeError(f"'{name}' does not say what is to be translated; end it with system= and a system.")
    return Translated(Translator(model, **_taken(options, "beams", "prefix")), summarize, **options)


def _within(summarize: Callable[[Act, int], Any]) -> Summarize:
    """A system that returns extracts or text, as one that returns text within its budget."""

    def text(act: Act, words: int) -> str:
        result = summarize(act, words)
        return first_words(result if isinstance(result, str) else str(result.text), words)

    return text


def _taken(options: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: options.pop(name) for name in names if name in options}
