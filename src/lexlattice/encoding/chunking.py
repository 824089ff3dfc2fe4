"""What transformer encoders share: texts cut into chunks, chunks into batches, batches into vectors; model folders.

A transformer is one function here, `_forward`: token ids and their mask in, one vector for each row out. All else is
the same for all of them: no chunk has more than `CHUNK` tokens, those of similar length are encoded together so that
little is padded, and a text is the mean of its chunks.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.encoding.base import CHUNK, EncodingError, Vectors, checked, progress_bar, report_empty
from lexlattice.errors import MissingExtraError, brief

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Ids = NDArray[np.int64]

SAMPLES: Final = (
    "This Regulation shall enter into force on the twentieth day following that of its publication.",
    "Les États membres veillent à ce que les autorités compétentes disposent des ressources nécessaires.",
    "Държавите членки уведомяват Комисията за тези мерки в срок от 30 дни.",
    "Τα κράτη μέλη ανακοινώνουν στην Επιτροπή το κείμενο των διατάξεων.",
)
"""Sentences as acts have them, on which a converted model is compared with the one it was made from."""

_TOKENS_AT_ONCE: Final = 2048
"""Of a batch, with padding: enough to keep the processor busy, little enough to stay in its caches."""
_AGREEMENT: Final = 0.99
"""The least cosine between vectors of a converted model and those of the original."""
_HUB_ID: Final = re.compile(r"[\w.-]+(/[\w.-]+)?(@\S+)?")
_METHOD: Final = 1
"""To be raised whenever this module makes other vectors of the same model."""


# --- from texts to vectors --------------------------------------------------------------------------------


class Chunk(NamedTuple):
    """A piece of a text that is encoded at once, special tokens included."""

    text: int
    """Which text it belongs to."""
    ids: list[int]


class ChunkedEncoder(ABC):
    """An encoder that runs a transformer: chunk by chunk, and a text is the mean of its chunks."""

    dimensions: int
    tokenizer: Tokenizer
    limit: int = CHUNK
    """Tokens of a chunk at most."""
    alone: bool = False
    """Whether each chunk is a batch of its own: models that round over a batch would mix neighbours into a vector."""

    @abstractmethod
    def _forward(self, ids: Ids, mask: Ids) -> Vectors:
        """Token ids and attention mask, both chunks × length → chunks × dimensions."""

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        """One row for each text, zero for those without tokens."""
        vectors = self._encode(texts, progress)
        report_empty(vectors)
        return vectors

    def _encode(self, texts: Sequence[str], progress: bool = False) -> Vectors:
        listed = checked(texts)
        chunks = cut(listed, self.tokenizer, self.limit)
        encoded = np.zeros((len(chunks), self.dimensions), np.float32)
        with progress_bar(sum(len(chunk.ids) for chunk in chunks), "token", progress) as done:
            for batch in _batches([len(chunk.ids) for chunk in chunks], 0 if self.alone else _TOKENS_AT_ONCE):
                ids, mask = _padded([chunks[place].ids for place in batch])
                encoded[batch] = self._forward(ids, mask)
                done(int(mask.sum()))
        return _means(encoded, [chunk.text for chunk in chunks], len(listed))


def cut(texts: Sequence[str], tokenizer: Tokenizer, limit: int = CHUNK) -> list[Chunk]:
    """The chunks of all texts, none with more than `limit` tokens, none with special tokens only.

    What looks like a special token in a text is text.
    """
    tokenizer.encode_special_tokens = True
    tokenizer.no_padding()
    tokenizer.enable_truncation(limit)
    chunks = []
    for place, text in enumerate(texts):
        encoding = tokenizer.encode(text.strip().encode("utf-8", "replace").decode("utf-8"))
        pieces = (encoding, *encoding.overflowing)
        chunks += [Chunk(place, piece.ids) for piece in pieces if 0 in piece.special_tokens_mask]
    return chunks


def masked_mean(states: NDArray[np.float32], mask: Ids) -> Vectors:
    """The mean over the tokens of each row that are not padding."""
    weights = mask.astype(np.float32)
    total: Vectors = np.matmul(weights[:, None, :], states)[:, 0]
    total /= weights.sum(axis=1, keepdims=True)
    return total


def check_agreement(vectors: Vectors, original: Vectors, what: str) -> None:
    """Refuse a converted model that is no longer what it was; some weights do not bear rounding."""
    norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(original, axis=1)
    least = float(((vectors * original).sum(axis=1) / norms).min())
    if not least >= _AGREEMENT:
        raise EncodingError(
            f"{what} departs too far from the model it is made of (cosine {least:.3f}, at least {_AGREEMENT} is "
            "asked for); use fp32."
        )


def _batches(lengths: Sequence[int], cap: int) -> Iterator[list[int]]:
    """Places of chunks that go together, the longest first: what memory is needed shows at once."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > cap:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _padded(rows: Sequence[Sequence[int]]) -> tuple[Ids, Ids]:
    """Ids and mask; what pads is masked, so that any id will do for it."""
    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    mask = np.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        mask[place, : len(row)] = 1
    return ids, mask


def _means(encoded: Vectors, owners: Sequence[int], texts: int) -> Vectors:
    """Chunks into texts, added in the order of the text, whatever order they were encoded in."""
    damaged = ~np.isfinite(encoded).all(axis=1)
    if damaged.any():
        raise EncodingError(
            f"The vector of text {owners[int(damaged.argmax())] + 1} has numbers that are not finite; "
            "the model's weights are damaged: get them anew."
        )
    owner = np.asarray(owners, np.int64)
    vectors = np.zeros((texts, encoded.shape[1]), np.float32)
    np.add.at(vectors, owner, encoded)
    counts = np.bincount(owner, minlength=texts).astype(np.float32)
    vectors /= np.maximum(counts, 1)[:, None]
    return vectors


# --- folders of models ------------------------------------------------------------------------------------


def find_folder(
    name: str | os.PathLike[str], patterns: Sequence[str], check: Callable[[Path], None], extra: str
) -> Path:
    """The folder of a model: the one that is named, or that of a model of the hub, `ID` or `ID@REVISION`.

    What the hub's local cache has is taken as it is, without asking whether there is something newer: vectors are to
    stay the same. `check` raises where files are missing; `patterns` are the only files that are ever downloaded.
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
                f"There is no folder '{name}', and no model of that name can be had from the Hugging Face hub "
                f"({brief(error)}); check the name and the network, or give a folder with the model's files."
            ) from error
        check(folder)
    return folder


def fingerprint(folder: Path, patterns: Sequence[str], **settings: str | int) -> str:
    """A digest of the files that make the vectors, wherever they are, and of what else decides them."""
    digest = hashlib.sha256(json.dumps({**settings, "chunk": CHUNK, "method": _METHOD}, sort_keys=True).encode())
    for path in sorted({path for pattern in patterns for path in folder.glob(pattern)}):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{path.relative_to(folder).as_posix()}\0{content}\n".encode())
    return digest.hexdigest()[:16]
