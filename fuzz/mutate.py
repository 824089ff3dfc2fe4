"""Mutate files of every format, and check that each is read without a loss or refused in one sentence.

    python fuzz/mutate.py --times 20000 [--format html …] [--jobs 2] [--seed 1]

A file is read if the act satisfies `tests/helpers/laws.py`: every character of the text is in one unit or one piece of
furniture, units are verbatim, ids and citations unique. Any other exception than a `LexLatticeError`, an error of more
than one sentence, and a file that takes too long are findings, saved in build/fuzz/mutate. The same seed gives the same
files, however many jobs there are.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Final

ROOT: Final = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "fuzz")]

from helpers.laws import assert_laws  # noqa: E402
from lexlattice import LexLatticeError, read  # noqa: E402
from lexlattice.reading.formats import pdf_process  # noqa: E402
from mutations import mutated  # noqa: E402

FOUND: Final = ROOT / "build" / "fuzz" / "mutate"
SECONDS: Final = 10
"""Of the processor for each file; none has more than 200 KB."""
_SHORT: Final = [
    f"examples/short/{language}.txt" for language in ("en", "fr", "de", "el", "bg", "hu", "fi", "lv", "mt")
]
FORMATS: Final[dict[str, tuple[str, list[str]]]] = {
    "text": ("text", [*_SHORT, "examples/decision/en.txt", "examples/directive/pl.txt", "examples/patterns/*.txt"]),
    "markdown": ("text", ["examples/formats/act.md"]),
    "html": ("html", ["examples/formats/*html", "examples/patterns/*html"]),
    "formex": ("formex", ["examples/formats/act.fmx.xml", "examples/formats/*.zip", "examples/patterns/*.fmx.xml"]),
    "akoma-ntoso": ("akoma-ntoso", ["examples/formats/act.akn.xml"]),
    "docx": ("docx", ["examples/formats/act.docx"]),
    "pdf": ("pdf", ["examples/formats/*.pdf"]),
}
"""The format that files are read as, and the files that are mutated."""


@cache
def seeds(name: str) -> list[bytes]:
    """The files of a format that are mutated."""
    return [path.read_bytes() for pattern in FORMATS[name][1] for path in sorted(ROOT.glob(pattern))]


def file_of(name: str, seed: int, number: int) -> bytes:
    """One of the mutated files."""
    random = Random(f"{seed} {name} {number}")
    return mutated(random.choice(seeds(name)), seeds(name), random)


def outcome(name: str, data: bytes) -> str:
    """Read a file: "read", the code of the error, or "FOUND" and the exception."""
    try:
        with limited(SECONDS):
            act = read(data, format=FORMATS[name][0])
            assert_laws(act)
    except LexLatticeError as error:
        text = str(error)
        return (
            error.code
            if text.endswith((".", "?")) and text.replace("\xa0", " ").isprintable()
            else f"FOUND not one sentence: {text!r}"
        )
    except Exception as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "lexlattice" in frame.filename]
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
        return f"FOUND {type(error).__name__} {place} {error}".replace("\n", " ")[:300]
    return "incomplete" if act.incomplete else "warnings" if act.warnings else "read"


class TooSlowError(Exception):
    """A file takes too long."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Interrupt the block after so much time of the processor."""

    def interrupt(_number: int, _frame: object) -> None:
        raise TooSlowError

    signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def checked(name: str, seed: int, numbers: range) -> Counter[str]:
    """The outcomes of some files; the files of findings are saved."""
    pdf_process.SECONDS = 2  # type: ignore[misc]  # the largest of these files takes a fiftieth of it
    outcomes: Counter[str] = Counter()
    for number in numbers:
        data = file_of(name, seed, number)
        found = outcome(name, data)
        outcomes[found] += 1
        if found.startswith("FOUND"):
            FOUND.mkdir(parents=True, exist_ok=True)
            (FOUND / f"{name}-{seed}-{number}").write_bytes(data)
            print(f"  {name}-{seed}-{number}: {found}", flush=True)
    return outcomes


def main() -> int:
    """Check the given formats, or all of them."""
    parser = argparse.ArgumentParser(description="Mutate files of every format and read them.")
    parser.add_argument("--times", type=int, default=2_000, help="files of each format (default: %(default)s)")
    parser.add_argument("--format", nargs="*", choices=FORMATS, default=list(FORMATS), dest="formats")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other files (default: %(default)s)")
    options = parser.parse_args()
    print("format         files    read with warnings incomplete  refused findings")
    findings = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for name in options.formats:
            start = time.monotonic()
            parts = [range(first, options.times, options.jobs) for first in range(options.jobs)]
            outcomes = sum(pool.map(partial(checked, name, options.seed), parts), Counter[str]())
            found = sum(count for kind, count in outcomes.items() if kind.startswith("FOUND"))
            kinds = [outcomes.pop(kind, 0) for kind in ("read", "warnings", "incomplete")]
            refused = outcomes.total() - found
            counts = f"{kinds[0]:7} {kinds[1]:13} {kinds[2]:10} {refused:8} {found:8}"
            seconds = time.monotonic() - start
            print(f"{name:12} {options.times:7} {counts}   in {seconds:.0f} s", flush=True)
            findings += found
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
