"""Loading models with Transformers, and fitting texts to their limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from lexlattice._internal.imports import silent_transformers
from lexlattice.act.document import Act
from lexlattice.encoding.devices import choose_device
from lexlattice.errors import MissingExtraError, WeightsError, brief


def load(kind: str, name: str, dtype: str = "float32", device: str = "auto") -> tuple[Any, Any]:
    """Load a tokenizer and a model.

    Only safetensors are loaded, since pickled weights can run code. Models with missing weights are refused, since
    Transformers would initialize these at random.

    Args:
        kind: A class of Transformers, such as AutoModelForSeq2SeqLM.
        name: A folder, or a name on the Hugging Face hub (ID or ID@REVISION).
        dtype: The type of the weights.
        device: One of `lexlattice.encoding.devices.DEVICES`.

    Raises:
        OptionError: There is no such device.
        WeightsError: The model cannot be loaded or lacks weights.

    """
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as error:
        raise MissingExtraError(f"The model '{name}'", "hf") from error
    target = choose_device(device)
    where, options = name, {}
    if not Path(name).expanduser().is_dir():
        where, _, revision = name.partition("@")
        options = {"revision": revision or "main"}
    else:
        where = str(Path(name).expanduser())
    try:
        with silent_transformers():
            tokenizer = transformers.AutoTokenizer.from_pretrained(where, **options)
            model, report = getattr(transformers, kind).from_pretrained(
                where, use_safetensors=True, dtype=dtype, output_loading_info=True, **options
            )
    except Exception as error:
        raise WeightsError(
            f"The model '{name}' cannot be loaded ({brief(error)}); give a folder or a name of the Hugging Face hub "
            "(ID or ID@REVISION) that has a tokenizer and weights as safetensors."
        ) from error
    if missing := sorted(report["missing_keys"]):
        raise WeightsError(
            f"'{name}' has no weights for {len(missing)} parts of the model, such as {missing[0]}; download it again."
        )
    return tokenizer, model.to(target).eval().requires_grad_(False)


def tokens_of(tokenizer: Any, text: str, limit: int | None = None) -> list[int]:
    """The token ids of a text with special tokens, truncated to `limit`."""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    with silent_transformers():
        ids: list[int] = tokenizer(clean, truncation=limit is not None, max_length=limit)["input_ids"]
    return ids


def positions(config: Any, *names: str) -> int | None:
    """The maximum length of a sequence: the first of these entries that a model's configuration has."""
    found = (getattr(config, name, None) for name in names)
    return next((value for value in found if isinstance(value, int) and value > 0), None)


# Texts

Summarize = Callable[[Act, int], str]
"""A summarizer: an act and a number of words → text of at most that many words."""

GAP: Final = "[…]"
"""Marks where the middle of a text was left out."""
_FRONT: Final = 2 / 3
"""The share of kept words from the front, where acts say what they are about; the end says when they apply."""
_BYTES_OF_A_TOKEN: Final = 3
_WORD: Final = re.compile(r"\S+")
_SENTENCE_ENDS: Final = re.compile(r"(?<=[.!?;])\s+(?=\W*(\w))")


def first_words(text: str, words: int) -> str:
    """The beginning of a text, up to this many words, with its white space.

    >>> first_words("Hives are registered.  Bees are free.", 4)
    'Hives are registered.  Bees'
    """
    ends = [match.end() for match in islice(_WORD.finditer(text), max(0, words))]
    return text[: ends[-1]].strip() if ends else ""


def shortened(text: str, limit: int, count: Callable[[str], int]) -> str:
    """Shorten a text to `limit` tokens by leaving out its middle; two thirds of the kept words are from the front.

    >>> shortened("one two three four five six seven", 4, lambda text: len(text.split()))
    'one two […] seven'
    """
    if count(text) <= limit:
        return text
    spans = [match.span() for match in _WORD.finditer(text)]

    def kept(words: int) -> str:
        front = round(words * _FRONT)
        back = words - front
        head = text[: spans[front - 1][1]] if front else ""
        return f"{head} {GAP} {text[spans[-back][0] :] if back else ''}".strip()

    fewest, most = 0, len(spans)
    while most - fewest > 1:
        middle = (fewest + most) // 2
        fewest, most = (middle, most) if count(kept(middle)) <= limit else (fewest, middle)
    return kept(fewest) if fewest else ""


def tokens_at_most(text: str) -> int:
    """An upper estimate of a text's tokens for an unknown tokenizer: bytes / 3.

    Letters of non-Latin scripts take more bytes and more tokens.
    """
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_OF_A_TOKEN)


def sentences(line: str) -> Iterator[str]:
    """Split a line where a sentence ends and the next begins with a capital letter.

    >>> list(sentences("Under No. 5, hives are free. Bees (all) stay."))
    ['Under No. 5, hives are free.', 'Bees (all) stay.']
    """
    start = 0
    for match in _SENTENCE_ENDS.finditer(line):
        if match[1].isupper():
            yield line[start : match.start()]
            start = match.end()
    yield line[start:]
