"""Shared by the XML back-ends: a parser for untrusted files, and a collector of lines.

Nothing here fetches a DTD, opens a file that a document names, or expands an entity; everything that is wrong with the
input ends in a `ReadingError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.entities import html5
from itertools import chain
from typing import TYPE_CHECKING, Final

from lexlattice.errors import ReadingError
from lexlattice.reading.formats.blocks import Block, Role, squeeze

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_DEPTH: Final = 256

# An entity reference such as &nbsp;. CDATA sections and comments are matched as a whole, since an ampersand means
# nothing in them; unterminated ones extend to the end of the file, or many of them would take quadratic time.
_REFERENCE: Final = re.compile(rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|&([A-Za-z_:][\w:.-]*);", re.DOTALL)
_PREDEFINED: Final = {b"amp", b"lt", b"gt", b"quot", b"apos"}


def parse_xml(data: bytes) -> _Element:
    """Parse XML and return its root element; every XML back-end parses with this function.

    >>> parse_xml(b"<a>5 &euro;</a>").text
    '5 €'
    """
    from lxml import etree  # slow to import, and not needed for plain text

    data = _REFERENCE.sub(_numeric_reference, data.lstrip(b" \t\r\n"))
    _check_prolog(data)
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, remove_comments=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        reason = squeeze(re.sub(r", line \d+, column \d+.*", "", str(error.msg), flags=re.DOTALL))
        if "depth" in reason:
            raise _too_deep() from None
        raise ReadingError(
            f"The XML is not well-formed at line {error.lineno}: {reason}; download or save it again.",
            code="damaged",
        ) from None
    except (LookupError, ValueError) as error:
        raise ReadingError(
            f"The XML cannot be decoded: {error}; save it as UTF-8 and try again.", code="damaged"
        ) from None
    _check_depth(root)
    return root


class _PrologEndsError(Exception):
    """Raised at the first element, where the prolog ends."""


def _check_prolog(data: bytes) -> None:
    """Refuse a document that declares entities.

    Entities can expand a kilobyte to a gigabyte, and can include local files. Expat reports each declaration before
    anything expands it, and stops at the root element. A DOCTYPE that only names a DTD, as in EUR-Lex XHTML, is
    accepted; the DTD is never fetched.
    """
    from xml.parsers import expat

    def declared(*_: object) -> None:
        raise ReadingError("The document declares XML entities, which are not accepted.", code="unsafe")

    def element(*_: object) -> None:
        raise _PrologEndsError

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = declared
    parser.StartElementHandler = element
    try:
        parser.Parse(data, True)
    except _PrologEndsError:
        pass
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, "unreadable")
        raise ReadingError(
            f"The XML is not well-formed at line {error.lineno}: {reason}; download or save it again.",
            code="damaged",
        ) from None
    except (LookupError, ValueError) as error:
        raise ReadingError(
            f"The XML cannot be decoded: {error}; save it as UTF-8 and try again.", code="damaged"
        ) from None


def _numeric_reference(match: re.Match[bytes]) -> bytes:
    """Replace a named reference of HTML by numeric ones: without a DTD, XML defines five names only."""
    name = match.group(1)
    if name is None or name in _PREDEFINED:
        return match.group()
    characters = html5.get(name.decode("ascii") + ";")
    if characters is None:
        return b"&amp;" + name + b";"
    return "".join(f"&#{ord(c)};" for c in characters).encode("ascii")


def _check_depth(root: _Element) -> None:
    level: list[_Element] = [root]
    for _ in range(MAX_DEPTH):
        level = list(chain.from_iterable(level))
        if not level:
            return
    raise _too_deep()


def _too_deep() -> ReadingError:
    return ReadingError(f"The XML is nested more than {MAX_DEPTH} elements deep, which no act is.")


def traverse(root: _Element, enter: Callable[[_Element], bool], leave: Callable[[_Element], None]) -> None:
    """Walk a tree: call `enter` before and `leave` after the children of each node.

    `enter` returns whether to visit the children. A stack instead of recursion, since files may nest deeply.
    """
    stack: list[tuple[_Element, Iterator[_Element]]] = [(root, iter(root if enter(root) else ()))]
    while stack:
        node, children = stack[-1]
        child = next(children, None)
        if child is None:
            leave(node)
            stack.pop()
        else:
            stack.append((child, iter(child if enter(child) else ())))


def names(words: str) -> frozenset[str]:
    """Return a set of element names from a string of them."""
    return frozenset(words.split())


def is_mixed(element: _Element) -> bool:
    """Whether an element has text between its children, as a sentence with inline mark-up has."""
    return bool((element.text or "").strip()) or any((child.tail or "").strip() for child in element)


@dataclass(slots=True)
class _Frame:
    blocks: list[Block] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    blank: bool = True
    held: bool = False


class Lines:
    """Collects running text into blocks.

    Text is written piece by piece, and a line ends where the mark-up ends a paragraph. A footnote or a table cell in
    the middle of a sentence is collected separately, between `open` and `close`; the sentence continues after it.
    """

    def __init__(self) -> None:
        self._frames = [_Frame()]

    @property
    def blocks(self) -> list[Block]:
        """The finished lines of the level that is open."""
        return self._frames[-1].blocks

    @property
    def blank(self) -> bool:
        """Whether the current line is empty."""
        return self._frames[-1].blank

    @property
    def held(self) -> bool:
        """Whether the current line is a number that waits for its paragraph."""
        return self._frames[-1].held

    def write(self, text: str | None) -> None:
        """Add text to the current line."""
        if text:
            frame = self._frames[-1]
            frame.pieces.append(text)
            if text.strip():
                frame.blank = frame.held = False

    def hold(self) -> None:
        """Keep the line, which is only a number so far, for the next paragraph.

        A back-end that begins a paragraph checks `held` before it ends the previous line.
        """
        self.write(" ")
        self._frames[-1].held = not self.blank

    def end(self, role: Role | None, level: int = 0) -> None:
        """End the current line."""
        frame = self._frames[-1]
        text = squeeze("".join(frame.pieces))
        frame.pieces, frame.blank, frame.held = [], True, False
        if text:
            frame.blocks.append(Block(text, role, level))

    def open(self) -> None:
        """Start collecting separate lines."""
        self._frames.append(_Frame())

    def close(self) -> list[Block]:
        """Stop, and return the lines collected since `open`."""
        self.end(None)
        return self._frames.pop().blocks
