"""What transformer encoders share: texts → chunks → batches → vectors, and the folders of models.

A transformer is one function here, `_forward`: token ids and attention mask in, one vector for each row out. The rest
is the same for all of them. A chunk has at most `CHUNK_SIZE` tokens; chunks of similar length are encoded together, so
that there is little padding; the vector of a text is the mean of its chunks. All texts of a call share the batches, so
that callers with many short lists of texts, such as the units of acts, should join them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.encoding.base import (
    CHUNK_SIZE,
    SAMPLES,
    EncodingError,
    Vectors,
    check_texts,
    progress_bar,
    warn_about_empty,
)
from lexlattice.errors import MissingExtraError, brief

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Ids = NDArray[np.int64]

BATCH_TOKENS: Final = 2048
"""Tokens of a batch with padding: enough to keep the processor busy, few enough to stay in its caches."""
GPU_BATCH_TOKENS: Final = 32_768
"""The same on a GPU, which needs many more to be busy: 128 full chunks."""
_MIN_AGREEMENT: Final = 0.99
"""The lowest cosine similarity between vectors of a converted model and those of the original."""
_HUB_ID: Final = re.compile(r"[\w.-]+(/[\w.-]+)?(@\S+)?")
_METHOD: Final = 1
"""Part of the fingerprint; increment it whenever this module computes different vectors from the same model."""


# --- from texts to vectors --------------------------------------------------------------------------------


class Chunk(NamedTuple):
    """A piece of a text that is encoded at once, including special tokens."""

    text: int
    """Index of the text it belongs to."""
    ids: list[int]


class ChunkedEncoder(ABC):
    """Base class of transformer encoders: encodes chunks, and returns the mean of the chunks of each text."""

    dimensions: int
    tokenizer: Tokenizer
    limit: int = CHUNK_SIZE
    """The most tokens of a chunk."""
    batch_tokens: int = BATCH_TOKENS
    """The most tokens of a batch, padding included, unless a single chunk has more."""
    one_by_one: bool = False
    """Whether each chunk is its own batch: models that quantize over a whole batch would make vectors depend on it."""

    @abstractmethod
    def _forward(self, ids: Ids, mask: Ids) -> Vectors:
        """Token ids and attention mask, both (chunks, length) → vectors (chunks, dimensions)."""

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        """One row for each text; zero for texts without tokens."""
        vectors = self._encode(texts, progress)
        warn_about_empty(vectors)
        return vectors

    def _encode(self, texts: Sequence[str], progress: bool = False) -> Vectors:
        listed = check_texts(texts)
        chunks = cut_into_chunks(listed, self.tokenizer, self.limit)
        encoded = np.zeros((len(chunks), self.dimensions), np.float32)
        with progress_bar(sum(len(chunk.ids) for chunk in chunks), "token", progress) as advance:
            for batch in _batches([len(chunk.ids) for chunk in chunks], 0 if self.one_by_one else self.batch_tokens):
                ids, mask = _pad([chunks[index].ids for index in batch])
                encoded[batch] = self._forward(ids, mask)
                advance(int(mask.sum()))
        return _mean_by_text(encoded, [chunk.text for chunk in chunks], len(listed))

    def _probe(self) -> None:
        """Set `dimensions` from a first forward pass, and encode samples so that damaged weights fail now."""
        self.dimensions = self._forward(np.zeros((1, 1), np.int64), np.ones((1, 1), np.int64)).shape[1]
        self._encode(SAMPLES)


def cut_into_chunks(texts: Sequence[str], tokenizer: Tokenizer, limit: int = CHUNK_SIZE) -> list[Chunk]:
    """Tokenize texts and cut them into chunks of at most `limit` tokens; none consists of special tokens only."""
    tokenizer.encode_special_tokens = True  # what looks like a special token in a text is plain text
    tokenizer.no_padding()
    tokenizer.enable_truncation(limit)
    chunks = []
    for index, text in enumerate(texts):
        # Lone surrogates, which broken files contain, are replaced: the tokenizer accepts valid UTF-8 only.
        encoding = tokenizer.encode(text.strip().encode("utf-8", "replace").decode("utf-8"))
        pieces = (encoding, *encoding.overflowing)
        chunks += [Chunk(index, piece.ids) for piece in pieces if 0 in piece.special_tokens_mask]
    return chunks


def masked_mean(states: NDArray[np.float32], mask: Ids) -> Vectors:
    """The mean over the tokens of each row, without padding."""
    weights = mask.astype(np.float32)
    # (chunks, 1, tokens) @ (chunks, tokens, dimensions): one batched product instead of a masked copy of the states.
    total: Vectors = np.matmul(weights[:, None, :], states)[:, 0]
    total /= weights.sum(axis=1, keepdims=True)
    return total


def check_agreement(vectors: Vectors, original: Vectors, what: str) -> None:
    """Refuse a converted model whose vectors differ too much from the original: some weights cannot be rounded."""
    norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(original, axis=1)
    lowest = float(((vectors * original).sum(axis=1) / norms).min())
    if not lowest >= _MIN_AGREEMENT:  # also true for NaN
        raise EncodingError(
            f"{what} differs too much from the original model (cosine similarity {lowest:.3f}, at least "
            f"{_MIN_AGREEMENT} is required); use fp32."
        )


def _batches(lengths: Sequence[int], cap: int) -> Iterator[list[int]]:
    """Yield the indices of chunks for each batch, the longest chunks first: lack of memory shows at once."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > cap:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _pad(rows: Sequence[Sequence[int]]) -> tuple[Ids, Ids]:
    """Ids and attention mask; padding is masked, so any id will do for it."""
    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return ids, mask


