"""A small client of the service that `lexlattice serve` starts, for programs elsewhere."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Unpack

from lexlattice.act.document import Act
from lexlattice.act.summary import SummaryRecord
from lexlattice.errors import LexLatticeError, brief
from lexlattice.selection import Options

if TYPE_CHECKING:
    import httpx

Source = str | bytes | Path
"""The text of an act, the bytes of a file in any format, or the path of one."""
_BATCH_ACTS: Final = 32
_BATCH_BYTES: Final = 8_000_000
"""What goes in one request, of many acts."""
_LONGEST_PAUSE: Final = 10.0
_PASSING: Final = (429, 503)
"""Refusals that a little patience may help against."""


class ServiceOptions(Options, total=False):
    """How a summary is to be, as at `lexlattice.summarize`; with `group` items say under which heading they belong."""

    group: bool


class Language(NamedTuple):
    """One of the 24."""

    code: str
    name: str


class ServiceError(LexLatticeError):
    """What the service answered instead, in its own sentence; `status` is HTTP's, or 0 if there was no answer."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


class Client:
    """One connection to a service; used in a `with` statement, or closed with `close`.

    When the service is busy it is asked again, as often as `attempts` says.
    """

    def __init__(self, base_url: str = "http://127.0.0.1:8000", *, timeout: float = 60.0, attempts: int = 3) -> None:
        import httpx

        self._http = httpx.Client(base_url=base_url, timeout=timeout)
        self._attempts = attempts

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the connection go."""
        self._http.close()

    def summarize(
        self, source: Source | None = None, *, celex: str | None = None, **options: Unpack[ServiceOptions]
    ) -> SummaryRecord:
        """The summary of an act, or of what has a CELEX number."""
        return SummaryRecord.from_dict(self._one("/v1/summaries", source, celex, dict(options)))

    def summarize_many(
        self, sources: Iterable[Source], **options: Unpack[ServiceOptions]
    ) -> Iterator[SummaryRecord | ServiceError]:
        """Summaries of many acts in their order, as they come; where one cannot be made, why."""
        for batch in _batches(map(_content, sources)):
            for line in self._lines(batch, dict(options)):
                data = json.loads(line)
                if "status" in data:
                    yield ServiceError(data["detail"], data["status"])
                else:
                    yield SummaryRecord.from_dict(data)

    def parse(self, source: Source | None = None, *, celex: str | None = None, language: str | None = None) -> Act:
        """All units of an act."""
        return Act.from_dict(self._one("/v1/acts", source, celex, {"language": language}))

    def languages(self) -> list[Language]:
        """The 24 official languages."""
        with self._asked("GET", "/v1/languages") as answer:
            return [Language(**entry) for entry in json.loads(answer.read())]

    def _one(self, path: str, source: Source | None, celex: str | None, options: dict[str, Any]) -> Any:
        if (source is None) == (celex is None):
            raise LexLatticeError("Give the act once: a source, or a CELEX number.")
        content = {"json": {"celex": celex, **options}} if source is None else _form([_content(source)], options)
        with self._asked("POST", path, **content) as answer:
            return json.loads(answer.read())

    def _lines(self, acts: Sequence[bytes], options: dict[str, Any]) -> Iterator[str]:
        """A line for each act; where a single one is refused, the reason in its place."""
        try:
            with self._asked("POST", "/v1/summaries", **_form(acts, options)) as answer:
                yield from answer.iter_lines()
        except ServiceError as error:
            if len(acts) > 1 or not error.status:
                raise
            yield json.dumps({"detail": str(error), "status": error.status})

    @contextmanager
    def _asked(self, method: str, path: str, **content: Any) -> Iterator[httpx.Response]:
        """An answer that is still to be read; a refusal is an error, after a few attempts if it may pass."""
        import httpx

        for attempt in range(1, self._attempts + 1):
            try:
                with self._http.stream(method, path, **content) as answer:
                    if answer.is_success:
                        yield answer
                        return
                    answer.read()
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
                where = self._http.base_url
                raise ServiceError(f"The service at {where} gave no answer ({brief(error)}); is it running?") from None
            if answer.status_code not in _PASSING or attempt == self._attempts:
                raise _refusal(answer)
            time.sleep(_pause(answer.headers.get("retry-after", "")))


def _content(source: Source) -> bytes:
    if isinstance(source, bytes):
        return source
    if isinstance(source, str):
        return source.encode("utf-8", "replace")
    try:
        return source.read_bytes()
    except OSError as error:
        raise LexLatticeError(f"'{source}' cannot be read: {error.strerror or error}.") from None


def _form(acts: Sequence[bytes], options: dict[str, Any]) -> dict[str, Any]:
    """As a browser would send it; what is not asked for is left to the service."""
    fields = {
        name: json.dumps(value) if isinstance(value, bool) else str(value)
        for name, value in options.items()
        if value is not None
    }
    return {"files": [("file", ("act", act)) for act in acts], "data": fields}


def _batches(acts: Iterable[bytes]) -> Iterator[list[bytes]]:
    """So many that one request is worth it, so few that it is not refused."""
    batch: list[bytes] = []
    for act in acts:
        if batch and (len(batch) == _BATCH_ACTS or sum(map(len, batch)) + len(act) > _BATCH_BYTES):
            yield batch
            batch = []
        batch.append(act)
    if batch:
        yield batch


def _refusal(answer: httpx.Response) -> ServiceError:
    try:
        sentence = str(json.loads(answer.content)["detail"])
    except (ValueError, KeyError, TypeError):
        sentence = f"The service answered HTTP {answer.status_code}; check its address."
    return ServiceError(sentence, answer.status_code)


def _pause(retry_after: str) -> float:
    return min(float(retry_after), _LONGEST_PAUSE) if retry_after.isdecimal() else 1.0
