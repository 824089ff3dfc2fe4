"""Acts for assistants: read one, summarise it, quote a provision of it exactly, over the Model Context Protocol.

The tools are plain methods that answer with plain data; `server` hands them to the official SDK. Answers are kept
small, because an assistant has to read them, and what is left out is said.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexlattice import __version__
from lexlattice.act.document import Act, Section, Unit
from lexlattice.apps.serve import jobs
from lexlattice.apps.serve.workers import InternalError, RequestPool
from lexlattice.errors import LexLatticeError, MissingExtraError, NoSuchProvisionError
from lexlattice.reading import LONGEST_PATH, read
from lexlattice.reading.celex import normalize_celex
from lexlattice.reading.fetch import fetch, is_celex, is_url
from lexlattice.reading.structure.provisions import SENTENCES_FROM
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.status import standing, warnings_of
from lexlattice.selection import Focus

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer


# What may be read for an assistant: a text, an act by its number, and files below one folder, none of them endless.

MOST_BYTES: Final = 20_000_000
"""Of a text, a file or a folder; as much as the service takes unless it is told otherwise."""
_SOURCES: Final = (
    "the text of an act with its line breaks, the path of a file in the server's folder, "
    "or a CELEX number such as 32016R0679"
)
_TIMEOUT: Final = 10.0
_ATTEMPTS: Final = 2
"""So that a network that does not answer is named as such, before all that is allowed for an answer is over."""


def read_source(source: str, language: str | None, root: Path, *, is_whole: bool = False) -> Act:
    """Read what is named, its long provisions in sentences or whole; nothing is fetched but acts by their number.

    `root` is the folder in which files must lie once all links are followed, itself without any.
    """
    if not source.strip():
        raise LexLatticeError(f"There is no source; give {_SOURCES}.")
    if is_url(source):
        raise LexLatticeError(f"Addresses are not opened; give {_SOURCES}.")
    language, sentences = language.lower() if language else None, 0 if is_whole else SENTENCES_FROM
    if "\n" in source or len(source) > LONGEST_PATH:
        if len(source) > MOST_BYTES:
            raise _too_large("The text")
        return read(source, language=language, sentences_from=sentences)
    path = _below(root, source)
    if path is not None:
        return read(_opened(root, path, source), language=language, sentences_from=sentences)
    if not is_celex(source):
        raise LexLatticeError(f"There is no file '{source[:80]}'; give {_SOURCES}.")
    fetched = fetch(source, language=language or "en", timeout=_TIMEOUT, attempts=_ATTEMPTS, most=MOST_BYTES)
    act = read(fetched.content, language=fetched.language, sentences_from=sentences)
    return act if act.celex else replace(act, celex=normalize_celex(fetched.celex or "").act)


def _below(root: Path, name: str) -> Path | None:
    """Where it really is; None if there is nothing of that name, and never a word on what is outside the folder."""
    try:
        path = (root / name).resolve()
        if path.is_relative_to(root):
            return path if path.exists() else None
    except (OSError, ValueError, RuntimeError):  # names that cannot be, links that lead in a circle
        return None
    raise LexLatticeError(f"Files are read in the folder '{root}' only, and '{name[:80]}' is not in it; put it there.")


def _opened(root: Path, path: Path, name: str) -> Path | bytes:
    """The content of a file, or a folder all of whose files may be read; devices and pipes may never end."""
    shown = f"'{name[:80]}'"
    try:
        parts = [_below(root, str(part)) for part in path.glob("*.xml")] if path.is_dir() else [path]
        files = [part for part in parts if part is not None and part.is_file()]
        if len(files) < len(parts):
            raise LexLatticeError(f"{shown} is no file, or holds what is none; give {_SOURCES}.")
        if sum(file.stat().st_size for file in files) > MOST_BYTES:
            raise _too_large(shown)
        if path.is_dir():
            return path
        with path.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise LexLatticeError(f"{shown} cannot be read: {error.strerror or error}.") from None
    if len(content) > MOST_BYTES:
        raise _too_large(shown)  # some files have a size of nothing, and no end
    return content


def _too_large(what: str) -> LexLatticeError:
    return LexLatticeError(f"{what} is larger than {MOST_BYTES / 1e6:g} MB, which hardly any act is; give it alone.")


# Acts for assistants: read one, summarise it, quote a provision of it exactly, over the Model Context Protocol.

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
        focus: Focus = "all",
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
                raise ToolError(str(cause if isinstance(cause, LexLatticeError) else InternalError())) from None

    pool = RequestPool(1, _QUEUE, SECONDS, jobs.begin)

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


def _elsewhere(pool: RequestPool, tool: Callable[..., dict[str, Any]]) -> Callable[..., Awaitable[dict[str, Any]]]:
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
