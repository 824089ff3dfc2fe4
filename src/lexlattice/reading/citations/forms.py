"""How a provision is cited in the act's own language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from lexlattice.reading.languages.grammar import CitationForm, Grammar

_POINTS: Final = ("letter", "number", "numeral", "roman")
_AS_WRITTEN: Final = {"within": "{n}, ", "division": ", {n}"}
"""Levels that are cited in the act's own words: the annex around an article, a title inside an annex."""
_CONTAINERS: Final = frozenset(
    "article recital annex annex_sole attachment division part chapter section body unnumbered subparagraph indent"
    " quoted".split()
)
_PLACEHOLDER: Final = re.compile(r"\{([\w.]+)(:last)?\}")
_FIGURE: Final = re.compile(r"\d+")
_COUNTING: Final = re.compile(r"\d\Z|\A[IVX]+\Z")
_DIRECT, _NESTED, _UNDER = 3, 6, 9
"""Where these forms begin in a `CitationForm`."""
_FINAL, _INNER, _OUTER = range(3)
"""Nothing follows; the innermost level follows; more than one level follows."""


@dataclass(slots=True, eq=False)
class Cite:
    """One level of a citation and, through `around`, those it stands in; siblings share what is around them."""

    around: Cite | None
    name: str
    """The level's name in the language files."""
    number: str = ""
    """As the act writes it, without brackets."""
    place: int = 0
    last: int = 0
    """Where it names several in a row, the place of the last."""
    written: list[str | None] | None = None
    """It and those around it, by how much follows, once something that follows asked for it."""


def cite(level: Cite | None, grammar: Grammar) -> str:
    """Write the levels of a provision one after the other, as lawyers of that language do.

    >>> from lexlattice.reading.languages.grammar import load
    >>> point = Cite(Cite(Cite(None, "article", "5"), "paragraph", "1"), "letter", "a")
    >>> cite(point, load("en"))
    'Article 5(1)(a)'
    >>> cite(Cite(Cite(Cite(None, "article", "5"), "paragraph", "1"), "letter", "a"), load("fi"))
    '5 artiklan 1 kohdan a alakohta'
    >>> cite(Cite(Cite(None, "article", "22"), "note", "2"), load("en"))
    'Article 22, footnote 2'
    >>> new = Cite(Cite(Cite(None, "article", "1"), "quoted"), "article", "15a")
    >>> cite(Cite(new, "paragraph", "1"), load("en"))
    'Article 1, quoted text, Article 15a(1)'
    >>> cite(Cite(new.around, "paragraph", "2"), load("en"))
    'Article 1, quoted text, paragraph 2'
    """
    if level is None:
        return ""
    text = _composed(level, grammar, _FINAL)
    if text[0] in " ,":
        text = text.lstrip(" ,")
    return text if text[0].isupper() else text[:1].upper() + text[1:]


def cite_sentences(citation: str, first: int, last: int, grammar: Grammar) -> str:
    """Sentences of a provision that follow one another: from the citation of the first, that of all up to the last.

    >>> from lexlattice.reading.languages.grammar import load
    >>> cite_sentences("Recital 5, first sentence", 1, 2, load("en"))
    'Recital 5, first and second sentences'
    >>> cite_sentences("Artikel 5 Absatz 1 Satz 2", 2, 4, load("de"))
    'Artikel 5 Absatz 1 Sätze 2 bis 4'

    What tells it from another that is cited alike stays behind it; what is cited without a sentence stays as it is.

    >>> cite_sentences("Annex, point 2, first sentence [2]", 1, 2, load("en"))
    'Annex, point 2, first and second sentences [2]'
    """
    name = ("sentence", "sentences", "sentences_range")[min(last - first, 2)]
    one = _form(Cite(None, "sentence", str(first), first), grammar, _FINAL)
    several = _form(Cite(None, name, str(first), first, last), grammar, _FINAL)
    stem, found, mark = citation.rpartition(one)
    return f"{stem}{several}{mark}" if found else citation


class SentenceForms(NamedTuple):
    """How sentences are named behind the citation of their provision; the first in each list is the first sentence."""

    one: tuple[str, ...]
    two: tuple[str, ...]
    """Each with the next."""
    opening: tuple[str, ...]
    closing: tuple[str, ...]
    """From the one to the other, where there are more than two."""


