"""Request bodies: read with limits on size, time and memory, never spooled to disk, and validated with Pydantic."""

from __future__ import annotations

import asyncio
import io
import re
from codecs import BOM_UTF8
from collections.abc import AsyncGenerator, Coroutine
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from pydantic_core import from_json
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from lexlattice.apps.serve.problems import ProblemError
from lexlattice.apps.serve.schemas import FORM, JSON, NDJSON, ActRequest
from lexlattice.apps.serve.settings import Settings

_MAX_FIELDS: Final = 100
_CHARSETS: Final = (b"utf-8", b"utf8", b"us-ascii")
"""Allowed charsets of forms. Some of Python's codecs, such as punycode, take minutes for a megabyte."""
_LENGTH: Final = re.compile("[0-9]{1,19}")


class ActUpload(NamedTuple):
    """An act as it was sent: the validated request, and the bytes of its file or text if it has one."""

    request: ActRequest
    content: bytes
    name: str = ""


class Batch(NamedTuple):
    """The acts of a request, with a problem in place of each act that is invalid."""

    acts: list[ActUpload | ProblemError]
    is_many: bool

    def single(self) -> ActUpload:
        """Return the only act, for routes that take one."""
        if self.is_many or len(self.acts) != 1:
            raise ProblemError(422, "one-act", "This route takes one act; send one.")
        act = self.acts[0]
        if isinstance(act, ProblemError):
            raise act
        return act


