"""A page saved from a web site: the act inside, told from the site's frame by structure, never by words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from lexlattice.errors import ReadingError
from lexlattice.reading.formats.blocks import iso_day
from lexlattice.reading.formats.html_tables import text_of

if TYPE_CHECKING:
    from lxml.etree import _Element

SHORTEST_ACT: Final = 300
"""Characters outside links that the element a site keeps documents in has at least, if it holds one."""
SHORTEST_PAGE: Final = 1000
"""The same of a page whose site is unknown."""
MOST_LINKED: Final = 0.5
"""Share of a page's text that may stand in links: more is a menu or a list of results."""
LONGEST_HEAD: Final = 200_000
"""Characters in which a frame says what it is around."""
NEAR_THE_TOP: Final = 40
"""Elements among which a document states its language."""
FEWEST_MARKED: Final = 3
"""So many elements with the classes of the Official Journal show that an act is among them."""

_FRAME: Final = ("nav", "form", "aside", "dialog", "button", "header", "footer")
_CONTROLS: Final = ("nav", "form", "button", "input", "img", "svg")
_ROLES: Final = frozenset("navigation banner contentinfo search dialog alertdialog complementary menu menubar".split())
_SCRIPTED: Final = ("script", "noscript")
_HOLDERS: Final = ("document1", "TexteOnly", "docHtml", "textTabContent", "PP4Contents", "text")
"""Ids of the elements in which EUR-Lex keeps a document's text, innermost first."""
_SITE: Final = frozenset("documentView op-header PP1Contents EurlexContent".split())
"""Ids and classes of the frame of EUR-Lex."""
_MARKED: Final = re.compile(
    r"(?:^|\s)(?:oj-[a-z]\S*|ti-art|sti-art|doc-ti|title-(?:doc-first|doc-last|article-norm|annex-1|division-1))(?:\s|$)"
)
_NAMED: Final = (
    re.compile(r"""\bWT\.z_docID["']\s+content=["']([^"']{8,40})["']"""),
    re.compile(r"saved from url=\S{0,300}?CELEX(?:%3A|:)([^&#\s\"'<>]{8,40})", re.IGNORECASE),
    re.compile(r"""["']uri["']\s+value=["']CELEX:([^"']{8,40})["']"""),
    re.compile(r"""\b(?:eli:id_local|id_local)["'][^<>]{0,80}?\bcontent=["']([^"']{8,40})["']"""),
    re.compile(r"""(?:canonical|og:url)["'][^<>]{0,300}?CELEX(?:%3A|:)([^&#\s"'<>]{8,40})""", re.IGNORECASE),
    re.compile(r"""[?&;]uri=CELEX(?:%3A|:)([^&#\s"'<>]{8,40})""", re.IGNORECASE),
)
"""Where the frame says which document it is around, surest first."""
_ELI: Final = re.compile(r"/eli/(reg|dir|dec)(?:_impl|_del)?/(\d{4})/(\d{1,4})/(?:oj|\d{4}-\d\d-\d\d)\b")
_LETTERS: Final = {"reg": "R", "dir": "L", "dec": "D"}
_NUMBER: Final = re.compile(r"([0-9C])(\d{4}[A-Z]{1,2}\d{4})((?:\(\d\d\))*)(?:-(\d{4})(\d\d)(\d\d))?(?![\w(])")


@dataclass(slots=True)
class Saved:
    """What a saved page holds: the element with the act, and what the frame says about it."""

    root: _Element
    framed: bool = False
    celex: str | None = None
    language: str | None = None
    consolidated: str | None = None
    """Of a consolidated text its day, or nothing where the frame does not state it; none for others."""
    several: bool = False
    """Whether the page shows the act in more than one language, of which the first is taken."""


def unframe(root: _Element, text: str) -> Saved:
    """Find the act in a page; a page that is nothing but a frame is refused."""
    framed = _is_framed(root)
    if not framed and next(root.iter(*_SCRIPTED), None) is None:
        return Saved(root)
    site = _is_site(root)
    celex, day = _number(text, site=site)
    holder = _holder(root, site=site) if framed else None
    if holder is None or not _reads_as_text(holder, SHORTEST_ACT):
        marked = _around_marked(root if holder is None else holder)
        if marked is not None and not framed:
            return Saved(root)
        if marked is None and (site or holder is not None):
            raise no_act(celex)
        if marked is not None:
            holder = marked if holder is None else holder
            _remove_frame(holder)
        else:
            holder = _main(root)
            _remove_frame(holder)
            if not _reads_as_text(holder, SHORTEST_PAGE if framed else SHORTEST_ACT):
                raise no_act(celex)
    return Saved(holder, framed, celex, _language(holder), day, _by_id(root, "document2") is not None)