def _mean_by_text(encoded: Vectors, owners: Sequence[int], texts: int) -> Vectors:
    """The mean of the chunks of each text; `owners` has the index of the text of each chunk."""
    damaged = ~np.isfinite(encoded).all(axis=1)
    if damaged.any():
        raise EncodingError(
            f"The vector of text {owners[int(damaged.argmax())] + 1} contains numbers that are not finite; "
            "the weights of the model are damaged: download them again."
        )
    owner = np.asarray(owners, np.int64)
    vectors = np.zeros((texts, encoded.shape[1]), np.float32)
    np.add.at(vectors, owner, encoded)  # adds in chunk order, so the result does not depend on the batches
    counts = np.bincount(owner, minlength=texts).astype(np.float32)
    vectors /= np.maximum(counts, 1)[:, None]
    return vectors


def check_finite(model: Any, folder: Path) -> None:
    """Refuse a PyTorch model with weights that are not finite."""
    for name, weight in model.named_parameters():
        if not weight.sum().isfinite():
            raise EncodingError(f"The weights {name} in '{folder}' are not all finite; download them again.")


# --- folders of models ------------------------------------------------------------------------------------


def find_folder(
    name: str | os.PathLike[str], patterns: Sequence[str], check: Callable[[Path], None], extra: str
) -> Path:
    """Find the folder of a model, and download the model if necessary.

    A model in the local cache of the Hugging Face hub is used without looking for a newer one: vectors must not change.

    Args:
        name: A folder, or a model of the hub as `ID` or `ID@REVISION`.
        patterns: The only files that are ever downloaded.
        check: Raises an EncodingError if files are missing from a folder.
        extra: The optional dependency that downloading needs.
    """
    folder = Path(name).expanduser()
    if not folder.is_dir():
        return _from_hub(str(name), patterns, check, extra)
    check(folder)
    return folder


def _from_hub(name: str, patterns: Sequence[str], check: Callable[[Path], None], extra: str) -> Path:
    if not _HUB_ID.fullmatch(name):
        raise EncodingError(f"There is no folder '{name}'; check the path.")
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise MissingExtraError(f"Loading '{name}'", extra) from error
    model, _, revision = name.partition("@")

    def get(cached: bool) -> Path:
        return Path(
            snapshot_download(model, revision=revision or None, allow_patterns=list(patterns), local_files_only=cached)
        )

    try:
        folder = get(cached=True)
        check(folder)
    except (OSError, ValueError, EncodingError):
        try:
            folder = get(cached=False)
        except Exception as error:
            raise EncodingError(
                f"There is no folder '{name}', and no model of that name can be downloaded from the Hugging Face hub "
                f"({brief(error)}); check the name and the network, or give a folder with the model's files."
            ) from error
        check(folder)
    return folder


def fingerprint(folder: Path, patterns: Sequence[str], **settings: str | int) -> str:
    """A digest of the files and settings that the vectors depend on, wherever the folder is."""
    digest = hashlib.sha256(json.dumps({**settings, "chunk": CHUNK_SIZE, "method": _METHOD}, sort_keys=True).encode())
    for path in sorted({path for pattern in patterns for path in folder.glob(pattern)}):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{path.relative_to(folder).as_posix()}\0{content}\n".encode())
    return digest.hexdigest()[:16]
