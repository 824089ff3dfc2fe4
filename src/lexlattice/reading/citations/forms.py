"""Write citations of provisions in any of the 24 languages: "Article 5(1)(a)", "5 artiklan 1 kohdan a alakohta".

A citation is a chain of levels. The language files have templates for each level, which depend on how many levels
follow (languages with cases inflect all but the last) and on the level that encloses it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from lexlattice.reading.languages.grammar import CitationForm, Grammar

_POINTS: Final = ("letter", "number", "numeral", "roman")
_AS_WRITTEN: Final = {"within": "{n}, ", "division": ", {n}"}
"""Levels that are cited in the words of the act: the annex of an article, a title within an annex."""
_CONTAINERS: Final = frozenset(
    "article recital annex annex_sole attachment division part chapter section body unnumbered subparagraph indent"
    " quoted".split()
)
_PLACEHOLDER: Final = re.compile(r"\{([\w.]+)(:last)?\}")
_FIGURE: Final = re.compile(r"\d+")
# A number that ends with a digit, or is a Roman numeral, gets the full stop of an ordinal.
_COUNTING: Final = re.compile(r"\d\Z|\A[IVX]+\Z")
_DIRECT, _NESTED, _UNDER = 3, 6, 9
"""Indices of a `CitationForm` at which the templates for points begin: directly in an article or annex, within
another point, and within a point that is directly in an article or annex."""
_FINAL, _INNER, _OUTER = range(3)
"""What follows a level: nothing, the innermost level, or several levels."""


@dataclass(slots=True, eq=False)
class Cite:
    """One level of a citation, linked to the level that encloses it; siblings share their parent."""

    parent: Cite | None
    name: str
    """The name of the level in the language files."""
    number: str = ""
    """As the act writes it, without brackets."""
    place: int = 0
    last: int = 0
    """The position of the last one, if it names several in a row."""
    written: list[str | None] | None = None
    """Cache: this level with its parents, for each of the three cases of what follows."""


def cite(level: Cite | None, grammar: Grammar) -> str:
    """Write the citation of a provision as lawyers of that language do.

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
    >>> cite(Cite(new.parent, "paragraph", "2"), load("en"))
    'Article 1, quoted text, paragraph 2'
    """
    if level is None:
        return ""
    text = _compose(level, grammar, _FINAL)
    if text[0] in " ,":
        text = text.lstrip(" ,")
    return text if text[0].isupper() else text[:1].upper() + text[1:]


def cite_sentences(citation: str, first: int, last: int, grammar: Grammar) -> str:
    """Extend the citation of a sentence to several consecutive sentences.

    >>> from lexlattice.reading.languages.grammar import load
    >>> cite_sentences("Recital 5, first sentence", 1, 2, load("en"))
    'Recital 5, first and second sentences'
    >>> cite_sentences("Artikel 5 Absatz 1 Satz 2", 2, 4, load("de"))
    'Artikel 5 Absatz 1 Sätze 2 bis 4'

    A mark that distinguishes equal citations stays at the end; a citation without a sentence is returned unchanged.

    >>> cite_sentences("Annex, point 2, first sentence [2]", 1, 2, load("en"))
    'Annex, point 2, first and second sentences [2]'
    """
    name = ("sentence", "sentences", "sentences_range")[min(last - first, 2)]
    one = _form(Cite(None, "sentence", str(first), first), grammar, _FINAL)
    several = _form(Cite(None, name, str(first), first, last), grammar, _FINAL)
    stem, found, mark = citation.rpartition(one)
    return f"{stem}{several}{mark}" if found else citation


class SentenceForms(NamedTuple):
    """How sentences are named after the citation of their provision, for the first sentence, the second and so on."""

    one: tuple[str, ...]
    two: tuple[str, ...]
    """Each sentence with the next one."""
    opening: tuple[str, ...]
    closing: tuple[str, ...]
    """`opening` of the first and `closing` of the last sentence name a range of more than two."""


def sentence_forms(most: int, grammar: Grammar) -> SentenceForms:
    """The forms of `cite_sentences` for up to `most` sentences, for clients without a grammar.

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


def _compose_parent(level: Cite, grammar: Grammar, depth: int) -> str:
    """A level with its parents, cached: all its children need it."""
    if level.written is None:
        level.written = [None, None, None]
    text = level.written[depth]
    if text is None:
        text = level.written[depth] = _compose(level, grammar, depth)
    return text


def _compose(level: Cite, grammar: Grammar, depth: int) -> str:
    """A level with its parents, in the form for what follows (`depth`)."""
    text = _form(level, grammar, depth)
    parent = level.parent
    if parent is not None:
        if parent.name == "within":
            text = text.removeprefix(", ")
        elif level.name == "note" or (parent.name == "quoted" and text[0] not in " ,"):
            text = f", {text}"
        apart = text[0] == ","  # a level after a comma does not inflect the one before it
        text = _compose_parent(parent, grammar, _FINAL if apart else min(depth + 1, _OUTER)) + text
    return text


def _form(level: Cite, grammar: Grammar, depth: int) -> str:
    name = level.name
    if name in _AS_WRITTEN:
        return _AS_WRITTEN[name].replace("{n}", level.number)
    template = _template(grammar.citation[name], level, depth)
    before, placeholder, after = _split_template(template)
    if placeholder == "n":
        return f"{before}{level.number}{after}"
    if placeholder:
        return f"{before}{_value(placeholder, False, level, grammar)}{after}"
    return _fill(template, level, grammar)


def _fill(template: str, level: Cite, grammar: Grammar) -> str:
    return _PLACEHOLDER.sub(lambda match: _value(match[1], match[2] is not None, level, grammar), template)


@cache
def _split_template(template: str) -> tuple[str, str, str]:
    """Split a template at its only placeholder; all empty if it has none or several."""
    before, _, rest = template.partition("{")
    placeholder, _, after = rest.partition("}")
    return ("", "", "") if "{" in after else (before, placeholder, after)


def _template(forms: CitationForm, level: Cite, depth: int) -> str:
    name, parent = level.name, level.parent
    if parent is not None and (
        (name == "unnumbered" and parent.name not in ("", "article"))
        or (name == "paragraph" and parent.name == "quoted")
    ):
        return forms[_DIRECT + depth]
    if name not in _POINTS:
        return forms.first if forms.first and level.number == "1" else forms[depth]
    if _is_direct(parent):
        return forms[_DIRECT + depth]
    if parent is None or parent.name not in _POINTS:
        return forms[depth]
    return forms[(_UNDER if _is_direct(parent.parent) else _NESTED) + depth]


def _is_direct(parent: Cite | None) -> bool:
    """Whether a point is in an article or annex without a paragraph in between."""
    return parent is None or parent.name in _CONTAINERS


def _value(name: str, last: bool, level: Cite, grammar: Grammar) -> str:
    """The value of a placeholder: the number, with a full stop or sign after its digits, or an ordinal."""
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
