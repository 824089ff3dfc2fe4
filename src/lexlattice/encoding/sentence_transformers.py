"""Models of sentence-transformers, by name or folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexlattice._internal.imports import silent_transformers
from lexlattice._internal.lazy import cached_property
from lexlattice.encoding.base import CHUNK_SIZE, EncodingError, Vectors
from lexlattice.encoding.chunking import Ids, check_finite, find_folder, fingerprint
from lexlattice.encoding.torch_encoder import AUTO, TorchEncoder
from lexlattice.errors import MissingExtraError, brief

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_FILES: Final = tuple(f"{under}*.{kind}" for under in ("", "*/") for kind in ("json", "model", "safetensors", "txt"))
"""The files of the model and of its modules, which have a folder each."""


class SentenceTransformers(TorchEncoder):
    """A model of sentence-transformers, from a folder or the Hugging Face hub (`NAME` or `NAME@REVISION`).

    The vector of a chunk is the output of the model with its own pooling, projection and normalization. Longer texts
    are the mean of their chunks instead of being truncated. Prompts that a model may define are not added.
    """

    def __init__(
        self,
        name_or_folder: str | Path,
        precision: str = AUTO,
        device: str = AUTO,
        batch_tokens: int | None = None,
    ) -> None:
        """Load a model; see `MT5` for the arguments."""
        self.name: Final = f"st:{name_or_folder}"
        self.folder = find_folder(name_or_folder, _FILES, _check_files, "st")
        self._model = self._load()
        self.tokenizer = _tokenizer_of(self._model, self.folder)
        self.limit = min(CHUNK_SIZE, self._model.max_seq_length or CHUNK_SIZE)
        self._probe()
        self._place(precision, device, batch_tokens)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the configuration, tokenizer and weights of all modules, and of a precision other than fp32."""
        precision = {} if self.precision == "fp32" else {"precision": self.precision}
        return fingerprint(self.folder, _FILES, kind="st", **precision)

    def _forward(self, ids: Ids, mask: Ids) -> Vectors:
        import torch

        with torch.inference_mode():
            features = dict(zip(("input_ids", "attention_mask"), self._tensors(ids, mask), strict=True))
            vectors: Vectors = self._model(features)["sentence_embedding"].float().cpu().numpy()
        return vectors

    def _load(self) -> Any:
        return _load_model(self.folder)


def _check_files(folder: Path) -> None:
    """Require safetensors for all modules: pickled weights are never loaded, since they can run code."""
    pickled = [path for path in folder.rglob("*.bin") if not any(path.parent.glob("*.safetensors"))]
    if pickled or not any(folder.rglob("*.safetensors")):
        raise EncodingError(
            f"'{folder}' lacks safetensors, and pickled weights are never loaded, since they can run code; "
            "name a revision that has them (st:NAME@REVISION), or convert a model you trust with "
            "SentenceTransformer(NAME).save_pretrained(FOLDER)."
        )


def _load_model(folder: Path) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingExtraError("Encoding with sentence-transformers", "st") from error
    try:
        with silent_transformers():
            model = SentenceTransformer(
                str(folder),
                device="cpu",  # it is moved later, once its vectors in fp32 are known
                trust_remote_code=False,
                local_files_only=True,
                model_kwargs={"use_safetensors": True, "dtype": "float32"},
            )
    except Exception as error:
        raise EncodingError(
            f"The model in '{folder}' cannot be loaded by sentence-transformers ({brief(error)}); its files are "
            "damaged or of another kind: download them again."
        ) from error
    check_finite(model, folder)
    return model.eval()


def _tokenizer_of(model: Any, folder: Path) -> Tokenizer:
    """The tokenizer of the transformer; static models have none, and cannot be cut into chunks."""
    tokenizer: Tokenizer | None = getattr(model.tokenizer, "backend_tokenizer", None)
    if tokenizer is None:
        raise EncodingError(f"The model in '{folder}' is not a transformer with a fast tokenizer; choose one that is.")
    return tokenizer
