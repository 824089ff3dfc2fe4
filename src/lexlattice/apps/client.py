"""Clients of the REST service that `lexlattice serve` starts: `Client`, and `AsyncClient` for `async` programs."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, ParamSpec, Self, TypeVar, Unpack

from lexlattice.act.document import Act
from lexlattice.act.result import Result, require_several
from lexlattice.act.summary import SummaryRecord
from lexlattice.apps import calls
from lexlattice.apps.answers import TIMEOUT, ServiceError, foreign
from lexlattice.apps.calls import Alignment, Call, Language, ServiceOptions
from lexlattice.apps.connection import Patience, closed_client, http_options, possible_attempts, translated_errors
from lexlattice.apps.sources import Plain, Source, batches, content_of, plain_or_error
from lexlattice.errors import LexLatticeError, OptionError, OutputError
from lexlattice.selection import SummaryOptions
from lexlattice.selection.budget import whole_number

if TYPE_CHECKING:
    import httpx

__all__ = ["Alignment", "AsyncClient", "Client", "Language", "ServiceError", "ServiceOptions", "Source"]

_NO_SERVICE: Final = (ServiceError.code, TIMEOUT)
"""Codes of errors that concern the service rather than one act."""

Built = TypeVar("Built")
Args = ParamSpec("Args")


class Client:
    """A connection to a service; use it in a `with` statement, or call `close`.

    Args:
        base_url: The address of the service.
        timeout: Seconds to wait for a response, and in all for a service that is busy; None waits without end.
        attempts: How often a request is sent at most while the service is busy; by default as `timeout` allows.
        language: Two-letter code of the language of error messages; by default they are for developers, in English.
        headers: Further headers of all requests, such as those that a proxy asks for.

    Raises:
        OptionError: One of these cannot be.

    Examples:
        >>> with Client("http://127.0.0.1:8000") as client:  # doctest: +SKIP
        ...     print(client.summarize(Path("act.pdf"), words=200).extract[0].citation)

    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8000",
        *,
        timeout: float | None = 60.0,
        attempts: int | None = None,
        language: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        import httpx

        self._http = httpx.Client(**http_options(base_url, timeout, language, headers))
        self._attempts, self._timeout = possible_attempts(attempts), timeout

    def __repr__(self) -> str:
        return f"<Client {self._http.base_url}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def summarize(
        self,
        source: Source | None = None,
        options: SummaryOptions | None = None,
        *,
        celex: str | None = None,
        **fields: Unpack[ServiceOptions],
    ) -> SummaryRecord:
        """Summarize an act.

        Args:
            source: A path, an open file or its bytes, the text of an act, a CELEX number, or an `Act`, whose text is
                sent. As for `lexlattice.read`, a string without line breaks names a file or an act, and is never sent
                as text.
            options: What the summary should be like, as for `lexlattice.summarize`.
            celex: A CELEX number instead of a source.
            **fields: The fields of `SummaryOptions` instead of `options`; and `group`, for the group of each item.

        Raises:
            ServiceError: The service refused the request or did not respond.
            OptionError: An option is not valid, neither or both of `source` and `celex` are given, or the source is no
                CELEX number but another name of an act.
            ReadingError: There is no such file.

        """
        return self._send(calls.summarize(source, celex, options, fields))

    def export(
        self,
        source: Source | None = None,
        format: str = "pdf",
        *,
        to: str | os.PathLike[str] | None = None,
        celex: str | None = None,
        units: str | Sequence[str] | None = None,
        options: SummaryOptions | None = None,
        **fields: Unpack[ServiceOptions],
    ) -> bytes:
        """Return the summary of an act as a file.

        Args:
            source: An act, as for `summarize`.
            format: md, text, html, json, docx or pdf.
            to: Where to save the file, too.
            celex: A CELEX number instead of a source.
            units: Id of the unit to export, or several ids, instead of a selection.
            options: What the summary should be like.
            **fields: The fields of `SummaryOptions` instead of `options`; and `group`.

        Raises:
            ServiceError: The service refused the request or did not respond; the act may lack one of the units.
            OutputError: The file cannot be written.

        """
        return _save(self._send(calls.export(source, celex, format, units, options, fields)), to)

    def quote(
        self, source: Source | None = None, *, provision: str, celex: str | None = None, language: str | None = None
    ) -> dict[str, Any]:
        """Return the exact text of a provision, with its parts, citation and position.

        Args:
            source: An act, as for `summarize`.
            provision: Its id or citation, such as "art-5.par-1" or "Art. 5(1)".
            celex: A CELEX number instead of a source.
            language: Two-letter code; detected by default, English for CELEX numbers.

        """
        return self._send(calls.quote(source, celex, provision, language))

    def align(self, first: Source, second: Source, *, languages: tuple[str, str] | None = None) -> Alignment:
        """Return which units of two language versions of an act correspond; sources are as for `summarize`."""
        return self._send(calls.align(first, second, languages))

    def identify(self, text: str) -> dict[str, Any]:
        """Return which act a text names, such as "2016/679", and the others it may be."""
        return self._send(calls.identify(text))

    def summarize_many(
        self, sources: Iterable[Source], options: SummaryOptions | None = None, **fields: Unpack[ServiceOptions]
    ) -> Generator[Result[SummaryRecord], None, None]:
        """Yield a result for each of many acts in order: its source, and its summary or error.

        Args:
            sources: A list or other iterable of acts, as for `summarize` but no CELEX numbers; read batch by batch.
            options: What the summaries should be like.
            **fields: The fields of `SummaryOptions` instead of `options`; and `group`.

        Raises:
            ServiceError: A whole request was refused, or the service did not respond.
            OptionError: An option is not valid, or a single act was given as the sources.

        """
        require_several(sources)
        return self._summaries(iter(sources), calls.plain_options(options, fields))

    def _summaries(
        self, sources: Iterator[Source], options: dict[str, Any]
    ) -> Generator[Result[SummaryRecord], None, None]:
        for batch in batches((source, content_of(source)) for source in sources):
            acts = [act for _, act in batch if isinstance(act, bytes)]
            answers = self._answers(acts, options) if acts else iter(())
            for source, act in batch:
                answer = next(answers, None) if isinstance(act, bytes) else act
                if answer is None:
                    raise foreign(200)
                yield Result(source, answer)

    def parse(self, source: Source | None = None, *, celex: str | None = None, language: str | None = None) -> Act:
        """Parse an act; arguments and errors are those of `summarize`."""
        return self._send(calls.parse(source, celex, language))

    def languages(self) -> list[Language]:
        """Return the 24 official languages."""
        return self._send(calls.languages())

    def _answers(self, acts: Sequence[bytes], options: dict[str, Any]) -> Iterator[SummaryRecord | ServiceError]:
        """Yield what became of each act; the error of a batch of one stands in its place, as in a larger batch."""
        call = calls.batch(acts, options)
        try:
            with self._response(call) as response:
                for line in response.iter_lines():
                    yield call.build(line.encode())
        except ServiceError as error:
            if len(acts) > 1 or error.code in _NO_SERVICE:
                raise
            yield error

    def _send(self, call: Call[Built]) -> Built:
        with self._response(call) as response:
            return _built(call, response, response.read())

    @contextmanager
    def _response(self, call: Call[Any]) -> Iterator[httpx.Response]:
        """Yield a successful response whose body is still to be read; retry while the service is busy."""
        patience = Patience(self._attempts, self._timeout)
        while True:
            if self._http.is_closed:
                raise closed_client()
            with (
                translated_errors(self._http.base_url),
                self._http.stream(call.method, call.path, **call.content) as response,
            ):
                if response.is_success:
                    yield response
                    return
                response.read()
            time.sleep(patience.pause(response))