def sentence_forms(most: int, grammar: Grammar) -> SentenceForms:
    """The forms that `cite_sentences` uses for so many sentences, for whoever has to join them without a grammar.

    >>> from lexlattice.reading.languages.grammar import load
    >>> forms = sentence_forms(4, load("fr"))
    >>> forms.two[0], forms.opening[1] + forms.closing[3]
    (', première et deuxième phrases', ', deuxième à quatrième phrases')
    """
    span = grammar.citation["sentences_range"][_FINAL]
    cut = [match.start() for match in _PLACEHOLDER.finditer(span)][1]
    return SentenceForms(
        *(
            tuple(
                _fill(form, Cite(None, "", str(place), place, place + after), grammar) for place in range(1, most + 1)
            )
            for form, after in (
                (grammar.citation["sentence"][_FINAL], 0),
                (grammar.citation["sentences"][_FINAL], 1),
                (span[:cut], 0),
                (span[cut:], 0),
            )
        )
    )


def _before(level: Cite, grammar: Grammar, depth: int) -> str:
    """A level that others stand in, with those around it: siblings ask for the same."""
    if level.written is None:
        level.written = [None, None, None]
    text = level.written[depth]
    if text is None:
        text = level.written[depth] = _composed(level, grammar, depth)
    return text


def _composed(level: Cite, grammar: Grammar, depth: int) -> str:
    """A level with those around it, in the form it takes so many levels from the innermost."""
    text = _form(level, grammar, depth)
    around = level.around
    if around is not None:
        if around.name == "within":
            text = text.removeprefix(", ")
        elif level.name == "note" or (around.name == "quoted" and text[0] not in " ,"):
            text = f", {text}"
        apart = text[0] == ","  # what is set off by a comma governs nothing before it
        text = _before(around, grammar, _FINAL if apart else min(depth + 1, _OUTER)) + text
    return text


def _form(level: Cite, grammar: Grammar, depth: int) -> str:
    name = level.name
    if name in _AS_WRITTEN:
        return _AS_WRITTEN[name].replace("{n}", level.number)
    template = _template(grammar.citation[name], level, depth)
    before, placeholder, after = _parted(template)
    if placeholder == "n":
        return f"{before}{level.number}{after}"
    if placeholder:
        return f"{before}{_filled(placeholder, False, level, grammar)}{after}"
    return _fill(template, level, grammar)


def _fill(template: str, level: Cite, grammar: Grammar) -> str:
    return _PLACEHOLDER.sub(lambda match: _filled(match[1], match[2] is not None, level, grammar), template)


@cache
def _parted(template: str) -> tuple[str, str, str]:
    """What stands before and after the placeholder of a template; no placeholder if it has several, or none."""
    before, _, rest = template.partition("{")
    placeholder, _, after = rest.partition("}")
    return ("", "", "") if "{" in after else (before, placeholder, after)


def _template(forms: CitationForm, level: Cite, depth: int) -> str:
    around = level.around
    within = around.name if around is not None else ""
    if (level.name == "unnumbered" and within not in ("", "article")) or (level.name, within) == (
        "paragraph",
        "quoted",
    ):
        return forms[_DIRECT + depth]
    if level.name not in _POINTS:
        return forms.first if forms.first and level.number == "1" else forms[depth]
    if _is_direct(around):
        return forms[_DIRECT + depth]
    if around is None or around.name not in _POINTS:
        return forms[depth]
    return forms[(_UNDER if _is_direct(around.around) else _NESTED) + depth]


def _is_direct(around: Cite | None) -> bool:
    """Whether a point stands in an article or annex without a paragraph between."""
    return around is None or around.name in _CONTAINERS


def _filled(name: str, last: bool, level: Cite, grammar: Grammar) -> str:
    """What stands for a placeholder: the number, with a stop or a sign behind its figures, or an ordinal so named."""
    place = level.last if last else level.place
    if name == "n":
        return str(place) if last else level.number
    if name == "n.":
        return f"{level.number}." if level.number[-1:].isdigit() else level.number
    if name == "N.":
        return f"{level.number}." if _COUNTING.search(level.number) else level.number
    if name.startswith("n."):
        return _FIGURE.sub(lambda figure: figure[0] + name[1:], level.number, count=1)
    ordinals = grammar.named_ordinals.get(name)
    if ordinals is not None:
        return ordinals[min(place, len(ordinals)) - 1].replace("{n}", str(place))
    return grammar.ordinals[place - 1] if 0 < place <= len(grammar.ordinals) else grammar.ordinal(place)
