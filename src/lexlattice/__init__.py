"""LexLattice: any EU legal act, in any of its 24 languages, read into provisions that can be cited."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lexlattice.act.document import Act, Definition, Furniture, Provision, Reference, Section, Unit
from lexlattice.errors import LexLatticeError
from lexlattice.reading import read

__all__ = [
    "Act",
    "Definition",
    "Furniture",
    "LexLatticeError",
    "Provision",
    "Reference",
    "Section",
    "Summarizer",
    "Summary",
    "Unit",
    "evaluate",
    "read",
    "summarize",
]
__version__ = "1.0.0"

if TYPE_CHECKING:
    from lexlattice.act.summary import Summary
    from lexlattice.evaluation import evaluate
    from lexlattice.summarizer import Summarizer, summarize

_FROM = {"evaluate": "evaluation", "Summarizer": "summarizer", "summarize": "summarizer", "Summary": "act.summary"}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "encoding"})


def __getattr__(name: str) -> Any:
    """What needs NumPy is loaded when it is asked for."""
    if name in _FROM:
        return getattr(import_module(f"lexlattice.{_FROM[name]}"), name)
    if name == "encoding":
        return import_module("lexlattice.encoding")
    raise AttributeError(f"module 'lexlattice' has no attribute '{name}'")
