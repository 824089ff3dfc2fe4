"""Encoders that run without PyTorch: a folder with `model.onnx` and `tokenizer.json`, ours or anybody's."""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexlattice.encoding.base import CHUNK, EncodingError, Vectors
from lexlattice.encoding.chunking import SAMPLES, ChunkedEncoder, Ids, fingerprint, masked_mean
from lexlattice.errors import MissingExtraError, brief

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MODEL: Final = "model.onnx"
TOKENIZER: Final = "tokenizer.json"

_PLACES: Final = (MODEL, f"onnx/{MODEL}")
_FILES: Final = (*(f"{place}*" for place in _PLACES), TOKENIZER)
"""With the weights that large models have in files beside them."""
_INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")
_POOLED: Final = "sentence_embedding"
_OUTPUTS: Final = (_POOLED, "last_hidden_state", "token_embeddings")
_QUANTISES_BATCHES: Final = b"DynamicQuantizeLinear"
_TYPES: Final = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class Onnx(ChunkedEncoder):
    """A transformer in ONNX Runtime: the layouts of `export`, sentence-transformers and Optimum.

    A model that has a `sentence_embedding` decides itself what a chunk's vector is; of others it is the mean over the
    tokens.
    """

    def __init__(self, folder: str | Path) -> None:
        self.name: Final = f"onnx:{folder}"
        self.folder: Final = Path(folder).expanduser()
        model = _find_model(self.folder)
        self._session: Final = _load_session(model)
        self.tokenizer = _load_tokenizer(self.folder / TOKENIZER)
        self.limit = _limit(self.tokenizer)
        self._inputs: Final = {given.name: _TYPES.get(given.type, np.int64) for given in self._session.get_inputs()}
        self._output: Final = _choose_output([output.name for output in self._session.get_outputs()], self.folder)
        if unknown := [name for name in self._inputs if name not in _INPUTS]:
            raise EncodingError(
                f"The model in '{self.folder}' wants '{unknown[0]}'; give one that takes {', '.join(_INPUTS)} only."
            )
        self.alone = _has(model, _QUANTISES_BATCHES)
        self.dimensions = self._forward(np.zeros((1, 1), np.int64), np.ones((1, 1), np.int64)).shape[1]
        self._encode(SAMPLES)  # so that damaged weights show now

    @cached_property
    def fingerprint(self) -> str:
        """Digest of model and tokenizer."""
        return fingerprint(self.folder, _FILES, kind="onnx")

    def _forward(self, ids: Ids, mask: Ids) -> Vectors:
        values = dict(zip(_INPUTS, (ids, mask, np.zeros_like(ids)), strict=True))
        try:
            output: Any = self._session.run(
                [self._output], {name: values[name].astype(kind) for name, kind in self._inputs.items()}
            )[0]
        except Exception as error:
            raise EncodingError(
                f"The model in '{self.folder}' cannot encode ({brief(error)}); check that model and tokenizer belong "
                "together."
            ) from error
        return output if self._output == _POOLED else masked_mean(output, mask)


def _find_model(folder: Path) -> Path:
    found = [folder / place for place in _PLACES if (folder / place).is_file()]
    if not found or not (folder / TOKENIZER).is_file():
        raise EncodingError(
            f"'{folder}' is no folder with {MODEL} (or {_PLACES[1]}) and {TOKENIZER}; give one, or export one."
        )
    return found[0]


def _load_session(path: Path) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtraError("Encoding with ONNX Runtime", "onnx") from error
    options = onnxruntime.SessionOptions()
    threads = os.environ.get("OMP_NUM_THREADS", "")
    options.intra_op_num_threads = int(threads) if threads.isdecimal() else 0
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise EncodingError(f"'{path}' cannot be loaded ({brief(error)}); it is damaged: get it anew.") from error


def _load_tokenizer(path: Path) -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("Encoding with ONNX Runtime", "onnx") from error
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:
        raise EncodingError(f"'{path}' cannot be loaded ({brief(error)}); get it anew.") from error


def _limit(tokenizer: Tokenizer) -> int:
    """Tokens of a chunk: fewer than ours where the model's own tokenizer cuts earlier."""
    own = tokenizer.truncation
    return min(CHUNK, own["max_length"]) if own else CHUNK


def _choose_output(names: Sequence[str], folder: Path) -> str:
    for name in _OUTPUTS:
        if name in names:
            return name
    raise EncodingError(
        f"The model in '{folder}' gives {', '.join(names)}; give one that gives {' or '.join(_OUTPUTS)}."
    )


def _has(path: Path, word: bytes) -> bool:
    """Whether a file has a word in it, however large it is."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(word) >= 0
