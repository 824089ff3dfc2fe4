"""From mT5 in PyTorch to a folder that needs ONNX Runtime only, in fp32 or a third of the size."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from lexlattice.encoding.chunks import SAMPLES, check_agreement
from lexlattice.encoding.mt5 import MT5, is_sensitive, load_model, shrink_embedding
from lexlattice.encoding.onnx import MODEL, TOKENIZER, Onnx
from lexlattice.encoding.protocol import EncodingError
from lexlattice.errors import MissingExtraError, brief

_AXES: Final = {0: "chunks", 1: "tokens"}
_INPUTS: Final = ["input_ids", "attention_mask"]
_OUTPUT: Final = "last_hidden_state"
_LARGEST: Final = 2**31
"""Bytes that one file of ONNX can hold."""


def export(encoder: MT5, folder: str | Path, int8: bool = False) -> Path:
    """Write a new folder for `Onnx`, and return it.

    The weights are those of the encoder's folder, in fp32 whatever the encoder's own precision. The new folder appears
    only once it is whole and its vectors have been compared with the encoder's.
    """
    target = Path(folder).expanduser()
    if target.exists():
        raise EncodingError(f"'{target}' exists already; name a new folder.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as temporary:
            made = Path(temporary) / target.name
            made.mkdir()
            encoder.tokenizer.no_truncation()
            encoder.tokenizer.save(str(made / TOKENIZER))
            _write_model(encoder.folder, made / MODEL, int8)
            what = f"The {'int8 ' if int8 else ''}export of '{encoder.name}'"
            check_agreement(Onnx(made).encode(SAMPLES), encoder.encode(SAMPLES), what)
            made.rename(target)
    except OSError as error:
        raise EncodingError(f"'{target}' cannot be written ({error.strerror or error}).") from error
    return target


def _write_model(source: Path, path: Path, int8: bool) -> None:
    try:
        import onnx  # noqa: F401
        from onnxruntime.quantization import quantize_dynamic
    except ImportError as error:
        raise MissingExtraError("Exporting to ONNX", "onnx") from error
    model = load_model(source, attn_implementation="eager")
    if int8:
        shrink_embedding(model)
    if sum(part.nbytes for part in model.state_dict().values()) >= _LARGEST:
        raise EncodingError(
            f"'{source}' has more than the two gigabytes that a file of ONNX can hold; "
            f"{'use it in PyTorch' if int8 else 'export it with int8'}."
        )
    try:
        with _silence():
            _trace(model, path)
            if int8:
                quantize_dynamic(
                    path,
                    path,
                    op_types_to_quantize=["MatMul"],
                    nodes_to_exclude=_sensitive_nodes(path),
                    per_channel=True,
                    reduce_range=True,  # processors without VNNI overflow at eight bits
                )
    except Exception as error:
        raise EncodingError(f"'{source}' cannot be exported to ONNX ({brief(error)}).") from error


def _trace(model: Any, path: Path) -> None:
    """By PyTorch's older exporter: the newer one takes minutes for the same graph, and loses the names of layers."""
    import torch

    model.config.return_dict = False
    example = (torch.ones(2, 8, dtype=torch.int64), torch.ones(2, 8, dtype=torch.int64))
    torch.onnx.export(
        model,
        example,
        path,
        input_names=_INPUTS,
        output_names=[_OUTPUT],
        dynamic_axes=dict.fromkeys((*_INPUTS, _OUTPUT), _AXES),
        dynamo=False,
    )


def _sensitive_nodes(path: Path) -> list[str]:
    """Multiplications that int8 leaves alone, by the layer in their names: `/model/encoder/…/wo/MatMul`."""
    import onnx

    nodes = onnx.load(path, load_external_data=False).graph.node
    return [node.name for node in nodes if is_sensitive(node.name.rpartition("/")[0].replace("/", "."))]


@contextmanager
def _silence() -> Iterator[None]:
    """Exporters report on deprecations and on steps not taken; what matters is checked on the result."""
    level = logging.root.level
    logging.root.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.root.setLevel(level)
