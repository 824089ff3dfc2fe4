"""Rewriting an extract with a language model: every sentence is either verified or verbatim.

Every item of the extract is represented: it supports a verified sentence, or is shown verbatim.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from lexlattice._internal.files import sha256
from lexlattice.act.summary import Item, Summary
from lexlattice.rendering.status import disclaimer
from lexlattice.rendering.text import escaped, title
from lexlattice.research.llm import Endpoint, ReplyError, Request
from lexlattice.research.rewriting.checking import Checker

Status = Literal["verified", "verbatim"]
MARKS: Final[dict[Status, str]] = {"verified": "✓", "verbatim": "="}
"""The marks in Markdown, in signs that need no translation."""
_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "ids": {"type": "array", "items": {"type": "string"}}},
                "required": ["text", "ids"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sentences"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with the ids of the items that support it."""

    text: str
    ids: tuple[str, ...]
    status: Status


@dataclass(frozen=True, slots=True)
class Rejected:
    """A sentence of the model that is not shown, and the reason."""

    text: str
    ids: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A rewritten extract."""

    summary: Summary = field(repr=False)
    sentences: tuple[Sentence, ...]
    rejected: tuple[Rejected, ...]
    model: str
    prompt: str
    """The digest of the prompt file."""
    warnings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The sentences, one per line."""
        return "\n".join(sentence.text for sentence in self.sentences)

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain JSON types."""
        act, items = self.summary.act, {item.id: item for item in self.summary}
        return {
            "celex": act.celex,
            "title": act.title,
            "language": act.language,
            "model": self.model,
            "prompt": self.prompt,
            "sentences": [
                {
                    "text": sentence.text,
                    "status": sentence.status,
                    "ids": list(sentence.ids),
                    "citations": [items[name].citation for name in sentence.ids],
                }
                for sentence in self.sentences
            ],
            "rejected": [{"text": one.text, "ids": list(one.ids), "reason": one.reason} for one in self.rejected],
            "warnings": [*self.summary.warnings, *self.warnings],
        }

    def to_markdown(self) -> str:
        """Markdown with citations: ✓ marks verified sentences, = and a quotation verbatim ones."""
        items = {item.id: item for item in self.summary}
        blocks = [f"# {escaped(title(self.summary))}"]
        for sentence in self.sentences:
            cited = "; ".join(escaped(items[name].citation) for name in sentence.ids)
            quote = "> " if sentence.status == "verbatim" else ""
            blocks.append(f"{quote}{escaped(sentence.text)} **{MARKS[sentence.status]} {cited}**")
        notes = (*self.summary.warnings, *self.warnings, disclaimer(self.summary.act))
        return "\n\n".join([*blocks, *map(escaped, notes)])


def rewrite(summary: Summary, endpoint: Endpoint) -> Rewritten:
    """Rewrite an extract in its own language, and keep the sentences that can be verified.

    Args:
        summary: The extract.
        endpoint: The language model.

    Returns:
        The rewritten extract; without a usable reply, the extract verbatim with a warning.

    Raises:
        EndpointError: The endpoint cannot be used.
        SpendingError: The request could exceed the cap.

    """
    written: list[tuple[str, tuple[str, ...]]] = []
    warnings: tuple[str, ...] = ()
    if summary.items:
        request = _request(summary)
        endpoint.check(endpoint.estimate([request]))
        try:
            reply = endpoint.complete(request.system, request.prompt, schema=request.schema)
            written = [(one["text"], tuple(dict.fromkeys(one["ids"]))) for one in reply.data["sentences"]]
        except ReplyError as error:
            warnings = (str(error),)
    sentences, rejected = verify(summary, written)
    return Rewritten(summary, sentences, rejected, endpoint.config.model, sha256(_prompt().encode()), warnings)


def verify(
    summary: Summary, written: Sequence[tuple[str, tuple[str, ...]]]
) -> tuple[tuple[Sentence, ...], tuple[Rejected, ...]]:
    """Check sentences with the ids of their items; return the sentences to show and the rejected ones.

    Rejected sentences and items without a sentence are replaced by the items verbatim.
    """
    items = {item.id: item for item in summary}
    checker = Checker(summary.act.language, summary.act.source)
    shown: list[Sentence] = []
    rejected: list[Rejected] = []
    for text, ids in written:
        cited = [items[name] for name in ids if name in items]
        reason = checker.refusal(text, [item.text for item in cited])
        if len(cited) < len(ids):
            reason = "it cites something that is not in the extract"
        if not reason:
            shown.append(Sentence(" ".join(text.split()), ids, "verified"))
            continue
        rejected.append(Rejected(text, ids, reason))
        shown += [verbatim for item in cited if (verbatim := _verbatim(item)) not in shown]
    covered = {name for sentence in shown for name in sentence.ids}
    order = {name: place for place, name in enumerate(items)}
    for item in summary:
        if item.id not in covered:
            later = (n for n, one in enumerate(shown) if min(order[name] for name in one.ids) > order[item.id])
            shown.insert(next(later, len(shown)), _verbatim(item))
    return tuple(shown), tuple(rejected)


def _verbatim(item: Item) -> Sentence:
    return Sentence(item.text, (item.id,), "verbatim")


def _request(summary: Summary) -> Request:
    provisions = [{"id": item.id, "text": item.text} for item in summary]
    prompt = json.dumps({"language": summary.act.language, "provisions": provisions}, ensure_ascii=False, indent=1)
    return Request(_prompt(), prompt, _SCHEMA, len(prompt))


@cache
def _prompt() -> str:
    return files(__package__).joinpath("prompt.txt").read_text("utf-8")
