"""What comes in: bodies that are too large or too slow are refused while they arrive, and nothing touches the disk."""

from __future__ import annotations

import asyncio
import io
import re
from codecs import BOM_UTF8
from collections.abc import AsyncGenerator
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from pydantic_core import from_json
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from lexlattice.apps.serve.schemas import ActRequest, ProblemError
from lexlattice.apps.serve.settings import Settings

JSON: Final = "application/json"
FORM: Final = "multipart/form-data"
LINES: Final = "application/x-ndjson"
_MOST_FIELDS: Final = 100
_CHARSETS: Final = (b"utf-8", b"utf8", b"us-ascii")
"""Of forms. Python knows codecs that take minutes for what others take milliseconds for."""
_LENGTH: Final = re.compile("[0-9]{1,19}")


class Sent(NamedTuple):
    """An act as it was sent: the request, and the content of its file or its text, if it has one."""

    request: ActRequest
    content: bytes
    name: str = ""


class Batch(NamedTuple):
    """All acts of a request; a problem stands where one could not be understood."""

    acts: list[Sent | ProblemError]
    many: bool

    def one(self) -> Sent:
        """The only act, where only one may be asked for."""
        if self.many or len(self.acts) != 1:
            raise ProblemError(422, "Only one act can be asked for here; send one.")
        act = self.acts[0]
        if isinstance(act, ProblemError):
            raise act
        return act


