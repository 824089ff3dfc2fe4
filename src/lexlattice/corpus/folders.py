"""Which files below a folder are acts, and which hold many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePath
from typing import Final, NamedTuple

READABLE: Final = (".txt", ".md", ".html", ".htm", ".xhtml", ".xml", ".pdf", ".docx", ".zip")
PACKED: Final = (".jsonl", ".jsonl.gz", ".parquet", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")


class Found(NamedTuple):
    """A file, or a folder that is one thing; or something that cannot be opened."""

    path: Path
    fault: str = ""
    """One sentence."""


def is_one_act(folder: Path) -> bool:
    """Whether a folder holds the files of one act in Formex."""
    return any(folder.glob("*.doc.xml"))


def acts_in(folder: Path) -> list[Path]:
    """In the order of their names, however deep they lie; what is hidden stays so.

    A folder inside that holds one act in Formex stands for that act.
    """
    return [found.path for found in below(folder, is_readable, is_one_act) if not found.fault]


def below(folder: Path, is_wanted: Callable[[str], bool], is_one: Callable[[Path], bool]) -> Iterator[Found]:
    """All files below a folder whose names are wanted, in the order of their names, one folder's list held at a time.

    A folder that is one thing is given as such. Links to folders are not followed: they could lead anywhere, and in
    circles. What is no file, leads nowhere or cannot be looked into is told.
    """
    ahead = [folder]
    while ahead:
        path = ahead.pop()
        try:
            if path != folder and path.is_symlink() and (fault := _link_fault(path)):
                yield Found(path, fault)
            elif path.is_dir():
                if is_one(path):
                    yield Found(path)
                else:
                    names = sorted((child.name for child in path.iterdir()), reverse=True)
                    ahead += [path / name for name in names if not name.startswith(".")]
            elif is_wanted(path.name):
                yield Found(path, "" if path.is_file() else "This is no file that can be read.")
        except OSError as error:
            yield Found(path, f"This cannot be looked into ({error.strerror or error}).")


def _link_fault(path: Path) -> str:
    if path.is_dir():
        return "This is a link to a folder, which is not followed; name the folder itself."
    return "" if path.exists() else "This is a link that leads nowhere."


def is_readable(name: str) -> bool:
    """Whether a file of that name may hold an act."""
    return name.lower().endswith(READABLE) and not name.startswith(".")


def is_packed(name: str) -> bool:
    """Whether a file of that name holds rows of a data set, or is an archive."""
    return name.lower().endswith(PACKED) and not name.startswith(".")


def is_hidden(path: PurePath) -> bool:
    """Whether a name, or that of a folder on the way to it, says that it is not meant to be seen."""
    return any(part.startswith(".") and part != ".." for part in path.parts)
