"""How people cite an act and its provisions: "Regulation (EU) 2016/679", "Article 6(1) of Regulation (EU) 2016/679".

The type and the number are those of the act's own title, with its brackets and letters ("(EC) No 178/2002",
"2002/58/EC"); the grammar is that of the act's language, from the table `acts` of its file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from lexlattice.reading.languages.grammar import LANGUAGES, fold, raw

if TYPE_CHECKING:
    from lexlattice.act.document import Act

PROVISION: Final = "{provision}"
TYPES: Final = ("regulation", "directive", "decision", "recommendation")
"""Types of acts that are cited by a number."""
_LONGEST_HEAD: Final = 250
"""Characters of a title among which its type and number are."""
_YEAR: Final = re.compile(r"(?<![\d/])(?:19|20)\d\d(?![\d/])")
"""A year that is no part of a number: that of the date, which follows type and number in every language."""
_CELEX: Final = re.compile(r"3(\d{4})([A-Z]{1,2})(\d{4})(?:\(\d\d\))?")
_CODES: Final = r"[^\W\d_]{2,12}(?:\s?,\s?[^\W\d_]{2,12})*"
_WORD: Final = re.compile(r"[^\W\d_]+")
_LONGEST_ABBREVIATION: Final = 5
"""Letters of "(EC)", "(EEC)", "(CFSP)"; what is longer is a name: "EURATOM"."""


class ActForm(NamedTuple):
    """How an act is named, and how its provisions are cited, in the act's language."""

    kind: str = ""
    """"regulation", "implementing_regulation" … : the entry of the language's table; empty if the act has no number."""
    name: str = ""
    """"Regulation (EU) 2016/679"; empty if the act has no number."""
    cited: str = PROVISION
    """"{provision} of Regulation (EU) 2016/679"; only "{provision}" if the act has no number."""
    comma: bool = False
    """Whether a provision that contains a comma is followed by one: "Article 6(1), point (a), of"."""
    possessed: Mapping[str, str] = {}
    """Words of a provision, and what the first of them becomes after the act: Hungarian "cikk", "cikke"."""

    def cite(self, provision: str) -> str:
        """Complete the citation of a provision.

        >>> form = ActForm("regulation", "", "{provision} of Regulation (EU) 2016/679", True)
        >>> form.cite("Article 6(1)"), form.cite("Annex I, point 2")
        ('Article 6(1) of Regulation (EU) 2016/679', 'Annex I, point 2, of Regulation (EU) 2016/679')
        >>> ActForm("regulation", "", "asetuksen (EU) 2016/679 {provision}").cite("Liitteessä I oleva 2 kohta")
        'Asetuksen (EU) 2016/679 liitteessä I oleva 2 kohta'
        """
        if self.cited == PROVISION:
            return provision
        if not self.cited.startswith(PROVISION):
            # A capital that only begins the citation goes; the one of "I. melléklet" stays.
            lowered = provision[:1].lower() + provision[1:] if provision[1:2].islower() else provision
            return _capitalized(self.cited.replace(PROVISION, self._inflected(lowered)))
        closing = "," if self.comma and "," in provision else ""
        return _capitalized(self.cited.replace(PROVISION, provision + closing))

    def _inflected(self, provision: str) -> str:
        for word in _WORD.finditer(provision):
            if word[0] in self.possessed:
                return f"{provision[: word.start()]}{self.possessed[word[0]]}{provision[word.end() :]}"
        return provision


def form_of(act: Act) -> ActForm:
    """Return how an act is named and cited; the default form if it has no number, or none that is certain."""
    title = " ".join(act.title.split())
    if act.language not in LANGUAGES or act.type not in TYPES:
        return ActForm()
    date = _YEAR.search(title)
    head = title[: date.start() if date else None][:_LONGEST_HEAD]
    found = _number(act, head)
    if found is None:
        return ActForm()
    table = raw(act.language)["acts"]
    is_before = table[act.type]["name"].startswith("{number}")
    # What follows the number may say "implementing" of the act's aim; only in Hungarian its type follows.
    kind = _kind(act.type, head if is_before or found.string != head else head[: found.end()], table)
    entry, number = table[kind], _written(found, table["sign"])
    return ActForm(
        kind,
        _capitalized(entry["name"].replace("{number}", number)),
        entry["cited"].replace("{number}", number),
        table["comma"],
        table.get("possessed", {}),
    )


