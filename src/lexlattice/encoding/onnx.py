"""Transformers in ONNX Runtime, without PyTorch: a folder with `model.onnx` and `tokenizer.json`."""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexlattice._internal.lazy import cached_property
from lexlattice.encoding.base import CHUNK_SIZE, EncodingError, Vectors
from lexlattice.encoding.chunking import (
    BATCH_TOKENS,
    GPU_BATCH_TOKENS,
    ChunkedEncoder,
    Ids,
    fingerprint,
    masked_mean,
)
from lexlattice.errors import MissingExtraError, brief

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MODEL: Final = "model.onnx"
TOKENIZER: Final = "tokenizer.json"

_LOCATIONS: Final = (MODEL, f"onnx/{MODEL}")
_FILES: Final = (*(f"{location}*" for location in _LOCATIONS), TOKENIZER)
"""Including the separate files in which large models have their weights."""
_INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")
_POOLED: Final = "sentence_embedding"
_OUTPUTS: Final = (_POOLED, "last_hidden_state", "token_embeddings")
_QUANTIZES_BATCHES: Final = b"DynamicQuantizeLinear"
"""The ONNX operator that quantizes over a whole batch, so that a vector would depend on its neighbours."""
_CPU, _CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
_TYPES: Final = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class Onnx(ChunkedEncoder):
    """A transformer in ONNX Runtime, in the layouts of `mt5.export_onnx`, sentence-transformers and Optimum.

    The vector of a chunk is the output `sentence_embedding` if the model has one, otherwise the mean over its tokens.
    """

    def __init__(self, folder: str | Path, device: str = "auto", batch_tokens: int | None = None) -> None:
        """Load a model.

        Args:
            folder: The folder with its files.
            device: `cpu`, `cuda` (which needs the package onnxruntime-gpu), or `auto` for whichever there is.
            batch_tokens: The most tokens of a batch, padding included; by default as many as suit the device.

        Raises:
            EncodingError: The model cannot be loaded, or ONNX Runtime does not have the device.
            MissingExtraError: ONNX Runtime is not installed.
        """
        self.name: Final = f"onnx:{folder}"
        self.folder: Final = Path(folder).expanduser()
        model = _find_model(self.folder)
        self._session: Final = _load_session(model, device)
        is_on_gpu = self._session.get_providers()[0] != _CPU
        self.batch_tokens = batch_tokens or (GPU_BATCH_TOKENS if is_on_gpu else BATCH_TOKENS)
        self.tokenizer = _load_tokenizer(self.folder / TOKENIZER)
        self.limit = _max_tokens(self.tokenizer)
        self._inputs: Final = {given.name: _TYPES.get(given.type, np.int64) for given in self._session.get_inputs()}
        self._output: Final = _choose_output([output.name for output in self._session.get_outputs()], self.folder)
        if unknown := [name for name in self._inputs if name not in _INPUTS]:
            raise EncodingError(
                f"The model in '{self.folder}' needs '{unknown[0]}'; use one that needs only {', '.join(_INPUTS)}."
            )
        self.one_by_one = _contains(model, _QUANTIZES_BATCHES)
        self._probe()

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the model and the tokenizer."""
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
    found = [folder / location for location in _LOCATIONS if (folder / location).is_file()]
    if not found or not (folder / TOKENIZER).is_file():
        raise EncodingError(
            f"'{folder}' has no {MODEL} (or {_LOCATIONS[1]}) and {TOKENIZER}; name another folder, or export a model."
        )
    return found[0]


def _load_session(path: Path, device: str) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtraError("Encoding with ONNX Runtime", "onnx") from error
    has_cuda = _CUDA in onnxruntime.get_available_providers()
    if device not in ("auto", "cpu", "cuda") or (device == "cuda" and not has_cuda):
        raise EncodingError(
            f"ONNX Runtime has no device '{device}' here; choose cpu, or install onnxruntime-gpu for cuda."
        )
    options = onnxruntime.SessionOptions()
    threads = os.environ.get("OMP_NUM_THREADS", "")
    options.intra_op_num_threads = int(threads) if threads.isdecimal() else 0
    try:
        # needs a GPU: what CUDA does not have is computed on the CPU
        providers = [_CUDA, _CPU] if has_cuda and device != "cpu" else [_CPU]
        return onnxruntime.InferenceSession(path, options, providers=providers)
    except Exception as error:
        raise EncodingError(f"'{path}' cannot be loaded ({brief(error)}); it is damaged: download it again.") from error


def _load_tokenizer(path: Path) -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("Encoding with ONNX Runtime", "onnx") from error
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:
        raise EncodingError(f"'{path}' cannot be loaded ({brief(error)}); download it again.") from error


def _max_tokens(tokenizer: Tokenizer) -> int:
    """The most tokens of a chunk: fewer than `CHUNK_SIZE` if the tokenizer of the model truncates earlier."""
    truncation = tokenizer.truncation
    return min(CHUNK_SIZE, truncation["max_length"]) if truncation else CHUNK_SIZE


def _choose_output(names: Sequence[str], folder: Path) -> str:
    for name in _OUTPUTS:
        if name in names:
            return name
    raise EncodingError(
        f"The model in '{folder}' has the outputs {', '.join(names)}; use one that has {' or '.join(_OUTPUTS)}."
    )


def _contains(path: Path, word: bytes) -> bool:
    """Whether a file contains a word; memory-mapped, since models are large."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(word) >= 0
