"""Provisions by the way people cite them: in the act's language or in English, by id, or nearly."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from lexlattice.act.document import Unit
from lexlattice.errors import NoSuchProvisionError
from lexlattice.reading.citations.forms import Cite, cite
from lexlattice.reading.citations.levels import Path
from lexlattice.reading.citations.mentions import mentions
from lexlattice.reading.citations.resolve import Places
from lexlattice.reading.citations.tokens import tokenize
from lexlattice.reading.citations.vocabulary import flat, wording
from lexlattice.reading.languages.grammar import DIVISIONS, Grammar, load
from lexlattice.reading.languages.numbering import from_roman

if TYPE_CHECKING:
    from lexlattice.act.document import Act


# Tables and their rows as they are cited: "Annex II, table 1, row 3", in the act's language or in English.

_ROW: Final = re.compile(r"(.+\.tbl-[^.]+)\.row-(\d{1,5})\Z")


class CitedTable(NamedTuple):
    """A table that is cited: what it stands in, and the end of its id."""

    around: str
    step: str


@cache
def _pattern(language: str) -> re.Pattern[str]:
    forms = load(language).citation
    table, row = (re.escape(flat(forms[name].final)).replace(r"\{n\}", "N") for name in ("table", "row"))
    table, row = (form.lstrip(",").replace(r"\ ", r"\s?") for form in (table, row))
    table = table.replace("N", r"(?P<table>\d{1,4})").lstrip(",")
    return re.compile(rf"(?P<around>.+?),?{table}(?:,?{row.replace('N', '(?P<row>[0-9]{1,5})')})?\s*\Z")


def cited_table(cited: str, language: str) -> CitedTable | None:
    """The table, or the row of one, that a citation ends in.

    >>> cited_table("Annex II, table 1, row 3", "en")
    CitedTable(around='Annex II', step='tbl-1.row-3')
    >>> cited_table("II. melléklet, 1. táblázat", "hu")
    CitedTable(around='II. melléklet', step='tbl-1')
    """
    match = _pattern(language).match(flat(cited))
    if match is None:
        return None
    row = f".row-{match['row']}" if match["row"] else ""
    return CitedTable(cited[: match.end("around")], f"tbl-{match['table']}{row}")


def row(below: Mapping[str, Sequence[Unit]], name: str, language: str) -> Unit | None:
    """The row of a table as a unit of its own: a slice of the table's text."""
    match = _ROW.match(name)
    tables = below.get(match[1], ()) if match is not None else ()
    if match is None or len(tables) != 1 or not 0 < int(match[2]) <= len(tables[0].rows):
        return None
    table, number = tables[0], int(match[2])
    lines = table.text.split("\n")
    start = table.start + sum(len(line) + 1 for line in lines[: number - 1])
    text = lines[number - 1]
    cited = table.citation + load(language).citation["row"].final.replace("{n}", match[2])
    return table._replace(
        id=name,
        provision=name,
        number=match[2],
        citation=cited,
        text=text,
        start=start,
        end=start + len(text),
        words=len(text.split()),
    )


# Provisions by the way people cite them: in the act's language or in English, by id, or nearly.

Below = Mapping[str, Sequence[Unit]]
"""The units below every id of an act."""

SUGGESTIONS: Final = 3
_BARE: Final = re.compile(r"\s*\d{1,3}[a-z]{0,2}\s*(?:\(.*)?\Z")

_LEVELS: Final = {"rec": "recital", "anx": "annex", "par": "paragraph", "ind": "indent", "art": "article"}


def find(act: Act, below: Below, cited: str) -> str:
    """The id of the provision that is cited so; `NoSuchProvisionError` if there is none."""
    if cited.strip() in below:
        return cited.strip()
    wanted = _plain(cited)
    same = [unit for unit in act.units if _plain(unit.citation) == wanted] if wanted else []
    if same and same[0].kind == "citation" and _names_all(same[0], act.sections[same[0].section].units):
        return act.sections[same[0].section].id
    if same:
        return same[0].id if len(same) == 1 else same[0].provision
    table = _table(act, below, cited)
    if table:
        return table
    places = Places(below)
    tried: list[Path] = []
    for language in dict.fromkeys((act.language, "en")):
        words = wording(language)
        for text in (cited, f"{words.shown} {cited}") if _BARE.match(cited) else (cited,):
            for mention in mentions(tokenize(text, words), words):
                tried.append(mention.paths[0])
                found = places.resolve(mention.paths[0], "")
                if found:
                    return found
    close = _nearest(act, below, places, tried, cited)
    example = next((unit.citation for unit in act.units if unit.kind not in ("title", "citation")), "")
    raise NoSuchProvisionError(_sentence(cited, close, example))


def _names_all(unit: Unit, units: Sequence[Unit]) -> bool:
    """Whether the citations of all units of a section begin with this one's: "Preamble" is more than its first line."""
    return all(each.citation.startswith(unit.citation) for each in units)


