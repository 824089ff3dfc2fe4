"""An act by CELEX number or URL, from the Publications Office's Cellar and from EUR-Lex.

Cellar is asked first: it is made for programs and chooses the text by content negotiation, while EUR-Lex
often wants a browser. A published act does not change, so what was fetched whole is kept and not asked again.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

from lexlattice.errors import FetchError

if TYPE_CHECKING:
    import httpx

CELLAR, EURLEX = "http://publications.europa.eu", "https://eur-lex.europa.eu"
MEDIA_TYPES = ("application/xhtml+xml", "text/html", "application/zip;mtype=fmx4", "application/pdf")
BACKOFF, LONGEST_WAIT = (
    0.5,
    60.0,
)  # seconds before the second attempt, doubled from then on, up to the longest
LARGEST, MOST_REDIRECTS = 200_000_000, 10  # bytes after decompression; steps from the address to the text

_LANGUAGES = """bg:bul cs:ces da:dan de:deu el:ell en:eng es:spa et:est fi:fin fr:fra ga:gle hr:hrv
                hu:hun it:ita lt:lit lv:lav mt:mlt nl:nld pl:pol pt:por ro:ron sk:slk sl:slv sv:swe"""
LANGUAGES = dict(pair.split(":") for pair in _LANGUAGES.split())  # EUR-Lex's ISO 639-1 to Cellar's 639-2/T
_CODES = {code: two for two, three in LANGUAGES.items() for code in (two, three)}

_YEAR, _NUMBER = "(?:19|20)[0-9]{2}", r"[A-Z]{1,2}[0-9]{4,6}(?:\([0-9]{2}\))?"
_FORM = (
    rf"[1-9CE]{_YEAR}{_NUMBER}(?:R\([0-9]{{2}}\))?(?:_[A-Z]{{3}})?"  # 32016R0679, 32013R0575R(04)
    rf"|0{_YEAR}{_NUMBER}(?:-[0-9]{{8}})?"  # consolidated: 02016R0679-20160504
    rf"|1{_YEAR}[A-Z]{{1,2}}(?:[0-9]{{3}}[A-Z]?|(?:/[A-Z0-9]{{2,4}})+)"  # treaties: 12012E067, 12012M/TXT
    rf"|C{_YEAR}/[0-9]{{1,4}}A?/[0-9]{{2}}"  # Official Journal, C series: C2022/114A/01
)
_CELEX = re.compile(rf"\s*(?:CELEX:)?({_FORM})\s*", re.ASCII | re.IGNORECASE)
_CELEX_IN_URL = re.compile(rf"(?:celex|numdoc)[:=/]({_FORM})(?![A-Z0-9])", re.ASCII | re.IGNORECASE)
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


class _SourceError(Exception):
    """Why one source gave nothing; `wait` is set if it may give it later, `absent` if it has no such text."""

    def __init__(self, reason: str, *, wait: str | None = None, absent: bool = False) -> None:
        super().__init__(reason)
        self.wait, self.absent = wait, absent


def is_celex(text: str) -> bool:
    """Tell whether the text has the form of a CELEX number, which names an act in every language."""
    return _CELEX.fullmatch(text) is not None


def is_url(text: str) -> bool:
    """Tell whether the text is an address that `fetch` would open: http or https, nothing else."""
    try:
        parts = urlsplit(text.strip())
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"\s", text.strip())


def fetch(
    reference: str,
    *,
    language: str = "en",
    cache: Path | None = None,
    cellar: str = CELLAR,
    eurlex: str = EURLEX,
    timeout: float = 30.0,
    attempts: int = 4,
) -> Fetched:
    """Get the act that a CELEX number names, or what a URL holds, from the cache if it was fetched before."""
    code, found, reference = _CODES.get(language.lower()), _CELEX.fullmatch(reference), reference.strip()
    if code is None:
        raise FetchError(f"{language!r} is not the code of an official language, such as 'en' or 'fr'.")
    if found:
        reference = celex = found[1].upper()
        path = quote(celex, safe="")
        page = f"{eurlex.rstrip('/')}/legal-content/{code.upper()}/TXT/HTML/?uri=CELEX:{path}"
        sources = [f"{cellar.rstrip('/')}/resource/celex/{path}", page]
    elif is_url(reference):
        named = _CELEX_IN_URL.search(unquote(unquote(reference)))
        sources, celex = [reference], named[1].upper() if named else None
    else:
        raise FetchError(f"{reference!r} is neither a CELEX number such as 32016R0679 nor an http(s) URL.")
    key = json.dumps([reference, code, cellar, eurlex]).encode()
    entry = (cache or _cache_folder()) / f"{hashlib.sha256(key).hexdigest()}.act"
    if kept := _load(entry):
        return kept
    import httpx  # late, so that importing the package stays fast and a kept act does without

    failures: list[tuple[str, _SourceError]] = []
    with httpx.Client(timeout=timeout, headers={"User-Agent": "lexlattice"}) as client:
        for source in sources:
            try:
                answer = _negotiate(client, source, code, attempts)
            except _SourceError as error:
                failures.append((urlsplit(_public(source)).netloc, error))
                continue
            fetched = replace(answer, celex=celex, language=code if found else answer.language)
            _store(entry, fetched)
            return fetched
    told = ", and ".join(f"{host} {error}" for host, error in failures)
    if len({str(error) for _, error in failures}) == 1:
        told = f"{' and '.join(host for host, _ in failures)} {failures[0][1]}"
    if all(error.absent for _, error in failures):
        advice = "check the reference or ask for another language"
    elif any(error.wait is not None for _, error in failures):
        advice = "check the connection or give a file instead"
    else:
        advice = f"give {'a saved file' if found or not celex else f'the CELEX number {celex}'} instead"
    raise FetchError(f"{_public(reference)} could not be fetched in language {code!r}: {told}; {advice}.")


def _public(url: str) -> str:
    """Drop a user name and password, which belong neither in an error nor in the cache."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _negotiate(client: httpx.Client, url: str, code: str, attempts: int) -> Fetched:
    """Ask Cellar for one media type at a time, which is what it understands, and others for any at once."""
    cellar, attempt = urlsplit(url).path.startswith("/resource/"), 1
    wishes = list(MEDIA_TYPES) if cellar else [", ".join((*MEDIA_TYPES, "*/*;q=0.1"))]
    while True:
        try:
            answer = _follow(client, url, wishes[0], LANGUAGES[code] if cellar else code)
            return replace(answer, language=code) if cellar else answer
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
    seconds = float(BACKOFF * 2 ** min(attempt - 1, 16))
    if retry_after.strip().isdecimal():
        seconds = float(retry_after)
    elif retry_after:
        with suppress(ValueError, OverflowError):
            date = parsedate_to_datetime(retry_after)
            seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - time.time()
    return min(max(seconds, 0.0), LONGEST_WAIT)


