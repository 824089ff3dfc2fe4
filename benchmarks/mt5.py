"""The cost of mT5-base: tokens per second, seconds for an act, memory and size, by precision and in ONNX Runtime.

Usage: python benchmarks/mt5.py
The architecture is the real one with random weights: speed and memory do not depend on them. How close the lower
precisions stay to fp32 does, and is checked whenever a model is loaded or exported. Times are processor time of one
thread, so that other processes do not matter. Takes two to three minutes, and four gigabytes of temporary files.
"""

from __future__ import annotations

import json
import os
import platform
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import MT5Config, MT5EncoderModel

from lexlattice.encoding.mt5 import MT5, export_onnx
from lexlattice.encoding.onnx import Onnx

TOKENS_PER_WORD = 1.6
"""Assumed: the vocabulary of mT5 needs about 1.5 to 1.8 tokens for a word of an EU language."""
ACTS = (13_000, 42_000)
UNITS = 10
LONGEST = 140
"""The most words of a unit; in tokens, a unit then has between a few and a chunk."""
VOCABULARY = 250_112
SECONDS = 5.0
ONNX = "ONNX int8"


def make_model(folder: Path) -> None:
    """Write the encoder of mT5-base, and a tokenizer with a word for each row of its embedding."""
    torch.manual_seed(0)
    config = MT5Config(
        vocab_size=VOCABULARY,
        d_model=768,
        d_kv=64,
        d_ff=2048,
        num_layers=12,
        num_heads=12,
        feed_forward_proj="gated-gelu",
    )
    MT5EncoderModel(config).save_pretrained(folder)
    words = {"<pad>": 0, "</s>": 1, "<unk>": 2} | {f"w{number}": number for number in range(3, VOCABULARY)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))


def make_texts() -> list[str]:
    """Units of an act, of various lengths."""
    draw = random.Random(0)
    lengths = [round(draw.randint(5, LONGEST) * TOKENS_PER_WORD) for _ in range(UNITS)]
    return [" ".join(f"w{draw.randrange(3, VOCABULARY)}" for _ in range(length)) for length in lengths]


def measure(kind: str, folder: Path, result: Path) -> None:
    """Measure tokens per second and memory; runs in its own process."""
    encoder = Onnx(folder) if kind == ONNX else MT5(folder, kind)
    texts = make_texts()
    tokens = sum(len(text.split()) + 1 for text in texts)
    encoder.encode(texts[:2])
    start, rounds = time.process_time(), 0
    while not rounds or time.process_time() - start < SECONDS:
        vectors = encoder.encode(texts)
        rounds += 1
    speed = rounds * tokens / (time.process_time() - start)
    np.save(result, vectors)
    print(json.dumps({"speed": speed, "peak": memory("VmHWM"), "memory": memory("VmRSS")}))


def memory(kind: str) -> float:
    """Gigabytes of this process according to Linux: `VmHWM` is the peak, `VmRSS` the current value."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(kind)) / 1024**2


def in_process(*arguments: str | Path) -> dict[str, float]:
    """Run `measure` in a new process and return its output."""
    command = [sys.executable, __file__, *map(str, arguments)]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found: dict[str, float] = json.loads(output.splitlines()[-1])
    return found


def row(kind: str, found: dict[str, float], size: int, cosine: float) -> str:
    """A line of the table."""
    seconds = [f"{words * TOKENS_PER_WORD / found['speed']:.0f} s" for words in ACTS]
    cells = [
        kind,
        f"{found['speed']:.0f}",
        *seconds,
        f"{found['peak']:.1f} GB",
        f"{found['memory']:.1f} GB",
        f"{size / 1e6:.0f} MB",
        f"{cosine:.4f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Create the model, measure each kind in its own process, print a table."""
    print(
        f"Python {platform.python_version()}, PyTorch {torch.__version__}, {platform.machine()}, "
        f"{torch.backends.cpu.get_cpu_capability()}, one thread; {TOKENS_PER_WORD} tokens per word are assumed"
    )
    heads = [
        "",
        "tokens/s",
        *(f"act of {words:,} words" for words in ACTS),
        "peak memory",
        "memory after",
        "weights",
        "lowest cosine similarity",
    ]
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    with TemporaryDirectory() as temporary:
        original, exported = Path(temporary) / "mt5", Path(temporary) / "onnx"
        make_model(original)
        start = time.process_time()
        export_onnx(MT5(original), exported, int8=True)
        taken = time.process_time() - start
        reference = None
        for kind in ("fp32", "bf16", "int8", ONNX):
            weights = exported / "model.onnx" if kind == ONNX else original / "model.safetensors"
            result = Path(temporary) / "vectors.npy"
            found = in_process(kind, weights.parent, result)
            vectors = np.load(result)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            reference = vectors if reference is None else reference
            print(row(kind, found, weights.stat().st_size, float((vectors * reference).sum(axis=1).min())), flush=True)
        print(f"\nexport to {ONNX}, including loading and the check: {taken:.0f} s")


if __name__ == "__main__":
    if sys.argv[1:]:
        measure(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        main()
