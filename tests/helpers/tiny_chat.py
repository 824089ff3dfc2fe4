"""Makes a chat model of a few kilobytes with random weights, and has `transformers serve` serve it.

python tests/tiny_chat.py FOLDER PORT
"""

from __future__ import annotations

import os
import sys

os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: "


def tiny_chat(folder: str) -> None:
    """A Llama of one layer over bytes."""
    torch.manual_seed(0)
    letters = ["<end>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE(vocab={letter: place for place, letter in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", pad_token="<end>")
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    config = transformers.LlamaConfig(
        vocab_size=len(letters),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=16384,
        bos_token_id=None,
        eos_token_id=0,
        pad_token_id=0,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)


if __name__ == "__main__":
    from transformers.cli.transformers import main

    target, port = sys.argv[1:]
    tiny_chat(target)
    sys.argv = ["transformers", "serve", target, "--device", "cpu", "--host", "127.0.0.1", "--port", port]
    main()
