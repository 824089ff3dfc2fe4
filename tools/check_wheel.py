"""Install the built wheel into a clean environment outside the tree, and try what people would do first.

Usage: python tools/check_wheel.py dist

The command, the library, the page of the service and a training on a few example acts have to work without the
source tree. Versions are those of requirements.lock.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LARGEST_WHEEL = 36_000_000  # bytes
EXTRAS = "serve,train"
SOURCES = {"src", "tests", "examples", "data", "docs", "tools", "benchmarks", "fuzz"}
FILES = {
    *("LICENSE", "NOTICE", "Makefile", "PKG-INFO", "mkdocs.yml", "pyproject.toml", "requirements.lock", ".gitignore"),
    *("README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "SECURITY.md"),
}
"""What the sdist has at its top level, and nothing else."""


def main() -> None:
    """Check the files of a folder `dist`."""
    folder = Path(sys.argv[1]).resolve()
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    size = wheel.stat().st_size
    assert size <= LARGEST_WHEEL, f"the wheel has {size:,} bytes, more than {LARGEST_WHEEL:,}"
    with tarfile.open(sdist) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    assert tops <= SOURCES | FILES, f"the sdist has too much: {tops - SOURCES - FILES}"
    with tempfile.TemporaryDirectory() as scratch:
        _try(wheel, Path(scratch))
    print(f"{wheel.name}: {size / 1e6:.1f} MB, installed and tried")


def _try(wheel: Path, scratch: Path) -> None:
    """In a fresh environment and folder, run what tools/smoke.py does."""
    venv.create(scratch / "env", with_pip=True)
    binaries = scratch / "env" / ("Scripts" if os.name == "nt" else "bin")
    constraints = scratch / "constraints.txt"
    pinned = re.findall(
        r"^([\w.-]+==[^\s;\\]+(?: *;[^\\\n]*)?)", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE
    )
    constraints.write_text("\n".join(line for line in pinned if not line.startswith("setuptools==")), "utf-8")
    _run([binaries / "python", "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check",
          "--constraint", constraints, f"{wheel}[{EXTRAS}]"], scratch)  # fmt: skip
    work = scratch / "work"
    shutil.copytree(ROOT / "examples" / "short", work / "acts")
    shutil.copy(ROOT / "tools" / "smoke.py", work)
    _run([binaries / "python", "-I", "smoke.py"], work, PATH=f"{binaries}{os.pathsep}{os.environ['PATH']}")


def _run(command: list[str | Path], folder: Path, **environment: str) -> None:
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    subprocess.run(command, cwd=folder, check=True, env=kept | environment)


if __name__ == "__main__":
    main()
