"""What the encoders in PyTorch share: the device they compute on, and the precision of their weights.

On the CPU the default is fp32, and any other precision encodes one chunk at a time, so that a vector does not depend on
its neighbours. On a GPU the default is bf16 (fp16 if it has no bf16), and chunks are encoded in large batches in every
precision: there a vector depends on its neighbours by the rounding of that precision, and by nothing else.
"""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexlattice.encoding.base import SAMPLES, EncodingError
from lexlattice.encoding.chunking import BATCH_TOKENS, GPU_BATCH_TOKENS, ChunkedEncoder, Ids, check_agreement
from lexlattice.encoding.devices import choose_device, is_gpu

if TYPE_CHECKING:
    import torch

AUTO: Final = "auto"
PRECISIONS: Final = (AUTO, "fp32", "bf16", "fp16", "int8")
_DTYPES: Final = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}


class TorchEncoder(ChunkedEncoder):
    """A transformer in PyTorch: `_model`, on `device`, in `precision`."""

    folder: Path
    precision: str = "fp32"
    device: torch.device
    """Set by `_place`; before, the model is on the CPU."""
    _model: Any
    has_int8: bool = False
    """Whether it can be quantized to 8 bits, which PyTorch does for the CPU only."""

    @abstractmethod
    def _load(self) -> Any:
        """Load the model in fp32, on the CPU."""

    def _place(self, precision: str, device: str, batch_tokens: int | None) -> None:
        """Convert the loaded model and move it to its device; check that its vectors stay close to those of fp32.

        Raises:
            EncodingError: The model does not tolerate the precision, or cannot have it.
            OptionError: There is no such device.

        """
        if precision not in PRECISIONS or (precision == "int8" and not self.has_int8):
            raise EncodingError(f"There is no precision '{precision}' of this encoder; choose bf16, fp16 or fp32.")
        target = choose_device(device)
        if precision == "int8" and is_gpu(target):
            raise EncodingError(f"PyTorch has int8 for the CPU only, not for {target.type}; choose bf16, fp16 or fp32.")
        wanted = default_precision(target) if precision == AUTO else precision
        original = self._encode(SAMPLES) if wanted != "fp32" else None  # still in fp32, on the CPU
        self._convert(wanted, target)
        self.batch_tokens = batch_tokens or (GPU_BATCH_TOKENS if is_gpu(target) else BATCH_TOKENS)
        if original is None:
            return
        try:
            check_agreement(self._encode(SAMPLES), original, f"'{self.folder}' in {wanted}")
        except EncodingError:
            if precision != AUTO:
                raise
            self._model = self._load()  # weights that cannot be rounded: fp32 after all
            self._convert("fp32", target)

    def _convert(self, precision: str, device: torch.device) -> None:
        self._model = self._converted(precision).to(device)
        self.precision, self.device = precision, device
        self.one_by_one = precision != "fp32" and not is_gpu(device)

    def _converted(self, precision: str) -> Any:
        """The model in another precision, which may be the same object."""
        import torch

        return self._model.to(getattr(torch, _DTYPES[precision]))

    def _tensors(self, ids: Ids, mask: Ids) -> tuple[torch.Tensor, torch.Tensor]:
        """Token ids and attention mask on the device."""
        import torch

        device = getattr(self, "device", "cpu")
        return torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)


def default_precision(device: torch.device) -> str:
    """The precision of `auto`: fp32 on the CPU, half on a GPU; bf16 if it has it, since fp16 overflows sooner."""
    import torch

    if device.type == "cuda":  # needs a GPU
        return "bf16" if torch.cuda.is_bf16_supported(including_emulation=False) else "fp16"
    return "fp16" if device.type == "mps" else "fp32"
