"""A summary as one page: its provisions on one side, on the other the whole act with each of them marked.

Provisions and places are linked to each other, so that it works in any browser, without scripts and from the keyboard.
Nothing is loaded from anywhere, and nothing runs but the page's own script: an act is the text of others, to be shown.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from html import escape
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Final
from urllib.parse import quote

from lexlattice.act.document import Act, Furniture, Section, Unit
from lexlattice.act.hierarchy import indent_depths
from lexlattice.act.summary import Item, Summary
from lexlattice.rendering.blocks import Block, Line, Mark
from lexlattice.rendering.cover import cover, is_set_small
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.status import disclaimer
from lexlattice.rendering.text import number, parts, title, told

_FOLDER: Final = Path(__file__).parent
_ITEM: Final = "item:"
"""What the id of an item has before that of its unit."""
_DEEPEST: Final = 4
"""Indenting further would leave no room for the text."""
_FITTING: Final = 3
"""Columns that fit a narrow window; tables of more are scrolled there, and must be reached from the keyboard."""


def to_html(summary: Summary, *, group: bool = False) -> str:
    """One file, to be opened or sent; with `group` its provisions stand under the headings of official summaries."""
    act, words = summary.act, phrases(summary.act.language)
    style, script = (_FOLDER.joinpath(name).read_text("utf-8") for name in ("html.css", "html.js"))
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    depths = {unit.id: depth for unit, depth in zip(act.units, indent_depths(act, _DEEPEST), strict=True)}
    lines = [
        "<!doctype html>",
        f'<html lang="{escape(act.language)}">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(title(summary))}</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        '<main class="summary" tabindex="0">',
        *_front(summary, group),
        *_provisions(summary, group, depths),
        "<footer>",
        *(f'<p class="warning" lang="en">{_text(warning)}</p>' for warning in told(summary)[1]),
        f"<p>{_text(disclaimer(act))}</p>",
        "</footer>",
        "</main>",
        f'<section class="act" aria-label="{escape(words.act)}" tabindex="0">',
        f'<header><h2>{_text(words.act)}</h2> <a href="#">{_text(words.summary)}</a></header>',
        *_act(act, {item.id: item for item in summary}, depths),
        "</section>",
        f"<script>{script}</script>",
        "</body>",
        "</html>",
    ]
    return "\n".join(lines)


def _front(summary: Summary, group: bool) -> Iterator[str]:
    act, words = summary.act, phrases(summary.act.language)
    yield "<header>"
    yield f'<p class="overline">{_text(words.summary)}</p>'
    yield f'<h1 class="{"small" if is_set_small(act) else "large"}">{_text(title(summary))}</h1>'
    celex = f"{words.celex} {number(act)}" if act.celex else ""
    facts = cover(summary, celex=celex, day=f"{words.date} {act.date}" if act.date else "")
    yield f'<ul class="facts">{"".join(f"<li>{_text(fact)}</li>" for fact in facts)}</ul>'
    yield from (f'<p class="warning" role="alert">{_text(notice)}</p>' for notice in told(summary)[0])
    if not group and summary.items:
        yield f'<p class="note">{_text(words.contents_note)}</p>'
    yield "</header>"


def _provisions(summary: Summary, group: bool, depths: Mapping[str, int]) -> Iterator[str]:
    words = phrases(summary.act.language)
    for name, blocks in parts(summary, group):
        yield "<section>"
        if name:
            yield f"<h2>{_text(words.groups[name])}</h2>"
        level = 3 if name else 2
        yield "<ol>"
        for block in blocks:
            first = block.items[0].id
            yield f'<li class="item" id="{_ITEM}{escape(first)}">'
            if block.heading:
                yield f'<h{level} class="of-section">{_text(block.heading)}</h{level}>'
            yield f'<a href="{_link(first)}" title="{escape(words.show_in_act)}">{_text(block.citation)}</a>'
            yield from _lines(block, partial(_folded, summary.act, depths))
            yield "</li>"
        yield "</ol>"
        yield "</section>"


def _lines(block: Block, folded: Callable[[Mark], str]) -> Iterator[str]:
    """The lines of a provision, those of points in lists as deep as they are nested."""
    depth = 0
    for line in block.lines:
        level = min(line.level, depth + 1)
        if level > depth:
            yield '<ul class="points">'
        else:
            yield "</li></ul>" * (depth - level) + ("</li>" if level else "")
        depth = level
        yield ("<li>" if level else "") + _line(line, block.items[0], folded)
    yield "</li></ul>" * depth


def _line(line: Line, first: Item, folded: Callable[[Mark], str]) -> str:
    """A line; all it holds but the first item of the block, which its block stands for, can be linked to by its id."""
    if not line.items:
        shown = "".join(folded(piece) for piece in line.pieces if isinstance(piece, Mark))
    elif line.rows:
        shown = _table(line.rows)
        if line.items[0] is not first:
            shown = f'<div id="{_ITEM}{escape(line.items[0].id)}">{shown}</div>'
    else:
        # A paragraph cannot hold what unfolds, so a line that has marks is none.
        tag = "div" if len(line.items) < len(line.pieces) else "p"
        shown = f'<{tag} class="line">{" ".join(_piece(piece, first, folded) for piece in line.pieces)}</{tag}>'
    return shown + "".join(f'<p class="why">{_text(reason)}</p>' for reason in line.reasons)


def _piece(piece: Item | Mark, first: Item, folded: Callable[[Mark], str]) -> str:
    if isinstance(piece, Mark):
        return folded(piece)
    return _text(piece.text) if piece is first else f'<span id="{_ITEM}{escape(piece.id)}">{_text(piece.text)}</span>'


def _folded(act: Act, depths: Mapping[str, int], mark: Mark) -> str:
    """A mark that unfolds: all that is left out, word for word, each provision with a link to its place in the act."""
    outer = min((depths[unit.id] for unit in mark.units), default=0)
    lines = []
    for provision, units in groupby(mark.units, key=attrgetter("provision")):
        run = tuple(units)
        cited = act.wholes.get(provision, run[0].citation) if len(run) > 1 else run[0].citation
        link = f'<a href="{_link(run[0].id)}">{_text(cited)}</a>'
        shown = _table(run[0].rows) if run[0].rows else _text(" ".join(unit.text for unit in run))
        lines.append(f'<div class="line depth-{depths[run[0].id] - outer}">{shown} {link}</div>')
    title = escape(" · ".join(mark.cut.citations))
    return f'<details class="cut"><summary title="{title}">{_text(mark.text)}</summary>{"".join(lines)}</details>'


# --- the act ----------------------------------------------------------------------------------------------


def _act(act: Act, chosen: Mapping[str, Item], depths: Mapping[str, int]) -> Iterator[str]:
    """The source from the first character to the last, each piece as what it is."""
    pieces: list[Unit | Furniture] = sorted((*act.units, *act.furniture), key=attrgetter("start"))
    sections = {section.label: section for section in act.sections if section.label}
    for kind, run in groupby(pieces, _piece_kind):
        if kind == "table unit":
            tables = (piece for piece in run if isinstance(piece, Unit))
            yield from (_table_unit(act, unit, chosen.get(unit.id), depths[unit.id]) for unit in tables)
        elif kind == "unit":
            yield _paragraphs(act, (piece for piece in run if isinstance(piece, Unit)), chosen, depths)
        elif kind == "heading":
            yield from _headings((act.source[piece.start : piece.end] for piece in run), sections)
        else:
            yield from (f'<p class="{kind}">{_text(act.source[piece.start : piece.end])}</p>' for piece in run)


def _piece_kind(piece: Unit | Furniture) -> str:
    if isinstance(piece, Furniture):
        return piece.kind
    return "table unit" if piece.kind == "table" else "unit"


def _table_unit(act: Act, unit: Unit, item: Item | None, depth: int) -> str:
    """A table of the act, with a way back to the item if it is in the summary."""
    if item is None:
        return f'<div id="{escape(unit.id)}" class="depth-{depth}">{_table(unit.rows)}</div>'
    label = f"{phrases(act.language).summary}: {item.citation}"
    back = f'<a href="{_link(_ITEM + item.id)}" aria-label="{escape(label)}"></a>'
    return f'<div id="{escape(unit.id)}" class="place depth-{depth}">{back}{_table(unit.rows)}</div>'


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Rows and cells as they are, since nothing says which of them are heads; what is too wide can be scrolled."""
    width = max(map(len, rows))
    lines = ("".join(f"<td>{_text(cell)}</td>" for cell in row) + "<td></td>" * (width - len(row)) for row in rows)
    focus = ' tabindex="0"' if width > _FITTING else ""
    return f'<div class="table"{focus}><table>{"".join(f"<tr>{cells}</tr>" for cells in lines)}</table></div>'


