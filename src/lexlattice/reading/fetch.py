"""Fetch an act by CELEX number or URL, from the Publications Office's Cellar and from EUR-Lex.

Cellar comes first: it is made for programs and chooses the text by content negotiation, while EUR-Lex often requires
a browser. A published act does not change, so complete answers are cached and never requested again. A CELEX number is
resolved on the EU's own hosts only, wherever they may redirect to.
"""

from __future__ import annotations

import html
import json
import logging
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urljoin, urlsplit

from lexlattice._internal.files import cache_folder, sha256, write_whole
from lexlattice.errors import FetchError, LexLatticeError
from lexlattice.reading.celex import CELEX, ISO_639_2, LANGUAGE_CODES, parse_act_url
from lexlattice.reading.pace import postpone, wait_for_turn

if TYPE_CHECKING:
    import httpx
    from tenacity import RetryCallState

CELLAR: Final = "https://publications.europa.eu"
EURLEX: Final = "https://eur-lex.europa.eu"
_EU_HOSTS: Final = ".europa.eu"
MEDIA_TYPES: Final = ("application/xhtml+xml", "text/html", "application/zip;mtype=fmx4", "application/pdf")
"""In order of preference: mark-up first, since it says what each line is."""
BACKOFF = 0.5
"""Seconds before the second attempt; doubled for each further one."""
MAX_WAIT = 60.0
"""Seconds between two attempts, whatever the server says: more would look like a hang."""
MAX_BYTES: Final = 200_000_000
"""Of an answer, after decompression."""
MAX_REDIRECTS: Final = 10
_DEADLINE: Final = 20
"""An answer may take this many times the timeout of one read, so that a trickle of bytes ends."""
_ABSENT: Final = (404, 406, 410)
_REASONS: Final = {202: "requires a browser"} | dict.fromkeys(_ABSENT, "has no such text")

# One item of the page that comes with "300 Multiple Choices": its address, and what follows up to the next one.
_ITEM: Final = re.compile(r"""href\s*=\s*["']([^"']+)["'](.*?)(?=href\s*=|\Z)""", re.DOTALL | re.IGNORECASE)
_SECONDARY: Final = re.compile(r"anx|annex|\.(?:css|js|ico|gif|jpe?g|png|tiff?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer: the bytes as sent, their media type without parameters, and where they came from."""

    content: bytes
    media_type: str
    url: str
    celex: str | None
    language: str | None


@dataclass(frozen=True, slots=True)
class _Limits:
    """What is accepted from a source: at most `max_bytes`, from `hosts` or from anywhere if that is `None`.

    A host with a leading dot stands for all its subdomains.
    """

    max_bytes: int
    hosts: tuple[str, ...] | None = None

    def allow(self, host: str) -> bool:
        return self.hosts is None or any(
            host == allowed or (allowed[:1] == "." and host.endswith(allowed)) for allowed in self.hosts
        )


@dataclass(frozen=True, slots=True)
class _Plan:
    """What to fetch, and the addresses to try in turn."""

    reference: str
    celex: str | None
    language: str
    sources: list[tuple[str, _Limits]]


class _SourceError(Exception):
    """Why one source returned nothing.

    `retry_after` is the server's header (perhaps empty) if another attempt may succeed, else `None`; `absent` means
    that the source does not have the text.
    """

    def __init__(self, reason: str, *, retry_after: str | None = None, absent: bool = False) -> None:
        super().__init__(reason)
        self.retry_after, self.absent = retry_after, absent


def is_celex(text: str) -> bool:
    """Whether the text has the form of a CELEX number, such as 32016R0679."""
    return CELEX.fullmatch(text) is not None


def is_url(text: str) -> bool:
    """Whether the text is a URL that `fetch` would open: http or https, nothing else."""
    with suppress(ValueError):
        parts = urlsplit(text.strip())
        return parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"\s", text.strip())
    return False


