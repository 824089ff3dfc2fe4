"""Which files below a folder are acts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

READABLE: Final = (".txt", ".md", ".html", ".htm", ".xhtml", ".xml", ".pdf", ".docx", ".zip")


def is_one_act(folder: Path) -> bool:
    """Whether a folder holds the files of one act in Formex."""
    return any(folder.glob("*.doc.xml"))


def acts_in(folder: Path) -> list[Path]:
    """In the order of their names, however deep they lie; what is hidden stays so.

    A folder inside that holds one act in Formex stands for that act.
    """
    found = []
    for place, folders, names in os.walk(folder):
        if is_one_act(Path(place)):
            found.append(Path(place))
            folders.clear()
        else:
            found += [Path(place, name) for name in names if is_readable(name)]
    return sorted(path for path in found if path.is_file() or path.is_dir())


def is_readable(name: str) -> bool:
    """Whether a file of that name may hold an act."""
    return name.lower().endswith(READABLE) and not name.startswith(".")
