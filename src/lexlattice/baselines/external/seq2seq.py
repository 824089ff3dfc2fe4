"""Encoder-decoders as summarizers (LED, LongT5, T5, BART and their kin), on acts that are longer than they take.

`plain` cuts the act to what the model takes; `sled` and `unlimiformer` read all of it (`windows` says how).
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from typing import Any, Final

from lexlattice.act import Act
from lexlattice.baselines.external.hub import load, positions, tokens_of
from lexlattice.baselines.external.texts import first_words
from lexlattice.baselines.external.windows import encode, encoded, nearest_only
from lexlattice.errors import LexLatticeError
from lexlattice.quiet import quiet

METHODS: Final = ("plain", "sled", "unlimiformer")
_LENGTH: Final = 1024
"""Where neither the model nor its tokenizer says how long a text may be."""
_NO_LIMIT: Final = 1_000_000
"""Tokenizers without a limit give a number that is larger by far."""
_SAMPLE: Final = 1000
"""So many words tell how many tokens a word has."""
_MORE_TOKENS: Final = 1.25
"""A summary may have more tokens for a word than the act it is of; what is too much is cut."""


class Seq2Seq:
    """A model of Transformers' AutoModelForSeq2SeqLM that says in so many words what an act says, the same every time.

    It reads the act's source, from its first line on. `length` is how many tokens `plain` reads, by default what the
    model was made for. `chunk` tokens are encoded at once by the other methods, `overlap` of them only as surroundings;
    each head of `unlimiformer` sees `k` states, by default as many as a chunk has. `prefix` stands before the text, as
    some models expect. The summary has no fewer words than about the share `least` of those allowed. Of how many
    `beams` it is the best, and how many tokens in a row are `unrepeated`, is as the model has it, unless given.
    """

    def __init__(
        self,
        name: str,
        *,
        method: str = "plain",
        length: int | None = None,
        chunk: int = 256,
        overlap: float = 0.5,
        k: int | None = None,
        beams: int | None = None,
        prefix: str = "",
        least: float = 0.5,
        unrepeated: int | None = None,
    ) -> None:
        if method not in METHODS:
            raise LexLatticeError(f"There is no method '{method}' for long texts; choose among {', '.join(METHODS)}.")
        k = chunk if k is None else k
        if any(number is not None and number < 1 for number in (chunk, k, beams, length, unrepeated)):
            raise LexLatticeError("Numbers of tokens, states and beams begin at 1.")
        if not (0 <= overlap < 1 and 0 <= least <= 1):
            raise LexLatticeError("The shares overlap and least are numbers from 0 to 1, overlap below 1.")
        self._tokenizer, self._model = load("AutoModelForSeq2SeqLM", name)
        limit = positions(self._model.config, "max_encoder_position_embeddings", "max_position_embeddings")
        at_once = chunk if method != "plain" else length or 1
        if limit is not None and at_once > limit:
            raise LexLatticeError(f"'{name}' reads {limit} tokens at once, not {at_once}; give a smaller number.")
        self._method, self._chunk, self._overlap, self._k = method, chunk, overlap, k
        self._length = length or limit or self._usual()
        self._prefix, self._least = prefix, least
        decoding = {"num_beams": beams, "no_repeat_ngram_size": unrepeated}
        self._decoding = {name: number for name, number in decoding.items() if number is not None}

    def __call__(self, act: Act, words: int) -> str:
        """The summary of an act, in so many words at most."""
        if words <= 0 or not act.source.strip():
            return ""
        return first_words(self.generate(act.source, words), words)

    def generate(self, text: str, words: int) -> str:
        """What the model says of a text, in about so many words."""
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        ids = self.tokens(text)
        tokens = words * self._tokens_of_a_word(text)
        most = min(math.ceil(_MORE_TOKENS * tokens) + 1, self._longest_said())
        states = self.states(ids)
        with (
            quiet(),
            torch.inference_mode(),
            nearest_only(self._model, states, self._k) if self._method == "unlimiformer" else nullcontext(),
        ):
            said = self._model.generate(
                encoder_outputs=BaseModelOutput(last_hidden_state=states),
                attention_mask=torch.ones(states.shape[:2], dtype=torch.long, device=states.device),
                max_new_tokens=most,
                min_new_tokens=min(int(self._least * tokens), most),
                do_sample=False,
                **self._decoding,
            )
        summary: str = self._tokenizer.decode(said[0], skip_special_tokens=True)
        return summary

    def tokens(self, text: str) -> list[int]:
        """What the model reads of a text."""
        return tokens_of(self._tokenizer, self._prefix + text, self._length if self._method == "plain" else None)

    def states(self, ids: list[int]) -> Any:
        """What the decoder attends to: a state for each token."""
        import torch

        rows = torch.tensor([ids], device=self._model.device)
        if self._method == "plain":
            return encode(self._model, rows)
        return encoded(self._model, rows, self._chunk, self._overlap)

    def _tokens_of_a_word(self, text: str) -> float:
        """As the text has it: that of one language is not that of another."""
        sample = first_words(text, _SAMPLE)
        return len(tokens_of(self._tokenizer, sample)) / max(1, len(sample.split()))

    def _usual(self) -> int:
        """What a model that knows no bounds was made for."""
        said = self._tokenizer.model_max_length
        return positions(self._model.config, "n_positions") or (said if said < _NO_LIMIT else _LENGTH)

    def _longest_said(self) -> int:
        limit = positions(self._model.config, "max_decoder_position_embeddings", "max_position_embeddings")
        return _NO_LIMIT if limit is None else limit - 1
