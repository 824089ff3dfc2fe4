"""Pages saved from a web site: find the act inside the site's frame by structure, never by words.

The frame is everything that belongs to the site: menus, forms, dialogues, page header and footer.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from lexlattice.errors import NotAnActError
from lexlattice.reading.formats.blocks import iso_day, squeeze
from lexlattice.reading.formats.tables import SKIPPED, text_of

if TYPE_CHECKING:
    from lxml.etree import _Element

MIN_PAGE: Final = 1000
"""Characters outside links that a page of an unknown site has at least, if it contains an act."""
_MIN_ACT: Final = 300
"""The same for the element in which a known site puts its documents."""
_MAX_LINKED: Final = 0.5
"""Share of a text that may be inside links: with more it is a menu or a list of results."""
_SEARCHED: Final = 200_000
"""Characters of a page that are searched for the number of its document."""
_FIRST_ELEMENTS: Final = 40
"""Elements among which a document states its language."""
_MIN_MARKED: Final = 3
"""Elements with classes of the Official Journal that prove that a page contains an act."""

_FRAME: Final = ("nav", "form", "aside", "dialog", "button", "header", "footer")
_CONTROLS: Final = ("nav", "form", "button", "input", "img", "svg")
_ROLES: Final = frozenset("navigation banner contentinfo search dialog alertdialog complementary menu menubar".split())
_MAX_FRAME: Final = 2_000
"""Characters outside links that the frame of a site has at most."""
_NO_PROSE: Final = SKIPPED | {"a"}
_SCRIPTED: Final = ("script", "noscript")
_HOLDERS: Final = ("document1", "TexteOnly", "docHtml", "textTabContent", "PP4Contents", "text")
"""Ids of the elements in which EUR-Lex puts the text of a document, innermost first."""
_EURLEX_FRAME: Final = frozenset("documentView op-header PP1Contents EurlexContent".split())
"""Ids and classes of EUR-Lex's frame."""
# Classes of the Official Journal ("oj-…") and of consolidated texts.
_OJ_CLASS: Final = re.compile(
    r"(?:^|\s)(?:oj-[a-z]\S*|ti-art|sti-art|doc-ti|title-(?:doc-first|doc-last|article-norm|annex-1|division-1))(?:\s|$)"
)
_STATED_NUMBERS: Final = (
    re.compile(r"""\bWT\.z_docID["']\s+content=["']([^"']{8,40})["']"""),
    re.compile(r"saved from url=\S{0,300}?CELEX(?:%3A|:)([^&#\s\"'<>]{8,40})", re.IGNORECASE),
    re.compile(r"""["']uri["']\s+value=["']CELEX:([^"']{8,40})["']"""),
    re.compile(r"""\b(?:eli:id_local|id_local)["'][^<>]{0,80}?\bcontent=["']([^"']{8,40})["']"""),
    re.compile(r"""(?:canonical|og:url)["'][^<>]{0,300}?CELEX(?:%3A|:)([^&#\s"'<>]{8,40})""", re.IGNORECASE),
    re.compile(r"""[?&;]uri=CELEX(?:%3A|:)([^&#\s"'<>]{8,40})""", re.IGNORECASE),
)
"""Where the frame states the number of the document it shows, most reliable first."""
_ELI: Final = re.compile(r"/eli/(reg|dir|dec)(?:_impl|_del)?/(\d{4})/(\d{1,4})/(?:oj|\d{4}-\d\d-\d\d)\b")
_LETTERS: Final = {"reg": "R", "dir": "L", "dec": "D"}
_NUMBER: Final = re.compile(r"([0-9C])(\d{4}[A-Z]{1,2}\d{4})((?:\(\d\d\))*)(?:-(\d{4})(\d\d)(\d\d))?(?![\w(])")


@dataclass(slots=True)
class SavedPage:
    """The element of a page that contains the act, and what the frame says about it."""

    root: _Element
    has_frame: bool = False
    celex: str | None = None
    language: str | None = None
    consolidated: str | None = None
    """The date of a consolidated text, empty if the frame does not state it; `None` for other texts."""
    is_multilingual: bool = False
    """Whether the page shows the act in several languages, of which the first is taken."""
    left_out: str = ""
    """Text that is not in the element and may be of an act: with the Journal's classes, or longer than a frame has."""


def find_act(root: _Element, text: str) -> SavedPage:
    """Find the act in a page; a page that contains nothing but a frame is refused."""
    has_frame = any(map(_is_frame, root.iter(*_FRAME)))
    if not has_frame and next(root.iter(*_SCRIPTED), None) is None:
        return SavedPage(root)
    is_eurlex = _is_eurlex(root)
    celex, day = _stated_number(text, is_eurlex=is_eurlex)
    paragraphs = [p for p in root.iter("p") if _OJ_CLASS.search(p.get("class") or "")]
    before = _prose(root)
    holder = _holder(root, is_eurlex=is_eurlex) if has_frame else None
    if holder is None or not _is_prose(holder, _MIN_ACT):
        marked = _around_marked(root if holder is None else holder)
        if marked is not None and not has_frame:
            return SavedPage(root)
        if marked is None and (is_eurlex or holder is not None):
            raise no_act_error(celex)
        if marked is not None:
            holder = marked if holder is None else holder
            _remove_frame(holder)
        else:
            holder = _main(root)
            _remove_frame(holder)
            if not _is_prose(holder, MIN_PAGE if has_frame else _MIN_ACT):
                raise no_act_error(celex)
    is_multilingual = _by_id(root, "document2") is not None
    left_out = "" if is_multilingual else _left_out(before, paragraphs, holder)
    return SavedPage(holder, has_frame, celex, _language(holder), day, is_multilingual, left_out)


