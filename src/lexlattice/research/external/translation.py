"""Cross-lingual summaries: translate then summarize, or summarize then translate.

Made for MarianMT (the models of OPUS-MT, one per pair of languages); other encoder-decoders of Transformers that take
plain text work too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from lexlattice._internal.imports import silent_transformers
from lexlattice.act.document import Act, Furniture, Section, Unit
from lexlattice.errors import OptionError
from lexlattice.research.external.models import Summarize, first_words, load, positions, sentences, tokens_of

ORDERS: Final = ("first", "last")
_LENGTH: Final = 512
_TOKENS_AT_ONCE: Final = 2048
_MAX_RATIO: Final = 2
_MAX_EXTRA: Final = 16
"""The maximum length of a translation is 2 × the tokens of its source + 16, since a model may repeat itself forever."""


class Translator:
    """Translates text sentence by sentence, and keeps its lines.

    Args:
        name: A folder, or a name on the Hugging Face hub.
        beams: Beams of the search; by default as the model's configuration says.
        prefix: Text before each sentence, such as ">>spa<< ", which tells multilingual models the target language.
        device: One of `lexlattice.encoding.devices.DEVICES`.

    """

    def __init__(self, name: str, *, beams: int | None = None, prefix: str = "", device: str = "auto") -> None:
        if beams is not None and beams < 1:
            raise OptionError(f"beams cannot be {beams}; give at least 1.")
        self._tokenizer, self._model = load("AutoModelForSeq2SeqLM", name, device=device)
        self._prefix = prefix
        self._decoding = {} if beams is None else {"num_beams": beams}
        self._limit = positions(self._model.config, "max_position_embeddings", "n_positions") or _LENGTH

    def __call__(self, text: str) -> str:
        """Translate a text."""
        return self.texts([text])[0]

    def texts(self, texts: Sequence[str]) -> list[str]:
        """Translate several texts; repeated sentences are translated once."""
        cut = [[list(self._pieces(line)) for line in text.split("\n")] for text in texts]
        known = self._translated(sorted({piece for text in cut for line in text for piece in line}))
        return ["\n".join(" ".join(known[piece] for piece in line) for line in text) for text in cut]

    def _pieces(self, line: str) -> Iterator[str]:
        """The sentences of a line; those too long for the model are halved, between words if possible."""
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
        """Translate in batches of similar length, so that little padding is needed."""
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
        """Generate translations of a batch, each cut to its own maximum length."""
        import torch

        most = [min(_MAX_RATIO * length + _MAX_EXTRA, self._limit - 1) for length in lengths]
        with silent_transformers(), torch.inference_mode():
            texts = [self._prefix + piece for piece in batch]
            inputs: Any = self._tokenizer(texts, return_tensors="pt", padding=True).to(self._model.device)
            output = self._model.generate(
                input_ids=inputs["input_ids"],
                attention_mask=inputs["attention_mask"],
                **{"max_new_tokens": max(most), "do_sample": False, **self._decoding},
            )
        cut = [row[: 1 + longest] for row, longest in zip(output, most, strict=True)]
        lines: list[str] = self._tokenizer.batch_decode(cut, skip_special_tokens=True)
        return [" ".join(line.split()) for line in lines]


class Translated:
    """A cross-lingual summarizer that translates the act (`first`) or its summary (`last`)."""

    def __init__(
        self, translator: Translator, summarize: Summarize, *, order: str = "last", language: str = ""
    ) -> None:
        """Combine a translator and a summarizer; `language` is the target language, if the summarizer needs it."""
        if order not in ORDERS:
            raise OptionError(f"There is no order '{order}'; choose {' or '.join(ORDERS)}.")
        self._translator, self._summarize, self._order, self._language = translator, summarize, order, language

    def __call__(self, act: Act, words: int) -> str:
        """Summarize an act in at most this many words of the target language."""
        if words <= 0 or not act.source.strip():
            return ""
        if self._order == "first":
            return first_words(self._summarize(translated(act, self._translator, self._language), words), words)
        return first_words(self._translator(self._summarize(act, words)), words)


def translated(act: Act, translator: Translator, language: str = "") -> Act:
    """Translate an act: every unit and piece of furniture separately, so that the structure is preserved.

    The text between them is white space, and is kept.
    """
    parts: list[Unit | Furniture] = sorted([*act.units, *act.furniture], key=lambda part: part.start)
    translations = iter(translator.texts([act.source[part.start : part.end] for part in parts]))
    source, at, length = [], 0, 0
    units: dict[str, Unit] = {}
    furniture: list[Furniture] = []
    for part in parts:
        between, text = act.source[at : part.start], next(translations)
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
    """The translated labels and headings of sections and of the divisions around them."""
    heads = sorted({head for section in sections for head in (section.label, section.heading, *section.enclosing)})
    known = dict(zip(heads, translator.texts(heads), strict=True))
    for section in sections:
        enclosing = tuple(known[head] for head in section.enclosing)
        yield {"label": known[section.label], "heading": known[section.heading], "enclosing": enclosing}
