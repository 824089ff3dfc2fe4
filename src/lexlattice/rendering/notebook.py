"""What notebooks show of acts, provisions and summaries: HTML with everything escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lexlattice.act.document import Act, Provision, Section
    from lexlattice.act.summary import Summary
    from lexlattice.rendering.blocks import Block, Line

LONGEST_NAME = 160


def act(act: Act) -> str:
    """Title, facts, and the outline with counts, folded."""
    facts = [act.celex, act.type, act.date, act.language, f"{len(act.units):,} units", f"{act.words:,} words"]
    warnings = "".join(f"<p>⚠ {escape(warning)}</p>" for warning in act.warnings)
    outline = "".join(_folded(around, sections) for around, sections in groupby(act.sections, lambda s: s.enclosing))
    return (
        f'<div lang="{escape(act.language)}"><p><strong>{escape(_short(act.title))}</strong><br>'
        f"{escape(' · '.join(filter(None, facts)))}</p>{warnings}"
        f"<details><summary>{len(act.sections)} sections</summary><ul>{outline}</ul></details></div>"
    )


def provision(provision: Provision) -> str:
    """Text under its citation, a line for each provision."""
    lines = "".join(f"<p>{escape(line)}</p>" for line in provision.text.split("\n"))
    return f"<div><p><strong>{escape(provision.citation)}</strong> <code>{escape(provision.id)}</code></p>{lines}</div>"


def summary(summary: Summary) -> str:
    """Title, length, and the provisions, points indented below what leads them in and cuts marked."""
    act = summary.act
    facts = [act.celex, act.date, act.language, f"{summary.words:,} of {act.words:,} words"]
    warnings = "".join(f"<p>⚠ {escape(warning)}</p>" for warning in summary.warnings)
    return (
        f'<div lang="{escape(act.language)}"><p><strong>{escape(_short(act.title))}</strong><br>'
        f"{escape(' · '.join(filter(None, facts)))}</p>{''.join(map(_block, summary.blocks()))}{warnings}</div>"
    )


def _block(block: Block) -> str:
    name = " · ".join(filter(None, (block.citation, block.heading)))
    return f"<p><strong>{escape(name)}</strong></p>{''.join(map(_line, block.lines))}"


def _line(line: Line) -> str:
    return f'<p style="margin-left: {2 * line.level}em">{escape(line.text)}</p>'


def _folded(around: tuple[str, ...], sections: Iterable[Section]) -> str:
    """Sections of one chapter, folded under its heading; those outside chapters as they are."""
    items = "".join(map(_item, sections))
    if not around:
        return items
    return f"<li><details><summary>{escape(_short(' – '.join(around)))}</summary><ul>{items}</ul></details></li>"


def _item(section: Section) -> str:
    name = f"{section.label} {section.heading}".strip() or section.kind
    return f"<li>{escape(_short(name))} <code>{escape(section.id)}</code> ({len(section.units)})</li>"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1].rstrip()}…"