def _kind(type_: str, head: str, table: Mapping[str, object]) -> str:
    """The variant of a type that the title names: implementing, delegated, a framework decision."""
    folded = fold(head).replace("'", "’")
    for variant in ("implementing", "delegated", "framework", "addressed"):
        stems = table[variant]
        assert isinstance(stems, list)
        if f"{variant}_{type_}" in table and any(fold(stem) in folded for stem in stems):
            return f"{variant}_{type_}"
    return type_


def _number(act: Act, head: str) -> re.Match[str] | None:
    """The number of an act in its title; None if none of those in the title is certain to be its own.

    It stands before the date, or in brackets at the end: "Commission Decision of 9 December 1998 … (1999/272/EC)".
    """
    pattern = _pattern(act.language)
    written = " ".join(unit.text for section in act.sections if section.kind == "title" for unit in section.units)
    behind = [match for match in pattern.finditer(" ".join(written.split())) if _is_bracketed(match)]
    celex = _CELEX.fullmatch(act.celex)
    if celex is not None:
        year, number = int(celex[1]), int(celex[3])
        found = [match for match in (*pattern.finditer(head), *behind) if (year, number) in _values(match)]
    elif act.celex:
        found = []
    else:
        before = [match for match in pattern.finditer(head) if match["year"]]
        found = before[:1] or (behind if len(behind) == 1 else [])
    return found[0] if found else None


@cache
def _pattern(language: str) -> re.Pattern[str]:
    """The number of an act: "(EU) 2016/679", "(EC) No 178/2002", "2002/58/EC", "No 17"."""
    spaced = (r"\s?".join(map(re.escape, sign.replace(" ", ""))) for sign in raw(language)["references"]["sign"])
    sign = "|".join(sorted({*spaced, "№"}, key=len, reverse=True))
    return re.compile(
        rf"(?:\(\s?(?P<codes>{_CODES})\s?\)\s?)?(?:(?<!\w)(?P<sign>{sign})\.?\s?)?"
        rf"(?<![\d/])(?P<number>\d{{1,4}})(?:/(?P<year>\d{{1,4}})(?:/\s?(?P<after>[^\W\d_]{{2,12}}))?)?(?![\w/])",
        re.IGNORECASE,
    )


def _is_bracketed(match: re.Match[str]) -> bool:
    """Whether a number with letters fills a pair of brackets."""
    text = match.string
    return bool(match["after"]) and text[match.start() - 1] == "(" and text[match.end() : match.end() + 1] == ")"


def _values(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Year and number as a match can be read, in either order; "No 17" is of any year before 1968."""
    first, second = match["number"], match["year"]
    if second is None:
        return ((year, int(first)) for year in range(1952, 1968) if match["sign"])
    readings = ((first, second), (second, first))
    return ((int(year) if len(year) > 2 else 1900 + int(year), int(number)) for year, number in readings)


def _written(match: re.Match[str], sign: str) -> str:
    """The number in the notation of the title, with the sign of today: "n°" for "No", "NO" and "nº"."""
    codes = f"({', '.join(_cased(code.strip()) for code in match['codes'].split(','))})" if match["codes"] else ""
    digits = f"{match['number']}/{match['year']}" if match["year"] else match["number"]
    after = f"/{_cased(match['after'])}" if match["after"] else ""
    return " ".join(filter(None, (codes, sign if match["sign"] else "", f"{digits}{after}")))


def _cased(code: str) -> str:
    """A code as running text has it: EC, Euratom."""
    return code.capitalize() if len(code) > _LONGEST_ABBREVIATION else code


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
