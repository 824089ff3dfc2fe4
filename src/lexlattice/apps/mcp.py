"""A Model Context Protocol server: tools to read an act, to summarize it, and to quote a provision exactly.

The tools are plain methods that return plain data; `create_server` registers them with the official SDK. Responses are
kept small, because an assistant has to read them; whatever is omitted is said in `notes`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexlattice import __version__
from lexlattice.act.document import Act, Section
from lexlattice.apps.quoting import quote
from lexlattice.apps.serve import jobs
from lexlattice.apps.serve.workers import InternalError, RequestPool
from lexlattice.errors import LexLatticeError, MissingExtraError, NoSuchProvisionError, OptionError, ReadingError
from lexlattice.reading import LONGEST_PATH, read
from lexlattice.reading.celex import normalize_celex
from lexlattice.reading.fetch import fetch, is_celex, is_url
from lexlattice.reading.structure.provisions import SENTENCES_FROM
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.status import standing, warnings_of
from lexlattice.selection import Focus

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

MAX_BYTES: Final = 20_000_000
"""Size limit of a text, a file or a folder: the default of the REST service."""
MAX_WORDS: Final = 5_000
"""Words of the act's text in one response."""
MAX_PROVISIONS: Final = 300
"""An act with more is listed by its sections only."""
MAX_SECTIONS: Final = 300
MAX_SECONDS: Final = 60.0
"""Time limit of one response."""
_QUEUE: Final = 64
"""Calls that may wait for the worker."""
_FETCH_TIMEOUT: Final = 10.0
_FETCH_ATTEMPTS: Final = 2
"""Few, so that an unreachable network is reported as such before `MAX_SECONDS` is over."""
_EXAMPLES: Final = 3
"""Parts that an error message suggests."""
_SOURCES: Final = (
    "the text of an act with its line breaks, the path of a file in the server's folder, "
    "or a CELEX number such as 32016R0679"
)
_INSTRUCTIONS: Final = (
    "EU legal acts, in any of the 24 official languages. Every text these tools return is verbatim: quote it "
    "unchanged, with its citation. It is not legal advice, and it may have been amended since; only the version "
    "published in the Official Journal of the European Union is authentic. Files are read in the server's folder only."
)


# Sources: a text, an act by its CELEX number, or files below one folder, all of limited size.


def read_source(source: str, language: str | None, root: Path, sentences_from: int = SENTENCES_FROM) -> Act:
    """Read an act for an assistant.

    Args:
        source: The text of the act, the path of a file below `root`, or a CELEX number; URLs are refused.
        language: Two letters; None to detect it.
        root: The folder in which files must be after all links are resolved; itself a resolved path.
        sentences_from: Provisions of more words than this are split into sentences; 0 leaves all of them whole.

    Raises:
        OptionError: The source is not allowed or does not exist.
        ReadingError: The source is too large or cannot be read.

    """
    if not source.strip():
        raise OptionError(f"The source is empty; pass {_SOURCES}.")
    if is_url(source):
        raise OptionError(f"URLs are not opened; pass {_SOURCES}.")
    language = language.lower() if language else None
    # No path has line breaks or is that long, so this is the text itself.
    if "\n" in source or len(source) > LONGEST_PATH:
        if len(source) > MAX_BYTES:
            raise _too_large("The text")
        return read(source, language=language, sentences_from=sentences_from)
    path = _resolve(root, source)
    if path is not None:
        return read(_content(root, path, source), language=language, sentences_from=sentences_from)
    if not is_celex(source):
        raise OptionError(f"There is no file '{source[:80]}'; pass {_SOURCES}.")
    fetched = fetch(
        source, language=language or "en", timeout=_FETCH_TIMEOUT, attempts=_FETCH_ATTEMPTS, max_bytes=MAX_BYTES
    )
    act = read(fetched.content, language=fetched.language, sentences_from=sentences_from)
    return act if act.celex else replace(act, celex=normalize_celex(fetched.celex or "").act)


def _resolve(root: Path, name: str) -> Path | None:
    """Return the real path below the folder, or None if it does not exist.

    Outside the folder the error is always the same: it must not reveal which files exist there.
    """
    try:
        path = (root / name).resolve()
        if path.is_relative_to(root):
            return path if path.exists() else None
    except (OSError, ValueError, RuntimeError):  # invalid names, circular links
        return None
    raise OptionError(f"Only files in the folder '{root}' can be read, and '{name[:80]}' is outside; move it there.")


def _content(root: Path, path: Path, name: str) -> Path | bytes:
    """Return the content of a regular file, or a folder of them; devices and pipes may never end."""
    shown = f"'{name[:80]}'"
    try:
        parts = [_resolve(root, str(part)) for part in path.glob("*.xml")] if path.is_dir() else [path]
        files = [part for part in parts if part is not None and part.is_file()]
        if len(files) < len(parts):
            raise ReadingError(f"{shown} is not a regular file, or contains something else; pass {_SOURCES}.")
        if sum(file.stat().st_size for file in files) > MAX_BYTES:
            raise _too_large(shown)
        if path.is_dir():
            return path
        with path.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise ReadingError(f"Cannot read {shown}: {error.strerror or error}.") from None
    if len(content) > MAX_BYTES:  # files in /proc claim a size of 0
        raise _too_large(shown)
    return content


def _too_large(what: str) -> ReadingError:
    return ReadingError(f"{what} is larger than {MAX_BYTES / 1e6:g} MB; pass the act alone.")


# Tools.


