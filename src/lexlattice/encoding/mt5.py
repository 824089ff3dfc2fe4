"""The encoder of the paper: the frozen encoder half of mT5, its last layer averaged over the tokens of a text.

Below the class: loading a model, converting it to a lower precision, and exporting it to ONNX, so that it runs without
PyTorch.
"""

from __future__ import annotations

import gc
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from lexlattice._internal.imports import silent_transformers
from lexlattice._internal.lazy import cached_property
from lexlattice.encoding.base import SAMPLES, EncodingError, Vectors
from lexlattice.encoding.chunking import Ids, check_agreement, check_finite, find_folder, fingerprint
from lexlattice.encoding.convert import SMALL_FILES, TOKENIZERS, find_converted
from lexlattice.encoding.onnx import MODEL, TOKENIZER, Onnx
from lexlattice.encoding.torch_encoder import AUTO, TorchEncoder
from lexlattice.errors import MissingExtraError, brief

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import nn


BASE: Final = "google/mt5-base"

_FILES: Final = (*SMALL_FILES, "*.safetensors", "*.safetensors.index.json")
_KEPT_IN_FP32: Final = "wo"
"""Layers that int8 and fp16 leave in fp32, as Transformers does: rounding harms them most, and fp16 overflows there."""
_QUANTIZED_ROWS: Final = 10_000
"""Rows of the embedding table that are quantized at once, to save memory."""
_ONNX_INPUTS: Final = ["input_ids", "attention_mask"]
_ONNX_OUTPUT: Final = "last_hidden_state"
_ONNX_AXES: Final = {0: "chunks", 1: "tokens"}
_ONNX_MAX_BYTES: Final = 2**31
"""The most that one ONNX file can hold, a limit of protocol buffers."""


