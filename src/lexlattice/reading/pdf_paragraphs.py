"""Paragraphs of a PDF: which lines were one, and the words that were broken between them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise

from lexlattice.reading.pdf_lines import BROKEN_WORD, Line

_LETTERS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def usual_pitches(lines: list[Line]) -> dict[float, float]:
    """Measure, for each type size, the usual distance of two lines of a paragraph."""
    found: defaultdict[float, Counter[float]] = defaultdict(Counter)
    for before, line in pairwise(lines):
        pitch = round(2 * (before.y - line.y)) / 2
        wrapped = before.frame is line.frame and not before.leaves_room_for(line, before.frame.right)
        if wrapped and before.size == line.size and 0 < pitch < 3 * line.size:
            found[line.size][pitch] += 1
    return {size: pitches.most_common(1)[0][0] for size, pitches in found.items()}


def continues(paragraph: list[Line], line: Line, pitches: dict[float, float]) -> bool:
    """Whether the line belongs to the paragraph: nothing about it says that a new one begins."""
    last, em = paragraph[-1], line.size
    same_type = abs(em - last.size) < 0.08 * em and line.bold == last.bold
    if not same_type or len(line.cells) > 1 or len(last.cells) > 1:
        return False
    at_edge = len(paragraph) > 1 and abs(paragraph[-2].x1 - last.x1) < 0.1 * em
    if last.leaves_room_for(line, last.frame.right) and not at_edge:
        return False
    after_stop = last.text.endswith((".", ";", ":"))
    marked = line.marked and last.text.count("(") <= last.text.count(")")  # not the end of "(… of the/EEA)"
    if marked and (after_stop or last.text.endswith(",") or line.tabbed):
        return False
    if line.frame is not last.frame:  # a new page or column: neither gap nor indentation to go by
        heading = line.text.isupper() and not last.text.isupper()
        return line.text[0].islower() or not (marked or line.centred or after_stop or heading)
    if not 0 < last.y - line.y < 1.25 * pitches.get(em, 1.3 * em):
        return False
    on_one_axis = (line.centred or last.centred) and abs(line.x0 + line.x1 - last.x0 - last.x1) < em
    if on_one_axis or abs(line.x0 - last.x0) < 0.5 * em:
        return True
    hanging = last.marked and abs(line.x0 - last.words[min(1, len(last.gaps))].x0) < 0.5 * em
    indented = 0 < last.x0 - line.x0 < 4 * em
    return len(paragraph) == 1 and (hanging or indented)


class Hyphens:
    """Decides, by the document's own words, what becomes of a hyphen at the end of a line.

    pdfium gives the same sign for "long-/term" and "imple-/mentation". The hyphen is dropped only if the
    whole word is found elsewhere in the document, or if nothing is known and most others were dropped.
    """

    def __init__(self, lines: list[Line]) -> None:
        self.known: set[str] = set()
        broken = False
        for line in lines:
            words = _LETTERS.findall(line.text.lower())
            first, broken = int(broken), line.text.endswith(BROKEN_WORD)
            self.known.update(words[first : len(words) - broken])
        verdicts = [self.verdict(a.text, b.text) for a, b in pairwise(lines) if a.text.endswith(BROKEN_WORD)]
        self.usually_soft = verdicts.count(True) > verdicts.count(False)

    def verdict(self, before: str, after: str) -> bool | None:
        """Whether the hyphen only marks that the word was broken; None if the document does not tell."""
        heads, tail = _LETTERS.findall(before.lower()), _LETTERS.match(after)
        if not heads or not tail or not after[0].islower() or f"{heads[-1]}-{tail[0]}" in self.known:
            return False
        if heads[-1] + tail[0] in self.known:
            return True
        return False if tail[0] in self.known else None  # "non-/existing", "Aus-/und Einfuhr"

    def join(self, lines: list[Line]) -> str:
        """Join the lines of a paragraph."""
        parts = [lines[0].text]
        for line in lines[1:]:
            soft = parts[-1].endswith("\u00ad")
            if parts[-1].endswith(BROKEN_WORD):
                verdict = self.verdict(parts[-1], line.text)
                soft = self.usually_soft if verdict is None else verdict
            if soft:
                parts[-1] = parts[-1][:-1]
            elif not re.search(r"\w[-\x02]$", parts[-1]) or not line.text[0].isalnum():
                parts.append(" ")
            parts.append(line.text)
        return "".join(parts).replace(BROKEN_WORD, "-")
