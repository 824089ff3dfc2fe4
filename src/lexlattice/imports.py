"""What somebody else wrote, by its name: `package.module:attribute`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from lexlattice.errors import LexLatticeError, brief


def imported(name: str) -> Any:
    """What `package.module:attribute` stands for; modules in the working directory are found too."""
    module, _, attribute = name.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        found: Any = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # a module can raise anything while it is imported
        raise LexLatticeError(
            f"'{name}' cannot be imported ({brief(error)}); write package.module:attribute."
        ) from error
    return found