class Tools:
    """The tools of the server; files are read in one folder only. Docstrings are what the assistant sees."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def parse_act(self, source: str, language: str | None = None) -> dict[str, Any]:
        """Return the outline of an EU act: its sections, with the id and citation of each provision.

        source: the text of the act with its line breaks, the path of a file in the server's folder (20 MB at most), or
            a CELEX number such as 32016R0679; never a URL.
        language: two letters (default: detected; for CELEX numbers: en).
        """
        act = self._read(source, language, sentences_from=0)
        is_short = len(act) <= MAX_PROVISIONS
        notes = []
        if not is_short:
            notes.append(
                f"This act has {len(act):,} provisions, too many to list; quote_provision returns any of them."
            )
        if len(act.sections) > MAX_SECTIONS:
            notes.append(f"Only the first {MAX_SECTIONS} of {len(act.sections):,} sections are listed.")
        return {
            **_about(act),
            "type": act.type,
            "date": act.date,
            "words": act.words,
            "outline": [_outlined(section, is_short) for section in act.sections[:MAX_SECTIONS]],
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
        """Return the most important provisions of an EU act, verbatim, each with its citation, in the order of the act.

        Points of lists and sentences that are omitted between them are in left_out: never quote a list as complete
        without these.

        source: the text of the act with its line breaks, the path of a file in the server's folder (20 MB at most), or
            a CELEX number such as 32016R0679; never a URL.
        words: at most this many (default: the length of official summaries).
        language: two letters (default: detected; for CELEX numbers: en).
        focus: "articles" excludes recitals, annexes and footnotes; "with-tables" includes tables.
        group: name the heading of official summaries that each provision belongs under.
        """
        from lexlattice.summarizer import summarize

        notes = []
        if words is not None and words > MAX_WORDS:
            notes.append(f"{words:,} words are too many for one response; these are the most important {MAX_WORDS:,}.")
            words = MAX_WORDS
        summary = summarize(self._read(source, language), words=words, focus=focus)
        # Scores and positions mean nothing to an assistant.
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
        """Return the exact text of a provision of an EU act with its parts, citation and character offsets.

        source: the text of the act with its line breaks, the path of a file in the server's folder (20 MB at most), or
            a CELEX number such as 32016R0679; never a URL.
        provision: its id, such as art-5.par-1.pt-a, or its citation in any of the 24 languages, as acts or people
            write it: Article 5(1)(a), art. 5 para. 1, recital 12, Annex II.
        language: two letters (default: detected; for CELEX numbers: en).
        """
        if not provision.strip():
            raise OptionError("The provision is empty; pass its id or its citation, such as Article 5(1)(a).")
        try:
            found = quote(lambda sentences: self._read(source, language, sentences), provision)
        except NoSuchProvisionError as missing:
            raise NoSuchProvisionError(f"{missing} parse_act lists all provisions.") from None
        act, units, citation = found.act, found.units, found.provision.citation
        if found.words > MAX_WORDS and len(units) > 1:
            part = _either([unit.id for unit in units if unit.id != found.provision.id][:_EXAMPLES])
            raise OptionError(f"{citation} has {found.words:,} words, too many for one response; quote a part: {part}.")
        return {
            **_about(act),
            "citation": citation,
            "heading": act.sections[units[0].section].heading,
            "text": found.text,
            "start": found.start,
            "end": found.end,
            "words": found.words,
            "parts": {unit.id: unit.citation for unit in units},
        }

    def _read(self, source: str, language: str | None, sentences_from: int = SENTENCES_FROM) -> Act:
        return read_source(source, language, self._root, sentences_from)


def create_server(root: Path | None = None) -> MCPServer[Any]:
    """Return the MCP server.

    Acts are processed in a worker process with a time limit, as in the REST service, and errors are one sentence.

    Args:
        root: The folder whose files may be read; by default the working directory.

    Raises:
        MissingExtraError: The extra `mcp` is not installed.

    """
    try:
        from mcp.server.mcpserver import Context, MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
        from pydantic import ValidationError
    except ImportError:
        raise MissingExtraError("The MCP server", "mcp") from None

    class Server(MCPServer[Any]):
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
                    raise ToolError(f"Invalid argument '{what}' of {name}: {wrong['msg']}.") from None
                raise ToolError(str(cause if isinstance(cause, LexLatticeError) else InternalError())) from None

    pool = RequestPool(1, _QUEUE, MAX_SECONDS, jobs.warm_up)

    @asynccontextmanager
    async def with_pool(_: MCPServer[Any]) -> AsyncIterator[None]:
        try:
            await pool.start()
            yield
        finally:
            await pool.close()

    server = Server(
        "lexlattice", version=__version__, instructions=_INSTRUCTIONS, log_level="ERROR", lifespan=with_pool
    )
    tools = Tools(root or Path.cwd())
    for tool in (tools.parse_act, tools.summarize_act, tools.quote_provision):
        server.add_tool(_in_worker(pool, tool), annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True))
    return server


def _in_worker(pool: RequestPool, tool: Callable[..., dict[str, Any]]) -> Callable[..., Awaitable[dict[str, Any]]]:
    """Return a tool that runs in the worker; `wraps` keeps its name, signature and docstring for the SDK."""

    @wraps(tool)
    async def run(**arguments: Any) -> dict[str, Any]:
        response: dict[str, Any] = await pool.run(partial(tool, **arguments))
        return response

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


def _either(names: Sequence[str]) -> str:
    *others, last = [f"'{name}'" for name in names]
    return f"{', '.join(others)} or {last}" if others else last