def fetch(
    reference: str,
    *,
    language: str | None = None,
    cache: Path | None = None,
    cellar: str = CELLAR,
    eurlex: str = EURLEX,
    timeout: float = 30.0,
    attempts: int = 4,
    max_bytes: int = MAX_BYTES,
) -> Fetched:
    """Fetch the act that a CELEX number names, or the content of a URL; from the cache if it was fetched before.

    A URL of the EU's own sites that names an act is first resolved by that act's CELEX number.

    Args:
        reference: A CELEX number such as `32016R0679`, or an http(s) URL.
        language: Code of an official language, of two or three letters. By default the one that the URL names, else
            English.
        cache: Folder of the cache. By default `$LEXLATTICE_CACHE`, or else the user's cache folder.
        cellar: Base URL of Cellar or of a mirror.
        eurlex: Base URL of EUR-Lex or of a mirror.
        timeout: Seconds to wait for a connection and for each read.
        attempts: How often a source is tried while its failures may be temporary.
        max_bytes: Size above which an answer is refused.

    Returns:
        The answer of the first source that has the text.

    Raises:
        FetchError: The reference or the language is not valid, or no source returned the text; `absent` is set if
            every source answered that it does not have it.
    """
    plan = _plan(reference, language, cellar, eurlex, max_bytes)
    entry = _entry(plan, cache, cellar, eurlex)
    cached = _load(entry)
    if cached is not None:
        return cached
    fetched = _download(plan, timeout, attempts)
    _store(entry, fetched)
    return fetched


def cached_bytes(reference: str, *, language: str | None = None, cache: Path | None = None) -> int | None:
    """Return the size of the cached answer for a CELEX number or URL, or None if it would have to be fetched."""
    with suppress(FetchError, OSError):
        entry = _entry(_plan(reference, language, CELLAR, EURLEX, MAX_BYTES), cache, CELLAR, EURLEX)
        return entry.stat().st_size if entry.with_suffix(".json").is_file() else None
    return None


def _entry(plan: _Plan, cache: Path | None, cellar: str, eurlex: str) -> Path:
    """The place of an answer in the cache. The sources are part of the key: a mirror may serve another text."""
    key = sha256(json.dumps([plan.reference, plan.language, cellar, eurlex]).encode())
    return (cache or cache_folder()) / f"{key}.act"


def without_credentials(url: str) -> str:
    """Remove user name and password, which belong neither in an error message nor in the cache."""
    return re.sub("(?<=://)[^/?#]*@", "", url)


def _plan(reference: str, language: str | None, cellar: str, eurlex: str, max_bytes: int) -> _Plan:
    number, reference = CELEX.fullmatch(reference), reference.strip()
    named = parse_act_url(reference) if is_url(reference) else None
    if language is not None and language.lower() not in LANGUAGE_CODES:
        raise FetchError(f"{language!r} is not the code of an official language, such as 'en' or 'fr'.")
    code = LANGUAGE_CODES[language.lower()] if language is not None else (named and named.language) or "en"
    official = _Limits(max_bytes, _official_hosts(cellar, eurlex))
    if number:
        celex = number[1].upper()
        return _Plan(celex, celex, code, [(url, official) for url in _addresses(celex, code, cellar, eurlex)])
    if named is None:
        raise FetchError(f"{_redacted(reference)!r} is neither a CELEX number such as 32016R0679 nor an http(s) URL.")
    by_number = []
    if named.celex and official.allow(urlsplit(without_credentials(reference)).netloc.lower()):
        by_number = [url for url in _addresses(named.celex, code, cellar, eurlex) if url != reference]
    sources = [(url, official) for url in by_number] + [(reference, _Limits(max_bytes))]
    return _Plan(reference, named.celex, code, sources)


def _addresses(celex: str, code: str, cellar: str, eurlex: str) -> list[str]:
    """The addresses of an act on Cellar and on EUR-Lex."""
    path = quote(celex, safe="")
    page = f"{eurlex.rstrip('/')}/legal-content/{code.upper()}/TXT/HTML/?uri=CELEX:{path}"
    return [f"{cellar.rstrip('/')}/resource/celex/{path}", page]


def _official_hosts(cellar: str, eurlex: str) -> tuple[str, ...]:
    """The two hosts, and all others of the EU unless mirrors are used."""
    hosts = tuple(urlsplit(without_credentials(url)).netloc.lower() for url in (cellar, eurlex))
    return (*hosts, _EU_HOSTS) if (cellar, eurlex) == (CELLAR, EURLEX) else hosts


