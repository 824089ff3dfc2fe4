"""What the commands share: how they are declared, and how they speak."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = Any


def say(sentence: str) -> None:
    """One line beside the output."""
    if sys.stderr is not None:
        print(f"lexlattice: {sentence}", file=sys.stderr)


def fail(sentence: str) -> int:
    """Say what is wrong; the exit code for it."""
    say(sentence)
    return 2
