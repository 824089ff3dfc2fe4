"""What the XML back-ends share: a parser that trusts nothing, and a collector of lines.

Acts come from strangers. Nothing here fetches a DTD, opens a file that a document names, or expands an entity;
whatever is wrong with the input ends as one `ReadingError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.entities import html5
from itertools import chain
from typing import TYPE_CHECKING

from lexlattice.errors import ReadingError
from lexlattice.reading.formats.blocks import Block, Role, squeeze

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_DEPTH = 256

# A reference such as &nbsp;, outside the places where an ampersand is only an ampersand. Those that never end
# run to the end of the file, lest a file of nothing but their beginnings be searched over and over.
_REFERENCE = re.compile(rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|&([A-Za-z_:][\w:.-]*);", re.DOTALL)
_PREDEFINED = {b"amp", b"lt", b"gt", b"quot", b"apos"}


# --- parsing ----------------------------------------------------------------------------------------------


def parse_xml(data: bytes) -> _Element:
    """Parse XML and return its root element. Every XML back-end parses through here and nowhere else.

    >>> parse_xml(b"<a>5 &euro;</a>").text
    '5 €'
    """
    from lxml import etree  # costs more to import than most programs that use lexlattice need

    data = _REFERENCE.sub(_character, data.lstrip(b" \t\r\n"))
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
            f"The XML is not well-formed at line {error.lineno}: {reason}; fetch or save it again."
        ) from None
    except (LookupError, ValueError) as error:
        raise ReadingError(f"The XML cannot be decoded: {error}; save it as UTF-8 and try again.") from None
    _check_depth(root)
    return root


class _PrologEndsError(Exception):
    """Raised at the first element, where there is nothing more to declare."""


def _check_prolog(data: bytes) -> None:
    """Refuse a document that declares entities.

    Entities are how a kilobyte becomes a gigabyte and how a document reads files it was never given. Expat
    reports each declaration before anything expands it, and stops at the root element; a DOCTYPE that only
    names a DTD, as EUR-Lex XHTML does, is fine and the DTD is never fetched.
    """
    from xml.parsers import expat

    def declared(*_: object) -> None:
        raise ReadingError("The document declares XML entities, which are not accepted.")

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
            f"The XML is not well-formed at line {error.lineno}: {reason}; fetch or save it again."
        ) from None
    except (LookupError, ValueError) as error:
        raise ReadingError(f"The XML cannot be decoded: {error}; save it as UTF-8 and try again.") from None


def _character(match: re.Match[bytes]) -> bytes:
    """Write a named reference of HTML as numbers: without its DTD, XML knows five names only."""
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
    """Call `enter` on each node on the way down and `leave` on the way up; `enter` says whether to go in."""
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
    """Make a set of element names of a line of them."""
    return frozenset(words.split())


def is_mixed(element: _Element) -> bool:
    """Say whether an element has words of its own between its children, as a sentence has."""
    return bool((element.text or "").strip()) or any((child.tail or "").strip() for child in element)


# --- lines ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Frame:
    blocks: list[Block] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    blank: bool = True
    held: bool = False


class Lines:
    """Gathers running text into blocks.

    Text is written piece by piece and a line ends where the mark-up ends a paragraph. A footnote or a table
    cell in the middle of a sentence is collected on its own, between `open` and `close`, and the sentence
    goes on after it.
    """

    def __init__(self) -> None:
        self._frames = [_Frame()]

    @property
    def blocks(self) -> list[Block]:
        """The lines finished so far, on the level that is open."""
        return self._frames[-1].blocks

    @property
    def blank(self) -> bool:
        """Whether nothing has been written on the current line yet."""
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
        """Keep the line, which is a number so far, for the paragraph that comes next.

        The back-end that begins a paragraph asks `held` whether to end the line before it.
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
        """Start collecting lines of their own."""
        self._frames.append(_Frame())

    def close(self) -> list[Block]:
        """Stop, and hand over the lines collected since `open`."""
        self.end(None)
        return self._frames.pop().blocks
