"""What tests share: tiny models, servers on loopback, rows of acts, and where things are."""

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
RECORDED = Path(__file__).parent / "recorded"
