"""The paper's encoder: mT5, its encoder half only, frozen; the mean of the last layer over the tokens of a text."""

from __future__ import annotations

import gc
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from lexlattice._internal.imports import silent_transformers
from lexlattice.encoding.base import EncodingError, Vectors
from lexlattice.encoding.chunking import (
    SAMPLES,
    ChunkedEncoder,
    Ids,
    check_agreement,
    find_folder,
    fingerprint,
    masked_mean,
)
from lexlattice.encoding.onnx import MODEL, TOKENIZER, Onnx
from lexlattice.errors import MissingExtraError, brief

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import nn


BASE: Final = "google/mt5-base"
PRECISIONS: Final = ("fp32", "bf16", "int8")

_TOKENIZERS: Final = ("tokenizer.json", "spiece.model")
_FILES: Final = (
    *("config.json", "*.safetensors", "*.safetensors.index.json", *_TOKENIZERS),
    *("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"),
)
_SENSITIVE: Final = "wo"
"""The layers that int8 leaves alone, as Transformers does in half precision: they bear rounding least."""
_ROWS_AT_ONCE: Final = 10_000


class MT5(ChunkedEncoder):
    """An mT5 of any size, from a folder or the Hugging Face hub (`ID` or `ID@REVISION`).

    `fp32` is the reference. `bf16` keeps half of its bytes, and is much slower where the processor does not compute in
    it; `int8` keeps a third and is faster. That the cosine to fp32 stays at least 0.99 is checked while loading.
    """

    def __init__(self, path_or_id: str | Path = BASE, precision: str = "fp32") -> None:
        if precision not in PRECISIONS:
            raise EncodingError(f"There is no precision '{precision}'; choose among {', '.join(PRECISIONS)}.")
        self.name: Final = "mt5" if path_or_id == BASE else f"mt5:{path_or_id}"
        self.precision: Final = precision
        self.folder: Final = find_folder(path_or_id, _FILES, _check_files, "hf")
        self.tokenizer = _load_tokenizer(self.folder)
        self._model: Any = load_model(self.folder)
        self.dimensions = self._model.config.d_model
        if self.tokenizer.get_vocab_size(with_added_tokens=False) > self._model.config.vocab_size:
            raise EncodingError(f"The tokenizer in '{self.folder}' has more tokens than the model; get both anew.")
        if precision != "fp32":
            original = self._encode(SAMPLES)
            self._model = _converted(self._model, precision)
            self.alone = True
            check_agreement(self._encode(SAMPLES), original, f"'{self.folder}' in {precision}")

    @cached_property
    def fingerprint(self) -> str:
        """Digest of configuration, tokenizer, weights and precision."""
        return fingerprint(self.folder, _FILES, kind="mt5", precision=self.precision)

    def _forward(self, ids: Ids, mask: Ids) -> Vectors:
        import torch

        with torch.inference_mode():
            output = self._model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask))
            return masked_mean(output.last_hidden_state.float().numpy(), mask)


def load_model(folder: Path, **options: str) -> Any:
    """The encoder half in fp32, whole and finite, or an error: what is missing would be filled in at random."""
    transformers = _transformers()
    try:
        with silent_transformers():
            model, report = transformers.MT5EncoderModel.from_pretrained(
                folder, use_safetensors=True, dtype="float32", output_loading_info=True, **options
            )
    except Exception as error:
        raise EncodingError(
            f"The mT5 in '{folder}' cannot be loaded ({brief(error)}); its files are damaged or of another model: "
            "get them anew."
        ) from error
    if missing := sorted(report["missing_keys"]):
        raise EncodingError(
            f"'{folder}' has no weights for {len(missing)} parts of an mT5 encoder, such as {missing[0]}; "
            "give the folder of a whole mT5."
        )
    for name, weight in model.named_parameters():
        if not weight.sum().isfinite():
            raise EncodingError(f"The weights {name} in '{folder}' are not all finite numbers; get them anew.")
    return model.eval().requires_grad_(False)


def _check_files(folder: Path) -> None:
    if not (folder / "config.json").is_file():
        raise EncodingError(f"'{folder}' has no config.json; give the folder of an mT5 in the format of Transformers.")
    if not any(folder.glob("*.safetensors")):
        raise EncodingError(
            f"'{folder}' has no weights as safetensors, and pickled ones are never loaded, for they can run code; "
            "name a revision that has them (mt5:ID@REVISION), or convert a model you trust with "
            "MT5EncoderModel.from_pretrained(ID).save_pretrained(FOLDER) and "
            "AutoTokenizer.from_pretrained(ID).save_pretrained(FOLDER)."
        )
    if not any((folder / name).is_file() for name in _TOKENIZERS):
        raise EncodingError(f"'{folder}' has no tokenizer; put {' or '.join(_TOKENIZERS)} of the same model there.")


def _load_tokenizer(folder: Path) -> Tokenizer:
    transformers = _transformers()
    try:
        with silent_transformers():
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
            found: Tokenizer = tokenizer.backend_tokenizer
    except Exception as error:
        raise EncodingError(f"The tokenizer in '{folder}' cannot be loaded ({brief(error)}); get it anew.") from error
    return found


def _transformers() -> Any:
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as error:
        raise MissingExtraError("The encoder mT5", "hf") from error
    return transformers


# --- precision --------------------------------------------------------------------------------------------


def _converted(model: Any, precision: str) -> Any:
    import torch

    if precision == "bf16":
        return model.to(torch.bfloat16)
    shrink_embedding(model)
    quantization: Any = torch.ao.quantization
    layers = [name for name, part in model.named_modules() if isinstance(part, torch.nn.Linear)]
    chosen = {name: quantization.per_channel_dynamic_qconfig for name in layers if not is_sensitive(name)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it will go some day; PyTorch is pinned, and a test would tell
        model = quantization.quantize_dynamic(model, chosen, inplace=True)
    for part in model.parameters():
        part.data = part.data.clone()  # the file of all weights, which it was a view of, can be let go
    gc.collect()
    return model


def is_sensitive(layer: str) -> bool:
    """Whether a layer of that name is to stay in fp32."""
    return layer.rpartition(".")[2] == _SENSITIVE


def shrink_embedding(model: Any) -> None:
    """Replace the table of tokens, two thirds of mT5-base, by one of int8 with a scale for each token."""
    import torch

    class Shrunk(torch.nn.Module):
        """Rows are scaled back as they are looked up."""

        scale: torch.Tensor
        table: torch.Tensor

        def __init__(self, table: nn.Embedding) -> None:
            super().__init__()
            least, most = table.weight.aminmax(dim=1, keepdim=True)
            largest = torch.maximum(-least, most).clamp(min=torch.finfo(torch.float32).tiny)
            self.register_buffer("scale", largest / 127)
            parts = [slice(start, start + _ROWS_AT_ONCE) for start in range(0, len(largest), _ROWS_AT_ONCE)]
            rounded = [(table.weight[part] / self.scale[part]).round().to(torch.int8) for part in parts]
            self.register_buffer("table", torch.cat(rounded))

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            """Vectors of tokens."""
            return self.table[ids].to(torch.float32) * self.scale[ids]

    model.set_input_embeddings(Shrunk(model.get_input_embeddings()))


# From mT5 in PyTorch to a folder that needs ONNX Runtime only, in fp32 or a third of the size.

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
