"""Acts for assistants: read one, summarise it, quote a provision of it exactly, over the Model Context Protocol.

The tools are plain methods that answer with plain data; `server` hands them to the official SDK. Answers are kept
small, because an assistant has to read them, and what is left out is said.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from difflib import get_close_matches
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from lexlattice import __version__
from lexlattice.act import Act, Section, Unit
from lexlattice.errors import LexLatticeError, MissingExtraError
from lexlattice.phrases import phrases
from lexlattice.serving import jobs
from lexlattice.serving.sources import read_source
from lexlattice.serving.work import BrokenError, Pool
from lexlattice.standing import standing, warnings_of

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

MOST_WORDS: Final = 5_000
"""Of the act's text in one answer."""
MOST_PROVISIONS: Final = 300
"""An act with more is shown by its sections alone."""
MOST_SECTIONS: Final = 300
_NEAR: Final = 3
_ANNEXED: Final = "anx"
"""What the ids of all that stands in an annex begin with: its Article 1 is not the act's."""
SECONDS: Final = 60.0
"""For one answer."""
_QUEUE: Final = 64
"""Questions of an assistant that may wait for each other."""
_INSTRUCTIONS: Final = (
    "EU legal acts, in any of the 24 official languages. Every text these tools give is the act's own, word for word: "
    "quote it unchanged, with its citation. It is not legal advice, and it may have been amended since; only the "
    "version published in the Official Journal of the European Union is authentic. Files are read in the server's "
    "folder only."
)


