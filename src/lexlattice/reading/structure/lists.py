"""Open lists, nested by their numbering: which one a marker belongs to, and what its items are called."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from lexlattice.reading.citations.forms import Cite
from lexlattice.reading.languages.grammar import Header
from lexlattice.reading.languages.numbering import Marker, canonical, dotted_marker, letters, marker

T = TypeVar("T")

_ALONE: Final = ("dot", "paren")
"""Styles of numbers that may hang from an annex itself."""
_FIFTY: Final = 50
"""No list of Roman numerals comes so far."""
DEEPEST: Final = 9
"""Lists are not nested deeper than this; a text that seems to has only lost its numbering."""


@dataclass(slots=True)
class Level:
    """An open list: where it hangs, how it counts, and how far it has come."""

    path: str
    cite: Cite | None
    style: str = ""
    value: int = 0
    number: str = ""
    parent: str = ""
    parent_cite: Cite | None = None
    paragraph: bool = False
    """Whether its items are the numbered paragraphs of an article."""
    texts: int = 0
    """Texts that stand at this level itself: its own and its further subparagraphs."""
    quotations: int = 0
    """Quotations that its texts lead in."""
    titled: bool = False
    """Whether its own text is a heading, which does not count among them."""
    leads: bool = False
    """Whether its latest text ends with a colon."""
    counted: dict[str, int] = field(default_factory=dict)
    """Of the section itself, how far the numbers of a style have come that hang from it and from none of its texts."""


@dataclass(slots=True)
class Draft:
    """A unit before it has a citation and a place in the source: the lines it covers, and its path."""

    first: int
    last: int
    path: str
    kind: str
    number: str
    cite: Cite | None


@dataclass(slots=True)
class Frame:
    """How a section names its parts: "art-5" holds paragraphs, "anx-I" points."""

    path: str
    cite: Cite | None
    kind: str
    """Kind of a text that stands at the section's own level."""
    paragraphs: bool = False
    """Whether numbers that come before any text ("1." or, in German, "(1)") count paragraphs, as in articles."""
    text_level: str = "unnumbered"
    """How a text without a number is cited that stands at the section's own level."""
    counted: bool = False
    """Whether texts without a number are counted from the first on (annexes), or only from the second (articles)."""
    texts: int = 0
    """How many texts have been counted already: the one that a recital's own number leads."""
    item: Level | None = None
    """The list whose item the section is, if a heading is one: points that go on with it stand beside the section."""


def continues(level: Level, mark: Marker) -> bool:
    """Whether a marker is the next item of an open list."""
    if level.style == "dash" or mark.style == "dash":
        return level.style == mark.style
    if level.style == "roman":
        return mark.roman == level.value + 1 or (mark.roman == level.value > 1 and mark.number != level.number)
    if level.paragraph and mark.style in _ALONE and mark.style != level.style:
        return mark.value == level.value + 1  # "(2)" after "1.": a slip, for no list begins with 2
    if level.style != mark.style or _is_foreign(level, mark):
        return False
    return mark.value == level.value + 1 or (mark.value == level.value and mark.number != level.number)


def _is_foreign(level: Level, mark: Marker) -> bool:
    """Whether a Latin letter that may be a Roman numeral stands in a list of Greek or Cyrillic letters."""
    return mark.roman > 0 and mark.number.isascii() and not level.number.isascii()


def settle(stack: list[Level], mark: Marker, following: Iterable[Marker]) -> Marker:
    """Read a marker such as (i) or (v) as a letter or as a Roman numeral only, where it may be either.

    What comes first below it decides, (ii) or (j). Where neither comes, it stays what it was.
    """
    due = deepest(stack, _continues_letters, mark)
    may_be_letter = due or (mark.roman == 1 and deepest(stack, _skips_to, mark))
    may_be_roman = mark.roman == 1 or deepest(stack, _continues_romans, mark)
    if not may_be_letter or not may_be_roman:
        return mark
    for near, other in enumerate(following):
        if other.style != "letter" or other.quoted:
            if other.style != "dash" and deepest(stack, continues, other):
                break
        elif other.roman == 1:  # nothing below a Roman numeral is counted in Roman numerals
            return mark._replace(roman=0) if due and not near else mark
        elif other.roman == mark.roman + 1:
            return mark._replace(value=0)
        elif other.value == mark.value + 1:
            return mark._replace(roman=0)
    return mark


def _continues_letters(level: Level, mark: Marker) -> bool:
    return level.style == "letter" and continues(level, mark)


def _continues_romans(level: Level, mark: Marker) -> bool:
    return level.style == "roman" and continues(level, mark)


def deepest(stack: list[Level], test: Callable[[Level, T], bool], what: T) -> int:
    """The innermost open list that passes a test; 0, where no list is, if none does."""
    for depth in range(len(stack) - 1, 0, -1):
        if test(stack[depth], what):
            return depth
    return 0


