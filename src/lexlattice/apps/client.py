"""A client of the REST service that `lexlattice serve` starts."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, Unpack

from lexlattice.act.document import Act
from lexlattice.act.summary import SummaryRecord
from lexlattice.errors import LexLatticeError, OptionError, OutputError, ReadingError, brief
from lexlattice.reading import is_text
from lexlattice.reading.fetch import is_celex, is_url
from lexlattice.reading.identifiers import identify_act
from lexlattice.selection import Options

if TYPE_CHECKING:
    import httpx

Source = str | os.PathLike[str] | bytes
"""An act, as for `lexlattice.read`: a path, the bytes of a file, the text, a CELEX number, or an address with one."""
_BATCH_ACTS: Final = 32
_BATCH_BYTES: Final = 8_000_000
"""Limits of one request with several acts, well below those of the service."""
_MAX_PAUSE: Final = 10.0
_RETRIED: Final = (429, 503)
"""Status codes after which a request is sent again."""


class ServiceOptions(Options, total=False):
    """The options of `lexlattice.summarize`, and `group` to have the group of each item."""

    group: bool


class Language(NamedTuple):
    """One of the 24 official languages: its two-letter code, and its name in itself."""

    code: str
    name: str


class Alignment(NamedTuple):
    """Corresponding units of two versions of an act: ids of the second by id of the first, and ids without any."""

    pairs: dict[str, list[str]]
    unaligned: list[str]


class ServiceError(LexLatticeError):
    """The service refused a request.

    Attributes:
        status: The HTTP status, or 0 if there was no response.
        code: The code of the problem, "service" if there was none.

    """

    code = "service"

    def __init__(
        self, sentence: str, status: int = 0, *, code: str = "", values: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(sentence, code=code, values=values)
        self.status = status


class Client:
    """A connection to a service; use it in a `with` statement, or call `close`.

    Args:
        base_url: The address of the service.
        timeout: Seconds to wait for a response.
        attempts: How often a request is sent while the service is busy.

    Examples:
        >>> with Client("http://127.0.0.1:8000") as client:  # doctest: +SKIP
        ...     print(client.summarize(Path("act.pdf"), words=200).extract[0].citation)

    """

    def __init__(self, base_url: str = "http://127.0.0.1:8000", *, timeout: float = 60.0, attempts: int = 3) -> None:
        import httpx

        self._http = httpx.Client(base_url=base_url, timeout=timeout)
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
            OptionError: Neither or both of `source` and `celex` are given.
            ReadingError: There is no such file.

        """
        return SummaryRecord.from_dict(json.loads(self._post("/v1/summaries", source, celex, dict(options))))

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
        return dict(json.loads(found))

    def align(self, first: Source, second: Source, *, languages: tuple[str, str] | None = None) -> Alignment:
        """Return which units of two language versions of an act correspond; sources are as for `summarize`."""
        parts: list[tuple[str, Any]] = []
        for source in (first, second):
            named, content = _resolve(source)
            parts.append(("celex", (None, named)) if named else ("file", ("act", content)))
        parts += [("language", (None, language)) for language in languages or ()]
        with self._request("POST", "/v1/alignments", files=parts) as response:
            return Alignment(**json.loads(response.read()))

    def identify(self, text: str) -> dict[str, Any]:
        """Return which act a text names, such as "2016/679", and the others it may be."""
        with self._request("GET", "/v1/identifiers", params={"text": text}) as response:
            return dict(json.loads(response.read()))

    def summarize_many(
        self, sources: Iterable[Source], **options: Unpack[ServiceOptions]
    ) -> Iterator[SummaryRecord | ServiceError]:
        """Yield the summaries of many acts in order, and the error of each act that failed in its place.

        Args:
            sources: Paths, bytes or texts, as for `summarize` but no CELEX numbers; read batch by batch.
            **options: Options of the summaries, as for `lexlattice.summarize`.

        Raises:
            ServiceError: A whole request was refused, or the service did not respond.

        """
        for batch in _batches(map(_content, sources)):
            for line in self._lines(batch, dict(options)):
                data = json.loads(line)
                if "detail" in data:
                    yield ServiceError(data["detail"], data["status"], code=data.get("code", ""))
                else:
                    yield SummaryRecord.from_dict(data)

    def parse(self, source: Source | None = None, *, celex: str | None = None, language: str | None = None) -> Act:
        """Parse an act; arguments and errors are those of `summarize`."""
        return Act.from_dict(json.loads(self._post("/v1/acts", source, celex, {"language": language})))

    def languages(self) -> list[Language]:
        """Return the 24 official languages."""
        with self._request("GET", "/v1/languages") as response:
            return [Language(**entry) for entry in json.loads(response.read())]

    def _post(
        self, path: str, source: Source | None, celex: str | None, options: dict[str, Any], **query: str
    ) -> bytes:
        if (source is None) == (celex is None):
            raise OptionError("Pass either a source or a CELEX number.")
        named, act = _resolve(source) if source is not None else (celex, b"")
        given = {name: value for name, value in options.items() if value is not None}
        content = {"json": {"celex": named, **given}} if named else _form([act], given)
        with self._request("POST", path, params=query, **content) as response:
            return response.read()

    def _lines(self, acts: Sequence[bytes], options: dict[str, Any]) -> Iterator[str]:
        """Yield a line per act; the error of a batch of one stands in its place, as it would in a larger batch."""
        try:
            with self._request("POST", "/v1/summaries", **_form(acts, options)) as response:
                yield from response.iter_lines()
        except ServiceError as error:
            if len(acts) > 1 or not error.status:
                raise
            yield json.dumps({"detail": str(error), "status": error.status, "code": error.code})

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
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
                where = self._http.base_url
                raise ServiceError(f"No response from {where} ({brief(error)}); is the service running?") from None
            if response.status_code not in _RETRIED or attempt == self._attempts:
                raise _service_error(response)
            retry_after = response.headers.get("retry-after", "")
            time.sleep(min(float(retry_after), _MAX_PAUSE) if retry_after.isdecimal() else 1.0)