def _download(plan: _Plan, timeout: float, attempts: int) -> Fetched:
    """Return the answer of the first source that has the text."""
    import httpx  # here, so that importing the package stays fast and cached acts do not need it

    try:
        client = httpx.Client(timeout=timeout, headers={"User-Agent": "lexlattice"})
    except (ImportError, ValueError):
        raise FetchError("The proxy set in the environment cannot be used; correct or unset it.") from None
    failures: list[tuple[str, _SourceError]] = []
    with client, _redacted_logs():
        for url, limits in plan.sources:
            try:
                answer = _negotiate(client, url, plan.language, attempts, limits)
            except _SourceError as error:
                failures.append((urlsplit(without_credentials(url)).netloc, error))
            else:
                is_official = limits.hosts is not None  # there the language was requested by its address
                return replace(answer, celex=plan.celex, language=plan.language if is_official else answer.language)
    raise _failure(plan, failures)


def _failure(plan: _Plan, failures: list[tuple[str, _SourceError]]) -> FetchError:
    is_absent = all(error.absent for _, error in failures)
    if plan.celex and len(failures) == 1 and failures[0][1].retry_after is None:
        advice = f"give the CELEX number {plan.celex} instead"
    elif is_absent:
        advice = "try another language or act"
    else:
        advice = "check the connection, or give a file instead"
    what = _redacted(plan.reference)
    if plan.reference == plan.celex:
        what = f"{plan.celex} in language {plan.language!r}"
    reasons = ", and ".join(f"{host} {error}" for host, error in failures)
    named = {"celex": plan.celex or "", "language": plan.language}
    return FetchError(f"{what} could not be fetched: {reasons}; {advice}.", absent=is_absent, values=named)


def _negotiate(client: httpx.Client, url: str, code: str, attempts: int, limits: _Limits) -> Fetched:
    """Fetch from one source: from Cellar one media type at a time, since it accepts no lists; from others any."""
    from tenacity import Retrying, retry_if_exception, stop_after_attempt

    is_cellar = urlsplit(url).path.startswith("/resource/")
    accepted = MEDIA_TYPES if is_cellar else (", ".join((*MEDIA_TYPES, "*/*;q=0.1")),)
    retrying = Retrying(
        stop=stop_after_attempt(attempts),
        wait=_wait,
        retry=retry_if_exception(lambda error: isinstance(error, _SourceError) and error.retry_after is not None),
        reraise=True,
    )
    for accept in accepted:
        try:
            answer = retrying(_request, client, url, accept, ISO_639_2[code] if is_cellar else code, limits)
            return replace(answer, language=code) if is_cellar else answer
        except _SourceError as error:
            if not error.absent or accept == accepted[-1]:
                raise
    raise AssertionError("unreachable: the last media type returns or raises")


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return seconds_to_wait(getattr(error, "retry_after", None) or "", state.attempt_number)


def seconds_to_wait(retry_after: str, attempt: int) -> float:
    """The wait that the server requests, else exponential backoff; never more than `MAX_WAIT`."""
    from email.utils import parsedate_to_datetime  # only needed where something is fetched

    seconds, stated = float(BACKOFF * 2 ** min(attempt - 1, 16)), retry_after.strip()
    with suppress(ValueError, OverflowError):
        seconds = float(stated) if stated.isdecimal() else parsedate_to_datetime(stated).timestamp() - time.time()
    return min(max(seconds, 0.0), MAX_WAIT)


def _by_server_clock(retry_after: str, date: str) -> str:
    """Convert a moment into seconds from the moment of the answer, both by the server's clock: ours may be wrong."""
    from email.utils import parsedate_to_datetime  # as above

    with suppress(TypeError, ValueError, OverflowError):
        seconds = (parsedate_to_datetime(retry_after) - parsedate_to_datetime(date)).total_seconds()
        return str(max(0, round(seconds)))
    return retry_after


