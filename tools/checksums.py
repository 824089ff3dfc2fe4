"""Write the checksums of the weights that come with the package; run it whenever one of these files was replaced.

Usage: python tools/checksums.py
"""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "lexlattice"
TARGET = PACKAGE / "_internal" / "checksums.py"
HEAD = '''"""Checksums of the weights that come with the package, written by `tools/checksums.py`."""

from typing import Final
'''


def module() -> str:
    """The source of the module with the checksums of the files as they are."""
    contents = {path.relative_to(PACKAGE).as_posix(): path.read_bytes() for path in PACKAGE.rglob("*.safetensors")}
    crc32 = [f'    "{name}": 0x{zlib.crc32(content):08X},\n' for name, content in sorted(contents.items())]
    sha256 = [f'    "{name}": "{hashlib.sha256(content).hexdigest()}",\n' for name, content in sorted(contents.items())]
    return (
        f"{HEAD}\nCRC32: Final = {{\n{''.join(crc32)}}}\n"
        '"""Compared whenever a file is opened: it finds every burst of up to 32 bits, and is faster than SHA-256."""\n'
        f"SHA256: Final = {{\n{''.join(sha256)}}}\n"
        '"""Identifies a file, for fingerprints."""\n'
    )


if __name__ == "__main__":
    TARGET.write_text(module(), "utf-8")
    print(f"{TARGET.name}: written")
