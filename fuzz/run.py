"""Coverage-guided fuzzing of every target with atheris: `make fuzz`, or `python fuzz/run.py --seconds 60 [TARGET …]`.

Each target runs in a separate process, starting from its seeds. A failure is saved once for each place in the code, in
build/fuzz/TARGET, and the run continues; an input that hangs, kills the process or takes too much memory is saved by
libFuzzer and ends the run. Reproduce a finding with `python fuzz/run.py --try FILE TARGET`.

A run starts from the files in fuzz/corpus/TARGET, too; with `--grow` it adds to them those of its inputs that reach
code that none of these reach, if they are small.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parent.parent
FINDINGS: Final = ROOT / "build" / "fuzz"
MAX_SECONDS: Final = 20
"""An input of a few kilobytes that takes longer is a finding."""
MAX_MEGABYTES: Final = 2_000
MAX_LENGTH: Final = 48_000
"""Bytes of an input."""
MAX_KEPT: Final = 4_000
"""Bytes of an input that is added to the corpus."""
_SOURCE: Final = str(ROOT / "src")


def main() -> int:
    """Run the given targets, or all of them."""
    parser = argparse.ArgumentParser(description="Fuzz the parsers.")
    parser.add_argument("names", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: %(default)s)")
    parser.add_argument("--grow", action="store_true", help="add what reaches new code to fuzz/corpus")
    parser.add_argument("--try", dest="file", type=Path, help="run the target once, on a saved input")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests"))
    if options.inside:
        fuzz(options.names[0], options.seconds, grow=options.grow)
    targets = importlib.import_module("targets")
    names = options.names or list(targets.TARGETS)
    if unknown := set(names) - set(targets.TARGETS):
        print(f"There is no target '{min(unknown)}'; choose from: {', '.join(targets.TARGETS)}.", file=sys.stderr)
        return 2
    if options.file:
        targets.check(names[0], options.file.read_bytes(), importlib.import_module("helpers.laws").assert_laws)
        return 0
    print(f"{'target':14} {'executions':>10} {'coverage':>8} {'corpus':>6} {'findings':>8}")
    findings = 0
    for name in names:
        kept = [path.read_bytes() for path in sorted(targets.CORPUS.glob(f"{name}/*"))]
        findings += report(name, options.seconds, targets.TARGETS[name].seeds() + kept, grow=options.grow)
    return int(findings > 0)


def report(name: str, seconds: int, seeds: list[bytes], *, grow: bool) -> int:
    """Fuzz one target in a separate process, print a line about it, and return the number of findings."""
    folder = FINDINGS / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(seeds):
            Path(corpus, str(number)).write_bytes(seed)
        command = [sys.executable, __file__, "--inside", "--seconds", str(seconds), name]
        run = subprocess.run(command, cwd=corpus, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, check=False)
        if grow:
            subprocess.run([*command, "--grow"], cwd=corpus, stderr=subprocess.DEVNULL, check=False)
    log = run.stderr.decode("utf-8", "replace")
    executed = re.findall(r"stat::number_of_executed_units: (\d+)", log) or re.findall(r"^#(\d+)", log, re.MULTILINE)
    covered, kept = (re.findall(rf"{what}: (\d+)", log) or ["0"] for what in ("cov", "corp"))
    findings = sorted(path for path in folder.iterdir() if path.suffix != ".txt")
    if not executed or (run.returncode and not findings):
        (folder / "log.txt").write_text(log, "utf-8")
        print(f"{name:14} ended with {run.returncode}: see {folder.relative_to(ROOT)}/log.txt")
        return 1
    print(f"{name:14} {executed[-1]:>10} {covered[-1]:>8} {kept[-1]:>6} {len(findings):>8}", flush=True)
    for finding in findings:
        note = finding.with_suffix(".txt")
        last = note.read_text("utf-8").splitlines()[-1] if note.exists() else "hangs, crashes or runs out of memory"
        print(f"  {finding.relative_to(ROOT)}: {last[:160]}", flush=True)
    return len(findings)


def fuzz(name: str, seconds: int, *, grow: bool) -> None:
    """Pass the target to libFuzzer, which never returns; with `grow`, only to merge what it found into the corpus."""
    import atheris

    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    with atheris.instrument_imports(include=["lexlattice"]):
        targets = importlib.import_module("targets")
        reading = importlib.import_module("lexlattice.reading")
        # Back-ends are imported on first use; only what is imported here is instrumented.
        for module in pkgutil.walk_packages(reading.__path__, "lexlattice.reading."):
            importlib.import_module(module.name)
    laws = importlib.import_module("helpers.laws").assert_laws
    limits = [f"-max_total_time={seconds}", f"-timeout={MAX_SECONDS}", f"-rss_limit_mb={MAX_MEGABYTES}"]
    output = [f"-max_len={MAX_LENGTH}", f"-artifact_prefix={FINDINGS / name}/", "-print_final_stats=1"]
    folders = ["."]
    if grow:  # the first folder gets those files of the second that reach new code, the smallest ones first
        kept = targets.CORPUS / name
        kept.mkdir(parents=True, exist_ok=True)
        folders, limits = [str(kept), "."], ["-merge=1"]
        output[0] = f"-max_len={MAX_KEPT}"
    atheris.Setup([name, *folders, *limits, *output], saving_failures(name, targets.check, laws))
    atheris.Fuzz()


def saving_failures(name: str, check: Callable[[str, bytes, Any], None], laws: Any) -> Callable[[bytes], None]:
    """Wrap a target so that a failure is saved once for each place in the code and does not end the run."""

    def run(data: bytes) -> None:
        try:
            check(name, data, laws)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            ours = [frame for frame in frames if frame.filename.startswith(_SOURCE)] or list(frames)
            place = f"{type(error).__name__} {ours[-1].filename} {ours[-1].lineno} {frames[-1].name}"
            path = FINDINGS / name / hashlib.sha256(place.encode()).hexdigest()[:12]
            if not path.exists():
                path.write_bytes(data)
                path.with_suffix(".txt").write_text("".join(traceback.format_exception(error)), "utf-8", "replace")

    return run


if __name__ == "__main__":
    sys.exit(main())
