"""Who concludes an agreement: the lines that name its parties, between its title and its reasons."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Final

from lexlattice.reading.grammar import fold, raw
from lexlattice.reading.lines import Lines
from lexlattice.reading.shapes import names_institution

SHORTEST_NAME: Final = 11
"""Characters of a party's name in capitals."""
FEWEST_WORDS: Final = 3
"""Words of a name in capitals that a comma sets off; a reason can have two ("CONSIDERING THAT, in this context,")."""
SHORTEST_REASON: Final = 5
"""Letters of the word in capitals that a reason begins with."""
LONGEST_NAMING: Final = 240
"""Characters of a line that names a party in small letters and says what it is called below."""
AHEAD: Final = 4
"""Lines among which a further party shows that their names go on."""

_DIGIT: Final = re.compile(r"\d")
_YEAR: Final = re.compile(r"(?:19|20)\d\d(?!\d)")


class Parties:
    """Tells the lines that name parties from the title above and the reasons below them."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        language = lines.grammar.language
        self.hereinafter = tuple(fold(word) for word in raw(language)["definitions"]["hereinafter"])
        self.kinds = tuple(word for word, _ in lines.grammar.types)
        self.preamble = fold(lines.grammar.citation["preamble"].final)

    def is_headed(self, i: int) -> bool:
        """Whether a line is the heading of the preamble, by its word alone."""
        return self.lines.heads[i] == self.preamble

    def begin(self, i: int, first: int) -> int:
        """Where the parties begin to be named whose reasons begin at a line: not above the title's second line."""
        start = i
        while start > first and self._precedes(start - 1):
            start -= 1
        return start - 1 if start > first and self.is_headed(start - 1) else start

    def reasons(self, i: int) -> bool:
        """Whether a line begins as the reasons of agreements do, and not as their titles."""
        return reasons_aloud(self.lines.texts[i]) and not self.lines.heads[i].startswith(self.kinds)

    def name(self, i: int, *, first: bool) -> bool:
        """Whether a line of the preamble names a party, or says on what side it stands; `first` if none did so yet."""
        lines, line = self.lines, self.lines.texts[i]
        if lines.marks[i] is not None or (i and lines.marks[i - 1] is not None):
            return False
        if line.lstrip("(")[:1].islower() or _is_party(line) or (first and names_party(line)):
            return True
        if (first or lines.texts[i - 1][0].islower()) and self._says_how_called(i):
            return True
        return not reasons_aloud(line) and any(map(_is_party, lines.texts[i + 1 : i + AHEAD]))

    def _says_how_called(self, i: int) -> bool:
        """Whether a line has the words that say what a party is called below."""
        line = self.lines.texts[i]
        return len(line) <= LONGEST_NAMING and line[-1] == "," and any(word in fold(line) for word in self.hereinafter)

    def _precedes(self, i: int) -> bool:
        """Whether a line above the reasons, or above a party, belongs to the names of parties too."""
        lines, line = self.lines, self.lines.texts[i]
        if (
            lines.roles[i] is not None
            or lines.marks[i] is not None
            or lines.headers[i] is not None
            or _YEAR.search(line)
        ):
            return False
        return line[-1] == "," or (line[0].islower() and lines.texts[i - 1][-1] == ",")


def _is_party(line: str) -> bool:
    return names_institution(line) or names_party(line, strictly=True)


def names_party(line: str, *, strictly: bool = False) -> bool:
    """Whether a line names a party to an agreement and goes on: "THE EUROPEAN UNION (hereinafter 'the Union'),".

    Strictly, its name is set off from what follows; a reason can begin in capitals too ("BEARING IN MIND the need").

    >>> names_party("THE SWISS CONFEDERATION, of the one part"), names_party("COUNCIL DECISION of 3 May 1998")
    (True, False)
    """
    words = line[:160].split(" ")
    capitals = list(takewhile(lambda word: word.isupper() and word[0].isalpha(), words))
    name, rest = " ".join(capitals), " ".join(words[len(capitals) :])
    if len(capitals) < 2 or len(name) < SHORTEST_NAME or not any(map(str.islower, rest)) or _DIGIT.search(line[:160]):
        return False
    set_off = name[-1] == "," and (len(capitals) >= FEWEST_WORDS or not strictly)
    return set_off or rest[0] == "(" or (not strictly and line.endswith((",", "-", "–", "—")))


def reasons_aloud(line: str) -> bool:
    """Whether a line begins as the reasons of agreements do, with one word in capitals, and is not the last of them.

    >>> reasons_aloud("DESIRING to light all quays,"), reasons_aloud("AGREEMENT on quays")
    (True, False)
    """
    word, _, rest = line.partition(" ")
    aloud = len(word) >= SHORTEST_REASON and word.isupper() and word.isalpha() and rest[:1].islower()
    return aloud and line[-1] in ",;"