def no_act(celex: str | None) -> ReadingError:
    """What is said of a page that shows an error, a menu or a question about cookies."""
    number = f"CELEX number {celex}" if celex else "CELEX number"
    return ReadingError(
        f"The page shows no text of an act; save the HTML or PDF version of the document itself, or give its {number}."
    )


def _is_framed(root: _Element) -> bool:
    return any(map(_is_frame, root.iter(*_FRAME)))


def _is_frame(element: _Element) -> bool:
    """Whether an element is a site's: a menu, a form or a box, or a page's head or foot that has such or links."""
    tag = element.tag
    if tag in ("header", "footer"):
        return next(element.iterdescendants(*_CONTROLS), None) is not None or _is_linked(element)
    if tag == "form":
        return not _reads_as_text(element, SHORTEST_PAGE)  # some sites put all of a page into a form
    return tag in _FRAME or element.get("role") in _ROLES


def _is_site(root: _Element) -> bool:
    """Whether the frame is that of EUR-Lex."""
    return any(
        element.get("id") in _SITE or not _SITE.isdisjoint((element.get("class") or "").split())
        for element in root.iter("div", "header", "main")
    )


def _by_id(root: _Element, name: str) -> _Element | None:
    return next(iter(root.xpath("//*[@id=$name]", name=name)), None)  # type: ignore[arg-type, return-value]


def _holder(root: _Element, *, site: bool) -> _Element | None:
    """The element that a site keeps the document in."""
    names = _HOLDERS if site else _HOLDERS[:-1]
    return next((found for name in names if (found := _by_id(root, name)) is not None), None)


def _around_marked(root: _Element) -> _Element | None:
    """The innermost element around all that has the classes of the Official Journal's pages."""
    marked = [p for p in root.iter("p", "div") if _MARKED.search(p.get("class") or "")]
    if len(marked) < FEWEST_MARKED:
        return None
    around = [marked[0], *marked[0].iterancestors()]
    last = {marked[-1], *marked[-1].iterancestors()}
    return next(element for element in around if element in last and element is not marked[0])


def _main(root: _Element) -> _Element:
    """The page's main part, where it has one, and only one."""
    mains = [e for e in root.iter("main", "div") if e.tag == "main" or e.get("role") == "main"]
    mains = mains or list(root.iter("article"))
    return mains[0] if len(mains) == 1 else root


def _remove_frame(holder: _Element) -> None:
    """Take out what is the site's; the text behind it stays."""
    for element in list(holder.iter(*_FRAME, "div", "section", "ul")):
        if element is not holder and _is_frame(element):
            _remove(element)


def _remove(element: _Element) -> None:
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _reads_as_text(holder: _Element, least: int) -> bool:
    """Whether an element holds enough text outside of links, and not mostly links."""
    linked = sum(map(_length, holder.iter("a")))
    return _length(holder) - linked >= least and not _is_linked(holder)


def _is_linked(element: _Element) -> bool:
    """Whether most of an element's text stands in links."""
    return sum(map(_length, element.iter("a"))) > MOST_LINKED * _length(element)


def _length(element: _Element) -> int:
    """Characters of an element that a reader sees."""
    return len(text_of(element)) - sum(len(text_of(e)) for e in element.iter("script", "style", "noscript", "button"))


def _language(holder: _Element) -> str | None:
    """The language that the document's own element states: the frame's is that of the menus."""
    for element in islice(holder.iter("div", "p", "body"), NEAR_THE_TOP):
        stated = element.get("lang") or element.get("xml:lang") or ""
        if stated.isalpha() and len(stated) == 2:
            return stated.lower()
        names = (element.get("class") or "").replace("oj-", "").split()
        code = text_of(element) if "hd-lg" in names else ""
        if len(code) == 2 and code.isalpha():
            return code.lower()
    return None


def _number(text: str, *, site: bool) -> tuple[str | None, str | None]:
    """The act's CELEX number by the frame and, of a consolidated text, its day.

    Links name acts too, but only those of the site itself are sure to be about the one it shows.
    """
    for pattern in _NAMED if site else _NAMED[:-1]:
        found = pattern.search(text[:LONGEST_HEAD])
        number = _NUMBER.match(found.group(1).replace("%28", "(").replace("%29", ")")) if found else None
        if number:
            sector, core, further, *day = number.groups()
            if sector == "0":
                return f"3{core}{further}", iso_day(*day) if day[0] else ""
            return f"{sector}{core}{further}", None
    act = _ELI.search(text[:LONGEST_HEAD]) if site else None
    return (f"3{act.group(2)}{_LETTERS[act.group(1)]}{int(act.group(3)):04d}", None) if act else (None, None)
