"""Models made by others, through Transformers: from a folder, or by name from the Hugging Face hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lexlattice.errors import LexLatticeError, MissingExtraError, brief
from lexlattice.quiet import quiet


def load(kind: str, name: str, dtype: str = "float32") -> tuple[Any, Any]:
    """Tokenizer and model (`kind` is a class of Transformers, such as AutoModelForSeq2SeqLM), `ID@REVISION` allowed.

    Weights are read as safetensors only: pickled ones can run code. Parts without weights would be filled in at
    random, so they are refused.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingExtraError(f"The model '{name}'", "hf") from error
    where, options = name, {}
    if not Path(name).expanduser().is_dir():
        where, _, revision = name.partition("@")
        options = {"revision": revision or "main"}
    else:
        where = str(Path(name).expanduser())
    try:
        with quiet():
            tokenizer = transformers.AutoTokenizer.from_pretrained(where, **options)
            model, report = getattr(transformers, kind).from_pretrained(
                where, use_safetensors=True, dtype=dtype, output_loading_info=True, **options
            )
    except Exception as error:
        raise LexLatticeError(
            f"The model '{name}' cannot be loaded ({brief(error)}); give a folder or a name of the Hugging Face hub "
            "(ID or ID@REVISION) that has a tokenizer and weights as safetensors."
        ) from error
    if missing := sorted(report["missing_keys"]):
        raise LexLatticeError(
            f"'{name}' has no weights for {len(missing)} parts of the model, such as {missing[0]}; get it anew."
        )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return tokenizer, model.to(device).eval().requires_grad_(False)


def tokens_of(tokenizer: Any, text: str, limit: int | None = None) -> list[int]:
    """The tokens of a text, with the special ones that the model expects; no more than `limit`, if given."""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    with quiet():
        ids: list[int] = tokenizer(clean, truncation=limit is not None, max_length=limit)["input_ids"]
    return ids


def positions(config: Any, *names: str) -> int | None:
    """How long a sequence may be, by the first of these entries of a model's configuration that is there."""
    found = (getattr(config, name, None) for name in names)
    return next((value for value in found if isinstance(value, int) and value > 0), None)
