"""Weights that come with the package: a single wrong bit, wherever it is, is an error and never another summary."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lexlattice
from lexlattice.encoding.static import PATH as ENCODER
from lexlattice.encoding.static import Static
from lexlattice.summarizer import PATH as MODEL

PACKAGE = Path(lexlattice.__file__).parent
ROOT = Path(__file__).resolve().parents[3]
FILES = (ENCODER, MODEL)

DAMAGE = """
import json, random, sys
from pathlib import Path
from lexlattice.encoding.static import Static
from lexlattice.errors import LexLatticeError
from lexlattice.lattice.model import Network

draw, found = random.Random(24), {}
for name, opened in (("encoding/weights/static", Static), ("lattice/weights/lattice", Network.read)):
    path = Path(sys.argv[1], f"{name}.safetensors")
    size = path.stat().st_size
    places = [*range(0, 200, 9), size - 1, *(draw.randrange(size) for _ in range(130))]
    outcomes = found[name] = {}

    def attempt(kind):
        try:
            opened(path)
        except LexLatticeError as error:
            outcome = type(error).__name__
        else:
            outcome = "read"
        outcomes.setdefault(f"{kind}: {outcome}", 0)
        outcomes[f"{kind}: {outcome}"] += 1

    attempt("whole")
    with path.open("r+b", buffering=0) as file:
        for place in places:
            file.seek(place)
            (byte,) = file.read(1)
            for value in (byte ^ 1 << draw.randrange(8), byte):
                file.seek(place)
                file.write(bytes([value]))
                if value != byte:
                    attempt("flipped")
        attempt("restored")
        file.seek(size)
        file.write(b"\\0")
        attempt("longer")
        for place in sorted({draw.randrange(size) for _ in range(8)} | {0, 7, 8, size - 1}, reverse=True):
            file.truncate(place)
            attempt("shorter")
print(json.dumps(found))
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package with weights that can be changed; all other files are links."""
    place = tmp_path / "lexlattice"
    shutil.copytree(PACKAGE, place, copy_function=os.symlink, ignore=shutil.ignore_patterns("__pycache__"))
    for path in FILES:
        target = place / path.relative_to(PACKAGE)
        target.unlink()
        shutil.copyfile(path, target)
    return place


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=300)


def test_every_damage_to_the_encoder_or_the_model_is_an_error(copy: Path) -> None:
    done = run(copy, "-c", DAMAGE, str(copy))
    assert not done.returncode, done.stderr
    for outcomes in json.loads(done.stdout).values():
        assert outcomes == {
            "whole: read": 1,
            "flipped: WeightsError": 154,
            "restored: read": 1,
            "longer: WeightsError": 1,
            "shorter: WeightsError": 12,
        }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_flipped_bit_ends_a_command_with_one_sentence(copy: Path, path: Path, examples: Path) -> None:
    target = copy / path.relative_to(PACKAGE)
    content = bytearray(target.read_bytes())
    content[-1000] ^= 4
    target.write_bytes(content)
    done = run(copy, "-m", "lexlattice", "summarize", str(examples / "short" / "en.txt"))
    assert (done.returncode, done.stdout) == (2, "")
    assert path.name in done.stderr
    assert done.stderr.count("\n") == 1


def test_checksums_are_those_of_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    from checksums import TARGET, module

    assert TARGET.read_text("utf-8") == module()


def test_the_fingerprint_is_that_of_the_same_weights_elsewhere(tmp_path: Path) -> None:
    shutil.copyfile(ENCODER, tmp_path / "copy.safetensors")
    assert Static(tmp_path / "copy.safetensors").fingerprint == Static().fingerprint
