"""A client of the REST service that `lexlattice serve` starts."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, Unpack

from lexlattice.act.document import Act
from lexlattice.act.summary import SummaryRecord
from lexlattice.apps.answers import TIMEOUT, ServiceError, decoded, error_of, foreign
from lexlattice.apps.sources import Source, batches, content_of, form, resolve
from lexlattice.errors import LexLatticeError, OptionError, OutputError, brief
from lexlattice.selection import Options

if TYPE_CHECKING:
    import httpx

__all__ = ["Alignment", "Client", "Language", "ServiceError", "ServiceOptions", "Source"]

_MAX_PAUSE: Final = 10.0
_RETRIED: Final = (429, 503)
"""Status codes after which a request is sent again."""


class ServiceOptions(Options, total=False):
    """The options of `lexlattice.summarize`, and `group` to have the group of each item."""

    group: bool


class Language(NamedTuple):
    """One of the 24 official languages: its two-letter code, and its name in English."""

    code: str
    name: str


class Alignment(NamedTuple):
    """Corresponding units of two versions of an act: ids of the second by id of the first, and ids without any."""

    pairs: dict[str, list[str]]
    unaligned: list[str]


class Client:
    """A connection to a service; use it in a `with` statement, or call `close`.

    Args:
        base_url: The address of the service.
        timeout: Seconds to wait for a response.
        attempts: How often a request is sent while the service is busy.
        language: Two-letter code of the language of error messages; by default they are for developers, in English.
        headers: Further headers of all requests, such as those that a proxy asks for.

    Raises:
        OptionError: There is to be no attempt at all.

    Examples:
        >>> with Client("http://127.0.0.1:8000") as client:  # doctest: +SKIP
        ...     print(client.summarize(Path("act.pdf"), words=200).extract[0].citation)

    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8000",
        *,
        timeout: float = 60.0,
        attempts: int = 3,
        language: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        import httpx

        if attempts < 1:
            raise OptionError("A request needs at least one attempt.")
        accepted = {"Accept-Language": language} if language else {}
        self._http = httpx.Client(base_url=base_url, timeout=timeout, headers={**accepted, **(headers or {})})
        self._attempts = attempts

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def summarize(
        self, source: Source | None = None, *, celex: str | None = None, **options: Unpack[ServiceOptions]
    ) -> SummaryRecord:
        """Summarize an act.

        Args:
            source: A path, the bytes of a file, the text of an act, or a CELEX number. As for `lexlattice.read`, a
                string without line breaks names a file or an act, and is never sent as text.
            celex: A CELEX number instead.
            **options: Options of the summary, as for `lexlattice.summarize`.

        Raises:
            ServiceError: The service refused the request or did not respond.
            OptionError: Neither or both of `source` and `celex` are given, or the source is no CELEX number but another
                name of an act.
            ReadingError: There is no such file.

        """
        return decoded(self._post("/v1/summaries", source, celex, dict(options)), SummaryRecord.from_dict)

    def export(
        self,
        source: Source | None = None,
        format: str = "pdf",
        *,
        to: str | os.PathLike[str] | None = None,
        celex: str | None = None,
        units: Sequence[str] | None = None,
        **options: Unpack[ServiceOptions],
    ) -> bytes:
        """Return the summary of an act as a file.

        Args:
            source: An act, as for `summarize`.
            format: md, text, html, json, docx or pdf.
            to: Where to save the file, too.
            celex: A CELEX number instead of a source.
            units: Ids of the units to export, instead of a selection.
            **options: Options of the summary.

        Raises:
            ServiceError: The service refused the request or did not respond; the act may lack one of the units.
            OutputError: The file cannot be written.

        """
        if units is not None and not units:
            raise OptionError("Pass the id of at least one unit.")
        content = self._post("/v1/exports", source, celex, {**options, "units": units}, format=format)
        if to is not None:
            try:
                Path(to).write_bytes(content)
            except OSError as error:
                raise OutputError(f"Cannot write '{to}': {error.strerror or error}.") from None
        return content

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
        found = self._post("/v1/provisions", source, celex, {"language": language}, provision=provision)
        return decoded(found, lambda found: {"text": found["text"], **found})

    def align(self, first: Source, second: Source, *, languages: tuple[str, str] | None = None) -> Alignment:
        """Return which units of two language versions of an act correspond; sources are as for `summarize`."""
        parts: list[tuple[str, Any]] = []
        for source in (first, second):
            named, content = resolve(source)
            parts.append(("celex", (None, named)) if named else ("file", ("act", content)))
        parts += [("language", (None, language)) for language in languages or ()]
        with self._request("POST", "/v1/alignments", files=parts) as response:
            return decoded(response.read(), lambda found: Alignment(found["pairs"], found["unaligned"]))

    def identify(self, text: str) -> dict[str, Any]:
        """Return which act a text names, such as "2016/679", and the others it may be."""
        with self._request("GET", "/v1/identifiers", params={"text": text}) as response:
            return decoded(response.read(), lambda found: {"celex": found["celex"], **found})

    def summarize_many(
        self, sources: Iterable[Source], **options: Unpack[ServiceOptions]
    ) -> Iterator[SummaryRecord | LexLatticeError]:
        """Yield the summaries of many acts in order, and the error of each act that failed in its place.

        Args:
            sources: Paths, bytes or texts, as for `summarize` but no CELEX numbers; read batch by batch.
            **options: Options of the summaries, as for `lexlattice.summarize`.

        Raises:
            ServiceError: A whole request was refused, or the service did not respond.

        """
        for batch in batches(map(content_of, sources)):
            acts = [act for act in batch if isinstance(act, bytes)]
            answers = self._answers(acts, dict(options)) if acts else iter(())
            for act in batch:
                answer = next(answers, None) if isinstance(act, bytes) else act
                if answer is None:
                    raise foreign(200)
                yield answer

    def parse(self, source: Source | None = None, *, celex: str | None = None, language: str | None = None) -> Act:
        """Parse an act; arguments and errors are those of `summarize`."""
        return decoded(self._post("/v1/acts", source, celex, {"language": language}), Act.from_dict)

    def languages(self) -> list[Language]:
        """Return the 24 official languages."""
        with self._request("GET", "/v1/languages") as response:
            return decoded(response.read(), lambda found: [Language(each["code"], each["name"]) for each in found])

    def _post(
        self, path: str, source: Source | None, celex: str | None, options: dict[str, Any], **query: str
    ) -> bytes:
        if (source is None) == (celex is None):
            raise OptionError("Pass either a source or a CELEX number.")
        named, act = resolve(source) if source is not None else (celex, b"")
        given = {name: value for name, value in options.items() if value is not None}
        content = {"json": {"celex": named, **given}} if named else form([act], given)
        with self._request("POST", path, params=query, **content) as response:
            if "format" in query and "content-disposition" not in response.headers:
                raise foreign(response.status_code)
            return response.read()

    def _answers(self, acts: Sequence[bytes], options: dict[str, Any]) -> Iterator[SummaryRecord | ServiceError]:
        """Yield what became of each act; the error of a batch of one stands in its place, as in a larger batch."""
        try:
            with self._request("POST", "/v1/summaries", **form(acts, options)) as response:
                for line in response.iter_lines():
                    yield decoded(line, _summary_or_error)
        except ServiceError as error:
            if len(acts) > 1 or error.code in (ServiceError.code, TIMEOUT):
                raise
            yield error

    @contextmanager
    def _request(self, method: str, path: str, **content: Any) -> Iterator[httpx.Response]:
        """Yield a successful response whose body is still to be read; retry while the service is busy."""
        import httpx

        # A retry is safe: requests change nothing on the service.
        for attempt in range(1, self._attempts + 1):
            try:
                with self._http.stream(method, path, **content) as response:
                    if response.is_success:
                        yield response
                        return
                    response.read()
            except httpx.TimeoutException:
                sentence = f"{self._http.base_url} did not respond in time; send less, or set a longer timeout."
                raise ServiceError(sentence, code=TIMEOUT) from None
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
                where = self._http.base_url
                raise ServiceError(f"No response from {where} ({brief(error)}); is the service running?") from None
            if response.status_code not in _RETRIED or attempt == self._attempts:
                raise error_of(response)
            retry_after = response.headers.get("retry-after", "")
            time.sleep(min(float(retry_after), _MAX_PAUSE) if retry_after.isdecimal() else 1.0)


def _summary_or_error(line: dict[str, Any]) -> SummaryRecord | ServiceError:
    if "detail" not in line:
        return SummaryRecord.from_dict(line)
    return ServiceError(line["detail"], line["status"], code=line["code"], values=line["values"])
