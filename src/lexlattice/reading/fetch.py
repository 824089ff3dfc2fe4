"""An act by CELEX number or URL, from the Publications Office's Cellar and from EUR-Lex.

Cellar is asked first: it is made for programs and chooses the text by content negotiation, while EUR-Lex
often wants a browser. A published act does not change, so what was fetched whole is kept and not asked again.
What a CELEX number names is taken from their hosts only, wherever they may lead.
"""

from __future__ import annotations

import hashlib
import html
import json
import logging
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

from lexlattice.errors import FetchError
from lexlattice.reading.celex import CELEX, CODES, LANGUAGES, named_in

if TYPE_CHECKING:
    import httpx

CELLAR, EURLEX, UNION = "https://publications.europa.eu", "https://eur-lex.europa.eu", ".europa.eu"
MEDIA_TYPES = ("application/xhtml+xml", "text/html", "application/zip;mtype=fmx4", "application/pdf")
BACKOFF, LONGEST_WAIT = 0.5, 60.0  # seconds before the second attempt, doubled from then on; at most
LARGEST, MOST_REDIRECTS = 200_000_000, 10  # bytes after decompression; steps from the address to the text
_REASONS = {202: "wanted a browser"} | dict.fromkeys((404, 406, 410), "had no such text")

_ITEM = re.compile(r"""href\s*=\s*["']([^"']+)["'](.*?)(?=href\s*=|\Z)""", re.DOTALL | re.IGNORECASE)
_ASIDE = re.compile(r"anx|annex|\.(?:css|js|ico|gif|jpe?g|png|tiff?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came back: the bytes as sent, their media type without parameters, and where they came from."""

    content: bytes
    media_type: str
    url: str
    celex: str | None
    language: str | None


@dataclass(frozen=True, slots=True)
class _Limits:
    """How many bytes may come, and from which hosts, if not from any; one with a dot before it stands for all below."""

    most: int
    hosts: tuple[str, ...] | None = None

    def allow(self, host: str) -> bool:
        known = self.hosts
        return known is None or any(host == one or (one[:1] == "." and host.endswith(one)) for one in known)


class _SourceError(Exception):
    """Why one source gave nothing; `wait` is set if it may give it later, `absent` if it has no such text."""

    def __init__(self, reason: str, *, wait: str | None = None, absent: bool = False) -> None:
        super().__init__(reason)
        self.wait, self.absent = wait, absent


def is_celex(text: str) -> bool:
    """Tell whether the text has the form of a CELEX number, which names an act in every language."""
    return CELEX.fullmatch(text) is not None


def is_url(text: str) -> bool:
    """Tell whether the text is an address that `fetch` would open: http or https, nothing else."""
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
    most: int = LARGEST,
) -> Fetched:
    """Get the act that a CELEX number names, or what a URL holds, from the cache if it was fetched before.

    A URL of the Union's own sites that names an act is asked for by its number first, and in the language that the URL
    names, if no other is asked for; English is what remains. Of an answer no more than `most` bytes are read.
    """
    found, reference = CELEX.fullmatch(reference), reference.strip()
    named = named_in(reference) if is_url(reference) else None
    if language is not None and language.lower() not in CODES:
        raise FetchError(f"{language!r} is not the code of an official language, such as 'en' or 'fr'.")
    code = CODES[language.lower()] if language is not None else (named and named.language) or "en"
    known = _Limits(most, _hosts(cellar, eurlex))
    if found:
        reference = celex = found[1].upper()
        sources = [(source, known) for source in _sources(celex, code, cellar, eurlex)]
    elif named is not None:
        celex, is_unions = named.celex, known.allow(urlsplit(public(reference)).netloc.lower())
        by_number = _sources(celex, code, cellar, eurlex) if celex and is_unions else []
        sources = [(source, known) for source in by_number if source != reference] + [(reference, _Limits(most))]
    else:
        raise FetchError(f"{_shown(reference)!r} is neither a CELEX number such as 32016R0679 nor an http(s) URL.")
    key = hashlib.sha256(json.dumps([reference, code, cellar, eurlex]).encode()).hexdigest()
    entry = (cache or _cache_folder()) / f"{key}.act"
    if kept := _load(entry):
        return kept
    import httpx  # late, so that importing the package stays fast and a kept act does without

    failures: list[tuple[str, _SourceError]] = []
    try:
        client = httpx.Client(timeout=timeout, headers={"User-Agent": "lexlattice"})
    except (ImportError, ValueError):
        raise FetchError("The proxy set in the environment cannot be used; correct or unset it.") from None
    with client, _discreet():
        for source, limits in sources:
            try:
                text = _negotiate(client, source, code, attempts, limits)
                spoken = code if limits is known else text.language
                return _store(entry, replace(text, celex=celex, language=spoken))
            except _SourceError as error:
                failures.append((urlsplit(public(source)).netloc, error))
    what = f"{celex} in language {code!r}" if found else _shown(reference)
    told = ", and ".join(f"{host} {error}" for host, error in failures)
    absent = all(error.absent for _, error in failures)
    advice = "ask for another language or act" if absent else "check the connection or give a file instead"
    if celex and len(sources) == 1 and failures[0][1].wait is None:
        advice = f"give the CELEX number {celex} instead"
    raise FetchError(f"{what} could not be fetched: {told}; {advice}.", absent=absent)


