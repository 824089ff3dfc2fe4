"""What somebody else wrote, by its name: `package.module:attribute`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
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


# Models of others, loaded without a word from those who load them: what is wrong, we say ourselves.


@contextmanager
def quiet() -> Iterator[None]:
    """Transformers without bars and reports; afterwards it is as talkative as it was."""
    import transformers

    logging: Any = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