class BodyReader:
    """Reads request bodies, and limits how many bytes of them are in memory."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.held_bytes = 0

    async def read(self, request: Request, model: type[ActRequest], *, many: bool = False) -> Batch:
        """Return the acts of a request, validated as `model`; `many` allows NDJSON."""
        _check_query(request)
        media_type = _media_type(request)
        types = [FORM, JSON, *([NDJSON] if many else [])]
        if media_type not in types:
            several = f", or several acts as {NDJSON}" if many else ""
            raise ProblemError(415, "media-type", f"Send the act as {FORM} or {JSON}{several}.", types=types)
        body = await self._body(request)
        # Parsing runs in threads: a large body takes long enough to hold up other requests.
        if media_type == JSON:
            return Batch([await asyncio.to_thread(_from_json, body, model)], is_many=False)
        if media_type == NDJSON:
            return Batch(await asyncio.to_thread(self._from_ndjson, body, model), is_many=True)
        return await self._from_form(request, body, model)

    async def read_query(self, request: Request, model: type[ActRequest], celex: str) -> ActUpload:
        """Return the act that a path names by its CELEX number, with options from the query."""
        await self._body(request)  # nobody sends one, but what follows it is the disconnection
        fields = {name: value for name, value in request.query_params.items() if name != "format" and value.strip()}
        if "text" in fields or "celex" in fields:
            detail = "Invalid parameter: the act is named in the path."
            raise ProblemError(422, "invalid-field", detail, field="text" if "text" in fields else "celex")
        return _upload(_validate(model, {**fields, "celex": celex}))

    async def read_pair(self, request: Request) -> tuple[ActUpload, ActUpload]:
        """Return the two acts of a form in its order: each a file, a text or a CELEX number, with a language or not."""
        _check_query(request)
        if _media_type(request) != FORM:
            raise ProblemError(415, "media-type", f"Send the two acts as {FORM}.", types=[FORM])
        acts: list[tuple[str, str | bytes]] = []
        languages: list[str] = []
        for name, value in (await self._form(request, await self._body(request))).multi_items():
            if isinstance(value, str) and name == "language":
                languages.append(value.strip())
            elif _is_blank(value):
                continue
            elif isinstance(value, UploadFile) and name == "file":
                acts.append((name, await value.read()))
            elif isinstance(value, str) and name in ("text", "celex"):
                acts.append((name, value))
            else:
                detail = f"Invalid field '{name}'; send 'file', 'text' or 'celex', and 'language'."
                raise ProblemError(422, "invalid-field", detail, field=name[:80])
        languages = languages if any(languages) else []
        if len(acts) != 2 or len(languages) not in (0, 2):
            detail = "This route takes two acts; send two, and a language for both or for neither."
            raise ProblemError(422, "two-acts", detail)
        first, second = (
            _pair_member(name, value, language)
            for (name, value), language in zip(acts, languages or ("", ""), strict=True)
        )
        return first, second

    def release(self, request: Request) -> None:
        """Free the bytes that a request held, once it is answered."""
        self.held_bytes -= getattr(request.state, "held_bytes", 0)
        request.state.held_bytes = 0

    async def _body(self, request: Request) -> bytes:
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            detail = "Compressed requests are not supported; send the body uncompressed."
            raise ProblemError(415, "compressed", detail)
        limit, body = self._settings.max_bytes, bytearray()
        # Refuse by the announced length first: the client need not send the body at all.
        announced = request.headers.get("content-length", "0")
        if _LENGTH.fullmatch(announced) and int(announced) > limit:
            raise self._too_large()
        request.state.held_bytes = 0
        try:
            async with asyncio.timeout(self._settings.max_seconds):
                async for chunk in request.stream():
                    body += chunk
                    request.state.held_bytes += len(chunk)
                    self.held_bytes += len(chunk)
                    if len(body) > limit:
                        raise self._too_large()
                    if self.held_bytes > self._settings.max_held_bytes:
                        detail = "The service is out of memory for requests; try again later."
                        raise ProblemError(503, "memory-full", detail)
        except TimeoutError:
            seconds = self._settings.max_seconds
            raise ProblemError(
                408,
                "slow-request",
                f"The request did not arrive within {seconds:g} seconds; send it faster.",
                {"Connection": "close"},
                seconds=f"{seconds:g}",
            ) from None
        return bytes(body)

    async def _form(self, request: Request, body: bytes) -> FormData:
        _, options = parse_options_header(request.headers.get("content-type", ""))
        if options.get(b"charset", b"utf-8").lower() not in _CHARSETS:
            raise ProblemError(415, "invalid-form", "Send the form in UTF-8.")

        async def stream() -> AsyncGenerator[bytes, None]:
            yield body

        parser = MultiPartParser(
            request.headers,
            stream(),
            max_files=self._settings.max_acts,
            max_fields=_MAX_FIELDS,
            max_part_size=self._settings.max_bytes,
        )
        parser.spool_max_size = self._settings.max_bytes + 1  # above any part's size: nothing goes to disk
        try:
            # The parser is a coroutine that never waits, so it would block this event loop.
            return await asyncio.to_thread(_finished, parser.parse())
        except (MultiPartException, KeyError, ValueError, UnicodeError):
            detail = "The form is malformed or has too many parts; encode it as browsers do."
            raise ProblemError(400, "invalid-form", detail) from None

    async def _from_form(self, request: Request, body: bytes, model: type[ActRequest]) -> Batch:
        fields: dict[str, Any] = {}
        files: list[UploadFile] = []
        for name, value in (await self._form(request, body)).multi_items():
            if _is_blank(value):
                continue
            if isinstance(value, UploadFile) and name == "file":
                files.append(value)
            elif isinstance(value, str) and name == "units":
                fields.setdefault(name, []).extend(value.split())
            elif isinstance(value, UploadFile) or name in fields:
                detail = f"Invalid field '{name}'; send files as 'file', and other fields once."
                raise ProblemError(422, "invalid-field", detail, field=name[:80])
            else:
                fields[name] = value
        if not files:
            return Batch([_upload(_validate(model, fields))], is_many=False)
        request_model = _validate(model, fields, has_file=True)
        acts: list[ActUpload | ProblemError] = [
            ActUpload(request_model, await file.read(), file.filename or "") for file in files
        ]
        return Batch(acts, is_many=len(acts) > 1)

    def _from_ndjson(self, body: bytes, model: type[ActRequest]) -> list[ActUpload | ProblemError]:
        limit, acts = self._settings.max_acts, list[ActUpload | ProblemError]()
        for line in io.BytesIO(body):
            if not line.strip():
                continue
            if len(acts) == limit:
                raise ProblemError(
                    413, "too-many-acts", f"The request has more than {limit:,} acts; split it.", limit=limit
                )
            try:
                acts.append(_from_json(line, model))
            except ProblemError as problem:
                acts.append(problem)
        if not acts:
            raise ProblemError(422, "no-act", "The request contains no act; send at least one.")
        return acts

    def _too_large(self) -> ProblemError:
        megabytes = f"{self._settings.max_bytes / 1_000_000:g}"
        detail = f"The request is larger than {megabytes} MB; send only the act."
        return ProblemError(413, "request-too-large", detail, megabytes=megabytes)


def _finished(work: Coroutine[Any, Any, FormData]) -> FormData:
    """Run a coroutine that never waits, without an event loop, which takes longer to make than most forms to parse."""
    try:
        work.send(None)
    except StopIteration as end:
        form: FormData = end.value
        return form
    raise RuntimeError("the parser waits, since it writes to disk")


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _is_blank(value: str | UploadFile) -> bool:
    """Whether a part of a form was not filled in: browsers send it nevertheless."""
    return not value.strip() if isinstance(value, str) else not value.filename and not value.size


def _check_query(request: Request) -> None:
    """Refuse parameters that the route does not have: options that come with an act belong into the body."""
    known = {parameter.alias for parameter in request.scope["route"].dependant.query_params}
    if unknown := next((name for name in request.query_params if name not in known), None):
        detail = f"Unknown parameter '{unknown[:80]}' in the query; send the options of an act in the body."
        raise ProblemError(422, "invalid-field", detail, field=unknown[:80])


def _pair_member(name: str, value: str | bytes, language: str) -> ActUpload:
    fields = {"language": language} if language else {}
    if isinstance(value, bytes):
        return ActUpload(_validate(ActRequest, fields, has_file=True), value)
    return _upload(_validate(ActRequest, {name: value, **fields}))


def _from_json(body: bytes, model: type[ActRequest]) -> ActUpload:
    try:
        fields = from_json(body.removeprefix(BOM_UTF8), allow_inf_nan=False)
    except ValueError as error:
        raise ProblemError(400, "invalid-json", f"The request is not valid JSON: {error}.") from None
    if not isinstance(fields, dict) or len(fields) > _MAX_FIELDS:
        detail = f"Invalid request: send a JSON object of at most {_MAX_FIELDS} fields."
        raise ProblemError(400, "invalid-json", detail)
    return _upload(_validate(model, fields))


def _upload(request: ActRequest) -> ActUpload:
    return ActUpload(request, (request.text or "").encode("utf-8", "replace"))


def _validate(model: type[ActRequest], fields: dict[str, Any], *, has_file: bool = False) -> ActRequest:
    try:
        return model.model_validate(fields, context=has_file or None)
    except ValidationError as error:
        # Only the first error, and never the value: it may be a whole act.
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        message = first["msg"].removeprefix("Value error, ").rstrip(".")
        field = ".".join(str(part) for part in first["loc"])[:80]
        detail = f"Invalid request: {f'{field}: ' if field else ''}{message}."
        code = "invalid-celex" if field == "celex" else "invalid-field" if field else "invalid-request"
        raise ProblemError(422, code, detail, field=field) from None