def _resolve(source: Source) -> tuple[str, bytes]:
    """Return the CELEX number that a source is, or its bytes; a string is what it is for `lexlattice.read`."""
    if isinstance(source, bytes):
        return "", source
    if isinstance(source, str) and is_text(source):
        return "", source.encode("utf-8", "replace")
    path = Path(source)
    if isinstance(source, str) and (is_url(source) or is_celex(source)) and not path.exists():
        named = identify_act(source)
        if named is None:
            raise OptionError("The service opens no addresses but those of acts; pass a file or the text.")
        return named.candidates[0].celex, b""
    try:
        return "", path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ReadingError(f"Cannot read '{str(source)[:80]}': {reason}; pass a path, bytes or a whole text.") from None


def _content(source: Source) -> bytes:
    named, content = _resolve(source)
    if named:
        raise OptionError(f"CELEX numbers are summarized one at a time; use summarize for {named}.")
    return content


def _form(acts: Sequence[bytes], options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of httpx for a form; options that are None are left to the service."""
    fields = {
        name: json.dumps(value) if isinstance(value, bool) else " ".join(value) if name == "units" else str(value)
        for name, value in options.items()
        if value is not None
    }
    return {"files": [("file", ("act", act)) for act in acts], "data": fields}


def _batches(acts: Iterable[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    for act in acts:
        if batch and (len(batch) == _BATCH_ACTS or sum(map(len, batch)) + len(act) > _BATCH_BYTES):
            yield batch
            batch = []
        batch.append(act)
    if batch:
        yield batch


def _service_error(response: httpx.Response) -> ServiceError:
    try:
        problem = json.loads(response.content)
        code, values = str(problem.get("code", "")), problem.get("values") or {}
        return ServiceError(str(problem["detail"]), response.status_code, code=code, values=values)
    except (ValueError, KeyError, TypeError, AttributeError):
        sentence = f"The service answered HTTP {response.status_code}; check its address."
        return ServiceError(sentence, response.status_code)