def _sources(celex: str, code: str, cellar: str, eurlex: str) -> list[str]:
    """Where an act is asked for by its number: Cellar, then EUR-Lex."""
    path = quote(celex, safe="")
    page = f"{eurlex.rstrip('/')}/legal-content/{code.upper()}/TXT/HTML/?uri=CELEX:{path}"
    return [f"{cellar.rstrip('/')}/resource/celex/{path}", page]


def _hosts(cellar: str, eurlex: str) -> tuple[str, ...]:
    """Those that are asked, and all of the Union's where it is the Union's own that are asked."""
    asked = tuple(urlsplit(public(url)).netloc.lower() for url in (cellar, eurlex))
    return (*asked, UNION) if (cellar, eurlex) == (CELLAR, EURLEX) else asked


def public(url: str) -> str:
    """Drop a user name and password, which belong neither in an error nor in the cache."""
    return re.sub("(?<=://)[^/?#]*@", "", url)


def _shown(url: str) -> str:
    """The address without a query either, which may hold a key: for errors and logs."""
    return re.sub(r"[?#].*", "?…", public(url), flags=re.DOTALL)


@contextmanager
def _discreet() -> Iterator[None]:
    """Have httpx log no more of the addresses asked for here than errors show; those of others are none of ours."""
    log, thread = logging.getLogger("httpx"), threading.get_ident()

    def shorten(record: logging.LogRecord) -> bool:
        if record.thread == thread and isinstance(record.args, tuple):
            record.args = tuple(_shown(str(arg)) if "://" in str(arg) else arg for arg in record.args)
        return True

    log.addFilter(shorten)
    try:
        yield
    finally:
        log.removeFilter(shorten)


def _negotiate(client: httpx.Client, url: str, code: str, attempts: int, limits: _Limits) -> Fetched:
    """Ask Cellar for one media type at a time, which is what it understands, and others for any at once."""
    cellar, attempt = urlsplit(url).path.startswith("/resource/"), 1
    wishes = list(MEDIA_TYPES) if cellar else [", ".join((*MEDIA_TYPES, "*/*;q=0.1"))]
    while True:
        try:
            text = _follow(client, url, wishes[0], LANGUAGES[code] if cellar else code, limits)
            return replace(text, language=code) if cellar else text
        except _SourceError as error:
            if error.absent and wishes[1:]:
                wishes, attempt = wishes[1:], 1
            elif error.wait is not None and attempt < attempts:
                time.sleep(_pause(error.wait, attempt))
                attempt += 1
            else:
                raise


def _pause(retry_after: str, attempt: int) -> float:
    """Wait as long as the source says, else twice as long each time, but never so long as to seem hung."""
    seconds, said = float(BACKOFF * 2 ** min(attempt - 1, 16)), retry_after.strip()
    with suppress(ValueError, OverflowError):
        seconds = float(said) if said.isdecimal() else parsedate_to_datetime(said).timestamp() - time.time()
    return min(max(seconds, 0.0), LONGEST_WAIT)


