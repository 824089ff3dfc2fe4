"""The encoder half of mT5's weights, written as safetensors.

This is the only module that unpickles, and only when somebody asks to convert a model. It runs in a process of its own,
and `weights_only` admits tensors and plain containers: a pickle that names any other class or function is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zipfile import is_zipfile

from lexlattice.encoding.base import EncodingError
from lexlattice.errors import LexLatticeError, MissingExtraError, brief

if TYPE_CHECKING:
    from torch import Tensor

_SHARED: Final = "shared.weight"
_COPY: Final = "encoder.embed_tokens.weight"
"""The same table as `shared.weight`; some files have both, some only one."""


def require_torch() -> None:
    """Import what conversion needs, or say what to install."""
    try:
        import safetensors  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("Converting weights", "hf") from error


def write_encoder_half(sources: Sequence[Path], target: Path) -> None:
    """Read weights, and write those of the encoder; what is on disk then equals them bit for bit.

    Args:
        sources: All files of a model: safetensors, or pickled weights.
        target: The file to write.

    Raises:
        EncodingError: A file is damaged or contains more than weights, or weights are missing or not finite.

    """
    from safetensors.torch import load_file, save_file

    weights: dict[str, Tensor] = {}
    for path in sources:
        weights |= _encoder_half(_read(path), path)
    if _COPY in weights:
        weights.setdefault(_SHARED, weights[_COPY])
        del weights[_COPY]
    if _SHARED not in weights or len(weights) == 1:
        raise EncodingError(f"'{sources[0].name}' has no encoder of an mT5; name another model.")
    save_file(weights, target, {"format": "pt"})
    written = load_file(target)
    if written.keys() != weights.keys() or not all(written[name].equal(weights[name]) for name in weights):
        raise EncodingError(f"'{target.name}' is not what was written; check the disk.")


def _read(path: Path) -> Any:
    import torch
    from safetensors.torch import load_file

    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        # Files of older versions of PyTorch are no archives, and cannot be mapped into memory.
        return torch.load(path, map_location="cpu", weights_only=True, mmap=is_zipfile(path))
    except LexLatticeError:
        raise
    except Exception as error:
        raise EncodingError(
            f"'{path.name}' cannot be read as weights ({brief(error)}); it is damaged, or contains more than weights, "
            "which may be code: get it again from somebody you trust."
        ) from None


def _encoder_half(weights: Any, path: Path) -> dict[str, Tensor]:
    from torch import Tensor

    half = {}
    for name, weight in weights.items() if isinstance(weights, dict) else ():
        if name != _SHARED and not str(name).startswith("encoder."):
            continue
        if not isinstance(weight, Tensor) or not weight.isfinite().all():
            raise EncodingError(f"The weights {name} in '{path.name}' are not all finite numbers; download them again.")
        half[name] = weight.contiguous()
    return half
