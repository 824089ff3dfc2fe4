"""LexLattice: any EU legal act, in any of its 24 languages, read into provisions that can be cited."""

from lexlattice.act import Act, Furniture, Section, Unit
from lexlattice.errors import LexLatticeError
from lexlattice.reading import read

__all__ = ["Act", "Furniture", "LexLatticeError", "Section", "Unit", "read"]
__version__ = "0.1.0"
