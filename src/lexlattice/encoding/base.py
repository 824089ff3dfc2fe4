"""What an encoder is: texts in, one vector each out; and what all encoders ask of texts and answer about themselves."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lexlattice.errors import LexLatticeError

Vectors = NDArray[np.float32]

CHUNK: Final = 256
"""Tokens that are encoded together at most; longer texts are the mean of their chunks."""

PATIENCE: Final = 2.0
"""Seconds that something may take before a bar shows how far it is."""


class EncodingError(LexLatticeError):
    """An encoder cannot be loaded, or cannot encode what it was given."""


class EmptyTextWarning(UserWarning):
    """Some texts hold nothing to encode; their vectors are zero."""


@runtime_checkable
class Encoder(Protocol):
    """Anything that turns texts into vectors; the same text always into the same vector."""

    @property
    def name(self) -> str:
        """What `load` calls it."""

    @property
    def dimensions(self) -> int:
        """Length of each vector."""

    @property
    def fingerprint(self) -> str:
        """A digest of all that decides the vectors: equal fingerprints, equal vectors."""

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        """One row for each text; a zero row, and an `EmptyTextWarning` with their number, for texts with nothing in."""


@contextmanager
def progress_bar(total: int, unit: str, shown: bool) -> Iterator[Callable[[int], object]]:
    """What to tell of each part that is done; a bar appears if it takes long.

    Unless it is to be shown no bar is made: even a hidden one takes a lock that forked processes share, and one that is
    killed while it holds it would stop all others.
    """
    if not shown:
        yield lambda done: None
        return
    from tqdm import tqdm

    with tqdm(total=total, desc="encoding", unit=unit, unit_scale=True, delay=PATIENCE) as bar:
        yield bar.update


def checked(texts: Sequence[str], first: int = 1) -> list[str]:
    """The texts as a list, once it is sure that they are texts; they are counted from the first."""
    if isinstance(texts, str | bytes):
        raise EncodingError("An encoder takes a list of texts; put the single text into a list.")
    try:
        listed = list(texts)
    except TypeError:
        raise EncodingError(f"An encoder takes a list of texts, not {type(texts).__name__}.") from None
    for place, text in enumerate(listed, first):
        if not isinstance(text, str):
            raise EncodingError(f"Text {place} is of type {type(text).__name__}; give strings only.")
    return listed


_expected: ContextVar[bool] = ContextVar("empty texts are expected", default=False)


@contextmanager
def empty_texts() -> Iterator[None]:
    """Units without words are common in acts, and nothing to warn of: their vectors are zero.

    Safe in threads, which filters of warnings are not.
    """
    before = _expected.set(True)
    try:
        yield
    finally:
        _expected.reset(before)


def vectors_of_units(encoder: Encoder, texts: list[str]) -> Vectors:
    """The vectors of units, of which some may have no words."""
    with empty_texts():
        return encoder.encode(texts)


def report_empty(vectors: Vectors) -> None:
    """Count the texts that gave nothing, for whoever asked."""
    empty = int((~vectors.any(axis=1)).sum())
    if empty and not _expected.get():
        warnings.warn(f"{empty} of {len(vectors)} texts are empty: their vectors are zero.", EmptyTextWarning, 3)


def require(encoder: Encoder, fingerprint: str) -> None:
    """Refuse an encoder other than the one that something was trained with."""
    if encoder.fingerprint != fingerprint:
        raise EncodingError(
            f"The weights were trained on vectors of another encoder (fingerprint {fingerprint}) than the one in use, "
            f"'{encoder.name}' (fingerprint {encoder.fingerprint}); load that encoder, or train anew."
        )