def _left_out(before: Counter[str], paragraphs: list[_Element], holder: _Element) -> str:
    """Return the text that may be of an act and is not in its element."""
    lost = before - _prose(holder)
    if sum(map(len, lost.elements())) > _MAX_FRAME:
        return " ".join(lost.elements())
    kept = set(holder.iter("p"))
    return " ".join(text_of(p) for p in paragraphs if p not in kept)


def _prose(element: _Element) -> Counter[str]:
    """Return the pieces of text outside links, controls and scripts."""
    from lxml import etree

    pieces: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if event == "end":
            text = node.tail if node is not element else None
        elif node.tag in _NO_PROSE:
            walk.skip_subtree()
            continue
        else:
            text = node.text
        if text and not text.isspace():
            pieces.append(squeeze(text))
    return Counter(pieces)


def no_act_error(celex: str | None) -> NotAnActError:
    """The error for a page that shows an error, a menu or a consent form instead of an act."""
    number = f"CELEX number {celex}" if celex else "CELEX number"
    return NotAnActError(
        f"The page shows no text of an act; save the HTML or PDF version of the document itself, or give its {number}."
    )


def _is_frame(element: _Element) -> bool:
    """Whether an element is part of the frame: a menu, form or dialogue, or header or footer with controls or links.

    What contains a whole text is not: some sites put the page into a form, and damaged pages into a header.
    """
    tag, role = element.tag, element.get("role")
    if tag in ("header", "footer"):
        has_controls = next(element.iterdescendants(*_CONTROLS), None) is not None or _is_linked(element)
        return has_controls and not _is_prose(element, MIN_PAGE)
    if tag in ("dialog", "button") or role in ("dialog", "alertdialog"):
        return True
    return (tag in _FRAME or role in _ROLES) and not _is_prose(element, MIN_PAGE)


def _is_eurlex(root: _Element) -> bool:
    """Whether the frame is that of EUR-Lex."""
    return any(
        element.get("id") in _EURLEX_FRAME or not _EURLEX_FRAME.isdisjoint((element.get("class") or "").split())
        for element in root.iter("div", "header", "main")
    )


def _by_id(root: _Element, name: str) -> _Element | None:
    return next(iter(root.xpath("//*[@id=$name]", name=name)), None)  # type: ignore[arg-type, return-value]


def _holder(root: _Element, *, is_eurlex: bool) -> _Element | None:
    """Return the element in which the site puts the document."""
    names = _HOLDERS if is_eurlex else _HOLDERS[:-1]
    return next((found for name in names if (found := _by_id(root, name)) is not None), None)


def _around_marked(root: _Element) -> _Element | None:
    """Return the innermost element around all elements with classes of the Official Journal."""
    # In document order, the common ancestor of the first and the last element contains all others.
    marked = [p for p in root.iter("p", "div") if _OJ_CLASS.search(p.get("class") or "")]
    if len(marked) < _MIN_MARKED:
        return None
    around = [marked[0], *marked[0].iterancestors()]
    last = {marked[-1], *marked[-1].iterancestors()}
    return next(element for element in around if element in last and element is not marked[0])


def _main(root: _Element) -> _Element:
    """Return the main part of a page if it has exactly one, else the page."""
    mains = [e for e in root.iter("main", "div") if e.tag == "main" or e.get("role") == "main"]
    mains = mains or list(root.iter("article"))
    return mains[0] if len(mains) == 1 else root


def _remove_frame(holder: _Element) -> None:
    """Remove the parts of the frame inside an element; text between them stays."""
    for element in list(holder.iter(*_FRAME, "div", "section", "ul")):
        if element is not holder and _is_frame(element):
            _remove(element)


def _remove(element: _Element) -> None:
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:  # lxml removes an element together with the text after it
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _is_prose(holder: _Element, least: int) -> bool:
    """Whether an element has at least `least` characters outside links, and more of them than inside."""
    linked = sum(map(_length, holder.iter("a")))
    return _length(holder) - linked >= least and not _is_linked(holder)


def _is_linked(element: _Element) -> bool:
    """Whether most of an element's text is inside links."""
    return sum(map(_length, element.iter("a"))) > _MAX_LINKED * _length(element)


def _length(element: _Element) -> int:
    """Return the number of visible characters."""
    return len(text_of(element)) - sum(len(text_of(e)) for e in element.iter("script", "style", "noscript", "button"))


def _language(holder: _Element) -> str | None:
    """Return the language stated by the document's own element; the page states that of the menus."""
    for element in islice(holder.iter("div", "p", "body"), _FIRST_ELEMENTS):
        stated = element.get("lang") or element.get("xml:lang") or ""
        if stated.isalpha() and len(stated) == 2:
            return stated.lower()
        names = (element.get("class") or "").replace("oj-", "").split()
        code = text_of(element) if "hd-lg" in names else ""
        if len(code) == 2 and code.isalpha():
            return code.lower()
    return None


def _stated_number(text: str, *, is_eurlex: bool) -> tuple[str | None, str | None]:
    """Return the CELEX number that the frame states and, for a consolidated text, its date.

    Links contain numbers too, but only those of EUR-Lex itself reliably refer to the act on the page.
    """
    for pattern in _STATED_NUMBERS if is_eurlex else _STATED_NUMBERS[:-1]:
        found = pattern.search(text[:_SEARCHED])
        number = _NUMBER.match(found.group(1).replace("%28", "(").replace("%29", ")")) if found else None
        if number:
            sector, core, further, *day = number.groups()
            if sector == "0":
                return f"3{core}{further}", iso_day(*day) if day[0] else ""
            return f"{sector}{core}{further}", None
    act = _ELI.search(text[:_SEARCHED]) if is_eurlex else None
    return (f"3{act.group(2)}{_LETTERS[act.group(1)]}{int(act.group(3)):04d}", None) if act else (None, None)
