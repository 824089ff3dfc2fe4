"""Find provisions by citation: in the language of the act or any other, by id, and with suggestions for misses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from lexlattice.act.document import Unit
from lexlattice.errors import NoSuchProvisionError
from lexlattice.reading.citations.forms import Cite, cite
from lexlattice.reading.citations.handwritten import is_whole, languages_of, readings
from lexlattice.reading.citations.levels import Path
from lexlattice.reading.citations.mentions import find_mentions
from lexlattice.reading.citations.resolve import ProvisionIndex
from lexlattice.reading.citations.tables import Below, cited_table, table_row
from lexlattice.reading.citations.tokens import tokenize
from lexlattice.reading.citations.vocabulary import LAST, fold_letters, load_vocabulary
from lexlattice.reading.languages.grammar import DIVISIONS, Grammar, load
from lexlattice.reading.languages.numbering import from_roman
from lexlattice.reading.languages.sentences import sentences

if TYPE_CHECKING:
    from lexlattice.act.document import Act


# --- provisions -------------------------------------------------------------------------------------------

MAX_SUGGESTIONS: Final = 3
_BARE: Final = re.compile(r"\s*\d{1,3}[a-z]{0,2}(?:\.\d{1,3})*\s*(?:\(.*)?\Z")
"""A number without a word, which is that of an article: "5", "5(1)(a)", "5.1"."""
_JOINED: Final = re.compile(r"(?<=[\d)])\s*[-–—/+&,]\s*(?=[\d(])")
"""A sign between two numbers that makes a list or a range of them."""
_QUOTED: Final = re.compile(r"q(?:-\d+)?(?:-(art|anx)-([^~]+))?(?:~\d+)?|q-.*")
"""The step of quoted text in an id: "q", "q-2" if it is the second, "q-art-4" if it begins with a header."""
_LEVELS: Final = {"rec": "recital", "anx": "annex", "par": "paragraph", "ind": "indent", "art": "article"}


def find_provision(act: Act, below: Below, cited: str) -> str:
    """Find a provision by its citation.

    Args:
        act: The act.
        below: The units below every id of the act.
        cited: An id, or a citation in any of the 24 languages, as acts or as people write it.

    Returns:
        The id of the provision.

    Raises:
        NoSuchProvisionError: There is no such provision; the message suggests the nearest ones.
    """
    if cited.strip() in below:
        return cited.strip()
    wanted = _plain(cited)
    if name := next((name for name in below if name.casefold() == cited.strip().casefold()), ""):
        return name
    # The exact citation of a unit comes first, then tables, and then whatever the citation parser makes of it.
    same = [unit for unit in act.units if _plain(unit.citation) == wanted] if wanted else []
    if same and same[0].kind == "citation" and _names_all(same[0], act.sections[same[0].section].units):
        return act.sections[same[0].section].id
    if same:
        return same[0].id if len(same) == 1 else same[0].provision
    # A provision without a text of its own, or one that comes in sentences, is cited as a whole.
    wholes = (name for name in act.wholes if name in below and _plain(act.wholes[name]) == wanted)
    if wanted and (name := next(wholes, "")):
        return name
    # Quoted text has no path from the outside, so its provisions are found by their whole citation only.
    quoted = (name for name in below if ".q" in name and _plain(cite_provision(act, below, name)) == wanted)
    if wanted and (name := next(quoted, "")):
        return name
    table = _find_table(act, below, cited)
    if table:
        return table
    index = ProvisionIndex(below)
    tried: list[Path] = []
    partly: list[str] = []
    for language in languages_of(cited, act.language):
        parts: list[str] = []
        for paths, is_all in _mentioned(act, cited, language):
            tried.append(paths[0])
            found = [name for path in paths if (name := index.resolve(path, ""))]
            if found and is_all and len(paths) == 1 and _has_sentence(act, below, paths[0], found[0]):
                return found[0]
            parts += found
        if language == act.language and (name := _by_levels(act, cited)):
            return name
        partly = max(partly, list(dict.fromkeys(parts)), key=len)
    # Nothing less than what was asked for, and nothing else; but its parts are worth a hint.
    if partly:
        close = [cite_provision(act, below, name) for name in partly[:MAX_SUGGESTIONS]]
        raise _no_such(cited, close, said="{} is not the citation of one provision of this act")
    close = _nearest(act, below, index, tried, cited)
    example = next((unit.citation for unit in act.units if unit.kind not in ("title", "citation")), "")
    raise _no_such(cited, close, example)


def _by_levels(act: Act, cited: str) -> str:
    """The id of the unit whose citation has the same levels and numbers, with whatever words for them."""
    role = load_vocabulary(act.language).role

    def levels(text: str) -> str:
        return " ".join(next(iter(role(word).levels), word) for word in _plain(text).split())

    wanted = {levels(reading) for reading in readings(cited, act.language)} - {""}
    same = [unit for unit in act.units if levels(unit.citation) in wanted]
    return same[0].id if len(same) == 1 else same[0].provision if same else ""


def _mentioned(act: Act, cited: str, language: str) -> Iterator[tuple[Sequence[Path], bool]]:
    """Yield the provisions that a citation can name in a language, and whether it says no more than that.

    Nothing is yielded for a provision of another act.
    """
    words = load_vocabulary(language)
    for reading in readings(cited, language):
        for text in (reading, f"{words.shown} {reading}") if _BARE.match(reading) else (reading,):
            tokens = tokenize(text, words)
            if act.celex and {token.act.celex for token in tokens if token.act is not None} - {act.celex, ""}:
                continue
            for mention in find_mentions(tokens, words):
                yield mention.paths, is_whole(mention, tokens, text, act.type)


def _has_sentence(act: Act, below: Below, path: Path, found: str) -> bool:
    """Whether a provision is the sentence that was asked for, if one was: one that is not divided may have several."""
    if all(level != "sentence" for level, _ in path) or ".s-" in found:
        return True
    text = act.source[below[found][0].start : below[found][-1].end]
    return path[-1][1] in ("1", str(LAST)) and len(sentences(text, load(act.language))) == 1


def _names_all(unit: Unit, units: Sequence[Unit]) -> bool:
    """Whether all citations of a section begin with that of a unit: "Preamble" is more than its first line."""
    return all(each.citation.startswith(unit.citation) for each in units)


def _find_table(act: Act, below: Below, cited: str) -> str:
    """The id of the table or row at the end of a citation; empty if the citation does not end in one."""
    for language in dict.fromkeys((act.language, "en")):
        ending = cited_table(cited, language)
        if ending is not None:
            name = f"{find_provision(act, below, ending.parent)}.{ending.step}"
            if name in below or table_row(act, below, name) is not None:
                return name
            raise _no_such(cited, [cite_provision(act, below, name.partition(".tbl-")[0])])
    return ""


def no_such_id(act: Act, below: Below, name: object) -> NoSuchProvisionError:
    """The error for an id that does not exist or is not that of a unit, with the nearest ones."""
    if name in below:
        return NoSuchProvisionError(
            f"{name} has no text of its own in this act; act.provision({name!r}) has the units below it."
        )
    close = get_close_matches(str(name), below, MAX_SUGGESTIONS, 0.6)
    parent = str(name).rpartition(".")[0]
    if parent in below and parent not in close:
        close = [*close[: MAX_SUGGESTIONS - 1], parent]
    return _no_such(str(name), close)


def _no_such(
    wanted: str, close: Sequence[str], example: str = "", said: str = "There is no {} in this act"
) -> NoSuchProvisionError:
    shown = f"; cite a provision as in {example!r}." if example else "."
    hint = f"; did you mean {', '.join(close)}?" if close else shown
    asked = wanted.strip()[:80]
    return NoSuchProvisionError(
        said.format(asked or "provision without a name") + hint, values={"provision": asked, "nearest": list(close)}
    )


def _nearest(act: Act, below: Below, index: ProvisionIndex, tried: Sequence[Path], cited: str) -> list[str]:
    """The citations of the nearest provisions: siblings of the missing one, then their parent."""
    for path in sorted(tried, key=len, reverse=True):
        for end in range(len(path) - 1, 0, -1):
            parent = index.resolve(path[:end], "")
            if parent:
                inside = [name for name in below if name.rpartition(".")[0] == parent]
                numbers = re.findall(r"\d+", path[end][1])
                wanted = int(numbers[0]) if numbers else 0
                inside.sort(key=lambda name: (abs(_number(name) - wanted), below[name][0].start))
                return [cite_provision(act, below, name) for name in [*inside[: MAX_SUGGESTIONS - 1], parent]]
    cites = [cite_provision(act, below, name) for name in below if "." not in name and "-" in name]
    known = {_plain(each): each for each in cites}
    return [known[each] for each in get_close_matches(_plain(cited), known, MAX_SUGGESTIONS, 0.5)]


def _number(name: str) -> int:
    digits = re.findall(r"\d+", name.rpartition(".")[2])
    return int(digits[0]) if digits else 0


def _plain(text: str) -> str:
    text = _JOINED.sub(" + ", text).replace("+", "plus")  # "Article 1-2" is not "Article 1(2)"
    return re.sub(r"[\W_]+", " ", fold_letters(text.casefold())).strip()


# --- the citation of a whole provision ------------------------------------------------------------------


def cite_provision(act: Act, below: Below, name: str) -> str:
    """The citation of a provision, also if it is divided into sentences or has no text of its own."""
    first = below[name][0]
    if first.id == name:
        return first.citation
    if name in act.wholes:
        return act.wholes[name]
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


def _level(act: Act, below: Below, path: str, step: str, parent: Cite | None, grammar: Grammar) -> Cite | None:
    """Turn one step of an id into a level of a citation, with the number as the act writes it."""
    stem, _, number = step.partition("-")
    number = number.partition("~")[0]
    first = below[path][0]
    own = first.provision == path
    written = (first.number if own else "") or number
    if stem in ("art", "anx"):
        return _top(act, first, path, stem, parent, grammar)
    if stem in _LEVELS:
        return Cite(parent, _LEVELS[stem], written, int(number) if number.isdigit() else 0)
    if stem == "sub":
        inside = parent is not None and parent.name in ("paragraph", "letter", "number", "numeral", "roman", "indent")
        return Cite(parent, "subparagraph" if inside else "unnumbered", number, int(number))
    if stem in ("pt", "qpt"):
        return Cite(parent, _point_level(first.text if own else "", written, parent), written)
    if quotation := _QUOTED.fullmatch(step):
        quoted = Cite(parent, "quoted")
        return Cite(quoted, _LEVELS[quotation[1]], quotation[2]) if quotation[1] else quoted
    if stem in DIVISIONS:
        word = grammar.written[stem][0]
        return Cite(parent, "division", f"{word[:1].upper()}{word[1:]} {number}")
    return parent


def _top(act: Act, first: Unit, path: str, stem: str, parent: Cite | None, grammar: Grammar) -> Cite:
    """An article or annex as a level, with the number of its header."""
    section = act.sections[first.section]
    header = grammar.header(section.label) if section.id == path else None
    number = (header.written if header is not None else "") or path.rpartition(".")[2].partition("-")[2]
    if stem == "anx":
        return Cite(None, "annex", number) if number else Cite(None, "annex_sole")
    within = Cite(None, "within", cite(parent, grammar)) if parent is not None else None
    return Cite(within, "article", number or "1")


def _point_level(text: str, number: str, parent: Cite | None) -> str:
    if number[:1].isdigit():
        return "number" if text.startswith("(") else "numeral"
    inner = parent is not None and parent.name in ("letter", "number", "numeral")
    return "roman" if inner and from_roman(number) else "letter"
