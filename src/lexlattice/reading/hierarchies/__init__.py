"""Hierarchies of other laws and documents: one TOML file says what their sections and paragraphs look like.

`definition` reads and checks such a file, `numbering` recognizes the headers and marks that it describes, and `reader`
builds the act. The files beside this one are packaged: `read("bill.txt", hierarchy="us-bill")`.
"""

from __future__ import annotations

from lexlattice.reading.hierarchies.definition import Hierarchy, load_hierarchy, packaged

__all__ = ["Hierarchy", "load_hierarchy", "packaged"]
