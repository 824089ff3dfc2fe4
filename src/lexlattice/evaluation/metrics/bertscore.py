"""BERTScore of texts of any length.

The `bert-score` package truncates texts to about 510 tokens. Here a text is encoded in consecutive chunks of the
model's length, and the tokens of all chunks of the candidate are matched with those of all chunks of the reference. For
texts of one chunk the result equals that of `bert-score` up to rounding of 32-bit floats. No IDF weights, no rescaling.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lexlattice._internal.imports import silent_transformers
from lexlattice.encoding.devices import choose_device
from lexlattice.errors import MissingExtraError, OptionError, WeightsError, brief
from lexlattice.evaluation.metrics.rouge import Score

if TYPE_CHECKING:
    import torch

_NOTHING: Final = Score(0.0, 0.0, 0.0)
_LENGTH: Final = 512
_NO_LIMIT: Final = 100_000
"""Tokenizers without a limit report a far larger number."""
_CHUNKS_AT_ONCE: Final = 8
_ROWS_AT_ONCE: Final = 1024
"""Tokens of a candidate that are compared with a reference at once."""
_CACHED: Final = 16
"""Texts whose vectors are cached, since a reference is compared with many candidates."""


class _Tokens(NamedTuple):
    """Unit vectors of a text's tokens, and which of them count.

    The special tokens of a chunk do not count, but others may be matched with them, as in the package.
    """

    vectors: torch.Tensor
    counted: torch.Tensor


class BertScore:
    """BERTScore with one model.

    Examples:
        BertScore("bert-base-multilingual-cased").score(candidate, reference).f1

    """

    def __init__(
        self,
        model: str | os.PathLike[str],
        layers: int | None = None,
        threads: int | None = None,
        device: str = "auto",
    ) -> None:
        """Load a model.

        Args:
            model: Its name on the Hugging Face hub, or a folder.
            layers: The layer whose states are compared; by default the one that `bert-score` recommends.
            threads: Threads of PyTorch, from now on; unchanged by default.
            device: One of `lexlattice.encoding.devices.DEVICES`.

        Raises:
            OptionError: No layer is recommended for this model, or there is no such device.
            WeightsError: The model cannot be loaded.

        """
        try:
            from bert_score import utils
            from torch import set_num_threads
        except ImportError as error:
            raise MissingExtraError("BERTScore", "bertscore") from error
        name = os.fspath(model)
        if layers is None and name not in utils.model2layers:
            raise OptionError(f"There is no recommended layer of '{name}' for BERTScore; give layers, a number.")
        if threads:
            set_num_threads(threads)
        target = choose_device(device)
        self.model: Final = name
        self.layers: Final = int(utils.model2layers[name] if layers is None else layers)
        try:
            with silent_transformers():
                self._model: Any = utils.get_model(name, self.layers).to(target)
                self._tokenizer: Any = utils.get_tokenizer(name)
        except Exception as error:
            raise WeightsError(
                f"The model '{name}' cannot be loaded for BERTScore ({brief(error)}); give a folder or a name of the "
                "Hugging Face hub, and no more layers than it has."
            ) from error
        stated = self._tokenizer.model_max_length
        positions = getattr(self._model.config, "max_position_embeddings", _LENGTH)
        self._length = stated if stated <= _NO_LIMIT else min(positions, _LENGTH)
        self._before, self._after = self._ends()
        self._tokens = lru_cache(_CACHED)(self._encoded)

    def score(self, candidate: str, reference: str) -> Score:
        """Precision, recall and F1; zero for a text without words."""
        if not candidate.strip() or not reference.strip():
            return _NOTHING
        ours, theirs = self._tokens(candidate), self._tokens(reference)
        precision, recall = _best(ours.vectors, theirs.vectors)
        p, r = (float(best[part.counted].mean()) for best, part in ((precision, ours), (recall, theirs)))
        return Score(p, r, 2 * p * r / (p + r) if p + r else 0.0)

    def _encoded(self, text: str) -> _Tokens:
        import torch

        ids = self._ids(text, special=False)
        room = self._length - len(self._before) - len(self._after)
        chunks = [[*self._before, *ids[at : at + room], *self._after] for at in range(0, len(ids), room)]
        parts = []
        for some in (chunks[at : at + _CHUNKS_AT_ONCE] for at in range(0, len(chunks), _CHUNKS_AT_ONCE)):
            longest = max(map(len, some))
            rows = torch.full((len(some), longest), self._tokenizer.pad_token_id or 0)
            mask = torch.zeros_like(rows)
            for row, chunk in enumerate(some):
                rows[row, : len(chunk)] = torch.tensor(chunk)
                mask[row, : len(chunk)] = 1
            with torch.inference_mode():
                device = self._model.device
                states = self._model(rows.to(device), attention_mask=mask.to(device))[0].float().cpu()
            parts.append(states[mask.bool()])
        vectors = torch.cat(parts) if parts else torch.zeros(0, 1)
        special = (self._tokenizer.cls_token_id, self._tokenizer.sep_token_id)
        counted = torch.tensor([token not in special for chunk in chunks for token in chunk], dtype=torch.bool)
        return _Tokens(vectors / vectors.norm(dim=-1, keepdim=True), counted)

    def _ids(self, text: str, *, special: bool) -> list[int]:
        """Tokens as in the package: with a leading space for tokenizers that distinguish it."""
        from transformers import GPT2Tokenizer, RobertaTokenizer

        spaced = {"add_prefix_space": True} if isinstance(self._tokenizer, GPT2Tokenizer | RobertaTokenizer) else {}
        clean = text.strip().encode("utf-8", "replace").decode("utf-8")
        with silent_transformers():
            ids: list[int] = self._tokenizer.encode(clean, add_special_tokens=special, **spaced)
        return ids

    def _ends(self) -> tuple[list[int], list[int]]:
        """The special tokens before and after a text."""
        bare, whole = self._ids("1", special=False), self._ids("1", special=True)
        first = next(at for at in range(len(whole)) if whole[at : at + len(bare)] == bare)
        return whole[:first], whole[first + len(bare) :]


def _best(ours: torch.Tensor, theirs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The largest cosine similarity of each token with any token of the other text, computed in blocks."""
    import torch

    precision, recall = [], torch.full((len(theirs),), -torch.inf)
    for at in range(0, len(ours), _ROWS_AT_ONCE):
        cosines = ours[at : at + _ROWS_AT_ONCE] @ theirs.T
        precision.append(cosines.amax(dim=1))
        recall = torch.maximum(recall, cosines.amax(dim=0))
    return torch.cat(precision), recall