def _follow(client: httpx.Client, url: str, accept: str, language: str) -> Fetched:
    """Make one attempt, by hand through redirects and choices, since httpx does not follow a 300."""
    import httpx

    for _ in range(MOST_REDIRECTS + 1):
        try:
            wanted = {"Accept": accept, "Accept-Language": language}
            with client.stream("GET", url, headers=wanted) as response:
                status, headers = response.status_code, response.headers
                body = _body(response) if status in (200, 300) else b""
        except httpx.TimeoutException:
            raise _SourceError("did not answer in time", wait="") from None
        except (httpx.ConnectError, httpx.ProxyError):
            raise _SourceError("could not be reached", wait="") from None
        except httpx.InvalidURL:
            raise _SourceError("had a malformed address") from None
        except httpx.HTTPError:
            raise _SourceError("broke off the answer", wait="") from None
        if status == 200 and body:
            media_type = headers.get("content-type", accept).partition(";")[0].strip().lower()
            spoken = _CODES.get(re.split("[-,]", headers.get("content-language", ""))[0].lower())
            return Fetched(body, media_type, _public(url), None, spoken)
        if status in (300, 301, 302, 303, 307, 308):
            chosen = _choice(body.decode("utf-8", "replace"), headers) if status == 300 else ""
            url = urljoin(url, chosen or headers.get("location", ""))
            if not is_url(url):
                raise _SourceError("redirected to an address that is not http(s)")
        elif status in (404, 406, 410):
            raise _SourceError("had no such text", absent=True)
        elif status == 202 or "x-amzn-waf-action" in headers:
            raise _SourceError("wanted a browser")
        else:
            again = headers.get("retry-after", "") if status in (200, 429) or status >= 500 else None
            raise _SourceError(f"answered HTTP {status}{'' if body else ' and nothing else'}", wait=again)
    raise _SourceError(f"redirected more than {MOST_REDIRECTS} times")


def _body(response: httpx.Response) -> bytes:
    """Read all of it: httpx sees to it that nothing announced is missing; here, that it ends at all."""
    content, slowest = bytearray(), response.request.extensions["timeout"]["read"]
    deadline = time.monotonic() + 20 * slowest
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > LARGEST:
            raise _SourceError(f"sent more than {LARGEST / 1e6:.0f} MB")
        if time.monotonic() > deadline:
            raise _SourceError("did not answer in time", wait="")
    return bytes(content)


def _choice(page: str, headers: httpx.Headers) -> str:
    """Pick the main text from the items of a 300: the lowest DOC_n that is no annex, picture or style."""
    items = [(html.unescape(item[1]), item[2]) for item in _ITEM.finditer(page)]
    items += [(url, "") for url in re.findall("<([^>]+)>", headers.get("link", ""))]

    def rank(item: tuple[str, str]) -> tuple[bool, bool, int]:
        number = re.search("/DOC_([0-9]{1,6})$", item[0])
        return number is None, bool(_ASIDE.search(" ".join(item))), int(number[1]) if number else 0

    return min(items, key=rank, default=("", ""))[0]


def _cache_folder() -> Path:
    system = {"win32": os.environ.get("LOCALAPPDATA"), "darwin": "~/Library/Caches"}.get(sys.platform)
    base = Path(system or os.environ.get("XDG_CACHE_HOME") or "~/.cache", "lexlattice")
    try:
        return Path(os.environ.get("LEXLATTICE_CACHE") or base).expanduser()
    except RuntimeError:  # no home, as in some containers: a folder that holds nothing
        return Path(os.devnull)


def _load(entry: Path) -> Fetched | None:
    """Take the kept answer, if both its files are there and the content is what was written."""
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        content, about = entry.read_bytes(), json.loads(entry.with_suffix(".json").read_bytes())
        if about.pop("sha256") == hashlib.sha256(content).hexdigest():
            return Fetched(content, **about)
    return None


def _store(entry: Path, fetched: Fetched) -> None:
    """Keep the answer, each file whole or not at all; a folder that cannot be written is no loss."""
    about = asdict(replace(fetched, content=b"")) | {"sha256": hashlib.sha256(fetched.content).hexdigest()}
    del about["content"]
    with suppress(OSError):
        entry.parent.mkdir(parents=True, exist_ok=True)
        for path, content in (
            (entry, fetched.content),
            (entry.with_suffix(".json"), json.dumps(about).encode()),
        ):
            with tempfile.NamedTemporaryFile(dir=entry.parent, suffix=".part", delete=False) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(file.name).replace(path)
