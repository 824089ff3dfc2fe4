"""Acts for assistants: read one, summarise it, quote a provision of it exactly, over the Model Context Protocol.

The tools are plain methods that answer with plain data; `server` hands them to the official SDK. Answers are kept
small, because an assistant has to read them, and what is left out is said.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from lexlattice import __version__
from lexlattice.act import Act, Section, Unit
from lexlattice.errors import LexLatticeError, MissingExtraError, NoSuchProvisionError
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
_LISTED: Final = "parse_act lists what there is."
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

        Points of lists and sentences that are missing between them are in left_out: never quote a list as complete
        without these.

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
            "left_out": [cut.to_dict() for cut in summary.cuts],
            "notes": [*notes, *summary.warnings],
            "notice": phrases(summary.act.language).disclaimer,
        }

    def quote_provision(self, source: str, provision: str, language: str | None = None) -> dict[str, Any]:
        """The exact text of a provision of an EU act, with all that belongs to it, its citation and its place.

        source: the text of the act with its line breaks, the path of a file in the server's folder (20 MB at most), or
            a CELEX number such as 32016R0679; never a URL.
        provision: its id, such as art-5.par-1.pt-a, or its citation in the act's language or in English, such as
            Article 5(1)(a).
        language: two letters, if it is not to be found out (for CELEX numbers: English).
        """
        if not provision.strip():
            raise LexLatticeError("No provision was named; give its id or its citation, such as Article 5(1)(a).")
        act = self._read(source, language)
        try:
            found = act.find(provision)
        except NoSuchProvisionError as missing:
            raise NoSuchProvisionError(f"{missing} {_LISTED}") from None
        if found.units[0].id != found.id or found.units[0].provision == found.id:  # it is no sentence
            act = self._read(source, language, is_whole=True)
            found = act.provision(found.id)
        units = _together(act, found.units)
        start, end, words = units[0].start, units[-1].end, sum(unit.words for unit in units)
        if words > MOST_WORDS and len(units) > 1:
            part = _either([unit.id for unit in units if unit.id != found.id][:_NEAR])
            raise LexLatticeError(
                f"{found.citation} has {words:,} words, too many for one answer; ask for a part of it, such as {part}."
            )
        return {
            **_about(act),
            "citation": found.citation,
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


def _together(act: Act, found: Sequence[Unit]) -> Sequence[Unit]:
    """Those that stand together, beginning with the first: footnotes come at another place."""
    first = act.units.index(found[0])
    return [unit for unit, other in zip(act.units[first:], found, strict=False) if unit is other]


def _either(names: Sequence[str]) -> str:
    *others, last = [f"'{name}'" for name in names]
    return f"{', '.join(others)} or {last}" if others else last