def headed(number: str, path: str, cite: Cite | None) -> Level | None:
    """The list that a heading such as "(c) Savings" is an item of, and that hangs from what is given."""
    mark = marker(f"({number}) ")
    if mark is None or mark.style != "letter" or not mark.value:
        return None
    return Level("", None, mark.style, mark.value, number, path, cite)


def _goes_on(stack: list[Level], mark: Marker, frame: Frame) -> bool:
    """Whether a marker stands beside the section itself: it goes on with the list of headings, and with no other."""
    return frame.item is not None and not deepest(stack, continues, mark) and continues(frame.item, mark)


def enter(stack: list[Level], mark: Marker, frame: Frame) -> Level:
    """Find or open the list a marker belongs to, and step to its item."""
    if mark.style == "multi":
        return _enter_multi(stack, mark)
    if frame.item is not None and _goes_on(stack, mark, frame):
        return _step_beside(stack, mark, frame.item, frame)
    depth = 0
    if not mark.quoted:
        depth = deepest(stack, continues, mark)
        if not depth and mark.value != 1 and mark.roman != 1:
            depth = _skipping(stack, mark)
    if depth:
        del stack[depth + 1 :]
        level = stack[depth]
    else:
        del stack[DEEPEST:]
        parent = stack[-1]
        style = mark.style
        if style == "letter" and ((mark.roman == 1 and mark.value != 1) or _is_numeral(mark)):
            style = "roman"
        path, cite = current(parent, frame)
        if _stands_alone(stack, mark, frame):
            path, cite = parent.path, parent.cite
        level = Level("", None, style, parent=path, parent_cite=cite)
        numeric = style in ("dot", "paren") and not mark.quoted
        level.paragraph = frame.paragraphs and numeric and len(stack) == 1 and not parent.texts
        stack.append(level)
    level.texts = level.quotations = 0
    level.titled = False
    level.number = mark.number
    level.value = _value(level, mark)
    if level.style in _ALONE and level.parent == stack[0].path:
        stack[0].counted[level.style] = level.value
    _name(level, mark, frame)
    return level


def _step_beside(stack: list[Level], mark: Marker, item: Level, frame: Frame) -> Level:
    """Step from the item that is a heading to the next one, which what follows it belongs to."""
    item.number, item.value = mark.number, mark.value
    _name(item, mark, frame)
    stack[:] = [Level(item.path, item.cite, number=mark.number)]
    return stack[0]


def _stands_alone(stack: list[Level], mark: Marker, frame: Frame) -> bool:
    """Whether a number "1." or "(1)" hangs from an annex itself: the text before it does not lead it in."""
    home = stack[-1]
    if len(stack) > 1 or mark.style not in _ALONE or frame.paragraphs or mark.quoted or home.leads:
        return False
    return mark.style not in home.counted or mark.value == home.counted[mark.style] + 1


def _enter_multi(stack: list[Level], mark: Marker) -> Level:
    """Decimal numbers ("2.3.1") carry their whole path; they hang below the section itself."""
    home = stack[0]
    while len(stack) > 1 and stack[-1].style != "dot":
        stack.pop()
    cite = Cite(home.cite, "numeral", mark.number, mark.value)
    part = f"qpt-{mark.number}" if mark.quoted else f"pt-{mark.number}"
    level = Level(f"{home.path}.{part}", cite, "multi", mark.value, mark.number, home.path, home.cite)
    stack.append(level)
    return level


def _skips_to(level: Level, mark: Marker) -> bool:
    """A list may skip numbers (deleted points) but never goes back."""
    if level.style == "roman":
        return mark.roman > level.value and mark.roman > 1
    if level.style != mark.style or mark.style == "dash":
        return False
    if _is_numeral(mark) and not (_is_doubled(mark.number) and _is_doubled(level.number)):
        return False
    return mark.value > level.value


def _is_numeral(mark: Marker) -> bool:
    """Whether a lettered marker of several letters is a Roman numeral: (ii) and (iv), but neither (v) nor (cc)."""
    if mark.style != "letter" or not mark.roman or len(mark.number) == 1:
        return False
    return mark.roman < _FIFTY or not _is_doubled(mark.number)


def _is_doubled(number: str) -> bool:
    """Whether a number is a letter twice, as lists go on after (z): (aa), (bb)."""
    return len(number) == 2 and number[0] == number[1]


def _skipping(stack: list[Level], mark: Marker) -> int:
    """The innermost open list that skips to a marker; of letters and Roman numerals the one that skips fewest."""
    if not (mark.value and mark.roman):
        return deepest(stack, _skips_to, mark)
    depths = [depth for depth in range(len(stack) - 1, 0, -1) if _skips_to(stack[depth], mark)]
    return min(depths, key=lambda depth: _value(stack[depth], mark) - stack[depth].value, default=0)


def _value(level: Level, mark: Marker) -> int:
    if level.style == "dash":
        return level.value + 1
    return mark.roman if level.style == "roman" else mark.value


