"""The check that the text of a file has arrived in its blocks: what is missing is counted and said.

A back-end decides what is text and where it goes, in hundreds of rules. This check knows none of them: it compares the
characters of the file's text, as its parser has it, with those of the blocks, without white space.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lexlattice.act.remarks import Remark
from lexlattice.reading.formats.blocks import Block


def missing_warning(text: str, blocks: Iterable[Block], left_out: Sequence[str] = ()) -> list[str]:
    """Return the warning about characters of a text that are in no block; empty if there are none.

    Args:
        text: The text of the file.
        blocks: The blocks made of it. They may contain more, such as numbers that a program computes.
        left_out: What the back-end leaves out on purpose, in the order of the text.

    """
    count = missing(text, (block.text for block in blocks), left_out)
    remark = f"Characters of text in the file that are not shown here: {count}."
    return [Remark("text-missing", remark, count=count)] if count else []


def missing(text: str, found: Iterable[str], left_out: Sequence[str] = ()) -> int:
    """Return the number of characters of a text, without white space, that are missing in the other texts.

    >>> missing("Bees are free.", ["Bees are", "free", "1."]), missing("Bees ►M1 are free.", ["Bees are"], ["►M1"])
    (0, 5)
    """
    whole, arrived = _bare(text), "".join(found).replace(" ", "").replace("\t", "")
    if _without(whole, [_bare(piece) for piece in left_out]) == arrived:  # nearly always, and faster than counting
        return 0
    return (Counter(whole) - Counter(_bare("".join([arrived, *left_out])))).total()


def _bare(text: str) -> str:
    return "".join(text.split())


def _without(text: str, pieces: Sequence[str]) -> str:
    """Remove the next occurrence of each piece, in their order."""
    kept, position = [], 0
    for piece in pieces:
        place = text.find(piece, position)
        if place >= 0:
            kept.append(text[position:place])
            position = place + len(piece)
    return "".join([*kept, text[position:]])
