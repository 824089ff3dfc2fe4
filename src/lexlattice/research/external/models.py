"""Models made by others, through Transformers: from a folder, or by name from the Hugging Face hub."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from lexlattice._internal.imports import quiet
from lexlattice.act.document import Act
from lexlattice.errors import MissingExtraError, WeightsError, brief


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
        raise WeightsError(
            f"The model '{name}' cannot be loaded ({brief(error)}); give a folder or a name of the Hugging Face hub "
            "(ID or ID@REVISION) that has a tokenizer and weights as safetensors."
        ) from error
    if missing := sorted(report["missing_keys"]):
        raise WeightsError(
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


# Texts on their way in and out of a model: no more words than allowed, and no more of an act than a model takes.

Summarize = Callable[[Act, int], str]
"""The one face of all systems: an act and a number of words → text of no more words."""

GAP: Final = "[…]"
"""What stands where the middle of a text was left out."""
_FRONT: Final = 2 / 3
"""The share of what is kept that comes from the front: acts say there what they are about, and at the end from when
they apply."""
_BYTES_OF_A_TOKEN: Final = 3
_WORD: Final = re.compile(r"\S+")
_SENTENCE_ENDS: Final = re.compile(r"(?<=[.!?;])\s+(?=\W*(\w))")


def first_words(text: str, words: int) -> str:
    """The text up to that many words, with the white space between them.

    >>> first_words("Hives are registered.  Bees are free.", 4)
    'Hives are registered.  Bees'
    """
    ends = [match.end() for match in islice(_WORD.finditer(text), max(0, words))]
    return text[: ends[-1]].strip() if ends else ""


def shortened(text: str, limit: int, count: Callable[[str], int]) -> str:
    """All of a text, or as many words of its front and of its end as `limit` allows, two to one, with a gap between.

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
    """How many tokens a text has for a model whose tokenizer is not at hand: rather too many than too few.

    Bytes, because letters of other scripts take more of both.
    """
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_OF_A_TOKEN)


def sentences(line: str) -> Iterator[str]:
    """A line cut where a sentence ends and the next begins with a capital.

    >>> list(sentences("Under No. 5, hives are free. Bees (all) stay."))
    ['Under No. 5, hives are free.', 'Bees (all) stay.']
    """
    start = 0
    for match in _SENTENCE_ENDS.finditer(line):
        if match[1].isupper():
            yield line[start : match.start()]
            start = match.end()
    yield line[start:]
