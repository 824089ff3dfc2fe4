"""A client of the REST service that `lexlattice serve` starts."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self, Unpack

from lexlattice.act.document import Act
from lexlattice.act.summary import SummaryRecord
from lexlattice.errors import LexLatticeError, OptionError, ReadingError, brief
from lexlattice.selection import Options

if TYPE_CHECKING:
    import httpx

Source = str | bytes | Path
"""The text of an act, the bytes of a file in any format, or its path."""
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


class ServiceError(LexLatticeError):
    """The service refused a request; `status` is the HTTP status, or 0 if there was no response."""

    code: ClassVar[str] = "service"

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
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
            source: The text of the act, the bytes of a file, or its path.
            celex: A CELEX number instead.
            **options: Options of the summary, as for `lexlattice.summarize`.

        Raises:
            ServiceError: The service refused the request or did not respond.
            OptionError: Neither or both of `source` and `celex` are given.

        """
        return SummaryRecord.from_dict(self._post("/v1/summaries", source, celex, dict(options)))

    def summarize_many(
        self, sources: Iterable[Source], **options: Unpack[ServiceOptions]
    ) -> Iterator[SummaryRecord | ServiceError]:
        """Yield the summaries of many acts in order, and the error of each act that failed in its place.

        Args:
            sources: Texts, bytes or paths; read batch by batch.
            **options: Options of the summaries, as for `lexlattice.summarize`.

        Raises:
            ServiceError: A whole request was refused, or the service did not respond.

        """
        for batch in _batches(map(_content, sources)):
            for line in self._lines(batch, dict(options)):
                data = json.loads(line)
                if "detail" in data:
                    yield ServiceError(data["detail"], data["status"])
                else:
                    yield SummaryRecord.from_dict(data)

    def parse(self, source: Source | None = None, *, celex: str | None = None, language: str | None = None) -> Act:
        """Parse an act; arguments and errors are those of `summarize`."""
        return Act.from_dict(self._post("/v1/acts", source, celex, {"language": language}))

    def languages(self) -> list[Language]:
        """Return the 24 official languages."""
        with self._request("GET", "/v1/languages") as response:
            return [Language(**entry) for entry in json.loads(response.read())]

    def _post(self, path: str, source: Source | None, celex: str | None, options: dict[str, Any]) -> Any:
        if (source is None) == (celex is None):
            raise OptionError("Pass either a source or a CELEX number.")
        content = {"json": {"celex": celex, **options}} if source is None else _form([_content(source)], options)
        with self._request("POST", path, **content) as response:
            return json.loads(response.read())

    def _lines(self, acts: Sequence[bytes], options: dict[str, Any]) -> Iterator[str]:
        """Yield a line per act; the error of a batch of one stands in its place, as it would in a larger batch."""
        try:
            with self._request("POST", "/v1/summaries", **_form(acts, options)) as response:
                yield from response.iter_lines()
        except ServiceError as error:
            if len(acts) > 1 or not error.status:
                raise
            yield json.dumps({"detail": str(error), "status": error.status})

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


def _content(source: Source) -> bytes:
    if isinstance(source, bytes):
        return source
    if isinstance(source, str):
        return source.encode("utf-8", "replace")
    try:
        return source.read_bytes()
    except OSError as error:
        raise ReadingError(f"Cannot read '{source}': {error.strerror or error}.") from None


def _form(acts: Sequence[bytes], options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of httpx for a form; options that are None are left to the service."""
    fields = {
        name: json.dumps(value) if isinstance(value, bool) else str(value)
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
        sentence = str(json.loads(response.content)["detail"])
    except (ValueError, KeyError, TypeError):
        sentence = f"The service answered HTTP {response.status_code}; check its address."
    return ServiceError(sentence, response.status_code)