def _headings(texts: Iterable[str], sections: Mapping[str, Section]) -> Iterator[str]:
    """Headings that follow each other; "Article 5" and the heading below it are one."""
    section = None
    lines: list[str] = []
    for text in texts:
        if section is None or text not in section.heading:
            if lines:
                yield _heading(lines, section)
            section = sections.get(text)
            lines = []
        lines.append(text)
    yield _heading(lines, section)


def _heading(lines: Iterable[str], section: Section | None) -> str:
    spans = " ".join(f"<span>{_text(line)}</span>" for line in lines)
    if section is None or section.kind == "annex":
        return f'<h3 class="division">{spans}</h3>'
    level = 4 if section.enclosing else 3
    return f"<h{level}>{spans}</h{level}>"


def _paragraphs(act: Act, units: Iterable[Unit], chosen: Mapping[str, Item], depths: Mapping[str, int]) -> str:
    """Units with no heading between them; sentences of the same line stay in one paragraph."""
    html: list[str] = []
    end = 0
    for unit in units:
        gap = act.source[end : unit.start]
        if html and "\n" not in gap:
            html.append(gap)
        else:
            html.append("</p>\n" if html else "")
            html.append(f'<p class="{unit.kind} depth-{depths[unit.id]}">')
        html.append(_unit(act, unit, chosen.get(unit.id)))
        end = unit.end
    return f"{''.join(html)}</p>"


def _unit(act: Act, unit: Unit, item: Item | None) -> str:
    """A unit, and what of it is in the summary marked, with a way back to the item."""
    if item is None:
        return f'<span id="{escape(unit.id)}">{_text(unit.text)}</span>'
    label = f"{phrases(act.language).summary}: {item.citation}"
    back = f'<a href="{_link(_ITEM + item.id)}" aria-label="{escape(label)}"></a>'
    before, after = act.source[unit.start : item.start], act.source[item.end : unit.end]
    return (
        f'<span id="{escape(unit.id)}" class="place">{back}{_text(before)}<mark>{_text(item.text)}</mark>{_text(after)}'
        "</span>"
    )


# --- mark-up ----------------------------------------------------------------------------------------------


def _text(text: str) -> str:
    return escape(text, quote=False)


def _link(name: str) -> str:
    return f"#{quote(name, safe=':~')}"


def _digest(content: str) -> str:
    """How a policy names what is allowed."""
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"
