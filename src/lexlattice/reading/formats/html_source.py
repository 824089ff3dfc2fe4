"""What the source of a page tells before it is parsed: where it was cut off, and whether a parser can cope with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape, unescape
from html.entities import html5
from typing import TYPE_CHECKING, Final

from lexlattice.errors import TooComplexError

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_ATTRIBUTES: Final = 1_000
"""Of one element: no page has as many, and the parser's time grows with their square."""
_LEAST_LENGTH: Final = 2 * MAX_ATTRIBUTES
"""Characters of the tag of an element with more attributes: a letter and a space for each."""
_QUOTED_BRACKET: Final = re.compile(r"""=\s*+(?:"[^">]*+>|'[^'>]*+>)""")
# What has no end extends to the end of the page, or many of them would take quadratic time.
_MARKUP: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)|<[/A-Za-z!?][^>]*+(?:>|\Z)", re.DOTALL | re.IGNORECASE
)
_COMPARED: Final = 20
"""Characters at the end of a page that are looked for in its text."""
_END: Final = re.compile(r"</(?:html|body)\b[^<>]*+>", re.IGNORECASE)
_NOTHING: Final = re.compile(r"(?:\s++|<!--.*?-->|</(?:html|body)\b[^<>]*+>)*+\Z", re.IGNORECASE | re.DOTALL)
_OPEN_TAG: Final = re.compile(r"<(?:[A-Za-z/!?][^>]*)?\Z")
_REFERENCE: Final = re.compile(r"&(?:#[xX]?[0-9A-Fa-f]*|([a-z]{2,}[0-9]*))\Z")
_LONGEST_REFERENCE: Final = 40
_CHARACTER_DATA: Final = re.compile(
    r"(<(script|style)\b.*?(?:</\2\s*>|\Z))|<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL | re.IGNORECASE
)
"""A section of text, unless it is in a script or a style sheet, where it is commented out."""
_COMMENT: Final = re.compile(r"<!--.*?(?:--!?>|(\Z))", re.DOTALL)
_HIDING: Final = (("<!--", "-->"), ("<script", "</script"), ("<style", "</style"), ("<title", "</title"))
"""What hides all text up to its end."""


def is_cut_off(source: str) -> bool:
    """Whether a page is never closed, or ends inside a tag, a character reference or something hidden.

    A fragment without a root element needs no end.

    >>> [is_cut_off(page) for page in ("<p>Bees", "<p>Bees</p", "<html><p>Bees</p>", "<p>Bees &am", "<p>R&D")]
    [False, True, True, True, False]
    """
    lowered = _COMMENT.sub(lambda comment: "" if comment[1] is None else comment[0], source.lower())
    root = next((name for name in ("html", "body") if f"<{name}" in lowered), None)
    if root is not None and lowered.rfind(f"</{root}") < lowered.rfind(f"<{root}"):
        return True
    if any(_is_open(lowered, start, end) for start, end in _HIDING):
        return True
    if _OPEN_TAG.match(source, max(0, source.rfind("<"))):
        return True
    reference = _REFERENCE.search(source[-_LONGEST_REFERENCE:])
    return reference is not None and (reference[1] is None or any(name.startswith(reference[1]) for name in html5))


def _is_open(lowered: str, start: str, end: str) -> bool:
    """Whether the last of something hidden has no end; in a script, the start of a comment is none."""
    place = lowered.rfind(start)
    if place < 0 or lowered.find(end, place) >= 0:
        return False
    if start != "<!--":
        return not lowered.endswith("/", place, max(place, lowered.find(">", place)))  # unless it ends itself
    return lowered.rfind("<script", 0, place) <= lowered.rfind("</script", 0, place)


def without_early_ends(source: str) -> str:
    """Return a page without the ends of its root elements if text follows them, which belongs to the page, too.

    A comment takes their place, since they may also be what ends a damaged tag.

    >>> without_early_ends("<html><body>Bees</body></html><p>are free")
    '<html><body>Bees<!----><!----><p>are free'
    """
    end = _END.search(source)
    return source if end is None or _NOTHING.match(source, end.start()) else _END.sub("<!---->", source)


def with_character_data(source: str) -> str:
    """Return a page with CDATA sections as text, as XHTML means them; a parser of HTML takes them for comments.

    >>> with_character_data("<p><![CDATA[Bees & wasps]]></p>")
    '<p>Bees &amp; wasps</p>'
    """
    if "<![CDATA[" not in source:
        return source
    return _CHARACTER_DATA.sub(lambda match: match[1] or escape(match[3], quote=False), source)


def ends_hidden(source: str, root: _Element) -> bool:
    """Whether the end of a page is not in the tree that its parser built, for a quotation mark is missing."""
    if not _QUOTED_BRACKET.search(source):
        return False
    from lxml import etree

    text = etree.tostring(root, method="text", encoding="unicode")
    shown = "".join(unescape(_MARKUP.sub("", source)).split())
    return bool(shown) and shown[-_COMPARED:] not in "".join(text.split())


def check_attributes(source: str) -> None:
    """Refuse a page with an element of more attributes than any act has.

    They are counted only where a tag may be long enough: without the ">" that ends it, or with one inside quotation
    marks.

    Raises:
        TooComplexError: There is such an element.
    """
    if not _has_stretch(source) and not _QUOTED_BRACKET.search(source):
        return
    from lxml import etree

    counter = _Counter()
    # A parser that builds no tree takes linear time.
    parser = etree.HTMLParser(encoding="utf-8", target=counter)  # type: ignore[arg-type]  # what is missing is optional
    etree.fromstring(source.encode("utf-8", "replace"), parser)
    if counter.most > MAX_ATTRIBUTES:
        raise TooComplexError(
            f"An element of the page has more than {MAX_ATTRIBUTES:,} attributes, which no act needs; save the page "
            "again and try again."
        )


def _has_stretch(source: str) -> bool:
    """Whether there are as many characters without a ">" as a tag with too many attributes has."""
    start = 0
    while start + _LEAST_LENGTH <= len(source):
        place = source.rfind(">", start, start + _LEAST_LENGTH)
        if place < 0:
            return True
        start = place + 1
    return False


class _Counter:
    """Receives the elements of a page and counts their attributes."""

    most = 0

    def start(self, _tag: str, attributes: Mapping[str, str]) -> None:
        self.most = max(self.most, len(attributes))

    def close(self) -> None:
        """Return nothing, since no tree was built."""
