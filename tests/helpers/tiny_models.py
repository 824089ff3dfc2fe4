"""Models of a few kilobytes with random weights: the real architectures, small enough to be made in a test."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

TEXTS = [
    "Keepers of beehives register each beehive with the competent authority within 30 days.",
    "Registration is free of charge.",
    "Les détenteurs enregistrent chaque ruche auprès de l’autorité compétente dans un délai de 30 jours.",
    "Der Halter meldet jeden Bienenstock der zuständigen Behörde.",
    "Стопаните регистрират всеки пчелен кошер при компетентния орган.",
    "Οι μελισσοκόμοι καταχωρίζουν κάθε κυψέλη στην αρμόδια αρχή.",
    "Artykuł 5",
]
LONG = " ".join(TEXTS * 12)
"""Several chunks, whatever the tokenizer."""


def tiny_mt5(folder: Path) -> Path:
    """An mT5 encoder of two layers, in the files that the hub has for the real one."""
    import sentencepiece

    torch.manual_seed(0)
    config = transformers.MT5Config(vocab_size=320, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4)
    transformers.MT5EncoderModel(config).save_pretrained(folder)
    spiece = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS),
        model_writer=spiece,
        vocab_size=200,
        hard_vocab_limit=False,
        pad_id=0,
        eos_id=1,
        unk_id=2,
        bos_id=-1,
        minloglevel=2,
    )
    (folder / "spiece.model").write_bytes(spiece.getvalue())
    return folder


def tiny_sentence_transformer(folder: Path, longest: int = 512) -> Path:
    """A BERT with the pooling of its first token, a projection and normalisation: nothing that is a plain mean."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer

    torch.manual_seed(0)
    words = _word_pieces()
    bert = transformers.BertConfig(
        vocab_size=words.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
    )
    transformers.BertModel(bert).save_pretrained(folder / "bert")
    transformers.BertTokenizerFast(tokenizer_object=words).save_pretrained(folder / "bert")
    transformer = Transformer(str(folder / "bert"), max_seq_length=longest)
    modules = [transformer, Pooling(32, pooling_mode="cls"), Dense(32, 24), Normalize()]
    SentenceTransformer(modules=modules, device="cpu").save_pretrained(str(folder / "st"), create_model_card=False)
    return folder / "st"


def tiny_bert(folder: Path) -> Path:
    """A BERT of one layer with its tokenizer, for BERTScore."""
    torch.manual_seed(0)
    words = _word_pieces()
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    transformers.BertModel(transformers.BertConfig(vocab_size=words.get_vocab_size(), **size)).save_pretrained(folder)
    transformers.BertTokenizerFast(tokenizer_object=words, model_max_length=512).save_pretrained(folder)
    return folder


def _word_pieces() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(TEXTS, trainers.WordPieceTrainer(vocab_size=300, special_tokens=special))
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return tokenizer


def change_weights(folder: Path, value: float) -> None:
    """Set one number among the weights."""
    path = folder / "model.safetensors"
    weights: dict[str, Any] = load_file(path)
    name = max(weights, key=lambda name: weights[name].numel())
    weights[name][3, 3] = value
    save_file(weights, path, {"format": "pt"})


def cosines(some: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.linalg.norm(some, axis=1) * np.linalg.norm(others, axis=1)
    result: NDArray[np.float32] = (some * others).sum(axis=1) / norms
    return result