class Intake:
    """Reads requests, and knows how much of them is in memory."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.held = 0

    async def take(self, request: Request, model: type[ActRequest]) -> Batch:
        """The acts of a request."""
        kind = _kind(request)
        if kind not in (JSON, FORM, LINES):
            raise ProblemError(415, f"Send the act as {FORM} or {JSON}, or several as {LINES}.")
        body = await self._body(request)
        if kind == JSON:
            return Batch([await asyncio.to_thread(_from_json, body, model)], many=False)
        if kind == LINES:
            return Batch(await asyncio.to_thread(self._from_lines, body, model), many=True)
        return await self._form(request, body, model)

    def release(self, request: Request) -> None:
        """Once a request is answered, whatever it held is free again."""
        self.held -= getattr(request.state, "held", 0)
        request.state.held = 0

    async def _body(self, request: Request) -> bytes:
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise ProblemError(415, "Send the request as it is, not compressed.")
        most, body = self._settings.max_bytes, bytearray()
        announced = request.headers.get("content-length", "0")
        if _LENGTH.fullmatch(announced) and int(announced) > most:
            raise self._too_large()
        request.state.held = 0
        try:
            async with asyncio.timeout(self._settings.max_seconds):
                async for chunk in request.stream():
                    body += chunk
                    request.state.held += len(chunk)
                    self.held += len(chunk)
                    if len(body) > most:
                        raise self._too_large()
                    if self.held > self._settings.max_held:
                        raise ProblemError(503, "The service holds all it can at the moment; try again later.")
        except TimeoutError:
            seconds = self._settings.max_seconds
            raise ProblemError(
                408, f"The request did not arrive within {seconds:g} seconds; send it faster.", {"Connection": "close"}
            ) from None
        return bytes(body)

    async def take_two(self, request: Request) -> tuple[Sent, Sent]:
        """Two acts of a form, in its order: each a file, a text or a CELEX number; and both languages, if said."""
        if _kind(request) != FORM:
            raise ProblemError(415, f"Send the two acts as {FORM}.")
        contents: list[tuple[str, bytes, str]] = []
        languages: list[str] = []
        for name, value in (await self._parsed(request, await self._body(request))).multi_items():
            if isinstance(value, UploadFile) and name == "file":
                contents.append((name, await value.read(), value.filename or ""))
            elif isinstance(value, str) and name in ("text", "celex"):
                contents.append((name, value.encode("utf-8", "replace"), value))
            elif isinstance(value, str) and name == "language":
                languages.append(value)
            else:
                raise ProblemError(422, f"The field '{name}' cannot be understood; send 'file', 'text' or 'celex'.")
        if len(contents) != 2 or len(languages) not in (0, 2):
            raise ProblemError(422, "Two acts are compared here; send two, and a language for each or for none.")
        first, second = (
            _act(name, content, said, language)
            for (name, content, said), language in zip(contents, languages or ("", ""), strict=True)
        )
        return first, second

    async def _parsed(self, request: Request, body: bytes) -> FormData:
        """The parts of a form. A large one takes a while, in which others are answered."""
        _, options = parse_options_header(request.headers.get("content-type", ""))
        if options.get(b"charset", b"utf-8").lower() not in _CHARSETS:
            raise ProblemError(415, "Send the form in UTF-8.")

        async def stream() -> AsyncGenerator[bytes, None]:
            yield body

        parser = MultiPartParser(
            request.headers,
            stream(),
            max_files=self._settings.max_acts,
            max_fields=_MOST_FIELDS,
            max_part_size=self._settings.max_bytes,
        )
        parser.spool_max_size = self._settings.max_bytes + 1  # in memory, whatever its size
        try:
            return await asyncio.to_thread(asyncio.run, parser.parse())
        except (MultiPartException, KeyError, ValueError, UnicodeError):
            raise ProblemError(400, "The form is broken or has too many parts; send it as browsers do.") from None

    async def _form(self, request: Request, body: bytes, model: type[ActRequest]) -> Batch:
        fields: dict[str, Any] = {}
        files: list[UploadFile] = []
        for name, value in (await self._parsed(request, body)).multi_items():
            if isinstance(value, UploadFile) and name == "file":
                files.append(value)
            elif isinstance(value, UploadFile) or name in fields:
                raise ProblemError(422, f"The field '{name}' cannot be understood; send files as 'file', others once.")
            elif value.strip():
                fields[name] = value.split() if name == "units" else value
        if not files:
            return Batch([_sent(_checked(model, fields))], many=False)
        wanted = _checked(model, fields, file=True)
        acts: list[Sent | ProblemError] = [Sent(wanted, await file.read(), file.filename or "") for file in files]
        return Batch(acts, many=len(acts) > 1)

    def _from_lines(self, body: bytes, model: type[ActRequest]) -> list[Sent | ProblemError]:
        most, acts = self._settings.max_acts, list[Sent | ProblemError]()
        for line in io.BytesIO(body):
            if not line.strip():
                continue
            if len(acts) == most:
                raise ProblemError(413, f"There are more than {most:,} acts; send no more at once.")
            acts.append(_line(line, model))
        if not acts:
            raise ProblemError(422, "There is no act in the request; send one at least.")
        return acts

    def _too_large(self) -> ProblemError:
        megabytes = self._settings.max_bytes / 1_000_000
        return ProblemError(413, f"The request is larger than {megabytes:g} MB; give the act alone.")


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _act(name: str, content: bytes, said: str, language: str) -> Sent:
    """One of two acts in a form."""
    fields = {"language": language} if language else {}
    if name == "celex":
        return Sent(_checked(ActRequest, {"celex": said, **fields}), b"")
    return Sent(_checked(ActRequest, fields, file=True), content)


def _from_json(body: bytes, model: type[ActRequest]) -> Sent:
    try:
        fields = from_json(body.removeprefix(BOM_UTF8), allow_inf_nan=False)
    except ValueError as error:
        raise ProblemError(400, f"The request is no JSON: {error}.") from None
    if not isinstance(fields, dict) or len(fields) > _MOST_FIELDS:
        raise ProblemError(422, f"The request cannot be understood: send an object of at most {_MOST_FIELDS} fields.")
    return _sent(_checked(model, fields))


def _line(line: bytes, model: type[ActRequest]) -> Sent | ProblemError:
    try:
        return _from_json(line, model)
    except ProblemError as problem:
        return problem


def _sent(request: ActRequest) -> Sent:
    return Sent(request, (request.text or "").encode("utf-8", "replace"))


def _checked(model: type[ActRequest], fields: dict[str, Any], *, file: bool = False) -> ActRequest:
    try:
        return model.model_validate(fields, context=file or None)
    except ValidationError as error:
        raise _problem(error) from None


def _problem(error: ValidationError) -> ProblemError:
    """One sentence of what Pydantic found first; never the value itself, which may be an act."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    what = first["msg"].removeprefix("Value error, ").rstrip(".")
    place = ".".join(str(part) for part in first["loc"])[:80]
    return ProblemError(422, f"The request cannot be understood: {f'{place}: ' if place else ''}{what}.")