def _name(level: Level, mark: Marker, frame: Frame) -> None:
    """Path and citation of the list item a level now stands at."""
    quoted = "q" if mark.quoted else ""
    if level.style == "dash":
        part, name = f"ind-{level.value}", "indent"
    elif level.style == "letter":
        part, name = f"pt-{letters(mark)}", "letter"
    elif level.style == "roman":
        part, name = f"pt-{mark.number.lower() if mark.number.isascii() else level.value}", "roman"
    elif level.paragraph:
        part, name = f"par-{canonical(mark.number)}", "paragraph"
    else:
        part, name = f"pt-{canonical(mark.number)}", "numeral" if level.style == "dot" else "number"
    level.path = f"{level.parent}.{quoted}{part}" if level.parent else f"{quoted}{part}"
    level.cite = Cite(level.parent_cite, name, mark.number or str(level.value), level.value)


def current(level: Level, frame: Frame) -> tuple[str, Cite | None]:
    """Path of the text at a level that a list now hangs from: its latest subparagraph, if it has several."""
    if level.texts > 1 or (level.texts and level.titled and level.leads):
        return subparagraph(level, frame)
    if level.texts == 1 and frame.counted and not level.style:
        return subparagraph(level, frame)
    return level.path, level.cite


def subparagraph(level: Level, frame: Frame) -> tuple[str, Cite | None]:
    """Path and citation of the latest text at a level, by its place among them."""
    name = "subparagraph" if level.style else frame.text_level
    return f"{level.path}.sub-{level.texts}", Cite(level.cite, name, str(level.texts), level.texts)


def begun_anew(level: Level, mark: Marker) -> bool:
    """Whether a number begins again the count of a list that is open: what leads to it stands outside of that list."""
    return level.style == mark.style == "dot" and mark.value == 1 and not level.paragraph


def holds_text(level: Level, frame: Frame) -> bool:
    """Whether a plain text may be a further subparagraph of a list's item rather than of what the list hangs from."""
    return level.paragraph or (not frame.paragraphs and level.style in ("dot", "multi"))


def kind_of(level: Level, frame: Frame) -> str:
    """What kind of unit an item of a list is, or a text of the section itself."""
    if not level.style:
        return "point" if level.number else frame.kind
    if level.style == "dash":
        return "indent"
    return "paragraph" if level.paragraph else "point"


# Points counted by small letters or Roman numerals with a stop: "i. …", "ii. …", as Hungarian and Croatian write.

_SHAPE: Final = re.compile(r"[^\W\d_]{1,5}\.\s+[^\s.]")
_LONGEST: Final = 6
"""Characters up to the stop of such a number."""
_FEWEST: Final = 2
"""So many lines that count on make a list."""
_FARTHEST: Final = 60
"""So many lines, at most, stand between two points of one list."""


@dataclass(slots=True)
class _Run:
    """A list that may be one: how it counts, how far it has come, and its lines."""

    roman: bool
    value: int = 0
    latest: int = 0
    lines: dict[int, Marker] = field(default_factory=dict)

    def takes(self, mark: Marker, line: int) -> bool:
        """Whether a marker is the next of the list, and near enough."""
        return self.count(mark) == self.value + 1 and line - self.latest <= _FARTHEST

    def count(self, mark: Marker) -> int:
        return mark.roman if self.roman else mark.value

    def add(self, mark: Marker, line: int) -> None:
        self.value, self.latest = self.count(mark), line
        self.lines[line] = mark


def dotted_points(
    texts: Sequence[str], marks: Sequence[Marker | None], headers: Sequence[Header | None]
) -> dict[int, Marker]:
    """The lines that are points "i. …", "ii. …" or "a. …", "b. …", with their markers."""
    found: dict[int, Marker] = {}
    runs: list[_Run] = []
    latest = 0
    for line in [i for i, text in enumerate(texts) if "." in text[1:_LONGEST] and text[0].islower()]:
        mark = dotted_marker(texts[line]) if marks[line] is None and _SHAPE.match(texts[line]) else None
        if mark is None:
            continue
        if any(headers[latest + 1 : line + 1]):
            runs.clear()
        latest = line
        run = next((run for run in reversed(runs) if run.takes(mark, line)), None)
        if run is None and 1 in (mark.value, mark.roman) and _is_led(texts, marks, line):
            run = _Run(roman=mark.value != 1)
            if run.roman in (alike := [other.roman for other in runs]):  # no list is inside another of its kind
                del runs[alike.index(run.roman) :]
            runs.append(run)
        if run is not None:
            del runs[runs.index(run) + 1 :]
            run.add(mark, line)
            if len(run.lines) >= _FEWEST:
                found.update(run.lines)
    return found


def _is_led(texts: Sequence[str], marks: Sequence[Marker | None], line: int) -> bool:
    """Whether a line may begin a list: something leads it in, a list is open, or it ends as a point does."""
    if texts[line][-1] in ";,:":
        return True
    return line > 0 and (texts[line - 1][-1] == ":" or marks[line - 1] is not None)
