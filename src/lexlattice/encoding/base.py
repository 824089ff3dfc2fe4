"""The encoder protocol, and what all encoders share: checks of their input, warnings and progress bars."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.progress import keep_time
from lexlattice.errors import LexLatticeError

Vectors = NDArray[np.float32]

CHUNK_SIZE: Final = 256
"""The most tokens that are encoded at once; the vector of a longer text is the mean of its chunks."""

PROGRESS_DELAY: Final = 2.0
"""Seconds before a progress bar appears."""

SAMPLES: Final = (
    "This Regulation shall enter into force on the twentieth day following that of its publication.",
    "Les États membres veillent à ce que les autorités compétentes disposent des ressources nécessaires.",
    "Държавите членки уведомяват Комисията за тези мерки в срок от 30 дни.",
    "Τα κράτη μέλη ανακοινώνουν στην Επιτροπή το κείμενο των διατάξεων.",
)
"""Typical sentences of acts, on which an encoder is tried while it is loaded, converted or fingerprinted."""


class EncodingError(LexLatticeError):
    """An encoder cannot be loaded, or cannot encode its input."""

    code = "encoding-failed"


class EmptyTextWarning(UserWarning):
    """Some texts have nothing to encode; their vectors are zero."""


@runtime_checkable
class Encoder(Protocol):
    """Anything that turns texts into vectors. The same text always gets the same vector, alone or in a batch.

    Examples:
        >>> from lexlattice.encoding import load
        >>> isinstance(load(), Encoder)
        True
    """

    @property
    def name(self) -> str:
        """The name that `lexlattice.encoding.load` accepts."""

    @property
    def dimensions(self) -> int:
        """The length of each vector."""

    @property
    def fingerprint(self) -> str:
        """A digest of everything the vectors depend on: equal fingerprints, equal vectors."""

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        """Encode texts.

        Args:
            texts: The texts to encode.
            progress: Whether to show a progress bar.

        Returns:
            One row for each text. Texts with nothing to encode get a zero row, and one `EmptyTextWarning` says how
            many there are.

        Raises:
            EncodingError: `texts` is not a sequence of strings, or the encoder fails.
        """


@contextmanager
def progress_bar(total: int, unit: str, shown: bool) -> Iterator[Callable[[int], object]]:
    """Yield a function that advances a progress bar, which appears after `PROGRESS_DELAY` seconds.

    Without `shown`, tqdm is not even imported: also a disabled bar takes a lock that forked processes share, and if one
    of them is killed while it holds the lock, all others wait for ever.
    """
    if not shown:
        yield lambda done: None
        return
    from tqdm import tqdm

    with tqdm(total=total, desc="encoding", unit=unit, unit_scale=True, delay=PROGRESS_DELAY) as bar:
        keep_time(bar)
        yield bar.update


def check_texts(texts: Sequence[str]) -> list[str]:
    """Return the texts as a list; raise an `EncodingError` if one of them is not a string."""
    if isinstance(texts, str | bytes):
        raise EncodingError("An encoder takes a list of texts; put the single text into a list.")
    try:
        listed = list(texts)
    except TypeError:
        raise EncodingError(f"An encoder takes a list of texts, not {type(texts).__name__}.") from None
    for number, text in enumerate(listed, 1):
        if not isinstance(text, str):
            raise EncodingError(f"Text {number} is of type {type(text).__name__}; give strings only.")
    return listed


_empty_allowed: ContextVar[bool] = ContextVar("empty texts are allowed", default=False)


@contextmanager
def allow_empty_texts() -> Iterator[None]:
    """Suppress `EmptyTextWarning` within: units without words are common in acts.

    Unlike the filters of `warnings`, a context variable is safe in threads.
    """
    token = _empty_allowed.set(True)
    try:
        yield
    finally:
        _empty_allowed.reset(token)


def vectors_of_units(encoder: Encoder, texts: list[str]) -> Vectors:
    """Encode the texts of units, without a warning for those that have no words."""
    with allow_empty_texts():
        return encoder.encode(texts)


def rounded(vectors: Vectors, dtype: np.dtype[np.floating[Any]], name: str) -> NDArray[np.floating[Any]]:
    """Round vectors for storage, and refuse those that rounding would change by more than 2⁻¹¹ of their length.

    Args:
        vectors: One row per text.
        dtype: The type to store, such as float16.
        name: The encoder, for the error message.

    Raises:
        EncodingError: A number is not finite, or beyond the range of the type.

    """
    if not np.isfinite(vectors).all():
        raise EncodingError(f"The encoder '{name}' returned vectors that are not finite; fix it.")
    with np.errstate(over="ignore"):
        stored = vectors.astype(dtype)
    exact = vectors.astype(np.float64)
    with np.errstate(invalid="ignore"):  # overflow to infinity is refused here
        is_close = np.linalg.norm(stored.astype(np.float64) - exact, axis=1) <= np.linalg.norm(exact, axis=1) * 2**-11
    if not is_close.all():
        raise EncodingError(
            f"The encoder '{name}' returns numbers beyond the range of {dtype.name}; let it scale its vectors, or use "
            "float32 where there is a choice."
        )
    return stored


def warn_about_empty(vectors: Vectors) -> None:
    """Issue an `EmptyTextWarning` with the number of zero vectors, if there are any."""
    empty = int((~vectors.any(axis=1)).sum())
    if empty and not _empty_allowed.get():
        # Level 3 is the caller of `encode`.
        warnings.warn(f"{empty} of {len(vectors)} texts are empty: their vectors are zero.", EmptyTextWarning, 3)


def require_fingerprint(encoder: Encoder, fingerprint: str) -> None:
    """Refuse an encoder that does not have the fingerprint that weights were trained with.

    Raises:
        EncodingError: The fingerprints differ.
    """
    if encoder.fingerprint != fingerprint:
        raise EncodingError(
            f"The weights were trained on vectors of another encoder (fingerprint {fingerprint}) than the one in use, "
            f"'{encoder.name}' (fingerprint {encoder.fingerprint}); load that encoder, or train again."
        )
