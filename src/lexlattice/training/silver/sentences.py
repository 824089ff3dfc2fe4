r"""Content sentences of official summaries, without titles, headings, link lists and background.

>>> summary = "Bees\nKEY POINTS\nRegister\nKeepers must:\nregister hives;\npay a fee.\nMAIN DOCUMENT\nAct 1"
>>> [(s.lead_in, s.text) for s in content_sentences(summary)]
[('Keepers must:', 'register hives'), ('Keepers must:', 'pay a fee.')]
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

_WORDS: Final = Path(__file__).with_name("wording.toml")
_LONGEST_HEADING: Final = 11
"""Words; a longer line without final punctuation is a point of a list."""
_LONGEST_CAPITALS: Final = 16
_SHORTEST: Final = 4
"""Words of a sentence with its lead-in; shorter ones have no content."""
_LEAD_IN: Final = 30
"""Words of a lead-in that are prepended to each of its points."""
_SENTENCE_END: Final = re.compile(
    r"(?<=[\w)’'”%\]*][.!?])\s+(?=[^\W\d_a-z]|[‘“(])"  # a stop, then a capital letter
    r"|;\s*(?=\S)"  # points run together
    r"|(?<=[a-z]{3}[.])(?=[A-Z][a-z])"  # sentences run together
)
_MARKER: Final = re.compile(r"^(?:[-—–•*]+|\(?[a-z0-9]{1,3}[).]|\d+\))\s*")
_LETTER: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence of a summary, or a point of one of its lists."""

    text: str
    lead_in: str
    """The lead-in of its list; empty outside lists."""
    heading: str
    """The sub-heading above it."""
    part: str
    """The part of the summary: "aim", "dates", "terms" or "points"."""

    @property
    def full(self) -> str:
        """The sentence with the end of its lead-in, in the vocabulary of acts."""
        return in_act_vocabulary(" ".join([*self.lead_in.split()[-_LEAD_IN:], self.text]))


class _Wording(NamedTuple):
    """The compiled table of regular expressions."""

    parts: dict[str, re.Pattern[str]]
    lines: dict[str, re.Pattern[str]]
    names: list[tuple[re.Pattern[str], str]]


def content_sentences(summary: str) -> tuple[SummarySentence, ...]:
    """Return the sentences of a summary that say something about the act, in order."""
    return tuple(s for s in _sentences(summary) if len(f"{s.lead_in} {s.text}".split()) >= _SHORTEST)


def in_act_vocabulary(text: str) -> str:
    """Replace names by those that acts use: "Member States" for "EU countries"."""
    for pattern, name in _wording().names:
        text = pattern.sub(name, text)
    return text.replace("*", "")


@cache
def _wording() -> _Wording:
    table = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
    parts, lines = (
        {name: re.compile(pattern, re.IGNORECASE) for name, pattern in table[key].items()} for key in ("parts", "lines")
    )
    return _Wording(parts, lines, [(re.compile(pattern), name) for pattern, name in table["names"]["same"]])


def _sentences(summary: str) -> Iterator[SummarySentence]:
    """Yield sentences line by line, with their part, sub-heading and lead-in."""
    lines = [line for line in (" ".join(line.split()) for line in summary.split("\n")) if _LETTER.search(line)]
    title = lines[0] if lines else ""
    part = heading = lead_in = ""
    for number, line in enumerate(lines):
        opened = _part(line)
        if line == title:
            continue
        if opened is not None:
            part, heading, lead_in = opened, "", ""
        elif part == "left_out" or _is_frame(line):
            continue
        elif _is_heading(line):
            heading, lead_in = line, ""
        elif line.endswith(":"):
            lead_in = line
        else:
            yield from (SummarySentence(text, lead, heading, part or "points") for lead, text in _split(line, lead_in))
            following = lines[number + 1] if number + 1 < len(lines) else ""
            if line.endswith(".") and not following[:1].islower():  # the list ends with its last point
                lead_in = ""


def _part(line: str) -> str | None:
    """Return the part of the summary that a line opens; None if it is not such a heading."""
    parts = _wording().parts
    capitals = line.upper() == line and len(line.split()) <= _LONGEST_CAPITALS and len(_LETTER.findall(line)) > 3
    if capitals and parts["terms"].fullmatch(line):
        return "terms"
    if parts["left_out"].fullmatch(line):
        return "left_out"
    if not capitals:
        return None
    return next((name for name in ("aim", "dates") if parts[name].fullmatch(line)), "points")


def _is_frame(line: str) -> bool:
    lines = _wording().lines
    return bool(lines["frame"].match(line) or lines["bibliography"].match(line))


def _is_heading(line: str) -> bool:
    """Whether a line is short, begins with a capital letter and has no final punctuation."""
    stops = line.rstrip("* ")[-1:] in (".", ";", ":", ",", "!", "?")
    return not stops and len(line.split()) <= _LONGEST_HEADING and line[:1].isupper()


def _split(line: str, lead_in: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences and points of a line, each with its lead-in."""
    joint, abbreviation = (_wording().lines[name] for name in ("joint", "abbreviation"))
    pieces: list[str] = []
    for piece in _SENTENCE_END.split(line):
        if pieces and abbreviation.fullmatch(pieces[-1]):
            pieces[-1] += f" {piece}"
        else:
            pieces.append(piece)
    inner = ""
    for piece in pieces:
        text = piece
        before, colon, after = piece.rpartition(": ")
        if colon and ";" in line and len(before.split()) > 1:  # a list run together with its lead-in
            inner, text = f"{before}:", after
        text = _MARKER.sub("", text).strip(" ;—–-•*")
        if _LETTER.search(text) and not text.endswith("?") and not joint.fullmatch(text):
            yield " ".join(filter(None, (lead_in, inner))), text
        if piece.endswith("."):
            inner = ""
