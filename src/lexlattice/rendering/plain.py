"""A summary as text, for a terminal or a mail, and as Markdown: the act's words are wrapped or escaped, never changed.

Both tell the same in the same order: the title, a line of facts, the items, what there is to know, the disclaimer.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from lexlattice.act import Act
from lexlattice.phrases import phrases
from lexlattice.reading.citations import cite_sentences
from lexlattice.reading.grammar import load
from lexlattice.standing import notices, standing
from lexlattice.summary import Item, Summary

WIDTH: Final = 100
_INDENT: Final = "    "
_WHITE: Final = re.compile(r"[ \t\n\r\f\v]+")
_MARKUP: Final = re.compile(r"[\\`*_\[\]<>&#~$]")
"""What is mark-up wherever it stands; dollars, because many wikis take what is between two of them for a formula."""
_MARKER: Final = re.compile(r"^([0-9]*)([-+.)])")
"""What would begin a list: "1. Member States …" is a paragraph of an act."""


def to_text(summary: Summary, *, group: bool = False) -> str:
    """Wrapped at 100 columns, each item indented below its citation."""
    words = phrases(summary.act.language)
    head, remarks = told(summary)
    blocks = [f"{_wrapped(title(summary))}\n{_wrapped(_facts(summary))}", *map(_wrapped, head)]
    for name, items in parts(summary, group):
        if name:
            heading = words.groups[name]
            blocks.append(f"{heading}\n{'─' * len(heading)}")
        for passage in passages(items, summary.act):
            line = f"{passage.citation} · {passage.heading}" if passage.heading else passage.citation
            shown = _table(passage.rows) if passage.rows else [_wrapped(passage.text, _INDENT)]
            reasons = (_wrapped(reason, _INDENT) for reason in passage.reasons)
            blocks.append("\n".join([_wrapped(line), *shown, *reasons]))
    return "\n\n".join([*blocks, *map(_wrapped, (*remarks, words.disclaimer))])


def to_markdown(summary: Summary, *, group: bool = False) -> str:
    """With headings and bold citations; what the act writes shows as it is, whatever it means in Markdown."""
    words = phrases(summary.act.language)
    head, remarks = told(summary)
    blocks = [f"# {escaped(title(summary))}", escaped(_facts(summary)), *(f"**{escaped(notice)}**" for notice in head)]
    for name, items in parts(summary, group):
        if name:
            blocks.append(f"## {escaped(words.groups[name])}")
        for passage in passages(items, summary.act):
            heading = f" · {escaped(passage.heading)}" if passage.heading else ""
            blocks += [f"**{escaped(passage.citation)}**{heading}", _markdown(passage)]
            blocks += [f"*{escaped(reason)}*" for reason in passage.reasons]
    return "\n\n".join([*blocks, *map(escaped, remarks), escaped(words.disclaimer)])


def title(summary: Summary) -> str:
    """What the act is called, or what else it is known by."""
    return summary.act.title or summary.act.celex or phrases(summary.act.language).summary


def number(act: Act) -> str:
    """The CELEX number of the text that was read: of a consolidated one its own, if it is known."""
    return act.consolidated_celex or act.celex


def told(summary: Summary) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What nobody may miss, for the head and in the act's language; and the other warnings, for the end."""
    known = notices(summary.act)
    head = tuple(warning for warning in summary.warnings if warning in known)
    return head, tuple(warning for warning in summary.warnings if warning not in known)


def parts(summary: Summary, group: bool) -> Iterator[tuple[str, tuple[Item, ...]]]:
    """Items, with the name of the group whose heading they stand under.

    Ungrouped they stand under none, in the order of the act; but related documents are no provisions, and always come
    last, under their own.
    """
    groups = summary.groups()
    if not group:
        related = groups.pop("related", ())
        yield "", tuple(item for item in summary if item.group != "related")
        groups = {"related": related} if related else {}
    yield from groups.items()