class AsyncClient:
    """A connection to a service for `async` programs: the methods of `Client`, to be awaited.

    Use it in an `async with` statement, or call `close`. Arguments and errors are those of `Client`.

    Examples:
        >>> async def first_citation(path: Path) -> str:
        ...     async with AsyncClient("http://127.0.0.1:8000") as client:
        ...         return (await client.summarize(path, words=200)).extract[0].citation

    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8000",
        *,
        timeout: float | None = 60.0,
        attempts: int | None = None,
        language: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        import httpx

        self._http = httpx.AsyncClient(**http_options(base_url, timeout, language, headers))
        self._attempts, self._timeout = possible_attempts(attempts), timeout
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"<AsyncClient {self._http.base_url}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection."""
        if self._loop in (None, asyncio.get_running_loop()):  # otherwise it ended with the loop it was opened in
            await self._http.aclose()

    async def summarize(
        self,
        source: Source | None = None,
        options: SummaryOptions | None = None,
        *,
        celex: str | None = None,
        **fields: Unpack[ServiceOptions],
    ) -> SummaryRecord:
        """Summarize an act, as `Client.summarize` does."""
        return await self._send(calls.summarize, source, celex, options, fields)

    async def export(
        self,
        source: Source | None = None,
        format: str = "pdf",
        *,
        to: str | os.PathLike[str] | None = None,
        celex: str | None = None,
        units: str | Sequence[str] | None = None,
        options: SummaryOptions | None = None,
        **fields: Unpack[ServiceOptions],
    ) -> bytes:
        """Return the summary of an act as a file, as `Client.export` does."""
        content = await self._send(calls.export, source, celex, format, units, options, fields)
        return await asyncio.to_thread(_save, content, to)

    async def quote(
        self, source: Source | None = None, *, provision: str, celex: str | None = None, language: str | None = None
    ) -> dict[str, Any]:
        """Return the exact text of a provision, as `Client.quote` does."""
        return await self._send(calls.quote, source, celex, provision, language)

    async def align(self, first: Source, second: Source, *, languages: tuple[str, str] | None = None) -> Alignment:
        """Return which units of two language versions correspond, as `Client.align` does."""
        return await self._send(calls.align, first, second, languages)

    async def identify(self, text: str) -> dict[str, Any]:
        """Return which act a text names, as `Client.identify` does."""
        return await self._send(calls.identify, text)

    async def parse(
        self, source: Source | None = None, *, celex: str | None = None, language: str | None = None
    ) -> Act:
        """Parse an act, as `Client.parse` does."""
        return await self._send(calls.parse, source, celex, language)

    async def languages(self) -> list[Language]:
        """Return the 24 official languages."""
        return await self._send(calls.languages)

    def summarize_many(
        self,
        sources: Iterable[Source] | AsyncIterable[Source],
        options: SummaryOptions | None = None,
        *,
        concurrency: int = 8,
        ordered: bool = True,
        **fields: Unpack[ServiceOptions],
    ) -> AsyncGenerator[Result[SummaryRecord], None]:
        """Yield a result for each of many acts: its source, and its summary or error.

        Args:
            sources: Acts, each as for `summarize`; taken only as results are consumed. If taking one raises an
                exception, the results of those before it are yielded first.
            options: What the summaries should be like.
            concurrency: How many requests are open at a time, each with one act.
            ordered: Yield results in the order of the sources; otherwise as soon as they are there.
            **fields: The fields of `SummaryOptions` instead of `options`; and `group`.

        Raises:
            ServiceError: The service did not respond.
            OptionError: An option is not valid, or a single act was given as the sources.

        """
        require_several(sources)
        calls.plain_options(options, fields)  # checked once, before the first request
        most = whole_number(concurrency)
        if most is None or most < 1:
            raise OptionError(f"concurrency={concurrency!r} is not possible; give a whole number from 1 up.")
        make = partial(calls.summarize, celex=None, options=options, fields=fields)
        return self._results(sources, make, most, ordered)

    async def _results(
        self,
        sources: Iterable[Source] | AsyncIterable[Source],
        make: Callable[[Plain], Call[SummaryRecord]],
        concurrency: int,
        ordered: bool,
    ) -> AsyncGenerator[Result[SummaryRecord], None]:
        arrived: asyncio.Queue[asyncio.Task[Any]] = asyncio.Queue()
        tasks: set[asyncio.Task[Any]] = set()
        free = asyncio.Semaphore(concurrency)

        async def take() -> None:
            await free.acquire()
            async for source in _each(sources):
                content = await asyncio.to_thread(plain_or_error, source)  # now, while a file is open
                task = asyncio.create_task(self._result(source, content, make))
                tasks.add(task)
                if ordered:
                    arrived.put_nowait(task)
                else:
                    task.add_done_callback(arrived.put_nowait)
                await free.acquire()

        taking = asyncio.create_task(take())  # so that results do not wait for a source that is long in coming
        tasks.add(taking)
        taking.add_done_callback(arrived.put_nowait)
        try:
            while tasks:
                task = await arrived.get()
                await asyncio.wait([task])
                tasks.remove(task)
                if task is not taking:
                    free.release()
                    yield task.result()
            taking.result()  # raises what the sources raised
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _result(
        self, source: Source, content: Plain | LexLatticeError, make: Callable[[Plain], Call[SummaryRecord]]
    ) -> Result[SummaryRecord]:
        if isinstance(content, LexLatticeError):
            return Result(source, content)
        try:
            record = await self._send(make, content)
            return Result(source, record)
        except LexLatticeError as error:
            if error.code in _NO_SERVICE:
                raise
            return Result(source, error)

    async def _send(self, make: Callable[Args, Call[Built]], *args: Args.args, **named: Args.kwargs) -> Built:
        call = await asyncio.to_thread(make, *args, **named)  # it may read a file
        async with self._response(call) as response:
            content = await response.aread()
        return await asyncio.to_thread(_built, call, response, content)  # an act has megabytes of JSON

    @asynccontextmanager
    async def _response(self, call: Call[Any]) -> AsyncIterator[httpx.Response]:
        """Yield a successful response whose body is still to be read; retry while the service is busy."""
        loop = asyncio.get_running_loop()
        if self._loop not in (None, loop):
            raise ServiceError("An AsyncClient cannot be used in a second asyncio.run; open another one there.")
        self._loop, patience = loop, Patience(self._attempts, self._timeout)
        while True:
            if self._http.is_closed:
                raise closed_client()
            with translated_errors(self._http.base_url):
                async with self._http.stream(call.method, call.path, **call.content) as response:
                    if response.is_success:
                        yield response
                        return
                    await response.aread()
            await asyncio.sleep(patience.pause(response))


async def _each(sources: Iterable[Source] | AsyncIterable[Source]) -> AsyncIterator[Source]:
    if isinstance(sources, AsyncIterable):
        async for source in sources:
            yield source
    else:
        for source in sources:
            yield source


def _built(call: Call[Built], response: httpx.Response, content: bytes) -> Built:
    """Return what a call makes of a successful response."""
    if call.is_file and "content-disposition" not in response.headers:
        raise foreign(response.status_code)
    return call.build(content)


def _save(content: bytes, to: str | os.PathLike[str] | None) -> bytes:
    """Write a file if it is to be saved, and return its content."""
    if to is not None:
        try:
            Path(to).write_bytes(content)
        except OSError as error:
            raise OutputError(f"Cannot write '{to}': {error.strerror or error}.") from None
    return content
