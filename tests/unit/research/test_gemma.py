"""Gemma as an encoder, with a tiny model of random weights in place of the package's."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from lexlattice.encoding import load
from lexlattice.encoding.base import SAMPLES
from lexlattice.research.external import gemma

SIZE = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": max(gemma.LAYERS), "head_dim": 8}


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> gemma.Gemma:
    tokenizer = Tokenizer(models.BPE(unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(SAMPLES, trainers.BpeTrainer(vocab_size=200, special_tokens=["?", "<eos>", "<bos>"]))
    torch.manual_seed(0)
    config = transformers.Gemma3TextConfig(vocab_size=256, num_attention_heads=4, num_key_value_heads=1, **SIZE)
    model = transformers.Gemma3TextModel(config).eval().to(torch.bfloat16)
    monkeypatch.setattr(gemma, "_load", lambda layers, dtype: (tokenizer, model))
    found = load(gemma.Gemma.name)
    assert isinstance(found, gemma.Gemma)
    return found


def test_vectors_of_the_samples_are_centred_and_have_a_mean_square_of_one(encoder: gemma.Gemma) -> None:
    vectors = encoder.encode(SAMPLES)
    assert vectors.shape == (len(SAMPLES), SIZE["hidden_size"])
    np.testing.assert_allclose(vectors.mean(axis=0), 0, atol=1e-3)
    assert np.square(vectors).mean() == pytest.approx(1, rel=1e-3)


def test_only_the_first_words_are_read(encoder: gemma.Gemma) -> None:
    text = "the Commission shall " * gemma.WORDS
    first = " ".join(text.split()[: gemma.WORDS])
    np.testing.assert_array_equal(encoder.encode([text]), encoder.encode([first]))
    assert not np.array_equal(encoder.encode([first]), encoder.encode([first[:40]]))


def test_one_text_has_one_fingerprint(encoder: gemma.Gemma) -> None:
    assert encoder.fingerprint == load(gemma.Gemma.name).fingerprint
