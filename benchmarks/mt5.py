"""What mT5-base costs: tokens a second, seconds for an act, memory and size, for each precision and ONNX Runtime.

Usage: python benchmarks/mt5.py
The architecture is the real one, its weights are random: neither speed nor memory depends on them, but how close the
lower precisions stay does; that is checked whenever a model is loaded or exported. Times are those of one thread, as
the processor counts them, so that others on the machine do not matter. Takes two to three minutes, and four gigabytes
in the folder for temporary files.
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

from lexlattice.encoding.mt5 import MT5, PRECISIONS, export
from lexlattice.encoding.onnx import Onnx

TOKENS_A_WORD = 1.6
"""Assumed: mT5's vocabulary needs about 1.5 to 1.8 tokens for a word of an EU language."""
ACTS = (13_000, 42_000)
UNITS = 10
LONGEST = 140
"""Words of units; in tokens they are then between a few and a chunk."""
VOCABULARY = 250_112
SECONDS = 5.0
ONNX = "ONNX int8"


def make_model(folder: Path) -> None:
    """The encoder of mT5-base, and a tokenizer with a word for each of its rows."""
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
    """Units of an act, of all lengths."""
    draw = random.Random(0)
    lengths = [round(draw.randint(5, LONGEST) * TOKENS_A_WORD) for _ in range(UNITS)]
    return [" ".join(f"w{draw.randrange(3, VOCABULARY)}" for _ in range(length)) for length in lengths]


def measure(kind: str, folder: Path, result: Path) -> None:
    """In a process of its own: how many tokens it encodes in a second, and what memory it takes."""
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
    """Gigabytes of this process, as Linux counts them: `VmHWM` at most, `VmRSS` now."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(kind)) / 1024**2


def in_process(*arguments: str | Path) -> dict[str, float]:
    """What `measure` prints."""
    command = [sys.executable, __file__, *map(str, arguments)]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found: dict[str, float] = json.loads(output.splitlines()[-1])
    return found


def row(kind: str, found: dict[str, float], size: int, cosine: float) -> str:
    """A line of the table."""
    seconds = [f"{words * TOKENS_A_WORD / found['speed']:.0f} s" for words in ACTS]
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
    """Make the model, measure each kind by itself, print a table."""
    print(
        f"Python {platform.python_version()}, PyTorch {torch.__version__}, {platform.machine()}, "
        f"{torch.backends.cpu.get_cpu_capability()}, one thread; {TOKENS_A_WORD} tokens a word are assumed"
    )
    heads = [
        "",
        "tokens/s",
        *(f"act of {words:,} words" for words in ACTS),
        "peak memory",
        "memory after",
        "weights",
        "least cosine",
    ]
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    with TemporaryDirectory() as temporary:
        original, exported = Path(temporary) / "mt5", Path(temporary) / "onnx"
        make_model(original)
        start = time.process_time()
        export(MT5(original), exported, int8=True)
        taken = time.process_time() - start
        reference = None
        for kind in (*PRECISIONS, ONNX):
            weights = exported / "model.onnx" if kind == ONNX else original / "model.safetensors"
            result = Path(temporary) / "vectors.npy"
            found = in_process(kind, weights.parent, result)
            vectors = np.load(result)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            reference = vectors if reference is None else reference
            print(row(kind, found, weights.stat().st_size, float((vectors * reference).sum(axis=1).min())), flush=True)
        print(f"\nexport to {ONNX}, with loading and the check: {taken:.0f} s")


if __name__ == "__main__":
    if sys.argv[1:]:
        measure(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        main()
