"""Grow the corpus without atheris: keep mutated files that run lines of the reader that no other file runs.

    python fuzz/grow.py --times 500 [--format html …] [--seed 1]
    python fuzz/grow.py --finding build/fuzz/mutate/text-1-766 text

A file is made as small as possible before it is added to fuzz/corpus: what is not needed to run the new lines, or to
fail in the same way (`--finding`), is left out.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Final

import coverage

import mutate
from lexlattice import LexLatticeError, read
from mutations import mutated
from targets import CORPUS

_MAX_BYTES: Final = 8_000
_MAX_TRIES: Final = 400
_PIECE: Final = re.compile(rb"<[^<>]*>|[^<>\s]+\s*|\s+|.", re.DOTALL)

Lines = frozenset[tuple[str, int]]


@cache
def _measured() -> coverage.Coverage:
    return coverage.Coverage(data_file=None, source=["lexlattice.reading"], config_file=False)


def lines_run(name: str, data: bytes) -> Lines:
    """The lines of the reader that a file runs."""
    measured = _measured()
    measured.erase()
    measured.start()
    try:
        read(data, format=mutate.FORMATS[name][0])
    except LexLatticeError:
        pass
    finally:
        measured.stop()
    found = measured.get_data()
    return frozenset((file, line) for file in found.measured_files() for line in found.lines(file) or ())


def minimised(data: bytes, is_enough: Callable[[bytes], bool]) -> bytes:
    """Leave out pieces of a file, large ones first, as long as what is left is enough."""
    pieces, size, tries = _PIECE.findall(data), 1 << 30, 0
    while size > 1:
        size = max(1, min(size, len(pieces)) // 2)
        start = 0
        while start < len(pieces) and tries < _MAX_TRIES:
            rest = pieces[:start] + pieces[start + size :]
            tries += 1
            if is_enough(b"".join(rest)):
                pieces = rest
            else:
                start += size
    return b"".join(pieces)


def keep(target: str, data: bytes) -> None:
    """Add a file to the corpus."""
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / hashlib.sha256(data).hexdigest()[:12]
    path.write_bytes(data)
    print(f"{path.relative_to(mutate.ROOT)}: {len(data)} bytes", flush=True)


def grow(name: str, times: int, seed: int) -> None:
    """Add the files of one format that run new lines."""
    known = [*mutate.seeds(name), *(path.read_bytes() for path in sorted((CORPUS / name).glob("*")))]
    seen = frozenset[tuple[str, int]]().union(*(lines_run(name, data) for data in known))
    for number in range(times):
        random = Random(f"{seed} grow {name} {number}")
        data = mutated(random.choice(known), known, random)
        new = lines_run(name, data) - seen
        if new:
            seen |= new
            data = minimised(data, partial(_runs, name, new))
            if len(data) <= _MAX_BYTES:
                keep(name, data)


def _runs(name: str, lines: Lines, data: bytes) -> bool:
    return lines <= lines_run(name, data)


def main() -> int:
    """Grow the corpus, or add a finding to it."""
    parser = argparse.ArgumentParser(description="Grow the fuzz corpus.")
    parser.add_argument("--times", type=int, default=500, help="files of each format (default: %(default)s)")
    parser.add_argument("--format", nargs="*", choices=mutate.FORMATS, default=list(mutate.FORMATS), dest="formats")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--finding", nargs=2, metavar=("FILE", "FORMAT"), help="minimise a finding and keep it")
    options = parser.parse_args()
    if options.finding:
        path, name = options.finding
        data = Path(path).read_bytes()
        failure = mutate.outcome(name, data).split()[:3]
        keep(name, minimised(data, lambda less: mutate.outcome(name, less).split()[:3] == failure))
        return 0
    for name in options.formats:
        grow(name, options.times, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
