"""Host names with a port, as Host headers, origins and operators write them."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_AUTHORITY: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]*[A-Za-z0-9_-]))(?::([0-9]{1,5}))?")


class Authority(NamedTuple):
    """A host name in lower case, without brackets, and a port if one was named."""

    name: str
    port: int | None


def parsed_authority(text: str) -> Authority | None:
    """Return the host and port of a Host header, or `None` if it is anything else than exactly that.

    >>> parsed_authority("LocalHost:8000"), parsed_authority("[::1]"), parsed_authority("law.example@127.0.0.1")
    (Authority(name='localhost', port=8000), Authority(name='::1', port=None), None)
    """
    match = _AUTHORITY.fullmatch(text)
    port = int(match[3]) if match and match[3] else None
    if match is None or (port is not None and not 0 < port <= 65535):
        return None
    return Authority((match[1] or match[2]).lower(), port)
