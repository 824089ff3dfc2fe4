"""Models that say something, of a few kilobytes with random weights: what they say makes no sense, but is theirs."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, TypeVar

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from helpers.tiny_models import TEXTS

Model = TypeVar("Model", bound=torch.nn.Module)

_SPECIAL = ["<pad>", "</s>", "<unk>", "<s>"]
_SIZES = {"d_model": 32, "pad_token_id": 0, "eos_token_id": 1, "tie_word_embeddings": False}
_T5 = {**_SIZES, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0}
_LAYERS = {"encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4}
_BART = {
    **_SIZES,
    **_LAYERS,
    **{"encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "bos_token_id": 3, "decoder_start_token_id": 1},
}
CHAT = (
    "{% for m in messages %}<s>{{ m['role'] }}: {{ m['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant:{% endif %}"
)


def tiny_generator(kind: str, folder: Path) -> Path:
    """An encoder-decoder of that kind: t5, longt5, led, bart; or llama, which is a decoder only."""
    torch.manual_seed(1)
    pieces = _pieces({"led": "<s> $A </s>", "bart": "<s> $A </s>", "llama": "$A"}.get(kind, "$A </s>"))
    size = {"vocab_size": pieces.get_vocab_size()}
    model: Any = {
        "t5": lambda: transformers.T5ForConditionalGeneration(transformers.T5Config(**_T5, **size)),
        "longt5": lambda: transformers.LongT5ForConditionalGeneration(
            transformers.LongT5Config(
                **_T5, **size, local_radius=7, global_block_size=4, encoder_attention_type="transient-global"
            )
        ),
        "led": lambda: transformers.LEDForConditionalGeneration(
            transformers.LEDConfig(
                **_BART,
                **size,
                attention_window=8,
                max_encoder_position_embeddings=128,
                max_decoder_position_embeddings=96,
            )
        ),
        "bart": lambda: transformers.BartForConditionalGeneration(
            transformers.BartConfig(**_BART, **size, max_position_embeddings=96)
        ),
        "llama": lambda: transformers.LlamaForCausalLM(
            transformers.LlamaConfig(
                **{"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4},
                **{"max_position_embeddings": 1024, "bos_token_id": 3, "eos_token_id": 1},
                **size,
            )
        ),
    }[kind]()
    sharpened(model).save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=pieces,
        **{"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "bos_token": "<s>"},
        chat_template=CHAT if kind == "llama" else None,
    ).save_pretrained(folder)
    return folder


def tiny_marian(folder: Path) -> Path:
    """A translator in the files that OPUS-MT has: two SentencePiece models and one vocabulary of both."""
    import sentencepiece

    torch.manual_seed(2)
    folder.mkdir(parents=True, exist_ok=True)
    pieces = []
    for name, texts in (("source.spm", TEXTS[:3]), ("target.spm", TEXTS[2:])):
        written = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_writer=written,
            vocab_size=120,
            hard_vocab_limit=False,
            minloglevel=2,
        )
        (folder / name).write_bytes(written.getvalue())
        model = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
        pieces += [model.id_to_piece(i) for i in range(model.get_piece_size())]
    words = [piece for piece in dict.fromkeys(pieces) if piece not in ("</s>", "<s>", "<unk>")]
    vocabulary = {piece: i for i, piece in enumerate(["</s>", "<unk>", *words, "<pad>"])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), "utf-8")
    paths = {"vocab": folder / "vocab.json", "source_spm": folder / "source.spm", "target_spm": folder / "target.spm"}
    transformers.MarianTokenizer(
        **{name: str(path) for name, path in paths.items()}, model_max_length=32
    ).save_pretrained(folder)
    pad = vocabulary["<pad>"]
    config = transformers.MarianConfig(
        **_LAYERS,
        **{"d_model": 32, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "vocab_size": len(vocabulary)},
        **{"pad_token_id": pad, "decoder_start_token_id": pad, "eos_token_id": 0, "forced_eos_token_id": None},
        max_position_embeddings=32,
    )
    sharpened(transformers.MarianMTModel(config)).save_pretrained(folder)
    return folder


def sharpened(model: Model) -> Model:
    """Random weights as made say nearly the same of everything; larger ones attend to something."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1 or name.endswith("bias"):
                weight.copy_(torch.randn_like(weight) * 1.5 / weight.shape[-1] ** 0.5)
    return model


def _pieces(template: str) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.WordPiece(prefix="<none>")  # every token is a word of what is said
    trainer = trainers.UnigramTrainer(vocab_size=300, special_tokens=_SPECIAL, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    ends = [(token, tokenizer.token_to_id(token)) for token in ("<s>", "</s>")]
    tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=ends)
    return tokenizer
