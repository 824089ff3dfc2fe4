"""mT5 from pickled weights, which is all that the hub has of mT5-base, to a folder with safetensors.

Pickles can run code, so they are unpickled only here, when somebody asks for it, and never while an encoder is loaded.
The new folder has the encoder half alone: less than half of the download.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from lexlattice._internal.files import cache_folder, file_sha256
from lexlattice._internal.hub import HubFile, download_bar, fetch_file, list_files
from lexlattice._internal.processes import WorkerSlot
from lexlattice._internal.worker import WorkerLostError
from lexlattice.encoding.base import SAMPLES, EncodingError
from lexlattice.encoding.unpickle import require_torch, write_encoder_half

TOKENIZERS: Final = ("tokenizer.json", "spiece.model")
SMALL_FILES: Final = (
    *("config.json", *TOKENIZERS),
    *("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"),
)
"""Everything but the weights."""
WEIGHTS: Final = "model.safetensors"
ORIGIN: Final = "conversion.json"
"""Says what a folder was converted from."""

_KINDS: Final = (re.compile(r"[\w.-]+\.safetensors"), re.compile(r"pytorch_model[\w.-]*\.bin"))
"""Files of weights; the first kind that there is will do."""


def find_converted(name: str | Path) -> str | Path:
    """The folder in the cache to which a model of the hub was converted; the name itself if it was not."""
    folder = _cached(name)
    return folder if folder.is_dir() and not Path(name).is_dir() else name


def _cached(name: str | Path) -> Path:
    return cache_folder() / "encoders" / re.sub(r"[^\w.@-]", "--", str(name))


def convert(
    source: str | Path,
    folder: str | Path | None = None,
    *,
    progress: bool = False,
    note: Callable[[str], None] = lambda sentence: None,
) -> Path:
    """Convert mT5 to a new folder that `lexlattice.encoding.mt5.MT5` can load.

    Args:
        source: A folder, or a model of the Hugging Face hub as `ID` or `ID@REVISION`.
        folder: The folder to create. It appears only when it is complete, can be loaded, and its weights equal the
            original ones bit for bit. By default a folder in the cache, where `MT5(ID)` finds it; if it is there
            already, nothing is done.
        progress: Whether to show a progress bar of the download.
        note: Called with a sentence about each step.

    Returns:
        The new folder.

    Raises:
        EncodingError: The folder exists or cannot be written, or the model is not an mT5 or is damaged.
        FetchError: The model cannot be downloaded.
        MissingExtraError: PyTorch or Transformers is not installed.

    """
    require_torch()
    if folder is None and Path(source).expanduser().is_dir():
        raise EncodingError(f"'{source}' is a folder; name another one for the converted model (-o FOLDER).")
    target = Path(folder).expanduser() if folder is not None else _cached(source)
    if folder is None and target.is_dir():
        return target
    if target.exists():
        raise EncodingError(f"'{target}' already exists; name a new folder.")
    if str(source).startswith(("/", ".", "~")) and not Path(source).expanduser().is_dir():
        raise EncodingError(f"There is no folder '{source}'; name one, or a model of the hub such as google/mt5-base.")
    files, origin = _get(source, progress)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as temporary:
            made = Path(temporary) / target.name
            made.mkdir()
            for path in _named(files, SMALL_FILES):
                shutil.copyfile(path, made / path.name)
            weights = [path for path in files if path.name not in SMALL_FILES]
            note(f"converting {', '.join(path.name for path in weights)}")
            _run_apart(weights, made / WEIGHTS)
            about = {**origin, "files": {path.name: file_sha256(path) for path in weights}}
            (made / ORIGIN).write_text(json.dumps(about, indent=1) + "\n", "utf-8")
            note("checking that the converted model can be loaded")
            _try_out(made)
            made.rename(target)
    except OSError as error:
        raise EncodingError(f"'{target}' cannot be written ({error.strerror or error}).") from error
    return target


def _get(source: str | Path, progress: bool) -> tuple[list[Path], dict[str, str]]:
    """The files to convert, and where they are from."""
    folder = Path(source).expanduser()
    if folder.is_dir():
        there = {path.name: path for path in folder.iterdir() if path.is_file()}
        return [there[name] for name in _needed(sorted(there), str(source))], {"source": str(source)}
    model, _, revision = str(source).partition("@")
    listing = list_files(model, revision or None, "model")
    listed: dict[str, HubFile] = {file.path: file for file in listing.files}
    needed = [listed[name] for name in _needed(sorted(listed), str(source))]
    with download_bar(sum(file.size for file in needed), progress) as advance:
        files = [fetch_file(listing, file, None, advance) for file in needed]
    return files, {"source": str(source), "commit": listing.commit}


def _needed(names: Sequence[str], source: str) -> list[str]:
    """The names of the files to convert: weights of one kind, and what else a model consists of."""
    kinds = [[name for name in names if kind.fullmatch(name)] for kind in _KINDS]
    weights = next((found for found in kinds if found), [])
    for found, what in (
        (weights, "weights of PyTorch"),
        ([name for name in names if name == "config.json"], "config.json"),
        ([name for name in names if name in TOKENIZERS], "tokenizer"),
    ):
        if not found:
            raise EncodingError(f"'{source}' has no {what}; name an mT5 in the format of Transformers.")
    return [*(name for name in names if name in SMALL_FILES), *weights]


def _named(files: Sequence[Path], names: Sequence[str]) -> list[Path]:
    return [path for path in files if path.name in names]


def _run_apart(weights: Sequence[Path], target: Path) -> None:
    """Write the safetensors in another process: whatever a pickle does there, this one is not affected."""
    slot = WorkerSlot(require_torch)
    try:
        slot.run(write_encoder_half, weights, target)
    except WorkerLostError as error:
        raise EncodingError(
            "The process that converts the weights died twice, most likely out of memory; free some, and try again."
        ) from error
    finally:
        slot.stop()


def _try_out(folder: Path) -> None:
    """Load the new model, which checks names, shapes and numbers, and encode the samples."""
    from lexlattice.encoding.mt5 import MT5

    vectors = MT5(folder).encode(SAMPLES)
    if not vectors.any(axis=1).all():
        raise EncodingError(f"The converted model has no vector for '{SAMPLES[0]}'; its files are damaged.")