def _follow(client: httpx.Client, url: str, accept: str, language: str, limits: _Limits) -> Fetched:
    """Make one attempt, by hand through redirects and choices, since httpx does not follow a 300."""
    import httpx

    wanted, target = {"Accept": accept, "Accept-Language": language}, ""
    for _ in range(MOST_REDIRECTS + 1):
        try:
            url = urljoin(url, target)
            if not limits.allow(httpx.URL(url).netloc.decode()):
                raise _SourceError("led to another host")
            with client.stream("GET", url, headers=wanted) as response:
                status, headers = response.status_code, response.headers
                body = _body(response, limits.most) if status in (200, 300) else b""
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, ValueError):
            raise _SourceError("led to an address that cannot be opened") from None
        except httpx.TimeoutException:
            raise _SourceError("did not answer in time", wait="") from None
        except (httpx.ConnectError, httpx.ProxyError):
            raise _SourceError("could not be reached", wait="") from None
        except httpx.HTTPError:
            raise _SourceError("broke off the answer", wait="") from None
        if status in (300, 301, 302, 303, 307, 308):
            target = (_choice(body, headers) if status == 300 else "") or headers.get("location", "")
        elif status == 200 and body:
            media_type = headers.get("content-type", "application/octet-stream").partition(";")[0].lower()
            spoken = CODES.get(re.split("[-,]", headers.get("content-language", ""))[0].lower())
            return Fetched(body, media_type.strip(), public(url), None, spoken)
        else:
            reason = _REASONS.get(status, f"answered HTTP {status} without a text")
            again = headers.get("retry-after", "") if status in (200, 429) or status >= 500 else None
            raise _SourceError(reason, wait=again, absent=status in (404, 406, 410))
    raise _SourceError(f"redirected more than {MOST_REDIRECTS} times")


def _body(response: httpx.Response, most: int) -> bytes:
    """Read all of it: httpx sees to it that nothing announced is missing; here, that it ends at all."""
    content, deadline = bytearray(), time.monotonic() + 20 * response.request.extensions["timeout"]["read"]
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > most:
            raise _SourceError(f"sent more than {most / 1e6:g} MB")
        if time.monotonic() > deadline:
            raise _SourceError("did not answer in time", wait="")
    return bytes(content)


def _choice(page: bytes, headers: httpx.Headers) -> str:
    """Pick the main text from what a 300 lists: the first item that is no annex, picture or style."""
    items = [(html.unescape(item[1]), item[2]) for item in _ITEM.finditer(page.decode("utf-8", "replace"))]
    items += [(url, "") for url in re.findall("<([^>]+)>", headers.get("link", ""))]
    return min(items, key=lambda i: ("/DOC_" not in i[0], bool(_ASIDE.search(str(i)))), default=("", ""))[0]


def _cache_folder() -> Path:
    env, home = os.environ.get, Path(os.environ.get("HOME") or os.devnull)  # no home: no folder to write to
    system = {"win32": env("LOCALAPPDATA"), "darwin": home / "Library" / "Caches"}.get(sys.platform)
    base = system or env("XDG_CACHE_HOME") or home / ".cache"
    return Path(env("LEXLATTICE_CACHE") or Path(base, "lexlattice"))


def _load(entry: Path) -> Fetched | None:
    """Take the kept answer, if both its files are there and the content is what was written."""
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        content, about = entry.read_bytes(), json.loads(entry.with_suffix(".json").read_bytes())
        if about.pop("sha256") == hashlib.sha256(content).hexdigest():
            return Fetched(content, **about)
    return None


def _store(entry: Path, fetched: Fetched) -> Fetched:
    """Keep the answer, each file whole or not at all; a folder that cannot be written is no loss."""
    about = asdict(fetched) | {"sha256": hashlib.sha256(fetched.content).hexdigest()}
    content = about.pop("content")
    with suppress(OSError):
        entry.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=entry.parent) as scratch:
            for path, part in (entry, content), (entry.with_suffix(".json"), json.dumps(about).encode()):
                with Path(scratch, path.name).open("wb") as file:
                    file.write(part)
                    file.flush()
                    os.fsync(file.fileno())
                Path(scratch, path.name).replace(path)
    return fetched