class Tools:
    """What an assistant can ask for; files are read in one folder only."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def parse_act(self, source: str, language: str | None = None) -> dict[str, Any]:
        """The outline of an EU act: its sections, and the id and citation of each provision in them.

        source: the text of the act with its line breaks, the path of a file in the server's folder (20 MB at most), or
            a CELEX number such as 32016R0679; never a URL.
        language: two letters, if it is not to be found out (for CELEX numbers: English).
        """
        act = self._read(source, language, is_whole=True)
        is_short = len(act) <= MOST_PROVISIONS
        notes = []
        if not is_short:
            notes.append(f"This act has {len(act):,} provisions, too many to list; quote_provision gives any of them.")
        if len(act.sections) > MOST_SECTIONS:
            notes.append(f"Of its {len(act.sections):,} sections the first {MOST_SECTIONS} are listed.")
        return {
            **_about(act),
            "type": act.type,
            "date": act.date,
            "words": act.words,
            "outline": [_outlined(section, is_short) for section in act.sections[:MOST_SECTIONS]],
            "notes": [*notes, *warnings_of(act)],
        }

    def summarize_act(
        self,
        source: str,
        words: int | None = None,
        language: str | None = None,
        focus: Literal["all", "articles", "with-tables"] = "all",
        group: bool = False,
    ) -> dict[str, Any]:
        """The provisions of an EU act that matter, word for word, each with its citation, in the order of the act.

        source: the text of the act with its line breaks, the path of a file in the server's folder (20 MB at most), or
            a CELEX number such as 32016R0679; never a URL.
        words: at most so many; as many as official summaries have if nothing is said.
        language: two letters, if it is not to be found out (for CELEX numbers: English).
        focus: "articles" leaves out recitals, annexes and footnotes; "with-tables" takes tables too.
        group: say under which heading of official summaries each provision belongs.
        """
        from lexlattice.summarizer import summarize

        notes = []
        if words is not None and words > MOST_WORDS:
            notes.append(f"{words:,} words are too many for one answer; these are the most important {MOST_WORDS:,}.")
            words = MOST_WORDS
        summary = summarize(self._read(source, language), words=words, focus=focus)
        kept = ("id", "citation", "heading", "text", "start", "end", *(["group"] if group else []))
        items = [item.to_dict(group=group) for item in summary]
        return {
            **_about(summary.act),
            "words": summary.words,
            "items": [{name: item[name] for name in kept} for item in items],
            "notes": [*notes, *summary.warnings],
            "notice": phrases(summary.act.language).disclaimer,
        }

    def quote_provision(self, source: str, provision: str, language: str | None = None) -> dict[str, Any]:
        """The exact text of a provision of an EU act, with all that belongs to it, its citation and its place.

        source: the text of the act with its line breaks, the path of a file in the server's folder (20 MB at most), or
            a CELEX number such as 32016R0679; never a URL.
        provision: its id, such as art-5.par-1.pt-a, or its citation in the act's language, such as Article 5(1)(a).
        language: two letters, if it is not to be found out (for CELEX numbers: English).
        """
        if not provision.strip():
            raise LexLatticeError("No provision was named; give its id or its citation, such as Article 5(1)(a).")
        act = self._read(source, language, is_whole=True)
        found = _find(act, provision) or _find(self._read(source, language), provision)
        if found is None:
            raise LexLatticeError(f"There is no provision '{provision[:80]}' in this act; {_hint(act, provision)}")
        citation, units = found
        start, end, words = units[0].start, units[-1].end, sum(unit.words for unit in units)
        if words > MOST_WORDS and len(units) > 1:
            ids = [unit.id for unit in units if unit.citation != citation] or [unit.id for unit in units]
            part = _either(ids[:_NEAR])
            raise LexLatticeError(
                f"{citation} has {words:,} words, too many for one answer; ask for a part of it, such as {part}."
            )
        return {
            **_about(act),
            "citation": citation,
            "heading": act.sections[units[0].section].heading,
            "text": act.source[start:end],
            "start": start,
            "end": end,
            "words": words,
            "parts": {unit.id: unit.citation for unit in units},
        }

    def _read(self, source: str, language: str | None, *, is_whole: bool = False) -> Act:
        return read_source(source, language, self._root, is_whole=is_whole)


def server(root: Path | None = None) -> MCPServer[Any]:
    """The tools behind the SDK; whatever goes wrong is said in one sentence.

    Acts are read in a process of their own, as the service reads them: one that never ends is ended.
    """
    try:
        from mcp.server.mcpserver import Context, MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
        from pydantic import ValidationError
    except ImportError:
        raise MissingExtraError("The MCP server", "mcp") from None

    class Plain(MCPServer[Any]):
        async def call_tool(
            self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
        ) -> CallToolResult | InputRequiredResult:
            try:
                return await super().call_tool(name, arguments, context)
            except ToolError as error:
                cause = error.__cause__
                if cause is None:
                    raise
                if isinstance(cause, ValidationError):
                    wrong = cause.errors()[0]
                    what = ".".join(map(str, wrong["loc"]))
                    raise ToolError(f"The argument '{what}' of {name} cannot be used: {wrong['msg']}.") from None
                raise ToolError(str(cause if isinstance(cause, LexLatticeError) else BrokenError())) from None

    pool = Pool(1, _QUEUE, SECONDS, jobs.begin)

    @asynccontextmanager
    async def with_pool(_: MCPServer[Any]) -> AsyncIterator[None]:
        try:
            await pool.start()
            yield
        finally:
            await pool.close()

    made = Plain("lexlattice", version=__version__, instructions=_INSTRUCTIONS, log_level="ERROR", lifespan=with_pool)
    tools = Tools(root or Path.cwd())
    for tool in (tools.parse_act, tools.summarize_act, tools.quote_provision):
        made.add_tool(_elsewhere(pool, tool), annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True))
    return made


def _elsewhere(pool: Pool, tool: Callable[..., dict[str, Any]]) -> Callable[..., Awaitable[dict[str, Any]]]:
    """The same tool to the SDK, which looks at its name, its arguments and its description."""

    @wraps(tool)
    async def run(**arguments: Any) -> dict[str, Any]:
        answer: dict[str, Any] = await pool.run(partial(tool, **arguments))
        return answer

    return run


def _about(act: Act) -> dict[str, str]:
    head = {"celex": act.celex, "title": act.title, "language": act.language}
    return {**head, "facts": " · ".join(standing(act))}


def _outlined(section: Section, is_short: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {"section": section.label or section.kind}
    if section.heading:
        shown["heading"] = section.heading
    if section.enclosing:
        shown["within"] = list(section.enclosing)
    provisions = {unit.id: unit.citation for unit in section.units}
    if is_short:
        return {**shown, "provisions": provisions}
    return {**shown, "first": next(iter(provisions), ""), "count": len(provisions)}


def _find(act: Act, asked: str) -> tuple[str, Sequence[Unit]] | None:
    """A provision with all that stands under it, and how it is cited.

    What is asked for is an id, a citation, or the header of a section, whatever its capitals and blanks.
    """
    wanted = _plain(asked)
    heads = {unit.id for unit in act if _plain(unit.id) == wanted} or {
        unit.id for unit in act if _plain(unit.citation) == wanted
    }
    if heads:
        under = [unit for unit in act if any(_is_under(unit.id, head) for head in heads)]
        found = _together(act, under)
        if len(heads) > 1 and len(found) < len(under):
            raise _several(asked, [unit.id for unit in under if unit.id in heads])
        return act[min(heads)].citation, found
    sections = [section for section in act.sections if section.units and _plain(section.label) == wanted]
    sections = [section for section in sections if not section.units[0].id.startswith(_ANNEXED)] or sections
    if len(sections) > 1:
        raise _several(asked, [section.units[0].id for section in sections])
    found = sections[0].units if sections else [unit for unit in act if _is_under(_plain(unit.id), wanted)]
    if not found:
        return None
    found = _together(act, found)
    return _cited(act, found), found


def _cited(act: Act, units: Sequence[Unit]) -> str:
    """How units are cited that no unit stands over: by the header of their section, or from the first to the last."""
    first, last = units[0], units[-1]
    section = act.sections[first.section]
    is_article_of_annex = section.kind == "article" and first.id.startswith(_ANNEXED)
    if section.label and len(units) == len(section.units) and not is_article_of_annex:
        return section.label
    return first.citation if first is last else f"{first.citation} – {last.citation}"


def _several(asked: str, ids: Sequence[str]) -> LexLatticeError:
    return LexLatticeError(
        f"'{asked[:80]}' names several provisions of this act; ask by id, such as {_either(ids[:_NEAR])}."
    )


def _hint(act: Act, asked: str) -> str:
    names = {_plain(name): name for unit in act for name in (unit.id, unit.citation)}
    names |= {_plain(section.label): section.label for section in act.sections if section.label}
    near = [names[name] for name in get_close_matches(_plain(asked), names, _NEAR)]
    return f"did you mean {_either(near)}?" if near else "parse_act lists what there is."


def _is_under(id: str, head: str) -> bool:
    return id == head or id.startswith(f"{head}.")


def _together(act: Act, found: Sequence[Unit]) -> Sequence[Unit]:
    """Those that stand together, beginning with the first: footnotes come at another place."""
    first = act.units.index(found[0])
    return [unit for unit, other in zip(act.units[first:], found, strict=False) if unit is other]


def _plain(name: str) -> str:
    return "".join(name.split()).casefold()


def _either(names: Sequence[str]) -> str:
    *others, last = [f"'{name}'" for name in names]
    return f"{', '.join(others)} or {last}" if others else last
