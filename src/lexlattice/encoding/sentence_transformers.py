"""Any model of sentence-transformers, by name or folder, under the rules that hold for all our encoders."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexlattice._internal.imports import silent_transformers
from lexlattice.encoding.base import CHUNK, EncodingError, Vectors
from lexlattice.encoding.chunking import SAMPLES, ChunkedEncoder, Ids, find_folder, fingerprint
from lexlattice.errors import MissingExtraError, brief

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_FILES: Final = tuple(f"{under}*.{kind}" for under in ("", "*/") for kind in ("json", "model", "safetensors", "txt"))
"""Of the model and of its modules, one folder each."""


class SentenceTransformers(ChunkedEncoder):
    """A model of sentence-transformers, from a folder or the Hugging Face hub (`NAME` or `NAME@REVISION`).

    A chunk's vector is what the model itself makes of it, with its own pooling, projection and normalisation; longer
    texts are the mean of their chunks instead of being cut off. Prompts that a model may have are not added.
    """

    def __init__(self, name_or_folder: str | Path) -> None:
        self.name: Final = f"st:{name_or_folder}"
        self.folder: Final = find_folder(name_or_folder, _FILES, _check_files, "st")
        self._model: Final = _load(self.folder)
        self.tokenizer = _tokenizer(self._model, self.folder)
        self.limit = min(CHUNK, self._model.max_seq_length or CHUNK)
        self.dimensions = self._forward(np.zeros((1, 1), np.int64), np.ones((1, 1), np.int64)).shape[1]
        self._encode(SAMPLES)  # so that damaged weights show now

    @cached_property
    def fingerprint(self) -> str:
        """Digest of configuration, tokenizer and weights of all modules."""
        return fingerprint(self.folder, _FILES, kind="st")

    def _forward(self, ids: Ids, mask: Ids) -> Vectors:
        import torch

        with torch.inference_mode():
            features = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
            vectors: Vectors = self._model(features)["sentence_embedding"].float().numpy()
        return vectors


def _check_files(folder: Path) -> None:
    """Weights as safetensors for all modules: pickled ones are never loaded, for they can run code."""
    pickled = [path for path in folder.rglob("*.bin") if not any(path.parent.glob("*.safetensors"))]
    if pickled or not any(folder.rglob("*.safetensors")):
        raise EncodingError(
            f"'{folder}' lacks weights as safetensors, and pickled ones are never loaded, for they can run code; "
            "name a revision that has them (st:NAME@REVISION), or convert a model you trust with "
            "SentenceTransformer(NAME).save_pretrained(FOLDER)."
        )


def _load(folder: Path) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingExtraError("Encoding with sentence-transformers", "st") from error
    try:
        with silent_transformers():
            model = SentenceTransformer(
                str(folder),
                device="cpu",
                trust_remote_code=False,
                local_files_only=True,
                model_kwargs={"use_safetensors": True, "dtype": "float32"},
            )
    except Exception as error:
        raise EncodingError(
            f"The model in '{folder}' cannot be loaded by sentence-transformers ({brief(error)}); its files are "
            "damaged or of another kind: get them anew."
        ) from error
    for name, weight in model.named_parameters():
        if not weight.sum().isfinite():
            raise EncodingError(f"The weights {name} in '{folder}' are not all finite numbers; get them anew.")
    return model.eval()


def _tokenizer(model: Any, folder: Path) -> Tokenizer:
    """That of the transformer; static and other models without one have nothing to cut into chunks."""
    tokenizer: Tokenizer | None = getattr(model.tokenizer, "backend_tokenizer", None)
    if tokenizer is None:
        raise EncodingError(f"The model in '{folder}' is no transformer with a fast tokenizer; choose one that is.")
    return tokenizer
