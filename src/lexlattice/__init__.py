"""LexLattice: any EU legal act, in any of its 24 languages, read into provisions that can be cited."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lexlattice.act.document import Act, Definition, Furniture, Provision, Reference, Section, Unit
from lexlattice.errors import LexLatticeError
from lexlattice.reading import read

__all__ = [
    "Act",
    "AsyncClient",
    "Budget",
    "Client",
    "Definition",
    "Furniture",
    "Item",
    "LexLatticeError",
    "Provision",
    "Reference",
    "Result",
    "Section",
    "Summarizer",
    "Summary",
    "SummaryOptions",
    "Unit",
    "evaluate",
    "read",
    "summarize",
    "summarize_many",
    "summarize_versions",
]
__version__ = "1.0.0"

if TYPE_CHECKING:
    from lexlattice.act.result import Result
    from lexlattice.act.summary import Item, Summary
    from lexlattice.apps.client import AsyncClient, Client
    from lexlattice.apps.many import summarize_many
    from lexlattice.evaluation import evaluate
    from lexlattice.multilingual.versions import summarize_versions
    from lexlattice.selection import Budget, SummaryOptions
    from lexlattice.summarizer import Summarizer, summarize

_LAZY = {
    "AsyncClient": "apps.client",
    "Budget": "selection",
    "Client": "apps.client",
    "Item": "act.summary",
    "Result": "act.result",
    "Summarizer": "summarizer",
    "Summary": "act.summary",
    "SummaryOptions": "selection",
    "evaluate": "evaluation",
    "summarize": "summarizer",
    "summarize_many": "apps.many",
    "summarize_versions": "multilingual.versions",
}
"""Where each name is defined that is imported on first use: these modules need NumPy, which reading does not."""


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "encoding"})


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"lexlattice.{_LAZY[name]}"), name)
    if name == "encoding":
        return import_module("lexlattice.encoding")
    raise AttributeError(f"module 'lexlattice' has no attribute '{name}'")
