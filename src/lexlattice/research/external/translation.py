"""Summaries by way of another language: translate then summarise, or summarise then translate.

Made for MarianMT, the models of OPUS-MT, one for each pair of languages; any other encoder-decoder of Transformers that
needs no more than the text will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from lexlattice._internal.imports import quiet
from lexlattice.act.document import Act, Furniture, Section, Unit
from lexlattice.errors import OptionError
from lexlattice.research.external.models import Summarize, first_words, load, positions, sentences, tokens_of

ORDERS: Final = ("first", "last")
_LENGTH: Final = 512
_TOKENS_AT_ONCE: Final = 2048
_MORE_TOKENS: Final = 2
_FEW: Final = 16
"""A translation has no more than twice the tokens of its source, and these: a model that repeats itself has an end."""


class Translator:
    """Text → text in another language, sentence by sentence; lines stay lines.

    The best of so many `beams`, or as the model has it. `prefix` is for models of several languages, which are told the
    one to translate into: ">>spa<< ".
    """

    def __init__(self, name: str, *, beams: int | None = None, prefix: str = "") -> None:
        if beams is not None and beams < 1:
            raise OptionError(f"A translation cannot have {beams} beams; give at least 1.")
        self._tokenizer, self._model = load("AutoModelForSeq2SeqLM", name)
        self._prefix = prefix
        self._decoding = {} if beams is None else {"num_beams": beams}
        self._limit = positions(self._model.config, "max_position_embeddings", "n_positions") or _LENGTH

    def __call__(self, text: str) -> str:
        """The translation of a text."""
        return self.texts([text])[0]

    def texts(self, texts: Sequence[str]) -> list[str]:
        """The translation of each; sentences that are met several times are translated once."""
        cut = [[list(self._pieces(line)) for line in text.split("\n")] for text in texts]
        known = self._translated(sorted({piece for text in cut for line in text for piece in line}))
        return ["\n".join(" ".join(known[piece] for piece in line) for line in text) for text in cut]

    def _pieces(self, line: str) -> Iterator[str]:
        """The sentences of a line; one that is too long for the model is halved, between words if it has several."""
        ahead = [sentence.strip() for sentence in sentences(line)][::-1]
        while ahead:
            piece = ahead.pop()
            if len(piece) < 2 or self._length(piece) <= self._limit:
                yield from [piece] if piece else []
                continue
            words = piece.split()
            middle = len(words) // 2
            halves = (" ".join(words[:middle]), " ".join(words[middle:]))
            ahead += reversed(halves if middle else (piece[: len(piece) // 2], piece[len(piece) // 2 :]))

    def _length(self, piece: str) -> int:
        return len(tokens_of(self._tokenizer, self._prefix + piece))

    def _translated(self, pieces: Sequence[str]) -> dict[str, str]:
        """In batches of about the same length, so that little is padded."""
        lengths = {piece: self._length(piece) for piece in pieces}
        known: dict[str, str] = {}
        batch: list[str] = []
        for piece in [*sorted(pieces, key=lambda piece: -lengths[piece]), None]:
            if batch and (piece is None or (len(batch) + 1) * lengths[batch[0]] > _TOKENS_AT_ONCE):
                known.update(zip(batch, self._generated(batch, [lengths[piece] for piece in batch]), strict=True))
                batch = []
            if piece is not None:
                batch.append(piece)
        return known

    def _generated(self, batch: Sequence[str], lengths: Sequence[int]) -> list[str]:
        """Each as if it were alone: what one may say is not what the longest beside it may."""
        import torch

        most = [min(_MORE_TOKENS * length + _FEW, self._limit - 1) for length in lengths]
        with quiet(), torch.inference_mode():
            shown = [self._prefix + piece for piece in batch]
            inputs: Any = self._tokenizer(shown, return_tensors="pt", padding=True).to(self._model.device)
            said = self._model.generate(
                input_ids=inputs["input_ids"],
                attention_mask=inputs["attention_mask"],
                **{"max_new_tokens": max(most), "do_sample": False, **self._decoding},
            )
        own = [row[: 1 + longest] for row, longest in zip(said, most, strict=True)]
        lines: list[str] = self._tokenizer.batch_decode(own, skip_special_tokens=True)
        return [" ".join(line.split()) for line in lines]


class Translated:
    """A summarizer in another language than the act's: the act is translated (`first`), or its summary (`last`)."""

    def __init__(
        self, translator: Translator, summarize: Summarize, *, order: str = "last", language: str = ""
    ) -> None:
        """`language` is what the translator translates into, where the summarizer has to know."""
        if order not in ORDERS:
            raise OptionError(f"A translation comes {' or '.join(ORDERS)}, not '{order}'.")
        self._translator, self._summarize, self._order, self._language = translator, summarize, order, language

    def __call__(self, act: Act, words: int) -> str:
        """The summary of an act, in so many words at most of the other language."""
        if words <= 0 or not act.source.strip():
            return ""
        if self._order == "first":
            return first_words(self._summarize(translated(act, self._translator, self._language), words), words)
        return first_words(self._translator(self._summarize(act, words)), words)


def translated(act: Act, translator: Translator, language: str = "") -> Act:
    """The act in another language: every unit and every piece of furniture by itself, so that all stay what they are.

    What belongs to neither is white space, and stays.
    """
    parts: list[Unit | Furniture] = sorted([*act.units, *act.furniture], key=lambda part: part.start)
    said = iter(translator.texts([act.source[part.start : part.end] for part in parts]))
    source, at, length = [], 0, 0
    units: dict[str, Unit] = {}
    furniture: list[Furniture] = []
    for part in parts:
        between, text = act.source[at : part.start], next(said)
        source += [between, text]
        start = length + len(between)
        at, length = part.end, start + len(text)
        if isinstance(part, Unit):
            units[part.id] = part._replace(text=text, start=start, end=length, words=len(text.split()))
        else:
            furniture.append(replace(part, start=start, end=length))
    headings = _headings(act.sections, translator)
    sections = tuple(
        replace(section, units=tuple(units[unit.id] for unit in section.units), **heads)
        for section, heads in zip(act.sections, headings, strict=True)
    )
    return replace(
        act,
        title=translator(act.title),
        language=language or act.language,
        sections=sections,
        furniture=tuple(furniture),
        source="".join([*source, act.source[at:]]),
    )


def _headings(sections: Sequence[Section], translator: Translator) -> Iterator[dict[str, Any]]:
    """Labels and headings of sections, and of what encloses them."""
    heads = sorted({head for section in sections for head in (section.label, section.heading, *section.enclosing)})
    known = dict(zip(heads, translator.texts(heads), strict=True))
    for section in sections:
        enclosing = tuple(known[head] for head in section.enclosing)
        yield {"label": known[section.label], "heading": known[section.heading], "enclosing": enclosing}