def _table(act: Act, below: Below, cited: str) -> str:
    """The id of a table or of one of its rows, if a citation ends in one; empty if there is none."""
    for language in dict.fromkeys((act.language, "en")):
        ending = cited_table(cited, language)
        if ending is not None:
            name = f"{find(act, below, ending.around)}.{ending.step}"
            if name in below or row(below, name, act.language) is not None:
                return name
            raise NoSuchProvisionError(_sentence(cited, [citation(act, below, name.partition(".tbl-")[0])]))
    return ""


def table_row(act: Act, below: Below, name: str) -> Unit | None:
    """The row of a table that has this id, as a unit; none if there is none."""
    return row(below, name, act.language)


def no_such_id(act: Act, below: Below, name: object) -> str:
    """The sentence that there is no such id, or none of a unit, with the nearest ones."""
    if name in below:
        return f"{name} has no text of its own in this act; act.provision({name!r}) has what is below it."
    close = get_close_matches(str(name), below, SUGGESTIONS, 0.6)
    around = str(name).rpartition(".")[0]
    if around in below and around not in close:
        close = [*close[: SUGGESTIONS - 1], around]
    return _sentence(str(name), close)


def _sentence(wanted: str, close: Sequence[str], example: str = "") -> str:
    shown = f"; cite a provision as in {example!r}." if example else "."
    hint = f"; did you mean {', '.join(close)}?" if close else shown
    return f"There is no {wanted.strip()[:80] or 'provision without a name'} in this act{hint}"


def _nearest(act: Act, below: Below, places: Places, tried: Sequence[Path], cited: str) -> list[str]:
    """How the provisions are cited that come closest: siblings of what is missing, then what is around them."""
    for path in sorted(tried, key=len, reverse=True):
        for end in range(len(path) - 1, 0, -1):
            around = places.resolve(path[:end], "")
            if around:
                inside = [name for name in below if name.rpartition(".")[0] == around]
                numbers = re.findall(r"\d+", path[end][1])
                wanted = int(numbers[0]) if numbers else 0
                inside.sort(key=lambda name: (abs(_number(name) - wanted), below[name][0].start))
                return [citation(act, below, name) for name in [*inside[: SUGGESTIONS - 1], around]]
    cites = [citation(act, below, name) for name in below if "." not in name and "-" in name]
    known = {_plain(each): each for each in cites}
    return [known[each] for each in get_close_matches(_plain(cited), known, SUGGESTIONS, 0.5)]


def _number(name: str) -> int:
    digits = re.findall(r"\d+", name.rpartition(".")[2])
    return int(digits[0]) if digits else 0


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", flat(text)).strip()


# --- how a provision is cited as a whole ------------------------------------------------------------------


def citation(act: Act, below: Below, name: str) -> str:
    """How a provision is cited that may be divided into sentences, or have no text of its own."""
    first = below[name][0]
    if first.id == name:
        return first.citation
    section = act.sections[first.section]
    if name == section.id and "-" not in name.rpartition(".")[2] and section.kind not in ("annex", "article"):
        return section.label or first.citation
    grammar = load(act.language)
    level: Cite | None = None
    steps = name.split(".")
    for end, step in enumerate(steps, 1):
        path = ".".join(steps[:end])
        level = _level(act, below, path, step, level, grammar)
    return cite(level, grammar) if level is not None else first.citation


def _level(act: Act, below: Below, path: str, step: str, around: Cite | None, grammar: Grammar) -> Cite | None:
    """One step of an id as a level of a citation, with its number as the act writes it."""
    stem, _, number = step.partition("-")
    number = number.partition("~")[0]
    first = below[path][0]
    own = first.provision == path
    written = (first.number if own else "") or number
    if stem in ("art", "anx"):
        return _top(act, first, path, stem, around, grammar)
    if stem in _LEVELS:
        return Cite(around, _LEVELS[stem], written, int(number) if number.isdigit() else 0)
    if stem == "sub":
        inside = around is not None and around.name in ("paragraph", "letter", "number", "numeral", "roman", "indent")
        return Cite(around, "subparagraph" if inside else "unnumbered", number, int(number))
    if stem in ("pt", "qpt"):
        return Cite(around, _point(first.text if own else "", written, around), written)
    if stem in DIVISIONS:
        word = grammar.written[stem][0]
        return Cite(around, "division", f"{word[:1].upper()}{word[1:]} {number}")
    return around


def _top(act: Act, first: Unit, path: str, stem: str, around: Cite | None, grammar: Grammar) -> Cite:
    """An article or an annex, with its number as its header has it."""
    section = act.sections[first.section]
    header = grammar.header(section.label) if section.id == path else None
    number = (header.written if header is not None else "") or path.rpartition(".")[2].partition("-")[2]
    if stem == "anx":
        return Cite(None, "annex", number) if number else Cite(None, "annex_sole")
    within = Cite(None, "within", cite(around, grammar)) if around is not None else None
    return Cite(within, "article", number or "1")


def _point(text: str, number: str, around: Cite | None) -> str:
    if number[:1].isdigit():
        return "number" if text.startswith("(") else "numeral"
    inner = around is not None and around.name in ("letter", "number", "numeral")
    return "roman" if inner and from_roman(number) else "letter"