class MT5(TorchEncoder):
    """An mT5 encoder of any size.

    `fp32` is the reference. `bf16` needs half of the memory, and is much slower on processors without bf16 arithmetic;
    `int8` needs a third and is faster. Loading checks that the cosine similarity to fp32 is at least 0.99.
    """

    has_int8 = True

    def __init__(
        self,
        path_or_id: str | Path = BASE,
        precision: str = AUTO,
        device: str = AUTO,
        batch_tokens: int | None = None,
    ) -> None:
        """Load a model.

        Args:
            path_or_id: A folder, or a model of the Hugging Face hub as `ID` or `ID@REVISION`: the one that
                `lexlattice encoder convert` made of it, or else the safetensors that the hub has.
            precision: One of `torch_encoder.PRECISIONS`; by default fp32 on the CPU and half on a GPU.
            device: One of `devices.DEVICES`.
            batch_tokens: The most tokens of a batch, padding included; by default as many as suit the device.

        Raises:
            EncodingError: The model cannot be loaded, or does not tolerate the precision.
            OptionError: There is no such device here.
            MissingExtraError: PyTorch or Transformers is not installed.
        """
        self.name: Final = "mt5" if path_or_id == BASE else f"mt5:{path_or_id}"
        check = partial(_check_files, name=str(path_or_id))
        self.folder = find_folder(find_converted(path_or_id), _FILES, check, "hf")
        self.tokenizer = _load_tokenizer(self.folder)
        self._model = self._load()
        self.dimensions = self._model.config.d_model
        if self.tokenizer.get_vocab_size(with_added_tokens=False) > self._model.config.vocab_size:
            raise EncodingError(f"The tokenizer in '{self.folder}' has more tokens than the model; fetch both again.")
        self._place(precision, device, batch_tokens)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the configuration, tokenizer, weights and precision."""
        return fingerprint(self.folder, _FILES, kind="mt5", precision=self.precision)

    def _forward(self, ids: Ids, mask: Ids) -> Vectors:
        import torch

        with torch.inference_mode():
            tokens, attention = self._tensors(ids, mask)
            states = self._model(input_ids=tokens, attention_mask=attention).last_hidden_state.float()
            # The mean over the tokens without padding, on the device: a vector is far smaller than its states.
            # (chunks, 1, tokens) @ (chunks, tokens, dimensions): one batched product instead of a masked copy.
            total = torch.bmm(attention[:, None, :].float(), states)[:, 0]
            vectors: Vectors = (total / attention.sum(dim=1, keepdim=True)).cpu().numpy()
        return vectors

    def _load(self) -> Any:
        return load_model(self.folder)

    def _converted(self, precision: str) -> Any:
        if precision == "int8":
            return _quantize(self._model)
        model = super()._converted(precision)
        if precision == "fp16":
            for name, layer in model.named_modules():
                if _stays_fp32(name):
                    layer.float()
        return model


def load_model(folder: Path, **options: str) -> Any:
    """Load the encoder half in fp32. Missing weights are an error: Transformers would initialize them at random."""
    transformers = _transformers()
    try:
        with silent_transformers():
            model, report = transformers.MT5EncoderModel.from_pretrained(
                folder, use_safetensors=True, dtype="float32", output_loading_info=True, **options
            )
    except Exception as error:
        raise EncodingError(
            f"The mT5 in '{folder}' cannot be loaded ({brief(error)}); its files are damaged or of another model: "
            "download them again."
        ) from error
    if missing := sorted(report["missing_keys"]):
        raise EncodingError(
            f"'{folder}' has no weights for {len(missing)} parts of an mT5 encoder, such as {missing[0]}; "
            "name the folder of a complete mT5."
        )
    check_finite(model, folder)
    return model.eval().requires_grad_(False)


def _check_files(folder: Path, name: str) -> None:
    if not (folder / "config.json").is_file():
        raise EncodingError(f"'{folder}' has no config.json; name the folder of an mT5 in the format of Transformers.")
    if not any(folder.glob("*.safetensors")):
        raise EncodingError(
            f"'{name}' has no safetensors, and pickled weights are never loaded, since they can run code; "
            f"convert them once: lexlattice encoder convert {name}{' -o NEW_FOLDER' if Path(name).is_dir() else ''}."
        )
    if not any((folder / file).is_file() for file in TOKENIZERS):
        raise EncodingError(f"'{folder}' has no tokenizer; put {' or '.join(TOKENIZERS)} of the same model there.")


def _load_tokenizer(folder: Path) -> Tokenizer:
    transformers = _transformers()
    try:
        with silent_transformers():
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
            found: Tokenizer = tokenizer.backend_tokenizer
    except Exception as error:
        raise EncodingError(
            f"The tokenizer in '{folder}' cannot be loaded ({brief(error)}); download it again."
        ) from error
    return found


def _transformers() -> Any:
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as error:
        raise MissingExtraError("The encoder mT5", "hf") from error
    return transformers


# --- precision --------------------------------------------------------------------------------------------


def _quantize(model: Any) -> Any:
    """Convert a model in place to int8."""
    import torch

    _quantize_embedding(model)
    quantization: Any = torch.ao.quantization
    layers = [name for name, part in model.named_modules() if isinstance(part, torch.nn.Linear)]
    chosen = {name: quantization.per_channel_dynamic_qconfig for name in layers if not _stays_fp32(name)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # this API is deprecated; a test fails once PyTorch removes it
        model = quantization.quantize_dynamic(model, chosen, inplace=True)
    for part in model.parameters():
        part.data = part.data.clone()  # the rest is a view of the memory-mapped file, which can now be freed
    gc.collect()
    return model


def _stays_fp32(layer: str) -> bool:
    return layer.rpartition(".")[2] == _KEPT_IN_FP32


def _quantize_embedding(model: Any) -> None:
    """Replace the embedding table, two thirds of mT5-base, by int8 numbers with a scale for each token."""
    import torch

    class QuantizedEmbedding(torch.nn.Module):
        """An embedding table whose rows are dequantized as they are looked up."""

        scale: torch.Tensor
        table: torch.Tensor

        def __init__(self, table: nn.Embedding) -> None:
            super().__init__()
            least, most = table.weight.aminmax(dim=1, keepdim=True)
            # Symmetric quantization by the largest absolute value; never zero, since it divides.
            largest = torch.maximum(-least, most).clamp(min=torch.finfo(torch.float32).tiny)
            self.register_buffer("scale", largest / 127)
            parts = [slice(start, start + _QUANTIZED_ROWS) for start in range(0, len(largest), _QUANTIZED_ROWS)]
            rounded = [(table.weight[part] / self.scale[part]).round().to(torch.int8) for part in parts]
            self.register_buffer("table", torch.cat(rounded))

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            """Return the vectors of tokens."""
            return self.table[ids].to(torch.float32) * self.scale[ids]

    model.set_input_embeddings(QuantizedEmbedding(model.get_input_embeddings()))


# --- export to ONNX ---------------------------------------------------------------------------------------


def export_onnx(encoder: MT5, folder: str | Path, int8: bool = False) -> Path:
    """Export an mT5 encoder to a new folder that `lexlattice.encoding.onnx.Onnx` can load without PyTorch.

    Args:
        encoder: The encoder; its weights are read again in fp32, whatever its precision is.
        folder: The folder to create. It appears only when it is complete and its vectors agree with the encoder's.
        int8: Whether to quantize the weights, which makes the folder a third of the size.

    Returns:
        The new folder.

    Raises:
        EncodingError: The folder exists or cannot be written, or the model cannot be exported.
    """
    target = Path(folder).expanduser()
    if target.exists():
        raise EncodingError(f"'{target}' already exists; name a new folder.")
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
        _quantize_embedding(model)
    if sum(part.nbytes for part in model.state_dict().values()) >= _ONNX_MAX_BYTES:
        raise EncodingError(
            f"'{source}' has more than the two gigabytes that an ONNX file can hold; "
            f"{'use it in PyTorch' if int8 else 'export it with int8'}."
        )
    try:
        with _silence():
            _write_graph(model, path)
            if int8:
                quantize_dynamic(
                    path,
                    path,
                    op_types_to_quantize=["MatMul"],
                    nodes_to_exclude=_fp32_nodes(path),
                    per_channel=True,
                    reduce_range=True,  # seven bits: processors without VNNI overflow with eight
                )
    except Exception as error:
        raise EncodingError(f"'{source}' cannot be exported to ONNX ({brief(error)}).") from error


def _write_graph(model: Any, path: Path) -> None:
    """Write the graph with the older exporter: the newer one takes minutes, and loses the names of layers."""
    import torch

    model.config.return_dict = False
    example = (torch.ones(2, 8, dtype=torch.int64), torch.ones(2, 8, dtype=torch.int64))
    torch.onnx.export(
        model,
        example,
        path,
        input_names=_ONNX_INPUTS,
        output_names=[_ONNX_OUTPUT],
        dynamic_axes=dict.fromkeys((*_ONNX_INPUTS, _ONNX_OUTPUT), _ONNX_AXES),
        dynamo=False,
    )


def _fp32_nodes(path: Path) -> list[str]:
    """Nodes that int8 does not quantize, by the layer in their names: `/model/encoder/…/wo/MatMul`."""
    import onnx

    nodes = onnx.load(path, load_external_data=False).graph.node
    return [node.name for node in nodes if _stays_fp32(node.name.rpartition("/")[0].replace("/", "."))]


@contextmanager
def _silence() -> Iterator[None]:
    """Hide the reports of exporters on deprecations and skipped steps; the result is checked instead."""
    level = logging.root.level
    logging.root.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.root.setLevel(level)