def _request(client: httpx.Client, url: str, accept: str, language: str, limits: _Limits) -> Fetched:
    """Make one attempt; redirects are followed here, since httpx does not follow "300 Multiple Choices"."""
    import httpx

    headers, target = {"Accept": accept, "Accept-Language": language}, ""
    for _ in range(MAX_REDIRECTS + 1):
        try:
            url = urljoin(url, target)
            # Checked before each request, so that a redirect cannot lead to another host.
            if not limits.allow(httpx.URL(url).netloc.decode()):
                raise _SourceError("redirected to another host")
            wait_for_turn()
            with client.stream("GET", url, headers=headers) as response:
                status, sent = response.status_code, response.headers
                body = _read_body(response, limits.max_bytes) if status in (200, 300) else b""
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, ValueError):
            raise _SourceError("redirected to an address that cannot be opened") from None
        except httpx.TimeoutException:
            raise _SourceError("did not answer in time", retry_after="") from None
        except (httpx.ConnectError, httpx.ProxyError):
            raise _SourceError("could not be reached", retry_after="") from None
        except httpx.HTTPError:
            raise _SourceError("interrupted the answer", retry_after="") from None
        if status in (300, 301, 302, 303, 307, 308):
            target = (_choose(body, sent) if status == 300 else "") or sent.get("location", "")
        elif status == 200 and body:
            media_type = sent.get("content-type", "application/octet-stream").partition(";")[0].lower()
            stated = LANGUAGE_CODES.get(re.split("[-,]", sent.get("content-language", ""))[0].lower())
            return Fetched(body, media_type.strip(), without_credentials(url), None, stated)
        else:
            reason = _REASONS.get(status, f"answered HTTP {status} without a text")
            is_temporary = status in (200, 429) or status >= 500
            stated = _by_server_clock(sent.get("retry-after", ""), sent.get("date", ""))
            retry_after = stated if is_temporary else None
            if retry_after:
                postpone(seconds_to_wait(retry_after, 1))
            raise _SourceError(reason, retry_after=retry_after, absent=status in _ABSENT)
    raise _SourceError(f"redirected more than {MAX_REDIRECTS} times")


def _read_body(response: httpx.Response, max_bytes: int) -> bytes:
    """Read the whole body; httpx checks that nothing is missing, this function that it ends."""
    content, deadline = bytearray(), time.monotonic() + _DEADLINE * response.request.extensions["timeout"]["read"]
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > max_bytes:
            raise _SourceError(f"sent more than {max_bytes / 1e6:g} MB")
        if time.monotonic() > deadline:
            raise _SourceError("did not answer in time", retry_after="")
    return bytes(content)


def _choose(page: bytes, headers: httpx.Headers) -> str:
    """The address of the main text among the choices of a 300: the first that is no annex, picture or style sheet."""
    items = [(html.unescape(item[1]), item[2]) for item in _ITEM.finditer(page.decode("utf-8", "replace"))]
    items += [(url, "") for url in re.findall("<([^>]+)>", headers.get("link", ""))]
    return min(items, key=lambda i: ("/DOC_" not in i[0], bool(_SECONDARY.search(str(i)))), default=("", ""))[0]


def _redacted(url: str) -> str:
    """A URL for errors and logs: without credentials, and without its query, which may contain a key."""
    return re.sub(r"[?#].*", "?…", without_credentials(url), flags=re.DOTALL)


@contextmanager
def _redacted_logs() -> Iterator[None]:
    """Redact the URLs that httpx logs for requests of this thread; those of other callers stay as they are."""
    log, thread = logging.getLogger("httpx"), threading.get_ident()

    def redact(record: logging.LogRecord) -> bool:
        if record.thread == thread and isinstance(record.args, tuple):
            record.args = tuple(_redacted(str(arg)) if "://" in str(arg) else arg for arg in record.args)
        return True

    log.addFilter(redact)
    try:
        yield
    finally:
        log.removeFilter(redact)


def _load(entry: Path) -> Fetched | None:
    """Return the cached answer, if both its files exist and the content has the digest that was stored with it."""
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        content, metadata = entry.read_bytes(), json.loads(entry.with_suffix(".json").read_bytes())
        if metadata.pop("sha256") == sha256(content):
            return Fetched(content, **metadata)
    return None


def _store(entry: Path, fetched: Fetched) -> None:
    """Cache an answer; a folder that cannot be written is ignored."""
    metadata = asdict(fetched) | {"sha256": sha256(fetched.content)}
    content = metadata.pop("content")
    with suppress(OSError, LexLatticeError):
        entry.parent.mkdir(parents=True, exist_ok=True)
        # Written one after the other; `_load` accepts them only if they belong together.
        write_whole(entry, content)
        write_whole(entry.with_suffix(".json"), json.dumps(metadata).encode())
