"""Custom encoders, `package.module:attribute`: a function from texts to vectors, or an object with `encode`."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lexlattice._internal.imports import import_object
from lexlattice.encoding.base import SAMPLES, Encoder, EncodingError, Vectors, check_texts, warn_about_empty
from lexlattice.errors import brief


def load_custom(name: str) -> Encoder:
    """Import a custom encoder.

    Args:
        name: `package.module:attribute`. The attribute is an encoder, a class that is instantiated without arguments,
            an object with an `encode` method, or a function that takes a list of texts.

    Returns:
        The object itself if it implements `Encoder`; otherwise a `CustomEncoder` that wraps it.
    """
    found: Any = import_object(name)
    try:
        found = found() if inspect.isclass(found) else found
    except Exception as error:
        raise EncodingError(f"The encoder '{name}' cannot be created ({brief(error)}).") from error
    if isinstance(found, Encoder):
        return found
    encode: Any = getattr(found, "encode", found)
    return CustomEncoder(name, encode)


class CustomEncoder:
    """Wraps a function from texts to vectors as an `Encoder`.

    Nothing else is known about the function, so the fingerprint is a digest of its vectors for four sample sentences.
    """

    def __init__(self, name: str, encode: Callable[[list[str]], ArrayLike]) -> None:
        if not callable(encode):
            raise EncodingError(f"'{name}' is not an encoder; name something that turns texts into vectors.")
        self.name, self._encode = name, encode
        samples = self._vectors(list(SAMPLES))
        self.dimensions = samples.shape[1]
        # Rounded to float16, so that the last bits of another processor do not change the fingerprint.
        self.fingerprint = hashlib.sha256(name.encode() + samples.astype(np.float16).tobytes()).hexdigest()[:16]

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        """One row for each text, zero for blank ones: the function never sees these."""
        listed = check_texts(texts)
        vectors = np.zeros((len(listed), self.dimensions), np.float32)
        if present := [index for index, text in enumerate(listed) if text.strip()]:
            vectors[present] = self._vectors([listed[index] for index in present])
        warn_about_empty(vectors)
        return vectors

    def _vectors(self, texts: list[str]) -> Vectors:
        try:
            output: Any = self._encode(texts)
            vectors = np.asarray(output, np.float32)
        except Exception as error:  # foreign code can raise anything
            raise EncodingError(f"The encoder '{self.name}' cannot encode ({brief(error)}).") from error
        width = getattr(self, "dimensions", None) or vectors.shape[-1] if vectors.ndim else 0
        if vectors.shape != (len(texts), width) or not np.isfinite(vectors).all():
            raise EncodingError(f"'{self.name}' is not an encoder: it must return one vector of numbers for each text.")
        return vectors
