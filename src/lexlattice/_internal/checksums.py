"""Checksums of the weights that come with the package, written by `tools/checksums.py`."""

from typing import Final

CRC32: Final = {
    "encoding/weights/static.safetensors": 0xE63C5662,
    "lattice/weights/lattice.safetensors": 0xBB7BCB14,
    "research/coverage/coverage.safetensors": 0xBA3632CF,
    "training/silver/silver.safetensors": 0xD514652D,
}
"""Compared whenever a file is opened: it finds every burst of up to 32 bits, and is faster than SHA-256."""
SHA256: Final = {
    "encoding/weights/static.safetensors": "ee11de3f58e74ccf2a7e0e31567cde688a63669b15c24be97dc4d7dd482564d6",
    "lattice/weights/lattice.safetensors": "8dee1c074a1a9172459b69d43944c14f6664833c67cf08d8d5c177bacc1732f1",
    "research/coverage/coverage.safetensors": "7be8a26af725477f173f6b1463636b385e03953acfdd8242b725c1b03cd15ad3",
    "training/silver/silver.safetensors": "6ac7f4cb5665277fafb7c82eb37bf19306b1e0bb2c91940b46091280e021a9e0",
}
"""Identifies a file, for fingerprints."""