def with_headings(items: Iterable[Item]) -> Iterator[tuple[Item, str]]:
    """Each item with the heading of its section; those that follow in the same section do not repeat it."""
    section = None
    for item in items:
        yield item, item.heading if item.section != section else ""
        section = item.section


class Passage(NamedTuple):
    """Sentences of one provision that follow one another, or whatever else is one item."""

    items: tuple[Item, ...]
    heading: str
    """Of the section; empty where the passage before is in the same one."""
    act: Act

    @property
    def citation(self) -> str:
        """As people cite: "Recital 4, first and second sentences"; of all its sentences, the provision."""
        first = self.items[0].citation
        if len(self.items) == 1:
            return first
        provision, place = _sentence(self.items[0])
        last = place + len(self.items) - 1
        if place == 1 and provision in self.act.wholes and f"{provision}.s-{last + 1}" not in self.act:
            return self.act.wholes[provision]
        return cite_sentences(first, place, last, load(self.act.language))

    @property
    def text(self) -> str:
        """The act's own words."""
        return " ".join(item.text for item in self.items)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why each item was chosen, where that is known."""
        return tuple(str(item.explanation) for item in self.items if item.explanation is not None)

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Of a table its rows, all with the same number of cells; of any other passage none."""
        rows = self.items[0].rows
        width = max(map(len, rows), default=0)
        return tuple((*row, *[""] * (width - len(row))) for row in rows)


def passages(items: Iterable[Item], act: Act) -> Iterator[Passage]:
    """Items as they are read: sentences of a provision that follow one another stand in one paragraph."""
    together: list[tuple[Item, str]] = []
    for item, heading in with_headings(items):
        if together and not _goes_on(together[-1][0], item):
            yield Passage(tuple(member for member, _ in together), together[0][1], act)
            together = []
        together.append((item, heading))
    if together:
        yield Passage(tuple(member for member, _ in together), together[0][1], act)


def _goes_on(item: Item, other: Item) -> bool:
    """Whether the other is the next sentence of the same provision."""
    provision, place = _sentence(item)
    return place > 0 and other.id == f"{provision}.s-{place + 1}"


def _sentence(item: Item) -> tuple[str, int]:
    """The provision and the place of a sentence in it; 0 for an item that is none."""
    provision, sentence, number = item.id.rpartition(".s-")
    return provision, int(number) if sentence else 0


def escaped(text: str) -> str:
    r"""A line of Markdown that shows this text.

    >>> print(escaped("1. See [Annex I]*"))
    1\. See \[Annex I\]\*
    """
    line = _WHITE.sub(" ", text).strip()
    return _MARKER.sub(r"\1\\\2", _MARKUP.sub(r"\\\g<0>", line))


def _markdown(passage: Passage) -> str:
    """The text of a passage; of a table the first row is its head, since Markdown has no table without one."""
    if not passage.rows:
        return escaped(passage.text)
    rows = [[escaped(cell).replace("|", "\\|") for cell in row] for row in passage.rows]
    rows.insert(1, ["---"] * len(rows[0]))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _facts(summary: Summary) -> str:
    act = summary.act
    words = phrases(act.language).words.format(words=summary.words, total=act.words)
    return " · ".join(fact for fact in (number(act), act.date, act.language, *standing(act), words) if fact)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line for each row, with bars between its cells; if there is no room for columns, it goes on in the next."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if len(_INDENT) + sum(widths) + 3 * (len(widths) - 1) <= WIDTH:
        padded = (" | ".join(map(str.ljust, row, widths)) for row in rows)
        return [f"{_INDENT}{row}".rstrip() for row in padded]
    ends = [max((place for place, cell in enumerate(row, 1) if cell), default=1) for row in rows]
    return [_wrapped(" | ".join(row[:end]), _INDENT, f"{_INDENT}  ") for row, end in zip(rows, ends, strict=True)]


def _wrapped(text: str, indent: str = "", below: str | None = None) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent if below is None else below,
        break_long_words=False,
        break_on_hyphens=False,
    )
