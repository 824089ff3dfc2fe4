"""Objects by their import path, and silence while models of other libraries are loaded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from lexlattice.errors import OptionError, brief


def import_object(path: str) -> Any:
    """Import the object that `package.module:attribute` names, also from modules in the working directory.

    Raises:
        OptionError: It cannot be imported.

    """
    module, _, attribute = path.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        found: Any = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # a module can raise anything while it is imported
        raise OptionError(f"'{path}' cannot be imported ({brief(error)}); write package.module:attribute.") from error
    return found


@contextmanager
def silent_transformers() -> Iterator[None]:
    """Let transformers show no progress bars and reports within the block; errors are reported by the caller."""
    import transformers

    logging: Any = transformers.utils.logging
    level, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if has_bars:
            logging.enable_progress_bar()
