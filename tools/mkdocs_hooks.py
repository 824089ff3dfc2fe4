"""Links of the documentation that leave docs/ (source files, model cards) lead to the repository on the site."""

from __future__ import annotations

import posixpath
import re
from typing import Any, Final

LINK: Final = re.compile(r"\]\((\.\./[^)#\s]+)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Called by MkDocs with the text of each page before it is converted."""
    folder = posixpath.dirname(f"docs/{page.file.src_uri}")

    def replace(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[1]))
        inside = target == "docs" or target.startswith("docs/")
        return match[0] if inside else f"]({config.repo_url}/blob/main/{target}"

    return LINK.sub(replace, markdown)
