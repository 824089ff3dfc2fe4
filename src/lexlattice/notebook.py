"""What notebooks show of acts and provisions: HTML with everything escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lexlattice.act import Act, Provision, Section

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
